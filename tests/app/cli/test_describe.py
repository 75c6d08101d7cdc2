"""`pysitar describe`: every value of an instrument, as its file has it and as a score can set it,
and what can be done to it."""
import json
import math
import os

import pytest
from app.commands import contents, furnish, messages

from pysitar.__main__ import main
from pysitar.gestures.bow import BOW
from pysitar.gestures.press import PALM_PRESS, PRESS
from pysitar.gestures.strike import STRIKE
from pysitar.models.definitions.loader import instrument_data, preset_names, preset_text
from pysitar.models.definitions.overrides import leaves
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.models.definitions.schema import keys_of
from pysitar.models.definitions.spec import PluckSpec, parameter_at, part_schema
from pysitar.rendering.binding.ornaments import ORNAMENT_TABLE, ORNAMENTS

PRESETS = preset_names()
# a bar of each
SETS = {"marimba": "C4", "xylophone": "F5", "glockenspiel": "F6", "vibraphone": "F4"}
C_SHARP_3 = 440.0 * 2.0 ** (-20.0 / 12.0)


@pytest.fixture(autouse=True)
def columns(monkeypatch):
    """The width of every page: that of the terminal the tests run in would tell."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def folder(here):
    return furnish(here)


PAGES = {}          # of presets, which do not change while the tests run, at each width


def described(capsys, *words):
    page = (*words, os.environ["COLUMNS"])
    if page not in PAGES:
        assert main(["describe", *words]) == 0
        out, output = capsys.readouterr()
        assert output == ""
        if words[0] not in PRESETS:
            return out
        PAGES[page] = out
    return PAGES[page]


OF_PRESETS = {}


def as_json(capsys, name):
    """What `pysitar describe NAME --json` prints; run once for each preset."""
    if name not in PRESETS:
        return json.loads(described(capsys, name, "--json"))
    if name not in OF_PRESETS:
        OF_PRESETS[name] = described(capsys, name, "--json")
    return json.loads(OF_PRESETS[name])


def leaves_of(data):
    """What each path of an instrument's file says, in SI (lengths in m), the first bridge's changes
    not put in."""
    tables = {(): data, ("body",): data.get("body", {})}
    for part, table in (data.get("strings") or data["objects"]).items():
        tables[part,] = table
        tables |= {(part, name): inner
                   for name, inner in table.items() if isinstance(inner, dict) and name != "places"}
    tables |= {("balls", name): table for name, table in data.get("balls", {}).items()}
    for path, table in tables.items():
        for key, value in table.items():
            if not isinstance(value, dict):
                yield (*path, key), value


def declared(data, path):
    """The parameter of a path of a file: that of its object's kind, if it has one."""
    group = PARTS[data["model"]][1]
    table = data[group].get(path[0], {}) if len(path) == 2 else {}
    return part_schema(group, table).keys[path[1]] if table else parameter_at(path, group)


@pytest.mark.parametrize("name", PRESETS)
def test_every_value_of_a_preset(name, capsys):
    data = instrument_data(preset_text(name))
    bridges = data.pop("bridges", {})
    found = {tuple(row["path"].split(".")): row for row in as_json(capsys, name)["parameters"]}
    assert list(found) == list(leaves(data, bridges=bool(bridges)))
    assert all(declared(data, path).meaning == row["meaning"] for path, row in found.items())
    changed = {path.rpartition(".")[2] for path in bridges.get(data.get("bridge"), {})}
    for path, value in leaves_of(data):
        if path[-1] in changed:
            continue
        row, length = found.pop(path), data.get("strings", {}).get(path[0], {}).get("length")
        if row["kind"] == "position":
            metres = float(value[:-2]) * {"cm": 1e-2, "mm": 1e-3}[value[-2:]] if isinstance(
                value, str) else value * length
            assert row["value"] == pytest.approx(metres, rel=1e-12)
            assert row["fraction"] == pytest.approx(metres / length, rel=1e-12)
        else:
            assert row["value"] == value
    # what the file does not say has its default
    assert all(row["value"] == row["default"] for path, row in found.items()
               if path[-1] not in changed and row["kind"] != "position")


