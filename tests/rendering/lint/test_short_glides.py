"""Warnings of glides that click."""
import numpy as np
import pytest
from score_texts import bind_text

import pysitar

RATE = 48000
MESSAGE = ("g.e2 jumps to another pitch in {}, and clicks if it rings; "
           "expected a glide of 4 ms or more")


def warned(rows):
    return [warning.message for warning in bind_text(f"use guitar_nylon as g\n{rows}\n").warnings
            if "glide" in warning.message]


@pytest.mark.parametrize("verb", ["fret +2st", "bend (0:+2st 1:+0st)"])
@pytest.mark.parametrize(("glide", "shown"), [("0", "0 ms"), ("1ms", "1 ms"), ("3.9ms", "3.9 ms")])
def test_a_short_glide_of_a_played_string_is_reported(verb, glide, shown):
    assert warned(f"0 g.e2 pluck\n1 g.e2 {verb} glide={glide}") == [MESSAGE.format(shown)]


@pytest.mark.parametrize("rows", [
    "0 g.e2 pluck\n1 g.e2 fret +2st glide=4ms",
    "0 g.e2 pluck\n1 g.e2 fret +2st",
    "0 g.e2 fret +2st glide=0\n1 g.e2 pluck",                   # nothing rings yet
    "0 g.a2 pluck\n1 g.e2 fret +2st glide=0",                   # another string rings
    "0 g.e2 pluck\n1 g.e2 pluck +2st glide=0",                  # a new stroke
])
def test_other_glides_are_not(rows):
    assert warned(rows) == []


def test_each_string_is_reported_once():
    assert len(warned("0 g.e2 pluck\n1 g.e2 fret +2st glide=0\n2 g.e2 fret +0st glide=0")) == 1


def test_the_limit_is_where_clicks_end():
    """The greatest fourth difference of the sound around a glide: at 4 ms it is nearly that of a
    slow one, at 1 ms and at 0 it stands out."""
    def click(row):
        audio = pysitar.render(pysitar.load_score(text=(
            f"use guitar_nylon as g\nrender rate={RATE} channels=1 tail=30ms fade=0\n"
            f"0 g.e2 pluck\n{row}\n0.3 g.a2 damp\n"))).audio[:, 0]
        return float(np.abs(np.diff(audio[round(0.29 * RATE):round(0.33 * RATE)], 4)).max())

    slow, limit, short, jump = (click(f"0.3 g.e2 fret +2st glide={glide}")
                                for glide in ("20ms", "4ms", "1ms", "0"))
    assert limit < 1.5 * slow and short > 5.0 * slow and jump > 50.0 * slow
