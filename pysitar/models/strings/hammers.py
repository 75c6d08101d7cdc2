"""Hammers that strike a string: two free masses, one per hand, each with a row per head."""
from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pysitar.errors import ParameterError
from pysitar.gestures.base import HammerHead
from pysitar.gestures.strike import hammer_head
from pysitar.kernels.modal.network import DAMPING, STIFFNESS
from pysitar.models.definitions.strings import HANDS
from pysitar.models.network.audited import AUDIT, StringNetwork
from pysitar.models.network.network import Row, bridge_shape_at
from pysitar.models.strings.free_modes import FreeModes
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.contact import FELT, LawValues

HELD = 0.05  # s after its blow at which the hand lifts a hammer that has not left the string
LIFT = 0.02                     # s that the lift takes
AWAY = 1.0                      # m/s, speed of the lifted hammer over that of its blow


@dataclass(slots=True, eq=False)
class Hammer:
    """One hammer.

    Attributes: mode, its index; rows, by head; of its last blow: row (None: the hammer is
    away), shape (M,) of the string's modes at the point, mass (kg), velocity (m/s), spring, the
    stiffness of the string there (N/m), start, its step, and lifted, whether the hand lifts it. """

    mode: int
    rows: dict[HammerHead, int]
    row: int | None
    shape: FloatArray
    mass: float
    velocity: float
    spring: float
    start: int
    lifted: bool


