"""Bends and ornaments in scores: pitch curves, errors and their places, the highest pitch, flat
scores of the same bits."""
import math

import numpy as np
import pytest
from instruments import instrument, string

import pysitar
from pysitar.errors import ScoreError
from pysitar.models.network.curve import ValueCurve
from pysitar.rendering.binding.bends import pitch_at
from pysitar.rendering.binding.binder import bind, check
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.options import Options, options
from pysitar.score.document import Score

WIRES = instrument(
    string("low", pitch=100.0, sigma0=1.0, pluck={"ramp": 0.01}),
    string("high", pitch=200.0, linear_density=5e-4, sigma0=1.0, pluck={"ramp": 0.01}))
USE = 'use "wires.toml" as b\ntuning sa=100Hz just\n'
SOUND = "99s b.high pluck 200Hz"          # a score must sound
RENDER = "render rate=8000 oversample=1 tail=0.05s\n"
RE, GA, MA, PA = 112.5, 125.0, 400.0 / 3.0, 150.0
IN_RANGE = "semitones from its open string; expected -12 to +12 semitones, 50 to 200 Hz"


@pytest.fixture(autouse=True)
def folder(here):
    (here / "wires.toml").write_text(WIRES)


def events(text):
    score = pysitar.load_score(text=f"{USE}{text}\n{SOUND}")
    return [event for voice in bind(score, options(score)).voices for event in voice.events][:-1]


def points(event):
    return [(point.time, point.value, point.shape, point.exponent)
            for point in event.courses["pitch"].points]


def course(text):
    """The points (s, Hz, shape) of the only bend of a score of one row."""
    [bend] = [event for event in events(text) if event.verb == "bend"]
    return [point[:3] for point in points(bend)]


def near(curve, expected):
    assert [shape for *_, shape in curve] == [shape for *_, shape in expected]
    for (time, hz, _), (at, pitch, _) in zip(curve, expected, strict=True):
        assert time == pytest.approx(at, rel=1e-12, abs=1e-15) and hz == pytest.approx(
            pitch, rel=1e-12)


def test_a_curve_of_pitches():
    """Times follow the tempo, the event's pitch is the first."""
    [bend] = events("tempo 120\n2 b.low bend (0:re 1:ga/cos 0.75s:+7st/pow2 2:150Hz/step 2:PA) "
                    "dur=3".replace("PA", "pa"))
    assert (bend.time, bend.hz, bend.duration, bend.values) == (1.0, RE, 1.5, {"glide": 0.007})
    assert points(bend) == [(0.0, RE, "lin", 1.0), (0.5, GA, "cos", 1.0),
                            (0.75, pytest.approx(100.0 * 2**(7 / 12)), "pow", 2.0),
                            (1.0, 150.0, "step", 1.0), (1.0, 150.0, "lin", 1.0)]


def test_a_curve_in_hz_alone_and_named():
    assert course("0 b.low bend (0s:100Hz 1s:0.12kHz)") == [(0.0, 100.0, "lin"),
                                                            (1.0, 120.0, "lin")]
    assert course("0 b.low bend glide=1s pitch=(0s:100Hz 1s:120Hz)") == [
        (0.0, 100.0, "lin"), (1.0, 120.0, "lin")]


def test_transposing_moves_every_point_and_every_note():
    bound = events("section a\n0 b.low pluck sa\n1 b.low bend (0:re 1:150Hz 2:+3st)\n4 b.low pluck "
                   "re meend=ga dur=1\n6 b.low bend kan=re\nend\nplay a transpose=-2st")
    moved = 2.0 ** (-2.0 / 12.0)
    assert [hz for _, hz, *_ in points(bound[1])] == pytest.approx(
        [RE * moved, 150.0 * moved, 100.0 * 2**(1 / 12)], rel=1e-12)
    assert [hz for _,
            hz, *_ in points(bound[3])] == pytest.approx([RE * moved, GA * moved], rel=1e-12)
    assert [hz for _, hz, *_ in points(bound[4])] == pytest.approx(
        [RE * moved, RE * moved, GA * moved], rel=1e-12)


def test_the_highest_pitch_is_known_beforehand():
    score = pysitar.load_score(text=USE + "0 b.low pluck\n1 b.low bend (0:sa 1:pa 2:sa)\n"
                               "1 b.high bend 210Hz gamak=210Hz depth=2st dur=1")
    [voice] = bind(score, options(score)).voices
    assert [string.highest
            for string in voice.strings] == [150.0, pytest.approx(210.0 * 2**(2 / 12))]


