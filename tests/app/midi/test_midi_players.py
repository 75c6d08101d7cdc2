"""Which strings of an instrument take the notes of a MIDI file, and how a note begins on them."""
import re

import numpy as np
import pytest
from app.midi.makers import bend, midi, off, on, track
from instruments import instrument, string

import pysitar
from pysitar.__main__ import main
from pysitar.models.definitions.loader import parse_instrument, preset_text


def rows(tmp_path, monkeypatch, capsys, events, instrument):
    """The rows of the score of a track on an instrument, its times left out, and what was
    reported."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mid").write_bytes(midi(track(*events)))
    assert main(["midi", "a.mid", "--instrument", instrument]) == 0
    output = capsys.readouterr().err
    assert main(["check", "a.score"]) == 0, capsys.readouterr().out
    capsys.readouterr()
    found = [re.split(r"  +", line) for line in (tmp_path / "a.score").read_text().splitlines()
             if re.match(r"[0-9]", line)]
    return [(row[1].partition(".")[2], *row[2:]) for row in found], output


def melody(keys):
    return [event for key in keys for event in ((0, on(key)), (240, off(key)))]


@pytest.mark.parametrize("instrument", ["sitar", "sitar_tarafs"])
def test_a_sitar_plays_on_its_melody_strings(instrument, tmp_path, monkeypatch, capsys):
    """Each key from two octaves under sa'' to it, alone and over a drone: no chikari, no taraf."""
    found, output = rows(tmp_path, monkeypatch, capsys, melody(range(49, 74)), instrument)
    assert {row[0] for row in found} == {"baj", "jor"} and output == ""
    found, output = rows(tmp_path, monkeypatch, capsys, [(0, on(61)), *melody([73, 85])],
                         instrument)
    assert {row[0]
            for row in found} == {"baj", "jor"} and "1 x note out of the strings' range" in output


def test_roles():
    """Presets state them where a string is not for melodies; drones play where there is nothing
    else."""
    roles = {name: {part.name: part.role for part in parse_instrument(
        preset_text(name), name=name, shown=name).strings}
        for name in ("sitar_tarafs", "sitar", "tanpura", "guitar")}
    assert {name for name, role in roles["sitar_tarafs"].items() if role == "sympathetic"} == {
        f"taraf{n}" for n in range(1, 12)}
    assert roles["sitar"] == {"baj": "melody", "jor": "melody", "kharaj": "melody",
                              "chikari1": "drone", "chikari2": "drone"}
    assert set(roles["tanpura"].values()) == {"drone"} and set(
        roles["guitar"].values()) == {"melody"}


def test_drones_play_where_there_is_nothing_else(tmp_path, monkeypatch, capsys):
    found, output = rows(tmp_path, monkeypatch, capsys, [(0, on(44)), (0, on(49)),
                                                       (0, on(37)), *melody([50])], "tanpura")
    assert [row[0] for row in found if row[1] == "pluck"] == ["kharaj", "pa", "sa1", "sa2"]
    assert "never released" in output


def test_a_santoor_is_struck_by_courses(tmp_path, monkeypatch, capsys):
    """All three strings of the course that is nearest, tuned to the note where it is not theirs,
    with v by the velocity."""
    found, output = rows(tmp_path, monkeypatch, capsys, melody([61, 62, 61, 63, 80]), "santoor")
    assert output == ""
    assert [row for row in found if row[1] != "damp"] == [
        ("sa_*", "strike", "v=1.38m/s dur=0.5"),
        ("sa_*", "fret", "D4"), ("sa_*", "strike", "v=1.38m/s dur=0.5"),
        ("sa_*", "fret", "C#4"), ("sa_*", "strike", "v=1.38m/s dur=0.5"),
        ("re_*", "fret", "D#4"), ("re_*", "strike", "v=1.38m/s dur=0.5"),  # re is 4 cents over it
        ("pa2_*", "fret", "G#5"), ("pa2_*", "strike", "v=1.38m/s dur=0.5")]
    bent = [(0, on(61, 127)), (120, bend(12288)), (120, off(61)), (9, on(62)), (9, off(62))]
    found, _ = rows(tmp_path, monkeypatch, capsys, bent, "santoor")
    assert [row[1:] for row in found] == [
        ("strike", "v=2.5m/s dur=0.5"), ("bend", "(0:C#4 0.25:C#4 0.25:D4)"), ("damp",),
        ("fret", "D#4"), ("strike", "v=1.38m/s dur=0.01875"), ("damp",)]


def test_a_struck_note_has_its_pitch(tmp_path, monkeypatch, capsys):
    """E4, first of all, on a course of re: the partial of the course is 10 cents off it at most."""
    rows(tmp_path, monkeypatch, capsys, [(0, on(64)), (960, off(64))], "santoor")
    audio = pysitar.render(pysitar.load_score("a.score"), rate=24000, oversample=1,
                           stop=1.0).audio[1200:, 0]
    sizes = np.abs(np.fft.rfft(audio * np.hanning(len(audio)), 1 << 17))
    low, high = int(300 / 24000 * (1 << 17)), int(360 / 24000 * (1 << 17))
    found = (low + np.argmax(sizes[low:high])) * 24000 / (1 << 17)
    assert abs(1200 * np.log2(found / (440 * 2 ** (-5 / 12)))) < 10.0


def course(name, pitch, force=1.0, more=()):
    return string(name, pitch=pitch, length=0.6, **dict(more),
                  pluck={"force": force, "width": 0.001, "ramp": 0.006, "release": 0.0003})


def lute(folder, *strings):
    text = instrument(*(course(*values) for values in strings), gain=10.0)
    (folder / "lute.toml").write_text(text)
    return "lute.toml"


@pytest.mark.parametrize(
    ("strings", "plucks"),
    [
        ([("c_1", "C4"), ("c_2", "C4")], ["c_* pluck D4 f=0.552N dur=0.5"]),
        # each its own force
        ([("c_1", "C4"),
          ("c_2", "C4", 2.0)], ["c_1 pluck D4 f=0.552N dur=0.5", "c_2 pluck D4 f=1.1N dur=0.5"]),
        ([("c_1", "C4"), ("c_2", "C5")], ["c_1 pluck D4 f=0.552N dur=0.5"]),  # no unison
        ([("c_1", "C4"), ("c_2", "C4"),
          ("c_low", "C3")], ["c_1 pluck D4 f=0.552N dur=0.5", "c_2 pluck D4 f=0.552N dur=0.5"]),
        ([("c1", "C4"), ("c2", "C4")], ["c1 pluck D4 f=0.552N dur=0.5"]),
        ([("c_1", "C4"),
          ("c_2", "C4", 1.0, {"role": "sympathetic"})], ["c_1 pluck D4 f=0.552N dur=0.5"]),
        ([("c_1", "C4", 1.0, {"highest": 1}), ("b", "B3")], ["b pluck D4 f=0.552N dur=0.5"]),
        # all of it must reach
        ([("c_1", "C4"), ("c_2", "C4", 1.0, {"highest": 1}),
          ("b", "B3")], ["b pluck D4 f=0.552N dur=0.5"]),
    ],
    ids=str)
def test_courses_of_other_instruments(strings, plucks, tmp_path, monkeypatch, capsys):
    found, _ = rows(tmp_path, monkeypatch, capsys, melody([62]), lute(tmp_path, *strings))
    assert [" ".join(row) for row in found if row[1] == "pluck"] == plucks


def test_a_wrong_role(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mid").write_bytes(midi(track(*melody([62]))))
    assert main(["midi", "a.mid", "--instrument",
                 lute(tmp_path, ("c", "C4", 1.0, {"role": "melodie"}))]) == 2
    assert "role is melodie; did you mean melody?" in capsys.readouterr().err
