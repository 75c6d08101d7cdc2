"""Measure a sound file for its picture, in memory that does not grow with its length."""
from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import soundfile  # type: ignore[import-untyped]

from pysitar.app.analysis.sound_files import BLOCK, open_sound, read_frames, read_header
from pysitar.errors import printable
from pysitar.output.extremes import Extremes, Spectrogram
from pysitar.physics.checks import FloatArray, number, whole
from pysitar.rendering.engine import frames_of

LEAST_RANGE, MOST_RANGE = 10.0, 200.0          # dB


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The part of a sound that a picture shows.

    Parameters: start and stop (s; None: the end of the sound); channel, counted from 1 (None: all,
    and the spectrogram of their mean); highest frequency shown (Hz; None: half the rate);
    logarithmic, whether the frequency axis is; dynamic_range (dB), 10 to 200.
    """

    start: float = 0.0
    stop: float | None = None
    channel: int | None = None
    highest: float | None = None
    logarithmic: bool = False
    dynamic_range: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sound:
    """A measured sound, as a picture shows it.

    Parameters: name of the file; rate (Hz); channels and frames of the file; encoding, in words;
    first frame shown, and last, the one after the last; view; extremes; spectrogram; peak, mean and
    rms of each channel shown (full scale 1).
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


def measure_view(path: str | os.PathLike[str], view: View) -> Sound:
    """Read and measure the part of a sound file that a view shows.

    Parameters: path, of a file in any format of libsndfile.
    Errors: SoundFileError; ParameterError for the view, with the name of the option.
    """
    shown = printable(os.fspath(path), "?")
    number("range", view.dynamic_range, "dB", at_least=LEAST_RANGE, at_most=MOST_RANGE)
    with open_sound(path) as file:
        rate, channels, frames = read_header(file, path)
        first, last = _span(view, frames, rate)
        highest = 0.5 * rate if view.highest is None else number(
            "max-frequency", view.highest, "Hz", above=0.0, at_most=0.5 * rate)
        if view.channel is not None:
            whole("channel", view.channel, at_least=1, at_most=channels)
        extremes = Extremes(last - first, channels if view.channel is None else 1)
        spectrogram = Spectrogram(last - first, rate, highest=highest, logarithmic=view.logarithmic,
                                  dynamic_range=view.dynamic_range)
        blocks = _blocks(file, view, first, last, spectrogram.window // 2, path)
        mean, square = _measure(blocks, extremes, spectrogram)
        peak = np.maximum(-extremes.lows.min(axis=0), extremes.highs.max(axis=0))
        return Sound(name=shown, rate=rate, channels=channels, frames=frames,
                     encoding=f"{file.format} {file.subtype}", first=first, last=last, view=view,
                     extremes=extremes, spectrogram=spectrogram, peak=peak, mean=mean,
                     rms=np.sqrt(square))


def _measure(blocks: Iterator[tuple[FloatArray, FloatArray]], extremes: Extremes,
             spectrogram: Spectrogram) -> FloatArray:
    """Fill extremes and spectrogram; return mean and mean square of each channel, (2, channels)."""
    sums = np.zeros((2, extremes.lows.shape[1]))
    for block, inside in blocks:
        spectrogram.add(block.mean(axis=1))
        if inside.shape[0]:
            extremes.add(inside)
            sums += (inside.sum(axis=0), np.square(inside).sum(axis=0))
    return sums / extremes.frames


def _span(view: View, frames: int, rate: int) -> tuple[int, int]:
    """Return the first frame that is shown, and the one after the last."""
    start = number("from", view.start, "s", at_least=0.0, below=frames / rate)
    first = min(frames - 1, frames_of(start, rate))
    if view.stop is None:
        return first, frames
    stop = number("to", view.stop, "s", above=view.start)
    return first, max(first + 1, frames_of(min(frames / rate, stop), rate))


def _blocks(
    file: soundfile.SoundFile, view: View, first: int, last: int, half: int,
    path: str | os.PathLike[str],
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the blocks of a sound, (n, channels), each with the part of it that is shown.

    The blocks extend from half a window before the first frame to half a window after the last one;
    where the sound has no frames they are zero.
    """
    begin, end = max(0, first - half), min(file.frames, last + half)
    channels = file.channels if view.channel is None else 1
    nothing = np.zeros((0, channels))
    yield np.zeros((half - (first - begin), channels)), nothing
    if begin:
        file.seek(begin)
    while begin < end:
        block = read_frames(file, min(end - begin, max(1, BLOCK // file.channels)), begin, path)
        block_shown = block if view.channel is None else block[:, view.channel - 1:view.channel]
        yield block_shown, block_shown[max(0, first - begin):max(0, last - begin)]
        begin += block.shape[0]
    yield np.zeros((half - (end - last), channels)), nothing