# ---- ornaments

def test_a_meend_may_hold_before_the_pull():
    near(course("0 b.low pluck re meend=(pa re) hold=25% dur=2"),
         [(0, RE, "lin"), (0.5, RE, "lin"), (1.25, PA, "cos"), (2, RE, "cos")])


def test_meend():
    near(course("0 b.low pluck re meend=pa dur=2"), [(0, RE, "lin"), (2, PA, "cos")])
    near(course("0 b.low bend re meend=(pa re 100Hz +3st) dur=2"),
         [(0, RE, "lin"), (0.5, PA, "cos"), (1, RE, "cos"), (1.5, 100, "cos"),
          (2, 100 * 2**0.25, "cos")])


def test_kan():
    """50 ms on the grace note, and 25 to the note; a pluck begins with the grace note."""
    near(course("0 b.low pluck pa kan=re"), [(0, RE, "lin"), (0.05, RE, "lin"), (0.075, PA, "cos")])
    near(course("0 b.low pluck pa kan=re dur=30ms"), [(0, RE, "lin"), (0.02, RE, "lin"),
                                                      (0.03, PA, "cos")])
    pluck, bend = events("0 b.low pluck pa kan=re f=0.5N")
    assert pluck.hz == bend.hz == RE and pluck.values[
        "force"] == 0.5 and bend.values == {} and bend.duration == 1.0


def test_krintan():
    near(course("0 b.low pluck pa krintan=(ga re sa)"), [(0, PA, "lin"), (0.1, GA, "step"),
                                                         (0.2, RE, "step"), (0.3, 100, "step")])
    near(course("0 b.low pluck pa krintan=sa rate=4Hz"), [(0, PA, "lin"), (0.25, 100, "step")])
    near(course("0 b.low pluck pa krintan=(ga re) dur=0.15"),
         [(0, PA, "lin"), (0.05, GA, "step"), (0.1, RE, "step")])


def test_gamak():
    up = RE * 2 ** (60 / 1200)
    near(
        course("0 b.low pluck re gamak=ga rate=3.4Hz dur=0.5"),
        [
            # 1.7 swings: 2
            (0, RE, "lin"),
            (0.125, GA, "cos"),
            (0.25, RE, "cos"),
            (0.375, GA, "cos"),
            (0.5, RE, "cos")
        ])
    near(course("0 b.low pluck re gamak=ga rate=1Hz depth=60c"),
         [(0, RE, "lin"), (0.5, up, "cos"), (1, RE, "cos")])
    near(course("0 b.low pluck re gamak=sa rate=1Hz depth=60c"), [(0, RE, "lin"),
                                                                  (0.5, RE * RE / up, "cos"),
                                                                  (1, RE, "cos")])
    near(course("0 b.low pluck re gamak=re rate=1Hz depth=60c"), [
        (0, RE, "lin"), (0.25, up, "cos"), (0.75, RE * RE / up, "cos"), (1, RE, "cos")])
    assert len(course("0 b.low pluck re gamak=ga dur=2")) == 25  # 6 Hz


def test_andolan():
    down, up = (GA * 2 ** (cents / 1200) for cents in (-35, 35))
    near(course("0 b.low pluck ga andolan=ga dur=2"),
         [(0, GA, "lin"), *[(2 / 3 * (index / 2 + 0.25), up if index % 2 else down, "cos")
                            for index in range(6)], (2, GA, "cos")])
    near(course("0 b.low pluck re andolan=ga rate=0.1Hz depth=0.2st dur=4"),
         [(0, RE, "lin"), (1, GA * 2**(-20 / 1200), "cos"), (3, GA * 2**(20 / 1200), "cos"),
          (4, GA, "cos")])


def test_without_a_pitch_it_begins_where_the_string_is():
    row = "{} b.low bend meend=pa dur=1"
    assert course(row.format(0))[0][1] == 100.0  # open
    assert events(f"0 b.low pluck re\n1 b.high pluck 210Hz\n{row.format(2)}")[2].hz == RE
    # where the last one ended
    assert events(
        f"0 b.low fret re\n{row.format(2)}\n{row.format(4).replace('pa', 'sa')}")[2].hz == PA
    # on its way, in cents
    half = events(f"0 b.low fret 100Hz\n1 b.low bend (0:100Hz 2:144Hz)\n{row.format(2)}")[2].hz
    assert half == pytest.approx(120.0, rel=1e-12)


