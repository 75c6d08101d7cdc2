"""Bridges that an instrument can choose from: what they change, what a score changes after them,
and where their faults are reported."""
import pytest
from instruments import BRIDGES, exchange_line, instrument, string
from models.definitions.instrument_texts import faults, parse

from pysitar.models.definitions.loader import InstrumentError
from pysitar.models.definitions.spec import parameter_at

BARRIER = {"profile": "parabola", "extent": 0.02, "height": 1e-5, "points": 4, "stiffness": 1e8}
PLAIN = instrument(string("a", pitch=100, length=0.5, barrier=BARRIER),
                   string("b", pitch=150, length=0.4, barrier=BARRIER), gain=1)
TEXT = exchange_line(PLAIN, "gain = 1", f"gain = 1\n{BRIDGES}".rstrip())


def summary(spec):
    return spec.bridge, [(string.barrier.height, string.barrier.points, string.cents)
                         for string in spec.strings]


LOW = ("low", [(1e-5, 4, 0.0), (1e-5, 4, 0.0)])
HIGH = ("high", [(5e-5, 6, -20.0), (5e-5, 5, 0.0)])


def test_the_file_chooses_a_bridge():
    assert summary(parse(TEXT)) == LOW
    assert summary(parse(exchange_line(TEXT, 'bridge = "low"', 'bridge = "high"'))) == HIGH


def test_a_score_chooses_a_bridge():
    chosen = (("bridge",), "high")
    assert summary(parse(TEXT, changes=[chosen])) == HIGH
    assert summary(parse(TEXT, changes=[chosen, (("bridge",), "low")])) == LOW  # the last holds
    assert summary(
        parse(exchange_line(TEXT, 'bridge = "low"', 'bridge = "none"'), changes=[chosen])) == HIGH
    assert parameter_at(("bridge",)).kind == "text"


def test_a_score_changes_what_the_bridge_has_changed():
    later = (("*", "barrier", "height"), 7e-5)
    for changes in ([(("bridge",), "high"), later], [later, (("bridge",), "high")]):
        assert summary(parse(TEXT, changes=changes)) == ("high", [(7e-5, 6, -20.0), (7e-5, 5, 0.0)])


def test_an_instrument_without_bridges_has_none():
    assert parse(PLAIN).bridge == ""
    (fault,) = faults(PLAIN, changes=[(("bridge",), "high")])
    assert "the instrument has no bridge; expected one of model, gain, spread, scheme" in fault[1]
    ((key, message),) = faults(exchange_line(PLAIN, "gain = 1", 'gain = 1\nbridge = "low"'))
    assert (key, message) == (
        "bridge", "there is no bridge to choose; expected a table [bridges.NAME] for each")


WRONG = [
    ('bridge = "low"', "", "bridge", 'is missing; expected "low" or "high"'),
    ('bridge = "low"', 'bridge = "hihg"', "bridge", "bridge is hihg; did you mean high?"),
    ('bridge = "low"', 'bridge = "paper"', "bridge", "bridge is paper; expected one of low, high"),
    ('bridge = "low"', "bridge = 3", "bridge", 'bridge is 3; expected "low" or "high"'),
    ('"a.cents" = -20', '"c.cents" = -20', "bridges.high.c.cents",
     "the instrument has no c; expected one of"),
    ('"a.cents" = -20', '"a.cent" = -20', "bridges.high.a.cent",
     "a has no cent; did you mean cents?"),
    ('"a.cents" = -20', '"a.thread.height" = 0', "bridges.high.a.thread.height", "a has no thread"),
    ('"a.cents" = -20', '"a.barrier" = 0', "bridges.high.a.barrier",
     "barrier is a table; expected a path to one of profile"),
    ('"a.cents" = -20', '"" = 0', 'bridges.high.""', "the instrument has no"),
    ('"a.cents" = -20', '"bridge" = "low"', "bridges.high.bridge", "the instrument has no bridge"),
    ('"a.cents" = -20', "a.cents = -20", "bridges.high.a",
     'is a table; expected a path in quotes, such as "*.barrier.height" = 5e-5'),
    ('"a.cents" = -20', '"a.cents" = -2000', "bridges.high.a.cents", "(cents), at least -1200"),
    ('"a.cents" = -20', '"a.cents" = "low"', "bridges.high.a.cents",
     "cents is the text \"low\"; expected a finite number"),
    ('"*.barrier.points" = 6', '"*.barrier.points" = 6.5', "bridges.high.*.barrier.points",
     "a whole number from 1"),
    ("[bridges.low]", "[bridges]\nlow = 3", "bridges.low",
     "is no table; expected a table with the changes that it makes"),
]


@pytest.mark.parametrize("chosen", [(), ((("bridge",), "high"),)], ids=["not chosen", "chosen"])
@pytest.mark.parametrize(("old", "new", "key", "part"), WRONG,
                         ids=[(new or f"no {old}")[:50] for old, new, _, _ in WRONG])
def test_what_is_wrong_in_a_bridge_is_reported_whether_it_is_chosen_or_not(
        old, new, key, part, chosen):
    text = exchange_line(TEXT, old, new)
    if chosen and key == "bridge":          # the score has said which
        assert summary(parse(text, chosen)) == HIGH
        return
    ((reports, message),) = faults(text, chosen)          # once, however many strings it reaches
    assert reports == key and part in message


def test_bridges_is_a_table():
    text = exchange_line(PLAIN, "gain = 1", "gain = 1\nbridges = 3")
    assert faults(text) == [("bridges", "is no table; expected a table [bridges.NAME] for each")]


def test_a_wrong_choice_is_reported_at_the_choice():
    with pytest.raises(InstrumentError) as caught:
        parse(TEXT, changes=[(("gain",), 2.0), (("bridge",), "hig")])
    (fault,) = caught.value.faults
    assert (fault.path, fault.change) == (("bridge", ),
                                          None) and "did you mean high?" in fault.message


def test_what_only_the_whole_shows_is_reported_at_the_bridge_that_made_it():
    text = exchange_line(TEXT, '"a.cents" = -20',
                         '"*.barrier.extent" = 0.45')  # too long for b alone
    assert parse(text).bridge == "low"
    ((key, message),) = faults(text, [(("bridge",), "high")])
    assert key == "bridges.high.*.barrier.extent"
    assert "on the string, between 0 and 0.4 m" in message
    # a score that puts it right, or makes it wrong itself
    assert parse(text, [(("bridge", ), "high"),
                        (("b", "barrier", "extent"), 0.1)]).strings[1].barrier.extent == 0.1
    ((key, _),) = faults(text, [(("bridge",), "high"), (("b", "barrier", "extent"), 0.46)])
    assert key == "strings.b.barrier.extent"


def test_a_string_is_not_named_like_a_bridge():
    for name in ("bridge", "bridges"):
        assert (f"strings.{name}", f"{name} is a key of the instrument; "
            "expected a string's name of letters and digits, a letter first") in faults(
            TEXT + f"[strings.{name}]\npitch = 1\n")


def test_a_change_does_not_reach_into_the_bridges():
    (fault,) = faults(TEXT, changes=[(("bridges", "high", "a.cents"), 1.0)])
    assert "the instrument has no bridges" in fault[1]
