"""The command as a whole: help that works when pasted, versions, presets, and how a command
ends."""
import io
import re
import shlex
import subprocess
import sys
from glob import glob
from pathlib import Path

import numpy as np
import pytest
import soundfile
from app.batch.makers import Inline
from app.commands import SHORT, furnish, pysitar

import pysitar as package
from pysitar.__main__ import COMMANDS, main
from pysitar.app.batch import run as batch_run
from pysitar.app.cli import main as cli
from pysitar.app.cli import presets
from pysitar.app.tune import tuning
from pysitar.papers import run as reproduce_run


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"pysitar {package.__version__}\n", "")


def test_python_m():
    done = subprocess.run([sys.executable, "-m", "pysitar", "--version"], capture_output=True,
                          text=True, timeout=30, check=True)
    assert done.stdout == f"pysitar {package.__version__}\n"


def test_no_command_shows_the_help(capsys):
    assert main([]) == 2
    out, output = capsys.readouterr()
    assert out == ""
    assert "pysitar render first.score" in output


@pytest.mark.parametrize("words", [["--help"], ["-h"], *([name, "--help"] for name in COMMANDS)],
                         ids=" ".join)
def test_help(words, capsys):
    assert main(words) == 0
    out, output = capsys.readouterr()
    assert output == ""
    assert re.search(r"^  (pysitar|printf|cat) ", out, re.MULTILINE), "no example"
    if len(words) == 1:
        assert all(re.search(rf"^  {name} +\w", out, re.MULTILINE) for name in COMMANDS)


def record():
    """The recordings that the examples of `pysitar fit` name: two modes, a harmonic series."""
    t = np.arange(16000) / 16000.0
    hit = 0.2 * np.exp(-9.0 * t) * (np.cos(2500.0 * t) + np.cos(6900.0 * t))
    for name in ("hit", "a", "b", "tap"):
        soundfile.write(f"{name}.wav", hit, 16000)
    pluck = 0.05 * np.exp(-3.0 * t) * sum(np.sin(1400.0 * k * t) for k in range(1, 9))
    soundfile.write("pluck.wav", pluck, 16000)


def test_every_example_works_when_pasted(tmp_path, capsys, monkeypatch, device):
    lines = []
    for words in (["--help"], *([name, "--help"] for name in COMMANDS)):
        main(words)
        lines += re.findall(r"^  ((?:pysitar|printf|cat) .*)$",
                            capsys.readouterr().out, re.MULTILINE)
    # watch does not end by itself; test_scheme_comparison runs the examples of compare
    commands = [line.split("  ")[0] for line in lines if "COMMAND" not in line
                and not re.match(r"pysitar (watch|compare) ", line)]
    assert len(commands) >= 8
    text = "\n".join(commands)
    assert "tail=3s" in text
    quick = text.replace("tail=3s", "tail=0 rate=16000 oversample=1\\ntempo 240").replace(
        "--oversample 4", "--oversample 3")
    quick = quick.replace("render mine.score",
                          "render mine.score --oversample 1 --rate 24000").replace(
                              "tail=1s", "tail=100ms")
    quick = quick.replace("pysitar tune ",
                          "pysitar tune --rate 24000 --oversample 1 --semitones 0 ")
    quick = quick.replace("render mine/wire.score",
                          "render mine/wire.score --oversample 1 --to 0.5").replace(
        "render scores/tutorial/01_first.score",
        "render scores/tutorial/01_first.score --oversample 1 --rate 16000 --to 1")
    quick = quick.replace("--notes e2..e5 --layers 4 --round-robin 3", "--notes e2..f2").replace(
        "pysitar sample marimba ", "pysitar sample marimba --notes c4..d4 ").replace(
            "pysitar sample ", "pysitar sample --layers 1 --round-robin 1 --length 200ms "
            "--rate 16000 --oversample 1 ")
    monkeypatch.chdir(tmp_path)
    record()
    for module in (batch_run, tuning, reproduce_run):
        monkeypatch.setattr(module, "Workers", Inline)
    for command in dict.fromkeys(quick.split("\n")):
        # what a shell does with it, and a process, are the point
        if re.search(r"^(?!pysitar )|\| (?!pysitar )", command):
            script = (f'set -e -o pipefail\npysitar() {{ "{sys.executable}" -m pysitar "$@"; }}\n'
                      f'{command}')
            done = subprocess.run(["bash", "-c", script], capture_output=True, text=True,
                                  timeout=120, check=False)
            assert done.returncode == 0, f"{command}: {done.stderr}"
            continue
        given, (parts, _, file) = "", command.partition(" > ")
        for part in parts.split(" | "):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
            words = [found for word in shlex.split(part)[1:]
                     for found in (sorted(glob(word)) if "*" in word else [word])]
            code = main(words)
            given, output = capsys.readouterr()
            assert code == 0, f"{command}: {output}"
        if file:
            Path(file).write_text(given, encoding="utf-8")
    made = {path.name for path in tmp_path.rglob("*")}
    assert made >= set(re.findall(r"[\w.]+\.(?:score|toml|wav|flac|png|npz)",
                                  text)) | {"first.wav", "first.png", "mine.wav"}
    assert not any(name.endswith(".part") for name in made)


