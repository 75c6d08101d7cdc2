"""Read recordings to be fitted: one channel, within the length and rates that can be fitted."""
from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from pysitar.app.analysis.sound_files import (
    FRAMES,
    LOUDEST,
    SoundFileError,
    open_sound,
    read_frames,
    read_header,
)
from pysitar.app.messages import UsageError
from pysitar.errors import ParameterError, printable, quoted
from pysitar.fitting.recording import LEAST_RATE, LONGEST, MOST_RATE, SHORTEST, check_recording
from pysitar.physics.checks import FloatArray

MEAN = "mean"


def read_recording(path: str | os.PathLike[str], channel: str | int | None) -> tuple[FloatArray,
                                                                                    float]:
    """Return the samples, (n,), and the rate (Hz) of a recording.

    Parameters: channel, its number from 1, "mean" of all, or None: the file has only one.
    Errors: SoundFileError, which says what makes it unfit.
    """
    shown = printable(os.fspath(path), "?")
    with open_sound(path) as file:
        header = read_header(file, path)
        if not LEAST_RATE <= header.rate <= MOST_RATE:
            raise SoundFileError(f"{shown}: the rate is {header.rate} Hz; expected "
                                 f"{LEAST_RATE:g} to {MOST_RATE:g} Hz")
        if not SHORTEST <= header.seconds <= LONGEST:
            raise SoundFileError(f"{shown}: the sound is {header.seconds:.4g} s long; expected one "
                                 f"stroke, {SHORTEST:g} to {LONGEST:g} s")
        if channel is None and header.channels > 1:
            raise SoundFileError(
                f"{shown}: the sound has {header.channels} channels; expected one, or --channel N, "
                f"or --channel {MEAN}")
        if isinstance(channel, int) and not 1 <= channel <= header.channels:
            raise SoundFileError(f"{shown}: the sound has no channel {channel}; expected 1 to "
                                 f"{header.channels}")
        parts: list[FloatArray] = []
        done = 0
        while done < header.frames:
            frames = read_frames(file, max(1, FRAMES // header.channels), done, path,
                                 loudest=LOUDEST)
            done += len(frames)
            parts.append(frames.mean(axis=1) if channel in {None, MEAN} else
                         frames[:, int(channel or 1) - 1].copy())
    try:
        return check_recording(np.concatenate(parts), float(header.rate))
    except ParameterError as error:
        raise SoundFileError(f"{shown}: the sound is {error.value}; {error.expected}") from None


@contextmanager
def named_errors(command: str, file: str) -> Iterator[None]:
    """Report a ParameterError of a `with` block as one of a recording.  Errors: UsageError."""
    try:
        yield
    except ParameterError as error:
        if error.name == "audio":
            raise UsageError(f"pysitar {command}: {quoted(file)} is {error.value}; "
                             f"{error.expected}") from None
        raise UsageError(f"pysitar {command}: {error}") from None
