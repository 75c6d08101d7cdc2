"""Warnings of keys that have no effect beside the value of another key."""
import re
from pathlib import Path

import pytest
from instruments import instrument, string, struck_object, table
from score_texts import bind_text, places_and_messages, refuse_text

from pysitar.models.definitions.idle_keys import SWITCHES
from pysitar.models.definitions.kinds import KINDS
from pysitar.models.definitions.loader import parse_instrument, preset_names, preset_text
from pysitar.models.definitions.spec import BALL_SCHEMA, GROUPS

BARRIER = {"profile": "flat", "extent": 0.01, "height": -1e-3, "points": 3, "stiffness": 1e7}
FRETS = {"count": 5, "gap_nut": 1e-3, "gap_12": 2e-3, "stiffness": 1e6}
BOARD = {"gap_nut": 1e-3, "gap_12": 2e-3, "stiffness": 1e6, "points": 5}
STRIKE = {"position": 0.1, "velocity": 1.0, "mass": 1e-3, "stiffness": 1e6, "exponent": 2.0}
BOW = {"position": 0.1, "velocity": 0.2, "force": 0.5}
# by the key without effect: the tables of the string, and the key that gives it one, with its value
CASES = {
    "detuning": ({"detuning": 0.01}, ("polarisation", 2)),
    "axis_angle": ({"axis_angle": 10.0}, ("polarisation", 2)),
    "nut_coupling": ({"nut_coupling": 10.0}, ("polarisation", 2)),
    "barrier.friction": ({"barrier": BARRIER | {"friction": 0.3}}, ("polarisation", 2)),
    "barrier.tilt": ({"barrier": BARRIER | {"tilt": 2.0}}, ("polarisation", 2)),
    "frets.friction": ({"frets": FRETS | {"friction": 0.3}}, ("polarisation", 2)),
    "fretboard.friction": ({"fretboard": BOARD | {"friction": 0.3}}, ("polarisation", 2)),
    "pluck.angle": ({"pluck": {"angle": 30.0}}, ("polarisation", 2)),
    "theta": ({"theta": 0.7}, ("statics", True)),
    "pick.mass": ({"pick": {"mass": 1e-4}}, ("pick.contact", "nail")),
    "pick.stiffness": ({"pick": {"stiffness": 1e6}}, ("pick.contact", "nail")),
    "pick.exponent": ({"pick": {"exponent": 2.0}}, ("pick.contact", "nail")),
    "pick.damping": ({"pick": {"damping": 0.2}}, ("pick.contact", "nail")),
    "pick.edge": ({"pick": {"edge": 1e-3}}, ("pick.contact", "nail")),
    "pick.sharpening": ({"pick": {"contact": "nail", "sharpening": 0.3}},
                        ("pick.contact", "none")),
    "pick.noise_t60": ({"pick": {"noise_t60": 0.2}}, ("pick.noise", 0.1)),
    "pick.noise_from": ({"pick": {"noise_from": 500.0}}, ("pick.noise", 0.1)),
    "pick.noise_to": ({"pick": {"noise_to": 5000.0}}, ("pick.noise", 0.1)),
    "bow.torsion_q": ({"bow": BOW | {"torsion_q": 20.0}}, ("bow.torsion", 5.0)),
    "bow.width": ({"bow": BOW | {"width": 0.01}}, ("bow.hairs", 2)),
    "bow.v1": ({"bow": BOW | {"mu1": 0.0, "v1": 0.02}}, ("bow.mu1", 0.4)),
    "bow.v2": ({"bow": BOW | {"mu2": 0.0, "v2": 0.2}}, ("bow.mu2", 0.4)),
    "strike.memory_time": ({"strike": STRIKE | {"memory_time": 1e-3}}, ("strike.memory", 0.3)),
}


def warned(here, text, score="0 w.a pluck"):
    (here / "w.toml").write_text(text, encoding="utf-8")
    return [one for one in places_and_messages(bind_text(f'use "w.toml" as w\n{score}').warnings)
            if "no effect" in one[2]]


def test_each_key_of_the_table_has_a_case_and_is_one():
    assert {".".join(key) for one in SWITCHES["strings"] for key in one.keys} == set(CASES)
    schemas = {"strings": [GROUPS["strings"]], "balls": [BALL_SCHEMA],
               "objects": [GROUPS["objects"], *KINDS.values()]}
    for group, switches in SWITCHES.items():
        for path in (path for one in switches for path in (one.path, *one.keys)):
            *tables, name = path
            found = schemas[group]
            for inside in tables:
                found = [one.tables[inside] for one in found if inside in one.tables]
            assert any(name in one.keys for one in found), path


