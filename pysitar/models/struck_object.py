"""An object that is played: balls strike it, are dropped on it and roll over it, several at a time, on one network."""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pysitar.errors import ParameterError, RenderError
from pysitar.kernels import elementary
from pysitar.kernels.two_point import DAMPING, OFFSET, STIFFNESS, TwoPoint
from pysitar.models.course import Course
from pysitar.models.gestures import Action, Agenda
from pysitar.models.impact import QUIET
from pysitar.models.network import CONTACT, HIGHEST, LINEAR, Row, network
from pysitar.models.rolled_track import GRAVITY, RolledTrack
from pysitar.models.sounding import AUDIT, IntArray, Sounding, stored_energy
from pysitar.models.struck import ObjectSpec
from pysitar.models.tumbling import LOOK, Seat, Tumbling, reach
from pysitar.physics.checks import FloatArray, array_of

AT_ONCE = 8                     # balls of one kind on an object
MOST_SEATS = 64                 # balls of all kinds
QUIET_SPEED = 1e-3              # of the speed with which a ball comes down, under which it counts as quiet
FLOWN = 512                     # steps between two looks whether a ball has flown away, counted from step 0
QUIET_ROLL = 1e-5               # m/s, of a ball that stands
MOMENT = 0.4                    # of inertia, of a ball: times mass radius^2


@dataclass(frozen=True, slots=True)
class Planned:
    """An event to come: its values, SI, by their names, and the courses of those that move."""

    values: Mapping[str, float]
    courses: Mapping[str, Course] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kind:
    """What balls must have in common to take the same seat: mass (kg), exponent, moment of inertia (kg m^2; 0: it does not spin)."""

    mass: float
    exponent: float
    inertia: float


@dataclass(slots=True, eq=False)
class Ball:
    """A ball on its seat.

    Parameters: seat; kind; shape, of the seat's contact row (M,); then, of a ball that is there: verb ("": none is), weight (N), limit
    (m/s) of its speed against the object, under which it is quiet, loud, the last step at which it was not or still rolled; stop, the
    step at which it is taken off whatever it does; tumbling, track.
    """

    seat: Seat
    kind: Kind
    shape: FloatArray
    verb: str = ""
    weight: float = 0.0
    limit: float = 0.0
    loud: float = 0.0
    stop: float = math.inf
    tumbling: Tumbling | None = None
    track: RolledTrack | None = None


def kind_of(values: Mapping[str, float]) -> Kind:
    """The kind of ball that an event's values ask for."""
    spins = values.get("irregularity", 0.0) > 0.0
    return Kind(values["mass"], values["exponent"], MOMENT * values["mass"] * values["radius"] * values["radius"] if spins else 0.0)


