"""Folders from strangers, and changed pages: no file elsewhere is made or removed."""

import json
import math
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
import soundfile
from app.commands import contents, furnish, one_pluck, pysitar
from app.gallery.folders import RATE, batch_folder, put, sound
from app.gallery.test_gallery import data_of

from pysitar.__main__ import main
from pysitar.app.gallery import build_page, items
from pysitar.output.audio import write_audio


@pytest.fixture
def quick(monkeypatch):
    """Pictures that nobody looks at."""
    for name in ("wave_png", "spectrogram_png"):
        monkeypatch.setattr(build_page, name, lambda sound: b"png")


def names(page="page"):
    return [item["name"] for item in data_of(Path(page))["items"]]


def shown(capsys, *words, code=0):
    """What a command reports, line by line."""
    assert main(["gallery", *words]) == code
    out, lines = capsys.readouterr()
    assert out == "" and "unexpected" not in lines and "Traceback" not in lines
    return lines.splitlines()


# --- the folder of the page ---


@pytest.mark.parametrize("name", ["sounds", "pictures"])
@pytest.mark.parametrize("kind", ["sounds", "scores"])
def test_a_folder_of_the_page_is_a_real_one(here, capsys, name, kind):
    victim, page = here / "victim", here / "page"
    for folder in (victim, page, here / "scores"):
        folder.mkdir()
    (victim / "thesis.docx").write_text("precious")
    (victim / "thesis.wav").write_text("precious")
    (page / name).symlink_to("../victim")
    (page / "gallery.json").write_text(json.dumps(
        {"generator": "pysitar gallery", "files": [f"{name}/thesis.docx", f"{name}/thesis.wav"]}))
    batch_folder(here / "a", 1) if kind == "sounds" else furnish(here / "scores", x=one_pluck(50))
    before = contents(victim), contents(page)
    [lines] = shown(capsys, "a" if kind == "sounds" else "scores", "-o", "page", code=2)
    assert lines == (
        f"pysitar: page/{name} is a link; expected a folder that the page has made, or none; "
        "-o names another folder for the page")
    assert (contents(victim), contents(page)) == before
    (page / name).unlink()
    (page / name).write_text("a file")
    assert (
        f"page/{name} is not a folder"
        in shown(capsys, "a" if kind == "sounds" else "scores", "-o", "page", code=2)[0]
    )


@pytest.mark.parametrize("name", ["index.html", "gallery.json", "sounds/a-00001.wav", "pictures"])
def test_no_link_in_a_page_is_written_through(here, capsys, quick, name):
    batch_folder(here / "a", 1)
    assert shown(capsys, "a", "--quiet") == []
    page = here / "page"
    path = next((page / name).glob("*.wave.png")) if name == "pictures" else page / name
    victim = here / f"victim{path.suffix}"
    for data in (path.read_bytes(), None):  # a link that leads somewhere, and one that does not yet
        path.unlink(missing_ok=True)
        path.symlink_to(f"{'' if path.parent == page else '../'}../{victim.name}")
        victim.unlink(missing_ok=True)
        if data is not None:
            victim.write_bytes(data)
        [lines] = shown(capsys, "a", code=2)
        assert lines.startswith(
            f"pysitar: {path.relative_to(here)} is a link; expected a regular file that the page")
        assert path.is_symlink() and (victim.read_bytes() if victim.exists() else None) == data


