"""Joint least squares of all modes of a sound: amplitudes, and frequencies and decays by steps of
Levenberg and Marquardt."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pysitar.fitting.exponentials import (
    ComplexArray,
    Exponentials,
    amplitude_gram,
    full_gram,
)
from pysitar.physics.checks import FloatArray

RIDGE = 1e-12                   # of the diagonal: equal poles share an amplitude
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-3, 1e-9, 1e4
CONVERGED = 1e-9                # relative decrease of the residual's energy
SLOWEST = 1e-9                  # nepers a sample
FASTEST = 0.03                  # a mode that is faster is over within the blow


@dataclass(frozen=True, slots=True, eq=False)
class ModeSum:
    """A sum of Re c_k exp(s_k n).  Parameters: exponents s per sample and amplitudes c, (K,)."""

    exponents: ComplexArray
    amplitudes: ComplexArray

    @property
    def count(self) -> int:
        """The number of modes."""
        return int(self.exponents.size)

    def sound(self, frames: int) -> FloatArray:
        """Return the samples, (frames,)."""
        if not self.count:
            return np.zeros(frames)
        return Exponentials(self.exponents, frames).sound(self.amplitudes)

    def energies(self, frames: int) -> FloatArray:
        """Return the energy of each mode alone, (K,)."""
        ratio = np.exp(2.0 * self.exponents.real)
        energies: FloatArray = 0.5 * np.abs(self.amplitudes)**2 * (
            -np.expm1(2.0 * self.exponents.real * frames)) / (1.0 - ratio)
        return energies

    def kept(self, chosen: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> ModeSum:
        """Return some of the modes.  Parameters: chosen, a mask or indices."""
        return ModeSum(self.exponents[chosen], self.amplitudes[chosen])


def fit_amplitudes(sound: FloatArray, exponents: ComplexArray) -> tuple[ModeSum, FloatArray]:
    """Return the modes of some exponents with least-squares amplitudes, and by how much the
    residual's energy grows where one of them is left out, (K,)."""
    frames, count = sound.size, exponents.size
    gram = amplitude_gram(exponents, frames)
    product, _ = Exponentials(exponents, frames).products(sound)
    right = np.concatenate((product.real, -product.imag))
    inverse = _inverse(gram)
    solution = inverse @ right
    amplitudes = solution[:count] + 1j * solution[count:]
    pairs = np.stack((solution[:count], solution[count:]), axis=1)
    index = np.arange(count)
    blocks = np.empty((count, 2, 2))
    for row in range(2):
        for column in range(2):
            blocks[:, row, column] = inverse[index + row * count, index + column * count]
    growth = np.einsum("ki,ki->k", pairs, np.linalg.solve(blocks, pairs[..., None])[..., 0])
    return ModeSum(exponents, amplitudes), growth


def refine(sound: FloatArray, modes: ModeSum, *, steps: int,
           least: float = 0.0) -> tuple[ModeSum, FloatArray]:
    """Return modes with the least residual near the given ones, and that residual, (n,).

    Parameters: steps, at most; least, a decrease of the residual's energy that is not worth a step.
    """
    if not modes.count:
        return modes, sound
    functions = Exponentials(modes.exponents, sound.size)
    residual = sound - functions.sound(modes.amplitudes)
    energy, damping = float(residual @ residual), FIRST_DAMPING
    for _ in range(steps):
        gram = full_gram(modes.exponents, modes.amplitudes, sound.size)
        first, second = functions.products(residual)
        slope = modes.amplitudes * second
        right = np.concatenate((first.real, -first.imag, slope.real, -slope.imag))
        scale = 1.0 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
        scaled = gram * scale[:, None] * scale[None, :]
        decrease = -1.0
        while damping <= MOST_DAMPING and decrease <= 0.0:
            step = np.linalg.solve(scaled + (damping + RIDGE) * np.eye(scaled.shape[0]),
                                   right * scale) * scale
            trial = _moved(modes, step)
            others = Exponentials(trial.exponents, sound.size)
            left = sound - others.sound(trial.amplitudes)
            decrease = energy - float(left @ left)
            damping *= 10.0
        if decrease <= 0.0:
            break
        damping = max(damping * 0.02, LEAST_DAMPING)
        modes, residual, functions, energy = trial, left, others, energy - decrease
        if decrease < max(CONVERGED * energy, least):
            break
    return modes, residual


def covariance_factors(modes: ModeSum, frames: int) -> FloatArray:
    """Return the inverse of the normal equations, (4K, 4K): times the variance of white noise it is
    the covariance of amplitudes (real, then imaginary parts) and exponents."""
    return _inverse(full_gram(modes.exponents, modes.amplitudes, frames))


def _moved(modes: ModeSum, step: FloatArray) -> ModeSum:
    """Return modes moved by a step of all parameters; exponents stay damped."""
    a, b, c, d = np.split(step, 4)
    exponents = modes.exponents + c + 1j * d
    real = np.clip(exponents.real, -FASTEST, -SLOWEST)
    imaginary = np.clip(exponents.imag, 1e-6, math.pi - 1e-6)
    return ModeSum(real + 1j * imaginary, modes.amplitudes + a + 1j * b)


def _inverse(gram: FloatArray) -> FloatArray:
    """Return the inverse of a positive matrix, scaled to a diagonal of 1 before."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    scaled = gram * scale[:, None] * scale[None, :]
    inverse = np.linalg.inv(scaled + RIDGE * np.eye(scaled.shape[0]))
    result: FloatArray = inverse * scale[:, None] * scale[None, :]
    return result
