"""Warnings of curves that are longer than their row."""
import pytest
from score_texts import bind_text, places_and_messages


def warned(text):
    return [one for one in places_and_messages(bind_text(text).warnings) if "curve of" in one[2]]


@pytest.mark.parametrize(("row", "column", "word", "lasts"), [
    ("v.g3 bow v=(0:0.2 2:0.2) dur=1", 14, "velocity", 1),
    ("v.g3 bow v=(0:0.2 2:0.2)", 14, "velocity", 1),       # a beat
    ("v.g3 bow f=(0:0.6 2:0.6) v=0.2 dur=1.5", 14, "force", 1.5),
    ("v.g3 bow shift=(0:0 2:1mm) dur=1", 18, "shift", 1),
    ("v.g3 bow (0:G3 2:A3) dur=1", 12, "pitches", 1),
])
def test_the_end_of_a_curve_that_is_not_played_is_reported(row, column, word, lasts):
    assert warned(f"use violin as v\n0 {row}") == [(2, column, (
        f"the curve of {word} ends at 2 s, and the row lasts {lasts} s: its end is not played; "
        "expected dur=2s, or a curve that ends before"))]
    assert warned(f"use violin as v\n0 {row.partition(' dur')[0]} dur=2") == []


def test_a_roll_and_each_part_once():
    text = "use wood_table as v\n0 v.table roll v=(0:0.2 2:0.2) dur=1"
    assert [one[:2] for one in warned(text)] == [(2, 18)]
    assert len(warned(f"{text}\n4 v.table roll v=(0:0.2 2:0.2) dur=1")) == 1
    assert warned("use wood_table as v\n0 v.table roll v=(0:0.2 2:0.2) dur=2") == []


def test_curves_with_an_end_of_their_own_are_silent():
    # a press lasts to the end of its force, a bend to that of its curve
    assert warned("use guitar as g\n0 g.e2 press fret=3 f=(0:0 0.1:9 2:9 2.1:0) dur=1\n"
                  "0 g.e2 pluck\n3 g.e2 bend (0:+0st 2:+1st) dur=1") == []
    # beats at another tempo: 2 beats are 1 s
    assert warned("use violin as v\ntempo 120\n0 v.g3 bow v=(0:0.2 2:0.2) dur=2") == []
