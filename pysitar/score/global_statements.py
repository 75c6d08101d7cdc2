"""The statements for the whole score: use, render, tuning, tala, set, mix and room."""
from __future__ import annotations

import re
from collections.abc import Sequence

from pysitar.errors import Place, ScoreError, quoted, suggest_name
from pysitar.physics.cabinets import CIRCUIT
from pysitar.score import values
from pysitar.score.elements import Mix, Room, Setting, UnreadPath, Use
from pysitar.score.event_rows import parse_argument, parse_target, split_arguments
from pysitar.score.literals import Argument, Quantity, literal_text, quoted_literal, si_value
from pysitar.score.parse_state import FileState
from pysitar.score.pitch import (
    DEFAULT_TUNING,
    MAX_EDO,
    Tuning,
    edo_tuning,
    frequency,
    just_tuning,
    parse_pitch,
    shruti_tuning,
)
from pysitar.score.scala import scala_tuning
from pysitar.score.tokens import IN_ONE_PIECE, Line, Word, parse_pair, score_error, shift_place
from pysitar.score.vocabulary import MIX_NAMES, RENDER_NAMES, RESERVED, ROOMS, TALAS
from pysitar.system.files import real_path

NAME = re.compile(r"[^\W\d]\w*")
MIX_UNITS = {"gain": "dB", "loudness": "LUFS"}          # of those with a unit
KINDS = ("just", "edo", "shruti", "scala")
ROOM_FORM = "expected room small wet=-20dB"
OF_INSTRUMENTS = frozenset(("scheme", "polarisation", "bridge", *CIRCUIT))          # their keys
WET = -20.0                     # dB, of a room without wet
LOWEST_WET, HIGHEST_WET = -100.0, 20.0
LOWEST_LOUDNESS, HIGHEST_LOUDNESS = -60.0, 0.0           # LUFS


def read_arguments(words: Sequence[Word], state: FileState) -> dict[str, Argument]:
    """Return the arguments of a statement, keyed by name; errors are appended to the problems."""
    found: dict[str, Argument] = {}
    for raw in split_arguments(words, state.draft.problems):
        try:
            found[raw.name] = parse_argument(raw)
        except ScoreError as error:
            state.draft.problems.extend(error.problems)
    return found


def unquote(word: Word) -> str | None:
    """Return the text of a quoted word; None when it has no quotes.

    Errors: ScoreError when it is empty or continues after the closing quote.
    """
    if not word.text.startswith('"'):
        return None
    text = word.text[1:-1]
    if len(word.text) < 2 or not word.text.endswith('"') or '"' in text:
        raise score_error(
            word.place,
            f"{quoted(word.text)} is not one quoted text; expected a blank after the closing quote")
    if not text:
        raise score_error(word.place, "an empty file name; expected a file or a preset")
    return text


def check_name(word: Word, what: str) -> str:
    """Return the name of a section or an instrument.

    Errors: ScoreError for an invalid name.
    """
    if word.text in RESERVED:
        raise score_error(
            word.place,
            f"{quoted(word.text)} is a reserved word; expected another name for the {what}")
    if not word.text.isidentifier():
        raise score_error(
            word.place,
            f"{quoted(word.text)} is not a name; expected letters, digits and _, no digit first")
    return word.text


def instrument_source(word: Word) -> tuple[str, bool]:
    """Return the name of a preset or an instrument file as written, and whether it is a file.

    Errors: ScoreError when the word is neither.
    """
    source = unquote(word)
    if source is None and word.text.endswith(".toml"):
        right = quoted('"' + word.text + '"')
        raise score_error(
            word.place,
            f"{quoted(word.text)} is not the name of a preset; expected a file in quotes: {right}")
    if source is None:
        return check_name(word, "instrument"), False
    if not source.endswith(".toml"):
        raise score_error(
            word.place,
            f"{quoted(source)} is not an instrument file; expected a name that ends in .toml")
    return source, True


