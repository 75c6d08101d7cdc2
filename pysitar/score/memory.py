"""Compare the memory that this process may still allocate with the memory that a score needs,
before and while its objects are created.

Python cannot recover from a failed allocation of its smallest objects: an exception handler may
then never end. So a shortage is reported while some memory is left. """
from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeVar

if sys.platform != "win32":
    import resource

RESERVE = 16e6                  # bytes, needed to report a shortage
CHECK_INTERVAL = 1024           # objects (each of some kilobytes at most) between two checks
# bytes of each, the least that was measured, so that no score that fits is refused
ROW_BYTES = 1000.0                    # of a row of the text
EVENT_BYTES = 380.0                   # of an event, expanded from a row
BOUND_EVENT_BYTES = 390.0                   # of an event bound to one part of an instrument
WAITING_EVENT_BYTES = 740.0                  # of a bound event, queued in the engine
LABEL_BYTES = 1900.0                  # of a bound event, in a sidecar file
MAX_FILE_BYTES = 1 << 14               # bytes that are read of a file of the system
UNLIMITED = float(2**62)        # bytes; a control group without a limit shows more
PROC, CGROUPS = "/proc", "/sys/fs/cgroup"
Item = TypeVar("Item")


class MemoryShortageError(MemoryError):
    """There is not enough memory; the text is the message."""


class FreeMemory(NamedTuple):
    """Bytes that may still be allocated, and what limits them."""

    size: float
    limit: str


def check_memory(count: int, each: float, what: str) -> None:
    """Raise a MemoryShortageError if `count` objects of `each` bytes need more than the free
    memory.

    Parameters: what, the name of the objects, in the plural.
    """
    needed = count * each + RESERVE
    free = free_memory()
    if needed > free.size:
        raise MemoryShortageError(
            f"{count} {what} need about {_size_text(needed)} of memory, and "
            f"{_size_text(free.size)} are "
            f"free ({free.limit}); expected fewer {what}, or more memory")


class MemoryWatch:
    """A check of the free memory while many objects are created.

    Parameters: what, the name of the objects, in the plural.
    """

    __slots__ = ("_unchecked", "_what")

    def __init__(self, what: str) -> None:
        self._what, self._unchecked = what, 0

    def add(self, count: int = 1) -> None:
        """Count new objects.  Errors: MemoryShortageError, while some memory is left."""
        self._unchecked += count
        if self._unchecked >= CHECK_INTERVAL:
            self._unchecked = 0
            check_reserve(self._what)


def watch_memory(items: Iterable[Item], what: str) -> Iterator[Item]:
    """Yield the items, with a memory check as they are created."""
    watch = MemoryWatch(what)
    for item in items:
        watch.add()
        yield item


def check_reserve(what: str) -> None:
    """Raise a MemoryShortageError if less than `RESERVE` is free."""
    free = free_memory()
    if free.size < RESERVE:
        raise MemoryShortageError(
            f"the {what} take all memory: {_size_text(free.size)} are left ({free.limit}); "
            f"expected fewer {what}, or more memory")


def free_memory(proc: str = PROC, cgroups: str = CGROUPS) -> FreeMemory:
    """Return the memory that this process may still allocate: the least of its limits, its control
    groups and the machine.

    Parameters: proc and cgroups, the folders of the system; without them, no limit is known.
    """
    found = [
        FreeMemory(float("inf"), "no limit"), *_process_limits(proc),
        *_control_groups(proc, cgroups), *_machine_memory(proc)
    ]
    least = min(found, key=lambda free: free.size)
    return FreeMemory(max(least.size, 0.0), least.limit)


def _size_text(size: float) -> str:
    return f"{size / 1e9:.3g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"


def _process_limits(proc: str) -> Iterator[FreeMemory]:
    """Yield what is left of the limits of the address space and of the data of this process."""
    if sys.platform == "win32":
        return
    pages = _read_text(f"{proc}/self/statm").split()
    if len(pages) < 6:
        return
    page = os.sysconf("SC_PAGE_SIZE")
    for limit, used, name in ((resource.RLIMIT_AS, pages[0], "ulimit -v"),
                              (resource.RLIMIT_DATA, pages[5], "ulimit -d")):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            yield FreeMemory(most - float(used) * page, f"the limit {name} of this process")


def _control_groups(proc: str, cgroups: str) -> Iterator[FreeMemory]:
    """Yield what is left of the limits of the control groups of this process and of those above."""
    for folder, most_name, used_name, cache in _control_group_folders(proc, cgroups):
        most = _parse_number(_read_text(f"{folder}/{most_name}"))
        used = _parse_number(_read_text(f"{folder}/{used_name}"))
        if most is not None and used is not None:
            lines = dict(
                line.split(" ", 1) for line in _read_text(f"{folder}/memory.stat").splitlines()
                if " " in line)
            yield FreeMemory(most - used + (_parse_number(lines.get(cache, "")) or 0.0),
                       "the limit of its control group")


@lru_cache(8)
def _control_group_folders(proc: str, cgroups: str) -> tuple[tuple[str, str, str, str], ...]:
    """Return the folders of the control groups that limit memory, with the file names of the limit
    and of the used memory, and the key of the cache, which counts as used."""
    found = []
    for line in _read_text(f"{proc}/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:          # version 2
            top, names = cgroups, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = f"{cgroups}/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        parts = [part for part in path.split("/") if part not in {"", ".."}]
        for depth in range(len(parts) + 1):          # in a container, its own group is the top one
            folder = "/".join([top, *parts[:depth]])
            most = _parse_number(_read_text(f"{folder}/{names[0]}"))
            if most is not None and most < UNLIMITED:
                found.append((folder, *names))
    return tuple(found)


def _machine_memory(proc: str) -> Iterator[FreeMemory]:
    """Yield the available memory of the machine, swap included."""
    sizes = dict(line.split(":", 1) for line in _read_text(f"{proc}/meminfo").splitlines()
                 if ":" in line)
    available = _parse_number(sizes.get("MemAvailable", "").removesuffix("kB"))
    if available is not None:
        swap = _parse_number(sizes.get("SwapFree", "").removesuffix("kB")) or 0.0
        yield FreeMemory(1024.0 * (available + swap), "all that the machine has")


def _read_text(path: str) -> str:
    """Return the text of a file of the system; "" when there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(descriptor, MAX_FILE_BYTES).decode("ascii", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _parse_number(text: str) -> float | None:
    """Return a whole number, or None for other text, such as the "max" of a group without a
    limit."""
    stripped = text.strip()
    return float(stripped) if stripped.isdecimal() else None
