"""What is odd about a recording that can be fitted all the same."""
from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO

from pysitar.app.messages import one_line, report
from pysitar.errors import printable
from pysitar.fitting.recording import find_onset, find_second_onset, is_growing
from pysitar.physics.checks import FloatArray
from pysitar.system.files import regular_file

UNKNOWN_SIZES = (0, 0xFFFFFFFF)         # of a chunk that was written to a pipe
MOST_CHUNKS = 1000                      # before that of the samples


def warn_of_recording(file: str, sound: FloatArray, rate: float) -> None:
    """Report what is odd about a recording on standard error: see `recording_warnings`."""
    for text in recording_warnings(file, sound, rate):
        report(one_line(f"warning: {printable(file, '?')}: {text}"))


def recording_warnings(file: str, sound: FloatArray, rate: float) -> Iterator[str]:
    """Yield the warnings about a recording: frames that its header promises and that are missing,
    a second stroke, and a level that does not fall.

    Parameters: sound (n,) of the file, and its rate (Hz).
    """
    missing = missing_frames(file)
    if missing is not None:
        yield (f"{missing[0]} of {missing[1]} frames are missing: the file was cut at "
               f"{sound.size / rate:.4g} s; expected the whole file")
    onset = find_onset(sound, rate)
    second = find_second_onset(sound, rate, onset)
    if second is not None:
        yield (f"a second stroke begins at {second / rate:.3f} s; expected one in each file: cut "
               "it there")
    elif is_growing(sound, rate):
        yield ("its level does not fall: the second half has more energy than the first; expected "
               "a stroke that dies away (is it reversed?)")


def missing_frames(file: str) -> tuple[int, int] | None:
    """Return how many frames of a .wav file are missing at its end, and how many its header
    promises; None where none are, and for another format."""
    try:
        with regular_file(file) as stream:
            return _missing_frames(stream)
    except (OSError, struct.error):
        return None


def _missing_frames(stream: BinaryIO) -> tuple[int, int] | None:
    length = os.fstat(stream.fileno()).st_size
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
