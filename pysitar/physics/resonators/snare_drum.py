"""A drum with snare wires, which touch a head along their length, and perhaps a second head."""
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, array_of, whole
from pysitar.physics.internal_force import InternalForce
from pysitar.physics.modes import StringModes, string_modes
from pysitar.physics.ranges import Range
from pysitar.physics.resonators.loaded_membrane import VOLUME, LoadedMembrane
from pysitar.physics.resonators.losses import AIR_DENSITY, SPEED_OF_SOUND
from pysitar.physics.resonators.membrane import Membrane
from pysitar.physics.resonators.plate import SIZE
from pysitar.physics.string import String

MOST_WIRES = 40
MOST_WIRE_MODES = 64
MOST_POINTS = 64                # of a wire
MOST_CONTACTS = 400             # of all wires together: each step solves for all that touch
SNARE_GAP = Range(unit="m", low=-0.01, high=0.01)
WIRE_TENSION = Range(unit="N", low=1e-3, high=1e5)
WIRE_DENSITY = Range(unit="kg/m", low=1e-6, high=1.0)
BAND = Range(unit="m", low=0.0, high=10.0)
SHIFT = Range(unit="m", low=-10.0, high=10.0)
SPREAD = Range(low=0.0, high=0.9)


@dataclass(frozen=True, kw_only=True, slots=True)
class SnareWires:
    """Parallel wires under a head, their ends held at the shell.

    Each is an ideal string along the angle 0, its middle on the line of 90 degrees, and touches the
    head at points along its length. A set of twenty strands may be played by fewer wires, each with
    the tension, density and stiffness of several.

    Parameters
    ----------
    count : int
        The number of wires, 0 to 40; 0 takes them off.
    length : float
        1e-3 to 100 (m).
    tension : float
        Of each, 1e-3 to 1e5 (N).
    linear_density : float
        Of each, 1e-6 to 1 (kg/m).
    stiffness : float
        Of the contact, per metre of a wire, 1e-6 to 1e16 (N/m^(1 + exponent)).
    exponent : float, default 1.0
        Of the contact, 1 to 10.
    damping : float, default 0.0
        Hunt-Crossley damping of the contact, 0 to 1e6 (s/m).
    gap : float, default 0.0
        From the head at rest to the line between a wire's ends, -0.01 to 0.01 (m); below 0 the
        wires press on the head.
    width : float, default 0.0
        Of the band of wires, across them, 0 to 10 (m).
    shift : float, default 0.0
        Of all wires along their length, from the middle of the head, -10 to 10 (m).
    spread : float, default 0.0
        How far the tensions differ, 0 to 0.9: they rise evenly across the band from (1 - spread)
        to (1 + spread) times `tension`.
    decay : float, default 0.0
        Decay rate of every wave on a wire, 0 to 1e5 (1/s).
    modes : int, default 12
        Modes of each wire, 1 to 64.
    points : int, default 8
        Contact points of each wire, 1 to 64, evenly along it.

    Raises
    ------
    ParameterError
        For a value out of its range, or over 400 contact points.

    Examples
    --------
    >>> import pysitar
    >>> wires = pysitar.SnareWires(count=4, length=0.3, tension=25.0, linear_density=0.015,
    ...                            stiffness=1e6)
    >>> round(wires.string_modes(0).frequencies[0].item(), 1)
    68.0
    """

    count: int
    length: float
    tension: float
    linear_density: float
    stiffness: float
    exponent: float = 1.0
    damping: float = 0.0
    gap: float = 0.0
    width: float = 0.0
    shift: float = 0.0
    spread: float = 0.0
    decay: float = 0.0
    modes: int = 12
    points: int = 8

    def __post_init__(self) -> None:
        whole("count", self.count, at_least=0, at_most=MOST_WIRES)
        SIZE.number("length", self.length)
        WIRE_TENSION.number("tension", self.tension)
        WIRE_DENSITY.number("linear_density", self.linear_density)
        ranges.CONTACT_STIFFNESS.number("stiffness", self.stiffness)
        ranges.EXPONENT.number("exponent", self.exponent)
        ranges.CONTACT_DAMPING.number("damping", self.damping)
        SNARE_GAP.number("gap", self.gap)
        BAND.number("width", self.width)
        SHIFT.number("shift", self.shift)
        SPREAD.number("spread", self.spread)
        ranges.SIGMA0.number("decay", self.decay)
        whole("modes", self.modes, at_least=1, at_most=MOST_WIRE_MODES)
        whole("points", self.points, at_least=1, at_most=MOST_POINTS)
        if self.count * self.points > MOST_CONTACTS:
            raise ParameterError("points", self.points, (
                f"{self.count} wires have {self.count * self.points} contact points; expected at "
                f"most {MOST_CONTACTS}"))

    def string_modes(self, wire: int) -> StringModes:
        """Return the modes of one wire.

        Parameters
        ----------
        wire : int
            Its number, 0 to count - 1.

        Returns
        -------
        StringModes
            With `frequencies` (Hz), `decay_rates` (1/s), `masses` (kg) and `shape(x)`, x in m.

        Raises
        ------
        ParameterError
            For a wire that does not exist, or losses so high that it does not oscillate.
        """
        wire = whole("wire", wire, at_least=0, at_most=max(self.count - 1, 0))
        tension = self.tension * (1.0 + 2.0 * self.spread * self._across(wire))
        own = String(length=self.length, tension=tension, sigma0=self.decay,
                     linear_density=self.linear_density)
        return string_modes(own, count=self.modes)

    def _across(self, wire: int) -> float:
        """Return the place of a wire across the band, -1/2 to 1/2."""
        return (wire + 0.5) / self.count - 0.5

    def contact_points(self) -> Iterator[tuple[int, float, float, float]]:
        """Yield each contact point.

        Returns
        -------
        iterator of tuple
            The number of the wire, the position on it, and the point of the head from its middle,
            along and across the wires (m).
        """
        for wire in range(self.count):
            across = self.width * self._across(wire)
            for point in range(self.points):
                x = self.length * (point + 0.5) / self.points
                yield wire, x, x - 0.5 * self.length + self.shift, across


    def check_on_head(self, radius: float) -> None:
        """Raise a ParameterError unless all wires are on a head.

        Parameters
        ----------
        radius : float
            Of the head (m).

        Raises
        ------
        ParameterError
            For a wire that is longer than the head, or a contact point beyond its edge.
        """
        if self.count and self.length > 2.0 * radius:
            raise ParameterError("length", self.length, (
                f"the head is {2.0 * radius:g} m wide; expected shorter wires"))
        for _, _, along, across in self.contact_points():
            reach = math.sqrt(along * along + across * across)
            if not reach <= radius:
                raise ParameterError("length", self.length, (
                    f"a wire touches {reach:.4g} m from the middle of a head of {radius:g} m; "
                    f"expected shorter wires, or a narrower band of them"))


