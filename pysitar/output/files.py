"""Checks of paths and free space, and the replacement of files, each of which appears whole or not
at all."""
from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pysitar.output.hidden import hidden_name, remove_stale_files

__all__ = [
    "atomic_replacement", "check_space", "check_target", "copy_permissions", "hidden_name",
    "remove_stale_files", "write_atomically"
]

# modes of a new file (reduced by the umask) and of one that gets its permissions later
NEW, PRIVATE = 0o666, 0o600
ALL, GROUP = 0o777, 0o070
ACCESS_LIST = "system.posix_acl_access"  # the extended attribute of a file's access control list


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return the real path of a file (links followed) if the file can be created or replaced;
    change nothing.

    Parameters: path, of a new file or of a regular file to replace.
    Errors: OSError, of the matching subclass: the path is a directory, a FIFO, a device or a link
    to a file with another ending; its folder is missing or cannot be written to.
    """
    shown = os.fspath(path)
    try:
        existing: os.stat_result | None = os.stat(shown)
    except FileNotFoundError:
        existing = None
    except ValueError as error:             # a NUL in the name
        raise OSError(errno.EINVAL, f"not a file name: {error}", shown) from None
    if not shown or shown.endswith(os.sep) or (existing and stat.S_ISDIR(existing.st_mode)):
        what = ("a directory, not a file to write; expected the name of a file in it"
                if shown else "an empty file name")
        raise IsADirectoryError(errno.EISDIR, what, shown)
    if existing and not stat.S_ISREG(existing.st_mode):
        kind = "a FIFO" if stat.S_ISFIFO(
            existing.st_mode) else "a socket" if stat.S_ISSOCK(existing.st_mode) else "a device"
        raise FileExistsError(errno.EEXIST, f"{kind}, not a regular file; expected a new name",
                              shown)
    target = Path(os.path.realpath(shown))
    ending = os.path.splitext(shown)[1]
    if os.path.splitext(target)[1].lower() != ending.lower():
        raise FileExistsError(
            errno.EEXIST, f"a link to {target}, whose ending is not {ending or 'empty'}; "
            "expected a link to a file with the same ending", shown)
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT,
                                "the folder does not exist; expected one that exists (mkdir)",
                                str(target.parent))
    probe = _temporary_path(target)
    try:
        os.close(_create(probe))
    except OSError as error:  # permissions, a read-only or virtual file system, no inode left
        raise OSError(error.errno, f"no file can be made in this folder: {error.strerror}",
                      str(target.parent)) from None
    finally:
        with suppress(OSError):
            probe.unlink()
    return target


def check_space(path: str | os.PathLike[str], size: int) -> None:
    """Raise OSError (ENOSPC) if the disk of a file's folder has less than `size` bytes free.

    Parameters: path, of the file to write; size, in bytes. The space of a file to be replaced is
    not free: the file remains until the new one is complete.
    """
    folder = os.path.dirname(os.path.realpath(path))
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    if disk.f_blocks and free < size:       # some virtual file systems report no blocks
        raise OSError(errno.ENOSPC, f"{size} bytes are needed and {free} are free", folder)


@contextmanager
def new_folders(*folders: str | os.PathLike[str]) -> Iterator[None]:
    """Create folders that do not exist, each after the one that it is in; at the end remove those
    of them that are empty, as after an error or Ctrl-C.  Errors: OSError."""
    created: list[str | os.PathLike[str]] = []
    try:
        for folder in folders:
            with suppress(FileExistsError):
                os.mkdir(folder)
                created.append(folder)
        yield
    finally:
        for folder in reversed(created):
            with suppress(OSError):
                os.rmdir(folder)


@contextmanager
def atomic_replacement(path: str | os.PathLike[str]) -> Iterator[int]:
    """Yield the descriptor of a new file, which replaces `path` at the end, or is removed after an
    exception.

    Parameters: path, as in check_target; a replaced file keeps its permissions.
    Errors: OSError.
    """
    target = check_target(path)
    beside = _temporary_path(target)
    try:
        descriptor = _create(beside, PRIVATE if target.exists() else NEW)
        try:
            copy_permissions(descriptor, target)
            yield descriptor
        finally:
            os.close(descriptor)
        os.replace(beside, target)
    except BaseException:                   # also Ctrl-C and SystemExit
        with suppress(OSError):
            beside.unlink()
        raise


def write_atomically(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file, a text in UTF-8, whole or not at all.  Errors: OSError."""
    with atomic_replacement(path) as descriptor, open(descriptor, "wb", closefd=False) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


def copy_permissions(new: int | str | os.PathLike[str], replaced: str | os.PathLike[str]) -> None:
    """Copy permissions, owner, group and access control list of a file to its replacement, if
    allowed.

    If the group or the list cannot be kept, the group of the new file has no more rights than all
    others.

    Parameters: new, a path or a descriptor; replaced, a path; if no file exists there, the new file
    is not changed.
    Errors: OSError.
    """
    try:
        before = os.stat(replaced)
    except FileNotFoundError:
        return
    mode = before.st_mode & ALL
    with suppress(OSError):                     # only root may change the owner
        os.chown(new, before.st_uid, -1)
    with suppress(OSError):
        os.chown(new, -1, before.st_gid)
    if os.stat(new).st_gid != before.st_gid or not _copy_access_list(new, replaced):
        mode = mode & ~GROUP | mode & mode << 3 & GROUP
    with suppress(OSError):                     # a disk without permissions
        os.chmod(new, mode)


def _copy_access_list(new: int | str | os.PathLike[str], replaced: str | os.PathLike[str]) -> bool:
    """Copy the access control list of a file, or remove the list if the file has none.

    Return whether both files now have the same list.
    """
    if not hasattr(os, "getxattr"):
        return True
    try:
        access = os.getxattr(replaced, ACCESS_LIST)
    except OSError:                             # the file, or the disk, has no such list
        with suppress(OSError):
            os.removexattr(new, ACCESS_LIST)
        return True
    try:
        os.setxattr(new, ACCESS_LIST, access)
    except OSError:
        return False
    return True


def _temporary_path(target: Path) -> Path:
    return target.with_name(hidden_name())


def _create(path: Path, mode: int = NEW) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