@pytest.mark.parametrize("name", PRESETS)
def test_every_path_can_be_set(name, folder, capsys):
    """What is shown, set in a score as a bare number, is accepted, and changes nothing."""
    rows = [row for row in as_json(capsys, name)["parameters"]
            if row["path"] not in {"model", "bridge"} and row["value"] is not None]
    lines = []
    for row in rows:
        value = row.get("fraction", row["value"])
        shown = f"({' '.join(map(repr, value))})" if isinstance(
            value, list) else str(value).lower() if row["kind"] == "flag" else value
        lines.append(f"set t.{row['path']} = {shown}")
    plays = [row["path"].split(".")[:2] for row in rows
             if row["path"].endswith((".pluck.force", ".strike.velocity"))]
    if name in SETS:
        plays[0][0] = SETS[name]
    (folder / "a.score").write_text(
        "\n".join([f"use {name} as t", *lines, f"0 t.{' '.join(plays[0])}"]) + "\n")
    assert main(["check", "a.score"]) == 0
    assert "1 event" in capsys.readouterr().out


def test_a_page(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    lines = described(capsys, "tanpura").splitlines()
    assert lines[0].startswith("tanpura: Tanpura, male: four strings")
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in lines
            if line.startswith("  ") and line[2] != " "}
    # the strings of which each value is the same have one row, the others one each
    assert rows["*.barrier.height"] == "6e-05 m -0.1 to 0.1"
    assert rows["*.pluck.position"] == "0.42 m (0.42) above 0, below 1 of the"
    assert "pa.barrier.height" not in rows and "*.pluck.force" not in rows
    assert (rows["pa.pluck.force"],
            rows["sa1.pluck.force"]) == ("0.6 N -1000 to 1000, not 0", "0.8 N")
    assert rows["gain"] == "33.3 1/N or s/m above 0, at most 1e+09"
    assert rows["body.frequencies"].startswith("92, 151, 221, 298, 402,")
    # a cell goes on in the next line
    assert ("two-point " + " or ".join(MODELS["string"])).startswith(rows["scheme"])
    assert rows["scheme"].startswith("two-point two-point or three-point")
    assert rows["force,"] == "f the string's own -1000 to 1000, not 0"
    assert rows["ramp"] == "0.03 s above 0, at most 10"
    assert rows["height,"] == "h none -0.1 to 0.1, not 0"
    assert rows["t60"] == "0.2 s above 0, at most 100"
    assert lines[-3:] == ["  use tanpura as t", "  set t.pa.pluck.force = 0.6N",
                          "  0 t.pa pluck f=0.6N"]


@pytest.mark.parametrize("name", PRESETS)
def test_every_path_and_meaning_is_on_the_page(name, capsys):
    page = " ".join(described(capsys, name).split())
    data = instrument_data(preset_text(name))
    model = data["model"]
    for path in (row["path"] for row in as_json(capsys, name)["parameters"]):
        own = "." not in path or path.startswith("body.")
        ball = path.startswith("balls.") and f" balls.*.{path.rpartition('.')[2]} " in page
        assert f" {path} " in page or ball or (not own
                                               and f" *.{path.partition('.')[2]} " in page), path
        assert " ".join(declared(data, tuple(path.split("."))).meaning.split()) in page
    for verb in MODELS[model]["two-point"].values():
        # hammers, frets, heads, bows
        missing = (verb.gesture is STRIKE and name != "santoor") or (
            verb.gesture is PRESS and name not in {
                    "guitar", "guitar_nylon", "bass", "bass_finger", "esraj"}) or (
                verb.gesture is PALM_PRESS
                and name not in {"tabla_dayan", "tabla_bayan", "frame_drum"}) or (
                    verb.gesture is BOW and name not in {"sarangi", "violin", "esraj"})
        assert (f" event {verb.name}" in page) != missing
        if missing:
            continue
        for parameter in verb.parameters.values():
            assert parameter.meaning in page
            assert (f" {parameter.name}, {parameter.alias} "
                    if parameter.alias else f" {parameter.name} ") in page


def test_ornaments_are_described_of_strings(capsys):
    page = " ".join(described(capsys, "sitar").split())
    output = {row["name"]: row for row in as_json(capsys, "sitar")["ornaments"]}
    assert set(output) == ORNAMENTS
    for ornament in ORNAMENT_TABLE.values():
        assert ornament.meaning in page and output[ornament.name]["several"] == ornament.takes_list
        assert [row["default"] for row in output[ornament.name]["parameters"]] == [
            made.default for made in ornament.parameters.values()]
        assert all(made.meaning in page and f" {made.name} ({ornament.name}) " in page
                   for made in ornament.parameters.values())
    assert "event bend [CURVE]:" in page
    assert "event pluck [PITCH]:" in page
    assert "event fret PITCH:" in page
    assert "ornaments of" not in described(capsys, "glass")
    assert as_json(capsys, "glass")["ornaments"] == []


