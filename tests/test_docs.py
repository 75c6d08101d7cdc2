"""What the documents say is what pysitar does: their scores sound, their errors are its own, and no
value of the language is missing."""
import math
import re
import shlex
from pathlib import Path

import pytest
from app.commands import contents

import pysitar
from pysitar.__main__ import COMMANDS, main
from pysitar.errors import MAX_PROBLEMS
from pysitar.gestures.strum import STRUM
from pysitar.models.definitions.loader import preset_names
from pysitar.models.definitions.registry import MODELS
from pysitar.models.definitions.spec import BALL, GROUPS
from pysitar.models.strings.modal_string import HIGHEST_PLAYED
from pysitar.rendering.binding.levels import HIGHEST_GAIN, LOWEST_GAIN
from pysitar.rendering.binding.ornaments import ORNAMENT_TABLE
from pysitar.rendering.engine import LONGEST_TAIL
from pysitar.rendering.lint.table import LOWEST_BRIDGE_RATE
from pysitar.rendering.options import HIGHEST_INTERNAL_RATE, OPTIONS, TAIL
from pysitar.score.literals import UNITS, Quantity, si_value
from pysitar.score.pitch import MAX_EDO
from pysitar.score.values import parse_value
from pysitar.score.vocabulary import (
    KEYWORDS,
    MIX_NAMES,
    ORNAMENTS,
    PLAY_NAMES,
    RENDER_NAMES,
    TALAS,
    VERBS,
)

ROOT = Path(__file__).resolve().parents[1]
FILES = ("README.md", "docs/score.md")
TEXTS = {file: (ROOT / file).read_text(encoding="utf-8") for file in FILES}
LANGUAGE = TEXTS["docs/score.md"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(file, kind, text) for file, whole in TEXTS.items()
          for kind, text in FENCE.findall(whole)]
SPAN = re.compile(r"`([^`\n]+)`")
TOLD = re.compile(r"^\S+\.score:[0-9]+:[0-9]+: ", re.MULTILINE)  # how an error or a warning begins
SESSION = re.compile(r"\$ cat (\S+\.score)\n(.*?)\$ pysitar check (\S+)\n(.*)", re.DOTALL)
# Hz, so that it is quick; s of an example that are rendered: all of it is checked
RATE, LONGEST = 12000, 0.5
STRING = GROUPS["strings"]
STRING_VERBS = MODELS["string"]["two-point"]
PLAYED_VERBS = {**STRING_VERBS, STRUM.name: STRUM, **MODELS["lumped"]["two-point"]}
OBJECT_VERBS = {f"{name}, on objects" if name in STRING_VERBS else name: verb for name,
                verb in MODELS["impact"]["two-point"].items()}
PLAYED = {*PLAYED_VERBS, *MODELS["impact"]["two-point"]}


def blocks(kind):
    return [pytest.param(text, id=f"{file}-{index}") for index,
            (file, its, text) in enumerate(BLOCKS) if its == kind]


