"""Expressions in braces, {2 * i + x}: parsed once, computed with the values of their names."""
from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from pysitar.errors import quoted, suggest_name
from pysitar.physics.units import UNITS
from pysitar.score.literals import number_text
from pysitar.score.tokens import Word, score_error, shift_place

NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
TOKEN = re.compile(rf"[ \t]*(?:(?P<number>{NUMBER})(?P<unit>(?:{UNIT})(?!\w))?"
                   r"|(?P<name>[^\W\d][^ \t+\-*/()]*)|(?P<sign>[-+*/()])|(?P<end>$)|(?P<other>.))")
BRACES = re.compile(r'"[^"]*"|\{([^{}]*)\}')           # or a quoted text, which stays as it is
MAX_DEPTH = 32
FORM = "expected numbers, names, + - * / and parentheses: {2 * i + 1}"


class Amount(NamedTuple):
    """A number with its unit (None: bare)."""

    value: float
    unit: str | None = None


Value: TypeAlias = Amount | str          # of a name: a number, or any other word of a score


UNKNOWN = ""                    # the value of a name whose `let` has an error


class UnknownValueError(Exception):
    """An expression has a name whose value is unknown, which is reported where it is set."""


class ExpressionError(Exception):
    """An expression is wrong: its message, and the offset (characters) of the wrong part."""

    def __init__(self, offset: int, message: str) -> None:
        self.offset, self.message = offset, message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in an expression."""

    name: str
    offset: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Terms joined by + and -, or factors joined by * and /: (sign, node, offset) of each."""

    items: tuple[tuple[str, Node, int], ...]


Node: TypeAlias = Amount | Reference | Chain


def substitute(word: Word, names: Mapping[str, Value]) -> Word:
    """Return a word with its expressions in braces replaced by their values, outside quotes.

    Errors: ScoreError at the wrong part.
    """
    parts: list[str] = []
    done = 0
    for match in BRACES.finditer(word.text):
        if match[1] is None:
            continue
        try:
            found = evaluate(compile_expression(match[1]), names)
        except ExpressionError as error:
            raise score_error(shift_place(word.place, match.start(1) + error.offset),
                              error.message) from None
        parts += [word.text[done:match.start()], value_text(found)]
        done = match.end()
    return Word("".join([*parts, word.text[done:]]), word.place)


def value_text(value: Value) -> str:
    """Return a value in the form of a score."""
    return value if isinstance(value, str) else number_text(value.value) + (value.unit or "")


@lru_cache(4096)
def compile_expression(text: str) -> Node:
    """Return the tree of an expression.  Errors: ExpressionError."""
    reader = _Reader(text)
    node = reader.read_sum(0)
    if reader.kind != "end":
        raise ExpressionError(reader.offset, f"{quoted(reader.token)} does not continue the "
                                             f"expression; {FORM}")
    return node


