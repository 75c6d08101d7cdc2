"""Hidden names of unfinished files; each contains the command and the process, so that files of
dead processes can be removed."""
from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import NamedTuple

UNKNOWN = "0"
DEAD = ("Z", "X")                       # states of a process that has ended
STATE, START = 0, 19                    # fields of /proc/PID/stat after the name of the program
NAME = re.compile(
    r"\.pysitar-([a-z]+)-([0-9a-f]+)-([0-9a-f]+)-([0-9]+)-([0-9]+)-([0-9]+)-[0-9a-f]{32}\.part")
_command: ContextVar[str] = ContextVar("command", default="python")


class Owner(NamedTuple):
    """The process that writes an unfinished file.

    Parameters: command; machine and boot, hashes of the machine and of its boot; space, the
    namespace of the process number; process, its number; start, in clock ticks since the boot,
    which distinguishes two processes with the same number. A value that the system does not report
    is UNKNOWN.
    """

    command: str
    machine: str
    boot: str
    space: str
    process: str
    start: str


@contextmanager
def files_named_for(command: str) -> Iterator[None]:
    """Name the unfinished files of the block, in this thread, for a command (lower-case
    letters)."""
    token = _command.set(command)
    try:
        yield
    finally:
        _command.reset(token)


def current_command() -> str:
    """Return the command for which files are written."""
    return _command.get()


def hidden_name() -> str:
    """Return a new name for an unfinished file or folder."""
    import secrets  # here, because it is slow to import and few starts need it

    return f".pysitar-{'-'.join(_owner())}-{secrets.token_hex(16)}.part"


def remove_stale_files(folder: str | os.PathLike[str]) -> None:
    """Remove the unfinished files in a folder whose process, of the current command, has certainly
    ended.

    A process has certainly ended if it ran on this machine and is gone, or ran before the last
    boot. Files of another machine or container stay, because their processes are unknown.
    Errors: OSError.
    """
    import shutil

    own = _owner()
    for path in Path(folder).glob(".pysitar-*.part"):
        match = NAME.fullmatch(path.name)
        with suppress(FileNotFoundError):          # another process removed it
            if match and _is_dead(Owner(*match.groups()), own, path):
                shutil.rmtree(path, ignore_errors=True) if stat.S_ISDIR(
                    path.lstat().st_mode) else path.unlink()


def _is_dead(owner: Owner, own: Owner, path: Path) -> bool:
    """Return whether the process that wrote a file has certainly ended.  Parameters: own, this
    process."""
    if owner[:2] != own[:2] or UNKNOWN in owner[1:] or UNKNOWN in own[1:]:
        return False
    if owner.boot != own.boot:          # a container may invent the hash: the file time must agree
        return path.lstat().st_mtime < time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return owner.space == own.space and _has_ended(int(owner.process), owner.start)


def _has_ended(process: int, start: str) -> bool:
    """Return whether the process with this number and start has ended; False if unknown."""
    fields = _stat_fields(str(process))  # read first: a process that ends now is not found below
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass                            # a process of another user
    return bool(fields) and (fields[START] != start or fields[STATE] in DEAD)


def _owner() -> Owner:
    process = str(os.getpid())
    fields = _stat_fields("self")
    return Owner(_command.get(), _machine(), _boot(),
                 _space() if fields else UNKNOWN, process, fields[START] if fields else UNKNOWN)


def _space() -> str:
    """Return the namespace of this process's number; UNKNOWN if /proc shows another one."""
    try:
        if os.readlink("/proc/self") != str(os.getpid()):
            return UNKNOWN
        return re.sub("[^0-9]", "", os.readlink("/proc/self/ns/pid")) or UNKNOWN
    except OSError:
        return UNKNOWN


def _stat_fields(process: str) -> list[str]:
    """Return the fields that /proc shows of a process; none where it cannot be read."""
    try:
        fields = Path("/proc", process,
                      "stat").read_text(encoding="ascii",
                                        errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
    return fields if len(fields) > START else []


@cache
def _machine() -> str:
    return _hashed("/etc/machine-id", os.uname().nodename)


@cache
def _boot() -> str:
    return _hashed("/proc/sys/kernel/random/boot_id")


def _hashed(file: str, beside: str = "") -> str:
    """Return a short hash of the text in a file and of `beside`; UNKNOWN without text."""
    try:
        text = Path(file).read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return UNKNOWN
    import hashlib

    return hashlib.sha256(f"{text} {beside}".encode(
        "utf-8", "surrogateescape")).hexdigest()[:12] if text else UNKNOWN
