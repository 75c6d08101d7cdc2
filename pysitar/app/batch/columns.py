"""The columns of a manifest beside those of the varied parameters."""
from __future__ import annotations

FIRST = ("name", "file", "score", "item", "seed")
LAST = ("frames", "seconds", "rate", "channels", "samples", "peak", "rms", "clipped", "dc", "t60", "centroid", "residual", "iterations",
        "failed_solves", "tail_cut", "seconds_per_second", "flags", "error", "key")
LOADED = ("file_name", "file_names", "audio")          # of a loader of the layout audiofolder
LOADED_ENDS = ("_file_name", "_file_names")          # of columns that it takes for files
TAKEN = frozenset((*FIRST, *LAST, *LOADED))


def is_taken(name: str) -> bool:
    """Whether a column of the name of an instrument would be taken for another."""
    return name in TAKEN or name.endswith(LOADED_ENDS)
