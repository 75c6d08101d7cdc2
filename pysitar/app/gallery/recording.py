"""Render a score for a page as in a batch, and write its energies beside the sound."""
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from pysitar.api.request import Request, prepare_engine
from pysitar.app.batch import render_item
from pysitar.app.batch.items import Item
from pysitar.app.gallery.energies import COLUMNS, ENERGY, sum_energies
from pysitar.errors import ParameterError
from pysitar.models.network.audited import AUDIT
from pysitar.output.traces import ENDING, TraceWriter
from pysitar.physics.checks import FloatArray
from pysitar.rendering.engine import Engine
from pysitar.score.document import Score

MAKE = "pysitar.app.gallery.recording:make"
ALL = f"all{ENERGY}"


def make(setup: render_item.Setup, item: Item) -> None:
    """Render a sound; write it, its sidecar and its energies.  Errors: as in `render_item.make`."""
    render_item.make(setup, item, Recorder())


class Recorder:
    """An observer that sums the energies of all traced voices and writes them beside the sound, in
    the format of `pysitar render --traces`, with fewer rows."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._rows: list[FloatArray] = []

    def prepare_engine(self, score: Score, request: Request) -> Engine:
        """Return an engine with traces, or one without if nothing in the score can be traced."""
        try:
            self._engine = prepare_engine(score, replace(request, traces=True))
        except ParameterError as error:
            if error.name != "traces":
                raise
            self._engine = prepare_engine(score, request)
        return self._engine

    def block(self, done: int, expected: int) -> None:
        """Store the energies of the last block."""
        assert self._engine is not None
        found = [
            rows for name, rows in self._engine.traces().items()
            if name.endswith(ENERGY) and len(rows)]
        if found:
            self._rows.append(sum_energies(found))

    def end(self, path: Path) -> None:
        """Write the maximum of each of some hundred intervals; without traces, remove the file.
        Errors: OSError."""
        beside = path.with_suffix(ENDING)
        if not self._rows or self._engine is None:
            beside.unlink(missing_ok=True)
            return
        rows = np.concatenate(self._rows)
        every = -(-len(rows) // (2 * COLUMNS))
        options = self._engine.options
        with TraceWriter(beside) as writer:
            writer.add("rate", [float(options.rate * options.oversample)])
            writer.add("energy_every", [float(AUDIT * every)])
            writer.add(ALL, np.maximum.reduceat(rows, np.arange(0, len(rows), every)))
