"""Build a gallery: first the missing sounds and pictures, then the page that shows them."""
from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from pysitar.app.analysis.sound_files import SoundFileError
from pysitar.app.analysis.spectrogram import measure_view
from pysitar.app.gallery.energies import TracesError, find_traces, read_energies, trace_file_status
from pysitar.app.gallery.files import (
    HASH,
    PAGE,
    PICTURES,
    SOUNDS,
    owned_file_exists,
    read_owned_files,
    remove,
    write_owned_list,
)
from pysitar.app.gallery.items import Entry, GalleryError, measure
from pysitar.app.gallery.page import PageItem, page_html
from pysitar.app.gallery.pictures import STYLE, energies_png, spectrogram_png, view_of, wave_png
from pysitar.output.files import (
    atomic_replacement,
    check_space,
    remove_stale_files,
    write_atomically,
)
from pysitar.system.files import local_name, portable_name, regular_file

# characters that file names of other systems cannot contain
UNPORTABLE = re.compile(r'[<>:"\\|?*\x00-\x1f\x7f\ud800-\udfff]')


@dataclass(slots=True)
class Gallery:
    """A page and its files.

    Parameters: folder of the page; title; copied, whether it has its own copies of the sounds;
    kept, files of the page that exist already, relative to the folder.
    Attributes: warnings; own, the files of this page; failed, name and error of each sound that
    cannot be shown.
    """

    folder: Path
    title: str
    copied: bool = True
    kept: Sequence[str] = ()
    warnings: list[str] = field(default_factory=list)
    own: set[str] = field(default_factory=set)
    failed: list[tuple[str, str]] = field(default_factory=list)

    def make(self, entries: Sequence[Entry], on_done: Callable[[str], None] | None = None) -> None:
        """Write the page of entries.

        Parameters: on_done, called with the name of each finished entry.
        Errors: OSError, GalleryError.
        """
        before, doubtful = read_owned_files(self.folder)
        self.warnings += doubtful
        self.own |= set(self.kept)
        for name in (SOUNDS, PICTURES):
            (self.folder / name).mkdir(exist_ok=True)
            remove_stale_files(self.folder / name)
        places = self._places(entries, before)
        write_owned_list(self.folder, before | self.own | set(places.values()))
        shown = []
        for index, entry in enumerate(entries):
            shown.append(self._make_item(entry, places.get(index)))
            if on_done is not None:
                on_done(entry.name)
        write_atomically(self.folder / PAGE, page_html(self.title, shown))
        for name in before - self.own:
            remove(self.folder / name)
        write_owned_list(self.folder, self.own)
        for name in (SOUNDS, PICTURES):
            with suppress(OSError):             # it is not empty
                (self.folder / name).rmdir()

    def _places(self, entries: Sequence[Entry], before: set[str]) -> dict[int, str]:
        """Return the target of each copied sound, by the index of its entry.

        Errors: OSError without enough disk space; GalleryError if a file that is not of this page
        is there.
        """
        if not self.copied:
            return {}
        places: dict[int, str] = {}
        taken: set[str] = set()
        needed = 0
        for index, entry in enumerate(entries):
            if entry.path is None:
                continue
            kept = portable_name(entry.path.name)
            name = UNPORTABLE.sub("_", kept)
            if name != kept or name.lower() in taken:
                digest = _digest(os.fsencode(entry.path))[:8]
                name = f"{Path(name).stem}-{digest}{entry.path.suffix}"
            taken.add(name.lower())
            places[index] = place = f"{SOUNDS}/{local_name(name)}"
            target = self.folder / place
            if owned_file_exists(target) and place not in before:
                raise GalleryError(
                    f"{target} exists, and this page has not made it; expected another folder for "
                    "the page")
            if not _same(entry.path, target):
                needed += entry.path.stat().st_size
        check_space(self.folder / PAGE, needed)
        return places

    def _make_item(self, entry: Entry, place: str | None) -> PageItem:
        """Write the files of an entry; return its item of the page."""
        measure(entry)
        if entry.path is None:
            self._fail(entry)
            return PageItem(entry)
        wave, spectrogram = (f"{PICTURES}/{entry.samples[:HASH]}-{STYLE}.{kind}.png"
                             for kind in ("wave", "spectrogram"))
        try:
            missing = [(name, picture)
                       for name, picture in ((wave, wave_png), (spectrogram, spectrogram_png))
                       if not owned_file_exists(self.folder / name)]
            if missing:
                sound = measure_view(entry.path, view_of(int(entry.measures["rate"])))
                for name, picture in missing:
                    write_atomically(self.folder / name, picture(sound))
        except SoundFileError as error:
            entry.error, entry.path = str(error), None
            self._fail(entry)
            return PageItem(entry)
        self.own |= {wave, spectrogram}
        if place is not None:
            self._copy(entry.path, place)
        file = place or os.path.relpath(entry.path.resolve(), self.folder.resolve())
        return PageItem(entry, sound=_address(file), wave=wave, spectrogram=spectrogram,
                        energies=self._energies(entry, entry.path))

    def _energies(self, entry: Entry, sound: Path) -> str | None:
        """Write the picture of a sound's energies; return its name, or None without energies."""
        traces = find_traces(sound)
        if traces is None:
            return None
        try:
            state = trace_file_status(traces)
            key = _digest(f"{entry.samples} {state.st_size} {state.st_mtime_ns}".encode())
            name = f"{PICTURES}/{key[:HASH]}-{STYLE}.energies.png"
            if not owned_file_exists(self.folder / name):
                picture = energies_png(read_energies(traces), entry.measures["seconds"])
                write_atomically(self.folder / name, picture)
        except TracesError as error:
            self.warnings.append(str(error))
            return None
        self.own.add(name)
        return name

    def _fail(self, entry: Entry) -> None:
        self.failed.append((entry.name, entry.error))

    def _copy(self, sound: Path, place: str) -> None:
        target = self.folder / place
        if not _same(sound, target):
            state = sound.stat()
            with (
                atomic_replacement(target) as descriptor,
                open(descriptor, "wb", closefd=False) as out,
                regular_file(sound) as file,
            ):
                shutil.copyfileobj(file, out, 1 << 20)
                out.flush()
                os.utime(descriptor, ns=(state.st_atime_ns, state.st_mtime_ns))
        self.own.add(place)


def _same(sound: Path, target: Path) -> bool:
    """Whether a copy is up to date."""
    try:
        copy, state = target.stat(), sound.stat()
    except OSError:
        return False
    return copy.st_size == state.st_size and copy.st_mtime_ns == state.st_mtime_ns


def _address(path: str) -> str:
    """Return a path as a relative address."""
    return quote(os.fsencode(path))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
