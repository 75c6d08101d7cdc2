"""The key of an item: two items of one key are the same sound, so that one that is there need not be made again."""
from __future__ import annotations

import hashlib
from collections.abc import Iterable

from pysitar.rendering.binding.flatten import expanded
from pysitar.rendering.options import Options
from pysitar.rendering.plan import Bound
from pysitar.score.document import Score
from pysitar.score.elements import Setting
from pysitar.score.literals import literal_text
from pysitar.score.source_files import Source
from pysitar.system.names import decode_bytes
from pysitar.version import package_version

TEXTS = (".score", "-")         # sources that are in the flat score: their comments, and other values of a sweep, change no item


def score_digest(score: Score, bound: Bound) -> str:
    """The SHA-256 (hex) of a score flattened, as `pysitar expand` writes it.

    Parameters: score, without its sweeps and draws; bound, its first item.
    """
    return _hashed([expanded(score, bound, str(score.folder))])          # wherever the command was given


def common_key(digest: str, sources: Iterable[Source], options: Options, *, kind: str) -> str:
    """The SHA-256 (hex) of what all items of a score share.

    Parameters: digest, from `score_digest`; sources, every file that was read; options; kind, format and subtype of the files.
    """
    read = [source.sha256 for source in sources if not source.name.endswith(TEXTS)]
    return _hashed([package_version(), digest, *read, repr(options), kind])


def item_key(common: str, settings: Iterable[Setting]) -> str:
    """The key (hex) of the item that has these values.  Parameters: common, from `common_key`; settings."""
    return _hashed([common, *(f"{'.'.join(setting.path)} = {literal_text(setting.value)}" for setting in settings)])


def _hashed(lines: Iterable[str]) -> str:
    text = decode_bytes("\n".join(lines))          # the same in every locale
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
