"""Scores bound to instruments: names, wildcards, units and ranges in the events, and each problem
at its line and column."""
import math
import os

import pytest
from instruments import instrument, string, table
from score_texts import places_and_messages

from pysitar.errors import ScoreError
from pysitar.rendering.binding.binder import bind, check
from pysitar.rendering.options import Options, options
from pysitar.score.document import Score
from pysitar.score.parser import load_score, parse

BODY = {"frequencies": [100.0], "q": [20], "masses": [1.0], "weights": [1.0]}
LOW_PLUCK = {"position": 0.25, "force": 2.0, "width": 0.01, "ramp": 0.01, "release": 0.0}
HIGH_PLUCK = {"position": 0.25, "force": -3.0, "ramp": 0.02, "release": 1e-3, "touch": 0.5,
              "lead": 0.02}
BOX = instrument(table("body", **BODY),
                 string("low", pitch="pa,", length=0.5, pluck=LOW_PLUCK,
                        thread={"position": "8mm", "height": 0, "stiffness": 1e5}),
                 string("high", length=0.4, linear_density=5e-4, pluck=HIGH_PLUCK), gain=2)


@pytest.fixture(autouse=True)
def box(here):
    (here / "box.toml").write_text(BOX, encoding="utf-8")


def bound(text, chosen=None):
    score = load_score(text=text)
    return bind(score, chosen or options(score))


def reported(text, chosen=None):
    """(line, col, message) of everything wrong."""
    parsed = parse(text, file="x.score",
                   folder=load_score(text="use tanpura as t\n0 t.pa pluck").folder)
    result = check(parsed.score, chosen or Options(), problems=parsed.problems)
    assert not result.problems or not result.voices
    return places_and_messages(result.problems)


USE = 'use "box.toml" as b\n'


def test_a_row_without_values_has_those_of_the_instrument():
    (voice,) = bound(USE + "0 b.low pluck f=500mN x=0.4 w=2mm ramp=5ms release=0.001 touch=0.2 "
                     "lead=3ms\n1 b.high pluck").voices
    first, second = voice.events
    assert first.values == {"force": 0.5, "position": 0.2, "width": 0.002, "ramp": 0.005,
                            "release": 0.001, "touch": 0.2, "lead": 0.003}
    assert second.values == {"force": -3.0, "position": 0.1, "width": 0.0, "ramp": 0.02,
                             "release": 1e-3, "touch": 0.5, "lead": 0.02}
    assert (first.time, first.part, first.verb, first.hz,
            first.place.line) == (0.0, "low", "pluck", None, 2)
    assert (second.time, second.part, second.place.col) == (1.0, "high", 1)


def test_positions_are_fractions_without_a_unit_and_lengths_with_one():
    (voice, ) = bound(USE
                      + "0 b.* pluck x=0.25\n1 b.* pluck x=11cm\n2 b.* pluck position=90mm").voices
    assert [event.values["position"]
            for event in voice.events] == [0.125, 0.1, 0.11, 0.11, 0.09, 0.09]


def test_a_pluck_from_a_height_has_no_force():
    (voice,) = bound(USE + "section s\n0 b.high pluck h=-2mm x=0.5\nend\nplay s f=*0.5").voices
    assert voice.events[0].values == {"height": -0.002, "position": 0.2, "touch": 0.5, "lead": 0.02}


def test_damp():
    (voice,) = bound(USE + "0 b.* pluck\n1 b.high damp t60=150ms\n2 b.low damp").voices
    assert [(event.verb, event.values) for event in voice.events[2:]] == [
        ("damp", {"t60": 0.15}), ("damp", {"t60": 0.2})]


def test_a_star_is_every_string_in_the_order_of_the_file():
    (voice,) = bound("use tanpura as t\n1 t.* pluck\n0 t.* pluck f=1N\n0 t.sa2 pluck").voices
    assert [(event.time, event.part) for event in voice.events] == [
        *((0.0, name) for name in ("pa", "sa1", "sa2", "kharaj")),
        (0.0, "sa2"), *((1.0, name) for name in ("pa", "sa1", "sa2", "kharaj"))]