@pytest.mark.parametrize("key", CASES)
def test_a_key_without_effect_is_reported_at_its_line(here, key):
    tables, (switch, value) = CASES[key]
    text = instrument(string("a", **tables))
    ((line, _, message),) = warned(here, text)
    name = key.rpartition(".")[2]
    assert text.split("\n")[line - 1].startswith(f"{name} = ")
    assert message.startswith(f"strings.a.{key}: {name} has no effect while ")
    assert message.endswith(f", or no {name}; used at <text>:1:5")
    # with the other key it has one
    shown = str(value).lower() if isinstance(value, bool) else value
    assert warned(here, text, f"set w.a.{switch} = {shown}\n0 w.a pluck") == []


def test_a_change_without_effect_is_reported_where_it_is(here):
    text = instrument(string("a"), string("b", pitch=330.0, polarisation=2))
    assert warned(here, text, "set w.a.detuning = 0.01\n0 w.a pluck") == [
        (2, 20, "detuning has no effect while polarisation is 1; expected polarisation = 2, or no "
                "detuning")]
    # it has one on b
    assert warned(here, text, "set w.*.detuning = 0.01\n0 w.a pluck") == []
    found = warned(here, text, "set w.*.theta = 0.7\nset w.a.theta = 0.8\n0 w.a pluck")
    assert [one[:2] for one in found] == [(2, 17), (3, 17)]


def test_values_kept_for_a_choice_are_silent(here):
    kept = instrument(string("a", polarisation=1, detuning=0.01, statics=False, theta=0.7,
                             pick={"contact": "none", "mass": 1e-4}))
    assert warned(here, kept) == []
    # a score takes the effect away, which is not the fault of the file
    text = instrument(string("a", statics=True, theta=0.7, pick={"noise": 0.1, "noise_to": 5e3}))
    assert warned(here, text, "set w.a.statics = false\nset w.*.pick.noise = 0\n0 w.a pluck") == []


def test_the_spread_of_one_part(here):
    one, other = string("a"), string("b", pitch=330.0)
    assert [line for line, *_ in warned(here, instrument(one, spread=0.5))] == [3]
    assert warned(here, instrument(one, other, spread=0.5)) == []
    found = warned(here, instrument(one), "set w.spread = 0.5\n0 w.a pluck")
    assert [found_at[:2] for found_at in found] == [(2, 16)]


def test_the_time_of_no_memory_is_refused_in_a_row():
    text = "use santoor as s\n0 s.*  strike memory_time=1ms{}"
    problems = refuse_text(text.format(""))
    assert [problem[:2] for problem in problems] == [(2, 27)]
    assert problems[0][2].startswith("memory_time has no effect while memory is 0")
    assert bind_text(text.format(" memory=0.2 damping=0"))


def test_an_effect_of_0_is_silent(here):
    text = instrument(string("a", nut_coupling=0.0, bow=BOW | {"width": 0.0},
                             pick={"contact": "nail", "sharpening": 0.0}))
    assert warned(here, text) == []
    # 0 degrees is another direction than the default
    assert len(warned(here, instrument(string("a", pluck={"angle": 0.0})))) == 1


def test_a_key_of_several_strings_is_reported_once_where_none_uses_it(here):
    shared = table("strings.default", detuning=0.01)
    one, other = string("a"), string("b", pitch=330.0)
    assert [line for line, *_ in warned(here, instrument(shared, one, other))] == [4]
    other = string("b", pitch=330.0, polarisation=2)
    assert warned(here, instrument(shared, one, other)) == []


def test_balls_and_objects(here):
    text = struck_object(bow={"mu1": 0.0, "v1": 0.02}) + table(
        "balls.felt", mass=0.01, radius=0.01, stiffness=1e6, memory_time=1e-3)
    found = [message.partition(":")[0] for *_, message in warned(here, text, "0 w.top strike")]
    assert sorted(found) == ["balls.felt.memory_time", "objects.top.bow.v1"]
    bar = instrument(table("balls.felt", mass=0.01, radius=0.01, stiffness=1e6), table(
        "objects.bar", kind="bar", length=0.3, width=0.03, thickness=0.01, material="steel",
        modes=4, cut=0.3, ball="felt"), model="impact")
    ((*_, message),) = warned(here, bar, "0 w.bar strike")
    assert "cut has no effect while depth is 0; expected depth above 0" in message


def test_presets_and_instruments_of_scores_are_silent():
    texts = {name: preset_text(name) for name in preset_names()}
    for path in Path(__file__).parents[3].glob("scores/instruments/*.toml"):
        texts[path.stem] = path.read_text(encoding="utf-8")
    for name, text in texts.items():
        if "[strings." not in text and not re.search(r"^(memory_time|cut|v1|v2)\b", text, re.M):
            continue            # the modes of an object take long
        spec = parse_instrument(text, name=name, shown=name)
        assert [one for one in spec.idle if not one.is_kept] == [], name


