"""The energies of a sound over its time, as `pysitar render --traces` writes them beside it, reduced to what a picture shows."""
from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pysitar.errors import PysitarError, printable
from pysitar.output.traces import ENDING
from pysitar.physics.checks import FloatArray

ENERGY = ".energy"              # at the end of the name of an array
COLUMNS = 800                   # of the picture
PARTS = 6                       # kinetic, potential, contact, losses, work, throughput


class TracesError(PysitarError):
    """A file beside a sound holds no traces."""


@dataclass(frozen=True, slots=True, eq=False)
class Energies:
    """Energies (J) of all that sounds together.

    Parameters: times (s); stored, kinetic, potential and contact energy together; contact, of it; losses and work so far.
    """

    times: FloatArray
    stored: FloatArray
    contact: FloatArray
    losses: FloatArray
    work: FloatArray


def traces_beside(sound: Path) -> Path | None:
    """Where the traces of a sound are: a.npz or a.wav.npz beside a.wav; None where there are none."""
    for path in (sound.with_suffix(ENDING), sound.with_name(sound.name + ENDING)):
        if path.is_file():
            return path
    return None


def energies_of(path: Path) -> Energies:
    """Read the energies of a file of traces.  Errors: TracesError, also where it has none."""
    shown = printable(str(path), "?")
    try:
        with np.load(path, allow_pickle=False) as archive:
            rows = [np.asarray(archive[name], dtype=np.float64) for name in archive.files if name.endswith(ENERGY)]
            rate, every = (float(archive[name][0]) for name in ("rate", "energy_every"))
    except (OSError, ValueError, KeyError, IndexError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise TracesError(f"{shown}: no traces can be read of it ({error}); what pysitar render --traces writes would be right") from None
    if not rows or any(one.ndim != 2 or one.shape[1] != PARTS or not len(one) or not np.isfinite(one).all() for one in rows) or rate <= 0.0:
        raise TracesError(f"{shown}: there are no energies in it; what pysitar render --traces writes would be right")
    total = summed(rows)
    kinetic, potential, contact, losses, work, _ = total.T
    columns = min(COLUMNS, len(total))
    starts = np.arange(columns) * len(total) // columns
    return Energies(np.asarray(starts * (every / rate), dtype=np.float64), *(np.maximum.reduceat(one, starts) for one in (
        kinetic + potential + contact, contact, losses, work)))


def summed(rows: Sequence[FloatArray]) -> FloatArray:
    """Energies of several strings together; one that ended earlier keeps its last values.  Parameters: rows, each (n, 6), n above 0."""
    longest = max(len(one) for one in rows)
    total = np.zeros((longest, PARTS))
    for one in rows:
        total[:len(one)] += one
        total[len(one):] += one[-1]
    return total
