"""Values with their units."""
import pytest

from pysitar.errors import Place
from pysitar.score.literals import (
    Curve,
    ListLiteral,
    Name,
    Pitch,
    Quantity,
    Text,
    literal_text,
    si_value,
)
from pysitar.score.values import parse_value


def read(text):
    return parse_value(text, Place("x", 1, 1, text))


@pytest.mark.parametrize(("text", "unit", "amount"), [
    ("7ms", "s", 0.007),
    ("2s", "s", 2.0),
    ("11cm", "m", 0.11),
    ("3mm", "m", 0.003),
    ("60um", "m", 60e-6),
    ("-1.5um", "m", -1.5e-6),
    ("3m", "m", 3.0),
    ("250mN", "N", 0.25),
    ("-2N", "N", -2.0),
    ("1.5kHz", "Hz", 1500.0),
    ("440Hz", "Hz", 440.0),
    ("4g", "kg", 0.004),
    ("1kg", "kg", 1.0),
    ("-80dB", "dB", -80.0),
    ("50c", "cents", 50.0),
    ("2st", "cents", 200.0),
    ("-1oct", "cents", -1200.0),
    ("1.5m/s", "m/s", 1.5),
    ("0.4", "m", 0.4),
    ("2e9", "N/m^2", 2e9),
    (".5", "", 0.5),
    ("5.", "", 5.0),
    ("+1E-3", "kg/m", 0.001),
])
def test_units(text, unit, amount):
    assert si_value(read(text), unit) == amount


@pytest.mark.parametrize(("text", "unit", "fragment"), [
    ("11cm", "N", "11cm is a length; expected a force in N or mN"),
    ("1N", "", "expected a number without unit"),
    ("1N", "kg/m", "expected a bare number, in kg/m"),
    ("2st", "Hz", "2st is an interval; expected a frequency in Hz or kHz"),
    ("2s", "cents", "expected an interval in c or st or oct"),
])
def test_the_wrong_kind_of_unit_names_the_right_one(text, unit, fragment):
    with pytest.raises(ValueError, match=fragment.replace("(", r"\(")):
        si_value(read(text), unit)


def test_kinds_of_values():
    assert isinstance(read("auto"), Name)
    assert read("three-point").text == "three-point"
    assert isinstance(read("re-14c"), Pitch)
    assert read('"a b = (c) # d"') == Text("a b = (c) # d", Place("x", 1, 1, '"a b = (c) # d"'))
    assert [type(item) for item in read("(re 2N auto)").items] == [Pitch, Quantity, Name]
    assert isinstance(read("(re sa)"), ListLiteral)
    assert isinstance(read("तानपुरा"), Name)


def test_curves():
    curve = read("(0:re 0.5:ga/cos 2s:440Hz/pow2.5 3s:C#3/step)")
    assert isinstance(curve, Curve)
    assert curve.is_pitch
    assert [(point.time, point.in_seconds, point.shape, point.exponent)
            for point in curve.points] == [(0.0, False, "lin", 1.0), (0.5, False, "cos", 1.0),
                                           (2.0, True, "pow", 2.5), (3.0, True, "step", 1.0)]
    speeds = read("(0:1m/s 1:2m/s/exp)")
    assert [(point.value.value, point.value.unit, point.shape)
            for point in speeds.points] == [(1.0, "m/s", "lin"), (2.0, "m/s", "exp")]
    assert not speeds.is_pitch
    assert [point.time for point in read("(0:1N 1:1N 1:2N 2:0N)").points] == [0, 1, 1, 2]


@pytest.mark.parametrize("text", ["0.6N", "-80dB", "auto", "re-14c", '"a b"', "(re sa)",
                                  "(0:re/lin 0.5:ga/cos 2s:pa/pow2)", "2000000000", "1e+22"])
def test_what_is_written_reads_the_same(text):
    assert literal_text(read(text)) == text
    assert literal_text(read(literal_text(read(text)))) == text