def read_use(state: FileState, line: Line) -> None:
    """`use NAME as S name=value ...` or `use "file.toml" as S ...`."""
    words, draft = line.words, state.draft
    name_word = words[3] if len(words) > 3 and words[2].text == "as" else None
    if name_word is not None and name_word.text.isidentifier():
        draft.declared.setdefault(name_word.text, name_word.place)
    else:
        draft.possible_names |= find_names(words[1:])
        if len(words) < 3 or (len(words) == 3 and words[2].text == "as"):
            draft.unnamed_statements.add("use")
    if len(words) < 2:
        raise score_error(line.end, "the instrument is missing; expected use PRESET as NAME")
    source, is_file = instrument_source(words[1])
    if len(words) < 3:
        raise score_error(line.end,
                          f"the name is missing; expected use {quoted(words[1].text)} as NAME")
    if name_word is None:
        if words[2].text != "as":
            _assume_instrument(state, words, source, is_file)
            raise score_error(
                words[2].place, f"{quoted(words[2].text)} is in the place of 'as'; expected "
                f"use {quoted(words[1].text)} as NAME")
        raise score_error(line.end,
                          f"the name is missing; expected use {quoted(words[1].text)} as NAME")
    name = check_name(name_word, "instrument")
    overrides = read_arguments(words[4:], state)
    draft.unread += [UnreadPath((name, raw.name), name_word.place, raw.name_place)
                        for raw in split_arguments(words[4:], [])
                        if raw.name not in overrides]
    use = Use(name, source, is_file, overrides, name_word.place, words[1].place, state.folder)
    before = draft.uses.setdefault(name, use)
    if before is not use and _identity(before) != _identity(use):
        where = before.place
        raise score_error(
            name_word.place,
            f"{quoted(name)} is already another instrument ({where.file}:{where.line}); expected "
            f"a new name"
        )


def find_names(words: Sequence[Word]) -> set[str]:
    """Return all possible names in some words."""
    return {name for word in words for name in NAME.findall(word.text)}


def _assume_instrument(state: FileState, words: Sequence[Word], source: str, is_file: bool) -> None:
    """Add the instrument of a line without its `as`, so that its rows are checked."""
    word = words[min(3, len(words) - 1)]
    if word.text.isidentifier() and word.text not in RESERVED:
        state.draft.uses.setdefault(word.text, Use(word.text, source, is_file, {}, word.place,
                                                      words[1].place, state.folder))
        state.draft.declared.setdefault(word.text, word.place)


def _identity(use: Use) -> tuple[object, ...]:
    overrides = sorted(
        (name, literal_text(argument.value)) for name, argument in use.overrides.items())
    is_path = use.is_file and "\0" not in use.source
    source = real_path(use.folder / use.source) if is_path else use.source
    return use.is_file, source, overrides


def read_render(state: FileState, line: Line) -> None:
    """`render name=value ...`."""
    draft = state.draft
    if len(line.words) < 2:
        raise score_error(line.end,
                          f"render has no options; expected one of {', '.join(RENDER_NAMES)}")
    for name, argument in read_arguments(line.words[1:], state).items():
        if name not in RENDER_NAMES:
            hint = (f"expected it with use, use sitar as s {name}=..." if name in OF_INSTRUMENTS
                    else suggest_name(name, RENDER_NAMES))
            draft.report(argument.name_place, f"render has no option {quoted(name)}; {hint}")
            continue
        before = draft.render.setdefault(name, argument)
        if literal_text(before.value) != literal_text(argument.value):
            where = before.name_place
            draft.report(
                argument.value_place,
                f"{name} is already {quoted_literal(before.value)} "
                f"({where.file}:{where.line}); "
                "expected one value")


def read_tuning(state: FileState, line: Line) -> None:
    """`tuning sa=PITCH just | edo N | shruti | scala "x.scl"`."""
    try:
        _parse_tuning(state, line)
    except ScoreError:
        state.draft.invalid_tuning = True
        raise


