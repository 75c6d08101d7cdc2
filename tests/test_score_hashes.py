"""The list of what every shipped score renders: it is whole, and `.ci/scores.py`, which holds CI to
it, sees what it is there to see."""
import importlib.util
import subprocess
from pathlib import Path

import pytest
from app.commands import SHORT, furnish

ROOT = Path(__file__).resolve().parents[1]
GOOD = {
    "error": None, "peak": 0.5, "clipped": 0, "dc": -4e-4, "residual": 1e-14, "failed_solves": 0,
    "samples": "a" * 64, "seconds": 0.1
}
X = "scores/x.score"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("scores_script", ROOT / ".ci" / "scores.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_list_has_every_score_and_no_other(script):
    lines = (ROOT / script.LIST).read_text(encoding="utf-8").splitlines()
    names = [line.split(",")[0] for line in lines[1:]]
    assert names == script.scores(ROOT), "python .ci/scores.py --renew SCORE"
    assert {
        "scores/tanpura_drone.score", "scores/tutorial/01_first.score",
        "scores/papers/papetti2009_fig8.score"
    } < set(names)
    assert not any("/batch/" in name for name in names) and lines[0] == "score,samples"
    assert all(len(line.split(",")[1]) == 64 and int(line.split(",")[1], 16) for line in lines[1:])


@pytest.mark.parametrize("change, told", [
    ({}, None),
    ({"dc": 4.9e-4}, None),
    ({"peak": 0.0, "dc": 0.0}, "silent"),
    ({"peak": 0.04, "dc": 0.0}, "silent"),
    ({"peak": float("nan"), "dc": 0.0}, "silent"),
    ({"clipped": 1}, "clipped: 1 samples"),
    ({"dc": 5.1e-4}, "DC"),
    ({"dc": -5.1e-4}, "DC"),
    ({"peak": 0.3}, "DC"),
    ({"residual": 1.1e-10}, "residual"),
    ({"failed_solves": 2}, "2 solves"),
    ({"error": "no disk", "peak": None, "dc": None}, "no disk"),
], ids=str)
def test_each_bound_is_held_alone(script, change, told):
    found = " ".join(script.faults(GOOD | change))
    assert found.startswith(told) or told in found if told else not found, found


def test_a_rendered_score_has_what_is_asked_for(script, tmp_path):
    (tmp_path / "scores").mkdir()
    furnish(tmp_path / "scores", x=SHORT, y=SHORT.replace("dur=100ms", "dur=200ms"))
    rows = script.rendered(tmp_path, script.scores(tmp_path), jobs=1)
    assert list(rows) == [X, "scores/y.score"]
    assert all(GOOD.keys() <= row.keys() and row["rate"] == 48000 and row["error"] is None
               for row in rows.values())
    assert rows[X]["samples"] != rows["scores/y.score"]["samples"]


@pytest.fixture
def house(script, tmp_path, monkeypatch):
    """A folder under git with a score in its list, and what a render of it would give, to be
    changed."""
    def git(*words):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *words], cwd=tmp_path,
                       check=True, capture_output=True)

    given = {X: dict(GOOD)}
    monkeypatch.setattr(script, "rendered",
                        lambda root, names, jobs: {name: given[name]
                                                   for name in names})
    (tmp_path / "scores" / "batch").mkdir(parents=True)
    for name in (X, "scores/batch/many.score"):
        (tmp_path / name).touch()
    (tmp_path / "CHANGELOG.md").write_text("- The score `x`.\n")
    (tmp_path / "pyproject.toml").write_text('version = "1"\n')
    git("init", "-q")
    assert script.main(["--renew"], tmp_path) == 0
    git("add", "-A")
    git("commit", "-qm", "x")
    return tmp_path, given, git


def test_the_list_holds_until_a_sound_moves(script, house, capsys):
    root, given, _ = house
    assert script.main([], root) == 0
    given[X]["samples"] = "b" * 64
    assert script.main([], root) == 1
    told = capsys.readouterr().out
    assert f"{X}: another sound, bbbbbbbbbbbb; listed aaaaaaaaaaaa" in told and "--renew" in told
    assert "many" not in told


