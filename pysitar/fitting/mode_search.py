"""The search for the modes of a sound: from long parts to short ones, each on what the modes found
so far do not explain."""
from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pysitar.fitting.esprit import BandPoles
from pysitar.fitting.exponentials import ComplexArray, Exponentials, amplitude_gram
from pysitar.fitting.recording import NoiseFloor, smooth_power
from pysitar.fitting.refine import (
    FASTEST,
    ModeSum,
    covariance_factors,
    fit_amplitudes,
    refine,
)
from pysitar.physics.checks import FloatArray

IndexArray = npt.NDArray[np.int64]

SHORTEST_PART = 0.04            # s
SHORTER = 4.0                   # ratio of two successive parts
DENSE_PART, DENSE_SHORTER = 0.02, 3.0           # the same for a dense sound
OVER_RECORDED = 4.0             # power of what counts as noise in a dense sound, over that recorded
PASSES = 2                      # through all parts
SIGNIFICANT = 80.0              # energy of a mode over the noise's variance: exp(-40) by chance
LEAST_NOISE = 1e-10             # of the peak squared: the variance of noise that is always assumed
NEPERS = 3.0                    # of a decay in the part whose residual is its noise
NEIGHBOURS = 4.0                # decay rates between modes whose amplitudes depend on each other
CLOSE = 2.0                     # decay rates between two modes that may be one
ONE_MODE = 40.0                 # growth over the noise's variance by which two modes are two
PAIR_DECREASE = 1.0             # of the noise's variance: a step that does not decide
NEGLIGIBLE = 1e-3               # of the noise's variance: a step of all that is not worth it
LONG_ENOUGH = 8.0               # nepers after which a mode is over
STEPS, PAIR_STEPS, LAST_STEPS = 6, 12, 25
HOPELESS = 0.5                  # of the energy of a dense sound, after one pass
CANDIDATES, LEAST_CANDIDATES = 3.0, 120         # new ones of a part: per mode, and at least
EXTRA = 2.0                     # candidates per mode in the end
HALF_DIFFERENCE = 0.5           # of an amplitude, between the halves of a mode's energy
HALF_ERRORS = 3.0               # standard errors of that difference that are allowed besides
LONGEST_T60 = 100.0             # of the sound's duration: no decay is seen in it
DECAY_ERROR = 1.0               # of a decay rate: the greatest standard error


class LocalNoise:
    """The noise that modes of a frequency and a decay rate compete with: what the residual holds
    while they ring.

    Parameters: residual (n,); rate (Hz); durations (s) of the parts; least variance; recorded, the
    noise of the recording where that alone counts.
    """

    def __init__(self, residual: FloatArray, rate: float, durations: list[float],
                 least: float, recorded: NoiseFloor | None = None) -> None:
        self._rate, self._least, self._durations = rate, least, np.array(durations)
        self.floors: list[NoiseFloor] = [
            smooth_power(residual[:max(64, round(duration * rate))], rate)
            for duration in durations]
        if recorded is not None:
            self.floors = [NoiseFloor(floor.frequencies, np.minimum(
                floor.powers, OVER_RECORDED * recorded.at(floor.frequencies)))
                for floor in self.floors]

    def floor(self, index: int) -> NoiseFloor:
        """Return the noise of one part, at least the least one."""
        floor = self.floors[index]
        return NoiseFloor(floor.frequencies,
                          np.maximum(floor.powers, 2.0 * self._least / self._rate))

    def variance(self, exponents: ComplexArray) -> FloatArray:
        """Return the variance of white noise of that power, (K,)."""
        alphas = -exponents.real * self._rate
        rings = np.log(NEPERS / np.maximum(alphas, 1e-6))
        index = np.abs(rings[:, None] - np.log(self._durations)[None, :]).argmin(axis=1)
        frequencies = exponents.imag * self._rate / (2.0 * math.pi)
        powers = [float(self.floors[i].at(float(f)))
                  for i, f in zip(index.tolist(), frequencies.tolist(), strict=True)]
        return np.maximum(np.array(powers) * 0.5 * self._rate, self._least)


