"""Traces beside a sound, block by block: a broken file costs the energies, not the page."""

import io
import resource
import warnings
import zipfile

import numpy as np
import pytest
from app.gallery.folders import sound
from app.gallery.test_gallery import data_of

from pysitar.__main__ import main
from pysitar.app.gallery import arrays
from pysitar.app.gallery.energies import Energies, TracesError, read_energies
from pysitar.app.gallery.pictures import LINES, energies_png
from pysitar.output.traces import TraceWriter

ROWS = np.abs(np.random.default_rng(0).normal(size=(9000, 6)))


def traces(path, *, rate=96000.0, every=64.0, **strings):
    with TraceWriter(path) as writer:
        writer.add("rate", [rate])
        writer.add("energy_every", [every])
        for name, rows in strings.items():
            writer.add(f"t.{name}.energy", rows)
    return path


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def packed(path, entries, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(f"{name}.npy", data)
    return path


USUAL = {"rate": npy([96000.0]), "energy_every": npy([64.0]), "t.a.energy": npy(ROWS[:50])}


def test_blocks_change_nothing(tmp_path):
    """Against all rows in memory: shorter strings keep their last values, whatever the packing."""
    path = traces(tmp_path / "a.npz", a=ROWS, b=ROWS[:4096], c=ROWS[:1])
    total = ROWS + np.concatenate((ROWS[:4096], np.tile(ROWS[4095], (9000 - 4096, 1)))) + ROWS[0]
    starts = np.arange(800) * 9000 // 800
    kinetic, potential, contact, losses, work, _ = total.T
    expected = [np.maximum.reduceat(one, starts)
                for one in (kinetic + potential + contact, contact, losses, work)]
    for file in (path, tmp_path / "b.npz"):
        found = read_energies(file)
        assert np.array_equal(found.times, starts * (64.0 / 96000.0))
        for one, other in zip((found.stored, found.contact, found.losses, found.work), expected,
                              strict=True):
            assert one == pytest.approx(other, rel=1e-15)
        if file == path:
            with np.load(path) as whole:
                np.savez_compressed(tmp_path / "b.npz", **whole)


def patched(data, at, value):
    """A zip file with bytes changed in headers and directory; at, an offset in the latter."""
    changed = bytearray(data)
    for signature, shift in ((b"PK\x01\x02", 0), (b"PK\x03\x04", -2)):
        start = 0
        while (start := changed.find(signature, start)) >= 0:
            changed[start + at + shift : start + at + shift + len(value)] = value
            start += 4
    return bytes(changed)


def broken(tmp_path):
    """Files that hold no traces, by what is wrong with them."""
    whole = traces(tmp_path / "whole.npz", a=ROWS[:50]).read_bytes()
    deflated = packed(tmp_path / "deflated.npz", USUAL, zipfile.ZIP_DEFLATED).read_bytes()
    at = deflated.find(b"t.a.energy.npy") + 40
    files = {
        "a version that nobody has": patched(whole, 6, b"\xf5\x00"),
        "a method that nobody has": patched(whole, 10, b"\x63\x00"),
        "encrypted": patched(whole, 8, b"\x01\x00"),
        "cut short": whole[:-30],
        "nothing": b"",
        "text": b"no traces",
        "a bit of the data": whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:],
        "a damaged stream": deflated[:at] + b"\xff\xff\xff\xff" + deflated[at + 4 :],
        "a directory of a gigabyte": whole.replace(
            whole[-22:], whole[-22:-10] + b"\x00\x00\x00\x40" + whole[-6:]
        ),
    }
    entries = {
        "no rate": {"rate": None},
        "a rate of 0": {"rate": npy([0.0])},
        "a rate of infinity": {"rate": npy([np.inf])},
        "a rate that is a text": {"rate": npy("96000")},
        "a rate of no values": {"rate": npy([])},
        "a rate in a table": {"rate": npy([[1.0]])},
        "no energies": {"t.a.energy": None},
        "energies of no rows": {"t.a.energy": npy(np.zeros((0, 6)))},
        "five columns": {"t.a.energy": npy(ROWS[:, :5])},
        "a row of numbers": {"t.a.energy": npy(ROWS[0])},
        "infinite": {"t.a.energy": npy(np.full((3, 6), np.inf))},
        "no numbers": {"t.a.energy": npy(np.full((3, 6), np.nan))},
        "beyond sums": {"t.a.energy": npy(np.full((3, 6), 1e300))},
        "complex": {"t.a.energy": npy(ROWS[:9] * 1j)},
        "columns first": {"t.a.energy": npy(np.asfortranarray(ROWS[:9]))},
        "objects": {"t.a.energy": b"\x93NUMPY\x01\x00" + npy([1])[8:]},
        "a header of version 3": {"t.a.energy": b"\x93NUMPY\x03\x00" + USUAL["t.a.energy"][8:]},
        "more rows than bytes": {"t.a.energy": USUAL["t.a.energy"].replace(b"(50, 6)", b"(99, 6)")},
        "rows below 0": {"t.a.energy": USUAL["t.a.energy"].replace(b"(50, 6)", b"(-5, 6)")},
        "no header": {"t.a.energy": USUAL["t.a.energy"].replace(b"{'descr'", b"[[[[[[[[")},
    }
    for name, change in entries.items():
        path = packed(tmp_path / "x.npz",
                      {key: data for key, data in (USUAL | change).items() if data is not None})
        files[name] = path.read_bytes()
    return files


