"""Bridges and boards that a string on a grid meets at too few of its nodes."""
from __future__ import annotations

from pysitar.errors import ParameterError, Problem
from pysitar.models.network.grid import GRID_SCHEMES
from pysitar.models.strings.plain import grid_losses
from pysitar.physics.barrier import Barrier
from pysitar.physics.grid import string_grid
from pysitar.rendering.options import HIGHEST_INTERNAL_RATE, Options
from pysitar.rendering.plan import StringPlan, VoicePlan

LEAST_FRACTION = 0.5                    # of the points that the instrument's file asks for: a grid with fewer nodes in a barrier is messages
NODE_TOLERANCE = 1e-9                    # m, by which a node may lie outside and count


def coarse_grids(voice: VoicePlan, options: Options) -> list[Problem]:
    """A warning for each bridge or board of a string that is played on a grid too coarse for it."""
    if voice.spec.scheme not in GRID_SCHEMES:
        return []
    played = {event.part for event in voice.events}
    found = []
    for string in voice.strings:
        if string.name not in played:
            continue
        bridge, board = string.spec.barrier, string.spec.fretboard
        messages = [] if bridge is None else [_message(string, bridge.barrier(), "bridge", bridge.points, options)]
        messages += [] if board is None else [_message(string, board.barrier(string.spec.length), "fretboard", board.points, options)]
        found += [Problem(string.place, f"{voice.name}.{string.name} {message}") for message in messages if message]
    return found


def barrier_nodes(string: StringPlan, barrier: Barrier, rate: float) -> tuple[int, float]:
    """At how many nodes a string on the grid of a rate (Hz) meets a barrier, and their distance (m).  Errors: ParameterError."""
    grid = string_grid(grid_losses(string.spec.string(string.hz), string.hz, rate), rate)
    inside = [x for x in grid.nodes.tolist()[1:-1] if barrier.start - NODE_TOLERANCE <= x <= barrier.end + NODE_TOLERANCE]
    return len(inside), grid.spacing


def _message(string: StringPlan, barrier: Barrier, name: str, points: int, options: Options) -> str:
    """What is to be messages of a barrier ("": nothing)."""
    try:
        nodes, spacing = barrier_nodes(string, barrier, options.internal_rate)
    except ParameterError:          # the string cannot be on a grid: messages when it is built
        return ""
    if nodes >= LEAST_FRACTION * points:
        return ""
    messages = (f"meets its {name} at {nodes} nodes of the grid, {1e3 * spacing:.3g} mm apart, and its file asks for {points} points, of "
            "which half would do; ")
    try:
        for needed in range(options.oversample + 1, options.highest_oversample + 1):
            if barrier_nodes(string, barrier, needed * options.rate)[0] >= LEAST_FRACTION * points:
                return f"{messages}oversample={needed} gives so many"
    except ParameterError:          # more nodes, or other losses, than a grid can have
        return f"{messages}no oversample at which the string can be on a grid gives so many; expected the scheme two-point"
    return f"{messages}no oversample up to {HIGHEST_INTERNAL_RATE / 1e6:g} MHz gives so many; expected the scheme two-point"
