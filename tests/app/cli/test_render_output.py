"""What `pysitar render` writes and where: parts, levels, formats, stems, traces, standard output;
and how it ends when it is stopped."""
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import soundfile
from app.commands import HEAD, LONG, contents, furnish, pysitar, started

from pysitar import load_score, render, render_file
from pysitar.__main__ import main
from pysitar.output import hidden
from pysitar.rendering.engine import Engine

PIECE = (HEAD + "render tail=0 oversample=1 rate=24000\ntempo 120\ntala 4+4\n0 t.a pluck dur=1\n"
         "0.25 t.a pluck f=0.2N dur=0\n")


@pytest.fixture
def folder(here):
    return furnish(here, a=PIECE)


def rendered(capsys, *words, code=0):
    """What a render tells."""
    assert main(["render", *words]) == code
    out, printed = capsys.readouterr()
    assert out == "" and "Traceback" not in printed
    return printed


def refused(capsys, folder, said, *words):
    before = contents(folder)
    printed = rendered(capsys, *words, code=2)
    assert said in printed and printed.count("\n") == 1, printed
    assert contents(folder) == before


def read(path):
    return soundfile.read(path, always_2d=True)[0]


def test_a_render_removes_what_a_killed_one_left(folder, capsys):
    with hidden.files_named_for("render"):
        owner = hidden._owner()
    # its number is used again
    left = folder / f".pysitar-{'-'.join(owner._replace(start='1'))}-{'0' * 32}.part"
    running = folder / f".pysitar-{'-'.join(owner)}-{'0' * 32}.part"
    left.touch()
    running.touch()
    rendered(capsys, "a.score", "-o", "a.wav", "--to", "0.1s")
    assert not left.exists() and running.exists()


# ---- parts and levels


@pytest.mark.parametrize(("words", "start", "stop"), [
    ("--from 0.1s --to 0.2s", 0.1, 0.2),
    ("--from 0.25", 0.125, None),
    ("--to 0.2", None, 0.1),
    ("--from 1:1 --to 99", None, None),
    ("--from=0.1s", 0.1, None),
])
def test_a_part_by_times_of_the_score(words, start, stop, folder, capsys):
    rendered(capsys, "a.score", "-o", "part.wav", *words.split())
    rendered(capsys, "a.score", "-o", "whole.wav")
    whole = read("whole.wav")
    assert len(whole) == 12000
    low, high = 0 if start is None else round(start * 24000), 12000 if stop is None else round(
        stop * 24000)
    assert np.array_equal(read("part.wav"), whole[low:high])


def test_some_targets(folder, capsys):
    (folder / "a.score").write_text(PIECE + 'use "two.toml" as u\n0 u.a pluck dur=0\n')
    for words, given in [("--only t", {"only": "t"}),
                         ("--only u --only t.* --mute t.a", {"only": "u"})]:
        rendered(capsys, "a.score", *words.split())
        printed = json.loads((folder / "a.wav.json").read_text())["options"]
        assert printed["only"] + printed["mute"] == words.replace("--only ", "").replace(
            "--mute ", "").split()
        expected = render(load_score("a.score"), **given).audio
        assert np.abs(read("a.wav") - expected).max() <= 2.0**-23


@pytest.mark.parametrize("words", ["--peak -6dB", "--peak=-6dB", "--peak -6", "--peak=-6.0"])
def test_a_level(words, folder, capsys):
    printed = rendered(capsys, "a.score", *words.split())
    assert re.fullmatch(r"a\.wav: 0\.50 s, peak -6\.0 dBFS \(gain [+-]\d+\.\d\d dB\), last "
                        r"0\.1\d* s faded, energy residual \S+, .*\n", printed)
    assert np.abs(read("a.wav")).max() == pytest.approx(10.0**-0.3, abs=2.0**-23)


