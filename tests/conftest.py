import gc
import os
import shutil
import sys
import tempfile
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
    """Let the processes that tests start, a hundred, compile the package once, also where Python is
    to write no byte code: in a folder that the run removes."""
    if not sys.dont_write_bytecode or BYTE_CODE in os.environ:
        return
    before = os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    folder = os.environ[BYTE_CODE] = tempfile.mkdtemp(prefix="byte-code-")

    def restore():
        del os.environ[BYTE_CODE]
        if before is not None:
            os.environ["PYTHONDONTWRITEBYTECODE"] = before
        shutil.rmtree(folder, ignore_errors=True)

    config.add_cleanup(restore)


def begin_elsewhere(config, number, count):
    """Let each worker of pytest-xdist import the tests from another folder on, in a circle: what
    one has compiled, with its asserts rewritten, the others read."""
    if [Path(argument).absolute() for argument in config.args] == [TESTS]:
        found = sorted(path for path in TESTS.iterdir() if path.match("test_*.py")
                       or (path.is_dir() and path.name != "__pycache__"))
        first = number * len(found) // count
        config.args[:] = map(str, found[first:] + found[:first])


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Disable the cyclic garbage collector while tests are collected: nearly all objects of syntax
    trees and items stay or go without it, and looking for cycles takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
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
