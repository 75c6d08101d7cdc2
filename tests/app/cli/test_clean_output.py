"""Whatever names and values files hold, the terminal gets printable lines, and no line that a file
made up."""
import io
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from app.batch.makers import Inline
from app.commands import HEAD, furnish
from instruments import TWO_MODES, mass, masses

from pysitar.__main__ import main
from pysitar.app import progress
from pysitar.app.batch import run as batch_run
from pysitar.app.messages import report
from pysitar.app.terminal import CleanStream, bar_stream, clean_streams, write_data
from pysitar.errors import (
    ParameterError,
    Place,
    Problem,
    RenderError,
    ScoreError,
    clean_text,
    printable,
)
from pysitar.models.definitions.loader import preset_text

FAKE = "pysitar: made up"
EVIL = (f"e\x1b]0;TITLE\x07\x1b[31m\r\n"
        f"{FAKE}\x0b\x85\u2028\x9b2J\x7f\b\u202egnp\u2066\u200b\u200e\u00ad\ufeff\U000e0041")
NAME = EVIL.replace("\0", "")          # of a file
TOML = json.dumps(EVIL)          # its escapes are TOML's, but for the last character
TOML = re.sub(r"\\ud[0-9a-f]{3}\\ud[0-9a-f]{3}", r"\\U000E0041", TOML).replace("\x7f", "\\u007f")
ROW = "render tail=0 oversample=1\n0 t.a pluck dur=5ms\n"
MIDI_NOTE = b"\0\x90\x3c\x40\x60\x3c\0"


def checked(capsys):
    """What was written since the last call, if all of it may be shown."""
    shown = "".join(capsys.readouterr())
    for line in shown.split("\n"):
        assert line.isprintable(), repr(line)
        assert not line.startswith(FAKE) or shown.startswith("Traceback"), line
    return shown


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(batch_run, "Workers", Inline)
    monkeypatch.chdir(furnish(tmp_path, good=HEAD + ROW))
    return tmp_path


