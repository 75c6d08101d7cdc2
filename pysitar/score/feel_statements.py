"""The statements of feel: swing, accent and humanise, each of a section or of the rows outside."""
from __future__ import annotations

from dataclasses import replace

from pysitar.errors import Place, ScoreError, quoted, suggest_name
from pysitar.score import values
from pysitar.score.event_rows import split_arguments
from pysitar.score.feel import Accents, Humanise, Swing
from pysitar.score.literals import Quantity, si_value
from pysitar.score.parse_state import FileState
from pysitar.score.tempo import is_fraction, parse_fraction
from pysitar.score.tokens import Line, RawArgument, Word, score_error
from pysitar.score.vocabulary import HUMANISE_NAMES

LEAST_SWING, MOST_SWING = 0.1, 0.9
LEAST_ACCENT, MOST_ACCENT = 0.001, 10.0
LONGEST_UNIT = 1000.0           # beats
MAX_ACCENTS = 1000
LARGEST_SEED = 2**53 - 1
# of humanise: the unit of a value, its limit, and the limit as written
LIMITS = {"time": ("s", 0.1, "100ms"), "force": ("", 0.25, "25%"), "pitch": ("c", 100.0, "100c")}


def read_swing(state: FileState, line: Line) -> None:
    """`swing 60%` or `swing 60% 1/2`."""
    words = line.words[1:]
    form = "expected swing 60%, or for pairs of half a beat swing 60% 1/2"
    if not words:
        raise score_error(line.end, f"the swing is missing; {form}")
    if len(words) > 2:
        raise score_error(words[2].place, f"{quoted(words[2].text)} follows the swing; {form}")
    ratio = _parse_share(words[0], "swing")
    if not LEAST_SWING <= ratio <= MOST_SWING:
        raise score_error(words[0].place,
                          f"swing is {quoted(words[0].text)}; expected 10% to 90%, the part of a "
                          "pair of notes that the first takes (50%: straight)")
    pair = _parse_unit(words[1].text, words[1].place) if len(words) > 1 else 1.0
    feel = replace(state.current.feel, swing=Swing(ratio, pair))
    state.current.set_feel("swing", feel, line.place)


def read_accent(state: FileState, line: Line) -> None:
    """`accent 1 0.6 0.8 0.6` or `accent 1 0.6 every=1/2`."""
    words = line.words[1:]
    factors = []
    while words and "=" not in words[0].text:
        factor = _parse_share(words[0], "accent")
        if not LEAST_ACCENT <= factor <= MOST_ACCENT:
            raise score_error(words[0].place,
                              f"accent is {quoted(words[0].text)}; expected a factor from "
                              f"{LEAST_ACCENT:g} to {MOST_ACCENT:g}, or in %")
        factors.append(factor)
        words = words[1:]
    if not factors:
        raise score_error(words[0].place if words else line.end,
                          "the pattern is missing; expected factors, one a beat: accent 1 0.6 0.8")
    if len(factors) > MAX_ACCENTS:
        raise score_error(line.place, f"the pattern has {len(factors)} accents; expected at most "
                                      f"{MAX_ACCENTS}")
    unit = 1.0
    for raw in split_arguments(words, state.draft.problems):
        if raw.name != "every":
            raise score_error(raw.name_place, f"accent has no {quoted(raw.name)}; expected every=")
        unit = _parse_unit(raw.text, raw.value_place)
    feel = replace(state.current.feel, accents=Accents(tuple(factors), unit))
    state.current.set_feel("accent", feel, line.place)


def read_humanise(state: FileState, line: Line) -> None:
    """`humanise time=8ms force=10% pitch=3c seed=7`."""
    draft = state.draft
    if len(line.words) < 2:
        raise score_error(line.end, "the values are missing; expected humanise time=8ms force=10%")
    before = len(draft.problems)
    found: dict[str, float] = {}
    seed: int | None = None
    for raw in split_arguments(line.words[1:], draft.problems):
        try:
            if raw.name == "seed":
                seed = _parse_seed(raw)
            elif raw.name in LIMITS:
                found[raw.name] = _parse_variation(raw)
            else:
                raise score_error(raw.name_place, f"humanise has no {quoted(raw.name)}; "
                                                  f"{suggest_name(raw.name, HUMANISE_NAMES)}")
        except ScoreError as error:
            draft.problems.extend(error.problems)
    if len(draft.problems) > before:
        return
    if not found:
        raise score_error(line.end, "nothing varies; expected humanise time=8ms force=10% pitch=3c")
    feel = replace(state.current.feel, humanise=Humanise(**found, seed=seed))
    state.current.set_feel("humanise", feel, line.place)


def _parse_variation(raw: RawArgument) -> float:
    unit, most, limit = LIMITS[raw.name]
    found = values.parse_value(raw.text, raw.value_place)
    if not isinstance(found, Quantity):
        raise score_error(raw.value_place,
                          f"{raw.name} is {quoted(raw.text)}; expected 0 to {limit}")
    try:
        value = si_value(found, unit)
    except ValueError as error:
        raise score_error(raw.value_place, f"{raw.name}: {error}") from None
    if not 0.0 <= value <= most:
        raise score_error(raw.value_place,
                          f"{raw.name} is {quoted(raw.text)}; expected 0 to {limit}")
    return value


def _parse_seed(raw: RawArgument) -> int:
    number = values.parse_number(raw.text, raw.value_place)
    if not 0 <= number <= LARGEST_SEED or number != int(number):
        raise score_error(raw.value_place, f"seed is {quoted(raw.text)}; expected a whole number "
                                           f"from 0 to {LARGEST_SEED}")
    return int(number)


def _parse_share(word: Word, what: str) -> float:
    """Return a plain number, or one in %."""
    found = values.parse_value(word.text, word.place)
    if not isinstance(found, Quantity):
        raise score_error(word.place,
                          f"{quoted(word.text)} is not a number; expected {what} in %: 60%")
    try:
        return si_value(found, "")
    except ValueError as error:
        raise score_error(word.place, f"{what}: {error}") from None


def _parse_unit(text: str, place: Place) -> float:
    """Return a length in beats."""
    beats = float(parse_fraction(text, place)) if is_fraction(text) else values.parse_number(
        text, place)
    if not 0.001 <= beats <= LONGEST_UNIT:
        raise score_error(place, f"the length is {quoted(text)}; expected beats from 0.001 to "
                                 f"{LONGEST_UNIT:g}")
    return beats
