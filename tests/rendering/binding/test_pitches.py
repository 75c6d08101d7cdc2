"""Pitches bound to strings: their frequencies, the range of a string, and what is physically
doubtful."""
import math
from dataclasses import replace

import pytest
from instruments import ideal_wires, table
from score_texts import bind_text, places_and_messages, write_score

from pysitar.rendering.binding import pitches
from pysitar.rendering.binding.binder import bind, check
from pysitar.rendering.options import Options, options
from pysitar.score.document import Score
from pysitar.score.parser import load_score, parse

BRIDGE = table("strings.low.barrier", profile="flat", extent=0.01, height=0, points=2,
               stiffness=1e6)
USE = 'use "wires.toml" as b\n'
TANPURA = "use tanpura as t\n"
IN_50_TO_200 = "semitones from its open string; expected -12 to +12 semitones, 50 to 200 Hz"
SA = 440.0 * 2.0 ** (-20 / 12)          # C#3


@pytest.fixture(autouse=True)
def wires(here):
    (here / "wires.toml").write_text(ideal_wires())


def hertz(text):
    (voice,) = bind_text(text).voices
    return [event.hz for event in voice.events]


def reported(text):
    """(line, col, message) of everything wrong."""
    parsed = parse(text, file="x.score", folder=load_score(text=TANPURA + "0 t.pa pluck").folder)
    result = check(parsed.score, Options(), problems=parsed.problems)
    assert not result.problems or not (result.voices or result.warnings)
    return places_and_messages(result.problems)


def warned(text, **chosen):
    """(line, col, message) of every warning but that of a pluck, too strong for strings so
    slack."""
    return [warning for warning in places_and_messages(bind_text(text, **chosen).warnings)
            if "drawn out" not in warning[2]]


@pytest.mark.parametrize(("written", "hz"), [
    ("sa", SA),
    ("re-", SA * 16 / 15),
    ("ga", SA * 5 / 4),
    ("ma+", SA * 45 / 32),
    ("pa,", SA * 3 / 4),
    ("ni", SA * 15 / 8),
    ("sa'", SA * 2),
    ("sa,", SA / 2),
    ("ga-14c", SA * 5 / 4 * 2**(-14 / 1200)),
    ("A3", 220.0),
    ("A3-14c", 220.0 * 2**(-14 / 1200)),
    ("150.5Hz", 150.5),
    ("0.15kHz", 150.0),
    ("+3st", SA * 2**(3 / 12)),
    ("-0.5st", SA * 2**(-0.5 / 12)),
    ("+12st", SA * 2),
    ("-12st", SA / 2),
])
def test_a_pitch_after_pluck_and_fret(written, hz):
    # at most six roundings, one of them a power's
    assert hertz(f"{TANPURA}0 t.sa1 pluck {written}\n1 t.sa2 fret {written}") == pytest.approx(
        [hz, hz], rel=1e-15)


def test_a_pitch_follows_the_tuning_and_hertz_stay():
    assert hertz(
        TANPURA + "tuning sa=140Hz edo 12\n0 t.sa1 pluck pa\n1 t.sa1 pluck 150Hz") == pytest.approx(
            [140.0 * 2**(7 / 12), 150.0])
    assert hertz(TANPURA
                 + "tuning sa=140Hz edo 22\n0 t.sa1 pluck d7\n1 t.sa1 pluck d21,") == pytest.approx(
                     [140.0 * 2**(7 / 22), 140.0 * 2**(-1 / 22)])


def test_semitones_count_from_each_strings_own_sounding_pitch():
    (voice,) = bind_text(TANPURA + "0 t.* fret +2st\n1 t.* pluck").voices
    assert [event.hz for event in voice.events[:4]] == pytest.approx(
        [string.hz * 2 ** (2 / 12) for string in voice.strings], rel=1e-15)
    assert all(string.spec.cents for string in voice.strings)          # their free pitch is another
    assert [event.hz for event in voice.events[4:]] == [None] * 4


def test_a_star_binds_one_pitch_on_every_string():
    (voice,) = bind_text(USE + "0 b.* pluck 150Hz").voices
    assert [(event.part, event.hz) for event in voice.events] == [("low", 150.0), ("high", 150.0)]


