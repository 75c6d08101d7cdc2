"""The statements of a batch in a score that is rendered alone."""
from __future__ import annotations

from pysitar.errors import Problem
from pysitar.rendering.lint.table import CheckedScore


def many_sounds(checked: CheckedScore) -> list[Problem]:
    """Return a problem for each statement that makes many sounds of one score."""
    score = checked.score
    statements = [("sweep", sweep.path_place) for sweep in score.sweeps]
    statements += [("draw", draw.path_place) for draw in score.draws]
    return [
        Problem(place, f"a {word} makes many sounds; expected one value here, or pysitar batch")
        for word, place in statements
    ]
