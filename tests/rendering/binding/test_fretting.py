"""Fingers on frets in scores: values, errors and their places, scaled forces, flat scores of the
same bits."""
import numpy as np
import pytest

import pysitar
from pysitar.gestures.press import finger_position
from pysitar.rendering.binding.binder import bind, check
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.options import options

USE = "use guitar as g\nuse sitar as s\nrender rate=12000 oversample=1 tail=50ms\ntempo 120\n"
SOUND = "99s s.baj pluck"
LENGTH = 0.648
NO_TIME = ("press lasts for the dur of its row, or to the last point of its force, which is 0 s; "
           "expected more")


def events(text):
    score = pysitar.load_score(text=f"{USE}{text}\n{SOUND}")
    return [event for voice in bind(score, options(score)).voices for event in voice.events
            if event.verb == "press"]


def reported(text):
    score = pysitar.load_score(text=f"{USE}{text}\n{SOUND}")
    return [(problem.place.line - 4, problem.place.col, problem.message)
            for problem in check(score, options(score)).problems]


def test_a_finger_behind_a_fret():
    [event] = events("2 g.d3 press fret=5 dur=3")
    assert (event.time, event.values, event.courses) == (1.0, {
        "position": finger_position(5, LENGTH), "force": 10.0, "width": 0.01, "pull": 0.0,
        "held": 1.5
    }, {})


def test_a_finger_at_a_place():
    bound = events("0 g.d3 press x=45cm f=6N w=8mm\n0 g.e2 press position=0.7 force=0")
    assert [event.values for event in bound] == [
        {"position": 0.45, "force": 6.0, "width": 0.008, "pull": 0.0, "held": 0.5},
        {"position": 0.7 * LENGTH, "force": 0.0, "width": 0.01, "pull": 0.0,
         "held": 0.5}]


def test_a_curve_of_force_lasts_as_long_as_it_does():
    [event] = events("0 g.d3 press fret=5 f=(0:0 0.1s:8N/cos 2:8 3:500mN/pow2) dur=9")
    assert [(point.time, point.value, point.shape) for point in event.courses["force"].points] == [
        (0.0, 0.0, "lin"), (0.1, 8.0, "cos"), (1.0, 8.0, "lin"), (1.5, 0.5, "pow")]
    assert event.values["held"] == 1.5 and event.values["force"] == 0.0 and event.duration == 4.5


def test_a_play_scales_the_forces_that_rows_give():
    bound = events("section a\n0 g.d3 press fret=1\n1 g.d3 press fret=1 f=8N\n"
                   "2 g.d3 press fret=1 f=(0:4N 1:8N) pull=1N\nend\nplay a f=*0.5")
    assert [event.values["force"] for event in bound] == [10.0, 4.0, 2.0]
    assert [event.values["pull"] for event in bound] == [0.0, 0.0, 0.5]
    assert [point.value for point in bound[2].courses["force"].points] == [2.0, 4.0]


