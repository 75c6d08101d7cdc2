"""The times of events from rows, sections, repeats and relative times."""
import pytest

from pysitar.errors import ScoreError
from pysitar.score.literals import Curve
from pysitar.score.parser import load_score
from pysitar.score.timeline import events, score_end

HEAD = "use tanpura as t\nuse sitar as s\n"


def played(text):
    return events(load_score(text=HEAD + text))


def times(text):
    return [event.time for event in played(text)]


def test_the_example_of_the_language():
    drone = """section drone
  0    t.pa      pluck f=0.6N x=0.4
  1    t.sa1     pluck
  2    t.sa2     pluck dur=2          # dur: where + would go on
  4    t.kharaj  pluck f=0.8N
  +3   t.kharaj  damp t60=200ms
  +    t.kharaj  pluck
end
play drone at=0 times=3 every=8 f=*0.9
"""
    made = played(drone)
    assert len(made) == 18
    assert [(event.time, ".".join(event.target), event.verb) for event in made[:7]] == [
        (0, "t.pa", "pluck"), (1, "t.sa1", "pluck"), (2, "t.sa2", "pluck"),
        (4, "t.kharaj", "pluck"), (7, "t.kharaj", "damp"), (8, "t.pa", "pluck"),
        (8, "t.kharaj", "pluck")]
    assert {event.force_factor for event in made} == {0.9}
    assert made[2].duration == 2.0
    assert score_end(made) == 25.0


def test_factors_multiply_and_compound():
    text = "section a\n0 t.pa pluck\nend\n"
    assert [e.force_factor for e in played(text + "play a times=3 f=*0.9")] == [0.9, 0.9, 0.9]
    assert [e.force_factor
            for e in played(text + "play a times=3 f=*0.9^")] == [0.9, 0.9**2, 0.9**3]
    nested = text + "section b\nplay a times=2 f=*0.5^\nend\nplay b times=2 force=*0.8^"
    assert [e.force_factor for e in played(nested)] == pytest.approx(
        [0.4, 0.2, 0.32, 0.16], rel=1e-15)


def test_transpositions_add():
    text = ("section a\n0 t.pa pluck re\n0 t.sa damp\nend\nsection b\nplay a transpose=50c\nend\n"
            "play b transpose=2st\n0 t.pa pluck")
    assert [e.transpose for e in played(text)] == [250.0, 250.0, 0.0]


def test_plus_goes_on_where_the_last_event_on_the_target_ends():
    assert times("0 t.pa pluck\n+ t.pa pluck\n+ t.pa pluck dur=0.5\n+ t.pa pluck\n9 t.sa pluck\n"
                 "+ t.pa pluck") == [0, 1, 2, 2.5, 3.5, 9]
    assert times("2 t.pa pluck dur=300ms\n+ t.pa pluck") == [2, 2.3]
    assert times("2 t.pa pluck dur=5\n+3 t.pa pluck\n+1.5s t.pa pluck\n+0 t.pa pluck") == [
        2, 5, 6.5, 6.5]


def test_plus_counts_within_its_section_and_past_plays():
    text = "1 t.pa pluck\nsection a\n5 t.pa pluck\n+ t.pa pluck\nend\nplay a at=10\n+ t.pa pluck"
    assert times(text) == [1, 2, 15, 16]


def test_plus_and_all_strings():
    assert times("0 t.* pluck dur=2\n+ t.pa pluck\n+ t.sa pluck") == [0, 2, 2]
    assert times("0 t.pa pluck\n3 t.* pluck\n+ t.* damp") == [0, 3, 4]
    assert times("0 t strum dur=3\n+ t.pa pluck") == [0, 3]
    with pytest.raises(ScoreError, match="different times"):
        played("0 t.* pluck\n1 t.pa pluck\n+ t.* pluck")


def test_stars_stay_in_the_target():
    assert played("0 t.* pluck")[0].target == ("t", "*")