def test_factors_of_a_play_scale_every_force_once():
    text = (USE + "section s\n0 b.low pluck\n1 b.low pluck f=4N\n2 b.low damp\nend\n"
            "play s times=2 f=*0.5^")
    (voice,) = bound(text).voices
    assert [event.values.get("force") for event in voice.events] == [1.0, 2.0, None, 0.5, 1.0, None]


def test_pitches_follow_the_tuning_and_hertz_stay():
    def pitches(line):
        return [string.hz for string in bound(USE + line + "0 b.low pluck").voices[0].strings]

    sa = 440.0 * 2.0 ** (-20 / 12)
    assert pitches("") == pytest.approx([sa * 0.75, 220.0], rel=1e-14)
    assert pitches("tuning sa=200Hz edo 12\n") == pytest.approx(
        [200.0 * 2.0**(-5 / 12), 220.0], rel=1e-14)
    # a scale without names
    assert pitches("tuning sa=200Hz edo 22\n") == pytest.approx([150.0, 220.0], rel=1e-14)


def test_the_tanpura_in_a_score():
    strings = bound("use tanpura as t\n0 t.pa pluck").voices[0].strings
    sa = 440.0 * 2.0 ** (-20 / 12)
    assert [tuned.hz for tuned in strings] == pytest.approx(
        [0.75 * sa, sa, sa, 0.5 * sa], rel=1e-14)
    for tuned in strings:
        f1 = tuned.spec.string(tuned.hz).frequency(1)
        assert 1200.0 * math.log2(f1 / tuned.hz) == pytest.approx(tuned.spec.cents, abs=1e-9)
    assert strings[0].place.line == 1 and strings[0].place.col == 5


def test_set_and_overrides_change_the_instrument():
    text = ('use "box.toml" as b gain=7\nuse "box.toml" as c\nset b.low.thread.stiffness = 2e6\n'
            'set b.*.pluck.ramp = 4 ms\n'
            "set *.high.pluck.position = 8cm\nset c.high.pitch = 330Hz\nset c.low.pitch = C#3\n"
            "set c.body.q = (5)\nset b.low.thread.position = 0.5\nset c.low.length = 600mm\n"
            "set c.body.coupled = false\nset c.low.cents = 1st\n0 b.low pluck")
    b, c = bound(text).voices
    assert (b.name, b.spec.gain, c.spec.gain) == ("b", 7.0, 2.0)
    assert b.spec.strings[0].thread.stiffness == 2e6 and b.spec.strings[0].thread.position == 0.25
    assert [string.pluck.ramp
            for string in b.spec.strings] == [0.004, 0.004] and c.spec.strings[0].pluck.ramp == 0.01
    assert [voice.spec.strings[1].pluck.position for voice in (b, c)] == [0.08, 0.08]
    assert c.strings[1].hz == 330.0 and c.strings[0].hz == pytest.approx(138.5913, abs=1e-4)
    assert c.spec.body.q == (
        5.0, ) and c.spec.strings[0].length == 0.6 and c.spec.strings[0].cents == 100.0
    assert not c.events and bound("use tanpura as t scheme=two-point\nset t.gain = 3\n0 t.pa pluck"
                                  ).voices[0].spec.gain == 3.0


def test_mix():
    b, c = bound(USE + 'use "box.toml" as c\nmix * gain=-6dB\nmix b pan=-0.5\nmix c gain=-1 pan=1\n'
                 '0 b.low pluck').voices
    assert (b.level.gain, b.level.pan, c.level.gain, c.level.pan) == (-6.0, -0.5, -1.0, 1.0)


def test_the_end_is_that_of_the_latest_event():
    assert bound(USE + "tempo 120\n0 b.low pluck dur=6\n4 b.low pluck").end == 3.0


def test_rows_built_in_python():
    score = Score.from_events([(0.5, "b.low", "pluck", {"f": 2, "x": 0.4}),
                               (0.0, "b.*", "pluck", {"x": "10cm"})],
                              use={"b": ("box.toml", {"gain": 5})})
    (voice,) = bind(score, options(score)).voices
    assert [(event.time, event.part, event.values["position"]) for event in voice.events] == [
        (0.0, "low", 0.1), (0.0, "high", 0.1), (0.5, "low", 0.2)]
    assert voice.spec.gain == 5.0
    bad = Score.from_events([(9.0, "b.low", "pluck", {"x": 1.8}), (0, "b.lo", "pluck", {})],
                            use={"b": "box.toml"})
    with pytest.raises(ScoreError) as caught:
        bind(bad, Options())
    assert [problem.place.file for problem in caught.value.problems] == ["event 1", "event 2"]


