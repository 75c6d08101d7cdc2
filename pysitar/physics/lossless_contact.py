"""Exact durations and motions of a mass, or an oscillator, against a one-sided power-law barrier
without losses, and the errors of schemes."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray, Numbers, number, series
from pysitar.physics.contact import HIGHEST_EXPONENT, STIFFEST

SOFTEST = 1e-30                 # N/m^exponent
LIGHTEST, HEAVIEST = 1e-12, 1e12        # kg
FARTHEST = 1e6                  # m
FASTEST = 1e6                   # m/s
SLOWEST_RATE, FASTEST_RATE = 1.0, 1e9   # Hz
# ratio of the displacement in one free step to the smallest compression of a corrected contact
HARDEST = 1e4
SCHEMES = ("two-point", "three-point")
HALVINGS = 10                   # the most halvings of the spacing of the quadrature


def lossless_contact_time(*, mass: float, stiffness: float, exponent: float = 1.0,
                          velocity: float) -> float:
    """Return how long a free mass stays in contact with a barrier without losses.

    It is 2 p_max / v sqrt(pi) Gamma(1 + 1/q) / Gamma(1/2 + 1/q) with q = exponent + 1 and p_max the
    greatest compression.

    Parameters
    ----------
    mass : float
        1e-12 to 1e12 (kg).
    stiffness : float
        1e-30 to 1e16 (N/m^exponent).
    exponent : float, default 1.0
        Power of the compression, 1 to 10.
    velocity : float
        Speed at the barrier, above 0 to 1e6 (m/s).

    Returns
    -------
    float
        In s.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Chatziioannou & van Walstijn 2017, eq. (14) for exponent 1; derived for others.

    Examples
    --------
    >>> from pysitar import analytic
    >>> round(analytic.lossless_contact_time(mass=1.0, stiffness=1e9, velocity=1.0), 14)
    9.934588266e-05
    """
    m, k, alpha, v = _collision(mass, stiffness, exponent, velocity)
    q = 1.0 / (alpha + 1.0)
    # compression / velocity in one power of the velocity, which does not underflow
    compression_per_speed = elementary.pow(0.5 / q, q) * elementary.pow(m, q) / elementary.pow(
        k, q) * elementary.pow(v, 2.0 * q - 1.0)
    return 2.0 * compression_per_speed * math.sqrt(
        math.pi) * elementary.gamma(1.0 + q) / elementary.gamma(0.5 + q)


def lossless_max_compression(*, mass: float, stiffness: float, exponent: float = 1.0,
                             velocity: float) -> float:
    """Return the greatest compression of a free mass: all its energy is in the barrier.

    Parameters
    ----------
    mass : float
        1e-12 to 1e12 (kg).
    stiffness : float
        1e-30 to 1e16 (N/m^exponent).
    exponent : float, default 1.0
        Power of the compression, 1 to 10.
    velocity : float
        Speed at the barrier, above 0 to 1e6 (m/s).

    Returns
    -------
    float
        In m.

    Raises
    ------
    ParameterError
        For a value out of its range.

    Examples
    --------
    >>> from pysitar import analytic
    >>> round(analytic.lossless_max_compression(mass=1.0, stiffness=1e8, velocity=1.0), 12)
    0.0001
    """
    m, k, alpha, v = _collision(mass, stiffness, exponent, velocity)
    q = 1.0 / (alpha + 1.0)
    return elementary.pow(0.5 / q, q) * elementary.pow(m, q) / elementary.pow(
        k, q) * elementary.pow(v, 2.0 * q)


def lossless_motion(
    time: Numbers,
    *,
    mass: float,
    stiffness: float,
    position: float,
    velocity: float,
    barrier: float = 0.0,
    frequency: float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Return the motion of a mass below a barrier of exponent 1, exact after any number of impacts.

    Parameters
    ----------
    time : array_like
        Shape (n,), since the start, each at least 0 (s).
    mass : float
        1e-12 to 1e12 (kg).
    stiffness : float
        1e-30 to 1e16 (N/m).
    position : float
        At time 0, -2e6 to 1e6 (m).
    velocity : float
        At time 0, -1e6 to 1e6 (m/s).
    barrier : float, default 0.0
        Position of the barrier, -1e6 to 1e6 (m).
    frequency : float, default 0.0
        Of the spring that pulls the mass to 0, 0 to 1e9 (Hz); 0 is no spring.

    Returns
    -------
    position, velocity : numpy.ndarray
        Shape (n,), m and m/s.

    Raises
    ------
    ParameterError
        For a value out of its range.

    Examples
    --------
    >>> from pysitar import analytic
    >>> position, velocity = analytic.lossless_motion(
    ...     [0.0, 1.0], mass=1.0, stiffness=1e9, position=-1e-4, velocity=1.0)
    >>> velocity.round(9).tolist()
    [1.0, -1.0]
    """
    t = series("time", time, "s", at_least=0.0, empty=True)
    m, k, _ = barrier_law(mass, stiffness, 1.0)
    y, v, b, omega = _start(position, velocity, barrier, frequency)
    hard = math.sqrt(omega * omega + k / m)
    free, touching = _Arc(omega, 0.0, b), _Arc(hard, b * (k / m) / (hard * hard), b)
    inside = y > b or (y == b and (v > 0.0 or (v == 0.0 and b < 0.0)))
    arcs = (touching, free) if inside else (free, touching)
    speed, first = arcs[0].crossing(y, v, inside=inside)
    lasting = [
        arc.crossing(b, -speed if arc is free else speed, inside=arc is touching)[1] for arc in arcs
    ]
    result = np.empty((2, t.size))
    for n, instant in enumerate(t.tolist()):
        result[:, n] = arcs[0].state(y, v, instant) if instant < first else _later(
            arcs, lasting, b, speed, instant - first, inside)
    return result[0], result[1]