def test_only_what_a_page_makes_is_removed(here, capsys, quick):
    batch_folder(here / "a", 1)
    assert shown(capsys, "a", "--quiet") == []
    page = here / "page"
    own = json.loads((page / "gallery.json").read_text())
    (page / "sounds/old.wav").write_text("an earlier sound")
    (page / "sounds/linked.wav").symlink_to("../../keep.wav")
    (page / "sounds/folder.wav").mkdir()
    kept = [
        "sounds/thesis.docx",
        "pictures/holiday.png",
        "sounds/.wavx",
        "index.html",
        "../keep.wav",
        "sounds/../../keep.wav",
        "/etc/passwd",
    ]
    (here / "keep.wav").write_text("keep")
    for name in kept[:3]:
        (page / name).write_text("mine")
    (page / "gallery.json").write_text(
        json.dumps(
            {
                **own,
                "files": [
                    *own["files"],
                    "sounds/old.wav",
                    "sounds/linked.wav",
                    "sounds/folder.wav",
                    *kept,
                    5,
                    "sounds/\ud800.wav",
                    "sounds/a\0.wav",
                ],
            }
        )
    )
    [lines] = shown(capsys, "a", "--quiet")
    assert lines == (
        "pysitar: warning: page/gallery.json: its list of files has sounds/thesis.docx, "
        "pictures/holiday.png, sounds/.wavx, and 7 more; expected sounds and pictures that a page "
        "makes; these files are not touched")
    assert (
        not (page / "sounds/old.wav").exists()
        and os.path.islink(page / "sounds/linked.wav")
        and (page / "sounds/folder.wav").is_dir()
    )
    assert (
        all((page / name).exists() for name in kept[:3])
        and (here / "keep.wav").read_text() == "keep"
    )
    assert json.loads((page / "gallery.json").read_text()) == own


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{",
        b"[" * 100000,
        b'{"generator": "pysitar gallery", "files": 5}',
        b"\xff",
        b'{"generator": NaN}',
        b'{"generator": "mine", "files": []}',
    ],
)
def test_a_list_that_is_none_claims_nothing(here, capsys, data):
    batch_folder(here / "a", 1)
    (here / "page").mkdir()
    (here / "page/gallery.json").write_bytes(data)
    assert "it holds a page that pysitar gallery has not made" in shown(capsys, "a", code=2)[0]
    assert contents(here / "page") == {"gallery.json": data}


# --- manifests and sidecars ---


def test_a_bad_row_is_left_out_and_the_rest_is_made(here, capsys, quick):
    rows, sidecars = batch_folder(here / "a", 4)
    rows[0]["samples"] = sidecars[0]["batch"]["samples"] = "../../ESCAPED"
    rows[2]["file"] = "a\0b.wav"
    put(here / "a", rows, sidecars)
    with open(here / "a/manifest.jsonl", "a") as file:
        file.write("\n[1]\n" + "x" * (1 << 20) + "\n")
    lines = shown(capsys, "a", code=1)
    assert lines[:4] == [
        f"pysitar: a/manifest.jsonl:{line}; the row is left out"
        for line in (
            "1: samples is '../../ESCAPED'; expected 64 hex digits (0-9, a-f)",
            r"3: file is 'a\x00b.wav'; expected a path inside the folder, no .. and no NUL in it",
            "6: it is not a JSON object; expected {...}",
            "7: it is over 1 MB; expected a row of a manifest",
        )
    ]
    assert ("--merge writes the manifest again" in lines[4]
            and lines[5] == "page/index.html: 2 of 6 sounds")
    assert names() == ["a-00002", "a-00004"] and set(os.listdir(here)) == {"a", "page"}
    pictures = os.listdir("page/pictures")
    assert len(pictures) == 4 and all(len(name.split("-")[0]) == 32 for name in pictures)


def test_a_manifest_without_a_good_row_shows_nothing(here, capsys):
    rows, sidecars = batch_folder(here / "a", 25)
    put(here / "a", [{**row, "file": "a\ud800b.wav"} for row in rows], sidecars)
    lines = shown(capsys, "a", code=2)
    assert len(lines) == 22 and lines[20] == "pysitar: and 5 more, also left out"
    assert lines[21].startswith(
        "pysitar gallery: a has no row in its manifest that can be shown; pysitar batch ")
    assert not (here / "page").exists()


def test_what_is_no_manifest_at_all_ends_soon(here, capsys, monkeypatch):
    batch_folder(here / "a", 1)
    monkeypatch.setattr(items, "MOST_FAULTS", 30)
    (here / "a/manifest.jsonl").write_bytes(b"x\n" * 10**6)
    [lines] = shown(capsys, "a", code=2)
    assert lines.startswith("pysitar: a/manifest.jsonl: over 30 of its rows are wrong, such as "
                            "a/manifest.jsonl:1: it is not JSON")


@pytest.mark.parametrize("change", [
    lambda row, document: row.pop("rate"), lambda row, document: row.update(rate=96000),
    lambda row, document: row.update(frames=399), lambda row, document: row.update(channels=2),
    lambda row, document: row.pop("peak"), lambda row, document: row.update(rms=None),
    lambda row, document: document["batch"].update(samples="0" * 64)])
