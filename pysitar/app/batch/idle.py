"""Why a sweep or a draw has no effect on the played events."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.errors import quoted
from pysitar.rendering.plan import Bound, BoundEvent
from pysitar.score.vocabulary import long_name, matches_name


def explain_no_effect(path: Sequence[str], bound: Bound, *, set_again: bool) -> str:
    """Return why no event uses the value at a path, in a score with all first values.

    Parameters: set_again, whether a later line sets the same value.
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
        return f"no row uses {quoted('.'.join(path))}"
    _, verb, key = inner
    rows = [event for event in on_part if verb in {"*", event.verb}]
    if not rows:
        return f"no row plays {target} with {quoted(verb)}"
    if not any(key in event.values for event in rows):
        return f"no {quoted(verb)} of {target} uses {quoted(key)}"
    if all(_sets_value(event, key) for event in rows):
        return f"every {quoted(verb)} of {target} sets {quoted(key)} itself"
    if set_again:
        return "a later line sets the same value again"
    return f"every row sets {quoted('.'.join(path))} itself"


def paths_overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two paths, in which * stands for any one part, have a value in common."""
    alike = len(one) == len(other)
    return alike and all(a == b or "*" in (a, b) for a, b in zip(one, other, strict=True))


def _sets_value(event: BoundEvent, key: str) -> bool:
    """Return whether an event's row sets the value itself."""
    return any(long_name(name) == key for name in event.row.arguments)
