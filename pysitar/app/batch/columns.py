"""The columns of a manifest beside those of the varied parameters."""
from __future__ import annotations

FIRST = ("name", "file", "score", "item", "seed")
LAST = ("frames", "seconds", "rate", "channels", "samples", "peak", "rms", "clipped", "dc", "t60", "centroid", "residual", "iterations",
        "failed_solves", "tail_cut", "seconds_per_second", "flags", "error", "key")
LOADED = ("file_name", "audio")          # of a loader of the layout audiofolder
TAKEN = frozenset((*FIRST, *LAST, *LOADED))