@pytest.mark.parametrize(("words", "said"), [
    ("--from 5", "--from is 2.5 s; expected a time before the end of the sound, which lasts 0.5 s"),
    ("--from 0.5 --to 0.25s",
     "--to is 0.25 s; expected a time after the start, 0.25 s; the sound lasts 0.5 s"),
    ("--from 2:9", "--from: matra 9 is beyond the tala, which has 8"),
    ("--to +1", "--to: +1 is relative to the last event"),
    ("--from -1s", "--from: -1s is before the start"),
    ("--to 200ns", "--to: 200ns is not a time"),
    ("--only x", "--only is x; the score has no instrument of that name; expected t"),
    ("--only t.b", "--only is t.b; t has not this string; expected a"),
    ("--mute t*", "--mute is t*; expected an instrument or a string"),
    ("--mute t", "--mute is t; no sounding event remains"),
    ("--peak 1dB", "--peak is 1.0; expected a finite number (dB), at least -100 and at most 0"),
    ("--peak -101dB", "at least -100"),
    ("--peak -1m", "-1m is not a level; expected a number of dB, such as"),
    ("--peak loud", "loud is not a level"),
    ("--peak", "--peak"),
    ("--traces x.npy", "expected a name that ends in .npz"),
    ("--stems . -o t.wav", "two files of this render have that path"),
])
def test_what_cannot_be(words, said, folder, capsys):
    refused(capsys, folder, said, "a.score", *words.split())


def test_a_wrong_score_is_reported_before_a_wrong_time(folder, capsys):
    (folder / "a.score").write_text(PIECE + "0 t.b pluck\n")
    printed = rendered(capsys, "a.score", "--from", "9:9", code=2)
    assert printed.startswith("a.score:7:5: t has no string b")


def test_what_the_score_asks_is_reported_at_the_score(folder, capsys):
    (folder / "a.score").write_text(PIECE.replace("rate=24000", "rate=65537"))
    refused(capsys, folder, "pysitar: rate is 65537; expected a whole number of Hz from 1 to 65535",
            "a.score", "-o", "a.flac")


# ---- files

def test_formats(folder, capsys):
    for words, name, form, subtype in [
        ("--format flac", "a.flac", "FLAC", "PCM_24"),
        ("-o b.FLAC --subtype PCM_16", "b.FLAC", "FLAC", "PCM_16"),
        ("--subtype FLOAT", "a.wav", "WAV", "FLOAT"),
        ("-o c.wav --format wav --subtype PCM_16", "c.wav", "WAV", "PCM_16"),
    ]:
        rendered(capsys, "a.score", *words.split())
        info = soundfile.info(folder / name)
        assert (info.format, info.subtype, info.frames) == (form, subtype, 12000)
        assert json.loads(
            (folder / f"{name}.json").read_text())["options"]["format"] == form.lower()


def test_all_files_at_once(folder, capsys):
    rendered(capsys, "a.score", "--stems", "stems", "--traces", "x.npz", "--format", "flac")
    assert {path.name for path in folder.iterdir()} == {"two.toml", "a.score", "a.flac",
                                                        "a.flac.json", "x.npz", "stems"}
    assert [path.name for path in (folder / "stems").iterdir()] == ["t.flac"]
    assert np.array_equal(read("stems/t.flac"), read("a.flac"))
    with np.load("x.npz") as file:
        assert file["t.a.force_end"].shape == (12000,) and file["rate"] == [24000.0]
    rendered(capsys, "a.score", "--no-sidecar")
    assert (folder / "a.wav").exists() and not (folder / "a.wav.json").exists()


def test_more_traces_than_the_disk_has_room_for(folder, capsys, monkeypatch):
    real = os.statvfs(folder)
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result(
        (1, 1, *real[2:4], 10**9, *real[5:])))
    (folder / "a.score").write_text(PIECE.replace("tail=0", "tail=3000s"))
    before = contents(folder)
    # 24.75 bytes a step, twice while the file is closed
    printed = rendered(capsys, "a.score", "--traces", "x.npz", code=1)
    assert printed == ("pysitar: x.npz: the traces need 3.6 GB of disk space, more than is free; "
                    "expected fewer strings or a shorter part\n")
    assert contents(folder) == before


def test_warnings_of_the_score_are_reported_before_it_is_computed(folder, capsys, monkeypatch):
    (folder / "a.score").write_text(PIECE + "set t.a.core_diameter = 1mm\n")
    printed = rendered(capsys, "a.score", "--quiet")
    assert re.fullmatch(
        r"pysitar: warning: a\.score:5:\d+: t\.a at 9000 Hz would be under \S+ GPa; .*\n", printed)
    assert "GPa" in json.loads((folder / "a.wav.json").read_text())["warnings"][0]
    monkeypatch.setattr(Engine, "parts", None)
    printed = rendered(capsys, "a.score", code=1)
    assert [line.split()[1] for line in printed.splitlines()] == ["warning:", "unexpected"]


