"""A warning where the damp of a staccato note comes after the next note of its string."""
import pytest
from score_texts import bind_text, places_and_messages

SILENCED = ("the staccato of {} ms silences the next note of g.e2, which begins {} ms after this "
            "one; expected a shorter staccato")


def warned(rows):
    return places_and_messages(bind_text(f"use guitar as g\ntempo 60\n{rows}").warnings)


@pytest.mark.parametrize(("staccato", "reported"), [
    ("900ms", True), ("500ms", False), ("499ms", False), ("60%", True), ("50%", False)])
def test_a_damp_after_the_next_note_of_its_string(staccato, reported):
    # at 60 beats a minute the next note is 500 ms later, and 60 % of dur=1 are 600 ms
    shown = {"900ms": "900", "60%": "600"}.get(staccato)
    assert warned(f"0 g.e2 pluck dur=1 staccato={staccato}\n0.5 g.e2 pluck") == (
        [(3, 1, SILENCED.format(shown, "500"))] if reported else [])


def test_notes_of_other_strings_and_damps_of_their_own_rows_are_not_meant():
    assert warned("0 g.e2 pluck staccato=900ms\n0.5 g.a2 pluck") == []
    assert warned("0 g.e2 pluck\n0.5 g.e2 pluck\n1 g.e2 damp") == []


def test_each_repetition_is_compared_with_its_own_stroke():
    section = "section s\n0 g.e2 pluck staccato=900ms\n{} g.e2 pluck\nend\nplay s times=3"
    assert warned(section.format(1)) == []
    assert warned(section.format(0.25)) == [(4, 1, SILENCED.format("900", "250"))]


@pytest.mark.parametrize("staccato", ["", " dur=1 staccato=50%"])
def test_the_strings_that_a_chord_mutes_are_not_meant(staccato):
    # a2 sounds in Am7 and is muted in D, by a damp of the same row
    assert warned(f"repeat 4 as i\n  let c ~ cycle(Am7 D)\n"
                  f"  {{2 * i}} g strum chord={{c}}{staccato}\nend") == []