def test_a_play_moves_every_kind_of_pitch():
    rows = ("section s\n0 t.sa1 pluck ga\n1 t.sa1 pluck 150Hz\n2 t.sa1 fret A3\n3 t.sa1 fret +3st\n"
            "end\n")
    moved = 2 ** (-250 / 1200)
    assert hertz(f"{TANPURA}{rows}play s transpose=-250c") == pytest.approx(
        [SA * 5 / 4 * moved, 150.0 * moved, 220.0 * moved, SA * 2 ** (3 / 12) * moved], rel=1e-15)
    assert hertz(f"{TANPURA}{rows}play s\nplay s at=4 transpose=1st")[::4] == pytest.approx(
        [SA * 5 / 4, SA * 5 / 4 * 2 ** (1 / 12)], rel=1e-15)


def test_a_glide_belongs_to_a_pitch():
    (voice,) = bind_text(
        USE + "0 b.low fret 120Hz\n1 b.low fret 130Hz glide=20ms\n2 b.low pluck 120Hz f=1N x=0.5\n"
        "3 b.low pluck h=1mm\n4 b.low pluck 150Hz h=1mm glide=0").voices
    assert [event.values for event in voice.events] == [{"glide": 0.007}, {"glide": 0.02}, {
        "force": 1.0, "position": 0.25, "width": 0.0, "ramp": 0.01, "release": 0.0, "touch": 0.0,
        "lead": 0.0, "glide": 0.007
    }, {"height": 0.001, "position": 0.125, "touch": 0.0,
        "lead": 0.0}, {"height": 0.001, "position": 0.125, "touch": 0.0, "lead": 0.0, "glide": 0.0}]


def test_an_event_has_its_duration():
    (voice,) = bind_text(USE + "tempo 120\n0 b.low pluck\n1 b.low pluck 120Hz dur=3\n"
                         "2 b.low fret 100Hz dur=40ms").voices
    assert [event.duration for event in voice.events] == [0.5, 1.5, 0.04]


def test_the_highest_pitch_of_each_string():
    (voice,) = bind_text(USE + "0 b.low pluck 120Hz\n1 b.low fret 170Hz\n2 b.low pluck 110Hz\n"
                         "3 b.high pluck 150Hz\n4 b.high pluck").voices
    assert [(string.hz, string.highest) for string in voice.strings] == [
        (100.0, 170.0), (200.0, 200.0)]


def test_rows_built_in_python():
    score = Score.from_events([(0.0, "b.low", "fret", {"pitch": "120Hz", "glide": "1ms"}),
                               (1.0, "b.low", "pluck", {"pitch": "+1st"})], use={"b": "wires.toml"})
    (voice,) = bind(score, options(score)).voices
    assert [event.hz for event in voice.events] == pytest.approx([120.0, 100.0 * 2 ** (1 / 12)])
    bad = Score.from_events([(0.0, "b.low", "pluck", {"pitch": "1kHz"})], use={"b": "wires.toml"})
    (problem,) = check(bad, Options()).problems
    assert str(problem).startswith("event 1: the pitch 1kHz is 1000 Hz on b.low, ")


