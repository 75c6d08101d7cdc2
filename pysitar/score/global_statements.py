"""The statements that hold for the whole score: use, render, tuning, tala, set, mix."""
from __future__ import annotations

import re
from collections.abc import Sequence

from pysitar.errors import Place, ScoreError, nearest, quoted
from pysitar.score import values
from pysitar.score.elements import Mix, Setting, UnreadPath, Use
from pysitar.score.event_rows import arguments, read_argument, target
from pysitar.score.literals import Argument, Quantity, si_value, written
from pysitar.score.parse_state import FileState
from pysitar.score.pitch import DEFAULT_TUNING, LARGEST_EDO, Tuning, edo_tuning, frequency, just_tuning, parse_pitch, shruti_tuning
from pysitar.score.scala import scala_tuning
from pysitar.score.tokens import IN_ONE_PIECE, Line, Word, pair, shifted, wrong
from pysitar.score.vocabulary import MIX_NAMES, RENDER_NAMES, RESERVED, TALAS
from pysitar.system.names import real_path

NAME = re.compile(r"[^\W\d]\w*")
KINDS = ("just", "edo", "shruti", "scala")


def read_all(words: Sequence[Word], state: FileState) -> dict[str, Argument]:
    """The arguments of a statement, keyed by name; what is wrong with them is told."""
    found: dict[str, Argument] = {}
    for raw in arguments(words, state.gathered.problems):
        try:
            found[raw.name] = read_argument(raw)
        except ScoreError as error:
            state.gathered.problems.extend(error.problems)
    return found


def unquoted(word: Word) -> str | None:
    """The text of a quoted word; None when it has no quotes.

    Errors: ScoreError when it is empty or goes on after its quote.
    """
    if not word.text.startswith('"'):
        return None
    text = word.text[1:-1]
    if len(word.text) < 2 or not word.text.endswith('"') or '"' in text:
        raise wrong(word.place, f"{quoted(word.text)} is not one quoted text; a blank parts words")
    if not text:
        raise wrong(word.place, "an empty file name; expected a file or a preset")
    return text


def new_name(word: Word, what: str) -> str:
    """A name that a statement gives.

    Errors: ScoreError when it is not one.
    """
    if word.text in RESERVED:
        raise wrong(word.place, f"{quoted(word.text)} is a word of the language; expected another name for the {what}")
    if not word.text.isidentifier():
        raise wrong(word.place, f"{quoted(word.text)} is not a name; a name is letters and digits, a letter first")
    return word.text


def instrument_source(word: Word) -> tuple[str, bool]:
    """A preset's name, or an instrument file as it is written, and whether it is a file.

    Errors: ScoreError when it is neither.
    """
    source = unquoted(word)
    if source is None and word.text.endswith(".toml"):
        right = quoted('"' + word.text + '"')
        raise wrong(word.place, f"{quoted(word.text)} is no preset's name; a file stands in quotes: {right}")
    if source is None:
        return new_name(word, "instrument"), False
    if not source.endswith(".toml"):
        raise wrong(word.place, f"{quoted(source)} is not an instrument file; it ends in .toml")
    return source, True


def use(state: FileState, line: Line) -> None:
    """`use NAME as S name=value ...` or `use "file.toml" as S ...`."""
    words, gathered = line.words, state.gathered
    name_word = words[3] if len(words) > 3 and words[2].text == "as" else None
    if name_word is not None and name_word.text.isidentifier():
        gathered.declared.setdefault(name_word.text, name_word.place)
    else:
        gathered.supposed |= names_in(words[1:])
        if len(words) < 3 or (len(words) == 3 and words[2].text == "as"):
            gathered.nameless.add("use")
    if len(words) < 2:
        raise wrong(line.end, "the instrument is missing; use PRESET as NAME")
    source, is_file = instrument_source(words[1])
    if len(words) < 3:
        raise wrong(line.end, f"the name is missing; use {quoted(words[1].text)} as NAME")
    if name_word is None:
        if words[2].text != "as":
            _suppose(state, words, source, is_file)
            raise wrong(words[2].place, f"{quoted(words[2].text)} where as stands; use {quoted(words[1].text)} as NAME")
        raise wrong(line.end, f"the name is missing; use {quoted(words[1].text)} as NAME")
    name = new_name(name_word, "instrument")
    overrides = read_all(words[4:], state)
    gathered.unread += [UnreadPath((name, raw.name), name_word.place, raw.name_place)
                        for raw in arguments(words[4:], [])
                        if raw.name not in overrides]
    made = Use(name, source, is_file, overrides, name_word.place, words[1].place, state.folder)
    before = gathered.uses.setdefault(name, made)
    if before is not made and _identity(before) != _identity(made):
        where = before.place
        raise wrong(name_word.place, f"{quoted(name)} is already another instrument ({where.file}:{where.line}); expected a new name")


def names_in(words: Sequence[Word]) -> set[str]:
    """All that may be a name in some words."""
    return {name for word in words for name in NAME.findall(word.text)}


