"""A mass, or a modal object, that strikes a modal object: once, again while it rings, or bouncing
until it rests."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.network.network import CONTACT, LINEAR, Row, network
from pysitar.models.network.run import MOST_STEPS, Audited, Run
from pysitar.models.objects.irregular_ball import SPIN, WATCHED, IrregularBall
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, array_of, number, whole
from pysitar.physics.contact import ContactLaw
from pysitar.physics.draws import LARGEST_SEED
from pysitar.physics.modal_object import ModalObject

HEAVIEST = 1e6                  # kg
FASTEST_MASS = 1e4              # m/s
FARTHEST = 1e4                  # m
STRONGEST = 1e4                 # m/s^2
LARGEST = 1e3                   # m, of a radius
QUIET = 0.02                    # s for which a mass must be quiet
QUIET_RATIO = 1e-6              # of its first energy, under which a mass is quiet
OUTPUTS = ("mass_position", "mass_velocity", "contact_force", "body_displacement", "body_velocity")


class ImpactSimulation:
    """A mass, or a modal object, that strikes a modal object.

    Positions are along the strike: positive is into the object, 0 where the mass touches the object
    at rest.

    Parameters: body, a ModalObject, or None for a rigid wall; mass, 1e-12 to 1e6 kg, or a
    ModalObject with one mode of frequency 0, its flight; law, of which the force here never pulls,
    whatever `adhesive` says; sample_rate, 1 to 1e9 (Hz); velocity at the start,
    -1e4 to 1e4 m/s, positive towards the object; gap at the start, 0 to 1e4 m; gravity towards the
    object, 0 to 1e4 m/s^2. An irregular mass: irregularity, 0 to 1, and radius (m), of a ball of
    its moment of inertia: its contacts have lever arms drawn up to irregularity times radius, by
    seed, and it spins. Errors: ParameterError. Source: Papetti, Avanzini & Rocchesso 2009, the law;
    the scheme is that of van Walstijn & Bridges 2016 on a mode of frequency 0. """

    def __init__(
        self,
        *,
        body: ModalObject | None,
        mass: float | ModalObject,
        law: ContactLaw,
        sample_rate: float,
        velocity: float,
        gap: float = 0.0,
        gravity: float = 0.0,
        irregularity: float = 0.0,
        radius: float | None = None,
        seed: int = 0,
    ) -> None:
        self.sample_rate = ranges.SAMPLE_RATE.number("sample_rate", sample_rate)
        self.gravity = number("gravity", gravity, "m/s^2", at_least=0.0, at_most=STRONGEST)
        irregularity = number("irregularity", irregularity, "", at_least=0.0, at_most=1.0)
        inertia = None if irregularity == 0.0 else _inertia(mass, radius)
        self._striker, self._flight = _striker(mass, inertia)
        self._law = law
        self._kernel = struck_network(self._striker, body, law, self.sample_rate, spins=inertia
                                      is not None)
        self._body = body
        self._irregular_ball: IrregularBall | None = None
        if inertia is not None and radius is not None:
            seed = whole("seed", seed, at_least=0, at_most=LARGEST_SEED)
            self._irregular_ball = IrregularBall(self._kernel,
                                                 shape=contact_shape(self._striker, body),
                                                 sample_rate=self.sample_rate, gravity=self.gravity,
                                                 max_lever=irregularity * radius, inertia=inertia,
                                                 seed=seed)
        self._audited = Audited(self._kernel, self.sample_rate)
        self.strike(velocity=velocity, gap=gap)

    @property
    def weight(self) -> float:
        """The weight of the mass, N."""
        shape = self._shape_of_flight
        return float(self._striker.masses[self._flight]) / (shape * shape) * self.gravity

    @property
    def _shape_of_flight(self) -> float:
        return float(self._striker.shapes[self._flight])

    def strike(self, *, velocity: float, gap: float = 0.0) -> None:
        """Start a blow of the mass on the object, which keeps its vibration.

        Parameters: velocity, -1e4 to 1e4 m/s, positive towards the object; gap over the object as
        it is now, 0 to 1e4 m. Errors: ParameterError. """
        velocity = number("velocity", velocity, "m/s", at_least=-FASTEST_MASS, at_most=FASTEST_MASS)
        gap = number("gap", gap, "m", at_least=0.0, at_most=FARTHEST)
        if self._irregular_ball is not None:
            self._irregular_ball.begin()
        y, v = self._kernel.displacement(), self._kernel.velocity()
        flight, count = self._flight, self._striker.count
        shapes = self._striker.shapes.tolist()
        parts = [shapes[i] * float(y[i]) for i in range(count) if i != flight]
        y[flight] = (self._surface(y) - gap - math.fsum(parts)) / shapes[flight]
        v[flight] = velocity / shapes[flight]
        self._kernel.set_state(y, v)
        self._audited.begin()

    def run(self, steps: int, outputs: Sequence[str] = ("body_velocity",)) -> Run:
        """Compute steps and return a Run; the next call continues from there.

        Parameters: steps, 0 to 2^31, no more than memory holds; outputs: "mass_position" (m) and
        "mass_velocity" (m/s), of a modal object where it strikes; "contact_force" (N);
        "body_displacement" (m) and "body_velocity" (m/s), where it is struck. Errors:
        ParameterError; ArithmeticError if a collision could not be solved. """
        steps = whole("steps", steps, at_least=0, at_most=MOST_STEPS)
        self._watch(outputs, watched=False)
        return self._audited.run(steps, len(outputs), self._advance)

    def drop(
        self, *, height: float | None = None, longest: float = 30.0, ratio: float = QUIET_RATIO,
        outputs: Sequence[str] = ("body_velocity",),
    ) -> Run:
        """Let the mass fall and bounce until it rests, and return the Run up to then.

        It rests when for 20 ms its energy relative to the object, over that at equilibrium under
        its weight, has been at most `ratio` of the initial one: no later bounce is higher than that
        fraction of the height (for an irregular mass including rotation).

        Parameters: height (m) over the object from which it falls, at rest (None: the present
        state); longest (s), to 1e4; ratio, 1e-15 to 1; outputs, as in `run`. Errors:
        ParameterError: also, no gravity, or no rest within the longest time; ArithmeticError as in
        `run`. """
        longest = number("longest", longest, "s", above=0.0, at_most=1e4)
        ratio = number("ratio", ratio, "", at_least=1e-15, at_most=1.0)
        if self.gravity == 0.0:
            raise ParameterError("gravity", 0.0, "expected above 0 m/s^2, such as 9.81")
        if height is not None:
            self.strike(velocity=0.0, gap=number("height", height, "m", at_least=0.0,
                                                 at_most=FARTHEST))
        self._watch(outputs, watched=True)
        first, left = 0.0, 1.0

        def rests(out: FloatArray, ledger: FloatArray) -> bool:
            nonlocal first, left
            energy = self._energy_over_rest(out, ledger)
            first = first or float(energy[0])
            left = float(np.max(energy)) / first if first else 0.0
            return left <= ratio

        piece = max(1, math.ceil(QUIET * self.sample_rate))
        steps = whole("longest, in steps,", piece * math.ceil(longest * self.sample_rate / piece),
                      at_least=1, at_most=MOST_STEPS)
        run = self._audited.run(steps,
                                len(outputs) + WATCHED, self._advance, until=rests, piece=piece)
        if left > ratio:
            raise ParameterError("longest", longest, (
                f"the mass then still has {left:.2g} of its energy, over {ratio:g}; "
                f"expected a longer time, or a law with more damping than {self._law.damping:g} "
                f"s/m"
            ))
        return replace(run, outputs=run.outputs[:, :len(outputs)])

    def _advance(self, out: FloatArray, ledger: FloatArray) -> None:
        force = self.weight * self._shape_of_flight
        if self._irregular_ball is not None:
            self._irregular_ball.advance(out, ledger, force, watched=self._watched)
            return
        steps = out.shape[0]
        self._kernel.advance(steps, out, forces=np.full((steps, 1), force), energies=ledger,
                             every=1)

    def _watch(self, outputs: Sequence[str], *, watched: bool) -> None:
        set_outputs(self._kernel, self._striker, self._body, outputs, watched=watched)
        self._watched = watched
        shape = np.zeros((1, self._kernel.modes))
        shape[0, self._flight] = 1.0
        self._kernel.set_inputs(shape)

    def _surface(self, y: FloatArray) -> float:
        """Return the displacement of the object's surface, m."""
        shapes = () if self._body is None else self._body.shapes.tolist()
        return math.fsum([
            shape * float(value)
            for shape, value in zip(shapes, y[self._striker.count:], strict=True)
        ])

    def _energy_over_rest(self, out: FloatArray, ledger: FloatArray) -> FloatArray:
        """Return the energy of the mass relative to the object, over that at equilibrium under its
        weight (n,), J."""
        compression, speed, spin = (out[:, i - WATCHED] for i in range(WATCHED))
        law, weight = self._law, self.weight
        deep = elementary.pow(weight / law.stiffness, 1.0 / law.exponent)
        lowest = -weight * deep * law.exponent / (law.exponent + 1.0)
        energy: FloatArray = 0.5 * (weight / self.gravity) * (
            speed * speed) + ledger[:, 2] - weight * compression - lowest
        if self._irregular_ball is not None:
            energy = energy + 0.5 * self._irregular_ball.inertia * (spin * spin)
        return energy


