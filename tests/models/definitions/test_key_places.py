"""Faults of instrument files have the line and column of their key, or of its table."""
import pytest

from pysitar.models.definitions.key_places import KeyPlaces
from pysitar.models.definitions.loader import InstrumentError, parse_instrument

TEXT = '''# a comment with [strings.no] and key = 1
model = "string"
gain = 0.1
[strings.default]
length = 0.65   # m
linear_density = 5e-3
note = """
[strings.fake]
length = 2"""
[strings.default.pluck]
position = '12cm'
list = [ # [
  1, "]",
  { a = 2 },
]
[ strings . "b*" ]
sigma0 = 1
  [strings.b1]
  pitch = "A2"
  pluck.force = 2
[[other]]
x = 1\r
'''


@pytest.mark.parametrize("path, line, column", [
    (("gain",), 3, 1), (("strings", "b1", "pitch"), 19, 3), (("strings", "b1"), 18, 3),
    (("strings", "b1", "pluck", "force"), 20, 3), (("strings", "b1", "sigma0"), 17, 1),
    (("strings", "b1", "length"), 5, 1), (("strings", "b1", "pluck", "position"), 11, 1),
    (("strings", "b1", "pluck", "list"), 12, 1), (("strings", "b1", "missing"), 18, 3),
    (("strings", "c", "missing"), 4, 1), (("other", "x"), 22, 1), (("nothing",), 0, 0),
    (("strings", "fake", "length"), 5, 1),
])
def test_places(path, line, column):
    place = KeyPlaces(TEXT, "a.toml").place(path, "strings")
    assert place[:3] == ("a.toml", line, column)
    if line:
        assert place.text == TEXT.split("\n")[line - 1].rstrip("\r")


FILE = """model = "string"
gain = 0.1
[strings.a]
pitch = "A2"
length = "65cm"
gauge = "0.010in"
[strings.a.pluck]
position = "12cm"
force = "4N"
width = "8mm"
ramp = "6ms"
release = "1ms"
"""


def faults(text):
    with pytest.raises(InstrumentError) as caught:
        parse_instrument(text, name="a", shown="a.toml")
    return [(problem.place.line, problem.place.col, problem.message)
            for problem in caught.value.problems]


def test_the_place_of_a_fault():
    assert faults(FILE.replace('"4N"', '"4kg"'))[0][:2] == (9, 1)
    assert faults(FILE.replace('ramp = "6ms"\n', ""))[0][:2] == (7, 1)
    assert faults(FILE.replace('gauge = "0.010in"', "gauge = = 1"))[0][:2] == (6, 9)


def test_the_gauge_gives_mass_and_stiffness():
    # pi d^2 / 4 times 7800 kg/m^3, and pi d^4 / 64 times 210 GPa, of 0.254 mm
    plain = parse_instrument(FILE, name="a", shown="a.toml").parts[0]
    assert plain.linear_density == pytest.approx(7800.0 * 5.06707e-8, rel=1e-5)
    assert plain.bending_stiffness == pytest.approx(210e9 * 2.04318e-16, rel=1e-5)
    assert plain.wire == pytest.approx(0.254e-3, rel=1e-15)
    # the winding of the guitar's low e: its own file has 9.959 g/m with slightly other densities
    wound = parse_instrument(FILE.replace('"0.010in"', '"0.053in"\nwinding = "bronze"\n'
                                          'core_diameter = "0.016in"'), name="a", shown="a.toml")
    assert wound.parts[0].linear_density == pytest.approx(9.95917e-3, rel=0.02)
    assert wound.parts[0].bending_stiffness == pytest.approx(2.678e-4, rel=0.06)


@pytest.mark.parametrize("change, line, message", [
    ('gauge = "0.010in"\nlinear_density = 1e-3', 7, "expected either gauge or linear_density"),
    ("", 3, "expected the mass per length (kg/m), or gauge"),
    ('gauge = "1mm"\nwinding = "bronze"', 3, "that of the core in the winding"),
    ('gauge = "1mm"\nwinding = "bronze"\ncore_diameter = "2mm"', 8, "above 0 and below 0.001 m"),
    ('gauge = "1mm"\ncore_diameter = "0.5mm"', 7, "without a winding"),
    ('linear_density = 1e-3\nmaterial = "brass"', 7, "brass has no effect without the outer"),
    ('linear_density = 1e-3\nwinding = "bronze"', 7, "expected a gauge"),
    ('gauge = "1mm"\nmaterial = "stele"', 7, "did you mean steel?"),
])
def test_faults_of_gauges(change, line, message):
    found = faults(FILE.replace('gauge = "0.010in"', change))
    assert [(place, message in text) for place, _, text in found] == [(line, True)]
