"""The statements of time: tempo, section, end, play and include."""
from __future__ import annotations

import math

from pysitar.errors import Place, ScoreError, quoted, suggest_name
from pysitar.score import values
from pysitar.score.elements import Clock, Play, Time
from pysitar.score.event_rows import parse_time, split_arguments
from pysitar.score.global_statements import check_name, find_names, unquote
from pysitar.score.literals import NOWHERE, Quantity, si_value
from pysitar.score.parse_state import FileState
from pysitar.score.tempo import TempoChange, is_fraction, parse_fraction
from pysitar.score.tokens import Line, RawArgument, Word, score_error
from pysitar.score.vocabulary import PLAY_NAMES

TEMPO_FORMS = "tempo 60, tempo 16 60, or tempo 16 52 -> 60 @ 24"
RAMP = "tempo BEAT BPM -> BPM @ BEAT"
AT_START = Time(Clock.BEATS, 0.0)
MAX_REPEATS = 10**9
# beats per minute; within them, the closed form of a ramp is exact
SLOWEST_TEMPO, FASTEST_TEMPO = 1e-3, 1e6


def read_tempo(state: FileState, line: Line) -> None:
    """`tempo BPM`, `tempo BEAT BPM`, `tempo BEAT P -> Q @ BEAT2`."""
    words = line.words[1:]
    if not words:
        raise score_error(line.end, f"the tempo is missing; expected {TEMPO_FORMS}")
    for word in words:
        for sign in ("->", "@"):
            if sign in word.text and word.text != sign:
                raise score_error(
                    word.place, f"{quoted(word.text)} has no blanks around {sign}; expected {RAMP}")
    if len(words) == 1:
        change = TempoChange(0.0, _parse_bpm(words[0]), place=words[0].place)
    elif len(words) == 2:
        change = TempoChange(_parse_beat(words[0]), _parse_bpm(words[1]), place=words[0].place)
    else:
        if words[1].text == "->":
            example = f", such as tempo 0 {quoted(' '.join(word.text for word in words))}" if len(
                words) == 5 else ""
            raise score_error(
                words[0].place,
                f"the beat where the ramp begins is missing; expected {RAMP}{example}")
        for index, sign in ((2, "->"), (4, "@")):
            if len(words) <= index:
                raise score_error(line.end, f"{quoted(sign)} is missing; expected {TEMPO_FORMS}")
            if words[index].text != sign:
                raise score_error(
                    words[index].place, f"{quoted(words[index].text)} is in the place of "
                    f"{quoted(sign)}; expected {TEMPO_FORMS}")
        if len(words) < 6:
            raise score_error(line.end,
                              f"the beat where the ramp ends is missing; expected {TEMPO_FORMS}")
        if len(words) > 6:
            raise score_error(words[6].place,
                              f"{quoted(words[6].text)} follows the ramp; expected {TEMPO_FORMS}")
        change = TempoChange(_parse_beat(words[0]), _parse_bpm(words[1]), _parse_bpm(words[3]),
                             _parse_beat(words[5]), words[0].place)
        if change.beat_end is not None and change.beat_end <= change.beat:
            raise score_error(
                words[5].place,
                f"the ramp ends at beat {quoted(words[5].text)}, not after its start; expected a "
                f"later beat"
            )
    state.current.tempos.append(change)


def _parse_bpm(word: Word) -> float:
    bpm = values.parse_number(word.text, word.place)
    if bpm <= 0:
        raise score_error(word.place,
                          f"the tempo is {quoted(word.text)}; expected beats per minute above 0")
    if not SLOWEST_TEMPO <= bpm <= FASTEST_TEMPO:
        raise score_error(
            word.place, f"the tempo is {quoted(word.text)}; expected {SLOWEST_TEMPO:g} "
            f"to {FASTEST_TEMPO:.0f} beats per minute")
    return bpm


def _parse_beat(word: Word) -> float:
    if is_fraction(word.text):
        return float(parse_fraction(word.text, word.place))
    beat = values.parse_number(word.text, word.place)
    if beat < 0:
        raise score_error(word.place,
                          f"beat {quoted(word.text)} is before 0; expected a beat of 0 or later")
    return beat


def read_section(state: FileState, line: Line) -> None:
    """`section NAME`."""
    words, draft = line.words, state.draft
    if state.inner is not None:
        draft.report(
            line.place,
            f"a section inside the section of line {state.inner.place.line}; expected end before "
            f"it"
        )
        state.unclosed += 1
    if len(words) < 2:
        draft.unnamed_statements.add("section")
        state.open_section("", line.place)
        raise score_error(line.end, "the name of the section is missing; expected section NAME")
    try:
        name = check_name(words[1], "section")
    except ScoreError:
        draft.possible_names |= find_names(words[1:])
        state.open_section("", line.place)
        raise
    before = draft.sections.get(name)
    state.open_section(name, line.place)
    if len(words) > 2:
        draft.report(
            words[2].place,
            f"{quoted(words[2].text)} follows the name of the section; expected the end of the "
            f"line"
        )
    if before is not None:
        first = f"{before.place.file}:{before.place.line}"
        raise score_error(
            words[1].place,
            f"a second section {quoted(name)} (the first: {first}); expected another name")


