"""A string as modes and rows: the modes that a scheme can compute at its highest tension, its
contacts, the weights of its output, and its equilibrium."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.kernels.grid.network import GridNetwork
from pysitar.kernels.modal.network import Network
from pysitar.models.definitions.spec import StringSpec
from pysitar.models.network.network import (
    HIGHEST,
    Row,
    barrier_rows,
    bridge_shape_at,
    highest_frequency,
)
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES
from pysitar.physics.barrier import Barrier
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.contact import LINEAR, LawValues
from pysitar.physics.grid import StringGrid
from pysitar.physics.modes import StringModes, string_modes
from pysitar.physics.string import LOWER, SIGMAS, String

# fraction of the sample rate: nearer to half of it the prewarped stiffness grows without bound
HIGHEST_PLAYED = 0.47
HIGHEST_ON_BRIDGE = 28e3        # Hz
SEARCH_STEPS = 32                   # bisections of the logarithm of the loss
MARGIN = 0.99                     # fraction of the greatest loss that messages name, rounded


def playable_modes(string: String, highest_tension: float, sample_rate: float, *,
                   on_bridge: bool) -> StringModes:
    """Return the modes of a string that a scheme can compute at a sample rate up to a tension.

    Parameters: string, at the tension of its open pitch; highest_tension > 0 (N), the highest that
    it plays; sample_rate > 0 (Hz), internal; on_bridge, whether it rests on a barrier.
    Returns: the first modes of the string: those under `highest_frequency(sample_rate)` that are
    also under `highest_at` at the highest tension. Errors: ParameterError: no mode is left, or as
    `string_modes`. """
    modes = string_modes(string, max_frequency=highest_frequency(sample_rate))
    limit = highest_at(sample_rate, on_bridge=on_bridge)
    count = _count_below(modes, highest_tension, limit)
    if not count:
        which = "the limit on a bridge" if on_bridge else f"{HIGHEST_PLAYED:g} of the sample rate"
        raise ParameterError("highest_tension", highest_tension,
                             f"at this tension (N) no mode lies below {limit:g} Hz, {which}")
    return modes if count == modes.count else string_modes(string, count=count)


def check_losses(spec: StringSpec, hz: float, scheme: str, sample_rate: float) -> None:
    """Raise a ParameterError if a string cannot have a pitch, or would have overdamped modes in a
    scheme.

    Parameters: hz, its open pitch (Hz); scheme; sample_rate (Hz), internal.
    Errors: for losses that are too large, the name of their largest part and its greatest possible
    value. """
    try:
        _check_oscillation(spec, hz, scheme, sample_rate)
    except ParameterError as error:
        if error.name not in SIGMAS:
            raise
        most = _greatest_loss(spec, error.name, hz, scheme, sample_rate)
        right = f"; expected at most {most:.3g} {SIGMAS[error.name].unit}" if most else LOWER
        raise ParameterError(error.name, error.value,
                             error.expected.removesuffix(LOWER) + right) from None


def _check_oscillation(spec: StringSpec, hz: float, scheme: str, sample_rate: float) -> None:
    string = spec.string(hz)
    highest = STRING_SCHEMES[scheme].highest
    if highest == 0.0:                      # without modes
        return
    try:
        string_modes(string, max_frequency=highest_frequency(sample_rate, highest))
    except ParameterError as error:
        if error.name in SIGMAS:          # others are reported when the instrument is built
            raise


def _greatest_loss(spec: StringSpec, name: str, hz: float, scheme: str,
                   sample_rate: float) -> float:
    """The greatest value, nearly, of a part of the losses with which a string oscillates; 0 if
    there is none."""
    low, high = SIGMAS[name].smallest, float(getattr(spec, name))
    found = 0.0
    for _ in range(SEARCH_STEPS):
        middle = math.sqrt(low * high)
        changed: dict[str, Any] = {name: middle}
        try:
            _check_oscillation(replace(spec, **changed), hz, scheme, sample_rate)
            low = found = middle
        except ParameterError:
            high = middle
    return MARGIN * found


def highest_at(sample_rate: float, *, on_bridge: bool) -> float:
    """Return the limit (Hz) of a string's modes at its highest tension, at a sample rate (Hz).

    The motion of a free mode is exact at any frequency. A contact with a bridge depends on the
    stiffness of the modes: the prewarped stiffness is doubled at 0.3 of the rate, and 51 times too
    large at 0.47. It also depends on their number: a string at rest on its bridge is sharper by
    about 870/M cents. The limit is therefore the same at every usual rate, and as high as possible.
    """
    return min(HIGHEST_ON_BRIDGE, HIGHEST
               * sample_rate) if on_bridge else HIGHEST_PLAYED * sample_rate


def retuned_spec(spec: StringSpec, *, hz: float, highest: float, sample_rate: float) -> StringSpec:
    """Return a string with corrections for a score up to a highest note, which leaves fewer modes
    than a lower note alone.

    Parameters: spec; hz, its open pitch, and highest, the highest note (Hz); sample_rate, internal
    (Hz).
    Returns: the string with corrections reduced, at each note, by `truncation` times `crowding`;
    with statics the number of modes does not matter.
    """
    if spec.truncation == 0.0 or highest <= hz or spec.statics:
        return spec
    last = max(math.ceil(12.0 * elementary.log2(highest / hz)), len(spec.corrections) - 1)
    sharper = crowding(
        spec, hz=hz,
        notes=[hz * elementary.pow(2.0, semitones / 12.0) for semitones in range(last + 1)],
        highest=highest, sample_rate=sample_rate)
    corrections = [
        spec.correction(semitones) - spec.truncation * share
        for semitones, share in enumerate(sharper)
    ]
    return replace(spec, corrections=tuple(corrections))


def crowding(spec: StringSpec, *, hz: float, notes: Sequence[float], highest: float,
             sample_rate: float) -> list[float]:
    """Return 1/M - 1/M0 for each note (Hz) of a string: M, its number of modes in a score up to
    `highest` (Hz); M0, in a score up to the note: 0 with statics.  Parameters: as
    `retuned_spec`."""
    if spec.statics:
        return [0.0] * len(notes)
    modes = string_modes(spec.string(hz), max_frequency=highest_frequency(sample_rate))
    limit = highest_at(sample_rate, on_bridge=spec.barrier is not None)
    shares = [
        1.0 / max(1, _count_below(modes,
                                  spec.string(min(note, highest), open_hz=hz).tension, limit))
        for note in [*notes, highest]
    ]
    return [shares[-1] - share for share in shares[:-1]]


def _count_below(modes: StringModes, tension: float, limit: float) -> int:
    """Return the number of modes below a frequency (Hz) at a tension (N)."""
    under = modes.angular_frequencies_at(tension) < 2.0 * math.pi * limit
    return modes.count if under.all() else int(under.argmin())


def contact_rows(modes: StringModes, spec: StringSpec) -> list[Row]:
    """Return the rows of what the string has of barrier, thread, frets and fretboard, in this
    order.

    Parameters: modes, M of the string; spec, whose lengths are that string's.
    Errors: ParameterError, a point outside the string.
    """
    rows = [] if spec.barrier is None else barrier_rows(modes, spec.barrier.barrier(),
                                                        on_bridge=True)
    if spec.thread is not None:
        thread = spec.thread
        rows.append(
            Row(shape=modes.shape(thread.position),
                law=LawValues(kind=LINEAR, stiffness=thread.stiffness, damping=thread.resistance),
                offset=thread.height,
                bridge_shape=bridge_shape_at(thread.position, spec.length, on_bridge=True),
                position=thread.position))
    return rows + [row for barrier in _under(spec) for row in barrier_rows(modes, barrier)]


def barriers(spec: StringSpec) -> list[Barrier]:
    """Return what the string has of barrier, frets and fretboard, in this order."""
    return ([] if spec.barrier is None else [spec.barrier.barrier()]) + _under(spec)


def _under(spec: StringSpec) -> list[Barrier]:
    """Return the barriers of frets and fretboard."""
    return [part.barrier(spec.length) for part in (spec.frets, spec.fretboard) if part is not None]


def output_weights(modes: StringModes | StringGrid, spec: StringSpec, *,
                   at_bridge: bool = False) -> tuple[FloatArray, FloatArray]:
    """Return the weights of the displacements and velocities of modes or nodes, each (M,), whose
    sum is the output of the string.

    Returns: those of the upward force on the support at the far end, or of modes at the bridge end
    (N/m; 0), or, with a pickup, of the velocity above it (0; 1). """
    silent = array_of([0.0] * modes.count)
    if spec.pickup is None and at_bridge:
        return modes.slope_force_start(), silent
    if spec.pickup is None:
        return modes.slope_force_end(), silent
    return silent, modes.shape(spec.pickup.position)


def set_equilibrium(kernel: Network | GridNetwork, spec: StringSpec) -> None:
    """Set a string to equilibrium on its barrier and thread.  Errors: ParameterError if none is
    found."""
    try:
        kernel.set_equilibrium()
    except ArithmeticError:
        if spec.rattle is not None:
            raise ParameterError(
                "the rest of the string under its rattle", "not found",
                f"expected the rattle farther from the ends, or stiffer (stiffness is "
                f"{spec.rattle.stiffness:g}), or lighter (mass is {spec.rattle.mass:g} kg)"
            ) from None
        parts = {
            "barrier": spec.barrier, "thread": spec.thread, "frets": spec.frets,
            "fretboard": spec.fretboard
        }
        under = {name: part for name, part in parts.items() if part is not None}
        values = " and ".join(f"the {name}'s stiffness ({part.stiffness:g}) or height"
                              for name, part in under.items())
        raise ParameterError(f"the string's equilibrium on its {' and '.join(under)}", "not found",
                             f"expected a lower value of {values}") from None
