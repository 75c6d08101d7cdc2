"""Which off ends which note of a key: faults of one note shift no other."""
import random

import pytest

from pysitar.app.midi.note import Note
from pysitar.app.midi.pairing import KeyPairs


def paired(events):
    """Of events such as "0+ 0- 5x": (start, end) of the notes in order (end None: none), and the
    ticks of stray offs."""
    pairs, notes, ends = KeyPairs(), [], {}
    for order, word in enumerate(events.split()):
        tick = int(word[:-1])
        if word[-1] == "+":
            notes.append(Note(1, 60, 60.0, 100, tick, order))
            pairs.on(notes[-1], order)
        else:
            (pairs.cut if word[-1] == "x" else pairs.off)(tick, order)
    pairs.finish()
    for note, off in pairs.ends:
        assert id(note) not in ends
        ends[id(note)] = off.tick
    assert {id(note) for note in notes} == {*ends, *map(id, pairs.unreleased)}
    return [(note.start, ends.get(id(note))) for note in notes], sorted(pairs.strays)


@pytest.mark.parametrize(
    ("events", "notes", "strays"),
    [
        ("0+ 4- 4+ 8-", [(0, 4), (4, 8)], []),  # repeated
        ("0+ 2+ 4- 8-", [(0, 4), (2, 8)], []),  # overlapping: the first off ends the first
        ("0+ 0- 4+ 8-", [(0, 0), (4, 8)], []),  # no length
        ("0- 0+ 4+ 8- 9+ 12-", [(0, 0), (4, 8), (9, 12)], []),  # no length, its off first
        ("0- 0- 0+ 0+ 4+ 8-", [(0, 0), (0, 0), (4, 8)], []),
        ("0+ 4- 4- 4+ 6+ 8-", [(0, 4), (4, 4), (6, 8)], []),
        ("0- 0+ 4- 4+ 8- 8+", [(0, 0), (4, 4), (8, 8)], []),  # all of them
        ("0- 0+ 4- 4+ 8-", [(0, 4), (4, 8)], [0]),  # an off too many, before a repeated note
        ("0+ 3- 5- 5+ 8- 9- 9+ 12-", [(0, 3), (5, 8), (9, 12)], [5, 9]),  # before every note
        ("0- 0- 0+ 8-", [(0, 8)], [0, 0]),
        ("0- 0+ 4- 4- 4+ 8-", [(0, 4), (4, 8)], [0, 4]),
        ("0- 0+ 4+ 6- 9-", [(0, 0), (4, 6)], [9]),  # a stray long after takes no part
        ("0+ 4+ 8- 9+ 12-", [(0, None), (4, 8), (9, 12)], []),  # a lost off
        ("0+ 4+ 5+ 8- 9- 10+ 12-", [(0, None), (4, 8), (5, 9), (10, 12)], []),
        ("0+ 4+ 6x 6- 9+ 12-", [(0, 6), (4, 6), (9, 12)], [6]),  # all notes off
        ("0+ 4+ 5- 6x 9+ 12-", [(0, 6), (4, 5), (9, 12)], []),
        ("0- 0+ 6x 8-", [(0, 0)], [8]),
        ("3-", [], [3]),
        ("3- 3x 3+ 4-", [(3, 4)], [3]),
        ("3+", [(3, None)], []),
    ])
def test_pairs(events, notes, strays):
    assert paired(events) == (notes, strays)


def test_a_key_that_is_written_well_is_read_as_it_is():
    """Whatever the order of offs and ons at one tick, where each note has a length and none
    overlaps."""
    draw = random.Random(5)
    for _ in range(200):
        tick, wanted, words = 0, [], []
        for _ in range(draw.randrange(1, 20)):
            start = tick + draw.choice((0, 0, 3))
            tick = start + draw.randrange(1, 5)
            wanted.append((start, tick))
            words += [f"{start}+", f"{tick}-"]
        assert paired(" ".join(words)) == (wanted, [])


def test_no_file_is_slow():
    """Offs before ons, each of which may be that of the note."""
    pairs = KeyPairs()
    for tick in range(20_000):
        pairs.off(tick, 2 * tick)
        pairs.on(Note(1, 60, 60.0, 1, tick, 0), 2 * tick + 1)
    pairs.off(20_000, 40_000)
    pairs.finish()
    assert len(pairs.ends) == 20_000 and pairs.strays == [0]