def test_a_new_score_and_one_that_went_are_told(script, house, capsys):
    root, given, _ = house
    (root / X).rename(root / "scores" / "y.score")
    given["scores/y.score"] = given.pop(X)
    assert script.main([], root) == 1
    told = capsys.readouterr().out
    assert f"{X}: in scores/hashes.csv, and no score any more" in told and "scores/y.score: not in scores/hashes.csv" in told
    assert script.main(["--renew", str(root / "scores" / "y.score")], root) == 0
    assert script.main([], root) == 0


def test_a_bad_sound_is_not_listed(script, house, capsys):
    root, given, _ = house
    before = (root / script.LIST).read_text()
    given[X] |= {"samples": "b" * 64, "clipped": 3}
    assert script.main(["--renew"], root) == 1
    assert (root
            / script.LIST).read_text() == before and "over full scale" in capsys.readouterr().out


@pytest.mark.parametrize("line, enough", [("- `x` is louder.", True),
                                          ("- Every score is louder.", True),
                                          ("- `xy` is louder.", False), ("", False)])
@pytest.mark.parametrize("committed", [False, True])
def test_a_hash_changes_with_a_word_in_the_changelog(script, house, capsys, line, enough,
                                                     committed):
    """The line that was there before, and names it too, is not one."""
    root, given, git = house
    given[X]["samples"] = "b" * 64
    (root / "CHANGELOG.md").write_text(f"- The score `x`.\n{line}\n")
    (root / "pyproject.toml").write_text('version = "2"\n')
    script.main(["--renew"], root)
    if committed:
        git("commit", "-qam", "y")
    capsys.readouterr()
    assert script.main([], root) == (0 if enough else 1)
    assert enough or "CHANGELOG.md" in capsys.readouterr().out


@pytest.mark.parametrize("committed", [False, True])
def test_a_hash_changes_with_the_version(script, house, capsys, committed):
    root, given, git = house
    given[X]["samples"] = "b" * 64
    (root / "CHANGELOG.md").write_text("- The score `x`.\n- `x` is louder.\n")
    assert script.main(["--renew"], root) == 1
    if committed:
        git("commit", "-qam", "y")
    capsys.readouterr()
    assert script.main(
        [], root) == 1 and "the version is 1, as before 1 hashes changed" in capsys.readouterr().out
    (root / "pyproject.toml").write_text('version = "2"\n')
    assert script.main([], root) == 0


@pytest.mark.parametrize(("samples", "code"), [("a", 0), ("c", 1)])
def test_a_hash_may_return_to_the_first_of_its_version(script, house, capsys, samples, code):
    root, given, git = house
    given[X]["samples"] = "b" * 64
    script.main(["--renew"], root)
    git("commit", "-qam", "without a word")
    given[X]["samples"] = samples * 64
    capsys.readouterr()
    assert script.main(["--renew"], root) == code
    assert ("expected a new one" in capsys.readouterr().out) == bool(code)


def test_a_score_that_was_not_rendered_keeps_its_hash(script):
    known = {
        name: {"score": name, "samples": "a" * 64}
        for name in (X, "scores/y.score", "scores/gone.score")
    }
    renewed = script.listed(
        script.renewed({X: GOOD | {"samples": "b" * 64}}, known, [X, "scores/y.score"]))
    assert {name: row["samples"][0]
            for name, row in renewed.items()} == {X: "b", "scores/y.score": "a"}


@pytest.mark.parametrize("words", [["scores/none.score"], ["--renew", "scores/none.score"],
                                   ["--renew", "scores/batch/many.score"]])
def test_only_scores_of_the_list_are_rendered(script, house, monkeypatch, words):
    monkeypatch.chdir(house[0])
    with pytest.raises(SystemExit):
        script.main(words, house[0])
