"""What the commands make of an instrument of masses: its page, its JSON, its events in a
sidecar."""
import json

import numpy as np
from app.commands import contents
from instruments import mass, masses

from pysitar.__main__ import main

MASSES = "# Two masses.\n" + masses(
    mass(mass=1.0, stiffness=1e9, throw={"velocity": 1.5}),
    mass("b", mass=2.0, stiffness=1e9, throw={"velocity": 1.5, "gap": 1e-4}))
SCORE = ('use "two.toml" as m\nrender rate=8000 oversample=2 tail=0\n0 m.a throw dur=10ms\n'
         '0.005s m.b throw v=3 gap=2mm\n')


def furnished(folder, monkeypatch):
    (folder / "two.toml").write_text(MASSES)
    (folder / "x.score").write_text(SCORE)
    monkeypatch.chdir(folder)


def test_a_page_describes_masses(tmp_path, monkeypatch, capsys):
    furnished(tmp_path, monkeypatch)
    assert main(["describe", "two.toml"]) == 0
    page = capsys.readouterr().out
    assert "masses: a, b" in page
    assert "event throw: name in a row" in page
    assert "1.5 m/s" in page
    assert "the mass's own" in page
    # what it shows for a score is one
    shown = [line.strip() for line in page.partition("in a score\n")[2].splitlines()]
    assert len(shown) == 3
    (tmp_path / "shown.score").write_text("\n".join(shown) + "\n")
    assert main(["check", "shown.score"]) == 0


def test_json_describes_masses(tmp_path, monkeypatch, capsys):
    furnished(tmp_path, monkeypatch)
    assert main(["describe", "two.toml", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["masses"] == [{"name": "a"}, {"name": "b"}] and "strings" not in data
    (throw,) = data["verbs"]
    assert {row["name"]: row["own"] for row in throw["parameters"]} == {
        "velocity": {"a": 1.5, "b": 1.5}, "gap": {"a": 0.0, "b": 1e-4}}
    values = {row["path"]: row["value"] for row in data["parameters"]}
    assert values["b.mass"] == 2.0 and values["a.variant"] == "" and values["b.throw.gap"] == 1e-4


def test_a_sidecar_and_traces_describe_masses(tmp_path, monkeypatch, capsys):
    furnished(tmp_path, monkeypatch)
    assert main(["render", "x.score", "--traces", "x.npz", "--only", "m.b", "--quiet"]) == 0
    assert {"x.wav", "x.wav.json", "x.npz"} <= set(contents(tmp_path))
    (event,) = json.loads((tmp_path / "x.wav.json").read_text())["events"]
    assert (event["target"], event["verb"], event["hz"],
            event["sample"]) == ("m.b", "throw", None, 40)
    assert event["parameters"] == {"velocity": 3.0, "gap": 0.002}
    with np.load("x.npz") as traces:
        units = json.loads(str(traces["units"]))
        names = {name.split(".")[2] for name in traces.files if name.startswith("m.")}
        assert names == {"position", "velocity", "contact_force", "energy"} <= set(units)
        # 2 mm at 3 m/s is 10.7 internal steps
        assert np.flatnonzero(traces["m.b.position"] > 0.0)[0] == 80 + 11
        assert traces["m.b.energy"].shape == (-(-16080 // 64), 6)
    assert main(["render", "x.score", "--only", "m.c", "--quiet"]) == 2
    assert "m has not this mass" in capsys.readouterr().err
