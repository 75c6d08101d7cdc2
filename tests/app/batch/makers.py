"""Functions of test workers: items that end their process, fail, or fill the disk."""
import errno
import os
import pkgutil
import signal
import time
from pathlib import Path

from pysitar.app.batch import render_item
from pysitar.app.workers.pool import Outcome
from pysitar.output.hidden import hidden_name


class Inline:
    """Workers in this process, for tests without worker processes."""

    def __init__(self, count, setup, *, function):
        self.setup, self.make = setup, pkgutil.resolve_name(function)

    def __enter__(self):
        return self

    def __exit__(self, *ending):
        pass

    def outcomes(self, items):
        for item in items:
            self.make(self.setup, item)
            yield Outcome(item)


def poison(setup, item):
    """The second item has a fault; the third ends its process each time; the fourth is killed the
    first time."""
    if item.number == 2:
        raise ValueError("=2+2")
    if item.number == 3:
        with Path(setup.folder, "deaths").open("a") as file:
            file.write(".")
        os._exit(7)
    mark = Path(setup.folder, "killed-once")
    if item.number == 4 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    render_item.make(setup, item)


def full(setup, item):
    """The disk is full at the third item."""
    if item.number == 3:
        raise OSError(errno.ENOSPC, "No space left on device", str(Path(setup.folder, item.file)))
    render_item.make(setup, item)


def naming(folder, item):
    """Write down what an unfinished file would be named here."""
    Path(folder, item.name).write_text(hidden_name())


def stuck(setup, item):
    """From the eighth on they hang for minutes, their sound written but not in its place yet."""
    if item.number >= 8:
        render_item.measure_file = lambda path: time.sleep(300.0)
    render_item.make(setup, item)


def held(setup, item):
    """From the eighth on they tell their process and wait until the file `go` is there."""
    if item.number >= 8:
        at = Path(setup.folder, f"at-{item.number}")
        at.with_suffix(".new").write_text(str(os.getpid()))
        at.with_suffix(".new").replace(at)
        while not Path(setup.folder, "go").exists():
            time.sleep(0.02)
        at.unlink(missing_ok=True)
    render_item.make(setup, item)
