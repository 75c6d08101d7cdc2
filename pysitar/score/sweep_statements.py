"""The statements of a batch, `sweep` and `draw`; the checks need only their text."""
from __future__ import annotations

import re

from pysitar.errors import Place, ScoreError, quoted, suggest_name
from pysitar.physics.units import UNITS
from pysitar.score import values
from pysitar.score.elements import Draw, Sweep
from pysitar.score.event_rows import parse_target
from pysitar.score.global_statements import (
    instrument_source,
    parse_path,
    split_assignment,
    whole_number,
)
from pysitar.score.literals import ListLiteral, Literal, Name, Quantity, Text
from pysitar.score.parse_state import FileState
from pysitar.score.tokens import Line, Word, parse_pair, score_error, shift_place

CALL = re.compile(r"(?P<name>[A-Za-z_]*)\((?P<inside>[^()]*)\)")
# a file name in quotes may have blanks and parentheses
SOURCE_LIST = re.compile(r'\((?P<inside>(?:[^()"]|"[^"]*")*)\)')
SOURCE = re.compile(r'(?:[^ \t"]|"[^"]*")+')
SWEEPS = ("linear", "log")
DRAWS = ("uniform", "loguniform")
MAX_COUNT = 10**9          # of one line; the batch has its own limit of sounds


def read_sweep(state: FileState, line: Line) -> None:
    """`sweep PATH = linear(a, b, n)`, `log(a, b, n)` or a list `(a b c)`; `sweep NAME = (a
    "b.toml")`, of instruments."""
    path, rest = split_assignment(line, "=")
    if "." not in path.text and path.text != "*":
        _read_instruments(state, path,
                          _single_value(rest, line, f"sweep {path.text} = (glass wood_bar)"))
        return
    parts = parse_path(path)
    text, place = _single_value(rest, line, "sweep PATH = linear(0.1, 0.4, 4)")
    if text.startswith("("):
        found = values.parse_value(text, place, blanks=True)
        if not isinstance(found, ListLiteral):
            raise score_error(
                place, "a curve cannot be swept; expected a list (0.1 0.2) or linear(0.1, 0.4, 4)")
        state.draft.sweeps.append(
            Sweep(parts, path.place, "list", found.items, len(found.items), place))
        return
    name, inside = _parse_range(text, place, SWEEPS)
    if len(inside) != 3:
        raise score_error(
            place,
            f"{name} has {len(inside)} values; expected start, end and count: {name}(0.1, 0.4, 4)")
    low, high = (_parse_quantity(*item) for item in inside[:2])
    _check_signs(name == "log", low, high)
    count = whole_number(values.parse_number(*inside[2]), inside[2][1], MAX_COUNT)
    ends: tuple[Literal, ...] = (low, high)
    state.draft.sweeps.append(Sweep(parts, path.place, name, ends, count, place))


def _read_instruments(state: FileState, name: Word, values_word: tuple[str, Place]) -> None:
    """Read a list of instruments for one name; each invalid one is reported."""
    parts = parse_target(name, stars="string")
    text, place = values_word
    if not text.startswith("("):
        raise score_error(
            place, f"{quoted(name.text)} is an instrument; expected a list of instruments, "
            f"(glass wood_bar), or the path of a parameter, {quoted(name.text + '.gain')}")
    group = SOURCE_LIST.fullmatch(text)
    if group is None:
        raise score_error(
            place,
            f"text follows the closing parenthesis; expected sweep {name.text} = (glass wood_bar)")
    if not group["inside"].strip():
        raise score_error(place, "empty parentheses; expected names of instruments")
    found: list[Literal] = []
    for match in SOURCE.finditer(group["inside"]):
        word = Word(match[0], shift_place(place, 1 + match.start()))
        try:
            source, is_file = instrument_source(word)
        except ScoreError as error:
            state.draft.problems.extend(error.problems)
        else:
            found.append((Text if is_file else Name)(source, word.place))
    if found:
        state.draft.sweeps.append(
            Sweep(parts, name.place, "list", tuple(found), len(found), place, state.folder))


def read_draw(state: FileState, line: Line) -> None:
    """`draw PATH ~ uniform(a, b) n=N` or `loguniform(a, b) n=N`."""
    draft = state.draft
    path, rest = split_assignment(line, "~")
    parts = parse_path(path)
    text, place = _single_value(rest[:1], line, "draw PATH ~ uniform(0.1, 0.4) n=10")
    name, inside = _parse_range(text, place, DRAWS)
    if len(inside) != 2:
        raise score_error(
            place, f"{name} has {len(inside)} values; expected the two ends: {name}(0.1, 0.4)")
    low, high = (_parse_quantity(*item) for item in inside)
    _check_signs(name == "loguniform", low, high)
    if low.unit == high.unit and low.value >= high.value:
        raise score_error(high.place,
                          "the upper end is not above the lower one; expected the lower end first")
    if len(rest) < 2:
        raise score_error(line.end, "the count is missing; expected n=100")
    argument = parse_pair(line.words[-1])
    if argument.name != "n" or len(rest) > 2:
        raise score_error(rest[1][1],
                          f"{quoted(rest[1][0])} is in the place of the count; expected n=100")
    count = whole_number(values.parse_number(argument.text, argument.value_place),
                         argument.value_place, MAX_COUNT)
    if draft.draws and draft.draws[0].count != count:
        before = draft.draws[0].count
        raise score_error(
            argument.value_place,
            f"n is {count}, and {before} in the first draw; expected the same n in every draw")
    draft.draws.append(Draw(parts, path.place, name, low, high, count, place))


def _single_value(rest: list[tuple[str, Place]], line: Line, form: str) -> tuple[str, Place]:
    if not rest:
        raise score_error(line.end, f"the values are missing; expected {form}")
    if len(rest) > 1:
        texts = [text for text, _ in rest]
        if not any("(" in text for text in texts):
            form = f"a list in parentheses, ({' '.join(texts)})"
        raise score_error(rest[1][1], f"{quoted(rest[1][0])} follows the values; expected {form}")
    return rest[0]


def _parse_range(text: str, place: Place, known: tuple[str,
                                                       ...]) -> tuple[str, list[tuple[str, Place]]]:
    """Return the name and the comma-separated values of `name(a, b)`, each value with its place."""
    match = CALL.fullmatch(text)
    if not match:
        raise score_error(
            place, f"{quoted(text)} is not a range; expected {known[0]}(...) or {known[1]}(...)")
    if match["name"] not in known:
        raise score_error(
            place, f"{quoted(match['name'])} is not a range; {suggest_name(match['name'], known)}")
    found = []
    offset = match.start("inside")
    for piece in match["inside"].split(","):
        where = shift_place(place, offset + len(piece) - len(piece.lstrip(" \t")))
        offset += len(piece) + 1
        words = piece.split()
        if not words:
            raise score_error(where, "a value is missing; expected one comma between values")
        if len(words) > 2 or (len(words) == 2 and words[1] not in UNITS):
            raise score_error(
                where, f"{quoted(piece.strip())} is not one value; expected commas between values")
        found.append(("".join(words), where))
    return match["name"], found


def _parse_quantity(text: str, place: Place) -> Quantity:
    found = values.parse_value(text, place)
    if not isinstance(found, Quantity):
        raise score_error(place, f"{quoted(text)} is not a number; expected a number with its unit")
    return found


def _check_signs(logarithmic: bool, low: Quantity, high: Quantity) -> None:
    if logarithmic and low.value * high.value <= 0:
        raise score_error(
            low.place, "a logarithmic range includes 0; expected both ends above 0, or both below")
