"""Render a score by several schemes, and compare measures of the sounds."""
from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pysitar.api.render_file import Files, Progress, stream
from pysitar.api.request import Request
from pysitar.app.analysis.measures import Measures, measure_file
from pysitar.app.analysis.sound_files import open_sound
from pysitar.errors import ParameterError, Problem, ScoreError
from pysitar.gestures.pluck import LEAD, TOUCH
from pysitar.models.definitions.picks import NONE, tip_of
from pysitar.models.definitions.registry import MODELS
from pysitar.models.definitions.spec import StringSpec
from pysitar.models.network.schemes.base import HAMMER
from pysitar.models.network.schemes.base import TOUCH as TOUCH_CAPABILITY
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES
from pysitar.output.files import atomic_replacement, new_folders
from pysitar.physics.checks import FloatArray
from pysitar.rendering.engine import Engine, bind_score
from pysitar.rendering.plan import Bound, BoundEvent
from pysitar.score.document import Score
from pysitar.score.elements import Row, Section, Use
from pysitar.score.literals import Argument, Name
from pysitar.system.files import portable_name

COMPARED = 0.01  # s of the sound: contact is chaotic after some ten milliseconds
TABLE = "compare.csv"
MOST_REASONS = 4                # why a scheme cannot play a score, in its note
TOUCH_PARAMETERS = frozenset((TOUCH.name, LEAD.name))  # of plucks; not every scheme has them
COLUMNS = ("scheme", "file", "rms_db", "t60_s", "centroid_hz", "residual", "times_real_time",
           "difference_10ms", "note")


@dataclass(frozen=True, slots=True)
class Schemes:
    """The engines that render a score, one for each scheme.

    Parameters: engines, by scheme; skipped, the problems of each scheme that cannot play the score;
    without_touch_schemes, those of the engines' schemes that have no touch before a pluck, if the
    score has one: it is then left out in all engines; without_plectra_schemes, likewise those whose
    plucks are forces, if a string has a plectrum in contact.
    """

    engines: dict[str, Engine]
    skipped: dict[str, tuple[Problem, ...]]
    without_touch_schemes: tuple[str, ...] = ()
    without_plectra_schemes: tuple[str, ...] = ()

    def note(self, scheme: str) -> str:
        """Return the text of a scheme in the last column of the table."""
        if scheme in self.skipped:
            problems = self.skipped[scheme]
            reasons = list(dict.fromkeys(problem.message for problem in problems))
            others = len(reasons) - MOST_REASONS
            more = f" (and {others} more)" if others > 0 else ""
            return (f"skipped: {problems[0].place}: "
                    f"{'. Also: '.join(reasons[:MOST_REASONS])}{more}")
        return ", ".join(note for note, schemes in (
            ("without touch", self.without_touch_schemes),
            ("plucks are forces", self.without_plectra_schemes)) if schemes)


def with_scheme(score: Score, scheme: str, names: frozenset[str]) -> Score:
    """Return a score whose instruments of these names are played by a scheme."""
    def changed(use: Use) -> Use:
        if use.name not in names:
            return use
        value = Argument("scheme", use.place, Name(scheme, use.place), use.place)
        return replace(use, overrides=use.overrides | {"scheme": value})

    settings = tuple(setting for setting in score.settings
                     if not (len(setting.path) == 2 and setting.path[1] == "scheme"))
    return replace(score, uses=tuple(map(changed, score.uses)), settings=settings)


def open_engines(
    score: Score, schemes: Sequence[str], request: Request, problems: Sequence[Problem] = (),
) -> Schemes:
    """Return an engine for each scheme that can play a score; all checks are done, and nothing is
    computed.

    Errors: ParameterError; ScoreError, also if no scheme can play the score (with the problems of
    the first scheme).
    """
    for scheme in schemes or [""]:
        if scheme not in STRING_SCHEMES:
            raise ParameterError("schemes", scheme, f"expected one of {', '.join(STRING_SCHEMES)}")
    bound, options = bind_score(score, rate=request.rate, oversample=request.oversample,
                                problems=problems)
    strings = frozenset(voice.name for voice in bound.voices
                        if voice.spec.model == "string" and voice.events)
    if not strings:
        raise ParameterError("score", score.file, "expected a score that plays an instrument of "
                                                  "strings: other models have one scheme only")
    bounds: dict[str, Bound] = {}
    skipped: dict[str, tuple[Problem, ...]] = {}
    for scheme in schemes:
        touched = score if _has_touch(scheme) else without_touch(score, strings)
        try:
            bounds[scheme], _ = bind_score(with_scheme(touched, scheme, strings),
                                           rate=request.rate, oversample=request.oversample)
        except ScoreError as error:
            skipped[scheme] = error.problems
    without_touch_schemes: tuple[str, ...] = ()
    if _any_touch(bound):
        without_touch_schemes = tuple(scheme for scheme in bounds if not _has_touch(scheme))
    without_plectra_schemes: tuple[str, ...] = ()
    if any(tip_of(string.spec) is not None for voice in bound.voices for string in voice.strings):
        without_plectra_schemes = tuple(scheme for scheme in bounds
                                        if HAMMER not in STRING_SCHEMES[scheme].capabilities)
    engines: dict[str, Engine] = {}
    for scheme, plan in bounds.items():
        if without_touch_schemes:
            plan = _bound_without_touch(plan)
        if without_plectra_schemes:
            plan = _bound_without_plectra(plan)
        try:
            engines[scheme] = Engine(plan, options, jobs=request.jobs)
        except ScoreError as error:
            skipped[scheme] = error.problems
    if not engines:
        raise ScoreError(skipped[schemes[0]])
    ordered = {scheme: skipped[scheme] for scheme in schemes if scheme in skipped}
    return Schemes(engines, ordered, without_touch_schemes, without_plectra_schemes)


