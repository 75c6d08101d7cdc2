"""Swing, accents, humanise, fractions, grace notes and rests: the times and strengths of events."""
import math
from fractions import Fraction

import pytest
from score_texts import bind_text, check_text

from pysitar.errors import ScoreError
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.score.feel import Accents, Humanise, Swing
from pysitar.score.parser import load_score
from pysitar.score.timeline import GRACE_TIME, events, timeline

HEAD = "use tanpura as t\nuse guitar as g\n"


def played(text, **options):
    return events(load_score(text=HEAD + text), **options)


def times(text):
    return [event.time for event in played(text)]


def test_milliseconds_stand_wherever_seconds_do():
    for text in ("{} t.pa pluck", "0 t.pa pluck\n+{} t.pa pluck", "0 t.pa pluck dur={}",
                 "section a\n0 t.pa pluck\nend\nplay a at={}",
                 "section a\n0 t.pa pluck\nend\nplay a times=2 every={}",
                 "0 t.pa pluck f=1N\n0 g.e2 bend ({}:E2 1s:F2)"):
        assert played(text.format("250ms"))[-1][:2] == played(text.format("0.25s"))[-1][:2]


def test_sums_of_fractions_are_exact():
    """In binary, neither 1/3 nor 1/7 is; a hundred sums of 1/7 in floats are off by rounding."""
    rows = "0 t.pa pluck dur=1/7\n" + "+ t.pa pluck dur=1/7\n" * 700
    assert times(rows)[::7] == list(range(101))
    assert sum([1 / 7] * 700) != 100.0
    steps = "0 t.pa pluck\n" + "+1/3 t.pa pluck\n" * 300
    assert times(steps)[::3] == list(range(101))
    [event] = played("tempo 90\n2+1/3 t.pa pluck dur=5/3")
    assert event.time == 60.0 * float(Fraction(7, 3)) / 90.0
    assert event.end == 60.0 * 4.0 / 90.0
    assert times("section a\n0 t.pa pluck\nend\nplay a at=1/3 times=7 every=1/3")[2::3] == [1, 2]
    assert times("tala tintal\n2:1+1/2 t.pa pluck") == [16.5]
    # a sum whose denominator would be too long is rounded
    many = "0 t.pa pluck\n" + "".join(f"+1/{997 + index} t.pa pluck\n" for index in range(50))
    assert times(many)[-1] == pytest.approx(sum(1 / (997 + index) for index in range(50)),
                                            rel=1e-14)


def test_swing_moves_the_second_half_of_a_beat():
    assert times("swing 60%\n0 t.pa pluck\n0.5 t.pa pluck\n1 t.pa pluck\n1.5 t.pa pluck") == [
        0, 0.6, 1, 1.6]
    assert times("swing 60% 1/2\n0.25 t.pa pluck\n0.5 t.pa pluck\n0.75 t.pa pluck") == (
        pytest.approx([0.3, 0.5, 0.8], abs=1e-15))
    # evenly in each half; a time in seconds does not swing, and the event after it knows its beat
    assert times("swing 60%\n0.25 t.pa pluck\n0.75 t.pa pluck\n0.6s t.sa1 pluck dur=1/2\n"
                 "+ t.sa1 pluck") == pytest.approx([0.3, 0.6, 0.8, 1.0], abs=1e-15)
    # dur and + are in beats
    [first, second] = played("swing 70%\n0 t.pa pluck dur=0.5\n+ t.pa pluck dur=0.5")
    assert (first.duration, second.time, second.end) == (0.7, 0.7, 1.0)


def test_swing_and_its_inverse():
    for ratio in (0.1, 0.5, 0.62, 0.9):
        swing = Swing(ratio, 0.75)
        beats = [0.0137 * index for index in range(500)]
        warped = [swing.warp(beat) for beat in beats]
        assert warped == sorted(warped)
        assert [swing.unwarp(beat) for beat in warped] == pytest.approx(beats, abs=1e-12)
        assert [swing.warp(0.75 * count) for count in range(50)] == pytest.approx(
            [0.75 * count for count in range(50)], abs=1e-12)


def test_a_section_swings_like_its_caller_or_by_itself():
    section = "section a{}\n0.5 t.pa pluck\nend\n"
    assert times("swing 60%\n" + section.format("") + "play a at=2") == [2.6]
    # the caller's pairs: the section begins in the second half
    assert times("swing 60%\n" + section.format("") + "play a at=1.5") == [2.0]
    assert times("swing 60%\n" + section.format("\nswing 50%") + "play a at=2") == [2.5]
    assert times(section.format("\nswing 70%") + "play a at=2\n0.5 t.sa1 pluck") == [0.5, 2.7]
    # its own pairs, from its own start
    assert times(section.format("\nswing 70%") + "play a at=1.5") == [2.2]
    assert times("swing 60%\n" + section.format("\ntempo 120") + "play a at=2") == [2.3]
    # repeats begin at whole beats as written
    assert times("swing 60%\n" + section.format("") + "play a times=2") == [0.6, 2.6]


