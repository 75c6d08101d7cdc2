"""The table of a bar, of one thickness or undercut."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from pysitar.errors import ParameterError
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.models.definitions.resonators import SolidTable, computed
from pysitar.models.definitions.schema import TableFault, key
from pysitar.models.definitions.surfaces import SizedResonator
from pysitar.physics.resonators.bar import Bar, bar_length
from pysitar.physics.resonators.plate import SIZE, THICKNESS
from pysitar.physics.resonators.undercut_bar import (
    CUT,
    DEPTH,
    TUNED,
    UndercutBar,
    tuned_bar,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BarTable(SolidTable):
    """A bar with free ends."""

    coordinates: ClassVar[tuple[str, ...]] = ("position",)

    kind: str = key("a bar with free ends", kind="text", choices=("bar",))
    length: float = key("the length; or frequency", SIZE, absent=0.0)
    frequency: float = key("instead of length: the frequency of its first mode", TUNED,
                           absent=0.0)
    width: float = key("the width", SIZE)
    thickness: float = key("the thickness at its ends", THICKNESS)
    ratios: tuple[float, ...] = key(
        "with frequency: those of the second and third mode over it, to which the bar is "
        "undercut: [3, 5.8] is a xylophone's, [4, 9.5] a marimba's", kind="list", low=1.0,
        high=20.0, absent=())
    depth: float = key("with length: how much of the thickness is cut away in the middle", DEPTH,
                       default=0.0)
    cut: float = key("with depth: over how much of the length", CUT, default=0.5)
    x: float = key("where it is played by default, along its length", low=0.0, high=1.0,
                   default=0.5)

    def point(self) -> tuple[float, ...]:
        """Return where rows play that name no point."""
        return (self.x,)

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield a missing length, and a shape that does not go with it."""
        yield from SolidTable.faults(self, scheme)
        if (self.length == 0.0) == (self.frequency == 0.0):
            both = "length and frequency are given" if self.length else "is missing"
            yield ("length",), f"{both}; expected exactly one of length (m) and frequency (Hz)"
        if self.ratios and (self.length or self.depth):
            yield ("ratios",), "ratios find length, depth and cut; expected frequency alone"
        if self.depth and self.frequency:
            yield ("depth",), "depth goes with length; expected ratios, or length"
        if self.ratios and len(self.ratios) != 2:
            yield ("ratios",), f"{len(self.ratios)} values; expected two, such as [4, 9.5]"

    def resonator(self) -> SizedResonator:
        """Return its modes and shapes.  Errors: ParameterError."""
        common = {"width": self.width, "thickness": self.thickness, "material": self.solid(),
                  "in_air": self.in_air, "support_decay": self.support_decay, **self.limits()}
        if self.ratios:
            return computed(tuned_bar, frequency=self.frequency, ratios=self.ratios, **common)
        if self.depth:
            return computed(UndercutBar, length=self.length, depth=self.depth, cut=self.cut,
                            **common)
        length = self.length or bar_length(self.frequency, thickness=self.thickness,
                                           material=self.solid())
        return computed(Bar, length=length, **common)

    def at_pitch(self, hz: float) -> ObjectSpec:
        """Return the bar of another length whose first mode has a frequency (Hz).  Errors:
        ParameterError, one that is undercut by a depth."""
        if self.depth:
            raise ParameterError("pitch", hz, "its depth goes with its length; expected a bar with "
                                              "ratios, or of one thickness")
        return replace(self, frequency=hz, length=0.0).part()