WRONG = [  # the second line of a score, col, a part of the message
    ("0 b.lo pluck", 5, "b has no string lo; did you mean low?"),
    ("0 b pluck", 3, "b.low, or b.* for all"),
    ("0 b.low bend", 13,
     "bend has no pitches; expected a curve, bend (0:sa 1:ga), or an ornament, bend meend=ga"),
    ("0 b.low press x=0.5", 9,
     "b.low has no frets; expected fret ga, which sets the string's tension, or a table "
     "[strings.low.frets] "
     "in its file"),
    ("0 b.low strike m=1g", 9,
     "b.low has no hammer; expected a table [strings.low.strike] in its file"),
    ("0 b.l* strike m=1g", 8, "b.low has no hammer"),
    ("0 b drop h=1m", 5,
     "this version plays pluck, fret, bend, press, damp, strike and bow on strings; "),
    ("0 b strum spread=60m", 18, "spread: 60m is a length; expected a time in s or ms or us"),
    ("0 b roll", 5,
     "this version plays pluck, fret, bend, press, damp, strike and bow on strings; "),
    ("0 b.low damp meend=ga", 14, "damp has no ornaments; expected pluck or bend or bow"),
    ("0 b.low pluck forse=1N", 15, "pluck has no forse; did you mean force?"),
    ("0 b.low pluck t60=1s", 15, "pluck has no t60"),
    ("0 b.low pluck m=1g", 15, "pluck has no m"),
    ("0 b.low pluck f=0", 17, "force is 0.0; expected a value other than 0 (N)"),
    ("0 b.low pluck f=-0mN", 17, "expected a value other than 0"),
    ("0 b.low pluck f=2000N", 17, "at most 1000"),
    ("0 b.low pluck force=1m", 21, "expected a force in N or mN"),
    ("0 b.low pluck f=sa", 17, "force is sa; expected a number"),
    ("0 b.low pluck f=(0:1N 1:2N)", 17, "expected a number"),
    ("0 b.low pluck x=1.8", 17,
     "position is 1.8; expected a finite number (a fraction of the length), above 0 and below 1"),
    ("0 b.low pluck x=0", 17, "above 0 and below 1"),
    ("0 b.low pluck x=50cm", 17,
     "position is 0.5; expected a finite number (m), above 0 and below 0.5"),
    ("0 b.* pluck x=60cm", 15, "below 0.5"),
    ("0 b.* pluck x=45cm", 15, "below 0.4"),
    ("0 b.low pluck x=0mm", 17, "above 0"),
    ("0 b.low pluck x=1N", 17, "a length in m or cm or mm"),
    ("0 b.low pluck w=30cm", 17, "at most 0.25 m"),
    ("0 b.low pluck w=-1mm", 17, "at least 0"),
    ("0 b.low pluck x=4mm", 17, "at most 0.008 m"),
    ("0 b.low pluck f=1N h=1mm", 15, "one of the two"),
    ("0 b.low pluck h=1mm ramp=1ms", 21, "one of the two"),
    ("0 b.low pluck h=0", 17, "height is 0.0; expected a value other than 0 (m)"),
    ("0 b.low pluck ramp=0s", 20, "(s), above 0"),
    ("0 b.low pluck release=-1ms", 23, "at least 0"),
    ("0 b.low pluck touch=1N", 21, "a bare number, in kg/s"),
    ("0 b.low pluck lead=2s", 20, "at most 1"),
    ("0 b.low damp t60=0", 18, "(s), above 0"),
    ("0 b.low damp t60=1m", 18, "a time in s or ms"),
    ("0 b.low damp f=1N", 14, "damp has no f; "),
    ("set b.low.thread.stifness = 1", 18, "low.thread has no stifness; did you mean stiffness?"),
    ("set b.lo.length = 1", 7, "the instrument has no lo; did you mean low?"),
    ("set b.high.thread.height = 1", 12, "high has no thread"),
    ("set b.low.thread = 1", 11, "is a table"),
    ("set b.*.frets.count = 1", 9, "has no frets"),
    ("set *.low.lenght = 1", 11, "did you mean length?"),
    ("set b.gian = 1", 7, "did you mean gain?"),
    ("set b.low.thread.stiffness = -1", 30,
     "stiffness is -1.0; expected a finite number (N/m), at least 0"),
    ("set b.low.thread.position = 60cm", 29, "below 0.5"),
    ("set b.low.length = 3N", 20, "length: 3N is a force; expected a length in"),
    ("set b.low.length = sa", 20, "length is sa; expected a number"),
    ("set b.low.length = 5mm", 20, "strings.low.thread.position: position is 0.008"),
    ("set b.low.pitch = 0Hz", 19, "above 0"),
    ("set b.low.pitch = 60kHz", 19, "not under 45120 Hz"),
    ("set b.low.pitch = +3st", 19, "open string"),
    ("set b.high.bending_stiffness = 1e5", 32, "strings.high.pitch: "),
    ("set b.high.bending_stiffness = 1e9", 32, "(N m^2), at least 0 and at most 1e+06"),
    ("set b.body.q = 5", 16, "a list of numbers"),
    ("set b.body.q = (5 sa)", 19, "a list of numbers"),
    ("set b.body.coupled = 1", 22, "true or false"),
    ("mix b.lo gain=1dB", 7, "b has no part lo; did you mean low?"),
    ("mix b gain=300dB", 12, "-200 to 100 dB"),
    ("sweep b.low.pluck.position = linear(0.1, 0.4, 4)", 7, "makes many sounds"),
    ("draw b.low.pluck.force ~ uniform(1, 2) n=4", 6, "makes many sounds"),
]