def read_end(state: FileState, line: Line) -> None:
    """`end` of a section."""
    if state.inner is None:
        if state.unclosed:
            state.unclosed -= 1
            return
        raise score_error(line.place, "end without a section; expected section NAME before it")
    state.inner = None
    if len(line.words) > 1:
        raise score_error(
            line.words[1].place,
            f"{quoted(line.words[1].text)} follows end; expected end alone on its line")


def read_play(state: FileState, line: Line) -> None:
    """`play NAME at= times= every= f=*x transpose=`."""
    words, draft = line.words, state.draft
    if len(words) < 2:
        raise score_error(line.end, "the section is missing; expected play NAME at=0 times=3")
    name = check_name(words[1], "section")
    arguments = _PlayArguments()
    before = len(draft.problems)
    for raw in split_arguments(words[2:], draft.problems):
        try:
            arguments.set_argument(raw)
        except ScoreError as error:
            draft.problems.extend(error.problems)
    if len(draft.problems) > before:
        # Recorded so that the section counts as played and cycles are found; the score is invalid
        # anyway.
        arguments = _PlayArguments()
    state.current.plays.append(
        Play(name, words[1].place, arguments.at, arguments.times, arguments.every,
             arguments.factor, arguments.factor_place, arguments.compound, arguments.transpose,
             line.place))


class _PlayArguments:
    """The arguments of a play, and their defaults."""

    def __init__(self) -> None:
        self.at, self.times = AT_START, 1
        self.factor, self.compound, self.transpose = 1.0, False, 0.0
        self.every: Time | None = None
        self.factor_place: Place = NOWHERE

    def set_argument(self, raw: RawArgument) -> None:
        """Set one argument.

        Errors: ScoreError at its name or value.
        """
        text, place = raw.text, raw.value_place
        if raw.name == "at":
            self.at = parse_time(text, place, relative=False)
        elif raw.name == "every":
            self.every = _parse_period(text, place)
        elif raw.name == "times":
            number = values.parse_number(text, place)
            if number < 1 or number != math.floor(number) or number > MAX_REPEATS:
                raise score_error(
                    place,
                    f"times is {quoted(text)}; expected a whole number from 1 to {MAX_REPEATS}")
            self.times = int(number)
        elif raw.name in {"f", "force"}:
            self.factor, self.compound = _parse_factor(text, place)
            self.factor_place = place
        elif raw.name == "transpose":
            self.transpose = _parse_transpose(text, place)
        else:
            raise score_error(
                raw.name_place,
                f"play has no {quoted(raw.name)}; {suggest_name(raw.name, PLAY_NAMES)}")


def _parse_period(text: str, place: Place) -> Time:
    found = parse_time(text, place, relative=False)
    if found.clock is Clock.BAR:
        raise score_error(
            place, f"{quoted(text)} is a position, not a length; expected beats or seconds (2s)")
    if found.amount <= 0:
        raise score_error(place, f"every is {quoted(text)}; expected a length above 0")
    return found


def _parse_factor(text: str, place: Place) -> tuple[float, bool]:
    compound = text.endswith("^")
    digits = text.removeprefix("*").removesuffix("^")
    if not text.startswith("*") or not values.NUMBER.fullmatch(digits):
        raise score_error(
            place,
            f"{quoted(text)} is not a factor; expected *0.9 (every repeat) or *0.9^ (compounding)")
    factor = values.parse_number(digits, place)
    if factor == 0:
        raise score_error(place, "the factor is 0; expected a number other than 0")
    return factor, compound


def _parse_transpose(text: str, place: Place) -> float:
    found = values.parse_value(text, place)
    if not isinstance(found, Quantity):
        raise score_error(place,
                          f"transpose is {quoted(text)}; expected an interval: 2st, -50c, 1oct")
    try:
        return si_value(found, "cents")
    except ValueError as error:
        raise score_error(place, str(error)) from None


def read_include(state: FileState, line: Line) -> None:
    """`include "file.score" at=`."""
    try:
        _parse_include(state, line)
    except ScoreError:
        state.draft.failed_include = True
        raise


def _parse_include(state: FileState, line: Line) -> None:
    words, draft = line.words, state.draft
    if state.inner is not None:
        draft.report(
            line.place,
            f"include is inside a section; expected it after the end of {state.inner.label}")
    if len(words) < 2:
        raise score_error(line.end, 'the file is missing; expected include "coda.score" at=32')
    file = unquote(words[1])
    if file is None:
        right = quoted(f'"{words[1].text}"')
        raise score_error(words[1].place,
                          f"{quoted(words[1].text)} is not quoted; expected {right}")
    at = AT_START
    for raw in split_arguments(words[2:], draft.problems):
        if raw.name != "at":
            draft.report(raw.name_place, f"include has no {quoted(raw.name)}; expected at=")
            continue
        try:
            at = parse_time(raw.text, raw.value_place, relative=False)
        except ScoreError as error:
            draft.problems.extend(error.problems)
    key = state.include(state, file, words[1].place) if state.include else None
    if key is not None:
        state.outer.plays.append(
            Play(key, words[1].place, at, 1, None, 1.0, NOWHERE, False, 0.0, line.place))