def _parse_tuning(state: FileState, line: Line) -> None:
    words = list(line.words[1:])
    if not words:
        raise score_error(line.end, "the tuning is missing; expected tuning sa=C#3 just")
    sa_hz = DEFAULT_TUNING.sa_hz
    if "=" in words[0].text and not words[0].text.startswith('"'):
        if words[0].text.endswith("=") and len(words) > 1 and words[1].text not in KINDS:
            raise score_error(words[0].after(words[0].text.index("=")), IN_ONE_PIECE)
        raw = parse_pair(words.pop(0))
        if raw.name != "sa":
            raise score_error(raw.name_place, f"tuning has no {quoted(raw.name)}; expected sa=C#3")
        sa_hz = _parse_sa(raw.text, raw.value_place)
    scale, used = _parse_scale(state, words, sa_hz, line.end) if words else (just_tuning(sa_hz), 0)
    if len(words) > used:
        extra = words[used]
        hint = "expected sa= before the scale" if extra.text.startswith(
            "sa=") else "expected the end of the line"
        raise score_error(extra.place, f"{quoted(extra.text)} follows the scale; {hint}")
    draft = state.draft
    if draft.tuning is not None and draft.tuning != scale and draft.tuning_place is not None:
        where = draft.tuning_place
        raise score_error(
            line.place,
            f"a second tuning, different from the first ({where.file}:{where.line}); expected one")
    if draft.tuning is None:
        draft.tuning, draft.tuning_place = scale, line.place


def _parse_sa(text: str, place: Place) -> float:
    try:
        pitch = parse_pitch(text)
        if pitch.kind not in {"western", "hertz"}:
            raise ValueError(
                f"sa cannot be {quoted(text)}; expected an absolute pitch: C#3 or 138.6Hz")
        return frequency(pitch, DEFAULT_TUNING, None)
    except ValueError as error:
        raise score_error(place, str(error)) from None


def _parse_scale(state: FileState, words: list[Word], sa_hz: float,
                 end: Place) -> tuple[Tuning, int]:
    kind = words[0].text
    if kind == "just":
        return just_tuning(sa_hz), 1
    if kind == "shruti":
        return shruti_tuning(sa_hz), 1
    if kind not in KINDS:
        raise score_error(words[0].place,
                          f"{quoted(kind)} is not a tuning; {suggest_name(kind, KINDS)}")
    if len(words) < 2:
        raise score_error(end, "the number of steps is missing; expected edo 12" if kind == "edo"
                          else 'the file is missing; expected scala "x.scl"')
    if kind == "edo":
        return edo_tuning(
            sa_hz,
            whole_number(values.parse_number(words[1].text, words[1].place), words[1].place,
                         MAX_EDO)), 2
    source = unquote(words[1])
    if source is None:
        raise score_error(words[1].place,
                          f"{quoted(words[1].text)} is not quoted; expected scala \"x.scl\"")
    sources = state.draft.sources
    return scala_tuning(source, sa_hz, file=state.name, folder=state.folder, place=words[1].place,
                        sources=sources), 2


def whole_number(number: float, place: Place, largest: int) -> int:
    """Return a number as an int, if it is whole and from 1 to `largest`.

    Errors: ScoreError at its place.
    """
    if not 1 <= number <= largest or number != int(number):
        raise score_error(place,
                          f"the number is {number:g}; expected a whole number from 1 to {largest}")
    return int(number)


def read_tala(state: FileState, line: Line) -> None:
    """`tala NAME` or `tala 5+5+2`."""
    try:
        _parse_tala(state, line)
    except ScoreError:
        state.draft.invalid_tala = True
        raise


def _parse_tala(state: FileState, line: Line) -> None:
    words, draft = line.words, state.draft
    if len(words) < 2:
        raise score_error(line.end, "the tala is missing; expected tala tintal or tala 5+5+2")
    if len(words) > 2:
        raise score_error(
            words[2].place,
            f"{quoted(words[2].text)} follows the tala; expected tala 5+5+2 without blanks")
    text = words[1].text
    if re.fullmatch(r"[1-9][0-9]{0,3}(?:\+[1-9][0-9]{0,3})*", text):
        matras = sum(int(part) for part in text.split("+"))
    elif text in TALAS:
        matras = TALAS[text]
    else:
        raise score_error(
            words[1].place,
            f"{quoted(text)} is not a tala or a sum of groups (5+5+2); {suggest_name(text, TALAS)}")
    if draft.tala is not None and draft.tala != matras and draft.tala_place is not None:
        where = draft.tala_place
        raise score_error(
            words[1].place,
            f"a second tala, different from the first ({where.file}:{where.line}); expected one")
    if draft.tala is None:
        draft.tala, draft.tala_place = matras, line.place


