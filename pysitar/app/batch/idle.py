"""Why a sweep or a draw changes nothing of what is played."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.errors import quoted
from pysitar.rendering.plan import Bound, BoundEvent
from pysitar.score.vocabulary import long_name, matches_name


def why_idle(path: Sequence[str], bound: Bound, *, again: bool) -> str:
    """Why no event follows the value at a path, in a score in which all first values are put in.

    Parameters: again, whether a later line may set the same value.
    """
    instrument, *inner = path
    voices = [voice for voice in bound.voices if instrument in {"*", voice.name}]
    events = [event for voice in voices for event in voice.events]
    if not events:
        return f"no row plays {quoted(instrument)}"
    target = quoted(".".join(path[:2]))
    on_part = [event for event in events if len(inner) > 1 and matches_name(inner[0], event.part)]
    if not on_part:
        return f"no row plays {target}"
    if len(inner) != 3:
        return f"no row follows {quoted('.'.join(path))}"
    _, verb, key = inner
    rows = [event for event in on_part if verb in {"*", event.verb}]
    if not rows:
        return f"no row plays {target} with {quoted(verb)}"
    if not any(key in event.values for event in rows):
        return f"no {quoted(verb)} of {target} takes its {quoted(key)}"
    if all(_gives(event, key) for event in rows):
        return f"every {quoted(verb)} of {target} gives its own {quoted(key)}"
    if again:
        return "a later line sets the same value again"
    return f"no row leaves {quoted('.'.join(path))} to the instrument"


def overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two paths, in which * stands for one part, mean a value in common."""
    alike = len(one) == len(other)
    return alike and all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=True))


def _gives(event: BoundEvent, key: str) -> bool:
    """Whether the row of an event gives a value itself."""
    return any(long_name(name) == key for name in event.row.arguments)