def struck_network(
    striker: ModalObject,
    body: ModalObject | None,
    law: ContactLaw,
    sample_rate: float,
    *,
    offset: float = 0.0,
    spins: bool = False,
) -> TwoPoint:
    """Return the kernel of a striker and the object that it touches: the striker's modes come
    first, the contact is row 0.

    Parameters: offset (m), of the object's surface towards the striker; spins, whether row 1 may
    damp mode 1. Errors: ParameterError. """
    if not isinstance(law, ContactLaw):
        raise ParameterError("law", law, "expected a ContactLaw")
    objects = [part for part in (striker, checked_body(body)) if part is not None]
    shape = contact_shape(striker, body)
    rows = [
        Row(shape=shape, kind=CONTACT, stiffness=law.stiffness, exponent=law.exponent,
            damping=law.damping, adhesive=False, offset=offset)
    ]
    if spins:
        rows.append(
            Row(shape=array_of([1.0 if i == 1 else 0.0 for i in range(shape.size)]), kind=LINEAR))
    return network(
        angular_frequencies=np.concatenate([part.angular_frequencies for part in objects]),
        decay_rates=np.concatenate([part.decay_rates for part in objects]),
        masses=np.concatenate([part.masses
                               for part in objects]), rows=rows, sample_rate=sample_rate)


