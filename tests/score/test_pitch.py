"""Pitches against closed forms, and invalid pitches."""
import math
from fractions import Fraction

import pytest

from pysitar.score.literals import Quantity
from pysitar.score.pitch import (
    DEFAULT_TUNING,
    JUST,
    NAMES,
    Tuning,
    edo_tuning,
    frequency,
    just_tuning,
    parse_pitch,
    shruti_tuning,
    string_frequency,
    to_pitch,
)

SA = 240.0


def hz(text, tuning=None, open_hz=None, transpose=0.0):
    return frequency(parse_pitch(text), tuning or just_tuning(SA), open_hz, transpose)


def test_the_twelve_just_ratios():
    ratios = ["1", "16/15", "9/8", "6/5", "5/4", "4/3", "45/32", "3/2", "8/5", "5/3", "9/5", "15/8"]
    assert [float(Fraction(ratio)) for ratio in ratios] == list(JUST)
    for name, ratio in zip(NAMES, ratios, strict=True):
        assert hz(name) == SA * float(Fraction(ratio))


@pytest.mark.parametrize(("text", "ratio"), [
    ("sa'", 2),
    ("pa,", 0.75),
    ("sa,,", 0.25),
    ("re''", 4.5),
    ("re-", 16 / 15),
    ("ma+", 45 / 32),
    ("re-'", 32 / 15),
    ("re-14c", 9 / 8 * 2**(-14 / 1200)),
    ("re--14c", 16 / 15 * 2**(-14 / 1200)),
    ("re-+14c", 16 / 15 * 2**(14 / 1200)),
    ("ga'+14c", 2.5 * 2**(14 / 1200)),
    ("ma+14c", 4 / 3 * 2**(14 / 1200)),
    ("ma++14c", 45 / 32 * 2**(14 / 1200)),
    ("pa,-0.5c", 0.75 * 2**(-0.5 / 1200)),
])
def test_marks_and_cents(text, ratio):
    assert hz(text) == pytest.approx(SA * ratio, rel=1e-15)


@pytest.mark.parametrize(("text", "semitones"), [
    ("A4", 0),
    ("A3", -12),
    ("C4", -9),
    ("C#3", -20),
    ("Db3", -20),
    ("B3", -10),
    ("Cb4", -10),
    ("B#3", -9),
    ("G9", 58),
    ("C0", -57),
    ("A3-14c", -12.14),
    ("A4+50c", 0.5),
])
def test_western_names_do_not_follow_the_tuning(text, semitones):
    assert hz(text) == pytest.approx(440 * 2 ** (semitones / 12), rel=1e-14)
    assert hz(text, edo_tuning(100.0, 22)) == hz(text)


def test_hertz_and_the_open_string():
    assert hz("440Hz") == 440.0
    assert hz("0.44kHz") == 440.0
    assert hz("+3st", open_hz=100.0) == pytest.approx(100 * 2 ** 0.25, rel=1e-15)
    assert hz("-12st", open_hz=100.0) == 50.0
    assert hz("440Hz", transpose=1200.0) == 880.0
    assert hz("pa", transpose=-1200.0) == SA * 0.75


