"""A mass, or a modal object, that strikes a modal object: once, again while it rings, or bouncing
until it rests."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.kernels.modal.two_point import STIFFNESS, TwoPoint
from pysitar.models.network.network import Row, network
from pysitar.models.network.run import MOST_STEPS, Audited, Run
from pysitar.models.objects.internal_rows import check_without_forces, internal_rows, settle
from pysitar.models.objects.irregular_ball import SPIN, WATCHED, IrregularBall
from pysitar.physics import ranges
from pysitar.physics.adhesive_law import AdhesiveLaw
from pysitar.physics.checks import FloatArray, array_of, number, whole
from pysitar.physics.contact import LINEAR, ContactLaw, LawValues, law_values
from pysitar.physics.draws import LARGEST_SEED
from pysitar.physics.felt_law import FeltLaw
from pysitar.physics.modal_object import ModalObject
from pysitar.physics.viscoelastic_law import ViscoelasticLaw

HEAVIEST = 1e6                  # kg
FASTEST_MASS = 1e4              # m/s
FARTHEST = 1e4                  # m
STRONGEST = 1e4                 # m/s^2
LARGEST = 1e3                   # m, of a radius
QUIET = 0.02                    # s for which a mass must be quiet
QUIET_RATIO = 1e-6              # fraction of its first energy below which a mass is quiet
OUTPUTS = ("mass_position", "mass_velocity", "contact_force", "body_displacement", "body_velocity")


class ImpactSimulation:
    """A mass, or a modal object, that strikes a modal object.

    Positions are positive into the object; at 0 the mass touches the object at rest.

    Parameters
    ----------
    body : ModalObject or None
        The object that is struck; None is a rigid wall. One with internal forces, such as a snare
        drum, starts at their equilibrium.
    mass : float or ModalObject
        1e-12 to 1e6 (kg); of a ModalObject one mode has frequency 0, its free flight.
    law : ContactLaw, FeltLaw, AdhesiveLaw or ViscoelasticLaw
        The contact. The force of a ContactLaw never pulls here, whatever `adhesive` is. Felt keeps
        its memory from one blow to the next.
    sample_rate : float
        Steps per second, 1 to 1e9 (Hz).
    velocity : float
        Of the mass at the start, -1e4 to 1e4, positive towards the object (m/s).
    gap : float, default 0.0
        Between mass and object at the start, 0 to 1e4 (m).
    gravity : float, default 0.0
        Towards the object, 0 to 1e4 (m/s^2).
    irregularity : float, default 0.0
        0 to 1. Each contact of an irregular mass has a random lever arm of up to irregularity *
        radius and makes the mass spin.
    radius : float, optional
        Of the ball with the moment of inertia of an irregular mass, 1e-9 to 1000 (m).
    seed : int, default 0
        Seed of the lever arms, 0 to 2^63 - 1.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    Papetti, Avanzini & Rocchesso 2009, the contact law; the scheme is the two-point one of van
    Walstijn & Bridges 2016, with the flight as a mode of frequency 0.

    Examples
    --------
    >>> import pysitar
    >>> bar = pysitar.ModalObject(frequencies=[400.0], decay_rates=[5.0], masses=[0.1],
    ...                           shapes=[1.0])
    >>> law = pysitar.ContactLaw(stiffness=1e8, exponent=1.5, damping=0.3)
    >>> simulation = pysitar.ImpactSimulation(body=bar, mass=0.005, law=law, sample_rate=96000.0,
    ...                                       velocity=1.0)
    >>> run = simulation.run(200, ["contact_force", "body_velocity"])
    >>> bool(run.outputs[:, 0].max() > 60.0), run.residual < 1e-12
    (True, True)
    """

    def __init__(
        self,
        *,
        body: ModalObject | None,
        mass: float | ModalObject,
        law: ContactLaw | FeltLaw | AdhesiveLaw | ViscoelasticLaw,
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
        """The weight of the mass.

        Returns
        -------
        float
            In N.
        """
        shape = self._shape_of_flight
        return float(self._striker.masses[self._flight]) / (shape * shape) * self.gravity

    @property
    def _shape_of_flight(self) -> float:
        return float(self._striker.shapes[self._flight])

    def strike(self, *, velocity: float, gap: float = 0.0) -> None:
        """Start a new blow of the mass; the object keeps its vibration.

        Parameters
        ----------
        velocity : float
            Of the mass, -1e4 to 1e4, positive towards the object (m/s).
        gap : float, default 0.0
            Between the mass and the object in its present state, 0 to 1e4 (m).

        Raises
        ------
        ParameterError
            For a value out of its range.
        """
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
        """Compute steps and return the result; the next call continues from there.

        Parameters
        ----------
        steps : int
            0 to 2^31, at most as many as memory holds.
        outputs : sequence of str, default ("body_velocity",)
            "mass_position" (m) and "mass_velocity" (m/s), of a modal object at its point of
            contact; "contact_force" (N); "body_displacement" (m) and "body_velocity" (m/s), at the
            struck point.

        Returns
        -------
        Run

        Raises
        ------
        ParameterError
            For a wrong argument.
        ArithmeticError
            If a collision could not be solved.
        """
        steps = whole("steps", steps, at_least=0, at_most=MOST_STEPS)
        self._watch(outputs, watched=False)
        return self._audited.run(steps, len(outputs), self._advance)

    def drop(
        self, *, height: float | None = None, longest: float = 30.0, ratio: float = QUIET_RATIO,
        outputs: Sequence[str] = ("body_velocity",),
    ) -> Run:
        """Let the mass fall and bounce until it rests.

        The mass rests when for 20 ms its energy relative to the object, above that of equilibrium
        under its weight, has been at most `ratio` of the initial energy. No later bounce is then
        higher than that fraction of the height; for an irregular mass the energy includes that of
        rotation.

        Parameters
        ----------
        height : float, optional
            Height above the object from which the mass falls, at rest, 0 to 1e4 (m). Default: the
            present state of the mass.
        longest : float, default 30.0
            The longest duration, above 0 to 1e4 (s).
        ratio : float, default 1e-6
            1e-15 to 1.
        outputs : sequence of str, default ("body_velocity",)
            As in `run`.

        Returns
        -------
        Run
            Up to the rest.

        Raises
        ------
        ParameterError
            For a wrong argument, gravity 0, a body with internal forces, or a mass that does not
            rest within `longest`.
        ArithmeticError
            If a collision could not be solved.

        Examples
        --------
        >>> import pysitar
        >>> bar = pysitar.ModalObject(frequencies=[400.0], decay_rates=[5.0], masses=[0.1],
        ...                           shapes=[1.0])
        >>> law = pysitar.ContactLaw(stiffness=1e6, exponent=1.5, damping=2.0)
        >>> simulation = pysitar.ImpactSimulation(body=bar, mass=0.005, law=law, velocity=0.0,
        ...                                       gravity=9.81, sample_rate=48000.0)
        >>> run = simulation.drop(height=0.01)
        >>> 0.1 < float(run.time[-1]) < 3.0
        True
        """
        check_without_forces("body", self._body)
        longest = number("longest", longest, "s", above=0.0, at_most=1e4)
        ratio = number("ratio", ratio, "", at_least=1e-15, at_most=1.0)
        law = self._law
        if not isinstance(law, ContactLaw):
            raise ParameterError("law", law, "expected a ContactLaw, for a mass that comes to rest")
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
                f"expected a longer time, or a law with more damping than {law.damping:g} "
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
    law: ContactLaw | FeltLaw | AdhesiveLaw | ViscoelasticLaw,
    sample_rate: float,
    *,
    offset: float = 0.0,
    spins: bool = False,
) -> TwoPoint:
    """Return the kernel of a striker and the object that it touches: the striker's modes come
    first, the contact is row 0.

    Parameters: offset (m), of the object's surface towards the striker; spins, whether row 1 may
    damp mode 1. Errors: ParameterError. """
    if not isinstance(law, (ContactLaw, FeltLaw, AdhesiveLaw, ViscoelasticLaw)):
        raise ParameterError("law", law, "expected a ContactLaw, FeltLaw, AdhesiveLaw or "
                             "ViscoelasticLaw")
    objects = [part for part in (striker, checked_body(body)) if part is not None]
    shape = contact_shape(striker, body)
    rows = [
        Row(shape=shape, law=law_values(law, adhesive=False), offset=offset)
    ]
    if spins:
        rows.append(
            Row(shape=array_of([1.0 if i == 1 else 0.0 for i in range(shape.size)]),
                law=LawValues(kind=LINEAR)))
    rows += internal_rows(body, striker.count)
    angular_frequencies, decay_rates, masses = (
        np.concatenate([getattr(part, name) for part in objects])
        for name in ("angular_frequencies", "decay_rates", "masses"))
    try:
        kernel = network(angular_frequencies=angular_frequencies, decay_rates=decay_rates,
                         masses=masses, rows=rows, sample_rate=sample_rate)
    except ParameterError:
        raise
    except ValueError as error:         # an attraction too steep for the time step
        raise ParameterError("law", law, str(error)) from None
    if body is not None and body.internal_forces:
        kernel.set_row(0, STIFFNESS, 0.0)         # the mass is not there yet
        settle(kernel, body)
        kernel.set_row(0, STIFFNESS, law.stiffness)
    return kernel


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
    check_without_forces("mass", mass)
    free = [i for i, f in enumerate(mass.frequencies.tolist()) if f == 0.0]
    if len(free) != 1 or mass.shapes[free[0]] == 0.0:
        raise ParameterError("mass", "a ModalObject", (
            f"the mass has {len(free)} modes of frequency 0; expected one, its flight, whose shape "
            f"at the striking point is not 0"
        ))
    return mass, free[0]
