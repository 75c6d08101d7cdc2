"""The measures of a sound: its samples' hash, levels, decay time and spectral centroid."""
from __future__ import annotations

import hashlib
import math
import os
from typing import Any

import numpy as np

from pysitar.app.analysis.sound_files import LOUDEST_MEASURED, open_sound, sound_blocks
from pysitar.physics.checks import FloatArray

BIN = 0.002                     # s of the energy's envelope
UPPER, LOWER = -5.0, -35.0      # dB between which the decay is fitted
END_LEVEL = -45.0  # dB re the loudest bin: the decay of a sound that ends louder is not measured
LEAST_BINS = 4                  # of a fit
END_BINS = 5                    # least number of bins over which the end level is averaged
CENTROID_TIME = 1.0             # s from the start over which the centroid is computed


class Measures:
    """The measures of a sound read block by block; memory: some bytes per bin of 2 ms.

    Parameters: rate (Hz); channels.
    Attributes: frames; peak, the greatest |sample|. A value that does not exist (the T60 of a sound
    that does not decay) is None.
    """

    def __init__(self, rate: int, channels: int) -> None:
        self.rate, self.channels = rate, channels
        self.frames = 0
        self.peak = 0.0
        self._bin = max(1, math.floor(rate * BIN + 0.5))
        self._hash = hashlib.sha256()
        self._sums = np.zeros(channels)
        self._energy = 0.0
        self._bins: list[FloatArray] = []
        self._partial_bin = np.zeros(0)           # energies of frames whose bin is not full
        self._first: list[FloatArray] = []  # mean of the channels, up to CENTROID_TIME
        self._first_missing = math.floor(rate * CENTROID_TIME + 0.5)

    def add(self, frames: FloatArray) -> None:
        """Add the next frames, (n, channels), full scale 1."""
        if not len(frames):
            return
        self._hash.update(np.ascontiguousarray(frames, dtype="<f8").tobytes())
        self.frames += len(frames)
        self.peak = max(self.peak, float(np.abs(frames).max()))
        self._sums += frames.sum(axis=0)
        energies = np.concatenate((self._partial_bin, (frames**2).sum(axis=1)))
        self._energy += float(energies[len(self._partial_bin):].sum())
        full = len(energies) // self._bin * self._bin
        self._bins.append(energies[:full].reshape(-1, self._bin).sum(axis=1))
        self._partial_bin = energies[full:].copy()
        if self._first_missing:
            part = frames[:self._first_missing].mean(axis=1)
            self._first_missing -= len(part)
            self._first.append(part)

    @property
    def samples(self) -> str:
        """The SHA-256 (hex) of all samples as float64, little-endian, frame by frame."""
        return self._hash.copy().hexdigest()

    @property
    def rms(self) -> float:
        """The root of the mean square of all samples of all channels."""
        return math.sqrt(self._energy / max(1, self.frames * self.channels))

    @property
    def dc(self) -> float:
        """The mean of the channel in which it is greatest."""
        return max((float(total) / max(1, self.frames) for total in self._sums), key=abs,
                   default=0.0)

    @property
    def t60(self) -> float | None:
        """The time in which the sound falls by 60 dB (s), from a line through its Schroeder curve
        between -5 and -35 dB.

        The curve is the energy that remains after each time. None for a sound that ends less than
        45 dB below its maximum, where the curve would be bent by the end of the file, and for one
        that is too short for the fit.
        Source: Schroeder 1965, ISO 3382.
        """
        # full bins only: a partial one is too low
        bins = np.concatenate(self._bins) if self._bins else np.zeros(0)
        if not bins.any():
            return None
        loudest = int(bins.argmax())
        end = bins[loudest:][-max(END_BINS, (len(bins) - loudest) // 10):]
        if float(end.mean()) > bins[loudest] * 10.0 ** (END_LEVEL / 10.0):
            return None
        remaining = np.cumsum(bins[::-1])[::-1]
        levels = 10.0 * np.log10(remaining[remaining > 0.0] / remaining[0])
        fitted = np.flatnonzero((levels <= UPPER) & (levels >= LOWER))
        if len(fitted) < LEAST_BINS:
            return None
        slope = float(np.polyfit(fitted * (self._bin / self.rate), levels[fitted], 1)[0])
        return -60.0 / slope if slope < 0.0 else None

    @property
    def centroid(self) -> float | None:
        """The spectral centroid (Hz) of the first second: its mean is removed, and a half-cosine
        window fades it out."""
        if not self._first:
            return None
        sound = np.concatenate(self._first)
        fade = 0.5 + 0.5 * np.cos(np.pi * np.arange(len(sound)) / len(sound))
        power = np.abs(np.fft.rfft((sound - sound.mean()) * fade))[1:] ** 2
        total = float(power.sum())
        if total <= 0.0:
            return None
        return float((power * np.fft.rfftfreq(len(sound), 1.0 / self.rate)[1:]).sum()) / total

    def as_dict(self) -> dict[str, Any]:
        """Return all measures by name."""
        return {
            "samples": self.samples, "rms": self.rms, "dc": self.dc, "t60": self.t60,
            "centroid": self.centroid}


def hash_samples(path: str | os.PathLike[str]) -> tuple[str, int, int]:
    """Return the SHA-256 of a sound file's samples (as in `Measures`), its rate (Hz) and channels.

    Errors: SoundFileError.
    """
    found = hashlib.sha256()
    with open_sound(path) as file:
        for frames in sound_blocks(file, path):
            found.update(np.ascontiguousarray(frames, dtype="<f8").tobytes())
        return found.hexdigest(), file.samplerate, file.channels


def measure_file(path: str | os.PathLike[str], *, loudest: float = LOUDEST_MEASURED) -> Measures:
    """Return the measures of a sound file.

    Errors: SoundFileError, also for a sample that is not finite or exceeds `loudest`.
    """
    with open_sound(path) as file:
        measures = Measures(file.samplerate, file.channels)
        for frames in sound_blocks(file, path, loudest=loudest):
            measures.add(frames)
    return measures
