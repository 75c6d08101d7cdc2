"""Event rows: `TIME TARGET VERB [PITCH] name=value ...`."""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import ParamSpec, TypeVar

from pysitar.errors import Place, Problem, ScoreError, quoted, suggest_name
from pysitar.gestures.catalogue import number_hint
from pysitar.physics.units import UNITS
from pysitar.score import values
from pysitar.score.elements import Clock, Row, Time
from pysitar.score.literals import (
    TIME_UNITS,
    UNREAD,
    Argument,
    Curve,
    Name,
    Pitch,
    Quantity,
)
from pysitar.score.pitch import is_pitch, to_pitch
from pysitar.score.tempo import Beats, is_fraction, parse_fraction
from pysitar.score.tokens import (
    IN_ONE_PIECE,
    NEW_TUPLE,
    RawArgument,
    Word,
    parse_pair,
    score_error,
    shift_place,
    split_pair_problem,
)
from pysitar.score.vocabulary import (
    CURVE_VERBS,
    FREE_KEYWORDS,
    GRACE,
    INSTRUMENT_VERBS,
    KEYWORDS,
    PITCH_VERBS,
    PITCHED_VERBS,
    RESERVED,
    REST,
    VERBS,
    long_name,
)

BAR = re.compile(r"([0-9]+):([0-9]+)(?:\+([0-9]+/[0-9]+))?")
LARGEST_BAR = 10**9
T = TypeVar("T")
P = ParamSpec("P")


def parse_time(text: str, place: Place, *, relative: bool = True) -> Time:
    """Return a time: `4`, `1/3`, `1.5s`, `250ms`, `3:2`, and, if relative is allowed, `+`, `+3`,
    `+1/3`, `+1.5s`, `grace`.

    Errors: ScoreError at its place.
    """
    if ":" in text:
        return _parse_bar(text, place)
    plus = text.startswith("+")
    if plus and not relative:
        raise score_error(
            place,
            f"{quoted(text)} is relative to the last event, for rows only; expected beats or "
            f"seconds (1.5s)"
        )
    if text == "+":
        return Time(Clock.AFTER_END, place=place)
    if relative and text == GRACE:
        return Time(Clock.GRACE, place=place)
    if "/" in text and is_fraction(text[plus:]):
        return Time(Clock.AFTER_BEATS if plus else Clock.BEATS,
                    parse_fraction(text[plus:], shift_place(place, plus)), place=place)
    match = values.NUMBER.match(text)
    unknown_unit = match is not None and text[match.end():].isidentifier() and text[match.end(
    ):] not in UNITS
    found = values.parse_simple(text, place) if match and not unknown_unit else None
    if not isinstance(found, Quantity):
        forms = ("4 (beats), 1/3, 1.5s, 250ms, 3:2, + or +3" if relative
                 else "4 (beats), 1/3, 1.5s, 250ms or 3:2")
        raise score_error(place, f"{quoted(text)} is not a time; expected {forms}")
    if found.unit not in TIME_UNITS and found.unit is not None:
        raise score_error(
            place, f"{quoted(text)} is not a time; expected beats without a unit (4), s or ms "
                   "(1.5s, 250ms)")
    if found.value < 0:
        raise score_error(place,
                          f"{quoted(text)} is before the start; expected a time of 0 or later")
    amount = found.value / TIME_UNITS.get(found.unit, 1.0)
    if plus:
        return Time(Clock.AFTER_SECONDS if found.unit else Clock.AFTER_BEATS, amount, place=place)
    return NEW_TUPLE(Time, (Clock.SECONDS if found.unit else Clock.BEATS, amount, 1.0, place))


def _parse_bar(text: str, place: Place) -> Time:
    match = BAR.fullmatch(text)
    if not match:
        raise score_error(place, f"{quoted(text)} is not a time; expected BAR:MATRA (3:2), or "
                                 "with a fraction of a matra, 3:2+1/2")
    bar, matra = (int(part) if len(part) < 18 else LARGEST_BAR + 1 for part in match.groups()[:2])
    after: Beats = float(matra)
    if match[3]:
        after = matra + parse_fraction(match[3], shift_place(place, match.start(3)))
    if bar < 1 or matra < 1:
        raise score_error(
            place, f"{quoted(text)} is before the first matra; expected bar and matra from 1 (1:1)")
    if bar > LARGEST_BAR:
        raise score_error(place,
                          f"bar {quoted(match[1])} is too large; expected at most {LARGEST_BAR}")
    return Time(Clock.BAR, float(bar), after, place)


