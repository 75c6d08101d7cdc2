"""The results of one figure or table: numbers, curves, and statements of the paper with computed
results."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pysitar.physics.checks import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Numbers: TypeAlias = dict[str, Any]             # JSON values; each name ends in its unit
Curves: TypeAlias = Mapping[str, FloatArray]    # by names that end in their unit, without / and \
Verdict: TypeAlias = Literal["agrees", "disagrees", "paper is wrong", "beyond the paper",
                             "cannot be compared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of a paper.  Parameters: paper, the statement, paraphrased; computed, the
    result here; criterion, what the verdict depends on, with the reason of each threshold;
    verdict."""

    paper: str
    computed: str
    criterion: str
    verdict: Verdict

    @property
    def mark(self) -> str:
        """The verdict as a CSS class name."""
        return self.verdict.replace(" ", "-")


def judge(*, paper: str, computed: str, holds: bool, condition: str, reason: str,
          verdict: Verdict = "agrees", otherwise: Verdict = "disagrees") -> Statement:
    """Return a statement with the verdict that follows from a condition.

    Parameters: holds, whether the condition is true; condition, as text with its thresholds;
    reason, why these thresholds; verdict, if it is true; otherwise, the verdict if it is not.
    """
    return Statement(paper=paper, computed=computed, verdict=verdict if holds else otherwise,
                     criterion=f"{verdict} if {condition}: {reason}")


def cannot_compare(*, paper: str, computed: str, reason: str) -> Statement:
    """Return a statement without a verdict.  Parameters: reason, what the paper does not give."""
    return Statement(paper=paper, computed=computed, verdict="cannot be compared",
                     criterion=f"cannot be compared: {reason}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Finding:
    """The results of one figure or table.

    Parameters: key, paper:figure; title; source, its place in the paper; caption, its contents and
    parameters; numbers, JSON; statements; curves, the float64 arrays of the drawing, of any
    lengths. """

    key: str
    title: str
    source: str
    caption: str
    numbers: Numbers
    statements: tuple[Statement, ...]
    curves: Curves

    @property
    def document(self) -> dict[str, Any]:
        """The contents of the JSON file: everything but the curves."""
        statements = [asdict(one) for one in self.statements]
        return {
            "key": self.key, "title": self.title, "source": self.source, "caption": self.caption,
            "statements": statements, "numbers": self.numbers
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure or table of a paper that can be computed.

    Parameters: key, paper:figure; title; source; compute, which uses public functions only; judge,
    which makes the statements of the numbers alone; draw, which uses the computed results only
    (None: nothing to draw). """

    key: str
    title: str
    source: str
    compute: Callable[[], Finding]
    judge: Callable[[Numbers], tuple[Statement, ...]]
    draw: Callable[[Finding], Drawing] | None = None

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        """The key as the stem of a file name."""
        return self.key.replace(":", "-")