def test_the_names_of_balls_and_places_are_described(capsys):
    page = " ".join(described(capsys, "bell_bar").split())
    assert "glass or steel or large_steel or wood or plastic or rubber" in page
    assert "middle or end" in page
    verbs = {verb["name"]: {row["name"]: row["choices"] for row in verb["parameters"]}
             for verb in as_json(capsys, "steel_disc")["verbs"]}
    assert all(verb["place"] == [] for verb in verbs.values())
    balls = ["glass", "steel", "large_steel", "wood", "plastic", "rubber"]
    assert all(verb["ball"] == balls for name, verb in verbs.items()
               if name != "bow")           # which has no ball


@pytest.mark.parametrize(("preset", "balls"), [
    ("wood_table", {"strike": {"table": "glass"}, "roll": {"table": "large_steel"}}),
    ("marimba", {"drop": dict.fromkeys(("C3", "C6"), "rubber")}),
])
def test_the_ball_of_rows_without_one_is_described(capsys, preset, balls):
    """In JSON, by object; on the page where all objects have the same."""
    verbs = {verb["name"]: {row["name"]: row["own"] for row in verb["parameters"]}
             for verb in as_json(capsys, preset)["verbs"]}
    page = described(capsys, preset)
    for verb, own in balls.items():
        assert verbs[verb]["ball"].items() >= own.items()
        rows = page.partition(f"event {verb}")[2].partition("  ball ")[2]
        assert rows.split()[0] == next(iter(own.values()))


def test_the_lines_at_the_end_are_a_score(folder, capsys):
    for name in (*PRESETS, "two.toml"):
        lines = described(capsys, name).splitlines()
        (folder / "a.score").write_text(
            "\n".join(line.strip() for line in lines[lines.index("in a score") + 1:]) + "\n")
        assert main(["check", "a.score"]) == 0
        capsys.readouterr()


# all presets at the least and the greatest width; those of each model in between
SOME = ("sitar", "marimba", "tabla_dayan", "santoor")


@pytest.mark.parametrize(("columns", "width", "names"), [
    ("20", 80, SOME), ("80", 80, PRESETS), ("100", 100, SOME), ("120", 120, SOME),
    ("1000", 160, PRESETS)])