def without_touch(score: Score, names: frozenset[str]) -> Score:
    """Return a score in which plucks of instruments of these names have no touch parameters."""
    def changed_row(row: Row) -> Row:
        if row.target[0] not in names:
            return row
        return row._replace(arguments={name: argument for name, argument in row.arguments.items()
                                       if name not in TOUCH_PARAMETERS})

    def changed(section: Section) -> Section:
        return replace(section, rows=tuple(map(changed_row, section.rows)))

    sections = {name: changed(section) for name, section in score.sections.items()}
    return replace(score, main=changed(score.main), sections=sections)


def _has_touch(scheme: str) -> bool:
    return TOUCH_CAPABILITY in STRING_SCHEMES[scheme].capabilities


def _any_touch(bound: Bound) -> bool:
    """Return whether any pluck of a bound score has a touch, by its row or by its string."""
    for voice in bound.voices:
        defaults = {string.name: string.spec.pluck.touch for string in voice.strings}
        verbs = MODELS[voice.spec.model][voice.spec.scheme]
        if any(verbs[event.verb].gesture.draws
               and event.values.get(TOUCH.name, defaults[event.part]) > 0.0
               for event in voice.events):
            return True
    return False


def _bound_without_touch(bound: Bound) -> Bound:
    """Return a bound score whose plucks have no touch."""
    def changed(event: BoundEvent) -> BoundEvent:
        if TOUCH.name not in event.values:
            return event
        return event._replace(values=event.values | dict.fromkeys(TOUCH_PARAMETERS, 0.0))

    voices = tuple(replace(voice, events=tuple(map(changed, voice.events)))
                   for voice in bound.voices)
    return replace(bound, voices=voices)


def _bound_without_plectra(bound: Bound) -> Bound:
    """Return a bound score whose plucks are forces."""
    def changed(part: Any) -> Any:
        if not isinstance(part, StringSpec) or part.pick is None:
            return part
        return replace(part, pick=replace(part.pick, contact=NONE))

    voices = tuple(
        replace(voice, spec=replace(voice.spec, parts=tuple(map(changed, voice.spec.parts))),
                parts=tuple(replace(part, spec=changed(part.spec)) for part in voice.parts))
        for voice in bound.voices)
    return replace(bound, voices=voices)


def compare(schemes: Schemes, request: Request, folder: Path, stem: str,
            progress: Progress | None = None) -> list[tuple[str, ...]]:
    """Render a score by each scheme into folder/stem-scheme.wav, with its sidecar, and write the
    table of all schemes, compare.csv.

    Parameters: schemes, from `open_engines`; folder, created if its parent exists; progress, as in
    `render_file`.
    Returns: the rows of the table, the skipped schemes last.
    Errors: as `render_file`.
    """
    rows: list[tuple[str, ...]] = []
    reference: FloatArray | None = None
    with new_folders(folder):
        for scheme, engine in schemes.engines.items():
            path = folder / f"{stem}-{scheme}.wav"
            report = stream(engine, request, Files(path=path), progress=progress)
            start = min(event.time for voice in engine.bound.voices for event in voice.events)
            sound = _read_compared_part(path, start)
            reference = sound if reference is None else reference
            rows.append((
                scheme, portable_name(path.name), *_measured_cells(measure_file(path), report),
                f"{_relative_difference(sound, reference):.2e}", schemes.note(scheme)))
        rows += [(scheme, *[""] * (len(COLUMNS) - 2), schemes.note(scheme))
                 for scheme in schemes.skipped]
        with (
            atomic_replacement(folder / TABLE) as descriptor,
            open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="",
                 closefd=False) as file,
        ):
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])
    return rows


def _measured_cells(measures: Measures, report: dict[str, Any]) -> list[str]:
    """Return the cells rms_db to times_real_time; a measure that does not exist is empty."""
    level = f"{20.0 * np.log10(measures.rms):.2f}" if measures.rms > 0.0 else ""
    t60 = "" if measures.t60 is None else f"{measures.t60:.3f}"
    centroid = "" if measures.centroid is None else f"{measures.centroid:.1f}"
    residual = max(voice["residual"] for voice in report["voices"].values())
    return [level, t60, centroid, f"{residual:.2e}",
            f"{report['timing']['seconds_per_second']:.3g}"]


def _read_compared_part(path: Path, start: float) -> FloatArray:
    """Return 10 ms of a sound from a time (s) on, (n, channels)."""
    with open_sound(path) as sound:
        sound.seek(min(round(start * sound.samplerate), sound.frames))
        frames: FloatArray = sound.read(round(COMPARED * sound.samplerate), dtype="float64",
                                        always_2d=True)
    return frames


def _relative_difference(sound: FloatArray, reference: FloatArray) -> float:
    """Return the L2 norm of the difference, relative to the reference unless that is silent."""
    size = float(np.sqrt((reference**2).sum()))
    difference = float(np.sqrt(((sound - reference) ** 2).sum()))
    return difference / size if size > 0.0 else difference
