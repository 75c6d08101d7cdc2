"""One note of a string tuned: by a worker, which renders it until it sounds where it should."""
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
TARGET_ERROR = 0.3                       # cents, at which nothing more is tried
ROUNDS = 4                      # of correction


@dataclass(frozen=True, slots=True)
class Setup:
    """What every note is tuned with.

    Parameters: folder, which is there, of what is found; text, of the instrument's file; name, of
    the instrument; shown, its file in messages; bridge ("": the file's own); rate, internal (Hz);
    force, of the pluck (N; None: the string's own). """

    folder: str
    text: str
    name: str
    shown: str
    bridge: str
    rate: float
    force: float | None

    def instrument(self) -> InstrumentSpec:
        """The instrument.  Errors: InstrumentError."""
        changes = [(("bridge",), self.bridge)] if self.bridge else []
        return parse_instrument(self.text, name=self.name, shown=self.shown, changes=changes)


@dataclass(frozen=True, slots=True)
class Note:
    """A note for a worker.

    Parameters: string; its open pitch (Hz); semitones over that, and highest, up to which the score
    goes (None: to this note); free, with which it is only measured (cents; None: it is tuned). """

    string: str
    open_hz: float
    semitones: int
    highest: float | None = None
    free: float | None = None

    @property
    def name(self) -> str:
        """What it is called, for a file too."""
        return f"{self.string}+{self.semitones}{'' if self.highest is None else f'of{self.highest:g}'}"


@dataclass(frozen=True, slots=True)
class NoteResult:
    """What was found of a note.

    Parameters: note; hz, wanted (Hz); before and after, by how many cents it sounds over that;
    free, by how many cents the string without what lies under it is tuned off it so that it sounds
    as it does after. """

    note: Note
    hz: float
    before: float
    after: float
    free: float


def free_cents(string: StringSpec, semitones: float) -> float:
    """By how many cents a string without what lies under it is tuned off a note."""
    return string.cents + string.stretch * semitones + string.correction(semitones)


def tune_note(instrument: InstrumentSpec, string: StringSpec, note: Note, *, rate: float,
              force: float | None = None) -> NoteResult:
    """Tune a note of a string, or only measure it.

    Parameters: rate, internal (Hz); force, of the pluck (N; None: its own).  Errors:
    ParameterError, RenderError. """
    hz = note.open_hz * math.pow(2.0, note.semitones / 12.0)
    highest = note.semitones if note.highest is None else note.highest

    def off(cents: float) -> float:
        tried = replace(string, cents=cents, stretch=0.0, corrections=(0.0,), truncation=0.0)
        sound = render_note(instrument, tried, hz=note.open_hz, semitones=note.semitones,
                            highest=highest, rate=rate, force=force)
        return measure_pitch(sound, rate=rate, hz=hz).cents

    free = note.free
    if free is None:
        kept = retuned_spec(string, hz=note.open_hz,
                            highest=note.open_hz * math.pow(2.0, highest / 12.0), sample_rate=rate)
        free = free_cents(kept, note.semitones)
    before = after = error = off(free)
    tried = free
    for _ in range(ROUNDS if note.free is None else 0):
        if abs(after) <= TARGET_ERROR:
            break
        tried -= error
        error = off(tried)
        if abs(error) < abs(after):
            free, after = tried, error
    return NoteResult(note, hz, before, after, free)


def make(setup: Setup, note: Note) -> None:
    """Tune a note and write what was found into the folder.  Errors: OSError, ParameterError,
    RenderError."""
    instrument = setup.instrument()
    string = next(string for string in instrument.strings if string.name == note.string)
    found = tune_note(instrument, string, note, rate=setup.rate, force=setup.force)
    values = {"hz": found.hz, "before": found.before, "after": found.after, "free": found.free}
    Path(setup.folder, f"{note.name}.json").write_text(json.dumps(values), encoding="utf-8")


def read_result(setup: Setup, note: Note) -> NoteResult:
    """What `make` found of a note.  Errors: OSError."""
    return NoteResult(note, **json.loads(Path(setup.folder, f"{note.name}.json").read_bytes()))
