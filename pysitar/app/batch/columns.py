"""The columns of a manifest beside those of the varied parameters."""
from __future__ import annotations

FIRST = ("name", "file", "score", "item", "seed")
LAST = ("frames", "seconds", "rate", "channels", "samples", "peak", "rms", "clipped", "dc", "t60", "centroid", "residual", "iterations",
        "failed_solves", "tail_cut", "seconds_per_second", "flags", "error", "key")
TEXT, NUMBER, WHOLE, FLAG, TEXTS, MAYBE = "text", "number", "whole", "flag", "texts", "a number or nothing"
KINDS = {"samples": TEXT, "key": TEXT, "frames": WHOLE, "rate": WHOLE, "channels": WHOLE, "clipped": WHOLE, "iterations": WHOLE,
         "failed_solves": WHOLE, "seconds": NUMBER, "peak": NUMBER, "rms": NUMBER, "dc": NUMBER, "residual": NUMBER,
         "seconds_per_second": NUMBER, "t60": MAYBE, "centroid": MAYBE, "tail_cut": FLAG, "flags": TEXTS}          # of what is made
LOADED = ("file_name", "file_names", "audio")          # of a loader of the layout audiofolder
LOADED_ENDS = ("_file_name", "_file_names")          # of columns that it takes for files
TAKEN = frozenset((*FIRST, *LAST, *LOADED))


def is_taken(name: str) -> bool:
    """Whether a column of the name of an instrument would be taken for another."""
    return name in TAKEN or name.endswith(LOADED_ENDS)


def fits(name: str, value: object) -> bool:
    """Whether a value can be that of a column of what is made."""
    kind = KINDS[name]
    if kind == TEXT:
        return isinstance(value, str)
    if kind == TEXTS:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if kind == FLAG or isinstance(value, bool):
        return kind == FLAG and isinstance(value, bool)
    if kind == WHOLE:
        return isinstance(value, int) and value >= 0
    return isinstance(value, int | float) or (kind == MAYBE and value is None)