def test_accents_follow_the_beats():
    made = played("accent 1 0.5 80%\n" + "".join(f"{beat} t.pa pluck\n" for beat in (
        0, 0.5, 1, 2, 3, 4.999, 5)))
    assert [event.strength for event in made] == [1, 1, 0.5, 0.8, 1, 0.5, 0.8]
    half = played("accent 1 0.5 every=1/2\n0 t.pa pluck\n0.5 t.pa pluck\n1 t.pa pluck")
    assert [event.strength for event in half] == [1, 0.5, 1]
    section = "section a{}\n0 t.pa pluck\n1 t.pa pluck\nend\n"
    assert [event.strength for event in played(
        "accent 1 0.5\n" + section.format("") + "play a at=1")] == [0.5, 1]
    assert [event.strength for event in played(
        "accent 3\n" + section.format("\naccent 1 0.5") + "play a at=1")] == [1, 0.5]


@pytest.mark.parametrize(("row", "name", "value"), [
    ("0 t.pa pluck f=1N", "force", 0.5),
    ("0 t.pa pluck h=1mm", "height", 0.0005),
    ("0 s.sa_1 strike v=2", "velocity", 1.0),
    ("0 b.box strike v=2", "velocity", 1.0),
    ("0 b.box drop h=1", "height", 0.5),
])
def test_accents_multiply_what_makes_it_loud(row, name, value):
    bound = bind_text(
        "use tanpura as t\nuse santoor as s\nuse plastic_box as b\naccent 0.5\n" + row)
    [event] = [event for voice in bound.voices for event in voice.events]
    assert event.values[name] == value


def test_an_accent_out_of_range_is_reported():
    assert check_text(HEAD + "accent 10\n0 t.pa pluck f=500N") == [
        (4, 1, "with its gain and the accents and humanise of its section, force is 5000.0; "
               "expected a finite number (N), at least -1000 and at most 1000")]


def test_variations_have_the_deviation_and_the_limits_that_the_page_states():
    """Of a sum of four uniform numbers: deviation 1, at most sqrt(12), skewness 0, kurtosis
    3 - 1.2 / 4 (Irwin-Hall)."""
    humanise = Humanise(time=0.01)
    drawn = [humanise.variation("time", "t.pa", 0.25 * index, 1) for index in range(4000)]
    size = len(drawn)
    # the standard errors are 1 / sqrt(2 n), 1 / sqrt(n) and sqrt(24 / n): four of each
    assert math.sqrt(sum(x * x for x in drawn) / size) == pytest.approx(1.0, abs=0.045)
    assert sum(drawn) / size == pytest.approx(0.0, abs=0.064)
    assert sum(x**4 for x in drawn) / size == pytest.approx(2.7, abs=0.31)
    assert max(map(abs, drawn)) < math.sqrt(12.0)


def test_humanise_is_the_same_again_and_by_its_seed():
    rows = "".join(f"{beat} t.pa pluck f=1N\n" for beat in range(1, 9))
    line = "humanise time=8ms force=10% pitch=3c"
    first = played(f"{line} seed=7\n{rows}")
    assert first == played(f"{line} seed=7\n{rows}")
    assert [e.time for e in first] == [e.time for e in played(f"{line}\n{rows}", seed=7)]
    assert [e.time for e in first] == [
        e.time for e in played(f"render seed=7\n{line}\n{rows}")]
    other = played(f"{line} seed=8\n{rows}")
    assert all(a.time != b.time and a.strength != b.strength
               for a, b in zip(first, other, strict=True))
    for event, beat in zip(first, range(1, 9), strict=True):
        assert abs(event.time - beat) < 0.0278 and abs(event.strength - 1.0) < 0.347
        assert 0.0 < abs(event.detune) < 10.4
    # another row changes no variation, and + counts from the time as written
    more = played(f"{line} seed=7\n{rows}+ t.pa pluck\n0.5 t.pa pluck")
    assert [event.time for event in more[1:-1]] == [event.time for event in first]
    assert abs(more[-1].time - 9.0) < 0.0278


def test_rows_of_a_string_at_one_time_vary_alike():
    a, b, c = played("humanise time=8ms\n1 g.e2 pluck E2\n1 g.e2 bend meend=F2\n1 g.a2 pluck")
    same, other = [event for event in (a, b, c) if event.target[1] == "e2"], [
        event for event in (a, b, c) if event.target[1] == "a2"]
    assert same[0].time == same[1].time != other[0].time