@pytest.mark.parametrize(("line", "col", "part"), WRONG, ids=[line for line, _, _ in WRONG])
def test_what_is_wrong_is_reported_at_its_place(line, col, part):
    found = reported(f"{USE}{line}\n9 b.low pluck")
    assert [(where, column) for where, column, _ in found] == [(2, col)]
    assert part in found[0][2]


USES = [  # a use line, col, a part of the message
    ("use tanpra as b", 5,
     "no preset is named tanpra (a file is in quotes); did you mean tanpura?"),
    ('use "no.toml" as b', 5, "cannot be read"),
    ('use "folder.toml" as b', 5, "is a folder"),
    ('use "pipe.toml" as b', 5, "no regular file"),
    ('use "box.toml" as b scheme=iterative', 28,
     "no scheme iterative; expected two-point or three-point"),
    ('use "box.toml" as b scheme=three-point', 28,
     "scheme has no thread, and low has one; expected two-point, or no thread"),
    ('use "box.toml" as b scheme=too-point', 28, "did you mean two-point?"),
    ('use "box.toml" as b gain=0', 26, "above 0"),
    ('use "box.toml" as b gain=3dB', 26, "a bare number, in 1/N or s/m"),
    ('use "box.toml" as b gian=3', 21, "did you mean gain?"),
    ('use "box.toml" as b body=3', 21, "is a table"),
]


@pytest.mark.parametrize(("line", "col", "part"), USES, ids=[line for line, _, _ in USES])
def test_a_wrong_use(line, col, part, tmp_path):
    (tmp_path / "folder.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")
    found = reported(f"{line}\n0 b.low pluck")
    assert [(where, column) for where, column, _ in found] == [(1, col)]
    assert part in found[0][2]


def test_a_file_that_is_not_utf8_is_reported_at_its_byte(tmp_path):
    (tmp_path / "box.toml").write_bytes(b"gain = 2\nmodel = \xff")
    with pytest.raises(ScoreError, match=r"box\.toml:2:9: the byte 0xff"):
        bound(USE + "0 b.low pluck")


def test_a_wrong_instrument_is_reported_by_its_key_and_where_it_is_used(tmp_path):
    (tmp_path / "box.toml").write_text(
        BOX.replace("gain = 2", "gain = -2").replace("length = 0.4", "lenght = 0.4"),
        encoding="utf-8")
    with pytest.raises(ScoreError) as caught:
        bound(USE + "0 b.low pluck")
    lines = (tmp_path / "box.toml").read_text(encoding="utf-8").splitlines()
    gain, high, lenght = (1 + next(index for index, line in enumerate(lines)
                                   if line.startswith(start))
                          for start in ("gain", "[strings.high]", "lenght"))
    found = sorted((problem.place.line, problem.message) for problem in caught.value.problems)
    assert [line for line, _ in found] == sorted((gain, high, lenght))
    texts = dict(found)
    assert texts[gain].startswith("gain: gain is -2; expected a finite number")
    assert texts[gain].endswith("; used at <text>:1:5")
    assert texts[lenght].startswith("strings.high.lenght: is not known; did you mean length?")
    assert texts[high].startswith("strings.high.length: is missing")