class _Reader:
    """The tokens of an expression, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.advance()

    def advance(self) -> None:
        """Read the next token."""
        match = TOKEN.match(self.text, self.at)
        assert match is not None          # every text has a next token
        self.kind = match.lastgroup if match.lastgroup != "unit" else "number"
        self.match, self.at = match, match.end()
        self.offset = match.start(self.kind or 0)
        self.token = match[self.kind or 0] + (match["unit"] or "")

    def read_sum(self, depth: int) -> Node:
        """Return terms joined by + and -."""
        return self._read_chain(depth, "+-")

    def _read_chain(self, depth: int, signs: str) -> Node:
        items = [("", self._read_part(depth, signs), self.offset)]
        while self.kind == "sign" and self.token in signs:
            sign, offset = self.token, self.offset
            self.advance()
            items.append((sign, self._read_part(depth, signs), offset))
        return items[0][1] if len(items) == 1 else Chain(tuple(items))

    def _read_part(self, depth: int, signs: str) -> Node:
        return self._read_chain(depth, "*/") if signs == "+-" else self._read_factor(depth)

    def _read_factor(self, depth: int) -> Node:
        negative, offset = False, self.offset
        while self.kind == "sign" and self.token in "+-":
            negative ^= self.token == "-"
            self.advance()
        node = self._read_atom(depth)
        zero = Amount(-1.0)
        return Chain((("", zero, offset), ("*", node, offset))) if negative else node

    def _read_atom(self, depth: int) -> Node:
        match, offset = self.match, self.offset
        if self.kind == "number":
            self.advance()
            if not math.isfinite(float(match["number"])):
                raise ExpressionError(offset, f"{quoted(match['number'])} is too large; expected a "
                                              "number under 1.8e308")
            return Amount(float(match["number"]), match["unit"])
        if self.kind == "name":
            self.advance()
            if not match["name"].isidentifier():
                raise ExpressionError(offset, f"{quoted(match['name'])} is not a name; {FORM}")
            return Reference(match["name"], offset)
        if self.token == "(" and self.kind == "sign":
            if depth == MAX_DEPTH:
                raise ExpressionError(offset, f"parentheses nest deeper than {MAX_DEPTH} levels; "
                                              "expected fewer")
            self.advance()
            node = self.read_sum(depth + 1)
            if self.token != ")":
                raise ExpressionError(offset, "this parenthesis is not closed; expected ) before }")
            self.advance()
            return node
        if self.kind == "end":
            raise ExpressionError(offset, f"a value is missing; {FORM}")
        raise ExpressionError(offset, f"{quoted(self.token)} is in the place of a value; {FORM}")


def evaluate(node: Node, names: Mapping[str, Value]) -> Value:
    """Return the value of an expression.  Errors: ExpressionError."""
    if isinstance(node, Amount):
        return node
    if isinstance(node, Reference):
        if node.name not in names:
            right = suggest_name(node.name, names) if names else "expected let NAME = ... above"
            raise ExpressionError(node.offset, f"no value is named {quoted(node.name)}; {right}")
        if names[node.name] == UNKNOWN:
            raise UnknownValueError
        return names[node.name]
    total = Amount(0.0)
    for sign, part, offset in node.items:
        value = evaluate(part, names)
        if isinstance(value, str):
            raise ExpressionError(offset, f"{quoted(value)} is not a number; expected it alone in "
                                          "its braces")
        total = _combine(total, sign, value, offset)
    return total


def _combine(left: Amount, sign: str, right: Amount, offset: int) -> Amount:
    """Return the result of one operation.  Errors: ExpressionError."""
    value, unit = right.value, right.unit
    if sign in {"+", "-", "/"} and left.unit and unit and UNITS[left.unit][0] == UNITS[unit][0]:
        (_, factor, divisor), (_, other_factor, other_divisor) = UNITS[unit], UNITS[left.unit]
        if unit != left.unit:
            value = value * factor / divisor * other_divisor / other_factor
        unit = left.unit
    if sign in {"+", "-"}:
        if left.unit != unit:
            shown = [quoted(one or "no unit") for one in (left.unit, unit)]
            raise ExpressionError(offset, f"{shown[0]} and {shown[1]} do not add; expected the "
                                          "same kind of unit on both sides")
        value = left.value + (value if sign == "+" else -value)
    elif sign == "*":
        if left.unit and unit:
            raise ExpressionError(offset, f"{left.unit} times {unit} is no unit of a score; "
                                          "expected a bare number on one side")
        value, unit = left.value * value, left.unit or unit
    elif sign == "/":
        if value == 0.0:
            raise ExpressionError(offset, "a division by 0; expected another divisor")
        if unit not in {None, left.unit}:
            raise ExpressionError(offset, f"{left.unit or 'a number'} by {unit} is no unit of a "
                                          "score; expected the same unit, or a bare number")
        value, unit = left.value / value, None if unit else left.unit
    if not math.isfinite(value):
        raise ExpressionError(offset, "the result is not a finite number; expected less than "
                                      "1.8e308")
    return Amount(value, unit)
