"""A warning where the T60 of a row is too short for a finger: 27.5 length / c, of an ideal string
13.75 periods."""
import pytest
from instruments import ideal_wires
from score_texts import bind_text, places_and_messages, warnings_of

from pysitar.score.document import Score

USE = 'use "wires.toml" as b\n'          # at best 0.275 s and 0.06875 s
LOW, HIGH = "b.low is damped in about 280 ms at best", "b.high is damped in about 69 ms at best"


@pytest.fixture(autouse=True)
def wires(here):
    (here / "wires.toml").write_text(ideal_wires(low=50.0))


def warned(text):
    return [warning for warning in places_and_messages(bind_text(
        f"{USE}{text}\n99 b.low pluck").warnings) if "drawn out" not in warning[2]]


def test_a_t60_too_short_for_a_finger():
    assert warned("0 b.low pluck\n1 b.low damp t60=50ms") == [(3, 18, f"{LOW}; t60 is 50 ms")]
    assert warned("0 b.low damp t60=0.1ms") == [(2, 18, f"{LOW}; t60 is 100 us")]


def test_it_is_reported_once_a_string_at_the_first_such_row():
    rows = ("0 b.low damp t60=1s\n1 b.low damp t60=100ms\n2 b.low damp t60=50ms\n"
            "3 b.high damp t60=100ms\n4 b.low damp t60=100ms\n")
    assert warned(rows) == [(3, 18, f"{LOW}; t60 is 100 ms")]
    assert warned(f"section s\n{rows}end\nplay s times=3") == [(4, 18, f"{LOW}; t60 is 100 ms")]
    assert warned(rows + "5 b.* damp t60=40ms") == [(3, 18, f"{LOW}; t60 is 100 ms"),
                                                    (7, 16, f"{HIGH}; t60 is 40 ms")]


@pytest.mark.parametrize(("t60", "reported"), [("0.206", True), ("0.207", False), ("300ms", False)])
def test_a_t60_within_the_tolerance_is_not_reported(t60, reported):
    # 0.275 s x 3/4 = 0.20625 s
    assert bool(warned(f"0 b.low damp t60={t60}")) == reported


def test_a_damp_without_t60_has_the_default():
    assert not warned("0 b.low damp\n1 b.* damp")          # the default is 0.2 s
    assert not warned("set b.low.pitch = 10\n0 b.low pluck\n1 b.low damp")


def test_the_best_is_that_of_the_open_string_as_it_is_set():
    assert warned("set b.low.pitch = 25\n0 b.low damp t60=300ms") == [
        (3, 18, "b.low is damped in about 550 ms at best; t60 is 300 ms")]
    assert not warned("set b.low.pitch = 100\n0 b.low pluck +12st\n1 b.low damp t60=105ms")


def test_rows_built_in_python():
    score = Score.from_events([(0.0, "b.low", "damp", {"t60": 0.05}), (1.0, "b.low", "pluck", {})],
                              use={"b": "wires.toml"})
    (warning,) = (warning for warning in warnings_of(score) if "drawn out" not in warning.message)
    assert str(warning).startswith("event 1: ") and LOW in str(warning)
