"""Chords: their names, diagrams of frets, and voicings on the strings of an instrument."""
from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from pysitar.errors import quoted, suggest_name
from pysitar.kernels.core import elementary

LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
ACCIDENTALS = {"": 0, "#": 1, "b": -1}
NAME = re.compile(r"([A-G])([#b]?)([^/]*)(?:/([A-G])([#b]?))?")
# semitones above the root; a fifth may be missing from chords of four notes and more
QUALITIES = {
    "": (0, 4, 7), "m": (0, 3, 7), "5": (0, 7), "7": (0, 4, 7, 10), "m7": (0, 3, 7, 10),
    "maj7": (0, 4, 7, 11), "6": (0, 4, 7, 9), "m6": (0, 3, 7, 9), "9": (0, 4, 7, 10, 14),
    "m9": (0, 3, 7, 10, 14), "maj9": (0, 4, 7, 11, 14), "add9": (0, 4, 7, 14), "sus2": (0, 2, 7),
    "sus4": (0, 5, 7), "7sus4": (0, 5, 7, 10), "dim": (0, 3, 6), "dim7": (0, 3, 6, 9),
    "m7b5": (0, 3, 6, 10), "aug": (0, 4, 8),
}
FIFTH = 7
MUTED = "x"
DIAGRAM = re.compile(r"[0-9x]+|(?:[0-9]{1,2}|x)(?:-(?:[0-9]{1,2}|x))+")
MAX_STRINGS = 8                 # that one hand stops
REACH = 3                       # frets from the first finger to the last
FINGERS = 4
HIGHEST_POSITION = 9            # fret of the first finger

Frets: TypeAlias = tuple[int | None, ...]         # of each string; None: muted


class OpenString(NamedTuple):
    """A string of a voicing: the pitch of the open string (Hz), and its highest fret."""

    hz: float
    highest: int


@dataclass(frozen=True, slots=True)
class Chord:
    """A chord: the classes (0 to 11, C is 0) of its root and its bass, and its intervals
    (semitones)."""

    name: str
    root: int
    intervals: tuple[int, ...]
    bass: int

    @property
    def classes(self) -> frozenset[int]:
        """The classes of its notes, without a bass that is none of them."""
        return frozenset((self.root + interval) % 12 for interval in self.intervals)


def parse_chord(text: str) -> Chord:
    """Return the chord of a name: `Am7`, `F#`, `C/G`.  Errors: ValueError."""
    match = NAME.fullmatch(text)
    if match is None:
        raise ValueError(f"{quoted(text)} is not a chord; expected a root from A to G and a "
                         "quality, Am7, F#, C/G, or a diagram, x02010")
    letter, accidental, quality, bass, bass_accidental = match.groups()
    if quality not in QUALITIES:
        raise ValueError(f"{quoted(quality)} is not a quality of chords; "
                         f"{suggest_name(quality, [name for name in QUALITIES if name])}")
    root = (LETTERS[letter] + ACCIDENTALS[accidental]) % 12
    low = root if bass is None else (LETTERS[bass] + ACCIDENTALS[bass_accidental]) % 12
    return Chord(text, root, QUALITIES[quality], low)


def is_diagram(text: str) -> bool:
    """Return whether a text has the form of a diagram: x02010, or 8-10-10-9-8-8."""
    return DIAGRAM.fullmatch(text) is not None


def parse_diagram(text: str, strings: int) -> Frets:
    """Return the frets of a diagram for a number of strings, the first of the file first.

    Errors: ValueError.
    """
    if not is_diagram(text):
        raise ValueError(f"{quoted(text)} is not a diagram; expected a fret or x for each string: "
                         "x02010 or 8-10-10-9-8-8")
    parts = text.split("-") if "-" in text else list(text)
    if len(parts) != strings:
        raise ValueError(f"the diagram {quoted(text)} has {len(parts)} strings; expected {strings}")
    return tuple(None if part == MUTED else int(part) for part in parts)


