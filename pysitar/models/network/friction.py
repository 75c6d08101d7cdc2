"""Strings with more modes than those of one direction: their second direction and torsion, and the
rows of dry friction that these need."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.network.network import HIGHEST, Row
from pysitar.physics.bow import Bow, BridgeFriction, Rosin, Torsion
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.contact import FRICTION, LawValues
from pysitar.physics.modes import StringModes
from pysitar.physics.parameters import TYPICAL_COMPRESSION

LINKED_PASSES = 2               # of friction by the force of a contact in the same step


@dataclass(frozen=True, slots=True, eq=False)
class MoreModes:
    """The modes of a string, those of its second direction, those of its torsion, and those of
    free masses, in this order.

    Parameters: modes, of the first direction; sample_rate (Hz); detuning, of the second direction
    (None: there is none); torsion; free_masses (kg); axis_angle (rad), by which the two directions
    of the modes are turned from across and along the bridge.
    """

    modes: StringModes
    sample_rate: float
    detuning: float | None = None
    torsion: Torsion | None = None
    free_masses: tuple[float, ...] = ()
    axis_angle: float = 0.0

    @property
    def side_count(self) -> int:
        """The number of modes of the second direction."""
        return 0 if self.detuning is None else self.modes.count

    @property
    def twists(self) -> list[float]:
        """The angular frequencies (rad/s) of torsion."""
        if self.torsion is None:
            return []
        first = self.torsion.ratio * self._fundamental
        found = [2.0 * math.pi * n * first for n in range(1, self.torsion.modes + 1)]
        return [omega for omega in found
                if omega < 2.0 * math.pi * HIGHEST * self.sample_rate]

    @property
    def _fundamental(self) -> float:
        """The frequency (Hz) of the ideal string."""
        string = self.modes.string
        return math.sqrt(string.tension / string.linear_density) / (2.0 * string.length)

    @property
    def angular_frequencies(self) -> FloatArray:
        """Damped, of all modes, rad/s."""
        own = self.modes.angular_frequencies
        side = own[:self.side_count] * (1.0 - (self.detuning or 0.0))
        return np.concatenate([own, side, array_of(self.twists), self._still])

    @property
    def decay_rates(self) -> FloatArray:
        """Of all modes, 1/s."""
        own = self.modes.decay_rates
        quality = 1.0 if self.torsion is None else self.torsion.quality
        return np.concatenate([own, own[:self.side_count],
                               array_of([omega / (2.0 * quality) for omega in self.twists]),
                               self._still])

    @property
    def masses(self) -> FloatArray:
        """Of all modes, kg."""
        own, string = self.modes.masses, self.modes.string
        twist = 0.25 * string.linear_density * string.length
        return np.concatenate([own, own[:self.side_count], array_of([twist] * len(self.twists)),
                               array_of(list(self.free_masses))])

    @property
    def slopes(self) -> FloatArray:
        """The derivative of the squared angular frequencies by the tension, 1/(kg m); the
        detuning is the same at any tension."""
        b, lower = self.modes.wave_numbers, 1.0 - (self.detuning or 0.0)
        own = b * b / self.modes.string.linear_density
        return np.concatenate([own, own[:self.side_count] * (lower * lower),
                               array_of([0.0] * len(self.twists)), self._still])

    @property
    def _still(self) -> FloatArray:
        """Frequencies and decay rates of the free masses: 0."""
        return array_of([0.0] * len(self.free_masses))

    @property
    def arrays(self) -> dict[str, FloatArray]:
        """The arguments of a kernel."""
        return {"angular_frequencies": self.angular_frequencies, "decay_rates": self.decay_rates,
                "masses": self.masses, "slopes": self.slopes}

    def extend(self, weights: FloatArray) -> FloatArray:
        """Return weights (..., M) of displacement across the bridge as those of all modes."""
        return self._extend(weights, elementary.cos(self.axis_angle),
                            -elementary.sin(self.axis_angle))

    def extend_side(self, weights: FloatArray) -> FloatArray:
        """Return weights (..., M) of displacement along the bridge as those of all modes."""
        return self._extend(weights, elementary.sin(self.axis_angle),
                            elementary.cos(self.axis_angle))

    def extend_both(self, values: FloatArray) -> FloatArray:
        """Return values (..., M) that the modes of either direction have as those of all modes."""
        return self._extend(values, 1.0, 1.0)

    def _extend(self, weights: FloatArray, first: float, second: float) -> FloatArray:
        rest = len(self.twists) + len(self.free_masses)
        return np.concatenate([first * weights, second * weights[..., :self.side_count],
                               np.zeros((*weights.shape[:-1], rest))], axis=-1)

    def turn(self, weights: FloatArray, angle: float) -> FloatArray:
        """Return weights (..., M) of a direction as those of all modes; angle (rad), from the
        second direction to the first: pi/2 is the first alone."""
        up = self.extend(elementary.sin(angle) * weights)
        if self.detuning is None or angle == 0.5 * math.pi:
            return self.extend(weights) if angle == 0.5 * math.pi else up
        return up + self.extend_side(elementary.cos(angle) * weights)

    def surface(self, x: float) -> FloatArray:
        """Return the shapes of the string's surface under a bow at x (m): it moves and twists."""
        twist = [elementary.sin(n * math.pi * x / self.modes.string.length)
                 for n in range(1, len(self.twists) + 1)]
        moved = self.extend(self.modes.shape(x))
        first = self.modes.count + self.side_count
        moved[first:first + len(twist)] = twist
        return moved


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rub:
    """What presses a friction row: its coefficients of friction, and the index of a contact row
    (-1: a force that is set)."""

    curve: tuple[float, float, float, float, float]
    link: int = -1


