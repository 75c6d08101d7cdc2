"""A folder that a command creates: whole or not at all."""
from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress

from pysitar.app.messages import UsageError
from pysitar.errors import quoted
from pysitar.output.files import copy_permissions, hidden_name


def write_folder(command: str, folder: str, files: Mapping[str, bytes], *, example: str) -> None:
    """Create a folder of files, or fill an empty one.

    Parameters: command, its name in messages; folder; files, their bytes by their names in the
    folder, with / between parts; example, a name for messages.
    Errors: UsageError, OSError; then there is no folder, or it is empty as before.
    """
    target = os.path.realpath(_check_new_folder(command, folder, example))
    beside = os.path.join(os.path.dirname(target), hidden_name())
    try:
        os.mkdir(beside)
        for name, data in files.items():
            path = os.path.join(beside, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(data)
        copy_permissions(beside, target)
        os.rename(beside, target)               # replaces an empty folder; fails on any other
    except BaseException as error:
        with suppress(OSError):
            shutil.rmtree(beside)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, folder) from None
        raise


def _check_new_folder(command: str, folder: str, example: str) -> str:
    """Return the name of a folder that can be created.  Errors: UsageError, OSError."""
    if not folder or "\0" in folder:
        raise UsageError(
            f"pysitar {command}: {quoted(folder)} cannot be the name of a folder; expected a new "
            f"name, such as {example}")
    if os.path.lexists(folder):
        if not os.path.isdir(folder):
            raise UsageError(
                f"pysitar {command}: {quoted(folder)} is not a folder; expected a new name")
        if os.listdir(folder):
            raise UsageError(
                f"pysitar {command}: {quoted(folder)} is not empty; expected a new name, or an "
                "empty folder")
    above = os.path.dirname(os.path.realpath(folder))
    if not os.path.isdir(above):
        raise FileNotFoundError(errno.ENOENT,
                                "its parent folder does not exist; mkdir -p creates it", above)
    return folder
