"""Read sound files block by block: only regular files and finite samples, in constant memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import soundfile  # type: ignore[import-untyped]

from pysitar.errors import PysitarError, printable
from pysitar.physics.checks import FloatArray
from pysitar.system.files import NotRegularError, open_regular

BLOCK = 1 << 20                 # samples read at once
FRAMES = 65536                  # frames measured at once, of up to 16 channels
LOUDEST = 1e30                  # |sample| of a sound that is drawn: spectra do not overflow
LOUDEST_MEASURED = 1e100        # |sample| of a sound that is only measured; FLOAT reaches 3.4e38


class SoundFileError(PysitarError):
    """A file cannot be read as a sound."""


class Header(NamedTuple):
    """The header of a sound file: rate (Hz), channels, frames."""

    rate: int
    channels: int
    frames: int

    @property
    def seconds(self) -> float:
        """The duration of the sound (s)."""
        return self.frames / self.rate


@contextmanager
def open_sound(path: str | os.PathLike[str]) -> Iterator[soundfile.SoundFile]:
    """Open a sound file for reading.  Errors: SoundFileError."""
    shown = printable(os.fspath(path), "?")
    try:
        descriptor = open_regular(path)
    except NotRegularError as error:
        raise SoundFileError(f"{shown}: it is {error.kind}; expected a sound file") from None
    except OSError as error:
        raise SoundFileError(
            f"{shown}: cannot be read ({error.strerror}); expected an existing sound file"
        ) from None
    try:
        with _report_errors(shown), soundfile.SoundFile(descriptor, closefd=False) as file:
            yield file
    finally:
        os.close(descriptor)


def read_file_header(path: str | os.PathLike[str]) -> Header:
    """Return the header of a sound file that has frames.  Errors: SoundFileError."""
    with open_sound(path) as file:
        return read_header(file, path)


def read_header(file: soundfile.SoundFile, path: str | os.PathLike[str]) -> Header:
    """Return the header of an open sound file.  Errors: SoundFileError, if it has no frames."""
    header = Header(file.samplerate, file.channels, file.frames)
    if header.rate < 1 or header.frames < 1:
        what = "no frames" if header.rate >= 1 else "a rate of 0 Hz"
        raise SoundFileError(
            f"{printable(os.fspath(path), '?')}: the sound has {what}; expected at least "
            "one frame")
    return header


def read_frames(
    file: soundfile.SoundFile,
    count: int,
    begin: int,
    path: str | os.PathLike[str],
    *,
    loudest: float = LOUDEST,
) -> FloatArray:
    """Return the next frames, (n, channels), n above 0.

    Parameters: count, the greatest number of frames; begin, the index of the first frame; loudest,
    the greatest |sample|.
    Errors: SoundFileError, at the end of the file and for a sample that is not finite or too large.
    """
    shown = printable(os.fspath(path), "?")
    reason = "the file ends there"
    try:
        block: FloatArray = file.read(count, dtype="float64", always_2d=True)
    except soundfile.SoundFileError as error:
        block, reason = np.zeros((0, 1)), _reason(error)
    if not block.shape[0]:
        time = begin / file.samplerate
        raise SoundFileError(
            f"{shown}: the sound cannot be read from {time:g} s on ({reason}); expected "
            f"{file.frames / file.samplerate:g} s, the length in its header")
    good = np.abs(block) <= loudest  # False for NaN
    if not good.all():
        index, channel = (int(place) for place in np.argwhere(~good)[0])
        raise SoundFileError(
            f"{shown}: the sample at {(begin + index) / file.samplerate:g} s (frame "
            f"{begin + index}, channel {channel + 1}) is {block[index, channel]:g}; expected "
            f"finite numbers of at most {loudest:g}")
    return block


def sound_blocks(
    file: soundfile.SoundFile,
    path: str | os.PathLike[str],
    *,
    loudest: float = LOUDEST_MEASURED,
) -> Iterator[FloatArray]:
    """Yield all frames of an open sound file, (n, channels).  Errors: SoundFileError."""
    begin, count = 0, max(1, min(FRAMES, BLOCK // file.channels))
    while begin < file.frames:
        block = read_frames(file, count, begin, path, loudest=loudest)
        yield block
        begin += block.shape[0]


@contextmanager
def _report_errors(shown: str) -> Iterator[None]:
    """Raise errors of libsndfile as a SoundFileError that names the file."""
    try:
        yield
    except soundfile.SoundFileError as error:
        raise SoundFileError(
            f"{shown}: cannot be read as a sound file ({_reason(error)}); expected WAV or FLAC"
        ) from None


def _reason(error: soundfile.SoundFileError) -> str:
    """Return the reason that libsndfile gives for an error."""
    return (getattr(error, "error_string", "") or str(error)).rstrip(".")
