"""Bars, plates and membranes by size in instrument files, played at points by a score."""
import math

import numpy as np
import pytest

import pysitar
from pysitar.models.definitions.faults import InstrumentError
from pysitar.models.definitions.kinds import KINDS
from pysitar.models.definitions.loader import parse_instrument
from pysitar.physics.resonators.material import MATERIALS

BALL = """
[balls.wood]
mass = 0.02
radius = 0.015
stiffness = 2e6
exponent = 1.5
damping = 0.5
"""
SIZES = {
    "plate": 'length = 0.4\nwidth = "30cm"\nthickness = 3e-3\nmaterial = "steel"\nmodes = 20',
    "disc": 'radius = 0.15\nthickness = 1e-3\nmaterial = "bronze"\nmax_frequency = 900',
    "membrane": "radius = 0.2\nsurface_density = 0.3\ntension = 3000\nmodes = 20",
    "bars": 'lowest_note = "C4"\nhighest_note = "E4"\nwidth = 0.05\nthickness = 0.02\n'
            'material = "rosewood"\nmodes = 6',
    "bar": 'length = 0.3\nwidth = 0.04\nthickness = 0.01\nmaterial = "rosewood"\nmodes = 6',
}
POINTS = {"plate": ("x=0.2 y=0.7", (0.2, 0.7)), "disc": ("r=0.5 angle=90", (0.5, math.pi / 2.0)),
          "membrane": ("r=0.3 angle=-30deg", (0.3, -math.pi / 6.0)), "bar": ("x=0.4", 0.4)}
# the first zeros of J0, J1 (twice), J2 (twice), J0
ZEROS = (2.404825557695773, 3.831705970207512, 3.831705970207512, 5.135622301840683,
         5.135622301840683, 5.520078110286311)


def text(kind, extra="", size=None, tables=""):
    """The file of an instrument with one object of a kind."""
    size = SIZES[kind] if size is None else size
    return (f'model = "impact"\ngain = 1e-3\n{BALL}\n[objects.it]\nball = "wood"\n'
            f'kind = "{kind}"\n{size}\n{extra}\n{tables}\n')


def part(kind, extra="", **others):
    spec = parse_instrument(text(kind, extra, **others), name="o", shown="o.toml")
    return spec.parts[0]


def faults(kind, extra="", **others):
    with pytest.raises(InstrumentError) as caught:
        part(kind, extra, **others)
    return [fault.text for fault in caught.value.faults]


@pytest.fixture
def score(tmp_path):
    """Rows and an instrument's text -> score."""
    def read(rows, toml, rate=48000):
        (tmp_path / "o.toml").write_text(toml)
        (tmp_path / "a.score").write_text(
            f'use "o.toml" as o\n'
            f'render rate={rate} oversample=1 channels=1 tail=0 fade=0\n{rows}\n')
        return pysitar.load_score(tmp_path / "a.score")
    return read


def resonator(kind):
    """The resonator of SIZES in Python."""
    if kind == "plate":
        return pysitar.RectangularPlate(length=0.4, width=0.3, thickness=3e-3,
                                        material=MATERIALS["steel"], modes=20)
    if kind == "disc":
        return pysitar.CircularPlate(radius=0.15, thickness=1e-3, material=MATERIALS["bronze"],
                                     max_frequency=900.0)
    if kind == "membrane":
        return pysitar.Membrane(radius=0.2, surface_density=0.3, tension=3000.0, modes=20,
                                air_sides=2)
    return pysitar.Bar(length=0.3, width=0.04, thickness=0.01, material=MATERIALS["rosewood"],
                       modes=6)


def test_every_kind_is_tested():
    assert set(SIZES) == set(KINDS) == {*POINTS, "bars"}


@pytest.mark.parametrize("kind", POINTS)
def test_a_strike_at_a_point_is_the_simulation(kind, score):
    words, point = POINTS[kind]
    found = pysitar.render(score(f"0 o.it strike v=1.5 {words} dur=300ms", text(kind)), traces=True)
    body = pysitar.modal_object(resonator(kind), point)
    law = pysitar.ContactLaw(stiffness=2e6, exponent=1.5, damping=0.5)
    sim = pysitar.ImpactSimulation(body=body, mass=0.02, velocity=1.5, law=law, sample_rate=48000)
    run = sim.run(300, ["contact_force"])
    force = run.outputs[:, 0]
    assert force.max() > 1.0
    # only the decimal conversion of degrees may differ
    assert found.traces["o.it.contact_force"][:300] == pytest.approx(force, rel=1e-9,
                                                                     abs=1e-9 * force.max())
    assert found.report["residual"] < 1e-12 and found.report["peak"] > 0.0


