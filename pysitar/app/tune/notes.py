"""Tune one note of a string: a worker renders it with other tensions until it is in tune."""
from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

from pysitar.app.tune.pitch import measure_pitch, render_note
from pysitar.models.definitions.loader import parse_instrument
from pysitar.models.definitions.spec import InstrumentSpec, StringSpec
from pysitar.models.strings.modal_string import retuned_spec

MAKE = "pysitar.app.tune.notes:make"
TARGET_ERROR = 0.1              # cents: a note this near is not corrected further
ROUNDS = 5                      # greatest number of corrections


@dataclass(frozen=True, slots=True)
class Setup:
    """The data that all notes have in common.

    Parameters: folder, an existing one, for the results; text, of the instrument file; name, of the
    instrument; shown, the file as named in messages; bridge ("": the bridge that the file selects);
    rate, internal (Hz); force, of the pluck (N; None: the string's default).
    """

    folder: str
    text: str
    name: str
    shown: str
    bridge: str
    rate: float
    force: float | None

    def instrument(self) -> InstrumentSpec:
        """Return the instrument.  Errors: InstrumentError."""
        changes = [(("bridge",), self.bridge)] if self.bridge else []
        return parse_instrument(self.text, name=self.name, shown=self.shown, changes=changes)


@dataclass(frozen=True, slots=True)
class Note:
    """A note to tune, or only to measure.

    Parameters: string, its name; open_hz, its open pitch (Hz); semitones over the open pitch;
    highest, the highest note of the score, which determines the number of modes (semitones; None:
    this note); free, the detuning with which the note is measured (cents; None: tune the note).
    """

    string: str
    open_hz: float
    semitones: int
    highest: float | None = None
    free: float | None = None

    @property
    def name(self) -> str:
        """The name of the note, also of its file."""
        highest = "" if self.highest is None else f"of{self.highest:g}"
        return f"{self.string}+{self.semitones}{highest}"


@dataclass(frozen=True, slots=True)
class NoteResult:
    """The tuning of a note.

    Parameters: note; hz, its nominal pitch (Hz); before and after, its pitch error before and after
    tuning (cents); free, the detuning (cents) that the string would have alone, with nothing under
    it, at the tension that gives the error `after`.
    """

    note: Note
    hz: float
    before: float
    after: float
    free: float


def free_cents(string: StringSpec, semitones: float) -> float:
    """Return the detuning of a string alone at a note, by its specification (cents)."""
    return string.cents + string.stretch * semitones + string.correction(semitones)


def tune_note(instrument: InstrumentSpec, string: StringSpec, note: Note, *, rate: float,
              force: float | None = None) -> NoteResult:
    """Tune a note of a string, or only measure it.

    Parameters: rate, internal (Hz); force, of the pluck (N; None: the string's default).
    Errors: ParameterError, RenderError.
    """
    hz = note.open_hz * math.pow(2.0, note.semitones / 12.0)
    highest = note.semitones if note.highest is None else note.highest

    def pitch_error(detuning: float) -> float:
        detuned = replace(string, cents=detuning, stretch=0.0, corrections=(0.0,), truncation=0.0)
        sound = render_note(instrument, detuned, hz=note.open_hz, semitones=note.semitones,
                            highest=highest, rate=rate, force=force)
        return measure_pitch(sound, rate=rate, hz=hz).cents

    free = note.free
    if free is None:
        highest_hz = note.open_hz * math.pow(2.0, highest / 12.0)
        retuned = retuned_spec(string, hz=note.open_hz, highest=highest_hz, sample_rate=rate)
        free = free_cents(retuned, note.semitones)
    before = after = change = pitch_error(free)
    for _ in range(ROUNDS if note.free is None else 0):
        if abs(after) <= TARGET_ERROR:
            break
        error = pitch_error(free - change)
        if abs(error) < abs(after):
            free, after, change = free - change, error, error
        else:
            change *= 0.5       # the pitch is not linear there: the string settles otherwise
    return NoteResult(note, hz, before, after, free)


def make(setup: Setup, note: Note) -> None:
    """Tune a note and write the result into the folder.

    Errors: OSError, ParameterError, RenderError.
    """
    instrument = setup.instrument()
    string = next(string for string in instrument.strings if string.name == note.string)
    result = tune_note(instrument, string, note, rate=setup.rate, force=setup.force)
    values = {"hz": result.hz, "before": result.before, "after": result.after, "free": result.free}
    Path(setup.folder, f"{note.name}.json").write_text(json.dumps(values), encoding="utf-8")


def read_result(setup: Setup, note: Note) -> NoteResult:
    """Return the result that `make` wrote.  Errors: OSError."""
    return NoteResult(note, **json.loads(Path(setup.folder, f"{note.name}.json").read_bytes()))
