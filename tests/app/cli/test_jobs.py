"""`pysitar render --jobs`: the same files for any number, one thread for each CPU where none is
asked for, and stopped as with one."""
import json
import os
import signal
import subprocess
import time

import pytest
from app.commands import HEAD, SHORT, contents, furnish, started

from pysitar.__main__ import main
from pysitar.app.cli import batch
from pysitar.app.cli import render as command

PAIR = SHORT + 'use "two.toml" as u\n0.01s u.a pluck dur=0\n'
SWEPT = PAIR + "sweep t.a.pluck.force = (0.1N 0.2N)\n"


@pytest.fixture
def folder(here):
    return furnish(here, a=PAIR, swept=SWEPT)


def written(folder, jobs):
    """The bytes of a sound, its stems and traces, and its sidecar without the time that it took."""
    words = ["-o", "a.wav", "--stems", "stems", "--traces", "x.npz", "--peak=-3dB", "--quiet"]
    assert main(["render", "a.score", *words, "--jobs", str(jobs)]) == 0
    sidecar = json.loads((folder / "a.wav.json").read_text())
    return contents(folder / "stems"), {name: (folder / name).read_bytes()
                                        for name in ("a.wav", "x.npz")}, sidecar | {"timing": None}


def test_any_number_writes_the_same_files(folder):
    alone = written(folder, 1)
    assert len(alone[0]) == 2 and "jobs" not in json.dumps(alone[2])
    assert written(folder, 2) == alone == written(folder, 9)


@pytest.mark.parametrize(("words", "jobs"), [("", 3), ("--jobs 1", 1), ("--jobs 7", 7)])
def test_one_for_each_cpu_unless_it_is_said(words, jobs, folder, monkeypatch):
    asked = []
    prepare_engine = command.prepare_engine
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5})
    monkeypatch.setattr(command, "prepare_engine", lambda score, given, **more: (
        asked.append(given.jobs), prepare_engine(score, given, **more))[1])
    assert main(["render", "a.score", "--quiet", *words.split()]) == 0
    assert asked == [jobs]


def test_a_worker_of_a_batch_computes_in_one(folder, monkeypatch):
    asked = []
    make_plan = batch.make_plan
    monkeypatch.setattr(batch, "make_plan", lambda scores, wanted, **more: (
        asked.append(wanted.request), make_plan(scores, wanted, **more))[1])
    assert main(["batch", "swept.score", "-o", "out", "--dry-run", "--jobs", "4"]) == 0
    assert [each.jobs for each in asked] == [1]


@pytest.mark.parametrize(("words", "said"), [
    ("--jobs 0", "--jobs is 0; expected a whole number from 1 to 1024"),
    ("--jobs=-2", "--jobs is -2; expected a whole"),
    ("--jobs 1025", "--jobs is 1025; expected a whole number"),
    ("--jobs two", "two is not a whole number"),
    ("--jobs 1.5", "1.5 is not a whole number"),
])
def test_what_is_no_number_of_jobs(words, said, folder, capsys):
    before = contents(folder)
    assert main(["render", "a.score", *words.split()]) == 2
    output = capsys.readouterr().err
    assert said in output and output.count("\n") == 1 and contents(folder) == before


@pytest.mark.parametrize(("number", "times", "code"), [(signal.SIGINT, 3, 130),
                                                       (signal.SIGTERM, 1, 143)])
def test_stopped_in_the_middle_threads_leave_nothing(number, times, code, folder):
    uses = "".join(f'use "two.toml" as {name}\n' for name in ("u", "v"))
    rows = "".join(f"0 {name}.a pluck\n" for name in ("t", "u", "v"))
    (folder / "a.score").write_text(f"{HEAD}{uses}render tail=0 oversample=8\nsection s\n"
                                    f"{rows}end\nplay s times=1200 every=1s\n")
    before = contents(folder)
    # a shell's background jobs ignore it
    default = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"
    process = started("render", "a.score", "--jobs", "3", cwd=folder, before=default,
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60.0
    # the threads compute
    while len(list(folder.glob(".pysitar-*.part"))) == 0 or len(
            os.listdir(f"/proc/{process.pid}/task")) < 4:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for _ in range(times):
        process.send_signal(number)
    try:
        output = process.communicate(timeout=20)[1]
    finally:
        process.kill()
    assert process.returncode == code and output.count(b"\n") == 1 and b"Traceback" not in output
    assert contents(folder) == before
