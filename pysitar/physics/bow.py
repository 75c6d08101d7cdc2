"""A bow on a string, the torsion of the string, and the friction of its bridge."""
from __future__ import annotations

import math
from dataclasses import dataclass

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import (
    FloatArray,
    Numbers,
    array_of,
    check_numbers,
    number,
    series,
    whole,
)
from pysitar.physics.ranges import Range

COEFFICIENT = Range(low=0.0, high=10.0)
SLIP_SPEED = Range(unit="m/s", low=1e-6, high=100.0)
BRISTLE = Range(unit="N/m", low=1.0, high=1e10)
BRISTLE_DAMPING = Range(unit="kg/s", low=0.0, high=1e6)
BOW_SPEED = Range(unit="m/s", low=-100.0, high=100.0)
BOW_FORCE = Range(unit="N", low=0.0, high=1e4)
TANGENTIAL = Range(low=1e-3, high=10.0)
DETUNING = Range(low=-0.1, high=0.1, smallest=0.0)
TILT = Range(unit="rad", low=-0.5, high=0.5, smallest=0.0)
TORSION_RATIO = Range(low=1.0, high=100.0)
TORSION_Q = Range(low=1.0, high=1e6)
MOST_HAIRS = 16
MOST_PASSES = 32
MOST_TORSION = 256              # modes
LEAST_FORCE = 0.13              # of Z v beta^-1.6 / dmu: the lowest force without a second slip


@dataclass(frozen=True, kw_only=True, slots=True)
class Torsion:
    """The torsion of a string, as modes; a bow moves and twists it.

    Parameters
    ----------
    ratio : float, default 5.2
        The frequency of the first mode over that of the string, 1 to 100; mode n has n times it.
    quality : float, default 30.0
        The Q of each mode, 1 to 1e6.
    modes : int, default 19
        Their number, 1 to 256; those near half the sample rate are left out.

    Raises
    ------
    ParameterError
        For a value out of its range.

    Notes
    -----
    The modes have a quarter of the mass of the string: a round wire, by the motion of its surface.

    Examples
    --------
    >>> import pysitar
    >>> pysitar.Torsion(ratio=5.2, quality=30.0).modes
    19
    """

    ratio: float = 5.2
    quality: float = 30.0
    modes: int = 19

    def __post_init__(self) -> None:
        check_numbers(self, {"ratio": TORSION_RATIO, "quality": TORSION_Q})
        object.__setattr__(self, "modes", whole("modes", self.modes, at_least=1,
                                                at_most=MOST_TORSION))