class ModeSearch:
    """The modes of a sound that rings freely from its first sample on.

    Parameters: sound (n,); rate (Hz); lowest and highest frequency (Hz); count, the greatest number
    of modes; step, called after each part; recorded, the noise of a recording whose modes are so
    dense that what is not explained yet is no noise (None: it is).
    Attributes: modes; residual; noise.
    """

    def __init__(self, sound: FloatArray, rate: float, *, lowest: float, highest: float, count: int,
                 step: Callable[[], None] | None = None,
                 recorded: NoiseFloor | None = None) -> None:
        self.sound, self.rate, self.count = sound, rate, count
        self._range = lowest, highest
        self._step = step
        self._recorded = recorded
        self.durations = part_durations(sound.size / rate, dense=recorded is not None)
        self._least = LEAST_NOISE * float(np.max(np.abs(sound)))**2
        self.modes = ModeSum(np.zeros(0, dtype=complex), np.zeros(0, dtype=complex))
        self.residual = sound
        self._update_noise()

    def run(self) -> None:
        """Search, then take apart or together what is close, and keep what both halves show."""
        for _ in range(PASSES):
            found = sum(self._search_part(index) for index in range(len(self.durations)))
            if not found or self._is_hopeless():
                break
        if not self.modes.count:
            return
        self._keep(self.modes.exponents, self.count)
        if self._is_hopeless():
            return
        self._merge_pairs()
        self._settle()
        self._drop_halves()
        self._settle()
        self._drop_undamped()

    def _is_hopeless(self) -> bool:
        """Whether a dense sound is none of modes: more would take minutes, and explain no more."""
        return self._recorded is not None and (
            float(self.residual @ self.residual) > HOPELESS * float(self.sound @ self.sound))

    def _update_noise(self) -> None:
        self.noise = LocalNoise(self.residual, self.rate, self.durations, self._least,
                                self._recorded)

    def _search_part(self, index: int) -> int:
        """Add the modes of one part; return how many poles it had."""
        lowest, highest = self._range
        bands = BandPoles(self.residual, self.rate, duration=self.durations[index], lowest=lowest,
                          highest=highest)
        poles = list(bands.poles(self.noise.floor(index)))
        if self._step is not None:
            self._step()
        if not poles:
            return 0
        hz, alphas = np.array(poles).T
        new = (-np.maximum(alphas, 1e-3) + 2j * math.pi * hz) / self.rate
        before = self.modes.count
        new = self._strongest(new, max(LEAST_CANDIDATES, round(CANDIDATES * self.count)))
        self._keep(np.concatenate((self.modes.exponents, new)), round(EXTRA * self.count))
        self._refine(STEPS)
        return max(0, self.modes.count - before)

    def _strongest(self, exponents: ComplexArray, most: int) -> ComplexArray:
        """Return the exponents that alone explain most of the residual: noise has thousands of
        poles, and what is computed for all pairs of them would take gigabytes."""
        if exponents.size <= most:
            return exponents
        powers = np.abs(Exponentials(exponents, self.residual.size).products(self.residual)[0])**2
        order = np.argsort(powers * -exponents.real)
        return exponents[np.sort(order[exponents.size - most:])]

    def _refine(self, steps: int) -> None:
        variances = self.noise.variance(self.modes.exponents)
        least = NEGLIGIBLE * float(np.min(variances, initial=np.inf))
        self.modes, self.residual = refine(self.sound, self.modes, steps=steps, least=least)
        self._update_noise()

    def _settle(self) -> None:
        """Refine, and leave out what is no longer significant, until nothing is."""
        for _ in range(3):
            self._refine(LAST_STEPS)
            before = self.modes.count
            self._keep(self.modes.exponents, self.count)
            if self.modes.count in {before, 0}:
                break
        self.residual = self.sound - self.modes.sound(self.sound.size)

    def _keep(self, exponents: ComplexArray, most: int) -> None:
        """Fit amplitudes, leaving out modes that are not significant, the least ones first."""
        frames = self.sound.size
        hz = exponents.imag * self.rate / (2.0 * math.pi)
        possible = (hz >= self._range[0]) & (hz <= self._range[1]) & (
            -exponents.real < 0.99 * FASTEST)
        exponents = exponents[possible]
        product, _ = Exponentials(exponents, frames).products(self.sound)
        gram = amplitude_gram(exponents, frames)
        chosen = np.arange(exponents.size)
        while chosen.size:
            growth = _growth(gram, product, chosen, exponents.size)
            ratio = growth / self.noise.variance(exponents[chosen])
            excess = chosen.size - most
            limit = SIGNIFICANT
            if excess > 0:
                limit = max(limit, float(np.sort(ratio)[min(excess, max(1, chosen.size // 4))]))
            dropped = _separate(exponents[chosen], ratio, limit)
            if not dropped.size:
                break
            chosen = np.delete(chosen, dropped)
        self.modes = (fit_amplitudes(self.sound, exponents[chosen])[0] if chosen.size else
                      ModeSum(exponents[:0], np.zeros(0, dtype=complex)))

    def _merge_pairs(self) -> None:
        """Replace two close modes by one where it explains the sound as well."""
        self._refine(STEPS)
        two: set[tuple[complex, complex]] = set()           # pairs that were tried
        changed = True
        while changed and self.modes.count > 1:
            changed = False
            exponents = self.modes.exponents
            order = np.argsort(exponents.imag)
            for i, j in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
                pair = complex(exponents[i]), complex(exponents[j])
                close = CLOSE * max(-pair[0].real, -pair[1].real)
                if pair in two or abs(pair[0] - pair[1]) >= close:
                    continue
                if self._merge(i, j):
                    changed = True
                    break
                two.add(pair)

    def _merge(self, i: int, j: int) -> bool:
        """Replace modes i and j by one if that costs little; return whether it did.  Their
        neighbours are refined with it: they may explain what is left."""
        exponents = self.modes.exponents
        middle = 0.5 * (exponents[i] + exponents[j])
        near = np.abs(exponents - middle) < NEIGHBOURS * np.maximum(
            -exponents.real, -middle.real)
        near[[i, j]] = True
        group, others = self.modes.kept(near), self.modes.kept(~near)
        slowest = float(np.min(-group.exponents.real))
        frames = min(self.sound.size, max(256, math.ceil(LONG_ENOUGH / slowest)))
        target = self.residual[:frames] + group.sound(frames)
        pair = self.modes.kept(np.array([i, j]))
        mean = np.average(pair.exponents, weights=pair.energies(frames))
        near[[i, j]] = False
        trial, _ = fit_amplitudes(target, np.append(exponents[near], mean))
        variance = float(self.noise.variance(trial.exponents[-1:])[0])
        trial, left = refine(target, trial, steps=PAIR_STEPS, least=PAIR_DECREASE * variance)
        growth = float(left @ left) - float(self.residual[:frames] @ self.residual[:frames])
        if growth > ONE_MODE * variance:
            return False
        self.modes = ModeSum(np.concatenate((others.exponents, trial.exponents)),
                             np.concatenate((others.amplitudes, trial.amplitudes)))
        self.residual = self.sound - self.modes.sound(self.sound.size)
        return True

    def _drop_halves(self) -> None:
        """Leave out modes whose amplitudes in both halves of their energy differ."""
        variance = self.noise.variance(self.modes.exponents)
        kept = [self._is_steady(k, float(variance[k])) for k in range(self.modes.count)]
        if not all(kept):
            exponents = self.modes.exponents[np.array(kept)]
            if exponents.size:
                self._keep(exponents, self.count)
            else:
                self.modes = self.modes.kept(np.zeros(0, dtype=np.int64))
                self.residual = self.sound

    def _drop_undamped(self) -> None:
        """Leave out modes whose decays the sound does not show, the least certain of neighbours
        first: the others may become certain without it."""
        while self.modes.count:
            exponents, frames = self.modes.exponents, self.sound.size
            first, last = 2 * self.modes.count, 3 * self.modes.count
            factors = np.diag(covariance_factors(self.modes, frames))[first:last]
            errors = np.sqrt(np.maximum(factors, 0.0) * self.noise.variance(exponents))
            certainty = -exponents.real / np.maximum(errors, 1e-300)
            certainty[-exponents.real * frames * LONGEST_T60 < math.log(1000.0)] = 0.0
            dropped = _separate(exponents, certainty, 1.0 / DECAY_ERROR)
            if not dropped.size:
                break
            self.modes = self.modes.kept(np.delete(np.arange(self.modes.count), dropped))
            self._settle()

    def _is_steady(self, k: int, variance: float) -> bool:
        mode = self.modes.kept(np.array([k]))
        alpha = -float(mode.exponents[0].real)
        frames = min(self.sound.size, max(8, math.ceil(NEPERS / alpha)))
        fall = math.exp(-2.0 * alpha * frames)
        middle = min(frames - 1, max(1, round(-math.log(0.5 * (1.0 + fall)) / (2.0 * alpha))))
        target = self.residual[:frames] + mode.sound(frames)
        power = np.exp(-2.0 * alpha * np.arange(frames))
        products = target * np.exp(mode.exponents[0].conj() * np.arange(frames))
        parts = [2.0 * products[:middle].sum() / power[:middle].sum(),
                 2.0 * products[middle:].sum() / power[middle:].sum()]
        error = math.sqrt(2.0 * variance / power[:middle].sum()
                          + 2.0 * variance / power[middle:].sum())
        size = abs(mode.amplitudes[0])
        return bool(abs(parts[0] - parts[1]) <= HALF_DIFFERENCE * size + HALF_ERRORS * error)


def part_durations(seconds: float, *, dense: bool = False) -> list[float]:
    """Return the durations (s) of the parts of a sound, the longest first."""
    shortest, shorter = (DENSE_PART, DENSE_SHORTER) if dense else (SHORTEST_PART, SHORTER)
    durations = [seconds]
    while durations[-1] / shorter >= shortest:
        durations.append(durations[-1] / shorter)
    return durations


def _growth(gram: FloatArray, product: ComplexArray, chosen: IndexArray,
            count: int) -> FloatArray:
    """Return by how much the residual's energy grows where one of the chosen modes is left out."""
    both = np.concatenate((chosen, chosen + count))
    part = gram[np.ix_(both, both)]
    scale = 1.0 / np.sqrt(np.diag(part))
    inverse = np.linalg.inv(part * scale[:, None] * scale[None, :] + 1e-12 * np.eye(both.size))
    inverse *= scale[:, None] * scale[None, :]
    right = np.concatenate((product[chosen].real, -product[chosen].imag))
    size = chosen.size
    solution = inverse @ right
    index = np.arange(size)
    pairs = np.stack((solution[:size], solution[size:]), axis=1)
    blocks = np.array([[inverse[index, index], inverse[index, index + size]],
                       [inverse[index + size, index], inverse[index + size, index + size]]])
    growth: FloatArray = np.einsum(
        "ki,ki->k", pairs, np.linalg.solve(blocks.transpose(2, 0, 1), pairs[..., None])[..., 0])
    return growth


def _separate(exponents: ComplexArray, ratio: FloatArray,
              limit: float) -> IndexArray:
    """Return the indices of modes below a limit, without any that depends on a lesser one of
    them: it may become significant when that one is gone."""
    dropped: list[int] = []
    for k in np.argsort(ratio).tolist():
        if ratio[k] >= limit:
            break
        near = NEIGHBOURS * -float(exponents[k].real)
        if all(abs(exponents[k] - exponents[other]) > max(
                near, NEIGHBOURS * -float(exponents[other].real)) for other in dropped):
            dropped.append(k)
    return np.array(dropped, dtype=np.int64)
