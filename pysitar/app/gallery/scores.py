"""Render the scores of a folder for its page.

A sound that is up to date is kept. A part, a score that another one includes and that cannot be
played alone, is left out.
"""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pysitar.api.request import Request
from pysitar.app.batch.items import BatchOptions, Plan, make_plan
from pysitar.app.batch.manifest import LINES, STEM, TABLE
from pysitar.app.batch.run import run
from pysitar.app.gallery.commands import SCORE
from pysitar.app.gallery.files import SOUNDS, check_no_links
from pysitar.app.gallery.items import SOUNDS as ENDINGS
from pysitar.app.gallery.items import Listing, opening_comment, read_entries
from pysitar.app.gallery.recording import MAKE
from pysitar.errors import ScoreError, printable
from pysitar.output.sidecar import sidecar_path
from pysitar.output.traces import ENDING
from pysitar.score.parser import Parsed, read_score
from pysitar.system.files import portable_name, real_path

OPTIONS = BatchOptions(request=Request())          # the settings of each score


@dataclass(frozen=True, slots=True)
class Scores:
    """The checked scores of a folder.

    Parameters: paths; plan of their sounds; parts, a message for each score that is left out.
    """

    paths: tuple[str, ...]
    plan: Plan
    parts: tuple[str, ...] = ()


def read_scores(folder: str) -> Scores | None:
    """Return the scores of a folder; None if it has sounds, or no score.

    Errors: ScoreError, ParameterError, OSError.
    """
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    if any(name.lower().endswith(ENDINGS) or (name.startswith(STEM) and name.endswith(LINES))
           for name in names):
        return None
    read = {
        path: read_score(path)
        for name in names
        if name.endswith(SCORE) and os.path.isfile(path := os.path.join(folder, name))}
    parts = _parts(read)
    whole = {path: parsed for path, parsed in read.items() if path not in parts}
    if not read:
        return None
    return Scores(tuple(whole), make_plan(tuple(whole.values()), OPTIONS), tuple(parts.values()))


def _parts(read: Mapping[str, Parsed]) -> dict[str, str]:
    """Return the scores that others include and that do not play alone, with a message for each.

    Parameters: read, the scores by their paths.
    """
    found: dict[str, str] = {}
    for path, parsed in read.items():
        real = real_path(path)
        whole = next((other for other, score in read.items()
                      if other != path and not score.problems and real in _files(score)), None)
        if whole is None:
            continue
        try:
            make_plan([parsed], OPTIONS)
        except ScoreError as error:
            found[path] = (
                f"{printable(path, '?')}: left out: it is a part of {printable(whole, '?')}, and "
                f"cannot be played alone ({error.problems[0].message})")
    return found


def _files(parsed: Parsed) -> set[str]:
    """Return the files that a score is read from, including its own."""
    return {real_path(source.name) for source in parsed.score.sources}


def render_scores(
    scores: Scores, page: Path, *, jobs: int, on_done: Callable[[str], None] | None = None,
) -> tuple[Listing, set[str]]:
    """Render scores into the folder of a page.

    Parameters: page, an existing folder; jobs, number of processes; on_done, called with the name
    of each finished or existing sound.
    Returns: their entries, and the files that belong to the page.
    Errors: OSError, GalleryError.
    """
    folder = page / SOUNDS
    check_no_links(folder)
    on_item = None if on_done is None else lambda item, _: on_done(item.name)
    run(scores.plan, str(folder), OPTIONS, jobs=jobs, on_item=on_item, function=MAKE, others=False)
    listing = read_entries(folder)
    comments = {portable_name(path): opening_comment(Path(path)) for path in scores.paths}
    own = {f"{STEM}{LINES}", f"{STEM}{TABLE}"}
    for entry in listing.entries:
        entry.description = comments.get(entry.score, "")
        if entry.path is not None:
            own |= {
                entry.path.name,
                sidecar_path(entry.path).name,
                entry.path.with_suffix(ENDING).name}
    return listing, {f"{SOUNDS}/{name}" for name in own}
