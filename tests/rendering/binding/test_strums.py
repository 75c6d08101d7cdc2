"""A strum is expanded into plucks: times, strings, pitches, and the errors of a wrong one."""
import numpy as np
import pytest
from instruments import instrument, mass, masses, string
from score_texts import bind_text, refuse_text

import pysitar
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.options import options

STRINGS = [string(name, pitch=hz, length=0.6, lowest=-12, highest=12, sigma0=60.0,
                  pluck={"position": 0.3, "force": force}) for name, hz,
           force in (("low", 100.0, 0.5), ("middle", 150.0, 0.6), ("high", 200.0, 0.7))]
USE = 'use "wires.toml" as g\n'
RENDER = "render rate=8000 oversample=1 tail=0\n"


@pytest.fixture(autouse=True)
def folder(here):
    (here / "wires.toml").write_text(instrument(*STRINGS))
    (here / "one.toml").write_text(instrument(STRINGS[0]))
    wall = mass(mass=1.0, stiffness=1e9, exponent=1.0, frequency=0.0, barrier=0.0, corrected=False,
                throw={"velocity": 1.0, "gap": 1e-4})
    (here / "mass.toml").write_text(masses(wall, gain=1.0))


def plucks(text):
    return [(event.time, event.part, event.hz) for event in bind_text(text).voices[0].events]


def test_every_string_in_equal_steps():
    down = plucks(USE + "1 g strum spread=0.5s")
    assert down == [(1.0, "low", None), (1.25, "middle", None), (1.5, "high", None)]
    assert plucks(USE + "1 g strum spread=0.5s dir=down") == down
    assert plucks(USE + "1 g strum spread=0.5s dir=up") == [(1.0, "high", None),
                                                            (1.25, "middle", None),
                                                            (1.5, "low", None)]
    assert plucks(USE + "1 g strum") == [(1.0, "low", None), (1.0 + 0.03, "middle", None),
                                         (1.0 + 0.06, "high", None)]
    assert plucks(USE + "1 g strum spread=0") == [(1.0, "low", None), (1.0, "middle", None),
                                                  (1.0, "high", None)]
    assert plucks('use "one.toml" as g\n1 g strum spread=0.5s dir=up') == [(1.0, "low", None)]


def test_one_pitch_for_each_string_in_the_order_of_the_file():
    pitches = {"low": 110.0, "middle": 160.0, "high": 220.0}
    down, up = (plucks(f"{USE}0 g strum 110Hz 160Hz 220Hz dir={direction}")
                for direction in ("down", "up"))
    assert {part: hz for _, part, hz in down} == {part: hz for _, part, hz in up} == pitches
    assert [part for _, part, _ in up] == ["high", "middle", "low"]
    moved = plucks(USE + "section a\n0 g strum 110Hz 160Hz 220Hz\nend\nplay a transpose=-12st")
    assert [hz for _, _, hz in moved] == pytest.approx([55.0, 80.0, 110.0], rel=1e-12)


def test_the_values_of_a_pluck_go_to_each():
    events = bind_text(USE + "tempo 120\nsection a\n0 g strum f=0.4N x=0.25 dur=3 spread=1ms\n"
                       "4 g strum\nend\nplay a f=*0.5").voices[0].events
    assert [event.values["force"]
            for event in events] == pytest.approx([0.2, 0.2, 0.2, 0.25, 0.3, 0.35], rel=1e-15)
    assert {event.values["position"] for event in events[:3]} == {0.15}
    assert {event.verb
            for event in events} == {"pluck"} and not {"spread", "dir"} & set(events[0].values)
    assert [event.duration for event in events] == [1.5] * 3 + [0.5] * 3


def test_events_are_in_order_of_time():
    text = (USE + "0 g strum spread=1s\n0.25 g.low pluck 120Hz\n0.5 g strum spread=1s dir=up\n"
            "0.75 g.high damp")
    assert [(event.time, event.part) for event in bind_text(text).voices[0].events] == [
        (0.0, "low"), (0.25, "low"), (0.5, "middle"), (0.5, "high"), (0.75, "high"), (1.0, "high"),
        (1.0, "middle"), (1.5, "low")]
    # so two pitches of a string at once are found, whatever lies between in the file
    assert refuse_text(USE + "0 g strum 110Hz 160Hz 220Hz spread=1s\n0.5 g.low pluck\n0.5 g.middle "
                       "pluck 170Hz") == [(4, 20, "g.middle is given 160 Hz at the same time, at "
                                           "<text>:2:1; expected one pitch of a string at a time")]


