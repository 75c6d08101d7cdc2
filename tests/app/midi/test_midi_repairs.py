"""What the format forbids and other readers read all the same: read on, counted and listed."""
import random

import mido
import pytest
from app.midi.makers import midi, off, on, sysex, tempo, track

from pysitar.__main__ import main
from pysitar.app.midi.reading import read_midi

TEXT = b"\xff\1\2la"
RUNNING = "running status after a meta event, SysEx or system message: the last status holds"
HIGH = "event with a data byte over 127: read as 127"


def notes(data):
    """(tick, channel, key, velocity; 0: off) of a file, in order, and what was repaired: kind ->
    (how often, first tick)."""
    file = read_midi(data, "a.mid")
    found = [(event.tick, event.channel, event.first, event.second if event.kind == "on" else 0)
             for event in file.events if event.kind in ("on", "off")]
    return found, {kind: counted for (kind, _), counted in file.repairs.counts.items()}


def their_notes(folder, data):
    """The same as mido reads them."""
    (folder / "a.mid").write_bytes(data)
    found, tick = [], 0
    for message in mido.MidiFile(folder / "a.mid", clip=True).tracks[0]:
        tick += message.time
        if message.type in ("note_on", "note_off"):
            velocity = message.velocity if message.type == "note_on" else 0
            found.append((tick, message.channel + 1, message.note, velocity))
    return found


@pytest.mark.parametrize(("events", "repairs", "mido_reads"), [
    ([(0, on(60)), (5, TEXT), (5, b"\x3e\x40"), (5, b"\x3c\0")], {RUNNING: (2, 10)}, True),
    ([(0, on(60)), (5, tempo(300000)), (5, b"\x3c\0"), (5, on(62)),
      (5, b"\x3e\0")], {RUNNING: (1, 10)}, True),
    ([(0, on(60)), (5, sysex(b"\x7d\1")), (5, b"\x3c\0")], {RUNNING: (1, 10)}, False),
    ([(0, on(60)), (5, b"\xf8"), (5, b"\x3c\0")], {"system message 0xf8: skipped": (1, 5)}, False),
    ([(0, on(60)), *[(5, bytes([byte])) for byte in range(0xF8, 0xFF)], (5, off(60))],
     {f"system message {byte:#04x}: skipped": (1, 5 * (byte - 0xF7))
      for byte in range(0xF8, 0xFF)}, False),
    ([(0, on(60)), (1, b"\xf8"), (1, b"\xfa"), (1, b"\xfb"), (1, b"\xfc"), (1, b"\xfe"),
      (5, off(60))], {
          f"system message {byte:#04x}: skipped": (1, at)
          for at, byte in enumerate((0xF8, 0xFA, 0xFB, 0xFC, 0xFE), 1)
      }, True),
    ([(0, on(60)), (1, b"\xf1\x11"), (1, b"\xf2\1\2"), (1, b"\xf3\4"), (1, b"\xf6"),
      (5, off(60))], {
          f"system message {byte:#04x}: skipped": (1, at)
          for at, byte in enumerate((0xF1, 0xF2, 0xF3, 0xF6), 1)
      }, True),
    ([(0, on(60)), (1, b"\xf2\1\2"),
      (1, b"\x3c\0")], {"system message 0xf2: skipped": (1, 1), RUNNING: (1, 2)}, False),
    ([(0, b"\x90\x3c\x90"), (5, b"\x80\x3c\xff"), (5, b"\x90\xfe\x40"), (0, b"\xc0\x80"),
      (5, b"\x80\xff\x80")], {HIGH: (5, 0)}, True),
    ([(0, on(60)), (5, off(60))], {}, True),
], ids=str)
def test_read_on(events, repairs, mido_reads, tmp_path):
    data = midi(track(*events))
    found, repaired = notes(data)
    assert repaired == repairs and len(found) >= 2
    assert not mido_reads or found == their_notes(tmp_path, data)


def test_runs_among_meta_events_as_mido_reads_them(tmp_path):
    draw = random.Random(11)
    events = [(0, on(60)), *((draw.randrange(9), draw.choice(
        (TEXT, tempo(400000), bytes([60 + draw.randrange(9), draw.randrange(256)]))))
                             for _ in range(300))]
    found, repaired = notes(midi(track(*events)))
    assert found == their_notes(tmp_path, midi(track(*events))) and set(repaired) == {RUNNING, HIGH}


def test_repairs_are_listed(tmp_path, monkeypatch, capsys):
    """In the score, on standard error, and where no note is left to play."""
    monkeypatch.chdir(tmp_path)
    data = midi(track((0, on(60)), (240, b"\xfe"), (0, TEXT), (240, b"\x3c\0"),
                      (0, b"\x90\x3e\xc0"), (480, off(62))))
    (tmp_path / "a.mid").write_bytes(data)
    assert main(["midi", "a.mid", "--instrument", "guitar"]) == 0
    output = capsys.readouterr().err.splitlines()
    listed = ["1 x system message 0xfe: skipped, at 0.250 s", f"1 x {HIGH}, channel 1, at 0.500 s",
              f"1 x {RUNNING}, channel 1, at 0.500 s"]
    assert output == [*(f"a.mid: repaired: {line}" for line in listed),
                    "a.mid: not in the score: 1 x text, at 0.250 s"]
    text = (tmp_path / "a.score").read_text()
    assert text.startswith("\n".join([
        "# From a.mid.", "# Repaired in the file:", *(f"#   {line}" for line in listed),
        "# Not in this score:", "#   1 x text, at 0.250 s", ""]))
    assert main(["check", "a.score"]) == 0


def test_a_note_of_no_length_shifts_no_end(tmp_path, monkeypatch, capsys):
    """Its off first, at the same tick: the notes after it have their own ends, and it is in the
    list."""
    monkeypatch.chdir(tmp_path)
    data = midi(track((0, off(60)), (0, on(60)), *[event for _ in range(3)
                                                   for event in ((480, on(60)), (240, off(60)))]))
    (tmp_path / "a.mid").write_bytes(data)
    assert main(["midi", "a.mid", "--instrument", "guitar"]) == 0
    assert (capsys.readouterr().err == "a.mid: not in the score: 1 x end of a note of no length: "
            "it rings on, channel 1, at 0.000 s\n")
    rows = [line.split() for line in (tmp_path / "a.score").read_text().splitlines()
            if line[:1].isdigit()]
    assert [(row[0], row[2], row[-1]) for row in rows] == [("0", "pluck", "f=0.552N"),
                                                           ("1", "pluck", "dur=0.5"),
                                                           ("1.5", "damp", "damp"),
                                                           ("2.5", "pluck", "dur=0.5"),
                                                           ("3", "damp", "damp"),
                                                           ("4", "pluck", "dur=0.5"),
                                                           ("4.5", "damp", "damp")]
