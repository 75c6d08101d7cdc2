"""Fit the modes of a recorded stroke."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.fitting.exponentials import ComplexArray
from pysitar.fitting.mode_search import ModeSearch
from pysitar.fitting.recording import check_recording, find_onset, noise_floor
from pysitar.fitting.refine import ModeSum, covariance_factors
from pysitar.physics.checks import FloatArray, Numbers, array_of, number, whole

NEPERS_60 = math.log(1000.0)    # of 60 dB
LOWEST, HIGHEST = 20.0, 20000.0         # Hz
SETTLED = (0.002, 0.006, 0.015, 0.03)   # s after the onset that are tried: the blow is over
EXPLAINED = 0.0001              # residual over energy (-40 dB) with which the first is right
BETTER = 0.4                    # residual of a later one over that of an earlier one, there
DECAY = 2.0                     # energy of a half of what decays over that of the next
SHORTEST = 0.05                 # s of a sound after the blow
LONGEST = 12.0                  # s of a sound that are fitted
SILENCE = 1e-6                  # of the peak: what is softer to the end is no part of the stroke
MOST_MODES = 200
NYQUIST_PART = 0.46             # of the rate: the highest frequency


@dataclass(frozen=True, slots=True, eq=False)
class Modes:
    """The modes of a stroke: damped sinusoids, the lowest frequency first.

    From `start` on the sound is the sum of a exp(-6.91 t / T60) cos(2 pi f t + phase), with t
    counted from `start`. The errors are standard errors, from the curvature of the sum of squares
    and from the noise about each mode: the Cramer-Rao bound where that noise is Gaussian.

    Attributes
    ----------
    frequencies : ndarray
        Shape (M,), damped (Hz).
    t60s : ndarray
        Shape (M,), in which each mode falls by 60 dB (s).
    amplitudes : ndarray
        Shape (M,), at `start` (full scale 1).
    phases : ndarray
        Shape (M,), at `start`, -pi to pi (rad).
    frequency_errors, t60_errors, amplitude_errors, phase_errors : ndarray
        Shape (M,), in the units of the values.
    start : float
        Time in the recording from which on the modes ring freely (s).
    onset : float
        Time in the recording of the onset of the stroke (s).
    """

    frequencies: FloatArray
    t60s: FloatArray
    amplitudes: FloatArray
    phases: FloatArray
    frequency_errors: FloatArray
    t60_errors: FloatArray
    amplitude_errors: FloatArray
    phase_errors: FloatArray
    start: float
    onset: float

    @property
    def count(self) -> int:
        """The number of modes.

        Returns
        -------
        int
            M.
        """
        return int(self.frequencies.size)

    @property
    def decay_rates(self) -> FloatArray:
        """The decay rates of the modes, 6.91 / T60.

        Returns
        -------
        ndarray
            Shape (M,), 1/s.
        """
        return NEPERS_60 / self.t60s

    def sound(self, frames: int, rate: float) -> FloatArray:
        """Return the sum of the modes from `start` on.

        Parameters
        ----------
        frames : int
            0 to 1e9.
        rate : float
            Sample rate, above 0 to 1e9 (Hz).

        Returns
        -------
        ndarray
            Shape (frames,).

        Raises
        ------
        ParameterError
            For a value out of its range.
        """
        frames = whole("frames", frames, at_least=0, at_most=10**9)
        rate = number("rate", rate, "Hz", above=0.0, at_most=1e9)
        return mode_sum(self, rate).sound(frames)


def mode_sum(modes: Modes, rate: float) -> ModeSum:
    """Return modes as exponents per sample and complex amplitudes at a rate (Hz)."""
    exponents: ComplexArray = (-modes.decay_rates
                               + 2j * math.pi * modes.frequencies).astype(np.complex128)
    return ModeSum(exponents / rate, modes.amplitudes * np.exp(1j * modes.phases))


def fit_modes(
    audio: Numbers,
    rate: float,
    *,
    count: int = 60,
    lowest: float = LOWEST,
    highest: float = HIGHEST,
    settled: float | None = None,
    dense: bool = False,
    step: Callable[[], None] | None = None,
) -> Modes:
    """Fit the modes of one stroke: damped sinusoids in noise.

    Poles come from ESPRIT in bands, heterodyned and decimated, of the whole sound and of ever
    shorter parts from its start, each on what is not explained yet; those that two orders agree on
    are fitted together by least squares of the sound itself. A mode is kept if its energy is 80
    times the variance of the noise about it (by chance once in 1e17), if leaving it out or joining
    it with a neighbour costs as much, and if both halves of its energy have the same amplitude.

    Parameters
    ----------
    audio : array_like
        Shape (n,), floating-point, full scale 1; 0.1 s to 60 s. One channel.
    rate : float
        Sample rate, 16000 to 768000 (Hz).
    count : int, default 60
        The greatest number of modes, 1 to 200; the most significant ones are kept.
    lowest, highest : float, default 20.0, 20000.0
        Range of frequencies, at least 1 Hz wide (Hz); `highest` is at most 0.46 of the rate.
    settled : float, optional
        Time after the onset from which on the modes ring freely, 0 to 1 (s): the blow is over.
        Default: 2 ms, or 6, 15 or 30 ms if the residual from then on is 4 dB less.
    dense : bool, default False
        Whether the modes may overlap, as those of an instrument's body: noise is then only what is
        recorded before the onset or at the end, and all else is explained by modes, as far as
        `count` allows. The default of `settled` is then 2 ms. Not for a room or a hum.
    step : callable, optional
        Called after each part of the search, up to 56 times.

    Returns
    -------
    Modes
        Possibly none: in noise there are no modes.

    Raises
    ------
    ParameterError
        For a wrong argument, and for a recording that is silent, clipped, has a DC offset, or is
        too short or too long.

    References
    ----------
    Roy & Kailath 1989, ESPRIT; Laroche 1993, its use for free vibrations in bands.

    Examples
    --------
    >>> import numpy, pysitar
    >>> t = numpy.arange(24000) / 48000.0
    >>> sound = 0.3 * numpy.exp(-7.0 * t) * numpy.cos(2.0 * numpy.pi * 440.0 * t)
    >>> modes = pysitar.fit_modes(sound + 1e-4 * numpy.sin(1e9 * t * t), 48000.0)
    >>> modes.frequencies.round(2).tolist(), modes.t60s.round(3).tolist()
    ([440.0], [0.987])
    """
    sound, rate = check_recording(audio, rate)
    count = whole("count", count, at_least=1, at_most=MOST_MODES)
    lowest = number("lowest", lowest, "Hz", at_least=1.0, at_most=rate * NYQUIST_PART - 1.0)
    highest = min(number("highest", highest, "Hz", at_least=lowest + 1.0, at_most=1e6),
                  rate * NYQUIST_PART)
    times = (SETTLED[:1] if dense else SETTLED) if settled is None else (
        number("settled", settled, "s", at_least=0.0, at_most=1.0),)
    onset = find_onset(sound, rate)
    recorded = noise_floor(sound, rate, onset) if dense else None
    loud = np.abs(sound) > SILENCE * float(np.abs(sound).max())
    end = int(np.flatnonzero(loud)[-1]) + 1
    best: tuple[ModeSearch, int] | None = None
    for time in times:
        first = onset + round(time * rate)
        ringing = sound[first:min(end, first + round(LONGEST * rate))]
        if ringing.size < SHORTEST * rate:
            break
        search = ModeSearch(ringing, rate, lowest=lowest, highest=highest, count=count, step=step,
                            recorded=recorded)
        search.run()
        left = float(search.residual @ search.residual)
        if best is None or left < BETTER * _energy(best[0].residual[first - best[1]:][
                :ringing.size]):
            best = search, first
        if left < EXPLAINED * float(ringing @ ringing) or (
                not search.modes.count and not _decays(ringing)):
            break
    if best is None:
        raise ParameterError("audio", f"over {(end - onset) / rate:.3g} s after its onset",
                             f"expected a stroke that rings for {SHORTEST:g} s or longer")
    return _modes(best[0], onset / rate, best[1] / rate)


def _decays(sound: FloatArray) -> bool:
    """Whether the first half of a sound has far more energy than the second."""
    half = sound.size // 2
    return _energy(sound[:half]) > DECAY * _energy(sound[half:])


def _energy(sound: FloatArray) -> float:
    return float(sound @ sound)


def _modes(search: ModeSearch, onset: float, start: float) -> Modes:
    """Return the modes of a finished search with their standard errors."""
    order = np.argsort(search.modes.exponents.imag)
    found, rate, size = search.modes.kept(order), search.rate, search.modes.count
    variance = search.noise.variance(found.exponents) if size else np.zeros(0)
    errors = np.zeros((4, size))        # of amplitudes, phases, decays and angular frequencies
    if size:
        factors = covariance_factors(found, search.sound.size)
        diagonal = np.diag(factors).reshape(4, size)
        mixed = np.diag(factors[:size, size:2 * size])
        along = found.amplitudes / np.abs(found.amplitudes)
        for row, unit in enumerate((along, 1j * along)):
            errors[row] = (unit.real**2 * diagonal[0] + unit.imag**2 * diagonal[1]
                           + 2.0 * unit.real * unit.imag * mixed)
        errors[2:] = diagonal[2:]
        errors = np.sqrt(np.maximum(errors, 0.0) * variance)
    alphas = -found.exponents.real * rate
    amplitudes = np.abs(found.amplitudes)
    t60s = NEPERS_60 / alphas
    return Modes(
        frequencies=array_of((found.exponents.imag * rate / (2.0 * math.pi)).tolist()),
        t60s=array_of(t60s.tolist()),
        amplitudes=array_of(amplitudes.tolist()),
        phases=array_of(np.angle(found.amplitudes).tolist()),
        frequency_errors=array_of((errors[3] * rate / (2.0 * math.pi)).tolist()),
        t60_errors=array_of((errors[2] * rate * t60s / alphas).tolist()),
        amplitude_errors=array_of(errors[0].tolist()),
        phase_errors=array_of((errors[1] / np.maximum(amplitudes, 1e-300)).tolist()),
        start=start, onset=onset)
