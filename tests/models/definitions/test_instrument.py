"""Instrument files: what they say reaches the strings; everything wrong is reported by its key."""
import math

import pytest
from instruments import BOX, exchange_line
from models.definitions.instrument_texts import faults, parse

from pysitar.errors import ParameterError
from pysitar.gestures.damp import DAMP
from pysitar.models.definitions.loader import (
    InstrumentError,
    parse_instrument,
    preset_names,
    preset_text,
)
from pysitar.models.definitions.overrides import matches
from pysitar.models.definitions.schema import keys_of
from pysitar.models.definitions.spec import BODY, TOP, parameter_at
from pysitar.models.definitions.strings import (
    MOST_POINTS,
    OTHER_ROWS,
    BarrierSpec,
    FretboardSpec,
    FretsSpec,
    PluckSpec,
    StringSpec,
    ThreadSpec,
)
from pysitar.models.network.network import MAX_ROWS
from pysitar.models.strings.played import PlayedString
from pysitar.physics.barrier import Barrier, parabola
from pysitar.physics.contact import ContactLaw
from pysitar.physics.parameters import Length, check_position, check_value
from pysitar.physics.string import String


def test_a_file_becomes_an_instrument():
    box = parse(BOX)
    assert (box.name, box.source, box.model, box.gain,
            box.scheme) == ("box", "box.toml", "string", 2.0, "two-point")
    assert box.body.frequencies == (100.0, 250.0) and box.body.weights == (
        1.0, -1.5) and box.body.coupled is False
    low, high = box.strings
    assert (low.name, low.pitch, low.cents, low.length, low.sigma0,
            low.bending_stiffness) == ("low", "pa,", 0.0, 0.5, 0.0, 0.0)
    assert (low.barrier.start, low.barrier.extent, low.barrier.points,
            low.barrier.damping) == (0.05, 0.02, 4, 0.0)
    assert (low.thread.position, low.thread.height, low.thread.stiffness,
            low.thread.resistance) == (0.008, 0.0, 1e5, 0.0)
    assert (low.pluck.position, low.pluck.force, low.pluck.width, low.pluck.touch,
            low.pluck.lead) == (0.125, -1.0, 0.0, 0.0, 0.0)
    assert (high.barrier, high.thread, high.length, high.pitch) == (None, None, 0.4, 220.0)
    assert (high.pluck.position, high.pluck.width, high.pluck.touch,
            high.pluck.lead) == (0.1, 0.005, 0.5, 0.02)
    assert (high.sigma0, high.sigma1, high.sigma2, high.sigma3) == (0.5, 0.01, 1e-4, 1e-6)


def test_a_string_without_its_barrier_lies_the_cents_beside_its_pitch():
    string = parse(BOX).strings[1].string(220.0)
    assert 1200.0 * math.log2(string.frequency(1) / 220.0) == pytest.approx(-10.0, abs=1e-9)
    assert (string.length, string.linear_density, string.bending_stiffness) == (0.4, 5e-4, 1e-4)
    assert (string.sigma0, string.sigma1, string.sigma2, string.sigma3) == (0.5, 0.01, 1e-4, 1e-6)


def test_barriers_have_their_profiles():
    low = parse(BOX).strings[0].barrier.barrier()
    assert low.positions.tolist() == pytest.approx([0.0525, 0.0575, 0.0625, 0.0675])
    assert low.heights.tolist() == [-1e-3] * 4 and (low.law.exponent, low.law.damping) == (1.5, 0.0)
    damped = parse(
        exchange_line(BOX, "exponent = 1.5", "damping = 0.25")).strings[0].barrier.barrier().law
    assert (damped.stiffness, damped.exponent, damped.damping) == (1e8, 1.0, 0.25)
    bow = parse(
        exchange_line(BOX, 'profile = "flat"', 'profile = "parabola"')).strings[0].barrier.barrier()
    assert bow.heights.tolist() == pytest.approx(
        [-1e-3 * 4 * u * (1 - u) for u in (0.125, 0.375, 0.625, 0.875)])
    assert low.row_stiffness.tolist() == pytest.approx([1e8 * 0.005] * 4)


