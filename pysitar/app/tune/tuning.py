"""Tune the notes of an instrument, and compute the corrections for its file."""
from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pysitar.app.tune.notes import MAKE, Note, NoteResult, Setup, free_cents, read_result
from pysitar.app.workers.pool import Workers
from pysitar.errors import PysitarError
from pysitar.models.definitions.spec import StringSpec
from pysitar.models.definitions.strings import MOST_TRUNCATION
from pysitar.models.strings.modal_string import crowding

IN_TUNE = 1.0                   # cents: a string whose notes all deviate by less is not changed
SMALL_CHANGE = 0.5              # cents: truncation stays if no note would change by more
# fractions of the highest tuned note: notes that are measured with other modes
TRUNCATION_NOTES = (0.0, 0.35, 0.7)
DIGITS = 2                      # of cents


class TuneError(PysitarError):
    """A note cannot be tuned."""


@dataclass(frozen=True, slots=True)
class StringTuning:
    """The new values of a string.

    Parameters: cents; corrections (cents); truncation (cents); changed, whether they differ.
    """

    cents: float
    corrections: tuple[float, ...]
    truncation: float
    changed: bool


def tune_notes(
    setup: Setup,
    notes: Sequence[Note],
    *,
    jobs: int,
    on_done: Callable[[str], None] | None = None,
    function: str = MAKE,
) -> list[NoteResult]:
    """Tune notes.

    Parameters: setup, whose folder is replaced by a temporary one; jobs, number of workers;
    on_done, called with the name of each finished note; function, as in `Workers`.
    Returns: the results, in the order of the notes.
    Errors: TuneError, OSError.
    """
    if not notes:
        return []
    with tempfile.TemporaryDirectory(prefix="pysitar-tune-") as folder:
        setup = replace(setup, folder=folder)
        with Workers(min(jobs, len(notes)), setup, function=function) as workers:
            for outcome in workers.outcomes(iter(notes)):
                if outcome.error:
                    note = outcome.item
                    raise TuneError(
                        f"{setup.shown}: {note.string}, semitone {note.semitones}: "
                        f"{outcome.error}")
                if on_done is not None:
                    on_done(outcome.item.name)
        return [read_result(setup, note) for note in notes]


def notes_for_truncation(strings: Sequence[StringSpec], found: Sequence[NoteResult]) -> list[Note]:
    """Return the notes to measure with other mode counts: in a score of that note alone, and in one
    up to the string's highest note.

    Strings with statics have none: their modes do not depend on the score."""
    notes = []
    for string in strings:
        if string.statics:
            continue
        tuned = _results_of(string, found)
        last = len(tuned) - 1
        for semitones in sorted({round(part * last) for part in TRUNCATION_NOTES}) if last else []:
            note = replace(tuned[semitones].note, free=tuned[semitones].free)
            notes.append(replace(note, highest=None))
            if string.highest > last:
                notes.append(replace(note, highest=string.highest))
    return notes


def tune_string(string: StringSpec, found: Sequence[NoteResult], crowded: Sequence[NoteResult], *,
                rate: float) -> StringTuning:
    """Return the values that give a string the tuning found in the last iteration.

    Parameters: found, results of the notes 0, 1, 2 ... semitones over the open string, with the
    mode count of the last note; values for higher notes are kept; crowded, results of some of these
    notes with other mode counts; rate, internal (Hz).
    """
    last = found[-1]
    weights = _mode_weights(string, found, last.hz, rate)
    changes = _changes(string, found, crowded, rate)
    truncation = _truncation(changes) if crowded else string.truncation
    most_weight = max((abs(weight) for weight, _ in changes), default=0.0)
    change = abs(truncation - string.truncation) * most_weight
    if max(abs(note.before) for note in found) <= IN_TUNE and change <= SMALL_CHANGE:
        return StringTuning(string.cents, string.corrections, string.truncation, changed=False)
    free = [note.free + truncation * weight for note, weight in zip(found, weights, strict=True)]
    free += [
        free_cents(string, semitones) for semitones in range(len(free), len(string.corrections))]
    cents = _rounded(free[0])
    corrections = tuple(
        _rounded(value - cents - string.stretch * semitones)
        for semitones, value in enumerate(free))
    return StringTuning(cents, (0.0, *corrections[1:]) if any(corrections[1:]) else (0.0, ),
                        truncation, changed=True)


def tune_strings(
    strings: Sequence[StringSpec],
    found: Sequence[NoteResult],
    crowded: Sequence[NoteResult],
    *,
    rate: float,
) -> dict[str, StringTuning]:
    """Return the new values of each string, by name.

    Parameters: as in `tune_string`, of all strings.
    """
    return {
        string.name: tune_string(string, _results_of(string, found),
                                 _results_of(string, crowded), rate=rate)
        for string in strings}


def _results_of(string: StringSpec, found: Sequence[NoteResult]) -> list[NoteResult]:
    """Return the results of the notes of a string."""
    return [note for note in found if note.note.string == string.name]


def _changes(string: StringSpec, found: Sequence[NoteResult], crowded: Sequence[NoteResult],
             rate: float) -> list[tuple[float, float]]:
    """Return the effect of another number of modes on each note: the difference of the mode
    weights, and how much sharper the note is (cents)."""
    weights = _mode_weights(string, found, found[-1].hz, rate)
    changes = []
    for note in crowded:
        semitones, highest = note.note.semitones, note.note.highest
        own = 0.0 if highest is None else _mode_weights(
            string, [note], note.note.open_hz * math.pow(2.0, highest / 12.0), rate)[0]
        changes.append((own - weights[semitones], note.after - found[semitones].after))
    return changes


def _truncation(changes: Sequence[tuple[float, float]]) -> float:
    """Return how much sharper fewer modes make a string (cents, a whole number), by least squares.

    Parameters: changes, from `_changes`. A note that is flatter with fewer modes rests otherwise on
    the bridge with them, and is ignored.
    """
    sharper = [(weight, cents) for weight, cents in changes if weight * cents > 0.0]
    norm = math.fsum(weight * weight for weight, _ in sharper)
    fitted = math.fsum(weight * cents for weight, cents in sharper) / norm if norm > 0.0 else 0.0
    return float(round(min(fitted, MOST_TRUNCATION)))


def _mode_weights(string: StringSpec, found: Sequence[NoteResult], highest: float,
                  rate: float) -> list[float]:
    """Return `crowding` of notes in a score whose highest pitch is `highest` (Hz)."""
    return crowding(string, hz=found[0].note.open_hz, notes=[note.hz for note in found],
                    highest=highest, sample_rate=rate)


def _rounded(cents: float) -> float:
    return round(cents, DIGITS) + 0.0           # + 0.0: not -0.0
