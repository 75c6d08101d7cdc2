"""Counts, by kind, of what a score cannot express or what had to be repaired in a MIDI file."""
from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Counts:
    """Number and first tick, by kind and channel (0: the whole file)."""

    counts: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)

    def add(self, kind: str, channel: int, tick: int) -> None:
        """Count one occurrence."""
        count, first = self.counts.get((kind, channel), (0, tick))
        self.counts[kind, channel] = count + 1, min(first, tick)
