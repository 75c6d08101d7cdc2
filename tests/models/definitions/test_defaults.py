"""Tables for several strings, and values with units, in instrument files."""
import pytest

from pysitar.models.definitions.faults import InstrumentError
from pysitar.models.definitions.loader import parse_instrument

SHARED = """
model = "string"
gain = 1.0
[strings.default]
length = "65cm"
linear_density = 0.005
sigma0 = 1.0
[strings.default.pluck]
position = 0.2
force = "1200mN"
ramp = 0.01
release = "1ms"
[strings."b*"]
sigma0 = 2.0
[strings."b*".pluck]
position = 0.3
width = "2mm"
ramp = "6ms"
[strings.a]
pitch = "A2"
[strings.b1]
pitch = 200.0
[strings.b2]
pitch = "210Hz"
sigma0 = 3.0
[strings.b2.pluck]
force = "4 N"
"""


def parsed(text):
    return parse_instrument(text, name="x", shown="x.toml")


def test_a_string_has_the_values_of_the_tables_that_its_name_matches():
    spec = parsed(SHARED)
    a, b1, b2 = spec.strings
    assert [string.name for string in spec.strings] == ["a", "b1", "b2"]
    assert [string.length for string in spec.strings] == [0.65] * 3
    assert [string.sigma0 for string in spec.strings] == [1.0, 2.0, 3.0]
    assert [one.pluck.position for one in spec.strings] == [
        pytest.approx(0.13), pytest.approx(0.195), pytest.approx(0.195)]
    assert [string.pluck.force for string in spec.strings] == [1.2, 1.2, 4.0]
    assert (a.pluck.width, b1.pluck.width, a.pluck.ramp, b2.pluck.ramp) == (
        0.0, 0.002, 0.01, 0.006)


def test_what_is_wrong_in_a_shared_table_is_reported_at_each_string():
    with pytest.raises(InstrumentError) as caught:
        parsed(SHARED.replace("sigma0 = 2.0", "sigm0 = 2.0"))
    assert {fault.key for fault in caught.value.faults} == {"strings.b1.sigm0", "strings.b2.sigm0"}


@pytest.mark.parametrize("wrong", ['"4mm"', '"4 N N"', '"N"', '"1e999N"', '"4kN"'])
def test_a_text_with_another_unit_is_no_value(wrong):
    text = SHARED.replace('"4 N"', wrong)
    with pytest.raises(InstrumentError, match="force is"):
        parsed(text)
