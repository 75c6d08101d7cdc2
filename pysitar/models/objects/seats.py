"""The balls on an object and their seats in its network: the modes and rows that each ball has
there."""
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pysitar.gestures.balls import GRAVITY, MOST_SEATS
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.network.network import Row, network
from pysitar.models.objects.bowing import ObjectBowing
from pysitar.models.objects.internal_rows import internal_rows
from pysitar.models.objects.irregular_ball import IrregularBall, Seat
from pysitar.models.objects.rolling_path import RollingPath
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.contact import CONTACT, FELT, LINEAR, VISCOELASTIC, LawValues
from pysitar.physics.modal_object import ModalObject

MOMENT = 0.4                    # of inertia, of a ball: times mass radius^2
MOST_ROWS = 2 * MOST_SEATS + 1  # a contact for each, and a brake; a bow
FASTEST_FALL = 64.0             # m/s, over that of a ball from the greatest height


@dataclass(frozen=True, slots=True)
class Kind:
    """What balls must have in common to take the same seat.

    Parameters: mass (kg), exponent, moment of inertia (kg m^2; 0: the ball does not spin), memory
    and memory time (s; 0 without memory) of its felt, whether its loss is viscoelastic.
    """

    mass: float
    exponent: float
    inertia: float
    memory: float = 0.0
    memory_time: float = 0.0
    is_viscoelastic: bool = False


@dataclass(slots=True, eq=False)
class Ball:
    """A seat, and the ball on it.

    Parameters: seat; kind; shape, of the seat's contact row (M,); compliance, the displacement of
    the object there under a static load (m/N); then, of a ball that is there: action, its kind ("":
    the seat is free), stiffness (N/m^exponent), damping (s/m; of a viscoelastic ball s) and offset
    (m) of its contact, weight (N), limit (m/s) of its speed against the object, below which it is
    quiet, loud, the last step at which it was not quiet or still rolled; stop, the step at which it
    is removed, or the end of its roll goes on; ending, what a hand does: nothing yet (""), brake,
    lift, from lift_start on in lift_steps steps, or leave it at rest, with rest its static
    compression (m); is_airborne, that it is far from the object and its contact is switched off;
    irregular_ball, track. """

    seat: Seat
    kind: Kind
    shape: FloatArray
    compliance: float = 0.0
    action: str = ""
    stiffness: float = 0.0
    damping: float = 0.0
    offset: float = 0.0
    weight: float = 0.0
    limit: float = 0.0
    loud: float = 0.0
    stop: float = math.inf
    ending: str = ""
    lift_start: int = 0
    lift_steps: int = 0
    rest: float = 0.0
    is_airborne: bool = False
    irregular_ball: IrregularBall | None = field(default=None, repr=False)
    track: RollingPath | None = field(default=None, repr=False)


def exact_gravity(sample_rate: float) -> float:
    """Return gravity (m/s^2), within a part in 1e8, whose part in a step has so few digits that it
    is added to the speed of a falling ball without rounding.

    Rounding would be the same in every step of a fall, and its energy would add up with their
    number.
    """
    part = 0.5 * GRAVITY / (sample_rate * sample_rate)
    unit = math.ulp(FASTEST_FALL / sample_rate)
    return round(part / unit) * unit * 2.0 * sample_rate * sample_rate


def kind_of(values: Mapping[str, float]) -> Kind:
    """The kind of ball that an event's values describe."""
    spins = values.get("irregularity", 0.0) > 0.0
    inertia = MOMENT * values["mass"] * values["radius"] * values["radius"] if spins else 0.0
    memory = values.get("memory", 0.0)
    return Kind(values["mass"], values["exponent"], inertia, memory,
                values["memory_time"] if memory > 0.0 else 0.0, values.get("loss_time", 0.0) > 0.0)


def modes_of(kinds: Iterable[Kind]) -> int:
    """The number of modes that balls of some kinds have, which come before those of the object."""
    return sum(2 if kind.inertia else 1 for kind in kinds)


