"""The words of the score language."""
from __future__ import annotations

from pysitar.gestures.catalogue import (
    CURVE_VERBS,
    EXPANDED_VERBS,
    INSTRUMENT_VERBS,
    LONG_NAMES,
    ORNAMENT_VERBS,
    PITCH_VERBS,
    PITCHED_VERBS,
    SOUNDING_VERBS,
    STRENGTH_VERBS,
    TRANSPOSED_VERBS,
    VERBS,
)

__all__ = [
    "CURVE_VERBS", "EXPANDED_VERBS", "FREE_KEYWORDS", "GRACE", "HUMANISE_NAMES",
    "INSTRUMENT_VERBS", "KEYWORDS", "LONG_NAMES", "MIX_NAMES",
    "ORNAMENTS", "ORNAMENT_VERBS", "PITCHED_VERBS", "PITCH_VERBS", "PLAY_NAMES",
    "RENDER_NAMES", "RESERVED", "REST", "ROOMS", "SHAPES", "SOUNDING_VERBS", "STRENGTH_VERBS",
    "TALAS", "TRANSPOSED_VERBS", "VERBS", "is_name", "long_name", "matches_name",
]
KEYWORDS = ("use", "render", "tuning", "tempo", "tala", "section", "end", "play", "include", "set",
            "mix", "sweep", "draw", "swing", "accent", "humanise", "let", "repeat", "room")
# the statements whose words are names too
FREE_KEYWORDS = frozenset(("swing", "accent", "humanise", "let", "repeat", "room"))
RESERVED = frozenset(("as", *KEYWORDS)) - FREE_KEYWORDS
ORNAMENTS = frozenset(("meend", "gamak", "kan", "krintan", "andolan"))
RENDER_NAMES = ("rate", "oversample", "tail", "floor", "fade", "seed", "channels", "peak")
PLAY_NAMES = ("at", "times", "every", "f", "force", "transpose")
MIX_NAMES = ("gain", "pan", "spread", "loudness")
ROOMS = ("small", "hall")
HUMANISE_NAMES = ("time", "force", "pitch", "seed")
TALAS = {
    "tintal": 16, "jhaptal": 10, "ektal": 12, "rupak": 7, "keherwa": 8, "dadra": 6, "dhamar": 14
}
GRACE = "grace"                 # in the place of a time
REST = "rest"                   # in the place of a verb
SHAPES = ("lin", "cos", "exp", "step")


def long_name(name: str) -> str:
    """Return the full name of an argument: `f` is `force`."""
    return LONG_NAMES.get(name, name)


def matches_name(pattern: str, name: str) -> bool:
    """Whether a part of a target, such as `pa`, `*` or `sa_*`, matches a name, or all names that
    another such part matches."""
    return name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))


def is_name(text: str) -> bool:
    """Whether a text is a name: a letter or `_`, then letters with their marks, digits and `_`, of
    any script."""
    return text.isidentifier() and text not in RESERVED
