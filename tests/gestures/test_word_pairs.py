"""No word of a row overrules another one in silence: a row has the values of both, or is wrong."""
import itertools

import pytest

import pysitar
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import options

WORDS = {
    "force": "f=0.5N", "width": "w=3mm", "ramp": "ramp=3ms", "release": "release=0.5ms",
    "height": "h=1mm", "touch": "touch=0.3", "lead": "lead=9ms", "angle": "angle=45",
    "velocity": "v=0.15", "mass": "m=3g", "stiffness": "K=2e6", "exponent": "alpha=2",
    "damping": "damping=0.3", "memory": "memory=0.2", "memory_time": "memory_time=1ms",
    "shift": "shift=1mm", "rise": "rise=20ms", "lift": "lift=10ms", "radius": "radius=8mm",
    "irregularity": "irregularity=0.1", "resistance": "resistance=0.01",
    "roughness": "roughness=1e-5", "shortest": "shortest=0.3mm", "longest": "longest=3cm",
    "beta": "beta=1.5", "r": "r=0.4", "y": "y=0.4",
}


def bound(preset, rows):
    """Return the values of the events of rows, each without the others; None: it is an error."""
    def values_of(kept):
        lines = [f"{4 * index} v.{row} dur=1" for index, row in enumerate(kept)]
        score = pysitar.load_score(text="\n".join([f"use {preset} as v", *lines]))
        found = check(score, options(score))
        return found.problems, [event.values for voice in found.voices for event in voice.events]

    wrong = {problem.place.line - 2 for problem in values_of(rows)[0]}
    problems, values = values_of([row for index, row in enumerate(rows) if index not in wrong])
    assert not problems
    found = iter(values)
    return [None if index in wrong else next(found) for index in range(len(rows))]


@pytest.mark.parametrize(("preset", "part", "verb", "own"), [
    ("guitar", "e2", "pluck", {"position": "x=10cm"}),
    ("esraj", "baj", "bow", {"position": "at=50mm"}),
    ("cymbal_small", "disc", "strike", {"place": "place=edge", "ball": "ball=felt"}),
    ("cymbal_small", "disc", "bow", {"place": "place=edge"}),
    ("plastic_box", "box", "drop", {"place": "place=edge", "ball": "ball=steel"}),
    ("plastic_box", "box", "roll", {"place": "place=edge", "ball": "ball=steel"}),
])
def test_two_words_of_a_row_both_count(preset, part, verb, own):
    spec = parse_instrument(preset_text(preset), name=preset, shown=preset)
    parameters = BY_MODEL[spec.model][verb].parameters
    words = {name: word for name, word in (
        {name: WORDS.get(name, "") for name in parameters} | own).items() if word}
    base, *alone = bound(preset, [f"{part} {verb} {word}" for word in ("", *words.values())])
    # a word's own value; those of a place are coordinates, and those of a ball give way to others
    changed = {name: {key: value for key, value in values.items() if key == name or (
        name == "place" and value != base.get(key))}
        for name, values in zip(words, alone, strict=True) if values is not None}
    assert len(changed) > 4
    pairs = list(itertools.permutations(changed, 2))
    both = bound(preset, [f"{part} {verb} {words[one]} {words[other]}" for one, other in pairs])
    for pair, values in zip(pairs, both, strict=True):
        expected = changed[pair[0]] | changed[pair[1]]
        assert values is None or {key: values.get(key) for key in expected} == expected, pair


@pytest.mark.parametrize(("row", "column", "names"), [
    ("disc strike place=edge r=0.5", 28, "r and place"),
    ("disc strike r=0.5 place=edge", 23, "place and r"),
    ("disc bow angle=90 place=edge", 23, "place and angle"),
])
def test_a_place_and_a_coordinate_exclude_each_other(row, column, names):
    score = pysitar.load_score(text=f"use cymbal_small as v\n0 v.{row}")
    problem, = check(score, options(score)).problems
    assert (problem.place.col, problem.message) == (
        column, f"{names} exclude each other; expected one of the two")


def test_a_ball_moves_no_blow_from_its_place():
    both = bound("cymbal_small", [f"disc strike {words}" for words in (
        "place=edge ball=felt", "ball=felt place=edge")])
    assert both[0] == both[1] and both[0]["r"] == 0.97
