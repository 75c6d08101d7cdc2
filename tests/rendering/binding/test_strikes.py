"""Strikes in scores: courses by the prefix of their names, hammers of a row, errors at their
places, the santoor."""
import math

import numpy as np
import pytest
from score_texts import bind_text, refuse_text

import pysitar
from pysitar import ScoreError
from pysitar.models.definitions.loader import InstrumentError, parse_instrument, preset_text

USE = "use santoor as s\nrender rate=24000 oversample=1 tail=0 fade=0 channels=1\n"


def rendered(text, **more):
    return pysitar.render(pysitar.load_score(text=USE + text), **more)


# ---- targets

def test_a_course_is_struck_by_the_prefix_of_its_names():
    events = bind_text(USE + "0 s.sa_* strike\n1 s.sa* strike\n2 s.* strike\n"
                       "3 s.pa2_3 strike v=1m/s x=3cm").voices[0].events
    parts = {time: [event.part for event in events if event.time == time]
             for time in (0.0, 1.0, 2.0, 3.0)}
    assert parts[0.0] == ["sa_1", "sa_2", "sa_3"]
    assert parts[1.0] == [*parts[0.0], "sa2_1", "sa2_2", "sa2_3"]
    assert len(parts[2.0]) == 36
    assert events[0].values == {"position": pytest.approx(0.145 * 0.6032), "velocity": 2.5,
                                "mass": 0.7e-3, "stiffness": 4e9, "exponent": 2.3, "damping": 0.2,
                                "memory": 0.0, "memory_time": 1e-4}
    assert events[-1].values == events[0].values | {"velocity": 1.0, "position": 0.03}
    assert events[-1].hz is None


def test_a_time_after_the_last_event_of_a_course():
    rows = ("0 s.sa_* strike dur=2\n0 s.sa2_* strike dur=5\n+ s.sa_* strike\n+1 s.sa_1 damp\n"
            "+1 s.sa_1 strike\n+ s.sa2_2 strike")
    times = [(event.part, event.time) for event in bind_text(USE + rows).voices[0].events
             if event.time > 0.0]
    assert times == [("sa_1", 2.0), ("sa_2", 2.0), ("sa_3", 2.0), ("sa_1", 3.0), ("sa_1", 4.0),
                     ("sa2_2", 5.0)]
    # the strings of a course had their last events at different times
    assert refuse_text(USE + "0 s.sa_* strike\n3 s.sa_2 damp\n+ s.sa_* strike") == [
        (5, 1, "the strings of s.sa_* had their last events at different times (s.sa_2 on line 4); "
         "expected a time in beats or seconds")]
    assert [line for line, _,
            _ in refuse_text(USE + "0 s.sa_* strike\n0 s.sa2_1 strike\n+ s.sa* strike")] == [5]
    assert refuse_text(USE + "0 s.sa_* strike\n+ s.pa_1 strike")[0][:2] == (4, 1)


@pytest.mark.parametrize(("row", "col", "words"), [
    ("0 s.so_* strike", 5, "s has no string so_*; expected one of sa_1, sa_2, sa_3,"),
    ("0 s*.sa_1 strike", 3, "s* is not a name"),
    ("0 s.*_1 strike", 5, "*_1 is not a name"),
    ("0 s.sa_** strike", 5, "sa_** is not a name"),
    ("0 s.sa_1 strike sa", 17, "strike takes no pitch"),
    ("0 s.sa_* strike m=0g", 19,
     "mass is 0.0; expected a finite number (kg), at least 1e-06 and at most 10"),
    ("0 s.sa_1 strike v=0", 19,
     "velocity is 0.0; expected a finite number (m/s), above 0 and at most 100"),
    ("0 s.sa_1 strike v=-1m/s", 19, "above 0"),
    ("0 s.sa_1 strike v=1m", 19, "a speed in m/s"),
    ("0 s.sa_1 strike K=1e14", 19,
     "stiffness is 100000000000000.0; expected a finite number (N/m^exponent)"),
    ("0 s.sa_1 strike alpha=0.5", 23,
     "exponent is 0.5; expected a finite number, at least 1 and at most 10"),
    ("0 s.sa_1 strike damping=101", 25, "(s/m), at least 0 and at most 100"),
    ("0 s.sa_1 strike K=1e12 alpha=1", 19, "stiffness is 1000000000000.0; expected at most 1e+10 "
     "N/m^exponent with an exponent of 1"),
    ("0 s.sa_* strike alpha=1 K=1.1e10", 27, "at most 1e+10"),
    ("0 s.sa_1 strike x=61cm", 19, "(m), above 0 and below 0.6032"),
    ("0 s.sa_1 strike f=1N", 17, "strike has no f"),
])
def test_what_is_wrong_is_reported_at_its_place(row, col, words):
    [(line, column, message)] = refuse_text(USE + f"{row}\n9 s.pa_1 strike")
    assert (line, column) == (3, col) and words in message


def test_a_string_without_hammers_is_not_struck():
    text = "use sitar as t\n1 t.ba* strike m=1g v=1m/s"
    assert refuse_text(USE + text)[0] == (
        4, 9, "t.baj has no hammer; expected a table [strings.baj.strike] in its file")


# ---- files

def faults(old, new):
    text = preset_text("santoor")
    assert old in text
    with pytest.raises(InstrumentError) as caught:
        parse_instrument(text.replace(old, new, 1), name="s", shown="s.toml")
    return str(caught.value)