def test_presets(capsys):
    assert main(["presets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(line.split()[0] for line in lines)
    assert any(re.fullmatch(r"tanpura +Tanpura, .{20,}", line) for line in lines)


def test_meaning_is_the_first_comment():
    assert presets.first_comment(
        "\n\n#  A thing: small. \n# more\nmodel = 1\n") == "A thing: small."
    assert presets.first_comment("model = 1\n") == ""


@pytest.mark.parametrize(("error", "code", "said"), [
    (ZeroDivisionError("no\nway"), 1,
     "pysitar: unexpected ZeroDivisionError: no way; this is a bug in pysitar; please report it "
     "with "
     "the output of PYSITAR_TRACEBACK=1\n"),
    (MemoryError(), 1, "pysitar: there is not enough memory\n"),
    (OSError(5, "it broke", "a.wav"), 1, "pysitar: a.wav: it broke\n"),
    (OSError("it broke"), 1, "pysitar: it broke\n"),
    (BrokenPipeError(32, "gone"), 141, ""),
    (KeyboardInterrupt(), 130, "pysitar: interrupted\n"),
    (package.ParameterError("x", 3, "expected 2"), 2, "pysitar: x is 3; expected 2\n"),
    (package.RenderError("t.a", 0.5,
                         "no balance"), 1, "pysitar: voice 't.a' at 0.500000 s: no balance\n"),
])
def test_how_a_command_ends(error, code, said, capsys, monkeypatch):
    def run(arguments):
        raise error

    monkeypatch.delenv("PYSITAR_TRACEBACK", raising=False)
    monkeypatch.setitem(COMMANDS, "presets", cli.Command("presets", "", presets.parser, run))
    assert main(["presets"]) == code
    assert capsys.readouterr() == ("", said)


def test_a_traceback_for_who_asks(capsys, monkeypatch):
    def run(arguments):
        raise ZeroDivisionError("no way")

    monkeypatch.setenv("PYSITAR_TRACEBACK", "1")
    monkeypatch.setitem(COMMANDS, "presets", cli.Command("presets", "", presets.parser, run))
    assert main(["presets"]) == 1
    output = capsys.readouterr().err
    assert output.startswith("Traceback")
    assert output.count("please report it") == 1


@pytest.mark.parametrize(("words", "unbuffered"), [("--help", ""), ("--help", "1"),
                                                   ("check a.score", ""), ("check a.score", "1")])
def test_a_reader_that_went_away_is_no_news(words, unbuffered, tmp_path):
    furnish(tmp_path, a=SHORT)
    close = "import os\nfar, near = os.pipe()\nos.close(far)\nos.dup2(near, 1)"
    done = pysitar(*words.split(), cwd=tmp_path, before=close,
                   environment={"PYTHONUNBUFFERED": unbuffered})
    assert done == (141, "", "")


@pytest.mark.parametrize("words", [["--help"], ["presets"]], ids=" ".join)
def test_a_full_disk_behind_standard_output(words, tmp_path):
    full = "import os\nos.dup2(os.open('/dev/full', os.O_WRONLY), 1)"
    assert pysitar(*words, cwd=tmp_path,
                   before=full) == (1, "", "pysitar: No space left on device\n")


def test_closed_standard_streams(tmp_path, capsys, monkeypatch):
    furnish(tmp_path, a=SHORT)
    closed = "import sys\nsys.stdin = sys.stdout = sys.stderr = None"
    assert pysitar("render", "a.score", cwd=tmp_path, before=closed)[0] == 0
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["check", "-"]) == 2
    assert capsys.readouterr() == ("-: standard input is closed; expected a score\n", "")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        patch.setattr(sys, "stderr", None)
        assert main(["presets"]) == 0
