"""Split the text of a score into lines and words with their places."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pysitar.errors import Place, Problem, ScoreError, quoted

INVALID_CHARACTER = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
    r"\ud800-\udfff]")
BOM = "\ufeff"
IN_ONE_PIECE = "blanks around '='; expected name=value in one piece"
# takes a third of the time of Word(...); most objects of a score are made so
NEW_TUPLE = tuple.__new__


class Word(NamedTuple):
    """A run of characters without blanks outside quotes and parentheses."""

    text: str
    place: Place

    def after(self, offset: int) -> Place:
        """Return the place `offset` characters into the word."""
        return shift_place(self.place, offset)


class Line(NamedTuple):
    """The words of one line, at least one, and the place after the last; torn, whether it is
    invalid and was split at all its blanks."""

    words: tuple[Word, ...]
    end: Place
    torn: bool = False

    @property
    def place(self) -> Place:
        """The place of its first word."""
        return self.words[0].place


def shift_place(place: Place, offset: int) -> Place:
    """Return the place `offset` characters after another on the same line; not beyond its end,
    where a value is longer than the braces in its place."""
    file, line, col, text = place
    col += offset
    if text and col > len(text) + 1:
        col = len(text) + 1
    return NEW_TUPLE(Place, (file, line, col, text))


def score_error(place: Place, message: str) -> ScoreError:
    """Return the exception for one problem."""
    return ScoreError([Problem(place, message)])


def split_lines(text: str, file: str, problems: list[Problem]) -> Iterator[Line]:
    """Yield the lines of a score without blank lines and comments; the error of a line that cannot
    be split is appended to `problems`, and the line is torn."""
    for number, raw in enumerate(text.removeprefix(BOM).split("\n"), start=1):
        content = raw.removesuffix("\r")
        try:
            line = split_line(content, file, number)
        except ScoreError as error:
            problems.extend(error.problems)
            line = _split_at_blanks(content, file, number)
        if line is not None:
            yield line


def split_line(content: str, file: str, number: int) -> Line | None:
    """Return the words of one line; None when it is blank or a comment.

    Errors: ScoreError for an unclosed quote or parenthesis, and for an invalid character.
    """
    if "\r" in content:
        place = Place(file, number, content.index("\r") + 1, content)
        raise score_error(
            place, "a carriage return inside a line; expected LF or CR LF at the end of a line")
    words: list[Word] = []
    start = end = 0
    if '"' in content or "(" in content or ")" in content or "{" in content or (
            "}" in content) or INVALID_CHARACTER.search(content):
        spans = _group_spans(content, file, number)
        for start, end in spans:
            if content[start] == "#":
                break
            _check_characters(content, start, end, file, number)
            words.append(Word(content[start:end], Place(file, number, start + 1, content)))
    else:
        for text in content.split():
            if text[0] == "#":
                break
            start = content.find(text, end)
            end = start + len(text)
            words.append(
                NEW_TUPLE(Word, (text, NEW_TUPLE(Place, (file, number, start + 1, content)))))
    if not words:
        return None
    last = words[-1]
    return Line(tuple(words), last.after(len(last.text)))


def _split_at_blanks(content: str, file: str, number: int) -> Line | None:
    """Return an invalid line split at its blanks and invalid characters, to find names in it."""
    text = INVALID_CHARACTER.sub(" ", content).split("#")[0]
    words = [Word(found[0], Place(file, number, found.start() + 1, content))
             for found in re.finditer(r"\S+", text)]
    return Line(tuple(words), words[-1].after(len(words[-1].text)), torn=True) if words else None


def _check_characters(content: str, start: int, end: int, file: str, number: int) -> None:
    invalid = INVALID_CHARACTER.search(content, start, end)
    if invalid:
        place = Place(file, number, invalid.start() + 1, content)
        raise score_error(
            place,
            f"the character U+{ord(invalid[0]):04X} is not allowed here; expected spaces or tabs "
            f"as blanks"
        )


def _group_spans(content: str, file: str, number: int) -> list[tuple[int, int]]:
    """Return the spans of the words of a line with quotes or parentheses; a comment is one span."""
    spans: list[tuple[int, int]] = []
    start, quote, bracket, brace = -1, -1, -1, -1
    for index, character in enumerate(content):
        blank = character in " \t"
        after_blank = index == 0 or content[index - 1] in " \t"
        if quote >= 0:
            quote = -1 if character == '"' else quote
        elif character == "#" and after_blank:
            if bracket >= 0 or brace >= 0:
                break
            spans.append((index, len(content)))
            return spans
        elif character in "{}":
            start = index if start < 0 else start
            _check_brace(character, brace, Place(file, number, index + 1, content))
            brace = index if character == "{" else -1
        elif brace >= 0:
            continue
        elif blank and bracket < 0:
            if start >= 0:
                spans.append((start, index))
            start = -1
        elif not blank:
            start = index if start < 0 else start
            if character == '"':
                quote = index
            elif character == "(":
                if bracket >= 0:
                    raise score_error(Place(file, number, index + 1, content),
                                      "a parenthesis inside a parenthesis; expected one level")
                bracket = index
            elif character == ")":
                if bracket < 0:
                    raise score_error(Place(file, number, index + 1, content),
                                      "this parenthesis was never opened; expected ( before it")
                bracket = -1
    if quote >= 0:
        raise score_error(Place(file, number, quote + 1, content),
                          "this quote is not closed; expected \" on the same line")
    if brace >= 0:
        raise score_error(Place(file, number, brace + 1, content),
                          "this brace is not closed; expected } on the same line")
    if bracket >= 0:
        raise score_error(Place(file, number, bracket + 1, content),
                          "this parenthesis is not closed; expected ) on the same line")
    if start >= 0:
        spans.append((start, len(content)))
    return spans


def _check_brace(character: str, opened: int, place: Place) -> None:
    """Check a brace.  Parameters: opened, the index of the brace before, if it is open."""
    if character == "{" and opened >= 0:
        raise score_error(place, "a brace inside braces; expected one level")
    if character == "}" and opened < 0:
        raise score_error(place, "this brace was never opened; expected { before it")


class RawArgument(NamedTuple):
    """One `name=value` whose value is not parsed yet."""

    name: str
    name_place: Place
    text: str
    value_place: Place


def split_pair_problem(words: Sequence[Word], index: int) -> Problem:
    """Return the problem of a word that begins or ends with `=`: blanks around it, no name or no
    value."""
    word = words[index]
    name, _, value = word.text.partition("=")
    before = name or (words[index - 1].text if index and "=" not in words[index - 1].text else "")
    after = value or (words[index + 1].text
                      if index + 1 < len(words) and "=" not in words[index + 1].text else "")
    if before and after:
        return Problem(word.after(len(name)), IN_ONE_PIECE)
    if before:
        right = quoted(f"{before}=VALUE")
        return Problem(word.after(len(word.text)),
                       f"{quoted(before)} has no value; expected {right} in one piece")
    return Problem(word.place, "no name before '='; expected name=value in one piece")


def parse_pair(word: Word) -> RawArgument:
    """Return the name and the value of a word `name=value`.

    Errors: ScoreError for another word, and for blanks around `=`.
    """
    written, place = word
    name, equals, text = written.partition("=")
    if not equals or name.startswith(('"', "(")):
        raise score_error(word.place,
                          f"{quoted(word.text)} is not name=value; expected only name=value here")
    if not name or not text:
        raise ScoreError([split_pair_problem([word], 0)])
    if not name.isidentifier():
        raise score_error(
            word.place,
            f"{quoted(name)} is not a name; expected letters, digits and _, no digit first")
    file, line, col, whole = place
    return NEW_TUPLE(RawArgument,
                     (name, place, text, NEW_TUPLE(Place,
                                                   (file, line, col + len(name) + 1, whole))))