@dataclass(frozen=True, kw_only=True, slots=True)
class Rosin:
    """Friction that falls with the slip speed v: mu0 + mu1 exp(-v / v1) + mu2 exp(-v / v2).

    Parameters
    ----------
    mu0, mu1, mu2 : float, default 0.35, 0.4, 0.45
        Each 0 to 10; mu0 is left at high speed.
    v1, v2 : float, default 0.01, 0.1
        1e-6 to 100 (m/s).

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Smith & Woodhouse 2000: steady sliding of rosin; the default values.

    Examples
    --------
    >>> import pysitar
    >>> rosin = pysitar.Rosin()
    >>> round(rosin.at(0.0), 6), round(rosin.at(1.0), 4)
    (1.2, 0.35)
    """

    mu0: float = 0.35
    mu1: float = 0.4
    v1: float = 0.01
    mu2: float = 0.45
    v2: float = 0.1

    def __post_init__(self) -> None:
        check_numbers(self, {"mu0": COEFFICIENT, "mu1": COEFFICIENT, "mu2": COEFFICIENT,
                             "v1": SLIP_SPEED, "v2": SLIP_SPEED})

    def at(self, speed: float) -> float:
        """Return the coefficient of friction at a slip speed.

        Parameters
        ----------
        speed : float
            Of either sign (m/s).

        Returns
        -------
        float

        Raises
        ------
        ParameterError
            For a speed that is not a finite number.
        """
        v = abs(number("speed", speed, "m/s"))
        return (self.mu0 + self.mu1 * elementary.exp(-v / self.v1)
                + self.mu2 * elementary.exp(-v / self.v2))

    @property
    def values(self) -> tuple[float, float, float, float, float]:
        """The parameters in the order of the kernel.

        Returns
        -------
        tuple of float
            mu0, mu1, v1 (m/s), mu2, v2 (m/s).
        """
        return self.mu0, self.mu1, self.v1, self.mu2, self.v2


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Bow:
    """A bow on a string.

    Parameters
    ----------
    position : float
        From the bridge end, 0 to length, both excluded (m).
    speed : float or array_like
        -100 to 100 (m/s): a number, or one value a step, shape (n,); the last one holds.
    force : float or array_like
        With which it presses on the string, 0 to 1e4 (N), likewise; 0 is a lifted bow.
    rosin : Rosin, optional
        How its friction falls with the slip speed.
    stiffness : float, default 3e5
        Of all hairs together in the direction of the bow, 1 to 1e10 (N/m).
    damping : float, optional
        Of all hairs together, 0 to 1e6 (kg/s). Default: stiffness / (2 sample rate), with which the
        hair neither rings nor lags.
    hairs : int, default 1
        Points of contact, 1 to 16, that share force, stiffness and damping.
    width : float, default 0.0
        From the first to the last hair (m), all on the string.
    passes : int, default 4
        How often a step is solved at most, with the friction of its own slip, 1 to 32.
    torsion : Torsion, optional
        The torsion of the string. Without it the string does not twist.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    McIntyre & Woodhouse 1979: the falling friction, and which state an ambiguous step takes.
    Matusiak, Chatziioannou & van Walstijn 2025: the order of the stiffness. The clamped bristle,
    its balance and the passes are derived in docs/friction.md.

    Examples
    --------
    >>> import pysitar
    >>> string = pysitar.String(length=0.325, tension=45.0, linear_density=2.77e-3, sigma0=1.2)
    >>> bow = pysitar.Bow(position=0.036, speed=0.1, force=0.4)
    >>> simulation = pysitar.StringSimulation(string=string, sample_rate=48000.0, bow=bow)
    >>> run = simulation.run(480, ["force_end", "bow_force"])
    >>> run.friction_heat >= 0.0, run.bow_work > 0.0, run.residual < 1e-12
    (True, True, True)
    """

    position: float
    speed: float | Numbers
    force: float | Numbers
    rosin: Rosin = Rosin()
    stiffness: float = 3e5
    damping: float | None = None
    hairs: int = 1
    width: float = 0.0
    passes: int = 4
    torsion: Torsion | None = None

    def __post_init__(self) -> None:
        set_value = object.__setattr__
        set_value(self, "position", number("position", self.position, "m", above=0.0, below=1e3))
        set_value(self, "speed", _one_or_many("speed", self.speed, BOW_SPEED))
        set_value(self, "force", _one_or_many("force", self.force, BOW_FORCE))
        if not isinstance(self.rosin, Rosin):
            raise ParameterError("rosin", self.rosin, "expected a Rosin")
        if not isinstance(self.torsion, Torsion | None):
            raise ParameterError("torsion", self.torsion, "expected a Torsion, or None")
        check_numbers(self, {"stiffness": BRISTLE} if self.damping is None else {
            "stiffness": BRISTLE, "damping": BRISTLE_DAMPING})
        set_value(self, "hairs", whole("hairs", self.hairs, at_least=1, at_most=MOST_HAIRS))
        set_value(self, "width", number("width", self.width, "m", at_least=0.0, below=1.0))
        set_value(self, "passes", whole("passes", self.passes, at_least=1, at_most=MOST_PASSES))

    @property
    def places(self) -> list[float]:
        """The positions of the hairs.

        Returns
        -------
        list of float
            From the bridge end, m.
        """
        return hair_places(self.position, self.width, self.hairs)


