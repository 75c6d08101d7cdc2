"""What a fit of an object found, for its report: each mode, and how well they explain the
recording."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from pysitar.fitting.distance import log_spectral_distance
from pysitar.fitting.modes import LONGEST, Modes
from pysitar.fitting.partials import BandEnvelopes, measure_decay
from pysitar.fitting.recording import noise_floor
from pysitar.physics.checks import FloatArray

APART, APART_ERRORS = 0.1, 3.0          # of a T60, and standard errors: a contradiction
WIDEST, NARROWEST = 60.0, 3.0           # Hz: half widths of a band about a mode


def mode_rows(sound: FloatArray, rate: float, modes: Modes) -> list[dict[str, Any]]:
    """Return the values of each mode with standard errors, and as a check the T60 of a line through
    the level of its band (None: too near to others, or too faint)."""
    onset = round(modes.onset * rate)
    floor = noise_floor(sound, rate, onset)
    bands = BandEnvelopes(sound[onset:onset + round(LONGEST * rate)], rate)
    rows = []
    for k in range(modes.count):
        hz = float(modes.frequencies[k])
        others = np.delete(modes.frequencies, k)
        nearest = float(np.abs(others - hz).min()) if others.size else WIDEST
        half_width = min(0.5 * nearest, WIDEST, 0.5 * hz)
        decay = None if half_width < NARROWEST else measure_decay(bands, hz, half_width, floor)
        rows.append({
            "frequency": hz, "frequency_error": float(modes.frequency_errors[k]),
            "t60": float(modes.t60s[k]), "t60_error": float(modes.t60_errors[k]),
            "t60_band": None if decay is None else decay.t60,
            "t60_band_error": None if decay is None else decay.error,
            "amplitude": float(modes.amplitudes[k]),
            "amplitude_error": float(modes.amplitude_errors[k]),
            "phase": float(modes.phases[k]), "phase_error": float(modes.phase_errors[k])})
    return rows


def contradictions(rows: list[dict[str, Any]]) -> list[str]:
    """Return a text for each mode whose T60 and that of the line through the level of its band
    differ by more than three standard errors and a tenth, the greatest difference first."""
    found = []
    for row in rows:
        band = row["t60_band"]
        if band is None:
            continue
        error = math.hypot(row["t60_error"], row["t60_band_error"])
        apart = abs(band - row["t60"])
        if apart > max(APART_ERRORS * error, APART * row["t60"]):
            found.append((apart / row["t60"], f"{row['frequency']:.1f} Hz has {row['t60']:.3g} +- "
                          f"{row['t60_error']:.1g} s, its band {band:.3g} +- "
                          f"{row['t60_band_error']:.1g} s"))
    return [text for _, text in sorted(found, reverse=True)]


def split_sound(sound: FloatArray, rate: float, modes: Modes) -> tuple[FloatArray, FloatArray]:
    """Return the sum of the modes and the residual, each as long as the recording; before the modes
    ring freely the residual is the recording."""
    first = round(modes.start * rate)
    fitted = np.concatenate((np.zeros(first), modes.sound(sound.size - first, rate)))
    return fitted, sound - fitted


def fit_quality(sound: FloatArray, rate: float, modes: Modes) -> dict[str, Any]:
    """Return onset and start (s), noise floor (dB), the level of the residual (dB of the sound) and
    the log-spectral distance (dB) of the sum of the modes, both from the start on."""
    first = round(modes.start * rate)
    fitted, residual = (part[first:] for part in split_sound(sound, rate, modes))
    energy, left = float(sound[first:] @ sound[first:]), float(residual @ residual)
    return {
        "onset": modes.onset, "start": modes.start,
        "noise_floor": noise_floor(sound, rate, round(modes.onset * rate)).level,
        "residual": 10.0 * math.log10(max(left / energy, 1e-30)) if energy > 0.0 else None,
        "distance": log_spectral_distance(sound[first:], fitted, rate)}
