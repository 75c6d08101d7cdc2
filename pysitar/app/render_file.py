"""A score streamed into a sound file: everything checked first, whole or not at all, in memory that does not grow with its length."""
from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from pysitar.app.ending import raised_endings
from pysitar.output.audio import AudioWriter, check_length, check_space
from pysitar.rendering.engine import Engine, open_engine
from pysitar.score.document import Score

Progress: TypeAlias = Callable[[int, int], None]          # (frames so far, frames there will be at least)


def render_file(
    score: Score, path: str | os.PathLike[str], *, rate: int | None = None, oversample: int | None = None, seed: int | None = None,
    block: int = 4096, allow_large: bool = False, progress: Progress | None = None,
) -> dict[str, Any]:
    """Render a score into a sound file, block by block.

    Parameters: score, from `load_score`; path, of a .wav file, new or to be replaced; rate (Hz), oversample, seed: None takes the
    score's own, else 48000, 2 and 0; block, frames computed at a time, any gives the same bits; allow_large, to lift the limits of a
    score's size and the check of free disk space; progress, called after each block with the frames so far and those to come at least.
    Returns: the report of `pysitar.render`, with path, and seconds_per_second, the times real time; clipped counts the file's samples.
    Errors: ScoreError, ParameterError, RenderError, OSError; whatever ends it, SIGTERM too, no half-written file stays, and a file
    that was there is as it was.
    """
    engine = open_engine(score, rate=rate, oversample=oversample, seed=seed, allow_large=allow_large)
    return stream(engine, path, block=block, allow_large=allow_large, progress=progress)


def stream(
    engine: Engine, path: str | os.PathLike[str], *, block: int = 4096, allow_large: bool = False, progress: Progress | None = None,
) -> dict[str, Any]:
    """Write what an engine gives into a sound file.

    Parameters and errors: as in `render_file`; engine, from `open_engine`, not used before.
    Returns: the report of `render_file`.
    """
    with raised_endings():
        rate, channels = engine.options.rate, engine.options.channels
        writer = AudioWriter(path, rate=rate, channels=channels)
        ending = os.path.splitext(path)[1]
        check_length(engine.most_frames, channels, ending=ending)
        if not allow_large:
            check_space(path, check_length(engine.least_frames, channels, ending=ending))
        start = time.perf_counter()
        with writer:
            for frames in engine.blocks(block):
                writer.write(frames)
                if progress is not None:
                    progress(writer.frames, max(writer.frames, engine.least_frames))
        spent = max(time.perf_counter() - start, 1e-9)
    report = engine.report()
    return report | {"path": os.fspath(path), "clipped": writer.clipped, "seconds_per_second": report["seconds"] / spent}
