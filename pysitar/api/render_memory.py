"""Render a score into memory."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pysitar.api.report import final_report
from pysitar.api.request import Request, prepare_engine
from pysitar.api.resources import check_memory
from pysitar.api.targets import Targets
from pysitar.physics.checks import FloatArray
from pysitar.rendering.engine import Engine
from pysitar.rendering.mix import level_factor
from pysitar.score.document import Score


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """A rendered score, as `render` returns it.

    Attributes
    ----------
    audio : numpy.ndarray
        Samples, float64 of shape (frames, channels); full scale is 1, nothing is clipped.
    rate : int
        Sample rate (Hz).
    report : dict
        frames, seconds, rate (Hz), oversample, channels, seed, peak (full scale 1), gain_db (the
        gain of the `peak` option, dB), clipped (samples over full scale), fade (s, at
        the end), tail_cut (whether the sound was cut while still ringing), residual (of the energy
        balance), iterations (of Newton's method, in total), most_iterations (in one step),
        failed_solves, voices (the same measures for each voice) and warnings (texts).
    traces : dict or None
        Arrays from the start of the sound, None without `traces`. At the internal rate, rate times
        oversample: "t.pa.force_end" (N), "t.pa.displacement" (m, at the plucking point) and
        "t.pa.contact_force" (N). Every 64 steps from step 0 of the sound: "t.pa.energy", of shape
        (n, 6), J: kinetic, potential, contact, losses, work, throughput.
    """

    audio: FloatArray
    rate: int
    report: dict[str, Any]
    traces: dict[str, FloatArray] | None = None

    def _repr_html_(self) -> str:
        """Return an HTML player for a notebook."""
        from pysitar.api.player import player_html

        return player_html(self.audio, self.rate, self.report)


def render(
        score: Score,
        *,
        rate: int | None = None,
        oversample: int | None = None,
        seed: int | None = None,
        block: int = 4096,
        traces: bool | Targets | None = None,
        start: float = 0.0,
        stop: float | None = None,
        only: Targets = (),
        mute: Targets = (),
        peak: float | None = None,
        fade: float | None = None,
        jobs: int = 1,
) -> Rendering:
    """Render a score into memory.

    Parameters
    ----------
    score : Score
        From `load_score` or `Score.from_events`.
    rate, oversample, seed : int, optional
        Sample rate (Hz), 8000 to 768000; steps per sample, 1 to 64; seed of all random values.
        Default: the values of the score, else 48000, 2 and 0.
    block : int, default 4096
        Frames computed at a time, 1 to 1048576; every value returns the same bits.
    traces : bool or str or sequence of str, optional
        Strings whose traces are kept: True (all that are played) or targets such as "t.pa".
        Strings that `only` and `mute` leave silent have none. Default: no traces.
    start, stop : float, optional
        Part of the sound that is kept (s). Default: from 0 to the end of the sound.
    only, mute : str or sequence of str, optional
        Targets ("t", "t.pa", "t.*", "*.pa") that alone are played, and that are not played.
    peak : float, optional
        Level of the greatest sample (dB, -100 to 0). Default: that of the score, else no scaling.
    fade : float, optional
        Longest fade at the end of the sound (s, 0 to 5), at most a quarter of it; 0 for none.
        Default: that of the score, else 0.4.
    jobs : int, default 1
        Threads, 1 to 1024; every value returns the same bits.

    Returns
    -------
    Rendering
        The samples, the sample rate, a report and the traces.

    Raises
    ------
    ScoreError
        With every problem of the score.
    ParameterError
        For a wrong argument, or traces larger than the memory of the machine.
    RenderError
        If the energy balance fails; it names the voice and the time.

    Examples
    --------
    >>> import pysitar
    >>> events = [(0.0, "t.pa", "pluck", {"dur": 0.1})]
    >>> score = pysitar.Score.from_events(events, use={"t": "tanpura"})
    >>> sound = pysitar.render(score, rate=16000, stop=0.1)
    >>> sound.audio.shape, sound.rate
    ((1600, 2), 16000)
    """
    request = Request(rate=rate, oversample=oversample, seed=seed, peak=peak, fade=fade,
                      start=start, stop=stop, only=only, mute=mute, traces=traces, jobs=jobs)
    return _render(prepare_engine(score, request), traces, block)


def _render(engine: Engine, traces: object, block: int) -> Rendering:
    """Return the sound and the traces of an engine that is not started yet."""
    if engine.traced:
        check_memory(engine, traces)
    parts: list[FloatArray] = []
    kept: dict[str, list[FloatArray]] = {}
    for frames in engine.blocks(block):
        parts.append(frames)
        for name, values in engine.traces().items():
            # a view would keep its whole block in memory
            kept.setdefault(name, []).append(values.copy())
    audio = np.concatenate(parts) if parts else np.zeros((0, engine.options.channels))
    target = engine.options.peak
    factor = 1.0 if target is None else level_factor(engine.peak, target)
    if factor != 1.0:
        audio *= factor
    joined = {name: np.concatenate(kept.pop(name)) for name in list(kept)}
    return Rendering(audio, engine.options.rate, final_report(engine, factor),
                     joined if engine.traced else None)
