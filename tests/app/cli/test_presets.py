"""`pysitar presets`: the list, and copies that are scores to hear at once; both files or none."""
import os

import numpy as np
import pytest
import soundfile
from app.commands import furnish, refused

from pysitar.__main__ import main
from pysitar.app.cli import presets
from pysitar.models.definitions.loader import preset_names, preset_text


def copied(capsys, *words):
    """The line that is printed of a copy."""
    assert main(["presets", "--copy", *words]) == 0
    out, output = capsys.readouterr()
    assert out == "" and output.count("\n") == 1
    return output


def test_the_list(capsys):
    assert main(["presets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(preset_names())
    assert all(len(line.split()) > 4 for line in lines)


@pytest.mark.parametrize("name", preset_names())
def test_a_copy_sounds(name, here, capsys):
    output = copied(capsys, name, "mine.toml")
    assert "pysitar render mine.score plays it" in output
    assert (here / "mine.toml").read_bytes() == preset_text(name).encode()
    score = (here / "mine.score").read_text()
    comment, *lines = score.splitlines()
    assert comment.startswith("# ") and "mine.toml" in comment and name in comment
    assert len(lines) == 4 and lines[0] == 'use "mine.toml" as t' and lines[1] == "render tail=3s"
    # as it stands but for its length: the two plucks, a second apart
    (here / "mine.score").write_text(score.replace("tail=3s", "tail=0 rate=12000 oversample=1"))
    assert main(["render", "mine.score"]) == 0
    audio, rate = soundfile.read("mine.wav")
    assert audio.shape[0] == 2 * rate
    for second in (audio[:rate], audio[rate:]):
        assert 0.01 < np.abs(second).max() < 1.0
    # it plays the copy, not the preset
    (here / "mine.toml").unlink()
    assert main(["check", "mine.score"]) == 2


def test_copies_stand_beside_each_other_anywhere(here, capsys):
    (here / "sub").mkdir()
    copied(capsys, "tanpura", "sub/a.b.toml")
    assert sorted(os.listdir("sub")) == ["a.b.score", "a.b.toml"]
    assert main(["check", "sub/a.b.score"]) == 0


def test_an_instrument_of_one_string(here, monkeypatch):
    text = (furnish(here) / "two.toml").read_text()
    monkeypatch.setattr(presets, "preset_text", lambda name: text)
    lines = presets.score_of("two", "two.toml").splitlines()
    assert lines[3:] == ["0 t.a pluck", "1 t.a pluck"]
    (here / "a.score").write_text("\n".join(lines))
    assert main(["check", "a.score"]) == 0


ODD = ["ünï ☃", " ", "  a  ", "a;rm -rf b", "%s{0}\\", "#", "a #b", "'", "-x", "a=b", "use"]


@pytest.mark.parametrize("name", ODD, ids=repr)
def test_odd_names_are_just_names(name, here, capsys):
    copied(capsys, "tanpura", f"./{name}.toml")
    assert sorted(os.listdir(here)) == sorted([f"{name}.score", f"{name}.toml"])
    assert main(["check", f"./{name}.score"]) == 0


@pytest.mark.parametrize("name", ['a"b', "a\nb", "a\x1b[31m", "a\udcff", "a\tb"], ids=repr)
def test_names_that_no_score_can_say(name, here, capsys):
    refused("presets", capsys, here, 2, "cannot be named in a score", "--copy", "tanpura",
            f"{name}.toml")


@pytest.mark.parametrize("there", ["mine.toml", "mine.score"])
def test_nothing_is_overwritten_unasked(there, here, capsys):
    (here / there).write_text("mine")
    refused("presets", capsys, here, 2, f"{there} exists", "--copy", "tanpura", "mine.toml")
    copied(capsys, "tanpura", "mine.toml", "--force")
    assert (here / "mine.toml").read_text() == preset_text("tanpura")
    assert main(["check", "mine.score"]) == 0


def test_a_link_to_nowhere_is_there(here, capsys):
    (here / "mine.toml").symlink_to("nowhere.toml")
    refused("presets", capsys, here, 2, "mine.toml exists", "--copy", "tanpura", "mine.toml")


@pytest.mark.parametrize("call", [1, 2])
@pytest.mark.parametrize("before", [[], ["mine.toml", "mine.score"]], ids=["new", "replaced"])
def test_both_or_none(before, call, here, capsys, monkeypatch):
    """Whichever of the two files cannot be put in its place."""
    for name in before:
        (here / name).write_text("mine")
    calls, real = [], os.replace

    def fails(*paths):
        calls.append(paths)
        if len(calls) == call:
            raise OSError(28, "No space left on device")
        real(*paths)

    monkeypatch.setattr(os, "replace", fails)
    refused("presets", capsys, here, 1, "No space left", "--copy", "tanpura", "mine.toml",
            *(["--force"] if before else []))


WORDS = {
    "no such preset": (2, "did you mean tanpura?", "--copy", "tanpora", "mine.toml"),
    "a preset's file": (2, "no preset is named tanpura.toml", "--copy", "tanpura.toml",
                        "mine.toml"),
    "another ending": (2, "mine.txt does not end in .toml", "--copy", "tanpura", "mine.txt"),
    "no ending": (2, "mine does not end in .toml", "--copy", "tanpura", "mine"),
    "no name": (2, "does not end in .toml", "--copy", "tanpura", ""),
    "an ending only": (2, ".toml does not end in .toml", "--copy", "tanpura", ".toml"),
    "one word": (2, "--copy", "--copy", "tanpura"),
    "three words": (2, "other.toml", "--copy", "tanpura", "mine.toml", "other.toml"),
    "no copy": (2, "--force needs --copy", "--force"),
    "no such folder": (1, "the folder does not exist", "--copy", "tanpura", "no/mine.toml"),
    "a folder of that name": (2, "folder.toml exists", "--copy", "tanpura", "folder.toml"),
    "a folder, forced": (1, "folder.toml: a directory", "--copy", "tanpura", "folder.toml",
                         "--force"),
    "a folder for the score": (1, "other.score: a directory", "--copy", "tanpura", "other.toml",
                               "--force"),
    "a FIFO, forced": (1, "fifo.toml: a FIFO", "--copy", "tanpura", "fifo.toml", "--force"),
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_words_that_are_wrong(words, here, capsys):
    (here / "folder.toml").mkdir()
    (here / "other.score").mkdir()
    os.mkfifo("fifo.toml")
    refused("presets", capsys, here, *words)
