"""The files that belong to a page, by their names, in real folders; no link is followed."""
from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pysitar.app.batch.documents import DocumentError, read_document
from pysitar.app.batch.manifest import LINES, STEM, TABLE
from pysitar.app.batch.schema import TEXT
from pysitar.app.gallery.items import SOUNDS as ENDINGS
from pysitar.app.gallery.items import GalleryError
from pysitar.app.gallery.page import GENERATOR
from pysitar.app.messages import list_first
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
        _exists(folder / name, stat.S_ISDIR, "folder")
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
            "folder, or one with a page of pysitar gallery")
    own = {name for name in names if TEXT.fits(name) and OWNED.fullmatch(name)}
    strange = [name for name in names if not isinstance(name, str) or name not in own]
    warnings = []
    if strange:
        names_shown = list_first(list(map(quoted, strange)), SHOWN)
        warnings.append(
            f"{_shown(folder / OWN)}: its list of files has {names_shown}; expected sounds and "
            "pictures that a page makes; these files are not touched")
    return OwnedFiles({local_name(name) for name in own}, warnings)


def write_owned_list(folder: Path, names: Iterable[str]) -> None:
    """Write the list of the files that a page has made.  Errors: OSError."""
    document = {"generator": GENERATOR, FILES: sorted(map(portable_name, names))}
    write_atomically(folder / OWN, json.dumps(document, indent=1) + "\n")


def owned_file_exists(path: Path) -> bool:
    """Return whether a file of a page exists.

    Errors: GalleryError, if anything but a regular file has its name.
    """
    return _exists(path, stat.S_ISREG, "regular file")


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


def _exists(path: Path, is_right: Callable[[int], bool], kind: str) -> bool:
    """Return whether a file or folder of a page exists, of the right kind.

    Errors: GalleryError, if anything else, or a link, has its name.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return False
    if not is_right(mode):
        found = "a link" if stat.S_ISLNK(mode) else f"not a {kind}"
        raise GalleryError(
            f"{_shown(path)} is {found}; expected a {kind} that the page has made, or none; -o "
            "names another folder for the page")
    return True


def _shown(path: Path) -> str:
    return printable(str(path), "?")