@pytest.mark.parametrize(("old", "new", "part"), [
    ('"pa,"', '"pq,"', ":1: strings.low.pitch: pq, is not a pitch"),
    ('"pa,"', "50e3", ":1: strings.low.pitch: the pitch 50000 Hz is not under 45120 Hz"),
    ("linear_density = 0.001", "linear_density = 0.001\nbending_stiffness = 1e6",
     ":1: strings.low.pitch: pitch is 103.9"),
])
def test_a_pitch_that_a_string_cannot_have(old, new, part, tmp_path):
    (tmp_path / "box.toml").write_text(BOX.replace(old, new), encoding="utf-8")
    with pytest.raises(ScoreError) as caught:
        bound(USE + "set b.low.pluck.force = 1\n0 b.low pluck")
    (problem,) = caught.value.problems
    assert part in str(problem) and problem.message.endswith("; used at <text>:1:5")


def test_all_problems_are_reported_in_order_with_those_of_the_parser():
    text = ("use tanpra as p\n" + USE + "set b.low.length = -1\nset b.gian = 3\n"
            "0 b.low pluck x=1.8\n1 b.low plukc\n2 b.lo pluck f=0\n3 nobody.low pluck\n"
            "mix b gain=300dB\nsweep b.gain = (1 2)\n4 p.x pluck y=3\nrender rate=1")
    lines = [(line, col) for line, col, _ in reported(text)]
    assert lines == [(1, 5), (3, 20), (4, 7), (5, 17), (6, 9), (7, 5), (7, 16), (8, 3), (9, 12),
                     (10, 7)]


def test_a_row_of_a_section_played_often_is_reported_once():
    assert [line for line, _,
            _ in reported(USE + "section s\n0 b.low pluck x=2\nend\nplay s times=1000")] == [3]


def test_a_force_that_a_play_scales_too_far_is_reported():
    found = reported(USE + "section s\n0 b.low pluck\n1 b.low pluck f=2N\nend\nplay s f=*1000")
    [(line, col, message)] = found  # at the play, which is wrong, not at the rows, which are not
    assert (line, col) == (6, 10) and "on line 3" in message and "at most 1000" in message


def test_a_set_for_every_instrument_need_not_reach_them_all():
    assert not reported("use tanpura as t\n" + USE + "set *.pa.length = 0.9\n0 t.pa pluck")
    assert [(line, col) for line, col, _ in reported("use tanpura as t\n" + USE + "set *.pb.length "
                                                     "= 0.9\n0 t.pa pluck")] == [(3, 7)]


def test_problems_found_earlier_are_reported_with_the_rest():
    text = USE + "0 b.low pluck x=2\n1 b.low pluc"
    parsed = parse(text, file="x.score", folder=load_score(text=USE + "0 b.low pluck").folder)
    with pytest.raises(ScoreError) as caught:
        bind(parsed.score, Options(), problems=parsed.problems)
    assert [problem.place.line for problem in caught.value.problems] == [2, 3]


def test_a_tail_counts_among_the_four_hours():
    text = USE + "0s b.low pluck dur=14000s"
    assert not reported(text, Options(tail=400.0))
    assert "4 hours" in reported(text, Options(tail=401.0))[0][2]
    score = load_score(text=text)
    assert bind(score, Options(tail=401.0), allow_large=True).voices


def test_a_row_error_names_the_cause_of_a_value():
    assert reported("use tanpura as t\n0 t.pa pluck tension=100")[0][:2] == (2, 14)
    assert reported("use tanpura as t\n0 t.pa pluck tension=100")[0][2].startswith(
        "pluck has no tension; tension follows from pitch, length and")
    assert reported("use tanpura as t\n0 t.pa pluck v=2") == [
        (2, 14, "pluck has no v; expected force (N); a row may give a height instead, h=2mm")]
