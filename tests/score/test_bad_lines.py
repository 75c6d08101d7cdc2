"""Errors of a whole score are reported at their line and column; test_corpus.py has single
lines."""
from pathlib import Path

import pytest

from pysitar.errors import ScoreError
from pysitar.score.parser import parse, parse_score
from pysitar.score.timeline import events, timeline

HEAD = "use tanpura as t\n"
SECTION = "section s\n0 t.pa pluck\nend\n"

WHOLE = [  # texts whose mistake shows only in the whole; line, column, message
    ("tempo 52\ntempo 0 60\n0 t.pa pluck", 3, 7, "a second tempo at beat 0"),
    ("tempo 4 60 -> 90 @ 8\ntempo 6 70\n0 t.pa pluck", 3, 7, "inside the ramp of line 2"),
    ("tempo 6 60 -> 90 @ 9\ntempo 4 60 -> 90 @ 8\n0 t.pa pluck", 2, 7, "inside the ramp of line 3"),
    ("section a\n0 t.pa pluck\nend\nsection a\nend", 5, 9, "a second section a"),
    ("section a\n0 t.pa pluck\nsection b\n0 t.pa pluck\nend\nplay a", 4, 1,
     "a section inside the section of line 2"),
    ("section a\nplay b\nend\nsection b\nplay a\nend\nplay a", 6, 6, "expected no cycle"),
    ("section a\nmix t gain=1dB\n0 t.pa pluck\nend\nplay a", 3, 1, "mix is inside a section"),
    ("tuning sa=C#3 just\ntuning sa=C#3 edo 12", 3, 1, "different from the first"),
    ("tala tintal\ntala 7", 3, 6, "different from the first"),
    ("render rate=48000\nrender rate=44100", 3, 13, "rate is already 48000"),
    ("tala dadra\n1:7 t.pa pluck", 3, 1, "beyond the tala, which has 6"),
    ("0 t.* pluck\n3 t.pa pluck\n+ t.* damp", 4, 1, "different times (t.pa on line 3)"),
    ("section a\n0 t.pa pluck\nend\n+ t.pa pluck\nplay a", 5, 1, "no earlier event on t.pa"),
    ("draw t.pa.x ~ uniform(1, 2) n=3\ndraw t.pa.y ~ uniform(1, 2) n=4", 3, 31, "the same n"),
    ("0 t.pa pluck\rx", 2, 13, "carriage return"),
]


@pytest.mark.parametrize(("text", "line", "column", "fragment"), WHOLE,
                         ids=[text for text, *_ in WHOLE])
def test_a_error_of_the_whole_score_is_reported_at_its_place(text, line, column, fragment):
    parsed = parse(HEAD + text, file="bad.score", folder=Path())
    assert [(p.place.line, p.place.col)
            for p in parsed.problems] == [(line, column)], [str(p) for p in parsed.problems]
    assert fragment in parsed.problems[0].message


PLAYED = [     # texts that parse, and fail when played
    ("set t.gain = 3", 0, 0, "nothing sounds"),
    (SECTION, 0, 0, "expected play s"),
    ("0 t.pa damp t60=1s", 0, 0, "nothing sounds"),
    ("14401s t.pa pluck", 2, 1, "4 hours"),
    ("render tail=1s\n14399s t.pa pluck dur=0", 0, 0, None),
    ("render tail=2s\n14399s t.pa pluck dur=0", 2, 13, "with this tail"),
    (SECTION + "play s transpose=2st", 3, 1, "no pitch for play s (line 5) to transpose"),
    (SECTION + "play s times=1000001", 5, 6, "1000001 events"),
    ("section s\n0 t.pa pluck dur=0\nend\nplay s times=2", 5, 6, "no length"),
    (SECTION + "play s times=3000 f=*0.5^", 5, 21, "is 0 after rounding"),
    ("0 t.pa bend (0:re 3s:ga 1:pa 2s:ga)", 2, 25, "increase"),
]


@pytest.mark.parametrize(("text", "line", "column", "fragment"), PLAYED,
                         ids=[text for text, *_ in PLAYED])
def test_a_error_of_the_expansion_is_reported_at_its_place(text, line, column, fragment):
    score = parse_score(HEAD + text, file="bad.score", folder=Path())
    if fragment is None:
        assert len(events(score)) == 1
        return
    with pytest.raises(ScoreError) as caught:
        events(score)
    problem = caught.value.problems[0]
    assert (problem.place.line, problem.place.col) == (line, column), str(problem)
    assert fragment in problem.message


def test_all_problems_are_in_order():
    text = ("use tanpura as t\nplay nowhere\n0 q.pa pluk f=0,5\n0 t.pa pluck\n+ t.pa plck\n"
            "+ t.pa pluck\nrender rat=1\n")
    parsed = parse(text, file="bad.score", folder=Path())
    assert [(p.place.line, p.place.col) for p in parsed.problems] == [
        (2, 6), (3, 3), (3, 8), (3, 15), (5, 8), (7, 8)]


def test_what_could_be_read_of_a_wrong_score_is_played():
    parsed = parse("use tanpura as t\n0 t.pa pluk\n+ t.pa pluck\nplay x\n", file="bad.score",
                   folder=Path())
    made = timeline(parsed.score)
    assert [event.time for event in made.events] == [1.0]
    assert made.problems == ()
    nothing = parse("use tanpura as t\n0 t.pa pluk\n", file="bad.score", folder=Path())
    assert timeline(nothing.score).problems == ()


def test_a_section_without_a_name_is_called_this_section():
    parsed = parse(HEAD + "section\n0 t.pa pluck\nmix t gain=1\n", file="bad.score", folder=Path())
    assert [str(problem.message) for problem in parsed.problems] == [
        "this section has no end; expected end on a line of its own",
        "the name of the section is missing; expected section NAME",
        "mix is inside a section; expected it after the end of this section"
    ]


def test_a_wrong_use_is_reported_once():
    parsed = parse("use 3 as t\n0 t.pa pluck\n", file="bad.score", folder=Path())
    assert len(parsed.problems) == 1


def test_the_message_has_the_line_and_a_caret():
    with pytest.raises(ScoreError) as caught:
        parse_score("use tanpura as t\n\t0\tt.pa\tpluk\n", file="my.score", folder=Path())
    assert str(caught.value).splitlines() == ["my.score:2:9: pluk is not a verb; did you mean "
                                              "pluck?", "     0 t.pa pluk", "            ^"]


def test_exactly_a_million_events_are_allowed():
    text = HEAD + SECTION + "play s times=1000001"
    score = parse_score(text, file="x.score", folder=Path())
    with pytest.raises(ScoreError, match="at most 1000000"):
        events(score)


def test_a_chain_of_sections_is_refused_when_too_deep_and_never_overflows():
    chain = "".join(f"section s{i}\nplay s{i + 1}\nend\n" for i in range(3000))
    parsed = parse(HEAD + chain + "section s3000\n0 t.pa pluck\nend\nplay s0\n", file="x.score",
                   folder=Path())
    assert "nest deeper" in parsed.problems[0].message


def test_silent_doubling_takes_no_time():
    doubling = "".join(f"section s{i}\nplay s{i + 1} times=2 every=1\nend\n" for i in range(100))
    score = parse_score(HEAD + doubling + "section s100\nend\nplay s0\n0 t.pa pluck\n",
                        file="x.score", folder=Path())
    assert len(events(score)) == 1
