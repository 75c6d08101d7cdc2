"""The units of scores and of instrument files are those of one table."""
import pytest

from pysitar.errors import ParameterError
from pysitar.models.definitions.reader import read_value
from pysitar.physics.parameters import Parameter
from pysitar.physics.units import KINDS, READABLE, UNITS, format_quantity, units_of
from pysitar.score.literals import Quantity, si_value


@pytest.mark.parametrize("unit", [*KINDS, ""])
def test_a_text_of_a_file_and_a_value_of_a_score_are_the_same(unit):
    parameter = Parameter(name="one", unit=unit, low=-1e9, high=1e9, meaning="")
    assert units_of(unit)
    for name in units_of(unit):
        value = read_value(parameter, f"3.7 {name}", 1.0)
        assert value == si_value(Quantity(3.7, name), unit)
    for name in UNITS.keys() - units_of(unit).keys():
        with pytest.raises(ParameterError, match="expected a "):
            read_value(parameter, f"3.7{name}", 1.0)
        with pytest.raises(ValueError, match="expected a"):
            si_value(Quantity(3.7, name), unit)


def test_intervals_are_in_cents_or_semitones():
    assert si_value(Quantity(2.0, "oct"), "semitones") == 24.0
    assert si_value(Quantity(50.0, "c"), "semitones") == 0.5
    assert si_value(Quantity(3.0, "st"), "cents") == 300.0


def test_the_message_names_every_unit_of_the_kind():
    parameter = Parameter(name="ramp", unit="s", low=0.0, high=1.0, meaning="")
    with pytest.raises(ParameterError) as raised:
        read_value(parameter, "1min", 1.0)
    assert raised.value.expected == "expected a bare number, in s, or a text in s, ms or us"
    parameter = Parameter(name="stiffness", unit="N/m", low=0.0, high=1e9, meaning="")
    with pytest.raises(ParameterError) as raised:
        read_value(parameter, "3kN/m", 1.0)
    assert raised.value.expected == "expected a bare number, in N/m"


@pytest.mark.parametrize(("value", "unit", "digits", "text"), [
    (6e-9, "s", 3, "0.006 us"), (1e-6, "s", 3, "1 us"), (3.4e-4, "s", 2, "340 us"),
    (9.999e-4, "s", 3, "1 ms"), (0.01234567, "s", 4, "12.35 ms"), (1.0, "s", 3, "1 s"),
    (5400.0, "s", 2, "5400 s"), (0.0, "s", 3, "0 s"), (-0.0005, "m", 3, "-500 um"),
    (0.0358, "m", 3, "35.8 mm"), (0.002, "kg", 3, "2 g"), (2.0, "kg", 3, "2 kg"),
])
def test_a_quantity_is_in_the_largest_unit_in_which_it_is_1(value, unit, digits, text):
    assert format_quantity(value, unit, digits) == text


@pytest.mark.parametrize("unit", READABLE)
def test_a_score_reads_what_is_shown(unit):
    for power in range(-9, 4):
        number, shown = format_quantity(1.23 * 10.0**power, unit).split()
        factor, divisor = units_of(unit)[shown]
        assert float(number) * factor / divisor == pytest.approx(1.23 * 10.0**power, rel=1e-12)
