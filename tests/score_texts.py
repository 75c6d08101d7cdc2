"""Scores of tests: read from a text or a file, bound by their own options, and what is reported."""
import pytest

from pysitar.errors import ScoreError
from pysitar.rendering.binding.binder import bind, check
from pysitar.rendering.options import options
from pysitar.score.parser import load_score


def write_score(folder, text):
    """Write a text as x.score and return the score."""
    path = folder / "x.score"
    path.write_text(text, encoding="utf-8")
    return load_score(path)


def bind_text(text, **chosen):
    """Return the bound score of a text, by its own options and these."""
    score = load_score(text=text)
    return bind(score, options(score, **chosen))


def warnings_of(score):
    return bind(score, options(score)).warnings


def places_and_messages(reports):
    """Return (line, column, message) of problems or warnings."""
    return [(report.place.line, report.place.col, report.message) for report in reports]


def check_text(text):
    """Return (line, column, message) of each problem of a text that can be parsed."""
    score = load_score(text=text)
    return places_and_messages(check(score, options(score)).problems)


def refuse_text(text):
    """Return (line, column, message) of each problem for which a text is refused."""
    with pytest.raises(ScoreError) as caught:
        bind_text(text)
    return places_and_messages(caught.value.problems)
