"""A played object: balls strike it, fall on it and roll over it, several at a time, and a bow rubs
it, in one network."""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from pysitar.errors import Place, RenderError
from pysitar.gestures.balls import MOST_SEATS
from pysitar.gestures.base import Player
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.kernels.core import elementary
from pysitar.kernels.modal.two_point import DAMPING, OFFSET, STIFFNESS
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.models.network.agenda import Action, Agenda
from pysitar.models.network.audited import AUDIT, AuditedNetwork, stored_energy
from pysitar.models.network.curve import ValueCurve
from pysitar.models.network.network import HIGHEST
from pysitar.models.objects.bowing import ObjectBowing
from pysitar.models.objects.head_tension import HeadTension
from pysitar.models.objects.impact import QUIET
from pysitar.models.objects.internal_rows import settle
from pysitar.models.objects.irregular_ball import (
    LOOK,
    IrregularBall,
    object_reach,
    watch_balls,
)
from pysitar.models.objects.lifting import end_ball, plan_end, weight_inputs, weight_parts
from pysitar.models.objects.rolling_path import RollingPath, explain_balance
from pysitar.models.objects.seats import (
    Ball,
    Kind,
    exact_gravity,
    flights_of,
    free_seats,
    kind_of,
    modes_of,
    seated_network,
)
from pysitar.physics.checks import FloatArray

AT_ONCE = 8                     # seats for balls of one kind at the start
SEATS = 64                      # seats for balls of all kinds at the start; more are added later
SPARE = 64                      # free seats that are kept
CROWD_LOOK = 512                # steps between two checks of a crowd, counted from step 0
# steps that a ball must be clear of the object to fly with its contact switched off
CLEAR = 2 * CROWD_LOOK
# most regular and most irregular balls that hop on a crowded object; of more, those whose energy is
# below SPENT times their first energy are removed
HOPPING = (32, 8)
SPENT = 1e-3
QUIET_SPEED = 1e-3  # of the speed of a ball at its first contact: below it counts as quiet
FLOWN = 512  # steps between two checks for a ball that has flown away, counted from step 0
QUIET_ROLL = 1e-5               # m/s, of a ball that stands


@dataclass(frozen=True, slots=True)
class PlannedEvent:
    """A scheduled event: its values (SI) by name, the curves of changing values, and the place of
    its row."""

    values: Mapping[str, float]
    curves: Mapping[str, ValueCurve] = field(default_factory=dict)
    place: Place | None = None


