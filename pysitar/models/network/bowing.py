"""A bow that plays: its rows of friction, and its speed, force and place step by step."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pysitar.kernels.modal.network import NORMAL_FORCE, SPEED, STIFFNESS, Network
from pysitar.models.network.agenda import Action, smooth
from pysitar.models.network.audited import AUDIT
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.models.network.friction import Rub, hair_law
from pysitar.physics.bow import Rosin
from pysitar.physics.checks import FloatArray
from pysitar.physics.contact import LawValues


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hair:
    """The hair of a bow: hairs, its points of contact; stiffness, of all together (N/m); rosin."""

    hairs: int
    stiffness: float
    rosin: Rosin


@dataclass(frozen=True, slots=True, eq=False)
class Stroke:
    """A bow on a part, from a step on.

    Parameters: start and stop (steps); rise and lift, in which its force rises and falls (steps);
    values, of its event; velocity (m/s) and force (N), curves; shift, of its place (m).
    """

    start: int
    stop: int
    rise: int
    lift: int
    values: Mapping[str, float]
    velocity: ValueCurve
    force: ValueCurve
    shift: ValueCurve


class Bowing:
    """The bow of a part; its rows are absent while it is lifted. A subclass puts the rows where a
    stroke is.

    Parameters: hair; first, the index of its first row; sample_rate (Hz).
    """

    def __init__(self, hair: Hair, *, first: int, sample_rate: float) -> None:
        self._hair, self._sample_rate = hair, sample_rate
        self._indices = range(first, first + hair.hairs)
        self._stroke: Stroke | None = None

    def put_rows(self, kernel: Network, indices: Sequence[int], stroke: Stroke,
                 time: float) -> None:
        """Put the rows where a stroke is at a time (s) after its start."""
        raise NotImplementedError

    def _delay(self, stroke: Stroke) -> int:
        """Return the step of a stroke from which its speed rises."""
        return 0

    @property
    def lifted_law(self) -> LawValues:
        """The law of each row until a stroke: without stiffness."""
        hair = self._hair
        law = hair_law(hair.stiffness, None, hair.hairs, self._sample_rate)
        return law._replace(stiffness=0.0)

    @property
    def rubs(self) -> list[Rub]:
        """What presses the rows."""
        return [Rub(curve=self._hair.rosin.values)] * self._hair.hairs

    @property
    def is_playing(self) -> bool:
        """Whether the bow is on the part."""
        return self._stroke is not None

    def start(self, kernel: Network, action: Action, curves: Mapping[str, ValueCurve]) -> None:
        """Begin a stroke in place of the last one."""
        values = action.values
        velocity, force, shift = (
            curves.get(name) or ValueCurve((CurvePoint(0.0, values.get(name, 0.0)),))
            for name in ("velocity", "force", "shift"))
        self._stroke = Stroke(action.start, int(values["stop"]), int(values["rise"]),
                              int(values["lift"]), values, velocity, force, shift)
        self._set_down(kernel, action.start)

    def move_to(self, kernel: Network, first: int) -> None:
        """Continue on another network, whose rows of the bow begin at an index; the hair is set
        down without deflection."""
        self._indices = range(first, first + self._hair.hairs)
        if self._stroke is not None:
            self._set_down(kernel, kernel.count)

    def update(self, kernel: Network, now: int) -> None:
        """Move the bow along the part, or lift it."""
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
        """The next step at which the bow moves along the part or is lifted."""
        stroke = self._stroke
        if stroke is None:
            return []
        moves = [(now // AUDIT + 1) * AUDIT] if len(stroke.shift.points) > 1 else []
        return [stroke.stop, *moves]

    def controls(self, now: int, steps: int) -> tuple[list[int], list[int], FloatArray]:
        """Return rows, fields and values (steps, Q) of the kernel's controls for some steps."""
        stroke, hairs = self._stroke, self._hair.hairs
        if stroke is None:
            return [], [], np.zeros((steps, 0))
        at = np.arange(now - stroke.start, now - stroke.start + steps, dtype=np.float64)
        times = at / self._sample_rate
        last = stroke.stop - stroke.start - 1
        down = _ramp(at + 1, stroke.rise)
        # 0 in the last step, so that the hair gives up its deflection as heat
        up = _ramp(last - at, stroke.lift)
        force = stroke.force.sample(times) / hairs * (down * up)
        # a bow that starts with its speed scratches longer
        started = _ramp(at + 1 - self._delay(stroke), stroke.rise)
        pair = np.stack([stroke.velocity.sample(times) * started, force], axis=1)
        return ([row for row in self._indices for _ in (0, 1)],
                [SPEED, NORMAL_FORCE] * hairs, np.tile(pair, (1, hairs)))

    def _set_down(self, kernel: Network, now: int) -> None:
        """Put the rows where the bow is at a step, and give them their stiffness."""
        self._move(kernel, now)
        for row in self._indices:
            kernel.set_row(row, STIFFNESS, self._hair.stiffness / self._hair.hairs)

    def _move(self, kernel: Network, now: int) -> None:
        """Put the rows where the bow is at a step."""
        stroke = self._stroke
        assert stroke is not None
        self.put_rows(kernel, self._indices, stroke,
                      (now - stroke.start) / self._sample_rate)


def _ramp(after: FloatArray, steps: int) -> FloatArray:
    """Return the part of a force, after numbers of steps (n,), of the steps in which it rises."""
    return smooth(np.clip(after / max(steps, 1), 0.0, 1.0))
