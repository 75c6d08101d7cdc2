"""`pysitar midi`: when what sounds is the file's own tempo map; what is wrong is reported with its
byte, what cannot be played is listed."""
import random
import re
from fractions import Fraction

import mido
import pytest
from app.commands import contents
from app.midi.makers import bend, control, midi, number, off, on, tempo, track

import pysitar
from pysitar.__main__ import main
from pysitar.app.midi.bending import simplify_curve
from pysitar.app.midi.reading import read_midi
from pysitar.score.timeline import events as timeline_events

SAMPLE = 1.0 / 48000.0
C = [(0, on(60)), (480, off(60))]


def made(tmp_path, monkeypatch, capsys, data, *words):
    """The score of a file, what was reported, and its events as pysitar reads them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mid").write_bytes(data)
    code = main(["midi", "a.mid", *(words or ("--instrument", "guitar"))])
    output = capsys.readouterr().err
    assert code == 0, output
    assert main(["check", "a.score"]) == 0, capsys.readouterr().out
    capsys.readouterr()
    score = pysitar.load_score("a.score")
    return (tmp_path / "a.score").read_text(), output, list(timeline_events(score))


def rows(text):
    return [re.split(r"  +", line) for line in text.splitlines() if re.match(r"[0-9]", line)]


def exact_seconds(tick, division, tempos):
    """The time of a tick by exact fractions: each tick's own tempo, summed."""
    total, at, us = Fraction(0), 0, 500000
    for change, value in sorted(tempos):
        if change >= tick:
            break
        total += Fraction((change - at) * us, division * 10**6)
        at, us = change, value
    return total + Fraction((tick - at) * us, division * 10**6)


@pytest.mark.parametrize(("division", "seed"), [(96, 1), (480, 2), (7, 3), (32767, 4), (1, 5)])
def test_every_event_is_at_its_time(division, seed, tmp_path, monkeypatch, capsys):
    """Within a sample: the beats have 9 decimals, so that a row is off by 17 s x 5e-10 at most,
    8e-9 s."""
    draw = random.Random(seed)
    tempos, tick, events = [], 0, []
    for _ in range(40):
        step = draw.randrange(1, 3 * division + 1)
        tick += step
        tempos.append((tick, draw.randrange(100000, 1500000)))
        events.append((step, tempo(tempos[-1][1])))
    starts, at, notes = [], 0, []
    for index in range(60):
        gap, long = draw.randrange(1, 2 * division + 1), draw.randrange(1, division + 1)
        starts.append(at + gap)
        notes += [(gap, on(52 + index % 12)), (long, off(52 + index % 12))]
        at += gap + long
    _, _, read = made(tmp_path, monkeypatch, capsys,
                      midi(track(*events), track(*notes), division=division))
    plucks = [event for event in read if event.verb == "pluck"]
    assert len(plucks) == len(starts)
    for event, start in zip(plucks, starts, strict=True):
        assert abs(event.time - float(exact_seconds(start, division, tempos))) < SAMPLE / 100.0


def test_frames_a_second(tmp_path, monkeypatch, capsys):
    """29 frames of 80 ticks are 30000/1001 of them."""
    data = midi(track((0, tempo(300000)), (24000, on(60)), (80, off(60))),
                division=(256 - 29) << 8 | 80)
    _, output, read = made(tmp_path, monkeypatch, capsys, data)
    assert read[0].time == pytest.approx(24000 * 1001 / 30000 / 80, abs=1e-8)
    assert "tempo" in output


def test_a_score_to_go_on_with(tmp_path, monkeypatch, capsys):
    data = midi(track((0, b"\xff\x58\4\3\2\x18\x08"), (0, tempo(500000)), *C, (960, on(64, 127)),
                      (480, off(64)), (0, on(40)), (1, off(40))))
    text, output, _ = made(tmp_path, monkeypatch, capsys, data)
    assert output == ""
    assert text.startswith("# From a.mid.\n\nuse guitar as guitar1\nmix guitar1  gain=0dB  pan=0\n"
                           "tempo 120\n\n# bar 1, 3/4\n0 ")
    assert [line for line in text.splitlines()
            if line.startswith("# bar")] == ["# bar 1, 3/4", "# bar 2"]
    found = rows(text)
    assert [row[:3] for row in found[:3]] == [["0", "guitar1.b3", "pluck"],
                                              ["1", "guitar1.b3", "damp"],
                                              ["3", "guitar1.e4", "pluck"]]
    assert [row[3].split()[0] for row in found if row[2] == "pluck"] == ["C4", "E4", "E2"]
    assert len({line.index(row[2]) for line,
                row in zip(re.findall("^[0-9].*", text, re.MULTILINE), found, strict=True)}) == 1


