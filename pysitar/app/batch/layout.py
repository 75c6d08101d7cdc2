"""Where the files of a batch stand in its folder.

In the layout audiofolder all that a loader may take for a sound stands in SOUNDS, whose name makes it one part of the set, whatever the
names of the files; the sidecars, which it would take for sounds, stand beside that folder in one that no rule of the loader names.
"""
from __future__ import annotations

import os
from pathlib import Path

from pysitar.output.sidecar import sidecar_path

SOUNDS, SIDECARS = "train", "sidecars"


def sound_file(name: str, *, audiofolder: bool) -> str:
    """Return where a sound file stands, from the folder of the batch.  Parameters: name, with its ending."""
    return f"{SOUNDS}/{name}" if audiofolder else name


def sidecar_location(folder: str | os.PathLike[str], file: str) -> Path:
    """Return where the sidecar of a sound stands.  Parameters: folder, of the batch; file, of the sound, from there."""
    name = loaded_name(file)
    return sidecar_path(Path(folder, file) if name is None else Path(folder, SIDECARS, name))


def loaded_name(file: str) -> str | None:
    """Return the name of a sound file in SOUNDS; None for one that stands elsewhere.  Parameters: file, from the folder of the batch."""
    folder, _, name = file.rpartition("/")
    return name if folder == SOUNDS else None


def folders(folder: str | os.PathLike[str], *, audiofolder: bool) -> list[Path]:
    """Return the folders of the sounds and of their sidecars, the first first."""
    return [Path(folder, name) for name in (SOUNDS, SIDECARS)] if audiofolder else [Path(folder)]