@pytest.mark.parametrize("kind", POINTS)
def test_a_row_without_a_point_plays_the_default_one(kind, score):
    point = {"plate": "x=0.35\ny=0.6", "disc": "r=0.7\nangle=20", "membrane": "r=0.7\nangle=20",
             "bar": "x=0.35"}[kind]
    toml = text(kind, point, tables="[objects.it.places]\nother = "
                + str([float(each.split("=")[1]) for each in point.split("\n")]))
    rows = ("strike", f"strike {' '.join(point.split())}", "strike place=other")
    sounds = [np.asarray(pysitar.render(score(f"0 o.it {row} dur=50ms", toml)).audio)
              for row in rows]
    assert np.array_equal(sounds[0], sounds[1]) and np.array_equal(sounds[0], sounds[2])
    elsewhere = pysitar.render(score(f"0 o.it strike {POINTS[kind][0]} dur=50ms", toml))
    assert not np.array_equal(sounds[0], np.asarray(elsewhere.audio)) and sounds[0].any()


def test_balls_drop_on_and_roll_over_points(score):
    found = pysitar.render(score(
        "0 o.it drop x=0.2 y=0.3 h=1cm dur=1\n0 o.it roll x=0.6 y=0.6 dur=1\n"
        "0.2 o.it strike x=0.5 y=0.1", text("plate")))
    assert found.report["residual"] < 1e-12 and found.report["failed_solves"] == 0
    assert found.report["peak"] > 0.0


def test_a_membrane_has_bessels_frequencies(score):
    """The sound after the blow is six sines of Bessel's frequencies: over 4 s, an error of 1e-6
    would leave a hundredth of the highest."""
    size = ("radius = 0.2\nsurface_density = 0.3\ntension = 3000\nmodes = 6\nair_sides = 0\n"
            'output = "velocity"\nr = 0.35\nangle = 25')
    toml = text("membrane", size=size)
    audio = np.asarray(pysitar.render(score("0 o.it strike dur=4.5", toml, rate=8000)).audio)[:, 0]
    omegas = [zero * math.sqrt(3000.0 / 0.3) / 0.2 for zero in dict.fromkeys(ZEROS)]
    time = np.arange(4000, 36000) / 8000.0
    columns = [wave(omega * time) for omega in omegas for wave in (np.cos, np.sin)]
    columns = np.array(columns).T
    sound = audio[4000:36000]

    def residual(factor):
        moved = [wave(omega * factor * time) for omega in omegas for wave in (np.cos, np.sin)]
        moved = np.array(moved).T
        left = sound - moved @ np.linalg.lstsq(moved, sound, rcond=None)[0]
        return np.abs(left).max() / np.abs(sound).max()

    assert np.abs(np.linalg.lstsq(columns, sound, rcond=None)[0]).min() > 1e-9
    assert residual(1.0) < 2e-4 < 4e-4 < min(residual(1.0 + 1e-6), residual(1.0 - 1e-6))


def test_a_membrane_is_tuned_by_its_frequency():
    plain = part("membrane", size="radius = 0.2\nsurface_density = 0.3\nfrequency = 110\nmodes = 3")
    assert plain.frequencies[0] == pytest.approx(110.0, rel=1e-9)
    head = part("membrane", size="radius = 0.065\nsurface_density = 0.25\nfrequency = 280\n"
                "modes = 9\nload_radii = [0, 0.145, 0.48]\nload = [2.7, 2.7, 1.5]\n"
                "cavity = 1.1e-3\nair_sides = 1")
    assert head.frequencies[1] == pytest.approx(560.0, rel=1e-7)
    python = pysitar.LoadedMembrane(
        radius=0.065, surface_density=0.25, tension=head.surface.resonator.tension, modes=9,
        load=[(0.0, 2.7), (0.145, 2.7), (0.48, 1.5)], cavity=1.1e-3, air_sides=1)
    assert head.frequencies == tuple(python.frequencies)


def test_a_bar_is_tuned_by_its_frequency():
    size = 'frequency = 262\nwidth = 0.06\nthickness = 0.022\nmaterial = "rosewood"\nmodes = 4'
    assert part("bar", size=size).frequencies[0] == pytest.approx(262.0, rel=1e-9)
    marimba = part("bar", "ratios = [4, 9.5]", size=size).frequencies
    assert [f / 262.0 for f in marimba[:3]] == pytest.approx([1.0, 4.0, 9.5], rel=1e-8)
    cut = part("bar", "depth = 0.5\ncut = 0.4", size=size.replace("frequency = 262",
                                                                "length = 0.35"))
    assert cut.frequencies[1] / cut.frequencies[0] > 3.0


def test_a_material_may_be_given_by_its_values():
    size = SIZES["plate"]
    named = part("plate").frequencies
    own = "density = 7800\nyoungs_modulus = 210e9\npoisson_ratio = 0.31\nloss_factor = 2e-4"
    assert part("plate", own, size=size.replace('material = "steel"', "")).frequencies == named
    lighter = part("plate", "density = 1950").frequencies
    assert lighter[0] == pytest.approx(2.0 * named[0], rel=1e-12)


