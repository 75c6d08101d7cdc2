"""A verb is one gesture: no other file of the package has its name, and a gesture from outside the
package is a verb as any other."""
import ast
import re
from pathlib import Path

import numpy as np
import pytest
from sources import nodes_of, text_of, tree_of

import pysitar
from pysitar.app.cli.main import main
from pysitar.errors import ParameterError, ScoreError
from pysitar.gestures.base import Gesture
from pysitar.gestures.catalogue import (
    BY_MODEL,
    GESTURES,
    LONG_NAMES,
    VERBS,
    add_gesture,
    note_gesture,
    remove_gesture,
)
from pysitar.gestures.pluck import FORCE
from pysitar.models.definitions.loader import preset_text
from pysitar.models.definitions.registry import MODELS
from pysitar.models.network.schemes.catalogue import SCHEMES_OF
from pysitar.physics.parameters import Parameter, table
from pysitar.rendering.binding.binder import bind, check
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.options import options

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pysitar"
PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
NAMES = frozenset(gesture.name for gesture in GESTURES)
# what a verb's name is there instead
OTHER_MEANINGS = {
    "models/definitions/strings.py": "the tables pluck, strike and bow of an instrument file",
    "models/network/schemes/friction.py": "the argument bow of StringSimulation",
    "models/definitions/objects.py": "the table roll of an instrument file",
    "models/definitions/tried_keys.py": "the tables pluck and strike of an instrument file",
    "app/cli/fit_object.py": "the default stroke of a score that plays the file",
    "app/cli/fit_string.py": "the same of a string", "app/cli/fit_body.py": "the same on a body",
    "app/midi/reading.py": "the pitch bend of MIDI", "app/midi/notes.py": "the pitch bend of MIDI",
}


# a text without these has no place, and is not parsed
MAY_NAME = re.compile(rf"""["'](?:{'|'.join(NAMES)})["']|pysitar\.gestures""")