def test_a_row_that_does_not_fit_its_sound_is_measured(here, capsys, quick, change):
    rows, sidecars = batch_folder(here / "a", 1)
    right = rows[0]["rms"]
    rows[0]["rms"] = sidecars[0]["batch"]["rms"] = 0.25  # lines by whoever is believed
    put(here / "a", rows, sidecars)
    assert shown(capsys, "a", "-o", "believed", "--quiet") == []
    change(rows[0], sidecars[0])
    put(here / "a", rows, sidecars)
    assert shown(capsys, "a", "--quiet") == []

    def values(page):
        data = data_of(here / page)
        return dict(
            zip(
                [column["name"] for column in data["columns"]],
                data["items"][0]["values"],
                strict=True,
            )
        )

    assert values("believed")["RMS"] == pytest.approx(20.0 * math.log10(0.25))
    assert (values("page")["RMS"] == pytest.approx(20.0 * math.log10(right))
            and values("page")["rate"] == RATE)
    assert (values("page")["length"] == 0.05
            and data_of(here / "page")["items"][0]["highest"] == RATE / 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"peak": 1e999}', "peak is inf; expected a finite number, 0 or more"),
        ('{"options": {"only": 5}}', "options.only is 5"),
        ("{", "it is not JSON"),
        ('{"options": {"rate": 1e400}}', "options.rate is inf"),
        ('{"batch": {"score": "\\u0000"}}', "batch.score is"),
    ],
)
def test_a_sidecar_that_is_wrong_is_not_used(here, capsys, quick, text, said):
    (here / "a").mkdir()
    sound("a/x.wav")
    Path("a/x.wav.json").write_text(text)
    lines = shown(capsys, "a")
    assert lines[0].startswith(
        f"pysitar: warning: a/x.wav.json: cannot be read as a sidecar ({said}"
    )
    assert lines[0].endswith("; the sound is shown without it") and names() == ["x.wav"]


UNPORTABLE = {
    "pipe": os.mkfifo,
    "device": lambda path: os.symlink("/dev/zero", path),
    "folder": os.mkdir,
    "loop": lambda path: os.symlink(path.name, path),
}


@pytest.mark.parametrize("kind", UNPORTABLE)
@pytest.mark.parametrize(
    "name", ["manifest.jsonl", "a-00001.wav.json", "a-00001.wav", "a-00001.npz", "a.score"])
def test_what_is_no_regular_file_is_not_waited_for(here, capsys, quick, name, kind):
    batch_folder(here / "a")
    if name == "a.score":
        os.unlink("a/manifest.jsonl")  # the comment of a score beside a sound
    else:
        os.replace(f"a/{name}", "moved") if name != "a-00001.npz" else None
    UNPORTABLE[kind](here / "a" / name)
    lines = shown(
        capsys,
        "a",
        code={"manifest.jsonl": 1 if kind == "loop" else 2, "a-00001.wav": 1}.get(name, 0),
    )
    if name == "a.score":
        assert lines == ["page/index.html: 2 of 2 sounds"]
        return
    why = {"folder": "a folder", "loop": "symbolic links"}.get(kind, "regular file")
    assert f"a/{name}" in lines[0] or "a-00001: its file" in lines[0]
    if name == "a-00001.wav":
        why = "is outside the folder" if kind == "device" else "regular file"
    assert why in lines[0]
    assert (name == "manifest.jsonl"
            or lines[-1] == f"page/index.html: {1 if name == 'a-00001.wav' else 2} of 2 sounds")


def test_large_files_are_not_read_whole(here, capsys, quick):
    batch_folder(here / "a")
    with open("a/a-00001.wav.json", "r+b") as file:
        file.truncate(1 << 33)
    assert "a/a-00001.wav.json: cannot be read as a sidecar (over 16 MB; " in shown(capsys, "a")[0]
    with open("a/manifest.jsonl", "r+b") as file:
        file.truncate(1 << 33)
    assert shown(capsys, "a", code=2) == [
        "pysitar: a/manifest.jsonl: it is over 1024 MB; expected a smaller file"]
    with open("page/gallery.json", "r+b") as file:
        file.truncate(1 << 33)
    os.unlink("a/manifest.jsonl")
    assert "has not made" in shown(capsys, "a", code=2)[0]


