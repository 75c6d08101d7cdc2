"""The three-point scheme of strings in modes."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pysitar.kernels.modal.three_point import ThreePoint
from pysitar.models.network.network import Row, parts
from pysitar.models.network.schemes.base import CORRECTION, ROWS, TOUCH
from pysitar.models.network.schemes.modal import MAX_RATE, ModalScheme
from pysitar.physics.checks import array_of
from pysitar.physics.modes import StringModes


def three_point_network(modes: StringModes, rows: Sequence[Row], sample_rate: float) -> ThreePoint:
    """Return the three-point kernel of a string's modes and its rows, at a sample rate (Hz).
    Errors: ParameterError, as `parts`."""
    return ThreePoint(**parts(
        angular_frequencies=modes.angular_frequencies,
        decay_rates=modes.decay_rates,
        masses=modes.masses,
        rows=rows,
        sample_rate=sample_rate,
    ))


def modal_decay(kernel: ThreePoint, modes: StringModes) -> Callable[[float], None]:
    """Return a function that adds a decay rate (1/s) to all modes of a kernel at constant undamped
    frequencies."""
    own = modes.decay_rates.tolist()
    squared = [w * w + a * a for w, a in zip(modes.angular_frequencies.tolist(), own, strict=True)]
    most = [max(a, MAX_RATE * math.sqrt(w)) for w, a in zip(squared, own, strict=True)]

    def add(rate: float) -> None:
        rates = [min(a + rate, high) for a, high in zip(own, most, strict=True)]
        kernel.set_modes(
            array_of([math.sqrt(w - a * a) for w, a in zip(squared, rates, strict=True)]),
            array_of(rates))

    return add


THREE_POINT: ModalScheme[ThreePoint] = ModalScheme(
    name="three-point",
    doc="exact modes, contact forces centred on a step, all contacts solved together",
    capabilities=frozenset((ROWS, TOUCH, CORRECTION)),
    solves_together=True,
    shortest_contact=2.0,
    no_statics="is softer at rest than the string, so what its modes lack may be negative",
    closed_form="three-point",
    network=three_point_network,
    added_decay=modal_decay,
    correct_state=ThreePoint.correct_previous_step,
)