def checked_body(body: ModalObject | None) -> ModalObject | None:
    """Return the object of a contact, checked.  Errors: ParameterError."""
    if body is not None and not isinstance(body, ModalObject):
        raise ParameterError("body", body, "expected a ModalObject, or None for a rigid object")
    return body


def contact_shape(striker: ModalObject, body: ModalObject | None) -> FloatArray:
    """Return the shape of the row between a striker and the object that it touches, (M,)."""
    return array_of([-value for value in striker.shapes.tolist()]
                    + ([] if body is None else body.shapes.tolist()))


def set_outputs(kernel: TwoPoint, striker: ModalObject, body: ModalObject | None,
                outputs: Sequence[str], *, watched: bool = False) -> None:
    """Set the outputs of a struck network by name, as in `ImpactSimulation.run`.

    Parameters: watched, whether three more follow: compression (m), speed of the flight against the
    object (m/s), spin (rad/s). Errors: ParameterError. """
    expected = f"expected a list of names from {', '.join(OUTPUTS)}"
    if isinstance(outputs, str) or not isinstance(outputs, Sequence):
        raise ParameterError("outputs", outputs, expected)
    count = striker.count
    here, there = np.zeros(kernel.modes), np.zeros(kernel.modes)
    here[:count] = striker.shapes
    if body is not None:
        there[count:] = body.shapes
    y, v = (np.zeros((len(outputs) + (WATCHED if watched else 0), kernel.modes)) for _ in range(2))
    f = np.zeros((y.shape[0], kernel.rows))
    for j, name in enumerate(outputs):
        if not isinstance(name, str) or name not in OUTPUTS:
            raise ParameterError(f"outputs[{j}]", name, expected)
        if name == "contact_force":
            f[j, 0] = 1.0
        else:
            (v if name.endswith("velocity") else y)[j] = here if name.startswith("mass") else there
    if watched:
        y[-3] = here - there
        v[-2] = -there
        v[-2, :count] = np.where(striker.frequencies == 0.0, striker.shapes, 0.0)
        if kernel.rows > 1:
            v[-1, SPIN] = 1.0
    kernel.set_outputs(y, v, f)


def _inertia(mass: float | ModalObject, radius: float | None) -> float:
    """The moment of inertia of an irregular mass, kg m^2, as that of a ball."""
    if isinstance(mass, ModalObject):
        raise ParameterError("irregularity", "not 0",
                             "a modal object has the lever arms of its own shapes; expected 0")
    if radius is None:
        raise ParameterError("radius", None, "expected the radius (m) of an irregular mass")
    radius = number("radius", radius, "m", at_least=1e-9, at_most=LARGEST)
    return 0.4 * number("mass", mass, "kg", at_least=1e-12, at_most=HEAVIEST) * radius * radius


def point_mass(mass: float, inertia: float | None = None) -> ModalObject:
    """Return a mass (kg) as a mode of frequency 0, with a moment of inertia (kg m^2) as a second
    one, without a force."""
    masses = [mass] if inertia is None else [mass, inertia]
    none, shapes = array_of([0.0] * len(masses)), array_of([1.0, 0.0][:len(masses)])
    return ModalObject(frequencies=none, decay_rates=none, masses=array_of(masses), shapes=shapes)


def _striker(mass: float | ModalObject, inertia: float | None) -> tuple[ModalObject, int]:
    """Return the modes of a mass, and the index of its flight."""
    if not isinstance(mass, ModalObject):
        return point_mass(number("mass", mass, "kg", at_least=1e-12, at_most=HEAVIEST), inertia), 0
    free = [i for i, f in enumerate(mass.frequencies.tolist()) if f == 0.0]
    if len(free) != 1 or mass.shapes[free[0]] == 0.0:
        raise ParameterError("mass", "a ModalObject", (
            f"it has {len(free)} modes of frequency 0; expected one, its flight, whose shape at "
            f"the striking point is not 0"
        ))
    return mass, free[0]