def parse_duration(text: str, place: Place) -> Time:
    """Return a `dur`: a bare number or a fraction is in beats, others are in s, ms or us.

    Errors: ScoreError at its place.
    """
    if is_fraction(text):
        return Time(Clock.BEATS, parse_fraction(text, place), place=place)
    found = values.parse_value(text, place)
    if not isinstance(found, Quantity) or (
            found.unit is not None and found.unit not in TIME_UNITS):
        raise score_error(
            place,
            f"{quoted(text)} is not a duration; expected beats without a unit (2, 1/3), s or ms "
            "(200ms)")
    if found.value < 0:
        raise score_error(place, f"the duration {quoted(text)} is below 0; expected 0 or more")
    if found.unit is None:
        return Time(Clock.BEATS, found.value, place=place)
    return Time(Clock.SECONDS, found.value / TIME_UNITS[found.unit], place=place)


def parse_target(word: Word, *, stars: str) -> tuple[str, ...]:
    """Return the parts of a name such as `t.pa`.

    Parameters: stars, where `*` is allowed: "anywhere", or "string" (the second part, also after
    the beginning of a name: `s.sa_*`). Errors: ScoreError at the invalid part. """
    parts = tuple(word.text.split("."))
    if len(parts) == 2 and parts[0].isidentifier() and parts[1].isidentifier(
    ) and RESERVED.isdisjoint(parts):
        return parts
    for index, part in enumerate(parts):
        if part.isidentifier() and part not in RESERVED:
            continue
        if part == "*" and (stars == "anywhere" or index == 1):
            continue
        if stars == "string" and index == 1 and part.endswith("*") and part[:-1].isidentifier():
            continue
        place = word.after(sum(len(earlier) + 1 for earlier in parts[:index]))
        if part == "*":
            raise score_error(
                place,
                "* is in the place of an instrument; expected it in the place of a string: t.*")
        if not part:
            raise score_error(
                place,
                f"a part of {quoted(word.text)} is missing; expected parts joined by one point: "
                f"t.pa"
            )
        if part in RESERVED:
            raise score_error(place, f"{quoted(part)} is a reserved word; expected another name")
        if "*" in part and stars == "anywhere":
            raise score_error(
                place, f"{quoted(part)} is not a name; expected * for a whole part, between points")
        raise score_error(
            place, f"{quoted(part)} is not a name; expected letters, digits and _, no digit first")
    return parts


def split_arguments(words: Sequence[Word], problems: list[Problem]) -> list[RawArgument]:
    """Return the `name=value` words of a row or statement; errors are appended to `problems`."""
    found: list[RawArgument] = []
    names: dict[str, str] = {}
    for index, word in enumerate(words):
        parts = _split_pair(word.text)
        if parts is None:
            if found and word.text in UNITS and values.NUMBER.fullmatch(found[-1].text):
                joined = f"{found[-1].name}={found[-1].text}{word.text}"
                problems.append(
                    Problem(word.place,
                            f"a blank between a number and its unit; expected {quoted(joined)}"))
            elif not _is_half_pair(words, index) or "=" in word.text:  # a half is reported at the =
                problem = _pair_problem(words, index)
                problems.append(problem)
                if problem.message == IN_ONE_PIECE:
                    break                                        # the next word is the other half
            continue
        name, full, text = parts
        place = word.place
        if full in names:
            same = f" ({quoted(names[full])} and {quoted(name)} are one)" if names[
                full] != name else ""
            problems.append(Problem(place, f"{quoted(name)} is given twice{same}; expected once"))
            continue
        names[full] = name
        found.append(NEW_TUPLE(RawArgument, (name, place, text, shift_place(place, len(name) + 1))))
    return found


@lru_cache(values.CACHE_SIZE)
def _split_pair(text: str) -> tuple[str, str, str] | None:
    """Return the name of a word `name=value`, its full name and the value; None for another
    word."""
    name, _, value = text.partition("=")
    return (name, long_name(name), value) if value and name.isidentifier() else None


def _pair_problem(words: Sequence[Word], index: int) -> Problem:
    """Return the problem of a word that is not `name=value`."""
    word = words[index]
    if word.text.startswith("=") or (word.text.endswith("=") and "=" not in word.text[:-1]):
        return split_pair_problem(words, index)
    try:
        parse_pair(word)
    except ScoreError as error:
        return error.problems[0]
    raise AssertionError(word.text)


