"""A body by spectral division: the levels of the partials of several notes over those of the
string's own pluck."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pysitar.errors import ParameterError
from pysitar.fitting.string_fit import (
    StringFit,
    comb_levels,
    release_levels,
)
from pysitar.physics.checks import FloatArray, array_of

LEAST_NOTES = 2
ROUNDS = 8                      # of strengths and places against the body of the other notes
NOTCH = -14.0                   # dB of a comb or release: a partial below says more of them
RELEASE_QUANTILE = 0.25
TOGETHER = 1.0 / 48.0           # octaves within which partials are one point
RELIABLE = 0.5                  # dB that every level may be wrong by, besides its own error
SLOPE = 6.0                     # dB per octave by which a body falls outside the partials
SIZE = 1 << 15                  # frequencies of the impulse response
SECONDS, FADE = 0.35, 0.25      # s of the response; fraction of it that fades out
FINE = np.arange(0.01, 0.5, 1e-4)       # places that are tried, of the length


@dataclass(frozen=True, slots=True, eq=False)
class DividedBody:
    """The body of several notes.

    Parameters: frequencies (Hz) and levels (dB) of its points, (N,), the output, full scale 1, for
    a force of 1 N; deviation (dB), rms of the partials of one note from the body of the others;
    strings, the notes with places and releases as found beside the body; strengths (dB) of their
    plucks, 0 on the average, (notes,).
    """

    frequencies: FloatArray
    levels: FloatArray
    deviation: float
    strings: tuple[StringFit, ...]
    strengths: FloatArray

    def level(self, frequency: FloatArray) -> FloatArray:
        """Return the level (dB) at some frequencies (Hz, above 0)."""
        return _interpolate(np.log2(self.frequencies), self.levels, np.log2(frequency))

    def response(self, rate: float) -> FloatArray:
        """Return the impulse response of minimum phase at a rate (Hz), (n,)."""
        bins = np.arange(SIZE // 2 + 1).astype(np.float64) * (rate / SIZE)
        bins[0] = 0.5 * bins[1]
        cepstrum = np.fft.irfft(self.level(bins) * (math.log(10.0) / 20.0), SIZE)
        cepstrum[1:SIZE // 2] *= 2.0
        cepstrum[SIZE // 2 + 1:] = 0.0
        response = np.fft.irfft(np.exp(np.fft.rfft(cepstrum)), SIZE)[:round(SECONDS * rate)]
        tail = round(FADE * response.size)
        response[response.size - tail:] *= 0.5 + 0.5 * np.cos(np.pi * np.arange(tail) / tail)
        return array_of(response.tolist())


def divide_body(strings: Sequence[StringFit]) -> DividedBody:
    """Return the body that several notes have in common: the level of each partial less that of the
    force of a pluck of 1 N at the string's end, 2 / (k pi) |sin(k pi x / length)| times the low
    pass of its release.

    The strength and the place of each pluck are those that agree best with the body of the other
    notes. Partials near a notch of the comb do not count.
    Errors: ParameterError for fewer than two notes.
    """
    if len(strings) < LEAST_NOTES:
        raise ParameterError("strings", f"{len(strings)}", f"expected {LEAST_NOTES} notes or more")
    found = list(strings)
    # a dark body looks like a slow release, a note at a time
    release = float(np.quantile([string.release for string in found], RELEASE_QUANTILE))
    place = float(np.median([string.position / string.length for string in found]))
    found = [replace(string, release=release, position=place * string.length) for string in found]
    strengths = np.zeros(len(found))
    for _ in range(ROUNDS):
        for index, string in enumerate(found):
            place, strengths[index] = _fit_note(string, _body(found, strengths, without=index))
            found[index] = replace(string, position=place * string.length)
        strengths -= strengths.mean()
    left = [_deviations(index, found, strengths) for index in range(len(found))]
    places, levels = _body(found, strengths)
    return DividedBody(
        frequencies=array_of((2.0**places).tolist()), levels=array_of(levels.tolist()),
        deviation=float(np.sqrt(np.mean(np.concatenate(left)**2))), strings=tuple(found),
        strengths=array_of(strengths.tolist()))


def pluck_levels(string: StringFit) -> FloatArray:
    """Return the levels (dB) of the partials of the force at the end of a string plucked with 1 N,
    but for the comb."""
    return 20.0 * np.log10(2.0 / (math.pi * string.orders)) + release_levels(
        string.release * string.frequencies)


def _points(string: StringFit, strength: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the points of a body by one note: octaves, levels (dB) and weights."""
    comb = comb_levels(string.orders, string.position / string.length)
    levels = string.levels - pluck_levels(string) - comb - strength
    # near a notch an error of the place is one of the level
    slope = np.sqrt(np.maximum(10.0 ** (-comb / 10.0) - 1.0, 0.0)) * string.orders / 40.0
    clear = (comb > NOTCH) & (release_levels(string.release * string.frequencies) > NOTCH)
    weights = 1.0 / (RELIABLE**2 + slope**2)
    return np.log2(string.frequencies[clear]), levels[clear], weights[clear]