@pytest.mark.parametrize(("row", "col", "message"), [
    ("0 b.low pluck 250Hz", 15, f"the pitch 250Hz is 250 Hz on b.low, +15.863137 {IN_50_TO_200}"),
    ("0 b.high fret glide=1s pitch=99.9Hz", 30,
     "the pitch 99.9Hz is 99.9 Hz on b.high, -12.017321 semitones from its open string; "
     "expected -12 to +12 semitones, 100 to 400 Hz"),
    ("0 b.low fret +12.00001st", 14,
     f"the pitch +12.00001st is 200 Hz on b.low, +12.00001 {IN_50_TO_200}"),
    ("0 b.low fret sa", 14, None),
    ("0 b.low fret +12st", 14, None),
    ("0 b.low fret -12st", 14, None),
    ("0 b.* fret 200Hz", 12, None),
    ("0 b.* fret 250Hz", 12, f"the pitch 250Hz is 250 Hz on b.low, +15.863137 {IN_50_TO_200}"),
    ("0 b.low fret d7", 14,
     "d7 needs a scale counted in steps; expected the names sa re ga in this one (just)"),
    ("0 b.low fret sa+1e9c", 14,
     "sa+1e9c exceeds the range of floating-point numbers; expected fewer octaves or cents"),
    ("0 b.low pluck glide=7ms", 15,
     "the string glides to a pitch, and this pluck has none; expected pluck ga glide=7ms"),
    ("0 b.low pluck 120Hz glide=-1ms", 27,
     "glide is -0.001; expected a finite number (s), at least 0 and at most 10"),
    ("0 b.low fret 120Hz glide=11s", 26,
     "glide is 11.0; expected a finite number (s), at least 0 and at most 10"),
    ("0 b.low fret 120Hz glide=1m", 26, "glide: 1m is a length; expected a time in s or ms or us"),
    ("0 b.low fret 120Hz f=1N", 20, "fret has no f; expected glide"),
    ("0 b.low damp glide=7ms", 14, "damp has no glide; expected t60"),
    ("0 b fret 120Hz", 3, "fret plays a string; expected b.low, or b.* for all"),
    ("0 b.low fret 120Hz meend=re", 20, "fret has no ornaments; expected pluck or bend or bow"),
])
def test_a_wrong_row_is_reported_at_its_place(row, col, message):
    assert reported(f"{USE}{row}\n9 b.low pluck") == (
        [] if message is None else [(2, col, message)])


def test_each_string_of_a_star_reports_its_own_range():
    found = reported(USE + "0 b.* fret 90Hz\n1 b.* pluck 450Hz")
    assert [(line, col, message.split(" semitones")[0]) for line, col, message in found
            ] == [(2, 12, "the pitch 90Hz is 90 Hz on b.high, -13.824037"),
                  (3, 13, "the pitch 450Hz is 450 Hz on b.low, +26.0391"),
                  (3, 13, "the pitch 450Hz is 450 Hz on b.high, +14.0391")]


def test_an_instrument_gives_other_ranges():
    text = USE + "set b.low.lowest = -1\nset b.low.highest = 24\n"
    assert hertz(text + "0 b.low pluck +24st\n1 b.low fret -1st") == pytest.approx(
        [400.0, 100.0 * 2**(-1 / 12)], rel=1e-15)
    assert reported(text + "0 b.low pluck 90Hz\n0 b.low pluck 401Hz") == [
        (4, 15, "the pitch 90Hz is 90 Hz on b.low, -1.8240371 semitones from its open string; "
                "expected -1 to +24 semitones, 94.3874 to 400 Hz"),
        (5, 15, "the pitch 401Hz is 401 Hz on b.low, +24.043227 semitones from its open string; "
                "expected -1 to +24 semitones, 94.3874 to 400 Hz")]


def test_a_transposed_row_names_how_far_it_was_moved():
    text = USE + ("section s\n0 b.low pluck 150Hz\nend\nplay s\nplay s at=2 transpose=1oct\n"
                  "play s at=4 transpose=12st\nplay s at=6 transpose=-2oct")
    assert reported(text) == [(3, 15, f"the pitch 150Hz, moved +1200 cents by its play, is 300 Hz "
                               f"on b.low, +19.01955 {IN_50_TO_200}"),
                              (3, 15, f"the pitch 150Hz, moved -2400 cents by its play, is 37.5 Hz "
                               f"on b.low, -16.98045 {IN_50_TO_200}")]


def test_a_pitch_near_half_the_internal_rate():
    text = USE + "set b.high.pitch = 30kHz\n0 b.high pluck "
    assert not reported(text + "45119Hz")
    assert reported(text + "45.12kHz") == [(
        3, 16, "the pitch 45.12kHz is 45120 Hz on b.high, not under 45120 Hz, 0.47 of the internal "
        "rate; expected a lower one")]


