"""Read the energies of a sound, as `pysitar render --traces` writes them beside it, reduced to the
columns of a picture."""
from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pysitar.app.gallery.arrays import BROKEN, Array, Arrays, open_arrays
from pysitar.errors import PysitarError, printable
from pysitar.output.traces import ENDING
from pysitar.physics.checks import FloatArray
from pysitar.system.files import error_reason

ENERGY = ".energy"              # at the end of the name of an array
COLUMNS = 800                   # of the picture
PARTS = 6                       # kinetic, potential, contact, losses, work, throughput
ROWS = 4096                     # read at once of each string
LARGEST = 1e290                 # J: the sum over all strings is finite
LOW, HIGH = 1e-6, 1e12          # of a rate in Hz, and of steps between two rows
EXPECTED = "expected what pysitar render --traces writes"


class TracesError(PysitarError):
    """A file beside a sound has no traces that can be read."""


@dataclass(frozen=True, slots=True, eq=False)
class Energies:
    """Energies (J), summed over all voices.

    Parameters: times (s); stored, the sum of kinetic, potential and contact energy; contact, its
    contact part; accumulated losses and work.
    """

    times: FloatArray
    stored: FloatArray
    contact: FloatArray
    losses: FloatArray
    work: FloatArray


def find_traces(sound: Path) -> Path | None:
    """Return the path of a sound's traces, a.npz or a.wav.npz beside a.wav; None without them."""
    for path in (sound.with_suffix(ENDING), sound.with_name(sound.name + ENDING)):
        if os.path.lexists(path):
            return path
    return None


def trace_file_status(path: Path) -> os.stat_result:
    """Return the status (size, time) of a file of traces.  Errors: TracesError."""
    try:
        return os.stat(path)
    except OSError as error:
        shown = printable(str(path), "?")
        why = f"cannot be read as traces ({error.strerror}); {EXPECTED}"
        raise TracesError(f"{shown}: {why}") from None


def read_energies(path: Path) -> Energies:
    """Read the energies of a file of traces.  Errors: TracesError, also where it has none."""
    shown = printable(str(path), "?")
    try:
        with open_arrays(path) as arrays:
            rate, every = _number(arrays, "rate"), _number(arrays, "energy_every")
            strings = [arrays.open(name) for name in arrays.names if name.endswith(ENERGY)]
            shapes = [string.shape for string in strings]
            if not shapes or any(shape[1:] != (PARTS,) or not shape[0] for shape in shapes):
                raise TracesError(f"{shown}: it has no energies; {EXPECTED}")
            starts, greatest = _reduce_rows(strings)
    except BROKEN as error:
        why = error_reason(error) if isinstance(error, OSError) else error
        raise TracesError(f"{shown}: cannot be read as traces ({why}); {EXPECTED}") from None
    return Energies(np.asarray(starts * (every / rate), dtype=np.float64), *greatest)


def _number(arrays: Arrays, name: str) -> float:
    """Return the first value of an array.  Errors: one of BROKEN."""
    array = arrays.open(name)
    if len(array.shape) != 1 or not array.shape[0]:
        raise ValueError(f"{name} has the shape {array.shape}; expected one dimension, not empty")
    value = float(array.rows(1)[0])
    if not LOW <= value <= HIGH:
        raise ValueError(f"{name} is {value:g}; expected {LOW:g} to {HIGH:g}")
    return value


def _reduce_rows(strings: Sequence[Array]) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Return the first row of each column of a picture, and the maxima in each column, (4,
    columns).

    The values are stored energy, contact energy, losses and work.

    Errors: one of BROKEN.
    """
    longest = max(string.shape[0] for string in strings)
    columns = min(COLUMNS, longest)
    starts = np.arange(columns) * longest // columns
    greatest = np.full((4, columns), -np.inf)
    last = np.zeros((len(strings), PARTS))
    for begin in range(0, longest, ROWS):
        count = min(ROWS, longest - begin)
        total = np.zeros((count, PARTS))
        for index, string in enumerate(strings):
            expected = min(count, max(0, string.shape[0] - begin))
            rows = string.rows(expected)
            if len(rows) != expected or not (np.abs(rows) <= LARGEST).all():
                raise ValueError(
                    "an array of energies is incomplete or not finite; expected finite numbers")
            total[:len(rows)] += rows
            last[index] = rows[-1] if len(rows) else last[index]
            total[len(rows):] += last[index]
        kinetic, potential, contact, losses, work, _ = total.T
        first = int(np.searchsorted(starts, begin, side="right")) - 1
        inside = starts[first + 1:np.searchsorted(starts, begin + count)]
        places = np.concatenate(([0], inside - begin))
        here = slice(first, first + len(places))
        curves = (kinetic + potential + contact, contact, losses, work)
        for row, values in zip(greatest, curves, strict=True):
            row[here] = np.maximum(row[here], np.maximum.reduceat(values, places))
    return starts, greatest


def sum_energies(rows: Sequence[FloatArray]) -> FloatArray:
    """Return the sum of the energies of strings; one that ended earlier keeps its last values.
    Parameters: rows, each (n, 6), n above 0."""
    longest = max(map(len, rows))
    total = np.zeros((longest, PARTS))
    for string in rows:
        total[:len(string)] += string
        total[len(string):] += string[-1]
    return total
