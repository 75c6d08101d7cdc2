"""The statements that place things in time: tempo, section, end, play, include."""
from __future__ import annotations

import math

from pysitar.errors import Place, ScoreError, nearest, quoted
from pysitar.score import values
from pysitar.score.elements import Clock, Play, Time
from pysitar.score.event_rows import arguments, time
from pysitar.score.global_statements import names_in, new_name, unquoted
from pysitar.score.literals import NOWHERE, Quantity, si_value
from pysitar.score.parse_state import FileState
from pysitar.score.tempo import TempoChange
from pysitar.score.tokens import Line, RawArgument, Word, wrong
from pysitar.score.vocabulary import PLAY_NAMES

TEMPO_FORMS = "tempo 60, tempo 16 60, or tempo 16 52 -> 60 @ 24"
RAMP = "tempo BEAT BPM -> BPM @ BEAT"
AT_START = Time(Clock.BEATS, 0.0)
LARGEST_TIMES = 10**9
SLOWEST_TEMPO, FASTEST_TEMPO = 1e-3, 1e6          # beats a minute; the times of a ramp between them are exact


def tempo(state: FileState, line: Line) -> None:
    """`tempo BPM`, `tempo BEAT BPM`, `tempo BEAT P -> Q @ BEAT2`."""
    words = line.words[1:]
    if not words:
        raise wrong(line.end, f"the tempo is missing; {TEMPO_FORMS}")
    for word in words:
        for sign in ("->", "@"):
            if sign in word.text and word.text != sign:
                raise wrong(word.place, f"{quoted(word.text)} is in one piece; blanks stand around {sign}: {RAMP}")
    if len(words) == 1:
        change = TempoChange(0.0, _bpm(words[0]), place=words[0].place)
    elif len(words) == 2:
        change = TempoChange(_beat(words[0]), _bpm(words[1]), place=words[0].place)
    else:
        if words[1].text == "->":
            here = f", here tempo 0 {quoted(' '.join(word.text for word in words))}" if len(words) == 5 else ""
            raise wrong(words[0].place, f"the beat where the ramp begins is missing; {RAMP}{here}")
        for index, sign in ((2, "->"), (4, "@")):
            if len(words) <= index:
                raise wrong(line.end, f"{quoted(sign)} is missing; {TEMPO_FORMS}")
            if words[index].text != sign:
                raise wrong(words[index].place, f"{quoted(words[index].text)} where {quoted(sign)} stands; {TEMPO_FORMS}")
        if len(words) < 6:
            raise wrong(line.end, f"the beat where the ramp ends is missing; {TEMPO_FORMS}")
        if len(words) > 6:
            raise wrong(words[6].place, f"{quoted(words[6].text)} follows the ramp; {TEMPO_FORMS}")
        change = TempoChange(_beat(words[0]), _bpm(words[1]), _bpm(words[3]), _beat(words[5]), words[0].place)
        if change.beat_end is not None and change.beat_end <= change.beat:
            raise wrong(words[5].place, f"the ramp ends at beat {quoted(words[5].text)}, not after its start; expected a later beat")
    state.current.tempos.append(change)


def _bpm(word: Word) -> float:
    bpm = values.number(word.text, word.place)
    if bpm <= 0:
        raise wrong(word.place, f"a tempo of {quoted(word.text)}; beats a minute are above 0")
    if not SLOWEST_TEMPO <= bpm <= FASTEST_TEMPO:
        raise wrong(word.place, f"a tempo of {quoted(word.text)}; expected {SLOWEST_TEMPO:g} to {FASTEST_TEMPO:.0f} beats a minute")
    return bpm


def _beat(word: Word) -> float:
    beat = values.number(word.text, word.place)
    if beat < 0:
        raise wrong(word.place, f"beat {quoted(word.text)} is before 0; beats count from 0")
    return beat


def section(state: FileState, line: Line) -> None:
    """`section NAME`."""
    words, gathered = line.words, state.gathered
    if state.inner is not None:
        gathered.tell(line.place, f"a section inside the section of line {state.inner.place.line}; write end before it")
        state.unclosed += 1
    if len(words) < 2:
        gathered.nameless.add("section")
        state.open_section("", line.place)
        raise wrong(line.end, "the name of the section is missing; section NAME")
    try:
        name = new_name(words[1], "section")
    except ScoreError:
        gathered.supposed |= names_in(words[1:])
        state.open_section("", line.place)
        raise
    before = gathered.sections.get(name)
    state.open_section(name, line.place)
    if len(words) > 2:
        gathered.tell(words[2].place, f"{quoted(words[2].text)} follows the name of the section; only a name stands there")
    if before is not None:
        first = f"{before.place.file}:{before.place.line}"
        raise wrong(words[1].place, f"a second section {quoted(name)} (the first: {first}); expected another name")


