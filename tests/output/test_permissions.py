"""A replaced file keeps its permissions with every command; a new one has those of the umask."""
import errno
import os
from pathlib import Path

import pytest
from app.batch.makers import Inline
from app.commands import furnish, one_pluck

from pysitar.__main__ import main
from pysitar.app.batch import run as batch_run
from pysitar.output import files
from pysitar.output.file_transaction import FileTransaction
from pysitar.output.files import copy_permissions, write_atomically

SCORE = one_pluck(20)
MIDI = b"MThd\0\0\0\6\0\0\0\1\0\140MTrk\0\0\0\13\0\220\74\144\140\74\0\0\377\57\0"
COMMANDS = {  # the words, and a change that makes the second run write all files again
    "render": ("render good.score -o o.wav --traces o.npz --stems s", ""),
    "expand": ("expand good.score -o o.score", ""),
    "presets": ("presets --copy guitar o.toml", "--force"),
    "midi": ("midi tune.mid --instrument guitar -o o.score", ""),
    "batch": ("batch few.score -o o --jobs 1", "--rate 44100"),
    "audiofolder": ("batch few.score -o o --jobs 1 --layout audiofolder", "--rate 44100"),
    "look": ("look given.wav -o o.png", ""),
    "compare": ("compare good.score -o o --schemes two-point", ""),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(
        furnish(tmp_path, good=SCORE, few=SCORE + "sweep t.a.pluck.force = (0.1N 0.2N)\n"))
    monkeypatch.setattr(batch_run, "Workers", Inline)
    (tmp_path / "tune.mid").write_bytes(MIDI)
    before = os.umask(0o022)
    yield tmp_path
    os.umask(before)


def modes(names):
    return {str(name): oct(name.stat().st_mode & 0o7777) for name in names}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command(name, folder, capsys):
    if name == "look":
        assert main(["render", "good.score", "-o", "given.wav", "--no-sidecar"]) == 0
    given = set(folder.rglob("*"))
    words, again = (text.split() for text in COMMANDS[name])
    assert main(words) == 0, capsys.readouterr().err
    made = [path for path in folder.rglob("*") if path not in given and path.is_file()]
    assert made and set(modes(made).values()) == {"0o644"}
    for path in made:
        path.chmod(0o640)
    before = {path: path.stat().st_mtime_ns for path in made}
    assert main([*words, *again]) == 0
    assert set(modes(made).values()) == {"0o640"}
    # each was written again
    assert all(path.stat().st_mtime_ns > stamp for path, stamp in before.items())
    assert {path for path in folder.rglob("*") if path.is_file()} - given == set(made)


def test_a_new_folder_over_an_empty_one_keeps_those_of_that(folder, capsys):
    Path("mine").mkdir(mode=0o700)
    assert main(["new", "mine"]) == 0 and main(["new", "other"]) == 0
    assert modes([folder / "mine", folder / "other"]) == {
        str(folder / "mine"): "0o700", str(folder / "other"): "0o755"}


def test_a_link_stays_and_what_it_names_keeps_its_permissions(folder):
    Path("there.txt").write_text("old")
    Path("there.txt").chmod(0o604)
    Path("link.txt").symlink_to("there.txt")
    write_atomically("link.txt", "new")
    with FileTransaction() as transaction:
        transaction.place("link.txt").write_text("newer")
    assert Path("link.txt").is_symlink() and Path("there.txt").read_text() == "newer"
    assert modes([folder / "there.txt"]) == {str(folder / "there.txt"): "0o604"}


def test_what_is_private_is_so_while_it_is_written(folder):
    Path("a.txt").write_text("old")
    Path("a.txt").chmod(0o600)
    with files.atomic_replacement("a.txt") as descriptor:
        assert os.fstat(descriptor).st_mode & 0o777 == 0o600
    Path("a.txt").chmod(0o400)
    write_atomically("a.txt", "new")
    assert Path("a.txt").read_text() == "new"
    assert modes([folder / "a.txt"]) == {str(folder / "a.txt"): "0o400"}


def test_more_than_the_permissions_is_not_kept(folder):
    Path("a.txt").write_text("old")
    Path("a.txt").chmod(0o6755)
    write_atomically("a.txt", "new")
    assert modes([folder / "a.txt"]) == {str(folder / "a.txt"): "0o755"}


@pytest.mark.parametrize(("mode", "kept"), [(0o640, 0o600), (0o664, 0o644), (0o604, 0o604),
                                            (0o770, 0o700)])
def test_a_group_that_cannot_be_kept_gets_no_more_than_all_others(folder, monkeypatch, mode, kept):
    for name in ("old", "new"):
        Path(name).touch()
    Path("old").chmod(mode)
    stat = os.stat

    def of_another_group(path):
        found = stat(path)
        return os.stat_result((*found[:5], found[5] + (path == "old"), *found[6:]))

    def refused(path, user, group):
        raise PermissionError(errno.EPERM, "Operation not permitted", path)

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "stat", of_another_group)
        patch.setattr(files.os, "chown", refused)
        copy_permissions("new", "old")
    assert Path("new").stat().st_mode & 0o777 == kept


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_root_keeps_the_owner_and_the_group(folder):
    Path("a.txt").touch()
    os.chown("a.txt", 1234, 2345)
    Path("a.txt").chmod(0o640)
    write_atomically("a.txt", "new")
    state = Path("a.txt").stat()
    assert (state.st_uid, state.st_gid, state.st_mode & 0o777) == (1234, 2345, 0o640)


def test_an_access_control_list_is_kept_or_the_group_gets_no_more(folder, monkeypatch):
    lists = {"old": b"bob may read"}
    for name in ("old", "new", "newer"):
        Path(name).touch()
    Path("old").chmod(0o660)

    def written(path, attribute, value):
        if path == "newer":
            raise OSError(errno.EOPNOTSUPP, "Operation not supported", path)
        lists[path] = value

    def read(path, attribute):
        if path not in lists:
            raise OSError(errno.ENODATA, "No data available", path)
        return lists[path]

    monkeypatch.setattr(files.os, "getxattr", read)
    monkeypatch.setattr(files.os, "setxattr", written)
    monkeypatch.setattr(files.os, "removexattr", lambda path, attribute: lists.pop(path))
    copy_permissions("new", "old")
    copy_permissions("newer", "old")
    assert lists == {"old": b"bob may read", "new": b"bob may read"}
    assert modes([folder / "new", folder / "newer"]) == {
        str(folder / "new"): "0o660", str(folder / "newer"): "0o600"}
    del lists["old"]
    copy_permissions("new", "old")          # one that the folder gave it goes
    assert not lists