@pytest.mark.parametrize("shape", ["lin", "cos", "exp", "step", "pow3"])
def test_a_bend_starts_at_the_current_pitch_of_a_moving_string(shape):
    """As a ValueCurve of semitones says; exp is lin for pitches."""
    [bend] = events(f"1 b.low bend (0.5s:100Hz 2.5s:200Hz/{shape})")
    part = {"lin": 0.25, "exp": 0.25, "cos": 0.5 - math.sqrt(0.125), "step": 0.0,
            "pow3": 1 / 64}[shape]
    assert pitch_at(bend, 2.0, 90.0) == pytest.approx(100.0 * 2.0 ** part, rel=1e-12)
    assert [pitch_at(bend, time, 90.0)
            for time in (1.0, 3.5, 9.0)] == pytest.approx([100.0, 200.0, 200.0], rel=1e-12)
    assert pitch_at(None, 1.0, 90.0) == 90.0 and isinstance(bend.courses["pitch"], ValueCurve)


def test_a_star_ornaments_every_string_from_its_own_pitch():
    bound = events("0 b.low pluck re\n0 b.high pluck 150Hz\n1 b.* bend meend=120Hz")
    assert [[round(hz, 9) for _, hz, *_ in points(event)]
            for event in bound[2:]] == [[RE, 120.0], [150.0, 120.0]]


def test_a_strum_ornaments_each_of_its_plucks():
    bound = events("0 b strum re 150Hz kan=140Hz spread=0")
    assert [(event.part, event.verb) for event in bound] == [
        ("low", "pluck"), ("low", "bend"), ("high", "pluck"), ("high", "bend")]


# ---- what is wrong


@pytest.mark.parametrize(("rows", "found"), [
    ("0 b.low bend re",
     [(1, 14,
       "bend has one pitch, no curve; expected a curve, bend (0:sa 1:ga), or for one pitch, fret "
       "ga"
       )]),
    ("0 b.low bend", [
        (1, 13,
         "bend has no pitches; expected a curve, bend (0:sa 1:ga), or an ornament, bend meend=ga")
    ]),
    ("0 b.low bend (0:sa 1:sa' 2:sa'+1c 3:49Hz)", [
        (1, 28, f"the pitch sa'+1c is 200.116 Hz on b.low, +12.01 {IN_RANGE}"),
        (1, 37, f"the pitch 49Hz is 49 Hz on b.low, -12.349756 {IN_RANGE}")
    ]),
    ("0 b.low bend (0:sa 1:ga) meend=ga", [
        (1, 26, "meend and a curve of pitches in one bend; expected one of the two")
    ]),
    ("0 b.low pluck sa meend=ga kan=re", [
        (1, 27, "meend and kan in one row; expected one, and the other in a bend after it")
    ]),
    ("0 b.low pluck sa meend=ga dur=0", [
        (1, 18, "meend lasts for the dur of its row, which is 0 s; expected dur=1")
    ]),
    ("0 b.low pluck sa meend=5", [
        (1, 24, "5 is not a pitch; expected a frequency with its unit: 440Hz")
    ]),
    ("0 b.low pluck sa meend=up", [
        (1, 24, "meend is up; expected a note, meend=ga or meend=(re sa)")
    ]),
    ("0 b.low pluck sa meend=(0:sa 1:ga)", [
        (1, 24, "meend is (0:sa 1:ga); expected a note, meend=ga or meend=(re sa)")
    ]),
    ("0 b.low pluck sa kan=(re ga)", [(1, 22, "kan is the list (re ga); expected one note, kan=ga")
                                      ]),
    ("0 b.low pluck sa kan=re rate=3Hz", [
        (1, 25, "kan has no rate; expected no name: none is defined here")
    ]),
    ("0 b.low pluck sa gamak=re glid=3Hz", [(1, 27, "pluck has no glid; did you mean glide?")]),
    ("0 b.low pluck sa gamak=re rate=0", [
        (1, 32, "rate is 0.0; expected a finite number (Hz), at least 0.1 and at most 30")
    ]),
    ("0 b.low pluck sa gamak=re depth=3s", [
        (1, 33, "depth: 3s is a time; expected an interval in c or st or oct")
    ]),
    ("0 b.low pluck sa gamak=sa", [
        (1, 24, "gamak has the row's own note and no depth; expected another note, or depth=60c")
    ]),
    ("0 b.low pluck sa gamak=re depth=1oct rate=1Hz\n1 b.low bend sa' gamak=sa' depth=1st", [
        (2, 24, f"the gamak goes to a pitch that is 211.893 Hz on b.low, +13 {IN_RANGE}")
    ]),
    ("0 b.low pluck sa kan=sa''", [(1, 22, f"the pitch sa'' is 400 Hz on b.low, +24 {IN_RANGE}")]),
    ("0 b.low bend glide=1s meend=ga", [
        (1, 14, "the string glides to a pitch, and this bend has none; expected bend ga glide=7ms")
    ]),
    ("0 b.low bend (0:sa 1:ga) f=1N", [(1, 26, "bend has no f; expected glide")]),
    ("0 b.low pluck sa\n0 b.low bend (0:re 1:ga)",
     [(2, 14,
       "b.low is given 100 Hz at the same time, at <text>:3:1; expected one pitch of a string at "
       "a time"
       )]),
    ("0 b.low bend (0:sa 1:ga)\n0 b.low pluck sa",
     [(2, 15,
       "b.low is bent at the same time, at <text>:3:1; expected one bend, written after the pluck")
      ]),
    ("0 b.low bend (0:sa 1:ga)\n0 b.low pluck", []),
    ("0 b.low pluck sa\n0 b.low bend (0:sa 1:ga)", []),
])
def test_what_is_wrong_is_reported_at_its_place(rows, found):
    score = pysitar.load_score(text=f"{USE}{rows}\n{SOUND}")
    reported = check(score, options(score)).problems
    assert [(problem.place.line - 2, problem.place.col, problem.message)
            for problem in reported] == found


