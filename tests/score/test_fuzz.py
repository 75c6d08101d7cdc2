"""Parsing any text results in a score or in a ScoreError with an expected form."""
import itertools
import random
from pathlib import Path

import hypothesis
from hypothesis import strategies as st
from score.test_grammar import made, mutated

from pysitar.errors import ScoreError
from pysitar.score.parser import load_score, parse
from pysitar.score.timeline import events, timeline

SCORES = sorted((Path(__file__).resolve().parents[2] / "scores").rglob("*.score"))
GOOD = [path.read_text(encoding="utf-8") for path in SCORES]
WORDS = sorted({word for text in GOOD for word in text.split()}
               | {"strum", "sweep", "~", "(0:1N 1:2N/cos)", "\ufeff", "\x00", "\u2028", "\ud800"})
settings = hypothesis.settings(deadline=None,
                               suppress_health_check=[hypothesis.HealthCheck.too_slow])


def read(text):
    """Parse and expand a text: the result is events, or problems with a place and an expected
    form."""
    try:
        made = events(load_score(text=text))
    except ScoreError as error:
        lines = text.removeprefix("\ufeff").split("\n")
        assert error.problems
        for problem in error.problems:
            assert "; " in problem.message and problem.place.line <= len(lines)
            if problem.place.line:
                assert 1 <= problem.place.col <= len(lines[problem.place.line - 1]) + 1
        assert str(error).encode("utf-8", "surrogatepass")
    else:
        assert made and all(event.time >= 0.0 and event.duration >= 0.0 for event in made)
        assert [event.time for event in made] == sorted(event.time for event in made)


@hypothesis.settings(settings, max_examples=80)
@hypothesis.given(st.binary(max_size=200))
def test_bytes(data):
    """Random bytes, decoded by three encodings."""
    for encoding in ("utf-8", "latin-1", "utf-16"):
        read(data.decode(encoding, "replace"))


@hypothesis.settings(settings, max_examples=40)
@hypothesis.given(st.binary(max_size=60))
def test_bytes_of_a_file(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "x.score"
    path.write_bytes(b"use tanpura as t\n0 t.pa pluck\n" + data)
    try:
        load_score(path)
    except ScoreError as error:
        assert all(problem.place.line >= 3 for problem in error.problems)


@st.composite
def mutants(draw):
    """One of the scores of this project with lines or characters removed, doubled or inserted."""
    lines = draw(st.sampled_from(GOOD)).splitlines()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        line = lines[at] if lines else ""
        column = draw(st.integers(0, len(line)))
        kind = draw(st.integers(0, 5))
        lines[at:at
              + 1] = [[line, line], [], [line[:column] + draw(st.text(max_size=3)) + line[column:]],
                      [line[:column], line[column:]],
                      [line[:column] + " " + draw(st.sampled_from(WORDS)) + " " + line[column:]],
                      [line[:column] + line[column + draw(st.integers(1, 5)):]]][kind]
    return "\n".join(lines)


@hypothesis.settings(settings, max_examples=80)
@hypothesis.given(mutants())
def test_scores_with_mistakes(text):
    read(text)


def test_the_scores_are_read_as_they_are():
    assert len(GOOD) >= 12
    for path in SCORES:
        assert events(load_score(path))


@hypothesis.settings(settings, max_examples=60)
@hypothesis.given(st.integers(0, 2**32))
def test_sentences_of_the_grammar(seed):
    read(made(random.Random(seed), ("rule", "score")))


@hypothesis.settings(settings, max_examples=80)
@hypothesis.given(st.integers(0, 2**32), st.sampled_from([
    "row", "play", "tempo", "set", "sweep", "draw", "tuning", "use", "line", "swing", "accent",
    "humanise", "mix", "room", "let", "repeat"]))
def test_sentences_with_a_mistake(seed, start):
    chance = random.Random(seed)
    text = made(chance, ("rule", start)).rstrip("\n")
    read("use tanpura as t\n" + (mutated(chance, text) if text else "") + "\n0 t.pa pluck\n")


@hypothesis.settings(settings, max_examples=60)
@hypothesis.given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=12))
def test_a_wrong_line_hides_no_other(kinds):
    """Each wrong line is reported, no other one is, and each good row becomes an event."""
    wrong = ["0 t.pa pluk", "0 t.pa pluck f=0,5", "ploy x", "1.5 s t.pa pluck"]
    good = ["3 t.pa pluck f=0.5N", "3s t.* pluck re", "3 t.pa damp t60=1s", "3 t strum"]
    lines = ["use tanpura as t"] + [(wrong if is_wrong else good)[which]
                                    for is_wrong, which in kinds]
    parsed = parse("\n".join(lines), file="x.score", folder=Path())
    assert [problem.place.line for problem in parsed.problems] == [
        line for line, (is_wrong, _) in zip(itertools.count(2), kinds, strict=False) if is_wrong]
    assert len(timeline(parsed.score).events) == sum(not is_wrong for is_wrong, _ in kinds)
