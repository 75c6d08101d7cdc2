"""The caller's options override the score's, and these the defaults; errors are reported at their
places."""
import pytest

from pysitar.errors import ParameterError, ScoreError
from pysitar.rendering.options import Options, options, read_options
from pysitar.score.document import Score
from pysitar.score.parser import load_score


def score(line=""):
    return load_score(text=f"use tanpura as t\n{line}\n0 t.pa pluck")


def test_arguments_then_score_then_defaults():
    assert options(score()) == Options(rate=48000, oversample=2, seed=0, tail=None, floor=-60.0,
                                       fade=0.4, channels=2, peak=None)
    line = ("render rate=44.1kHz oversample=4 seed=7 tail=1500ms floor=-70 fade=250ms channels=1 "
            "peak=-3dB")
    expected = Options(rate=44100, oversample=4, seed=7, tail=1.5, floor=-70.0, fade=0.25,
                       channels=1, peak=-3.0)
    assert options(score(line)) == expected and expected.internal_rate == 176400
    given = options(score(line), rate=96000, oversample=1, seed=3, tail="auto", floor=-90, fade=0,
                    channels=2, peak=0)
    assert given == Options(rate=96000, oversample=1, seed=3, tail=None, floor=-90.0, fade=0.0,
                            channels=2, peak=0.0)
    assert options(score("render peak=-1")).peak == -1.0          # a bare number is in dB
    assert options(score("render tail=auto"), tail=2).tail == 2.0 and options(
        score("render tail=0")).tail == 0.0


@pytest.mark.parametrize(("line", "col", "part"), [
    ("render rate=7999", 13, "whole number from 8000 to 768000"),
    ("render rate=48000.5", 13, "whole number"),
    ("render rate=48m", 13, "a frequency in Hz or kHz"),
    ("render oversample=0", 19, "from 1 to 64"),
    ("render oversample=1000", 19, "from 1 to 64"),
    ("render oversample=auto", 19, "oversample is auto; expected a number"),
    ("render seed=-1", 13, "whole number from 0"),
    ("render tail=-1s", 13, "at least 0"),
    ("render tail=long", 13, "auto, or a time in s"),
    ("render floor=0dB", 14, "at most -20"),
    ("render fade=-1ms", 13, "at least 0"),
    ("render fade=6", 13, "at most 5"),
    ("render fade=auto", 13, "fade is auto; expected a number"),
    ("render fade=2dB", 13, "a time in s or ms"),
    ("render channels=3", 17, "from 1 to 2"),
    ("render peak=0.1dB", 13, "at least -100 and at most 0"),
    ("render peak=-101dB", 13, "at least -100 and at most 0"),
    ("render peak=-1s", 13, "a level in dB"),
    ("render peak=auto", 13, "peak is auto; expected a number"),
    ("render rate=96000 oversample=64", 30, "6144000 Hz; expected at most 3100000 Hz"),
    ("render oversample=64 rate=96000", 19, "an oversample of 32"),
])
def test_a_wrong_option_of_the_score_has_its_place(line, col, part):
    with pytest.raises(ScoreError) as caught:
        options(score(line))
    (problem,) = caught.value.problems
    assert (problem.place.line, problem.place.col) == (2, col) and part in problem.message


@pytest.mark.parametrize("given", [
    {"rate": 100},
    {"rate": 48000.0},
    {"rate": True},
    {"oversample": 1000},
    {"oversample": "2"},
    {"seed": -1},
    {"seed": 2**53},
    {"tail": -1},
    {"tail": float("nan")},
    {"tail": "long"},
    {"floor": 1},
    {"fade": -0.1},
    {"fade": 5.1},
    {"channels": 3},
    {"rate": 192000, "oversample": 17},
    {"peak": 1},
    {"peak": -100.5},
    {"peak": float("nan")},
    {"peak": "-1dB"},
])
def test_a_wrong_argument_is_a_parameter_error(given):
    with pytest.raises(ParameterError) as caught:
        options(score(), **given)
    assert caught.value.name in given


def test_an_internal_rate_too_high_is_reported_at_its_cause():
    with pytest.raises(ParameterError, match="oversample is 64; with rate 96000"):
        options(score("render rate=96000"), oversample=64)
    with pytest.raises(ScoreError, match="with rate 96000"):
        options(score("render oversample=64"), rate=96000)
    assert options(score("render oversample=64"), rate=96000,
                   allow_large=True).internal_rate == 6144000


def test_all_problems_are_returned_with_the_usable_options():
    found, problems = read_options(score("render rate=1 seed=-1 channels=1"))
    assert found == Options(channels=1) and [problem.place.col for problem in problems] == [13, 20]


def test_options_from_python():
    built = Score.from_events([(0.0, "t.pa", "pluck", {})], use={"t": "tanpura"},
                              render={"rate": 44100, "tail": "auto"})
    assert options(built).rate == 44100
