"""An item made as a task of a Dask cluster; what the workers of the cluster load."""
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


def attempt_item(function: str, setup: bytes, item: Any, marks: str, expected: Build, command: str) -> tuple[Any, ...]:
    """Make an item.

    Parameters: function, module:name, called with the setup and the item; setup, pickled; marks, the folder in which each attempt leaves
    a mark until it ends, so that one that ended its process is known: Dask begins such a task again by itself; expected, the build;
    command, for which unfinished files are named.
    Returns: (DONE,) or (FAILED, errno or None, message).
    """
    if this_build() != expected:
        return FAILED, None, f"the worker {_address()} has {this_build()}; expected {expected}, as where the batch runs"
    try:
        allowed = _mark_attempt(Path(marks), item.name)
    except OSError as error:
        return FAILED, error.errno, f"pysitar: {marks}: {error.strerror}; expected a folder that all workers see"
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
    """The address of the worker that runs this task."""
    worker: Any = importlib.import_module("distributed").get_worker()
    return str(worker.address)


def _mark_attempt(folder: Path, name: str) -> bool:
    """Mark a new attempt, unless there were enough.  Errors: OSError."""
    for number in range(MAX_ATTEMPTS):
        with suppress(FileExistsError):
            Path(folder, f"{name}-{number}").touch(exist_ok=False)
            return True
    return False


@lru_cache(maxsize=4)
def _load_setup(setup: bytes) -> Any:
    """A setup, of which each worker has few."""
    return pickle.loads(setup)
