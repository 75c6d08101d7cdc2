"""Rows with a syntax error: the rest of each row is checked too, so that all problems are reported
at once."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pysitar.errors import ParameterError
from pysitar.models.definitions.parameters import STRIKE, Verb, check_position
from pysitar.models.definitions.spec import InstrumentSpec, ObjectSpec
from pysitar.rendering.binding.unsupported import hammer_message, parameter_message, verb_message
from pysitar.rendering.conversion import RowValue
from pysitar.rendering.plan import PartPlan, ReportProblem, StringPlan
from pysitar.score.document import Score
from pysitar.score.elements import Row, Section
from pysitar.score.literals import UNREAD, Pitch
from pysitar.score.timeline import MAX_EVENTS, Event, Timeline
from pysitar.score.unplayed_sections import find_unplayed
from pysitar.score.vocabulary import ORNAMENTS, VERBS, long_name

PLACEHOLDER_PITCH = Pitch("", "open")          # the row may have a pitch that could not be read
STRUM = "strum"                 # expanded into plucks; a broken one is not


def broken_rows(score: Score) -> Iterator[Row]:
    """Return the rows of all sections with a syntax error."""
    return (row for section in (score.main, *score.sections.values()) for row in section.rows
            if row.broken)


def sections_without_events(score: Score, played: Timeline) -> list[Section]:
    """Return the sections without events: those that no play reaches; all, where the timeline of
    the score failed."""
    if played.events or not played.problems:
        return find_unplayed(score)
    return [section for section in (score.main, *score.sections.values())
            if len(section.rows) <= MAX_EVENTS]


def check_broken(
    row: Row, spec: InstrumentSpec, verb: Verb | None,
    parts_of: Callable[[Event], Sequence[PartPlan]],
    values_of: Callable[[Event], Mapping[str, RowValue]], report: ReportProblem,
) -> None:
    """Check the readable rest of a row: its string, its verb, and its arguments.

    Parameters: spec, of its instrument; verb (None: the instrument does not have it); parts_of and
    values_of, which return the parts that an event plays and the values of its row.
    """
    readable = {name: argument for name, argument in row.arguments.items()
                if argument.value is not UNREAD}
    event = Event(0.0, 0.0, row.target, row.verb, PLACEHOLDER_PITCH, readable, 1.0, 0.0, row.place,
                  row.target_place, row.verb_place,
                  row.end_place, row.end_place)
    if verb is None and row.verb in VERBS and row.verb != STRUM:
        report(row.verb_place, verb_message(row.verb, spec))
    parts = parts_of(event) if verb is not None or len(row.target) > 1 else ()
    if verb is None or not ORNAMENTS.isdisjoint(row.arguments):
        return
    if verb is STRIKE:
        for part in parts[:1] if all(not part.spec.default_values(STRIKE.name)
                                     for part in parts) else ():
            report(row.verb_place, hammer_message(row.target[0], part.name))
    for name, argument in row.arguments.items():
        if argument.value is UNREAD and long_name(name) not in verb.parameters:
            report(argument.name_place, parameter_message(name, spec, verb))
    for name, value in values_of(event).items():
        place = next(argument.value_place for given, argument in readable.items()
                     if long_name(given) == name)
        for part in parts:
            try:
                _check(part, verb, name, value)
            except ParameterError as error:
                report(place, str(error))
                break


def _check(part: PartPlan, verb: Verb, name: str, value: RowValue) -> None:
    """Check a value that depends on the part: a position on its string, a ball or a place of its
    object.  Errors: ParameterError."""
    if isinstance(part, StringPlan) and verb.parameters[name].kind == "position":
        check_position(verb.parameters[name], value, part.spec.length)
    if isinstance(part.spec, ObjectSpec) and isinstance(value, str):
        part.spec.named(verb.name, name, value)
