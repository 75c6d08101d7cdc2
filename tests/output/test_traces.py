"""Traces: arrays of any length in constant memory, whole or not at all, always the same bytes."""
import errno
import os
import signal
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest

from pysitar.errors import ParameterError, RenderError
from pysitar.output import traces
from pysitar.output.traces import TraceWriter


def noise(*shape):
    return np.random.default_rng(11).standard_normal(shape)


def written(path, block, arrays):
    with TraceWriter(path) as writer:
        for name, array in arrays.items():
            writer.add(name, array[:0])
        for start in range(0, max(map(len, arrays.values())), block):  # in turn, as in a render
            for name, array in arrays.items():
                writer.add(name, array[start:start + block])
        writer.add_text("t.force.unit", "N")
    return path.read_bytes()


ARRAYS = {"t.force": noise(1000, 3), "energy": noise(777), "téz": noise(5, 2, 0),
          "none": noise(0, 4)}


def test_what_goes_in_comes_out(tmp_path):
    written(tmp_path / "a.npz", 64, ARRAYS)
    assert os.listdir(tmp_path) == ["a.npz"]
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert sorted(file.files) == sorted([*ARRAYS, "t.force.unit"])
        for name, array in ARRAYS.items():
            assert file[name].dtype == np.float64
            assert file[name].shape == array.shape
            assert np.array_equal(file[name], array)
        assert str(file["t.force.unit"]) == "N"
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert archive.testzip() is None
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_blocks_make_the_same_bytes(tmp_path):
    assert len({written(tmp_path / f"{block}.npz", block, ARRAYS) for block in (1, 64, 1000)}) == 1


@pytest.mark.parametrize("text", ["", "m/s", "Ω é \U0001d11e", "a\nb", " x "])
def test_texts(tmp_path, text):
    with TraceWriter(tmp_path / "a.npz") as writer:
        writer.add_text("unit", text)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert str(file["unit"]) == text


def test_an_empty_file(tmp_path):
    with TraceWriter(str(tmp_path / "a.NPZ")):
        pass
    with np.load(tmp_path / "a.NPZ") as file:
        assert file.files == []


def test_a_block_is_read_when_it_is_added(tmp_path):
    block = np.zeros((4, 6))
    with TraceWriter(tmp_path / "a.npz") as writer:
        for value in (1, 2, 3):
            block[:] = value
            writer.add("columns", block[:, ::2])
            writer.add("turned", block.T[:, :2])
            writer.add("whole", [value])
    with np.load(tmp_path / "a.npz") as file:
        assert np.array_equal(file["columns"], np.repeat([1.0, 2.0, 3.0], 4)[:, None] * np.ones(3))
        assert np.array_equal(file["turned"], np.repeat([1.0, 2.0, 3.0], 6)[:, None] * np.ones(2))
        assert file["whole"].tolist() == [1.0, 2.0, 3.0]


def test_memory_does_not_grow(tmp_path):
    block = noise(8192)
    tracemalloc.start()
    try:
        with TraceWriter(tmp_path / "a.npz") as writer:
            for _ in range(512):                                    # 32 MB
                writer.add("force", block)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert os.path.getsize(tmp_path / "a.npz") > 2**25
    assert peak < 2**23  # some copies of a chunk of 1 MiB


def test_rows_wait_in_the_folder_of_the_file(tmp_path, monkeypatch):
    folders, real = [], traces.tempfile.TemporaryFile
    # a /tmp may be memory
    monkeypatch.setattr(traces.tempfile, "TemporaryFile",
                        lambda dir: folders.append(dir) or real(dir=dir))
    (tmp_path / "there").mkdir()
    (tmp_path / "a.npz").symlink_to(tmp_path / "there" / "b.npz")
    with TraceWriter(tmp_path / "a.npz") as writer:
        writer.add("force", noise(3))
    assert folders == [tmp_path / "there"]


def test_entries_past_4_gib_are_zip64(tmp_path, monkeypatch):
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 2**20 + 5000)
    arrays = {"long": noise(1000), "short": noise(10)}
    written(tmp_path / "a.npz", 64, arrays)
    monkeypatch.undo()
    with np.load(tmp_path / "a.npz") as file:
        assert all(np.array_equal(file[name], array) for name, array in arrays.items())
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert len(archive.infolist()) == 3
    # the entry's own header asks for version 4.5, which knows ZIP64; Python before 3.11.4 says so
    # there alone
    assert (tmp_path / "a.npz").read_bytes()[:6] == b"PK\x03\x04" + (45).to_bytes(2, "little")


@pytest.mark.parametrize("what", [ValueError("no"), KeyboardInterrupt(), SystemExit(1)])
def test_an_exception_leaves_nothing(tmp_path, monkeypatch, what):
    monkeypatch.setattr(traces.shutil, "copyfileobj", None)         # nothing is copied any more
    (tmp_path / "a.npz").write_bytes(b"before")
    with pytest.raises(type(what)), TraceWriter(tmp_path / "a.npz") as writer:
        writer.add("force", noise(10000))
        assert len(os.listdir(tmp_path)) == 2
        raise what
    assert os.listdir(tmp_path) == ["a.npz"]
    assert (tmp_path / "a.npz").read_bytes() == b"before"


