"""A wrong value is reported even where a later `set` replaces it; one wrong only together with
others is not."""
from pathlib import Path

import pytest
from instruments import instrument, string
from score_texts import places_and_messages

from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import Options
from pysitar.score.parser import parse

BARRIER = {"profile": "flat", "start": 0.0, "extent": 5e-3, "height": 0.0, "points": 2,
           "stiffness": 1e9, "exponent": 1.0, "damping": 0.0}
FILE = instrument(string("low", pitch="sa,", length=0.8, barrier=BARRIER), gain=2.0)
RANGE = "expected a finite number (N/m^(1+exponent)), above 0 and at most 1e+16"
KNOWN = "expected one of two-point, three-point, modal-explicit, fd-iterative, fd-explicit"


def reported(folder, *settings, use=""):
    (folder / "a.toml").write_text(FILE)
    parsed = parse("\n".join([f'use "a.toml" as s{use}', *settings, "0 s.low pluck", ""]),
                   file="x.score", folder=Path(folder))
    assert not parsed.problems
    return places_and_messages(check(parsed.score, Options()).problems)


@pytest.mark.parametrize(("first", "then", "message"), [
    ("s.low.barrier.stiffness = -1", "s.low.barrier.stiffness = 1e8",
     f"stiffness is -1.0; {RANGE}"),
    ("s.*.barrier.stiffness = -1", "s.low.barrier.stiffness = 1e8", f"stiffness is -1.0; {RANGE}"),
    ("s.*.*.stiffness = -1", "s.*.*.stiffness = 1e8", f"stiffness is -1.0; {RANGE}"),
    ("*.*.*.stiffness = -1", "s.low.barrier.stiffness = 1e8", f"stiffness is -1.0; {RANGE}"),
    ("s.low.*.stiffness = -1", "*.*.barrier.stiffness = 1e8", f"stiffness is -1.0; {RANGE}"),
    ("s.scheme = foo", "s.scheme = two-point", f"scheme is foo; {KNOWN}"),
    ("*.scheme = foo", "s.scheme = two-point", f"scheme is foo; {KNOWN}"),
    ("s.low.barrier.profile = foo", "s.low.barrier.profile = flat",
     "profile is foo; expected one of parabola, flat"),
    ("s.low.pluck.position = 90cm", "s.low.pluck.position = 0.2",
     "position is 0.9; expected a finite number (m), above 0 and below 0.8"),
    ("s.low.pitch = d9", "s.low.pitch = pa,",
     "d9 needs a scale counted in steps; expected the names sa re ga in this one (just)"),
    ("s.*.pitch = 60kHz", "s.low.pitch = pa,",
     "the pitch 60000 Hz is not under 45120 Hz, 0.47 of the internal rate; "
     "expected a lower one"),
])
def test_a_wrong_value_that_is_replaced(tmp_path, first, then, message):
    assert reported(tmp_path, f"set {then}") == []
    assert reported(tmp_path, f"set {first}", f"set {then}") == [
        (2, len(f"set {first[:first.index(' = ')]} = ") + 1, message)]
    assert [line for line, _, _ in reported(tmp_path, f"set {then}", f"set {first}")] == [3]


def test_a_wrong_value_of_a_table_for_several_strings_that_is_replaced():
    """The string's own tables lack the key: it comes from [strings.default]."""
    parsed = parse("use violin as v\nset v.g3.pluck.force = 5000N\nset v.g3.pluck.force = 0.5N\n"
                   "0 v.g3 pluck\n", file="x.score", folder=Path())
    assert not parsed.problems
    assert places_and_messages(check(parsed.score, Options()).problems) == [
        (2, 24, "force is 5000.0; expected a finite number (N), at least -1000 and at most 1000")]


def test_a_wrong_override_that_is_replaced(tmp_path):
    assert reported(tmp_path, "set s.scheme = two-point",
                    use=" scheme=foo") == [(1, 26, f"scheme is foo; {KNOWN}")]
    assert [message[:7] for _, _,
            message in reported(tmp_path, "set s.gain = 1", use=" gain=-2")] == ["gain is"]


def test_each_of_several_is_reported_and_a_right_one_is_not(tmp_path):
    lines = [f"set s.low.barrier.points = {points}" for points in (0.5, 3, -2, 4)]
    assert [line for line, _, _ in reported(tmp_path, *lines)] == [2, 4]


def test_a_replaced_value_is_checked_alone(tmp_path):
    # a barrier longer than the string, until the string is longer too
    assert reported(tmp_path, "set s.low.length = 4mm", "set s.low.length = 0.9") == []
