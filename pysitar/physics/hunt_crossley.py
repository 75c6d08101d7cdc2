"""Closed forms of a mass against a rigid wall with the Hunt-Crossley force k x^a (1 + mu v).

With y = mu v and q = y - ln(1 + y) during an impact, the compression is x = x_max (1 - q /
q_in)^(1/(a+1)). The parameter is s = sign(v) sqrt(q / q_in): 1 at the first touch, 0 at the
greatest compression, -1 at the release.

Source: Papetti, Avanzini & Rocchesso 2009, eqs. (3) to (9); the time law is the integral of (9) in
Jacobi polynomials of s.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray, Numbers, array_of, number, series
from pysitar.physics.contact import HIGHEST_EXPONENT, MOST_DAMPING, STIFFEST
from pysitar.physics.gauss_jacobi import Expansion, expansion

LIGHTEST, HEAVIEST = 1e-12, 1e9             # kg
SOFTEST = 1e-6                              # N/m^exponent
SLOWEST, FASTEST = 1e-9, 1e4                # m/s
MOST_DAMPED = 1e3  # greatest hysteresis times velocity for which the time law is expanded
# growth of half the number of nodes, for errors of 1e-15 in the integral and in each coefficient
INTEGRAL, LAW = 3.0, 6.0
FEWEST = 12
TERMS, HALLEY = 15, 20
# first and last node of the double exponential quadrature, and nodes per unit of its variable
FIRST, LAST, FINE = -96, 52, 16
FADED = 60.0                                # r from which exp(-r) is negligible


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Trajectory:
    """The exact motion of an impact, as `trajectory` returns it.

    Attributes
    ----------
    time : numpy.ndarray
        Shape (n,), since the first touch (s).
    compression : numpy.ndarray
        Shape (n,), positive in contact (m).
    velocity : numpy.ndarray
        Shape (n,), positive towards the wall (m/s).
    force : numpy.ndarray
        Shape (n,), of the wall on the mass (N); 0 outside the contact.
    """

    time: FloatArray
    compression: FloatArray
    velocity: FloatArray
    force: FloatArray


def output_velocity(*, hysteresis: float, velocity: float) -> float:
    """Return the velocity at which a mass leaves a wall.

    Parameters
    ----------
    hysteresis : float
        mu of the force k x^a (1 + mu v), 0 to 1e6 (s/m).
    velocity : float
        Velocity at the first touch, 1e-9 to 1e4 (m/s).

    Returns
    -------
    float
        Negative, exact to rounding for any mu v (m/s).

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Papetti, Avanzini & Rocchesso 2009, eq. (6), solved by Halley's method.

    Examples
    --------
    >>> from pysitar import analytic
    >>> round(analytic.output_velocity(hysteresis=0.1, velocity=0.3), 12)
    -0.294117420895
    """
    mu, v = _damping(hysteresis, velocity)
    return v * speed(-1.0, mu * v)


def fitted_output_velocity(*, hysteresis: float, velocity: float) -> float:
    """Return the paper's fit of the output velocity, which the corrected schemes force.

    Parameters
    ----------
    hysteresis : float
        mu of the force k x^a (1 + mu v), 0 to 1e6 (s/m).
    velocity : float
        Velocity at the first touch, 1e-9 to 1e4 (m/s).

    Returns
    -------
    float
        Negative; its error is at most 2.05 %, at mu v = 3 (m/s).

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Papetti, Avanzini & Rocchesso 2009, eqs. (7), (8).

    Examples
    --------
    >>> from pysitar import analytic
    >>> round(analytic.fitted_output_velocity(hysteresis=0.5, velocity=1.0), 10)
    -0.7485286418
    """
    mu, v = _damping(hysteresis, velocity)
    a = mu * v
    if a == 0.0:
        return -v
    # 1 - fit e^(-2a), without the cancellation at a small a
    rest = a * (1.0 + a * (2.0 / 3.0 + a * (2.0 / 9.0 + a * 14.0 / 135.0)))
    return v * (elementary.expm1(-2.0 * a) + rest * elementary.exp(-2.0 * a)) / a


def restitution(*, hysteresis: float, velocity: float) -> float:
    """Return the coefficient of restitution, |output velocity / velocity|.

    Parameters
    ----------
    hysteresis : float
        mu of the force k x^a (1 + mu v), 0 to 1e6 (s/m).
    velocity : float
        Velocity at the first touch, 1e-9 to 1e4 (m/s).

    Returns
    -------
    float
        0 to 1.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Papetti, Avanzini & Rocchesso 2009, eq. (5).

    Examples
    --------
    >>> from pysitar import analytic
    >>> round(analytic.restitution(hysteresis=0.5, velocity=1.0), 12)
    0.748434931597
    """
    mu, v = _damping(hysteresis, velocity)
    return -speed(-1.0, mu * v)


def hysteresis(*, restitution: float, velocity: float) -> float:
    """Return the hysteresis that gives a restitution at a velocity.

    Parameters
    ----------
    restitution : float
        |Output velocity / velocity|, 1e-6 to 1.
    velocity : float
        Velocity at the first touch, 1e-9 to 1e4 (m/s).

    Returns
    -------
    float
        mu of the force k x^a (1 + mu v) (s/m).

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Papetti, Avanzini & Rocchesso 2009, eq. (6).

    Examples
    --------
    >>> from pysitar import analytic
    >>> round(analytic.hysteresis(restitution=0.9, velocity=1.0), 12)
    0.166481950685
    """
    e = number("restitution", restitution, "", at_least=1e-6, at_most=1.0)
    v = number("velocity", velocity, "m/s", at_least=SLOWEST, at_most=FASTEST)
    if e == 1.0:
        return 0.0
    low, high = 0.0, 1.0 / e
    while True:
        a = 0.5 * (low + high)
        if not low < a < high:
            return a / v
        # both ends of an impact have the same y - ln(1 + y)
        if e * a < 1.0 and curvature(a) > e * e * curvature(-e * a):
            low = a
        else:
            high = a


def max_compression(*, mass: float, stiffness: float, exponent: float, hysteresis: float,
                    velocity: float) -> float:
    """Return the greatest compression of an impact.

    Parameters
    ----------
    mass : float
        1e-12 to 1e9 (kg).
    stiffness : float
        k of the force k x^a (1 + mu v), 1e-6 to 1e16 (N/m^exponent).
    exponent : float
        a, 1 to 10.
    hysteresis : float
        mu, 0 to 1e6 (s/m).
    velocity : float
        Velocity at the first touch, 1e-9 to 1e4 (m/s).

    Returns
    -------
    float
        In m.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Papetti, Avanzini & Rocchesso 2009, eq. (4).

    Examples
    --------
    >>> from pysitar import analytic
    >>> impact = dict(mass=1e-2, stiffness=1e7, exponent=1.1, hysteresis=0.1, velocity=0.3)
    >>> f"{analytic.max_compression(**impact):.10e}"
    '1.6684406332e-05'
    """
    return _Impact(mass, stiffness, exponent, hysteresis, velocity).depth


def contact_time(*, mass: float, stiffness: float, exponent: float, hysteresis: float,
                 velocity: float) -> float:
    """Return how long the contact of an impact lasts.

    Parameters
    ----------
    mass : float
        1e-12 to 1e9 (kg).
    stiffness : float
        k of the force k x^a (1 + mu v), 1e-6 to 1e16 (N/m^exponent).
    exponent : float
        a, 1 to 10.
    hysteresis : float
        mu, 0 to 1e6 (s/m).
    velocity : float
        Velocity at the first touch, 1e-9 to 1e4 (m/s).

    Returns
    -------
    float
        Relative error about 1e-13 (s).

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Papetti, Avanzini & Rocchesso 2009, eq. (9), by Gauss-Jacobi quadrature; where hysteresis times
    velocity is over 1000, by two quadratures, of compression and release (derived here).

    Examples
    --------
    >>> from pysitar import analytic
    >>> impact = dict(mass=1e-2, stiffness=1e7, exponent=1.1, hysteresis=0.1, velocity=0.3)
    >>> f"{analytic.contact_time(**impact):.10e}"
    '1.7386430433e-04'
    """
    impact = _Impact(mass, stiffness, exponent, hysteresis, velocity)
    if impact.damping > MOST_DAMPED:
        return impact.compressing + impact.releasing
    return impact.scale * impact.time_law(INTEGRAL).whole


def compression_time(*, mass: float, stiffness: float, exponent: float, hysteresis: float,
                     velocity: float) -> float:
    """Return the time from the first touch to the greatest compression (s).

    Parameters and errors: as in `max_compression`.
    Source: Papetti et al. 2009, eq. (9), by quadrature.
    """
    impact = _Impact(mass, stiffness, exponent, hysteresis, velocity)
    if impact.damping > 1.0:
        return impact.compressing
    return impact.scale * impact.time_law(LAW).beyond(0.0, 1.0, 1.0)


def trajectory(
    *,
    mass: float,
    stiffness: float,
    exponent: float,
    hysteresis: float,
    velocity: float,
    time: Numbers,
) -> Trajectory:
    """Return the exact motion of an impact, with compression 0 at time 0.

    Before and after the contact the mass moves freely.

    Parameters
    ----------
    mass : float
        1e-12 to 1e9 (kg).
    stiffness : float
        k of the force k x^a (1 + mu v), 1e-6 to 1e16 (N/m^exponent).
    exponent : float
        a, 1 to 10.
    hysteresis : float
        mu, 0 to 1e6 (s/m); hysteresis times velocity at most 1000.
    velocity : float
        Velocity at the first touch, 1e-9 to 1e4 (m/s).
    time : array_like
        Shape (n,), finite, since the first touch (s).

    Returns
    -------
    Trajectory
        Its errors are below 1e-12 of the greatest compression and of the velocity.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Papetti, Avanzini & Rocchesso 2009, eq. (3); the time, which the paper leaves open, is the
    integral of eq. (9), term by term (derived here).

    Examples
    --------
    >>> from pysitar import analytic
    >>> impact = dict(mass=1e-2, stiffness=1e7, exponent=1.1, hysteresis=0.1, velocity=0.3)
    >>> motion = analytic.trajectory(**impact, time=[0.0, 1.0])
    >>> [round(v, 12) for v in motion.velocity.tolist()]
    [0.3, -0.294117420895]
    """
    times = series("time", time, "s", empty=True)
    impact = _Impact(mass, stiffness, exponent, hysteresis, velocity)
    law = impact.time_law(LAW)
    states = [impact.at(t, law) for t in times.tolist()]
    x, v = [state[0] for state in states], [state[1] for state in states]
    forces = [
        stiffness * elementary.pow(p, exponent) * (1.0 + hysteresis * w) if p > 0.0 else 0.0
        for p, w in states
    ]
    return Trajectory(time=times, compression=array_of(x), velocity=array_of(v),
                      force=array_of(forces))


class _Impact:
    """The values that the closed forms of one impact share."""

    def __init__(self, mass: float, stiffness: float, exponent: float, hysteresis: float,
                 velocity: float) -> None:
        m = number("mass", mass, "kg", at_least=LIGHTEST, at_most=HEAVIEST)
        k = number("stiffness", stiffness, "N/m^exponent", at_least=SOFTEST, at_most=STIFFEST)
        self.exponent = number("exponent", exponent, "", at_least=1.0, at_most=HIGHEST_EXPONENT)
        mu, self.velocity = _damping(hysteresis, velocity)
        self.damping = mu * self.velocity
        power = 1.0 / (self.exponent + 1.0)
        elastic = elementary.pow(
            0.5 * m * (self.exponent + 1.0) * self.velocity * self.velocity / k, power)
        self.depth = elastic * elementary.pow(curvature(self.damping), power)
        self.scale = 2.0 * power * self.depth / self.velocity
        self.hysteresis = hysteresis

    def time_law(self, growth: float) -> Expansion:
        """Return the time since s = 1, divided by `scale`, as a function of s.

        `growth` times the damping sets the number of nodes: as q grows, the poles come nearer.
        """
        if self.damping > MOST_DAMPED:
            raise ParameterError(
                "hysteresis", self.hysteresis,
                f"expected at most {MOST_DAMPED / self.velocity:g} s/m at this velocity: "
                f"the closed form holds up to hysteresis times velocity = {MOST_DAMPED:g}")
        a = self.damping
        nodes = 2 * math.ceil(FEWEST + growth * a * math.sqrt(curvature(a)))
        return expansion(lambda s: s / speed(s, a), power=-self.exponent / (self.exponent + 1.0),
                         nodes=nodes)

    @property
    def compressing(self) -> float:
        """The duration of the compression (s) where A, hysteresis times velocity, is at least 1.

        With y = mu v, q = y - ln(1 + y), Q = q(A) and c = a / (a + 1), dt = -mu x_max (1 - q/Q)^-c
        dy / ((a + 1) Q (1 + y)). The variable is w = ln((1 + A) / (1 + y)), with a pole at w = 0.
        """
        a, length, order = self.damping, elementary.log1p(
            self.damping), -self.exponent / (self.exponent + 1.0)

        def pace(w: float) -> float:
            return elementary.pow((-(1.0 + a) * elementary.expm1(-w) - w) / (a - length), order)

        return self._unit * _double_exponential(pace, length)

    @property
    def releasing(self) -> float:
        """The duration of the release (s) where A is large: the speed is then nearly 1 / mu.

        The integral of `compressing` is here (a + 1) Q plus the integral of (1 - q/Q)^-c dy from -1
        to 0. The variable is r = -ln(1 + y).
        """
        whole, order = self.damping - elementary.log1p(
            self.damping), -self.exponent / (self.exponent + 1.0)

        def pace(r: float) -> float:
            return elementary.exp(-r) * elementary.pow(1.0 -
                                                       (r + elementary.expm1(-r)) / whole, order)

        return self._unit * ((self.exponent + 1.0) * whole + _double_exponential(pace, FADED))

    @property
    def _unit(self) -> float:
        return self.hysteresis * self.depth / ((self.exponent + 1.0) *
                                          (self.damping - elementary.log1p(self.damping)))

    def at(self, time: float, law: Expansion) -> tuple[float, float]:
        """Return compression (m) and velocity (m/s) at a time (s)."""
        scaled = time / self.scale
        if time < 0.0:
            return self.velocity * time, self.velocity
        if scaled > law.whole:
            after = self.velocity * speed(-1.0, self.damping)
            return after * (time - self.scale * law.whole), after
        side = 1.0 if scaled <= law.beyond(0.0, 1.0, 1.0) else -1.0
        angle, s = self._angle(scaled if side > 0.0 else law.whole - scaled, law, side)
        return self.depth * elementary.sin(angle), self.velocity * speed(side * s, self.damping)

    def _angle(self, scaled: float, law: Expansion, side: float) -> tuple[float, float]:
        """Return the angle asin(x / x_max) and |s| at a scaled time, by a bracketed Newton method.

        The time is a smooth function of the angle, ends included.
        """
        low, high = 0.0, 0.5 * math.pi
        angle = high * scaled / law.beyond(0.0, 1.0, side)
        while angle > 0.0:
            s, rest = self._place(angle)
            excess = law.beyond(s, rest, side) - scaled
            low, high = (low, angle) if excess > 0.0 else (angle, high)
            after = angle - excess / self._pace(angle, s, side)
            if not low < after < high:
                after = 0.5 * (low + high)
            if excess == 0.0 or abs(after - angle) <= 4e-16 * angle or not low < after < high:
                break
            angle = after
        return angle, self._place(angle)[0]

    def _pace(self, angle: float, s: float, side: float) -> float:
        """Return the derivative of the scaled time by the angle."""
        if s == 0.0:
            return math.sqrt(0.5 * (self.exponent + 1.0) / curvature(self.damping))
        return 0.5 * (self.exponent + 1.0) * side * elementary.cos(angle) / speed(
            side * s, self.damping)

    def _place(self, angle: float) -> tuple[float, float]:
        """Return |s| and 1 - s^2 = sin(angle)^(a+1)."""
        if angle <= 0.0:
            return 1.0, 0.0
        sine, cosine = elementary.sin(angle), elementary.cos(angle)
        logarithm = (self.exponent + 1.0) * (elementary.log(sine) if sine < cosine else 0.5
                                             * elementary.log1p(-cosine * cosine))
        return math.sqrt(-elementary.expm1(logarithm)), elementary.exp(logarithm)


def speed(s: float, damping: float) -> float:
    """Return the velocity divided by that of the first touch.

    Parameters: s = sign(v) sqrt(q / q_in); damping, mu times the velocity of the first touch.
    """
    if damping == 0.0:
        return s
    slope = math.sqrt(curvature(damping))
    p = s * damping * slope
    if abs(p) < 1e-3:
        return s * slope * _stirling(p)
    return _root(0.5 * p * p, p) / damping


def _double_exponential(f: Callable[[float], float], length: float) -> float:
    """Return the integral over [0, length] of a function with a pole of order below 1 at 0.

    Elsewhere the function is smooth.
    Source: Takahasi & Mori 1974: x = length / (1 + exp(-pi sinh t)), with equal steps of t.
    """
    total = 0.0
    for n in range(FIRST, LAST + 1):
        t = n / FINE
        growth = elementary.exp(t)
        grown = elementary.exp(0.5 * math.pi * (growth - 1.0 / growth))
        x = length * grown / (1.0 + grown)
        total += f(x) * x * 0.5 * math.pi * (growth + 1.0 / growth) / (1.0 + grown)
    return total / FINE


def curvature(y: float) -> float:
    """Return 2 (y - ln(1 + y)) / y^2, which is 1 at y = 0, without cancellation."""
    if abs(y) >= 0.35:
        return 2.0 * (1.0 - elementary.log1p(y) / y) / y
    r = y / (2.0 + y)
    total = 0.0
    for k in range(TERMS, -1, -1):
        total = total * r * r + 1.0 / (2 * k + 3)
    return 2.0 * (1.0 - 2.0 * r * total / (2.0 + y)) / (2.0 + y)


def _stirling(p: float) -> float:
    return 1.0 + p * (1.0 / 3.0 + p * (1.0 / 36.0 + p * (-1.0 / 270.0 + p / 4320.0)))


def _root(q: float, side: float) -> float:
    """Return the y with the sign of `side` and y - ln(1 + y) = q > 0, by Halley's method."""
    tail = elementary.exp(-1.0 - q)
    if side < 0.0 and tail < 1e-15:
        return -1.0 + tail
    if q < 0.5:
        p = math.copysign(math.sqrt(2.0 * q), side)
        y = p * _stirling(p)
    elif side > 0.0:
        y = q + elementary.log1p(q + elementary.log1p(q))
    else:
        y = -1.0 + tail * (1.0 + tail * (1.0 + 1.5 * tail))
    for _ in range(HALLEY):
        excess = 0.5 * y * y * curvature(y) - q
        step = excess * (1.0 + y) / y
        step /= 1.0 - 0.5 * step / (y * (1.0 + y))
        y -= step
        if abs(step) <= 4e-16 * abs(y):
            break
    return y


def _damping(hysteresis: float, velocity: float) -> tuple[float, float]:
    return (number("hysteresis", hysteresis, "s/m", at_least=0.0, at_most=MOST_DAMPING),
            number("velocity", velocity, "m/s", at_least=SLOWEST, at_most=FASTEST))
