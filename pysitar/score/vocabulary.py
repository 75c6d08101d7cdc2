"""The words of the language, and the nearest known one to a word that is not."""
from __future__ import annotations

import difflib
from collections.abc import Iterable

from pysitar.errors import quoted

KEYWORDS = ("use", "render", "tuning", "tempo", "tala", "section", "end", "play", "include", "set", "mix", "sweep", "draw")
RESERVED = frozenset((*KEYWORDS, "as"))
VERBS = ("pluck", "strike", "fret", "bend", "press", "damp", "strum", "drop", "roll", "throw")
PITCH_VERBS = frozenset(("pluck", "fret", "bend", "strum"))
SOUNDING_VERBS = frozenset(("pluck", "strike", "press", "strum", "drop", "roll", "throw"))
ORNAMENTS = frozenset(("meend", "gamak", "kan", "krintan", "andolan"))
LONG_NAMES = {"f": "force", "x": "position", "w": "width", "h": "height", "m": "mass", "v": "velocity",
              "K": "stiffness", "alpha": "exponent"}
RENDER_NAMES = ("rate", "oversample", "tail", "floor", "seed", "channels", "peak")
PLAY_NAMES = ("at", "times", "every", "f", "force", "transpose")
MIX_NAMES = ("gain", "pan")
TALAS = {"tintal": 16, "jhaptal": 10, "ektal": 12, "rupak": 7, "keherwa": 8, "dadra": 6, "dhamar": 14}
SHAPES = ("lin", "cos", "exp", "step")
LONGEST_WORD = 60
MOST_LISTED = 12


def long_name(name: str) -> str:
    """The full name of an argument: `f` and `force` are one."""
    return LONG_NAMES.get(name, name)


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the nearest known one, or all of them when none is near."""
    names = list(dict.fromkeys(known))
    if not names:
        return "none is known here"
    folded = {name.casefold(): name for name in reversed(names)}
    close = difflib.get_close_matches(word[:LONGEST_WORD].casefold(), list(folded), n=1, cutoff=0.55)
    if close:
        return f"the nearest known is {quoted(folded[close[0]])}"
    listed = ", ".join(quoted(name) for name in names[:MOST_LISTED])
    return f"known are {listed}" + (" ..." if len(names) > MOST_LISTED else "")


def means(pattern: str, name: str) -> bool:
    """Whether a part of a target, such as `pa`, `*` or `sa_*`, means a name; or all that another such part does."""
    return name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1]))


def is_name(text: str) -> bool:
    """Whether a text is a name: a letter or `_`, then letters and digits of any script (with the marks that belong to them)."""
    return text.isidentifier() and text not in RESERVED
