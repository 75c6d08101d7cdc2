"""The columns of a manifest besides the varied parameters."""
from __future__ import annotations

FIRST = ("name", "file", "score", "item", "seed", "split")
LAST = ("pitch", "velocity", "instrument", "frames", "seconds", "rate", "channels", "samples",
        "peak", "rms", "clipped", "dc", "t60", "centroid", "residual", "iterations",
        "failed_solves", "tail_cut", "seconds_per_second", "flags", "error", "key")
LOADED = ("file_name", "file_names", "audio")          # columns of the audiofolder loader
LOADED_ENDS = ("_file_name", "_file_names")  # endings of columns that the loader takes for files
TAKEN = frozenset((*FIRST, *LAST, *LOADED))


def is_taken(name: str) -> bool:
    """Return whether a column has the name of a fixed one."""
    return name in TAKEN or name.endswith(LOADED_ENDS)
