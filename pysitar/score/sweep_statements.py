"""What a batch varies: `sweep` and `draw`, parsed and checked as far as their text goes."""
from __future__ import annotations

import re

from pysitar.errors import Place, Problem, ScoreError, nearest, quoted
from pysitar.score import values
from pysitar.score.document import Score
from pysitar.score.elements import Draw, Sweep
from pysitar.score.event_rows import target
from pysitar.score.global_statements import assigned, instrument_source, path_of, whole
from pysitar.score.literals import UNITS, ListLiteral, Literal, Name, Quantity, Text
from pysitar.score.parse_state import FileState
from pysitar.score.tokens import Line, Word, pair, shifted, wrong

CALL = re.compile(r"(?P<name>[A-Za-z_]*)\((?P<inside>[^()]*)\)")
SOURCES = re.compile(r'\((?P<inside>(?:[^()"]|"[^"]*")*)\)')          # a file's name in quotes may have blanks and parentheses
SOURCE = re.compile(r'(?:[^ \t"]|"[^"]*")+')
SWEEPS = ("linear", "log")
DRAWS = ("uniform", "loguniform")
LARGEST_COUNT = 10**9          # of one line; how many sounds a batch may have is its own limit


def sweep(state: FileState, line: Line) -> None:
    """`sweep PATH = linear(a, b, n)`, `log(a, b, n)` or a list `(a b c)`; `sweep NAME = (a "b.toml")`, of instruments."""
    path, rest = assigned(line, "=")
    if "." not in path.text and path.text != "*":
        _instruments(state, path, _only(rest, line, f"sweep {path.text} = (glass wood_bar)"))
        return
    parts = path_of(path)
    text, place = _only(rest, line, "sweep PATH = linear(0.1, 0.4, 4)")
    if text.startswith("("):
        found = values.value(text, place, blanks=True)
        if not isinstance(found, ListLiteral):
            raise wrong(place, "a curve cannot be swept; expected a list (0.1 0.2) or linear(0.1, 0.4, 4)")
        state.gathered.sweeps.append(Sweep(parts, path.place, "list", found.items, len(found.items), place))
        return
    name, inside = _call(text, place, SWEEPS)
    if len(inside) != 3:
        raise wrong(place, f"{name} has {len(inside)} values; expected from, to and how many: {name}(0.1, 0.4, 4)")
    low, high = (_quantity(*item) for item in inside[:2])
    _same_sign(name == "log", low, high)
    count = whole(values.number(*inside[2]), inside[2][1], LARGEST_COUNT)
    ends: tuple[Literal, ...] = (low, high)
    state.gathered.sweeps.append(Sweep(parts, path.place, name, ends, count, place))


def _instruments(state: FileState, name: Word, values_word: tuple[str, Place]) -> None:
    """A list of instruments that take turns under one name; each that is wrong is told."""
    parts = target(name, stars="string")
    text, place = values_word
    if not text.startswith("("):
        raise wrong(place, f"{quoted(name.text)} is an instrument; a list of others, (glass wood_bar), or a path that goes on to a "
                           f"parameter, {quoted(name.text + '.gain')}, would be right")
    group = SOURCES.fullmatch(text)
    if group is None:
        raise wrong(place, f"something follows the closing parenthesis; expected sweep {name.text} = (glass wood_bar)")
    if not group["inside"].strip():
        raise wrong(place, "empty parentheses; expected names of instruments")
    found: list[Literal] = []
    for match in SOURCE.finditer(group["inside"]):
        word = Word(match[0], shifted(place, 1 + match.start()))
        try:
            source, is_file = instrument_source(word)
        except ScoreError as error:
            state.gathered.problems.extend(error.problems)
        else:
            found.append((Text if is_file else Name)(source, word.place))
    if found:
        state.gathered.sweeps.append(Sweep(parts, name.place, "list", tuple(found), len(found), place, state.folder))


def draw(state: FileState, line: Line) -> None:
    """`draw PATH ~ uniform(a, b) n=N` or `loguniform(a, b) n=N`."""
    gathered = state.gathered
    path, rest = assigned(line, "~")
    parts = path_of(path)
    text, place = _only(rest[:1], line, "draw PATH ~ uniform(0.1, 0.4) n=10")
    name, inside = _call(text, place, DRAWS)
    if len(inside) != 2:
        raise wrong(place, f"{name} has {len(inside)} values; expected its two ends: {name}(0.1, 0.4)")
    low, high = (_quantity(*item) for item in inside)
    _same_sign(name == "loguniform", low, high)
    if low.unit == high.unit and low.value >= high.value:
        raise wrong(high.place, "the upper end is not above the lower one; the lower stands first")
    if len(rest) < 2:
        raise wrong(line.end, "how many is missing; expected n=100")
    given = pair(line.words[-1])
    if given.name != "n" or len(rest) > 2:
        raise wrong(rest[1][1], f"{quoted(rest[1][0])} where only the count stands; expected n=100")
    count = whole(values.number(given.text, given.value_place), given.value_place, LARGEST_COUNT)
    if gathered.draws and gathered.draws[0].count != count:
        before = gathered.draws[0].count
        raise wrong(given.value_place, f"n is {count}, and {before} in the first draw; every draw has the same n")
    gathered.draws.append(Draw(parts, path.place, name, low, high, count, place))


def _only(rest: list[tuple[str, Place]], line: Line, form: str) -> tuple[str, Place]:
    if not rest:
        raise wrong(line.end, f"the values are missing; {form}")
    if len(rest) > 1:
        raise wrong(rest[1][1], f"{quoted(rest[1][0])} follows the values; {form}")
    return rest[0]


def _call(text: str, place: Place, known: tuple[str, ...]) -> tuple[str, list[tuple[str, Place]]]:
    """The name and the comma-separated values of `name(a, b)`, each value with its place."""
    match = CALL.fullmatch(text)
    if not match:
        raise wrong(place, f"{quoted(text)} is not a range; expected {known[0]}(...) or {known[1]}(...)")
    if match["name"] not in known:
        raise wrong(place, f"{quoted(match['name'])} is not a range; {nearest(match['name'], known)}")
    found = []
    offset = match.start("inside")
    for piece in match["inside"].split(","):
        where = shifted(place, offset + len(piece) - len(piece.lstrip(" \t")))
        offset += len(piece) + 1
        words = piece.split()
        if not words:
            raise wrong(where, "a value is missing here; values are parted by one comma")
        if len(words) > 2 or (len(words) == 2 and words[1] not in UNITS):
            raise wrong(where, f"{quoted(piece.strip())} is not one value; values are parted by commas")
        found.append(("".join(words), where))
    return match["name"], found


def _quantity(text: str, place: Place) -> Quantity:
    found = values.value(text, place)
    if not isinstance(found, Quantity):
        raise wrong(place, f"{quoted(text)} is not a number; an end of a range is a number with its unit")
    return found


def _same_sign(logarithmic: bool, low: Quantity, high: Quantity) -> None:
    if logarithmic and low.value * high.value <= 0:
        raise wrong(low.place, "a logarithmic range from or through 0; expected both ends of one sign")


def many_sounds(score: Score) -> list[Problem]:
    """Report what makes many sounds of one score."""
    lines = [("sweep", sweep.path_place) for sweep in score.sweeps] + [("draw", draw.path_place)
                                                                       for draw in score.draws]
    return [Problem(place,
                    f"a {word} makes many sounds: pysitar batch makes them; one value would be "
                    f"right here") for word, place in lines]
