"""The steps of docs/fit.md run as they are written, and so does its Python."""
import re
import shlex
from pathlib import Path

import pysitar
from pysitar.__main__ import main

PAGE = (Path(__file__).resolve().parents[1] / "docs/fit.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_steps_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    recording, playing = (text for kind, text in BLOCKS if kind == "score")
    [steps] = [text for kind, text in BLOCKS if kind == "sh"]
    (tmp_path / "glass.score").write_text(recording)
    for line in steps.splitlines():
        program, *words = shlex.split(line)
        assert program == "pysitar" and main(words) == 0, line
    files = {"glass.score", "hit.wav", "hit.wav.json", "thing.toml", "rest.wav", "thing.csv",
             "again.toml"}
    assert {path.name for path in tmp_path.iterdir()} == files
    (tmp_path / "play.score").write_text(playing)
    assert main(["check", "play.score"]) == 0
    report = pysitar.render(pysitar.load_score("play.score"), rate=24000, oversample=1).report
    assert report["peak"] > 0.05 and report["clipped"] == 0
    capsys.readouterr()


def test_the_python_runs():
    [code] = [text for kind, text in BLOCKS if kind == "python"]
    names = {}
    exec(compile(code, "docs/fit.md", "exec"), names)
    assert names["modes"].frequencies.round(2).tolist() == [400.0, 1100.0]
    assert names["residual"].std() < 1.05e-4


def test_every_command_of_the_page_has_its_options():
    from pysitar.__main__ import COMMANDS
    lines = re.findall(r"^    pysitar (.+)$", PAGE, re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        name, *words = shlex.split(line)
        COMMANDS[name].parser().parse_args(words)
