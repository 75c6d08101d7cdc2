"""What a MIDI file says of pitch beside its keys: bend ranges, tunings of channels and of keys,
MPE."""
import pytest
from app.midi.makers import bend, control, midi, off, on, rpn, sysex, track

from pysitar.app.midi.notes import read_piece
from pysitar.app.midi.reading import read_midi

UP = bend(8192 + 4096)          # half of the range


def read(*events):
    """The notes' pitches with their bends at the start, and what was left out, of a track of
    events."""
    piece = read_piece(read_midi(midi(track(*events)), "a.mid"))
    pitches = []
    for note in piece.notes:
        bent = [at for tick, at in piece.bends[note.channel] if tick <= note.start]
        pitches.append(note.pitch + (bent[-1] if bent else 0.0))
    return pitches, {kind for kind, _ in piece.omitted.counts}


def note(key=60, channel=1):
    return [(1, on(key, channel=channel)), (10, off(key, channel=channel))]


@pytest.mark.parametrize(
    ("events", "pitch"),
    [
        ([], 61.0),
        (rpn(0, 12), 66.0),
        (rpn(0, 12, 50), 66.25),
        ([*rpn(0, 12, 50), *rpn(0, 4)], 62.0),  # a coarse value ends the fine one
        # but not one that was written first
        ([*rpn(0), (0, control(38, 50)), (0, control(6, 4))], 62.25),
        # of an NRPN
        ([*rpn(0, 12), (0, control(99, 1)), (0, control(98, 8)), (0, control(6, 64))], 66.0),
        ([
            *rpn(0, 12), (0, control(98, 8)), (0, control(6, 64)), (0, control(38, 64)),
            (0, control(96, 0))
        ], 66.0),
        ([*rpn(0, 12), *rpn(127, coarse=127), (0, control(6, 64))], 66.0),  # nothing is selected
        ([*rpn(0, 12), (0, control(121, 0)), (0, UP),
          (0, control(6, 64))], 66.0),  # nor after a reset
        ([(0, control(99, 1)), *rpn(0), (0, control(6, 12))], 66.0),
        ([*rpn(0), (0, control(96, 127)),
          (0, control(96, 0))], 61.01),  # up by two cents of the range
        ([*rpn(0, 3, 0), (0, control(97, 9))], 61.495),
        ([*rpn(0, 0, 0), (0, control(97, 9))], 60.0),
        ([*rpn(0, 12), *rpn(5, 64)], 66.0),
        (rpn(0, 12, coarse=1), 61.0),
    ])
def test_the_bend_range(events, pitch):
    """RPN 0 alone sets it."""
    pitches, _ = read(*events, (0, UP), *note())
    assert pitches == pytest.approx([pitch], abs=1e-12)


@pytest.mark.parametrize(("events", "pitch"), [
    (rpn(1, 96, 0), 60.5),
    (rpn(1, 0, 0), 59.0),
    (rpn(1, 127, 127), 60 + 8191 / 8192),
    (rpn(2, 52), 48.0),
    ([*rpn(2, 76), *rpn(1, 32, 0)], 71.5),
    ([*rpn(1, 64, 0), (0, control(96, 0))], 60 + 1 / 8192),
    ([*rpn(1, 64, 0), (0, control(97, 0))], 60 - 1 / 8192),
    ([*rpn(2, 64), (0, control(96, 5))], 61.0),
    ([*rpn(2, 0), (0, control(97, 5))], -4.0),
    ([(0, sysex(b"\x7f\x7f\4\3\0\x60"))], 60.5),
    ([(0, sysex(b"\x7f\x7f\4\4\0\x3f"))], 59.0),
])
def test_a_channel_or_all_are_tuned(events, pitch):
    assert read(*events, *note()) == ([pytest.approx(pitch, abs=1e-12)], set())


def test_a_channel_is_tuned_while_it_sounds():
    piece = read_piece(
        read_midi(
            midi(
                track((0, on(60)),
                      *[(5 * (not i), event) for i, (_, event) in enumerate(rpn(2, 66))],
                      (5, off(60)))), "a.mid"))
    assert piece.bends[1] == [(5, 2.0)]


def frequency(semitones):
    whole, part = divmod(round(semitones * 16384), 16384)
    return bytes([whole, part >> 7, part & 127])