def test_a_body_rings_as_its_quality_says():
    body = parse(BOX).body.modal_object()
    assert body.decay_rates.tolist() == pytest.approx([math.pi * 100 / 20, math.pi * 250 / 30])
    assert body.shapes.tolist() == [1.0, 1.0] and body.masses.tolist() == [1.0, 0.5]


WRONG = [  # the line, what stands in its place, the key, a part of the message
    ('model = "string"', "", "model", "is missing"),
    ('model = "string"', 'model = "strnig"', "model", "did you mean string?"),
    ('model = "string"', "model = 3", "model", "model is 3"),
    ("gain = 2", "gain = -2", "gain", "above 0"),
    ("gain = 2", 'gain = "2"', "gain", "finite number"),
    ("gain = 2", "gain = true", "gain", "finite number"),
    ("gain = 2", f"gain = 0x{'f' * 5000}", "gain", "thousands of digits"),
    ("gain = 2", "gain = nan", "gain", "finite number"),
    ("gain = 2", "gain = 2\nvolume = 3", "volume",
     "is not known; expected gain, or in a score a line such as mix t gain=-3dB"),
    ("gain = 2", "gain = 2\ngian = 3", "gian", "did you mean gain?"),
    ("gain = 2", 'gain = 2\nscheme = "iterative"', "scheme", "two-point or three-point"),
    ("gain = 2", 'gain = 2\nscheme = "too-point"', "scheme", "did you mean two-point?"),
    ("q = [20, 30.0]", "q = [20]", "body.q", "1 values for 2 frequencies"),
    ("q = [20, 30.0]", "q = [20, 0.4]", "body.q", "q[1] is 0.4"),
    ("q = [20, 30.0]", "q = 20", "body.q", "list of one or more numbers"),
    ("q = [20, 30.0]", "q = []", "body.q", "list of one or more numbers"),
    ("q = [20, 30.0]", 'q = [20, "30"]', "body.q", "q[1] is the text \"30\""),
    ("q = [20, 30.0]", "", "body.q", "is missing; expected a list of numbers"),
    ("q = [20, 30.0]", "q = [20, 30.0]\nqs = 1", "body.qs",
     "expected one of frequencies, q, masses, weights, coupled"),
    ("q = [20, 30.0]", "q = [20, 30.0]\ncoupled = 1", "body.coupled", "true or false"),
    ("masses = [1.0, 0.5]", "masses = [1.0, 0.0]", "body.masses", "masses[1] is 0.0"),
    ("frequencies = [100.0, 250]", "frequencies = [0, 250]", "body.frequencies",
     "frequencies[0] is 0"),
    ('pitch = "pa,"', "", "strings.low.pitch", "is missing; expected a pitch"),
    ('pitch = "pa,"', "pitch = 0", "strings.low.pitch", "above 0"),
    ('pitch = "pa,"', "pitch = [1]", "strings.low.pitch", "finite number"),
    ("length = 0.5", "length = 0", "strings.low.length", "(m), above 0"),
    ("length = 0.5", 'length = "5 inch"', "strings.low.length", "in m, cm, mm, um or in"),
    ("length = 0.5", "lenght = 0.5", "strings.low.lenght", "did you mean length?"),
    ("linear_density = 1e-3", "linear_density = -1e-3", "strings.low.linear_density",
     "(kg/m), above 0"),
    ("linear_density = 1e-3", "linear_density = 1e-3\nbarier = 1", "strings.low.barier",
     "did you mean barrier?"),
    ('profile = "flat"', 'profile = "parabole"', "strings.low.barrier.profile",
     "did you mean parabola?"),
    ('profile = "flat"', "", "strings.low.barrier.profile", "parabola"),
    ("start = 0.1", "start = 1.0", "strings.low.barrier.start", "below 1"),
    ("start = 0.1", 'start = "1_0mm"', "strings.low.barrier.start", "in m, cm, mm, um or in"),
    ("start = 0.1", 'start = "0.5m"', "strings.low.barrier.start", "below 0.5"),
    ("start = 0.1", 'start = "-1mm"', "strings.low.barrier.start", "at least 0"),
    ("extent = 0.02", "extent = 0.6", "strings.low.barrier.extent",
     "expected a point on the string"),
    ("points = 4", "points = 4.0", "strings.low.barrier.points", "whole number from 1 to 1019"),
    ("points = 4", "points = 0", "strings.low.barrier.points", "whole number from 1"),
    ("stiffness = 1e8", "stiffness = 0", "strings.low.barrier.stiffness",
     "(N/m^(1+exponent)), above 0"),
    ("points = 4", "points = 1020", "strings.low.barrier.points", "whole number from 1 to 1019"),
    ("linear_density = 1e-3", "linear_density = 101", "strings.low.linear_density", "at most 100"),
    ("extent = 0.02", "extent = 1e-300", "strings.low.barrier.extent", "at least 1e-06"),
    ("height = -1e-3", "height = -0.11", "strings.low.barrier.height",
     "(m), at least -0.1 and at most 0.1"),
    ("height = 0", "height = 0.11", "strings.low.thread.height",
     "(m), at least -0.1 and at most 0.1"),
    ("stiffness = 1e8", "stiffness = 1.1e16", "strings.low.barrier.stiffness", "at most 1e+16"),
    ("exponent = 1.5", "damping = 101", "strings.low.barrier.damping",
     "(s/m), at least 0 and at most 100"),
    ("stiffness = 1e8\nexponent = 1.5", "stiffness = 1.1e12", "strings.low.barrier.stiffness",
     "expected at most 1e+12 N/m^(1+exponent) with an exponent of 1"),
    ("stiffness = 1e8", "stiffness = 1.1e14", "strings.low.barrier.stiffness",
     "expected at most 1e+14 N/m^(1+exponent) with an exponent of 1.5"),
    ("stiffness = 1e5", "stiffness = 1.1e9", "strings.low.thread.stiffness",
     "(N/m), at least 0 and at most 1e+09"),
    ("stiffness = 1e5", "stiffness = 1e5\nresistance = 1.1e4", "strings.low.thread.resistance",
     "(kg/s), at least 0 and at most 10000"),
    ("exponent = 1.5", "exponent = 0.5", "strings.low.barrier.exponent",
     "at least 1 and at most 10"),
    ("exponent = 1.5", "damping = -0.1", "strings.low.barrier.damping", "at least 0"),
    ('position = "8mm"', "position = 0", "strings.low.thread.position", "above 0 and below 1"),
    ('position = "8mm"', 'position = "50cm"', "strings.low.thread.position",
     "above 0 and below 0.5"),
    ("stiffness = 1e5", "stiffness = -1", "strings.low.thread.stiffness", "(N/m), at least 0"),
    ("stiffness = 1e5", "stiffness = 1e5\nresistance = -1", "strings.low.thread.resistance",
     "(kg/s), at least 0"),
    ("position = 0.25", "position = 1.8", "strings.low.pluck.position", "a fraction of the length"),
    ("force = -1", "force = 0", "strings.low.pluck.force", "expected a value other than 0 (N)"),
    ("force = -1", "force = true", "strings.low.pluck.force", "force is true; expected"),
    ("force = -1", "force = 2020-01-02", "strings.low.pluck.force",
     "force is 2020-01-02; expected"),
    ("force = -1", 'force = "3"', "strings.low.pluck.force", 'force is the text "3"; expected'),
    ("force = -1", "force = [1, true]", "strings.low.pluck.force", "force is [1, true]; expected"),
    ("force = -1", "force = [[1]]", "strings.low.pluck.force", "force is a list; expected"),
    ("force = -1", "force = {x = 1}", "strings.low.pluck.force", "force is a table; expected"),
    ("force = -1", "force = 1e4", "strings.low.pluck.force", "at most 1000"),
    ("ramp = 0.01", "ramp = 0", "strings.low.pluck.ramp", "(s), above 0"),
    ("release = 0", "release = -1", "strings.low.pluck.release", "at least 0"),
    ("force = -1", "force = -1\nwidth = 0.3", "strings.low.pluck.width", "at most 0.25 m"),
    ("touch = 0.5", "touch = -1", "strings.high.pluck.touch", "(kg/s), at least 0"),
    ("lead = 0.02", "lead = 2", "strings.high.pluck.lead", "at most 1"),
]


