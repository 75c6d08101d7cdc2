"""Errors of objects: rows, changes and files, each with its place and unit, and nothing is
rendered."""
import pytest

import pysitar
from pysitar.errors import ScoreError
from pysitar.gestures.balls import MOST_SEATS
from pysitar.gestures.roll import MOST_WAVES
from pysitar.models.definitions.loader import InstrumentError, parse_instrument, preset_text
from pysitar.rendering.binding import binder
from pysitar.rendering.options import options

FILE = preset_text("wood_table")


def reported(row, first="use wood_table as t"):
    with pytest.raises(ScoreError) as caught:
        pysitar.render(pysitar.load_score(text=f"{first}\nrender tail=0\n{row}\n"))
    [problem] = caught.value.problems
    return problem.place.line, problem.place.col, problem.message


@pytest.mark.parametrize("row, col, words", [
    ("0 t.table strike ball=stone", 23, "ball is stone; expected one of glass, steel"),
    ("0 t.table strike ball=xyz", 23,
     "expected one of glass, steel, large_steel, wood, plastic, rubber"),
    ("0 t.table strike place=edges", 24, "place is edges; did you mean edge?"),
    ("0 t.table strike place=0.2", 24, "place is 0.2; expected a name"),
    ("0 t.table strike ball=3", 23, "ball is 3; expected a name"),
    ("0 t.table strike v=0", 20,
     "velocity is 0.0; expected a finite number (m/s), above 0 and at most 1000"),
    ("0 t.table strike v=1kg", 20, "expected a speed in m/s"),
    ("0 t.table strike m=0", 20, "mass is 0.0; expected a finite number (kg)"),
    ("0 t.table strike K=-1", 20, "(N/m^exponent), above 0"),
    ("0 t.table strike alpha=0.5", 24, "exponent is 0.5"),
    ("0 t.table strike damping=1e7", 26, "(s/m)"),
    ("0 t.table strike x=0.2", 20, "this object has no x; expected a place that its file names"),
    ("0 t.table strike h=1cm", 18, "strike has no h"),
    ("0 t.table strike C9", 18, "expected at most an octave from its own"),
    ("0 t.table roll sa", 16, "takes no pitch"),
    ("0 t.table drop h=-1m", 18,
     "height is -1.0; expected a finite number (m), at least 0 and at most 100"),
    ("0 t.table drop h=1cm irregularity=2", 35, "at least 0 and at most 1"),
    ("0 t.table drop v=1", 16, "drop has no v"),
    ("0 t.table roll irregularity=0.2", 16, "roll has no irregularity; expected it with drop"),
    ("0 t.table roll dur=0", 1, "a ball rolls for the dur of its row; expected above 0"),
    ("0 t.table roll longest=0.1mm", 24, "expected at least the shortest wavelength, 0.0002 m"),
    ("0 t.table roll shortest=1um", 25, "expected at least 4.88e-06 m"),
    ("0 t.table roll roughness=2cm", 26, "(m), at least 0 and at most 0.01"),
    ("0 t.table roll v=(0:1 2:-1)", 18,
     "velocity is -1.0; expected a finite number (m/s), at least 0"),
    ("0 t.table roll v=(0:1 2:1kg)", 18, "expected a speed in m/s"),
    ("0 t.table roll v=(0:re 2:ga)", 18, "a point of velocity is re; expected a number in m/s"),
    ("0 t.table roll v=(0:1 2:0) resistance=0.1", 39,
     "resistance goes with a constant velocity, not with a curve; expected it left out"),
    ("0 t.table strike v=(0:1 2:0)", 20, "velocity is (0:1 2:0); expected a number"),
    ("0 t.table drop h=(0:1 1s:2cm/pow2)", 18, "height is (0:1 1s:2cm/pow2); expected a number"),
    ("0 t.table pluck", 11,
     "this version plays strike, drop, roll, press and bow on objects; expected pluck on strings"),
    ("0 t.table throw", 11, "expected throw on masses"),
    ("0 t strike", 3, "strike plays an object; expected t.table, or t.* for all"),
    ("0 t.top strike", 5, "t has no object top; expected table"),
])
def test_a_wrong_row_is_reported(row, col, words):
    line, where, message = reported(row)
    assert (line, where) == (3, col) and words in message


@pytest.mark.parametrize("change, col, words", [
    ("set t.balls.glas.mass = 3g", 13, "balls has no glas; did you mean glass?"),
    ("set t.balls.glass.colour = 3", 19, "balls.glass has no colour"),
    ("set t.balls.glass.mass = 3m", 26, "3m is a length; expected a mass in kg or g"),
    ("set t.balls.glass.mass = 0", 26,
     "mass is 0.0; expected a finite number (kg), at least 1e-06"),
    ("set t.balls.glass = 3", 13, "glass is a table"),
    ("set t.table.ball = stone", 20, "ball is stone; expected one of glass, steel"),
    ("set t.table.roll.longest = 0.1mm", 28, "at least the shortest wavelength"),
    ("set t.table.drop.h = 1cm", 18, "t.table.drop has no h"),
    ("set t.table.masses = (1)", 22, "1 values for 30 frequencies"),
])
def test_a_wrong_change_is_reported(change, col, words):
    line, where, message = reported(f"{change}\n0 t.table strike")
    assert line == 3 and (where == col or "values for" in message) and words.replace(
        "t.table.drop has", "table.drop has") in message