@dataclass(frozen=True, kw_only=True, slots=True)
class OscillatorOrbit:
    """The periodic motion of an oscillator against a barrier without losses.

    Attributes
    ----------
    energy : float
        In J.
    amplitude : float
        The amplitude without the barrier (m).
    impact_speed : float
        Speed at the barrier (m/s).
    compression : float
        The greatest compression of the barrier (m).
    contact_time, free_time : float
        The two parts of a period (s).
    """

    energy: float
    amplitude: float
    impact_speed: float
    compression: float
    contact_time: float
    free_time: float

    @property
    def period(self) -> float:
        """The time between two impacts.

        Returns
        -------
        float
            contact_time + free_time (s).
        """
        return self.contact_time + self.free_time


def oscillator_orbit(
    *,
    mass: float,
    stiffness: float,
    exponent: float = 1.0,
    frequency: float,
    position: float,
    velocity: float,
    barrier: float = 0.0,
) -> OscillatorOrbit:
    """Return the orbit of an oscillator against a barrier without losses.

    Parameters
    ----------
    mass : float
        1e-12 to 1e12 (kg).
    stiffness : float
        1e-30 to 1e16 (N/m^exponent).
    exponent : float, default 1.0
        Power of the compression, 1 to 10.
    frequency : float
        Of the spring that pulls the mass to 0, above 0 to 1e9 (Hz).
    position : float
        At some time, -2e6 to 1e6 (m).
    velocity : float
        At that time, -1e6 to 1e6 (m/s).
    barrier : float, default 0.0
        Position of the barrier, -1e6 to 1e6 (m).

    Returns
    -------
    OscillatorOrbit
        Exact to rounding, but for contact_time, a quadrature with a relative error of about 1e-13.

    Raises
    ------
    ParameterError
        For a value out of its range, or a motion that does not cross the position of the barrier.

    Examples
    --------
    >>> from pysitar import analytic
    >>> orbit = analytic.oscillator_orbit(mass=0.01, stiffness=5e4, exponent=1.1, frequency=10.0,
    ...                                   position=-0.5, velocity=1.0, barrier=0.2)
    >>> round(orbit.impact_speed, 9), round(orbit.period, 12)
    (28.81053227, 0.064818584021)
    """
    m, k, alpha = barrier_law(mass, stiffness, exponent)
    number("frequency", frequency, "Hz", above=0.0, at_most=FASTEST_RATE)
    y, v, b, omega = _start(position, velocity, barrier, frequency)
    q = alpha + 1.0
    pressed = max(0.0, y - b)
    stored = k / q * elementary.pow(pressed, q)
    # v_b^2 - v^2 without the cancellation of two squares
    squared = v * v + omega * omega * (y - b) * (y + b) + 2.0 * stored / m
    if not squared > 0.0:
        raise ParameterError("position, velocity", (position, velocity),
                             "expected a motion that crosses the position of the barrier")
    speed = math.sqrt(squared)
    compression = _deepest(omega, b, 2.0 * k / (m * q), q, squared)
    return OscillatorOrbit(
        energy=0.5 * m * (v * v + omega * omega * y * y) + stored,
        amplitude=elementary.hypot(b, speed / omega),
        impact_speed=speed,
        compression=compression,
        contact_time=_contact_time(omega, b, 2.0 * k / (m * q), q, compression),
        free_time=2.0 * (math.pi - elementary.atan2(speed / omega, b)) / omega,
    )