def _suppose(state: FileState, words: Sequence[Word], source: str, is_file: bool) -> None:
    """Use the instrument that a line without its `as` seems to mean, so that its rows are
    checked."""
    word = words[min(3, len(words) - 1)]
    if word.text.isidentifier() and word.text not in RESERVED:
        state.gathered.uses.setdefault(word.text, Use(word.text, source, is_file, {}, word.place,
                                                      words[1].place, state.folder))
        state.gathered.declared.setdefault(word.text, word.place)


def _identity(made: Use) -> tuple[object, ...]:
    overrides = sorted((name, written(argument.value)) for name, argument in made.overrides.items())
    is_path = made.is_file and "\0" not in made.source
    source = real_path(made.folder / made.source) if is_path else made.source
    return made.is_file, source, overrides


def render(state: FileState, line: Line) -> None:
    """`render name=value ...`."""
    gathered = state.gathered
    if len(line.words) < 2:
        raise wrong(line.end, f"render has no options; {', '.join(RENDER_NAMES)} are the options")
    for name, argument in read_all(line.words[1:], state).items():
        if name not in RENDER_NAMES:
            gathered.tell(argument.name_place, f"render has no option {quoted(name)}; {nearest(name, RENDER_NAMES)}")
            continue
        before = gathered.render.setdefault(name, argument)
        if written(before.value) != written(argument.value):
            where = before.name_place
            gathered.tell(argument.value_place, f"{name} is already {quoted(written(before.value))} ({where.file}:{where.line}); "
                                                "one value would be right")


def tuning(state: FileState, line: Line) -> None:
    """`tuning sa=PITCH just | edo N | shruti | scala "x.scl"`."""
    try:
        _tune(state, line)
    except ScoreError:
        state.gathered.mistuned = True
        raise


def _tune(state: FileState, line: Line) -> None:
    words = list(line.words[1:])
    if not words:
        raise wrong(line.end, "the tuning is missing; tuning sa=C#3 just")
    sa_hz = DEFAULT_TUNING.sa_hz
    if "=" in words[0].text and not words[0].text.startswith('"'):
        if words[0].text.endswith("=") and len(words) > 1 and words[1].text not in KINDS:
            raise wrong(words[0].after(words[0].text.index("=")), IN_ONE_PIECE)
        raw = pair(words.pop(0))
        if raw.name != "sa":
            raise wrong(raw.name_place, f"tuning has no {quoted(raw.name)}; expected sa=C#3")
        sa_hz = _sa(raw.text, raw.value_place)
    made, used = _scale(state, words, sa_hz, line.end) if words else (just_tuning(sa_hz), 0)
    if len(words) > used:
        extra = words[used]
        hint = "sa= comes before the scale" if extra.text.startswith("sa=") else "the scale ends the line"
        raise wrong(extra.place, f"{quoted(extra.text)} follows the scale; {hint}")
    gathered = state.gathered
    if gathered.tuning is not None and gathered.tuning != made and gathered.tuning_place is not None:
        where = gathered.tuning_place
        raise wrong(line.place, f"a second tuning, different from the first ({where.file}:{where.line}); expected one")
    if gathered.tuning is None:
        gathered.tuning, gathered.tuning_place = made, line.place


def _sa(text: str, place: Place) -> float:
    try:
        pitch = parse_pitch(text)
        if pitch.kind not in {"western", "hertz"}:
            raise ValueError(f"sa cannot be {quoted(text)}; expected a pitch that stands for itself: C#3 or 138.6Hz")
        return frequency(pitch, DEFAULT_TUNING, None)
    except ValueError as error:
        raise wrong(place, str(error)) from None


def _scale(state: FileState, words: list[Word], sa_hz: float, end: Place) -> tuple[Tuning, int]:
    kind = words[0].text
    if kind == "just":
        return just_tuning(sa_hz), 1
    if kind == "shruti":
        return shruti_tuning(sa_hz), 1
    if kind not in KINDS:
        raise wrong(words[0].place, f"{quoted(kind)} is not a tuning; {nearest(kind, KINDS)}")
    if len(words) < 2:
        raise wrong(end, "the number of steps is missing; edo 12" if kind == "edo" else 'the file is missing; scala "x.scl"')
    if kind == "edo":
        return edo_tuning(sa_hz, whole(values.number(words[1].text, words[1].place), words[1].place, LARGEST_EDO)), 2
    source = unquoted(words[1])
    if source is None:
        raise wrong(words[1].place, f"{quoted(words[1].text)} is not quoted; a file stands in quotes: scala \"x.scl\"")
    sources = state.gathered.sources
    return scala_tuning(source, sa_hz, file=state.name, folder=state.folder, place=words[1].place, sources=sources), 2


def whole(number: float, place: Place, largest: int) -> int:
    """A whole number from 1 to the largest that is possible.

    Errors: ScoreError at its place.
    """
    if not 1 <= number <= largest or number != int(number):
        raise wrong(place, f"{number:g} is not possible here; expected a whole number from 1 to {largest}")
    return int(number)


