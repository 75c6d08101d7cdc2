"""Names of stems: one file for each voice, safe on any disk, and never the same for two voices."""
from __future__ import annotations

import hashlib
import re

from pysitar.errors import ParameterError

MAX_LENGTH = 200               # characters; an ending and ".json" still fit into the 255 bytes of a file name
KEPT_LENGTH = 100              # characters kept of a longer one
RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])")               # devices, to Windows, with any ending


def stem_name(voice: str) -> str:
    """Return the name of a voice's stem file, without its ending.

    Parameters: voice, a name as scores have it: letters, digits and _ of any script, case counts.
    Returns: ASCII, of at most 200 characters. a-z, 0-9 and _ stand as they are; a capital A-Z becomes the small letter and "-"
    (Tanpura: t-anpura); any other character its number in Unicode, in hexadecimal between two "+" (té: t+e9+). So names that differ
    give names that differ, on a disk that takes T and t, or two spellings of é, for one, too. A name that a system keeps for a device
    (con, aux) gets "--" at its end. A name too long is cut to 100 characters, then "--" and its SHA-256.
    Errors: ParameterError for what is no name in a score.
    """
    if not isinstance(voice, str) or not voice.isidentifier():
        raise ParameterError("voice", voice, "expected a name: letters, digits and _, with no digit first")
    name = "".join(map(_escape, voice))
    if len(name) > MAX_LENGTH:
        return f"{name[:KEPT_LENGTH]}--{hashlib.sha256(voice.encode()).hexdigest()}"
    return f"{name}--" if RESERVED.fullmatch(name) else name


def _escape(character: str) -> str:
    if not character.isascii():
        return f"+{ord(character):x}+"
    return f"{character.lower()}-" if character.isupper() else character
