"""An irregular mass that bounces: each contact has another lever arm, and changes its spin."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pysitar.kernels.modal.two_point import (
    DAMPING,
    OFFSET,
    PARTING,
    PARTING_BY_BLOCKS,
    TOUCH,
    TwoPoint,
)
from pysitar.physics.checks import FloatArray
from pysitar.physics.draws import uniforms

WATCHED = 3  # last outputs of a watched mass: compression, speed against the object, spin
FLIGHT, SPIN = 0, 1             # modes of a network with one mass
CONTACT_ROW, BRAKE_ROW = 0, 1
LOOK = 256                      # largest number of flight steps computed at once
WAIT = 64  # steps between two checks of a mass at rest, counted from step 0, as in the kernel
FOREVER = 1 << 30               # steps
BRAKE_TIME = 0.005              # s, time constant of the spin of a mass at rest


@dataclass(frozen=True, slots=True)
class Seat:
    """The modes and rows of a mass in a struck network: flight, spin, contact, and the brake of the
    spin."""

    flight: int = FLIGHT
    spin: int = SPIN
    contact: int = CONTACT_ROW
    brake: int = BRAKE_ROW


class IrregularBall:
    """The lever arm of an irregular mass on a struck network.

    In flight the lever arm is 0. At the start of a contact a new one is drawn, on the side that
    moves down. When a contact has lasted until the impulse of the weight equals that of the blow,
    the mass is at rest: the lever arm is 0 again, and the spin is damped. The rotation during a
    contact is kept in the row's offset, so the compression is continuous and the energy is
    conserved.

    Parameters: kernel; shape, of the contact row (M,); gravity (m/s^2); max_lever, the largest
    lever arm (m); inertia (kg m^2); seed and name, from which the lever arms are drawn; seat, of
    the mass. """

    def __init__(
            self,
            kernel: TwoPoint,
            *,
            shape: FloatArray,
            sample_rate: float,
            gravity: float,
            max_lever: float,
            inertia: float,
            seed: int,
            name: str = "lever",
            seat: Seat = Seat(),
    ) -> None:
        self.kernel, self.inertia = kernel, inertia
        self._name, self._seat = name, seat
        self._rate, self._gravity = sample_rate, gravity
        self._max_lever, self._seed = max_lever, seed
        self._shape = np.array(shape)
        self._stiff, _, self._passes = (values.tolist() for values in kernel.coefficients)
        self._contacts = 0
        self._offset = 0.0
        self._has_contact = self._is_resting = False
        self._rest_from = 0.0       # steps

    @property
    def lever(self) -> float:
        """The lever arm, m."""
        return -float(self._shape[self._seat.spin])

    @property
    def offset(self) -> float:
        """The offset of the contact row, m, from the rotation in contacts."""
        return self._offset

    @property
    def brake(self) -> float:
        """The resistance of the brake of the spin, kg m^2/s; 0 unless the mass is at rest."""
        return self.inertia / BRAKE_TIME if self._is_resting else 0.0

    @property
    def is_resting(self) -> bool:
        """Whether the mass is at rest on the object."""
        return self._is_resting

    @property
    def is_flying(self) -> bool:
        """Whether the mass is in flight, with lever arm 0."""
        return not (self._is_resting or self._has_contact)

    def move_to(self, kernel: TwoPoint, shape: FloatArray, seat: Seat) -> None:
        """Continue on another network, where the contact row of the mass, in flight, has a shape
        (M,)."""
        lever = self.lever
        self.kernel, self._seat, self._shape = kernel, seat, np.array(shape)
        self._shape[seat.spin] = -lever
        self._stiff, _, self._passes = (values.tolist() for values in kernel.coefficients)

    def begin(self) -> None:
        """Restart in flight, without spin."""
        self._start_flight()
        y, v = self.kernel.displacement(), self.kernel.velocity()
        y[self._seat.spin] = v[self._seat.spin] = 0.0
        self._offset = 0.0
        self.kernel.set_row(self._seat.contact, OFFSET, 0.0)
        self.kernel.set_state(y, v)

    def advance(self, out: FloatArray, ledger: FloatArray, force: float, *, watched: bool) -> None:
        """Fill outputs (n, N) and ledger (n, 6) of the next n steps under a force on the flight
        (N).

        The result does not depend on how steps are divided into calls.

        Parameters: watched, whether the third output from the last is the displacement of the mass
        less that of the object; it becomes the compression. """
        done, steps = 0, out.shape[0]
        forces = np.full((steps, 1), force)
        compressions = np.empty(steps if watched else 0)
        while done < steps:
            self.steps_to_change()
            stop = min(done + self.steps_while_watched(), steps)
            watch_balls(self.kernel, [self], compressions[done:])
            count = self.kernel.advance(stop - done, out[done:stop], forces=forces[done:stop],
                                        energies=ledger[done:stop], every=1)
            part = out[done:done + count]
            if watched and self.lever == 0.0:
                part[:, -WATCHED] += self._offset
            elif watched:
                part[:, -WATCHED] = compressions[done:done + count]
            done += count
        watch_balls(self.kernel, [])

    def steps_to_change(self, nearest: float | None = None) -> int:
        """Update the lever arm, and return the number of steps for which it is then constant.

        Parameters: nearest, the largest displacement (m) of the object towards the mass within 256
        steps (None: only this mass acts on it). """
        now = self.kernel.count
        if self._is_resting and now % WAIT == 0 and not self._is_in_contact():
            self._start_flight()
        if self._is_resting:
            return WAIT - now % WAIT
        if self._has_contact and self._is_in_contact():
            if now < self._rest_from:
                return 1
            self._start_rest()
            return WAIT - now % WAIT
        if self._has_contact:
            self._start_flight()
        steps = self._clear_steps(nearest)
        if steps == 0 and self._will_touch():
            self._start_contact()
        return max(steps, 1)

    def steps_while_watched(self) -> int:
        """Return the number of steps, from a step of `steps_to_change`, after which the lever arm
        must be updated although `watch_balls` has not ended the call."""
        if self._has_contact and not self._is_resting and self._rest_from < math.inf:
            return max(math.ceil(self._rest_from) - self.kernel.count, 1)
        return FOREVER

    @property
    def watch(self) -> tuple[int, int, float]:
        """The row, the change that it is watched for, and its displacement by the weight in a step
        (m)."""
        kind = PARTING if self._has_contact else TOUCH
        return (self._seat.contact, PARTING_BY_BLOCKS if self._is_resting else kind,
                self._weight_shift)

    @property
    def _weight_shift(self) -> float:
        """The displacement of the row by the weight in a step of free flight, m."""
        fall = 0.5 * self._gravity / (self._rate * self._rate)
        return fall * float(self._shape[self._seat.flight])

    def _start_flight(self) -> None:
        self._set_lever(0.0)
        self.kernel.set_row(self._seat.brake, DAMPING, 0.0)
        self._has_contact = self._is_resting = False

    def _start_contact(self) -> None:
        """Start a contact with a drawn lever arm."""
        draw, = uniforms(seed=self._seed, name=self._name, start=self._contacts, count=1)
        self._contacts += 1
        lever = self._max_lever * (2.0 * draw - 1.0)
        spin, speed = float(self.kernel.velocity()[self._seat.spin]), self._speed()
        if speed + lever * spin <= 0.0:
            lever = -lever
        speed += lever * spin
        if speed <= self._gravity / self._rate:
            self._start_rest()
            return
        self._set_lever(lever)
        self._has_contact = True
        self._rest_from = math.inf
        if self._gravity > 0.0:
            self._rest_from = self.kernel.count + speed / self._gravity * self._rate

    def _start_rest(self) -> None:
        self._set_lever(0.0)
        self.kernel.set_row(self._seat.brake, DAMPING, self.inertia / BRAKE_TIME)
        self._is_resting = True

    def _set_lever(self, lever: float) -> None:
        """Set the lever arm at constant compression."""
        y, v = self.kernel.displacement(), self.kernel.velocity()
        self._offset += self.lever * float(y[self._seat.spin])
        y[self._seat.spin] = 0.0
        self.kernel.set_row(self._seat.contact, OFFSET, self._offset)
        self.kernel.set_state(y, v)                 # without work by the change of the offset
        self._shape[self._seat.spin] = -lever
        self.kernel.set_row_shape(self._seat.contact, self._shape)

    def _speed(self) -> float:
        """Return the speed (m/s) of the contact point of the mass towards the object."""
        return -math.fsum([
            a * b for a, b in zip(self._shape.tolist(),
                                  self.kernel.velocity().tolist(), strict=True)
        ])

    def _is_in_contact(self) -> bool:
        return float(self.kernel.compression()[self._seat.contact]) > 0.0 or self._speed() > 0.0

    def _will_touch(self) -> bool:
        """Return whether the next step begins a contact."""
        moved = [self._weight_shift]
        half = 0.5 / self._rate
        for shape, y, v, stiff, passes in zip(self._shape.tolist(),
                                              self.kernel.displacement().tolist(),
                                              self.kernel.velocity().tolist(), self._stiff,
                                              self._passes, strict=True):
            moved.append(shape * 2.0 * passes * (half * v - stiff * y))
        return float(self.kernel.compression()[self._seat.contact]) - math.fsum(moved) > 0.0

    def _flight(self) -> tuple[float, float]:
        """Place (m) and speed (m/s) against the object at rest, as `object_reach` returns them."""
        place, speed = self._offset, 0.0
        y, v = self.kernel.displacement(), self.kernel.velocity()
        for mode in (self._seat.flight, self._seat.spin):
            part = float(self._shape[mode])
            place -= part * float(y[mode])
            speed -= part * float(v[mode])
        return place, speed

    def _clear_steps(self, nearest: float | None) -> int:
        """Return a number of steps, at most 256, certainly without contact."""
        if nearest is None:
            place, speed, amplitude = object_reach(self.kernel, self._shape, self._stiff,
                                                   offset=self._offset, sample_rate=self._rate)
        else:
            place, speed, amplitude = *self._flight(), nearest
        margin = 1e-9 * (abs(place) + amplitude)
        steps = LOOK if place + amplitude < -margin else 0
        while steps:
            time = steps / self._rate
            if place + amplitude + time * (speed + 0.5 * self._gravity * time) < -margin:
                break
            steps //= 2
        return steps


def watch_balls(kernel: TwoPoint, balls: Sequence[IrregularBall],
                compressions: FloatArray | None = None) -> None:
    """Let the kernel end a call before a step at which the lever arm of a ball may change.

    Parameters: compressions, m, receives that of the first ball before each step.
    """
    watches = [ball.watch for ball in balls]
    rows, kinds, shifts = zip(*watches, strict=True) if watches else ((), (), ())
    kernel.set_watch(np.array(rows, dtype=np.int32), np.array(kinds, dtype=np.int32),
                     np.array(shifts, dtype=np.float64), compressions)


def object_reach(
    kernel: TwoPoint, shape: FloatArray, stiff: list[float], *, offset: float, sample_rate: float,
) -> tuple[float, float, float]:
    """Return position of a mass relative to the object at rest (m, below 0 above it), its speed
    towards it (m/s), and the largest displacement (m) of the object towards it, by the amplitudes
    that the energies of its modes allow.

    Parameters: shape, of its contact row (M,); stiff, A of the modes (M,); offset, of the row (m).
    """
    half = 0.5 / sample_rate
    place, speed, amplitude = offset, 0.0, 0.0
    for part, y, v, a in zip(shape.tolist(),
                             kernel.displacement().tolist(),
                             kernel.velocity().tolist(), stiff, strict=True):
        if a > 0.0:
            amplitude += abs(part) * math.sqrt(y * y + (half * v) * (half * v) / a)
        else:
            place -= part * y
            speed -= part * v
    return place, speed, amplitude