def test_edo():
    for steps in (1, 5, 22, 1000):
        tuning = edo_tuning(SA, steps)
        for step in range(0, steps, max(1, steps // 7)):
            assert hz(f"d{step}", tuning) == pytest.approx(SA * 2 ** (step / steps), rel=1e-15)
    assert hz("d5'", edo_tuning(SA, 22)) == pytest.approx(SA * 2 ** (1 + 5 / 22), rel=1e-15)
    assert hz("pa", edo_tuning(SA, 12)) == pytest.approx(SA * 2 ** (7 / 12), rel=1e-15)


def test_shruti_has_names_and_steps():
    tuning = shruti_tuning(SA)
    assert hz("pa", tuning) == hz("d13", tuning) == pytest.approx(SA * 1.5, rel=1e-6)
    steps = (0, 2, 4, 6, 7, 9, 11, 13, 15, 16, 19, 20)
    assert [hz(name, tuning) for name in NAMES] == [hz(f"d{step}", tuning) for step in steps]
    assert hz("d1", tuning) == SA * math.pow(2, 90.225 / 1200)
    assert hz("d21", tuning) == SA * math.pow(2, 1109.775 / 1200)


def test_a_scale_repeats_at_its_period():
    tuning = Tuning(SA, "scala", (1.0, 1.4, 2.2), 3.0, "x.scl")
    assert hz("d1'", tuning) == pytest.approx(SA * 4.2, rel=1e-15)
    assert hz("d2,", tuning) == pytest.approx(SA * 2.2 / 3, rel=1e-15)


def test_a_scale_in_any_order():
    """Degrees are in the order of the file, and an octave mark is the last note, whatever its
    ratio."""
    falling = Tuning(SA, "scala", (1.0, 1.5, 1.125, 1.125), 0.5, "x.scl")
    assert [hz(text, falling) for text in ("d1", "d2", "d3", "d1'", "d1,")] == [
        SA * 1.5, SA * 1.125, SA * 1.125, SA * 0.75, SA * 3.0]
    unison = Tuning(SA, "scala", (1.0, 1.125), 1.0, "x.scl")
    assert hz("d1''", unison) == hz("d1,", unison) == SA * 1.125
    assert hz("d0+100c", NO_NOTES) == pytest.approx(SA * 2 ** (1 / 12), rel=1e-15)
    assert string_frequency(parse_pitch("pa,"), NO_NOTES) == SA * 0.75


NO_NOTES = Tuning(SA, "scala", (1.0,), None, "x.scl")


@pytest.mark.parametrize(("text", "tuning", "fragment"), [
    ("d0'", NO_NOTES, "x.scl has no notes, so no period; expected d0 without marks"),
    ("d1", NO_NOTES, "beyond the last step, d0; expected no other step"),
    ("d0" + "'" * 10, Tuning(SA, "scala", (1.0, ), 2.0**1000,
                             "x.scl"), "exceeds the range of floating-point numbers"),
    ("d3", just_tuning(SA), "expected the names sa re ga in this one"),
    ("d3", edo_tuning(SA, 12), "expected the names sa re ga in this one"),
    ("d22", edo_tuning(SA, 22), "beyond the last step, d21"),
    ("pa", edo_tuning(SA, 22), "expected d0 to d21"),
    ("pa", Tuning(SA, "scala", (1.0, 1.2), 2.0), "expected d0 to d1"),
    ("+3st", just_tuning(SA), "open string"),
    ("sa+1e7c", just_tuning(SA), "exceeds the range of floating-point numbers"),
    ("sa-1e9c", just_tuning(SA), "exceeds the range of floating-point numbers"),
])
def test_what_a_tuning_does_not_have(text, tuning, fragment):
    with pytest.raises(ValueError, match=fragment):
        hz(text, tuning)


def test_strings_of_an_instrument_keep_their_just_ratio_where_a_scale_has_no_names():
    assert string_frequency(parse_pitch("pa,"), edo_tuning(SA, 22)) == SA * 0.75
    assert string_frequency(parse_pitch("pa,"),
                            edo_tuning(SA, 12)) == pytest.approx(SA * 2**(-5 / 12), rel=1e-15)


def test_degrees_and_absolute_pitches():
    assert [parse_pitch(text).is_degree
            for text in ("pa,", "d7", "C#3", "440Hz", "+3st")] == [True, True, False, False, False]


@pytest.mark.parametrize("text",
                         ["", "re-14", "sa-", "pa-", "ga+", "H3", "C#", "C##3", "c3", "C10", "C-1",
                          "440", "-440Hz", "0Hz", "3st", "+3c", "sa',", "sa" + "'" * 11, "d", "d-1",
                          "dha--", "re-14c'", "A4'", "sa pa", "१", "sa+1e999c", "440Hz+14c"])
def test_what_is_no_pitch(text):
    with pytest.raises(ValueError, match=r".+; .+"):
        parse_pitch(text)


def test_quantities_as_pitches():
    assert to_pitch(Quantity(440.0, "Hz")).hertz == 440.0
    assert to_pitch(Quantity(-3.0, "st")).cents == -300.0
    with pytest.raises(ValueError, match="440Hz"):
        to_pitch(Quantity(440.0))


def test_the_default_tuning():
    assert DEFAULT_TUNING.kind == "just"
    assert DEFAULT_TUNING.sa_hz == pytest.approx(138.5913155, abs=1e-6)
