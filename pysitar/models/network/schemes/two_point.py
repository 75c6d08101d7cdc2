"""The two-point scheme: of strings in modes, and of the contacts of objects."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.network.friction import set_friction
from pysitar.models.network.network import Row, network
from pysitar.models.network.schemes.base import (
    CORRECTION,
    COUPLING,
    FINGER,
    FRETS,
    FRICTION,
    HAMMER,
    MODES,
    PITCH,
    ROWS,
    STATICS,
    TENSION,
    THREAD,
    TOUCH,
    Scheme,
)
from pysitar.models.network.schemes.modal import ModalScheme
from pysitar.models.network.schemes.statics import set_statics
from pysitar.physics.modes import StringModes


def string_network(modes: StringModes, rows: Sequence[Row], sample_rate: float) -> TwoPoint:
    """Return the two-point kernel of a string's modes and its rows, at a sample rate (Hz).  Errors:
    ParameterError, as `parts`."""
    return network(
        angular_frequencies=modes.angular_frequencies,
        decay_rates=modes.decay_rates,
        masses=modes.masses,
        rows=rows,
        sample_rate=sample_rate,
        slopes=modes.wave_numbers * modes.wave_numbers / modes.string.linear_density,
    )


TWO_POINT: ModalScheme[TwoPoint] = ModalScheme(
    name="two-point",
    doc="exact modes, contact forces between two steps, all contacts solved together",
    capabilities=frozenset((PITCH, ROWS, TOUCH, FINGER, FRETS, HAMMER, THREAD, TENSION, COUPLING,
                            CORRECTION, STATICS, FRICTION)),
    force_time_offset=0.5,
    solves_together=True,
    shortest_contact=1.0,
    closed_form="two-point",
    network=string_network,
    hammer_network=network,
    set_friction=set_friction,
    set_axial_row=TwoPoint.set_axial_row,
    set_statics=set_statics,
    correct_state=TwoPoint.clear_residual,
)
OBJECTS = Scheme(name=TWO_POINT.name, model="impact", space=MODES, doc=TWO_POINT.doc,
                 capabilities=TWO_POINT.capabilities & {ROWS}, force_time_offset=0.5,
                 solves_together=True, shortest_contact=TWO_POINT.shortest_contact,
                 closed_form=TWO_POINT.closed_form)