def _body(strings: Sequence[StringFit], strengths: FloatArray,
          without: int | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the body of some notes, octaves and levels.  Parameters: strengths (dB); without, the
    number of a note that is left out."""
    return _join([_points(string, float(strength)) for number, (string, strength) in enumerate(
        zip(strings, strengths, strict=True)) if number != without])


def _join(points: Sequence[tuple[FloatArray, FloatArray, FloatArray]]) -> tuple[FloatArray,
                                                                               FloatArray]:
    """Return the body of the points of notes: octaves and levels, those close together as one."""
    octaves, levels, weights = (np.concatenate(part) for part in zip(*points, strict=True))
    order = np.argsort(octaves)
    octaves, levels, weights = octaves[order], levels[order], weights[order]
    groups: list[list[int]] = []
    for index, octave in enumerate(octaves.tolist()):
        if groups and octave - octaves[groups[-1][0]] < TOGETHER:
            groups[-1].append(index)
        else:
            groups.append([index])
    return (np.array([np.average(octaves[group], weights=weights[group]) for group in groups]),
            np.array([np.average(levels[group], weights=weights[group]) for group in groups]))


def _interpolate(octaves: FloatArray, levels: FloatArray, at: FloatArray) -> FloatArray:
    """Return the levels of a body at some octaves, with a slope outside its points."""
    outside = np.maximum(octaves[0] - at, 0.0) + np.maximum(at - octaves[-1], 0.0)
    found: FloatArray = np.interp(at, octaves, levels) - SLOPE * outside
    return found


def _fit_note(string: StringFit, body: tuple[FloatArray, FloatArray]) -> tuple[float, float]:
    """Return place (fraction of the length) and strength (dB) of the pluck that leave the least
    absolute deviation from a body."""
    rest = string.levels - pluck_levels(string) - _interpolate(*body, np.log2(string.frequencies))
    # each place as good as any other at first: a body may hide the comb of one note
    combs = comb_levels(string.orders, FINE[:, None])
    # a notch is no deeper in a recording than the error of its place allows
    left = rest - combs
    weights = np.where(combs > NOTCH, 1.0, 0.3)
    strengths = np.median(left, axis=1)
    cost = (weights * np.abs(left - strengths[:, None])).sum(axis=1) / weights.sum(axis=1)
    best = int(cost.argmin())
    return float(FINE[best]), float(strengths[best])


def _deviations(index: int, strings: Sequence[StringFit], strengths: FloatArray) -> FloatArray:
    """Return the deviations (dB) of the partials of a note from the body of the others."""
    body = _body(strings, strengths, without=index)
    octaves, levels, _ = _points(strings[index], float(strengths[index]))
    left: FloatArray = levels - _interpolate(*body, octaves)
    return left
