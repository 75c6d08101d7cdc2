"""Curves that are longer than their row: what comes after it is not played."""
from __future__ import annotations

from collections.abc import Iterator

from pysitar.errors import Place, Problem
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.plan import PITCH, BoundEvent
from pysitar.score.vocabulary import long_name

ROUNDING = 1e-6                 # of a duration


def cut_curves(voice: CheckedVoice) -> Iterator[Problem]:
    """Yield a problem for the first curve of each part that its stroke or roll ends before."""
    ends: dict[tuple[str, int], float] = {}         # of what lasts, by part and row (s)
    found: set[str] = set()
    for event in voice.plan.events:
        row = event.part, event.order
        ends[row] = event.values.get("held", event.values.get("duration", ends.get(row, 0.0)))
        for name, curve in event.courses.items():
            last = curve.points[-1].time
            if event.part in found or not 0.0 < ends[row] < (1.0 - ROUNDING) * last:
                continue
            found.add(event.part)
            word = "pitches" if name == PITCH else name
            yield Problem(_place(event, name), (
                f"the curve of {word} ends at {last:.4g} s, and the row lasts {ends[row]:.4g} s: "
                f"its end is not played; expected dur={last:.4g}s, or a curve that ends before"))


def _place(event: BoundEvent, name: str) -> Place:
    """Return the place of a curve of a row."""
    if name == PITCH:
        return event.row.pitch_place
    return next((argument.value_place for argument in event.row.arguments.values()
                 if long_name(argument.name) == name), event.place)