def test_a_mode_is_weighted_by_the_power_that_it_radiates():
    """The mean square of the output of one mode is its power: what its decay by air takes."""
    one = part("membrane", "loss_factor = 0.01\nsupport_decay = 3")
    for weight, rate, mass, f in zip(one.weights, one.decay_rates, one.masses, one.frequencies,
                                     strict=True):
        by_air = rate - 3.0 - 0.005 * 2.0 * math.pi * f
        power = 2.0 * by_air * 0.5 * mass          # twice the rate times the energy at 1 m/s
        assert 0.5 * weight * weight == pytest.approx(power, rel=1e-9, abs=1e-12)
    assert part("membrane", 'output = "velocity"').weights == part("membrane").shapes
    pickup = part("membrane", 'output = "velocity"\noutput_point = [0.3, 90]').weights
    assert pickup == pytest.approx(resonator("membrane").shape((0.3, math.pi / 2.0)).tolist())


def test_an_object_is_computed_once():
    first, second = part("disc").surface.resonator, part("disc").surface.resonator
    assert first is second and first is not part("disc", "support_decay = 1").surface.resonator


@pytest.mark.parametrize(("kind", "extra", "message"), [
    ("plate", "kind = 1", None),
    ("plate", 'support = "clamped"', "support is clamped; expected one of free, supported"),
    ("plate", "max_frequency = 500", "modes and max_frequency are given; expected exactly one"),
    ("plate", "decay = 3", "expected one of loss_factor and support_decay"),
    ("disc", "diameter = 0.3", "expected radius (m), half of the diameter"),
    ("membrane", "frequency = 100", "expected exactly one of tension (N/m) and frequency"),
    ("membrane", "load_radii = [0, 0.4]", "0 values for 2 load_radii; expected as many"),
    ("membrane", "air_sides = 0", "expected \"velocity\", or air_sides of 1 or 2"),
    ("bar", "ratios = [4, 9.5]", "ratios find length, depth and cut; expected frequency alone"),
    ("disc", "output_point = [0.5, 0]", "of no point; expected \"velocity\""),
    ("disc", 'output = "velocity"\noutput_point = [0.5]', "1 numbers; expected [r, angle]"),
    ("bar", "in_air = false", "or in_air = true"),
    ("bar", "frequencies = [100]", "the modes of its size"),
])
def test_what_is_wrong_in_a_file_is_reported(kind, extra, message):
    if message is None:
        with pytest.raises(InstrumentError, match="TOML"):
            part(kind, extra)
        return
    found = faults(kind, extra)
    assert len(found) == 1 and found[0].startswith("objects.it.") and message in found[0], found


def test_an_unknown_kind_and_a_missing_material_are_reported():
    found = faults("plat", size=SIZES["plate"])
    assert any("objects.it.kind" in each and "plate" in each for each in found), found
    found = faults("plate", size=SIZES["plate"].replace('material = "steel"', ""))
    assert [each.split(":")[0] for each in found] == [
        "objects.it.density", "objects.it.youngs_modulus", "objects.it.poisson_ratio"]
    found = faults("disc", size=SIZES["disc"].replace("900", "25000"))
    assert len(found) == 1 and "objects.it.max_frequency" in found[0] and "300" in found[0]
    found = faults("plate", tables="[objects.it.places]\nend = [0.5]\nout = [0.5, 1.5]")
    assert found[0] == "objects.it.places.end: 1 numbers; expected [x, y]"
    assert "y is 1.5" in found[1]
    no_kind = text("plate").replace('kind = "plate"', "")
    with pytest.raises(InstrumentError, match='or kind, such as "plate"'):
        parse_instrument(no_kind, name="o", shown="o.toml")


@pytest.mark.parametrize(("kind", "row", "message"), [
    ("plate", "r=0.5", "this object has no r; expected x and y"),
    ("disc", "x=0.5", "this object has no x; expected r and angle"),
    ("bar", "y=0.5", "this object has no y; expected x"),
    ("bar", "x=1.5", "position is 1.5; expected a finite number, at least 0"),
    ("membrane", "angle=90N", "90N is a force; expected an angle in deg"),
    ("membrane", "place=rim", "this object has no places"),
])
def test_what_is_wrong_in_a_row_is_reported(kind, row, message, score):
    with pytest.raises(pysitar.ScoreError) as caught:
        pysitar.render(score(f"0 o.it strike {row}", text(kind)))
    assert message in str(caught.value)


