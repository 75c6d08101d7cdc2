"""A sound file measured for its picture, in memory that does not grow with its length."""
from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import soundfile  # type: ignore[import-untyped]

from pysitar.app.figures.reduction import Extremes, Spectrogram
from pysitar.errors import PysitarError, printable
from pysitar.physics.checks import FloatArray, number, whole
from pysitar.rendering.engine import frames_of

BLOCK = 1 << 20                 # samples read at once
LOUDEST = 1e30                  # beyond, squares and spectra overflow
LEAST_RANGE, MOST_RANGE = 10.0, 200.0          # dB


class SoundFileError(PysitarError):
    """A file is no sound that can be looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is looked at.

    Parameters: start and stop (s; None: the end of the sound); channel, counted from 1 (None: all, and the spectrogram of their mean);
    highest frequency shown (Hz; None: half the rate); logarithmic, whether the axis of frequencies is; dynamic_range (dB), 10 to 200.
    """

    start: float = 0.0
    stop: float | None = None
    channel: int | None = None
    highest: float | None = None
    logarithmic: bool = False
    dynamic_range: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sound:
    """What a picture shows of a sound.

    Parameters: name of its file; rate (Hz); channels of the file and frames in it; encoding, in words; first and last (not included)
    frame shown; view; extremes and spectrogram; peak, mean and rms of each channel shown (full scale 1).
    """

    name: str
    rate: int
    channels: int
    frames: int
    encoding: str
    first: int
    last: int
    view: View
    extremes: Extremes
    spectrogram: Spectrogram
    peak: FloatArray
    mean: FloatArray
    rms: FloatArray


def measured(path: str | os.PathLike[str], view: View) -> Sound:
    """Read a sound file and measure what a view of it shows.

    Parameters: path, of any file that libsndfile reads.
    Errors: SoundFileError, of the file; ParameterError, named like the option, of the view.
    """
    shown = printable(os.fspath(path), "?")
    number("range", view.dynamic_range, "dB", at_least=LEAST_RANGE, at_most=MOST_RANGE)
    with _opened(path, shown) as file:
        rate, channels, frames = file.samplerate, file.channels, file.frames
        if rate < 1 or frames < 1:
            raise SoundFileError(f"{shown}: the sound has {'no frames' if rate >= 1 else 'a rate of 0 Hz'}; there is nothing to look at")
        first, last = _span(view, frames, rate)
        highest = 0.5 * rate if view.highest is None else number("max-frequency", view.highest, "Hz", above=0.0, at_most=0.5 * rate)
        if view.channel is not None:
            whole("channel", view.channel, at_least=1, at_most=channels)
        extremes = Extremes(last - first, channels if view.channel is None else 1)
        spectrogram = Spectrogram(last - first, rate, highest=highest, logarithmic=view.logarithmic, dynamic_range=view.dynamic_range)
        mean, square = _measure(_blocks(file, view, first, last, spectrogram.window // 2, shown), extremes, spectrogram)
        peak = np.maximum(-extremes.lows.min(axis=0), extremes.highs.max(axis=0))
        return Sound(name=shown, rate=rate, channels=channels, frames=frames, encoding=f"{file.format} {file.subtype}", first=first,
                     last=last, view=view, extremes=extremes, spectrogram=spectrogram, peak=peak, mean=mean, rms=np.sqrt(square))


def _measure(blocks: Iterator[tuple[FloatArray, FloatArray]], extremes: Extremes, spectrogram: Spectrogram) -> FloatArray:
    """Fill extremes and spectrogram; the mean and the mean square of each channel, (2, channels)."""
    sums = np.zeros((2, extremes.lows.shape[1]))
    for block, inside in blocks:
        spectrogram.add(block.mean(axis=1))
        if inside.shape[0]:
            extremes.add(inside)
            sums += (inside.sum(axis=0), np.square(inside).sum(axis=0))
    return sums / extremes.frames


def _span(view: View, frames: int, rate: int) -> tuple[int, int]:
    """The first frame that is shown, and the one after the last."""
    first = min(frames - 1, frames_of(number("from", view.start, "s", at_least=0.0, below=frames / rate), rate))
    if view.stop is None:
        return first, frames
    stop = number("to", view.stop, "s", above=view.start)
    return first, max(first + 1, frames_of(min(frames / rate, stop), rate))


@contextmanager
def _opened(path: str | os.PathLike[str], shown: str) -> Iterator[soundfile.SoundFile]:
    """A sound file open for reading.  Errors: SoundFileError."""
    try:
        # a device or a pipe could hang or act when opened: its kind is read first, and once more from what was opened
        _check_regular(os.stat(path).st_mode, shown)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "its name is impossible"
        raise SoundFileError(f"{shown}: it cannot be read ({reason}); an existing sound file would be right") from None
    try:
        _check_regular(os.fstat(descriptor).st_mode, shown)
        with _told(shown), soundfile.SoundFile(descriptor, closefd=False) as file:
            yield file
    finally:
        os.close(descriptor)


def _check_regular(mode: int, shown: str) -> None:
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise SoundFileError(f"{shown}: it is {kind}; a sound file would be right")


@contextmanager
def _told(shown: str) -> Iterator[None]:
    try:
        yield
    except soundfile.SoundFileError as error:
        raise SoundFileError(f"{shown}: it is no sound file that can be read ({_reason(error)}); WAV or FLAC would be right") from None


def _blocks(
    file: soundfile.SoundFile, view: View, first: int, last: int, half: int, shown: str,
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield blocks (n, channels) from half a window before the first frame to half a window after the last, silence where there is no
    sound; and with each block the part of it from the first to the last."""
    begin, end = max(0, first - half), min(file.frames, last + half)
    channels = file.channels if view.channel is None else 1
    nothing = np.zeros((0, channels))
    yield np.zeros((half - (first - begin), channels)), nothing
    if begin:
        file.seek(begin)
    while begin < end:
        block = _read(file, min(end - begin, max(1, BLOCK // file.channels)), begin, shown)
        kept = block if view.channel is None else block[:, view.channel - 1:view.channel]
        yield kept, kept[max(0, first - begin):max(0, last - begin)]
        begin += block.shape[0]
    yield np.zeros((half - (end - last), channels)), nothing


def _read(file: soundfile.SoundFile, count: int, begin: int, shown: str) -> FloatArray:
    """The next frames, (n, channels), of which the first is frame `begin`.  Errors: SoundFileError, of the end, of what is no sound."""
    reason = "there is no more in the file"
    try:
        block: FloatArray = file.read(count, dtype="float64", always_2d=True)
    except soundfile.SoundFileError as error:
        block, reason = np.zeros((0, 1)), _reason(error)
    if not block.shape[0]:
        time = begin / file.samplerate
        raise SoundFileError(f"{shown}: the sound cannot be read from {time:g} s on ({reason}); it should last "
                             f"{file.frames / file.samplerate:g} s: a whole file would be right")
    good = np.abs(block) <= LOUDEST          # False for NaN
    if not good.all():
        index, channel = (int(place) for place in np.argwhere(~good)[0])
        raise SoundFileError(f"{shown}: the sample at {(begin + index) / file.samplerate:g} s (frame {begin + index}, channel "
                             f"{channel + 1}) is {block[index, channel]:g}; finite numbers of at most {LOUDEST:g} would be right")
    return block


def _reason(error: soundfile.SoundFileError) -> str:
    return (getattr(error, "error_string", "") or str(error)).rstrip(".")
