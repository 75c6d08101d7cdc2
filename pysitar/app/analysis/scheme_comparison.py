"""One score through several schemes: a sound of each, and what is measured of it."""
from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pysitar.api.render_file import Files, Progress, stream
from pysitar.api.request import Request
from pysitar.app.analysis.measures import measure_file
from pysitar.app.analysis.sound_files import open_sound
from pysitar.errors import ParameterError, Problem, ScoreError
from pysitar.models.definitions.parameters import LEAD, PLUCK, STRUM, TOUCH
from pysitar.models.definitions.registry import MODELS
from pysitar.output.files import atomic_replacement
from pysitar.physics.checks import FloatArray
from pysitar.rendering.engine import Engine, bind_score
from pysitar.rendering.plan import Bound, BoundEvent
from pysitar.score.document import Score
from pysitar.score.elements import Row, Section
from pysitar.score.literals import Argument, Name
from pysitar.system.files import portable_name

SCHEMES = tuple(MODELS["string"])
FIRST = 0.01  # s of the sound that are compared: contact is chaotic after some ten milliseconds
TABLE = "compare.csv"
PLUCKS = frozenset((PLUCK.name, STRUM.name))
TOUCHING = frozenset((TOUCH.name, LEAD.name))  # parameters of a pluck that not every scheme has
COLUMNS = ("scheme", "file", "rms_db", "t60_s", "centroid_hz", "residual", "times_real_time",
           "difference_10ms", "note")


@dataclass(frozen=True, slots=True)
class SchemeResult:
    """A score by one scheme.

    Parameters: scheme; file; rms, of all samples (full scale 1); t60 (s) and centroid (Hz), None
    where the sound has none; residual, of the energy balance; speed, times real time; difference,
    the relative L2 difference from the first scheme in the first 10 ms from the first event on. """

    scheme: str
    file: Path
    rms: float
    t60: float | None
    centroid: float | None
    residual: float
    speed: float
    difference: float

    @property
    def row(self) -> tuple[str, ...]:
        """As in the table, without its note, empty where the sound has no such value."""
        level = "" if self.rms == 0.0 else f"{20.0 * np.log10(self.rms):.2f}"
        t60 = "" if self.t60 is None else f"{self.t60:.3f}"
        centroid = "" if self.centroid is None else f"{self.centroid:.1f}"
        return (self.scheme, portable_name(self.file.name), level, t60, centroid,
                f"{self.residual:.2e}", f"{self.speed:.3g}", f"{self.difference:.2e}")


@dataclass(frozen=True, slots=True)
class Schemes:
    """What plays a score by each scheme.

    Parameters: engines, by scheme; skipped, by scheme, what in the score it cannot play;
    without_touch_schemes, those of the engines' schemes that have no touch before a pluck, where
    the score has one, which is then left out in all. """

    engines: dict[str, Engine]
    skipped: dict[str, tuple[Problem, ...]]
    without_touch_schemes: tuple[str, ...] = ()

    def note(self, scheme: str) -> str:
        """What the table says of a scheme beside its numbers."""
        if scheme in self.skipped:
            first, *more = self.skipped[scheme]
            return f"skipped: {first.place}: {first.message}" + (f" (and {len(more)} more)"
                                                                 if more else "")
        return "without touch" if self.without_touch_schemes else ""


def with_scheme(score: Score, scheme: str, names: frozenset[str]) -> Score:
    """Return a score whose instruments of these names are played by a scheme."""
    uses = tuple(
        replace(
            use, overrides=use.overrides
            | {"scheme": Argument("scheme", use.place, Name(scheme, use.place), use.place)}) if use.
        name in names else use for use in score.uses)
    settings = tuple(one for one in score.settings
                     if not (len(one.path) == 2 and one.path[1] == "scheme"))
    return replace(score, uses=uses, settings=settings)


