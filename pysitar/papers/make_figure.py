"""Make one figure: write its numbers, curves and pictures, all of them or none."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pysitar.output.file_transaction import FileTransaction
from pysitar.output.sidecar import sidecar_text
from pysitar.output.signals import raise_signals
from pysitar.output.traces import TraceWriter
from pysitar.papers.catalogue import figures_of
from pysitar.papers.finding import Finding
from pysitar.papers.style import pictures_of

MAKE = "pysitar.papers.make_figure:make"


@dataclass(frozen=True, slots=True)
class FigureOutput:
    """The output of each figure.  Parameters: folder, which exists; pictures, whether they are
    drawn."""

    folder: str
    pictures: bool = True


@dataclass(frozen=True, slots=True)
class Job:
    """A figure for a worker.  Parameters: name, the figure's key."""

    name: str


def make(output: FigureOutput, job: Job) -> None:
    """Compute a figure; write NAME.json, NAME.npz if it has curves, NAME.png and NAME.svg if it is
    drawn.

    Errors: OSError; any error of the computation; ImportError without matplotlib.
    """
    [figure] = figures_of([job.name])
    finding = figure.compute()
    pictures = pictures_of(finding,
                           figure.draw) if output.pictures and figure.draw is not None else ()
    stem = Path(output.folder, figure.name)
    with raise_signals(), FileTransaction() as together:
        for ending, picture in zip((".png", ".svg"), pictures, strict=False):
            together.place(stem.with_suffix(ending)).write_bytes(picture)
        if finding.curves:
            _write_curves(together.place(stem.with_suffix(".npz")), finding)
        together.place(stem.with_suffix(".json")).write_text(sidecar_text(finding.document),
                                                             encoding="utf-8")


def _write_curves(path: Path, finding: Finding) -> None:
    with TraceWriter(path) as writer:
        for name, curve in finding.curves.items():
            writer.add(name, curve)