def test_a_pitch_below_that_of_the_stiffness_alone():
    # EI = rho A (2 L^2 f / pi)^2 alone makes f = 150 Hz
    stiffness = 5e-4 * (2.0 * 0.4**2 * 150.0 / math.pi) ** 2
    text = (
        USE + f"set b.high.bending_stiffness = {stiffness!r}\n0 b.high pluck 190Hz\n1 b.high fret ")
    assert not reported(text + "150.01Hz")
    assert reported(text + "149.9Hz") == [(
        4, 15, "the pitch 149.9Hz is 149.9 Hz on b.high; expected above 150 Hz, the pitch of the "
        "bending stiffness alone")]


def test_a_pitch_at_which_a_mode_would_not_oscillate():
    # c b < sigma2 b^2 from b = c / sigma2 on, c = 2 L f; the open string (c = 100 m/s) has modes up
    # to b = 1538 / m (20 kHz), so that with sigma2 = 0.03 m^2/s a c of 40 m/s is too slow and one
    # of 60 m/s is not
    text = (USE + "set b.low.sigma2 = 0.03\n0 b.low pluck 60Hz\n1 b.low fret 40Hz\n"
            "2 b.low fret 39Hz\n3 b.low fret 40Hz")
    text = text.replace("set", "set b.low.lowest = -24\nset", 1)
    found = reported(text)
    assert [(line, col) for line, col, _ in found] == [(5, 14), (6, 14)]
    assert found[0][2].startswith("b.low cannot be at 40 Hz: mode ")
    assert found[0][2].endswith(
        " would be overdamped (it would not oscillate); expected a higher pitch")


def test_a_pitch_whose_string_without_its_bridge_is_too_high():
    # 200 cents up, 44 kHz of the sounding pitch are 49.4 kHz of the free string
    text = (USE + "set b.high.pitch = 17kHz\nset b.high.cents = 200\nset b.high.highest = 24\n"
            "0 b.high pluck ")
    assert not reported(text + "40kHz")
    assert reported(text + "44kHz") == [(
        5, 16, "b.high cannot be at 44000 Hz: at this tension (N) no mode lies below 45120 Hz, "
        "0.47 of the sample rate; expected a lower pitch")]


def test_a_string_whose_own_pitch_is_wrong_is_reported_once():
    assert [(line, col) for line, col, _ in reported(
        USE + "set b.low.pitch = 60kHz\n0 b.low pluck ga\n1 b.* fret 250Hz")] == [(2, 19)]


def test_events_built_by_hand():
    score = load_score(text=USE + "0 b.low pluck\n1 b.low fret 120Hz\n2 b.low damp")
    pluck, fret, damp = score.main.rows
    rows = (pluck, fret._replace(pitches=()), damp._replace(pitches=fret.pitches))
    problems = check(replace(score, main=replace(score.main, rows=rows)), Options()).problems
    assert places_and_messages(problems) == [(3, 14, "damp takes no pitch; expected none"),
                                             (3, 19, "fret needs its pitch; expected fret ga")]


def test_a_pitch_is_computed_once_for_each_string(monkeypatch):
    requested = []

    def counted(pitch, *given):
        requested.append(pitch.text)
        return 120.0

    monkeypatch.setattr(pitches, "frequency", counted)
    hertz(USE + "section s\n0 b.* pluck 110Hz\n0 b.low fret 120Hz\nend\nplay s times=300\n"
          "play s at=1000 transpose=1c times=2\n9 b.low pluck 110Hz")
    # on two strings and on one, moved and not
    assert sorted(requested) == ["110Hz"] * 4 + ["120Hz"] * 2


def test_a_tension_that_breaks_steel():
    # stress = (2 L f)^2 rho of a plain wire: 2.2 GPa in steel of 7800 kg/m^3 at 2 L f = 531.1 m/s;
    # 8 x 48 kHz keeps all modes
    text = USE + "set b.low.highest = 36\n0 b.low pluck 531Hz\n"
    assert not warned(text, oversample=8)
    assert [col for _, col, _ in warned(text + "1 b.low fret 532Hz", oversample=8)] == [14]
    text += "1 b.low fret 532Hz\n2 b.low pluck 600Hz\n3 b.low pluck 600Hz\n"
    assert warned(text, oversample=8) == [(5, 15,
                                           "b.low at 600 Hz would be under 2.8 GPa; steel breaks "
                                           "at about 2.2 GPa, so the tension is an idealisation")]


