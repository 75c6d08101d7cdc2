"""An HTML player for a notebook, with a waveform and a table; it fetches nothing from a network."""
from __future__ import annotations

import base64
import io
import math
from collections.abc import Mapping
from html import escape

import numpy as np
import numpy.typing as npt
import soundfile  # type: ignore[import-untyped]

from pysitar.errors import ParameterError
from pysitar.output.audio import MAX_CHANNELS, quantise
from pysitar.output.extremes import Extremes
from pysitar.physics.checks import FloatArray, whole

MAX_SECONDS = 300.0                 # s of sound in a player
# bytes of sound in a player; as text in a notebook it is a third larger
MAX_BYTES = 32 * 1024 * 1024
WIDTH, HEIGHT = 600, 80            # of the waveform (pixels)
BITS = 16
MAX_RATE = 10_000_000            # Hz


def player_html(audio: npt.ArrayLike, rate: int, report: Mapping[str, object]) -> str:
    """Return an HTML fragment that plays a sound.

    Parameters: audio, finite, of shape (frames, channels) or (frames,), full scale 1; rate (Hz), a
    whole number from 1 to 10 million; report, of a render: its `residual`, if present, is shown.
    Returns: an audio element that contains a 16-bit WAV file, a waveform, and a table of length,
    peak and residual. The sound is cut after 5 minutes or 32 MB, and clipped at full scale; both
    are noted. Errors: ParameterError. """
    sound = _as_frames(audio)
    whole("rate", rate, at_least=1, at_most=MAX_RATE)
    frames, channels = sound.shape
    if not frames:
        return '<div class="pysitar"><p>no sound: 0 frames</p></div>'
    kept = min(frames, int(MAX_SECONDS * rate), MAX_BYTES // (BITS // 8 * channels))
    peak = float(np.abs(sound).max())
    codes, clipped = quantise(sound[:kept], BITS)
    file = io.BytesIO()
    soundfile.write(file, codes, rate, format="WAV", subtype="PCM_16")
    data = base64.b64encode(file.getvalue()).decode("ascii")
    notes = []
    if kept < frames:
        notes.append(
            f"only the first {_format_time(kept / rate)} of {_format_time(frames / rate)} are in "
            f"this player; "
            "the waveform shows all")
    if clipped:
        notes.append(f"{clipped} samples beyond full scale are clipped here")
    note_html = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return (
        f'<div class="pysitar"><audio controls '
        f'src="data:audio/wav;base64,{data}"></audio>{_waveform_svg(sound)}'
        f"{_table_html(frames, channels, rate, peak, report)}{note_html}</div>")


def _as_frames(audio: npt.ArrayLike) -> FloatArray:
    """Return the sound as (frames, channels).  Errors: ParameterError."""
    try:
        array = np.asarray(audio)
    except ValueError:                      # rows of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind != "f" or array.ndim not in (1, 2) or (
            array.ndim == 2 and not 1 <= array.shape[1] <= MAX_CHANNELS):
        expected = ("expected real numbers (floating-point, full scale 1.0) of shape (frames, "
                    f"channels), 1 to {MAX_CHANNELS} channels")
        raise ParameterError("audio", f"of shape {array.shape} of {array.dtype}", expected)
    if not np.isfinite(array).all():
        raise ParameterError("audio", "not finite",
                             "expected finite samples, without NaN and infinity")
    return array.astype(np.float64, copy=False).reshape(array.shape[0], -1 if array.size else 1)


def _table_html(frames: int, channels: int, rate: int, peak: float, report: Mapping[str,
                                                                                    object]) -> str:
    rows = [
        ("length",
         f"{_format_time(frames / rate)}, {channels} channel{'' if channels == 1 else 's'}, "
         f"{rate} Hz"
         ),
        ("peak", f"{20.0 * math.log10(peak):.1f} dBFS" if peak > 0.0 else "none (silence)"),
    ]
    residual = report.get("residual")
    if residual is not None:
        rows.append(("energy residual",
                     f"{residual:.1e}" if isinstance(residual, float) else str(residual)))
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
                    for name, value in rows)
    return f"<table>{cells}</table>"


def _waveform_svg(sound: FloatArray) -> str:
    """Return the extremes over all channels as one closed curve, scaled to the loudest sample."""
    extremes = Extremes(sound.shape[0], sound.shape[1], WIDTH)
    extremes.add(sound)
    lows, highs = extremes.lows.min(axis=1), extremes.highs.max(axis=1)
    scale = 0.5 * (HEIGHT - 2) / max(float(highs.max()), -float(lows.min()), 1e-9)
    step = WIDTH / extremes.columns
    upper = [
        f"{(column + 0.5) * step:.4g},{0.5 * HEIGHT - 0.5 - high * scale:.4g}"
        for column, high in enumerate(highs.tolist())
    ]
    lower = [
        f"{(column + 0.5) * step:.4g},{0.5 * HEIGHT + 0.5 - low * scale:.4g}"
        for column, low in enumerate(lows.tolist())
    ]
    points = " ".join(upper + lower[::-1])
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'style="display:block" role="img" aria-label="waveform">'
        f'<polygon points="{points}" fill="#20639b"/></svg>')


def _format_time(seconds: float) -> str:
    """Return a time as text in minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{seconds:.2f} s" if seconds < 60.0 else f"{minutes} min {rest} s"