@lru_cache(1024)
def find_voicing(chord: Chord, strings: tuple[OpenString, ...]) -> Frets:
    """Return the frets of a chord that one hand takes most easily, the bass lowest.

    Parameters: strings, in the order of the file.
    Errors: ValueError, if the strings do not have the chord.
    """
    if len(strings) > MAX_STRINGS:
        raise ValueError(f"{len(strings)} strings are more than a hand stops; expected at most "
                         f"{MAX_STRINGS}, such as those of g.a*")
    notes = [round(69.0 + 12.0 * elementary.log2(string.hz / 440.0)) for string in strings]
    order = sorted(range(len(strings)), key=lambda index: notes[index])
    best = _find_cheapest(chord, strings, notes, order, chord.bass)
    if best is None and chord.bass == chord.root:          # another note of the chord is lowest
        best = min((found for bass in sorted(chord.classes) if (
            found := _find_cheapest(chord, strings, notes, order, bass)) is not None),
            key=lambda found: found[0], default=None)
    if best is None:
        raise ValueError(f"these strings have no {chord.name} within the reach of a hand; expected "
                         "another chord, or a diagram")
    return best[1]


def _find_cheapest(chord: Chord, strings: Sequence[OpenString], notes: Sequence[int],
                   order: Sequence[int], bass: int) -> tuple[float, Frets] | None:
    """Return the cost and the frets of the easiest voicing with a class as its bass.

    Parameters: notes, of the open strings; order, the strings from the lowest to the highest.
    """
    best: tuple[float, Frets] | None = None
    for position in range(HIGHEST_POSITION + 1):
        choices = [_choose_frets(chord, notes[index], strings[index].highest, position)
                   for index in range(len(strings))]
        for muted in range(max(1, len(strings) - 1)):
            silent = set(order[:muted])
            for frets in itertools.product(*([None] if index in silent else choice or [None]
                                             for index, choice in enumerate(choices))):
                cost = _rate_voicing(chord, notes, order, frets, bass)
                if cost is not None and (best is None or cost < best[0]):
                    best = cost, frets
    return best


def _choose_frets(chord: Chord, note: int, highest: int, position: int) -> list[int | None]:
    """Return the frets of a string that have a note of a chord, in a position of the hand."""
    classes = chord.classes | {chord.bass}
    window = [0, *range(max(1, position), max(1, position) + REACH + 1)]
    return [fret for fret in window if fret <= highest and (note + fret) % 12 in classes]


def _rate_voicing(chord: Chord, notes: Sequence[int], order: Sequence[int],
                  frets: Frets, bass: int) -> float | None:
    """Return the cost of a voicing; None: it is not the chord, or no hand can take it."""
    sounding = [(notes[index] + fret, fret) for index in order
             if (fret := frets[index]) is not None]
    if not sounding or sounding[0][0] % 12 != bass:
        return None
    classes = {note % 12 for note, _ in sounding}
    # a bass that is no note of the chord is in the bass alone
    if chord.bass not in chord.classes and any(
            note % 12 == chord.bass for note, _ in sounding[1:]):
        return None
    missing = chord.classes - classes
    fifth = {(chord.root + FIFTH) % 12}
    if missing and (missing != fifth or len(chord.intervals) < 4):
        return None
    stopped = [fret for _, fret in sounding if fret > 0]
    lowest, highest = min(stopped, default=0), max(stopped, default=0)
    if highest - lowest > REACH:
        return None
    fingers = len(stopped)
    is_barre = lowest > 0 and 0 not in (fret for _, fret in sounding) and stopped.count(lowest) > 1
    if is_barre:
        fingers -= stopped.count(lowest) - 1
    if fingers > FINGERS:
        return None
    silent = [frets[index] is None for index in order]
    below = next(index for index, one in enumerate(silent) if not one)
    inside = sum(silent[below:])
    doubled_thirds = 0.3 * max(0, sum(
        (note - chord.root) % 12 in {3, 4} for note, _ in sounding) - 2)
    is_stretched = highest > REACH and 0 in (fret for _, fret in sounding)
    return (1.2 * below + 4.0 * max(0, below - 2) + 20.0 * inside + 1.2 * highest
            + 0.3 * sum(stopped) / len(sounding) + 0.6 * fingers + 2.0 * is_barre
            + 2.0 * is_stretched + 1.0 * bool(missing) + doubled_thirds)
