"""`pysitar tune`: what a bridge does to a string is taken back, nothing else of the file changes,
and mistakes are reported."""
import builtins
import os
from dataclasses import replace

import pytest
import tomlkit
from app.commands import contents, refused

from pysitar.__main__ import main
from pysitar.app.tune.notes import Note, NoteResult, Setup, tune_note
from pysitar.app.tune.pitch import measure_pitch, render_note
from pysitar.app.tune.tuning import (
    StringTuning,
    TuneError,
    notes_for_truncation,
    tune_notes,
    tune_string,
)
from pysitar.app.tune.writing import edit_instrument
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.models.strings.modal_string import crowding, retuned_spec

RATE = 24000.0  # internal, so low that it is soon computed: a bridge then sharpens even more
HZ = 277.0
TEXT = """\
# One string on a bridge.   These words, and what is odd about the blanks, stay.
model = "string"
gain = 17.0

[strings.chikari]          # steel
pitch = 277.0
cents   =  -2.0   # a first guess
highest = 3
length = 0.66
linear_density = 3.85336e-4
sigma0 = 0.8
sigma1 = 0.006
sigma3 = 4e-6

[strings.chikari.barrier]          # flat
profile = "parabola"
extent = 0.02
height = 15e-6
points = 6
stiffness = 1e9
damping = 0.05

[strings.chikari.pluck]
position = "11cm"
force = 1.8
ramp = 0.006
release = 0.0003

[strings.free]          # over no bridge
pitch = 300.0
cents = 1.5
length = 0.66
linear_density = 3.85336e-4
[strings.free.pluck]
position = "11cm"
force = 1.8
ramp = 0.006
release = 0.0003
"""
QUICK = ("--rate", "24000", "--oversample", "1", "--jobs", "1")
BRIDGES = TEXT.replace(
    "gain = 17.0\n", 'gain = 17.0\nbridge = "low"\n[bridges.low]\n'
    '"*.cents" = -1.0          # of all\n[bridges.high]\n"*.stretch" = -0.5\n\n# Of the strings.\n')


def parsed(text, bridge=""):
    return parse_instrument(text, name="x", shown="x.toml",
                            changes=[(("bridge", ), bridge)] if bridge else [])


def off(text, semitones, bridge="", highest=None):
    """How far a note of the file's string is off, as it is played: from the file's own values."""
    spec = parsed(text, bridge)
    sound = render_note(spec, spec.strings[0], hz=HZ, semitones=semitones,
                        highest=semitones if highest is None else highest, rate=RATE)
    return measure_pitch(sound, rate=RATE, hz=HZ * 2.0 ** (semitones / 12.0)).cents


@pytest.fixture
def folder(here):
    (here / "x.toml").write_text(TEXT)
    return here


def test_what_a_bridge_does_is_taken_back(folder, capsys):
    assert main(["tune", "x.toml", "-o", "tuned.toml", "--semitones", "2", *QUICK]) == 0
    out, output = capsys.readouterr()
    rows = [line.split() for line in out.splitlines()]
    assert rows[0] == ["string", "semitones", "Hz", "before", "after", "free"]
    assert [row[:2] for row in rows[1:]] == [["chikari", "0"], ["chikari", "1"], ["chikari", "2"]]
    before, after, free = ([float(row[column]) for row in rows[1:]] for column in (3, 4, 5))
    assert min(before) > 3.0 and max(map(abs, after)) < 1.0
    assert output.startswith("tuned.toml: 1 of 1 string changed; of 3 notes, the farthest was ")
    assert output.count("\n") == 1
    text = (folder / "tuned.toml").read_text()
    # the table tells of the input and of the output as they are played, to its 0.01; of the output
    # to a mode that is kept or lost when its tension is changed by a few cents: one of 35, 600 /
    # 35^2 cents
    assert [off(TEXT, n, highest=2) for n in range(3)] == pytest.approx(before, abs=0.01)
    assert [off(text, n, highest=2) for n in range(3)] == pytest.approx(after, abs=0.5)
    string = parsed(text).strings[0]
    kept = retuned_spec(string, hz=HZ, highest=HZ * 2.0 ** (2 / 12.0), sample_rate=RATE)
    assert [kept.cents + kept.correction(n) for n in range(3)] == pytest.approx(free, abs=0.5)
    # alone, and where the score goes up to the string's highest note: by what fewer modes do
    assert string.truncation > 0.0
    assert max(abs(off(text, n, highest=highest)) for n in range(3) for highest in (n, 3)) < 1.0
    # all else of the text is as it was
    lines = text.splitlines(keepends=True)
    new = [line for line in lines
           if line.startswith(("cents   =  -", "corrections = ", "truncation = "))]
    assert len(new) == 3 and new[0].endswith("   # a first guess\n")
    kept = "".join(line if line is not new[0] else "cents   =  -2.0   # a first guess\n"
                   for line in lines if line not in new[1:])
    assert kept == TEXT
    assert (folder / "x.toml").read_text() == TEXT


