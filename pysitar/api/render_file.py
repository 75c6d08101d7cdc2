"""Render a score into files: everything is checked first, all files are whole or none is made,
and memory does not grow with the length of the sound.
"""
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

from pysitar.api.report import clipping_warning, final_report
from pysitar.api.request import Request, prepare_engine
from pysitar.api.resources import check_disk_space
from pysitar.api.sidecar import sidecar_document
from pysitar.api.spool import Spool
from pysitar.api.targets import Targets
from pysitar.errors import ParameterError
from pysitar.models.network.audited import AUDIT
from pysitar.output.audio import AudioWriter, check_format, check_length
from pysitar.output.file_transaction import FileTransaction
from pysitar.output.sidecar import sidecar_path, sidecar_text
from pysitar.output.signals import raise_signals
from pysitar.output.stems import stem_name
from pysitar.output.traces import ENDING as TRACES
from pysitar.output.traces import TraceWriter
from pysitar.physics.checks import FloatArray
from pysitar.rendering.engine import Engine, Parts
from pysitar.rendering.mix import level_factor, sum_stems
from pysitar.score.document import Score
from pysitar.score.memory import LABEL_BYTES, check_memory

# (frames done, least total), from the start of the sound
Progress: TypeAlias = Callable[[int, int], None]
ExtraFields: TypeAlias = Callable[[Path, dict[str, Any]], dict[str, Any]]
AnyPath: TypeAlias = str | os.PathLike[str]
STANDARD_OUTPUT = "standard output"
UNITS = {
    "force_end": "N", "displacement": "m", "contact_force": "N", "position": "m", "velocity": "m/s",
    "energy": "J: kinetic, potential, contact, losses, work, throughput"
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Files:
    """Where the output of a render is written.

    Parameters: path, of the sound file; out, a binary stream that gets the sound file instead (then
    path gives only the ending); subtype; stems, a folder; traces, the path of an .npz file;
    sidecar, whether a sidecar is written (never for a stream); sidecar_at, its path (None: beside
    the sound). """

    path: AnyPath
    out: IO[bytes] | None = None
    subtype: str = "PCM_24"
    stems: AnyPath | None = None
    traces: AnyPath | None = None
    sidecar: bool = True
    sidecar_at: AnyPath | None = None


def render_file(
    score: Score,
    path: AnyPath,
    *,
    rate: int | None = None,
    oversample: int | None = None,
    seed: int | None = None,
    block: int = 4096,
    start: float = 0.0,
    stop: float | None = None,
    only: Targets = (),
    mute: Targets = (),
    peak: float | None = None,
    fade: float | None = None,
    subtype: str = "PCM_24",
    stems: AnyPath | None = None,
    traces: AnyPath | None = None,
    sidecar: bool = True,
    allow_large: bool = False,
    progress: Progress | None = None,
    jobs: int = 1,
) -> dict[str, Any]:
    """Render a score into a sound file, with a sidecar (JSON) beside it.

    Parameters
    ----------
    score : Score
        From `load_score` or `Score.from_events`.
    path : path-like
        A .wav or .flac file, new or to be replaced.
    rate, oversample, seed, block, start, stop, only, mute, peak, fade, jobs : optional
        As in `pysitar.render`.
    subtype : str, default "PCM_24"
        "PCM_24", "PCM_16" or "FLOAT" (WAV only).
    stems : path-like, optional
        Folder for one file per voice, and one for the room of the score, made if its parent exists.
        Before rounding, the stems add up to the mix.
    traces : path-like, optional
        An .npz file for the traces of all strings that are played, with their `units`, `rate` (Hz),
        `energy_every` (steps) and `first_step`.
    sidecar : bool, default True
        Whether `path`.json is written.
    allow_large : bool, default False
        Lift the limits of a score's size and the check of free disk space.
    progress : callable, optional
        Called after each block with the frames done and the least total of frames.

    Returns
    -------
    dict
        The report of a `Rendering`, with path, timing (seconds_per_second: times real time) and,
        with `stems`, stems (file, peak and clipped of each); clipped counts the samples of the
        file.

    Raises
    ------
    ScoreError, ParameterError, RenderError, OSError
        After any of them, or SIGTERM, no partial file remains and existing files are unchanged. A
        signal that arrives while the finished files are moved is raised after that.

    Examples
    --------
    >>> import pysitar
    >>> events = [(0.0, "t.pa", "pluck", {"dur": 0.1})]
    >>> score = pysitar.Score.from_events(events, use={"t": "tanpura"})
    >>> pysitar.render_file(score, "note.wav", rate=16000, stop=0.1)["frames"]
    1600
    """
    request = Request(rate=rate, oversample=oversample, seed=seed, peak=peak, fade=fade,
                      start=start, stop=stop, only=only, mute=mute, traces=traces is not None,
                      allow_large=allow_large, jobs=jobs)
    files = Files(path=path, subtype=subtype, stems=stems, traces=traces, sidecar=sidecar)
    return stream(prepare_engine(score, request), request, files, block=block, progress=progress)


def stream(
    engine: Engine, request: Request, files: Files, *, block: int = 4096,
    progress: Progress | None = None, extra: ExtraFields | None = None,
) -> dict[str, Any]:
    """Write the output of an engine into files and return the report of `render_file`.

    Parameters: engine, from `prepare_engine` with this request, not started; extra, called with the
    path of the whole, still hidden sound file and its report, returns further keys of the sidecar;
    the rest, and errors, as in `render_file`.
    """
    with raise_signals(), ExitStack() as stack, FileTransaction() as transaction:
        file_render = _FileRender(engine, files, transaction, stack)
        file_render.check_memory()
        if not request.allow_large:
            file_render.check_free_space()
        begin = time.perf_counter()
        factor = file_render.write(block, progress)
        spent = max(time.perf_counter() - begin, 1e-9)
        report = file_render.report(factor) | {
            "timing": {"seconds_per_second": engine.frames / engine.options.rate / spent}
        }
        if file_render.sidecar is not None:
            document = sidecar_document(engine, request, report, subtype=files.subtype)
            timing = document.pop("timing")
            document |= ({} if extra is None else extra(file_render.sound,
                                                        report)) | {"timing": timing}
            file_render.sidecar.write_text(sidecar_text(document), encoding="utf-8")
        if files.out is not None:
            with open(file_render.sound, "rb") as sound:
                shutil.copyfileobj(sound, files.out)
            files.out.flush()
    return report


class _FileRender:
    """The files of one render; the constructor checks their paths.

    Parameters: engine; files; transaction, which moves the finished files to their paths; stack,
    which removes a temporary folder at its end. Errors: ParameterError, OSError. """

    def __init__(self, engine: Engine, files: Files, transaction: FileTransaction,
                 stack: ExitStack) -> None:
        self.engine, self.files = engine, files
        self.rate, self.channels = engine.options.rate, engine.options.channels
        self.ending = os.path.splitext(files.path)[1]
        check_format(files.path, rate=self.rate, channels=self.channels, subtype=files.subtype,
                     frames=engine.most_frames)
        if files.traces is not None and os.path.splitext(files.traces)[1].lower() != TRACES:
            raise ParameterError("traces file", os.fspath(files.traces),
                                 f"expected a name that ends in {TRACES}")
        self.traces = None if files.traces is None else transaction.place(files.traces)
        self.stems: dict[str, Path] = {}
        if files.stems is not None:
            folder = transaction.folder(files.stems)
            self.stems = {
                name: transaction.place(folder / f"{stem_name(name)}{self.ending}")
                for name in engine.names
            }
        self.sidecar: Path | None = None
        if files.out is None:
            self.sidecar = transaction.place(files.sidecar_at
                                             or sidecar_path(files.path)) if files.sidecar else None
            self.sound = transaction.place(files.path)
        else:
            self.sound = Path(stack.enter_context(
                tempfile.TemporaryDirectory(prefix="pysitar-"))) / f"sound{self.ending}"
        self._writer = self._open(self.sound)
        self._stem_writers = {name: self._open(path) for name, path in self.stems.items()}

    def check_memory(self) -> None:
        """Raise a MemoryShortageError if the event labels of the sidecar exceed the memory."""
        if self.sidecar is not None:
            check_memory(sum(len(voice.events) for voice in self.engine.bound.voices), LABEL_BYTES,
                         "labels of events")

    def check_free_space(self) -> None:
        """Raise OSError if the least size of the files exceeds the free space of a disk."""
        size = check_length(self.engine.least_frames, self.channels, self.files.subtype,
                            ending=self.ending)
        needs = [(path, size) for path in (self.sound, *self.stems.values())]
        if self.engine.options.peak is not None:
            needs.append((self.sound, 8 * self.engine.least_frames * self._columns))
        check_disk_space(needs, [] if self.traces is None else [(self.traces,
                                                                 2 * self.engine.trace_bytes)])

    def write(self, block: int, progress: Progress | None) -> float:
        """Write all files, whole, in their hidden folders; return the gain that scaled the sound to
        its peak."""
        with ExitStack() as stack:
            for writer in (self._writer, *self._stem_writers.values()):
                stack.enter_context(writer)
            traces = None if self.traces is None else stack.enter_context(TraceWriter(self.traces))
            if traces is not None:
                self._describe(traces)
            parts = self._write_traces(block, traces, progress)
            target = self.engine.options.peak
            if target is None:
                self._write_frames(parts, 1.0)
                return 1.0
            with Spool(self.sound, columns=self._columns,
                       shown=os.fspath(self.files.path)) as spool:
                for mix, stems in parts:
                    spool.add(np.concatenate(stems, axis=1) if self.stems else mix)
                factor = level_factor(self.engine.peak, target)
                self._write_frames(map(self._split, spool.frames()), factor)
            return factor

    def report(self, factor: float) -> dict[str, Any]:
        """Return the report of the finished files."""
        stems = {
            name: {"file": self.stems[name].name, "peak": writer.peak, "clipped": writer.clipped}
            for name, writer in self._stem_writers.items()
        }
        voices = {voice.name: voice for voice in self.engine.bound.voices}
        messages = [f"stem {name}: {clipping_warning(writer.clipped, writer.peak, [voices[name]])}"
                for name, writer in self._stem_writers.items() if writer.clipped]
        if self.files.out is None and self.sidecar is None and sidecar_path(
                self.files.path).exists():
            messages.append(
                f"{sidecar_path(self.files.path)} exists and describes an earlier sound")
        report = final_report(self.engine, factor, clipped=self._writer.clipped, warnings=messages)
        where = STANDARD_OUTPUT if self.files.out is not None else os.fspath(self.files.path)
        return report | ({"stems": stems} if self.files.stems is not None else {}) | {"path": where}

    @property
    def _columns(self) -> int:
        """Values of each frame of the spool."""
        return self.channels * (len(self.stems) or 1)

    def _open(self, path: Path) -> AudioWriter:
        return AudioWriter(path, rate=self.rate, channels=self.channels, subtype=self.files.subtype,
                           frames=self.engine.most_frames)

    def _write_traces(self, block: int, traces: TraceWriter | None,
                      progress: Progress | None) -> Iterator[Parts]:
        """Yield each block as it is computed; after its use write its traces and report
        progress."""
        engine = self.engine
        for parts in engine.parts(block):
            yield parts
            if traces is not None:
                for name, values in engine.traces().items():
                    traces.add(name, values, time=engine.position / self.rate)
            if progress is not None:
                progress(engine.position, max(engine.position, engine.least_position))

    def _split(self, frames: FloatArray) -> Parts:
        """Return the mix and the stems in frames of the spool."""
        if not self.stems:
            return frames, ()
        stems = tuple(frames[:, at:at + self.channels]
                      for at in range(0, self._columns, self.channels))
        return sum_stems(stems, frames=len(frames), channels=self.channels), stems

    def _write_frames(self, sounds: Iterable[Parts], factor: float) -> None:
        """Write the mix and its stems, multiplied by a factor."""
        writers = (self._writer, *self._stem_writers.values())
        for mix, stems in sounds:
            for writer, frames in zip(writers, (mix, *stems) if self.stems else (mix, ),
                                      strict=True):
                writer.write(frames if factor == 1.0 else factor * frames)

    def _describe(self, traces: TraceWriter) -> None:
        """Add units, rate and steps of the traces to their file."""
        over = self.engine.options.oversample
        traces.add_text("units", json.dumps(UNITS))
        for name, value in (("rate", self.rate * over), ("energy_every", AUDIT),
                            ("first_step", self.engine.first * over)):
            traces.add(name, [float(value)])