def test_an_open_string_that_would_break():
    text = USE + "set b.high.length = 2\n"
    message = ("b.high at 200 Hz would be under 5.0 GPa; steel breaks at about 2.2 GPa, so the "
               "tension is an idealisation")
    assert not warned(text + "0 b.low pluck")
    assert warned(text + "0 b.low pluck\n1 b.high damp\n2 b.high pluck\n3 b.high pluck 190Hz") == [
        (4, 1, message)]
    assert warned(
        text + "0 b.low pluck\n1 b.high damp\n2 b.high pluck 200Hz\n3 b.high pluck 190Hz") == [
            (5, 16, message)]


def test_modes_left_out_for_a_high_pitch():
    # ideal wires: mode i at i f. 199 modes of 100 Hz lie under 20 kHz; of 170 Hz, 132 under 22560
    # Hz
    text = (USE + "0 b.low pluck 110Hz\n1 b.low fret 170Hz\n2 b.low pluck\n3 b.high fret 160Hz\n"
            "4 b.low fret 170Hz")
    assert warned(text, oversample=1) == [(
        3, 14, "b.low at 170 Hz keeps 132 of its 199 modes, those up to 13200 Hz at its open "
        "pitch; expected a higher oversample to keep them all")]
    assert not warned(text, oversample=2)
    assert not warned(USE + "0 b.low pluck 113Hz", oversample=1)          # 199 f = 22487 Hz
    assert [col for _, col, _ in warned(USE + "0 b.low pluck 113.4Hz", oversample=1)] == [15]


def test_modes_left_out_for_a_high_pitch_on_a_bridge(tmp_path):
    # all under 28 kHz at the highest pitch, whatever the rate; reported where less than 8 kHz of
    # the open string's are left: 3.5 times up
    (tmp_path / "wires.toml").write_text(ideal_wires() + BRIDGE)
    text = (USE + "set b.low.highest = 36\nset b.low.core_diameter = 2mm\n0 b.low pluck 110Hz\n"
            "1 b.low fret ")
    message = ("b.low goes up to 360 Hz and so keeps 77 of its 199 modes, those up to 7700 Hz at "
               "its open pitch: on a bridge all modes must be below 28000 Hz at the highest pitch")
    for oversample in (2, 8):
        assert warned(text + "360Hz", oversample=oversample) == [(5, 14, message)]
        assert not warned(text + "340Hz", oversample=oversample)          # 82 modes
    (_, (line, col, message)) = warned(text + "300Hz", oversample=1)  # the other one: a low rate
    assert (line, col) == (5, 14) and " keeps 71 of its 199 modes" in message and message.endswith(
        "below 21600 Hz at the highest pitch")
    # 83 modes; the string without a bridge is reported of any
    free = warned(text + "260Hz\n2 b.high fret 400Hz", oversample=1)[1:]
    assert [(line, col) for line, col, _ in free] == [(6, 15)]
    assert free[0][2].endswith("; expected a higher oversample to keep them all")
    assert not warned(text + "100Hz\n2 b.low fret 60Hz", oversample=8)


def test_a_stretched_pitch_counts_as_it_is_tuned():
    # 12 semitones at +20 cents each are 240 cents more: 229.7 Hz of the free string for 200; 22560
    # / 229.7 = 98.2
    text = USE + "set b.low.stretch = 20\n0 b.low pluck 200Hz"
    assert [message.split(" keeps ")[-1].split(", ")[0] for _, _,
            message in warned(text, oversample=1)] == ["98 of its 199 modes"]
    text = USE + "set b.low.highest = 24\nset b.low.stretch = 20\n0 b.low pluck "
    # 2 L f = 531.1 m/s breaks steel: 531.1 Hz, 28.91 semitones of the free string, 24.09 of the
    # note: 402 Hz
    assert not warned(text + "399Hz", oversample=8)
    assert not warned(text.replace("= 20", "= 19.9") + "400Hz", oversample=8)
    assert [col for _, col, _ in warned(text.replace("highest = 24", "highest = 25") + "403Hz",
                                        oversample=8)] == [15]