def test_files_outside_the_folder_are_not_shown(here, capsys, quick):
    batch_folder(here / "a")
    sound("secret.wav")
    os.unlink("a/a-00001.wav")
    os.symlink("../secret.wav", "a/a-00001.wav")
    assert (shown(capsys, "a",
                  code=1)[0] == "pysitar: a-00001: its file, a-00001.wav, is outside the folder")
    assert sorted(os.listdir("page/sounds")) == ["a-00002.wav"]


# --- sounds ---


@pytest.mark.parametrize(("value", "said"), [(math.inf, "inf"), (-math.inf, "-inf"),
                                             (math.nan, "nan"), (1e300, "1e+300")])
def test_samples_that_are_not_finite_are_reported_without_warnings_of_numpy(
        here, capsys, value, said):
    (here / "a").mkdir()
    samples = np.zeros((500, 2))
    samples[7, 1] = value
    soundfile.write("a/x.wav", samples, RATE, subtype="DOUBLE")
    sound("a/y.wav")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lines = shown(capsys, "a", code=1)
        assert main(["look", "a/x.wav"]) == 2
    assert lines[0].startswith(f"pysitar: x.wav: a/x.wav: the sample at 0.000875 s (frame 7, "
                               f"channel 2) is {said}; expected finite numbers")
    assert lines[1] == "page/index.html: 1 of 2 sounds" and names() == ["x.wav", "y.wav"]


def test_a_sound_that_takes_too_much_memory_is_not_measured(here, capsys):
    (here / "a").mkdir()
    write_audio("a/x.wav", np.zeros(90000), 1)
    write_audio("a/y.wav", np.zeros(9), 20_000_000)
    assert shown(capsys, "a", code=1)[:2] == [
        "pysitar: x.wav: a/x.wav: it lasts 25 h; expected at most 24 h",
        "pysitar: y.wav: a/y.wav: its rate is 20000000 Hz; expected at most 10000000 Hz"]


@pytest.mark.parametrize(("rate", "frames", "channels"),
                         [(1, 1, 1), (1, 20, 3), (655350, 3, 1), (8000, 2, 1024)])
def test_sounds_of_odd_kinds_are_shown(here, capsys, rate, frames, channels):
    (here / "a").mkdir()
    write_audio("a/x.wav", 0.1 * np.ones((frames, channels)),
                rate) if channels < 9 else soundfile.write(
                    "a/x.wav", 0.1 * np.ones((frames, channels)), rate)
    assert shown(capsys, "a", "--quiet") == []


@pytest.mark.parametrize(("clipped", "top"), [(0, 2.0), (7, 1.0)])
def test_a_waveform_is_as_high_as_its_file_not_as_what_was_clipped(
        here, capsys, quick, clipped, top):
    rows, sidecars = batch_folder(here / "a", 1)
    for one in (rows[0], sidecars[0]):
        one |= {"peak": 2.0, "clipped": clipped}
    put(here / "a", rows, sidecars)
    assert shown(capsys, "a", "--quiet") == [] and data_of(here / "page")["items"][0]["top"] == top


# --- names and locales ---

C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_a_page_is_made_in_any_locale(here, capsys):
    rows, sidecars = batch_folder(here / "né", 1)
    (here / "né/ré ♯.wav").write_bytes((here / "né/a-00001.wav").read_bytes())
    rows[0] |= {"name": "ré ♯", "file": "ré ♯.wav"}
    put(here / "né", rows, sidecars)
    code, out, lines = pysitar("gallery", "né", "-o", "página", cwd=here, environment=C_LOCALE)
    assert (code, out) == (0, "") and lines == "p??gina/index.html: 1 of 1 sound\n"
    first = data_of(here / "página")
    assert first["title"] == "né" and first["items"][0]["name"] == "ré ♯"
    assert (first["items"][0]["sound"] == "sounds/r%C3%A9%20%E2%99%AF.wav"
            and (here / "página/sounds/ré ♯.wav").exists())
    assert json.loads((here / "página/gallery.json").read_text())["files"][-1] == "sounds/ré ♯.wav"
    assert (
        shown(capsys, "né", "-o", "página", "--quiet") == [] and data_of(here / "página") == first)