def free_seats(kinds: Sequence[Kind], shapes: FloatArray) -> list[Ball]:
    """Free seats for balls of some kinds on an object with mode shapes (M,), in the order of the
    kinds."""
    first = modes_of(kinds)
    balls = []
    mode, brake = 0, len(kinds)
    for row, kind in enumerate(kinds):
        seat = Seat(mode, mode + 1, row, brake) if kind.inertia else Seat(mode, -1, row, -1)
        shape = np.zeros(first + shapes.size)
        shape[mode] = -1.0
        shape[first:] = shapes
        balls.append(Ball(seat, kind, shape))
        mode, brake = mode + (2 if kind.inertia else 1), brake + (1 if kind.inertia else 0)
    return balls


def seated_network(balls: Sequence[Ball], body: ModalObject, sample_rate: float, *,
                   slopes: FloatArray, tension: float = 0.0,
                   bow: ObjectBowing | None = None) -> TwoPoint:
    """The kernel of an object and the seats of balls on it; the row of a free seat has no
    stiffness. The rows of the object's internal forces follow, then that of a bow.

    Parameters: slopes (M,), the derivatives of the object's squared angular frequencies by its
    tension; tension, over that at rest, less 1, at which its coefficients are stored; bow, that
    plays it (None: none does). """
    first = modes_of(ball.kind for ball in balls)
    rows, brakes, masses = [], [], []
    for ball in balls:
        kind, irregular_ball = ball.kind, ball.irregular_ball
        present = bool(ball.action) and not ball.is_airborne
        shape = ball.shape.copy()
        masses += [kind.mass, kind.inertia] if kind.inertia else [kind.mass]
        if kind.inertia:
            spin = np.zeros(shape.size)
            spin[ball.seat.spin] = 1.0
            brakes.append(
                Row(shape=spin, law=LawValues(
                    kind=LINEAR, damping=0.0 if irregular_ball is None else irregular_ball.brake)))
            shape[ball.seat.spin] = 0.0 if irregular_ball is None else -irregular_ball.lever
        rows.append(
            Row(shape=shape, law=LawValues(
                    kind=(FELT if kind.memory > 0.0
                          else VISCOELASTIC if kind.is_viscoelastic else CONTACT),
                    stiffness=ball.stiffness if present else 0.0, exponent=kind.exponent,
                    damping=ball.damping if ball.action else 0.0, adhesive=False,
                    further=(kind.memory, kind.memory_time)),
                offset=ball.offset if irregular_ball is None else irregular_ball.offset))
    none = np.zeros(first)
    omegas = body.angular_frequencies
    if tension != 0.0:
        omegas = np.sqrt(omegas * omegas + slopes * tension)
    bowed = [] if bow is None else bow.rows(first + body.count)
    kernel = network(
        angular_frequencies=np.concatenate([none, omegas]),
        decay_rates=np.concatenate([none, body.decay_rates]),
        masses=np.concatenate([array_of(masses), body.masses]),
        rows=[*rows, *brakes, *internal_rows(body, first), *bowed], sample_rate=sample_rate,
        most_rows=MOST_ROWS, slopes=np.concatenate([none, slopes]))
    if bow is not None:
        bow.join(kernel)
    return kernel


@dataclass(frozen=True, slots=True)
class Flight:
    """How a ball flies over the object at rest: height (m, negative below it), speed towards it
    (m/s), and the pull on it (m/s^2)."""

    height: float
    speed: float
    pull: float

    def is_clear(self, time: float, surface: float) -> bool:
        """Return whether the ball stays clear for a time (s) of a surface with a largest
        displacement (m) towards it."""
        later = self.height - time * (self.speed + 0.5 * self.pull * time)
        return min(self.height, later) - surface > 1e-9 * (abs(self.height) + surface)

    def spent(self, speed: float) -> float:
        """The part that is left of the energy with which it came down at a speed (m/s) first."""
        return (self.speed * self.speed + 2.0 * self.pull * max(self.height, 0.0)) / (speed * speed)


def flights_of(balls: Sequence[Ball], displacement: FloatArray, velocity: FloatArray,
               gravity: float) -> list[Flight]:
    """The flights of balls without a track, from displacement (m) and velocity (m/s) of the modes,
    (M,); gravity (m/s^2)."""
    places, speeds = displacement.tolist(), velocity.tolist()
    return [
        Flight(
            -places[ball.seat.flight] -
            (ball.offset if ball.irregular_ball is None else ball.irregular_ball.offset),
            speeds[ball.seat.flight], gravity if ball.weight > 0.0 else 0.0) for ball in balls
    ]
