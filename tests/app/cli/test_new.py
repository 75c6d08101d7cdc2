"""`pysitar new`: what it makes renders, and it makes all or nothing."""
import os
import re
import shlex

import pytest
from app.commands import contents

from pysitar.__main__ import main
from pysitar.app.analysis.instrument_description import open_pitch
from pysitar.app.cli.new import INSTRUMENT
from pysitar.app.tune.notes import Note, tune_note
from pysitar.models.definitions.loader import parse_instrument


def test_what_is_made_renders_as_described(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my wire"]) == 0
    output = capsys.readouterr().out
    assert sorted(contents(tmp_path)) == ["my wire"]
    assert sorted(contents(tmp_path / "my wire")) == ["wire.score", "wire.toml"]
    commands = re.findall(r"pysitar ((?:render|describe) '[^']+')", output)
    assert len(commands) == 2
    for command in commands:
        assert main(shlex.split(command)) == 0
    output = capsys.readouterr().err
    peak = float(re.search(r"peak (-?[0-9.]+) dB", output)[1])
    assert -20.0 < peak < 0.0                                   # heard, and not clipped
    assert main(["check", "my wire/wire.score"]) == 0
    assert "warning" not in capsys.readouterr().err


@pytest.mark.parametrize(("string", "semitones", "highest"), [
    ("low", 0, None),
    ("low", 0, 12.0),
    ("low", 7, 9.0),
    ("low", 12, 12.0),
    ("high", 0, None),
    ("high", 2, 2.0),
])
def test_what_is_made_is_in_tune(string, semitones, highest):
    instrument = parse_instrument(INSTRUMENT, name="wire", shown="wire.toml")
    [spec] = [found for found in instrument.strings if found.name == string]
    hz, _ = open_pitch(spec, instrument.source)
    assert hz == pytest.approx({"low": 130.813, "high": 261.626}[string], abs=1e-3)
    found = tune_note(instrument, spec, Note(string, hz, semitones, highest), rate=96000.0)
    assert abs(found.before) < 1.0          # cents; 30 without the cents of its file


def test_an_empty_folder_is_filled(tmp_path, capsys):
    (tmp_path / "a").mkdir()
    assert main(["new", f"{tmp_path / 'a'}/"]) == 0
    assert sorted(contents(tmp_path / "a")) == ["wire.score", "wire.toml"]


@pytest.mark.parametrize(("name", "said"), [
    ("full", "not empty"),
    ("file", "is not a folder"),
    ("link", "is not a folder"),
    ("none/there", "mkdir"),
    ("", "cannot be the name"),
    ("a\0b", "cannot be the name"),
])
def test_what_is_there_stays(name, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    before = contents(tmp_path)
    assert main(["new", name]) in (1, 2)
    assert said in capsys.readouterr().err
    assert contents(tmp_path) == before
    assert sorted(contents(tmp_path / "full")) == ["x"]


def test_no_half_folder(tmp_path, monkeypatch, capsys):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    assert main(["new", str(tmp_path / "a")]) == 1
    assert capsys.readouterr().err == f"pysitar: {tmp_path / 'a'}: No space left on device\n"
    assert not contents(tmp_path)
