"""Hammers that strike a string: two free masses, one for each hand, with a contact row for each exponent that their laws have."""
from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.modal.two_point import DAMPING, STIFFNESS, TwoPoint
from pysitar.models.definitions.tables import HANDS
from pysitar.models.network.audited import AUDIT, StringNetwork
from pysitar.models.network.network import CONTACT, Row, bridge_shape_at, network, string_network
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.modes import StringModes

HELD = 0.05                     # s after its blow, when the hand takes a hammer off that has not left the string
LIFT = 0.02                     # s after which it is gone
AWAY = 1.0                      # m/s that the hand gives it, over the speed of its blow


@dataclass(slots=True, eq=False)
class Hammer:
    """One hammer: its mode, and its rows by their exponents; of its last blow the row (None: it is away), the string's mode shapes (M,)
    there, mass (kg), velocity (m/s), stiffness of the string under it (N/m), the step, and whether the hand takes it off."""

    mode: int
    rows: dict[float, int]
    row: int | None
    shape: FloatArray
    mass: float
    velocity: float
    spring: float
    start: int
    lifted: bool


class Hammers:
    """The hammers of a string: each meets it from above, its height z = scale y of a mode of frequency 0, and is no more there when away.

    The mode's mass stays; scale = sqrt(mode's mass / hammer's) gives a hammer its own.

    Parameters: modes, M of the string; mass, of a hammer's mode (kg); exponents, of all the laws that its hammers will have (none: it is
    not struck); first, the row of its network that is their first; sample_rate (Hz).
    """

    def __init__(self, modes: StringModes, *, mass: float, exponents: Collection[float], first: int, sample_rate: float) -> None:
        self._modes, self._mass, self._sample_rate = modes, mass, sample_rate
        self._exponents = sorted(exponents)
        self.count = HANDS if exponents else 0
        self._zeros = array_of([0.0] * self.count)
        exponent_count = len(self._exponents)
        self._hammers = [
            Hammer(mode=modes.count + hand,
                   rows={exponent: first + hand * exponent_count + i for i, exponent in enumerate(self._exponents)},
                   row=None, shape=self._zeros, mass=mass, velocity=0.0, spring=0.0, start=0, lifted=False)
            for hand in range(self.count)]
        self._weight = self.extend(array_of([0.0] * modes.count))

    @property
    def rows(self) -> list[Row]:
        """The rows that touch nothing until a blow, with the string's modes alone."""
        shape = array_of([0.0] * self._modes.count)
        return [Row(shape=shape, kind=CONTACT, exponent=exponent, adhesive=False) for _ in self._hammers for exponent in self._exponents]

    @property
    def busy(self) -> bool:
        """Whether a hammer is at the string."""
        return any(hammer.row is not None for hammer in self._hammers)

    def network(self, rows: Sequence[Row]) -> TwoPoint:
        """The kernel of the string and its hammers; rows, all of them, with the string's modes alone.  Errors: ParameterError."""
        if not self.count:
            return string_network(self._modes, rows, self._sample_rate)
        modes = self._modes
        return network(
            angular_frequencies=self.extend(modes.angular_frequencies), decay_rates=self.extend(modes.decay_rates),
            masses=np.concatenate([modes.masses, array_of([self._mass] * self.count)]),
            rows=[replace(row, shape=self.extend(row.shape)) for row in rows], sample_rate=self._sample_rate,
            slopes=self.extend(modes.wave_numbers * modes.wave_numbers / modes.string.linear_density))

    def extend(self, weights: FloatArray) -> FloatArray:
        """Weights of the string's modes (..., M) as those of all modes, 0 for the hammers."""
        if not self.count:
            return weights
        return np.concatenate([weights, np.broadcast_to(self._zeros, (*weights.shape[:-1], self.count))], axis=-1)

    def next_check(self, now: int) -> list[int]:
        """The step after `now` at which a hammer may be away, if one is at the string."""
        return [(now // AUDIT + 1) * AUDIT] if self.busy else []

    def strike(self, sounding: StringNetwork, now: int, values: Mapping[str, float]) -> None:
        """Send a hammer against the string, from above and touching it at the present step: one that is away, else the longer there.

        Parameters: values, position (m), mass (kg), velocity (m/s), stiffness (N/m^exponent), exponent, damping (s/m).
        Errors: ParameterError, an exponent that the hammers have not.
        """
        exponent = values["exponent"]
        if exponent not in self._exponents:
            raise ParameterError("exponent", exponent, f"the hammers of this string have {self._exponents}")
        kernel = sounding.kernel
        hammer = min(self._hammers, key=lambda hammer: -1 if hammer.row is None else hammer.start)
        self._remove(sounding, hammer)
        string, x = self._modes.string, values["position"]
        hammer.shape, hammer.mass, hammer.velocity = self._modes.shape(x), values["mass"], values["velocity"]
        hammer.spring = string.tension * string.length / (x * (string.length - x))
        hammer.row, hammer.start, hammer.lifted = hammer.rows[exponent], now, False
        scale = self._scale(hammer)
        shape = self.extend(-hammer.shape)
        shape[hammer.mode] = scale
        bridge_shape = bridge_shape_at(x, string.length)
        kernel.set_row_shape(hammer.row, shape, bridge_shape)
        y, v = kernel.displacement(), kernel.velocity()
        y[hammer.mode] = (_displacement_at(hammer.shape, y) + bridge_shape * kernel.bridge_displacement) / scale
        v[hammer.mode] = -hammer.velocity / scale
        sounding.jump(y, v)
        kernel.set_row(hammer.row, DAMPING, values["damping"])
        kernel.set_row(hammer.row, STIFFNESS, values["stiffness"])

    def remove_far_hammers(self, sounding: StringNetwork, now: int) -> None:
        """Take away each hammer that cannot meet the string again, or that the hand has taken off; every 64 steps from step 0."""
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
        """Whether a hammer flies away above the highest that the string can come to there, as it sounds."""
        y, v = sounding.kernel.displacement().tolist(), sounding.kernel.velocity().tolist()
        if v[hammer.mode] <= 0.0:
            return False
        parts = zip(hammer.shape.tolist(), y, v, self._modes.angular_frequencies.tolist(), strict=False)
        amplitude = math.fsum(abs(g) * math.sqrt(a * a + (b / omega) * (b / omega)) for g, a, b, omega in parts)
        return bool(self._scale(hammer) * y[hammer.mode] > amplitude)

    def _lift(self, sounding: StringNetwork, hammer: Hammer) -> None:
        """The hand pulls a hammer up, by a constant force: against the string, and to some speed."""
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


def _displacement_at(shape: FloatArray, y: FloatArray) -> float:
    """Where the string is, at its mode shapes, m."""
    return math.fsum(g * value for g, value in zip(shape.tolist(), y.tolist(), strict=False))
