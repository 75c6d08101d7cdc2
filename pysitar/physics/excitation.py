"""Forces of plucks, and initial shapes of a string."""
from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, array_of, function, number
from pysitar.physics.draws import integer_noise
from pysitar.physics.modes import StringModes

LONGEST = 100_000_000          # most values of one gesture
NOISE_RATE = 48000.0            # Hz: the level of noise is that below half of it
PANELS = 32
HALVINGS = 40
# Gauss-Legendre, 8 points on [-1, 1]: the positive nodes and their weights (Abramowitz & Stegun,
# table 25.4)
NODES = (0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623)
WEIGHTS = (0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626)
RULE = tuple((-x, w) for x, w in zip(reversed(NODES), reversed(WEIGHTS), strict=True)) + tuple(
    zip(NODES, WEIGHTS, strict=True))


def raised_cosine(*, force: float, duration: float, time_step: float,
                  at: float = 0.5) -> FloatArray:
    """Return the force F (1 - cos(2 pi t / duration)) / 2 in each time step.

    Parameters: force F, its maximum (N, of either sign); duration > 0 (s); time_step > 0 (s); at,
    the fraction of a step at which the force is sampled: 0.5 for the two-point scheme, whose force
    acts between two steps; 0 for leapfrog schemes, whose force acts at a step.
    Returns: values (N) at t = (n + at) time_step < duration, shape (steps,); an empty array if
    duration <= at time_step.
    Errors: ParameterError.
    Source: Ducceschi et al. 2021, the excitation of section V (full raised cosine).
    """
    peak = ranges.FORCE.number("force", force)
    end = ranges.DURATION.number("duration", duration)
    return array_of(0.5 * peak * (1.0 - elementary.cosines(
        2.0 * math.pi * _sample_times(end, time_step, at) / end)))


def ramp_release(*, force: float, ramp: float, release: float, time_step: float,
                 at: float = 0.5) -> FloatArray:
    """Return the force of a finger or plectrum in each step: a slow rise and a fast release.

    Parameters: force F, its maximum (N, of either sign); ramp > 0 (s), the duration of the rise F
    (1 - cos(pi t / ramp)) / 2; release >= 0 (s), the duration of the fall F (1 + cos(pi t /
    release)) / 2; time_step > 0 (s); at, as in `raised_cosine`.
    Returns: values (N) at t = (n + at) time_step < ramp + release, shape (steps,).
    Errors: ParameterError.
    """
    peak = ranges.FORCE.number("force", force)
    rise = ranges.DURATION.number("ramp", ramp)
    fall = ranges.RELEASE.number("release", release)
    times = _sample_times(rise + fall, time_step, at)
    up = 1.0 - elementary.cosines(math.pi * times[times < rise] / rise)
    if fall == 0.0:
        return array_of(0.5 * peak * up)
    down = 1.0 + elementary.cosines(math.pi * (times[times >= rise] - rise) / fall)
    return array_of(0.5 * peak * np.concatenate([up, down]))


def noise_burst(*, level: float, t60: float, lowest: float, sample_rate: float, seed: int,
                name: str, highest: float = 0.0) -> FloatArray:
    """Return noise that is white above a frequency and dies exponentially, one value a step.

    White noise less its mean over sample_rate / lowest steps: at `lowest` as strong as white noise,
    9 dB weaker an octave below, 21 dB two octaves below. With `highest` the white noise is twice
    averaged over sample_rate / (2 highest) steps: 8 dB weaker there, at least 26 dB from twice
    that on.

    Parameters: level, its rms at the start below 24 kHz, the same at every sample rate, without
    highest (the unit of the result); t60 > 0 (s), after which it is 60 dB down and ends; lowest
    (Hz); sample_rate (Hz); seed and name, which determine it; highest, above lowest (Hz; 0: none).
    Returns: values, shape (steps,), the integer just above t60 sample_rate.
    """
    steps = math.ceil(t60 * sample_rate)
    window = max(2, round(sample_rate / lowest))
    draws = integer_noise(seed=seed, name=name, count=steps + window)
    # whole numbers: the sums have no rounding
    sums = np.concatenate([[0], np.cumsum(draws)])
    centre = window // 2
    low = sums[window:window + steps] - sums[:steps]
    short = max(1, round(0.5 * sample_rate / highest)) if highest > 0.0 else 1
    if short == 1:
        high: FloatArray = window * draws[centre:centre + steps] - low
    else:
        # two means in a row; the window of the low part is the longer by a factor of at least 2
        first = max(0, centre - short)
        once = sums[first + short:] - sums[first:-short]
        twice = np.concatenate([[0], np.cumsum(once)])
        near = twice[short:short + steps] - twice[:steps]
        high = near * (window / (short * short)) - low
    # of uniform values from -1 to 1 the mean square is 1/3
    scale = level * math.sqrt(3.0 * sample_rate / NOISE_RATE) / (window * float(2**31))
    ratio = elementary.exp(-3.0 * elementary.log(10.0) / (t60 * sample_rate))
    decay = np.multiply.accumulate(np.concatenate([[scale], np.full(steps - 1, ratio)]))
    burst: FloatArray = high * decay
    return burst


