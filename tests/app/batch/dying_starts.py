"""Worker processes that die at their start, except the first one if the file `one-lives` exists."""
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from pysitar.app.batch import render_item


def awaited(condition):
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def started():
    return len(list(Path().glob("started-*")))


def begun():
    """The number of this process."""
    number = 0
    while True:
        with suppress(FileExistsError):
            os.mkdir(f"started-{number}")
            return number
        number += 1


if begun() or not Path("one-lives").exists():
    if Path("one-lives").exists():
        awaited(Path("begun").exists)
    os.kill(os.getpid(), signal.SIGKILL)


def make(setup, item):
    """Make nothing before two others have died."""
    Path("begun").touch()
    awaited(lambda: started() > 2)
    render_item.make(setup, item)