def split_assignment(line: Line, sign: str) -> tuple[Word, list[tuple[str, Place]]]:
    """Return the path and the words after `sign` of a statement `KEYWORD PATH = VALUE`; blanks are
    allowed around the sign.

    Errors: ScoreError when the path or the sign is missing.
    """
    name = "NAME" if line.words[0].text == "let" else "PATH"
    form = f"{line.words[0].text} {name} {sign} VALUE"
    if len(line.words) < 2:
        raise score_error(line.end, f"the {name.lower()} is missing; expected {form}")
    path, found, rest = line.words[1].text.partition(sign)
    following = [(word.text, word.place) for word in line.words[2:]]
    if found:
        after = [(rest, line.words[1].after(len(path) + 1))] if rest else []
        following = after + following
    elif not following:
        raise score_error(line.end, f"{quoted(sign)} is missing; expected {form}")
    elif following[0][0].startswith(sign):
        text, place = following[0]
        following = ([(text[1:], shift_place(place, 1))] if text[1:] else []) + following[1:]
    else:
        raise score_error(
            following[0][1],
            f"{quoted(following[0][0])} is in the place of {quoted(sign)}; expected {form}")
    if not path:
        raise score_error(line.words[1].place, f"the {name.lower()} is missing; expected {form}")
    return Word(path, line.words[1].place), following


def parse_path(word: Word) -> tuple[str, ...]:
    """Return the parts of the path of a parameter, at least two.

    Errors: ScoreError.
    """
    parts = parse_target(word, stars="anywhere")
    if len(parts) < 2:
        raise score_error(
            word.place, f"{quoted(word.text)} is an instrument; expected the path of a parameter, "
            f"{quoted(word.text + '.gain')}")
    return parts


def record_path(state: FileState, line: Line) -> None:
    """Record the path of a line `KEYWORD PATH ...` with an invalid value, so that its names are
    checked."""
    if len(line.words) < 2:
        return
    word = line.words[1]
    try:
        parts = parse_target(Word(re.split("[=~]", word.text)[0], word.place), stars="anywhere")
    except ScoreError:          # the path itself is invalid
        return
    state.draft.unread.append(UnreadPath(parts, word.place,
                                            shift_place(word.place, len(parts[0]) + 1)))


def read_set(state: FileState, line: Line) -> None:
    """`set PATH = VALUE`."""
    path, rest = split_assignment(line, "=")
    parts = parse_path(path)
    value = values.join_value(rest, line.end)
    state.draft.settings.append(Setting(parts, path.place, value, rest[0][1]))


def read_mix(state: FileState, line: Line) -> None:
    """`mix TARGET gain=dB pan=-1..1`, or `mix INSTRUMENT loudness=LUFS`."""
    words, draft = line.words, state.draft
    if len(words) < 2:
        raise score_error(line.end, "the target is missing; expected mix t gain=-3dB pan=0")
    if words[1].text.startswith("*."):
        raise score_error(
            words[1].place, f"{quoted(words[1].text)} has no instrument; expected its name before "
                            "that of its strings: mix t.pa pan=0.3")
    parts = ("*",) if words[1].text == "*" else parse_target(words[1], stars="string")
    if len(words) < 3:
        raise score_error(line.end, "gain or pan is missing; expected mix t gain=-3dB pan=0")
    found = read_arguments(words[2:], state)
    for name, argument in found.items():
        if name not in MIX_NAMES:
            draft.report(argument.name_place,
                         f"mix has no {quoted(name)}; {suggest_name(name, MIX_NAMES)}")
        else:
            _check_mix(state, name, argument)
    if "loudness" in found:
        place = found["loudness"].name_place
        if len(parts) > 1:
            draft.report(place, "loudness is that of a stem, and a part has none; expected "
                                f"{quoted(f'mix {parts[0]} loudness=-18LUFS')}")
        elif "gain" in found:
            draft.report(place, "loudness and gain both set the level; expected one of them")
    draft.mixes.append(Mix(parts, words[1].place, found, line.place))