def test_an_object_without_places_is_reported():
    words = "place is rim; this object has no places; expected a row without place"
    assert reported("0 g.glass strike place=rim", "use glass as g")[1:] == (24, words)


def test_a_change_reaches_balls_and_objects():
    rows = "render tail=0 oversample=1\n0 t.table strike dur=5ms"
    plain, by_row, by_set, by_ball = (
        pysitar.render(pysitar.load_score(text=text)).audio
        for text in (f"use wood_table as t\n{rows}", f"use wood_table as t\n{rows} m=20g K=1e7 "
                     f"ball=wood", f"use wood_table as t\nset t.balls.*.mass = 20 g\n"
                     f"set t.balls.wood.stiffness = 1e7\nset t.table.ball = wood\n{rows}",
                     f"use wood_table as t\nset t.balls.wood.mass = 20g\n{rows} K=1e7 ball=wood"))
    assert (by_row == by_set).all() and (by_row == by_ball).all() and not (plain == by_row).all()


def faults(text):
    with pytest.raises(InstrumentError) as caught:
        parse_instrument(text, name="o", shown="o.toml")
    return str(caught.value)


@pytest.mark.parametrize("old, new, words", [
    ("[balls.glass]", "[balls.2]", "balls.2: 2 is no name"),
    ("mass = 0.005362", "",
     "balls.glass.mass: is missing; expected a number (kg): the mass of the ball"),
    ("mass = 0.005362", "mass = -1.0",
     "balls.glass.mass: mass is -1.0; expected a finite number (kg)"),
    ("mass = 0.005362", "mas = 0.005362", "balls.glass.mas: is not known; did you mean mass?"),
    ('ball = "glass"', 'ball = "stone"',
     "objects.table.ball: ball is stone; expected one of glass, steel"),
    ('ball = "glass"', "", "objects.table.ball: is missing; expected \"glass\" or \"steel\""),
    ("decay_rates = [", "decay_rates = [1.0, ",
     "objects.table.decay_rates: 31 values for 30 frequencies; expected as many"),
    ("weights = [", "weights = [1.0, ", "objects.table.weights: 31 values for 30 frequencies"),
    ("frequencies = [", "frequencies = [0.0, ",
     "frequencies[0] is 0.0; expected a finite number (Hz), above 0"),
    ("[objects.table.drop]\nheight = 0.05", "",
     "objects.table.drop: is missing; expected a table [objects.table.drop]"),
    ("velocity = 1.0\n", "velocity = 0\n", "objects.table.strike.velocity: velocity is 0"),
    ("longest = 0.02", "longest = 0.0001",
     "objects.table.roll.longest: longest is 0.0001; expected at least the shortest wavelength"),
    ("[objects.table]", "[objects.balls]",
     "balls is a key of the instrument; expected an object's name of letters and digits"),
    ("gain = 11.22", "gain = 11.22\nscheme = \"three-point\"",
     "no scheme three-point; expected two-point"),
    ("edge = [", "edge = [0.5, ",
     "objects.table.places.edge: 31 values for 30 frequencies; expected as many"),
    ("edge = [", "edge = [true, ", "objects.table.places.edge: edge[0] is true"),
    ("edge = [", "edge = 3\nother = [",
     "objects.table.places.edge: edge is 3; expected a list of one or more numbers"),
    ("edge = [", "2 = [", "objects.table.places.2: 2 is no name"),
    ("[objects.table.places]", "[objects.table]\nplaces = 3\n[x]", "is not TOML"),
    ("[balls.glass]", "[strings.a]\n[balls.glass]", "strings: is not known"),
])
def test_a_wrong_file_is_reported(old, new, words):
    assert old in FILE
    assert words in faults(FILE.replace(old, new, 1))


def test_a_file_without_balls_or_objects_is_reported():
    assert ("balls: an instrument of objects needs its balls; expected a table [balls.NAME]"
            in faults('model = "impact"\ngain = 1.0\n' + FILE[FILE.index("[objects.table]"):]))
    assert "objects: has no objects" in faults(FILE[:FILE.index("[objects.table]")])
    assert "balls: an instrument of objects" in faults('model = "impact"\ngain = 1.0\nballs = 3\n'
                                                       + FILE[FILE.index("[objects.table]"):])
    # an object that decays before it swings
    text = FILE[:FILE.index("[objects.table.places]")]
    start, end = text.index("frequencies"), text.index("[objects.table.strike]")
    modes = ("frequencies = [10.0]\ndecay_rates = [100.0]\nmasses = [1.0]\nshapes = [1.0]\n"
             "weights = [1.0]\n")
    assert ("objects.table.decay_rates: decay_rates[0] is 100.0; expected a rate below 2 pi f = "
            "62.8319 1/s" in faults(text[:start] + modes + text[end:]))
    assert MOST_WAVES == 4096


def test_more_balls_at_one_time_than_the_highest_number():
    row = "0 g.glass strike\n"
    score = pysitar.load_score(text="use glass as g\nrender tail=0\n" + MOST_SEATS * row)
    assert not binder.check(score, options(score)).problems
    line, col, message = reported(MOST_SEATS * row + 2 * row, "use glass as g")
    assert (line, col) == (MOST_SEATS + 3, 11)
    assert message == "2049 balls or more hit g.glass at one time; expected at most 2048"
