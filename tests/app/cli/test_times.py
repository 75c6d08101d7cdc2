"""Times on the command line are the times of rows."""
import pytest

from pysitar.app.cli.times import seconds_of
from pysitar.errors import ScoreError
from pysitar.score.parser import load_score
from pysitar.score.timeline import events

HEAD = "use tanpura as t\n"
TEMPOS = {"none": "", "steady": "tempo 52\n", "a ramp": "tempo 60\ntempo 8 60 -> 120 @ 16\n",
          "a tala": "tempo 90\ntala jhaptal\n"}


@pytest.mark.parametrize("tempo", TEMPOS.values(), ids=TEMPOS)
@pytest.mark.parametrize("text",
                         ["0", "4", "0.25", "12.5", "20", "1.5s", "0s", "1e1s", "1:1", "3:2"])
def test_a_time_is_that_of_a_row(tempo, text):
    if ":" in text and "tala" not in tempo:
        return
    score = load_score(
        text=f"{HEAD}{tempo}{text} t.pa pluck\nsection other\ntempo 30\n0 t.pa pluck\nend\n")
    assert seconds_of(text, score) == events(score)[0].time


@pytest.mark.parametrize(("text", "seconds"), [("100ms", 0.1), ("0ms", 0.0), ("1.5e3ms", 1.5)])
def test_milliseconds(text, seconds):
    assert seconds_of(text, load_score(text=f"{HEAD}tempo 90\n0 t.pa pluck\n")) == seconds


def test_a_ramp_in_closed_form():
    score = load_score(text=f"{HEAD}{TEMPOS['a ramp']}0 t.pa pluck\n")
    assert seconds_of("16", score) == pytest.approx(13.545177444, abs=1e-9)


@pytest.mark.parametrize(("text", "said"), [
    ("+", "relative to the last event, for rows only"),
    ("+2", "relative to the last event"),
    ("-1", "before the start"),
    ("-1s", "before the start; expected a time of 0 or later"),
    ("200mm", "expected beats without a unit"),
    ("-5ms", "before the start"),
    ("+5ms", "for rows only"),
    ("1.2.3ms", "one point"),
    ("x", "is not a time"),
    ("", "is not a time"),
    ("nan", "is not a time"),
    ("1e999", "too large"),
    ("3:2", "has no tala"),
    ("1:2:3", "expected BAR:MATRA"),
    ("3:0", "bar and matra from 1"),
    ("4 s", "is not a unit"),
])
def test_what_is_no_time(text, said):
    with pytest.raises(ScoreError, match=said):
        seconds_of(text, load_score(text=f"{HEAD}0 t.pa pluck\n"))


def test_a_matra_beyond_the_tala():
    score = load_score(text=f"{HEAD}tala rupak\n0 t.pa pluck\n")
    with pytest.raises(ScoreError, match="matra 8 is beyond the tala, which has 7"):
        seconds_of("1:8", score)
