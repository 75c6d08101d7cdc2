"""Simulation of one string and its barriers by any scheme."""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from pysitar.errors import ParameterError, PhysicalWarning, join_choices
from pysitar.models.network.network import curvature
from pysitar.models.network.run import MOST_STEPS, Audited, Run
from pysitar.models.network.schemes.base import (
    CORRECTION,
    GRID,
    MODES,
    STATICS,
    TENSION,
    NetworkOptions,
    SchemeString,
    StringScheme,
)
from pysitar.models.network.schemes.catalogue import (
    DEFAULT,
    STRING_SCHEMES,
    names_in,
    names_with,
)
from pysitar.models.network.schemes.friction import (
    BowControls,
    bow_weights,
    check_friction,
    side_weights,
    surface_weights,
)
from pysitar.models.network.schemes.statics import set_static_outputs, theta_of
from pysitar.models.strings.outputs import OUTPUTS, Output, parse_output, static_output
from pysitar.physics import ranges
from pysitar.physics.barrier import Barrier
from pysitar.physics.bow import Bow, BridgeFriction
from pysitar.physics.checks import FloatArray, Numbers, flag, number, whole
from pysitar.physics.excitation import raised_cosine, ramp_release
from pysitar.physics.grid import StringGrid
from pysitar.physics.modes import StringModes
from pysitar.physics.stretching import (
    RATE_PER_RISE,
    Wire,
    stretch_by_force,
    tension_rise_fault,
    with_rising_tension,
)
from pysitar.physics.string import String

LATEST = 1e9                    # s