def triangle(modes: StringModes, *, position: float, height: float) -> FloatArray:
    """Return the modal displacements of a string pulled to a height at one point.

    They are 2 h sin(b x) / (b^2 x (L - x)).

    Parameters: modes; 0 < position < length (m); height (m, of either sign).
    Returns: displacements (m), shape (M,).
    Errors: ParameterError.
    """
    length = modes.string.length
    x = number("position", position, "m", above=0.0, below=length)
    h = ranges.DISPLACEMENT.number("height", height)
    return array_of([
        2.0 * h * elementary.sin(b * x) / (b * b * x * (length - x))
        for b in modes.wave_numbers.tolist()
    ])


def project(modes: StringModes, shape: Callable[[float], float]) -> FloatArray:
    """Return the modal displacements of any shape: (2 / L) times the integral of shape(x) sin(b_i
    x) over the string.

    The error is about 1e-14 of the largest value: panels of the quadrature are halved where the
    shape has a corner.

    Parameters: modes; shape, a function of x (m) that returns the displacement (m), 0 at both ends.
    Returns: displacements (m), shape (M,).
    Errors: ParameterError, when a value of the shape is not finite.
    """
    function("shape", shape, "the displacement (m)")
    length = modes.string.length
    points = _quadrature(shape, length, modes.count)
    unit = math.pi / length
    cosine = np.array([elementary.cos(unit * x) for x, _ in points])
    sine = np.array([elementary.sin(unit * x) for x, _ in points])
    weighted = np.array([value for _, value in points])
    c, s = cosine, sine
    result = []
    for _ in range(modes.count):
        result.append(2.0 / length * math.fsum((weighted * s).tolist()))
        # the next multiple of the angle, by sums and products: their bits do not depend on the
        # machine
        c, s = c * cosine - s * sine, s * cosine + c * sine
    return array_of(result)


def _sample_times(end: float, time_step: float, at: float) -> FloatArray:
    """Return the times (s) before the end at which the force is sampled."""
    step = ranges.TIME_STEP.number("time_step", time_step)
    if end / step > LONGEST:
        raise ParameterError(
            "time_step", time_step,
            f"a gesture of {end:g} s would have over {LONGEST} values; expected a longer step")
    count = max(0, math.ceil(end / step - at))
    times = array_of((np.arange(count, dtype=np.float64) + at) * step)
    return times[times < end]


def _panel(shape: Callable[[float], float], left: float, right: float) -> list[tuple[float, float]]:
    """Return the Gauss-Legendre points of one panel, each with weight * shape."""
    middle, half = 0.5 * (left + right), 0.5 * (right - left)
    xs = [(middle + half * node, half * weight) for node, weight in RULE]
    heights = ranges.DISPLACEMENT.at("shape", shape, [x for x, _ in xs])
    return [(x, weight * height) for (x, weight), height in zip(xs, heights, strict=True)]


def _quadrature(shape: Callable[[float], float], length: float,
                modes: int) -> list[tuple[float, float]]:
    """Return the points of the quadrature over the string, each with weight * shape.

    The panels are fine enough for the highest mode, and finer where the shape needs it.
    """
    # at most half a wave of the highest mode in a panel: its error is below rounding
    count = max(PANELS, modes)
    edges = [length * n / count for n in range(count + 1)]
    stack = [(a, b, _panel(shape, a, b), HALVINGS) for a, b in pairwise(edges)]
    largest = max(abs(value) for _, _, panel, _ in stack for _, value in panel) * count
    allowed = 1e-16 * largest
    points = []
    while stack:
        left, right, panel, halvings = stack.pop()
        middle = 0.5 * (left + right)
        first, second = _panel(shape, left, middle), _panel(shape, middle, right)
        change = math.fsum(v for _, v in panel) - math.fsum(v for _, v in first) - math.fsum(
            v for _, v in second)
        if abs(change) <= allowed or halvings == 0:
            points += first + second
        else:
            stack += [(left, middle, first, halvings - 1), (middle, right, second, halvings - 1)]
    return points