DUMP = b"".join(frequency(key + 0.25) for key in range(128))
OCTAVE = bytes([64 + 25] * 12)
OCTAVE_2 = bytes([80, 0] * 12)
CHANNEL_1, ALL = b"\0\0\1", b"\3\x7f\x7f"
SELECTED = [*rpn(4, 2), *rpn(3, 5)]


@pytest.mark.parametrize(
    ("message", "before", "pitch"),
    [
        (b"\x7f\x7f\x08\2\0\1" + b"\x3c" + frequency(60.5), [], 60.5),
        (b"\x7f\x7f\x08\2\0\2" + b"\x3e" + frequency(1.0) + b"\x3c" + frequency(70.125), [],
         70.125),
        (b"\x7f\x7f\x08\2\0\1\x3c\x7f\x7f\x7f", [], 60.0),  # as it was
        (b"\x7f\x7f\x08\2\5\1" + b"\x3c" + frequency(60.5), [], 60.0),  # another program
        (b"\x7f\x7f\x08\2\5\1" + b"\x3c" + frequency(60.5), rpn(3, 5), 60.5),
        (b"\x7e\x7f\x08\7\2\5\1" + b"\x3c" + frequency(60.5), SELECTED, 60.5),
        (b"\x7f\x7f\x08\7\2\5\1" + b"\x3c" + frequency(60.5),
         [*rpn(4, 2), *rpn(3, 4), (0, control(96, 0))], 60.5),
        (b"\x7e\x7f\x08\1\5" + bytes(16) + DUMP + b"\0", rpn(3, 5), 60.25),
        (b"\x7e\x7f\x08\1\0" + bytes(16) + DUMP, [], 60.25),  # no checksum
        (b"\x7e\x7f\x08\4\2\5" + bytes(16) + DUMP + b"\0", SELECTED, 60.25),
        (b"\x7e\x7f\x08\5\2\5" + bytes(16) + OCTAVE + b"\0", SELECTED, 60.25),
        (b"\x7e\x7f\x08\6\2\5" + bytes(16) + OCTAVE_2 + b"\0", SELECTED, 60.25),
        (b"\x7f\x7f\x08\x08" + CHANNEL_1 + OCTAVE, [], 60.25),
        (b"\x7e\x7f\x08\x08" + ALL + OCTAVE, [], 60.25),
        (b"\x7f\x7f\x08\x09" + ALL + OCTAVE_2, [], 60.25),
        (b"\x7e\x7f\x08\x09" + b"\3\x7f\x7e" + OCTAVE_2, [], 60.0),
        (b"\x7f\x7f\x08\x08" + CHANNEL_1 + bytes([64 - 64, *[64] * 11]), [], 59.36),
    ])
def test_tunings_of_keys(message, before, pitch):
    """Every message of the MIDI Tuning Standard that sets one."""
    pitches, omitted = read(*before, (0, sysex(message)), *note())
    assert pitches == [pytest.approx(pitch, abs=1e-12)]
    assert omitted == set()


@pytest.mark.parametrize(("bit", "channel"), [(b"\0\0\2", 2), (b"\0\0\x40", 7), (b"\0\1\0", 8),
                                              (b"\0\x40\0", 14), (b"\1\0\0", 15), (b"\2\0\0", 16)])
def test_the_map_of_channels(bit, channel):
    played = [event for number in range(1, 17) for event in note(60, number)]
    pitches, _ = read((0, sysex(b"\x7f\x7f\x08\x08" + bit + OCTAVE)), *played)
    assert [at for at, pitch in enumerate(pitches, 1) if pitch == 60.25] == [channel]


def test_scales_add_to_a_program_and_not_to_one_another():
    message = sysex(b"\x7f\x7f\x08\x08" + ALL + OCTAVE)
    pitches, _ = read((0, sysex(b"\x7e\x7f\x08\1\0" + bytes(16) + DUMP + b"\0")), (0, message),
                      (0, message), *note())
    assert pitches == [60.5]