@pytest.mark.parametrize("what", [KeyboardInterrupt(), OSError(errno.ENOSPC, "full")])
def test_an_end_in_the_middle_of_the_last_copy_leaves_nothing(tmp_path, monkeypatch, what):
    def fail(source, target, *_length):
        target.write(source.read(1000))
        raise what

    monkeypatch.setattr(traces.shutil, "copyfileobj", fail)
    with pytest.raises(type(what)) as caught, TraceWriter(tmp_path / "a.npz") as writer:
        writer.add("force", noise(1000))
        writer.add("energy", noise(1000))
    assert os.listdir(tmp_path) == []
    if isinstance(what, OSError):
        assert caught.value.filename == str(tmp_path / "a.npz")
        assert caught.value.errno == errno.ENOSPC


FULL_DISK = """
import os, resource, signal, sys, numpy
from pysitar.output.traces import TraceWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def write():
    with TraceWriter(sys.argv[1]) as writer:
        for _ in range(100):
            writer.add("force", numpy.ones(100))
        writer.add_text("unit", "N")


write()
size = os.path.getsize(sys.argv[1])
os.remove(sys.argv[1])
# the spool of 80000 bytes, the copy, the directory
for room in (0, 100, 8000, 79999, 80000, 80127, size - 100, size - 1):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    try:
        write()
    except OSError as error:
        assert error.filename == sys.argv[1], error
    else:
        sys.exit(f"{room} bytes were enough")
    assert os.listdir(os.path.dirname(sys.argv[1])) == [], room
sys.exit(7)
"""

KILLED = """
import os, signal, sys, numpy
from pysitar.output.traces import TraceWriter
with TraceWriter(sys.argv[1]) as writer:
    for name in ("a", "b", "c"):
        writer.add(name, numpy.zeros(100000))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_full_disk_is_reported_and_leaves_nothing(tmp_path):
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path / "a.npz")], check=False,
                          timeout=60, capture_output=True)
    assert done.returncode == 7, done.stderr
    assert os.listdir(tmp_path) == []


def test_a_killed_write_leaves_no_file_that_looks_whole(tmp_path):
    (tmp_path / "a.npz").write_bytes(b"before")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "a.npz")], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "a.npz").read_bytes() == b"before"
    left = [name for name in os.listdir(tmp_path) if name != "a.npz"]
    assert len(left) == 1  # the new file under its other name; the spools had no names
    assert left[0].endswith(".part")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_no_trace_that_is_not_finite(tmp_path, bad):
    with pytest.raises(RenderError,
                       match="not finite") as caught, TraceWriter(tmp_path / "a.npz") as writer:
        writer.add("t.force", noise(10))
        writer.add("t.force", [0.0, bad], time=1.5)
    assert (caught.value.voice, caught.value.time) == ("t.force", 1.5)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("block", [
    1.0,
    np.zeros(4),
    np.zeros((4, 3)),
    np.zeros((4, 2, 1)),
    np.zeros((4, 2), dtype=complex),
    [["a", "b"]],
    None,
    [[1.0, 2.0], [3.0]],
    np.zeros((4, 2), dtype=bool),
    np.zeros((1, 2), dtype="datetime64[s]"),
])
def test_blocks_that_do_not_fit(tmp_path, block):
    with pytest.raises(ParameterError,
                       match=r"^t\.force is of shape"), TraceWriter(tmp_path / "a.npz") as writer:
        writer.add("t.force", np.zeros((3, 2)))
        writer.add("t.force", block)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["", "a/b", "..\\a", "a\0", "a\n", "n" * 256, None, 3])
def test_names_that_are_none(tmp_path, name):
    with TraceWriter(tmp_path / "a.npz") as writer:
        with pytest.raises(ParameterError, match="trace is"):
            writer.add(name, np.zeros(3))
        with pytest.raises(ParameterError, match="trace is"):
            writer.add_text(name, "N")


def test_a_name_is_one_thing(tmp_path):
    with TraceWriter(tmp_path / "a.npz") as writer:
        writer.add("a", np.zeros(3))
        writer.add_text("b", "N")
        for call in (lambda: writer.add_text("a", "N"), lambda: writer.add_text("b", "N"),
                     lambda: writer.add("b", np.zeros(3))):
            with pytest.raises(ParameterError, match="has that name already"):
                call()
        for text in (None, 3, "a\0"):
            with pytest.raises(ParameterError, match="text without NUL"):
                writer.add_text("c", text)
    with np.load(tmp_path / "a.npz") as file:
        assert sorted(file.files) == ["a", "b"]


def test_targets_and_times_that_are_wrong(tmp_path):
    with pytest.raises(ParameterError,
                       match=r"traces file is .*; expected a name that ends in .npz"):
        TraceWriter(tmp_path / "a.wav")
    with pytest.raises(FileNotFoundError, match="folder does not exist"):
        TraceWriter(tmp_path / "missing" / "a.npz")
    writer = TraceWriter(tmp_path / "a.npz")
    for call in (lambda: writer.add("a", np.zeros(3)), lambda: writer.add_text("a", "N")):
        with pytest.raises(ValueError, match="inside its with block"):
            call()
    with writer:
        writer.add("a", np.zeros(3))
    with pytest.raises(ValueError, match="inside its with block"):
        writer.add("a", np.zeros(3))
    assert os.listdir(tmp_path) == ["a.npz"]
