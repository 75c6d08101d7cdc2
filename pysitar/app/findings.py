"""What is to be said of a finished render: its report, the warnings, the one line."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pysitar.rendering.engine import LONGEST_TAIL, Engine
from pysitar.rendering.mix import decibels


def finished_report(engine: Engine, factor: float, *, clipped: int | None = None, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """Return the report of a sound that was multiplied by a factor: see `pysitar.render`.

    Parameters: clipped, samples that a file had to clip (None: those over full scale); warnings, more of them.
    """
    report = engine.report()
    voices = report.pop("voices")
    scaled = engine.options.peak is not None
    if clipped is None:
        clipped = 0 if scaled else report["clipped"]          # no peak is asked for above full scale
    report = report | {"peak": factor * report["peak"], "gain_db": decibels(factor), "clipped": clipped}
    told = [f"{warning.place}: {warning.message}" for warning in engine.bound.warnings]
    if scaled and report["peak"] == 0.0:
        told.append(f"the sound is silent and cannot be brought to a peak of {engine.options.peak:g} dB")
    return report | {"warnings": [*told, *_findings(report), *warnings], "voices": voices}


def summary_of(report: dict[str, Any]) -> str:
    """The one line on a finished file."""
    parts = [f"{report['path']}: {report['seconds']:.2f} s", f"peak {_level(report['peak'])}"]
    if report["gain_db"]:
        parts[-1] += f" (brought there by {report['gain_db']:+.2f} dB)"
    if report["clipped"]:
        parts.append(f"{report['clipped']} samples clipped")
    parts += [f"energy residual {report['residual']:.1e}", f"{report['timing']['seconds_per_second']:.3g} x real time"]
    return ", ".join(parts)


def clipping(clipped: int, peak: float, name: str = "NAME") -> str:
    """The warning of clipped samples, and what would keep them; name, of the instrument."""
    over = decibels(peak)
    return (f"{clipped} samples were clipped, the loudest {over:.2f} dB over full scale; a lower gain would keep them: "
            f"mix {name} gain={-math.ceil(over + 0.01):g}dB")


def _findings(report: dict[str, Any]) -> list[str]:
    """What is not as it should be in a finished sound."""
    told = []
    if report["tail_cut"]:
        told.append(f"the sound was cut {LONGEST_TAIL:g} s after the last event, still ringing; a tail in the score's render line, "
                    "tail=120s, would keep more")
    if report["clipped"]:
        told.append(clipping(report["clipped"], report["peak"]))
    if report["failed_solves"]:
        told.append(f"{report['failed_solves']} contact forces were not found to full precision; a higher --oversample may help")
    return told


def _level(peak: float) -> str:
    return f"{decibels(peak):.1f} dBFS" if peak > 0.0 else "none (silence)"
