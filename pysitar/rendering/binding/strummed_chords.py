"""The chord of a strum: a fret for each string, and the events that stop and silence strings."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pysitar.errors import quoted
from pysitar.gestures.base import Verb
from pysitar.gestures.catalogue import find_gesture
from pysitar.gestures.chords import (
    OpenString,
    find_voicing,
    is_diagram,
    parse_chord,
    parse_diagram,
)
from pysitar.gestures.strum import PRESS_LEAD
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.rendering.plan import PartPlan, StringPlan
from pysitar.score.literals import Argument, Pitch, Quantity, written_text
from pysitar.score.timeline import Event


def chord_frets(argument: Argument, parts: Sequence[PartPlan],
                spec: InstrumentSpec) -> dict[str, int | None]:
    """Return the fret of each string for a chord: a diagram, a name that the instrument's file has,
    or another name.  None: the string is muted.

    Errors: ValueError.
    """
    text = written_text(argument.value)
    strings = [part for part in parts if isinstance(part, StringPlan)]
    written = spec.chords.get(text, "") if len(strings) == len(spec.strings) else ""
    if written or is_diagram(text):
        found = parse_diagram(written or text, len(strings))
    else:
        found = find_voicing(parse_chord(text), tuple(
            OpenString(string.hz, highest_fret(string)) for string in strings))
    if all(fret is None for fret in found):
        raise ValueError(f"{quoted(text)} mutes every string; expected a string that sounds, or "
                         f"{find_gesture('string', lambda gesture: gesture.stops_notes).name}")
    for string, fret in zip(strings, found, strict=True):
        if fret is not None and fret > highest_fret(string):
            raise ValueError(f"fret {fret} is above the highest note of {string.name}, "
                             f"{highest_fret(string)} semitones; expected a lower fret")
    return {string.name: fret for string, fret in zip(strings, found, strict=True)}


def highest_fret(string: StringPlan) -> int:
    """Return the highest semitone of a string."""
    return int(string.spec.highest + 1e-6)


def fret_pitch(fret: int, argument: Argument) -> Pitch:
    """Return the pitch of a string stopped at a fret, relative to the open string."""
    return Pitch(f"+{fret}st", "open", cents=100.0 * fret, place=argument.value_place)


def finger_events(event: Event, frets: Mapping[str, int | None]) -> Iterator[Event]:
    """Yield the presses of the fingers of a chord, just before its strum."""
    finger = find_gesture("string", lambda gesture: "frets" in gesture.needs)
    # the number of its fret
    name_of_fret = next(name for name, one in finger.parameters.items() if one.kind == "whole")
    place = event.arguments["chord"].value_place
    for name, fret in frets.items():
        if fret:
            number = Argument(name_of_fret, place, Quantity(float(fret), None, place), place)
            yield event._replace(
                time=max(0.0, event.time - PRESS_LEAD), target=(event.target[0], name),
                verb=finger.name, pitch=None, pitches=(), arguments={name_of_fret: number})


def muting_events(event: Event, frets: Mapping[str, int | None],
                  verbs: Mapping[str, Verb]) -> Iterator[Event]:
    """Yield the damps of the muted strings of a chord, where the scheme has them."""
    verb = find_gesture("string", lambda gesture: gesture.stops_notes).name
    for name, fret in frets.items():
        if fret is None and verb in verbs:
            yield event._replace(target=(event.target[0], name), verb=verb, pitch=None, pitches=(),
                                 arguments={})