def test_a_tuned_string_stays_as_it_is():
    string = parsed(TEXT).strings[0]
    found = [
        NoteResult(Note("chikari", HZ, n), HZ, before=0.9, after=0.2, free=-2.7) for n in range(2)]
    assert tune_string(string, found, [],
                       rate=RATE) == StringTuning(-2.0, (0.0,), 0.0, changed=False)
    assert edit_instrument(TEXT, {"chikari": StringTuning(-2.0, (0.0, ), 0.0, changed=False)},
                           bridge="") == TEXT


def test_corrections_are_what_cents_and_stretch_leave():
    string = replace(
        parsed(TEXT).strings[0], stretch=-0.5, cents=-3.0, corrections=(1.0, 0.0, 0.0, 7.0))
    found = [NoteResult(Note("chikari", HZ, n), HZ, before=5.0, after=0.0, free=free) for n,
             free in enumerate((-4.0, -6.25, -9.0))]
    tuned = tune_string(string, found, [], rate=RATE)
    # 3 semitones up it was tuned to -3 - 1.5 + 7 = 2.5 cents, and still is: -4 - 1.5 + 8
    assert tuned == StringTuning(-4.0, (0.0, -1.75, -4.0, 8.0), 0.0, changed=True)


def test_truncation_is_the_least_squares_of_what_fewer_modes_do():
    """Notes that are sharper by exactly 612 times their share of modes, tuned where a score goes up
    to 10 semitones."""
    string = replace(parsed(TEXT).strings[0], highest=12.0)

    def share(semitones, highest):
        hz = HZ * 2.0 ** (semitones / 12.0)
        return 0.0 if highest is None else crowding(string, hz=HZ, notes=[hz], highest=HZ
                                                    * 2.0**(highest / 12.0), sample_rate=96000.0)[0]

    def heard(note, free):
        """What is found of a note: sharper by its share, flatter by what it is tuned off less than
        -20."""
        off = 20.0 + free + 612.0 * share(note.semitones, note.highest)
        return NoteResult(note, HZ * 2.0**(note.semitones / 12.0), before=off, after=off, free=free)

    found = [heard(Note("chikari", HZ, n, 10.0), -20.0 - 612.0 * share(n, 10.0)) for n in range(11)]
    assert max(abs(note.after) for note in found) < 1e-9
    notes = notes_for_truncation([string], found)
    assert [(note.semitones, note.highest) for note in notes] == [
        (n, highest) for n in (0, 4, 7) for highest in (None, 12.0)]
    assert [note.free for note in notes] == [found[note.semitones].free for note in notes]
    crowded = [heard(note, note.free) for note in notes]
    assert crowded[0].after < -1.0 < 1.0 < crowded[1].after
    # as found, all lie within a cent; what fewer modes do was not known
    tuned = tune_string(string, found, crowded, rate=96000.0)
    # each note alone is to be tuned to -20: 0.01 for rounding
    assert tuned.changed and tuned.truncation == 612.0 and tuned.cents == pytest.approx(
        -20.0, abs=0.01)
    assert tuned.corrections == pytest.approx([0.0] * max(1, len(tuned.corrections)), abs=0.01)
    # a truncation that moves no note by half a cent is the same
    most = max(share(n, 10.0) for n in range(11))
    for part, changed in ((0.4, False), (0.7, True)):
        near = replace(string, truncation=612.0 + part / most)
        assert tune_string(near, found, crowded, rate=96000.0).changed is changed
    # fewer modes never count as flatter
    flatter = [replace(note, after=-note.after) for note in crowded]
    assert tune_string(string, [replace(note, before=9.0) for note in found], flatter,
                       rate=96000.0).truncation == 0.0
    assert notes_for_truncation([string], found[:1]) == []
    # a string that goes no higher has no other score
    assert [note.highest
            for note in notes_for_truncation([replace(string, highest=10.0)], found)] == [None] * 3