class StruckObject:
    """One object of an instrument, at rest until it is played.

    Parameters: spec; planned, all events to come, in the order in which they are played; sample_rate, internal (Hz); floor (dB) of
    silence; name, as errors tell it and of which all that is random is drawn; seed; traced, that `traces` is asked for.
    Errors: ParameterError.
    """

    def __init__(
        self, spec: ObjectSpec, *, planned: Sequence[Planned], sample_rate: float, floor: float, name: str, seed: int,
        traced: bool = False,
    ) -> None:
        self.spec, self.name, self.traced = spec, name, traced
        self._rate, self._seed, self._planned = sample_rate, seed, tuple(planned)
        self._quiet = math.ceil(QUIET * sample_rate)          # steps
        self._body, self._weights, self._places = spec.below(HIGHEST * sample_rate)
        kinds = [kind for kind, count in Counter(kind_of(event.values) for event in planned).items() for _ in range(min(count, AT_ONCE))]
        if len(kinds) > MOST_SEATS:
            raise ParameterError("balls", len(kinds), f"balls of so many masses and exponents; at most {MOST_SEATS} would be right")
        self._first = sum(2 if kind.inertia else 1 for kind in kinds)          # of the object's modes
        self.balls = self._seats(kinds)
        self._kernel = kernel = self._network()
        self._set_outputs()
        self.sounding = Sounding(kernel, name=name, sample_rate=sample_rate, floor=floor, outputs=len(kinds) + (3 if traced else 1),
                                 recorded=True)
        self._stiff = kernel.coefficients[0].tolist()
        self._springs = [4.0 * mass * sample_rate * sample_rate * a for mass, a in zip(
            self._body.masses.tolist(), self._stiff[self._first:], strict=True)]          # N/m, of each mode: the scheme's own
        self._agenda = Agenda()
        self._drawn = Counter({"drop": 0, "roll": 0})
        self._kept: list[tuple[FloatArray, FloatArray]] = []

    @property
    def waiting(self) -> bool:
        """Whether something is still to be played, or a ball bounces or rolls."""
        return bool(self._agenda) or any(ball.weight > 0.0 for ball in self.balls)

    def play(self, verb: str, step: int, values: Mapping[str, float]) -> None:
        """Puts an event into the future, not before those that were put in: verb, "strike", "drop" or "roll"; values as bound, SI."""
        self._agenda.put(verb, step, values)

    def traces(self) -> dict[str, FloatArray]:
        """Takes out what the object was doing since the last time, each step, if it is traced.

        Returns: "velocity" (n,), m/s, as it is heard; "displacement" (n,), m, where it is struck; "contact_force" (n,), N, of all balls
        together; "energy" (k, 6), J, of each step that 64 divides: see TwoPoint.energy.
        """
        outputs = np.concatenate([np.empty((0, 3)), *(outputs for outputs, _ in self._kept)])
        energy = np.concatenate([np.empty((0, 6)), *(energy for _, energy in self._kept)])
        self._kept = []
        return {"velocity": outputs[:, 0], "displacement": outputs[:, 1], "contact_force": outputs[:, 2], "energy": energy}

    def advance(self, out: FloatArray) -> None:
        """Computes out.size internal steps: the weighted velocity of the object's modes, m/s.

        Errors: RenderError, an energy balance that does not hold, or too many balls at a time.
        """
        done = 0
        while done < out.size:
            now = self.sounding.step
            self._look(now)
            for blow in self._agenda.due(now):
                self._begin(blow, now)
            end = min(out.size - done, self._steps_alike(now))
            self._compute(out[done:done + end], now)
            done += end

    def _seats(self, kinds: Sequence[Kind]) -> list[Ball]:
        found = []
        mode, brake = 0, len(kinds)
        for row, kind in enumerate(kinds):
            seat = Seat(mode, mode + 1, row, brake) if kind.inertia else Seat(mode, -1, row, -1)
            shape = np.zeros(self._first + self._body.count)
            shape[mode] = -1.0
            shape[self._first:] = self._body.shapes
            found.append(Ball(seat, kind, shape))
            mode, brake = mode + (2 if kind.inertia else 1), brake + (1 if kind.inertia else 0)
        return found

    def _network(self) -> TwoPoint:
        """All seats empty: their rows have no stiffness."""
        rows = [Row(shape=ball.shape, kind=CONTACT, exponent=ball.kind.exponent, adhesive=False) for ball in self.balls]
        masses = []
        for ball in self.balls:
            masses += [ball.kind.mass, ball.kind.inertia] if ball.kind.inertia else [ball.kind.mass]
            if ball.kind.inertia:
                spin = np.zeros(ball.shape.size)
                spin[ball.seat.spin] = 1.0
                rows.append(Row(shape=spin, kind=LINEAR))
        none = np.zeros(self._first)
        return network(
            angular_frequencies=np.concatenate([none, self._body.angular_frequencies]),
            decay_rates=np.concatenate([none, self._body.decay_rates]), masses=np.concatenate([array_of(masses), self._body.masses]),
            rows=rows, sample_rate=self._rate)

    def _set_outputs(self) -> None:
        """What is heard, if it is traced displacement and force, then the speed of each ball against the object."""
        kernel, first = self._kernel, 3 if self.traced else 1
        y, v = (np.zeros((first + len(self.balls), kernel.modes)) for _ in range(2))
        f = np.zeros((y.shape[0], kernel.rows))
        v[0, self._first:] = self._weights
        if self.traced:
            y[1, self._first:] = self._body.shapes
            f[2, :len(self.balls)] = 1.0
        for j, ball in enumerate(self.balls, start=first):
            v[j] = ball.shape
        kernel.set_outputs(y, v, f)

    def _steps_alike(self, now: int) -> int:
        """For how many steps from now nothing begins or ends, and no ball needs to be looked at."""
        there = [ball for ball in self.balls if ball.verb]
        ends = self._agenda.next_start + [self._next_look(ball, now) for ball in there]
        steps = min(ends, default=math.inf) - now
        irregular = [ball.tumbling for ball in there if ball.tumbling is not None]
        if irregular:
            nearest = None if len(there) == 1 else self._farthest(there)
            steps = min(steps, *(tumbling.steps_alike(nearest) for tumbling in irregular))
        return int(min(steps, 1 << 30))

    def _farthest(self, there: Sequence[Ball]) -> float:
        """How far (m) the object's surface may come within 256 steps: no farther than all energy that is there would bring it.

        The weights' power is at most g sqrt(2 M H), M all mass: so sqrt(H) rises by at most g t sqrt(M / 2). A surface that is rolled
        over may do any work.
        """
        if any(ball.track is not None for ball in there):
            return math.inf
        mass = math.fsum([ball.kind.mass for ball in there])
        root = math.sqrt(stored_energy(self._kernel)) + GRAVITY * LOOK / self._rate * math.sqrt(0.5 * mass)
        yielding = max((_product(ball.shape[self._first:], self._dent(ball, 1.0)) for ball in there), default=0.0)          # m/N
        return root * math.sqrt(2.0 * yielding)

    def _next_look(self, ball: Ball, now: int) -> float:
        """The step after now at which a ball may be taken off, at the earliest."""
        if ball.verb == "strike":
            return _multiple(now + 1, FLOWN)
        rests = max(now + 1, ball.loud + self._quiet)
        return min(ball.stop, _multiple(int(rests), AUDIT) if rests < math.inf else math.inf)

    def _look(self, now: int) -> None:
        """Takes off the balls that have flown away, that rest, and whose time is over."""
        for ball in self.balls:
            if ball.verb == "strike" and now % FLOWN == 0:
                place, speed, amplitude = reach(self._kernel, ball.shape, self._stiff, offset=0.0, sample_rate=self._rate)
                over = speed < 0.0 and place + amplitude < 0.0
            else:
                rests = ball.weight > 0.0 and now % AUDIT == 0 and now - ball.loud >= self._quiet
                over = (rests and (ball.tumbling is None or ball.tumbling.lies)) or now >= ball.stop
            if over:
                self._take_off(ball)

    def _begin(self, blow: Action, now: int) -> None:
        kind = kind_of(blow.values)
        free = [ball for ball in self.balls if ball.kind == kind and not ball.verb]
        if not free:
            raise RenderError(self.name, now / self._rate, (
                f"{AT_ONCE} balls of {kind.mass:g} kg are on it, and no more have room; a later time, or another instance, would be right"))
        ball = free[0]
        self._move(ball, self._places[round(blow.values.get("place", 0.0))])
        ball.verb, ball.loud, ball.limit, ball.stop = blow.kind, now, math.inf, math.inf
        self.sounding.wake(anew=True)
        {"strike": self._strike, "drop": self._drop, "roll": self._roll}[blow.kind](ball, blow, now)

    def _strike(self, ball: Ball, blow: Action, now: int) -> None:
        values = blow.values
        self._put(ball, gap=0.0, velocity=values["velocity"])
        self._touch(ball, values)

    def _drop(self, ball: Ball, blow: Action, now: int) -> None:
        values = blow.values
        ball.weight = ball.kind.mass * GRAVITY
        ball.limit = max(QUIET_SPEED * math.sqrt(2.0 * GRAVITY * values["height"]), QUIET_ROLL)
        self._put(ball, gap=values["height"], velocity=0.0)
        self._touch(ball, values)
        self._drawn["drop"] += 1
        if ball.kind.inertia:
            ball.tumbling = Tumbling(
                self._kernel, shape=ball.shape, sample_rate=self._rate, gravity=GRAVITY, seat=ball.seat,
                reach=values["irregularity"] * values["radius"], inertia=ball.kind.inertia, seed=self._seed,
                name=f"{self.name}.drop{self._drawn['drop']}")

    def _roll(self, ball: Ball, blow: Action, now: int) -> None:
        """The ball is laid on the object: both are at rest under its weight."""
        values = blow.values
        self._drawn["roll"] += 1
        ball.track = RolledTrack(values, speed=self._planned[blow.order - 1].courses.get("velocity"), start=now, sample_rate=self._rate,
                                 seed=self._seed, surface=f"{self.name}.surface", way=f"{self.name}.roll{self._drawn['roll']}")
        ball.weight, ball.limit = ball.kind.mass * GRAVITY, QUIET_ROLL
        ball.stop = now + max(1, round(values["duration"] * self._rate))
        ball.loud = ball.track.stands_at
        self._kernel.set_row(ball.seat.contact, OFFSET, ball.track.height)
        deep = elementary.pow(ball.weight / values["stiffness"], 1.0 / values["exponent"])
        self._put(ball, gap=ball.track.height - deep, velocity=0.0, load=ball.weight)
        self._touch(ball, values)

    def _move(self, ball: Ball, shapes: FloatArray) -> None:
        """Puts an empty seat where the object has other shapes."""
        if np.array_equal(ball.shape[self._first:], shapes):
            return
        ball.shape = ball.shape.copy()
        ball.shape[self._first:] = shapes
        self._kernel.set_row_shape(ball.seat.contact, ball.shape)
        self._set_outputs()

    def _dent(self, ball: Ball, load: float) -> list[float]:
        """How far each of the object's modes gives under a load (N) where a ball is."""
        return [load * shape / spring for shape, spring in zip(ball.shape[self._first:].tolist(), self._springs, strict=True)]

    def _touch(self, ball: Ball, values: Mapping[str, float]) -> None:
        self._kernel.set_row(ball.seat.contact, STIFFNESS, values["stiffness"])
        self._kernel.set_row(ball.seat.contact, DAMPING, values["damping"])

    def _put(self, ball: Ball, *, gap: float, velocity: float, load: float = 0.0) -> None:
        """Puts a ball over the object (m), at a speed towards it, and a load on the object (N), with which the other balls sink."""
        kernel = self._kernel
        y, v = kernel.displacement(), kernel.velocity()
        if load != 0.0:
            sinks = self._dent(ball, load)
            y[self._first:] = [value + sink for value, sink in zip(y[self._first:].tolist(), sinks, strict=True)]
            for other in self.balls:
                if other.verb and other is not ball:
                    y[other.seat.flight] += _product(other.shape[self._first:], sinks)
        surface = _product(ball.shape[self._first:], y[self._first:].tolist())
        y[ball.seat.flight] = surface - gap if ball.verb else 0.0
        v[ball.seat.flight] = velocity
        if ball.kind.inertia:
            y[ball.seat.spin] = v[ball.seat.spin] = 0.0
        self.sounding.jump(y, v)

    def _take_off(self, ball: Ball) -> None:
        """Takes a ball off, with the dent under its weight: the object's velocity stays, and nothing is heard of it."""
        kernel = self._kernel
        for field_of_row in (STIFFNESS, DAMPING, OFFSET):
            kernel.set_row(ball.seat.contact, field_of_row, 0.0)
        if ball.tumbling is not None:
            kernel.set_row(ball.seat.brake, DAMPING, 0.0)
            kernel.set_row_shape(ball.seat.contact, ball.shape)
        ball.verb = ""
        self._put(ball, gap=0.0, velocity=0.0, load=-ball.weight)
        ball.weight, ball.stop, ball.tumbling, ball.track = 0.0, math.inf, None, None

    def _compute(self, out: FloatArray, now: int) -> None:
        """Steps during which no ball comes or goes."""
        kernel, n = self._kernel, out.size
        heavy = [ball for ball in self.balls if ball.weight > 0.0]
        shapes = np.zeros((len(heavy), kernel.modes))
        for j, ball in enumerate(heavy):
            shapes[j, ball.seat.flight] = 1.0
        kernel.set_inputs(shapes)
        forces = np.tile(array_of([ball.weight for ball in heavy]), (n, 1))
        rolling = [(ball.seat.contact, ball.track) for ball in self.balls if ball.track is not None]
        controls = np.zeros((n, len(rolling)))
        for j, (_, track) in enumerate(rolling):
            controls[:, j] = track.heights(now, n)
        fields: IntArray = np.full(len(rolling), OFFSET, dtype=np.int32)
        self.sounding.advance(out, forces=forces, control_rows=np.array([row for row, _ in rolling], dtype=np.int32), control_fields=fields,
                              controls=controls)
        outputs, energies = self.sounding.taken()
        first = 3 if self.traced else 1
        if self.traced:
            self._kept.append((outputs[:, :first], energies))
        for j, ball in enumerate(self.balls, start=first):
            loud = np.flatnonzero(np.abs(outputs[:, j]) > ball.limit)
            if ball.verb and loud.size:
                ball.loud = max(ball.loud, now + int(loud[-1]))


def _product(shapes: FloatArray, values: list[float]) -> float:
    """The sum of shapes (M,) times values (M,)."""
    return math.fsum([shape * value for shape, value in zip(shapes.tolist(), values, strict=True)])


def _multiple(step: int, of: int) -> int:
    """The first multiple from a step on."""
    return -(-step // of) * of