@pytest.mark.parametrize(("old", "new", "key", "part"), WRONG,
                         ids=[(new or f"no {old}")[:60] for old, new, _, _ in WRONG])
def test_what_is_wrong_is_reported_by_its_key(old, new, key, part):
    reports = faults(exchange_line(BOX, old, new))
    # nothing else
    assert [k for k,
            _ in reports] == ([key, "strings.low.length"] if new.startswith("lenght") else [key])
    assert part in dict(reports)[key]


WHOLE = [
    ("gain = = 2", "", "is not TOML"),
    ("gain = 1\ngain = 2", "", "is not TOML"),
    (f"gain = {'9' * 5000}", "", "is not TOML (a whole number in it has thousands of digits)"),
    ("a = " + "[" * 5000, "", "is not TOML (its lists or tables nest too deeply)"),
    ('model = "string"\ngain = 1', "strings", "has no strings"),
    ('model = "string"\ngain = 1\nstrings = 3', "strings", "has no strings"),
    ('model = "string"\ngain = 1\n[strings]', "strings", "has no strings"),
    ('model = "string"\ngain = 1\n[strings]\nlow = 3', "strings.low", "no table"),
    ("[strings.gain]", "strings.gain", "key of the instrument"),
    ("[strings.'a b']", "strings.a b", "no name"),
    ("body = 3", "body", "no table"),
    (f"body = 0x{'f' * 5000}", "body", "no table"),
    ("[strings.low]\npluck = 3", "strings.low.pluck", "no table"),
    ("[strings.low]", "strings.low.pluck", "is missing; expected a table"),
]