def open_engines(
    score: Score, schemes: Sequence[str], asked: Request, problems: Sequence[Problem] = (),
) -> Schemes:
    """Return an engine for each scheme that can play a score, everything checked and nothing
    computed yet.

    Errors: ScoreError, also when no scheme can play it, with what the first one cannot;
    ParameterError. """
    for scheme in schemes or [""]:
        if scheme not in SCHEMES:
            raise ParameterError("schemes", scheme, f"expected one of {', '.join(SCHEMES)}")
    own, options = bind_score(score, rate=asked.rate, oversample=asked.oversample,
                              problems=problems)
    strings = frozenset(voice.name for voice in own.voices
                        if voice.spec.model == "string" and voice.events)
    if not strings:
        raise ParameterError(
            "score", score.file,
            "it plays no instrument of strings, which alone are played by several schemes")
    bounds: dict[str, Bound] = {}
    skipped: dict[str, tuple[Problem, ...]] = {}
    for scheme in schemes:
        try:
            played = with_scheme(score if _has_touch(scheme) else without_touch(score, strings),
                                 scheme, strings)
            bounds[scheme] = bind_score(played, rate=asked.rate, oversample=asked.oversample)[0]
        except ScoreError as error:
            skipped[scheme] = error.problems
    without_touch_schemes = tuple(scheme for scheme in bounds
                                  if not _has_touch(scheme)) if _touches(own) else ()
    engines: dict[str, Engine] = {}
    for scheme, bound in bounds.items():
        try:
            engines[scheme] = Engine(
                _without_touch(bound) if without_touch_schemes else bound, options, jobs=asked.jobs)
        except ScoreError as error:
            skipped[scheme] = error.problems
    if not engines:
        raise ScoreError(skipped[schemes[0]])
    return Schemes(engines, {scheme: skipped[scheme]
                             for scheme in schemes if scheme in skipped}, without_touch_schemes)


def without_touch(score: Score, names: frozenset[str]) -> Score:
    """Return a score whose plucks and strums of instruments of these names ask for no touch."""
    def plain(row: Row) -> Row:
        if row.target[0] not in names or row.verb not in PLUCKS or TOUCHING.isdisjoint(
                row.arguments):
            return row
        return row._replace(arguments={
            name: given
            for name, given in row.arguments.items() if name not in TOUCHING
        })

    def changed(section: Section) -> Section:
        return replace(section, rows=tuple(plain(row) for row in section.rows))

    sections = {name: changed(section) for name, section in score.sections.items()}
    return replace(score, main=changed(score.main), sections=sections)


def _has_touch(scheme: str) -> bool:
    return TOUCH.name in MODELS["string"][scheme][PLUCK.name].parameters


def _touches(bound: Bound) -> bool:
    """Whether a pluck of a bound score has a touch, or would have it by a scheme that knows it."""
    for voice in bound.voices:
        own = {string.name: string.spec.pluck.touch for string in voice.strings}
        if any(event.verb == PLUCK.name and event.values.get(TOUCH.name, own[event.part]) > 0.0
               for event in voice.events):
            return True
    return False


def _without_touch(bound: Bound) -> Bound:
    """A bound score whose plucks have no touch."""
    def plain(event: BoundEvent) -> BoundEvent:
        if event.verb != PLUCK.name or TOUCH.name not in event.values:
            return event
        return event._replace(values=event.values | dict.fromkeys(TOUCHING, 0.0))

    return replace(
        bound, voices=tuple(
            replace(voice, events=tuple(plain(event) for event in voice.events))
            for voice in bound.voices))


def compare(schemes: Schemes, asked: Request, folder: Path, stem: str,
            progress: Progress | None = None) -> list[tuple[str, ...]]:
    """Render a score by each scheme into folder/stem-scheme.wav, with its sidecar, and a table of
    all, compare.csv.

    Parameters: schemes, of `open_engines`; folder, made if its parent is there; progress, as in
    `render_file`.
    Returns: the rows of the table, the schemes that are skipped last.  Errors: as `render_file`.
    """
    folder.mkdir(exist_ok=True)
    rows: list[tuple[str, ...]] = []
    first: FloatArray | None = None
    for scheme, engine in schemes.engines.items():
        path = folder / f"{stem}-{scheme}.wav"
        report = stream(engine, asked, Files(path=path), progress=progress)
        start = min(event.time for voice in engine.bound.voices for event in voice.events)
        sound = _first_samples(path, start)
        first = sound if first is None else first
        measures = measure_file(path)
        done = SchemeResult(scheme, path, measures.rms, measures.t60, measures.centroid,
                            max(voice["residual"] for voice in report["voices"].values()),
                            report["timing"]["seconds_per_second"], _difference(sound, first))
        rows.append((*done.row, schemes.note(scheme)))
    rows += [(scheme, *[""] * (len(COLUMNS) - 2), schemes.note(scheme))
             for scheme in schemes.skipped]
    with (
        atomic_replacement(folder / TABLE) as descriptor,
        open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="",
             closefd=False) as file,
    ):
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return rows


def _first_samples(path: Path, start: float) -> FloatArray:
    """The first 10 ms of a sound from a time on, its channels side by side."""
    with open_sound(path) as sound:
        sound.seek(min(round(start * sound.samplerate), sound.frames))
        frames: FloatArray = sound.read(round(FIRST * sound.samplerate), dtype="float64",
                                        always_2d=True)
    return frames


def _difference(sound: FloatArray, first: FloatArray) -> float:
    size = float(np.sqrt((first**2).sum()))
    missing = float(np.sqrt(((sound - first) ** 2).sum()))
    return missing / size if size > 0.0 else missing