def test_a_note_that_is_only_measured():
    spec = parsed(TEXT)
    found = tune_note(spec, spec.strings[0], Note("chikari", HZ, 0, free=-2.0), rate=RATE)
    assert found.before == found.after == pytest.approx(off(TEXT, 0),
                                                        abs=1e-9) and found.free == -2.0


@pytest.mark.parametrize("bridge", ["low", "high"])
def test_each_bridge_has_its_own(bridge):
    """After what it changes in all strings; the other bridge, and the strings' tables, keep
    theirs."""
    other = {"low": "high", "high": "low"}[bridge]
    text = edit_instrument(BRIDGES,
                           {"chikari": StringTuning(-9.5, (0.0, -1.25), 300.0, changed=True)},
                           bridge=bridge)
    string = parsed(text, bridge).strings[0]
    assert (string.cents, string.corrections, string.truncation) == (-9.5, (0.0, -1.25), 300.0)
    assert parsed(text, other) == parsed(BRIDGES, other)
    added = ('"chikari.cents" = -9.5\n"chikari.corrections" = [0.0, -1.25]\n'
             '"chikari.truncation" = 300.0\n')
    assert text.count(added) == 1 and text.replace(added, "") == BRIDGES
    assert text.index(added) < text.index("# Of the strings.")          # a comment on what follows
    # again: in their place
    again = edit_instrument(text, {"chikari": StringTuning(-9.25, (0.0, ), 0.0, changed=True)},
                            bridge=bridge)
    string = parsed(again, bridge).strings[0]
    assert (string.cents, string.corrections, string.truncation) == (-9.25, (0.0,), 0.0)
    assert again.count("chikari.cents") == 1


def test_a_wildcard_that_comes_later_does_not_undo_it():
    text = BRIDGES.replace('"*.cents"', '"chikari.cents" = 2.0\n"*.cents"')
    assert parsed(text).strings[0].cents == -1.0
    tuned = edit_instrument(text, {"chikari": StringTuning(-9.5, (0.0, ), 0.0, changed=True)},
                            bridge="low")
    assert parsed(tuned).strings[0].cents == -9.5


@pytest.mark.parametrize("name", ["sitar", "tanpura"])
def test_a_preset_is_read_and_written_to_the_byte(name):
    assert tomlkit.dumps(tomlkit.parse(preset_text(name))) == preset_text(name)


