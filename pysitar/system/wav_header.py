"""What the header of a .wav file promises."""
from __future__ import annotations

import os
import struct
from typing import BinaryIO

UNKNOWN_SIZES = (0, 0xFFFFFFFF)         # of a chunk that was written to a pipe
MOST_CHUNKS = 1000                      # before that of the samples


def missing_frames(stream: BinaryIO) -> tuple[int, int] | None:
    """Return how many frames of a .wav file are missing at its end, and how many its header
    promises; None where none are, and for another format.

    Parameters: stream, of the whole file, at its beginning. """
    try:
        return _missing_frames(stream)
    except struct.error:
        return None


def _missing_frames(stream: BinaryIO) -> tuple[int, int] | None:
    length = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    start = stream.read(12)
    if start[:4] != b"RIFF" or start[8:] != b"WAVE":
        return None
    frame, begin = 0, len(start)
    for _ in range(MOST_CHUNKS):
        stream.seek(begin)
        header = stream.read(8)
        if len(header) < 8:
            return None
        size = struct.unpack("<I", header[4:])[0]
        begin += 8
        if header[:4] == b"fmt ":
            frame = struct.unpack("<H", stream.read(14)[12:14])[0]
        elif header[:4] == b"data":
            if size in UNKNOWN_SIZES or not frame or begin + size <= length:
                return None
            return (size - (length - begin)) // frame, size // frame
        begin += size + size % 2
    return None
