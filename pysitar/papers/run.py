"""Make figures in worker processes, and the page that shows them."""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pysitar.app.workers.pool import Workers
from pysitar.output.file_transaction import FileTransaction
from pysitar.output.files import check_target, new_folders
from pysitar.papers.finding import Figure
from pysitar.papers.make_figure import MAKE, FigureOutput, Job
from pysitar.papers.pages import page_html, report_markdown

PAGE, REPORT = "index.html", "REPORT.md"
LEFT = " (its files here are those of an earlier run)"


def reproduce(
    figures: Sequence[Figure],
    output: FigureOutput,
    *,
    jobs: int,
    on_done: Callable[[str], None] | None = None,
    function: str = MAKE,
) -> dict[str, str]:
    """Make figures and a page of them, index.html and REPORT.md.

    Parameters: output, whose folder is created if its parent exists; jobs, number of workers;
    on_done, called with the key of each finished figure; function, as in `Workers`.
    Returns: the errors of failed figures, by key.  Errors: OSError.
    """
    folder = Path(output.folder)
    failed: dict[str, str] = {}
    names = {figure.key: figure.name for figure in figures}
    with new_folders(folder):
        for name in (PAGE, REPORT):
            check_target(folder / name)
        with Workers(jobs, output, function=function) as workers:
            for outcome in workers.outcomes(Job(figure.key) for figure in figures):
                if outcome.error:
                    failed[outcome.item.name] = outcome.error + (LEFT if (
                        folder / f"{names[outcome.item.name]}.json").exists() else "")
                if on_done is not None:
                    on_done(outcome.item.name)
        documents = [_document(folder, figure, failed, pictures=output.pictures)
                     for figure in figures]
        with FileTransaction() as together:
            together.place(folder / REPORT).write_text(report_markdown(documents),
                                                       encoding="utf-8")
            together.place(folder / PAGE).write_text(page_html(documents), encoding="utf-8")
    return failed


def _document(folder: Path, figure: Figure, failed: dict[str, str], *,
              pictures: bool) -> dict[str, Any]:
    """Return the contents of the page for one figure."""
    if figure.key in failed:
        return {
            "key": figure.key, "title": figure.title, "source": figure.source,
            "error": failed[figure.key]
        }
    document: dict[str, Any] = json.loads((folder / f"{figure.name}.json").read_bytes())
    endings = (".png", ".svg") if pictures and figure.draw is not None else ()
    files = [
        name for ending in (".json", ".npz", *endings)
        if (folder / (name := figure.name + ending)).is_file()
    ]
    return document | {"files": files, "picture": f"{figure.name}.svg" if endings else None}
