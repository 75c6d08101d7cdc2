"""The bow of a played string: its rows, and its speed, force and place step by step."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pysitar.kernels.modal.network import NORMAL_FORCE, SPEED, STIFFNESS, Network
from pysitar.models.definitions.bows import BowSpec
from pysitar.models.network.agenda import Action, smooth
from pysitar.models.network.audited import AUDIT
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.models.network.friction import MoreModes, Rub, bow_rows, bristle
from pysitar.models.network.network import Row
from pysitar.physics.bow import hair_places
from pysitar.physics.checks import FloatArray


@dataclass(frozen=True, slots=True)
class Stroke:
    """A bow on the string, from a step on.

    Parameters: start and stop (steps); rise and lift, in which its force rises and falls (steps);
    position (m), where it is set down; velocity (m/s), force (N) and shift (m), curves.
    """

    start: int
    stop: int
    rise: int
    lift: int
    position: float
    velocity: ValueCurve
    force: ValueCurve
    shift: ValueCurve


class Bowing:
    """The bow of a string; its rows are absent while it is lifted.

    Parameters: spec; more, the modes of the string; first, the index of its first row; sample_rate
    (Hz).
    """

    def __init__(self, spec: BowSpec, more: MoreModes, *, first: int, sample_rate: float) -> None:
        self._spec, self._more, self._sample_rate = spec, more, sample_rate
        self._indices = range(first, first + spec.hairs)
        self._stroke: Stroke | None = None

    @property
    def rows(self) -> list[Row]:
        """The rows, with the shapes of all modes, without stiffness until a stroke."""
        law = bristle(self._spec.stiffness, None, self._sample_rate)._replace(stiffness=0.0)
        return bow_rows(self._more, self._places(self._spec.position), law)

    @property
    def rubs(self) -> list[Rub]:
        """What presses the rows."""
        return [Rub(curve=self._spec.rosin.values)] * self._spec.hairs

    @property
    def is_playing(self) -> bool:
        """Whether the bow is on the string."""
        return self._stroke is not None

    def start(self, kernel: Network, action: Action, curves: Mapping[str, ValueCurve]) -> None:
        """Begin a stroke in place of the last one."""
        values = action.values
        velocity, force, shift = (
            curves.get(name) or ValueCurve((CurvePoint(0.0, values[name]),))
            for name in ("velocity", "force", "shift"))
        self._stroke = Stroke(action.start, int(values["stop"]), int(values["rise"]),
                              int(values["lift"]), values["position"], velocity, force, shift)
        self._move(kernel, action.start)
        for row in self._indices:
            kernel.set_row(row, STIFFNESS, self._spec.stiffness)

    def update(self, kernel: Network, now: int) -> None:
        """Move the bow along the string, or lift it."""
        stroke = self._stroke
        if stroke is None:
            return
        if now >= stroke.stop:
            for row in self._indices:
                kernel.set_row(row, NORMAL_FORCE, 0.0)
                kernel.set_row(row, SPEED, 0.0)
                kernel.set_row(row, STIFFNESS, 0.0)
            self._stroke = None
        elif len(stroke.shift.points) > 1 and now % AUDIT == 0:
            self._move(kernel, now)

    def next_change(self, now: int) -> list[int]:
        """The next step at which the bow moves along the string or is lifted."""
        stroke = self._stroke
        if stroke is None:
            return []
        moves = [(now // AUDIT + 1) * AUDIT] if len(stroke.shift.points) > 1 else []
        return [stroke.stop, *moves]

    def controls(self, now: int, steps: int) -> tuple[list[int], list[int], FloatArray]:
        """Return rows, fields and values (steps, Q) of the kernel's controls for some steps."""
        stroke = self._stroke
        if stroke is None:
            return [], [], np.zeros((steps, 0))
        at = np.arange(now - stroke.start, now - stroke.start + steps)
        times = at / self._sample_rate
        last = stroke.stop - stroke.start - 1
        down = np.array([_ramp(n + 1, stroke.rise) for n in at.tolist()])
        # 0 in the last step, so that the hair gives up its deflection as heat
        up = np.array([_ramp(last - n, stroke.lift) for n in at.tolist()])
        force = stroke.force.sample(times) / self._spec.hairs * (down * up)
        # a bow that starts with its speed scratches longer
        pair = np.stack([stroke.velocity.sample(times) * down, force], axis=1)
        return ([row for row in self._indices for _ in (0, 1)],
                [SPEED, NORMAL_FORCE] * self._spec.hairs, np.tile(pair, (1, self._spec.hairs)))

    def _places(self, position: float) -> list[float]:
        return hair_places(position, self._spec.width, self._spec.hairs)

    def _move(self, kernel: Network, now: int) -> None:
        """Put the rows where the bow is at a step."""
        stroke = self._stroke
        assert stroke is not None
        time = (now - stroke.start) / self._sample_rate
        x = stroke.position + stroke.shift.at([time])[0]
        length = self._more.modes.string.length
        for row, place in zip(self._indices, self._places(x), strict=True):
            kernel.set_row_shape(row, self._more.surface(place), 1.0 - place / length)


def _ramp(step: int, steps: int) -> float:
    """Return the part of a force after some of the steps in which it rises."""
    if step <= 0:
        return 0.0
    return 1.0 if step >= steps else smooth(step / steps)