def test_ties_are_in_the_order_of_the_file():
    text = (
        "section a\n0 t.pa pluck\nend\n4 t.one pluck\nplay a at=4\n4 t.two pluck\n3 t.three pluck")
    assert [event.target[1] for event in played(text)] == ["three", "pa", "one", "two"]


def test_a_section_may_be_played_above_its_definition():
    assert times("play a at=2\nsection a\n1 t.pa pluck\nend") == [3]


def test_the_default_period_is_the_length_in_whole_beats():
    assert times("section a\n0 t.pa pluck dur=2.5\nend\nplay a times=3") == [0, 3, 6]
    assert times("tempo 120\nsection a\n0 t.pa pluck dur=1.6s\nend\nplay a times=2") == [0, 2]
    assert times("tempo 37\nsection a\n0.1 t.pa pluck dur=0.9\nend\nplay a times=2 every=1"
                 ) == times("tempo 37\nsection a\n0.1 t.pa pluck dur=0.9\nend\nplay a times=2")
    nested = "section a\n0 t.pa pluck\nend\nsection b\nplay a times=3\nend\nplay b times=2"
    assert times(nested) == [0, 1, 2, 3, 4, 5]


def test_periods_and_starts_in_seconds():
    assert times("tempo 52\nsection a\n0 t.pa pluck\nend\nplay a at=2s every=3.3s times=3") == [
        2.0, 5.3, 8.6]


def test_bars():
    assert times("tala tintal\n1:1 t.pa pluck\n3:2 t.pa pluck") == [0, 33]
    assert times("tala 5+5+2\n2:12 t.pa pluck\nsection a\n1:3 t.pa pluck\nend\nplay a at=3:1") == [
        23, 26]
    assert times("3:2 t.pa pluck\ntala rupak") == [15]


def test_durations_are_exact_in_seconds():
    made = played("tempo 37\n3 t.pa pluck dur=200ms\n4 t.pa pluck dur=1.5s")
    assert [event.duration for event in made] == [0.2, 1.5]


def test_curves_follow_the_tempo():
    made = played("tempo 120\n4 t.pa bend (0:re 2:ga/cos 3s:pa)\n5 t.pa press f=(0:1N 1:2N)")
    assert [point.time for point in made[0].curve.points] == [0.0, 1.0, 3.0]
    force = made[1].arguments["f"].value
    assert isinstance(force, Curve)
    assert [(point.time, point.in_seconds) for point in force.points] == [(0.0, True), (0.5, True)]


def test_what_an_event_carries():
    event = played("\t2 t.pa  pluck re-14c f=0.6N x=0.4  # soft")[0]
    assert (event.place.line, event.place.col) == (3, 2)
    assert (event.target_place.col, event.verb_place.col, event.pitch_place.col,
            event.end_place.col) == (4, 10, 16, 35)
    assert event.pitch.cents == -14
    assert list(event.arguments) == ["f", "x"]
    assert (event.arguments["f"].name_place.col, event.arguments["f"].value_place.col) == (23, 25)
    assert event.force_factor == 1.0


def test_a_pitch_may_be_named():
    assert played("0 t.pa pluck pitch=440Hz")[0].pitch.hertz == 440.0
    assert [pitch.text for pitch in played("0 t strum re ga pa")[0].pitches] == ["re", "ga", "pa"]
    with pytest.raises(ScoreError, match="given twice"):
        played("0 t.pa pluck re pitch=440Hz")


def test_transposing_bends():
    text = ("section a\n0 t.pa pluck re\n1 t.pa bend (0:re 1:ga)\n2 t.pa bend meend=ga\nend\n"
            "play a transpose=1st")
    assert len(played(text)) == 3


def test_limits_can_be_lifted():
    score = load_score(text=HEAD + "20000s t.pa pluck")
    assert len(events(score, allow_large=True)) == 1
    with pytest.raises(ScoreError, match="4 hours"):
        events(score)
