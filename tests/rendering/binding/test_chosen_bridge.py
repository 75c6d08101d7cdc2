"""A score selects an instrument's bridge, by `use` or by `set`, and changes its values."""
import pytest

import pysitar
from pysitar.models.definitions.loader import preset_text
from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import options

PLUCK = "\n0 s.baj pluck\n"


def bound(text):
    score = pysitar.load_score(text=text)
    return check(score, options(score))


def baj(text):
    result = bound(text + PLUCK)
    assert not result.problems
    spec = result.voices[0].spec
    return spec.bridge, spec.strings[0].barrier.points, spec.strings[0].cents


def problem(text):
    (found,) = bound(text).problems
    return f"{found.place.line}:{found.place.col}", found.message


FLAT, PAPER = ("flat", 14, -4.58), ("paper", 15, -28.02)


@pytest.mark.parametrize(("text", "expected"), [
    ("use sitar as s", FLAT),
    ("use sitar as s bridge=flat", FLAT),
    ("use sitar as s bridge=paper", PAPER),
    ('use sitar as s bridge="paper"', PAPER),
    ("use sitar as s\nset s.bridge = paper", PAPER),
    ("use sitar as s\nset *.bridge = paper", PAPER),
    ("use sitar as s bridge=paper\nset s.bridge = flat", FLAT),
    ("use sitar as s\nset s.baj.cents = 3\nset s.bridge = paper", ("paper", 15, 3.0)),
    ("use sitar as s bridge=paper\nset s.*.barrier.points = 7", ("paper", 7, -28.02)),
])
def test_a_score_chooses_the_bridge(text, expected):
    assert baj(text) == expected


def test_what_is_wrong_in_the_choice_is_reported_in_the_score():
    assert problem("use sitar as s bridge=papr" + PLUCK) == (
        "1:23", "bridge is papr; did you mean paper?")
    assert problem("use sitar as s\nset s.bridge = marble"
                   + PLUCK) == ("2:16", "bridge is marble; expected one of flat, paper")
    assert problem("use sitar as s bridge=3" + PLUCK) == ("1:23", "bridge is 3; expected a name")
    place, message = problem("use tanpura as s bridge=paper\n0 s.pa pluck\n")
    assert place == "1:18" and message.startswith("the instrument has no bridge; ")


def test_what_is_wrong_in_a_bridge_is_reported_in_the_file(tmp_path):
    box = tmp_path / "box.toml"
    box.write_text(preset_text("sitar").replace('"*.barrier.extent" = 0.03',
                                                '"*.barrier.extent" = 0.8'), encoding="utf-8")
    path = tmp_path / "x.score"
    for bridge, wrong in (("flat", False), ("paper", True)):
        path.write_text(f'use "box.toml" as s bridge={bridge}{PLUCK}', encoding="utf-8")
        score = pysitar.load_score(path)
        found = [str(problem) for problem in check(score, options(score)).problems]
        assert bool(found) == wrong
        if wrong:
            assert ": bridges.paper.*.barrier.extent: " in found[0]
            assert "used at" in found[0]