def test_an_object_of_lists_has_no_points(score):
    lists = text("plate", size="frequencies = [300]\ndecay_rates = [5]\nmasses = [0.1]\n"
                 "shapes = [1]\nweights = [1]", tables="[objects.it.strike]\nvelocity = 1\n"
                 "[objects.it.drop]\nheight = 0.1\n[objects.it.roll]\nvelocity = 1\n"
                 "roughness = 1e-6\nshortest = 1e-3\nlongest = 1e-2\ndamping = 1")
    with pytest.raises(pysitar.ScoreError, match="this object has no x; expected a place"):
        pysitar.render(score("0 o.it strike x=0.5", lists.replace('kind = "plate"', "")))


def test_set_changes_an_object_by_size(score, tmp_path):
    rows = "0 o.it strike dur=50ms"
    before = pysitar.render(score(rows, text("plate")))
    thick = pysitar.render(score(f"set o.it.thickness = 6mm\n{rows}", text("plate")))
    python = pysitar.render(score(rows, text("plate").replace("3e-3", "6e-3")))
    assert np.array_equal(np.asarray(thick.audio), np.asarray(python.audio))
    assert not np.array_equal(np.asarray(thick.audio), np.asarray(before.audio))


# ---- a set of bars

def test_a_bar_of_a_set_is_the_bar_of_its_note(score):
    """Bit for bit, with sizes between those of the lowest and the highest."""
    more = "width_highest = 0.03\nratios = [4, 9.5]"
    found = pysitar.render(score("0 o.D4 strike x=0.4 dur=50ms", text("bars", more)))
    d4 = 440.0 * 2.0 ** (-7.0 / 12.0)
    size = f'frequency = {d4!r}\nwidth = 0.04\nthickness = 0.02\nmaterial = "rosewood"\nmodes = 6'
    one = pysitar.render(score("0 o.it strike x=0.4 dur=50ms",
                               text("bar", "ratios = [4, 9.5]", size=size)))
    assert np.asarray(found.audio) == pytest.approx(np.asarray(one.audio), rel=1e-6, abs=1e-9)
    assert np.asarray(found.audio).any()


def test_the_loss_by_the_support_grows_in_equal_ratios():
    """From 2 to 32 1/s over four semitones: D4 has 8 1/s, of every mode; without a ratio it is
    refused."""
    def bar(name, more):
        spec = parse_instrument(text("bars", more), name="o", shown="o.toml")
        return next(part for part in spec.parts if part.name == name).part()

    graded = "support_decay = 2.0\nsupport_decay_highest = 32.0"
    for name, rate in (("C4", 2.0), ("D4", 8.0), ("E4", 32.0)):
        gained = np.subtract(bar(name, graded).decay_rates, bar(name, "").decay_rates)
        assert gained == pytest.approx(rate, rel=1e-9)
    with pytest.raises(InstrumentError, match="support_decay is 0"):
        bar("C4", "support_decay_highest = 32.0")


def test_only_the_bars_that_are_played_are_computed(score, monkeypatch):
    from pysitar.models.definitions.bar_sets import BarOfSet
    computed, part_of = [], BarOfSet.part
    monkeypatch.setattr(BarOfSet, "part", lambda bar: (computed.append(bar.name), part_of(bar))[1])
    pysitar.render(score("0 o.C4 strike\n0.1 o.Ds4 strike\n0.2 o.C4 strike", text("bars")))
    assert computed == ["C4", "Ds4"]


def test_a_set_has_a_bar_for_each_semitone():
    spec = parse_instrument(text("bars", "a4 = 442"), name="o", shown="o.toml")
    assert [bar.name for bar in spec.parts] == ["C4", "Cs4", "D4", "Ds4", "E4"]
    assert [bar.part().frequencies[0] for bar in spec.parts] == pytest.approx(
        [442.0 * 2.0 ** ((number - 69) / 12.0) for number in range(60, 65)], rel=1e-9)


@pytest.mark.parametrize(("old", "new", "message"), [
    ('"C4"', '"H4"', 'lowest_note is H4; expected a note such as "C3"'),
    ('"C4"', "60", "lowest_note is 60.0; expected a note"),
    ('"E4"', '"Bb3"', "highest_note is Bb3; expected a note from C4 on, of at most 88 bars"),
    ("modes = 6", "modes = 6\nratios = [4]", "1 values; expected two"),
])
def test_what_is_wrong_in_a_set_is_reported(old, new, message):
    found = faults("bars", size=SIZES["bars"].replace(old, new))
    assert len(found) == 1 and message in found[0], found


def test_a_note_outside_a_set_is_reported(score):
    with pytest.raises(pysitar.ScoreError, match="o has no object F4; expected one of C4, Cs4"):
        pysitar.render(score("0 o.F4 strike", text("bars")))
    wide = text("bars", "ratios = [1.2, 1.3]")
    with pytest.raises(pysitar.ScoreError, match="no undercut gives them at this thickness"):
        pysitar.render(score("0 o.E4 strike", wide))
