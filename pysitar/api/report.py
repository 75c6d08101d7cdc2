"""The report of a finished render, its warnings, and its summary line."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pysitar.errors import counted
from pysitar.rendering.engine import Engine
from pysitar.rendering.mix import decibels
from pysitar.rendering.plan import VoicePlan

MAX_MIX_LINES = 3                  # `mix` lines in a warning


def final_report(engine: Engine, factor: float, *, clipped: int | None = None,
                 warnings: Sequence[str] = ()) -> dict[str, Any]:
    """Return the report of a sound that was multiplied by a factor: see `pysitar.Rendering`.

    Parameters: clipped, the number of samples that a file clipped (None: samples over full scale);
    warnings, further warnings.
    """
    report = engine.report()
    voices = report.pop("voices")
    has_target_peak = engine.options.peak is not None
    if clipped is None:
        clipped = 0 if has_target_peak else report["clipped"]  # a target peak is at most full scale
    report = report | {
        "peak": factor * report["peak"], "gain_db": decibels(factor), "clipped": clipped
    }
    voices_with_events = [voice for voice in engine.bound.voices if voice.events]
    messages = [f"{warning.place}: {warning.message}" for warning in engine.bound.warnings]
    if has_target_peak and report["peak"] == 0.0:
        messages.append(
            f"the sound is silent and cannot be brought to a peak of {engine.options.peak:g} dB")
    messages += [f"{name} is silent and cannot be brought to a loudness"
                 for name, gain in engine.loudness_gains.items() if gain is None]
    return report | {
        "warnings": [*messages, *_quality_warnings(report, voices_with_events, engine.longest_tail),
                     *warnings],
        "voices": voices
    }


def summary_line(report: dict[str, Any]) -> str:
    """Return the line that describes a finished file."""
    parts = [f"{report['path']}: {report['seconds']:.2f} s", f"peak {_format_peak(report['peak'])}"]
    if report["gain_db"]:
        parts[-1] += f" (gain {report['gain_db']:+.2f} dB)"
    if report["fade"]:
        parts.append(f"last {report['fade']:.2g} s faded")
    if report["clipped"]:
        parts.append(f"{counted(report['clipped'], 'sample')} clipped")
    parts += [
        f"energy residual {report['residual']:.1e}",
        f"{report['timing']['seconds_per_second']:.3g} x real time"
    ]
    return ", ".join(parts)


def clipping_warning(clipped: int, peak: float, voices: Sequence[VoicePlan]) -> str:
    """Return the warning of clipped samples, with the `mix` lines that avoid them.

    Parameters: clipped, samples; peak, full scale 1; voices, the instruments of the sound.
    """
    over = decibels(peak)
    less = math.ceil(over + 0.01)
    lines = dict.fromkeys(_mix_line(voice, less) for voice in voices)
    if all(voice.level.place is None for voice in voices) and len(voices) > 1:
        lines = {f"mix * gain={-less:g}dB": None}
    shown = "; ".join(list(lines)[:MAX_MIX_LINES])
    more = f" and so on, each instrument {less:g} dB lower" if len(lines) > MAX_MIX_LINES else ""
    count = counted(clipped, "sample was", "samples were")
    return (f"{count} clipped, the loudest {over:.2f} dB over full scale; "
            f"a gain {less:g} dB lower keeps them: {shown}{more}")


def _mix_line(voice: VoicePlan, less: int) -> str:
    """Return the line that lowers a voice by `less` dB: a new `mix` line, or the voice's existing
    line with its place."""
    level = voice.level
    if level.place is None:
        return f"mix {voice.name} gain={-less:g}dB"
    if level.loudness is not None:
        where = f"at {level.place.file}:{level.place.line}, in place of {level.loudness:.10g}LUFS"
        return f"mix {level.mix} loudness={level.loudness - less:.10g}LUFS {where}"
    where = f"at {level.place.file}:{level.place.line}, in place of {level.gain:.10g}dB"
    return f"mix {level.mix} gain={level.gain - less:.10g}dB {where}"


def _quality_warnings(report: dict[str, Any], voices: Sequence[VoicePlan],
                      longest_tail: float) -> list[str]:
    """Return warnings about a finished sound; longest_tail, after which it would be cut (s)."""
    messages = []
    if report["tail_cut"]:
        messages.append(
            f"the sound was cut {longest_tail:g} s after the last event, still ringing; expected "
            "a longer tail in the score's render line, such as tail=120s")
    if report["clipped"]:
        messages.append(clipping_warning(report["clipped"], report["peak"], voices))
    if report["failed_solves"]:
        messages.append(
            f"{report['failed_solves']} contact forces were not found to full precision; a higher "
            f"--oversample may help"
        )
    return messages


def _format_peak(peak: float) -> str:
    return f"{decibels(peak):.1f} dBFS" if peak > 0.0 else "none (silence)"
