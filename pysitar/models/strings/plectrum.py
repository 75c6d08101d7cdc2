"""The tip of a plectrum, finger, nail or mizrab on a string: a mass that a hand pushes, in contact
with the string until it slips off."""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.kernels.modal.network import DAMPING, OFFSET, STIFFNESS
from pysitar.models.definitions.picks import Tip
from pysitar.models.network.agenda import Push
from pysitar.models.network.audited import StringNetwork
from pysitar.models.network.network import Row
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.contact import LawValues

CHECK = 16                      # steps between two readings of the contact's force, at most
MORE = 0.05                     # of the force of the pluck: by how much the hand would exceed it
# of the ramp of that greatest force: where it has the force of the pluck, acos(1 - 2 / (1 + MORE))
# / pi, as a number, so that it does not depend on the C library
PART = 0.8599513039068979
HELD = 0.9                      # of the ramp: before, a string that still moves does not slip off
LONGER = 0.02                   # s after twice the ramp at which the string slips off at any force


class Plectrum:
    """The plectrum of a string. The height z (m) of its tip is a mode of frequency 0, beside those
    of the string, and a row is its contact, compressed by side (z - y) - d, with y of the string
    and side 1 for a pluck from below.

    The force of the hand on the tip rises as that of a pluck without contact does. When the force
    of the contact reaches that of the pluck, near the end of the ramp, the string slips off: the
    hand lets go in `release`, while the edge, of radius r, recedes as a circle does under a string
    that slides with constant speed, d = r (1 - sqrt(1 - (t / release)^2)); then the tip is away.

    Parameters: tip; modes, of string and masses; mode, the index of its own; row, the index of its
    contact; sample_rate (Hz). """

    def __init__(self, tip: Tip, *, modes: int, mode: int, row: int, sample_rate: float) -> None:
        self._tip, self._row, self._sample_rate = tip, row, sample_rate
        self._modes, self._mode = modes, mode
        self._slip: float | None = None         # the step, not whole, at which the string slips off
        self._check: int | None = None          # the step of the next reading or of the removal
        self.push: Push | None = None           # the force of the hand

    def contact_row(self, modes: int) -> Row:
        """Return the row of the contact, without stiffness and, until a pluck, without shapes (M,)
        of some modes."""
        return Row(shape=array_of([0.0] * modes),
                   law=LawValues(exponent=self._tip.exponent, adhesive=False))

    @property
    def busy(self) -> bool:
        """Whether the tip is at the string."""
        return self._check is not None

    def next_check(self) -> list[int]:
        """The next step at which the force is read or the tip is removed."""
        return [] if self._check is None else [self._check]

    def start(self, sounding: StringNetwork, now: int, values: Mapping[str, float], *,
              shape: FloatArray, bridge_shape: float, on_slip: Callable[[int], None]) -> None:
        """Touch the string at its present displacement, at rest, and begin to push.

        Parameters: values, force (N), ramp and release (s); shape (M,), of the string in the
        direction of the pluck; bridge_shape, as of a Row; on_slip, called with the step at which
        the string slips off. """
        self._remove(sounding)
        kernel, tip = sounding.kernel, self._tip
        self._force, self._side = abs(values["force"]), math.copysign(1.0, values["force"])
        self._on_slip = on_slip
        y, v = kernel.displacement(), kernel.velocity()
        y[self._mode] = math.fsum(
            g * value for g, value in zip(shape.tolist(), y.tolist(), strict=True)
        ) + bridge_shape * kernel.bridge_displacement
        v[self._mode] = 0.0
        sounding.jump(y, v)
        contact = self._side * shape
        contact[self._mode] = -self._side
        kernel.set_row_shape(self._row, contact, self._side * bridge_shape)
        kernel.set_row(self._row, OFFSET, 0.0)
        kernel.set_row(self._row, DAMPING, tip.damping)
        kernel.set_row(self._row, STIFFNESS, tip.stiffness)
        ramp = values["ramp"] * self._sample_rate
        self._first = now + math.floor(HELD * ramp)
        self._last = now + math.ceil(2.0 * ramp + LONGER * self._sample_rate)
        self._release = values["release"] * self._sample_rate
        self._start_push(now, [
            0.5 * (1.0 + MORE) * (1.0 - elementary.cos(
                math.pi * min(1.0, PART * (n + 0.5) / ramp))) for n in range(self._last - now)])
        self._slip, self._check = None, now + CHECK
        self._read_at, self._read_force = float(now), 0.0

    def update(self, sounding: StringNetwork, now: int) -> None:
        """At a step of `next_check`: read the force of the contact, and let the string slip off if
        it is that of the pluck; or remove the tip."""
        if now != self._check:
            return
        if self._slip is not None:
            self._remove(sounding)
            return
        force, at = float(sounding.kernel.force()[self._row]), now - 0.5
        rise = (force - self._read_force) / (at - self._read_at)
        if (force >= self._force and now >= self._first) or now >= self._last:
            early = (force - self._force) / rise if rise > 0.0 else 0.0
            self._slip = min(max(at - early, self._read_at), float(now))
            self._let_go(now)
            return
        # the step before that at which it would slip, by the last rise of the force
        more = self._force - force
        steps = CHECK if rise * more <= 0.0 else math.floor(min(CHECK, more / rise))
        if force >= self._force:
            steps = min(CHECK, self._first - now)
        self._check = min(now + max(1, steps), self._last)
        self._read_at, self._read_force = at, force

    def _let_go(self, now: int) -> None:
        assert self._slip is not None
        end = max(now + 1, math.ceil(self._slip + self._release))
        self._start_push(now, [
            0.5 * (1.0 + elementary.cos(
                math.pi * min(1.0, (n + 0.5 - self._slip) / max(self._release, 1.0))))
            for n in range(now, end)])
        self._check = end
        self._on_slip(now)

    def controls(self, now: int, steps: int) -> tuple[list[int], list[int], FloatArray]:
        """Return rows and fields (Q,) and values (steps, Q) of the offsets in the coming steps."""
        if self._slip is None or self._check is None:
            return [], [], np.empty((steps, 0))
        depths = [_depth((n - self._slip) / max(self._release, 1.0))
                  for n in range(now + 1, now + 1 + steps)]
        return [self._row], [OFFSET], array_of([-self._tip.edge * d for d in depths]).reshape(-1, 1)

    def _start_push(self, now: int, parts: list[float]) -> None:
        """Replace the force of the hand by parts of that of the pluck, one a step."""
        weights = np.zeros(self._modes)
        weights[self._mode] = self._side * self._force
        self.push = Push(weights, now, array_of(parts))

    def _remove(self, sounding: StringNetwork) -> None:
        if not self.busy:
            return
        kernel = sounding.kernel
        kernel.set_row(self._row, STIFFNESS, 0.0)
        kernel.set_row(self._row, DAMPING, 0.0)
        self._check = self.push = None
        y, v = kernel.displacement(), kernel.velocity()
        y[self._mode] = v[self._mode] = 0.0
        sounding.jump(y, v)


def _depth(u: float) -> float:
    """Return the depth of a circle of radius 1 below its top, at a distance u from it."""
    return 1.0 - math.sqrt(max(0.0, 1.0 - u * u))
