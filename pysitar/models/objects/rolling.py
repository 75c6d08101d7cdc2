"""A ball that rolls over a modal object with a rough surface."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.kernels.modal.two_point import OFFSET
from pysitar.models.network.run import MOST_STEPS, Audited, Run
from pysitar.models.objects.impact import (
    HEAVIEST,
    LARGEST,
    STRONGEST,
    checked_body,
    point_mass,
    set_outputs,
    struck_network,
)
from pysitar.models.objects.internal_rows import check_without_forces
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, Numbers, array_of, function, number, whole
from pysitar.physics.contact import ContactLaw
from pysitar.physics.modal_object import ModalObject
from pysitar.physics.surface import Surface

SMALLEST = 1e-9                 # m, of a radius
FASTEST_ROLL = 1e3              # m/s
SLOWING = 5.0 / 7.0             # of a rolling resistance times gravity: a ball's spin slows with it
MOVE = 16  # steps between two updates of the contact point on the object, counted from step 0
# of the control that moves the surface
ROW, FIELD = np.zeros(1, dtype=np.int32), np.full(1, OFFSET, dtype=np.int32)


class RollingSimulation:
    """A ball that rolls over a modal object with a rough surface.

    The ball is pressed on the object by its weight, and the simulation starts in that equilibrium.
    Positions are positive downwards, as in `ImpactSimulation`; at 0 the ball touches the object at
    rest, at height 0 of the surface.

    Parameters
    ----------
    body : ModalObject or None
        The object; None is a rigid floor.
    mass : float
        Of the ball, 1e-12 to 1e6 (kg).
    radius : float
        Of the ball, 1e-9 to 1000 (m).
    law : ContactLaw
        The contact. Its force never pulls here, whatever `adhesive` is.
    surface : Surface or None
        The surface, which the ball follows on its envelope; None is flat.
    speed : float or callable
        At the start, 0 to 1000 (m/s), or a function of time (s) that returns the speed (m/s).
    sample_rate : float
        Steps per second, 1 to 1e9 (Hz).
    gravity : float, default 9.81
        Above 0 to 1e4 (m/s^2).
    resistance : float, default 0.0
        Rolling resistance, 0 to 1: the deceleration is 5/7 resistance * gravity until the ball
        stands. With a speed function only 0.
    eccentricity : float, default 0.0
        Distance of the centre of mass from the centre of the ball, 0 to its radius (m).
    ripple : float, default 0.0
        Relative variation of the speed within a turn, 0 to below 1.
    shapes : callable, optional
        Function of the position on the track (m) that returns the mode shapes there, shape (M,).
        Default: the shapes of the object, everywhere.

    Raises
    ------
    ParameterError
        For a value out of its range, or an object with a mode of frequency 0.

    References
    ----------
    Rath, DAFx-03, the offset curve; the scheme is that of `ImpactSimulation`, with the moving
    surface as an offset that changes at every step.

    Examples
    --------
    >>> import pysitar
    >>> plate = pysitar.ModalObject(frequencies=[300.0], decay_rates=[8.0], masses=[0.2],
    ...                             shapes=[1.0])
    >>> law = pysitar.ContactLaw(stiffness=1e8, exponent=1.5)
    >>> surface = pysitar.Surface.rough(rms=1e-7, shortest=0.001, longest=0.02, length=0.1)
    >>> simulation = pysitar.RollingSimulation(
    ...     body=plate, mass=0.005, radius=0.008, law=law, surface=surface, speed=0.2,
    ...     sample_rate=48000.0)
    >>> run = simulation.run(4800, ["body_velocity", "contact_force"])
    >>> run.residual < 1e-11, round(simulation.place, 9)
    (True, 0.02)
    """

    def __init__(
        self,
        *,
        body: ModalObject | None,
        mass: float,
        radius: float,
        law: ContactLaw,
        surface: Surface | None,
        speed: float | Callable[[float], float],
        sample_rate: float,
        gravity: float = 9.81,
        resistance: float = 0.0,
        eccentricity: float = 0.0,
        ripple: float = 0.0,
        shapes: Callable[[float], Numbers] | None = None,
    ) -> None:
        self.sample_rate = ranges.SAMPLE_RATE.number("sample_rate", sample_rate)
        self.mass = number("mass", mass, "kg", at_least=1e-12, at_most=HEAVIEST)
        self.radius = number("radius", radius, "m", at_least=SMALLEST, at_most=LARGEST)
        self.gravity = number("gravity", gravity, "m/s^2", above=0.0, at_most=STRONGEST)
        self._eccentricity = number("eccentricity", eccentricity, "m", at_least=0.0,
                                    at_most=self.radius)
        self._ripple = number("ripple", ripple, "", at_least=0.0, below=1.0)
        self._speed = Speed(
            speed,
            SLOWING * number("resistance", resistance, "", at_least=0.0, at_most=1.0)
            * self.gravity)
        if surface is not None and not isinstance(surface, Surface):
            raise ParameterError("surface", surface, "expected a Surface, or None for a flat one")
        self._surface = None if surface is None else surface.followed(self.radius)
        check_without_forces("body", checked_body(body))
        self._shapes = _Shapes(body, shapes)
        self._place = 0.0
        self._striker, self._body = point_mass(self.mass), self._shapes.body
        if not isinstance(law, ContactLaw):
            raise ParameterError("law", law, "expected a ContactLaw")
        self._kernel = struck_network(self._striker, self._body, law, self.sample_rate,
                                      offset=float(self._heights(np.zeros(1))[0]))
        self._set_equilibrium(law)
        self._kernel.set_inputs(array_of([1.0] + [0.0] * (self._kernel.modes - 1)).reshape(1, -1))
        self._audited = Audited(self._kernel, self.sample_rate)

    @property
    def place(self) -> float:
        """The position of the ball on the track.

        Returns
        -------
        float
            In m.
        """
        return self._place

    def run(self, steps: int, outputs: Sequence[str] = ("body_velocity",)) -> Run:
        """Compute steps and return the result; the next call continues from there.

        Parameters
        ----------
        steps : int
            0 to 2^31, at most as many as memory holds.
        outputs : sequence of str, default ("body_velocity",)
            "mass_position" (m), "mass_velocity" (m/s), "contact_force" (N), "body_displacement"
            (m), "body_velocity" (m/s). With `shapes`, the outputs of the object are taken at the
            start of the track.

        Returns
        -------
        Run

        Raises
        ------
        ParameterError
            For a wrong argument, or a speed function that leaves -1000 to 1000 m/s.
        ArithmeticError
            If a collision could not be solved.
        """
        steps = whole("steps", steps, at_least=0, at_most=MOST_STEPS)
        set_outputs(self._kernel, self._striker, self._body, outputs)
        return self._audited.run(steps, len(outputs), self._advance)

    def _set_equilibrium(self, law: ContactLaw) -> None:
        """Set ball and object to equilibrium under the weight, with the stiffness of the scheme, k*
        = 4 m A / dt^2."""
        y = np.zeros(self._kernel.modes)
        weight = self.mass * self.gravity
        down = [elementary.pow(weight / law.stiffness, 1.0 / law.exponent)]
        if self._body is not None:
            stiff = self._kernel.coefficients[0].tolist()[1:]
            for i, (shape, mass, a) in enumerate(
                    zip(self._body.shapes.tolist(), self._body.masses.tolist(), stiff,
                        strict=True)):
                if a == 0.0:
                    raise ParameterError(f"body.frequencies[{i}]", 0.0,
                                         "a ball cannot roll on a free mass; expected above 0 Hz")
                y[1 + i] = weight * shape / (4.0 * mass * self.sample_rate * self.sample_rate * a)
                down.append(shape * float(y[1 + i]))
        y[0] = math.fsum([*down, -float(self._heights(np.zeros(1))[0])])
        self._kernel.set_state(y, np.zeros(y.size))

    def _heights(self, places: FloatArray) -> FloatArray:
        return np.zeros(places.size) if self._surface is None else self._surface.at(places)

    def _advance(self, out: FloatArray, ledger: FloatArray) -> None:
        steps = out.shape[0]
        places = self._places(steps)
        offsets = self._heights(places[1:]).reshape(-1, 1)
        forces = self._forces(places).reshape(-1, 1)
        for begin, end in self._shapes.stretches(self._kernel.count, steps):
            if self._shapes.moves and self._kernel.count % MOVE == 0:
                self._kernel.set_row_shape(
                    0, np.concatenate(
                        (-self._striker.shapes, self._shapes.at(float(places[begin])))))
            self._kernel.advance(end - begin, out[begin:end], forces=forces[begin:end],
                                 energies=ledger[begin:end], every=1, control_rows=ROW,
                                 control_fields=FIELD, controls=offsets[begin:end])
        self._place = float(places[-1])

    def _places(self, steps: int) -> FloatArray:
        """Return the positions before each of the next steps and after the last (steps + 1,), m;
        each step has the speed at its middle."""
        speeds = self._speed.middles(self._kernel.count, steps, self.sample_rate)
        dt = 1.0 / self.sample_rate
        if self._ripple == 0.0:
            return array_of(list(accumulate([dt * v for v in speeds], initial=self._place)))
        places = [self._place]
        for v in speeds:
            middle = places[-1] + 0.5 * dt * v * self._rippled(places[-1])
            places.append(places[-1] + dt * v * self._rippled(middle))
        return array_of(places)

    def _rippled(self, place: float) -> float:
        return 1.0 - self._ripple * elementary.cos(place / self.radius)

    def _forces(self, places: FloatArray) -> FloatArray:
        """Return the weight and the force of an eccentric mass, downwards, over each step, N."""
        weight = self.mass * self.gravity
        if self._eccentricity == 0.0:
            return np.full(places.size - 1, weight)
        turns = ((places[1:] - places[:-1]) * (self.sample_rate / self.radius)).tolist()  # rad/s
        angles = ((places[1:] + places[:-1]) * (0.5 / self.radius)).tolist()
        pull = self.mass * self._eccentricity
        return array_of([
            weight + pull * w * w * elementary.cos(angle)
            for w, angle in zip(turns, angles, strict=True)
        ])


class Speed:
    """The speed of a ball: a function of time (s) -> m/s, or the speed at the start, reduced by a
    deceleration (m/s^2) until the ball stands."""

    def __init__(self, speed: float | Callable[[float], float], slowing: float) -> None:
        self._slowing = slowing
        self._curve: Callable[[float], float] | None = None
        self._first = 0.0
        if callable(speed):
            function("speed", speed, "m/s")
            self._curve = speed
            if slowing > 0.0:
                raise ParameterError("resistance", "not 0",
                                     "a speed function includes its own slowing; expected 0")
        else:
            self._first = number("speed", speed, "m/s, or a function of time", at_least=0.0,
                                 at_most=FASTEST_ROLL)

    def middles(self, start: int, steps: int, sample_rate: float) -> list[float]:
        """Return the speeds in the middles of steps, m/s."""
        times = [(start + n + 0.5) / sample_rate for n in range(steps)]
        if self._curve is None:
            first, slowing = self._first, self._slowing
            return [max(first - slowing * t, 0.0) for t in times]
        return [
            number(f"speed({t:g} s)", self._curve(t), "m/s", at_least=-FASTEST_ROLL,
                   at_most=FASTEST_ROLL) for t in times
        ]


class _Shapes:
    """An object's mode shapes along the track; `body` is the object with those at its start."""

    def __init__(self, body: ModalObject | None, shapes: Callable[[float], Numbers] | None) -> None:
        self.body, self._shapes = body, shapes
        if shapes is None:
            return
        if body is None:
            raise ParameterError("shapes", shapes,
                                 "a rigid floor has no mode shapes; expected None")
        if not callable(shapes):
            raise ParameterError(
                "shapes", shapes,
                "expected a function of the position (m) that returns the mode shapes there")
        self.body = ModalObject(frequencies=body.frequencies, decay_rates=body.decay_rates,
                                masses=body.masses, shapes=self.at(0.0))

    @property
    def moves(self) -> bool:
        return self._shapes is not None

    def at(self, place: float) -> FloatArray:
        """The mode shapes at a place on the track (m), (M,), where they move."""
        assert self._shapes is not None and self.body is not None
        return ranges.MODE_SHAPE.series(f"shapes({place:g} m)", self._shapes(place),
                                        size=self.body.count)

    def stretches(self, start: int, steps: int) -> list[tuple[int, int]]:
        """Return the parts of steps with constant shapes."""
        if self._shapes is None:
            return [(0, steps)]
        edges = [0, *range(MOVE - start % MOVE, steps, MOVE), steps]
        return list(pairwise(edges))
