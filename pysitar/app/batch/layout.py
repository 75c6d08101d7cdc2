"""The paths of the files of a batch in its folder.

In the layout audiofolder every file that a loader takes for a sound is in SOUNDS, whose name makes
all of it one split, whatever the names of the files; the sidecars, which the loader would take for
sounds, are beside that folder, in one that no rule of the loader matches.
"""
from __future__ import annotations

import os
from pathlib import Path

from pysitar.output.sidecar import sidecar_path

SOUNDS, SIDECARS = "train", "sidecars"


def sound_file(name: str, *, audiofolder: bool) -> str:
    """Return the path of a sound file in the folder of the batch.

    Parameters: name, with its ending.
    """
    return f"{SOUNDS}/{name}" if audiofolder else name


def sidecar_location(folder: str | os.PathLike[str], file: str) -> Path:
    """Return the path of the sidecar of a sound.

    Parameters: folder, of the batch; file, of the sound, in it.
    """
    name = loaded_name(file)
    return sidecar_path(Path(folder, file) if name is None else Path(folder, SIDECARS, name))


def loaded_name(file: str) -> str | None:
    """Return the name of a sound file in SOUNDS; None for one elsewhere.

    Parameters: file, in the folder of the batch.
    """
    folder, _, name = file.rpartition("/")
    return name if folder == SOUNDS else None


def folders(folder: str | os.PathLike[str], *, audiofolder: bool) -> list[Path]:
    """Return the folder of the sounds, then that of their sidecars."""
    return [Path(folder, name) for name in (SOUNDS, SIDECARS)] if audiofolder else [Path(folder)]
