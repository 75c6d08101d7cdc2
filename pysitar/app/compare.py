"""One score through several schemes: a sound of each, and what is measured of it."""
from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile  # type: ignore[import-untyped]

from pysitar.app.asking import Asked, opened
from pysitar.app.measures import measures_of
from pysitar.app.render_file import Files, Progress, stream
from pysitar.errors import ParameterError, Problem, ScoreError
from pysitar.models.registry import MODELS
from pysitar.output.files import replacing
from pysitar.physics.checks import FloatArray
from pysitar.rendering.engine import Engine, bound_score
from pysitar.score.document import Score
from pysitar.score.literals import Argument, Name

SCHEMES = tuple(MODELS["string"])
FIRST = 0.01                    # s of the sound that are compared: contact is chaotic after some ten milliseconds
TABLE = "compare.csv"
COLUMNS = ("scheme", "file", "rms_db", "t60_s", "centroid_hz", "residual", "times_real_time", "difference_10ms")


@dataclass(frozen=True, slots=True)
class Compared:
    """A score by one scheme.

    Parameters: scheme; file; rms, of all samples (full scale 1); t60 (s) and centroid (Hz), None where the sound has none; residual, of
    the energy balance; speed, times real time; difference, the relative L2 difference from the first scheme in the first 10 ms from the
    first event on.
    """

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
        """As in the table, empty where the sound has no such value."""
        level = "" if self.rms == 0.0 else f"{20.0 * np.log10(self.rms):.2f}"
        t60 = "" if self.t60 is None else f"{self.t60:.3f}"
        centroid = "" if self.centroid is None else f"{self.centroid:.1f}"
        return (self.scheme, self.file.name, level, t60, centroid, f"{self.residual:.2e}", f"{self.speed:.3g}", f"{self.difference:.2e}")


class WrongSchemeError(ScoreError):
    """A score that a scheme cannot play.  Parameters: scheme; problems."""

    def __init__(self, scheme: str, problems: Sequence[Problem]) -> None:
        super().__init__(list(problems))
        self.scheme = scheme


def by_scheme(score: Score, scheme: str, names: frozenset[str]) -> Score:
    """Return a score whose instruments of these names are played by a scheme."""
    uses = tuple(
        replace(use, overrides=use.overrides | {"scheme": Argument("scheme", use.place, Name(scheme, use.place), use.place)})
        if use.name in names else use for use in score.uses)
    settings = tuple(one for one in score.settings if not (len(one.path) == 2 and one.path[1] == "scheme"))
    return replace(score, uses=uses, settings=settings)


def engines_of(score: Score, schemes: Sequence[str], asked: Asked, problems: Sequence[Problem] = ()) -> dict[str, Engine]:
    """Return an engine for each scheme, everything checked and nothing computed yet.

    Errors: ScoreError; WrongSchemeError, what one of the schemes has not; ParameterError.
    """
    for scheme in schemes:
        if scheme not in SCHEMES:
            raise ParameterError("schemes", scheme, f"known are {', '.join(SCHEMES)}")
    bound, _ = bound_score(score, rate=asked.rate, oversample=asked.oversample, problems=problems)
    strings = frozenset(voice.name for voice in bound.voices if voice.spec.model == "string")
    if not strings:
        raise ParameterError("score", score.file, "it has no instrument of strings, which alone are played by several schemes")
    engines = {}
    for scheme in schemes:
        try:
            engines[scheme] = opened(by_scheme(score, scheme, strings), asked)
        except ScoreError as error:
            raise WrongSchemeError(scheme, error.problems) from None
    return engines


def compare(engines: dict[str, Engine], asked: Asked, folder: Path, stem: str, progress: Progress | None = None) -> list[Compared]:
    """Render a score by each scheme into folder/stem-scheme.wav, with its sidecar, and a table of all, compare.csv.

    Parameters: engines, of `engines_of`; folder, made if its parent is there; progress, as in `render_file`.
    Errors: as `render_file`.
    """
    folder.mkdir(exist_ok=True)
    done: list[Compared] = []
    first: FloatArray | None = None
    for scheme, engine in engines.items():
        path = folder / f"{stem}-{scheme}.wav"
        report = stream(engine, asked, Files(path=path), progress=progress)
        start = min(event.time for voice in engine.bound.voices for event in voice.events)
        sound = _piece(path, start)
        first = sound if first is None else first
        measures = measures_of(path)
        done.append(Compared(
            scheme, path, measures.rms, measures.t60, measures.centroid, max(voice["residual"] for voice in report["voices"].values()),
            report["timing"]["seconds_per_second"], _difference(sound, first)))
    with replacing(folder / TABLE) as descriptor, open(descriptor, "w", encoding="utf-8", newline="", closefd=False) as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *(one.row for one in done)])
    return done


def _piece(path: Path, start: float) -> FloatArray:
    """The first 10 ms of a sound from a time on, its channels side by side."""
    with soundfile.SoundFile(path) as sound:
        sound.seek(min(round(start * sound.samplerate), sound.frames))
        frames: FloatArray = sound.read(round(FIRST * sound.samplerate), dtype="float64", always_2d=True)
    return frames


def _difference(sound: FloatArray, first: FloatArray) -> float:
    size = float(np.sqrt((first**2).sum()))
    missing = float(np.sqrt(((sound - first) ** 2).sum()))
    return missing / size if size > 0.0 else missing