def test_a_chord_has_a_string_for_each_note(tmp_path, monkeypatch, capsys):
    keys = [40, 47, 52, 56, 59, 64]                                     # E major: all six strings
    text, output, _ = made(tmp_path, monkeypatch, capsys,
                         midi(track(*[(0, on(key)) for key in keys], (480, off(40)))))
    plucks = [row for row in rows(text) if row[2] == "pluck"]
    assert len({row[1] for row in plucks}) == 6
    assert "never released" in output and "5 x" in output


def test_two_notes_that_one_string_alone_can_hold(tmp_path, monkeypatch, capsys):
    """E1 and F1 lie under all strings of a guitar but the lowest."""
    text, output, _ = made(tmp_path, monkeypatch, capsys,
                         midi(track((0, on(28)), (0, on(29)), (480, off(28)), (0, off(29)))))
    assert [row[1] for row in rows(text)] == ["guitar1.e2", "guitar1.e2"]
    assert "1 x note for which no string is left" in output


def test_velocity_is_force(tmp_path, monkeypatch, capsys):
    """By 16^((v - 127)/126): the string's own force at 127, a sixteenth of it at 1."""
    events = [event for v in (127, 64, 1) for event in ((0, on(64, v)), (480, off(64)))]
    text, _, _ = made(tmp_path, monkeypatch, capsys, midi(track(*events)))
    forces = [
        float(re.search(r"f=([0-9.e-]+)N", row[3])[1]) for row in rows(text) if row[2] == "pluck"]
    assert forces[1] / forces[0] == pytest.approx(
        0.25, rel=0.01) and forces[2] / forces[0] == pytest.approx(1 / 16, rel=0.01)


@pytest.mark.parametrize(("events", "damps"), [
    ([(0, on(60)), (480, off(60))], ["1"]),
    # when the pedal lifts
    ([(0, control(64, 127)), (0, on(60)), (480, off(60)), (480, control(64, 0))], ["2"]),
    # struck again: no damp between
    ([(0, on(60)), (480, off(60)), (0, on(60)), (480, off(60))], ["2"]),
    # overlapping: first in, first out
    ([(0, on(60)), (240, on(60)), (240, off(60)), (480, off(60))], ["2"]),
    ([(0, on(60)), (0, off(60)), (480, on(40)), (480, off(40))], ["2"]),  # of no length: rings on
    ([(0, control(64, 127)), (0, on(60)), (480, off(60))], []),  # the pedal is never lifted
    ([(0, on(60)), (480, control(123, 0))], ["1"]),  # all notes off
    ([(0, on(60)), (480, b"\x90\x3c\0")], ["1"]),  # a velocity of 0
], ids=str)
def test_ends(events, damps, tmp_path, monkeypatch, capsys):
    text, _, _ = made(tmp_path, monkeypatch, capsys, midi(track(*events)))
    assert [row[0] for row in rows(text) if row[2] == "damp"] == damps


