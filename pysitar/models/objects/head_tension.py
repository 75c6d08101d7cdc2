"""The tension of a head in time, as a palm presses it."""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pysitar.models.network.audited import AUDIT, Motion
from pysitar.models.network.curve import CurvePoint, ValueCurve, progress_at
from pysitar.physics.checks import array_of

BLOCK = AUDIT                   # steps between two updates of a network's coefficients
RAMP = 0.02                     # s in which a palm takes over from the tension before


class HeadTension:
    """The tension of a head over that at rest: 1 before the first press.

    Parameters: sample_rate, internal (Hz).
    """

    def __init__(self, sample_rate: float) -> None:
        self.sample_rate = sample_rate
        self._curve = ValueCurve((CurvePoint(0.0, 1.0),))
        self._start, self._before = 0, 1.0
        self._end = -1.0                    # step from which the tension is constant

    def press(self, step: int, tension: float, curve: ValueCurve | None) -> None:
        """Begin a press at a step: the tension goes from its present value to another, or to that
        of a curve, which it then follows."""
        self._before = self.at([step])[0]
        self._curve = curve or ValueCurve((CurvePoint(0.0, tension),))
        self._start = step
        self._end = step + max(RAMP, self._curve.points[-1].time) * self.sample_rate

    def moves_at(self, step: int) -> bool:
        """Return whether the tension may change from a step on."""
        return step <= self._end

    def at(self, steps: Iterable[float]) -> list[float]:
        """Return the tension at steps."""
        times = [(step - self._start) / self.sample_rate for step in steps]
        progress = [progress_at(min(max(time / RAMP, 0.0), 1.0), "cos") for time in times]
        return [self._before + part * (value - self._before)
                for part, value in zip(progress, self._curve.at(times), strict=True)]

    def motion(self, step: int, steps: int, *, present: float, stored: float,
               output: float) -> Motion | None:
        """Return the change of the tension over some steps; None where the network has it already.

        Parameters: present, the tension of the network over the stored one; stored, that of its
        stored coefficients; output, at equilibrium.
        """
        if step > self._end and present == self.at([step])[0] - stored:
            return None
        first = -(-step // BLOCK) * BLOCK
        centres = range(first + BLOCK // 2, step + steps + BLOCK // 2, BLOCK)
        return Motion(np.zeros(steps), array_of(self.at(centres)) - stored,
                      np.full(steps, output), BLOCK, False)