def verb_places(tree):
    """The lines that have the name of a verb as a text, or import a gesture by its name."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Constant) and node.value in NAMES:
            yield node.lineno
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pysitar.gestures"):
            yield from (node.lineno for alias in node.names if alias.name.lower() in NAMES
                        or alias.name == "BALL_STRIKE")


def test_no_file_outside_gestures_names_a_verb():
    found = {path.relative_to(PACKAGE).as_posix(): sorted(verb_places(tree_of(path)))
             for path in PACKAGE.rglob("*.py")
             if "gestures" not in path.parts and MAY_NAME.search(text_of(path))}
    assert {file for file, lines in found.items() if lines} == set(OTHER_MEANINGS), found


def test_each_gesture_names_its_own_verb_only():
    for path in (PACKAGE / "gestures").glob("*.py"):
        names = {node.value for node in nodes_of(tree_of(path))
                 if isinstance(node, ast.Constant) and node.value in NAMES}
        # press has a parameter fret
        assert names <= {path.stem, "fret" if path.stem == "press" else ""}, path


@pytest.mark.parametrize(("text", "count"), [
    ('if verb == "pluck": pass', 1), ('"""A pluck."""', 0), ('f"{verb}.drop"', 0),
    ("from pysitar.gestures.pluck import FORCE, PLUCK", 1), ('KINDS = {"strike": 1, "roll": 2}', 2),
])
def test_places_are_seen(text, count):
    assert len(list(verb_places(ast.parse(text)))) == count


def test_every_gesture_is_played_by_a_scheme_or_expanded():
    for gesture in GESTURES:
        schemes = SCHEMES_OF[gesture.model].values()
        assert gesture.expands_into or any(
            gesture.played_by(scheme.capabilities) for scheme in schemes), gesture
        assert gesture.parameter_needs.keys() <= gesture.parameters.keys()
        assert gesture.curves <= gesture.parameters.keys()
        assert not gesture.strength or gesture.parameters[gesture.strength].alias


@pytest.fixture
def tap():
    """The gesture of docs/extending.md, added by its own module, and removed after the test."""
    before = list(GESTURES), list(VERBS), dict(LONG_NAMES)
    code, score = re.search(r"## A verb\n.*?```python\n(.*?)```.*?```\n(.*?)```", PAGE,
                            re.DOTALL).groups()
    assert len(code.splitlines()) < 60
    space = {"__name__": "tap"}
    exec(compile(code, "tap.py", "exec"), space)
    yield space["TAP"], score
    remove_gesture(space["TAP"])
    assert before == (list(GESTURES), list(VERBS), dict(LONG_NAMES))


def messages(text):
    try:
        score = pysitar.load_score(text=text)
    except ScoreError as error:
        return [problem.message for problem in error.problems]
    bound = check(score, options(score))
    return [problem.message for problem in (*bound.problems, *bound.warnings)]


def brightness(sound):
    power = np.abs(np.fft.rfft(sound.reshape(-1)[:8000]))**2
    return (power * np.arange(power.size)).sum() / power.sum()


def test_a_verb_from_outside_sounds(tap):
    _, text = tap
    assert messages(text) == []
    sound = pysitar.render(pysitar.load_score(text=text), jobs=1).audio
    soft, hard = sound[:22000], sound[22060:]
    assert np.abs(soft).max() > 1e-4 and np.abs(hard).max() > 1e-4
    assert brightness(hard) > 1.2 * brightness(soft)          # a shorter force


def test_its_values_are_bound_and_flat(tap):
    _, text = tap
    score = pysitar.load_score(text=text)
    bound = bind(score, options(score))
    own, row = bound.voices[0].events
    string = next(part.spec for part in bound.voices[0].parts if part.name == "baj")
    assert own.values == {"force": string.pluck.force, "position": string.pluck.position,
                          "hardness": 0.5}
    assert row.values == {"force": 2.0, "position": pytest.approx(0.3 * string.length),
                          "hardness": 0.8}
    flat = pysitar.load_score(text=flatten_score(score, bound))
    assert [event.values for event in bind(flat, options(flat)).voices[0].events] == [
        own.values, row.values]


@pytest.mark.parametrize(("row", "message"), [
    ("s.baj tap K=3", "tap has no K; expected it with strike"),
    ("s.baj tap H=2", "hardness is 2.0; expected a finite number, at least 0 and at most 0.9"),
    ("s.baj tap sa", "tap takes no pitch, and sa is not name=value; expected no pitch"),
    ("s.baj tap x=1mm", "width is 0.012; expected at most 0.002 m around 0.001 m on a string of "
                        "0.88 m"),
    ("s.baj tapp", "tapp is not a verb; did you mean tap?"),
])
def test_its_messages(tap, row, message):
    found = messages(f"use sitar as s\n0 {row}\n1 s.baj pluck\n")
    assert found == [message]


def test_an_instrument_without_it_says_where_it_is(tap):
    assert messages("use glass as g\n0 g.glass tap\n1 g.glass strike\n") == [
        "this version plays strike, drop, roll, press and bow on objects; expected tap on strings"]


def test_describe_and_silence_name_it(tap, capsys):
    assert main(["describe", "sitar"]) == 0
    assert "event tap:" in capsys.readouterr().out
    silent = messages("use sitar as s\n0 s.baj damp\n")
    assert silent == ["nothing sounds in this score; a pluck or a tap would sound"]


def test_every_scheme_of_strings_plays_it(tap):
    _, text = tap
    for scheme in MODELS["string"]:
        sound = pysitar.render(
            pysitar.load_score(text=text.replace(
                "as s\n", f"as s scheme={scheme}\nset s.*.statics = false\n")), jobs=1)
        assert np.abs(sound.audio).max() > 1e-4, scheme


class Tremolo(Gesture):
    """Three plucks of a string, one after the other."""

    name = "tremolo"
    parameters = table(Parameter(name="every", unit="s", low=0.0, high=1.0, default=0.1,
                                 meaning="the time between two plucks"))
    expands_into = "pluck"
    pitch = "may"

    def expand(self, values, parts):
        for count in range(3):
            for part in parts:
                yield values["every"] * count, part


def test_a_verb_that_expands(capsys):
    gesture = Tremolo()
    add_gesture(gesture)
    try:
        score = pysitar.load_score(text="use sitar as s\n1s s.baj tremolo re every=50ms f=1N\n")
        events = bind(score, options(score)).voices[0].events
        assert [event.verb for event in events] == ["pluck"] * 3
        assert [event.time for event in events] == pytest.approx([1.0, 1.05, 1.1])
        assert all(event.values["force"] == 1.0 and event.hz == events[0].hz for event in events)
        assert messages("use sitar as s\n0 s.baj tremolo tap=1\n") == [
            "tremolo has no tap; expected one of every, force, f, position, x, width, w, ramp, "
            "release, height, h, touch ..."]
    finally:
        remove_gesture(gesture)


class Named(Gesture):
    """A gesture without anything but its name."""

    def __init__(self, name, **attributes):
        self.name = name
        vars(self).update(attributes)


@pytest.mark.parametrize(("gesture", "message"), [
    (Named("pluck"), "name is pluck; expected a name that no other verb of the model has"),
    (Named("two words"), "name is two words; expected a name that no other verb of the model has"),
    (Named("tap", model="drum"), "model is drum; expected one of string, impact, lumped"),
    (Named("tap", expands_into="tip"), "expands_into is tip; expected one of pluck, fret, bend, "
                                       "press, damp, strike, bow, strum"),
    (Named("tap", parameters=table(Parameter(name="fast", alias="f", meaning=""))),
     "alias is f; it is short for force; expected another"),
    (Named("tap", parameters=table(Parameter(name="m", meaning=""))),
     "name is m; it is short for mass; expected another"),
    (Named("tap", parameters=table(Parameter(name="dur", meaning=""))),
     "name is dur; every row has it; expected another"),
])
def test_a_wrong_gesture_is_refused(gesture, message):
    before = list(GESTURES)
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        add_gesture(gesture)
    assert before == GESTURES


def test_notes_of_midi_start_with_what_the_parts_have():
    santoor = pysitar.models.definitions.loader.parse_instrument(
        preset_text("santoor"), name="santoor", shown="santoor.toml").strings
    assert note_gesture("string", santoor).name == "strike"
    assert BY_MODEL["string"]["pluck"].parameters["force"] is FORCE


@pytest.mark.parametrize("changes", [{"needs": "rows"}, {"name": 3}, {"model": None}])
def test_a_gesture_that_is_refused_leaves_nothing(changes):
    verbs = list(VERBS)
    with pytest.raises(ParameterError):
        add_gesture(type("Wrong", (Gesture,), {"name": "wrong", **changes})())
    assert verbs == VERBS and all(gesture.name != "wrong" for gesture in GESTURES)