@dataclass(frozen=True, kw_only=True, slots=True)
class BridgeFriction:
    """A string that moves in two directions, and rubs on the barriers that it touches.

    Parameters
    ----------
    coefficient : float, default 0.2
        Of the friction on each barrier point, 0 to 10.
    tangential : float, default 0.8
        Stiffness along the surface over that normal to it, 1e-3 to 10.
    detuning : float, default 0.003
        By how much lower the modes of the second direction are, -0.1 to 0.1, of their frequency.
    tilt : float, default 0.0
        Angle of the barriers about the string, -0.5 to 0.5 (rad): the normal then has a part in
        the second direction.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Mindlin 1949: tangential stiffness, 2 (1 - nu) / (2 - nu) of the normal one. docs/friction.md.

    Examples
    --------
    >>> import pysitar
    >>> string = pysitar.String(length=1.0, tension=30.0, linear_density=2e-4, sigma0=1.0)
    >>> bridge = pysitar.Barrier(profile=pysitar.parabola(start=0.0, extent=0.03, height=1e-4),
    ...                          start=0.0, end=0.03, points=6,
    ...                          law=pysitar.ContactLaw(stiffness=5e8))
    >>> simulation = pysitar.StringSimulation(string=string, barriers=[bridge], sample_rate=48000.0,
    ...                                       friction=pysitar.BridgeFriction(coefficient=0.3))
    >>> simulation.pluck(position=0.3, force=0.5, duration=0.002, angle=60.0)
    >>> run = simulation.run(480, ["force_end", "side_force_end"])
    >>> run.friction_heat > 0.0, run.residual < 1e-12
    (True, True)
    """

    coefficient: float = 0.2
    tangential: float = 0.8
    detuning: float = 0.003
    tilt: float = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, {"coefficient": COEFFICIENT, "tangential": TANGENTIAL,
                             "detuning": DETUNING, "tilt": TILT})


def hair_places(position: float, width: float, hairs: int) -> list[float]:
    """Return the positions (m) of the hairs of a bow; width, from the first to the last (m)."""
    if hairs == 1:
        return [position]
    return [position + width * (i / (hairs - 1) - 0.5) for i in range(hairs)]


def schelleng_limits(*, rosin: Rosin, impedance: float, torsion: float, fraction: float,
                     speed: float) -> tuple[float, float]:
    """Return the least and the greatest force (N) for one slip in a period.

    Parameters: impedance, of the string, Z (kg/s); torsion, that of its torsion over Z (inf: none);
    fraction, beta of the length from the bridge; speed, of the bow (m/s).
    Source: Schelleng 1973: the greatest, 2 Z v / (beta dmu), with string and torsion in series. His
    least force has the loss of the bridge alone; here the least of many simulated ones, of a string
    with its own losses (docs/friction.md).
    """
    v = abs(speed)
    drop = max(rosin.at(0.0) - rosin.at(v / fraction), 1e-3)
    together = impedance * torsion / (1.0 + torsion) if math.isfinite(torsion) else impedance
    least = LEAST_FORCE * impedance * v / drop * elementary.pow(fraction, -1.6)
    return least, 2.0 * together * v / (fraction * drop)


def driving_force(*, rosin: Rosin, mobility: float, speed: float) -> float:
    """Return the force (N) from which a bow on an object drives a mode: sliding at the speed of the
    bow is then unstable.

    Parameters: mobility, of the mode at its frequency, shape^2 / (2 mass decay rate), s/kg; speed,
    of the bow (m/s).
    Source: a small velocity u of the object changes the friction by -N mu' u, so that its power
    N |mu'| u^2 is above the loss u^2 / mobility.
    """
    v = abs(speed)
    fall = (rosin.mu1 / rosin.v1 * elementary.exp(-v / rosin.v1)
            + rosin.mu2 / rosin.v2 * elementary.exp(-v / rosin.v2))
    return 1.0 / (fall * mobility) if fall * mobility > 0.0 else math.inf


def _one_or_many(name: str, value: object, within: Range) -> FloatArray:
    """Return a number, or one value a step, as an array.  Errors: ParameterError."""
    if isinstance(value, int | float):
        return array_of([within.number(name, value)])
    return series(name, value, within.unit, at_least=within.low, at_most=within.high)