def test_only_the_first_twenty_warnings(folder, capsys):
    uses = "".join(f'use "two.toml" as i{n}\nset i{n}.a.core_diameter = 1mm\n'
                   f'0 i{n}.a pluck dur=10ms f=1mN\n' for n in range(23))
    (folder / "a.score").write_text("render tail=0 oversample=1\n" + uses)
    lines = rendered(capsys, "a.score").splitlines()
    assert len(lines) == 22 and sum("GPa" in line
                                    for line in lines) == 20 and "and 3 more" in lines[20]


# ---- standard output

def test_standard_output_gets_the_bytes_of_the_file(folder):
    render_file(load_score("a.score"), "whole.wav", sidecar=False)
    before = contents(folder)
    with started("render", "a.score", "-o", "-", cwd=folder, stdout=subprocess.PIPE,
                 stderr=subprocess.PIPE, environment={"TMPDIR": str(folder)}) as process:
        out, printed = process.communicate(timeout=30)
    assert process.returncode == 0 and out == (folder / "whole.wav").read_bytes()
    assert re.fullmatch(r"standard output: 0\.50 s, peak .*\n", printed.decode())
    assert contents(folder) == before          # neither a sidecar nor what it was made in


def test_standard_output_in_another_format(folder, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO()))
    assert main(["render", "a.score", "-o", "-", "--format", "flac", "--quiet"]) == 0
    frames, rate = soundfile.read(io.BytesIO(sys.stdout.buffer.getvalue()))
    assert (len(frames), rate) == (12000, 24000)
    assert {path.name for path in folder.iterdir()} == {"two.toml", "a.score"}


def test_a_terminal_is_no_place_for_a_sound(folder):
    near, far = pty.openpty()
    try:
        process = started("render", "a.score", "-o", "-", cwd=folder, stdout=far,
                          stderr=subprocess.PIPE)
        printed = process.communicate(timeout=30)[1].decode()
    finally:
        os.close(near)
        os.close(far)
    assert process.returncode == 2
    assert printed == ("pysitar render: standard output is a terminal, which cannot show a sound; "
                    "expected -o FILE.wav, or a redirection to a file or pipe\n")


FULL = "import os\nos.dup2(os.open('/dev/full', os.O_WRONLY), 1)"


@pytest.mark.parametrize(("before", "stop", "code", "said"), [
    ("import sys\nsys.stdout = None", "9s", 2, "pysitar render: standard output is closed"),
    # more and less than a buffer
    (FULL, "9s", 1, "No space left on device"), (FULL, "0.01s", 1, "No space left on device"),
    ("import os\nfar, near = os.pipe()\nos.close(far)\nos.dup2(near, 1)", "9s", 141, ""),
])
def test_a_standard_output_that_takes_nothing(before, stop, code, said, folder):
    """And the stems, which were to appear with it, do not."""
    there = contents(folder)
    found, out, printed = pysitar("render", "a.score", "-o", "-", "--stems", "stems", "--to", stop,
                               cwd=folder, before=before,
                               environment={"TMPDIR": str(folder), "PYTHONUNBUFFERED": ""})
    assert (found, out) == (code, "") and said in printed and "Traceback" not in printed
    assert contents(folder) == there


# ---- stopped

# a shell's background jobs ignore it
DEFAULTS = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"
WORDS = {
    "everything": "-o a.wav --stems stems --traces x.npz",
    "a level": "-o a.flac --peak -1dB --stems there",
    "a stream": "-o - --stems stems",
    "before the part": "-o a.wav --from 1000s",
}


@pytest.mark.parametrize(("words", "number", "code"), [
    (WORDS["everything"], signal.SIGINT, 130),
    (WORDS["a level"], signal.SIGTERM, 143),
    (WORDS["a stream"], signal.SIGINT, 130),
    (WORDS["before the part"], signal.SIGINT, 130),
], ids=WORDS)
def test_stopped_in_the_middle_it_leaves_nothing(words, number, code, folder):
    (folder / "a.score").write_text(LONG)
    (folder / "there").mkdir()
    (folder / "there" / "t.flac").write_bytes(b"before")
    before = contents(folder), contents(folder / "there")
    process = started("render", "a.score", *words.split(), cwd=folder, before=DEFAULTS,
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                      environment={"TMPDIR": str(folder)})
    deadline = time.monotonic() + 30.0
    while not list(folder.glob("**/.pysitar-*.part")) and not list(
            folder.glob("pysitar-*/.pysitar-*.part")):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(number)
    try:
        out, printed = process.communicate(timeout=10)
    finally:
        process.kill()
    assert (process.returncode, out) == (code, b"") and b"Traceback" not in printed
    assert (contents(folder), contents(folder / "there")) == before
