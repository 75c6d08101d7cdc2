"""A tail with which the score exceeds its greatest length."""
from __future__ import annotations

from pysitar.errors import Place, Problem
from pysitar.rendering.lint.table import CheckedScore


def long_tail(checked: CheckedScore) -> list[Problem]:
    """Return the problem of the tail."""
    tail = checked.options.tail
    assert tail is not None
    return [Problem(Place(checked.score.file),
                    f"with a tail of {tail:g} s the score lasts {checked.end + tail:g} s; "
                    "expected at most 4 hours (14400 s)")]