def part(heading):
    """The text under a heading, up to the next one of its level or above."""
    level = heading.split(" ")[0]
    _, found, rest = LANGUAGE.partition(f"\n{heading}\n")
    assert found, f"docs/score.md has no {heading!r}"
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def rows(heading):
    """The table under a heading: its cells after the first, by the words in code in the first."""
    lines = [line for line in part(heading).splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return {tuple(SPAN.findall(first)): rest for first, *rest in cells}


def test_every_block_says_what_it_is():
    assert {kind for _, kind, _ in BLOCKS} == {"score", "text", "python", "toml"}
    assert {file for file, kind, _ in BLOCKS if kind == "score"} == set(FILES)
    assert all(text.count("```") == 2 * len(FENCE.findall(text)) for text in TEXTS.values())


@pytest.mark.parametrize("text", blocks("score"))
def test_a_score_in_the_documents_sounds(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "example.score").write_text(text, encoding="utf-8")
    assert main(["check", "example.score"]) == 0
    output, _ = capsys.readouterr()
    assert re.fullmatch(r"example\.score: [0-9]+ events?, [0-9]+ voices?, .*\n",
                        output) and "warning" not in output
    assert list(contents(tmp_path)) == ["example.score"]
    report = pysitar.render(pysitar.load_score("example.score"), rate=RATE, oversample=1,
                            stop=LONGEST).report
    assert report["peak"] > 0.01 and report["clipped"] == 0 and report[
        "failed_solves"] == 0 and report["residual"] < 1e-9
    # every instrument that it names is played
    assert set(report["voices"]) == set(re.findall(r"^use .* as (\w+)", text, re.MULTILINE))


@pytest.mark.parametrize("text", blocks("text"))
def test_output_in_the_documents_is_what_pysitar_prints(text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    session = SESSION.fullmatch(text)
    if session is None:  # a fragment, in which nothing is reported
        assert not TOLD.search(text) and "$" not in text
        return
    name, score, checked, shown = session.groups()
    assert name == checked and TOLD.search(shown)
    (tmp_path / name).write_text(score, encoding="utf-8")
    code = main(["check", name])
    assert capsys.readouterr().out == shown
    assert code == (0 if "warning: " in shown else 2)


def test_both_documents_show_an_error():
    assert {file
            for file, kind, text in BLOCKS if kind == "text" and TOLD.search(text)} == set(FILES)


def check_row(parameter, unit, bounds):
    """A row's unit and range are the parameter's."""
    assert parameter.unit in re.findall(r"[\w/^]+", unit) or not (parameter.unit or unit)
    assert ("fraction" in unit) == (parameter.kind == "position")
    limits = [limit for limit in (parameter.low, parameter.high) if limit is not None]
    assert [float(number)
            for number in re.findall(r"-?\d+\.?\d*", bounds.replace("not 0", ""))] == limits
    assert ("above" in bounds, "below" in bounds, "not 0"
            in bounds) == (parameter.open_low, parameter.open_high, parameter.nonzero)


def default_of(parameter, shown):
    """The number that a cell gives as a default; None where it gives none."""
    if shown in {"none", "`auto`"}:
        return None
    found = parse_value(shown.strip("`"), None)
    assert isinstance(found, Quantity)
    return si_value(found, parameter.unit)


@pytest.mark.parametrize("name", [*PLAYED_VERBS, *OBJECT_VERBS])
def test_every_parameter_of_a_verb_is_documented(name):
    verb = OBJECT_VERBS[name] if name in OBJECT_VERBS else PLAYED_VERBS[name]
    table = rows(f"### {name}")
    expected = {(key, parameter.alias) if parameter.alias else (key, ): parameter
                for key, parameter in verb.parameters.items()}
    assert list(table) == list(expected)
    for names, parameter in expected.items():
        unit, bounds, default, meaning = table[names]
        check_row(parameter, unit, bounds)
        if name in STRING.tables and parameter.name in STRING.tables[name].keys:
            assert default == "the string's own"
        elif name == "throw":
            assert default == "the mass's own"
        elif name in OBJECT_VERBS and not verb.gesture.defaults:
            assert default == "required"
        elif name in OBJECT_VERBS:
            keys = GROUPS["objects"].tables[verb.name].keys
            own = set(BALL) - set(keys)
            source = ("none" if parameter.name == "place" and "place" not in keys
                      else "the ball's own" if parameter.name in own else "the object's own")
            assert default == source
        elif parameter.kind == "text":
            assert bounds == " or ".join(f"`{choice}`" for choice in parameter.choices)
            assert default == f"`{parameter.default}`"
        else:
            assert default_of(parameter, default) == parameter.default
        assert meaning
    form = {"not": f"`{verb.name}`", "may": f"`{verb.name} [PITCH",
            "must": f"`{verb.name} PITCH`"}[verb.pitch]
    assert part(f"### {name}").lstrip().startswith(form)


def test_every_ornament_is_documented():
    table = rows("### Ornaments")
    assert list(table) == [(name,) for name in ORNAMENT_TABLE] and set(ORNAMENT_TABLE) == ORNAMENTS
    for name, ornament in ORNAMENT_TABLE.items():
        notes, *defaults, meaning = table[name,]
        assert notes.startswith("one, or several") == ornament.takes_list and meaning
        for parameter, shown in zip(("rate", "depth"), defaults, strict=True):
            assert (shown == "") == (parameter not in ornament.parameters)
            if shown:
                assert default_of(ornament.parameters[parameter],
                                  shown) == ornament.parameters[parameter].default
    for name, bounds in (("rate", "0.1 to 30 Hz"), ("depth", "above 0, to 1200 c")):
        assert f"`{name}` is {bounds}" in part("### Ornaments").replace("\n", " ")
        output = {(made.low, made.high) for ornament in ORNAMENT_TABLE.values()
                for made in ornament.parameters.values() if made.name == name}
        assert output == {tuple(float(number) for number in re.findall(r"\d+\.?\d*", bounds))}


def test_every_option_of_a_render_is_documented():
    table = rows("## Render options")
    assert set(table) == {(name,) for name in OPTIONS} and set(OPTIONS) == set(RENDER_NAMES)
    for name, parameter in OPTIONS.items():
        unit, bounds, default, _ = table[name,]
        check_row(parameter, unit, bounds)
        assert ("auto" in bounds) == (parameter is TAIL)
        assert default_of(parameter, default) == parameter.default


def test_what_is_not_played_yet_is_documented_there_and_nowhere_else():
    later = set(VERBS) - PLAYED
    section = part("## Read, but not played yet")
    output, _, instead = section.partition("What can be had now")
    assert {word for word in SPAN.findall(output) if word.isidentifier()} == later
    elsewhere = SPAN.findall(LANGUAGE.replace(section, instead))
    assert not later & {word for span in elsewhere for word in re.findall(r"\w+", span)}


@pytest.mark.parametrize("line", [
    *(f"0 s.baj {verb}" for verb in sorted(set(VERBS) - {*STRING_VERBS, "strum"})),
    "sweep s.gain = linear(1, 2, 2)", "draw s.gain ~ uniform(1, 2) n=2",
    "0 s.baj pluck f=(0:1N 2:3N/cos)",
])
def test_what_is_not_played_yet_is_refused(line):
    with pytest.raises(pysitar.ScoreError) as raised:
        pysitar.render(pysitar.load_score(text=f"use sitar as s\n5 s.baj pluck\n{line}\n"))
    assert [problem.place.line for problem in raised.value.problems] == [3]


def test_every_word_of_the_language_is_documented():
    spans = SPAN.findall(LANGUAGE)
    code = "\n".join([*spans, *(text for file, kind, text in BLOCKS if file == "docs/score.md")])
    words = set(re.findall(r"\w+", code))
    assert words >= {*KEYWORDS, "as", *VERBS, *ORNAMENTS, *MIX_NAMES, *TALAS, "dur", "just", "edo",
                     "shruti", "scala", *preset_names()}
    assert words >= set(PLAY_NAMES) - {"force"}
    assert all(f"`{name}` {matras}" in LANGUAGE for name, matras in TALAS.items())
    units = next(line for line in part("## Lines").split("- ") if line.startswith("Units"))
    assert set(SPAN.findall(units)) == set(UNITS)


def test_the_limits_are_those_that_are_documented():
    for limit in (
            f"`gain` is {LOWEST_GAIN:g} to {HIGHEST_GAIN:g} dB",
            f"under {HIGHEST_PLAYED:g} of the internal rate",
            f"of {LOWEST_BRIDGE_RATE} Hz strings",
            f"at most {HIGHEST_INTERNAL_RATE / 1e6:g} MHz",
            f"`edo N` to {MAX_EDO}",
            f"until all is silent, {LONGEST_TAIL:g} s at most",
            f"the first {MAX_PROBLEMS} of a score",
            f"plays {STRING.keys['lowest'].default:g} to +{STRING.keys['highest'].default:g} "
            f"semitones",
    ):
        assert limit in LANGUAGE.replace("\n", " ")


def test_every_command_in_the_documents_is_one():
    seen = set()
    for span in (span for text in TEXTS.values() for span in SPAN.findall(text)):
        words = shlex.split(span) if re.match("pysitar |--?[a-z]", span) else []
        if words and words[0] != "pysitar":
            words = ["pysitar", "render", "a.score", *words]          # options alone
        if words:
            COMMANDS[words[1]].parser().parse_args(words[2:])  # raises UsageError for what is none
            seen.add(words[1])
    assert seen == set(COMMANDS)


def test_the_files_that_the_readme_names_are_there():
    named = re.findall(r"\]\(([\w./]+)\)|pysitar render (scores/\S+\.score)", TEXTS["README.md"])
    assert len(named) == 21 and all((ROOT / (link or score)).is_file() for link, score in named)
    presets = re.findall(r"^\| `(\w+)` \|.*\| `(\w+)` \|$", TEXTS["README.md"], re.MULTILINE)
    assert sorted(preset for preset, _ in presets) == sorted(preset_names())
    assert all((ROOT / f"scores/{score}.score").is_file() for _, score in presets)


def test_the_python_in_the_readme_runs(tmp_path, monkeypatch, capsys):
    """As it stands, but with a shorter score in the place of the drone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores").mkdir()
    short = "use tanpura as t\nrender rate=16000 oversample=1 tail=0\n0 t.pa pluck dur=100ms\n"
    (tmp_path / "scores/tanpura_drone.score").write_text(short)
    [code] = [text for file, kind, text in BLOCKS if kind == "python" and file == "README.md"]
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    assert capsys.readouterr().out.startswith("(44100, 3) ")
    assert names["result"].audio.shape == (1600, 2) and math.isfinite(names["run"].residual)
    assert (tmp_path / "drone.wav").is_file() and "<audio" in names["result"]._repr_html_()


def test_the_python_of_the_language_makes_its_score():
    [code] = [text for file, kind, text in BLOCKS if kind == "python" and file != "README.md"]
    names = {}
    exec(compile(code, "score.md", "exec"), names)
    assert len(names["score"].main.rows) == 200


def test_the_version_is_the_same_wherever_it_stands():
    project, citation = ((ROOT / name).read_text(encoding="utf-8")
                         for name in ("pyproject.toml", "CITATION.cff"))
    assert re.search(r'^version = "(.+)"$', project,
                     re.MULTILINE)[1] == re.search(r"^version: (.+)$", citation, re.MULTILINE)[1]
