"""A Dask cluster renders the same sounds as local workers, whatever process dies; a real scheduler
with two workers."""
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from app.batch.folders import remains, rows, stamps, timeless
from app.batch.makers import Inline
from app.commands import furnish, one_pluck, started
from instruments import TWO_MODES

from pysitar.__main__ import main
from pysitar.api.request import Request
from pysitar.app.batch import build, dask_pool
from pysitar.app.batch import run as batch_run
from pysitar.app.batch.build import Build, this_build
from pysitar.app.batch.cluster_probe import probe
from pysitar.app.batch.dask_pool import Cluster
from pysitar.app.batch.items import BatchOptions, make_plan
from pysitar.app.batch.run import run
from pysitar.app.messages import UsageError
from pysitar.score.parser import read_score

pytestmark = [
    pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed"),
    # what Dask and the packages below it warn of is theirs
    pytest.mark.filterwarnings("ignore:::distributed"),
    pytest.mark.filterwarnings("ignore:::tornado"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
BASE = one_pluck(50)
# files that are named in a list are found by workers that have another current folder
VARIED = ('sweep t = ("two.toml" "three.toml")\nsweep t.a.pluck.position = linear(0.2, 0.4, 2)\n'
          "draw t.a.pluck.force ~ loguniform(0.1N, 2N) n=6\n")
WANTED = BatchOptions(request=Request())
TESTS = str(Path(__file__).resolve().parents[2])
WORKERS = 2


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def awaited(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The process of a scheduler with two workers, its `address`; all are killed at the end."""
    place = tmp_path_factory.mktemp("dask")
    address = f"tcp://127.0.0.1:{free_port()}"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([TESTS, *sys.path]),
        "DASK_TEMPORARY_DIRECTORY": str(place),
        # new workers begin sooner so
        "DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD": "forkserver"
    }
    begun = []

    def begin(*words):
        with open(place / f"{words[0]}.log", "wb") as log:
            begun.append(subprocess.Popen([sys.executable, "-m", "dask", *words, "--no-dashboard"],
                                          cwd=place, env=environment, stdin=subprocess.DEVNULL,
                                          stdout=log, stderr=log, start_new_session=True))
        return begun[-1]

    try:
        found = begin("scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2])
        begin("worker", address, "--nworkers", str(WORKERS), "--nthreads", "1", "--host",
              "127.0.0.1")
        found.address, found.begin = address, begin
        with Cluster(address) as client:
            awaited(lambda: client.threads() == WORKERS)
        yield found
    finally:
        for process in begun:          # with the workers, which are of their nanny's process group
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(furnish(tmp_path, x=BASE + VARIED,
                              few=BASE + "draw t.a.pluck.force ~ uniform(0.1N, 2N) n=5\n"))
    (tmp_path / "three.toml").write_text(TWO_MODES.replace("sigma0 = 5.0", "sigma0 = 9.0"))
    return tmp_path


def planned(name):
    return make_plan([read_score(f"{name}.score")], WANTED)


def test_a_cluster_makes_what_local_workers_make(scheduler, folder, monkeypatch, capsys):
    flying, most = 0, 0

    def submit(self, *words):
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        return begin(self, *words)

    def heard(self, future):
        nonlocal flying
        flying -= 1
        return hear(self, future)

    begin, hear = Cluster.submit, dask_pool.ClusterWorkers._take_result
    monkeypatch.setattr(Cluster, "submit", submit)
    monkeypatch.setattr(dask_pool.ClusterWorkers, "_take_result", heard)
    assert main(["batch", "x.score", "-o", "far", "--dask", scheduler.address, "--dry-run"]) == 0
    assert " with 2 workers " in capsys.readouterr().out and not Path("far").exists()
    assert main(["batch", "x.score", "-o", "far", "--dask", scheduler.address]) == 0
    assert capsys.readouterr(
    ).err == "far: 24 of 24 sounds, 24 rendered now; manifest.jsonl and manifest.csv list them\n"
    # of 24: memory does not grow with the items
    assert flying == 0 and most == dask_pool.ITEMS_PER_THREAD * WORKERS
    assert main(["batch", "x.score", "-o", "near", "--jobs", "1", "--quiet"]) == 0
    assert timeless("far") == timeless("near") and len({row["samples"]
                                                        for row in rows("far")}) == 24
    before = stamps("far")
    assert main(["batch", "x.score", "-o", "far", "--dask", scheduler.address]) == 0
    assert "24 of 24 sounds, 0 rendered now" in capsys.readouterr().err and stamps("far") == before
    assert not remains("far")


def test_a_worker_that_dies_is_replaced_and_a_poison_item_named(scheduler, folder):
    with Cluster(scheduler.address) as connected:
        tally = run(planned("few"), "d", WANTED, jobs=1, cluster=connected,
                    function="app.batch.makers:poison")
        assert tally.failed.keys() == {"few-00002", "few-00003"} and tally.finished == 3
        assert tally.failed["few-00003"] == "its process died 2 times" and Path(
            "d/deaths").read_text() == ".."
        assert "unexpected ValueError: =2+2" in tally.failed["few-00002"]
        assert Path("d/killed-once").exists()  # the fourth was killed, and made by another worker
        assert [row["error"] for row in rows("d")] == [None, tally.failed["few-00002"],
                                                       tally.failed["few-00003"], None, None]
        before = stamps("d")
        assert run(planned("few"), "d", WANTED, jobs=1, cluster=connected).finished == 5
    assert {name: stamps("d")[name] for name in before} == before and not remains("d")


def _greets(server, word):
    """Takes one caller, says a word, and waits until the caller goes."""
    with server.accept()[0] as caller, suppress(ConnectionError):
        caller.sendall(word)
        caller.recv(1)


def test_what_cannot_be_is_reported(scheduler, folder, monkeypatch, capsys):
    def output(address=scheduler.address, *more):
        assert main(["batch", "few.score", "-o", "d", "--dask", address, *more]) == 2
        assert not Path("d").exists()
        return capsys.readouterr().err

    assert "--dask and --jobs do not go together" in output(scheduler.address, "--jobs", "2")
    with monkeypatch.context() as patch:
        patch.setattr(dask_pool, "CONNECT_TIMEOUT", 0.3)
        line = output(f"tcp://127.0.0.1:{free_port()}")
        assert "no Dask scheduler answers there" in line
        assert "such as tcp://127.0.0.1:8786" in line
        assert line.count("\n") == 1
        assert "no Dask scheduler answers there" in output("nowhere://x")
        for wrong in ("nonsense", "http://127.0.0.1:8799", "tcp://127.0.0.1",
                      "tcp://127.0.0.1:port"):
            assert "no Dask scheduler answers there" in output(wrong)
        # a web server: it waits for a request, or answers in its own protocol
        with socket.create_server(("127.0.0.1", 0)) as web:
            for word in (b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"):
                talker = threading.Thread(target=_greets, args=(web, word))
                talker.start()
                assert "no Dask scheduler answers there" in output(
                    f"tcp://127.0.0.1:{web.getsockname()[1]}")
                talker.join()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "distributed", None)
        assert "expected pip install 'pysitar[distributed]'" in output()
    with monkeypatch.context() as patch:
        patch.setattr(dask_pool, "this_build", lambda: Build("9.9", "ab" * 32))
        line = output()
        assert "other software than here: tcp://127.0.0.1:" in line and line.count(
            f" ({this_build()})") == WORKERS
        assert line.endswith(
            "; expected pysitar 9.9, sources abababababab on all machines, as here\n")
        patch.setattr(dask_pool, "MAX_NAMED", 1)          # of many workers each has a line
        *lines, line = output().splitlines()
        assert len(lines) == WORKERS and all(line.endswith(f" ({this_build()})")
                                             for line in lines) and " and 1 more; expected" in line
    with monkeypatch.context() as patch:
        import distributed
        versions = distributed.Client.get_versions
        patch.setattr(distributed.Client, "get_versions", lambda self, check: versions(self) | {
            "client": {"host": {"python": "3.9.1"}, "packages": {"dask": "1", "distributed": "1"}}})
        line = output()
        assert "the scheduler (python " in line and line.count("tcp://127.0.0.1:") == WORKERS + 1
        assert "; expected python 3.9, dask 1, distributed 1 on all machines, as here" in line


OLDER = """
import sys, types
sys.modules["pysitar"] = types.ModuleType("pysitar")
sys.modules["pysitar"].__version__ = "0.1.0"
"""


def test_workers_that_lack_pysitar_or_have_another_are_named(scheduler, folder, capsys):
    texts = {"none": "import sys\nsys.modules['pysitar'] = None\n", "older": OLDER}
    with Cluster(scheduler.address) as connected, ExitStack() as stack:
        for name, text in texts.items():
            Path(f"{name}.py").write_text(text)
            process = stack.enter_context(
                scheduler.begin("worker", scheduler.address, "--no-nanny", "--nthreads", "1",
                                "--host", "127.0.0.1", "--preload", str(folder / f"{name}.py")))
            stack.callback(process.kill)
        awaited(lambda: len(connected._client.nthreads()) == WORKERS + 2)
        with pytest.raises(UsageError) as caught:
            connected.threads()  # called each second of a batch, so that late workers are checked
        assert main(["batch", "few.score", "-o", "d", "--dask", scheduler.address]) == 2
        assert not Path("d").exists()
        line = capsys.readouterr().err
        assert line == f"{caught.value}\n" and line.endswith(
            f"; expected {this_build()} on all machines, as here\n")
        assert re.search(r"tcp://127\.0\.0\.1:\d+ \(pysitar is not installed\)", line)
        assert re.search(r"tcp://127\.0\.0\.1:\d+ \(pysitar 0\.1\.0, sources unknown\)",
                         line) and line.count("tcp://") == 3
    with Cluster(scheduler.address) as connected:
        awaited(lambda: connected.threads() == WORKERS)


def test_a_task_on_another_build_fails_and_names_its_worker(scheduler, folder, monkeypatch):
    with Cluster(scheduler.address) as connected:
        monkeypatch.setattr(dask_pool, "this_build", lambda: Build("9.9", "ab" * 32))
        monkeypatch.setattr(Cluster, "_check", lambda self: None)
        tally = run(planned("few"), "d", WANTED, jobs=1, cluster=connected)
    assert len(tally.failed) == 5
    assert re.fullmatch(rf"the worker tcp://127\.0\.0\.1:\d+ has {this_build()}; expected pysitar "
                        rf"9\.9, sources abababababab, " "as where the batch runs",
                        tally.failed["few-00001"])


def test_a_build_is_its_version_and_its_sources(monkeypatch, tmp_path):
    def built():
        build.this_build.cache_clear()
        return build.this_build()

    first, package = built(), tmp_path / "pysitar"
    package.mkdir()
    (package / "a.py").write_text("a = 1\n")
    with monkeypatch.context() as patch:
        patch.setattr(build, "PACKAGE", package)
        one = built()
        (package / "b.py").write_text("")
        two = built()
        (package / "b.so").write_text("")
        assert built() == two
        patch.setattr(build, "digest", lambda: "0" * 64)
        assert len({first, one, two, built()}) == 4
    assert built() == first and probe() == tuple(first) and str(
        first) == f"pysitar {first.version}, sources {first.sources[:12]}"


BEFORE = f"""
import sys
from pysitar.app.batch import run
run.run.__kwdefaults__["function"] = "app.batch.makers:held"
sys.path.insert(0, {TESTS!r})
"""


# the last test: it ends the scheduler
def test_a_kill_in_mid_run_loses_only_the_items_in_work(scheduler, folder, monkeypatch):
    def waiting():
        found = {}
        for path in Path("d").glob("at-*"):
            if not path.suffix:
                with suppress(FileNotFoundError):       # a worker that goes on removes its file
                    found[path.name] = int(path.read_text())
        return found

    words, output = ("batch", "x.score", "-o", "d", "--dask", scheduler.address), folder / "output"
    with output.open("wb") as log, started(*words, cwd=folder, before=BEFORE,
                                           stderr=log) as process:
        try:
            awaited(lambda: len(stamps("d")) == 7 and len(waiting()) == WORKERS)
            process.send_signal(signal.SIGINT)
            assert process.wait(30.0) == 130
        finally:
            process.kill()
    assert output.read_text() == "pysitar: interrupted\n"
    before = stamps("d")
    assert len(before) == 7
    Path("d/go").touch()          # those in hand are made, no other is begun
    awaited(lambda: not waiting() and len(stamps("d")) == 7 + WORKERS and not remains("d"))
    Path("d/go").unlink()
    with output.open("wb") as log, started(*words, cwd=folder, before=BEFORE,
                                           stderr=log) as process:
        try:
            awaited(lambda: len(waiting()) == WORKERS)
            first = set(waiting().values())
            os.kill(min(first), signal.SIGKILL)
            awaited(lambda: set(waiting().values()) - first)          # another worker has begun
            os.kill(scheduler.pid, signal.SIGKILL)
            assert process.wait(30.0) == 1
        finally:
            process.kill()
    assert output.read_text() == (
        f"pysitar: the Dask scheduler at {scheduler.address} has disconnected; finished sounds "
        "are kept, and the same command continues from here\n")
    assert len(stamps("d")) == 7 + WORKERS and {name: stamps("d")[name]
                                                for name in before} == before
    before = stamps("d")
    monkeypatch.setattr(batch_run, "Workers", Inline)
    assert run(planned("x"), "d", WANTED, jobs=1).finished == 24
    assert {name: stamps("d")[name] for name in before} == before