@pytest.mark.parametrize("scheme", ["three-point", "fd-explicit"])
def test_a_scheme_without_bend_names_the_schemes_with_it(scheme):
    rows = "0 b.low pluck\n1 b.low bend (0:100Hz 1:110Hz)\n2 b.low pluck kan=110Hz"
    score = pysitar.load_score(text=f'use "wires.toml" as b scheme={scheme}\n{rows}')
    reported = [problem.message for problem in check(score, options(score)).problems]
    assert reported == [f"bend is not played by the {scheme} scheme; expected scheme=two-point",
                    f"kan is not played by the {scheme} scheme; expected scheme=two-point"]


def test_an_internal_rate_too_low_for_a_point():
    text = USE.replace("100Hz", "500Hz") + """render rate=8000 oversample=1
set b.low.pitch = 500
set b.low.highest = 36
0 b.low pluck
0 b.low bend (0:sa 1:3.7kHz 2:3.8kHz)"""
    with pytest.raises(ScoreError,
                       match=r"3800 Hz on b\.low, not under 3760 Hz, 0\.47 of the internal rate"):
        bind(pysitar.load_score(text=text), Options(rate=8000, oversample=1))


# ---- flat, and in Python

BUSY = USE + RENDER + """tempo 300
0 b.low pluck re meend=ga dur=2
+ b.low bend (0:ga 0.5:pa/cos 1:re/pow2 1:sa 1.5:ma/step) glide=10ms
4 b.low pluck ga kan=+2st f=0.5N
section a
  0 b.low pluck pa krintan=(ga re sa) f=0.7N
  1 b.low bend andolan=re
  3 b.high pluck 190Hz gamak=200Hz rate=9Hz depth=60c dur=3
  4 b.high pluck +0st
end
play a at=5 transpose=-30c f=*0.9
"""


def test_a_flat_score_has_the_same_bits():
    score = pysitar.load_score(text=BUSY)
    flat = flatten_score(score, bind(score, options(score)))
    again = pysitar.load_score(text=flat)
    assert flatten_score(again, bind(again, options(again))) == flat
    assert not any(word in flat
                   for word in ("meend", "kan", "krintan", "gamak", "andolan", "depth"))
    one, two = (pysitar.render(each) for each in (score, again))
    np.testing.assert_array_equal(one.audio, two.audio)
    assert np.abs(one.audio).max(
    ) > 0.01 and one.report["residual"] < 1e-11 and one.report["failed_solves"] == 0


def test_rows_built_in_python():
    score = Score.from_events(
        [(0.0, "b.low", "pluck", {"pitch": "+0st", "meend": "+2st", "dur": "1s"}),
         (1.0, "b.low", "bend", {"pitch": "(0:+2st 1s:110Hz/cos)"})], use={"b": "wires.toml"})
    [voice] = bind(score, options(score)).voices
    assert [(event.verb, round(event.hz, 6)) for event in voice.events] == [("pluck", 100.0),
                                                                            ("bend", 100.0),
                                                                            ("bend", 112.246205)]
    assert points(voice.events[2])[1] == (1.0, 110.0, "cos", 1.0)