@pytest.mark.parametrize(("old", "new", "words"), [
    ("velocity = 2.5\n", "", "sa_1.strike.velocity: is missing"),
    ("stiffness = 4e9", "stiffness = 4e13", "sa_1.strike.stiffness: stiffness is 40000000000000.0; "
     "expected a finite number (N/m^exponent), above 0 and at most 1e+13"),
    ("mass = 0.7e-3", "mass = -1", "sa_1.strike.mass: mass is -1; "),
    ("exponent = 2.3", "exponents = 2.3", "exponents"),
    ("damping = 0.2", 'damping = "soft"', "sa_1.strike.damping"),
    ("damping = 0.2", "damping = 0.2\nmemory = 0.5", "sa_1.strike.memory: memory is 0.5; "
     "damping is 0.2 s/m beside it; expected either memory or damping to be 0"),
    ("damping = 0.2", "memory = 1.0", "sa_1.strike.memory: memory is 1.0; expected a finite "
     "number, at least 0 and at most 0.999"),
])
def test_a_wrong_hammer_is_reported_at_its_key(old, new, words):
    assert words in faults(old, new)


def test_set_changes_a_hammer():
    [voice] = bind_text(
        USE + "set s.sa_2.strike.mass = 2 g\nset s.*.strike.exponent = 2.4\n0 s.sa_* strike").voices
    assert [event.values["mass"] for event in voice.events] == [0.7e-3, 2e-3, 0.7e-3]
    assert {event.values["exponent"] for event in voice.events} == {2.4}


def test_memory_beside_damping_in_a_row_is_reported_at_its_place():
    with pytest.raises(ScoreError, match=r"3:24: memory is 0.5; damping is 0.2 s/m beside it"):
        bind_text(USE + "0 s.sa_1 strike memory=0.5")


# ---- sound

def test_felt_with_memory_sounds_different():
    felt = "m=2.5g K=3e8 alpha=2.4 damping=0"
    sounds = [rendered(f"0 s.dha_1 strike {felt} {more} dur=300ms").audio[:, 0]
              for more in ("", "memory=0.8 memory_time=0.3ms", "memory=0.8 memory_time=0.1ms")]
    powers = [float((sound * sound).sum()) for sound in sounds]
    for power, sound in zip(powers[1:], sounds[1:], strict=True):
        assert 0.5 < power / powers[0] < 2.0
        assert np.abs(sound - sounds[0]).max() > 0.1 * np.abs(sounds[0]).max()
    assert powers[1] != pytest.approx(powers[2], rel=1e-3)


def test_rows_with_hammers_of_their_own_are_heard():
    felt = "m=1.2g K=2e10 alpha=2.8 damping=0.6"
    wood, soft = (rendered(f"0 s.dha_1 strike {more} dur=300ms").audio[:, 0] for more in ("", felt))
    bright = []
    for sound in (wood, soft):
        power = np.abs(np.fft.rfft(sound)) ** 2
        bright.append(10.0 * math.log10(
            power[np.fft.rfftfreq(sound.size, 1 / 24000) > 5000.0].sum() / power.sum()))
    assert bright[0] > bright[1] + 5.0          # wood is brighter


def test_a_roll_has_the_same_bits_in_any_blocks():
    roll = "".join(f"{0.1 * n:.3g} s.sa_* strike alpha={1.5 + 0.5 * (n % 2)} "
                   f"x={0.1 + 0.02 * n:.3g} dur=100ms\n" for n in range(6))
    whole = rendered(roll, block=100_000)
    assert np.array_equal(whole.audio,
                          rendered(roll, block=331).audio) and np.abs(whole.audio).max() > 0.02
    assert whole.report["residual"] < 1e-12 and whole.report["failed_solves"] == 0


def test_a_struck_instrument_falls_silent():
    text = "set s.*.sigma0 = 40\nrender tail=auto\n0 s.pa2_* strike"
    result = pysitar.render(
        pysitar.load_score(text="use santoor as s\nrender rate=24000 oversample=1\n" + text))
    assert not result.report["tail_cut"] and result.audio.shape[0] < 24000 * 3


def test_the_santoor_is_tuned_to_its_documented_scale():
    [voice] = bind_text(USE + "0 s.* strike").voices
    sa = 440.0 * 2.0 ** (-20.0 / 12.0)
    ratios = [2 * r for r in (1, 9 / 8, 5 / 4, 4 / 3, 3 / 2, 5 / 3, 15 / 8)
              ] + [4 * r for r in (1, 9 / 8, 5 / 4, 4 / 3, 3 / 2)]
    strings = voice.strings
    assert [string.hz / sa
            for string in strings] == pytest.approx([ratio for ratio in ratios for _ in range(3)])
    for n in range(0, 36, 3):
        course = [string.spec for string in strings[n:n + 3]]
        cents = sorted(spec.cents for spec in course)
        assert len({spec.name[:-2]
                    for spec in course}) == 1 and max(map(
                        abs, cents)) < 1.4 and cents[0] < cents[1] < cents[2]
        # one wire at one tension
        assert all(
            spec.string(strings[n].hz).tension == pytest.approx(146.0, rel=0.01) for spec in course)
    assert {tuple(voice.spec.strings[0].default_values("strike").values())[1:]} == {
        (2.5, 0.7e-3, 4e9, 2.3, 0.2, 0.0, 1e-4)}


def test_a_note_of_the_santoor_decays_twice():
    """dha', 462 Hz: at first 60 dB in some 4.3 s, then, out of step, its course in some 6 s."""
    out = rendered("0 s.dha_2 strike dur=1.9s").audio[:, 0]
    levels = [10.0 * math.log10(np.mean(out[round(t * 24000):round((t + 0.05) * 24000)]**2))
              for t in (0.3, 0.8, 1.8)]
    early, late = 30.0 / (levels[0] - levels[1]), 60.0 / (levels[1] - levels[2])
    # the strings alone lose 60 dB in ln(1000) / sigma0 = 9.6 s; the rest goes into the body
    assert early == pytest.approx(4.3, abs=0.4) and 1.2 * early < late < 9.6
