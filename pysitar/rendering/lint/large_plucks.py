"""Warn of plucks whose displacement would change the string's tension: noticeably, although the
model keeps the tension constant; or, in a model with varying tension, faster than the sample rate
resolves."""
from __future__ import annotations

import math
from collections.abc import Mapping

from pysitar.errors import Place, Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.kernels.core import elementary
from pysitar.physics.stretching import (
    RATE_PER_RISE,
    Stretch,
    Wire,
    stretch_by_force,
    stretch_to_height,
    tension_rise_fault,
    with_rising_tension,
)
from pysitar.physics.units import format_quantity
from pysitar.rendering.lint.table import BY_FORCE, FROM_HEIGHT, CheckedVoice
from pysitar.rendering.options import Options
from pysitar.rendering.plan import StringPlan


def large_plucks(checked: CheckedVoice) -> list[Problem]:
    """Return a warning at the first such pluck of each string of a voice."""
    voice, options, _ = checked
    strings = {part.name: part for part in voice.strings}
    pitches = {part.name: part.hz for part in voice.strings}
    wires: dict[tuple[str, float], Wire] = {}
    found: dict[str, Place] = {}          # each message, at the first event that causes it
    for event in voice.events:
        if event.hz is not None:
            pitches[event.part] = event.last_hz or event.hz
        if not BY_MODEL[voice.spec.model][event.verb].draws:
            continue
        at = event.part, pitches[event.part]
        if at not in wires:
            wires[at] = wire(strings[event.part], pitches[event.part])
        shape = drawn(wires[at], event.values)
        by_force = "height" not in event.values
        name = f"{voice.name}.{event.part}"
        if strings[event.part].spec.tension_modulation:
            shape = with_rising_tension(shape) if by_force else shape
            message = _not_followed(name, shape, options)
            if message:
                found.setdefault(message, event.place)
        elif shape.rise > (BY_FORCE if by_force else FROM_HEIGHT):
            found.setdefault(_message(name, shape, by_force=by_force), event.place)
    return [Problem(place, message) for message, place in found.items()]


def wire(part: StringPlan, hz: float) -> Wire:
    """Return the wire of a string tuned to a pitch (Hz)."""
    string = part.spec.string(hz, open_hz=part.hz)
    return Wire(string.tension, string.length, part.spec.wire_stiffness)


def drawn(wire: Wire, values: Mapping[str, float]) -> Stretch:
    """Return the stretch of a wire by a pluck: that of the triangle of the pluck's height, or of
    the triangle in equilibrium with its force."""
    x = values["position"]
    return stretch_to_height(wire, x, values["height"]) if "height" in values else stretch_by_force(
        wire, x, values["force"])


def _not_followed(name: str, found: Stretch, options: Options) -> str:
    """Return the message about a tension that rises too far for the sample rate ("": none)."""
    wrong = tension_rise_fault(found.rise, options.internal_rate)
    if not wrong:
        return ""
    needed = math.ceil(RATE_PER_RISE * found.rise / options.rate)
    advice = "a softer pluck"
    if needed <= options.highest_oversample:
        advice = f"oversample={needed}, or a softer pluck,"
    height = format_quantity(abs(found.height), "m")
    return f"{name} is drawn out {height}, and {wrong}; expected {advice}"


def _message(name: str, found: Stretch, *, by_force: bool) -> str:
    """Return the message about a string that is drawn out too far."""
    height, most = abs(found.height), math.sqrt(
        (BY_FORCE if by_force else FROM_HEIGHT) / found.rise)
    advice = (f"{100.0 * most:.0f} % of the force" if by_force
              else format_quantity(height * most, "m", 2))
    return (f"{name} is drawn out {format_quantity(height, 'm')}; stretching would raise its "
            f"tension by {100.0 * found.rise:.3g} % and its pitch by "
            f"{600.0 * elementary.log2(1.0 + found.rise):.0f} c, which the model leaves out; "
            f"expected {advice} or less, or tension_modulation = true")