def duration_excess(exponent: float) -> float:
    """Return the factor c of the error of a contact's duration in a scheme, relative to exponent 1.

    The two-point scheme makes a contact longer by c Omega^2 / (6 (exponent + 1)) of its duration,
    the three-point scheme by 5/2 of that; Omega = pi dt / duration.

    Parameters
    ----------
    exponent : float
        Power of the compression, 1 to 10.

    Returns
    -------
    float
        2 a (a + 1) / (pi (a - 1)) cot(pi / (a + 1)) with a the exponent; 1 for exponent 1.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Derived from the modified equation of the schemes of Chatziioannou & van Walstijn 2017.

    Examples
    --------
    >>> from pysitar import analytic
    >>> analytic.duration_excess(1.0), round(analytic.duration_excess(2.0), 6)
    (1.0, 2.205316)
    """
    alpha = number("exponent", exponent, "", at_least=1.0, at_most=HIGHEST_EXPONENT)
    if alpha == 1.0:
        return 1.0
    less = alpha - 1.0
    return 2.0 * alpha * (alpha + 1.0) / (math.pi * less) * elementary.tan(0.5 * math.pi * less /
                                                                           (alpha + 1.0))


def scheme_contact_time(*, scheme: str, contact_time: float, exponent: float = 1.0,
                        sample_rate: float) -> float:
    """Return the mean duration (s) of a contact of a free mass in a scheme without correction.

    The mean is over the instants within a step at which a contact begins. A contact of many steps
    is longer than the exact one by c Omega^2 / (6 (exponent + 1)) of its duration (two-point; 5/2
    times that for three-point); every contact lasts at least one step (two-point) or two
    (three-point). From six steps on, measured means differ from the result by at most 0.3 %; for
    contacts of a fifth of a step they are up to 9 % (two-point) or 14 % shorter (exponents to 3;
    1.2 % and 12 % for exponent 1).

    Parameters: scheme, "two-point" or "three-point"; contact_time, the exact duration, > 0 (s);
    exponent, 1 to 10; sample_rate, 1 to 1e9 (Hz).
    Errors: ParameterError.
    Source: derived, as the inverse of `stiffness_correction`; exact in contact for exponent 1.
    """
    exact = number("contact_time", contact_time, "s", above=0.0)
    power = duration_excess(exponent) / (exponent + 1.0)
    dt, two = _step(scheme, sample_rate)
    sought = math.pi * dt / exact
    if sought < 1e-6:               # the excess is below rounding
        return exact
    low, high = 0.0, math.pi if two else 0.5 * math.pi
    while low < (x := 0.5 * (low + high)) < high:
        if x * elementary.pow(_linear_beta(x, two) / (x * x *
                                                      (0.25 if two else 0.5)), power) < sought:
            low = x
        else:
            high = x
    return math.pi * dt / high


def stiffness_correction(
    *,
    scheme: str,
    mass: float,
    stiffness: float,
    exponent: float = 1.0,
    velocity: float,
    sample_rate: float,
) -> float:
    """Return the factor of the stiffness with which a scheme gives a contact its exact duration.

    The next order in the time step remains. The factor is s^c with s the factor for exponent 1 and
    c = `duration_excess`; it depends on the speed at the barrier unless the exponent is 1. A scheme
    cannot make a contact shorter than one step (two-point) or two steps (three-point): from that
    aliasing limit on, the factor is limited so that the greatest compression is 1e-4 of the
    displacement in one free step.

    Parameters
    ----------
    scheme : str
        "two-point" or "three-point".
    mass : float
        1e-12 to 1e12 (kg).
    stiffness : float
        1e-30 to 1e16 (N/m^exponent).
    exponent : float, default 1.0
        Power of the compression, 1 to 10.
    velocity : float
        Speed at the barrier, above 0 to 1e6 (m/s).
    sample_rate : float
        1 to 1e9 (Hz).

    Returns
    -------
    float
        At least 1.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Chatziioannou & van Walstijn 2017, eqs. (15), (16) for exponent 1; derived for others.

    Examples
    --------
    >>> from pysitar import analytic
    >>> contact = dict(mass=1.0, stiffness=2e11, exponent=1.5, velocity=1.0)
    >>> factor = analytic.stiffness_correction(scheme="two-point", sample_rate=50000.0, **contact)
    >>> round(factor, 8)
    1.11740464
    """
    m, k, alpha, v = _collision(mass, stiffness, exponent, velocity)
    dt, two = _step(scheme, sample_rate)
    omega = math.pi * dt / lossless_contact_time(mass=m, stiffness=k, exponent=alpha, velocity=v)
    raw = omega * omega * (0.25 if two else 0.5)
    if not raw > 1e-20:             # the factor differs from 1 by less than rounding
        return 1.0
    mobility = dt * dt / m * (0.5 if two else 1.0)
    limit = (alpha + 1.0) / (mobility * k) * elementary.pow(HARDEST, alpha + 1.0) * elementary.pow(
        v * dt, 1.0 - alpha)
    power = duration_excess(alpha) * elementary.log(_linear_beta(omega, two) / raw)
    return max(1.0, limit if power >= elementary.log(limit) else elementary.exp(power))


