"""The gestures that there are, and the words of the score language that follow from them."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from pysitar.errors import ParameterError, quoted
from pysitar.gestures.base import Gesture

# in the order in which messages and `describe` list them; a verb of two models has two
PATHS = (
    "pysitar.gestures.pluck:PLUCK",
    "pysitar.gestures.strike:BALL_STRIKE",
    "pysitar.gestures.fret:FRET",
    "pysitar.gestures.bend:BEND",
    "pysitar.gestures.press:PRESS",
    "pysitar.gestures.damp:DAMP",
    "pysitar.gestures.strike:STRIKE",
    "pysitar.gestures.bow:BOW",
    "pysitar.gestures.strum:STRUM",
    "pysitar.gestures.drop:DROP",
    "pysitar.gestures.roll:ROLL",
    "pysitar.gestures.press:PALM_PRESS",
    "pysitar.gestures.bow:OBJECT_BOW",
    "pysitar.gestures.throw:THROW",
)
GESTURES: list[Gesture] = [getattr(import_module(module), name)
                           for module, _, name in (path.partition(":") for path in PATHS)]

# Of all gestures, kept up to date by `add_gesture` and `remove_gesture`:
# the gestures by model and name
BY_MODEL: dict[str, dict[str, Gesture]] = {}
# the names of all verbs, in order, and of those with a property
VERBS: list[str] = []
PITCH_VERBS: set[str] = set()               # a pitch may or must follow
PITCHED_VERBS: set[str] = set()             # a pitch must follow
TRANSPOSED_VERBS: set[str] = set()            # on every model a pitch may or must follow
CURVE_VERBS: set[str] = set()
ORNAMENT_VERBS: set[str] = set()
SOUNDING_VERBS: set[str] = set()
EXPANDED_VERBS: set[str] = set()            # their events are replaced by those of other verbs
INSTRUMENT_VERBS: set[str] = set()          # their target is an instrument
STRENGTH_VERBS: set[str] = set()            # a gain makes them louder or softer
# values of every row, of those with a pitch, of strums, and of strokes of strings
ROW_WORDS = frozenset(("dur", "gain", "pitch", "chord", "staccato"))
# the full names of parameters by their short names in rows
LONG_NAMES: dict[str, str] = {}

_updates: list[Callable[[], None]] = []


def follow(update: Callable[[], None]) -> None:
    """Call a function now, and whenever a gesture is added or removed."""
    _updates.append(update)
    update()


def add_gesture(gesture: Gesture) -> None:
    """Add a gesture: scores, instruments and commands of this process then have its verb.

    Errors: ParameterError, a name that its model has already, a short name that means another
    parameter, or a verb to expand into that its model does not have.
    """
    if not isinstance(gesture, Gesture):
        raise ParameterError("gesture", gesture, "expected a Gesture")
    verbs = BY_MODEL.get(gesture.model) if isinstance(gesture.model, str) else None
    if verbs is None:
        raise ParameterError("model", gesture.model, f"expected one of {', '.join(BY_MODEL)}")
    if (not isinstance(gesture.name, str) or not gesture.name.isidentifier()
            or gesture.name in verbs):
        raise ParameterError("name", gesture.name,
                             "expected a name that no other verb of the model has")
    if gesture.expands_into and gesture.expands_into not in verbs:
        raise ParameterError("expands_into", gesture.expands_into,
                             f"expected one of {', '.join(verbs)}")
    for parameter in gesture.parameters.values():
        for kind, word in (("alias", parameter.alias), ("name", parameter.name)):
            known = LONG_NAMES.get(word, parameter.name)
            if known != parameter.name:
                raise ParameterError(kind, word, f"it is short for {known}; expected another")
        if parameter.name in ROW_WORDS:
            raise ParameterError("name", parameter.name, "every row has it; expected another")
    if isinstance(gesture.needs, str) or not isinstance(gesture.needs, frozenset):
        raise ParameterError("needs", gesture.needs, "expected a frozenset of capabilities")
    GESTURES.append(gesture)
    try:
        _update_words()
    except BaseException:
        remove_gesture(gesture)
        raise


def remove_gesture(gesture: Gesture) -> None:
    """Remove a gesture that was added."""
    GESTURES.remove(gesture)
    _update_words()


def gesture_named(name: str) -> Gesture:
    """Return the first gesture of a name, of any model."""
    return next(gesture for gesture in GESTURES if gesture.name == name)


def number_hint(verb: str, text: str) -> str:
    """Return the message for a number in the place of a pitch after a verb ("": no own one)."""
    hint = next((gesture.number_hint for gesture in GESTURES if gesture.name == verb), "")
    number = quoted(text.lstrip("+"))
    return f"{quoted(text)} is not a pitch; {hint.format(number=number)}" if hint else ""


def find_gesture(model: str, condition: Callable[[Gesture], bool]) -> Gesture:
    """Return the first gesture of a model with a property."""
    return next(gesture for gesture in BY_MODEL[model].values() if condition(gesture))


def note_gesture(model: str, parts: Sequence[Any]) -> Gesture:
    """Return the gesture that starts the notes of a MIDI file on all of some parts: the last that
    can, one that needs a part of its own, such as a hammer, rather than one that needs none."""
    return [gesture for gesture in BY_MODEL[model].values()
            if gesture.starts_notes and all(map(gesture.is_playable, parts))][-1]


def _update_words() -> None:
    """Set the words in place: other modules have the same lists and sets."""
    BY_MODEL.clear()
    LONG_NAMES.clear()
    for gesture in GESTURES:
        BY_MODEL.setdefault(gesture.model, {})[gesture.name] = gesture
        LONG_NAMES.update((parameter.alias, parameter.name)
                          for parameter in gesture.parameters.values() if parameter.alias)
    VERBS[:] = dict.fromkeys(gesture.name for gesture in GESTURES)
    conditions: dict[Callable[[Gesture], bool], set[str]] = {
        lambda gesture: gesture.pitch != "not": PITCH_VERBS,
        lambda gesture: all(other.pitch == "must" for other in GESTURES
                            if other.name == gesture.name): PITCHED_VERBS,
        lambda gesture: all(other.pitch != "not" for other in GESTURES
                            if other.name == gesture.name): TRANSPOSED_VERBS,
        lambda gesture: gesture.whole_instrument: INSTRUMENT_VERBS,
        lambda gesture: gesture.takes_curve: CURVE_VERBS,
        lambda gesture: gesture.takes_ornament: ORNAMENT_VERBS,
        lambda gesture: gesture.sounds: SOUNDING_VERBS,
        lambda gesture: bool(gesture.expands_into): EXPANDED_VERBS,
        lambda gesture: bool(gesture.strength or (
            gesture.expands_into and BY_MODEL[gesture.model][gesture.expands_into].strength)):
        STRENGTH_VERBS,
    }
    for condition, names in conditions.items():
        names.clear()
        names.update(gesture.name for gesture in GESTURES if condition(gesture))
    for update in _updates:
        update()


_update_words()