class Hammers:
    """The hammers of a string: each strikes from above; its height z = scale * y is a mode of
    frequency 0.

    The row of a hammer has no stiffness while the hammer is away.

    The modal mass is constant; scale = sqrt(modal mass / hammer mass) sets the mass of a hammer.

    Parameters: free, the modes of the string and of free masses, first those of the hammers, of
    one mass; heads, one or more, of all its hammers; first, the index of their first row;
    sample_rate (Hz); weight (N), of the last of the free masses. """

    def __init__(self, free: FreeModes, *, heads: Collection[HammerHead], first: int,
                 sample_rate: float, weight: Sequence[float] = ()) -> None:
        modes, mass = free.modes, free.masses[0]
        self._modes, self._mass, self._sample_rate = modes, mass, sample_rate
        self._heads = sorted(heads)
        self.extend = free.extend
        head_count = len(self._heads)
        self._hammers = [
            Hammer(
                mode=modes.count + hand, rows={
                    head: first + hand * head_count + i
                    for i, head in enumerate(self._heads)
                }, row=None, shape=array_of([0.0] * HANDS), mass=mass, velocity=0.0, spring=0.0,
                start=0, lifted=False) for hand in range(HANDS)
        ]
        self._weight = self.extend(array_of([0.0] * modes.count))
        self._weight[self._weight.size - len(weight):] = weight

    @property
    def rows(self) -> list[Row]:
        """The rows, without stiffness until a blow, with the shapes of the string's modes only."""
        shape = array_of([0.0] * self._modes.count)
        return [
            Row(shape=shape, law=_law(head)) for _ in self._hammers for head in self._heads
        ]

    @property
    def busy(self) -> bool:
        """Whether a hammer is at the string."""
        return any(hammer.row is not None for hammer in self._hammers)

    def next_check(self, now: int) -> list[int]:
        """The next step at which a hammer may have left, if one is at the string."""
        return [(now // AUDIT + 1) * AUDIT] if self.busy else []

    def strike(self, sounding: StringNetwork, now: int, values: Mapping[str, float]) -> None:
        """Start a blow from above, in contact at the present step, with a hammer that is away, else
        with the hammer of the earlier blow.

        Parameters: values, position (m), mass (kg), velocity (m/s), stiffness (N/m^exponent),
        exponent, damping (s/m), memory, memory_time (s). Errors: ParameterError, a head without a
        row. """
        head = hammer_head(values)
        if head not in self._heads:
            raise ParameterError(
                "exponent", values["exponent"],
                "expected the exponent and memory of one of the hammers of this string: "
                + "; ".join(f"{own.exponent:g}, {own.memory:g}" for own in self._heads))
        kernel = sounding.kernel
        hammer = min(self._hammers, key=lambda hammer: -1 if hammer.row is None else hammer.start)
        self._remove(sounding, hammer)
        string, x = self._modes.string, values["position"]
        hammer.shape, hammer.mass, hammer.velocity = self._modes.shape(
            x), values["mass"], values["velocity"]
        hammer.spring = string.tension * string.length / (x * (string.length - x))
        hammer.row, hammer.start, hammer.lifted = hammer.rows[head], now, False
        scale = self._scale(hammer)
        shape = self.extend(-hammer.shape)
        shape[hammer.mode] = scale
        bridge_shape = bridge_shape_at(x, string.length)
        kernel.set_row_shape(hammer.row, shape, -bridge_shape, position=x, weight=-1.0)
        y, v = kernel.displacement(), kernel.velocity()
        y[hammer.mode] = (_displacement_at(hammer.shape, y)
                          + bridge_shape * kernel.bridge_displacement) / scale
        v[hammer.mode] = -hammer.velocity / scale
        sounding.jump(y, v)
        kernel.set_row(hammer.row, DAMPING, values["damping"])
        kernel.set_row(hammer.row, STIFFNESS, values["stiffness"])

    def remove_far_hammers(self, sounding: StringNetwork, now: int) -> None:
        """Remove each hammer that cannot touch the string again or that the hand has lifted; every
        64 steps from step 0."""
        if now % AUDIT or not self.busy:
            return
        for hammer in self._hammers:
            if hammer.row is None:
                continue
            time = (now - hammer.start) / self._sample_rate
            if time >= HELD + LIFT or self._has_left(sounding, hammer):
                self._remove(sounding, hammer)
            elif time >= HELD and not hammer.lifted:
                self._lift(sounding, hammer)

    def _scale(self, hammer: Hammer) -> float:
        return math.sqrt(self._mass / hammer.mass)

    def _has_left(self, sounding: StringNetwork, hammer: Hammer) -> bool:
        """Whether a hammer moves away above the largest displacement of the vibrating string at its
        point."""
        y, v = sounding.kernel.displacement().tolist(), sounding.kernel.velocity().tolist()
        if v[hammer.mode] <= 0.0:
            return False
        parts = zip(hammer.shape.tolist(), y, v, self._modes.angular_frequencies.tolist(),
                    strict=False)
        amplitude = math.fsum(
            abs(g) * math.sqrt(a * a + (b / omega) * (b / omega)) for g, a, b, omega in parts)
        return bool(self._scale(hammer) * y[hammer.mode] > amplitude)

    def _lift(self, sounding: StringNetwork, hammer: Hammer) -> None:
        """Lift a hammer by a constant force, against the string and to a speed."""
        scale = self._scale(hammer)
        low = scale * float(sounding.kernel.displacement()[hammer.mode])
        force = hammer.spring * max(0.0, -low) + hammer.mass * 2.0 * (AWAY + hammer.velocity) / LIFT
        hammer.lifted = True
        self._weight[hammer.mode] = scale * force
        sounding.kernel.set_weight(self._weight)

    def _remove(self, sounding: StringNetwork, hammer: Hammer) -> None:
        if hammer.row is None:
            return
        kernel = sounding.kernel
        if hammer.lifted:
            self._weight[hammer.mode] = 0.0
            kernel.set_weight(self._weight)
        kernel.set_row(hammer.row, STIFFNESS, 0.0)
        hammer.row = None
        y, v = kernel.displacement(), kernel.velocity()
        y[hammer.mode] = v[hammer.mode] = 0.0
        sounding.jump(y, v)


def _law(head: HammerHead) -> LawValues:
    """Return the law of a row, without stiffness until a blow."""
    if head.memory > 0.0:
        return LawValues(kind=FELT, exponent=head.exponent,
                         further=(head.memory, head.memory_time))
    return LawValues(exponent=head.exponent, adhesive=False)


def _displacement_at(shape: FloatArray, y: FloatArray) -> float:
    """Return the displacement (m) of the string for mode shapes (M,) of a point."""
    return math.fsum(g * value for g, value in zip(shape.tolist(), y.tolist(), strict=False))