@pytest.mark.parametrize(("row", "found"), [
    ("0 s.baj press fret=5", [
        (9, "s.baj has no frets; expected fret ga, which sets the string's tension, or a table "
         "[strings.baj.frets] in its file")
    ]),
    ("0 g.d3 press", [(13, "press has no position; expected fret=5, or a position x=45cm")]),
    ("0 g.d3 press fret=5 x=45cm", [
        (23, "a fret and a position are both given; expected one of them")
    ]),
    ("0 g.d3 press fret=21", [(19, "g.d3 has 20 frets; expected 1 to 20")]),
    ("0 g.d3 press fret=0", [(19, "fret is 0; expected a whole number from 1 to 60")]),
    ("0 g.d3 press fret=2.5", [(19, "fret is 2.5; expected a whole number from 1 to 60")]),
    ("0 g.d3 press fret=re", [(19, "fret is re; expected a number")]),
    ("0 g.d3 press x=20cm",
     [(16,
       "the finger is at 0.2 m, and the last fret of g.d3 at 0.2041 m from the bridge; expected "
       "more, "
       "so that it presses on a fret")]),
    ("0 g.d3 press x=64.5cm",
     [(16, "a finger of 0.01 m at 0.645 m is not on the string of 0.648 m; expected a narrower one")
      ]),
    ("0 g.d3 press fret=5 w=0.5",
     [(23, "a finger of 0.5 m at 0.4975 m is not on the string of 0.648 m; expected a narrower one")
      ]),
    ("0 g.d3 press fret=5 f=-1N", [
        (23, "force is -1.0; expected a finite number (N), at least 0 and at most 100")
    ]),
    ("0 g.d3 press fret=5 f=(0:1N 1:101N)", [
        (23, "force is 101.0; expected a finite number (N), at least 0 and at most 100")
    ]),
    ("0 g.d3 press fret=5 f=(0:1N 1:1m)", [
        (23, "force: 1m is a length; expected a force in N or mN")
    ]),
    ("0 g.d3 press fret=5 f=(0:re 1:ga)", [(23, "a point of force is re; expected a number in N")]),
    ("0 g.d3 press fret=5 dur=0", [(8, NO_TIME)]),
    ("0 g.d3 press fret=5 f=(0:3N)", [(8, NO_TIME)]),
    ("0 g.d3 press fret=5 velocity=2", [
        (21, "press has no velocity; expected one of fret, position, x, force, f, width, w, "
             "pull")
    ]),
    ("0 g.d3 press re", [(14, "press takes no pitch, and re is not name=value; expected no pitch")
                         ]),
])
def test_what_is_wrong_is_reported_at_its_place(row, found):
    try:
        assert reported(row) == [(1, *problem) for problem in found]
    except pysitar.ScoreError as error:          # by the parser
        assert [(1, problem.place.col, problem.message)
                for problem in error.problems] == [(1, *problem) for problem in found]


def test_a_hand_has_four_fingers():
    rows = [f"{beat} g.d3 press fret={beat + 1} dur=4" for beat in range(5)]
    assert reported("\n".join(rows)) == []          # the first lifts when the fifth comes
    assert reported("\n".join(rows).replace("dur=4", "dur=4.01")) == [
        (5, 8, "4 fingers press g.d3 already; expected one of them to lift before")]
    assert reported("\n".join(rows[:4]) + "\n3 g.a2 press fret=1") == []


def test_a_scheme_without_press_names_the_schemes_with_it():
    score = pysitar.load_score(
        text="use bass as b scheme=three-point\n0 b.e pluck\n0 b.e press fret=5")
    [problem] = check(score, options(score)).problems
    assert (problem.message == "press is not played by the three-point scheme; expected "
            "scheme=two-point")


def test_silence_names_press_only_with_frets():
    for name, words in (("guitar", "a pluck or a press would sound"),
                        ("sitar", "a pluck would sound")):
        score = pysitar.load_score(text=f"use {name} as t\n0 t.* damp")
        [problem] = check(score, options(score)).problems
        assert problem.message == f"nothing sounds in this score; {words}"


def test_a_flat_score_has_the_same_bits():
    text = USE + """0 g.d3 press fret=5 dur=2
0.1 g.d3 pluck
section a
  0 g.d3 press fret=7 f=(0:0 0.1:12 0.5:9N/pow2 0.6s:0)
  1 g.d3 press x=45cm f=8N
  1.1 g.d3 pluck f=2N
  1.5 s.baj pluck sa
end
play a at=0.5 f=*0.9
"""
    score = pysitar.load_score(text=text)
    flat = flatten_score(score, bind(score, options(score)))
    again = pysitar.load_score(text=flat)
    assert flatten_score(again, bind(
        again, options(again))) == flat and "fret=7 force=(0s:0N/lin 0.0" in flat
    one, two = (pysitar.render(each) for each in (score, again))
    np.testing.assert_array_equal(one.audio, two.audio)
    assert np.abs(one.audio).max(
    ) > 0.01 and one.report["residual"] < 1e-11 and one.report["failed_solves"] == 0


@pytest.mark.parametrize(("row", "col", "message"),
                         [("0 g.e4 press x=0", 16, "above 0 and below 1"),
                          ("0 g.e4 press x=2m", 16, "0.648"),
                          ("0 g.e4 press fret=2 w=-1m", 23, "at least 0")])
def test_a_wrong_value_of_a_finger_is_reported_alone(row, col, message):
    [(line, where, said)] = reported(row)
    assert (line, where) == (1, col) and message in said
