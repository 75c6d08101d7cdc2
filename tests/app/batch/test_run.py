"""A batch renders the same sounds with any workers, whatever process dies; existing sounds are
kept."""
import csv
import hashlib
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from app.batch.folders import abandoned, remains, rows, stamps, timeless
from app.batch.makers import Inline
from app.commands import HEAD, contents, furnish, started
from instruments import TWO_MODES

import pysitar
from pysitar.__main__ import main
from pysitar.api.request import Request, prepare_engine
from pysitar.app.batch import run as batch_run
from pysitar.app.batch.items import BatchOptions, item_score, make_plan
from pysitar.app.batch.layout import LAYOUTS
from pysitar.app.batch.render_item import finished_sidecar
from pysitar.app.batch.run import run
from pysitar.app.workers.pool import Workers
from pysitar.models.definitions.loader import preset_names, preset_text
from pysitar.output import file_transaction, files
from pysitar.output.audio import quantise
from pysitar.output.hidden import files_named_for, hidden_name
from pysitar.score.parser import read_score

ROW = "0 t.a pluck dur=50ms\n"
BASE = HEAD + "render tail=0 oversample=1\n" + ROW
VARIED = ("sweep t.a.pluck.position = linear(0.2, 0.4, 4)\n"
          "draw t.a.pluck.force ~ loguniform(0.1N, 2N) n=6\n")
FEW = "draw t.a.pluck.force ~ uniform(0.1N, 2N) n=5\n"
WANTED = BatchOptions(request=Request())
SHIPPED = Path(__file__).resolve().parents[3] / "scores" / "batch"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(furnish(tmp_path, x=BASE + VARIED, few=BASE + FEW))
    return tmp_path


@pytest.fixture
def inline(monkeypatch):
    monkeypatch.setattr(batch_run, "Workers", Inline)


def planned(name, **shard):
    return make_plan([read_score(f"{name}.score")], WANTED, **shard)


def samples(folder, stem="manifest"):
    return {row["name"]: row["samples"] for row in rows(folder, stem)}


def check_whole(folder):
    """Every sound that shows is whole, beside a sidecar that tells its samples."""
    for path in Path(folder).glob("*.wav"):
        part = json.loads(Path(f"{path}.json").read_text())["batch"]
        audio, _ = soundfile.read(path, always_2d=True)
        assert hashlib.sha256(audio.tobytes()).hexdigest() == part["samples"]


