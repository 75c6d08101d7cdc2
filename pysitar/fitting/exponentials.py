"""Sums of damped exponentials: their inner products in closed form, and fast products with a
sound."""
from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from pysitar.physics.checks import FloatArray

ComplexArray: TypeAlias = npt.NDArray[np.complex128]

BLOCK = 1024                    # samples of one factor of a long exponential
SMALLEST = -600.0               # exponent below which an exponential is 0: no denormal numbers


def power_sums(ratios: ComplexArray, count: int) -> tuple[ComplexArray, ComplexArray, ComplexArray]:
    """Return the sums of w^n, n w^n and n^2 w^n over n from 0 to count - 1, for each ratio w of
    magnitude at most 1.

    They are doubled from one term on, which does not cancel where w is near 1.
    """
    zero, one = np.zeros_like(ratios), np.ones_like(ratios)
    s0, s1, s2 = one, zero, zero            # of the first `length` terms
    power, length = ratios, 1               # w^length
    for bit in bin(count)[3:]:
        s2 = s2 + power * (s2 + 2.0 * length * s1 + float(length * length) * s0)
        s1 = s1 + power * (s1 + length * s0)
        s0 = s0 + power * s0
        power, length = power * power, 2 * length
        if bit == "1":
            s0, s1, s2 = (s0 + power, s1 + length * power, s2 + float(length * length) * power)
            power, length = power * ratios, length + 1
    return s0, s1, s2


class Exponentials:
    """The functions exp(s_k n), n from 0 to count - 1.

    Parameters: exponents s, (K,), per sample, with real parts of at most 0; count.
    """

    def __init__(self, exponents: ComplexArray, count: int) -> None:
        self.count = count
        self._blocks = -(-count // BLOCK)
        self.exponents = exponents
        root = math.isqrt(BLOCK)                # fewer exponentials, more products
        low = _exp(exponents[:, None] * np.arange(root))
        high = _exp(exponents[:, None] * (root * np.arange(root)))
        self._fine = (high[:, :, None] * low[:, None, :]).reshape(-1, BLOCK)
        self._coarse = _exp(exponents[:, None] * (BLOCK * np.arange(self._blocks)))

    def sound(self, amplitudes: ComplexArray) -> FloatArray:
        """Return the real part of sum c_k exp(s_k n), (count,), of amplitudes c, (K,)."""
        coarse = self._coarse * amplitudes[:, None]
        total = coarse.real.T @ self._fine.real - coarse.imag.T @ self._fine.imag
        sound: FloatArray = total.reshape(-1)[:self.count]
        return sound

    def columns(self, amplitudes: ComplexArray) -> FloatArray:
        """Return the real parts of c_k exp(s_k n) one by one, (K, count)."""
        coarse = self._coarse * amplitudes[:, None]
        total = (coarse.real[:, :, None] * self._fine.real[:, None, :]
                 - coarse.imag[:, :, None] * self._fine.imag[:, None, :])
        return total.reshape(amplitudes.size, -1)[:, :self.count]

    def products(self, sound: FloatArray) -> tuple[ComplexArray, ComplexArray]:
        """Return the sums of sound[n] exp(s_k n) and of sound[n] n exp(s_k n), (K,)."""
        rows = np.pad(sound, (0, self._blocks * BLOCK - sound.size)).reshape(-1, BLOCK)
        first = rows @ self._fine.real.T + 1j * (rows @ self._fine.imag.T)
        ramp = self._fine * np.arange(BLOCK)
        second = rows @ ramp.real.T + 1j * (rows @ ramp.imag.T)
        starts = (BLOCK * np.arange(self._blocks))[:, None]
        coarse = self._coarse.T
        return (coarse * first).sum(axis=0), (coarse * (starts * first + second)).sum(axis=0)


def amplitude_gram(exponents: ComplexArray, count: int) -> FloatArray:
    """Return the inner products of the real functions Re exp(s n) of all s, then those of
    -Im exp(s n), (2K, 2K)."""
    sums, differences = _ratios(exponents)
    plus, minus = power_sums(sums, count)[0], power_sums(differences, count)[0]
    ones = np.ones(exponents.size, dtype=complex)
    factors = np.concatenate((ones, 1j * ones))
    index = np.tile(np.arange(exponents.size), 2)
    return _gram(factors, index, plus, minus)


def full_gram(exponents: ComplexArray, amplitudes: ComplexArray, count: int) -> FloatArray:
    """Return the inner products of the derivatives of a sum by its parameters, (4K, 4K): real and
    imaginary parts of the amplitudes, then those of the exponents."""
    sums, differences = _ratios(exponents)
    plus, minus = power_sums(sums, count), power_sums(differences, count)
    size = exponents.size
    gram = np.empty((4 * size, 4 * size))
    ones = np.ones(size, dtype=complex)
    factors = np.concatenate((ones, 1j * ones)), np.concatenate((amplitudes, 1j * amplitudes))
    index = np.tile(np.arange(size), 2)
    for row in range(2):
        for column in range(2):
            part = _gram_of(factors[row], factors[column], index, plus[row + column],
                            minus[row + column])
            gram[2 * size * row:2 * size * (row + 1), 2 * size * column:2 * size * (column + 1)] = (
                part)
    return gram


def _gram(factors: ComplexArray, index: npt.NDArray[np.int64], plus: ComplexArray,
          minus: ComplexArray) -> FloatArray:
    return _gram_of(factors, factors, index, plus, minus)


def _gram_of(left: ComplexArray, right: ComplexArray, index: npt.NDArray[np.int64],
             plus: ComplexArray, minus: ComplexArray) -> FloatArray:
    """Return the sums of Re(a_i z_i^n) Re(b_j z_j^n) from those of (z_i z_j)^n and of z_i^n times
    the conjugate of z_j^n."""
    rows, columns = index[:, None], index[None, :]
    both = left[:, None] * right[None, :] * plus[rows, columns]
    mixed = left[:, None] * right.conj()[None, :] * minus[rows, columns]
    gram: FloatArray = 0.5 * (both + mixed).real
    return gram


def _ratios(exponents: ComplexArray) -> tuple[ComplexArray, ComplexArray]:
    return (_exp(exponents[:, None] + exponents[None, :]),
            _exp(exponents[:, None] + exponents.conj()[None, :]))


def _exp(values: ComplexArray) -> ComplexArray:
    """Return exp of some values, 0 where it is very small."""
    size = np.exp(np.maximum(values.real, SMALLEST))
    size[values.real < SMALLEST] = 0.0
    result = np.empty(values.shape, dtype=np.complex128)
    result.real, result.imag = size * np.cos(values.imag), size * np.sin(values.imag)
    return result
