"""Plucks that draw a string out so far that its stretching would change its tension, where the model keeps that, or more than its steps at
a rate can follow, where it does not."""
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pysitar.errors import Place, Problem
from pysitar.kernels.core import elementary
from pysitar.rendering.options import Options
from pysitar.rendering.plan import StringPlan, VoicePlan

FROM_HEIGHT = 0.1               # of the tension: a triangle that would raise it by more is told
BY_FORCE = 1.0                  # of it: a real string would be drawn out by a third less
FOLLOWED = 40e3                 # Hz of the internal rate for each time its own that a tension rises: on two strings at three rates 1 % of
                                # the energy is then off after 50 ms, at twice that rise most of it


@dataclass(frozen=True, slots=True)
class Wire:
    """What carries a string's tension: tension (N), length (m), and stretching stiffness (N per strain)."""

    tension: float
    length: float
    stiffness: float


class Drawn(NamedTuple):          # made for every pluck
    """A string drawn out: how far, by a pluck's height or at most by its force (m), and by what part that would raise its tension."""

    height: float
    rise: float


def large_plucks(voice: VoicePlan, options: Options) -> list[Problem]:
    """A warning where a pluck of a voice first draws its string out so far."""
    strings = {part.name: part for part in voice.strings}
    pitches = {part.name: part.hz for part in voice.strings}
    wires: dict[tuple[str, float], Wire] = {}
    found: dict[str, Place] = {}          # each message where it is true first
    for event in voice.events:
        if event.hz is not None:
            pitches[event.part] = event.last_hz or event.hz
        if event.verb != "pluck":
            continue
        at = event.part, pitches[event.part]
        if at not in wires:
            wires[at] = wire(strings[event.part], pitches[event.part])
        shape = drawn(wires[at], event.values)
        by_force = "height" not in event.values
        name = f"{voice.name}.{event.part}"
        if strings[event.part].spec.tension_modulation:
            shape = tightened(shape) if by_force else shape
            if shape.rise > options.internal_rate / FOLLOWED:
                found.setdefault(_not_followed(name, shape, options), event.place)
        elif shape.rise > (BY_FORCE if by_force else FROM_HEIGHT):
            found.setdefault(_message(name, shape, by_force=by_force), event.place)
    return [Problem(place, message) for message, place in found.items()]


def wire(part: StringPlan, hz: float) -> Wire:
    """The wire of a string that sounds at a pitch (Hz)."""
    string = part.spec.string(hz, open_hz=part.hz)
    return Wire(string.tension, string.length, part.spec.wire_stiffness)


def drawn(wire: Wire, values: Mapping[str, float]) -> Drawn:
    """How far a pluck of these values draws a wire out: to the triangle of its height, or to the one at which its force holds.

    The triangle is longer than the string by h^2 / (2 x (L - x)) of it, to second order in the slopes.
    """
    x = values["position"]
    arms = x * (wire.length - x)
    height = values["height"] if "height" in values else values["force"] * arms / (wire.tension * wire.length)
    return Drawn(height, 0.5 * wire.stiffness * height * height / (arms * wire.tension))


def tightened(found: Drawn) -> Drawn:
    """A string drawn out by a force that its rising tension holds back: h + r h^3 / h0^2 = h0, h0 and r without that."""
    part = 1.0 / max(1.0, elementary.pow(found.rise, 1.0 / 3.0))          # of h0; Newton from above, where part + rise part^3 is convex
    for _ in range(60):
        step = (part + found.rise * part * part * part - 1.0) / (1.0 + 3.0 * found.rise * part * part)
        part -= step
        if abs(step) <= 1e-12 * part:
            break
    return Drawn(found.height * part, found.rise * part * part)


def _not_followed(name: str, found: Drawn, options: Options) -> str:
    """What is to be told of a tension that rises too far for the rate."""
    needed = math.ceil(FOLLOWED * found.rise / options.rate)
    right = f"oversample={needed}, or a softer pluck," if needed <= options.highest_oversample else "a softer pluck"
    return (f"{name} is drawn out {1e3 * abs(found.height):.3g} mm, and its tension rises by {100.0 * found.rise:.3g} %: the steps of "
            f"{options.internal_rate / 1e3:g} kHz cannot follow more than {100.0 * options.internal_rate / FOLLOWED:.3g} %, and the note "
            f"would be too weak and too low, though its energy balances; expected {right}")


def _message(name: str, found: Drawn, *, by_force: bool) -> str:
    """What is to be told of a string drawn out too far."""
    height, most = 1e3 * abs(found.height), math.sqrt((BY_FORCE if by_force else FROM_HEIGHT) / found.rise)
    right = f"{100.0 * most:.0f} % of the force" if by_force else f"{height * most:.2g} mm"
    return (f"{name} is drawn out {height:.3g} mm; stretching would raise its tension by {100.0 * found.rise:.3g} % and its pitch by "
            f"{600.0 * elementary.log2(1.0 + found.rise):.0f} c, which the model leaves out; {right} or less, or "
            f"tension_modulation = true, would be right")