def test_where_a_strum_ends():
    # the last pluck, from 1 s on for 2 s
    assert bind_text(USE + "0 g strum dur=2 spread=1s\n+ g.low pluck dur=0.5").end == 3.0
    assert plucks(USE + "0 g strum dur=2 spread=1s\n+ g.low pluck")[-1] == (2.0, "low", None)
    assert plucks(
        USE + "0 g strum dur=2 spread=0\n+ g strum spread=0\n+0.5 g strum spread=0")[::3] == [
            (0.0, "low", None), (2.0, "low", None), (2.5, "low", None)]


def test_a_finger_of_a_damp_is_lifted_by_a_strum_and_put_down_after_it():
    # 8000 Hz, losses of 60 dB in 0.115 s: damped from 0.2 s on, loud again after 0.5 s
    audio = pysitar.render(pysitar.load_score(
        text=f"{USE}{RENDER}0 g strum\n0.2 g.* damp t60=0.1s\n0.5 g strum dur=0.1")).audio[:, 0]
    before, damped, after = (np.abs(audio[round(8000 * at):][:400]).max()
                             for at in (0.07, 0.45, 0.57))
    assert damped < 1e-2 * before < after


def test_a_strum_sounds_as_its_plucks_and_flat():
    whole = f"{USE}{RENDER}0 g strum 110Hz 160Hz 220Hz f=0.4N spread=40ms dir=up dur=0.3s\n"
    parts = f"{USE}{RENDER}" + "".join(
        f"{time!r}s g.{part} pluck {hz}Hz f=0.4N dur=0.3s\n" for time, part,
        hz in [(0.0, "high", 220), (0.04 * 1 / 2, "middle", 160), (0.04, "low", 110)])
    score = pysitar.load_score(text=whole)
    flat = flatten_score(score, bind(score, options(score)))
    assert "strum" not in flat and "spread" not in flat and flat.count(" pluck ") == 3
    sounds = [pysitar.render(pysitar.load_score(text=text)).audio for text in (whole, parts, flat)]
    assert np.abs(sounds[0]).max() > 0.01 and len(sounds[0]) == round(8000 * 0.34)
    for other in sounds[1:]:
        np.testing.assert_array_equal(sounds[0], other)
    again = pysitar.load_score(text=flat)
    assert flatten_score(again, bind(again, options(again))) == flat


@pytest.mark.parametrize(("row", "col", "message"), [
    ("0 g strum 110Hz", 16,
     "this strum has 1 pitch, and g has 3 strings; expected none, or one for each string"),
    ("0 g strum 110Hz 160Hz f=1N", 27,
     "this strum has 2 pitches, and g has 3 strings; expected none, or one for each string"),
    ("0 g strum 110Hz 160Hz 220Hz 230Hz", 29,
     "this strum has 4 pitches, and g has 3 strings; expected none, or one for each string"),
    ("0 g strum dir=left", 15, "dir is left; expected down or up"),
    ("0 g strum dir=3", 15, "dir is 3; expected down or up"),
    ("0 g strum spread=-1ms", 18,
     "spread is -0.001; expected a finite number (s), at least 0 and at most 10"),
    ("0 g strum spread=60", 18,
     "spread is 60.0; expected a finite number (s), at least 0 and at most 10"),
    ("0 g strum spread=3cm", 18, "spread: 3cm is a length; expected a time in s or ms or us"),
    ("0 g strum spraed=3ms", 11, "strum has no spraed; did you mean spread?"),
    ("0 g strum t60=1s", 11,
     "strum has no t60; expected one of spread, dir, by, force, f, position, x, width, w, ramp, "
     "release, height ..."
     ),
    ("0 g strum f=0", 13, "force is 0.0; expected a value other than 0 (N)"),
    ("0 g strum f=1N h=1mm", 11,
     "f goes with a force, and this pluck has a height; expected one of the two"),
    ("0 g strum andolan=+0st depth=0", 30,
     "depth is 0.0; expected a finite number (cents), above 0 and at most 1200"),
    ("0 g.low pluck spread=3ms", 15,
     "pluck has no spread; expected one of force, f, position, x, width, w, "
     "ramp, release, height, h, touch, lead ..."),
    ("0 m strum", 5, "this version plays throw on masses; expected strum on strings"),
    ("section a\n0 g strum\nend\nplay a transpose=1st", 1,
     "this strum has no pitch for play a (line 6) to transpose; expected a pitch after the verb"),
])
def test_a_wrong_strum_is_reported_once(row, col, message):
    found = refuse_text(f'{USE}use "mass.toml" as m\n{row}\n9 g.low pluck\n9 m.a throw\n')
    assert [(found_col, found_message) for _, found_col, found_message in found] == [(col, message)]


