"""`pysitar new`: what it makes renders, and it makes all or nothing."""
import os
import re
import shlex

import pytest
from app.commands import contents

from pysitar.app.cli.main import main


def test_what_is_made_renders_as_it_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my wire"]) == 0
    told = capsys.readouterr().out
    assert sorted(contents(tmp_path)) == ["my wire"]
    assert sorted(contents(tmp_path / "my wire")) == ["wire.score", "wire.toml"]
    commands = re.findall(r"pysitar ((?:render|describe) '[^']+')", told)
    assert len(commands) == 2
    for command in commands:
        assert main(shlex.split(command)) == 0
    told = capsys.readouterr().err
    peak = float(re.search(r"peak (-?[0-9.]+) dB", told)[1])
    assert -20.0 < peak < 0.0                                   # heard, and not clipped
    assert main(["check", "my wire/wire.score"]) == 0
    assert "warning" not in capsys.readouterr().err


def test_an_empty_folder_is_filled(tmp_path, capsys):
    (tmp_path / "a").mkdir()
    assert main(["new", f"{tmp_path / 'a'}/"]) == 0
    assert sorted(contents(tmp_path / "a")) == ["wire.score", "wire.toml"]


@pytest.mark.parametrize(("name", "said"), [
    ("full", "not empty"), ("file", "is not a folder"),
    ("link", "is not a folder"), ("none/there", "mkdir"), ("", "no name"), ("a\0b", "no name"),
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
