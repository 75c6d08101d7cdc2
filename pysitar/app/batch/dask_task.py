"""An item computed as a task of a Dask cluster; the workers of the cluster import this module."""
from __future__ import annotations

import importlib
import pickle
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from pysitar.app.batch.build import Build, this_build
from pysitar.app.workers.pool import MAX_ATTEMPTS
from pysitar.app.workers.process import FAILED, run_item
from pysitar.output.hidden import files_named_for

__all__ = ["MAX_ATTEMPTS", "attempt_item"]


def attempt_item(function: str, setup: bytes, item: Any, marks: str, expected: Build,
                 command: str) -> tuple[Any, ...]:
    """Compute an item.

    Parameters: function, as module:name, called with the setup and the item; setup, pickled; marks,
    the folder in which each attempt has a mark until it ends: an attempt that ends its process is
    counted, because Dask restarts such a task by itself; expected, the build; command, for the
    names of unfinished files.
    Returns: (DONE,) or (FAILED, errno or None, message).
    """
    if this_build() != expected:
        return FAILED, None, (f"the worker {_address()} has {this_build()}; expected {expected}, "
                              "as where the batch runs")
    try:
        allowed = _mark_attempt(Path(marks), item.name)
    except OSError as error:
        return FAILED, error.errno, (f"pysitar: {marks}: {error.strerror}; expected a folder that "
                                     "all workers see")
    if not allowed:
        return FAILED, None, f"its process died {MAX_ATTEMPTS} times"
    try:
        with files_named_for(command):
            return run_item(resolve_name(function), _load_setup(setup), item)
    finally:
        for number in range(MAX_ATTEMPTS):
            with suppress(OSError):
                Path(marks, f"{item.name}-{number}").unlink()


def _address() -> str:
    """Return the address of the worker that runs this task."""
    worker: Any = importlib.import_module("distributed").get_worker()
    return str(worker.address)


def _mark_attempt(folder: Path, name: str) -> bool:
    """Mark a new attempt; return False after the last one.  Errors: OSError."""
    for number in range(MAX_ATTEMPTS):
        with suppress(FileExistsError):
            Path(folder, f"{name}-{number}").touch(exist_ok=False)
            return True
    return False


@lru_cache(maxsize=4)
def _load_setup(setup: bytes) -> Any:
    """Return an unpickled setup; each worker has few."""
    return pickle.loads(setup)