def corrected_beta(*, scheme: str, mass: float, stiffness: float, sample_rate: float) -> float:
    """Return beta*, with which a scheme of exponent 1 has the exact frequency in contact.

    It is tan^2(Omega / 2) (two-point) or (1 - cos Omega) / cos Omega (three-point), with Omega = dt
    sqrt(stiffness / mass).

    Parameters
    ----------
    scheme : str
        "two-point" or "three-point".
    mass : float
        1e-12 to 1e12 (kg).
    stiffness : float
        1e-30 to 1e16 (N/m).
    sample_rate : float
        1 to 1e9 (Hz).

    Returns
    -------
    float
        1e8 from the aliasing limit on, Omega = pi (two-point) or pi / 2 (three-point).

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Chatziioannou & van Walstijn 2017, eqs. (15), (16).

    Examples
    --------
    >>> from pysitar import analytic
    >>> round(analytic.corrected_beta(scheme="two-point", mass=1.0, stiffness=1e9,
    ...                               sample_rate=50000.0), 10)
    0.1070651509
    """
    m, k, _ = barrier_law(mass, stiffness, 1.0)
    dt, two = _step(scheme, sample_rate)
    return min(HARDEST * HARDEST, _linear_beta(dt * math.sqrt(k / m), two))


def _linear_beta(omega: float, two: bool) -> float:
    """Return beta* as in `corrected_beta`, infinite from the aliasing limit on."""
    if omega >= (math.pi if two else 0.5 * math.pi):
        return math.inf
    root = elementary.tan(0.5 * omega) if two else elementary.sin(0.5 * omega)
    return root * root if two else 2.0 * root * root / elementary.cos(omega)


class _Arc:
    """A harmonic motion about a position of rest, or a uniform motion at omega 0, on one side of
    the barrier."""

    def __init__(self, omega: float, rest: float, barrier: float) -> None:
        self.omega, self.rest, self.barrier = omega, rest, barrier

    def state(self, y: float, v: float, t: float) -> tuple[float, float]:
        """Return position and velocity a time t after (y, v)."""
        if self.omega == 0.0:
            return y + v * t, v
        c, s = elementary.cos(self.omega * t), elementary.sin(self.omega * t)
        x = y - self.rest
        return self.rest + x * c + v / self.omega * s, v * c - x * self.omega * s

    def crossing(self, y: float, v: float, *, inside: bool) -> tuple[float, float]:
        """Return the speed at the barrier, and the time from (y, v), inside it or not, to the next
        crossing; infinity if there is none."""
        if self.omega == 0.0:
            return abs(v), (self.barrier - y) / v if v > 0.0 else math.inf
        x, end = y - self.rest, self.barrier - self.rest
        squared = v * v + self.omega * self.omega * (x - end) * (x + end)
        if not squared > 0.0:
            return 0.0, math.inf
        speed = math.sqrt(squared)
        phase = elementary.atan2(speed / self.omega, end)
        return speed, ((phase if inside else -phase)
                       - elementary.atan2(-v / self.omega, x)) % (2.0 * math.pi) / self.omega


