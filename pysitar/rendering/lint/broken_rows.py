"""Rows with a syntax error: the rest of each row is checked too, so that all problems are reported
at once."""
from __future__ import annotations

from pysitar.errors import ParameterError, Problem
from pysitar.gestures.base import Verb
from pysitar.models.definitions.spec import ObjectSpec
from pysitar.physics.parameters import check_position
from pysitar.rendering.conversion import RowValue
from pysitar.rendering.lint.table import CheckedScore, RowBinder
from pysitar.rendering.lint.unsupported import parameter_message, verb_message
from pysitar.rendering.plan import PartPlan, StringPlan
from pysitar.score.elements import Row
from pysitar.score.literals import UNREAD, Pitch
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import EXPANDED_VERBS, ORNAMENTS, VERBS, long_name

PLACEHOLDER_PITCH = Pitch("", "open")          # the row may have a pitch that could not be read


def broken_rows(checked: CheckedScore) -> list[Problem]:
    """Check the readable rest of each row with a syntax error: its string, its verb, and its
    arguments; the binder reports the problems."""
    score = checked.score
    for section in (score.main, *score.sections.values()):
        for row in section.rows:
            if row.broken:
                _check_row(row, checked.binder)
    return []


def _check_row(row: Row, binder: RowBinder) -> None:
    found = binder.find_verbs(row.target[0])
    if found is None:
        return
    spec, verbs = found
    verb = verbs.get(row.verb)
    readable = {name: argument for name, argument in row.arguments.items()
                if argument.value is not UNREAD}
    event = Event(0.0, 0.0, row.target, row.verb, PLACEHOLDER_PITCH, readable, 1.0, 0.0, row.place,
                  row.target_place, row.verb_place,
                  row.end_place, row.end_place)
    if verb is None and row.verb in VERBS and row.verb not in EXPANDED_VERBS:
        binder.report(row.verb_place, verb_message(row.verb, spec))
    parts = binder.find_parts(event) if verb is not None or len(row.target) > 1 else ()
    if verb is None or not ORNAMENTS.isdisjoint(row.arguments):
        return
    gesture = verb.gesture
    # without defaults, values of the row may be all that it needs
    if gesture.defaults and parts and not any(gesture.is_playable(part.spec) for part in parts):
        binder.report(row.verb_place, gesture.missing_message(row.target[0], parts[0].name))
    for name, argument in row.arguments.items():
        if argument.value is UNREAD and long_name(name) not in verb.parameters:
            binder.report(argument.name_place, parameter_message(name, spec, verb))
    for name, value in binder.read_values(event).items():
        place = next(argument.value_place for written, argument in readable.items()
                     if long_name(written) == name)
        for part in parts:
            try:
                _check_value(part, verb, name, value)
            except ParameterError as error:
                binder.report(place, str(error))
                break


def _check_value(part: PartPlan, verb: Verb, name: str, value: RowValue) -> None:
    """Check a value that depends on the part: a position on its string, a ball or a place of its
    object.  Errors: ParameterError."""
    if isinstance(part, StringPlan) and verb.parameters[name].kind == "position":
        check_position(verb.parameters[name], value, part.spec.length)
    if isinstance(part.spec, ObjectSpec) and isinstance(value, str):
        part.spec.named(verb.name, name, value)
