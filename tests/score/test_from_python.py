"""`Score.from_events`: the statements that a score in Python may have beside its events."""
import pytest

from pysitar.errors import ScoreError
from pysitar.score.document import Score
from pysitar.score.parser import load_score
from pysitar.score.timeline import timeline

EVENTS = [(0.0, "g.e2", "pluck", {}), ("0.5", "g.e2", "pluck", {"f": 0.5})]


def test_all_statements_are_those_of_a_score():
    made = Score.from_events(
        EVENTS, use={"g": "guitar"}, mix={"g": {"loudness": "-18LUFS", "pan": 0.2}},
        room="hall wet=-12dB", swing="60%", accent="1 0.5", humanise="time=5ms seed=3",
        tuning="sa=C3 just", render={"tail": "1s"})
    text = load_score(text="use guitar as g\nmix g loudness=-18LUFS pan=0.2\nroom hall wet=-12dB\n"
                           "swing 60%\naccent 1 0.5\nhumanise time=5ms seed=3\ntuning sa=C3 just\n"
                           "render tail=1s\n0s g.e2 pluck\n0.5 g.e2 pluck f=0.5\n")
    assert made.room.wet == text.room.wet == -12.0 and made.room.source == "hall"
    assert made.main.feel == text.main.feel
    assert made.mixes[0].target == ("g",)
    assert made.mixes[0].arguments["loudness"].value[:2] == (-18.0, "LUFS")
    assert [event.time for event in timeline(made).events] == [
        event.time for event in timeline(text).events]


def test_mistakes_have_their_statement_as_place():
    with pytest.raises(ScoreError) as caught:
        Score.from_events(EVENTS, use={"g": "guitar"}, mix={"g": {"pann": 1.0}}, room="halll",
                          swing="95%", humanise="time=1s", accent="loud")
    assert {problem.place.file for problem in caught.value.problems} == {
        "mix g", "room", "swing", "humanise", "accent"}


@pytest.mark.parametrize(("statements", "message"), [
    ({"swing": 0.6}, "swing: 0.6 is not a text; expected what follows the word swing in a score"),
    ({"room": 3}, "room: 3 is not a text"),
    ({"accent": [1, 0.5]}, "is not a text"),
    ({"mix": {"t": "gain=-3dB"}}, "mix t: gain=-3dB is no mapping; expected levels by their names"),
    ({"events": [None]}, "event 1: this is not an event"),
])
def test_arguments_of_another_type_are_reported(statements, message):
    given = {"events": [(0.0, "t.pa", "pluck", {})], "use": {"t": "tanpura"}} | statements
    with pytest.raises(ScoreError) as caught:
        Score.from_events(given.pop("events"), **given)
    assert message in str(caught.value)