def _check_mix(state: FileState, name: str, argument: Argument) -> None:
    value, place = argument.value, argument.value_place
    if not isinstance(value, Quantity):
        state.draft.report(place, f"{name} is {quoted_literal(value)}; expected a number")
        return
    try:
        amount = si_value(value, MIX_UNITS.get(name, ""))
    except ValueError as error:
        state.draft.report(place, f"{name}: {error}")
        return
    if name == "loudness" and not LOWEST_LOUDNESS <= amount <= HIGHEST_LOUDNESS:
        state.draft.report(place, f"loudness is {quoted_literal(value)}; expected "
                                  f"{LOWEST_LOUDNESS:g} to {HIGHEST_LOUDNESS:g} LUFS")
    if name in {"pan", "spread"} and not -1 <= amount <= 1:
        if name == "spread":
            state.draft.report(
                place, f"spread is {quoted_literal(value)}; expected -1 to 1, the pan of the "
                       "last part, which is that of the first one with the other sign")
            return
        state.draft.report(
            place, f"pan is {quoted_literal(value)}; expected -1 (left) to 1 (right)")


def read_room(state: FileState, line: Line) -> None:
    """`room small|hall|"ir.wav" wet=dB`."""
    words, draft = line.words, state.draft
    if len(words) < 2:
        raise score_error(line.end, f"the room is missing; {ROOM_FORM}")
    source, is_file = _room_source(words[1])
    wet = WET
    for name, argument in read_arguments(words[2:], state).items():
        if name != "wet":
            draft.report(argument.name_place, f"room has no {quoted(name)}; {ROOM_FORM}")
        else:
            wet = _read_wet(argument)
    if draft.room is not None:
        first = draft.room.place
        raise score_error(line.place, f"a second room (the first: {first.file}:{first.line}); "
                                      "expected one for the whole score")
    draft.room = Room(source, is_file, wet, words[1].place, line.place, state.folder)


def _room_source(word: Word) -> tuple[str, bool]:
    """Return the name of a computed room, or a file as written, and whether it is a file.

    Errors: ScoreError when the word is neither.
    """
    source = unquote(word)
    if source is not None:
        if not source.endswith(".wav") or "\0" in source:
            raise score_error(word.place, f"{quoted(source)} is not an impulse response; expected "
                                          "a name that ends in .wav")
        return source, True
    if word.text.startswith("wet="):
        raise score_error(word.place, f"the room is missing; {ROOM_FORM}")
    if word.text.endswith(".wav"):
        right = quoted('"' + word.text + '"')
        raise score_error(word.place, f"{quoted(word.text)} is not the name of a room; expected a "
                                      f"file in quotes: {right}")
    if word.text not in ROOMS:
        raise score_error(word.place, f"{quoted(word.text)} is not a room or a file in quotes; "
                                      f"{suggest_name(word.text, ROOMS)}")
    return word.text, False


def _read_wet(argument: Argument) -> float:
    """Return the level of a room (dB).  Errors: ScoreError."""
    value, place = argument.value, argument.value_place
    if not isinstance(value, Quantity):
        raise score_error(place, f"wet is {quoted_literal(value)}; expected a level in dB")
    try:
        wet = si_value(value, "dB")
    except ValueError as error:
        raise score_error(place, f"wet: {error}") from None
    if not LOWEST_WET <= wet <= HIGHEST_WET:
        raise score_error(place, f"wet is {quoted_literal(value)}; expected {LOWEST_WET:g} "
                                 f"to {HIGHEST_WET:g} dB")
    return wet
