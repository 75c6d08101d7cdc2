"""Checks, before a render, of the memory and the disk space that it needs."""
from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from pysitar.errors import ParameterError
from pysitar.output.audio import check_space
from pysitar.rendering.engine import Engine

GIGABYTE = 1e9
ADVICE = "expected fewer strings or a shorter part"


def check_memory(engine: Engine, traces: object) -> None:
    """Raise a ParameterError if the traces of an engine and its sound exceed the memory of the
    machine.

    Parameters: traces, the argument that the error shows.
    """
    needed = engine.trace_bytes + 8 * engine.least_frames * engine.options.channels
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > available:
        expected = (f"the traces and the sound need {needed / GIGABYTE:.1f} GB of memory, and the "
                    f"machine has {available / GIGABYTE:.1f} GB; {ADVICE}")
        raise ParameterError("traces", traces, expected)


def check_disk_space(needs: Sequence[tuple[Path, int]], traces: Sequence[tuple[Path, int]]) -> None:
    """Raise OSError (ENOSPC) if a disk has less free space than the files to be written to it.

    Parameters: needs, (path, size in bytes) of files in existing folders; traces, such pairs for
    the trace files.
    """
    _check_devices(needs)
    try:
        _check_devices([*needs, *traces])
    except OSError as error:
        size = sum(size for _, size in traces) / GIGABYTE
        raise OSError(errno.ENOSPC,
                      f"the traces need {size:.1f} GB of disk space, more than is free; {ADVICE}",
                      str(traces[0][0])) from error


def _check_devices(needs: Sequence[tuple[Path, int]]) -> None:
    disks: dict[int, tuple[Path, int]] = {}
    for path, size in needs:
        device = os.stat(os.path.dirname(os.path.realpath(path))).st_dev
        first, before = disks.get(device, (path, 0))
        disks[device] = (first, before + size)
    for path, size in disks.values():
        check_space(path, size)