def test_what_is_broken_is_reported(tmp_path):
    files = broken(tmp_path)
    path = tmp_path / "x.npz"
    path.write_bytes(
        files.pop("columns first"))  # an array that NumPy has turned is not one that pysitar writes
    for data in [path.read_bytes(), *files.values()]:
        path.write_bytes(data)
        with warnings.catch_warnings(), pytest.raises(TracesError) as caught:
            warnings.simplefilter("error")
            read_energies(path)
        assert str(caught.value).startswith(f"{path}: ")
        assert str(caught.value).endswith("; expected what pysitar render --traces writes")


def test_what_unpacks_to_much_takes_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(arrays, "LARGEST_UNPACKED", 32 << 20)
    path = tmp_path / "a.npz"
    packed(
        path,
        USUAL | {f"t.{number}.energy": npy(np.zeros((200000, 6))) for number in range(4)},
        zipfile.ZIP_DEFLATED,
    )
    assert path.stat().st_size < 10**6
    traces(tmp_path / "b.npz", a=np.ones((10**6, 6)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(TracesError, match="it unpacks to over 32 MB"):
        read_energies(path)
    assert read_energies(tmp_path / "b.npz").stored.max() == 3.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8192  # kB: a block of rows


def test_arrays_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(arrays, "MOST_ARRAYS", 5)
    assert (len(
        read_energies(traces(tmp_path / "a.npz", a=ROWS[:9], b=ROWS[:9], c=ROWS[:9])).times) == 9)
    with pytest.raises(TracesError, match="it holds over 5 arrays"):
        read_energies(traces(tmp_path / "b.npz", **dict.fromkeys("abcd", ROWS[:9])))


def test_a_broken_file_costs_its_sound_the_energies_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    files = broken(tmp_path)
    for number, name in enumerate(("a version that nobody has", "a damaged stream", "cut short")):
        sound(f"a/{number}.wav", hz=500.0 + number)
        (tmp_path / f"a/{number}.npz").write_bytes(files[name])
    sound("a/good.wav", hz=900.0)
    traces(tmp_path / "a/good.wav.npz", a=ROWS[:50])
    assert main(["gallery", "a"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[2] for line in lines[:3]] == [f"a/{number}.npz" for number in range(3)]
    assert len(lines) == 4
    assert "zip file version 24.5" in lines[0] and "decompressing" in lines[1]
    assert [bool(item["energies"]) for item in data_of(tmp_path / "page")["items"]] == [
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-300, 1e290, -1.0])
def test_energies_of_any_size_are_drawn(value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = np.full(3, value)
        assert (energies_png(Energies(np.arange(3.0), one, one, one, one),
                             3.0).startswith(b"\x89PNG") and len(LINES) == 4)
