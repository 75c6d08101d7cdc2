"""A mass, or an oscillator, against a one-sided barrier, by any of the schemes that the papers
compare there."""
from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.lumped.mass_barrier import MassBarrier
from pysitar.models.network.run import MOST_STEPS, PIECE
from pysitar.models.network.schemes.base import SPRING
from pysitar.models.network.schemes.catalogue import (
    DEFAULT,
    MASS_SCHEMES,
    names_with,
    names_with_variants,
)
from pysitar.physics.checks import FloatArray, flag, number, whole
from pysitar.physics.lossless_contact import (
    FARTHEST,
    FASTEST,
    FASTEST_RATE,
    SLOWEST_RATE,
    barrier_law,
    duration_excess,
    lossless_contact_time,
)

KEPT = 4                        # arrays of a run


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MassRun:
    """The result of `mass_barrier`; value n of an array is the value before step n.

    Attributes
    ----------
    position : numpy.ndarray
        Shape (steps,), m.
    velocity, energy : numpy.ndarray
        Shape (steps,), m/s and J; at step n in the two-point scheme, at n - 1/2 in the others.
    time : numpy.ndarray
        Shape (steps,), of the positions (s).
    contacts : int
        How many contacts began.
    iterations : int
        Newton iterations in total; 0 where every step has a closed form.
    """

    position: FloatArray
    velocity: FloatArray
    energy: FloatArray
    time: FloatArray
    contacts: int
    iterations: int


def mass_barrier(
    *,
    mass: float,
    stiffness: float,
    exponent: float,
    sample_rate: float,
    steps: int,
    position: float,
    velocity: float,
    scheme: str = DEFAULT,
    variant: str | None = None,
    corrected: bool = False,
    frequency: float = 0.0,
    barrier: float = 0.0,
) -> MassRun:
    """Compute the motion of a mass below a barrier with the force stiffness * compression^exponent.

    The mass moves freely or on a spring. Every scheme and variant conserves its energy to rounding;
    the motion may still be wrong: the variant "paper" keeps a part of the energy in its auxiliary
    variable after an impact. A start inside the barrier is of second order.

    Parameters
    ----------
    mass : float
        1e-12 to 1e12 (kg).
    stiffness : float
        1e-30 to 1e16 (N/m^exponent).
    exponent : float
        1 to 10.
    sample_rate : float
        Steps per second, 1 to 1e9 (Hz).
    steps : int
        0 to 2^31, at most as many as memory holds.
    position : float
        At step 0, -1e6 to 1e6 (m).
    velocity : float
        At step 0, -1e6 to 1e6 (m/s).
    scheme : str, default "two-point"
        "two-point" or "three-point", for a free mass; "iterative" (the three-point scheme) or
        "explicit", also for a mass on a spring.
    variant : str, optional
        Treatment of the auxiliary variable in the scheme "explicit": "paper" (as printed: frozen
        after the contact), "sign", "release" (default) or "midpoint".
    corrected : bool, default False
        Whether the stiffness of each contact is set, from the speed at its start, so that the
        contact has its exact duration. Not with "explicit", except for its variant "midpoint". The
        corrected barrier is stiffer, so its greatest compression is smaller. A contact in which the
        mass starts keeps the plain stiffness; one below the aliasing limit gets about the shortest
        duration that the scheme allows.
    frequency : float, default 0.0
        Of the spring that pulls the mass to 0, 0 to below sample_rate / pi (Hz); 0 is no spring.
    barrier : float, default 0.0
        Position of the barrier, -1e6 to 1e6 (m).

    Returns
    -------
    MassRun

    Raises
    ------
    ParameterError
        For a value out of its range, or a combination that the scheme does not have.
    ArithmeticError
        If a collision could not be solved.

    References
    ----------
    Chatziioannou & van Walstijn 2017, eqs. (7), (8), (15), (16), the correction for exponents over
    1 derived; Ducceschi & Bilbao 2019, eqs. (19) to (28), with (23) re-derived.

    Examples
    --------
    >>> import pysitar
    >>> run = pysitar.mass_barrier(mass=1.0, stiffness=1e9, exponent=1.0, sample_rate=50000.0,
    ...                            steps=50, position=-1e-4, velocity=1.0)
    >>> run.contacts, round(float(run.velocity[-1]), 9)
    (1, -1.0)
    """
    m, k, alpha = barrier_law(mass, stiffness, exponent)
    rate = number("sample_rate", sample_rate, "Hz", at_least=SLOWEST_RATE, at_most=FASTEST_RATE)
    kernel_index = _kernel_index(scheme, variant)
    chosen = MASS_SCHEMES[scheme]
    hertz = number("frequency", frequency, "Hz", at_least=0.0, below=rate / math.pi)
    if hertz > 0.0 and SPRING not in chosen.capabilities:
        raise ParameterError(
            "frequency", hertz,
            f"the {scheme} scheme has no spring; expected 0 Hz, or "
            f"{' or '.join(names_with(chosen.model, SPRING))}")
    corrects = flag("corrected", corrected)
    if corrects and not chosen.corrects(variant):
        raise ParameterError(
            "corrected", True,
            "the variant has no correction, its error at the entry would grow; expected "
            f"{' or '.join(chosen.corrected_variants)}")
    kernel = MassBarrier(
        scheme=kernel_index,
        mass=m,
        angular_frequency=2.0 * math.pi * hertz,
        time_step=1.0 / rate,
        stiffness=k,
        exponent=alpha,
        barrier=number("barrier", barrier, "m", at_least=-FARTHEST, at_most=FARTHEST),
        position=number("position", position, "m", at_least=-FARTHEST, at_most=FARTHEST),
        velocity=number("velocity", velocity, "m/s", at_least=-FASTEST, at_most=FASTEST),
        duration=lossless_contact_time(mass=m, stiffness=k, exponent=alpha, velocity=1.0)
        if corrects else None,
        excess=duration_excess(alpha),
    )
    return _run(kernel, whole("steps", steps, at_least=0, at_most=MOST_STEPS), rate)


