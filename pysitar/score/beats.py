"""Beats: numbers of them as floats or, where a score has fractions such as 1/3, exact."""
from __future__ import annotations

import re
from fractions import Fraction
from typing import TypeAlias

from pysitar.errors import Place, quoted
from pysitar.score.tokens import score_error

Beats: TypeAlias = float | Fraction
FRACTION = re.compile(r"(?:([0-9]+)\+)?([0-9]+)/([0-9]+)")
MAX_DIGITS = 9
# the denominator up to which sums stay exact: beyond it their digits would grow without bound
MAX_DENOMINATOR = 10**15


def is_fraction(text: str) -> bool:
    """Return whether a text without its sign has the form of a fraction, right or wrong."""
    return "/" in text and text[:1].isdigit() and not text.endswith("/s")


def parse_fraction(text: str, place: Place) -> Fraction:
    """Return a number of beats such as 1/3, or 2+1/3.

    Errors: ScoreError at its place.
    """
    match = FRACTION.fullmatch(text)
    if match is None:
        raise score_error(
            place, f"{quoted(text)} is not a fraction of beats; expected whole numbers: 1/3 or "
                   "2+1/3")
    if max(len(part) for part in match.groups("")) > MAX_DIGITS:
        raise score_error(
            place, f"{quoted(text)} has too long a number; expected at most {MAX_DIGITS} digits")
    whole, over, under = (int(part) for part in match.groups("0"))
    if under == 0:
        raise score_error(place, f"{quoted(text)} divides by 0; expected a number from 1 after /")
    return whole + Fraction(over, under)


def add_beats(first: Beats, second: Beats) -> Beats:
    """Return a sum of beats: exact if one of them is a fraction."""
    if type(first) is float and type(second) is float:          # nearly always
        return first + second
    total = Fraction(first) + Fraction(second)
    if total.denominator <= MAX_DENOMINATOR:
        return total
    return float(first) + float(second)