def test_bends(tmp_path, monkeypatch, capsys):
    """A whole tone up over a beat in 64 steps is two points; the range is RPN 0's; a note begins
    where the wheel is."""
    rise = [(480 // 64, bend(8192 + 8191 * step // 64)) for step in range(1, 65)]
    text, _, _ = made(tmp_path, monkeypatch, capsys, midi(track(
        (0, on(60)), *rise, (480, off(60)), (480, on(60)), (480, off(60)))))
    curves = [row[3] for row in rows(text) if row[2] == "bend"]
    assert len(curves) == 1 and curves[0].count(":") <= 4 and "D4" in curves[0]
    assert re.search(r"pluck  (D4|C4\+|D4-)", text.splitlines()[-2])
    wide = [(0, control(101, 0)), (0, control(100, 0)), (0, control(6, 12)), (0, bend(8192 - 4096)),
            (0, on(64)), (480, off(64))]
    text, output, _ = made(tmp_path, monkeypatch, capsys, midi(track(*wide)))
    assert rows(text)[0][3].startswith("A#3 ") and output == ""


def test_few_points_stay_within_a_cent():
    draw = random.Random(1)
    value, points = 0.0, []
    for index in range(400):
        value += draw.uniform(-0.03, 0.04)
        points.append((index * 0.005, value))
    few = simplify_curve(points)
    assert len(few) < len(points)
    for time, value in points:
        after = next(index for index, point in enumerate(few) if point[0] >= time)
        (t0, v0), (t1, v1) = few[max(after - 1, 0)], few[after]
        line = v1 if t1 == t0 else v0 + (v1 - v0) * (time - t0) / (t1 - t0)
        assert abs(line - value) <= 0.01 + 1e-12
    # held, and then a jump
    assert simplify_curve([(0.0, 0.0), (1.0, 1.0)]) == [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]


def test_what_has_no_place_is_listed(tmp_path, monkeypatch, capsys):
    data = midi(track(*C, (0, b"\xc0\5"), (0, b"\xd0\5"), (0, b"\xa0\x3c\5"), (0, control(7, 100)),
                      (0, b"\xf0\2\1\xf7"), (0, b"\xff\5\2la"), (0, on(127)), (0, off(127)),
                      (0, off(3)), (0, on(36, channel=10)), (9, off(36, channel=10))))
    text, output, _ = made(tmp_path, monkeypatch, capsys, data)
    for kind in ("program change, channel 1", "aftertouch", "key pressure", "controller 7", "SysEx",
                 "lyric", "out of the strings' range", "note off without a note",
                 "note, channel 10"):
        assert kind in text and kind in output
    assert "at 0.500 s" in output


def test_channels_and_objects(tmp_path, monkeypatch, capsys):
    data = midi(track((0, on(61)), (480, off(61)), (0, on(38, channel=10)),
                      (9, off(38, channel=10)), (0, on(49, channel=2)), (9, off(49, channel=2))))
    words = ("--channel", "1=sitar", "--channel", "10=wood_table", "--channel", "2=tanpura")
    text, output, read = made(tmp_path, monkeypatch, capsys, data, *words)
    assert {row[1].split(".")[0] for row in rows(text)} == {"sitar1", "wood_table10", "tanpura2"}
    assert output == "" and [event.verb for event in read].count("strike") == 1


def test_it_sounds(tmp_path, monkeypatch, capsys):
    made(tmp_path, monkeypatch, capsys, midi(track(*C)))
    report = pysitar.render(pysitar.load_score("a.score"), rate=12000, oversample=1,
                            stop=0.5).report
    assert report["peak"] > 0.01 and report["residual"] < 1e-9


HEAD = b"MThd\0\0\0\6\0\0\0\1\1\xe0"
REFUSED = {
    "empty": (b"", ":byte 0: "),
    "text": (b"hello, I am no MIDI", ":byte 0: "),
    "cut header": (HEAD[:9], ":byte 8: "),
    "no ticks": (midi(track(*C), division=0), ":byte 12: "),
    "bad frames": (midi(track(*C), division=0x8000 | 3), ":byte 12: "),
    "no tracks": (midi(), "no note"),
    "empty track": (midi(track()), "no note"),
    "fewer tracks": (midi(track(*C), count=3), "after 1 of 3"),
    "cut": (midi(track(*C))[:-7], ":byte 22: "),
    "giant chunk": (HEAD + b"MTrk\xff\xff\xff\xff\0", "4294967295 bytes"),
    "short chunk": (HEAD + b"MTrk\0\0\0\2\0\x90\x3c\x40", ":byte 24: "),
    "format 3": (midi(track(*C), form=3), ":byte 8: "),
    "patterns": (midi(track(*C), track(*C), form=2), ":byte 8: "),
    "long delta": (HEAD + b"MTrk\0\0\0\5\xff\xff\xff\xff\x7f", ":byte 22: "),
    "giant meta": (HEAD + b"MTrk\0\0\0\6\0\xff\1\xff\xff\x7f", ":byte "),
    "no status": (midi(track((0, b"\x3c\x40"))), ":byte 23: "),
    "high data": (midi(track((0, b"\x90\xbc\x40"))), "repaired: event with a data byte over 127"),
    "status f4": (midi(track((0, b"\xf4\0"))), ":byte 23: the status 0xf4"),
    "status f5": (midi(track((0, b"\xf5"), *C)), ":byte 23: "),
    "tempo 0": (midi(track((0, tempo(0)), *C)), ":byte 23: "),
    "short tempo": (midi(track((0, b"\xff\x51\1\1"), *C)), ":byte 23: "),
    "meter 0": (midi(track((0, b"\xff\x58\4\0\2\x18\x08"), *C)), ":byte 23: "),
    "too late": (midi(track(*[(0x0FFFFFFF, b"\xff\1\0")] * 3, *C), division=1), ":byte "),
    "too large": (HEAD + bytes(16 * 10**6), "16 MB"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_place(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data, said = REFUSED[name]
    (tmp_path / "a.mid").write_bytes(data)
    assert main(["midi", "a.mid", "--instrument", "guitar"]) == 2
    output = capsys.readouterr().err
    assert output.startswith("pysitar: a.mid:") and said in output
    assert "expected" in output
    assert list(contents(tmp_path)) == ["a.mid"]


@pytest.mark.parametrize(
    "words", [[], ["--channel", "17=sitar"], ["--channel", "sitar"], ["--instrument", "sitra"],
              ["--channel", "1="], ["--channel", "1=sitar", "--channel", "1=bass"],
              ["--instrument", "guitar", "-o", "a.wav"]], ids=str)
def test_a_wrong_command_line(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mid").write_bytes(midi(track(*C)))
    assert main(["midi", "a.mid", *words]) == 2
    assert capsys.readouterr().err.startswith("pysitar midi: ")
    assert list(contents(tmp_path)) == ["a.mid"]


def test_no_file_of_bytes_ends_in_a_traceback(tmp_path, monkeypatch, capsys):
    """Good files with bytes changed, cut or put in: a score that is right, or one line."""
    monkeypatch.chdir(tmp_path)
    good = midi(track((0, tempo(400000)), (9, b"\xff\x58\4\3\2\x18\x08")),
                track(*C, (0, bend(9000)), (5, on(50)), (7, bend(3000)), (8, off(50))))
    draw = random.Random(7)
    codes = set()
    for _ in range(80):
        data = bytearray(good)
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        if draw.random() < 0.2:
            del data[draw.randrange(len(data)):]
        (tmp_path / "a.mid").write_bytes(data)
        (tmp_path / "a.score").unlink(missing_ok=True)
        code = main(["midi", "a.mid", "--instrument", "guitar"])
        codes.add(code)
        assert code in (0, 2), (bytes(data), capsys.readouterr().err)
        assert code == 2 or main(["check", "a.score"]) == 0, (bytes(data), capsys.readouterr().out)
        capsys.readouterr()
    assert codes == {0, 2}


def test_many_tracks_and_running_status_as_mido_reads_them(tmp_path):
    """An independent reader finds the same notes at the same ticks."""
    draw = random.Random(3)
    tracks = [track(*[(draw.randrange(300), bytes([60 + draw.randrange(9), draw.randrange(128)])
                       if index else on(60)) for index in range(9)]) for _ in range(300)]
    data = midi(*tracks)
    (tmp_path / "a.mid").write_bytes(data)
    theirs = []
    for each in mido.MidiFile(tmp_path / "a.mid").tracks:
        tick = 0
        for message in each:
            tick += message.time
            if message.type == "note_on":
                theirs.append((tick, message.note, message.velocity))
    ours = [(event.tick, event.first, event.second) for event in read_midi(data, "a.mid").events]
    assert len(ours) == 2700 and sorted(ours) == sorted(theirs)
    assert number(200) == b"\x81\x48"
