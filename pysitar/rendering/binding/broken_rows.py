"""Rows in which something could not be read: the rest of them is checked all the same, so that all
that is wrong is reported at once."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pysitar.errors import ParameterError
from pysitar.models.definitions.parameters import STRIKE, Verb, check_position
from pysitar.models.definitions.spec import InstrumentSpec, ObjectSpec
from pysitar.rendering.binding.unsupported import no_hammer, no_verb, unknown
from pysitar.rendering.conversion import Given
from pysitar.rendering.plan import PartPlan, StringPlan, Tell
from pysitar.score.document import Score
from pysitar.score.elements import Row, Section
from pysitar.score.literals import UNREAD, Pitch
from pysitar.score.timeline import MOST_EVENTS, Event, Timeline
from pysitar.score.unplayed_sections import unplayed
from pysitar.score.vocabulary import ORNAMENTS, VERBS, long_name

SOME_PITCH = Pitch("", "open")          # the row may have one that could not be read
STRUM = "strum"                 # played by several plucks; a broken one is not taken apart


def broken_rows(score: Score) -> Iterator[Row]:
    """The rows of all sections in which something could not be read."""
    return (row for section in (score.main, *score.sections.values()) for row in section.rows
            if row.broken)


def unheard_sections(score: Score, played: Timeline) -> list[Section]:
    """The sections none of whose rows is an event: those that nothing plays; all, where the score
    cannot be played at all."""
    if played.events or not played.problems:
        return unplayed(score)
    return [section for section in (score.main, *score.sections.values())
            if len(section.rows) <= MOST_EVENTS]


def check_broken(
    row: Row, spec: InstrumentSpec, verb: Verb | None,
    parts_of: Callable[[Event], Sequence[PartPlan]],
    values_of: Callable[[Event], Mapping[str, Given]], tell: Tell,
) -> None:
    """Report what is wrong with the rest of a row: its string, its verb, the names and values that
    could be read.

    Parameters: spec, of its instrument; verb (None: the instrument does not have it); parts_of and
    values_of, the parts that an event plays and the values that its row gives.
    """
    readable = {name: argument for name, argument in row.arguments.items()
                if argument.value is not UNREAD}
    event = Event(0.0, 0.0, row.target, row.verb, SOME_PITCH, readable, 1.0, 0.0, row.place,
                  row.target_place, row.verb_place,
                  row.end_place, row.end_place)
    if verb is None and row.verb in VERBS and row.verb != STRUM:
        tell(row.verb_place, no_verb(row.verb, spec))
    parts = parts_of(event) if verb is not None or len(row.target) > 1 else ()
    if verb is None or not ORNAMENTS.isdisjoint(row.arguments):
        return
    if verb is STRIKE:
        for part in parts[:1] if all(not part.spec.default_values(STRIKE.name) for part in parts) else ():
            tell(row.verb_place, no_hammer(row.target[0], part.name))
    for name, argument in row.arguments.items():
        if argument.value is UNREAD and long_name(name) not in verb.parameters:
            tell(argument.name_place, unknown(name, spec, verb))
    for name, value in values_of(event).items():
        place = next(argument.value_place for given, argument in readable.items()
                     if long_name(given) == name)
        for part in parts:
            try:
                _check(part, verb, name, value)
            except ParameterError as error:
                tell(place, str(error))
                break


def _check(part: PartPlan, verb: Verb, name: str, value: Given) -> None:
    """Check what depends on the part: a position on its string, a ball or a place of its object.
    Errors: ParameterError."""
    if isinstance(part, StringPlan) and verb.parameters[name].kind == "position":
        check_position(verb.parameters[name], value, part.spec.length)
    if isinstance(part.spec, ObjectSpec) and isinstance(value, str):
        part.spec.named(verb.name, name, value)
