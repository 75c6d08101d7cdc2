"""Names of stem files, which are valid on every disk and differ for different voices."""
from __future__ import annotations

import hashlib
import re

from pysitar.errors import ParameterError

MAX_LENGTH = 200  # characters; with an ending and ".json" below the 255 bytes of a file name
KEPT_LENGTH = 100              # characters that a longer name keeps before its hash
# device names of Windows, with any ending
RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])")


def stem_name(voice: str) -> str:
    """Return the name of a voice's stem file, without its ending.

    Parameters: voice, a name as in scores: letters, digits and _ of any script; case counts.
    Returns: ASCII, at most 200 characters. a-z, 0-9 and _ are unchanged; a capital A-Z becomes the
    small letter and "-" (Tanpura: t-anpura); any other character becomes its Unicode number in
    hexadecimal between two "+" (té: t+e9+). Different names thus stay different on disks that do
    not distinguish T from t, or two spellings of é. A name that a system reserves for a device
    (con, aux) gets "--" at its end. A longer name is cut to 100 characters, followed by "--" and
    its SHA-256. Errors: ParameterError for anything that is not a name in a score. """
    if not isinstance(voice, str) or not voice.isidentifier():
        raise ParameterError("voice", voice,
                             "expected a name: letters, digits and _, with no digit first")
    name = "".join(map(_escape, voice))
    if len(name) > MAX_LENGTH:
        return f"{name[:KEPT_LENGTH]}--{hashlib.sha256(voice.encode()).hexdigest()}"
    return f"{name}--" if RESERVED.fullmatch(name) else name


def _escape(character: str) -> str:
    if not character.isascii():
        return f"+{ord(character):x}+"
    return f"{character.lower()}-" if character.isupper() else character
