"""Strums as the plucks that they are: one of each string, in equal steps of time."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pysitar.errors import ParameterError, quoted, suggest_name
from pysitar.models.definitions.parameters import DIRECTION, PLUCK, SPREAD, STRUM, check_value
from pysitar.rendering.binding.bends import PARAMETERS
from pysitar.rendering.conversion import converted
from pysitar.rendering.plan import Tell
from pysitar.score.literals import Argument
from pysitar.score.memory import watch_memory
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import ORNAMENTS, long_name


def as_plucks(events: tuple[Event, ...], strings: Mapping[str, Sequence[str]], tell: Tell) -> tuple[Event, ...]:
    """Return events in order of time, each strum as its plucks.

    Parameters: events, in order of time; strings, the names of those of each instrument that has plucks; tell, of what is wrong at a place.
    Returns: the events; a strum of an instrument that is not in `strings` stays, to be told by the binder. A strum's pitches go to the
    strings in the order of the file, whichever way it runs; every pluck has its duration.
    """
    if not any(event.verb == STRUM.name for event in events):
        return events
    made: list[Event] = []
    for event in watch_memory(events, "events"):
        names = strings.get(event.target[0]) if event.verb == STRUM.name else None
        made.extend([event] if names is None else _plucks(event, names, tell))
    return tuple(sorted(made, key=lambda event: event.time))


def _plucks(event: Event, names: Sequence[str], tell: Tell) -> Iterator[Event]:
    """The plucks of one strum, in order of time."""
    arguments = _arguments(event, tell)
    spread = _given(event, SPREAD.name, tell)
    upwards = _given(event, DIRECTION.name, tell) == "up"
    assert isinstance(spread, float)
    _check_pitches(event, names, tell)
    pitches = dict(zip(names, event.pitches, strict=False))
    last = max(1, len(names) - 1)
    for index, name in enumerate(reversed(names) if upwards else names):
        pitch = pitches.get(name)
        yield event._replace(time=event.time + spread * index / last, target=(event.target[0], name), verb=PLUCK.name, pitch=pitch,
                      pitches=() if pitch is None else (pitch,), pitch_place=event.pitch_place if pitch is None else pitch.place,
                      arguments=arguments)


def _check_pitches(event: Event, names: Sequence[str], tell: Tell) -> None:
    """Tell pitches that are not as many as the strings: at the first beyond them, or where one is missing."""
    given, wanted = len(event.pitches), len(names)
    if given not in (0, wanted):
        place = event.pitches[wanted].place if given > wanted else event.end_place
        many = "pitch" if given == 1 else "pitches"
        strings = "string" if wanted == 1 else "strings"
        tell(place, f"this strum has {given} {many}, and {quoted(event.target[0])} has {wanted} {strings}; none, or one for each string, "
                    "would be right")


def _arguments(event: Event, tell: Tell) -> dict[str, Argument]:
    """What a strum gives its plucks; a name that no pluck of any scheme has is told."""
    kept = {}
    known = {**STRUM.parameters, **PLUCK.parameters}
    for name, argument in event.arguments.items():
        if long_name(name) in PLUCK.parameters or name in ORNAMENTS or name in PARAMETERS:
            kept[name] = argument
        elif name not in STRUM.parameters:
            words = [word for parameter in known.values() for word in (parameter.name, parameter.alias) if word]
            tell(argument.name_place, f"{STRUM.name} has no {quoted(argument.name)}; {suggest_name(argument.name, words)}")
    return kept


def _given(event: Event, name: str, tell: Tell) -> object:
    """What a strum gives for one of its own parameters; its default where it gives none, or a wrong one, which is told."""
    parameter, argument = STRUM.parameters[name], event.arguments.get(name)
    if argument is None:
        return parameter.default
    try:
        value = converted(parameter, argument.value)
        if parameter.kind != "text":
            return check_value(parameter, value)
        if value not in parameter.choices:
            raise ValueError(f"{name} is {quoted(str(value))}; expected {' or '.join(parameter.choices)}")
    except (ParameterError, ValueError) as error:
        tell(argument.value_place, str(error))
        return parameter.default
    return value
