"""Frets, fretboard, pickup, range and core of a string as its file says them, against closed forms,
and all that can be wrong in them."""
import math
from dataclasses import replace

import numpy as np
import pytest
from instruments import FRETTED, exchange_line, instrument, string, table
from models.definitions.instrument_texts import faults, parse

from pysitar.errors import ParameterError
from pysitar.models.definitions import strings as keys
from pysitar.models.definitions.spec import FretboardSpec, FretsSpec, PickupSpec
from pysitar.models.network.network import MAX_ROWS

PLAIN = string(pitch=55, length=0.864, linear_density=0.02)
BODY = table("body", frequencies=[100.0], q=[20.0], masses=[1.0], weights=[1.0])


def test_a_file_with_frets_becomes_a_string():
    (e,) = parse(FRETTED).strings
    assert (e.lowest, e.highest, e.core_diameter) == (-2.0, 20.0, 0.7e-3)
    assert e.frets == FretsSpec(count=20, gap_nut=0.6e-3, gap_12=2e-3, stiffness=5e6, exponent=1.0,
                                damping=0.5)
    assert e.fretboard == FretboardSpec(start=0.216, gap_nut=1.7e-3, gap_12=3.1e-3, points=8,
                                        stiffness=1e8, exponent=1.5, damping=0.0)
    assert e.pickup == PickupSpec(position=0.14) and e.barrier is None


def test_a_string_without_them_has_none():
    (a,) = parse(instrument(PLAIN)).strings
    assert (a.frets, a.fretboard, a.pickup, a.lowest, a.highest,
            a.core_diameter) == (None, None, None, -12.0, 12.0, 0.0)
    assert parse(exchange_line(FRETTED, "start = 0.25", "")).strings[0].fretboard.start == 0.0


def test_fret_n_shortens_the_string_by_n_semitones():
    (e,) = parse(FRETTED).strings
    barrier = e.frets.barrier(e.length)
    x = barrier.positions.tolist()
    assert len(x) == 20 and x[11] == pytest.approx(0.432, rel=1e-15)  # the octave is the middle
    # the string that ends at fret n sounds n semitones higher, 1/x being its frequency; 2^(1/12) is
    # exact to 1e-16
    assert [12.0 * math.log2(e.length / position)
            for position in x] == pytest.approx(range(1, 21), abs=1e-13)
    # one stiffness a fret, whatever lies between it and the next
    assert barrier.row_stiffness.tolist(
    ) == [5e6] * 20 and barrier.law.damping == 0.5 and barrier.law.exponent == 1.0


@pytest.mark.parametrize("part", ["frets", "fretboard"])
def test_the_line_of_the_gaps_goes_through_the_nut_and_the_twelfth_fret(part):
    (e,) = parse(FRETTED).strings
    barrier = getattr(e, part).barrier(e.length)
    nut, twelfth = (0.6e-3, 2e-3) if part == "frets" else (1.7e-3, 3.1e-3)
    x, height = barrier.positions, barrier.heights
    slope, at_bridge = np.polyfit(x, height, 1)
    # a straight line; a few roundings of numbers of 3e-3
    assert np.abs(at_bridge + slope * x - height).max() < 1e-17
    assert at_bridge + slope * e.length == pytest.approx(-nut, abs=1e-17)
    assert at_bridge + slope * e.length / 2 == pytest.approx(-twelfth, abs=1e-17)


def test_the_board_is_met_in_the_middle_of_equal_cells_from_its_start_to_the_nut():
    (e,) = parse(FRETTED).strings
    barrier = e.fretboard.barrier(e.length)
    width = (0.864 - 0.216) / 8
    assert barrier.positions == pytest.approx(0.216 + (np.arange(8) + 0.5) * width, rel=1e-14)
    assert barrier.row_stiffness == pytest.approx([1e8 * width] * 8,
                                                  rel=1e-14) and barrier.law.exponent == 1.5


def test_the_stress_is_the_tension_over_the_core():
    (e,) = parse(FRETTED).strings
    # no stiffness, no loss: T = rho A (2 L f)^2, three octaves up 64 times that
    tension = 0.0315 * (2 * 0.864 * 41.2) ** 2
    assert e.stress(41.2) == pytest.approx(tension / (math.pi * 0.35e-3**2), rel=1e-12)
    assert e.stress(8 * 41.2) == pytest.approx(64 * e.stress(41.2), rel=1e-12)
    # 0.30 mm of steel, 7800 kg/m^3: the wire itself
    wire = replace(e, core_diameter=0.0, linear_density=7800 * math.pi * 0.15e-3**2)
    assert wire.stress(200.0) == pytest.approx(7800 * (2 * 0.864 * 200.0) ** 2, rel=1e-12)
    # `cents` is part of the tuning
    assert replace(wire, cents=-100.0).stress(200.0) == pytest.approx(
        wire.stress(200.0) * 2**(-1 / 6), rel=1e-12)
    with pytest.raises(ParameterError, match="stiffness alone"):
        replace(e, bending_stiffness=1e3).stress(41.2)


