"""The paths of the files of a batch in its folder.

In the layout flat all are in that folder. In the layout webdataset the sounds are in SHARDED, each
with its row of the manifest as NAME.json, and nothing else is there. In the layout audiofolder
every file that a loader takes for a sound is in SOUNDS, whose name makes all of it one split,
whatever the names of the files; the sidecars, which the loader would take for sounds, are beside
that folder, in one that no rule of the loader matches.
"""
from __future__ import annotations

import os
from pathlib import Path

from pysitar.output.sidecar import sidecar_path

LAYOUTS = ("flat", "audiofolder", "webdataset")
FLAT, AUDIOFOLDER, WEBDATASET = LAYOUTS
SOUNDS, SHARDED, SIDECARS = "train", "webdataset", "sidecars"
FOLDERS = {FLAT: "", AUDIOFOLDER: SOUNDS, WEBDATASET: SHARDED}
ROW = ".json"                   # ending of the row of a sound in the layout webdataset


def sound_file(name: str, *, layout: str) -> str:
    """Return the path of a sound file in the folder of the batch.

    Parameters: name, with its ending.
    """
    folder = FOLDERS[layout]
    return f"{folder}/{name}" if folder else name


def sidecar_location(folder: str | os.PathLike[str], file: str) -> Path:
    """Return the path of the sidecar of a sound.

    Parameters: folder, of the batch; file, of the sound, in it.
    """
    own, _, name = file.rpartition("/")
    apart = own in (SOUNDS, SHARDED)
    return sidecar_path(Path(folder, SIDECARS, name) if apart else Path(folder, file))


def loaded_name(file: str) -> str | None:
    """Return the name of a sound file in SOUNDS; None for one elsewhere.

    Parameters: file, in the folder of the batch.
    """
    folder, _, name = file.rpartition("/")
    return name if folder == SOUNDS else None


def folders(folder: str | os.PathLike[str], *, layout: str) -> list[Path]:
    """Return the folder of the sounds, then that of their sidecars."""
    own = FOLDERS[layout]
    return [Path(folder, name) for name in (own, SIDECARS)] if own else [Path(folder)]


def row_path(folder: str | os.PathLike[str], file: str) -> Path:
    """Return the path of the row of a sound in the layout webdataset.

    Parameters: folder, of the batch; file, of the sound, in it.
    """
    return Path(folder, file).with_suffix(ROW)
