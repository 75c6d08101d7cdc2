"""Targets: the events of the chosen strings alone, the rest of the score unchanged."""
import numpy as np
import pytest
from instruments import TWO_MODES
from score_texts import write_score

import pysitar
from pysitar.api.request import Request, prepare_engine
from pysitar.api.targets import match_strings, parse_targets, select_strings
from pysitar.errors import ParameterError
from pysitar.rendering.engine import bind_score

# two instruments of two strings; the second string is an octave under the first
PAIR = TWO_MODES + TWO_MODES[TWO_MODES.index("[strings.a]"):].replace(
    "strings.a", "strings.low").replace("9000.0", "4500.0")
HEAD = """\
use "pair.toml" as t
use "pair.toml" as u
render rate=16000 oversample=1 tail=10ms
set *.*.sigma0 = 100
set *.a.pitch = 3kHz
set *.low.pitch = 2kHz
"""
ROWS = ["0 t.a pluck dur=0", "0.005s t.low pluck dur=0", "0.01s u.* pluck f=0.2N dur=0",
        "0.015s t.low damp dur=0", "0.03s u.a pluck dur=0"]


@pytest.fixture
def score(tmp_path):
    (tmp_path / "pair.toml").write_text(PAIR)

    def read(*rows):
        return write_score(tmp_path, HEAD + "\n".join(rows or ROWS) + "\n")
    return read


@pytest.fixture
def bound(score):
    return bind_score(score())[0]


ALL = {("t", "a"), ("t", "low"), ("u", "a"), ("u", "low")}


@pytest.mark.parametrize(("targets", "expected"), [
    (["t"], {("t", "a"), ("t", "low")}),
    (["t.*"], {("t", "a"), ("t", "low")}),
    (["u.low"], {("u", "low")}),
    (["*.a"], {("t", "a"), ("u", "a")}),
    (["*"], ALL),
    (["*.*"], ALL),
    (["t.a", "u"], ALL - {("t", "low")}),
    ("t.a", {("t", "a")}),
    (["t.lo*"], {("t", "low")}),
    (["*.a*"], {("t", "a"), ("u", "a")}),
    ([], set()),
])
def test_what_targets_mean(bound, targets, expected):
    assert match_strings(bound, "only", parse_targets("only", targets)) == expected


def events(bound):
    return [(voice.name, event.part, event.verb, event.time) for voice in bound.voices
            for event in voice.events]


def test_only_and_mute(bound):
    every = events(bound)
    assert len(every) == 6
    assert select_strings(bound) is bound
    for only, mute, kept in [(("t", ), (), ALL - {("u", "a"), ("u", "low")}),
                             ((), ("t.low", "u.a"), {("t", "a"), ("u", "low")}),
                             (("*.low", ), ("t", ), {("u", "low")}),
                             (("t.low", "u.low"), ("*.a", ), {("t", "low"), ("u", "low")})]:
        chosen = select_strings(bound, only=only, mute=mute)
        assert events(chosen) == [event for event in every if event[:2] in kept]
        assert chosen.end == bound.end and [voice.strings for voice in chosen.voices
                                            ] == [voice.strings for voice in bound.voices]


@pytest.mark.parametrize(("given", "name", "said"), [
    ({"only": ("x.a", )
      }, "only", "only is x.a; the score has no instrument of that name; expected one of t, u"),
    ({"mute": ("t.lo", )}, "mute", "mute is t.lo; t has not this string; did you mean low?"),
    ({"only": ("*.mid", )}, "only", "no instrument has this string; expected one of a, low"),
    ({"only": ("t", ), "mute": ("t", "u.x")}, "mute", "u.x"),
    ({"mute": ("*", )}, "mute", "mute is *; no sounding event remains"),
    ({"only": ("t", ), "mute": ("t.a", "t.low")}, "mute", "mute is t.a t.low; no sounding event"),
])
def test_targets_that_are_not_there(bound, given, name, said):
    with pytest.raises(ParameterError) as caught:
        select_strings(bound, **given)
    assert caught.value.name == name and said in str(caught.value)


def test_what_never_sounds_is_nothing(score):
    bound, _ = bind_score(score("0 t.a pluck", "1 u.a damp"))
    with pytest.raises(ParameterError, match="only is u; no sounding event remains"):
        select_strings(bound, only=("u",))


@pytest.mark.parametrize("target",
                         ["", "t.", ".a", "t.a.pluck", "t..a", "t*", "t a", "1t", 3, None, b"t"])
def test_targets_that_are_none(target):
    with pytest.raises(ParameterError, match=r"mute is .*; expected an instrument or a string of "
                       r"the score: t, t\.pa"):
        parse_targets("mute", [target])


def test_what_is_no_list_of_targets():
    with pytest.raises(ParameterError, match="only is 3; expected an instrument"):
        parse_targets("only", 3)
    assert parse_targets("only", (name for name in ("t", "u"))) == ("t", "u")


def test_a_render_of_some_strings(score):
    """The same bits as the score without the other rows has, as long as the whole score."""
    whole = pysitar.render(score())
    assert whole.audio.shape == (640, 2)
    # so that a score of these rows alone ends where the whole does
    longer = ROWS[0].replace("dur=0", "dur=30ms")
    for given, rows in [({"only": "t"}, [longer, ROWS[1], ROWS[3]]),
                        ({"mute": ["t.a", "u.low"]},
                         [ROWS[1], ROWS[3], ROWS[2].replace("*", "a"), ROWS[4]])]:
        part = pysitar.render(score(), **given)
        assert np.array_equal(part.audio, pysitar.render(score(*rows)).audio)
        assert part.audio.shape == whole.audio.shape
        assert part.audio.any() and not np.array_equal(part.audio, whole.audio)
    assert pysitar.render(score(), only="t").report["voices"].keys() == {"t"}


@pytest.mark.parametrize(("asked", "expected"), [
    ({}, ALL),
    ({"only": "t.a"}, {("t", "a")}),
    ({"mute": ["t.a", "u"]}, {("t", "low")}),
    ({"only": "*.low"}, {("t", "low"), ("u", "low")}),
    ({"only": ["t", "u.a"], "mute": "t.low"}, {("t", "a"), ("u", "a")}),
    ({"only": "t", "traces": "*.low"}, {("t", "low")}),
])
def test_strings_that_are_left_silent_have_no_traces(score, asked, expected):
    assert prepare_engine(score(), Request(**{"traces": True} | asked)).traced == expected


def test_the_traces_of_a_string_do_not_ask_what_else_plays(score):
    whole = pysitar.render(score(), traces=True).traces
    part = pysitar.render(score(), traces=True, only="t.low").traces
    assert {name.rsplit(".", 1)[0] for name in part} == {"t.low"}
    for name, values in part.items():
        np.testing.assert_array_equal(values, whole[name])
    with pytest.raises(ParameterError, match=r"traces is t\.a; no event plays it; expected"):
        pysitar.render(score(), traces="t.a", only="t.low")


def test_strings_that_share_a_body_sound_along_and_have_traces():
    text = ("use tanpura as k\nset k.body.coupled = {}\nrender rate=16000 tail=1ms\n0 k.pa pluck\n"
            "0 k.sa1 pluck\n")
    for coupled, expected in (("false", {"pa"}), ("true", {"pa", "sa1", "sa2", "kharaj"})):
        engine = prepare_engine(pysitar.load_score(text=text.format(coupled)),
                                Request(traces=True, only="k.pa"))
        assert engine.traced == {("k", name) for name in expected}