WRONG = [
    ("lowest = -2", "lowest = 2", "lowest",
     "lowest is 2; expected a finite number (semitones), at least -36 and at most 0"),
    ("lowest = -2", "lowest = -37", "lowest", "at least -36"),
    ("highest = 20", "highest = -1", "highest",
     "highest is -1; expected a finite number (semitones), at least 0 and at most 36"),
    ("highest = 20", "highest = 36.5", "highest", "at most 36"),
    ('core_diameter = "0.7mm"', "core_diameter = -1e-3", "core_diameter", "(m), at least 0"),
    ('core_diameter = "0.7mm"', "core_diameter = 0.7", "core_diameter", "at most 0.1"),
    ("count = 20", "count = 0", "frets.count", "a whole number from 1 to 60"),
    ("count = 20", "count = 61", "frets.count", "a whole number from 1 to 60"),
    ("count = 20", "count = 2.5", "frets.count", "a whole number from 1 to 60"),
    ("count = 20", "", "frets.count", "is missing; expected a whole number: the number of frets"),
    ('gap_nut = "0.6mm"', "gap_nut = -1e-4", "frets.gap_nut", "(m), at least 0 and at most 0.1"),
    ("gap_12 = 2e-3", "gap_12 = 0.11", "frets.gap_12", "(m), at least 0 and at most 0.1"),
    ("stiffness = 5e6", "stiffness = 0", "frets.stiffness", "(N/m^exponent), above 0"),
    ("damping = 0.5", "exponent = 0.9", "frets.exponent", "at least 1 and at most 10"),
    ("damping = 0.5", "damping = -1", "frets.damping", "(s/m), at least 0"),
    ("count = 20", "count = 20\nheight = 1", "frets.height", "expected gap_nut and gap_12 (m)"),
    ("start = 0.25", "start = 1", "fretboard.start", "at least 0 and below 1"),
    ("start = 0.25", 'start = "864mm"', "fretboard.start", "below 0.864"),
    ("start = 0.25", "start = 0.9999999", "fretboard.start",
     "expected at least 1e-06 m before the nut at 0.864 m"),
    ("points = 8", "points = 0", "fretboard.points", "a whole number from 1 to 1019"),
    ("points = 8", "points = 1020", "fretboard.points", "a whole number from 1 to 1019"),
    ("stiffness = 1e8", "stiffness = -1", "fretboard.stiffness", "(N/m^(1+exponent)), above 0"),
    ('position = "14cm"', "position = 0", "pickup.position", "above 0 and below 1"),
    ('position = "14cm"', 'position = "90cm"', "pickup.position", "above 0 and below 0.864"),
    ('position = "14cm"', "", "pickup.position", "is missing"),
    ("[strings.e.pickup]", "[strings.e.pikcup]", "pikcup", "did you mean pickup?"),
]


@pytest.mark.parametrize(("old", "new", "key", "part"), WRONG,
                         ids=[(new or f"no {old}")[:60] for old, new, _, _ in WRONG])
def test_what_is_wrong_is_reported_by_its_key(old, new, key, part):
    reports = dict(faults(exchange_line(FRETTED, old, new)))
    assert list(reports) == [f"strings.e.{key}"] and part in reports[f"strings.e.{key}"]


@pytest.mark.parametrize(("old", "part"), [("gap_12 = 2e-3", "frets"),
                                           ("gap_12 = 3.1e-3", "fretboard")])
def test_frets_and_board_do_not_come_up_to_the_string(old, part):
    key = f"strings.e.{part}.gap_12"
    reports = dict(faults(exchange_line(FRETTED, old, "gap_12 = 1e-5")))
    assert list(reports) == [key]
    assert "m above the straight string; expected at least" in reports[key]
    least = float(reports[key].split("at least ")[1].split(" m")[0])
    # reported to six digits: a hundredth more is right, a hundredth less is not
    assert parse(exchange_line(FRETTED, old, f"gap_12 = {1.01 * least}")).strings
    assert key in dict(faults(exchange_line(FRETTED, old, f"gap_12 = {0.99 * least}")))
    # flat on the string is allowed
    flat = exchange_line(FRETTED, old, "gap_12 = 0")
    nut = {"frets": 'gap_nut = "0.6mm"', "fretboard": "gap_nut = 1.7e-3"}[part]
    assert parse(flat.replace(nut, "gap_nut = 0")).strings


def test_a_string_has_as_many_points_as_rows_are_left():
    most = keys.MOST_POINTS - 20
    assert most + 20 + keys.OTHER_ROWS == MAX_ROWS
    assert parse(exchange_line(FRETTED, "points = 8", f"points = {most}")).strings
    reports = dict(faults(exchange_line(FRETTED, "points = 8", f"points = {most + 1}")))
    assert reports == {"strings.e.fretboard.points": "the string has 1020 contact points (frets "
                       "20, fretboard 1000); expected at most 1019 in all"}
    barrier = {"profile": "flat", "extent": 0.01, "height": 0, "stiffness": 1e6}
    assert parse(FRETTED + table("strings.e.barrier", **barrier, points=most - 8)).strings
    reports = dict(faults(FRETTED + table("strings.e.barrier", **barrier, points=most - 7)))
    assert reports == {"strings.e.barrier.points": "the string has 1020 contact points (barrier "
                       "992, frets 20, fretboard 8); expected at most 1019 in all"}


def test_a_body_and_a_pickup_do_not_go_together():
    reports = dict(faults(FRETTED + BODY))
    assert list(reports) == ["strings.e.pickup"]
    assert "expected either modes in [body], or pickups" in reports["strings.e.pickup"]


def test_all_strings_have_a_pickup_or_none():
    reports = dict(faults(FRETTED + PLAIN))
    assert reports == {
        "strings.a": "has no pickup, and e has one; expected a table [strings.a.pickup]"}
    assert len(parse(FRETTED + PLAIN + table("strings.a.pickup", position=0.1)).strings) == 2
    assert list(dict(faults(FRETTED + PLAIN + BODY))) == ["strings.e.pickup"]  # once
