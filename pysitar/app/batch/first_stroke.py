"""The first stroke of a sound: the columns of a manifest that data sets of notes have."""
from __future__ import annotations

from typing import Any

from pysitar.gestures.catalogue import BY_MODEL
from pysitar.kernels.core import elementary
from pysitar.models.definitions.bar_sets import BarSetTable, note_number
from pysitar.rendering.plan import Bound, BoundEvent, VoicePlan
from pysitar.score.pitch import western_hz
from pysitar.system.files import portable_name

A4 = 69.0                       # its number in MIDI


def first_stroke(bound: Bound) -> dict[str, Any]:
    """Return pitch, velocity and instrument of the first event that sounds, None where it has none.

    pitch is in semitones as in MIDI (69: A4 = 440 Hz, with fractions); velocity is the strength of
    the stroke, a force (N) or a speed (m/s).
    """
    strokes = [(event.time, event.order, voice, index) for voice in bound.voices
               for index, event in enumerate(voice.events)
               if BY_MODEL[voice.spec.model][event.verb].sounds]
    if not strokes:
        return {"pitch": None, "velocity": None, "instrument": None}
    _, _, voice, index = min(strokes, key=lambda stroke: stroke[:2])
    event = voice.events[index]
    strength = event.values.get(BY_MODEL[voice.spec.model][event.verb].strength)
    return {"pitch": _pitch(voice, event, index), "velocity": strength,
            "instrument": portable_name(voice.spec.name).removesuffix(".toml")}


def _pitch(voice: VoicePlan, event: BoundEvent, index: int) -> float | None:
    """Return the pitch of an event (semitones); None for an object without one."""
    hz = event.hz
    if hz is None:
        before = (other.last_hz for other in reversed(voice.events[:index])
                  if other.part == event.part)
        hz = next((found for found in before if found is not None), None)
    if hz is None:
        hz = next((part.hz for part in voice.strings if part.name == event.part), None)
    if hz is not None:
        return A4 + 12.0 * elementary.log2(hz / western_hz(0))
    specs: dict[str, Any] = {part.name: part.spec for part in voice.parts}
    table = specs[event.part].written
    if not isinstance(table, BarSetTable):
        return None
    return note_number("pitch", event.part) + 12.0 * elementary.log2(table.a4 / western_hz(0))