def test_an_impossible_pitch_of_a_strum_is_reported_at_the_pitch():
    assert [(line, col, message[:42]) for line, col,
            message in refuse_text(USE + "0 g strum 110Hz 420Hz 450Hz")] == [
                (2, 17, "the pitch 420Hz is 420 Hz on g.middle, +17"),
                (2, 23, "the pitch 450Hz is 450 Hz on g.high, +14.0")]


def test_a_scheme_without_pitches_strums_and_reports_them():
    use = USE.replace("as g", "as g scheme=three-point")
    assert len(plucks(use + "0 g strum f=0.3N")) == 3
    assert {message for _, _, message in refuse_text(use + "0 g strum 110Hz 160Hz 220Hz")} == {
        "pluck takes no pitch by the three-point scheme; expected scheme=two-point"}
    assert refuse_text(use + "section a\n0 g strum\n0 g.low pluck\nend\nplay a transpose=1st\n"
                       "play a") == [(line, 1, "transpose is not played by the three-point scheme; "
                                      "expected scheme=two-point") for line in (3, 4)]


# ---- chords, staccato and gain

GUITAR = "use guitar as g\n"


def test_a_chord_is_one_pluck_for_each_of_its_strings():
    [voice] = bind_text(GUITAR + "1 g strum chord=Am7 spread=0.4s").voices
    assert [(event.part, event.verb, round(event.time, 9)) for event in voice.events] == [
        ("e2", "damp", 1.0), ("a2", "pluck", 1.0), ("d3", "pluck", 1.1), ("g3", "pluck", 1.2),
        ("b3", "pluck", 1.3), ("e4", "pluck", 1.4)]
    opened = {string.name: string.hz for string in voice.strings}
    assert [event.hz / opened[event.part] for event in voice.events[1:]] == pytest.approx(
        [2.0 ** (fret / 12.0) for fret in (0, 2, 0, 1, 0)], rel=1e-12)
    diagram = bind_text(GUITAR + "1 g strum chord=x02010 spread=0.4s").voices[0]
    assert [event[:5] for event in diagram.events] == [event[:5] for event in voice.events]


def test_a_chord_on_the_frets_is_pressed_before():
    [voice] = bind_text(GUITAR + "1 g strum chord=G by=frets dur=2").voices
    presses = [event for event in voice.events if event.verb == "press"]
    assert [(event.part, event.time) for event in presses] == [
        ("e2", 0.97), ("a2", 0.97), ("e4", 0.97)]
    assert [event.values["held"] for event in presses] == [2.0] * 3
    by_fret = bind_text(GUITAR + "1 g.e2 press fret=3").voices[0].events[0]
    assert presses[0].values["position"] == by_fret.values["position"]
    assert [event.verb for event in voice.events[3:]] == ["pluck"] * 6
    assert {event.hz for event in voice.events[3:]} == {string.hz for string in voice.strings}


def test_some_strings_of_an_instrument():
    use = 'use "wires.toml" as g\n'
    assert [part for _, part, _ in plucks(use + "0 g.m* strum")] == ["middle"]
    assert [part for _, part, _ in plucks(use + "0 g.* strum dir=up")] == ["high", "middle", "low"]
    assert [message for *_, message in refuse_text(use + "0 g.q* strum")] == [
        "g has no string q*; expected one of low, middle, high"]


def test_chords_that_a_file_names(here):
    text = instrument(*STRINGS) + '\n[chords]\nstack = "x02"\n"C7+" = "5-x-12"\n'
    (here / "named.toml").write_text(text)
    named = plucks('use "named.toml" as g\n0 g strum chord=stack\n2 g strum chord=C7+')
    assert [(part, hz) for _, part, hz in named if hz] == [
        ("middle", 150.0), ("high", pytest.approx(200.0 * 2 ** (2 / 12))),
        ("low", pytest.approx(100.0 * 2 ** (5 / 12))), ("high", pytest.approx(400.0))]
    for diagram, message in (('"x0"', "the diagram x0 has 2 strings; expected 3"),
                             ("3", "is 3; expected a diagram in quotes"),
                             ('"abc"', "abc is not a diagram")):
        (here / "wrong.toml").write_text(instrument(*STRINGS) + f"\n[chords]\nx = {diagram}\n")
        [(_, _, found)] = refuse_text('use "wrong.toml" as g\n0 g strum')
        assert message in found and "chords.x" in found


