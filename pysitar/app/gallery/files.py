"""The files that a page owns, by their names, in real folders; no link is followed."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pysitar.app.batch.documents import DocumentError, read_document
from pysitar.app.batch.manifest import LINES, STEM, TABLE
from pysitar.app.batch.schema import TEXT
from pysitar.app.gallery.items import SOUNDS as ENDINGS
from pysitar.app.gallery.items import GalleryError
from pysitar.app.gallery.page import GENERATOR
from pysitar.errors import printable, quoted
from pysitar.output.files import check_target, write_atomically
from pysitar.output.traces import ENDING as TRACES
from pysitar.system.files import MEGABYTE, TooLargeError, local_name, portable_name

PAGE, OWN = "index.html", "gallery.json"
SOUNDS, PICTURES = "sounds", "pictures"
FILES = "files"  # the key in OWN
HASH = 32  # digits of a hash in a name
LARGEST_OWN = 256 * MEGABYTE
_ENDINGS = "|".join(map(re.escape, ENDINGS))
_SOUND = rf"[^/\0]*(?i:(?:{_ENDINGS})(?:\.json)?|{re.escape(TRACES)})"
_MANIFEST = rf"{STEM}(?:{re.escape(LINES)}|{re.escape(TABLE)})"
_PICTURE = rf"[0-9a-f]{{{HASH}}}-[0-9]+\.(?:wave|spectrogram|energies)\.png"
OWNED = re.compile(rf"{SOUNDS}/(?:{_SOUND}|{_MANIFEST})|{PICTURES}/{_PICTURE}")
SHOWN = 3  # names in a message


class OwnedFiles(NamedTuple):
    """The files that an earlier page made, relative to its folder; and warnings about its list."""

    names: set[str]
    warnings: list[str]


def read_owned_files(folder: Path) -> OwnedFiles:
    """Return the files that an earlier page in a folder made.

    Errors: GalleryError if another program's page is there, or a link in the place of a file or
    folder of the page; OSError.
    """
    for name in (PAGE, OWN):
        owned_file_exists(folder / name)
        check_target(folder / name)
    for name in (SOUNDS, PICTURES):
        _check_folder(folder / name)
    try:
        document = read_document(folder / OWN, LARGEST_OWN)
        names, ours = document.get(FILES), document.get("generator") == GENERATOR
    except FileNotFoundError:
        names, ours = [], not os.path.lexists(folder / PAGE)
    except (DocumentError, TooLargeError):
        names, ours = [], False
    if not ours or not isinstance(names, list):
        raise GalleryError(
            f"{_shown(folder)}: it holds a page that pysitar gallery has not made; expected a new "
            "folder, or one with a page of its own"
        )
    own = {name for name in names if TEXT.fits(name) and OWNED.fullmatch(name)}
    strange = [name for name in names if not isinstance(name, str) or name not in own]
    warnings = []
    if strange:
        some = ", ".join(map(quoted, strange[:SHOWN])) + (" and more" if strange[SHOWN:] else "")
        warnings.append(
            f"{_shown(folder / OWN)}: files names {some}; expected sounds and pictures that a "
            f"page "
            "makes; these files are left alone"
        )
    return OwnedFiles({local_name(name) for name in own}, warnings)


def write_owned_list(folder: Path, names: Iterable[str]) -> None:
    """Write the list of the files that a page has made.  Errors: OSError."""
    document = {"generator": GENERATOR, FILES: sorted(map(portable_name, names))}
    write_atomically(folder / OWN, json.dumps(document, indent=1) + "\n")


def owned_file_exists(path: Path) -> bool:
    """Whether a file of a page exists.  Errors: GalleryError, if anything but a regular file is
    there."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        what = "a link" if stat.S_ISLNK(mode) else "no regular file"
        raise GalleryError(
            f"{_shown(path)}: {what} is in the place of a file of the page; expected a file that "
            "the page has made, or nothing; another folder, -o DIR, is free of it"
        )
    return True


def remove(path: Path) -> None:
    """Remove a file that an earlier page made; anything but a regular file stays."""
    with suppress(OSError):
        if stat.S_ISREG(os.lstat(path).st_mode):
            os.unlink(path)


def check_no_links(folder: Path) -> None:
    """Raise a GalleryError if there is a link in a folder of the page.  Errors: OSError."""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                owned_file_exists(Path(entry.path))


def _check_folder(path: Path) -> None:
    """Raise a GalleryError unless a folder of a page is a real one, or not there."""
    with suppress(FileNotFoundError):
        mode = os.lstat(path).st_mode
        if not stat.S_ISDIR(mode):
            what = "a link" if stat.S_ISLNK(mode) else "no folder"
            raise GalleryError(
                f"{_shown(path)}: {what} is in the place of a folder of the page; expected a "
                "folder, or nothing; another folder, -o DIR, is free of it"
            )


def _shown(path: Path) -> str:
    return printable(str(path), "?")