class StringSimulation:
    """A stiff lossy string between two fixed ends, with barriers below it.

    Parameters
    ----------
    string : String
        The string. On a grid it has the losses sigma0 and sigma2 alone.
    barriers : sequence of Barrier, default ()
        Each has its own contact law.
    sample_rate : float
        Steps per second, 1 to 1e9 (Hz).
    scheme : str, default "two-point"
        "two-point", "three-point" or "modal-explicit" (modes); "fd-iterative" or "fd-explicit"
        (grid).
    variant : str, optional
        Treatment of the auxiliary variable of an explicit scheme: "paper" keeps its value after a
        contact, so that the force may pull; "reset" sets it to 0 and counts its energy as losses;
        "tracking" computes it from the contact energy, of second order. fd-explicit has all three
        (default "tracking"), modal-explicit "reset" (default) and "paper".
    max_frequency : float, optional
        Highest frequency of the modes (Hz). Default, without `modes`: below 20 kHz and below 0.45
        of the sample rate, 0.31 with modal-explicit.
    modes : int, optional
        Number of modes, 1 to 4096, in place of `max_frequency`.
    corrected : bool, default False
        At the start of each contact set the stiffness so that the contact lasts as long as the
        exact one of the modal mass at that speed. For two-point and three-point, with exactly one
        barrier point without damping. It applies where contacts are short compared with the period
        of the highest mode: with 3 modes the error of the duration falls to a tenth, with 12 to a
        half; with 25 and more, where waves run along the string during a contact, it does not fall.
    frequencies, decay_rates : array_like, optional
        Measured modes, shape (M,), Hz and 1/s, in place of those of the string; all are kept unless
        `max_frequency` or `modes` excludes some.
    tension_modulation : bool, default False
        Whether the tension rises by EA e / length with the elongation e; for two-point and a string
        with `axial_stiffness`. The pitch then falls after a hard pluck. The computation takes two
        to three times as long.
    statics : bool, default False
        Whether the static compliance that the modes lack is added at the barrier points, for
        two-point; the equilibrium is then that of the string, whatever its modes, and pitch on a
        bridge hardly depends on sample rate and number of modes. A step in contact takes 1.0 to
        2.9 times as long, as the string lies on more points. Forces at the ends and displacements
        have it; a force of `pluck` or `drive` acts through the modes alone.
    bow : Bow, optional
        A bow on the string, for two-point; with `statics` it acts through the modes alone.
    friction : BridgeFriction, optional
        The string moves in two directions, and rubs on the barriers; for two-point. With `statics`
        its detuning is at least 0. docs/friction.md has equations and results.
    theta : float, optional
        With `statics`, 0.55 to 2 (default 0.75): how strongly the added compliance is damped. The
        losses of partials in contact are proportional to (theta - 1/2) f^2 / sample_rate; lower
        values are brighter and ring more near half the sample rate.

    Raises
    ------
    ParameterError
        For a value out of its range, or a combination that the scheme does not have.

    Notes
    -----
    With a relative rise of the tension above sample_rate / 40 kHz the energy still balances, but
    too much of it is lost; a `PhysicalWarning` says so. Strongly damped stiff contacts (stiffness
    1e9, damping from 10 s/m) lose too little energy in the explicit schemes.

    References
    ----------
    van Walstijn & Bridges 2016: two-point, section III-A, its free step (25) re-derived (a factor 2
    is missing in print); three-point, section III-B, its balance (42) re-derived (the sum runs over
    y(n + 1) - y(n - 1)). MacNeal 1971, residual compliance: statics, with its balance (derived).
    Ducceschi & Bilbao 2019, section III, with losses: grid and
    modal-explicit. tension_modulation: Kirchhoff's string, with a force linear in the step
    (re-derived).

    Examples
    --------
    >>> import pysitar
    >>> string = pysitar.String(length=1.0, tension=100.0, linear_density=0.01)
    >>> simulation = pysitar.StringSimulation(string=string, sample_rate=8000.0, modes=3)
    >>> simulation.pluck(position=0.25, force=1.0, duration=0.001)
    >>> run = simulation.run(16, ["force_end", ("displacement", 0.5)])
    >>> run.outputs.shape, run.residual < 1e-12
    ((16, 2), True)
    """

    def __init__(
        self,
        *,
        string: String,
        barriers: Sequence[Barrier] = (),
        sample_rate: float,
        scheme: str = DEFAULT,
        variant: str | None = None,
        max_frequency: float | None = None,
        modes: int | None = None,
        corrected: bool = False,
        frequencies: Numbers | None = None,
        decay_rates: Numbers | None = None,
        tension_modulation: bool = False,
        statics: bool = False,
        theta: float | None = None,
        bow: Bow | None = None,
        friction: BridgeFriction | None = None,
    ) -> None:
        if not isinstance(string, String):
            raise ParameterError("string", string, "expected a String")
        if not isinstance(scheme, str) or scheme not in STRING_SCHEMES:
            raise ParameterError("scheme", scheme, f"expected one of {', '.join(STRING_SCHEMES)}")
        self.sample_rate = ranges.SAMPLE_RATE.number("sample_rate", sample_rate)
        self._scheme = chosen = STRING_SCHEMES[scheme]
        self._has_tension_modulation = flag("tension_modulation", tension_modulation)
        self._has_statics = flag("statics", statics)
        self._wire = Wire(string.tension, string.length, string.axial_stiffness)
        options = NetworkOptions(variant=variant, max_frequency=max_frequency, modes=modes,
                                 corrected=flag("corrected", corrected), frequencies=frequencies,
                                 decay_rates=decay_rates,
                                 tension_modulation=self._has_tension_modulation,
                                 theta=theta_of(self._has_statics, theta), bow=bow,
                                 friction=friction)
        _check_options(chosen, options)
        check_friction(chosen, options)
        self._string = chosen.simulate(string, barriers, self.sample_rate, options)
        self._kernel, self._space = self._string.kernel, self._string.space
        self._points = self._string.points
        if self._string.friction is None:
            self._points -= self._has_tension_modulation
        self._bow = None
        if bow is not None and self._string.friction is not None:
            self._bow = BowControls(self._kernel, self._string.friction, bow)
        self._inputs: list[tuple[FloatArray, int, FloatArray]] = []
        self._audited = Audited(self._kernel, self.sample_rate)

    @property
    def modes(self) -> StringModes:
        """The modes: wave numbers, damped frequencies, decay rates, masses.

        Returns
        -------
        StringModes

        Raises
        ------
        ParameterError
            For a scheme on a grid.
        """
        if self._string.modes is None:
            raise ParameterError(
                "scheme", self._scheme.name,
                f"the scheme has nodes, not modes; expected {join_choices(names_in(MODES))}")
        return self._string.modes

    @property
    def grid(self) -> StringGrid:
        """The grid: spacing, nodes, coefficients.

        Returns
        -------
        StringGrid

        Raises
        ------
        ParameterError
            For a scheme of modes.
        """
        if self._string.grid is None:
            raise ParameterError(
                "scheme", self._scheme.name,
                f"the scheme has modes, not a grid; expected {' or '.join(names_in(GRID))}")
        return self._string.grid

    @property
    def frequencies(self) -> FloatArray:
        """The damped frequencies of the modes.

        Returns
        -------
        numpy.ndarray
            Shape (M,), Hz.

        Raises
        ------
        ParameterError
            For a scheme on a grid.
        """
        return self.modes.frequencies

    @property
    def spacing(self) -> float:
        """The distance of the nodes of the grid.

        Returns
        -------
        float
            In m.

        Raises
        ------
        ParameterError
            For a scheme of modes.
        """
        return self.grid.spacing

    @property
    def nodes(self) -> FloatArray:
        """The positions of the nodes of the grid, both ends included.

        Returns
        -------
        numpy.ndarray
            Shape (nodes,), m.

        Raises
        ------
        ParameterError
            For a scheme of modes.
        """
        return self.grid.nodes

    def set_displacement(
        self,
        shape: Callable[[float], float] | None = None,
        *,
        triangle: tuple[float, float] | None = None,
        modal: Numbers | None = None,
        equilibrium: bool = False,
        angle: float | None = None,
    ) -> None:
        """Set the displacement of the string, with velocity 0, by exactly one of the arguments.

        Parameters
        ----------
        shape : callable, optional
            Function of x (m) that returns the displacement (m, up positive).
        triangle : tuple, optional
            (position in m, height in m) of the corner.
        modal : array_like, optional
            Displacements of the modes, shape (M,), m; not on a grid.
        equilibrium : bool, default False
            True is the static equilibrium on the barriers.
        angle : float, optional
            Of the displacement of a string with `friction`, as in `pluck` (degrees).

        Raises
        ------
        ParameterError
            For a wrong argument, or not exactly one.
        """
        given = [
            shape is not None, triangle is not None, modal is not None,
            flag("equilibrium", equilibrium)
        ]
        if sum(given) != 1:
            raise ParameterError("displacement", f"set by {sum(given)} arguments",
                                 "expected exactly one of shape, triangle, modal, equilibrium")
        if equilibrium:
            self._set_equilibrium()
            return
        if modal is not None:
            y = ranges.DISPLACEMENT.series("modal", modal, size=self.modes.count)
        elif triangle is not None:
            y = _triangle(self._string, triangle)
        else:
            assert shape is not None
            y = self._string.sampled(shape)
        if self._has_tension_modulation:
            elongation = 0.5 * math.fsum((curvature(self.modes) * y * y).tolist())
            self._warn_tension_rise(
                self._wire.stiffness * elongation / (self._wire.length * self._wire.tension),
                stacklevel=3)
        try:
            self._string.set_displacement(self._string.widen(y, angle))
        except ArithmeticError as error:
            raise ParameterError("displacement", "not possible",
                                 f"{error}; expected barriers of lower stiffness") from None
        self._audited.begin()

    def pluck(
        self,
        *,
        position: float,
        force: float,
        duration: float | None = None,
        ramp: float | None = None,
        release: float | None = None,
        width: float = 0.0,
        time: float | None = None,
        spread: str | None = None,
        angle: float | None = None,
    ) -> None:
        """Add the force of a pluck: a raised cosine, or a rise and a release.

        Parameters
        ----------
        position : float
            0 to length (m).
        force : float
            The greatest force, -1e6 to 1e6, up positive (N).
        duration : float, optional
            Of the raised cosine (s); either this, or `ramp` and `release`.
        ramp, release : float, optional
            Durations of the rise and of the fall to 0 (s).
        width : float, default 0.0
            Length over which the force is distributed (m).
        time : float, optional
            Start since step 0 (s), not before the present step. Default: the present step.
        spread : str, optional
            As in `drive`.
        angle : float, optional
            Of a string with `friction`: 90 is up, 0 along the bridge (degrees; default 90).

        Raises
        ------
        ParameterError
            For a wrong argument.
        """
        dt, at = 1.0 / self.sample_rate, self._scheme.force_time_offset
        if duration is not None:
            if ramp is not None or release is not None:
                raise ParameterError("duration", duration,
                                     "expected either duration or ramp and release")
            values = raised_cosine(force=force, duration=duration, time_step=dt, at=at)
        elif ramp is None or release is None:
            raise ParameterError("duration", duration,
                                 "expected either duration or both ramp and release")
        else:
            values = ramp_release(force=force, ramp=ramp, release=release, time_step=dt, at=at)
        self._add_force_at(position, width, spread, values, time, angle)

    def drive(self, *, position: float, force: Numbers, time: float | None = None,
              spread: str | None = None) -> None:
        """Add a force with one value per step.

        Parameters
        ----------
        position : float
            0 to length (m).
        force : array_like
            Shape (n,), -1e6 to 1e6, up positive (N).
        time : float, optional
            Of the first value, since step 0 (s), not before the present step. Default: the present
            step.
        spread : str, optional
            On a grid, of a force without width: "nearest" (default) acts on the nearest node,
            "linear" on two nodes.

        Raises
        ------
        ParameterError
            For a wrong argument.
        """
        self._add_force_at(position, 0.0, spread, ranges.FORCE.series("force", force), time)

    def run(self, steps: int, outputs: Sequence[Output] = ("force_end",), *,
            energy_every: int = 1) -> Run:
        """Compute steps and return the result; the next call continues from there.

        Parameters
        ----------
        steps : int
            0 to 2^31, at most as many as memory holds.
        outputs : sequence, default ("force_end",)
            "force_end" and "force_start", the upward force on the support at x = length and x = 0
            (N); ("displacement", x) (m) and ("velocity", x) (m/s) at x (m); ("mode", i), the
            displacement of mode i, from 1, not on a grid (m); "contact_force" of all barrier points
            and ("contact_force", k) of point k, from 0, in the order of the barriers (N);
            "tension_rise" with tension_modulation, the mean over the step (N); "bow_force" with a
            bow, on the string (N), and "surface_velocity", of the surface under its hairs, torsion
            included (m/s); "side_force_end" and ("side_displacement", x) with friction, of the
            second direction.
        energy_every : int, default 1
            1 to 2^31: energies are computed before the steps whose number since the start of the
            simulation is a multiple of it. At 64 a string in contact takes a twentieth less time, a
            free one a fifth less; nothing else changes.

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
        every = whole("energy_every", energy_every, at_least=1, at_most=MOST_STEPS)
        if isinstance(outputs, str) or not isinstance(outputs, Sequence):
            raise ParameterError(
                "outputs", outputs,
                'expected a list of outputs, such as ["force_end", ("displacement", 0.25)]')
        self._set_outputs(outputs)
        self._kernel.set_inputs(
            np.array([shape for shape, _, _ in self._inputs]).reshape(len(self._inputs),
                                                                      self._string.width))
        run = self._audited.run(steps, len(outputs), partial(self._advance, every), every=every)
        self._inputs = [
            given for given in self._inputs if given[1] + given[2].size > self._kernel.count
        ]
        return run

    def _advance(self, every: int, out: FloatArray, ledger: FloatArray) -> None:
        steps = out.shape[0]
        now = self._kernel.count
        bowed = {} if self._bow is None else self._bow.values(now, steps)
        self._kernel.advance(steps, out, forces=self._forces(now, steps), energies=ledger,
                             every=every, **bowed)

    def _set_equilibrium(self) -> None:
        try:
            self._kernel.set_equilibrium()
        except ArithmeticError as error:
            raise ParameterError("equilibrium", True,
                                 f"{error}; expected barriers of lower stiffness") from None
        self._audited.begin()

    def _add_force_at(self, position: float, width: float, spread: str | None, values: FloatArray,
                      time: float | None, angle: float | None = None) -> None:
        """Add a force (N), one value a step, at a position (m)."""
        weights = self._string.force_weights(position, width, spread)
        self._add_force(self._string.widen(weights, angle), values, time)
        if self._has_tension_modulation and 0.0 < position < self._wire.length:
            peak = float(np.max(np.abs(values), initial=0.0))
            stretch = with_rising_tension(stretch_by_force(self._wire, position, peak))
            self._warn_tension_rise(stretch.rise, stacklevel=4)

    def _warn_tension_rise(self, rise: float, *, stacklevel: int) -> None:
        """Warn of a relative rise of the tension that is too large for the sample rate; stacklevel,
        of the caller."""
        wrong = tension_rise_fault(rise, self.sample_rate)
        if wrong:
            warnings.warn(
                f"the string is drawn out so far that {wrong}; expected less, or a sample_rate of "
                f"at least "
                f"{RATE_PER_RISE * rise:.3g} Hz", PhysicalWarning, stacklevel=stacklevel)

    def _add_force(self, shape: FloatArray, values: FloatArray, time: float | None) -> None:
        first = now = self._kernel.count
        if time is not None:
            first = round(
                number("time", time, "s", at_least=0.0, at_most=LATEST) * self.sample_rate)
            if first < now:
                raise ParameterError(
                    "time", time,
                    f"expected a value at least {now / self.sample_rate:g} s, the present step")
        self._inputs.append((shape, first, values))

    def _forces(self, start: int, steps: int) -> FloatArray:
        forces = np.zeros((steps, len(self._inputs)))
        for j, (_, first, values) in enumerate(self._inputs):
            low, high = max(first, start), min(first + values.size, start + steps)
            if low < high:
                forces[low - start:high - start, j] = values[low - first:high - first]
        return forces

    def _set_outputs(self, outputs: Sequence[Output]) -> None:
        space = self._space
        y = np.zeros((len(outputs), space.count))
        v = np.zeros_like(y)
        f = np.zeros((len(outputs), self._kernel.rows))
        t, side, surface = np.zeros_like(y), np.zeros_like(y), np.zeros(len(outputs))
        side_count = self._string.friction.more.side_count if self._string.friction else 0
        for j, output in enumerate(outputs):
            name, where = parse_output(output)
            if name == "force_end" and where is None:
                y[j] = space.slope_force_end()
                t[j] = self.modes.slope_end() if self._has_tension_modulation else 0.0
            elif name == "force_start" and where is None:
                y[j] = space.slope_force_start()
                t[j] = self.modes.wave_numbers if self._has_tension_modulation else 0.0
            elif name == "displacement" and where is not None:
                y[j] = space.shape(where)
            elif name == "velocity" and where is not None:
                v[j] = space.shape(where)
            elif name == "mode" and where is not None:
                y[j, whole("mode", where, at_least=1, at_most=self.modes.count) - 1] = 1.0
            elif name == "contact_force":
                if where is not None and not self._points:
                    raise ParameterError(
                        "point", where,
                        "the string has no barrier point; expected contact_force without a point")
                f[j,
                  slice(self._points) if where is
                  None else whole("point", where, at_least=0, at_most=self._points - 1)] = 1.0
            elif name == "tension_rise" and where is None and self._has_tension_modulation:
                f[j, self._kernel.rows - 1] = -1.0
            elif name == "bow_force" and where is None and self._bow is not None:
                f[j] = bow_weights(self._string, self._kernel.rows)
            elif name == "surface_velocity" and where is None and self._bow is not None:
                surface[j] = 1.0
            elif name == "side_force_end" and where is None and side_count:
                side[j] = space.slope_force_end()
            elif name == "side_displacement" and where is not None and side_count:
                side[j] = space.shape(where)
            else:
                raise ParameterError("output", output, OUTPUTS)
        y, v, t = (self._string.widen(weights) for weights in (y, v, t))
        if side_count:
            y = y + side_weights(self._string, side)
        if surface.any():
            v = v + surface[:, np.newaxis] * surface_weights(self._string)
        self._string.set_outputs(y, v, f, t)
        if self._has_statics:
            set_static_outputs(self._kernel, [static_output(output) for output in outputs])


def _check_options(scheme: StringScheme, options: NetworkOptions) -> None:
    """Raise a ParameterError for options that the scheme does not have, or not together."""
    if options.tension_modulation and TENSION not in scheme.capabilities:
        raise ParameterError(
            "tension_modulation", True,
            f"the {scheme.name} scheme keeps the tension constant; "
            f"expected {' or '.join(names_with(scheme.model, TENSION))}")
    if options.tension_modulation and options.corrected:
        raise ParameterError(
            "corrected", True,
            "expected False with tension_modulation, or no tension_modulation")
    if options.corrected and scheme.space == MODES and CORRECTION not in scheme.capabilities:
        raise ParameterError(
            "corrected", True,
            f"the {scheme.name} scheme has no correction; expected "
            f"{' or '.join(names_with(scheme.model, CORRECTION))}, or False")
    if options.theta is None:
        return
    if STATICS not in scheme.capabilities:
        raise ParameterError(
            "statics", True,
            f"the {scheme.name} scheme {scheme.no_statics}; "
            f"expected {' or '.join(names_with(scheme.model, STATICS))}, or False")
    if options.corrected:
        raise ParameterError("corrected", True, "expected False with statics, or no statics")
    if options.frequencies is not None:
        raise ParameterError("frequencies", options.frequencies,
                             "expected the string's own frequencies with statics, or no statics")


def _triangle(string: SchemeString, given: tuple[float, float]) -> FloatArray:
    try:
        position, height = given
    except (TypeError, ValueError):
        raise ParameterError("triangle", given,
                             "expected a pair (position in m, height in m)") from None
    return string.triangle(position, height)