def test_a_pitch_at_the_end_of_a_range_is_varied_within_it():
    text = "humanise pitch=30c\n" + "".join(f"{beat} t.pa pluck +12st\n" for beat in range(40))
    bound = bind_text(HEAD + text)
    pitches = {event.hz for event in bound.voices[0].events}
    top = max(pitches)
    assert len(pitches) > 10 and top == pytest.approx(2.0 * bound.voices[0].strings[0].hz, rel=1e-6)


def test_grace_notes_end_where_their_note_begins():
    made = played("grace g.e2 pluck F2\ngrace g.e2 pluck F#2 dur=1/4\n2 g.e2 pluck G2\n"
                  "+ g.e2 pluck G2")
    assert [event.time for event in made] == [1.75 - GRACE_TIME, 1.75, 2, 3]
    assert made[0].end == pytest.approx(1.75, abs=1e-15) and made[1].end == 2.0
    # for another string, and before a row at a relative time
    assert times("1 g.a2 pluck\ngrace g.e2 pluck F2\n+ g.a2 pluck") == [1, 2 - GRACE_TIME, 2]
    # of a length in beats, before the start of its section
    assert times("section a\ngrace g.e2 pluck dur=1/4\n0 g.e2 pluck\nend\nplay a at=4") == [3.75, 4]
    for duration, before in ((" dur=20", r"19 s"), ("", r"0\.06 s")):
        with pytest.raises(ScoreError, match=rf"{before} before the start"):
            played(f"grace g.e2 pluck{duration}\n{1 if duration else 0} g.e2 pluck")


def test_a_rest_takes_time_and_plays_nothing():
    assert times("0 t.pa pluck\n+ t.pa rest dur=2\n+ t.pa pluck") == [0, 3]
    assert times("section a\n0 t.pa pluck\n+ t.pa rest dur=2\nend\nplay a times=2") == [0, 3]
    score = load_score(text=HEAD + "0 t.pa pluck\n1 t.sq rest")
    assert len(timeline(score).events) == 1
    assert [problem[2] for problem in check_text(HEAD + "0 t.pa pluck\n1 t.sq rest")] == [
        "t has no string sq; expected one of pa, sa1, sa2, kharaj"]


def test_the_flat_score_has_the_same_events():
    """Without swing, accents and humanise: the times, pitches and strengths are written out."""
    text = ("use guitar as g\nuse santoor as s\nuse wood_table as w\nswing 63%\n"
            "accent 1 0.7 every=1/2\nhumanise time=9ms force=12% pitch=5c seed=3\n"
            "0 g.e2 pluck E2 dur=1/3\n"
            "+ g.e2 pluck +2st x=12%\ngrace g.a2 pluck B2\n+ g.e2 pluck h=1mm\n+ g.e2 rest\n"
            "+ g.e2 bend (0:E2 1/3:F2/cos)\n2 s.sa_* strike\n3 w.table roll v=(0:0.5 1:0.2)\n"
            "1 g strum f=0.5N\n3.5 w.table drop h=10cm\n")
    score = load_score(text=text)
    bound = bind_text(text)
    flat = flatten_score(score, bound)
    assert not any(word in flat for word in ("swing", "accent", "humanise", "rest", "grace"))
    again = bind_text(flat)
    for one, other in zip(bound.voices, again.voices, strict=True):
        assert [(*event[:5], event.duration, event.courses) for event in one.events] == [
            (*event[:5], event.duration, event.courses) for event in other.events]


def test_words_of_feel_are_names_too():
    text = ("use tanpura as accent\nsection swing\n0 accent.pa pluck\n1 accent strum\nend\n"
            "play swing\nset accent.pa.pluck.force = 1")
    assert len(events(load_score(text=text))) == 2


def test_accents_and_their_pattern():
    accents = Accents((1.0, 0.5, 0.25), 1.0 / 3.0)
    assert [accents.factor(index / 3.0) for index in range(6)] == [1.0, 0.5, 0.25] * 2


@pytest.mark.parametrize("row", ["t.pa damp", "t.pa fret +2st", "g.e2 press fret=3",
                                 "t.pa bend (0:pa)"])
def test_a_gain_of_a_row_that_it_would_not_change_is_refused(row):
    # the value stands behind the time, the row and ` gain=`
    with pytest.raises(ScoreError, match=rf":4:{len(row) + 9}: .* has no gain; expected gain with "
                                         "one of bow, drop, pluck"):
        played(f"0 t.pa pluck gain=-3dB\n0 {row} gain=-3dB")