def alive(process):
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def awaited(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def test_one_and_two_workers_and_shards_make_what_render_makes(folder, monkeypatch, capsys):
    (folder / "x.score").write_text(BASE + VARIED.replace("n=6", "n=2"))
    assert main(["batch", "x.score", "-o", "one", "--jobs", "1"]) == 0
    output = capsys.readouterr().err
    assert (output == "one: 8 of 8 sounds, 8 rendered now; manifest.jsonl and manifest.csv list "
            "them\n")
    one = samples("one")
    assert len(one) == 8 == len(set(one.values()))
    command = ["batch", "x.score", "-o", "two", "--quiet", "--shard"]
    with monkeypatch.context() as patch:          # one worker has made them all
        patch.setattr(batch_run, "Workers", Inline)
        assert main([*command, "1/2", "--jobs", "1"]) == 0
    assert main([*command, "2/2", "--jobs", "2"]) == 0
    assert samples("two", "manifest-1of2") | samples("two", "manifest-2of2") == one
    assert not samples("two", "manifest-1of2").keys() & samples("two", "manifest-2of2").keys()
    assert main(["batch", "x.score", "-o", "two", "--merge", "--quiet"]) == 0
    assert timeless("two") == timeless("one")
    for row in rows("one"):
        set_lines = "".join(f"set {path} = {value!r}\n"
                            for path, value in row["parameters"].items())
        codes, _ = quantise(pysitar.render(pysitar.load_score(text=BASE + set_lines)).audio, 24)
        assert hashlib.sha256((codes / 2.0**31).tobytes()).hexdigest() == row["samples"]
    assert not remains("one") and not remains("two")
    check_whole("two")


def test_what_is_there_is_passed_over_and_what_changed_is_made(folder, inline, capsys):
    command = ["batch", "few.score", "-o", "d", "--jobs", "1"]
    assert main(command) == 0
    before, table = stamps("d"), Path("d/manifest.csv").read_bytes()
    capsys.readouterr()
    assert main(command) == 0
    assert "5 of 5 sounds, 0 rendered now" in capsys.readouterr().err
    assert stamps("d") == before and Path("d/manifest.csv").read_bytes() == table
    # one file cut, one without its sidecar, one of another sound's length and name: these are made
    # again, the others not
    Path("d/few-00002.wav").write_bytes(Path("d/few-00002.wav").read_bytes()[:-7])
    Path("d/few-00004.wav.json").unlink()
    assert main(command) == 0
    assert {name for name, stamp in stamps("d").items() if stamp != before[name]} == {
        "few-00002.wav", "few-00004.wav"}
    check_whole("d")
    first = samples("d")
    (folder / "two.toml").write_text(TWO_MODES.replace("sigma0 = 5.0", "sigma0 = 50.0"))
    Path("d/few-00003.wav.json").unlink()
    assert main(["batch", "few.score", "-o", "d", "--shard", "1/5", "--jobs", "1"]) == 0
    capsys.readouterr()
    assert main([*command, "--merge"]) == 1          # one of them is of the new instrument
    assert "4 sounds are not made yet: few-00002, " in capsys.readouterr().err
    assert main(command) == 0
    assert not set(samples("d").values()) & set(first.values())
    check_whole("d")


def test_a_worker_that_dies_is_replaced_and_a_poison_item_named(folder, monkeypatch):
    plan = planned("few")
    tally = run(plan, "d", WANTED, jobs=2, function="app.batch.makers:poison")
    assert tally.finished == 3
    assert tally.failed["few-00003"] == "its process died 2 times, the last time with exit code 7"
    assert list(tally.failed) == ["few-00002", "few-00003"]
    assert "unexpected ValueError: =2+2" in tally.failed["few-00002"]
    assert Path("d/killed-once").exists()  # the fourth was killed, and made by the next worker
    assert [row["error"] for row in rows("d")] == [None, tally.failed["few-00002"],
                                                   tally.failed["few-00003"], None, None]
    table = list(csv.DictReader(Path("d/manifest.csv").read_text().splitlines()))
    assert table[2]["error"] == tally.failed["few-00003"] and table[2]["peak"] == ""
    # from what is in the folder alone
    assert main(["batch", "few.score", "-o", "d", "--merge", "--quiet"]) == 1
    assert rows("d")[2]["error"] == tally.failed["few-00003"]
    before = stamps("d")
    monkeypatch.setattr(batch_run, "Workers", Inline)
    assert run(plan, "d", WANTED, jobs=1).finished == 5 and not list(Path("d").glob("*.error.json"))
    assert {name: stamps("d")[name] for name in before} == before
    assert not remains("d")
    check_whole("d")


def test_a_full_disk_ends_the_batch_and_the_next_run_goes_on(folder, monkeypatch):
    plan = planned("few")
    with pytest.raises(OSError,
                       match=r"few-00003.wav: No space left on device; the same command continues"):
        run(plan, "d", WANTED, jobs=1, function="app.batch.makers:full")
    monkeypatch.setattr(batch_run, "Workers", Inline)
    before = stamps("d")
    assert set(before) == {"few-00001.wav", "few-00002.wav"} and not remains("d")
    assert run(plan, "d", WANTED, jobs=1).finished == 5
    assert {name: stamps("d")[name] for name in before} == before


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of its own with room for two of the sounds, and a function that mounts it
    again."""
    place = tmp_path / "disk"
    place.mkdir()

    def mount(options):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place],
                              capture_output=True, check=False)
        if done.returncode:
            pytest.skip("only root mounts a disk")

    mount("size=64k")          # a sound and its sidecar take 16 kB each, and a little more
    try:
        yield place, mount
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_disk_that_is_full_or_read_only_is_reported_and_the_next_run_goes_on(
        folder, small_disk, capsys):
    place, mount = small_disk
    command = ["batch", "few.score", "-o", str(place / "d"), "--jobs", "1"]
    assert main(command) == 1          # reported before anything is computed
    assert "bytes are needed and" in capsys.readouterr().err and not stamps(place / "d")
    assert main([*command, "--allow-large"]) == 1          # and when it comes about
    output = capsys.readouterr().err
    assert "; the same command continues from here" in output
    assert "disk full" in output
    assert output.count("\n") == 1
    before = stamps(place / "d")
    assert 0 < len(before) < 5 and not remains(place / "d")
    check_whole(place / "d")
    mount("remount,ro")
    assert main(command) == 2
    assert ("cannot be written to (Read-only file system); expected another folder"
            in capsys.readouterr().err)
    mount("remount,rw,size=4m")
    assert main(command) == 0
    assert {name: stamps(place / "d")[name]
            for name in before} == before and len(stamps(place / "d")) == 5
    check_whole(place / "d")


def test_what_cannot_be_written_is_reported_before_anything_is_computed(
        folder, monkeypatch, capsys):
    def refuse(path):
        raise OSError(30, "Read-only file system", str(path))

    Path("d").mkdir()
    monkeypatch.setattr(files, "_create", refuse)
    assert main(["batch", "few.score", "-o", "d"]) == 1
    assert "no file can be made in this folder: Read-only file system" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(os, "statvfs", lambda path: os.statvfs_result(
        (4096, 4096, 9, 9, 9, 9, 9, 9, 0, 255)))
    assert main(["batch", "few.score", "-o", "d"]) == 1
    assert "bytes are needed and 36864 are free" in capsys.readouterr().err
    assert not list(Path("d").iterdir())
    for layout in LAYOUTS:          # a folder that is not there before is not there after it
        assert main(["batch", "few.score", "-o", "new", "--layout", layout]) == 1
        assert not Path("new").exists(), layout
    assert main(["batch", "few.score", "-o", "none/d"]) == 2 and not Path("none").exists()


STUCK = f"""
import sys
from pysitar.app.batch import run
run.run.__kwdefaults__["function"] = "app.batch.makers:stuck"
sys.path.insert(0, {str(Path(__file__).resolve().parents[2])!r})
"""


def children(process):
    return [int(child) for child in Path(
        f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def test_killed_in_mid_run_it_loses_the_items_in_hand_alone(folder, monkeypatch):
    plan, before = planned("x"), {}
    for number, code in ((signal.SIGKILL, -9), (signal.SIGINT, 130)):
        with started("batch", "x.score", "-o", "d", "--jobs", "2", cwd=folder, before=STUCK,
                     stderr=subprocess.DEVNULL) as process:
            try:
                # two hang, with a sound that is not in its place yet
                awaited(lambda: len(stamps("d")) == 7 and len(
                    list(Path("d").glob(".pysitar-*.part/1/*.wav"))) == 2)
                # a worker first: it is replaced, and hangs at the same item
                if number == signal.SIGKILL:
                    first = children(process)
                    os.kill(first[0], signal.SIGKILL)
                    awaited(lambda first=first, process=process: len(
                        set(children(process)) - set(first)) == 1)
                workers = children(process)
                assert len(workers) == 2
                process.send_signal(number)
                assert process.wait(60.0) == code
            finally:
                process.kill()
        # and do not hang on for minutes
        awaited(lambda workers=workers: not any(map(alive, workers)))
        check_whole("d")
        assert sorted(stamps("d")) == [item.file for item in plan.items()][:7]
        assert all(finished_sidecar("d", item) for item in plan.items() if item.number < 8)
        before = before or stamps("d")
    assert stamps("d") == before
    monkeypatch.setattr(batch_run, "Workers", Inline)
    assert run(plan, "d", WANTED, jobs=1).finished == 24
    assert {name: stamps("d")[name] for name in before} == before and not remains("d")


def test_what_a_killed_batch_left_is_taken_away_and_what_a_render_writes_stays(folder, inline):
    dead, other = abandoned("d", "batch"), abandoned("d", "render")
    with files_named_for("render"):
        living = Path("d", hidden_name())
        living.mkdir()
    assert main(["batch", "few.score", "-o", "d", "--jobs", "1"]) == 0
    assert set(remains("d")) == {living.name, other.name} and not dead.exists()


def test_a_worker_names_its_files_for_the_command(folder):
    first = next(planned("few").items())
    with files_named_for("batch"), Workers(1, str(folder),
                                           function="app.batch.makers:naming") as workers:
        [outcome] = workers.outcomes(iter([first]))
    assert not outcome.error and (folder / first.name).read_text().startswith(".pysitar-batch-")


def test_a_sound_made_anew_keeps_its_permissions_and_its_link(folder, inline):
    assert run(planned("few"), "d", WANTED, jobs=1).finished == 5
    os.rename("d/few-00002.wav", "elsewhere.wav")
    Path("d/few-00002.wav").symlink_to("../elsewhere.wav")
    Path("elsewhere.wav").chmod(0o600)
    for name in os.listdir("d"):
        if not Path("d", name).is_symlink():
            Path("d", name).chmod(0o640)
    Path("d/few-00003.wav").unlink()          # it comes back with the permissions of its sidecar
    (folder / "two.toml").write_text(TWO_MODES.replace("sigma0 = 5.0", "sigma0 = 50.0"))
    before = Path("elsewhere.wav").read_bytes()
    assert run(planned("few"), "d", WANTED, jobs=1).finished == 5
    assert Path("d/few-00002.wav").is_symlink() and Path("elsewhere.wav").read_bytes() != before
    assert {path.name: path.stat().st_mode & 0o777 for path in Path("d").iterdir()} == {
        path.name: 0o600 if path.name == "few-00002.wav" else 0o640 for path in Path("d").iterdir()}


def test_a_sound_killed_between_its_two_files_is_not_taken_for_whole(folder, inline, monkeypatch):
    class Killed(BaseException):
        pass

    def stopped(self, well, error):
        os.replace(self._places[0].staged, self._places[0].target)
        raise Killed

    plan = planned("few")
    run(plan, "d", WANTED, jobs=1)
    (folder / "two.toml").write_text(TWO_MODES.replace("sigma0 = 5.0", "sigma0 = 50.0"))
    new = next(planned("few").items())
    Path("d/manifest.jsonl").unlink()  # or it would be written first, to withdraw the old rows
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(file_transaction.FileTransaction, "_finish", stopped)
        run(planned("few"), "d", WANTED, jobs=1)
    # the sidecar is the new one
    assert json.loads(Path("d/few-00001.wav.json").read_text())["batch"]["key"] == new.key
    assert finished_sidecar("d", new) is None
    assert run(planned("few"), "d", WANTED, jobs=1).finished == 5
    check_whole("d")


def test_a_dry_run_says_how_much_and_makes_nothing(folder, capsys):
    before = contents(folder)
    assert main(["batch", "x.score", "few.score", "-o", "d", "--dry-run", "--jobs", "2"]) == 0
    output = capsys.readouterr().out
    # 29 files of 2400 frames, 2 channels, 3 bytes and 44 of header, and 8192 for each sidecar
    assert output.startswith(
        f"29 sounds of 0.05 s; {29 * (2400 * 6 + 44 + 8192) / 1000:.3g} kB of disk; ")
    assert " with 2 workers (measured on 0.05 s of the first sound, " in output
    assert contents(folder) == before


@pytest.mark.parametrize(("words", "output"), [
    (["x.score", "-o", "d", "--shard", "3/2"], "is not a shard; expected I/N, such as 1/4"),
    (["x.score", "-o", "d", "--shard", "25/25"],
     "has none of 24 sounds; expected I/N, N at most 24"),
    (["x.score", "-o", "d", "--jobs", "0"], "--jobs is 0; expected a whole number from 1"),
    (["x.score", "-o", "x.score"], "is not a folder"),
    (["-", "-o", "d"], "standard input has no name"),
    (["x.score", "x.score", "-o", "d"], "two scores have this name"),
    (["x.score", "-o", "d", "--rate", "1"], "--rate is 1; "),
    (["x.score", "-o", "d", "--format", "flac", "--subtype", "FLOAT"], "--subtype is FLOAT; "),
    (["x.score"], "-o"),
])
def test_a_wrong_command_line_is_reported(folder, capsys, words, output):
    assert main(["batch", *words]) == 2
    assert output in capsys.readouterr().err and not Path("d").exists()


def test_render_names_batch(folder, capsys):
    assert main(["render", "few.score"]) == 2
    assert ("few.score:4:6: a draw makes many sounds; expected one value here, or pysitar batch"
            in capsys.readouterr().err)
    assert not list(folder.glob("*.wav"))


def test_check_checks_all_of_a_batch(folder, capsys):
    assert main(["check", "x.score"]) == 0
    assert capsys.readouterr(
    ).out == "x.score: 24 sounds for pysitar batch; the first: 1 event, 1 voice, 0.05 s\n"
    (folder / "idle.score").write_text(BASE.replace("pluck", "pluck f=1") + FEW)
    assert main(["check", "idle.score"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("idle.score:4:6: warning: this draw has no effect")
    assert output.endswith("0.05 s; 1 warning\n")
    (folder / "wrong.score").write_text(BASE + FEW.replace("2N", "2000N"))
    assert main(["check", "wrong.score"]) == 2
    assert capsys.readouterr().out.startswith("wrong.score:4:38: force is 2000")


@pytest.mark.parametrize(("name", "count", "loud"), [("sitar_pluck_positions", 45, "force"),
                                                     ("random_tanpura", 200, "force"),
                                                     ("impact_materials", 70, "velocity"),
                                                     ("random_strings", 600, "force"),
                                                     ("random_plates", 600, "velocity")])
def test_a_shipped_batch(name, count, loud):
    plan = make_plan([read_score(str(SHIPPED / f"{name}.score"))], WANTED)
    series, items = plan.series[0], list(plan.items())
    assert plan.count == count == len({item.key for item in items}) and not series.warnings
    # at full force: a string is loudest in the first moments
    loudest = max(items, key=lambda item: next(value for path, value in item.parameters.items()
                                               if path.endswith(loud)))
    audio = pysitar.render(item_score(series.score, loudest), oversample=1, stop=0.15).audio
    assert 0.1 < np.abs(audio).max() < 1.0


def test_the_shipped_impacts_are_all_pairs():
    plan = make_plan([read_score(str(SHIPPED / "impact_materials.score"))], WANTED)
    objects = {name: preset_text(name) for name in preset_names()
               if 'model = "impact"' in preset_text(name) and "kind = " not in preset_text(name)}
    # large_steel, which rolls, is of the material of steel
    balls = {name: frozenset(re.findall(r"^\[balls\.(\w+)\]", text, re.MULTILINE)) - {"large_steel"}
             for name, text in objects.items()}
    # a steel drum has mallets of its own, a rubber one and a hard one: no material of a ball
    assert balls.pop("steel_drum") == {"rubber", "hard"}
    del balls["wine_glass"]             # of the material of glass
    assert set(balls.values()) == {frozenset({"glass", "steel", "wood", "plastic", "rubber"})}
    every = {(name, ball) for name, some in balls.items() for ball in some}
    assert len(every) == 35
    for velocity in (0.5, 1.0):
        items = [item for item in plan.items()
                 if item.parameters["object.*.strike.velocity"] == velocity]
        assert len(items) == 35 and {(item.parameters["object"], item.parameters["object.*.ball"])
                                     for item in items} == every
    for item in list(plan.items())[::10]:
        [voice] = prepare_engine(item_score(plan.series[0].score, item),
                                 WANTED.request).bound.voices
        assert voice.spec.name == item.parameters["object"] and len(voice.events) == 1


def test_there_is_a_test_of_every_shipped_batch():
    assert {path.stem for path in SHIPPED.glob("*.score")} == {
        "sitar_pluck_positions", "random_tanpura", "impact_materials", "random_strings",
        "random_plates"}
