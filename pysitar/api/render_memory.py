"""A score rendered into memory."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pysitar.api.report import final_report
from pysitar.api.request import Request, prepare_engine
from pysitar.api.resources import check_memory
from pysitar.api.targets import Targets
from pysitar.physics.checks import FloatArray
from pysitar.rendering.mix import level_factor
from pysitar.score.document import Score


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """A rendered score: audio (frames, channels), full scale 1, not clipped; rate (Hz); report and traces, see `pysitar.render`."""

    audio: FloatArray
    rate: int
    report: dict[str, Any]
    traces: dict[str, FloatArray] | None = None

    def _repr_html_(self) -> str:
        """A player, as a notebook shows it."""
        from pysitar.api.player import player_html

        return player_html(self.audio, self.rate, self.report)


def render(
    score: Score, *, rate: int | None = None, oversample: int | None = None, seed: int | None = None, block: int = 4096,
    traces: bool | Targets | None = None, start: float = 0.0, stop: float | None = None, only: Targets = (), mute: Targets = (),
    peak: float | None = None, jobs: int = 1,
) -> Rendering:
    """Render a score into memory.

    Parameters: score, from `load_score`; rate (Hz), oversample, seed: None takes the score's own, else 48000, 2 and 0; block, frames
    computed at a time, any gives the same bits; traces, True or targets, whose strings' traces are kept, without
    those of strings that only and mute leave silent; start and stop (s), the part
    that is kept of the sound (None: to its end); only and mute, targets (one or a list: "t", "t.pa", "t.*", "*.pa") that alone are
    played, that are not played; peak (dB, -100 to 0), to which the greatest sample is brought (None: the score's own, else as it comes);
    jobs, how many threads compute its strings, masses and objects, 1 to 1024, any gives the same bits.
    Returns: a Rendering. Its report has frames, seconds, rate (Hz), oversample, channels, seed, peak (full scale 1), gain_db (that `peak`
    took), clipped (samples over full scale), tail_cut, residual (of the energy balance), iterations (of Newton's method, in all),
    most_iterations (in one step), failed_solves, voices (each one's own) and warnings (texts). Its traces are None, or arrays from the
    start on by "t.pa.force_end" (steps,) N, "t.pa.displacement" (steps,) m, where it is plucked, "t.pa.contact_force" (steps,) N, at
    the internal rate, rate x oversample, and "t.pa.energy" (n, 6) J, every 64 steps from step 0 of the sound: kinetic, potential,
    contact, losses, work, throughput.
    Errors: ScoreError, ParameterError (traces also when they need more memory than there is), RenderError (an energy balance that fails,
    with voice and time).
    """
    request = Request(rate=rate, oversample=oversample, seed=seed, peak=peak, start=start, stop=stop,
                      only=only, mute=mute, traces=traces, jobs=jobs)
    engine = prepare_engine(score, request)
    check_memory(engine, traces)
    parts: list[FloatArray] = []
    kept: dict[str, list[FloatArray]] = {}
    for frames in engine.blocks(block):
        parts.append(frames)
        for name, values in engine.traces().items():
            kept.setdefault(name, []).append(values.copy())          # it may be a column of something larger
    audio = np.concatenate(parts) if parts else np.zeros((0, engine.options.channels))
    target = engine.options.peak
    factor = 1.0 if target is None else level_factor(engine.peak, target)
    if factor != 1.0:
        audio *= factor
    joined = {name: np.concatenate(kept.pop(name)) for name in list(kept)}
    return Rendering(audio, engine.options.rate, final_report(engine, factor), joined if engine.traced else None)