def test_strings_on_bridges_at_a_low_rate(tmp_path):
    (tmp_path / "wires.toml").write_text(ideal_wires() + BRIDGE)
    text = USE + 'use "wires.toml" as c\n0 b.* pluck\n1 b.low pluck\n2 c.high pluck'
    message = ("b has strings on bridges; at an internal rate of 87999 Hz they sound sharper (at "
               "16000 Hz by 11 cents) and duller; expected 88000 Hz or more, rate x oversample")
    assert warned(text, rate=87999, oversample=1) == [(1, 5, message)]
    assert not warned(text, rate=44000, oversample=2)


def test_warnings_come_in_the_order_of_the_score_one_a_string_and_cause():
    # with statics a tanpura has no warning of its bridges at a low rate
    text = (TANPURA + "set t.*.highest = 24\nset t.*.statics = false\n"
            "0 t.sa2 pluck sa''\n1 t.sa1 pluck sa''\n2 t.sa1 pluck sa''\n3 t.pa pluck sa'")
    found = warned(text, oversample=1)
    assert [(line, col, message.split()[0], message.split()[4]) for line, col,
            message in found] == [(1, 5, "t", "bridges;"), (4, 15, "t.sa2", "would"),
                                  (4, 15, "t.sa2", "554.365"), (5, 15, "t.sa1", "would"),
                                  (5, 15, "t.sa1", "554.365"), (7, 14, "t.pa", "would")]


def test_a_wrong_score_has_no_warnings():
    score = load_score(text=USE + "set b.low.highest = 36\n0 b.low pluck 600Hz\n1 b.low pluck x=3")
    result = check(score, Options(rate=8000))
    assert len(result.problems) == 1 and not result.warnings


def test_one_pitch_of_a_string_at_a_time(tmp_path):
    """Two different pitches at one time are reported at the second, with the place of the first;
    two equal ones are not."""
    def reported(rows):
        score = write_score(tmp_path, "use tanpura as t\nrender tail=1s\n" + rows)
        return [str(problem) for problem in check(score, options(score)).problems]

    wrong = reported("0 t.sa1 pluck 150Hz\n0 t.sa2 fret 160Hz\n0 t.sa1 fret 155Hz\n")
    assert len(wrong) == 1 and "x.score:5:14: t.sa1 is given 150 Hz at the same time, at " in wrong[
        0] and "x.score:3:1;" in wrong[0]
    assert reported("0 t.sa1 pluck 150Hz\n0 t.sa1 fret 150Hz\n1 t.sa1 fret 155Hz\n") == []


def test_a_set_of_every_key_is_refused(tmp_path):
    score = write_score(tmp_path, "use tanpura as t\nset t.* = 3\n0 t.sa1 pluck\n")
    problems = check(score, options(score)).problems
    assert len(problems) == 1 and "x.score:2:" in str(
        problems[0]) and "one that ends in a key" in problems[0].message


def test_a_pitch_of_a_fret_is_no_tension_that_breaks_steel():
    """A fretted string is shorter, not tighter."""
    ordinary = bind_text("use guitar as g\n0 g strum chord=F\n1 g strum chord=Bm\n2 g.e4 pluck E5")
    assert not [one for one in ordinary.warnings if "steel" in one.message]
    assert ["steel breaks" in warning.message for warning in bind_text(
        "use sitar as s\n0 s.baj pluck ga'").warnings] == [True]


def test_a_pitch_below_the_open_string_of_frets_or_a_hammer():
    text = "use guitar as g\nuse santoor as s\nuse sitar as i\n"
    [low] = [one for one in bind_text(
        text + "0 g.e2 pluck E2-40c\n1 g.a2 pluck +0st\n2 i.baj pluck -3st\n"
        "3 g.e2 pluck D2").warnings if "open string" in one.message]
    assert (low.place.line, low.place.col) == (7, 14) and low.message == (
        "g.e2 at 73.4162 Hz is below its open string, 82.4069 Hz, and frets raise no lower pitch; "
        "expected another string, or set g.e2.pitch")
