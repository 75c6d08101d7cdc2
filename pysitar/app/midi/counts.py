"""What a MIDI file has that a score has not, or that had to be repaired, counted by kind."""
from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Counts:
    """How often, and at which tick first, by kind and channel (0: the file's)."""

    counts: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)

    def add(self, kind: str, channel: int, tick: int) -> None:
        """Count one."""
        count, first = self.counts.get((kind, channel), (0, tick))
        self.counts[kind, channel] = count + 1, min(first, tick)