def changes(text):
    """A text of TOML with a hostile key, table name or value at each of its lines."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        key, equals, value = line.partition(" = ")
        if line.startswith("["):
            name = line.strip("[]")
            head = name.rpartition(".")[0]
            new = [f"[{head}.{TOML}]" if head else f"[{TOML}]", f"{line}\n{TOML} = 1",
                   f"[{name}.{TOML}]\nx = 1", f"{line}\n{line}"]
        elif equals and not line.startswith("#"):
            new = [f"{TOML} = {value}", f"{key} = {TOML}", f"{key}.{TOML} = 1", f"{key} = [{TOML}]"]
        else:
            continue
        for one in new:
            yield "\n".join([*lines[:index], one, *lines[index + 1:]])


# with two balls, which it names, of six
STRUCK = re.sub(r"(?m)^#.*\n", "", preset_text("glass"))
STRUCK = re.sub(r"(?ms)^\[balls\.(?:glass|wood|plastic|rubber)\]\n.*?\n\n", "", STRUCK)
WALL = masses(mass("m", mass=0.1, stiffness=1e4, throw={"velocity": 1.0}), gain=1e3)
BRIDGED = TWO_MODES + '[bridges.low]\n"*.sigma0" = 3.0\n'
TEXTS = [*changes(BRIDGED), *changes(STRUCK), *changes(WALL), f"# {EVIL[-12:]}\n" + TWO_MODES,
         f'x = "{EVIL}"', f"{TOML} = 1\n{TOML} = 2\n", f"[{TOML}]\n[{TOML}]\n"]


def test_the_keys_and_values_of_instruments(folder, capsys):
    Path("bad.score").write_text('use "bad.toml" as t\n' + ROW)
    refused = 0
    for text in TEXTS:
        Path("bad.toml").write_text(text, encoding="utf-8")
        refused += main(["describe", "bad.toml"]) != 0
        main(["check", "bad.score"])
        checked(capsys)
    assert refused > 100


COMMANDS = [
    ("render", "bad.score"),
    ("check", "bad.score"),
    ("expand", "bad.score"),
    ("batch", "bad.score", "-o", "d"),
    ("compare", "bad.score", "-o", "d"),
    ("gallery", ".", "-o", "d"),
    ("describe", "bad.toml"),
    ("tune", "bad.toml", "--dry-run"),
    ("midi", "tune.mid", "--instrument", "bad.toml"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_every_command_that_reads_an_instrument(words, folder, capsys):
    Path("tune.mid").write_bytes(midi())
    Path("good.score").unlink()
    Path("bad.score").write_text('use "bad.toml" as t\n' + ROW)
    for old, new in (("[strings.a.pluck]", f"[strings.a.pluck]\n{TOML} = 1"),
                     ("strings.a", f"strings.{TOML}")):
        Path("bad.toml").write_text(TWO_MODES.replace(old, new))
        assert main([*words]) == 2
        assert "\\" not in checked(capsys)


@pytest.mark.parametrize("number", range(len(EVIL)))
def test_every_word_of_a_score(number, folder, capsys):
    text = (f'use "two.toml" as t\nset t.gain = 1\nrender tail=0\nsection s\n'
            f'0 t.a pluck f=1N dur=5ms\nend\nplay s at=0\n{ROW}')
    words = re.split(r"(\s+)", text)
    for index in range(number, len(words), len(EVIL)):
        for evil in (EVIL, EVIL[number]):
            Path("bad.score").write_bytes("".join(
                [*words[:index], words[index] + evil, *words[index + 1:]]).encode())
            main(["check", "bad.score"])
            checked(capsys)


FILES = [
    ("render", "{}.score", "-o", "{}.wav"),
    ("render", "no/{}.score"),
    ("render", "good.score", "-o", "no/{}.wav"),
    ("render", "{}.score", "-o", "{}"),
    ("render", "good.score", "--stems", "no/{}"),
    ("render", "good.score", "--traces", "{}"),
    ("render", "good.score", "--rate", "{}"),
    ("render", "good.score", "--only", "{}"),
    ("render", "good.score", "--{}"),
    ("check", "{}.score", "no/{}.score"),
    ("expand", "{}.score"),
    ("expand", "{}.score", "-o", "{}"),
    ("batch", "{}.score", "-o", "{}"),
    ("batch", "{}.score", "-o", "no/{}"),
    ("batch", "{}.score", "-o", "d", "--shard", "{}"),
    ("batch", "{}.score", "-o", "d", "--dask", "{}"),
    ("batch", "{}.score", "-o", "d", "--merge"),
    ("batch", "{}.score", "-o", "d", "--dry-run"),
    ("compare", "{}.score", "-o", "{}", "--schemes", "two-point"),
    ("compare", "{}.score", "-o", "d", "--schemes", "{}"),
    ("gallery", "{}"),
    ("gallery", "no/{}"),
    ("look", "{}.wav"),
    ("look", "{}.mid"),
    ("look", "{}.mid", "--from", "{}"),
    ("midi", "{}.mid", "--instrument", "{}"),
    ("midi", "{}.mid", "--channel", "{}"),
    ("midi", "{}.mid", "--instrument", "guitar", "-o", "{}"),
    ("midi", "{}.mid", "--instrument", "two.toml"),
    ("midi", "{}.mid", "--instrument", "guitar"),
    ("presets", "--copy", "{}", "{}"),
    ("presets", "--copy", "guitar", "{}.toml"),
    ("describe", "{}"),
    ("describe", "{}.toml"),
    ("new", "{}"),
    ("new", "no/{}"),
    ("tune", "{}"),
    ("tune", "{}.toml", "--string", "{}"),
    ("reproduce", "{}"),
    ("{}", ),
    ("{}.score", ),
]


@pytest.mark.parametrize("words", FILES, ids=" ".join)
def test_names_of_files_and_words_of_the_command_line(words, folder, capsys):
    Path(f"{NAME}.score").write_text(HEAD + ROW)
    Path(f"{NAME}.toml").write_text(TWO_MODES)
    Path(f"{NAME}.mid").write_bytes(midi())
    main([word.format(NAME) for word in words])
    assert checked(capsys)


def midi():
    """A tune with texts and a track name that mean harm, a controller and a note."""
    texts = b"".join(
        bytes((0, 0xFF, kind, len(EVIL.encode()))) + EVIL.encode() for kind in range(1, 8))
    track = texts + b"\0\xb0\x07\x40" + MIDI_NOTE + b"\0\xff\x2f\0"
    return b"MThd\0\0\0\6\0\0\0\1\0\x60MTrk" + len(track).to_bytes(4) + track


def test_the_texts_of_a_midi_file_reach_no_terminal_and_no_score(folder, capsys):
    Path("tune.mid").write_bytes(midi())
    assert main(["midi", "tune.mid", "--instrument", "guitar"]) == 0
    checked(capsys)
    assert all(line.isprintable() for line in Path("tune.score").read_text().split("\n"))


def test_scales_and_other_files_of_a_score(folder, capsys):
    Path("evil.scl").write_text(f"{EVIL[:4]}\n 2\n{EVIL[5:13]}\n2/1\n", encoding="utf-8")
    for row in ('tuning "evil.scl"', f'tuning "{EVIL[13:]}.scl"', f'use "{EVIL[-8:]}.toml" as u',
                f'include "{EVIL[-8:]}.score"', f"sweep t.{EVIL[-8:]} = (1 2)",
                f"sweep t.gain = (1 {EVIL[-8:]})", f'sweep t = ("{EVIL[-8:]}.toml")'):
        Path("bad.score").write_text(f"{HEAD}{row}\n{ROW}", encoding="utf-8")
        assert main(["check", "bad.score"]) == 2 and main(["batch", "bad.score", "-o", "d"]) == 2
        checked(capsys)


def test_manifests_and_sidecars(folder, capsys):
    assert main(["batch", "good.score", "-o", "d", "--jobs", "1"]) == 0
    sidecar, lines = Path("d/good-00001.wav.json"), Path("d/manifest.jsonl")
    document, row = json.loads(sidecar.read_text()), json.loads(lines.read_text())
    for changed in ({**row, "name": EVIL}, {**row, "file": EVIL}, {**row, "score": EVIL},
                    {**row, "error": EVIL, "samples": None}, {**row, "flags": [EVIL]},
                    {**row, "parameters": {EVIL: EVIL}}, {**row, EVIL: 1}, {**row, "rate": EVIL}):
        lines.write_text(json.dumps(changed) + "\n")
        main(["gallery", "d", "-o", "page"])
        checked(capsys)
        main(["batch", "good.score", "-o", "d", "--merge"])
        checked(capsys)
    lines.unlink()
    for changed in ({**document, EVIL: 1}, {**document, "files": {f"{EVIL}.score": EVIL}},
                    {**document, "batch": {"key": EVIL}}, {**document, "options": {"rate": EVIL}
                                                           }, EVIL):
        sidecar.write_text(json.dumps(changed))
        main(["gallery", "d", "-o", "page"])
        main(["batch", "good.score", "-o", "d", "--jobs", "1"])
        checked(capsys)


def test_errors_of_the_python_face():
    for error in (ParameterError(EVIL, EVIL, EVIL), RenderError(EVIL, 0.0, EVIL),
                  ScoreError([Problem(Place(EVIL, 1, 2, EVIL), EVIL)])):
        assert all(line.isprintable() for line in str(error).split("\n"))
    shown = str(Problem(Place("a.score", 1, 1, "x"), f"{EVIL}{'x' * 2000}"))
    assert [line.isprintable() for line in shown.split("\n")] == [True] * 3 and len(shown) < 1100


def test_what_is_cleaned():
    assert clean_text("a\nb\x1b\r\n") == "a\nb??\n" and clean_text("a\rb\n\t", "\n\r") == "a\rb\n?"
    assert printable("ünï ☃") == "ünï ☃" and clean_text("") == "" and clean_text("\n\n") == "\n\n"


def test_nothing_written_by_others_slips_through(capsys):
    with clean_streams(), clean_streams():
        print(EVIL)
        print(EVIL, file=sys.stderr)
        sys.stdout.writelines([EVIL, "\n"])
        report(EVIL)
        assert sys.stderr.encoding and not sys.stderr.isatty()
    out, output = capsys.readouterr()
    assert all(line.isprintable() for line in (out + output).split("\n"))
    assert out.count(FAKE) == output.count(FAKE) == 2
    assert not isinstance(sys.stdout, CleanStream)


def test_a_bar_keeps_its_returns_and_no_more(capsys, monkeypatch):
    monkeypatch.setattr(progress, "bar_enabled", lambda quiet: True)
    with clean_streams(), progress.count_bar(2, "sounds", shown=True) as output:
        time.sleep(0.12)          # a bar is drawn each tenth of a second
        output(EVIL)
    shown = capsys.readouterr().err
    assert "\r" in shown and "?[31m" in shown
    assert all(part.isprintable()
               for part in re.split("[\r\n]", shown)) and FAKE not in re.split("[\r\n]", shown)
    assert isinstance(bar_stream(), CleanStream)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_file_goes_into_a_pipe_as_it_is(terminal, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(sys, "stdout", stream)
    with clean_streams():
        write_data("a\u202eb\n")
    assert stream.getvalue() == ("a?b\n" if terminal else "a\u202eb\n")
    monkeypatch.setattr(sys, "stdout", None)
    with clean_streams():
        write_data("a")


def test_a_traceback_is_clean(folder, capsys, monkeypatch):
    def broken(path):
        raise ValueError(EVIL)

    monkeypatch.setenv("PYSITAR_TRACEBACK", "1")
    monkeypatch.setattr("pysitar.app.cli.check.read_score", broken)
    assert main(["check", "good.score"]) == 1
    assert "Traceback" in checked(capsys)


def test_what_a_worker_writes_after_its_end_is_clean():
    code = (
        f"import os, sys\nfrom pysitar.app.workers.process import main\nread, write = os.pipe()\n"
        f"os.close(write)\nmain(read, os.getppid(), 'a:b', 'batch')\nraise SystemExit({EVIL!r})")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False,
                          timeout=60)
    assert done.returncode == 1 and all(
        line.isprintable() for line in done.stderr.decode().split("\n")) and b"TITLE" in done.stderr
