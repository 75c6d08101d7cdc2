"""Bridges and fretboards with too few nodes of a string's grid in contact."""
from __future__ import annotations

from pysitar.errors import ParameterError, Problem
from pysitar.models.network.schemes.catalogue import DEFAULT
from pysitar.models.network.schemes.grid import grid_losses
from pysitar.physics.barrier import Barrier
from pysitar.physics.grid import string_grid
from pysitar.physics.units import format_quantity
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.options import HIGHEST_INTERNAL_RATE, Options
from pysitar.rendering.plan import StringPlan

LEAST_FRACTION = 0.5  # fraction of the file's contact points: fewer nodes cause a warning
NODE_TOLERANCE = 1e-9           # m, by which a node may lie outside a barrier


def coarse_grids(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for each barrier of a played string with too few grid nodes.

    Parameters: checked, a voice of a scheme on a grid.
    """
    voice, options, _ = checked
    played = {event.part for event in voice.events}
    found = []
    for string in voice.strings:
        if string.name not in played:
            continue
        bridge, board = string.spec.barrier, string.spec.fretboard
        messages = []
        if bridge is not None:
            messages.append(_message(string, bridge.barrier(), "bridge", bridge.points, options))
        if board is not None:
            barrier = board.barrier(string.spec.length)
            messages.append(_message(string, barrier, "fretboard", board.points, options))
        found += [Problem(string.place, f"{voice.name}.{string.name} {message}")
                  for message in messages if message]
    return found


def barrier_nodes(string: StringPlan, barrier: Barrier, rate: float) -> tuple[int, float]:
    """Return the number of grid nodes of a string at a rate (Hz) in a barrier, and the grid
    spacing (m).  Errors: ParameterError."""
    losses = grid_losses(string.spec.string(string.hz), string.hz, rate)
    grid = string_grid(losses, rate)
    inside = [x for x in grid.nodes.tolist()[1:-1]
              if barrier.start - NODE_TOLERANCE <= x <= barrier.end + NODE_TOLERANCE]
    return len(inside), grid.spacing


def _message(
    string: StringPlan, barrier: Barrier, name: str, points: int, options: Options,
) -> str:
    """Return the warning about a barrier ("": none)."""
    try:
        nodes, spacing = barrier_nodes(string, barrier, options.internal_rate)
    except ParameterError:          # no grid for the string: reported when it is built
        return ""
    if nodes >= LEAST_FRACTION * points:
        return ""
    fault = (f"has {nodes} grid nodes in its {name}, {format_quantity(spacing, 'm')} apart, for "
             f"{points} points in its file; expected at least half as many; ")
    try:
        for needed in range(options.oversample + 1, options.highest_oversample + 1):
            count = barrier_nodes(string, barrier, needed * options.rate)[0]
            if count >= LEAST_FRACTION * points:
                return f"{fault}oversample={needed} has enough"
    except ParameterError:          # more nodes, or other losses, than a grid can have
        return (f"{fault}no oversample that the string's grid allows has enough; "
                f"expected the scheme {DEFAULT}")
    return (f"{fault}no oversample up to {HIGHEST_INTERNAL_RATE / 1e6:g} MHz has enough; "
            f"expected the scheme {DEFAULT}")
