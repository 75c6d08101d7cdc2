"""A score streamed into files: everything checked first, all whole or none at all, in memory that does not grow with the length."""
from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from pysitar.api.report import clipping, finished_report
from pysitar.api.request import Asked, opened
from pysitar.api.resources import check_disks
from pysitar.api.sidecar import sidecar_document
from pysitar.api.spool import Spool
from pysitar.api.targets import Targets
from pysitar.errors import ParameterError
from pysitar.models.network.audited import AUDIT
from pysitar.output.audio import AudioWriter, check_format, check_length
from pysitar.output.file_transaction import Together
from pysitar.output.sidecar import sidecar_path, sidecar_text
from pysitar.output.signals import raised_endings
from pysitar.output.stems import stem_name
from pysitar.output.traces import ENDING as TRACES
from pysitar.output.traces import TraceWriter
from pysitar.physics.checks import FloatArray
from pysitar.rendering.engine import Engine, Parts
from pysitar.rendering.mix import level_factor, summed
from pysitar.score.document import Score
from pysitar.score.memory import LABEL_BYTES, check_memory

Progress: TypeAlias = Callable[[int, int], None]          # (frames from the start of the sound, those there will be at least)
More: TypeAlias = Callable[[Path, dict[str, Any]], dict[str, Any]]
AnyPath: TypeAlias = str | os.PathLike[str]
STANDARD_OUTPUT = "standard output"
UNITS = {"force_end": "N", "displacement": "m", "contact_force": "N", "position": "m", "velocity": "m/s",
         "energy": "J: kinetic, potential, contact, losses, work, throughput"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Where a render goes.

    Parameters: path, of the sound; out, a binary stream to which it is copied instead (path then only gives the ending); subtype;
    stems, a folder; traces, of an .npz file; sidecar, whether there is one (never of a stream); sidecar_at, where (None: beside the sound).
    """

    path: AnyPath
    out: IO[bytes] | None = None
    subtype: str = "PCM_24"
    stems: AnyPath | None = None
    traces: AnyPath | None = None
    sidecar: bool = True
    sidecar_at: AnyPath | None = None


def render_file(
    score: Score, path: AnyPath, *, rate: int | None = None, oversample: int | None = None, seed: int | None = None,
    block: int = 4096, start: float = 0.0, stop: float | None = None, only: Targets = (), mute: Targets = (), peak: float | None = None,
    subtype: str = "PCM_24", stems: AnyPath | None = None, traces: AnyPath | None = None, sidecar: bool = True,
    allow_large: bool = False, progress: Progress | None = None, jobs: int = 1,
) -> dict[str, Any]:
    """Render a score into a sound file, block by block, and what is told of it into a sidecar beside it.

    Parameters: score, from `load_score`; path, of a .wav or .flac file, new or to be replaced; rate to peak, as in `pysitar.render`;
    subtype, PCM_24, PCM_16 or (WAV only) FLOAT; stems, a folder for one more file a voice, made if its parent is there: their sum is the
    mix, before it is rounded; traces, of an .npz file for the traces of all strings of the voices that play,
    without those that only and mute leave silent, with their `units`, their `rate` (Hz), `energy_every` (steps) and `first_step`;
    sidecar, whether path.json is written; allow_large, to lift the limits of a
    score's size and the check of free disk space; progress, called after each block with the frames done and those to come at least;
    jobs, as in `pysitar.render`.
    Returns: the report of `pysitar.render`, with path, timing (seconds_per_second, the times real time) and, if asked for, stems (file,
    peak and clipped of each); clipped counts the file's samples. What the sidecar has, too, is the same there.
    Errors: ScoreError, ParameterError, RenderError, OSError; whatever ends it, SIGTERM too, no half-written file stays, and files that
    were there are as they were. A signal that comes while the whole files take their places is raised after them.
    """
    asked = Asked(rate=rate, oversample=oversample, seed=seed, peak=peak, start=start, stop=stop, only=only, mute=mute,
                  traces=traces is not None, allow_large=allow_large, jobs=jobs)
    files = Files(path=path, subtype=subtype, stems=stems, traces=traces, sidecar=sidecar)
    return stream(opened(score, asked), asked, files, block=block, progress=progress)


def stream(
    engine: Engine, asked: Asked, files: Files, *, block: int = 4096, progress: Progress | None = None, more: More | None = None,
) -> dict[str, Any]:
    """Write what an engine gives into files.

    Parameters and errors: as in `render_file`; engine, `opened` for what is asked, not used before; more, called with the whole sound
    file, where it is staged, and its report, for what the sidecar has beside the rest.
    Returns: the report of `render_file`.
    """
    with raised_endings(), ExitStack() as stack, Together() as together:
        making = _Making(engine, files, together, stack)
        making.check_memory()
        if not asked.allow_large:
            making.check_room()
        begin = time.perf_counter()
        factor = making.write(block, progress)
        spent = max(time.perf_counter() - begin, 1e-9)
        report = making.report(factor) | {"timing": {"seconds_per_second": engine.frames / engine.options.rate / spent}}
        if making.sidecar is not None:
            document = sidecar_document(engine, asked, report, subtype=files.subtype)
            timing = document.pop("timing")
            document |= ({} if more is None else more(making.sound, report)) | {"timing": timing}
            making.sidecar.write_text(sidecar_text(document), encoding="utf-8")
        if files.out is not None:
            with open(making.sound, "rb") as sound:
                shutil.copyfileobj(sound, files.out)
            files.out.flush()
    return report


class _Making:
    """The files of one render, their places checked.

    Parameters: engine; files; together, in which they take their places; stack, which holds a folder that is needed until all is done.
    Errors: ParameterError, OSError.
    """

    def __init__(self, engine: Engine, files: Files, together: Together, stack: ExitStack) -> None:
        self.engine, self.files = engine, files
        self.rate, self.channels = engine.options.rate, engine.options.channels
        self.ending = os.path.splitext(files.path)[1]
        check_format(files.path, rate=self.rate, channels=self.channels, subtype=files.subtype, frames=engine.most_frames)
        if files.traces is not None and os.path.splitext(files.traces)[1].lower() != TRACES:          # told of its own name
            raise ParameterError("traces file", os.fspath(files.traces), f"expected a name that ends in {TRACES}")
        self.traces = None if files.traces is None else together.place(files.traces)
        self.stems: dict[str, Path] = {}
        if files.stems is not None:
            folder = together.folder(files.stems)
            self.stems = {name: together.place(folder / f"{stem_name(name)}{self.ending}") for name in engine.names}
        self.sidecar: Path | None = None
        if files.out is None:
            self.sidecar = together.place(files.sidecar_at or sidecar_path(files.path)) if files.sidecar else None
            self.sound = together.place(files.path)
        else:
            self.sound = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pysitar-"))) / f"sound{self.ending}"
        self._writer = self._open(self.sound)
        self._stem_writers = {name: self._open(path) for name, path in self.stems.items()}

    def check_memory(self) -> None:
        """Raise a MemoryShortageError if the labels of the events will not find room in the
        sidecar."""
        if self.sidecar is not None:
            check_memory(sum(len(voice.events) for voice in self.engine.bound.voices), LABEL_BYTES,
                         "labels of events")

    def check_room(self) -> None:
        """Raise OSError if what will be written at least is more than the disks have free."""
        size = check_length(self.engine.least_frames, self.channels, self.files.subtype, ending=self.ending)
        needs = [(path, size) for path in (self.sound, *self.stems.values())]
        if self.engine.options.peak is not None:
            needs.append((self.sound, 8 * self.engine.least_frames * self._columns))
        check_disks(needs, [] if self.traces is None else [(self.traces, 2 * self.engine.trace_bytes)])

    def write(self, block: int, progress: Progress | None) -> float:
        """Write all files, whole, where they are staged; return the factor that brought the sound to its peak."""
        with ExitStack() as stack:
            for writer in (self._writer, *self._stem_writers.values()):
                stack.enter_context(writer)
            traces = None if self.traces is None else stack.enter_context(TraceWriter(self.traces))
            if traces is not None:
                self._describe(traces)
            parts = self._computed(block, traces, progress)
            target = self.engine.options.peak
            if target is None:
                self._put(parts, 1.0)
                return 1.0
            with Spool(self.sound, columns=self._columns, shown=os.fspath(self.files.path)) as spool:
                for mix, stems in parts:
                    spool.add(np.concatenate(stems, axis=1) if self.stems else mix)
                factor = level_factor(self.engine.peak, target)
                self._put(map(self._split, spool.frames()), factor)
            return factor

    def report(self, factor: float) -> dict[str, Any]:
        """The report of what was written."""
        stems = {name: {"file": self.stems[name].name, "peak": writer.peak, "clipped": writer.clipped}
                 for name, writer in self._stem_writers.items()}
        voices = {voice.name: voice for voice in self.engine.bound.voices}
        told = [f"stem {name}: {clipping(writer.clipped, writer.peak, [voices[name]])}"
                for name, writer in self._stem_writers.items() if writer.clipped]
        if self.files.out is None and self.sidecar is None and sidecar_path(self.files.path).exists():
            told.append(f"{sidecar_path(self.files.path)} was there and tells of an earlier sound")
        report = finished_report(self.engine, factor, clipped=self._writer.clipped, warnings=told)
        where = STANDARD_OUTPUT if self.files.out is not None else os.fspath(self.files.path)
        return report | ({"stems": stems} if self.files.stems is not None else {}) | {"path": where}

    @property
    def _columns(self) -> int:
        """Values of a frame of the spool."""
        return self.channels * (len(self.stems) or 1)

    def _open(self, path: Path) -> AudioWriter:
        return AudioWriter(path, rate=self.rate, channels=self.channels, subtype=self.files.subtype, frames=self.engine.most_frames)

    def _computed(self, block: int, traces: TraceWriter | None, progress: Progress | None) -> Iterator[Parts]:
        """Each block as it is computed; its traces are written, and it is told, when it was used."""
        engine = self.engine
        for parts in engine.parts(block):
            yield parts
            if traces is not None:
                for name, values in engine.traces().items():
                    traces.add(name, values, time=engine.position / self.rate)
            if progress is not None:
                progress(engine.position, max(engine.position, engine.least_position))

    def _split(self, frames: FloatArray) -> Parts:
        """The mix and the stems of frames from the spool."""
        if not self.stems:
            return frames, ()
        stems = tuple(frames[:, at:at + self.channels] for at in range(0, self._columns, self.channels))
        return summed(stems, frames=len(frames), channels=self.channels), stems

    def _put(self, sounds: Iterable[Parts], factor: float) -> None:
        """Write the mix and its stems, times a factor."""
        writers = (self._writer, *self._stem_writers.values())
        for mix, stems in sounds:
            for writer, frames in zip(writers, (mix, *stems) if self.stems else (mix,), strict=True):
                writer.write(frames if factor == 1.0 else factor * frames)

    def _describe(self, traces: TraceWriter) -> None:
        """Put in what the traces mean."""
        over = self.engine.options.oversample
        traces.add_text("units", json.dumps(UNITS))
        for name, value in (("rate", self.rate * over), ("energy_every", AUDIT), ("first_step", self.engine.first * over)):
            traces.add(name, [float(value)])
