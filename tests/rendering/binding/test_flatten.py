"""Flat scores: the same events and bits, unchanged when flattened again, and each construct that is
removed."""
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from instruments import instrument, string

import pysitar
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.options import options

WIRES = instrument(
    string("low", pitch="sa,", length=0.8, highest=36, lowest=-24),
    string("high", pitch="pa", length=0.4, highest=24, lowest=-24, linear_density=5e-4,
           pluck={"position": 0.1, "force": 0.7, "ramp": 0.004}), gain=2.0)
SCALE = "! five.scl\nfive\n 5\n9/8\n5/4\n3/2\n5/3\n2/1\n"


@pytest.fixture
def folder(here):
    (here / "deep").mkdir()
    (here / "deep" / "wires.toml").write_text(WIRES)
    (here / "deep" / "five.scl").write_text(SCALE)
    (here / "deep" / "coda.score").write_text(
        'use "wires.toml" as s\ntempo 120\n0 s.low pluck sa\n1 s.* pluck dur=2\n')
    return here


def flat(text):
    score = pysitar.load_score(text=text)
    bound = bind(score, options(score))
    return flatten_score(score, bound), bound


def rows(text):
    return [line for line in flat(text)[0].splitlines() if line[0].isdigit()]


def played(bound):
    """All that an engine sees of the events."""
    return [(voice.name, voice.level.gain, voice.level.pan, event.time, event.part, event.verb,
             event.values, event.hz, event.duration)
            for voice in bound.voices for event in voice.events]


USE = 'use "deep/wires.toml" as s\n'
BUSY = USE + """use "deep/wires.toml" as soft scheme=three-point
render rate=24000 oversample=1 tail=0.05s seed=5
tuning sa=D3 shruti
tempo 90
tempo 2 90 -> 150 @ 6
tala 3+2
set s.low.sigma0 = 2
set *.gain = 1.5
mix s gain=-3dB pan=-0.25
section a
  tempo 240
  0 s.low pluck sa f=0.8N
  +1 s.low fret ga glide=20ms
  + s.low damp t60=100ms
end
play a at=1 times=3 every=1.5 f=*0.9^ transpose=30c
play a at=2:2
0 s.low pluck +3st x=11cm w=2mm
0.25 s.high pluck h=-1mm dur=0.3s
1:3 soft.* pluck f=300mN
include "deep/coda.score" at=4.1
"""


def test_the_same_bits_and_itself_again(folder):
    text, bound = flat(BUSY)
    again, once_more = flat(text)
    assert again == text
    assert played(once_more) == played(bound)
    assert once_more.end == bound.end
    first, second = (pysitar.render(pysitar.load_score(text=one)).audio for one in (BUSY, text))
    assert np.abs(first).max() > 0.01
    np.testing.assert_array_equal(first, second)
    for word in ("tempo", "tala", "section", "play", "include", "*.pluck"):
        assert word not in text


def test_what_is_written(folder):
    assert rows(
        USE +
        "tempo 120\nplay a at=1 f=*0.5\nsection a\n0 s.low pluck re' f=0.5N x=0.3\n0.5 s.* "
        "pluck\nend\n"
    ) == [
        # sa is C#3, 138.59 Hz; re 9/8 of it
        f"0.5s s.low pluck {2 * 440.0 * 2.0 ** (-20 / 12) * 9 / 8!r}Hz dur=0.5s x=0.3 force=0.25N",
        "0.75s s.low pluck dur=0.5s force=0.5N",
        "0.75s s.high pluck dur=0.5s force=0.35N"
    ]


def test_an_interval_above_the_open_string_stays_unless_it_is_moved(folder):
    assert rows(USE + "0 s.low pluck +3st\n") == ["0s s.low pluck +3st dur=1s"]
    moved = rows(USE + "play a transpose=100c\nsection a\n0 s.low pluck +3st\nend\n")
    assert moved[0].startswith("0s s.low pluck 87.3") and moved[0].endswith("Hz dur=1s")


def test_paths_are_relative_to_the_current_folder(folder):
    (folder / "deep" / "x.score").write_text(
        'use "wires.toml" as s\ntuning sa=C3 scala "five.scl"\n0 s.high pluck d2\n')
    score = pysitar.load_score("deep/x.score")
    text = flatten_score(score, bind(score, options(score)))
    assert text.splitlines()[:2] == ['use "deep/wires.toml" as s',
                                     'tuning sa=130.8127826502993Hz scala "deep/five.scl"']
    assert flat(text)[0] == text


def test_overrides_and_settings(folder):
    lines = ['use "deep/wires.toml" as s gain=3', "use sitar as t bridge=paper",
             "set t.baj.pitch = 200Hz", "set s.*.sigma0 = 0.5", "mix * gain=-6dB"]
    text, _ = flat("\n".join([*lines, "0 s.low pluck", ""]))
    assert text.splitlines() == [*lines, "0s s.low pluck dur=1s"]
    assert flat(text)[0] == text


NUMBER = st.floats(0.0, 4.0).map(lambda x: f"{x:.4g}")
PITCH = st.sampled_from(["", "sa", "re-", "ga+3c", "pa,", "+2st", "-1.5st", "A2", "150Hz"])
ARGUMENT = st.sampled_from(
    ["", "f=0.3N", "f=-20mN", "h=1mm", "x=0.3", "dur=0.2", "dur=30ms", "x=5cm ramp=3ms"])
TARGET = st.sampled_from(["s.low", "s.high", "s.*", "s.h*"])


@st.composite
def sections(draw):
    rows = [f"  {draw(st.floats(0, 3)):.3g} {draw(TARGET)} pluck {draw(PITCH)} {draw(ARGUMENT)}"
            for _ in range(draw(st.integers(1, 3)))]
    plays = []
    for _ in range(draw(st.integers(1, 3))):
        every = draw(st.sampled_from(["", f"every={draw(st.floats(0.1, 5)):.3g}"]))
        factor = draw(st.sampled_from(["", f"f=*{draw(st.floats(0.2, 1.2)):.3g}", "f=*0.9^"]))
        plays.append(f"play a at={draw(NUMBER)} times={draw(st.integers(1, 3))} {every} {factor}")
    tempo = draw(st.sampled_from(["", "tempo 77", "tempo 50\ntempo 1 50 -> 200 @ 3"]))
    inner = draw(st.sampled_from(["", "  tempo 133.7\n"]))
    return "\n".join([tempo, "section a", inner + "\n".join(rows), "end", *plays]) + "\n"


@settings(max_examples=60, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sections())
def test_any_flat_score_has_the_same_events(folder, text):
    score = pysitar.load_score(text=USE + text)
    try:
        bound = bind(score, options(score))
    except pysitar.ScoreError:          # two pitches of a string at once, a force out of range
        return
    flattened, again = flat(flatten_score(score, bound))
    assert flattened == flatten_score(score, bound)
    assert played(again) == played(bound)
