"""`pysitar watch`: after each edit the sound is that of a whole render, and no mistake ends it."""
import hashlib
import os
import time

import numpy as np
import pytest
from app.commands import SHORT, furnish
from instruments import TWO_MODES

import pysitar
from pysitar.__main__ import main
from pysitar.app.cli import watch
from pysitar.app.playback.file_changes import FileChanges

LOUDER = SHORT.replace("pluck dur", "pluck f=0.3N dur")
BROKEN = SHORT + "0 t.zz pluck\n"


@pytest.fixture
def folder(here):
    return furnish(here, a=SHORT)


def script(monkeypatch, *edits):
    """Do one edit before each look at the files, then press Ctrl-C."""
    following = iter(edits)

    def wait():
        edit = next(following, None)
        if edit is None:
            raise KeyboardInterrupt
        edit()

    monkeypatch.setattr(watch, "wait", wait)


def write(name, text):
    """An edit: a file of that text, as an editor saves it."""
    def edit():
        with open(f"{name}~", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(f"{name}~", name)
    return edit


def expected(text):
    sound = pysitar.render(pysitar.load_score(text=text)).audio
    return sound.astype(np.float32).tobytes()


def test_each_edit_is_played(folder, device, monkeypatch, capsys):
    script(monkeypatch, write("a.score", LOUDER), lambda: None, write("a.score", SHORT),
           write("two.toml", TWO_MODES + "\n# a comment\n"))
    assert main(["watch", "a.score"]) == 130
    sounds = [output.sound.tobytes() for output in device.outputs]
    assert sounds == [expected(SHORT), expected(LOUDER), expected(SHORT), expected(SHORT)]
    lines = [line for line in capsys.readouterr().err.splitlines() if "computed again" in line]
    assert [line.partition(" of")[0] for line in lines] == [
        "a.score: 1", "a.score: 1", "a.score: 0", "a.score: 0"]


def test_mistakes_are_reported_once_and_it_goes_on(folder, device, monkeypatch, capsys):
    script(monkeypatch, write("a.score", BROKEN), write("b.score", ""), write("a.score", LOUDER),
           write("two.toml", "strings ="), write("two.toml", TWO_MODES))
    assert main(["watch", "a.score", "--quiet"]) == 130
    lines = capsys.readouterr().err.splitlines()
    assert len(device.outputs) == 3 and device.outputs[1].sound.tobytes() == expected(LOUDER)
    messages = [line for line in lines if not line.startswith("    ")]
    assert messages[0].startswith("a.score:4:5: t has no string zz")
    assert messages[1:3] == ["a.score: 1 mistake; waiting for a change", "a.score: no mistakes now"]
    assert messages[3].startswith("two.toml") or "two.toml" in messages[3]
    assert messages[4:] == ["a.score: 1 mistake; waiting for a change", "a.score: no mistakes now",
                            "pysitar: interrupted"]


def test_a_score_with_mistakes_at_first(folder, device, monkeypatch):
    write("a.score", BROKEN)()
    script(monkeypatch, write("a.score", SHORT))
    assert main(["watch", "a.score"]) == 130
    assert [output.sound.tobytes() for output in device.outputs] == [expected(SHORT)]


@pytest.mark.parametrize("every_look_finds", [False, True])
def test_a_change_ends_the_sound_that_plays(every_look_finds, folder, device, monkeypatch):
    """The first sound lasts 20 s; the score changes at its fifth write, which then takes as long as
    a device would: else all might be played before the next look. Looks go on until the device has
    stopped, and those that find a change (a save in two steps) do not lose the second sound."""
    if every_look_finds:
        monkeypatch.setattr(FileChanges, "found", lambda changes: True)
    write("a.score", SHORT.replace("100ms", "20s"))()
    monkeypatch.setattr(watch, "POLL", 0.0)
    device.more["on_write"] = lambda number: number == 5 and (
        write("a.score", LOUDER)(), time.sleep(0.5))
    script(monkeypatch)
    assert main(["watch", "a.score"]) == 130
    first, second = device.outputs
    assert first.calls == ["start", "abort", "close"] and len(first.sound) < 20 * 48000
    assert second.sound.tobytes() == expected(LOUDER)


def hash_of(name):
    with open(name, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def test_a_file_has_the_bytes_of_a_render(folder, monkeypatch, capsys):
    found = []
    script(monkeypatch, lambda: found.append(hash_of("out.wav")), write("a.score", LOUDER),
           lambda: found.append(hash_of("out.wav")))
    assert main(["watch", "a.score", "-o", "out.wav", "--peak=-1dB"]) == 130
    for text, found_hash in zip((SHORT, LOUDER), found, strict=True):
        write("b.score", text)()
        assert main(["render", "b.score", "-o", "b.wav", "--peak=-1dB"]) == 0
        assert hash_of("b.wav") == found_hash


def test_without_a_device_it_writes_a_file(folder, device, monkeypatch, capsys):
    def fail(**options):
        raise device.PortAudioError("no device")

    device.OutputStream = fail
    script(monkeypatch, write("a.score", LOUDER))
    assert main(["watch", "a.score"]) == 130
    lines = capsys.readouterr().err
    assert lines.count("no default output device") == 1 and "a.wav is written instead" in lines
    assert lines.count("a.wav: 0.10 s") == 2 and (folder / "a.wav").is_file()


@pytest.mark.parametrize(("words", "message"), [
    (["-"], "a score from standard input does not change"),
    (["a.score", "--cache", "-1"], "--cache is -1; expected 0 to"),
    (["a.score", "--rate", "7"], "--rate is 7; expected"),
    (["a.score", "-o", "a.mp3"], "a.mp3"),
])
def test_wrong_options_end_it(words, message, folder, device, capsys):
    assert main(["watch", *words]) == 2
    assert message in capsys.readouterr().err


def test_changes_of_files(here):
    changes = FileChanges()
    write("a", "1")()
    changes.watch(["a", "sub/missing"])
    assert not changes.found()
    write("a", "2")()
    assert changes.found() and not changes.found()
    time.sleep(0.01)
    os.utime("a")
    assert changes.found() and not changes.found()
    (here / "sub").mkdir()
    assert changes.found()
    write("sub/missing", "3")()
    assert changes.found()
    os.remove("a")
    assert changes.found() and not changes.found()


def test_a_file_that_cannot_be_written_at_first_ends_it(folder, monkeypatch, capsys):
    script(monkeypatch)
    assert main(["watch", "a.score", "-o", "none/a.wav"]) == 1
    assert "the folder does not exist" in capsys.readouterr().err


def test_a_file_that_could_not_be_written_is_tried_again(folder, monkeypatch, capsys):
    os.mkdir("out")

    def remove():
        os.remove("out/a.wav")
        os.remove("out/a.wav.json")
        os.rmdir("out")
        write("a.score", LOUDER)()

    def restore():
        os.mkdir("out")
        write("a.score", LOUDER)()

    script(monkeypatch, remove, restore, lambda: None)
    assert main(["watch", "a.score", "-o", "out/a.wav"]) == 130
    assert capsys.readouterr().err.count("the folder does not exist") == 1
    assert os.path.exists("out/a.wav")


def test_a_file_beside_the_score_that_cannot_be_written_is_reported_once(folder, monkeypatch,
                                                                         capsys):
    """The unfinished file, made and removed in the folder of the score, is no change of it."""
    def obstruct():
        os.remove("a.wav")
        os.mkdir("a.wav")
        write("a.score", LOUDER)()

    script(monkeypatch, obstruct, lambda: None, lambda: None, lambda: None)
    assert main(["watch", "a.score", "-o", "a.wav"]) == 130
    assert capsys.readouterr().err.count("a directory, not a file to write") == 1
