"""The statement `let`: a name for a value, drawn by chance or written."""
from __future__ import annotations

import re

from pysitar.errors import Place, ScoreError, quoted, suggest_name
from pysitar.score import values
from pysitar.score.chance import DISTRIBUTIONS, LISTS, Distribution
from pysitar.score.event_rows import split_arguments
from pysitar.score.expressions import UNKNOWN, Amount, Value
from pysitar.score.global_statements import check_name, split_assignment
from pysitar.score.literals import Quantity
from pysitar.score.parse_state import FileState
from pysitar.score.tokens import Line, Word, score_error, shift_place

CALL = re.compile(r"(?P<name>\w*)\((?P<inside>[^()]*)\)")
PIECE = re.compile(r"[^,]+")
ITEM = re.compile(r"[^ \t,]+")
FORMS = {"uniform": "uniform(0, 30)", "loguniform": "loguniform(0.1, 2)",
         "normal": "normal(0.5, 0.1)", "exponential": "exponential(0.3)",
         "choice": "choice(sa ga pa)", "cycle": "cycle(Am7 D7 G)",
         "markov": "markov(sa re ga re)"}
MAX_ITEMS = 10_000


def read_let(state: FileState, line: Line) -> None:
    """`let NAME = VALUE` or `let NAME ~ DISTRIBUTION(...) min= max=`."""
    draft = state.draft
    whole = " ".join(word.text for word in line.words[1:3])
    drawn = "~" in whole.split("=")[0]
    name_word, rest = split_assignment(line, "~" if drawn else "=")
    name = check_name(name_word, "value")
    if name in state.names:
        raise score_error(name_word.place,
                          f"{quoted(name)} is already a value here; expected another name")
    if not rest:
        right = "uniform(0, 30)" if drawn else "0.5N"
        raise score_error(line.end, f"the value is missing; expected let {quoted(name)} "
                                    f"{'~' if drawn else '='} {right}")
    state.names[name] = UNKNOWN
    if drawn:
        distribution = _read_distribution(state, rest)
        state.names[name] = draft.chance.draw(name, distribution,
                                              (state.name, line.place.line))
        return
    if len(rest) > 1:
        raise score_error(rest[1][1], f"{quoted(rest[1][0])} follows the value; expected one value")
    state.names[name] = _parse_item(*rest[0])


def _parse_item(text: str, place: Place) -> Value:
    """Return a value: a number with its unit, or another word."""
    if values.STARTS_NUMBER.match(text):
        try:
            found = values.parse_simple(text, place)
        except ScoreError:          # a fraction, or another word that begins with a digit
            return text
        if isinstance(found, Quantity):
            return Amount(found.value, found.unit)
    return text


def _read_distribution(state: FileState, rest: list[tuple[str, Place]]) -> Distribution:
    """Return a distribution with its limits."""
    text, place = rest[0]
    match = CALL.fullmatch(text)
    if match is None:
        raise score_error(place, f"{quoted(text)} is not a distribution; expected "
                                 f"{FORMS['uniform']} or {FORMS['choice']}")
    name = match["name"]
    if name not in DISTRIBUTIONS:
        raise score_error(place, f"{quoted(name)} is not a distribution; "
                                 f"{suggest_name(name, DISTRIBUTIONS)}")
    limits = _read_limits(state, name, rest[1:])
    inside = shift_place(place, match.start("inside"))
    if name in LISTS:
        return _make_list(name, match["inside"], inside)
    pieces = [(piece[0], shift_place(inside, piece.start()))
              for piece in PIECE.finditer(match["inside"])] if match["inside"].strip() else []
    count = 1 if name == "exponential" else 2
    if len(pieces) != count or match["inside"].count(",") != count - 1:
        raise score_error(
            place, f"{name} has {len(pieces)} values; expected {count}: {FORMS[name]}")
    numbers = [_parse_quantity(piece, where) for piece, where in pieces]
    for number in (*numbers[1:], *limits.values()):
        if number.unit != numbers[0].unit:
            raise score_error(number.place,
                              f"one value is in {numbers[0].unit or 'no unit'}, and this one in "
                              f"{number.unit or 'no unit'}; expected one unit")
    _check_numbers(name, numbers, limits)
    low, high = (limits[limit].value if limit in limits else None for limit in ("min", "max"))
    return Distribution(name, tuple(number.value for number in numbers), numbers[0].unit, low, high)


def _make_list(name: str, inside: str, place: Place) -> Distribution:
    items = tuple(_parse_item(item[0], shift_place(place, item.start()))
                  for item in ITEM.finditer(inside))
    if not 1 <= len(items) <= MAX_ITEMS:
        raise score_error(place, f"{name} has {len(items)} items; expected 1 to {MAX_ITEMS}: "
                                 f"{FORMS[name]}")
    return Distribution(name, items=items)


def _parse_quantity(text: str, place: Place) -> Quantity:
    """Return a number with its unit, with or without a blank between."""
    words = text.split()
    if not words:
        raise score_error(place, "a value is missing; expected one comma between values")
    where = shift_place(place, len(text) - len(text.lstrip(" \t")))
    found = values.parse_simple("".join(words), where) if len(words) < 3 else None
    if not isinstance(found, Quantity):
        raise score_error(where, f"{quoted(text.strip())} is not a number; expected numbers with "
                                 "their units, and commas between")
    return found


def _read_limits(state: FileState, name: str,
                 rest: list[tuple[str, Place]]) -> dict[str, Quantity]:
    """Return the limits of a distribution, `min=` and `max=`."""
    limits: dict[str, Quantity] = {}
    for raw in split_arguments([Word(*word) for word in rest], state.draft.problems):
        if raw.name not in {"min", "max"}:
            raise score_error(raw.name_place,
                              f"let has no {quoted(raw.name)}; expected min= or max=")
        if name not in {"normal", "exponential"}:
            raise score_error(raw.name_place, f"{name} has its limits already; expected no "
                                              f"{raw.name}")
        limits[raw.name] = _parse_quantity(raw.text, raw.value_place)
    return limits


def _check_numbers(name: str, numbers: list[Quantity], limits: dict[str, Quantity]) -> None:
    """Check the parameters and limits of a distribution of numbers.  Errors: ScoreError."""
    first, last = numbers[0], numbers[-1]
    if name in {"uniform", "loguniform"} and first.value >= last.value:
        raise score_error(last.place,
                          "the upper end is not above the lower one; expected the lower end first")
    if name == "loguniform" and first.value * last.value <= 0:
        raise score_error(first.place, "a logarithmic range includes 0; expected both ends above "
                                       "0, or both below")
    if name in {"normal", "exponential"} and last.value <= 0:
        what = "deviation" if name == "normal" else "mean"
        raise score_error(last.place, f"the {what} is {last.value:g}; expected more than 0")
    if name == "exponential" and "min" in limits and limits["min"].value < 0:
        raise score_error(limits["min"].place, "no value of exponential is below 0; expected min=0 "
                                               "or more")
    if "max" in limits:
        low = limits["min"].value if "min" in limits else (
            0.0 if name == "exponential" else -1e308)
        if limits["max"].value <= low:
            raise score_error(limits["max"].place, "max is not above the lower limit; expected a "
                                                   "larger one")