def _later(
    arcs: tuple[_Arc, _Arc],
    lasting: list[float],
    barrier: float,
    speed: float,
    t: float,
    inside: bool,
) -> tuple[float, float]:
    """Return position and velocity a time t after the first crossing, before which the mass was
    inside the barrier or not."""
    if math.isfinite(sum(lasting)):
        t = math.fmod(t, sum(lasting))
    entering = not inside
    if t < lasting[1]:
        return arcs[1].state(barrier, speed if entering else -speed, t)
    return arcs[0].state(barrier, -speed if entering else speed, t - lasting[1])


def _collision(mass: object, stiffness: object, exponent: object,
               velocity: object) -> tuple[float, float, float, float]:
    """Check and return mass, stiffness, exponent and velocity of a collision."""
    m, k, alpha = barrier_law(mass, stiffness, exponent)
    return m, k, alpha, number("velocity", velocity, "m/s", above=0.0, at_most=FASTEST)


def barrier_law(mass: object, stiffness: object, exponent: object) -> tuple[float, float, float]:
    """Check and return mass (kg), stiffness (N/m^exponent) and exponent.  Errors:
    ParameterError."""
    return (
        number("mass", mass, "kg", at_least=LIGHTEST, at_most=HEAVIEST),
        number("stiffness", stiffness, "N/m^exponent", at_least=SOFTEST, at_most=STIFFEST),
        number("exponent", exponent, "", at_least=1.0, at_most=HIGHEST_EXPONENT),
    )


def _start(position: object, velocity: object, barrier: object,
           frequency: object) -> tuple[float, float, float, float]:
    """Check and return position, velocity, barrier and angular frequency."""
    return (
        # twice the range of the barrier: the mass may start at a distance from it
        number("position", position, "m", at_least=-2.0 * FARTHEST, at_most=FARTHEST),
        number("velocity", velocity, "m/s", at_least=-FASTEST, at_most=FASTEST),
        number("barrier", barrier, "m", at_least=-FARTHEST, at_most=FARTHEST),
        2.0 * math.pi * number("frequency", frequency, "Hz", at_least=0.0, at_most=FASTEST_RATE),
    )


def _step(scheme: object, sample_rate: object) -> tuple[float, bool]:
    """Return the time step (s), and whether the scheme is the two-point one."""
    if not isinstance(scheme, str) or scheme not in SCHEMES:
        raise ParameterError("scheme", scheme, f"expected one of {', '.join(SCHEMES)}")
    return 1.0 / number("sample_rate", sample_rate, "Hz", at_least=SLOWEST_RATE,
                        at_most=FASTEST_RATE), scheme == "two-point"


def _deepest(omega: float, b: float, c: float, q: float, squared: float) -> float:
    """Return the p > 0 at which omega^2 p (2 b + p) + c p^q equals a squared speed."""
    low, high = 0.0, 1.0
    while omega * omega * high * (2.0 * b + high) + c * elementary.pow(high, q) < squared:
        low, high = high, 2.0 * high
    while low < (p := 0.5 * (low + high)) < high:
        if omega * omega * p * (2.0 * b + p) + c * elementary.pow(p, q) < squared:
            low = p
        else:
            high = p
    return high


def _contact_time(omega: float, b: float, c: float, q: float, deepest: float) -> float:
    """Return twice the integral of dp / speed over 0 .. deepest, with p = deepest (1 - x^2), by the
    double exponential rule on 0 < x < 1."""
    def integrand(x: float) -> float:
        spring = omega * omega * deepest * (2.0 * b + deepest * (2.0 - x * x))
        barrier = -c * elementary.pow(deepest, q) * elementary.expm1(
            q * elementary.log1p(-x * x)) / (x * x)
        return 4.0 * deepest / math.sqrt(spring + barrier)

    def term(t: float) -> float:
        more = elementary.expm1(t)
        u = 0.25 * math.pi * (more + more / (1.0 + more))          # pi/2 sinh t
        x = 1.0 / (1.0 + elementary.exp(-2.0 * u))
        cosh = 1.0 + 0.5 * more * more / (1.0 + more)
        weight = math.pi * cosh * x * (1.0 / (1.0 + elementary.exp(2.0 * u)))
        return integrand(x) * weight if 1e-150 < x < 1.0 else 0.0

    h, reach = 1.0, 4.0
    total = math.fsum(term(i * h) for i in range(-4, 5))
    last = math.inf
    for _ in range(HALVINGS):
        h *= 0.5
        total += math.fsum(
            term((2 * i + 1) * h) for i in range(round(-0.5 * reach / h), round(0.5 * reach / h)))
        value = total * h
        if abs(value - last) <= 1e-14 * value:
            break
        last = value
    return value
