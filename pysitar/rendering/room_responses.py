"""The impulse responses of rooms that are computed: a box with six reflections, one for each of its
surfaces, and a diffuse tail that decays in each band by its own time.

All sums have a fixed order and all functions are elementary, so the bits are the same on every
machine. Nothing is recorded, and no direct sound is among it.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.kernels.core.convolve import Convolver
from pysitar.physics.checks import FloatArray
from pysitar.physics.damping import DECAYS_IN_T60
from pysitar.physics.draws import integer_noise
from pysitar.physics.resampling import blackman_window

SOUND_SPEED = 343.0             # m/s
SABINE = 0.161                  # s/m
CROSSOVERS = (500.0, 1000.0, 2000.0, 3500.0, 6000.0)          # Hz, between the bands of T60
HIGHEST_CROSSOVER = 0.45        # of the rate
WINDOW_PERIODS = 2.75           # of the slope of a filter, on each side
LEVEL_LIMIT = 2000.0            # Hz: a response passes noise below it with a gain of 1
LEVEL_SLOPE = 250.0             # Hz
EAR_DISTANCE = 0.5              # m, between the two microphones
POWER_60_DB = 2.0 * DECAYS_IN_T60               # natural logarithm of a power of 60 dB
ROW = 256                       # values of a decay per product
NOISE_SCALE = math.ldexp(math.sqrt(3.0), -31)                 # to a variance of 1


@dataclass(frozen=True, slots=True)
class Box:
    """A room.

    Parameters: size, source and listener (x, y, z), in m, the listener in the middle between both
    ears, which are apart in x; delay, from the direct sound to the tail (s); t60, of each band (s).
    """

    size: tuple[float, float, float]
    source: tuple[float, float, float]
    listener: tuple[float, float, float]
    delay: float
    t60: tuple[float, float, float, float, float, float]


BOXES = {
    "small": Box((5.0, 4.1, 2.9), (2.3, 1.6, 1.35), (2.9, 2.7, 1.5), 0.006,
                 (0.45, 0.39, 0.32, 0.25, 0.19, 0.15)),
    "hall": Box((18.0, 30.0, 12.0), (8.2, 7.0, 4.5), (9.7, 13.0, 5.5), 0.015,
                (1.5, 1.4, 1.25, 1.05, 0.8, 0.6)),
}


@lru_cache(maxsize=4)
def room_responses(name: str, rate: int) -> FloatArray:
    """Return the responses of a room, (n, 2), left and right, without the direct sound; they cannot
    be changed.

    Noise below 2 kHz has the same power after each of them as before, at every rate.
    Parameters: name, a key of BOXES; rate (Hz).
    """
    box = BOXES[name]
    responses = np.stack([_response(name, box, side, rate) for side in (0, 1)], axis=1)
    responses.setflags(write=False)
    return responses


def _response(name: str, box: Box, side: int, rate: int) -> FloatArray:
    size = math.ceil((box.delay + box.t60[0]) * rate)
    early, share = _reflections(box, side, rate, size)
    total = early + share * _tail(box, f"room {name} {side}", rate, size)
    band = _low_pass(total, LEVEL_LIMIT, rate, LEVEL_SLOPE)
    # mean of |H|^2 below the limit: the energy of all frequencies, of which only those are left
    power = math.fsum((band * band).tolist()) * rate / (2.0 * LEVEL_LIMIT)
    return total / math.sqrt(power)


def _reflections(box: Box, side: int, rate: int, size: int) -> tuple[FloatArray, float]:
    """Return the first reflection of each surface (`size`,), for a direct sound of 1, and the
    amplitude of the tail: the rest of the energy of the diffuse field of Sabine."""
    x, y, z = box.size
    surface = 2.0 * (x * y + y * z + z * x)
    absorption = SABINE * x * y * z / box.t60[0]
    mean = absorption / surface
    ear = (box.listener[0] + (side - 0.5) * EAR_DISTANCE, box.listener[1], box.listener[2])
    direct = _distance(box.source, ear)
    values = np.zeros(size)
    energy = 0.0
    for axis in range(3):
        for wall in (0.0, box.size[axis]):
            image = list(box.source)
            image[axis] = 2.0 * wall - image[axis]
            path = _distance(image, ear)
            amplitude = math.sqrt(1.0 - mean) * direct / path
            values[math.floor((path - direct) / SOUND_SPEED * rate + 0.5)] += amplitude
            energy += amplitude * amplitude
    diffuse = 16.0 * math.pi * direct * direct * (1.0 - mean) / absorption
    return values, math.sqrt(max(diffuse - energy, 0.0))


def _distance(one: list[float] | tuple[float, ...], other: tuple[float, ...]) -> float:
    return math.sqrt(math.fsum((a - b) * (a - b) for a, b in zip(one, other, strict=True)))


def _tail(box: Box, name: str, rate: int, size: int) -> FloatArray:
    """Return the diffuse tail (`size`,), whose lowest band has |H|^2 = 1 on average: noise in bands
    of equal density at its start, each with its own decay."""
    start = math.ceil(box.delay * rate)
    count = size - start
    scale = NOISE_SCALE * math.sqrt(POWER_60_DB / (box.t60[0] * rate))
    noise = integer_noise(seed=0, name=name, count=count).astype(np.float64) * scale
    limits = [limit for limit in CROSSOVERS if limit < HIGHEST_CROSSOVER * rate]
    tail = np.zeros(size)
    below: FloatArray = np.zeros(count)
    for limit, t60 in zip([*limits, None], box.t60, strict=False):
        upto = noise if limit is None else _low_pass(noise, limit, rate, limit)
        tail[start:] += (upto - below) * _decay(t60, rate, count)
        below = upto
    return tail


def _low_pass(values: FloatArray, limit: float, rate: int, slope: float) -> FloatArray:
    """Return values (n,) through a windowed sinc without delay, half at its limit (Hz).

    Parameters: slope, about the width of that of its gain (Hz).
    """
    half = math.ceil(WINDOW_PERIODS * rate / slope)
    width = 2.0 * limit / rate
    side = [width * elementary.sin(math.pi * width * at) / (math.pi * width * at)
            * blackman_window(at, half) for at in range(1, half)]
    taps = np.array([*reversed(side), width, *side])
    delayed = Convolver(taps).push(np.concatenate([values, np.zeros(half - 1)]))
    return np.asarray(delayed)[half - 1:]


def _decay(t60: float, rate: int, count: int) -> FloatArray:
    """Return the amplitudes (count,) of a decay of 60 dB in a time (s), from 1."""
    rate_of_decay = -0.5 * POWER_60_DB / (t60 * rate)
    row = np.array([elementary.exp(rate_of_decay * at) for at in range(ROW)])
    rows = np.array([elementary.exp(rate_of_decay * at) for at in range(0, count, ROW)])
    return np.ascontiguousarray((rows[:, None] * row).ravel()[:count])
