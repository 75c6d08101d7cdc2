import gc
import os
import shutil
import stat
import sys
import tempfile
from bisect import bisect_left
from itertools import accumulate
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
BYTE_CODE = "PYTHONPYCACHEPREFIX"
# before NumPy is imported, here and in all processes that tests start: threads of BLAS that wait
# for each other on busy cores take several times the CPU time of the fits that they compute
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


def pytest_configure(config):
    worker = getattr(config, "workerinput", None)
    if worker is None:
        share_byte_code(config)
    else:
        begin_elsewhere(config, int(worker["workerid"].removeprefix("gw")), worker["workercount"])


def share_byte_code(config):
    """Compile the package, the tests and what they import once, for this run, its processes and the
    next runs, also where Python is to write no byte code: in a folder of the user's own beside
    pytest's temporary ones."""
    if not sys.dont_write_bytecode or BYTE_CODE in os.environ:
        return
    before = os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ[BYTE_CODE] = sys.pycache_prefix = byte_code_folder(config)
    sys.dont_write_bytecode = False

    def restore():
        del os.environ[BYTE_CODE]
        sys.pycache_prefix, sys.dont_write_bytecode = None, True
        if before is not None:
            os.environ["PYTHONDONTWRITEBYTECODE"] = before

    config.add_cleanup(restore)


def byte_code_folder(config):
    """Return the folder that stays; where it is another user's, one that the run removes."""
    folder = Path(tempfile.gettempdir(), f"byte-code-of-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == 0o700:
        return str(folder)
    other = tempfile.mkdtemp(prefix="byte-code-")
    config.add_cleanup(lambda: shutil.rmtree(other, ignore_errors=True))
    return other


def begin_elsewhere(config, number, count):
    """Let each worker of pytest-xdist import the tests from another folder on, in a circle, after
    equal parts of the text: what one has compiled, with its asserts rewritten, the others read."""
    if [Path(argument).absolute() for argument in config.args] == [TESTS]:
        found = sorted(path for path in TESTS.iterdir() if path.match("test_*.py")
                       or (path.is_dir() and path.name != "__pycache__"))
        sizes = [sum(file.stat().st_size for file in (path.rglob("*.py") if path.is_dir()
                                                      else [path])) for path in found]
        before = list(accumulate(sizes, initial=0))
        first = bisect_left(before, before[-1] * number / count)
        config.args[:] = map(str, found[first:] + found[:first])


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Disable the cyclic garbage collector while tests are collected: nearly all objects of syntax
    trees and items stay or go without it, and looking for cycles takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()          # moves all to the oldest generation, which is seldom searched
        gc.unfreeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """The same order for all workers, which they need, wherever each has begun."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.path)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Each worker takes half of the list, from one end to the other, and then what another still
    has: what the tests of a file share is made once, and not by each worker."""
    if config.option.dist != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling
    return WorkStealingScheduling(config, log)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder in which the test runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
