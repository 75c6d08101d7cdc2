"""The table of a set of bars, one for each semitone, such as a marimba's."""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.models.definitions.bars import BarTable
from pysitar.models.definitions.resonators import SolidTable
from pysitar.models.definitions.schema import Specification, TableFault, key
from pysitar.physics import ranges
from pysitar.physics.ranges import Range
from pysitar.physics.resonators.plate import SIZE, THICKNESS

SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
NAMES = ("C", "Cs", "D", "Ds", "E", "F", "Fs", "G", "Gs", "A", "As", "B")
NOTE = re.compile(r"([A-G])([#sb]?)([0-9])")
A4 = 69                         # its number in MIDI
MOST_BARS = 88


def note_number(name: str, text: str) -> int:
    """Return the number of a note such as "C#4" in MIDI.  Errors: ParameterError; name, of the
    key."""
    found = NOTE.fullmatch(text)
    if found is None:
        raise ParameterError(name, text, 'expected a note such as "C3", "F#4" or "Bb5"')
    letter, sign, octave = found.groups()
    return 12 * (int(octave) + 1) + SEMITONES[letter] + {"": 0, "b": -1}.get(sign, 1)


def note_name(number: int) -> str:
    """Return the name of a bar: that of its note, C4 or Cs4."""
    return f"{NAMES[number % 12]}{number // 12 - 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BarSetTable(SolidTable):
    """Bars of one material and shape, each as long as its note needs."""

    coordinates: ClassVar[tuple[str, ...]] = ("position",)

    kind: str = key("a set of bars, which rows play by the names of their notes, C4 or Cs4",
                    kind="text", choices=("bars",))
    lowest_note: str = key("the lowest note, such as \"C3\"", kind="pitch")
    highest_note: str = key("the highest note", kind="pitch")
    a4: float = key("the frequency of A4", unit="Hz", low=100.0, high=1000.0, default=440.0)
    width: float = key("the width of the lowest bar", SIZE)
    width_highest: float = key("the width of the highest bar; the others lie between, in equal "
                               "steps; left out, all have one", SIZE, absent=0.0)
    thickness: float = key("the thickness of the lowest bar", THICKNESS)
    thickness_highest: float = key("likewise of the highest bar", THICKNESS, absent=0.0)
    support_decay_highest: float = key(
        "the support_decay of the highest bar, whose cords take more of its lighter motion; the "
        "others lie between, in equal ratios; left out, all have one", ranges.RATE_OF_DECAY,
        absent=0.0)
    ratios: tuple[float, ...] = key("as of a bar", Range(low=1.0, high=20.0), kind="list",
                                    absent=())
    x: float = key("where each is played by default, along its length", low=0.0, high=1.0,
                   default=0.5)

    def point(self) -> tuple[float, ...]:
        """Return where rows play that name no point."""
        return (self.x,)

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield notes that are none, or in the wrong order."""
        yield from SolidTable.faults(self, scheme)
        if self.ratios and len(self.ratios) != 2:
            yield ("ratios",), f"{len(self.ratios)} values; expected two, such as [4, 9.5]"
        if self.support_decay_highest > 0.0 and self.support_decay == 0.0:
            yield ("support_decay",), ("support_decay is 0, which has no ratio to "
                                       "support_decay_highest; expected more")
        numbers = []
        for name in ("lowest_note", "highest_note"):
            try:
                numbers.append(note_number(name, str(getattr(self, name))))
            except ParameterError as error:
                yield (name,), str(error)
        if len(numbers) == 2 and not 0 <= numbers[1] - numbers[0] < MOST_BARS:
            yield ("highest_note",), (
                f"highest_note is {self.highest_note}; expected a note from {self.lowest_note} "
                f"on, of at most {MOST_BARS} bars")

    def expanded(self) -> tuple[Specification, ...]:
        """Return its bars, whose modes are computed for those that a score plays."""
        first = note_number("lowest_note", self.lowest_note)
        last = note_number("highest_note", self.highest_note)
        own = {one.name for one in fields(BarTable)} & {one.name for one in fields(self)}
        values = {name: getattr(self, name) for name in own - {"name", "kind"}}
        bars = []
        for number in range(first, last + 1):
            part = (number - first) / max(last - first, 1)
            for name in ("width", "thickness"):
                low = getattr(self, name)
                high = getattr(self, f"{name}_highest") or low
                values[name] = low + part * (high - low)
            if self.support_decay_highest > 0.0:
                values["support_decay"] = self.support_decay * elementary.pow(
                    self.support_decay_highest / self.support_decay, part)
            octaves = (number - A4) / 12.0
            ratio = elementary.exp(octaves * elementary.log(2.0))
            bars.append(BarOfSet(**values, name=note_name(number), kind="bar", table=self,
                                 frequency=self.a4 * ratio, number=number))
        return tuple(bars)


@dataclass(frozen=True, slots=True, kw_only=True)
class BarOfSet(BarTable):
    """One bar of a set; number, of its note in MIDI."""

    is_lazy: ClassVar[bool] = True

    table: BarSetTable
    number: int

    @property
    def written(self) -> Specification:
        """The table of the file that describes it."""
        return self.table

    def expanded(self) -> tuple[Specification, ...]:
        """Return itself: its modes are computed when a score plays it."""
        return (self,)
