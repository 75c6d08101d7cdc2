"""The key of an item: items with the same key are the same sound, so that an existing one is
reused."""
from __future__ import annotations

import hashlib
from collections.abc import Iterable

from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.options import Options
from pysitar.rendering.plan import Bound
from pysitar.score.document import Score
from pysitar.score.elements import Setting
from pysitar.score.literals import literal_text
from pysitar.score.source_files import Source
from pysitar.system.files import decode_bytes
from pysitar.version import package_version

# these sources are part of the flat score; comments and other sweep values change no item
SCORE_ENDINGS = (".score", "-")


def score_digest(score: Score, bound: Bound) -> str:
    """Return the SHA-256 (hex) of a score as `pysitar expand` writes it.

    Parameters: score, without sweeps and draws; bound, its first item.
    """
    # independent of the current folder
    return _hash_lines([flatten_score(score, bound, str(score.folder))])


def common_key(digest: str, sources: Iterable[Source], options: Options, *, kind: str) -> str:
    """Return the SHA-256 (hex) of everything that all items of a score have in common.

    Parameters: digest, from `score_digest`; sources, every file that was read; options; kind,
    format and subtype of the files.
    """
    read = [source.sha256 for source in sources if not source.name.endswith(SCORE_ENDINGS)]
    return _hash_lines([package_version(), digest, *read, repr(options), kind])


def item_key(common: str, settings: Iterable[Setting]) -> str:
    """Return the key (hex) of the item with these values.

    Parameters: common, from `common_key`.
    """
    return _hash_lines([
        common,
        *(f"{'.'.join(setting.path)} = {literal_text(setting.value)}" for setting in settings)])


def _hash_lines(lines: Iterable[str]) -> str:
    text = decode_bytes("\n".join(lines))          # independent of the locale
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