@pytest.mark.parametrize(("text", "key", "part"), WHOLE, ids=[text[:30] for text, _, _ in WHOLE])
def test_a_file_that_is_no_instrument(text, key, part):
    assert part in dict(faults(text))[key]


def test_all_faults_are_reported_at_once():
    text = BOX.replace("gain = 2", "gain = -2").replace("points = 4", "points = 0").replace(
        "length = 0.5", "length = -1")
    assert [key for key, _ in faults(text)] == ["gain", "strings.low.length",
                                                "strings.low.barrier.points"]


def test_changes_are_put_in_and_checked_like_the_file():
    changed = parse(BOX,
        changes=[(("gain", ),
                  3.0), (("low", "barrier", "stiffness"),
                         2e9), (("*", "pluck", "position"),
                                0.5), (("high", "pluck", "position"),
                                       Length(0.1)), (("body", "q"),
                                                      [5.0, 6.0]), (("*", "sigma3"), 1e-7)])
    low, high = changed.strings
    assert changed.gain == 3.0 and low.barrier.stiffness == 2e9 and changed.body.q == (5.0, 6.0)
    assert (low.pluck.position, high.pluck.position) == (0.25, 0.1)
    assert (low.sigma3, high.sigma3) == (1e-7, 1e-7)
    assert parse(BOX, changes=[(("low", "*", "height"), 1e-4)]).strings[0].thread.height == 1e-4
    # a fraction follows the length
    assert parse(BOX, changes=[(("low", "length"), 1.0)]).strings[0].pluck.position == 0.25
    assert parse(BOX, changes=[(("gain",), 1.0), (("gain",), 4.0)]).gain == 4.0  # the last holds
    assert faults(BOX, changes=[(("low", "barrier", "stiffness"),
                            -1.0)])[0][0] == "strings.low.barrier.stiffness"


@pytest.mark.parametrize(("path", "part", "words"), [
    (("gian",), 0, "the instrument has no gian; did you mean gain?"),
    (("lo", "length"), 0, "did you mean low?"),
    (("low", "lenght"), 1, "low has no lenght; did you mean length?"),
    (("low", "barrier", "stifness"), 2, "low.barrier has no stifness; did you mean stiffness?"),
    (("high", "thread", "height"), 1, "high has no thread"),
    (("low", "barrier"), 1, "barrier is a table; expected a path to one of profile, start"),
    (("low", "length", "x"), 2, "length is a value and has no x"),
    (("*", "frets", "count"), 1, "* has no frets"),
    (("low", "nuts"), 1, "low has no nuts"),
    (("strings", "low", "length"), 0, "the instrument has no strings"),
])
def test_a_change_that_reaches_nothing_names_the_part(path, part, words):
    with pytest.raises(InstrumentError) as caught:
        parse(BOX, changes=[(("gain",), 1.0), (path, 1.0)])
    (fault,) = caught.value.faults
    assert (fault.change, fault.part) == (1, part) and words in fault.message