def test_as_wide_as_the_terminal(columns, width, names, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    for name in names:
        longest = max(len(line) for line in described(capsys, name).splitlines())
        assert longest <= width
    assert longest > width - 20


def test_pitches_and_tensions(folder, capsys):
    """sa at C#3, pa a fifth above it and an octave below; of a string without stiffness whose
    damped frequency is f, at a decay rate s: T = density (2 length)^2 (f^2 + (s / 2 pi)^2)."""
    strings = {string["name"]: string for string in as_json(capsys, "tanpura")["strings"]}
    assert strings["sa1"]["hz"] == pytest.approx(C_SHARP_3, rel=1e-12)
    assert strings["pa"]["hz"] == pytest.approx(0.75 * C_SHARP_3, rel=1e-12)
    assert strings["pa"]["pitch"] == "pa,"
    string = as_json(capsys, "two.toml")["strings"][0]
    assert (string["name"], string["pitch"], string["hz"]) == ("a", 9000.0, 9000.0)
    assert string["tension"] == pytest.approx(
        1e-3 * 0.4**2 * (9000.0**2 + (5.0 / (2.0 * math.pi))**2), rel=1e-12)
    page = described(capsys, "tanpura")
    assert f"  pa      pa,    {0.75 * C_SHARP_3:.3f}      33" in page


def test_what_can_be_done(capsys):
    """The registry's verbs; a pluck's own values are the instrument's."""
    verbs = {verb["name"]: verb for verb in as_json(capsys, "tanpura")["verbs"]}
    # no string of it has hammers, frets or a bow
    assert verbs.keys() == {*MODELS["string"]["two-point"], "strum"} - {
        "strike", "press", "bow"}
    assert {verb["name"] for verb in as_json(capsys, "santoor")["verbs"]} == {
        *MODELS["string"]["two-point"], "strum"} - {"press", "bow"}
    assert {verb["name"] for verb in as_json(capsys, "bass")["verbs"]} == {
        *MODELS["string"]["two-point"], "strum"} - {"strike", "bow"}
    assert {verb["name"] for verb in as_json(capsys, "violin")["verbs"]} == {
        *MODELS["string"]["two-point"], "strum"} - {"strike", "press"}
    pluck = {row["name"]: row for row in verbs["pluck"]["parameters"]}
    strings = instrument_data(preset_text("tanpura"))["strings"]
    assert pluck["force"]["own"] == {name: string["pluck"]["force"] for name,
                                     string in strings.items()}
    assert pluck["position"]["own"] == pytest.approx(dict.fromkeys(strings, 0.42))
    assert pluck["height"]["own"] == {} and pluck["force"]["alias"] == "f"
    assert {name for name, row in pluck.items() if row["own"]} == set(keys_of(PluckSpec))
    assert math.isclose(
        next(row["default"] for row in verbs["damp"]["parameters"] if row["name"] == "t60"), 0.2)


WRONG = {
    "no such preset": (
        "tanpora",
        "pysitar describe: no preset is named tanpora; did you mean tanpura?; the name of a file "
        "must end in .toml"
    ),
    "a preset with its ending": ("tanpura.toml",
                                 "tanpura.toml cannot be read (No such file or directory)"),
    "a file without its ending": ("./two", "./two does not end in .toml"),
    "a score": ("good.score", "no preset is named good.score"),
    "nothing": ("", "no preset is named "),
    "a folder": ("folder.toml", "is a folder"),
    "a device": ("/dev/null", "does not end in .toml"),
    "no TOML": ("text.toml", "text.toml:1:5: is not TOML"),
    "no UTF-8": ("bytes.toml", "is not UTF-8"),
    "a pitch that is none": ("pitch.toml", "pitch.toml: strings.a.pitch: xa is not a pitch"),
    "a pitch too high": ("high.toml", ":1: strings.a.pitch: "),
}


@pytest.mark.parametrize(("source", "said"), WRONG.values(), ids=WRONG)
def test_what_is_no_instrument(source, said, folder, capsys):
    (folder / "folder.toml").mkdir()
    (folder / "text.toml").write_text("use tanpura as t\n")
    (folder / "bytes.toml").write_bytes(b"\xff\xfe\0")
    text = (folder / "two.toml").read_text()
    (folder / "pitch.toml").write_text(text.replace("9000.0", '"xa"'))
    (folder / "high.toml").write_text(text.replace("9000.0", "1e300"))
    before = contents(folder)
    assert main(["describe", source]) == 2
    out, output = capsys.readouterr()
    assert out == "" and "Traceback" not in output
    assert len([line for line in output.splitlines() if not line.startswith("    ")]) == 1
    assert said in output
    assert contents(folder) == before


def test_every_fault_of_a_file(folder, capsys):
    text = (folder / "two.toml").read_text()
    (folder / "bad.toml").write_text(
        text.replace("gain = 1.0", "gain = -1.0").replace("length = 0.2", "lenght = 0.2"))
    assert main(["describe", "bad.toml"]) == 2
    lines = (folder / "bad.toml").read_text().splitlines()
    gain, length = (next(number for number, line in enumerate(lines, start=1)
                         if line.startswith(key)) for key in ("gain", "lenght"))
    output = messages(capsys.readouterr().err)
    assert output[0] == (f"bad.toml:{gain}:1: gain: gain is -1.0; expected a finite number (1/N or "
                         "s/m), above 0 and at most 1e+09")
    assert any(line.startswith(f"bad.toml:{length}:1: strings.a.lenght: is not known; did you mean "
                               "length?") for line in output)
    assert all(line.startswith("bad.toml:") for line in output)


def test_a_file_of_odd_strings(folder, capsys):
    """A name in any script, one that a table has too; a single string is named, not starred."""
    (folder / "two.toml").write_text(
        (folder / "two.toml").read_text().replace("strings.a", "strings.pluck"))
    page = described(capsys, "two.toml")
    assert "  pluck.pluck.force" in page and "*." not in page
    (folder / "two.toml").write_text(
        (folder / "two.toml").read_text().replace("strings.pluck", 'strings."弦"'))
    assert "  弦.pluck.force" in described(capsys, "./two.toml")
    assert as_json(capsys, "two.toml")["strings"][0]["name"] == "弦"
