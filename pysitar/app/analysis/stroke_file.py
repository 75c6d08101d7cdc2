"""Measure one stroke in a sound file: levels and loudness of all of it, partials of its first
minute."""
from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from pysitar.app.analysis.sound_files import (
    BLOCK,
    FRAMES,
    LOUDEST,
    SoundFileError,
    open_sound,
    read_frames,
    read_header,
)
from pysitar.errors import printable
from pysitar.fitting.measures import StrokeMeasures
from pysitar.physics.checks import FloatArray
from pysitar.physics.loudness import Loudness, TruePeak

LEAST_RATE, MOST_RATE = 8000, 768000    # Hz
MOST_FRAMES = 1 << 22           # of the stroke that is kept: 87 s at 48 kHz
SHORTEST = 0.02                 # s


def block_size(channels: int) -> int:
    """Return the number of frames that are read at once."""
    return max(1, min(FRAMES, BLOCK // channels))


def measure_stroke_file(path: str | os.PathLike[str], *,
                        step: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Return the measures of a sound file by name; None where there is none.

    The level of the mean of the channels, of which all but levels and loudness are measured, is
    relative to the channels.
    Parameters: step, called with "" after each block that is read.
    Errors: SoundFileError.
    """
    shown = printable(os.fspath(path), "?")
    with open_sound(path) as file:
        header = read_header(file, path)
        rate, channels = header.rate, header.channels
        if not LEAST_RATE <= rate <= MOST_RATE:
            raise SoundFileError(f"{shown}: the rate is {rate} Hz; expected {LEAST_RATE} to "
                                 f"{MOST_RATE} Hz")
        if header.seconds < SHORTEST:
            raise SoundFileError(f"{shown}: the sound is {header.seconds:g} s long; expected at "
                                 f"least {SHORTEST:g} s")
        loudness, true_peak = Loudness(rate, channels), TruePeak(rate, channels)
        kept: list[FloatArray] = []
        peak, done, energy, mean_energy = 0.0, 0, 0.0, 0.0
        while done < header.frames:
            frames = read_frames(file, block_size(channels), done, path, loudest=LOUDEST)
            loudness.add(frames)
            true_peak.add(frames)
            peak = max(peak, float(np.abs(frames).max()))
            if done < MOST_FRAMES:
                kept.append(frames.mean(axis=1))
                energy += float(np.square(frames).mean(axis=1).sum())
                mean_energy += float(np.square(kept[-1]).sum())
            done += len(frames)
            if step is not None:
                step("")
    measures: dict[str, Any] = {
        "rate": rate, "channels": channels, "seconds": header.seconds, "peak": _level(peak),
        "true_peak": _level(true_peak.peak),
        "mean_of_channels": _level(math.sqrt(mean_energy / energy)) if energy > 0.0 else None,
        "integrated": loudness.integrated,
        "greatest_momentary": loudness.greatest}
    stroke = StrokeMeasures(np.concatenate(kept)[:MOST_FRAMES], float(rate))
    return measures | stroke.as_dict()


def _level(peak: float) -> float | None:
    return 20.0 * math.log10(peak) if peak > 0.0 else None