def _run(kernel: MassBarrier, steps: int, rate: float) -> MassRun:
    position, velocity, energy, time = _allocate(steps)
    for done in range(0, steps, PIECE):
        piece = slice(done, min(done + PIECE, steps))
        kernel.advance(position[piece], velocity[piece], energy[piece])
        time[piece] = np.arange(piece.start, piece.stop) / rate
        if kernel.statistics["failures"]:
            raise ArithmeticError(
                f"a collision before step {piece.stop} did not reach the solver's stopping rule")
    found = kernel.statistics
    return MassRun(
        position=position, velocity=velocity, energy=energy, time=time,
        contacts=int(found["contacts"]), iterations=int(found["evaluations"]),
    )


def _kernel_index(scheme: object, variant: object) -> int:
    """Return the kernel's index of a scheme and its variant.  Errors: ParameterError."""
    if not isinstance(scheme, str) or scheme not in MASS_SCHEMES:
        raise ParameterError("scheme", scheme, f"expected one of {', '.join(MASS_SCHEMES)}")
    chosen = MASS_SCHEMES[scheme]
    if variant is None:
        return chosen.kernel_index(None)
    if not chosen.variants:
        raise ParameterError(
            "variant", variant,
            f"the {scheme} scheme has no variants; expected None, or the scheme "
            f"{' or '.join(names_with_variants(chosen.model))}")
    if not isinstance(variant, str) or variant not in chosen.variants:
        raise ParameterError("variant", variant, f"expected one of {', '.join(chosen.variants)}")
    return chosen.kernel_index(variant)


def _allocate(steps: int) -> list[FloatArray]:
    """Return the arrays of a run.  Errors: ParameterError, more than memory holds."""
    needed = 8 * KEPT * steps
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        if needed > there:
            raise MemoryError
        return [np.empty(steps) for _ in range(KEPT)]
    except MemoryError:
        raise ParameterError(
            "steps", steps,
            f"the results need {needed / 1e9:.3g} GB, and this machine has {there / 1e9:.3g} GB; "
            "expected fewer steps") from None
