"""The extreme values of a sound in the columns of a picture, computed block by block from all
samples."""
from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]

COLUMNS, ROWS = 1600, 600           # pixels of a picture's axes
WINDOW = 0.085                      # s, for the whole range of frequencies
LOG_WINDOW = 0.340                  # s, longer to resolve low partials
LONGEST_WINDOW, SHORTEST_WINDOW = 65536, 16
OVERLAP = 8  # windows over each sample; a click between two windows loses about 1 dB
BATCH = 1 << 18                     # samples per transform
LOG_RANGE = 1000.0  # ratio of the highest frequency to the lowest on a logarithmic axis


class Extremes:
    """The least and the greatest sample of each column.

    Parameters: frames, in total, 1 or more; channels; columns, the greatest number of columns.
    Attributes: lows and highs, each (columns, channels); with fewer frames than columns, one column
    per frame.
    """

    def __init__(self, frames: int, channels: int, columns: int = COLUMNS) -> None:
        self.frames, self.columns = frames, min(frames, columns)
        self.lows = np.full((self.columns, channels), math.inf)
        self.highs = -self.lows
        self._frames_done = 0

    def add(self, block: FloatArray) -> None:
        """Add the next frames, (n, channels), n above 0."""
        begin, end = self._frames_done, self._frames_done + block.shape[0]
        first, last = begin * self.columns // self.frames, (end - 1) * self.columns // self.frames
        starts = -(-np.arange(first, last + 1) * self.frames // self.columns)
        starts = np.maximum(starts, begin) - begin
        here = slice(first, last + 1)
        self.lows[here] = np.minimum(self.lows[here], np.minimum.reduceat(block, starts, axis=0))
        self.highs[here] = np.maximum(self.highs[here], np.maximum.reduceat(block, starts, axis=0))
        self._frames_done = end


class Spectrogram:
    """The greatest magnitude in each pixel of a spectrogram, with Kaiser windows; a sine of full
    scale is 1.

    Parameters: frames, in total, 1 or more; rate (Hz); highest frequency of the axis (Hz, at most
    half the rate); logarithmic, whether the frequency axis is logarithmic; dynamic_range (dB),
    below which the leakage of the window lies.
    Attributes: window, frames of each transform: 85 ms (logarithmic: 340 ms), longer for a lower
    highest frequency, shorter for a short sound; lowest frequency of the axis (Hz).
    """

    def __init__(self, frames: int, rate: float, *, highest: float, logarithmic: bool,
                 dynamic_range: float) -> None:
        self.frames, self.rate = frames, rate
        self.lowest, self.highest = highest / LOG_RANGE if logarithmic else 0.0, highest
        self.logarithmic = logarithmic
        frames_needed = (LOG_WINDOW if logarithmic else WINDOW) * rate * math.sqrt(
            0.5 * rate / highest)
        longest = max(SHORTEST_WINDOW, min(LONGEST_WINDOW, frames // 4))
        self.window = 1 << round(math.log2(max(frames_needed, SHORTEST_WINDOW)))
        self.window = min(self.window, 1 << (longest.bit_length() - 1))
        self.hop = self.window // OVERLAP
        taper = np.kaiser(self.window + 1, _kaiser_beta(dynamic_range))[:-1]
        self._taper = taper * (2.0 / taper.sum())
        self._bins = round(highest * self.window / rate) + 1
        self._rows = self._row_starts()
        self._count = (frames - 1) // self.hop + 1
        # every column has at least one window
        self._several_per_column = frames >= COLUMNS * self.hop
        self._peaks = np.zeros((COLUMNS if self._several_per_column else self._count, ROWS))
        self._remainder = np.zeros(0)
        self._frames_done = 0

    def add(self, samples: FloatArray) -> None:
        """Add the next samples, (n,).

        All samples together must extend from half a window before the first frame to half a window
        after the last.
        """
        samples = np.concatenate((self._remainder, samples))
        ready = min((samples.size - self.window) // self.hop + 1, self._count
                    - self._frames_done) if samples.size >= self.window else 0
        size = max(1, BATCH // self.window)
        for begin in range(0, ready, size):
            count = min(size, ready - begin)
            views = np.lib.stride_tricks.sliding_window_view(samples[begin * self.hop:],
                                                             self.window)[::self.hop][:count]
            self._merge(np.abs(np.fft.rfft(views * self._taper, axis=1)))
        self._remainder = samples[ready * self.hop:].copy()

    def magnitudes(self) -> FloatArray:
        """Return the picture, (ROWS, COLUMNS), the lowest frequency first."""
        if self._several_per_column:
            return self._peaks.T
        centres = (np.arange(COLUMNS) + 0.5) * self.frames / COLUMNS
        nearest = np.minimum(np.rint(centres / self.hop).astype(np.int64), self._count - 1)
        return self._peaks[nearest].T

    def _row_starts(self) -> npt.NDArray[np.int64]:
        """Return the first bin of each row; a bin extends half its width to both sides."""
        steps = np.arange(ROWS) / ROWS
        edges = self.lowest * (self.highest
                               / self.lowest)**steps if self.logarithmic else self.highest * steps
        return np.minimum(
            np.floor(edges * self.window / self.rate + 0.5).astype(np.int64), self._bins - 1)

    def _merge(self, spectra: FloatArray) -> None:
        rows = np.maximum.reduceat(spectra[:, :self._bins], self._rows, axis=1)
        places = np.arange(self._frames_done, self._frames_done + rows.shape[0])
        columns = places * self.hop * COLUMNS // self.frames if self._several_per_column else places
        starts = np.flatnonzero(np.diff(columns, prepend=-1))
        here = columns[starts]
        self._peaks[here] = np.maximum(self._peaks[here], np.maximum.reduceat(rows, starts, axis=0))
        self._frames_done += rows.shape[0]


def _kaiser_beta(dynamic_range: float) -> float:
    """Return the beta of a Kaiser window whose side lobes lie a dynamic range (dB) below its main
    lobe.

    Source: Kaiser & Schafer 1980, for 60 dB and more.
    """
    return 0.12438 * (max(dynamic_range, 60.0) + 6.3)
