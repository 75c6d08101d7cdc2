"""Several files appear together, each whole, or none of them; signals are deferred meanwhile."""
import errno
import os
import signal

import pytest
from app.commands import contents

from pysitar.errors import ParameterError
from pysitar.output.file_transaction import FileTransaction
from pysitar.output.signals import SignalExit, defer_signals, raise_signals


@pytest.fixture
def folder(here):
    (here / "old.txt").write_text("old")
    return here


def test_all_appear_at_the_end_in_their_order(folder, monkeypatch):
    order = []
    replace = os.replace

    def watched(source, target):
        order.append(os.path.basename(target))
        replace(source, target)

    with FileTransaction() as transaction:
        for name in ("b.txt", "old.txt", "stems/a.txt", "stems/b.txt"):
            if name == "stems/a.txt":
                assert transaction.folder("stems") == folder / "stems"
            place = transaction.place(name)
            assert place.name == os.path.basename(name)
            place.write_text(name)
        assert sorted(path.name for path in folder.iterdir()
                      if not path.name.startswith(".pysitar-")) == ["old.txt"]
        assert (folder / "old.txt").read_text() == "old"
        monkeypatch.setattr(os, "replace", watched)
    assert order == ["b.txt", "old.txt", "a.txt", "b.txt"]
    assert sorted(path.name for path in folder.iterdir()) == ["b.txt", "old.txt", "stems"]
    assert contents(folder / "stems") == {"a.txt": b"stems/a.txt", "b.txt": b"stems/b.txt"}
    assert (folder / "old.txt").read_text() == "old.txt"


@pytest.mark.parametrize(
    "error", [ValueError("no"),
              KeyboardInterrupt(),
              OSError(errno.ENOSPC, "full"),
              SystemExit(3)])
def test_whatever_goes_wrong_leaves_all_as_it_was(error, folder):
    (folder / "there").mkdir()
    before = contents(folder)
    with pytest.raises(type(error)), FileTransaction() as transaction:
        transaction.place("old.txt").write_text("new")
        transaction.place(transaction.folder("there") / "a.txt").write_text("a")
        transaction.place(transaction.folder("stems") / "a.txt").write_text("a")
        raise error
    assert contents(folder) == before and contents(folder / "there") == {}


def test_a_folder_that_is_there_is_used_and_stays(folder):
    (folder / "there").mkdir()
    (folder / "link").symlink_to("there")
    (folder / "there" / "other.txt").write_text("other")
    with FileTransaction() as transaction:
        transaction.place(transaction.folder("link") / "a.txt").write_text("a")
    assert contents(folder / "there") == {"a.txt": b"a", "other.txt": b"other"}
    assert (folder / "link").is_symlink()


def test_what_cannot_be_moved_takes_the_others_back(folder):
    """A folder appears where the third file will stand."""
    with pytest.raises(OSError) as caught, FileTransaction() as transaction:
        transaction.place("a.txt").write_text("a")
        transaction.place("old.txt").write_text("new")
        transaction.place("b.txt").write_text("b")
        transaction.place(transaction.folder("stems") / "a.txt").write_text("a")
        (folder / "b.txt").mkdir()
    assert os.path.basename(caught.value.filename) == "b.txt" and ".pysitar" not in str(
        caught.value)
    assert contents(folder) == {"old.txt": b"old", "b.txt": None}


def test_an_error_names_the_place(folder):
    with pytest.raises(OSError) as caught, FileTransaction() as transaction:
        place = transaction.place("stem.txt")
        raise OSError(errno.ENOSPC, "the disk is full", str(place.parent / ".pysitar-1.part"))
    assert str(caught.value) == f"[Errno {errno.ENOSPC}] the disk is full: 'stem.txt'"
    with pytest.raises(OSError, match=r"full: '/elsewhere'"), FileTransaction() as transaction:
        transaction.place("stem.txt")
        raise OSError(errno.ENOSPC, "full", "/elsewhere")


def test_a_place_for_two(folder):
    (folder / "link.txt").symlink_to("old.txt")
    for name in ("old.txt", "./old.txt", "link.txt", str(folder / "old.txt")):
        with pytest.raises(
                ParameterError,
                match="two files of this render have that path"), FileTransaction() as transaction:
            transaction.place("old.txt")
            transaction.place(name)
    with pytest.raises(ParameterError, match="two files"), FileTransaction() as transaction:
        transaction.place(transaction.folder("new") / "a.txt")
        transaction.place(transaction.folder("new") / "a.txt")
    assert (folder / "old.txt").read_text() == "old"


@pytest.mark.parametrize(("path", "said"), [
    ("old.txt", "not a folder"),
    ("no/stems", "the folder does not exist"),
    ("", "an empty name"),
    ("a\0b", "not a file name"),
    ("/proc/stems", "no file can be made in this folder"),
    ("gone", "not a folder"),
])
def test_what_cannot_be_a_folder(path, said, folder):
    (folder / "gone").symlink_to("nowhere")
    before = contents(folder)
    with pytest.raises(OSError, match=said), FileTransaction() as transaction:
        transaction.folder(path)
    assert contents(folder) == before


@pytest.mark.parametrize(("number", "raised"), [(signal.SIGINT, KeyboardInterrupt),
                                                (signal.SIGTERM, SignalExit)])
def test_a_signal_waits_until_the_block_has_ended(number, raised):
    done = []
    with raise_signals():
        with pytest.raises(raised), defer_signals():
            os.kill(os.getpid(), number)
            done.append(1)
        assert done == [1]
        with pytest.raises(raised):          # and is raised at once after it
            os.kill(os.getpid(), number)
            signal.sigtimedwait([], 1.0)
            done.append(2)
    assert done == [1]


def test_an_error_goes_before_a_signal_that_waits():
    with raise_signals():
        with pytest.raises(ZeroDivisionError), defer_signals():
            os.kill(os.getpid(), signal.SIGINT)
            raise ZeroDivisionError
        with defer_signals():
            pass


def test_a_signal_while_files_take_their_places(folder, monkeypatch):
    """Both are there, or the old one would be lost: the signal comes after."""
    replace = os.replace

    def slow(source, target):
        replace(source, target)
        os.kill(os.getpid(), signal.SIGTERM)

    with raise_signals(), pytest.raises(SignalExit), FileTransaction() as transaction:
        transaction.place("old.txt").write_text("new")
        transaction.place("b.txt").write_text("b")
        monkeypatch.setattr(os, "replace", slow)
    assert contents(folder) == {"old.txt": b"new", "b.txt": b"b"}
