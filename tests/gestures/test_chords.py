"""Names of chords, diagrams and voicings: the notes, the bass, and what a hand can take."""
import pytest

from pysitar.gestures.chords import (
    FINGERS,
    QUALITIES,
    REACH,
    OpenString,
    find_voicing,
    parse_chord,
    parse_diagram,
)

GUITAR = (40, 45, 50, 55, 59, 64)          # MIDI numbers: E2 A2 D3 G3 B3 E4
TUNINGS = {"guitar": GUITAR, "open G": (38, 43, 50, 55, 59, 62), "ukulele": (67, 60, 64, 69),
           "bass": (28, 33, 38, 43), "fifths": (36, 43, 50, 57)}


def strings(notes, highest=20):
    return tuple(OpenString(440.0 * 2.0 ** ((note - 69) / 12), highest) for note in notes)


@pytest.mark.parametrize(("name", "diagram"), [
    ("C", "x32010"), ("Am", "x02210"), ("Em", "022000"), ("E", "022100"), ("G", "320003"),
    ("D", "xx0232"), ("A", "x02220"), ("F", "133211"), ("Dm", "xx0231"), ("Am7", "x02010"),
    ("A7", "x02020"), ("E7", "020100"), ("D7", "xx0212"), ("G7", "320001"), ("B7", "x21202"),
    ("C7", "x32310"), ("Cmaj7", "x32000"), ("F#m", "244222"), ("F#", "244322"), ("Dm7", "xx0211"),
    ("C6", "x32210"), ("D/F#", "200232"), ("G/B", "x20003"), ("C/G", "332010")])
def test_the_shapes_of_a_guitar_are_those_that_players_learn_first(name, diagram):
    assert find_voicing(parse_chord(name), strings(GUITAR)) == parse_diagram(diagram, 6)


@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("quality", QUALITIES)
def test_a_voicing_has_the_notes_of_its_chord_and_a_hand_can_take_it(tuning, quality):
    notes = TUNINGS[tuning]
    found = 0
    for root in ("C", "F#", "Bb", "A"):
        chord = parse_chord(root + quality)
        try:
            frets = find_voicing(chord, strings(notes))
        except ValueError:
            continue
        found += 1
        heard = sorted(note + fret for note, fret in zip(notes, frets, strict=True)
                       if fret is not None)
        assert heard[0] % 12 == chord.bass or tuning != "guitar"
        missing = chord.classes - {note % 12 for note in heard}
        assert {note % 12 for note in heard} <= chord.classes
        assert not missing or (missing == {(chord.root + 7) % 12} and len(chord.intervals) > 3)
        stopped = [fret for fret in frets if fret]
        assert max(stopped, default=0) - min(stopped, default=0) <= REACH
        barre = (0 not in frets and stopped.count(min(stopped))) or 1
        assert len(stopped) - barre + 1 <= FINGERS
    # four strings in fifths lack some chords of four notes and more
    assert found >= (4 if tuning == "guitar" else 1), (tuning, quality, found)


def test_an_inner_string_is_not_muted():
    for quality in QUALITIES:
        frets = find_voicing(parse_chord("A" + quality), strings(GUITAR))
        first = next(index for index, fret in enumerate(frets) if fret is not None)
        assert None not in frets[first:]


@pytest.mark.parametrize(("text", "said"), [
    ("H", "is not a chord"), ("am", "is not a chord"), ("Amm", "not a quality of chords"),
    ("Amaj", "did you mean maj7"), ("", "is not a chord"), ("C/H", "is not a quality|not a chord")])
def test_what_is_no_chord(text, said):
    with pytest.raises(ValueError, match=said):
        parse_chord(text)


def test_diagrams():
    assert parse_diagram("x02010", 6) == (None, 0, 2, 0, 1, 0)
    assert parse_diagram("8-10-x-9", 4) == (8, 10, None, 9)
    for text in ("x0201", "x02-10", "", "0y2010", "1-2-3-4-5-100"):
        with pytest.raises(ValueError, match="expected"):
            parse_diagram(text, 6)


def test_chords_that_strings_do_not_have():
    with pytest.raises(ValueError, match="within the reach"):
        find_voicing(parse_chord("C9"), strings((40, 45)))
    with pytest.raises(ValueError, match="more than a hand stops"):
        find_voicing(parse_chord("C"), strings(range(40, 52)))
    # open strings alone, of one chord
    assert find_voicing(parse_chord("C"), strings((48, 52, 55), highest=0)) == (0, 0, 0)
