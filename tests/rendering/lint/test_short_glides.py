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
            if "jumps" in warning.message]


@pytest.mark.parametrize("verb", ["fret +2st", "bend (0:+2st 1:+0st)"])
@pytest.mark.parametrize(("glide", "shown"), [("0", "0 s"), ("1e-9s", "0.001 us"), ("6us", "6 us"),
                                             ("1ms", "1 ms"), ("3.9ms", "3.9 ms")])
def test_a_short_glide_of_a_played_string_is_reported(verb, glide, shown):
    assert warned(f"0 g.e2 pluck\n1 g.e2 {verb} glide={glide}") == [MESSAGE.format(shown)]


@pytest.mark.parametrize("curve", ["(0:+0st 0.5:+0st 0.501:+2st)", "(0:+0st 0.001:+2st)",
                                   "(0:+0st 1:+2st 1.001:+0st/cos 2:+2st)"])
@pytest.mark.parametrize("row", ["0 g.e2 pluck\n1 g.e2 bend {}", "0 g.e2 pluck\n0 g.e2 bend {}"])
def test_a_short_segment_of_a_curve_is_reported(row, curve):
    # a beat lasts a second
    assert warned(row.format(curve)) == [
        "g.e2 jumps to another pitch in 1 ms, and clicks if it rings; expected 4 ms or more "
        "between two points, or both at one time"]


@pytest.mark.parametrize("rows", [
    "0 g.e2 pluck\n1 g.e2 bend (0:+0st 0.5:+0st 0.5:+2st)",      # a jump takes 7 ms
    "0 g.e2 pluck\n1 g.e2 bend (0:+0st 0.501:+2st/step 0.502:+2st)",
    "0 g.e2 pluck\n1 g.e2 bend (0:+0st 0.004:+2st)",
    "0 g.e2 pluck\n1 g.e2 bend (0:+0st 0.001:+0.2st)",             # too small a step
    "0 g.e2 bend (0:+0st 0.001:+2st)\n1 g.e2 pluck",
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
            f"0 g.e2 pluck release=2ms\n{row}\n0.3 g.a2 damp\n"))).audio[:, 0]
        return float(np.abs(np.diff(audio[round(0.29 * RATE):round(0.33 * RATE)], 4)).max())

    slow, limit, short, jump = (click(f"0.3 g.e2 fret +2st glide={glide}")
                                for glide in ("20ms", "4ms", "1ms", "0"))
    assert limit < 1.5 * slow and short > 5.0 * slow and jump > 50.0 * slow