def end(state: FileState, line: Line) -> None:
    """`end` of a section."""
    if state.inner is None:
        if state.unclosed:
            state.unclosed -= 1
            return
        raise wrong(line.place, "end without a section; section NAME opens one")
    state.inner = None
    if len(line.words) > 1:
        raise wrong(line.words[1].place, f"{quoted(line.words[1].text)} follows end; end stands alone")


def play(state: FileState, line: Line) -> None:
    """`play NAME at= times= every= f=*x transpose=`."""
    words, gathered = line.words, state.gathered
    if len(words) < 2:
        raise wrong(line.end, "the section is missing; play NAME at=0 times=3")
    name = new_name(words[1], "section")
    made = _Play()
    before = len(gathered.problems)
    for raw in arguments(words[2:], gathered.problems):
        try:
            made.take(raw)
        except ScoreError as error:
            gathered.problems.extend(error.problems)
    if len(gathered.problems) > before:
        # Kept so that the section counts as played and cycles are told; the score is refused anyway.
        made = _Play()
    state.current.plays.append(Play(name, words[1].place, made.at, made.times, made.every, made.factor, made.factor_place,
                                    made.compound, made.transpose, line.place))


class _Play:
    """The arguments of a play, and their defaults."""

    def __init__(self) -> None:
        self.at, self.times, self.factor, self.compound, self.transpose = AT_START, 1, 1.0, False, 0.0
        self.every: Time | None = None
        self.factor_place: Place = NOWHERE

    def take(self, raw: RawArgument) -> None:
        """One argument.

        Errors: ScoreError at its name or value.
        """
        text, place = raw.text, raw.value_place
        if raw.name == "at":
            self.at = time(text, place, relative=False)
        elif raw.name == "every":
            self.every = _period(text, place)
        elif raw.name == "times":
            number = values.number(text, place)
            if number < 1 or number != math.floor(number) or number > LARGEST_TIMES:
                raise wrong(place, f"times is {quoted(text)}; expected a whole number from 1 to {LARGEST_TIMES}")
            self.times = int(number)
        elif raw.name in {"f", "force"}:
            self.factor, self.compound = _factor(text, place)
            self.factor_place = place
        elif raw.name == "transpose":
            self.transpose = _transpose(text, place)
        else:
            raise wrong(raw.name_place, f"play has no {quoted(raw.name)}; {nearest(raw.name, PLAY_NAMES)}")


def _period(text: str, place: Place) -> Time:
    found = time(text, place, relative=False)
    if found.clock is Clock.BAR:
        raise wrong(place, f"{quoted(text)} is a place, not a length; expected beats or seconds (2s)")
    if found.amount <= 0:
        raise wrong(place, f"every is {quoted(text)}; expected a length above 0")
    return found


def _factor(text: str, place: Place) -> tuple[float, bool]:
    compound = text.endswith("^")
    digits = text.removeprefix("*").removesuffix("^")
    if not text.startswith("*") or not values.NUMBER.fullmatch(digits):
        raise wrong(place, f"{quoted(text)} is not a factor; expected *0.9 (every repeat) or *0.9^ (compounding)")
    factor = values.number(digits, place)
    if factor == 0:
        raise wrong(place, "a factor of 0 leaves no force; expected a number other than 0")
    return factor, compound


def _transpose(text: str, place: Place) -> float:
    found = values.value(text, place)
    if not isinstance(found, Quantity):
        raise wrong(place, f"transpose is {quoted(text)}; expected an interval: 2st, -50c, 1oct")
    try:
        return si_value(found, "cents")
    except ValueError as error:
        raise wrong(place, str(error)) from None


def include(state: FileState, line: Line) -> None:
    """`include "file.score" at=`."""
    try:
        _include(state, line)
    except ScoreError:
        state.gathered.unread_file = True
        raise


def _include(state: FileState, line: Line) -> None:
    words, gathered = line.words, state.gathered
    if state.inner is not None:
        gathered.tell(line.place, f"include stands outside sections; write it after the end of {state.inner.called}")
    if len(words) < 2:
        raise wrong(line.end, 'the file is missing; include "coda.score" at=32')
    file = unquoted(words[1])
    if file is None:
        right = quoted(f'"{words[1].text}"')
        raise wrong(words[1].place, f"{quoted(words[1].text)} is not quoted; a file stands in quotes: {right}")
    at = AT_START
    for raw in arguments(words[2:], gathered.problems):
        if raw.name != "at":
            gathered.tell(raw.name_place, f"include has no {quoted(raw.name)}; expected at=")
            continue
        try:
            at = time(raw.text, raw.value_place, relative=False)
        except ScoreError as error:
            gathered.problems.extend(error.problems)
    key = state.include(state, file, words[1].place) if state.include else None
    if key is not None:
        state.outer.plays.append(Play(key, words[1].place, at, 1, None, 1.0, NOWHERE, False, 0.0, line.place))