@pytest.mark.parametrize(("data", "name"), [
    (b"\x7f\x7f\x08\2\0\2\x3c\x3c\0\0", "SysEx: MIDI tuning that is cut or of an unknown kind"),
    (b"\x7e\x7f\x08\1\0" + bytes(99), "SysEx: MIDI tuning that is cut or of an unknown kind"),
    (b"\x7f\x7f\x08\x08" + ALL + OCTAVE[1:],
     "SysEx: MIDI tuning that is cut or of an unknown kind"),
    (b"\x7f\x7f\x08\2\0\1\x3c\xbc\0\0", "SysEx: MIDI tuning that is cut or of an unknown kind"),
    (b"\x7e\x7f\x09\1", "SysEx: GM system on"),
    (b"\x7e\0\x08\0\0", "SysEx: request of a tuning dump"),
    (b"\x41\x10\x42\x12\x40\x11\x40" + OCTAVE + b"\0", "SysEx: GS scale tuning"),
    (b"\x41\x10\x42\x12\x40\0\x7f\0\x41", "SysEx: GS reset"),
    (b"\x41\x10\x42\x12\x40\1\x30\4\0", "SysEx: GS parameter"),
    (b"\x43\x10\x4c\x08\0\x41\x40", "SysEx: XG scale tuning"),
    (b"\x43\x10\x4c\0\0\x7e\0", "SysEx: XG system on"),
    (b"\x43\x10\x4c\2\1\0\0", "SysEx: XG parameter"),
    (b"\x7d\0", "SysEx of manufacturer 0x7d"),
    (b"", "SysEx without data"),
    (b"\x7f\x7f\4\1\0\x40", "SysEx: master volume"),
    (b"\x7f\x7f\4\3\0", "SysEx: master fine tuning that is cut"),
    (b"\x7f\x7f\6\2", "SysEx: universal, 0x06 0x02"),
    (b"\x7f", "SysEx of manufacturer 0x7f"),
])
def test_what_is_not_kept_has_a_name(data, name):
    assert read((0, sysex(data)), *note()) == ([60.0], {name})


@pytest.mark.parametrize(("events", "name"), [
    ([(0, control(99, 1)), (0, control(98, 8)), (0, control(6, 64))], "NRPN 1/8"),
    (rpn(5, 1), "RPN 0/5 (modulation depth range)"),
    ([(0, control(6, 1))], "data entry without a parameter"),
    (rpn(6, 3, channel=2), "RPN 0/6 (MPE configuration)"),
    ([*rpn(3, 5), *note()], "tuning program 5 of bank 0, which the file has not set: equal steps"),
    ([(0, on(60)), (1, sysex(b"\x7f\x7f\x08\x08" + ALL + OCTAVE)),
      (1, off(60))], "change of tuning while a note sounds: it keeps its pitch"),
])
def test_parameters_that_are_not_kept_have_a_name(events, name):
    assert read(*events)[1] == {name}


def test_a_sysex_in_packets():
    message = b"\x7f\x7f\x08\2\0\1\x3c" + frequency(60.5)
    packets = [(0, b"\xf0" + bytes([4]) + message[:4]), (3, b"\xf7" + bytes([3]) + message[4:7]),
               (3, b"\xf7" + bytes([4]) + message[7:] + b"\xf7")]
    assert read(*packets, *note()) == ([60.5], set())
    # never ended
    assert read((0, b"\xf0" + bytes([len(message)]) + message), *note()) == ([60.5], set())
    assert read((0, b"\xf7\2\x90\x3c"), *note()) == ([60.0], {"SysEx escape"})


def test_mpe():
    """Members bend by 48 semitones, with their manager's two; RPN 0 of one is that of all; the
    pedal is the manager's."""
    def zone(count, manager=1):
        return rpn(6, count, channel=manager)

    def high(channel):
        return 0, bend(8192 + 4096, channel)

    assert read(*zone(3), high(4), *note(60, 4), high(5), *note(60, 5), high(1), *note(60, 1),
                *note(60, 4))[0] == [84.0, 61.0, 61.0, 85.0]
    assert read(*zone(3), *rpn(0, 24, channel=2), high(4), *note(60, 4), high(1),
                *note())[0] == [72.0, 61.0]
    assert read(*zone(3), *zone(0), high(4), *note(60, 4))[0] == [61.0]
    assert read(*zone(15, 16), high(1), *note(), *zone(4), high(2), high(6), *note(60, 2),
                *note(60, 6))[0] == [84.0, 85.0, 84.0]
    assert read(*zone(7, 16), high(9), *note(60, 9), high(8), *note(60, 8))[0] == [84.0, 61.0]
    assert read(*zone(7), *zone(10, 16), high(5), *note(60, 5), high(6),
                *note(60, 6))[0] == [61.0 + 23.0, 84.0]
    piece = read_piece(read_midi(
        midi(track(*zone(3), (0, control(64, 127)), *note(60, 2), (9, control(64, 0)))), "a.mid"))
    assert [(one.released, one.end) for one in piece.notes] == [(11, 20)]
