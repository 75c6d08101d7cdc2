"""A recording to be measured: its onset, its noise floor, and what makes it unfit."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.physics.checks import FloatArray, number
from pysitar.physics.trapezoids import trapezoid_area

LEAST_RATE, MOST_RATE = 16000.0, 768000.0       # Hz
SHORTEST, LONGEST = 0.1, 60.0   # s of a recording that is fitted
BLOCK = 0.002                   # s over which the energy of the onset is summed
RISE = 10.0                     # dB over the level before it: an onset
BELOW_PEAK = 30.0               # dB below the loudest block in which an onset may begin
STROKE_BLOCK, STROKE_PAUSE = 0.005, 0.06         # s: of a second stroke, and before it
STROKE_RISE = 4.0               # energy of its first block over all in that time
CLIPPED_RUN = 3                 # equal samples at the extreme value in a row: clipped
MOST_CLIPPED = 3                # such runs
MOST_DC = 0.5                   # mean over root mean square
FAINT = 1e-7                    # full scale: a peak below it is silence
END_PART = 0.2                  # of a recording: what may show its noise
LONGEST_END = 2.0               # s of it
SHORTEST_PART = 0.03            # s in which a noise floor is measured
SMOOTHING = 0.125               # of a frequency: half of the band of a median
LEAST_SMOOTHING = 100.0         # Hz
MEDIAN = math.log(2.0)          # of a power with an exponential distribution of mean 1
SILENT = 1e-20                  # power of a sound at -200 dBFS


@dataclass(frozen=True, slots=True, eq=False)
class NoiseFloor:
    """The power of the noise per Hz over frequency; partials are left out by medians.

    Parameters: frequencies (Hz) and powers, (n,), full scale squared per Hz.
    """

    frequencies: FloatArray
    powers: FloatArray

    def at(self, frequency: float | FloatArray) -> FloatArray:
        """Return the power per Hz at some frequencies (Hz)."""
        return np.asarray(np.interp(frequency, self.frequencies, self.powers))

    @property
    def level(self) -> float | None:
        """The level of all noise, dB of full scale; None below -200 dB."""
        total = trapezoid_area(self.powers, self.frequencies)
        return 10.0 * math.log10(total) if total > SILENT else None


def check_recording(audio: object, rate: object) -> tuple[FloatArray, float]:
    """Return the samples, (n,), and the rate (Hz) of a recording that can be fitted.

    Errors: ParameterError for another shape, a low rate, a sound that is too short or too long, and
    for silence, clipping and a mean that is not 0.
    """
    hz = number("rate", rate, "Hz", at_least=LEAST_RATE, at_most=MOST_RATE)
    sound = np.asarray(audio)
    if sound.ndim != 1 or sound.dtype.kind != "f":
        what = f"of shape {sound.shape}" if sound.dtype.kind == "f" else f"of {sound.dtype} values"
        raise ParameterError("audio", what, "expected one channel of floating-point samples, "
                             "shape (n,); choose one channel, such as audio[:, 0]")
    sound = sound.astype(np.float64, copy=False)
    seconds = sound.size / hz
    if not SHORTEST <= seconds <= LONGEST:
        raise ParameterError("audio", f"{seconds:.3g} s long", "expected a recording of "
                             f"{SHORTEST:g} to {LONGEST:g} s")
    if not np.isfinite(sound).all():
        raise ParameterError("audio", "not finite", "expected finite samples")
    peak = float(np.abs(sound).max())
    if peak < FAINT:
        raise ParameterError("audio", f"silent (peak {peak:.2g})", "expected a sound; full scale "
                             "is 1")
    rms = math.sqrt(float(np.mean(sound**2)))
    mean = float(sound.mean())
    if abs(mean) > MOST_DC * rms:
        raise ParameterError(
            "audio", f"offset by {mean:.2g}", f"expected a mean of at most {MOST_DC:g} of its rms "
            f"{rms:.2g}: remove the DC")
    runs = clipped_runs(sound, peak)
    if runs > MOST_CLIPPED:
        raise ParameterError("audio", f"clipped in {runs} places at {peak:.3g}",
                             "expected a recording below full scale")
    return sound, hz


def clipped_runs(sound: FloatArray, peak: float) -> int:
    """Return how often a sound stays at its extreme value for some samples."""
    extreme = np.abs(sound) >= peak * (1.0 - 1e-6)
    extreme[1:] &= ~extreme[:-1] | (np.sign(sound[1:]) == np.sign(sound[:-1]))
    edges = np.flatnonzero(np.diff(np.concatenate(([0], extreme.astype(np.int8), [0]))))
    return int(np.count_nonzero(edges[1::2] - edges[::2] >= CLIPPED_RUN))


def find_onset(sound: FloatArray, rate: float) -> int:
    """Return the sample at which the loudest rise of a sound begins: the first block of 2 ms within
    30 dB of the loudest one that is 10 dB over what came before, and in it the first sample over a
    tenth of the block's greatest."""
    size = max(1, round(BLOCK * rate))
    count = sound.size // size
    if count < 2:
        return 0
    energies = (sound[:count * size].reshape(-1, size)**2).sum(axis=1)
    loudest = int(energies.argmax())
    least = energies[loudest] * 10.0 ** (-BELOW_PEAK / 10.0)
    before = np.median(energies[:max(1, loudest // 4)])
    least = max(least, float(before) * 10.0 ** (RISE / 10.0)) if loudest >= 8 else least
    if energies[loudest] < least:           # nothing rises: a steady sound
        return 0
    block = int(np.argmax(energies >= least))
    start = max(0, block - 1) * size
    part = np.abs(sound[start:(block + 1) * size])
    return start + int(np.argmax(part >= 0.1 * part.max()))


def noise_floor(sound: FloatArray, rate: float, onset: int) -> NoiseFloor:
    """Return the noise floor of a recording: that of what comes before the onset, or of the last
    fifth where that is quieter."""
    least = round(SHORTEST_PART * rate)
    last = min(round(END_PART * (sound.size - onset)), round(LONGEST_END * rate))
    parts = [sound[sound.size - max(last, least):]]
    before = sound[:max(0, onset - round(BLOCK * rate))]
    if before.size >= least and np.any(before):
        parts.append(before[-round(LONGEST_END * rate):])
    floors = [smooth_power(part, rate) for part in parts]
    return min(floors, key=lambda floor: float(np.log(floor.powers + SILENT).mean()))


def smooth_power(part: FloatArray, rate: float) -> NoiseFloor:
    """Return the power per Hz of a part of a sound, the median over a band of a quarter of the
    frequency, at least 200 Hz."""
    window = np.hanning(part.size + 2)[1:-1]
    spectrum = np.abs(np.fft.rfft(part * window))**2 * (2.0 / (rate * (window**2).sum()))
    step = rate / part.size
    centres = [0.0]
    while centres[-1] < 0.5 * rate:
        centres.append(centres[-1] + 0.5 * max(LEAST_SMOOTHING, SMOOTHING * centres[-1], step))
    centres[-1] = 0.5 * rate
    powers = []
    for centre in centres:
        half = max(LEAST_SMOOTHING, SMOOTHING * centre, 4.0 * step)
        low = max(1, math.floor((centre - half) / step))
        high = min(spectrum.size - 1, max(low + 1, math.ceil((centre + half) / step)))
        low = min(low, max(0, high - 3))
        powers.append(float(np.median(spectrum[low:high])) / MEDIAN)
    return NoiseFloor(np.array(centres), np.array(powers))


def find_second_onset(sound: FloatArray, rate: float, onset: int) -> int | None:
    """Return the sample after the onset at which another stroke begins, or None: the first block
    of 5 ms that is 6 dB over all of the 60 ms before it, within 30 dB of the loudest one.

    Modes that beat or that grow slowly do not rise so within 5 ms.
    """
    size = max(1, round(STROKE_BLOCK * rate))
    stroke = sound[onset:]
    count = stroke.size // size
    before = round(STROKE_PAUSE / STROKE_BLOCK)
    if count < 2 * before:
        return None
    energies = (stroke[:count * size].reshape(-1, size)**2).sum(axis=1)
    least = float(energies.max()) * 10.0 ** (-BELOW_PEAK / 10.0)
    earlier = np.lib.stride_tricks.sliding_window_view(energies[:-1], before).max(axis=1)
    rises = (energies[before:] > STROKE_RISE * earlier) & (energies[before:] > least)
    rises[:before] = False                  # the first stroke may still rise
    if not rises.any():
        return None
    block = before + int(np.flatnonzero(rises)[0])
    part = np.abs(stroke[block * size:(block + 1) * size])
    return onset + block * size + int(np.argmax(part >= 0.5 * part.max()))


def is_growing(sound: FloatArray, rate: float) -> bool:
    """Whether the later half of the part of a sound that is within 30 dB of its loudest 2 ms has
    more energy than the first: nothing that was struck does."""
    size = max(1, round(BLOCK * rate))
    energies = (sound[:sound.size // size * size].reshape(-1, size)**2).sum(axis=1)
    loud = np.flatnonzero(energies >= energies.max() * 10.0 ** (-BELOW_PEAK / 10.0))
    part = energies[loud[0]:loud[-1] + 1]
    half = part.size // 2
    return half > 0 and float(part[-half:].sum()) > float(part[:half].sum())
