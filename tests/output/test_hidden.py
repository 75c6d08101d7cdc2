"""Unfinished files of dead processes of the same command are removed; all others remain."""
import os
import signal
import subprocess
import sys
import time

import pytest

from pysitar.output import hidden
from pysitar.output.hidden import (
    UNKNOWN,
    current_command,
    files_named_for,
    hidden_name,
    remove_stale_files,
)

WRITES = """
import sys, time
from pathlib import Path
from pysitar.output.hidden import hidden_name, files_named_for
with files_named_for("batch"):
    Path(hidden_name()).touch()
    Path(hidden_name(), "1").mkdir(parents=True)
print("there", flush=True)
time.sleep(60.0)
"""


def left_by(folder, **changes):
    """A file in a folder as an owner would have named it that differs from this process."""
    owner = hidden._owner()._replace(**changes)
    path = folder / f".pysitar-{'-'.join(owner)}-{'0' * 32}.part"
    path.touch()
    return path


def test_a_killed_process_of_the_same_command(tmp_path):
    with subprocess.Popen([sys.executable, "-c", WRITES], cwd=tmp_path,
                          stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"there\n"
            there = sorted(tmp_path.iterdir())
            with files_named_for("batch"):
                remove_stale_files(tmp_path)
            assert sorted(tmp_path.iterdir()) == there and len(there) == 2          # it is alive
            process.send_signal(signal.SIGKILL)
            # dead, and its number not free yet
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            with files_named_for("render"):
                remove_stale_files(tmp_path)
            assert sorted(tmp_path.iterdir()) == there          # another command's
            with files_named_for("batch"):
                remove_stale_files(tmp_path)
            assert not list(tmp_path.iterdir())
        finally:
            process.kill()


@pytest.mark.parametrize(("changes", "stays"), [
    ({}, True),
    ({"start": "1"}, False),
    ({"command": "render"}, True),
    ({"command": "render", "start": "1"}, True),
    ({"machine": "00", "start": "1"}, True),
    ({"machine": UNKNOWN, "start": "1"}, True),
    ({"space": "7", "start": "1"}, True),
    ({"space": UNKNOWN, "start": "1"}, True),
    ({"start": UNKNOWN}, True),
    ({"boot": UNKNOWN}, True),
    ({"process": "9" * 30}, True),
    ({"process": "0"}, True),
], ids=str)
def test_only_what_is_certain_is_taken_away(tmp_path, changes, stays):
    path = left_by(tmp_path, **changes)
    remove_stale_files(tmp_path)
    assert path.exists() == stays


def test_a_process_before_the_last_boot_is_dead_if_the_time_agrees(tmp_path):
    old = left_by(tmp_path, boot="00", process="1")
    remove_stale_files(tmp_path)
    assert old.exists()          # written since this boot: the hash of the boot lies
    booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    os.utime(old, (booted - 60.0, booted - 60.0))
    remove_stale_files(tmp_path)
    assert not old.exists()


@pytest.mark.parametrize("name", [".pysitar-.part", ".pysitar-0123.part",
                                  ".pysitar-x-1-1-1-1-1-0.part", ".pysitar-batch.toml"])
def test_other_names_stay(tmp_path, name):
    (tmp_path / name).touch()
    remove_stale_files(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("missing", ["_stat_fields", "_space", "_machine", "_boot"])
def test_a_system_that_reports_less_takes_nothing_away(tmp_path, monkeypatch, missing):
    path = left_by(tmp_path, start="1")
    monkeypatch.setattr(hidden, missing, lambda *words: []
                        if missing == "_stat_fields" else UNKNOWN)
    remove_stale_files(tmp_path)
    assert path.exists() and hidden.NAME.fullmatch(hidden_name())


def test_the_target_of_a_link_stays(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.txt").touch()
    link = left_by(tmp_path, start="1")
    link.unlink()
    link.symlink_to("there")
    remove_stale_files(tmp_path)
    assert not link.is_symlink() and (tmp_path / "there" / "a.txt").exists()


def test_names_are_for_the_command_of_the_block():
    assert current_command() == "python"
    with files_named_for("batch"):
        assert current_command() == "batch" and hidden_name().startswith(".pysitar-batch-")
    assert hidden_name() != hidden_name() and len(hidden_name()) < 160