class StruckObject(Player):
    """One object of an instrument, at equilibrium until it is played.

    Parameters: spec; planned, all events to come, in the order in which they are played;
    sample_rate, internal (Hz); floor (dB) of silence; name, as error messages show it and from
    which random numbers are drawn; seed; traced, whether `traces` is used. Errors: ParameterError.
    """

    def __init__(
        self,
        spec: ObjectSpec,
        *,
        planned: Sequence[PlannedEvent],
        sample_rate: float,
        floor: float,
        name: str,
        seed: int,
        traced: bool = False,
    ) -> None:
        self.spec, self.name, self.traced = spec, name, traced
        self.sample_rate, self._seed, self._planned = sample_rate, seed, tuple(planned)
        self._gravity = exact_gravity(sample_rate)
        self._quiet = math.ceil(QUIET * sample_rate)          # steps
        balls = [event.values for event in planned if "mass" in event.values]
        # below it at the highest tension
        self._highest = HIGHEST * sample_rate / math.sqrt(_highest_tension(planned))
        self._body, self._weights, self._places = spec.modes_below(self._highest)
        self._slopes = spec.slopes_below(self._highest)
        self._tension = HeadTension(sample_rate)
        self._stored_tension = 1.0
        kinds = [kind for kind, count in Counter(map(kind_of, balls)).items()
                 for _ in range(min(count, AT_ONCE))][:SEATS]
        self._first = modes_of(kinds)          # of the object's modes
        self.balls = free_seats(kinds, self._body.shapes)
        self._bow = self._planned_bow()
        self._kernel = kernel = seated_network(self.balls, self._body, sample_rate,
                                               slopes=self._slopes, bow=self._bow)
        settle(kernel, self._body)
        self._own_outputs = 3 if traced else 1
        # near the object: their speed against it is an output, after those
        self._watched: list[Ball] = []
        self._heavy = False                    # whether any ball has a weight
        self._inputs = 0                       # weights of balls in the network
        self._set_outputs()
        self.sounding = AuditedNetwork(kernel, name=name, sample_rate=sample_rate, floor=floor,
                                       outputs=self._own_outputs, recorded=True)
        self._stiff = kernel.coefficients[0].tolist()
        self._springs = [4.0 * mass * sample_rate * sample_rate * a for mass, a in zip(
            # N/m, of each mode: the scheme's own
            self._body.masses.tolist(), self._stiff[self._first:], strict=True)]
        # m/N
        self._compliance = [
            _product(shapes, self._static_displacement(shapes, 1.0)) for shapes in self._places
        ]
        # of an object by size: shapes and compliance, by the point
        self._points: dict[tuple[float, ...], tuple[FloatArray, float]] = {}
        self._changed = False  # whether outputs and weights are those of other balls
        self._is_watching = False           # whether the kernel watches irregular balls
        self._crowded = False  # whether there were more balls than the first seats had room for
        self._agenda = Agenda()
        # the actions of gestures
        self.actions: dict[str, Callable[[Action, int], None]] = {
            "hit": partial(self._begin, self._hit), "fall": partial(self._begin, self._fall),
            "roll over": partial(self._begin, self._roll), "tighten": self._tighten,
            "stroke": self._start_stroke,
        }
        self._drawn = Counter({"fall": 0, "roll over": 0})
        self._trace_parts: list[tuple[FloatArray, FloatArray]] = []

    def _planned_bow(self) -> ObjectBowing | None:
        """Return the bow of the object; None if no event plays it."""
        if not any("held" in event.values for event in self._planned):
            return None
        return ObjectBowing(self.spec.bow, lambda values: self._point(values)[0],
                            sample_rate=self.sample_rate)

    @property
    def waiting(self) -> bool:
        """Whether something is still to be played, or a ball bounces or rolls, or the bow plays."""
        return (bool(self._agenda) or self._is_bowed
                or any(ball.weight > 0.0 for ball in self.balls))

    @property
    def _is_bowed(self) -> bool:
        """Whether the bow is on the object."""
        return self._bow is not None and self._bow.is_playing

    def play(self, verb: str, step: int, values: Mapping[str, float], hz: float | None = None,
             curves: Mapping[str, ValueCurve] | None = None) -> None:
        """Schedule an event, not before those that were put in: verb, of a gesture on objects,
        which schedules one action; values as bound, SI; hz and curves, none."""
        BY_MODEL["impact"][verb].begin(self, step, values, {})

    @property
    def now(self) -> int:
        """The present step."""
        return self.sounding.step

    def schedule(self, kind: str, step: int, values: Mapping[str, float],
                 curve: ValueCurve | None = None) -> None:
        """Schedule an action: a ball hits the object, falls on it or rolls over it, or a bow."""
        self._agenda.put(kind, step, values)

    def traces(self) -> dict[str, FloatArray]:
        """Take out what the object was doing since the last time, each step, if it is traced.

        Returns: "velocity" (n,), m/s, the output; "displacement" (n,), m, where it is struck;
        "contact_force" (n,), N, of all balls together; "energy" (k, 6), J, of each step that 64
        divides: see TwoPoint.energy. """
        outputs = np.concatenate([np.empty((0, 3)), *(outputs for outputs, _ in self._trace_parts)])
        energy = np.concatenate([np.empty((0, 6)), *(energy for _, energy in self._trace_parts)])
        self._trace_parts = []
        return {"velocity": outputs[:, 0], "displacement": outputs[:, 1],
                "contact_force": outputs[:, 2], "energy": energy}

    def advance(self, out: FloatArray) -> None:
        """Compute out.size internal steps: the weighted velocity of the object's modes, m/s.

        Errors: RenderError, an energy balance that does not hold, or too many balls at a time.
        """
        done = 0
        while done < out.size:
            now = self.sounding.step
            self._remove_finished(now)
            if self._bow is not None:
                self._bow.update(self._kernel, now)
            due = list(self._agenda.due(now))
            for action in due:
                self.actions[action.kind](action, now)
            self._update_network()
            # what begins may throw the surface further
            if self._crowded and (due or now % CROWD_LOOK == 0):
                self._switch_contacts(now)
                self._update_network()
            try:
                done += self._compute(out[done:done + self._steps_to_change(now)], now)
            except RenderError as error:
                tracks = [ball.track for ball in self._watched if ball.track is not None]
                raise explain_balance(error, tracks) from None

    def _set_outputs(self) -> None:
        """Set the outputs: the sound, displacement and force if traced, then the speed of each near
        ball relative to the object."""
        kernel, first = self._kernel, self._own_outputs
        self._watched = [ball for ball in self.balls if ball.action and not ball.is_airborne]
        y, v = (np.zeros((first + len(self._watched), kernel.modes)) for _ in range(2))
        f = np.zeros((y.shape[0], kernel.rows))
        v[0, self._first:] = self._weights
        if self.traced:
            y[1, self._first:] = self._body.shapes
            f[2, :len(self.balls)] = 1.0
        for j, ball in enumerate(self._watched, start=first):
            v[j] = ball.shape
        kernel.set_outputs(y, v, f)

    def _steps_to_change(self, now: int) -> int:
        """Return the number of steps until something begins or ends, or a ball must be checked."""
        near = self._watched
        ends = self._agenda.next_start + [self._next_check(ball, now) for ball in near]
        if self._bow is not None:
            ends += self._bow.next_change(now)
        if self._crowded and self._heavy:
            ends.append(_multiple(now + 1, CROWD_LOOK))
        steps = min(ends, default=math.inf) - now
        irregular = [ball.irregular_ball for ball in near if ball.irregular_ball is not None]
        if irregular:
            alone = len(near) == 1 and not self._is_bowed
            nearest = None if alone else self._surface_amplitude(near)
            clear = min(irregular_ball.steps_to_change(nearest) for irregular_ball in irregular)
            # the heights of a track are for whole calls; the balls know the stored tension alone
            if (self._is_driven(near) or self._kernel.tension != 0.0
                    or self._tension.moves_at(now)):
                irregular = []
            else:
                clear = min(ball.steps_while_watched() for ball in irregular)
            watch_balls(self._kernel, irregular)
            steps, self._is_watching = min(steps, clear), True
        elif self._is_watching:
            watch_balls(self._kernel, [])
            self._is_watching = False
        return int(min(steps, 1 << 30))

    def _surface_amplitude(self, near: Sequence[Ball]) -> float:
        """Return the largest displacement (m) of the object's surface towards a near ball within
        256 steps."""
        return self._energy_root(near, LOOK) * math.sqrt(2.0 * max(
            (ball.compliance for ball in near), default=0.0))

    def _is_driven(self, near: Sequence[Ball]) -> bool:
        """Return whether a near ball rolls, or the bow plays."""
        return self._is_bowed or any(ball.track is not None for ball in near)

    def _energy_root(self, near: Sequence[Ball], steps: int) -> float:
        """Return the square root of the largest energy (J) of the object within some steps: all of
        its own and the near balls' energy.

        The weights' power is at most g sqrt(2 M H), M all mass: so sqrt(H) rises by at most g t
        sqrt(M / 2). A rolling contact and a bow may do any work. """
        if self._is_driven(near):
            return math.inf
        near_mass = math.fsum([ball.kind.mass for ball in near])
        energy = stored_energy(self._kernel)
        flying = [ball for ball in self.balls if ball.is_airborne]
        if flying:          # their energy reaches the object only at their contact
            speeds = self._kernel.velocity().tolist()
            flights = [(ball.kind.mass, speeds[ball.seat.flight]) for ball in flying]
            theirs = math.fsum([0.5 * mass * speed * speed for mass, speed in flights])
            energy = max(energy - theirs, 0.0) + 1e-12 * energy
        faster = self._gravity * steps / self.sample_rate           # m/s
        return math.sqrt(energy) + faster * math.sqrt(0.5 * near_mass)

    def _next_check(self, ball: Ball, now: int) -> float:
        """Return the earliest step after now at which a ball may be removed."""
        if ball.action == "hit":
            return _multiple(now + 1, FLOWN)
        if ball.ending:
            return ball.stop
        rests = max(now + 1, ball.loud + self._quiet)
        return min(ball.stop, _multiple(int(rests), AUDIT) if rests < math.inf else math.inf)

    def _remove_finished(self, now: int) -> None:
        """Remove the balls that have flown away, and those that a hand has lifted, at rest or when
        their time is over."""
        for ball in list(self._watched):
            if ball.action == "hit" and now % FLOWN == 0:
                place, speed, amplitude = object_reach(self._kernel, ball.shape, self._stiff,
                                                       offset=0.0, sample_rate=self.sample_rate)
                over = speed < 0.0 and place + amplitude < 0.0
            else:
                rests = (ball.weight > 0.0 and not ball.ending and now % AUDIT == 0
                         and now - ball.loud >= self._quiet)
                over = (rests and (ball.irregular_ball is None
                                   or ball.irregular_ball.is_resting)) or now >= ball.stop
            if over and ball.weight > 0.0:
                compression = float(self._kernel.compression()[ball.seat.contact])
                over, self._changed = end_ball(ball, compression, now, self.sample_rate), True
            if over:
                self._remove(ball, load=float(self._kernel.force()[ball.seat.contact]))

    def _switch_contacts(self, now: int) -> None:
        """Switch contacts in a crowd: off for balls clear of the object, on before they may touch
        it again.

        A flying ball without contact costs little computation. Of the balls that hop beyond the
        limits of HOPPING, those with the least energy left are removed: on an object that others
        shake they would hop without end. """
        there = [ball for ball in self.balls
                 if ball.weight > 0.0 and ball.track is None and not ball.ending]
        root = self._energy_root(self._watched, CLEAR)
        kernel, time = self._kernel, CLEAR / self.sample_rate
        flights = flights_of(there, kernel.displacement(), kernel.velocity(), self._gravity)
        # by whether they are irregular
        hopping: dict[bool, list[tuple[float, int]]] = {False: [], True: []}
        for i, (ball, flight) in enumerate(zip(there, flights, strict=True)):
            free = ball.irregular_ball is None or ball.irregular_ball.is_flying
            clear = free and flight.is_clear(time, root * math.sqrt(2.0 * ball.compliance))
            if clear != ball.is_airborne:
                kernel.set_row(ball.seat.contact, STIFFNESS, 0.0 if clear else ball.stiffness)
                ball.is_airborne, ball.loud, self._changed = clear, max(ball.loud, now), True
            if free and not clear:
                hopping[ball.irregular_ball is not None].append(
                    (flight.spent(ball.limit / QUIET_SPEED), i))
        compression = kernel.compression()
        over = [pair for irregular, found in hopping.items()
                for pair in sorted(found)[:max(0, len(found) - HOPPING[irregular])]]
        for left, i in over:
            if left < SPENT and not compression[there[i].seat.contact] > 0.0:
                self._remove(there[i], load=0.0)

    def _begin(self, put: Callable[[Ball, Action, int], None], action: Action, now: int) -> None:
        """Give a ball a seat, and put it where it begins."""
        self._update_tension(now)
        kind = kind_of(action.values)
        free = [ball for ball in self.balls if ball.kind == kind and not ball.action]
        ball = free[0] if free else self._new_seat(kind, now, self._planned[action.order - 1].place)
        shapes, ball.compliance = self._point(action.values)
        self._move(ball, shapes)
        ball.action, ball.loud, ball.limit, ball.stop = action.kind, now, math.inf, math.inf
        ball.stiffness = action.values["stiffness"]
        ball.damping = action.values["loss_time" if kind.is_viscoelastic else "damping"]
        self.sounding.wake(reset_peaks=True)
        put(ball, action, now)
        self._changed = True

    def _update_tension(self, now: int) -> None:
        """Bring a sleeping object to the present tension."""
        if self.sounding.asleep and self._kernel.tension != (self._tension.at([now])[0]
                                                             - self._stored_tension):
            taken = [ball for ball in self.balls if ball.action]
            self._reseat(taken, [ball.kind for ball in self.balls if not ball.action], [])

    def _start_stroke(self, action: Action, now: int) -> None:
        """Set the bow on the object."""
        assert self._bow is not None
        self._update_tension(now)
        self.sounding.wake(reset_peaks=True)
        self._bow.start(self._kernel, action, self._planned[action.order - 1].curves)

    def _tighten(self, action: Action, now: int) -> None:
        """Let a palm press the object."""
        curve = self._planned[action.order - 1].curves.get("tension")
        self._tension.press(now, action.values["tension"], curve)

    def _point(self, values: Mapping[str, float]) -> tuple[FloatArray, float]:
        """Return the mode shapes where a row plays, and the compliance there (m/N)."""
        surface = self.spec.surface
        if surface is None:
            place = round(values.get("place", 0.0))
            return self._places[place], self._compliance[place]
        point = surface.point_of(values)
        if point not in self._points:
            shapes = self.spec.shapes_below(self._highest, point)
            self._points[point] = (shapes,
                                   _product(shapes, self._static_displacement(shapes, 1.0)))
        return self._points[point]

    def _new_seat(self, kind: Kind, now: int, place: Place | None) -> Ball:
        """Make seats for more balls of a kind, half as many again, and returns a free one; place,
        of the row that needs it."""
        taken = [ball for ball in self.balls if ball.action]
        if len(taken) >= MOST_SEATS:
            raise RenderError(
                self.name, now / self.sample_rate,
                f"{place}: one more ball than the {len(taken)} on the object; expected at "
                f"most {MOST_SEATS} at a time")
        alike = sum(ball.kind == kind for ball in taken)
        more = min(1 + alike // 2, MOST_SEATS - len(taken))
        self._crowded = True
        self._reseat(taken, [ball.kind for ball in self.balls if not ball.action][:SPARE],
                     [kind] * more)
        return self.balls[-1]

    def _reseat(self, taken: Sequence[Ball], spare: Sequence[Kind], more: Sequence[Kind]) -> None:
        """Make a new network at the present tension: the seats that are taken, then free ones for
        balls of some kinds; all motion goes on."""
        old, first = self._kernel, self._first
        seats = free_seats(
            [*(ball.kind for ball in taken), *spare[:MOST_SEATS - len(taken) - len(more)], *more],
            self._body.shapes)
        self._first = modes_of(seat.kind for seat in seats)
        y, v = (np.concatenate([np.zeros(self._first), values[first:]])
                for values in (old.displacement(), old.velocity()))
        memories = [old.memory()[ball.seat.contact].tolist() for ball in taken]
        for ball, new in zip(taken, seats, strict=False):
            for before, after in ((ball.seat.flight, new.seat.flight), (ball.seat.spin,
                                                                        new.seat.spin)):
                if before >= 0:
                    y[after], v[after] = old.displacement()[before], old.velocity()[before]
            new.shape[self._first:] = ball.shape[first:]
            ball.seat, ball.shape = new.seat, new.shape
        self.balls = [*taken, *seats[len(taken):]]
        self._stored_tension = self._tension.at([self.sounding.step])[0]
        self._kernel = kernel = seated_network(self.balls, self._body, self.sample_rate,
                                               slopes=self._slopes,
                                               tension=self._stored_tension - 1.0, bow=self._bow)
        kernel.take_over(old)
        for ball, memory in zip(taken, memories, strict=True):
            kernel.set_memory(ball.seat.contact, *memory)
        kernel.set_state(y, v)
        self._stiff = kernel.coefficients[0].tolist()
        for ball in taken:
            if ball.irregular_ball is not None:
                ball.irregular_ball.move_to(kernel, ball.shape, ball.seat)
        self.sounding.replace(kernel)
        self._changed = True

    def _hit(self, ball: Ball, action: Action, now: int) -> None:
        values = action.values
        self._place(ball, gap=0.0, velocity=values["velocity"])
        self._switch_contact_on(ball)

    def _fall(self, ball: Ball, action: Action, now: int) -> None:
        values = action.values
        ball.weight = ball.kind.mass * self._gravity
        plan_end(ball, now, None, self.sample_rate)
        fastest = math.sqrt(2.0 * self._gravity * values["height"])
        ball.limit = max(QUIET_SPEED * fastest, QUIET_ROLL)
        self._place(ball, gap=values["height"], velocity=0.0)
        self._switch_contact_on(ball)
        self._drawn["fall"] += 1
        if ball.kind.inertia:
            ball.irregular_ball = IrregularBall(self._kernel, shape=ball.shape,
                                                sample_rate=self.sample_rate, gravity=self._gravity,
                                                seat=ball.seat,
                                                max_lever=values["irregularity"] * values["radius"],
                                                inertia=ball.kind.inertia, seed=self._seed,
                                                name=f"{self.name}.drop{self._drawn['fall']}")

    def _roll(self, ball: Ball, action: Action, now: int) -> None:
        """Lay a ball on the object, both at equilibrium under its weight."""
        values = action.values
        self._drawn["roll over"] += 1
        ball.track = RollingPath(values,
                                 speed=self._planned[action.order - 1].curves.get("velocity"),
                                 start=now, sample_rate=self.sample_rate, seed=self._seed,
                                 surface=f"{self.name}.surface",
                                 draw_name=f"{self.name}.roll{self._drawn['roll over']}")
        ball.weight, ball.limit = ball.kind.mass * self._gravity, QUIET_ROLL
        plan_end(ball, now, round(values["duration"] * self.sample_rate), self.sample_rate)
        ball.loud = ball.track.stands_at
        ball.offset = ball.track.height
        self._kernel.set_row(ball.seat.contact, OFFSET, ball.offset)
        deep = elementary.pow(ball.weight / values["stiffness"], 1.0 / values["exponent"])
        ball.rest = deep
        self._place(ball, gap=ball.track.height - deep, velocity=0.0, load=ball.weight)
        self._switch_contact_on(ball)

    def _move(self, ball: Ball, shapes: FloatArray) -> None:
        """Move a free seat to a place of the object with other shapes."""
        if np.array_equal(ball.shape[self._first:], shapes):
            return
        ball.shape = ball.shape.copy()
        ball.shape[self._first:] = shapes
        self._kernel.set_row_shape(ball.seat.contact, ball.shape)

    def _static_displacement(self, shapes: FloatArray, load: float) -> list[float]:
        """Return the static displacements of the object's modes under a load (N) at a point of
        these shapes."""
        return [load * shape / spring
                for shape, spring in zip(shapes.tolist(), self._springs, strict=True)]

    def _switch_contact_on(self, ball: Ball) -> None:
        self._kernel.set_row(ball.seat.contact, STIFFNESS, ball.stiffness)
        self._kernel.set_row(ball.seat.contact, DAMPING, ball.damping)

    def _place(self, ball: Ball, *, gap: float, velocity: float, load: float = 0.0) -> None:
        """Place a ball over the object (m) at a speed towards it; a load (N) displaces the object,
        and the other balls with it."""
        kernel = self._kernel
        y, v = kernel.displacement(), kernel.velocity()
        if load != 0.0:
            sinks = self._static_displacement(ball.shape[self._first:], load)
            y[self._first:] = [
                value + sink for value, sink in zip(y[self._first:].tolist(), sinks, strict=True)
            ]
            for other in self.balls:
                if other.action and not other.is_airborne and other is not ball:
                    y[other.seat.flight] += _product(other.shape[self._first:], sinks)
        surface = _product(ball.shape[self._first:], y[self._first:].tolist())
        y[ball.seat.flight] = surface - gap if ball.action else 0.0
        v[ball.seat.flight] = velocity
        if ball.kind.inertia:
            y[ball.seat.spin] = v[ball.seat.spin] = 0.0
        self.sounding.jump(y, v)

    def _remove(self, ball: Ball, load: float) -> None:
        """Remove a ball and the static displacement under its load (N), at constant velocity of the
        object: without a sound."""
        kernel = self._kernel
        for field_of_row in (STIFFNESS, DAMPING, OFFSET):
            kernel.set_row(ball.seat.contact, field_of_row, 0.0)
        if ball.irregular_ball is not None:
            kernel.set_row(ball.seat.brake, DAMPING, 0.0)
            kernel.set_row_shape(ball.seat.contact, ball.shape)
        ball.action = ""
        self._place(ball, gap=0.0, velocity=0.0, load=-load)
        ball.weight, ball.stop, ball.offset, ball.ending = 0.0, math.inf, 0.0, ""
        ball.irregular_ball = ball.track = None
        taken = [ball for ball in self.balls if ball.action]
        if self._crowded and len(self.balls) > 2 * len(taken) + SPARE:
            self._reseat(taken, [], [])
        self._changed = True

    def _update_network(self) -> None:
        """Update outputs and weights after a ball or the state of its contact has changed."""
        if not self._changed:
            return
        self._changed = False
        self._set_outputs()
        self.sounding.set_outputs(self._own_outputs + len(self._watched))
        self._heavy = any(ball.weight > 0.0 for ball in self.balls)
        weights = weight_inputs(self.balls, self._kernel.modes)
        self._inputs = len(weights)
        self._kernel.set_inputs(weights)

    def _compute(self, out: FloatArray, now: int) -> int:
        """Compute steps during which no ball begins or ends; return how many, fewer where a watched
        ball must be checked."""
        n = out.size
        rolling = [ball for ball in self._watched if ball.track is not None]
        controls = np.zeros((n, len(rolling)))
        for j, ball in enumerate(rolling):
            assert ball.track is not None
            controls[:, j] = ball.track.heights(now, n)
            ball.offset = float(controls[n - 1, j])
        rows, fields = [ball.seat.contact for ball in rolling], [OFFSET] * len(rolling)
        if self._bow is not None:
            bow_rows, bow_fields, values = self._bow.controls(now, n)
            rows, fields = rows + bow_rows, fields + bow_fields
            controls = np.concatenate([controls, values], axis=1)
        motion = self._tension.motion(now, n, present=self._kernel.tension,
                                      stored=self._stored_tension,
                                      output=self.sounding.equilibrium_output)
        awake = self.sounding.advance(out, forces=weight_parts(self.balls, now, n, self._inputs),
                                      control_rows=np.array(rows, dtype=np.int32),
                                      control_fields=np.array(fields, dtype=np.int32),
                                      controls=controls, motion=motion)
        if self.sounding.is_computed:
            n = awake
        outputs, energies = self.sounding.take()
        first = self._own_outputs
        if self.traced:
            self._trace_parts.append((outputs[:, :first], energies))
        loud = np.abs(outputs[:, first:]) > np.array([ball.limit for ball in self._watched])
        for j, ball in enumerate(self._watched):
            if loud[:, j].any():
                ball.loud = max(ball.loud, now + n - 1 - int(loud[::-1, j].argmax()))
        return n


def _highest_tension(planned: Sequence[PlannedEvent]) -> float:
    """Return the highest tension of a head by some events, over that at rest."""
    values = [1.0]
    for event in planned:
        values.append(event.values.get("tension", 1.0))
        values += [point.value for curve in event.curves.values() for point in curve.points
                   if "tension" in event.values]
    return max(values)


def _product(shapes: FloatArray, values: list[float]) -> float:
    """Return the sum of shapes (M,) times values (M,)."""
    return math.fsum([shape * value for shape, value in zip(shapes.tolist(), values, strict=True)])


def _multiple(step: int, of: int) -> int:
    """Return the first multiple from a step on."""
    return -(-step // of) * of