@pytest.mark.parametrize(("words", "said"), [
    (("x.toml", ), "no output file is named; expected -o FILE.toml"),
    (("x.toml", "-o", "x.toml"),
     "x.toml is the instrument itself, which is never changed; expected another name"),
    (("x.toml", "-o", "link.toml"), "link.toml is the instrument itself"),
    (("x.toml", "-o", "y.txt"), "y.txt does not end in .toml"),
    (("x.toml", "-o", "y.toml", "--string", "chikary"),
     "has no string chikary; did you mean chikari?"),
    (("x.toml", "-o", "y.toml", "--string", "free"), "free has no barrier and no thread"),
    (("guitar", "-o", "y.toml"), "no string of guitar has a barrier or a thread"),
    (("glass", "-o", "y.toml"), "glass has no strings"),
    (("guitarre", "-o", "y.toml"),
     "pysitar tune: no preset is named guitarre; did you mean guitar?; the name of a file must "
     "end in .toml"
     ),
    (("x.toml", "-o", "y.toml", "--bridge", "low"),
     "x.toml has no bridge low; expected no --bridge"),
    (("sitar", "-o", "y.toml", "--bridge", "papers"),
     "sitar has no bridge papers; did you mean paper?"),
    (("x.toml", "-o", "y.toml", "--rate", "7999"),
     "--rate is 7999; expected a whole number from 8000 to 192000"),
    (("x.toml", "-o", "y.toml", "--oversample", "0"),
     "--oversample is 0; expected a whole number from 1 to 16"),
    (("x.toml", "-o", "y.toml", "--semitones", "37"),
     "--semitones is 37; expected a whole number from 0 to 36"),
    (("x.toml", "-o", "y.toml", "--force", "2kg"),
     "2kg is not a force; expected N, such as 0.5, 0.5N or 500mN"),
    (("x.toml", "-o", "y.toml", "--force", "0N"),
     "force is 0.0; expected a value other than 0 (N)"),
    (("x.toml", "-o", "y.toml", "--jobs", "0"), "--jobs is 0"),
])
def test_what_is_refused(folder, capsys, words, said):
    os.symlink("x.toml", "link.toml")
    refused("tune", capsys, folder, 2, said, *words)


def test_an_instrument_that_is_wrong(folder, capsys):
    (folder / "x.toml").write_text(TEXT.replace("277.0", "-277.0"))
    refused("tune", capsys, folder, 2, ": strings.chikari.pitch: pitch is -277", "x.toml",
            "-o", "y.toml")


def test_without_tomlkit(folder, capsys, monkeypatch):
    imported = builtins.__import__

    def without(name, *rest, **others):
        if name.startswith("tomlkit"):
            raise ImportError("No module named 'tomlkit'")
        return imported(name, *rest, **others)

    monkeypatch.setattr(builtins, "__import__", without)
    refused("tune", capsys, folder, 2, "pip install 'pysitar[tune]' adds it, and --dry-run",
            "x.toml", "-o", "y.toml")


def test_nothing_is_written_when_it_is_only_measured_or_ended(folder, capsys, monkeypatch):
    before = contents(folder)

    def found(setup, notes, **others):
        return [NoteResult(note, HZ, before=9.0, after=0.1, free=-11.0) for note in notes]

    monkeypatch.setattr("pysitar.app.cli.tune.tune_notes", found)
    assert main(["tune", "x.toml", "--dry-run", "--semitones", "0"]) == 0
    out, output = capsys.readouterr()
    assert out.splitlines()[1].split() == ["chikari", "0", "277.000", "+9.00", "+0.10", "-11.00"]
    assert output == ("measured only: 1 of 1 string would change; of 1 note, the farthest is 9.0 "
                      "cents off, and would be 0.1\n")
    assert contents(folder) == before

    def ended(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("pysitar.app.cli.tune.edit_instrument", ended)
    assert main(["tune", "x.toml", "-o", "y.toml", "--semitones", "0"]) == 130
    assert contents(folder) == before


def test_a_note_without_a_pitch_is_reported(tmp_path):
    """It is damped before it is heard."""
    text = TEXT.replace("sigma0 = 0.8", "sigma0 = 1700.0")
    setup = Setup("", text, "x", "x.toml", "", RATE, None)
    with pytest.raises(TuneError, match=r"x\.toml: chikari, semitone 0: .*no partial is within"):
        tune_notes(setup, [Note("chikari", HZ, 0)], jobs=1)
