"""What the reproduction of one figure or table finds: numbers, curves, and what the paper says beside what was computed."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pysitar.physics.checks import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Numbers: TypeAlias = dict[str, Any]             # JSON values; a name tells its unit
Curves: TypeAlias = Mapping[str, FloatArray]    # by names that end in their unit, without / and \
Verdict: TypeAlias = Literal["agrees", "disagrees", "paper is wrong", "cannot be compared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing that a paper says.  Parameters: paper, what it says, in other words; computed, what comes out here; verdict."""

    paper: str
    computed: str
    verdict: Verdict

    @property
    def mark(self) -> str:
        """The verdict as one word that a style can name."""
        return self.verdict.replace(" ", "-")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Finding:
    """What came out for one figure or table.

    Parameters: key, paper:figure; title; source, where in which paper; caption, what is shown, with its parameters; numbers, JSON;
    statements; curves, arrays of float64 that the drawing needs, of any lengths.
    """

    key: str
    title: str
    source: str
    caption: str
    numbers: Numbers
    statements: tuple[Statement, ...]
    curves: Curves

    @property
    def document(self) -> dict[str, Any]:
        """All but the curves, as it is written to the figure's JSON."""
        told = [{"paper": one.paper, "computed": one.computed, "verdict": one.verdict} for one in self.statements]
        return {"key": self.key, "title": self.title, "source": self.source, "caption": self.caption, "statements": told,
                "numbers": self.numbers}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure or table of a paper that can be computed.

    Parameters: key, paper:figure; title; source; compute, by the public face alone; draw, from what was computed alone (None: there is
    nothing to draw).
    """

    key: str
    title: str
    source: str
    compute: Callable[[], Finding]
    draw: Callable[[Finding], Drawing] | None = None

    @property
    def paper(self) -> str:
        """The key of its paper."""
        return self.key.partition(":")[0]

    @property
    def name(self) -> str:
        """Its key as the beginning of a file's name."""
        return self.key.replace(":", "-")
