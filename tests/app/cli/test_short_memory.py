"""Too little memory ends a command in one line with exit code 1, wherever it is noticed; SIGTERM
ends it at once all the same."""
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import Pipe
from pathlib import Path

import pytest
from app.commands import SHORT, furnish

import pysitar
from pysitar.__main__ import main
from pysitar.app.cli import main as command
from pysitar.app.cli import starting
from pysitar.app.workers import pool, process
from pysitar.app.workers.process import run_item
from pysitar.rendering.threads import Threads
from pysitar.score import memory
from pysitar.score.memory import FreeMemory, MemoryShortageError

LINE = "pysitar: there is not enough memory\n"
# run with so many bytes to spare once all is imported
SPARE = """\
import os, resource, sys
from pysitar.__main__ import main
import pysitar.app.cli.check
taken = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
resource.setrlimit(resource.RLIMIT_AS, (taken + int(sys.argv[1]),) * 2)
print("ready", flush=True)
sys.exit(main(sys.argv[2:]))
"""
PLAYED = ("use guitar as g\nrender tail=0 rate=8000 oversample=1\nsection s\n"
          "0 g.e2 pluck dur=0.005\nend\nplay s times={} every=0.01\n")
needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(),
                                reason="the system does not show what a process has taken")


@pytest.fixture
def folder(here):
    return furnish(here, short=SHORT, many=PLAYED.format(500_000))


def begun(spare, *words):
    """A command in a process of its own that may take so many bytes more than it has when it
    begins."""
    path = os.pathsep.join([str(Path(pysitar.__file__).parents[1]),
                            *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen([sys.executable, "-c", SPARE, str(spare), *words],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=os.environ | {"PYTHONPATH": path})
    assert process.stdout.readline() == "ready\n"
    return process


@needs_proc
def test_half_a_million_events_are_refused_before_they_are_made(folder):
    process = begun(150_000_000, "check", "many.score")
    out, output = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, "")
    assert output.startswith("pysitar: 500000 events need about 401 MB of memory, and 1")
    assert output.count("\n") == 1


@needs_proc
def test_rows_that_take_more_than_was_estimated_are_noticed_in_time(folder):
    notes = " ".join(f"{at / 100:g}:+{at % 3}st" for at in range(40))
    (folder / "bends.score").write_text("use guitar as g\n0 g.e2 pluck\n"
                                        + f"0 g.e2 bend ({notes})\n" * 9000)
    process = begun(60_000_000, "check", "bends.score")
    out, output = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, "")
    assert output.startswith("pysitar: the rows take all memory: 1") and output.count("\n") == 1


@needs_proc
def test_a_signal_ends_it_at_once(folder):
    process = begun(2_000_000_000, "check", "many.score")
    time.sleep(0.5)
    begin = time.monotonic()
    process.send_signal(signal.SIGTERM)
    out, output = process.communicate(timeout=60)
    assert (process.returncode, out, output) == (143, "", "pysitar: ended by SIGTERM\n")
    assert time.monotonic() - begin < 5.0


@pytest.mark.parametrize(("error", "line"), [(MemoryError(), LINE), (
    MemoryShortageError("9 events need more"), "pysitar: 9 events need more\n")])
def test_it_is_one_line_and_exit_code_1(folder, monkeypatch, capfd, error, line):
    def out_of_memory(*given, **named):
        raise error

    monkeypatch.setattr("pysitar.app.cli.check.open_engine", out_of_memory)
    assert main(["check", "short.score"]) == 1
    assert capfd.readouterr() == ("", line)


def test_so_it_is_where_the_line_cannot_be_made(folder, monkeypatch, capfd):
    def out_of_memory(*given, **named):
        raise MemoryError

    monkeypatch.setattr("pysitar.app.cli.check.open_engine", out_of_memory)
    monkeypatch.setattr(command, "message", out_of_memory)
    assert main(["check", "short.score"]) == 1
    assert capfd.readouterr() == ("", LINE)


def test_what_the_functions_held_is_let_go_before_the_line_is_made(folder, monkeypatch, capfd):
    class Held:
        alive = True

        def __del__(self):
            Held.alive = False

    def out_of_memory(*given, **named):
        held = Held()
        try:
            raise KeyError(held)
        except KeyError:
            raise MemoryError from None

    output = command.message
    monkeypatch.setattr("pysitar.app.cli.check.open_engine", out_of_memory)
    monkeypatch.setattr(command, "message", lambda error: output(error) + f", held: {Held.alive}")
    assert main(["check", "short.score"]) == 1
    assert capfd.readouterr().err == "pysitar: there is not enough memory, held: False\n"


@pytest.mark.parametrize("words", [("render", "short.score"), ("expand", "short.score"),
                                   ("batch", "short.score", "-o", "d"),
                                   ("compare", "short.score", "-o", "c")])
def test_every_command_reports_it_and_leaves_no_file(folder, monkeypatch, capsys, words):
    before = sorted(folder.rglob("*"))
    monkeypatch.setattr(memory, "free_memory", lambda: FreeMemory(0.0, "a test"))
    assert main(list(words)) == 1
    output = capsys.readouterr()
    assert output.out == "" and output.err.startswith("pysitar: ") and output.err.count("\n") == 1
    assert "memory" in output.err
    assert sorted(folder.rglob("*")) == before


def test_a_worker_reports_it_as_its_item_s_failure():
    def make(setup, item):
        raise MemoryError

    assert run_item(make, None, None) == ("failed", None, "pysitar: there is not enough memory")


class Unread:
    """What a worker has no memory to receive."""

    def __reduce__(self):
        return _no_memory, ()


def _no_memory():
    raise MemoryError


def test_a_worker_that_has_no_memory_to_begin_says_so_by_its_exit_code(monkeypatch):
    def leave(code):
        raise SystemExit(code)

    monkeypatch.setattr(process, "_exit_with_parent", lambda parent: None)
    monkeypatch.setattr(process.signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(process.os, "_exit", leave)
    ours, theirs = Pipe()
    ours.send(Unread())
    with ours, pytest.raises(SystemExit) as ended:
        process.main(os.dup(theirs.fileno()), os.getpid(), "app.batch.makers:make", "batch")
    theirs.close()
    assert pool._exit_reason(ended.value.code) == "for lack of memory"


def test_a_thread_that_finds_no_memory_for_its_stack(monkeypatch):
    def no_thread(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_thread)
    with Threads(2) as threads, pytest.raises(MemoryShortageError, match="expected fewer jobs"):
        threads.start(lambda out: None, 1)


@pytest.mark.parametrize(("error", "shown"), [
    (MemoryError(), LINE), (ImportError("x.so: failed to map segment from shared object"), LINE),
    (ImportError("other"), "")])
def test_it_is_one_line_while_the_command_is_imported(monkeypatch, capfd, error, shown):
    monkeypatch.setattr(sys, "__excepthook__", lambda *given: None)
    starting._show(type(error), error, None)
    assert capfd.readouterr().err == shown