def tala(state: FileState, line: Line) -> None:
    """`tala NAME` or `tala 5+5+2`."""
    try:
        _measure(state, line)
    except ScoreError:
        state.gathered.mismeasured = True
        raise


def _measure(state: FileState, line: Line) -> None:
    words, gathered = line.words, state.gathered
    if len(words) < 2:
        raise wrong(line.end, "the tala is missing; tala tintal or tala 5+5+2")
    if len(words) > 2:
        raise wrong(words[2].place, f"{quoted(words[2].text)} follows the tala; tala 5+5+2 has no blanks")
    text = words[1].text
    if re.fullmatch(r"[1-9][0-9]{0,3}(?:\+[1-9][0-9]{0,3})*", text):
        matras = sum(int(part) for part in text.split("+"))
    elif text in TALAS:
        matras = TALAS[text]
    else:
        raise wrong(words[1].place, f"{quoted(text)} is not a tala; {nearest(text, TALAS)}, or write its groups: 5+5+2")
    if gathered.tala is not None and gathered.tala != matras and gathered.tala_place is not None:
        where = gathered.tala_place
        raise wrong(words[1].place, f"a second tala, different from the first ({where.file}:{where.line}); expected one")
    if gathered.tala is None:
        gathered.tala, gathered.tala_place = matras, line.place


def assigned(line: Line, sign: str) -> tuple[Word, list[tuple[str, Place]]]:
    """The path and the words after `sign` of a statement `KEYWORD PATH = VALUE`, where blanks may stand around the sign.

    Errors: ScoreError when the path or the sign is missing.
    """
    form = f"{line.words[0].text} PATH {sign} VALUE"
    if len(line.words) < 2:
        raise wrong(line.end, f"the path is missing; {form}")
    path, found, rest = line.words[1].text.partition(sign)
    following = [(word.text, word.place) for word in line.words[2:]]
    if found:
        after = [(rest, line.words[1].after(len(path) + 1))] if rest else []
        following = after + following
    elif not following:
        raise wrong(line.end, f"{quoted(sign)} is missing; {form}")
    elif following[0][0].startswith(sign):
        text, place = following[0]
        following = ([(text[1:], shifted(place, 1))] if text[1:] else []) + following[1:]
    else:
        raise wrong(following[0][1], f"{quoted(following[0][0])} where {quoted(sign)} stands; {form}")
    if not path:
        raise wrong(line.words[1].place, f"the path is missing; {form}")
    return Word(path, line.words[1].place), following


def path_of(word: Word) -> tuple[str, ...]:
    """The parts of a path to a parameter, at least two.

    Errors: ScoreError.
    """
    parts = target(word, stars="anywhere")
    if len(parts) < 2:
        raise wrong(word.place, f"{quoted(word.text)} is only an instrument; a path goes on to a parameter: {quoted(word.text + '.gain')}")
    return parts


def note_path(state: FileState, line: Line) -> None:
    """Keep the path of a line `KEYWORD PATH ...` whose value is wrong: its names are checked all
    the same."""
    if len(line.words) < 2:
        return
    word = line.words[1]
    try:
        parts = target(Word(re.split("[=~]", word.text)[0], word.place), stars="anywhere")
    except ScoreError:          # it is the path that is wrong
        return
    state.gathered.unread.append(UnreadPath(parts, word.place,
                                            shifted(word.place, len(parts[0]) + 1)))


def set_value(state: FileState, line: Line) -> None:
    """`set PATH = VALUE`."""
    path, rest = assigned(line, "=")
    parts = path_of(path)
    value = values.joined(rest, line.end)
    state.gathered.settings.append(Setting(parts, path.place, value, rest[0][1]))


def mix(state: FileState, line: Line) -> None:
    """`mix TARGET gain=dB pan=-1..1`."""
    words, gathered = line.words, state.gathered
    if len(words) < 2:
        raise wrong(line.end, "the target is missing; mix t gain=-3dB pan=0")
    parts = target(words[1], stars="anywhere")
    if len(words) < 3:
        raise wrong(line.end, "gain or pan is missing; mix t gain=-3dB pan=0")
    found = read_all(words[2:], state)
    for name, argument in found.items():
        if name not in MIX_NAMES:
            gathered.tell(argument.name_place, f"mix has no {quoted(name)}; {nearest(name, MIX_NAMES)}")
        else:
            _check_mix(state, name, argument)
    gathered.mixes.append(Mix(parts, words[1].place, found, line.place))


def _check_mix(state: FileState, name: str, argument: Argument) -> None:
    value, place = argument.value, argument.value_place
    if not isinstance(value, Quantity):
        state.gathered.tell(place, f"{name} is {quoted(written(value))}; expected a number")
        return
    try:
        amount = si_value(value, "dB" if name == "gain" else "")
    except ValueError as error:
        state.gathered.tell(place, f"{name}: {error}")
        return
    if name == "pan" and not -1 <= amount <= 1:
        state.gathered.tell(place, f"pan is {quoted(written(value))}; expected -1 (left) to 1 (right)")