def test_paths_find_their_parameters():
    assert parameter_at(("gain", )) is TOP["gain"] and parameter_at(
        ("body", "q")) is BODY["q"]
    assert parameter_at(("pa", "length")) is keys_of(StringSpec)["length"] and parameter_at(
        ("*", "cents")) is keys_of(StringSpec)["cents"]
    assert parameter_at(("pa", "thread", "height")) is keys_of(ThreadSpec)["height"]
    assert parameter_at(("*", "*", "points")) is keys_of(BarrierSpec)["points"]
    assert parameter_at(("*", "frets", "stiffness")) is keys_of(FretsSpec)["stiffness"]
    assert parameter_at(("bridge", )) is TOP["bridge"]
    for path in [("nothing", ), ("body", "length"), ("pa", "q"), ("body", "pluck", "force"),
                 ("a", "b", "c", "d")]:
        assert parameter_at(path) is None
    assert matches(("*", "gain"), ("a", "gain")) and not matches(("*",), ("a", "gain"))


def test_the_ranges_of_a_file_are_those_of_physics():
    """Where the table of an instrument's keys ends, the objects of physics refuse too, except for
    damping; what it allows they take."""
    good = {"length": 1.0, "linear_density": 1e-3, "bending_stiffness": 0.0, "sigma0": 0.0,
            "sigma1": 0.0, "sigma2": 0.0, "sigma3": 0.0}
    for name in good:
        _agree(keys_of(StringSpec)[name],
               lambda value, name=name: String(tension=1.0, **{**good, name: value}))
    law = {"stiffness": 1.0, "exponent": 1.0, "damping": 0.0}
    for name in law:
        for table in map(keys_of, (BarrierSpec, FretsSpec, FretboardSpec)):
            _agree(table[name], lambda value, name=name: ContactLaw(**{**law, name: value}),
                   narrower=name == "damping")
    extent = keys_of(BarrierSpec)["extent"]
    _agree(extent, lambda value: parabola(start=0.0, extent=value, height=1e-4))
    _agree(extent, lambda value: Barrier(profile=abs, start=0.0, end=value, points=1,
                                         law=ContactLaw(stiffness=1.0)))


def _agree(parameter, make, narrower=False):
    bounds = [bound for bound in (parameter.low, parameter.high) if bound is not None]
    around = [value for bound in bounds for value in (math.nextafter(bound, -math.inf), bound,
                                                      math.nextafter(bound, math.inf))]
    for value in (-1.0, -1e-300, 0.0, 1e-300, 0.999, 1.0, 1.5, 10.0,
                  math.nextafter(10.0, 11.0), *around):
        results = []
        for check in (lambda v: check_value(parameter, v), make):
            try:
                check(value)
                results.append(True)
            except ParameterError:
                results.append(False)
        assert results[0] == results[1] or (narrower and results[1]), (parameter.name, value)


def test_positions_are_fractions_or_lengths():
    position = keys_of(PluckSpec)["position"]
    assert check_position(position, 0.25, 0.8) == 0.2 and check_position(
        position, Length(0.11), 0.8) == 0.11
    for bad in (0.0, 1.0, -0.1, math.nan, Length(0.0), Length(0.8), "x"):
        with pytest.raises(ParameterError, match="position"):
            check_position(position, bad, 0.8)
    assert check_position(keys_of(BarrierSpec)["start"], 0, 0.8) == 0.0


