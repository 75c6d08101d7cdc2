"""A wrong folder is reported before anything is computed, and its contents stay unchanged."""
import os

import pytest
from app.batch.makers import Inline
from app.commands import contents, furnish, one_pluck
from instruments import TWO_MODES

from pysitar.__main__ import main
from pysitar.api.request import Request
from pysitar.app.batch import run as batch_run
from pysitar.app.batch.items import BatchOptions, make_plan
from pysitar.app.batch.render_item import write_failure
from pysitar.app.cli import inputs
from pysitar.app.messages import UsageError
from pysitar.score.parser import read_score

BASE = one_pluck(20, "sweep t.a.pluck.position = (0.2 0.3 0.4)")
WORDS = ["batch", "x.score", "--jobs", "1", "-o"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(furnish(tmp_path, x=BASE, y=BASE))
    monkeypatch.setattr(batch_run, "Workers", Inline)
    (tmp_path / "file").touch()
    return tmp_path


@pytest.fixture
def made(here, capsys):
    assert main([*WORDS, "d"]) == 0
    capsys.readouterr()
    return here


@pytest.mark.parametrize(("folder", "output"), [
    ("no/d", "no/d cannot be created: the folder no does not exist; mkdir -p creates it"),
    ("no/d/", "the folder no does not exist"),
    ("no/../d", "the folder no/.. does not exist"),
    ("file", "file is not a folder; expected a folder"),
    ("file/d", "file/d cannot be created: file is not a folder"),
    ("file/d/e", "file is not a folder; expected another name"),
    ("", "the name of the folder is empty; expected a folder"),
    ("n" * 300, "cannot be created (File name too long); expected another name"),
    ("away", "away is not a folder; expected a folder"),
])
def test_a_wrong_folder_is_the_user_s_mistake(here, capsys, folder, output):
    os.symlink("nowhere", "away")
    before = contents(here)
    for more in ([], ["--dry-run"], ["--merge"]) if folder == "no/d" else ([],):
        assert main([*WORDS, folder, *more]) == 2
        said = capsys.readouterr().err
        assert said.startswith("pysitar batch: ") and output in said and len(said.splitlines()) == 1
    assert contents(here) == before


@pytest.mark.parametrize(
    "words", [["gallery", ".", "-o"], ["reproduce", "papetti2009:fig8", "--data-only", "-o"],
              ["compare", "y.score", "--schemes", "two-point", "-o"]])
def test_other_commands_say_the_same(here, capsys, words):
    (here / "y.score").write_text(BASE.partition("sweep")[0])
    before = contents(here)
    assert main([*words, "no/d"]) == 2
    assert "no/d cannot be created: the folder no does not exist" in capsys.readouterr().err
    assert contents(here) == before


def test_a_folder_that_cannot_be_written_to(here, monkeypatch):
    (here / "d").mkdir()
    with monkeypatch.context() as context:
        context.setattr(inputs.os, "access", lambda path, mode: False)  # whoever runs the tests
        for folder, output in ((
                "d", r"d cannot be written to \(Permission denied\); expected another folder"),
                               ("e", r"e cannot be created: \. cannot be written to"),
                               ("d/e", "d/e cannot be created: d cannot be written to")):
            with pytest.raises(UsageError, match=output):
                inputs.check_output_folder("batch", folder)
    for folder in ("d", "d/", "e", "e/", "d/e", str(here / "e"), ".", "/tmp"):
        inputs.check_output_folder("batch", folder)


@pytest.mark.parametrize(("words", "output"), [
    (["x.score", "-o", "other"],
     "it looked for other/x-00001.wav to other/x-00003.wav, and none of them exists; expected the "
     "folder"
     ),
    (["y.score", "-o", "d"], "none of them exists"),
    (["x.score", "-o", "d", "--format", "flac"
      ], "d/x-00001.flac to d/x-00003.flac, and none of them exists"),
    (["x.score", "-o", "d", "--rate", "44100"
      ], "the files of these names were made from another score or instrument"),
    (["x.score", "-o", "d", "--shard", "2/3", "--seed", "3"
      ], "it looked for d/x-00002.wav, and the files of these names were made"),
])
def test_a_merge_that_finds_nothing_leaves_the_manifest(made, capsys, words, output):
    before = contents(made / "d"), contents(made)
    assert main(["batch", *words, "--merge"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("pysitar batch: --merge found no sound: "
                           ) and output in said and said.endswith("no manifest was written\n")
    assert (contents(made / "d"), contents(made)) == before


def test_a_merge_of_a_changed_instrument_finds_nothing_until_one_is_made(made, capsys):
    before = contents(made / "d")
    (made / "two.toml").write_text(TWO_MODES.replace("gain = 1.0", "gain = 2.0"))
    assert main([*WORDS, "d", "--merge"]) == 2
    assert "or the same command without --merge" in capsys.readouterr().err
    assert contents(made / "d") == before
    assert main([*WORDS, "d", "--shard", "3/3"]) == 0
    assert main([*WORDS, "d", "--merge"]) == 1          # one exists
    assert "1 of 3 sounds" in capsys.readouterr().err
    # reported failures count, too
    for path in (made / "d").glob("x-*"):
        path.unlink()
    assert main([*WORDS, "d", "--merge"]) == 2


def test_failures_that_are_known_are_found(made):
    (made / "e").mkdir()
    write_failure("e",
                  next(make_plan([read_score("x.score")], BatchOptions(request=Request())).items()),
                  "why")
    assert main([*WORDS, "e", "--merge"]) == 1 and ",why," in (made / "e/manifest.csv").read_text()
