"""Residual compliance of a string's network: options, checks, rows and outputs."""
from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.grid.network import GridNetwork
from pysitar.kernels.modal.network import Network
from pysitar.kernels.modal.two_point import STATIC_OUTPUTS, TwoPoint
from pysitar.models.network.network import Row
from pysitar.physics import ranges
from pysitar.physics.modes import StringModes
from pysitar.physics.string import String
from pysitar.physics.string_compliance import string_compliance

DEFAULT_THETA = 0.75
# times the stiffness of the string at the place: with stiffer contacts the energy balance lost
# digits, 4 of them at ten times as much, by the rounding of G and R
MOST_STIFFNESS = 1e13
NO_OUTPUT: tuple[str, float] = ("none", 0.0)


def theta_of(statics: bool, theta: float | None) -> float | None:
    """Return theta of a string with statics, checked; None without.  Errors: ParameterError, a
    theta without statics."""
    if theta is None:
        return DEFAULT_THETA if statics else None
    value = ranges.THETA.number("theta", theta)
    if not statics:
        raise ParameterError("theta", theta, "expected statics=True with theta, or no theta")
    return value


def set_statics(kernel: TwoPoint, modes: StringModes, rows: Sequence[Row], theta: float,
                highest: float = math.inf, detuning: float = 0.0) -> None:
    """Add the residual compliance of a string at the rows of its network.

    Parameters: kernel; modes, of the string alone, at its stored tension; rows; theta, checked;
    highest (Hz), above which a mode is left out while the tension raises its frequency there;
    detuning, of a second direction.
    Errors: ParameterError, a mode whose decay rate is above its angular frequency, a detuning below
    0, a contact that is too stiff.
    """
    if detuning < 0.0:
        raise ParameterError("detuning", detuning, "expected at least 0 with statics")
    _check_positive(modes, detuning)
    _check_stiffness(modes.string, rows)
    string = modes.string
    kernel.set_statics(length=string.length, tension=string.tension,
                       bending_stiffness=string.bending_stiffness, theta=theta,
                       highest=2.0 * math.pi * highest,
                       positions=np.array([row.position or 0.0 for row in rows]),
                       weights=np.array([0.0 if row.position is None else row.weight
                                         for row in rows]),
                       side_weights=np.array([0.0 if row.position is None else row.side_weight
                                              for row in rows]),
                       side_softness=1.0 / ((1.0 - detuning) * (1.0 - detuning)))


def _check_positive(modes: StringModes, detuning: float) -> None:
    """Raise a ParameterError if a mode is softer in the scheme than in the string: the residual
    compliance might be negative then."""
    softer = modes.angular_frequencies * (1.0 - detuning) < modes.decay_rates
    if softer.any():
        i = int(softer.argmax())
        raise ParameterError(
            "statics", True,
            f"mode {i + 1} decays at {modes.decay_rates[i]:.3g} 1/s, faster than its angular "
            f"frequency, {modes.angular_frequencies[i]:.3g} rad/s, and is then softer than the "
            "string; expected lower losses, or statics = false")


def _check_stiffness(string: String, rows: Sequence[Row]) -> None:
    """Raise a ParameterError if rounding of the compliance spoils a contact."""
    for row in rows:
        if row.position is None or row.law.exponent != 1.0:
            continue
        ratio = row.law.stiffness * string_compliance(string, row.position, row.position)
        if ratio > MOST_STIFFNESS:
            raise ParameterError(
                "statics", True,
                f"the contact at {row.position:.3g} m is {ratio:.2g} times as stiff as the string "
                f"there, and rounding would spoil its balance; expected a stiffness of at most "
                f"{row.law.stiffness * MOST_STIFFNESS / ratio:.2g} N/m, or statics = false")


def set_static_outputs(kernel: Network | GridNetwork,
                       outputs: Sequence[tuple[str, float]]) -> None:
    """Set the static response of a network's outputs, after its `set_outputs`.

    Parameters: outputs, for each its kind, of STATIC_OUTPUTS, and the place of a displacement (m).
    """
    assert isinstance(kernel, TwoPoint)
    kernel.set_static_outputs(np.array([STATIC_OUTPUTS[kind] for kind, _ in outputs],
                                       dtype=np.int32), np.array([x for _, x in outputs]))