@pytest.mark.parametrize(("row", "col", "said"), [
    ("0 g strum chord=Amm", 17, "mm is not a quality of chords"),
    ("0 g strum chord=xxxxxx", 17, "xxxxxx mutes every string; expected a string that sounds, or "
     "damp"),
    ("0 g strum chord=x0201", 17, "the diagram x0201 has 5 strings; expected 6"),
    ("0 g strum chord=x-0-0-25-0-0", 17, "fret 25 is above the highest note of g3, 20 semitones"),
    ("0 g strum E2 chord=Am", 11, "the pitch and a chord|a pitch and a chord in one row"),
    ("0 g strum by=frets", 1, "by=frets has no chord; expected chord=Am7"),
    ("0 g strum chord=Am by=fret", 23, "by is fret; expected tension or frets"),
    ("0 g.e2 pluck chord=Am", 14, "pluck has no chord"),
    ("0 g.e2 pluck staccato=150%", 23, "staccato is 150%; expected a part of the dur"),
    ("0 g.e2 pluck staccato=3mm", 23, "staccato is 3mm; expected"),
    ("0 g.e2 damp staccato=50%", 13, "damp has no staccato"),
    ("0 g.e2 pluck gain=3N", 19, "3N is a force; expected a level in dB"),
    ("0 g.e2 pluck gain=30dB", 19, "gain is 30dB; expected -60 to 20 dB"),
])
def test_what_is_wrong_with_chords_is_reported_at_its_place(row, col, said):
    import re
    [(line, column, message)] = refuse_text(GUITAR + "5 g.e2 pluck\n" + row)
    assert (line, column) == (3, col) and re.search(said, message), message


def test_a_transposed_chord_moves_by_tension_alone():
    section = "section a\n0 g strum chord=Am{}\nend\nplay a transpose=2st"
    [voice] = bind_text(GUITAR + section.format("")).voices
    plain = bind_text(GUITAR + "0 g strum chord=Am").voices[0]
    assert [event.hz for event in voice.events if event.hz] == pytest.approx(
        [event.hz * 2.0 ** (2 / 12) for event in plain.events if event.hz])
    assert [message for *_, message in refuse_text(GUITAR + section.format(" by=frets"))] == [
        "a chord by=frets is not transposed; expected by=tension"]


def test_staccato_is_a_damp_within_the_note():
    [voice] = bind_text(GUITAR + "1 g.e2 pluck dur=2 staccato=25%\n4 g.a2 pluck staccato=120ms\n"
                        "6 g.a2 pluck dur=1/2 staccato=100%\n+ g.a2 pluck").voices
    assert [(event.part, event.verb, event.time) for event in voice.events] == [
        ("e2", "pluck", 1.0), ("e2", "damp", 1.5), ("a2", "pluck", 4.0), ("a2", "damp", 4.12),
        ("a2", "pluck", 6.0), ("a2", "damp", 6.5), ("a2", "pluck", 6.5)]
    strummed = bind_text(GUITAR + "0 g strum staccato=50%").voices[0].events
    assert [event.verb for event in strummed] == ["pluck"] * 6 + ["damp"] * 6


def test_gain_is_a_harder_or_softer_stroke():
    [voice] = bind_text(GUITAR + "0 g.e2 pluck f=1N gain=-20dB\n1 g.e2 pluck f=1.2N gain=6\n"
                        "accent 0.5").voices
    assert [event.values["force"] for event in voice.events] == pytest.approx(
        [0.05, 0.5 * 1.2 * 10.0 ** 0.3], rel=1e-12)
    # a linear string is 20 dB softer, to the rounding of the solver
    score = "use \"wires.toml\" as g\n" + RENDER + "0 g.low pluck{} dur=0.2s\n"
    loud, soft = (pysitar.render(pysitar.load_score(text=score.format(gain))).audio
                  for gain in ("", " gain=-20dB"))
    np.testing.assert_allclose(soft, 0.1 * loud, atol=1e-9)
