"""Build kernels from modes and rows."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.modal.network import Network
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.physics.barrier import Barrier, check_on_string
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.contact import LINEAR, LawArray, LawValues, law_array, law_values
from pysitar.physics.lossless_contact import duration_excess, lossless_contact_time
from pysitar.physics.modes import StringModes

# 1024 rows take 25 MB, with statics 34 MB; the collisions of 1000 points balance to 1e-15
MAX_ROWS = 1024
AUDIBLE = 20e3                  # Hz: higher modes are left out
# of the sample rate: nearer to half of it the prewarped stiffness grows without bound
HIGHEST = 0.45


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Row:
    """A row of a network: its mode shapes (M,) and its law.

    Parameters: offset (m): the row's compression is offset - shape . y - bridge_shape * w, with w
    the displacement of a compliant bridge (m); position, where it is on the string (m; None:
    nowhere yet), for the residual compliance, with weight and side_weight, its displacement per
    displacement of the string there, in its first and its second direction. """

    shape: FloatArray
    law: LawValues
    offset: float = 0.0
    bridge_shape: float = 0.0
    position: float | None = None
    weight: float = 1.0
    side_weight: float = 0.0


def bridge_shape_at(x: float, length: float, *, on_bridge: bool = False) -> float:
    """Return the displacement of a string at x (m) per displacement of a bridge at x = 0; length
    (m); on_bridge: relative to the bridge."""
    return (0.0 if on_bridge else 1.0) - x / length


def barrier_rows(modes: StringModes, barrier: Barrier, *, on_bridge: bool = False) -> list[Row]:
    """Return one contact row for each point of a barrier below a string.

    Parameters: on_bridge, whether the barrier moves with a compliant bridge.
    Errors: ParameterError, a point outside the string.
    """
    check_on_string(barrier, modes.string)
    return [
        Row(shape=modes.shape(x), law=law_values(barrier.law, stiffness=stiffness), offset=height,
            bridge_shape=bridge_shape_at(x, modes.string.length, on_bridge=on_bridge), position=x)
        for x, height, stiffness in zip(barrier.positions.tolist(), barrier.heights.tolist(),
                                        barrier.row_stiffness.tolist(), strict=True)
    ]


def highest_frequency(sample_rate: float, fraction: float = HIGHEST) -> float:
    """Return the default limit (Hz) of a string's modes at a sample rate (Hz), of which it is at
    most a fraction."""
    return min(AUDIBLE, fraction * sample_rate)


class Parts(TypedDict):
    """The arguments of every modal kernel."""

    angular_frequencies: FloatArray
    decay_rates: FloatArray
    masses: FloatArray
    time_step: float
    shapes: FloatArray
    laws: LawArray
    offsets: FloatArray


def parts(
    *,
    angular_frequencies: FloatArray,
    decay_rates: FloatArray,
    masses: FloatArray,
    rows: Sequence[Row],
    sample_rate: float,
    most_rows: int = MAX_ROWS,
) -> Parts:
    """Return the arguments of a kernel of modes, arrays of shape (M,), and rows, at a sample rate
    (Hz).

    Errors: ParameterError: more rows than most_rows, a mode at or above half the sample rate.
    """
    if len(rows) > most_rows:
        raise ParameterError(
            "rows", len(rows),
            (f"expected at most {most_rows} rows (barrier points, frets, threads, fingers, "
             f"hammers)"
             ))
    highest = float(angular_frequencies.max(initial=0.0)) / (2.0 * np.pi)
    if not highest < 0.5 * sample_rate:
        raise ParameterError(
            "sample_rate", sample_rate,
            f"expected above {2.0 * highest:g} Hz, twice the frequency of the highest mode")
    shapes = np.zeros((len(rows), masses.size))
    for k, row in enumerate(rows):
        shapes[k] = row.shape
    return {
        "angular_frequencies": angular_frequencies,
        "decay_rates": decay_rates,
        "masses": masses,
        "time_step": 1.0 / sample_rate,
        "shapes": shapes,
        "laws": law_array([row.law for row in rows]),
        "offsets": np.array([row.offset for row in rows], dtype=np.float64),
    }


def network(
    *,
    angular_frequencies: FloatArray,
    decay_rates: FloatArray,
    masses: FloatArray,
    rows: Sequence[Row],
    sample_rate: float,
    slopes: FloatArray | None = None,
    most_rows: int = MAX_ROWS,
) -> TwoPoint:
    """Return the two-point kernel of modes, arrays of shape (M,), and rows, at a sample rate (Hz).

    Parameters: slopes (M,), the derivative of the squared angular frequencies by the tension, 1/(kg
    m).

    Errors: ParameterError, as `parts`.
    """
    given = parts(angular_frequencies=angular_frequencies, decay_rates=decay_rates, masses=masses,
                  rows=rows, sample_rate=sample_rate, most_rows=most_rows)
    return TwoPoint(**given, slopes=slopes)


def axial_row(modes: StringModes) -> Row:
    """Return the row of a string's elongation; its force is the decrease of the tension.

    Errors: ParameterError, a string without an axial stiffness.
    Source: Kirchhoff's string: V = EA (e - e0)^2 / (2 L), e = sum L b^2 y^2 / 4.
    """
    string = modes.string
    if not string.axial_stiffness > 0.0:
        raise ParameterError("axial_stiffness", string.axial_stiffness,
                             "expected EA of the wire, above 0 N, for tension_modulation")
    return Row(shape=array_of([0.0] * modes.count),
               law=LawValues(kind=LINEAR, stiffness=string.axial_stiffness / string.length))


def curvature(modes: StringModes) -> FloatArray:
    """Return c, shape (M,), 1/m, of a string's elongation e = sum c y^2 / 2: c = L b^2 / 2."""
    return array_of([0.5 * modes.string.length * b * b for b in modes.wave_numbers.tolist()])


def correct(kernel: Network, modes: StringModes, rows: Sequence[Row]) -> None:
    """Correct the duration of each contact of a string's only row, by the speed at its start.

    Errors: ParameterError: not one row, a law with damping, a mass or stiffness out of the range of
    `lossless_contact_time`. """
    if len(rows) != 1:
        raise ParameterError("corrected", True,
                             f"the string has {len(rows)} barrier points; expected exactly one")
    law = rows[0].law
    if law.damping != 0.0:
        raise ParameterError(
            "corrected", True,
            f"the law has a damping of {law.damping:g} s/m; expected a law without damping")
    shape, masses = rows[0].shape.tolist(), modes.masses.tolist()
    # that the modes are to a short contact
    mass = 1.0 / math.fsum(v * v / m for v, m in zip(shape, masses, strict=True))
    alpha = law.exponent
    kernel.correct(
        0, duration=lossless_contact_time(mass=mass, stiffness=law.stiffness, exponent=alpha,
                                          velocity=1.0), excess=duration_excess(alpha))
