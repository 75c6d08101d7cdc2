"""MPE zones: the notes of all members on one instrument, each with its own bend."""
import re

import pytest
from app.midi.makers import bend, midi, off, on, rpn, track

from pysitar.__main__ import main

ZONE = rpn(6, 15, channel=1)
SEMITONE = round(8192 / 48)          # of the wheel, in a range of 48 semitones


def members(channels=(2, 3, 10)):
    """A chord whose notes are on channels of their own; that of the second bends up by a
    semitone."""
    keys = (52, 57, 62)
    return [*((0, on(key, channel=channel)) for key, channel in zip(keys, channels, strict=True)),
            (120, bend(8192 + SEMITONE, channels[1])),
            *((240, off(key, channel)) for key, channel in zip(keys, channels, strict=True))]


@pytest.fixture
def convert(tmp_path, monkeypatch, capsys):
    """Convert a track; return its targets and the rows of each."""
    def run(events, *words):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "a.mid").write_bytes(midi(track(*events)))
        assert main(["midi", "a.mid", *words]) == 0
        assert main(["check", "a.score"]) == 0, capsys.readouterr().out
        text = (tmp_path / "a.score").read_text()
        rows = [re.split(r"  +", line) for line in text.splitlines() if re.match(r"[0-9]", line)]
        return re.findall(r"^use .* as (\w+)$", text, re.MULTILINE), rows
    return run


def test_a_note_that_starts_bent_has_a_string_below_its_pitch(convert):
    """E4, bent down by a semitone before it starts, is no note of the open string of E4."""
    _, rows = convert([*ZONE, (0, bend(8192 - SEMITONE, 2)), (0, on(64, channel=2)),
                       (240, off(64, 2))], "--instrument", "guitar")
    assert [row[1] for row in rows if row[2] == "pluck"] == ["guitar1.b3"]


def test_a_zone_is_one_instrument(convert):
    uses, rows = convert([*ZONE, *members()], "--instrument", "guitar")
    assert uses == ["guitar1"]
    strings = {row[3].split()[0]: row[1] for row in rows if row[2] == "pluck"}
    assert sorted(strings) == ["A3", "D4", "E3"] and len(set(strings.values())) == 3
    [bent] = [row for row in rows if row[2] == "bend"]
    # 171 / 8192 of 48 semitones are 100.2 cents
    assert bent[1] == strings["A3"] and "A#3+0.2c" in bent[3]


def test_without_a_configuration_the_option_makes_the_zone(convert):
    configured = convert([*ZONE, *members()], "--instrument", "guitar")
    assert convert(members(), "--instrument", "guitar", "--mpe") == configured
    uses, rows = convert(members(), "--instrument", "guitar")
    assert uses == ["guitar2", "guitar3"]          # as ever: channel 10 is percussion
    assert next(row[3] for row in rows if row[2] == "bend").split(":")[-1].startswith("A3+4.")


def test_a_message_of_the_file_changes_the_zone_of_the_option(convert):
    uses, _ = convert([*rpn(6, 2, channel=1), *members((2, 3, 4))], "--instrument", "guitar",
                      "--mpe")
    assert uses == ["guitar1", "guitar4"]


def test_a_member_with_an_instrument_of_its_own_keeps_it(convert):
    uses, rows = convert([*ZONE, *members()], "--channel", "1=guitar", "--channel", "3=sitar")
    assert uses == ["guitar1", "sitar3"]
    assert [row[1].partition(".")[0] for row in rows if row[2] == "pluck"] == [
        "guitar1", "guitar1", "sitar3"]


def test_members_alone_are_instruments_of_their_own(convert):
    uses, _ = convert([*ZONE, *members((2, 3, 4))], "--channel", "2=guitar", "--channel",
                      "4=guitar")
    assert uses == ["guitar2", "guitar4"]