def parse_argument(raw: RawArgument) -> Argument:
    """Return an argument with its parsed value.

    Errors: ScoreError at the value.
    """
    name, name_place, text, value_place = raw
    return NEW_TUPLE(Argument,
                     (name, name_place, values.parse_value(text, value_place), value_place))


class RowParts:
    """The part of a row after its verb, filled in word by word."""

    __slots__ = ("arguments", "curve", "duration", "pitches")

    def __init__(self) -> None:
        self.pitches: list[Pitch] = []
        self.curve: Curve | None = None
        self.duration: Time | None = None
        self.arguments: dict[str, Argument] = {}

    def add_pitches(self, words: Sequence[Word], verb: str) -> None:
        """Add the pitches, or the pitch curve, right after the verb.

        Errors: ScoreError at the first invalid pitch.
        """
        for word in words:
            if values.NUMBER.fullmatch(word.text) and (hint := number_hint(verb, word.text)):
                raise score_error(word.place, hint)
            if verb not in PITCH_VERBS:
                raise score_error(
                    word.place,
                    f"{verb} takes no pitch, and {quoted(word.text)} is not name=value; expected "
                    f"no pitch"
                )
            if (self.pitches or self.curve) and verb not in INSTRUMENT_VERBS:
                raise score_error(
                    word.place,
                    f"{quoted(word.text)} follows the pitch; expected name=value after the pitch")
            if word.text.startswith("("):
                self.add_pitch(values.parse_value(word.text, word.place), word.place, verb)
            else:
                self.pitches.append(values.parse_pitch_value(word.text, word.place))

    def add_pitch(self, found: object, place: Place, verb: str) -> None:
        """Add a pitch or a pitch curve from a literal.

        Errors: ScoreError when the literal is neither, or when the row already has a pitch or a
        curve.
        """
        if verb not in PITCH_VERBS:
            raise score_error(place, f"{verb} takes no pitch; expected none")
        if self.pitches or self.curve:
            raise score_error(place, "the pitch is given twice; expected once")
        if isinstance(found, Curve) and verb in CURVE_VERBS:
            self.curve = values.to_pitch_curve(found)
            return
        if isinstance(found, Pitch | Quantity):
            try:
                self.pitches.append(to_pitch(found))
            except ValueError as error:
                raise score_error(place, str(error)) from None
            return
        right = ("a curve of pitches: (0:re 1:ga)" if verb in CURVE_VERBS
                 else "a pitch: re, C#3, 440Hz")
        raise score_error(place, f"this is not a pitch for {verb}; expected {right}")

    def add_argument(self, raw: RawArgument, verb: str) -> None:
        """Add one `name=value`.

        Errors: ScoreError at the value.
        """
        if raw.name == "dur":
            self.duration = parse_duration(raw.text, raw.value_place)
        elif raw.name == "chord" and verb in INSTRUMENT_VERBS:
            self.arguments[raw.name] = NEW_TUPLE(Argument, (
                raw.name, raw.name_place, Name(raw.text, raw.value_place), raw.value_place))
        elif raw.name == "pitch":
            self.add_pitch(values.parse_value(raw.text, raw.value_place), raw.value_place, verb)
        else:
            self.arguments[raw.name] = parse_argument(raw)


