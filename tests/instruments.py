"""The instruments of the tests, each written once, and functions that vary them.

A value that is a dict becomes a table below: `string("a", pitch=220.0, pluck=PLUCK)` has the tables
[strings.a] and [strings.a.pluck]. The texts in full are those of tests that change single lines.
"""
import json

PLUCK = {"position": 0.2, "force": 1.0, "width": 0.0, "ramp": 0.005, "release": 0.001}
THREAD = {"position": 0.008, "height": 1e-5, "stiffness": 1e5, "resistance": 1.0}


def keys(values):
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())


def table(title, **values):
    """Return a table of TOML and those below it."""
    below = {key: value for key, value in values.items() if isinstance(value, dict)}
    own = {key: value for key, value in values.items() if key not in below}
    return f"[{title}]\n{keys(own)}" + "".join(
        table(f"{title}.{key}", **value) for key, value in below.items())


def instrument(*tables, model="string", gain=1.0, **values):
    """Return the text of an instrument of these tables."""
    return keys({"model": model, "gain": gain, **values}) + "".join(tables)


def string(name="a", *, pitch=220.0, length=0.65, linear_density=1e-3, pluck=PLUCK, **values):
    """Return the tables of a string; pluck replaces values of PLUCK."""
    return table(f"strings.{name}", pitch=pitch, length=length, linear_density=linear_density,
                 **values, pluck=PLUCK | pluck)


def mass(name="a", *, throw, **values):
    """Return the tables of a mass that is thrown."""
    return table(f"masses.{name}", **values, throw=throw)


def masses(*tables, gain=1e-5, **values):
    """Return the text of an instrument of masses."""
    return instrument(*tables, model="lumped", gain=gain, **values)


def ideal_wires(low=100.0):
    """Return an instrument of two strings without losses: low at a pitch (Hz), and high at 200."""
    first = {"position": 0.25, "force": 2.0, "ramp": 0.01, "release": 0.0}
    second = first | {"force": 3.0, "ramp": 0.02, "release": 1e-3}
    return instrument(
        string("low", pitch=low, length=0.5, pluck=first),
        string("high", pitch=200.0, length=0.4, linear_density=5e-4, pluck=second), gain=2.0)


# Modes of an object as measured, and of a light panel that a blow moves by millimetres.
TOP_MODES = {
    "frequencies": [315.35, 606.43, 970.29, 1091.6, 1261.4, 1746.5],
    "decay_rates": [21.85, 36.48, 54.77, 60.87, 69.4, 93.79],
    "masses": [0.648] * 6,
    "shapes": [0.8813, 0.7, 0.4918, -0.3253, 0.3906, -0.1815],
    "weights": [1.0, 1.0, 1.0, -1.0, 1.0, -1.0]
}
PANEL_MODES = {
    "frequencies": [99.661, 201.74, 296.57, 371.86, 398.64, 568.77],
    "decay_rates": [30.65, 46.69, 61.58, 73.41, 77.62, 104.3],
    "masses": [0.037] * 6,
    "shapes": [0.8474, 0.7694, 0.5237, -0.1488, 0.4755, -0.09195]
}
ROLL = {"velocity": 0.5, "roughness": 4e-7, "shortest": 2e-4, "longest": 2e-2, "damping": 20.0}


def struck_object(**values):
    """Return an object `top` that a ball of glass or rubber hits; values replace its own."""
    return instrument(
        table("balls.glass", mass=5.362e-3, radius=8e-3, stiffness=1.338e8, damping=0.7931),
        table("balls.rubber", mass=36.86e-3, radius=20e-3, stiffness=1.234e6, exponent=1.4,
              damping=0.4959), table("objects.top", **{"ball": "glass"} | TOP_MODES | {
                  "strike": {"velocity": 1.0}, "drop": {"height": 0.05}, "roll": ROLL} | values),
        model="impact", gain=2.0)


# A wire so short that two modes are left of it, quick to compute; as thick as a rod, or it would
# break. Those who use it alter lines of this text.
TWO_MODES = """\
# A short thick wire.
model = "string"
gain = 1.0
[strings.a]
pitch = 9000.0
length = 0.2
linear_density = 1e-3
core_diameter = 0.01
sigma0 = 5.0
[strings.a.pluck]
position = 0.3
force = 0.5
width = 0.0
ramp = 0.005
release = 0.0001
"""
# Two strings that have everything that the first readers of an instrument read.
BOX = """
model = "string"
gain = 2
[body]
frequencies = [100.0, 250]
q = [20, 30.0]
masses = [1.0, 0.5]
weights = [1.0, -1.5]
[strings.low]
pitch = "pa,"
length = 0.5
linear_density = 1e-3
[strings.low.barrier]
profile = "flat"
start = 0.1
extent = 0.02
height = -1e-3
points = 4
stiffness = 1e8
exponent = 1.5
[strings.low.thread]
position = "8mm"
height = 0
stiffness = 1e5
[strings.low.pluck]
position = 0.25
force = -1
ramp = 0.01
release = 0
[strings.high]
pitch = 220
cents = -10
length = "40cm"
linear_density = 5e-4
bending_stiffness = 1e-4
sigma0 = 0.5
sigma1 = 0.01
sigma2 = 1e-4
sigma3 = 1e-6
[strings.high.pluck]
position = " 10cm"
force = 2
width = "5mm"
ramp = 0.01
release = 1e-3
touch = 0.5
lead = 0.02
"""
# A string over frets and a fretboard, heard by a pickup.
FRETTED = """
model = "string"
gain = 1
[strings.e]
pitch = 41.2
lowest = -2
highest = 20
length = 0.864
linear_density = 0.0315
core_diameter = "0.7mm"
[strings.e.frets]
count = 20
gap_nut = "0.6mm"
gap_12 = 2e-3
stiffness = 5e6
damping = 0.5
[strings.e.fretboard]
start = 0.25
gap_nut = 1.7e-3
gap_12 = 3.1e-3
points = 8
stiffness = 1e8
exponent = 1.5
[strings.e.pickup]
position = "14cm"
[strings.e.pluck]
position = 0.25
force = 1
ramp = 0.01
release = 0
"""
# A choice of two bridges; the second changes three values of strings.
BRIDGES = """\
bridge = "low"
[bridges.low]
[bridges.high]
"*.barrier.height" = "50um"
"*.barrier.points" = 6
"b.barrier.points" = 5
"a.cents" = -20
"""


def exchange_line(text, old, new):
    """Return a text with another line, or none, in the place of the first that is this one."""
    assert f"\n{old}\n" in text
    return text.replace(f"\n{old}\n", f"\n{new}\n", 1)