def bristle(stiffness: float, damping: float | None, sample_rate: float) -> LawValues:
    """Return the law of a friction row: stiffness (N/m), damping (kg/s; None: the least that does
    not ring), at a sample rate (Hz)."""
    if damping is None:
        damping = 0.5 * stiffness / sample_rate
    return LawValues(kind=FRICTION, stiffness=stiffness, damping=damping)


def hair_law(stiffness: float, damping: float | None, hairs: int, sample_rate: float) -> LawValues:
    """Return the law of each hair of a bow; stiffness (N/m) and damping (kg/s), of all together, as
    in `bristle`."""
    return bristle(stiffness / hairs, None if damping is None else damping / hairs, sample_rate)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrictionRows:
    """The rows of a network with friction, in this order: contacts, those of the bridge, those of
    the bow.

    Parameters: more, the modes; rows; rubs, what presses the friction rows, which are the last of
    them; contacts, the number of contact rows; hairs, of the bow; passes.
    """

    more: MoreModes
    rows: list[Row]
    rubs: list[Rub]
    contacts: int
    hairs: int
    passes: int


def friction_rows(modes: StringModes, contacts: Sequence[Row], sample_rate: float, bow: Bow | None,
                  friction: BridgeFriction | None) -> FrictionRows:
    """Return the rows of a string with contacts, a bow, and friction at its contacts.  Errors:
    ParameterError, hairs beyond the string."""
    more = MoreModes(modes, sample_rate, None if friction is None else friction.detuning,
                     None if bow is None else bow.torsion)
    rubs: list[Rub] = []
    if friction is None:
        rows = [replace(row, shape=more.extend(row.shape)) for row in contacts]
    else:
        rows, rubbing = rubbing_rows(more, contacts, friction, sample_rate)
        rows += rubbing
        rubs += [Rub(curve=constant_friction(friction.coefficient), link=k)
                 for k in range(len(contacts))]
    hairs = 0
    if bow is not None:
        check_places(bow.places, modes.string.length)
        hairs = bow.hairs
        rows += bow_rows(more, bow.places, hair_law(bow.stiffness, bow.damping, bow.hairs,
                                                    sample_rate))
        rubs += [Rub(curve=bow.rosin.values)] * hairs
    passes = max(1 if bow is None else bow.passes, 1 if friction is None else LINKED_PASSES)
    return FrictionRows(more=more, rows=rows, rubs=rubs, contacts=len(contacts), hairs=hairs,
                        passes=passes)


def bow_rows(more: MoreModes, places: Sequence[float], law: LawValues) -> list[Row]:
    """Return the row of each hair of a bow, with the shapes of all modes; places (m)."""
    length = more.modes.string.length
    return [Row(shape=more.surface(x), law=law, bridge_shape=1.0 - x / length) for x in places]


def rubbing_rows(more: MoreModes, contacts: Sequence[Row], friction: BridgeFriction,
                 sample_rate: float) -> tuple[list[Row], list[Row]]:
    """Return the contact rows of a string in two directions, with the shapes of all modes, and the
    friction row of each; contacts, with those of the first direction."""
    up, side = elementary.cos(friction.tilt), elementary.sin(friction.tilt)
    normal = [_turned(more, row, up, side) for row in contacts]
    rubbing = [
        replace(_turned(more, row, -side, up), offset=0.0,
                law=bristle(friction.tangential * linear_stiffness(row.law), None, sample_rate))
        for row in contacts
    ]
    return normal, rubbing


def thread_rows(more: MoreModes, thread: Row, tilt: float) -> list[Row]:
    """Return the rows of a thread across and along a bridge that is tilted (rad); thread, with the
    shape of the first direction."""
    up, side = elementary.cos(tilt), elementary.sin(tilt)
    return [_turned(more, thread, up, side),
            replace(_turned(more, thread, -side, up), offset=0.0)]


def side_row(more: MoreModes, row: Row) -> Row:
    """Return the row at the place of another one, in the second direction; row, with the shape of
    the first direction."""
    return _turned(more, row, 0.0, 1.0)


def diagonal_row(more: MoreModes, row: Row) -> Row:
    """Return the row at the place of another one, at 45 degrees between both directions."""
    return _turned(more, row, math.sqrt(0.5), math.sqrt(0.5))


def linear_stiffness(law: LawValues) -> float:
    """Return the stiffness (N/m) of a contact at a typical compression."""
    return law.stiffness * law.exponent * elementary.pow(TYPICAL_COMPRESSION, law.exponent - 1.0)


def _turned(more: MoreModes, row: Row, up: float, side: float) -> Row:
    """Return a row of the first direction in that of (up, side), of length 1."""
    return replace(row, shape=more.extend(up * row.shape) + more.extend_side(side * row.shape),
                   offset=up * row.offset, bridge_shape=up * row.bridge_shape, weight=up,
                   side_weight=side)


def set_friction(kernel: TwoPoint, first: int, rubs: Sequence[Rub], passes: int) -> None:
    """Set the friction of a network's rows from `first` on."""
    kernel.set_friction(np.arange(first, first + len(rubs), dtype=np.int32),
                        np.array([rub.curve for rub in rubs], dtype=np.float64).reshape(-1, 5),
                        np.array([rub.link for rub in rubs], dtype=np.int32), passes)


def constant_friction(coefficient: float) -> tuple[float, float, float, float, float]:
    """Return the coefficients of friction that does not depend on the slip speed."""
    return Rosin(mu0=coefficient, mu1=0.0, mu2=0.0).values


def check_places(places: Sequence[float], length: float) -> None:
    """Raise a ParameterError unless all hairs of a bow are on a string of a length (m)."""
    if not 0.0 < min(places) <= max(places) < length:
        raise ParameterError("position", 0.5 * (places[0] + places[-1]),
                             f"expected all hairs within the string, 0 to {length:g} m")
