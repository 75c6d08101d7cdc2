"""Scores from rows in Python, with the same checks; the places of errors are `event N`."""
from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pysitar.errors import Place, ScoreError, quoted
from pysitar.score import feel_statements, global_statements
from pysitar.score.event_rows import parse_row
from pysitar.score.parse_state import FileState, OpenSection, ScoreDraft
from pysitar.score.tokens import Line, Word, score_error, split_line

Value = str | float | int
UseValue = str | tuple[str, Mapping[str, Value]]
EventValue = tuple[float | str, str, str, Mapping[str, Value]]

NAME = "events"
# whose text after the keyword is an argument
STATEMENTS = {"tuning": global_statements.read_tuning, "room": global_statements.read_room,
              "swing": feel_statements.read_swing, "accent": feel_statements.read_accent,
              "humanise": feel_statements.read_humanise}


def draft_events(events: Sequence[EventValue], *, use: Mapping[str, UseValue],
                 render: Mapping[str, Value], mix: Mapping[str, Mapping[str, Value]],
                 statements: Mapping[str, str | None],
                 folder: Path | None) -> tuple[ScoreDraft, OpenSection]:
    """Return the draft of a score from rows in Python; parameters as in `Score.from_events`.

    Parameters: statements, the texts after the keywords of STATEMENTS. """
    draft = ScoreDraft()
    outer = OpenSection("", Place(NAME))
    state = FileState(NAME, folder or Path(), (), draft, outer)
    for name, source in use.items():
        _run_statement(state, global_statements.read_use, Place(f"use {name}"),
                       partial(_use_words, name, source))
    for option, value in render.items():
        _run_statement(state, global_statements.read_render, Place(f"render {option}"),
                       partial(_render_words, option, value))
    for target, levels in mix.items():
        _run_statement(state, global_statements.read_mix, Place(f"mix {target}"),
                       partial(_mix_words, target, levels))
    for keyword, text in statements.items():
        if text is not None:
            _run_statement(state, STATEMENTS[keyword], Place(keyword),
                           partial(_statement_words, keyword, text))
    for number, event in enumerate(events, start=1):
        place = Place(f"event {number}")
        draft.files.append(place.file)
        try:
            row = parse_row(_event_words(event, place), place, (number,), draft.problems)
        except ScoreError as error:
            draft.problems.extend(error.problems)
        else:
            outer.rows.extend([row] if row is not None else [])
    return draft, outer


def _run_statement(
    state: FileState,
    statement: Callable[[FileState, Line], None],
    place: Place,
    words: Callable[[Place], list[Word]],
) -> None:
    """Run one statement; append its errors to the problems."""
    state.draft.files.append(place.file)
    try:
        statement(state, Line(tuple(words(place)), place))
    except ScoreError as error:
        state.draft.problems.extend(error.problems)


def _use_words(name: str, source: UseValue, place: Place) -> list[Word]:
    file, overrides = (source, {}) if isinstance(source, str) else source
    written = f'"{file}"' if file.endswith(".toml") else file
    return [Word("use", place), Word(written, place), Word("as", place), Word(name, place),
            *(_argument(key, value, place) for key, value in overrides.items())]


def _render_words(option: str, value: Value, place: Place) -> list[Word]:
    return [Word("render", place), _argument(option, value, place)]


def _mix_words(target: str, levels: Mapping[str, Value], place: Place) -> list[Word]:
    if not isinstance(levels, Mapping):
        raise score_error(place, f"{quoted(levels)} is no mapping; expected levels by their names, "
                                 'such as {"gain": "-3dB"}')
    return [Word("mix", place), Word(target, place),
            *(_argument(name, value, place) for name, value in levels.items())]


def _statement_words(keyword: str, text: str, place: Place) -> list[Word]:
    if not isinstance(text, str):
        raise score_error(place, f"{quoted(text)} is not a text; expected what follows the word "
                                 f"{keyword} in a score")
    line = split_line(text, place.file, 0)
    return [Word(keyword, place), *(line.words if line is not None else ())]


def _event_words(event: EventValue, place: Place) -> list[Word]:
    if (not isinstance(event, Sequence) or len(event) != 4
            or not (isinstance(event[1], str) and isinstance(event[2], str))
            or not isinstance(event[3], Mapping)):
        raise score_error(
            place, "this is not an event; expected (time in s, target, verb, {name: value})")
    time, target, verb, arguments = event
    when = time if isinstance(time, str) else f"{_value_text(time, place)}s"
    if not when or not target or not verb:
        raise score_error(
            place, "the time, the target or the verb is empty; expected 0.5, 't.pa', 'pluck'")
    words = [Word(when, place), Word(target, place), Word(verb, place)]
    return words + [_argument(name, value, place) for name, value in arguments.items()]


def _argument(name: str, value: Value, place: Place) -> Word:
    if not isinstance(name, str) or not name.isidentifier():
        raise score_error(
            place, f"{quoted(name)} is not a name; expected letters, digits and _, no digit first")
    return Word(f"{name}={_value_text(value, place)}", place)


def _value_text(value: Value, place: Place) -> str:
    """Return a value in the form of a score."""
    if isinstance(value, bool) or not isinstance(value, str | numbers.Real):
        raise score_error(
            place, f"{quoted(value)} is not a value; expected a number, or a string as in a score")
    if isinstance(value, str):
        if not value.strip():
            raise score_error(
                place, "an empty text is not a value; expected a number, or a string as in a score")
        return value
    return repr(float(value))
