"""Each wrong value of `set`, `use` and lists is reported at its own line and column, not at the
last line that touches the instrument."""
import time
from pathlib import Path

import pytest
from score_texts import places_and_messages

from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import Options
from pysitar.score.parser import parse

BAR, TANPURA = "use bell_bar as b", "use tanpura as t"
SIX = "(500 1000 1500 2000 2500 3000)"


def places(*lines, row="0 b.bar strike", folder=Path()):
    """(line, col, message) of everything wrong."""
    parsed = parse("\n".join([*lines, row, ""]), file="x.score", folder=folder)
    return places_and_messages(check(parsed.score, Options(), problems=parsed.problems).problems)


def lines_of(*lines, **rest):
    return sorted({(line, col) for line, col, _ in places(*lines, **rest)})


@pytest.mark.parametrize("later", [
    ["set b.bar.ball = glass"], ["set b.*.ball = glass", "set b.gain = 3"],
    [f"set b.bar.masses = {SIX}"],
    ["set b.bar.ball = glass", "set b.bar.strike.velocity = 2", "set b.bar.drop.height = 2cm"],
])
def test_a_list_that_is_too_short_is_reported_where_it_stands(later):
    found = places(BAR, "set b.bar.frequencies = (500 1000)", *later)
    assert {(line, col) for line, col, _ in found} == {(2, 25)}
    said = "objects.bar.decay_rates: 6 values for 2 frequencies; expected as many"
    assert said in [message for _, _, message in found]


def test_lines_before_and_after_the_one_at_fault_do_not_move_it():
    good = ["set b.bar.ball = glass", "set b.bar.strike.velocity = 2",
            "set b.balls.glass.radius = 1cm"]
    for at in range(len(good) + 1):
        lines = [*good[:at], "set b.bar.frequencies = (500 1000)", *good[at:]]
        assert lines_of(BAR, *lines) == [(2 + at, 25)]


def test_a_list_that_a_right_one_replaces_is_no_fault():
    assert places(BAR, "set b.bar.frequencies = (500 1000)", f"set b.bar.frequencies = {SIX}",
                  "set b.gain = 2") == []
    assert lines_of(BAR, "set b.bar.frequencies = (500 1000)", "set b.bar.frequencies = (500)",
                    "set b.gain = 2") == [(3, 25)]


def test_two_faults_of_one_instrument_have_a_line_each():
    assert lines_of(TANPURA, "set t.pa.length = 1e-3", "set t.sa1.gain = 1",
                    "set t.sa2.length = 2e-3", "set t.pa.sigma0 = 1",
                    row="0 t.pa pluck") == [(2, 19), (3, 11), (4, 20)]


def test_a_pitch_that_a_string_cannot_hold_is_reported_at_the_value_that_makes_it_so():
    stiff = "set t.pa.bending_stiffness = 1e9"
    assert lines_of(TANPURA, stiff, "set t.pa.sigma0 = 1", row="0 t.pa pluck") == [(2, 30)]
    assert lines_of(TANPURA, "set t.pa.pitch = sa", stiff, "set t.pa.sigma0 = 1",
                    row="0 t.pa pluck") == [(3, 30)]


def test_the_wrong_item_of_a_list_is_where_the_column_points():
    assert places(BAR, "set b.bar.masses = (1 2 3 4 5 -6)", "set b.gain = 2")[0][:2] == (2, 31)
    assert places(BAR, "set b.bar.masses = (1 2 3 4 5 6s)") == [
        (2, 31, "masses: 6s is a time; expected a mass in kg or g")]
    assert places(BAR, "set b.bar.masses = (1 2 sa 4 5 6)")[0][:2] == (2, 25)


def test_an_override_of_use_is_reported_at_its_value():
    assert lines_of(f"{TANPURA} gain=-2", "set t.pa.sigma0 = 1", row="0 t.pa pluck") == [(1, 23)]


def test_a_path_that_reaches_nothing_is_reported_also_when_its_value_cannot_be_read():
    found = places(TANPURA, "set t.zz.length = foo", "set t.pa.length = foo", row="0 t.pa pluck")
    assert [(line, col) for line, col, _ in found] == [(2, 7), (3, 19)]


def test_a_fault_of_the_file_itself_stays_there(tmp_path):
    (tmp_path / "a.toml").write_text('model = "impact"\ngain = 0\n')
    found = places('use "a.toml" as b', "set b.bar.ball = glass", folder=tmp_path)
    assert [(line, message) for line, _, message in found if message.startswith("gain")] == [
        (2, "gain: gain is 0; expected a finite number (1/N or s/m), above 0 and at most 1e+09; "
            "used at x.score:1:5")]


def test_thousands_of_lines_take_no_longer_than_their_instrument():
    lines = [f"set b.bar.strike.velocity = {1 + at % 7}" for at in range(1000)]
    lines[500] = "set b.bar.frequencies = (500 1000)"
    begin = time.perf_counter()
    assert lines_of(BAR, *lines, "set b.gain = 3") == [(502, 25)]
    assert time.perf_counter() - begin < 2.0
