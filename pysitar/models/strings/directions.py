"""The second direction of a played string: its modes, the contacts turned by the tilt of the
bridge, the friction on them, and the spring that couples both directions at the nut."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pysitar.models.definitions.spec import StringSpec
from pysitar.models.network.friction import (
    MoreModes,
    Rub,
    constant_friction,
    diagonal_row,
    rubbing_rows,
    thread_rows,
)
from pysitar.models.network.network import Row, bridge_shape_at
from pysitar.physics.bow import BridgeFriction
from pysitar.physics.contact import LINEAR, LawValues
from pysitar.physics.modes import StringModes

NUT_DISTANCE = 0.01             # m, of the spring from the nut


def more_modes(spec: StringSpec, modes: StringModes, sample_rate: float, *,
               is_bowed: bool, free_masses: tuple[float, ...] = ()) -> MoreModes | None:
    """Return the modes of a string with a second direction, or with the torsion of a bowed one, and
    of free masses (kg); None for one with one direction that does not twist."""
    bow = spec.bow if is_bowed else None
    detuning = spec.detuning if spec.polarisation == 2 else None
    if bow is None and detuning is None:
        return None
    return MoreModes(modes, sample_rate, detuning=detuning,
                     torsion=None if bow is None else bow.twist, free_masses=free_masses,
                     axis_angle=0.0 if detuning is None else math.radians(spec.axis_angle))


@dataclass(frozen=True, slots=True)
class TurnedContacts:
    """The contact rows of a string in two directions, its friction rows, and what presses them."""

    contacts: list[Row]
    rubbing: list[Row]
    rubs: list[Rub]


def turn_contacts(more: MoreModes, spec: StringSpec, contacts: Sequence[Row],
                  sample_rate: float) -> TurnedContacts:
    """Return the rows of a string's contacts in two directions.

    Parameters: contacts, of the first direction: barrier, thread, frets and fretboard.
    """
    found = TurnedContacts([], [], [])
    tilt = 0.0 if spec.barrier is None else math.radians(spec.barrier.tilt)
    points = 0 if spec.barrier is None else spec.barrier.points
    frets = 0 if spec.frets is None else spec.frets.count
    for index, row in enumerate(contacts):
        if row.law.kind == LINEAR:
            found.contacts.extend(thread_rows(more, row, tilt))
            continue
        part = (spec.barrier if index < points else spec.frets
                if index - points - (spec.thread is not None) < frets else spec.fretboard)
        assert part is not None
        friction = BridgeFriction(coefficient=part.friction,
                                  tilt=tilt if part is spec.barrier else 0.0)
        normal, rubbing = rubbing_rows(more, [row], friction, sample_rate)
        if part.friction > 0.0:
            found.rubs.append(Rub(curve=constant_friction(part.friction),
                                  link=len(found.contacts)))
            found.rubbing.extend(rubbing)
        found.contacts.extend(normal)
    if spec.nut_coupling > 0.0:
        found.contacts.append(_nut_row(more, spec))
    return found


def _nut_row(more: MoreModes, spec: StringSpec) -> Row:
    """Return the row of the spring that couples the directions at the nut."""
    x = spec.length - NUT_DISTANCE
    row = Row(shape=more.modes.shape(x), law=LawValues(kind=LINEAR, stiffness=spec.nut_coupling),
              bridge_shape=bridge_shape_at(x, spec.length), position=x)
    return replace(diagonal_row(more, row), offset=0.0)