def parse_row(words: Sequence[Word], end: Place, order: tuple[int, ...],
              problems: list[Problem]) -> Row | None:
    """Return one event row; its errors are appended to `problems`.

    A row with errors is broken: it has its verb as written ("": none), and UNREAD for each value
    that could not be parsed. Return None when the target is invalid.
    """
    before = len(problems)
    problem = _blank_in_time_problem(words)
    if problem:
        problems.append(problem)
        words = (words[0], *words[2:])
    when = _collect_errors(problems, parse_time, words[0].text, words[0].place)
    if len(words) < 2:
        problems.append(
            Problem(end, "the target is missing; expected TIME TARGET VERB: 0 t.pa pluck"))
        return None
    if words[1].text in KEYWORDS and not (
            words[1].text in FREE_KEYWORDS and len(words) > 2 and words[2].text in VERBS):
        word = words[1].text
        form = "tempo 4 120" if word == "tempo" else f"{word} at the start of the line"
        problems.append(
            Problem(words[1].place,
                    f"{word} is a statement, and a time is before it; expected {form}"))
        return None
    parts_of_target = _collect_errors(problems, _parse_row_target, words[1])
    if len(words) < 3:
        problems.append(Problem(end, f"the verb is missing; expected one of {', '.join(VERBS)}"))
        words = (*words, Word("", end))
    verb = words[2].text
    if verb and verb not in VERBS and verb != REST:
        problems.append(
            Problem(words[2].place,
                    f"{quoted(verb)} is not a verb; {suggest_name(verb, (*VERBS, REST))}"))
    parts = _parse_parts(words[3:], verb, problems)
    if verb == REST:
        problems.extend(
            Problem(argument.name_place,
                    f"rest has no {quoted(argument.name)}; expected its dur alone: rest dur=2")
            for argument in parts.arguments.values())
    if verb in PITCHED_VERBS and not parts.pitches and len(problems) == before:
        problems.append(Problem(end, f"{verb} needs its pitch; expected {verb} ga"))
    if verb in INSTRUMENT_VERBS and parts_of_target is not None and (
            len(parts_of_target) > 1 and not parts_of_target[1].endswith("*")):
        problems.append(
            Problem(
                words[1].place,
                f"{verb} plays the strings of an instrument; "
                f"expected {quoted(parts_of_target[0])}, or some of them, "
                f"{quoted(parts_of_target[0] + '.a*')}"))
    if parts_of_target is None:
        return None
    return NEW_TUPLE(Row, (
        when or Time(Clock.BEATS, place=words[0].place), parts_of_target, words[1].place, verb,
        words[2].place, tuple(parts.pitches), parts.curve, parts.duration, parts.arguments, end,
        order, -1, len(problems) > before))


def _parse_row_target(word: Word) -> tuple[str, ...]:
    parts = parse_target(word, stars="string")
    if len(parts) > 2:
        raise score_error(
            word.after(len(parts[0]) + len(parts[1]) + 2),
            f"{quoted(word.text)} has {len(parts)} parts; expected an instrument or one of its "
            f"strings: t or t.pa"
        )
    return parts


def _collect_errors(problems: list[Problem], read: Callable[P, T], *args: P.args,
                    **kwargs: P.kwargs) -> T | None:
    try:
        return read(*args, **kwargs)
    except ScoreError as error:
        problems.extend(error.problems)
        return None


def _parse_parts(words: Sequence[Word], verb: str, problems: list[Problem]) -> RowParts:
    parts = RowParts()
    count = 0
    while count < len(words) and "=" not in words[count].text and not _is_half_pair(words, count):
        count += 1
    if verb in VERBS or verb == REST:
        try:
            parts.add_pitches(words[:count], verb)
        except ScoreError as error:
            problems.extend(error.problems)
    for raw in split_arguments(_drop_late_pitches(words[count:], verb, problems), problems):
        try:
            parts.add_argument(raw, verb if verb in VERBS or verb == REST else VERBS[0])
        except ScoreError as error:
            problems.extend(error.problems)
            if raw.name not in {"dur", "pitch"}:
                parts.arguments[raw.name] = Argument(raw.name, raw.name_place, UNREAD,
                                                     raw.value_place)
    return parts


def _drop_late_pitches(words: Sequence[Word], verb: str, problems: list[Problem]) -> list[Word]:
    """Return the words after a first `name=value` without pitches, which are reported."""
    late = [
        word for word in words
        if verb in PITCH_VERBS and "=" not in word.text and is_pitch(word.text)
    ]
    problems.extend(
        Problem(
            word.place,
            f"{quoted(word.text)} is not name=value; expected the pitch right after the verb: "
            f"{verb} {quoted(word.text)}") for word in late)
    return [word for word in words if word not in late]


def _is_half_pair(words: Sequence[Word], index: int) -> bool:
    return index + 1 < len(words) and words[index + 1].text.startswith("=")


def _blank_in_time_problem(words: Sequence[Word]) -> Problem | None:
    """Return the problem of `1.5 s t.pa pluck`: a unit in the place of the target."""
    if (len(words) > 3 and words[1].text in TIME_UNITS and words[2].text not in VERBS
            and words[3].text in VERBS):
        joined = words[0].text + words[1].text
        return Problem(words[1].place,
                       f"a blank between a number and its unit; expected {quoted(joined)}")
    return None