def test_the_tanpura_is_the_measured_one():
    assert "tanpura" in preset_names()
    tanpura = parse_instrument(preset_text("tanpura"), name="tanpura", shown="tanpura.toml")
    assert [string.name for string in tanpura.strings] == ["pa", "sa1", "sa2", "kharaj"]
    assert [string.pitch for string in tanpura.strings] == ["pa,", "sa", "sa", "sa,"]
    # sounding pitches (Hz); free fundamentals (Hz), 19.41, 17.41 and 21.99 cents below them as
    # `pysitar tune` measured with statics and a thread at 58 um; the tensions (N) of these
    measured = {"pa": (103.83, 102.6724, 33.69079), "sa1": (138.59, 137.20327, 47.53778),
                "kharaj": (69.3, 68.42532, 45.00337)}
    for string in tanpura.strings:
        if string.name in measured:
            sounding, free, tension = measured[string.name]
            tuned = string.string(sounding)
            assert abs(1200.0 * math.log2(tuned.frequency(1) / free)) < 1e-3
            assert tuned.tension == pytest.approx(tension, rel=1e-5)
            b = math.pi / string.length  # closed form: omega^2 = (T b^2 + EI b^4) / rho A - decay^2
            decay = string.sigma0 + string.sigma1 * b + string.sigma3 * b**3
            squared = (tuned.tension * b**2
                       + string.bending_stiffness * b**4) / string.linear_density - decay**2
            assert math.sqrt(squared) / (2 * math.pi) == pytest.approx(
                sounding * 2**(string.cents / 1200), rel=1e-12)
    sa1, sa2 = tanpura.strings[1:3]
    assert sa2.cents - sa1.cents == pytest.approx(1.0)
    for string in tanpura.strings:
        assert (string.thread.position, string.thread.height) == (0.008, 58e-6)
        assert string.statics
        barrier = string.barrier.barrier()
        assert barrier.points == 20 and max(barrier.heights.tolist()) == pytest.approx(
            60e-6, rel=0.01)
        assert (string.pluck.position, string.pluck.touch, string.pluck.lead) == (0.42, 0.5, 0.02)
    assert len(tanpura.body.frequencies) == 11 and not tanpura.body.coupled


def test_a_preset_that_is_not_there():
    with pytest.raises(KeyError):
        preset_text("../presets/tanpura")


def test_a_micrometre_is_a_length():
    low = parse(exchange_line(BOX, "height = -1e-3", 'height = "-60um"')).strings[0]
    assert low.barrier.height == -60e-6
    low = parse(exchange_line(BOX, 'position = "8mm"', 'position = "8000um"')).strings[0]
    assert low.thread.position == 0.008


def test_the_points_of_a_barrier_leave_room_for_the_other_rows():
    low = parse(exchange_line(BOX, "points = 4", f"points = {MOST_POINTS}")).strings[0]
    string = PlayedString(low, hz=15e3, sample_rate=96e3, floor=-60.0, name="x.low")
    assert low.thread is not None
    assert string.sounding.kernel.rows == MAX_ROWS == MOST_POINTS + OTHER_ROWS


def test_what_a_damp_says_of_its_time():
    for words in ("between -5 and -35 dB", "the string's own decay", "about 14 periods"):
        assert words in DAMP.parameters["t60"].meaning


@pytest.mark.parametrize("scheme", ["three-point", "modal-explicit", "fd-iterative", "fd-explicit"])
def test_a_body_that_strings_feel_needs_two_point(scheme):
    plain = exchange_line(BOX, "q = [20, 30.0]", "q = [20, 30.0]\ncoupled = true")
    while "thread]" in plain:
        begin = plain.index("[", plain.index("thread]") - 20)
        plain = plain[:begin] + plain[plain.index("[", begin + 1):]
    assert parse(plain).body.coupled
    reports = (f"the {scheme} scheme has no coupled body; expected two-point, or coupled = false "
               f"in [body]")
    assert ("scheme", reports) in faults(
        plain.replace('model = "string"', f'model = "string"\nscheme = "{scheme}"'))


@pytest.mark.parametrize("name", ["body", "balls", "gain"])
@pytest.mark.parametrize("path", [("*", "length"), ("*", "pluck", "force")])
def test_a_change_of_a_string_whose_name_is_a_key_of_the_instrument_is_a_fault(name, path):
    text = BOX.replace("strings.low", f"strings.{name}")
    text = text[text.index("[strings."):text.index("[strings.high]")]
    found = dict(faults(f'model = "string"\ngain = 2\n{text}', [(path, 1.0)]))
    assert f"strings.{name}" in found


def test_a_bridge_is_reported_that_changes_a_string_whose_name_is_a_key_of_the_instrument():
    text = BOX.replace("strings.low", "strings.body")
    bridges = '[bridges.a]\n"*.length" = 0.7\n[bridges.b]\n"*.length" = 0\n'
    found = dict(faults(f'bridge = "a"\n{text}{bridges}'))
    assert {"strings.body", "bridges.b.*.length"} <= found.keys()
