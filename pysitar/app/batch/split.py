"""The parts of a data set: each sound is for training, validation or test, whatever else there
is."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.errors import ParameterError
from pysitar.physics.draws import uniforms

PARTS = ("train", "validation", "test")
WHOLE = (1.0, 0.0, 0.0)         # all sounds are for training


def parse_split(text: str) -> tuple[float, float, float]:
    """Return the fractions of a text such as "80/10/10".  Errors: ParameterError.

    >>> parse_split("8/1/1")
    (0.8, 0.1, 0.1)
    """
    try:
        values = [float(word) for word in text.split("/")]
    except ValueError:
        values = []
    total = sum(values)
    if len(values) != len(PARTS) or not all(0.0 <= value <= 1e6 for value in values) or not total:
        raise ParameterError("split", text, f"expected three weights, of {', '.join(PARTS)}, such "
                                            "as 80/10/10")
    train, validation, test = (value / total for value in values)
    return train, validation, test


def part_of(stem: str, number: int, fractions: Sequence[float]) -> str:
    """Return the part of the sound of a score with a number: from its name alone, so that more
    sounds change none.

    >>> part_of("tanpura", 7, (1.0, 0.0, 0.0))
    'train'
    """
    [drawn] = uniforms(seed=0, name=f"split {stem}", start=number - 1, count=1)
    limit = 0.0
    for name, fraction in zip(PARTS, fractions, strict=True):
        limit += fraction
        if drawn < limit:
            return name
    return next(name for name, fraction in zip(reversed(PARTS), reversed(fractions), strict=True)
                if fraction)
