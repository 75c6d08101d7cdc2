"""A mass that hits a rigid wall, and bounces under gravity: six schemes on one law."""
from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.lumped.wall_impact import SCHEMES, WallImpact
from pysitar.models.network.run import MOST_STEPS, PIECE
from pysitar.physics.checks import FloatArray, flag, number, whole
from pysitar.physics.contact import HIGHEST_EXPONENT, MOST_DAMPING, STIFFEST
from pysitar.physics.hunt_crossley import (
    FASTEST,
    HEAVIEST,
    LIGHTEST,
    SLOWEST,
    SOFTEST,
    contact_time,
)

SAFE = ("invariant", "energy")              # the schemes that never gain energy
SLOWEST_RATE, FASTEST_RATE = 1.0, 1e9       # Hz
STRONGEST = 1e6                             # m/s^2


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class WallRun:
    """The result of `wall_impact`; value n of an array is the value before step n.

    Attributes
    ----------
    time : numpy.ndarray
        Shape (steps,), s.
    compression : numpy.ndarray
        Shape (steps,), positive in contact (m).
    velocity : numpy.ndarray
        Shape (steps,), positive towards the wall (m/s).
    force : numpy.ndarray
        Shape (steps,), of the wall on the mass (N): the mean over step n in the schemes "invariant"
        and "energy", the force of the state at step n in the others.
    energy : numpy.ndarray
        Shape (steps,), kinetic, elastic and of gravity (J).
    """

    time: FloatArray
    compression: FloatArray
    velocity: FloatArray
    force: FloatArray
    energy: FloatArray


def wall_impact(
    *,
    mass: float,
    stiffness: float,
    exponent: float,
    hysteresis: float,
    velocity: float,
    sample_rate: float,
    steps: int,
    scheme: str = "invariant",
    corrected: bool = False,
    gravity: float = 0.0,
) -> WallRun:
    """Compute the motion of a mass that touches a rigid wall at step 0.

    The force of the wall is stiffness x^exponent (1 + hysteresis dx/dt) at a compression x > 0.

    Parameters
    ----------
    mass : float
        1e-12 to 1e9 (kg).
    stiffness : float
        1e-6 to 1e16 (N/m^exponent).
    exponent : float
        1 to 10.
    hysteresis : float
        0 to 1e6 (s/m).
    velocity : float
        Towards the wall at step 0, 0 to 1e4 (m/s).
    sample_rate : float
        Steps per second, 1 to 1e9 (Hz).
    steps : int
        0 to 2^31, at most as many as memory holds.
    scheme : str, default "invariant"
        "invariant" keeps the exact invariant: its output velocity is exact, its compression never
        above the greatest one. "energy" has an exact energy balance. "am1", "verlet", "heun" and
        "rk4" are those of the paper: their energy may grow, and a contact must last at least one
        step.
    corrected : bool, default False
        For the schemes of the paper: limit the compression and force the fitted output velocity. An
        impact so slow that the weight alone compresses the wall more is not corrected.
    gravity : float, default 0.0
        Towards the wall, 0 to 1e6 (m/s^2).

    Returns
    -------
    WallRun

    Raises
    ------
    ParameterError
        For a value out of its range, a combination that the scheme does not have, or a contact that
        is too short for it.
    ArithmeticError
        If the scheme diverges.

    References
    ----------
    Papetti, Avanzini & Rocchesso 2009, eqs. (20) to (26), their signs re-derived; "invariant" and
    "energy" are discrete gradients, derived here.

    Examples
    --------
    >>> import pysitar
    >>> run = pysitar.wall_impact(mass=0.01, stiffness=1e7, exponent=1.1, hysteresis=0.1,
    ...                           velocity=0.3, sample_rate=44100.0, steps=20)
    >>> round(float(run.velocity[-1]), 12)
    -0.294117420895
    """
    if not isinstance(scheme, str) or scheme not in SCHEMES:
        raise ParameterError("scheme", scheme, f"expected one of {', '.join(SCHEMES)}")
    if flag("corrected", corrected) and scheme in SAFE:
        raise ParameterError(
            "corrected", corrected,
            f"the scheme {scheme} has no correction; expected False, or am1, verlet, heun or rk4")
    rate = number("sample_rate", sample_rate, "Hz", at_least=SLOWEST_RATE, at_most=FASTEST_RATE)
    given = {
        "mass": number("mass", mass, "kg", at_least=LIGHTEST, at_most=HEAVIEST),
        "stiffness": number("stiffness", stiffness, "N/m^exponent", at_least=SOFTEST,
                            at_most=STIFFEST),
        "exponent": number("exponent", exponent, "", at_least=1.0, at_most=HIGHEST_EXPONENT),
        "hysteresis": number("hysteresis", hysteresis, "s/m", at_least=0.0, at_most=MOST_DAMPING),
        "velocity": number("velocity", velocity, "m/s", at_least=0.0, at_most=FASTEST),
    }
    pull = number("gravity", gravity, "m/s^2", at_least=0.0, at_most=STRONGEST)
    count = whole("steps", steps, at_least=0, at_most=MOST_STEPS)
    if scheme not in SAFE and given["velocity"] >= SLOWEST:
        lasting = contact_time(**given) * rate
        if lasting < 1.0:
            raise ParameterError(
                "sample_rate", sample_rate,
                f"the contact lasts {lasting:.3g} samples, and {scheme} needs at least one; "
                f"expected at least {rate / lasting:.3g} Hz, or the scheme invariant")
    kernel = WallImpact(time_step=1.0 / rate, scheme=SCHEMES[scheme], corrected=corrected,
                        gravity=pull, **given)
    x, v, force, energy = _allocate(count)
    for done in range(0, count, PIECE):
        piece = slice(done, min(done + PIECE, count))
        kernel.advance(x[piece], v[piece], force[piece], energy[piece])
        _check(kernel, scheme, piece.start, energy[piece])
    return WallRun(time=np.arange(count) / rate, compression=x, velocity=v, force=force,
                   energy=energy)


def _check(kernel: WallImpact, scheme: str, start: int, energy: FloatArray) -> None:
    """Raise ArithmeticError where the energy is not a number any more, or a solve has failed."""
    lost = np.flatnonzero(~np.isfinite(energy))[:1].tolist()
    if lost:
        raise ArithmeticError(
            f"the scheme {scheme} diverged at step {start + lost[0]}; expected a higher "
            f"sample_rate (Hz)"
        )
    if kernel.statistics["failures"]:
        raise ArithmeticError(
            f"a step of the scheme {scheme} before step {start + energy.size} was not solved")


def _allocate(steps: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the arrays of a run.  Errors: ParameterError, more than memory holds."""
    needed = 5 * 8 * steps
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        if needed > there:
            raise MemoryError
        return np.empty(steps), np.empty(steps), np.empty(steps), np.empty(steps)
    except MemoryError:
        need = f"the results need {needed / 1e9:.3g} GB, and this machine has {there / 1e9:.3g} GB"
        raise ParameterError("steps", steps, f"{need}; expected fewer steps") from None