@dataclass(frozen=True, kw_only=True, eq=False)
class SnareDrum:
    """A head with snare wires against it, or against a second head behind a body of air.

    The wires touch the head by forces along their length, equal and opposite on both; the air
    between two heads is a spring for the difference of the volumes that they displace, for
    frequencies whose wavelength is far over the shell. The modes are those of the head, the
    resonant head and the wires one after the other, each as it is alone; `internal_forces` couple
    them. Displacements are positive from the struck head towards the wires.

    Parameters
    ----------
    head : Membrane or LoadedMembrane
        The head that is struck; with a resonant head a `Membrane`.
    wires : SnareWires
        Against the resonant head, or without one against the head itself.
    resonant_head : Membrane, optional
        The second head.
    cavity : float, optional
        The volume of the air between two heads, 1e-9 to 1e3 (m^3).

    Attributes
    ----------
    frequencies, decay_rates, masses : ndarray
        Of all modes, undamped, shape (M,), Hz, 1/s and kg.
    internal_forces : tuple of InternalForce
        One for each contact point, and one of the air.

    Raises
    ------
    ParameterError
        For wires that reach beyond the head, a resonant head without a cavity, or a cavity without
        it.

    References
    ----------
    Bilbao, J. Acoust. Soc. Am. 131, 914 (2012): a snare drum of two heads, wires and air; here with
    modes in place of grids, and the air as a spring.

    Examples
    --------
    >>> import pysitar
    >>> head = pysitar.Membrane(radius=0.17, tension=3000.0, surface_density=0.26, modes=40)
    >>> wires = pysitar.SnareWires(count=4, length=0.3, tension=25.0, linear_density=0.015,
    ...                            stiffness=1e6, width=0.04, modes=10, points=6)
    >>> drum = pysitar.SnareDrum(head=head, wires=wires)
    >>> drum.count, len(drum.internal_forces)
    (80, 24)
    """

    head: Membrane | LoadedMembrane
    wires: SnareWires
    resonant_head: Membrane | None = None
    cavity: float | None = None
    frequencies: FloatArray = field(init=False, repr=False)
    angular_frequencies: FloatArray = field(init=False, repr=False)
    decay_rates: FloatArray = field(init=False, repr=False)
    masses: FloatArray = field(init=False, repr=False)
    internal_forces: tuple[InternalForce, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if (self.resonant_head is None) != (self.cavity is None):
            raise ParameterError("cavity", self.cavity,
                                 "expected the volume (m^3) of the air between two heads, or "
                                 "neither it nor a resonant head")
        strings = [self.wires.string_modes(wire) for wire in range(self.wires.count)]
        heads = [one for one in (self.head, self.resonant_head) if one is not None]
        for name in ("frequencies", "angular_frequencies", "decay_rates", "masses"):
            values = [value for one in heads for value in getattr(one, name).tolist()]
            for string in strings:
                values += ([omega / (2.0 * math.pi) for omega in
                            string.undamped_frequencies.tolist()]
                           if name == "frequencies" else getattr(string, name).tolist())
            object.__setattr__(self, name, array_of(values))
        forces = [*self._contacts(strings), *self._air()]
        object.__setattr__(self, "internal_forces", tuple(forces))

    @property
    def count(self) -> int:
        """The number of modes.

        Returns
        -------
        int
            Of the heads and of all wires.
        """
        return int(self.frequencies.size)

    def shape(self, position: tuple[float, float]) -> FloatArray:
        """Return the value of each mode shape at a position of the struck head.

        Parameters
        ----------
        position : tuple of float
            (r, angle), as of a `Membrane`.

        Returns
        -------
        ndarray
            Shape (M,), 0 for the modes of the resonant head and the wires.

        Raises
        ------
        ParameterError
            For a position outside the head.
        """
        own = self.head.shape(position).tolist()
        return array_of(own + [0.0] * (self.count - len(own)))

    def _contacts(self, strings: list[StringModes]) -> Iterator[InternalForce]:
        """Yield the force at each contact point.  Errors: ParameterError, a point outside."""
        wires = self.wires
        wires.check_on_head(self.head.radius)
        head = self.head if self.resonant_head is None else self.resonant_head
        first = 0 if self.resonant_head is None else self.head.count
        start = first + head.count                      # of the modes of the wires
        stiffness = wires.stiffness * wires.length / wires.points
        for wire, x, along, across in wires.contact_points():
            radius = math.sqrt(along * along + across * across)
            shape = [0.0] * self.count
            shape[first:start] = [-value for value in head.shape(
                (radius / head.radius, elementary.atan2(across, along))).tolist()]
            own = start + wire * wires.modes
            shape[own:own + wires.modes] = strings[wire].shape(x).tolist()
            yield InternalForce(shape=array_of(shape), stiffness=stiffness, gap=wires.gap,
                                exponent=wires.exponent, damping=wires.damping)

    def _air(self) -> Iterator[InternalForce]:
        """Yield the spring of the air between two heads."""
        if self.resonant_head is None or self.cavity is None:
            return
        if not isinstance(self.head, Membrane):
            raise ParameterError("head", "a LoadedMembrane", "expected a Membrane, without a load, "
                                 "before a resonant head")
        volume = VOLUME.number("cavity", self.cavity)
        struck, behind = self.head.volumes().tolist(), self.resonant_head.volumes().tolist()
        shape = struck + [-value for value in behind]
        yield InternalForce(shape=array_of(shape + [0.0] * (self.count - len(shape))),
                            stiffness=AIR_DENSITY * SPEED_OF_SOUND * SPEED_OF_SOUND / volume,
                            is_spring=True)
