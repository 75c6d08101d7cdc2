"""What a gallery is made of: which sounds, which values, which command, and that a page is whole,
its own, and made once."""
import json
import os
import re
import shlex
import signal
import time

import numpy as np
import pytest
from app.batch.makers import Inline
from app.commands import HEAD, contents, furnish, one_pluck, pysitar, started

from pysitar.__main__ import main
from pysitar.app.analysis.spectrogram import measure_view
from pysitar.app.batch import run as batch_run
from pysitar.app.gallery.commands import render_command
from pysitar.app.gallery.energies import read_energies
from pysitar.app.gallery.items import opening_comment
from pysitar.app.gallery.pictures import (
    RANGE,
    SPECTROGRAM_HEIGHT,
    WAVE_HEIGHT,
    WIDTH,
    spectrogram_png,
    view_of,
    wave_png,
)
from pysitar.output.audio import write_audio
from pysitar.output.traces import TraceWriter

VARIED = (HEAD + "render tail=0 oversample=1 channels=1 seed=7\nsweep t.a.pluck.position = (0.3 "
          "5cm)\ndraw t.a.pluck.force ~ uniform(0.2N, 0.6N) n=2\n0 t.a pluck dur=150ms\n")
PLAIN = "# A wire.\n#  What to hear: <b>nothing</b> much.\n\n# not this\n" + one_pluck(100)
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def data_of(page):
    """What the script of a page is given."""
    return json.loads(DATA.search((page / "index.html").read_text(encoding="utf-8"))[1])


def values_of(data, item):
    return {column["name"]: value for column,
            value in zip(data["columns"], item["values"], strict=True) if value is not None}


def sine(path, *, hz=1000.0, seconds=0.3, level=0.5, rate=8000):
    write_audio(path, level * np.sin(2.0 * np.pi * hz * np.arange(round(seconds * rate)) / rate),
                rate)


def tree(folder):
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*")
            if path.is_file()}


def manifest(folder, *rows):
    folder.mkdir(exist_ok=True)
    usual = {"name": "x", "file": "x.wav", "score": "x.score", "parameters": {}}
    lines = [json.dumps(usual | {"item": number} | row) + "\n" for number,
             row in enumerate(rows, 1)]
    (folder / "manifest.jsonl").write_text("".join(lines))


def test_each_command_of_a_batch_makes_that_very_sound(here):
    furnish(here, **{"two's $(words)": VARIED})
    assert main(["batch", "two's $(words).score", "-o", "sounds", "--quiet", "--jobs", "1",
                 "--format", "flac", "--peak=-3"]) == 0
    assert main(["gallery", "sounds", "--quiet"]) == 0
    data = data_of(here / "page")
    rows = [json.loads(line) for line in (here / "sounds/manifest.jsonl").read_text().splitlines()]
    assert [item["name"] for item in data["items"]] == [row["name"]
                                                        for row in rows] and len(rows) == 4
    for row, item in zip(rows, data["items"], strict=True):
        printed = values_of(data, item)
        assert {name: printed[name] for name in row["parameters"]} == row["parameters"]
        assert (printed["length"], printed["seed"], printed["oversample"]) == (row["seconds"], 7, 1)
        assert printed["peak"] == pytest.approx(20.0 * np.log10(row["peak"]))
    units = {column["name"]: column["unit"] for column in data["columns"]}
    assert units["t.a.pluck.force"] == "N" and units[
        "t.a.pluck.position"] == "of the length" and units["t.a.pluck.position (m)"] == "m"
    name, *words = shlex.split(data["items"][2]["command"])
    assert name == "pysitar" and main([*words, "--quiet", "--jobs=1"]) == 0
    [made] = [json.loads(path.read_text()) for path in (here / "again").glob("*.flac.json")]
    assert made["batch"]["samples"] == rows[2]["samples"] and made["batch"]["key"] == rows[2]["key"]


def test_the_command_of_a_rendered_sound_makes_it_again(here):
    furnish(here, plain=VARIED.replace("sweep", "# ").replace("draw", "# "))
    (here / "sounds").mkdir()
    assert main(["render", "plain.score", "-o", "sounds/-a b.wav", "--from", "20ms", "--to", "0.1s",
                 "--only", "t.a", "--peak=-1dB", "--seed=3", "--subtype", "FLOAT", "--rate",
                 "44100", "--quiet"]) == 0
    assert main(["gallery", "sounds", "-o", "listen", "--quiet"]) == 0
    [item] = data_of(here / "listen")["items"]
    name, *words = shlex.split(item["command"])
    assert name == "pysitar" and main([*words, "--quiet"]) == 0
    assert (here / "-a b.wav").read_bytes() == (here / "sounds/-a b.wav").read_bytes()


@pytest.mark.parametrize("score, options", [("a.score", {}), ("", {"rate": 1}),
                                            ("a\udcff.score", None), ("a\x1b[0m.score", None)])
def test_what_cannot_be_typed_or_is_not_known_has_no_command(score, options):
    whole = {"rate": 48000, "oversample": 2, "seed": 0, "format": "wav", "subtype": "PCM_24"}
    assert render_command(score, "a.wav", whole if options is None else options) is None
    assert render_command(
        "a.score", "a.wav",
        whole) == "pysitar render a.score -o a.wav --rate=48000 --oversample=2 --seed=0"


def test_a_page_is_made_once_and_what_is_gone_is_taken_away(here):
    (here / "sounds").mkdir()
    sine("sounds/a.wav")
    sine("sounds/b.wav", hz=500.0)
    assert main(["gallery", "sounds", "--quiet"]) == 0
    page = here / "page"
    first = tree(page)
    pictures = {name for name in first if name.startswith("pictures/")}
    assert set(first) == {"index.html", "gallery.json", "sounds/a.wav", "sounds/b.wav", *pictures}
    assert len(first) == 8 and data_of(page)["title"] == "sounds"
    assert (page / "sounds/a.wav").read_bytes() == (here / "sounds/a.wav").read_bytes()
    assert main(["gallery", "sounds", "--quiet"]) == 0
    assert {name for name,
            when in tree(page).items() if when != first[name]} == {"index.html", "gallery.json"}
    sine("sounds/a.wav", hz=2000.0)          # another sound: its pictures are new, the old ones go
    os.unlink("sounds/b.wav")
    (page / "sounds" / "mine.txt").write_text("a stranger's")
    assert main(["gallery", "sounds", "--quiet"]) == 0
    assert len(tree(page)) == 6 and (
        page / "sounds/mine.txt").exists() and not (page / "sounds/b.wav").exists()
    assert (page / "sounds/a.wav").read_bytes() == (here / "sounds/a.wav").read_bytes()
    assert not pictures & set(tree(page))


def test_linked_sounds_stay_where_they_are(here):
    (here / "my sounds").mkdir()
    sine("my sounds/50%#?.wav")
    assert main(["gallery", "my sounds", "-o", "page", "--link", "--quiet"]) == 0
    assert data_of(here / "page")["items"][0]["sound"] == "../my%20sounds/50%25%23%3F.wav"
    assert not (here / "page/sounds").exists()
    # the page among them: nothing is doubled
    assert main(["gallery", "my sounds", "-o", "my sounds", "--quiet"]) == 0
    assert data_of(here / "my sounds")["items"][0]["sound"] == "50%25%23%3F.wav"


def test_names_that_other_systems_lack_are_changed_in_copies_alone(here):
    (here / "sounds").mkdir()
    for name in ("a:b.wav", "a?b.wav", "A.wav", "a.wav"):
        sine(f"sounds/{name}")
    assert main(["gallery", "sounds", "--quiet"]) == 0
    items = data_of(here / "page")["items"]
    assert [item["name"] for item in items] == ["A.wav", "a.wav", "a:b.wav", "a?b.wav"]
    copies = sorted(os.listdir("page/sounds"))
    assert len({name.lower()
                for name in copies}) == 4 and not any(set(name) & set(":?") for name in copies)
    assert {item["sound"] for item in items} == {f"sounds/{name}" for name in copies}


def test_scores_are_rendered_as_they_say_and_described_by_their_comments(here, monkeypatch):
    monkeypatch.setattr(batch_run, "Workers", Inline)
    furnish(here)
    (here / "scores").mkdir()
    furnish(here / "scores", plain=PLAIN, varied="# Four.\n" + VARIED)
    assert main(["gallery", "scores", "--quiet", "--jobs", "1"]) == 0
    items = data_of(here / "page")["items"]
    assert [item["name"]
            for item in items] == ["plain", *(f"varied-0000{number}" for number in range(1, 5))]
    assert items[0]["description"] == "A wire.\nWhat to hear: <b>nothing</b> much." and items[4][
        "description"] == "Four."
    assert (items[0]["command"] == "pysitar render scores/plain.score -o plain.wav --rate=48000 "
            "--oversample=1 --seed=0 --fade=0.4")
    assert main([*shlex.split(items[0]["command"])[1:], "--quiet"]) == 0
    assert (here / "plain.wav").read_bytes() == (here / "page/sounds/plain-00001.wav").read_bytes()
    # their energies are those that a render records
    assert main(["render", "scores/plain.score", "-o", "plain.wav", "--traces", "plain.npz",
                 "--quiet"]) == 0
    kept, whole = read_energies(here / "page/sounds/plain-00001.npz"), read_energies(
        here / "plain.npz")
    assert all(item["energies"] for item in items) and len(kept.times) == len(whole.times)
    for name in ("times", "stored", "contact", "losses", "work"):
        assert getattr(kept, name) == pytest.approx(getattr(whole, name), rel=1e-12, abs=0.0)
    first = tree(here / "page")
    (here / "scores/varied.score").unlink()
    assert main(["gallery", "scores", "--quiet", "--jobs", "1"]) == 0
    left = tree(here / "page")
    assert {name for name in left if name.startswith("sounds/")} == {
        "sounds/plain-00001.wav", "sounds/plain-00001.wav.json", "sounds/plain-00001.npz",
        "sounds/manifest.jsonl", "sounds/manifest.csv"}
    assert left["sounds/plain-00001.wav"] == first["sounds/plain-00001.wav"] and set(
        os.listdir("scores")) == {"two.toml", "plain.score"}


def test_a_part_of_another_score_that_does_not_play_alone_is_left_out_and_reported(
        here, monkeypatch, capsys):
    monkeypatch.setattr(batch_run, "Workers", Inline)
    part = "section hit\n0 t.a pluck dur=50ms\nend\nplay hit\n"
    furnish(here, whole=HEAD + "render tail=0 oversample=1\ninclude \"part.score\"\n", part=part,
            alone=one_pluck(50), most=PLAIN + "include \"alone.score\" at=1\n")
    assert main(["gallery", ".", "-o", "page", "--jobs", "1"]) == 0
    assert [item["name"] for item in data_of(here / "page")["items"]] == ["alone", "most", "whole"]
    printed = capsys.readouterr().err
    assert "./part.score: left out: it is a part of ./whole.score" in printed
    assert "no instrument is named t" in printed
    # what is wrong with a score that nobody includes, or that only a wrong one does, is reported as
    # ever
    (here / "whole.score").write_text(HEAD + "include \"part.score\"\n0 t.a plick\n")
    assert main(["gallery", ".", "-o", "other", "--jobs", "1"]) == 2
    assert not (here / "other").exists()
    assert "part.score:2:" in (printed := capsys.readouterr().err) and "left out" not in printed
    furnish(here, whole="include \"part.score\"\n", part="include \"whole.score\"\n")
    assert main(["gallery", ".", "-o", "other", "--jobs", "1"]) == 2
    assert "includes itself" in capsys.readouterr().err


def test_a_comment_is_the_one_that_opens(tmp_path):
    score = tmp_path / "a.score"
    for text, expected in (("0 t pluck\n# late\n", ""), ("\ufeff## a\n#b.\n#\n# d\nx\n# c", "a b.\n"
                                                         "\nd"), ("", ""), ("# \udcff", "\ufffd")):
        score.write_bytes(text.encode("utf-8", "surrogateescape"))
        assert opening_comment(score) == expected
    assert opening_comment(tmp_path / "none.score") == ""


def pixels(png):
    """The pixels of a PNG as colours and alpha."""
    import io

    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(png)).convert("RGBA")).astype(int)


def test_the_waveform_reaches_from_its_least_to_its_greatest(tmp_path):
    rate = 8000
    sound = np.concatenate(
        (np.zeros(rate), np.full(rate, 0.25), np.full(rate, -0.125), np.zeros(rate)))
    write_audio(tmp_path / "a.wav", sound, rate)
    shown = pixels(wave_png(measure_view(tmp_path / "a.wav", view_of(rate))))
    assert shown.shape == (WAVE_HEIGHT, WIDTH, 4)
    seen = shown[:, :, 3] > 127
    top = seen.argmax(axis=0)
    bottom = WAVE_HEIGHT - seen[::-1].argmax(axis=0)
    middle = [WIDTH // 8, 3 * WIDTH // 8, 5 * WIDTH // 8]
    # the middle is at 48, the peak of 0.25 is 47 pixels high, and a line is a pixel thick; which
    # pixels are seen is rounded
    assert abs(top[middle] - np.array([47.5, 0.5, 71.0])).max() <= 0.5
    assert abs(bottom[middle] - np.array([48.5, 1.5, 72.0])).max() <= 0.5


def test_the_spectrogram_has_a_tone_at_its_frequency_and_level(tmp_path):
    rate, hz = 8000, 1000.0
    brightness = []
    for level in (1.0, 0.1):
        sine(tmp_path / "a.wav", hz=hz, seconds=2.0, level=level, rate=rate)
        shown = pixels(spectrogram_png(measure_view(tmp_path / "a.wav",
                                                    view_of(rate))))[:, WIDTH // 2, :3].sum(axis=1)
        # 0 Hz is at the bottom
        assert len(shown) == SPECTROGRAM_HEIGHT and abs(SPECTROGRAM_HEIGHT - 0.5 - shown.argmax()
                                          - SPECTROGRAM_HEIGHT * hz / (0.5 * rate)) < 3.0
        brightness.append(shown.max())
    assert brightness[0] > brightness[1] > 0 and RANGE > 20.0
    write_audio(tmp_path / "a.wav", np.zeros(rate), rate)
    assert not pixels(spectrogram_png(measure_view(tmp_path / "a.wav",
                                                   view_of(rate))))[:, :, :3].any()


def test_energies_are_those_of_all_strings(tmp_path):
    one = np.tile([1.0, 2.0, 0.5, 0.1, 3.0, 0.0], (1000, 1))
    other = np.tile([0.5, 0.0, 0.0, 0.2, 1.0, 0.0], (500, 1))
    with TraceWriter(tmp_path / "a.npz") as writer:
        writer.add("rate", [96000.0])
        writer.add("energy_every", [64.0])
        writer.add("t.a.energy", one)
        writer.add("t.b.energy", other)
        writer.add("t.b.displacement", [1.0])
    found = read_energies(tmp_path / "a.npz")
    assert len(found.times) == 800 and found.times[0] == 0.0 and found.times[-1] == pytest.approx(
        998 * 64 / 96000, rel=1e-3)
    for name, expected in (("stored", 4.0), ("contact", 0.5), ("losses", 0.3), ("work", 4.0)):
        assert getattr(found, name) == pytest.approx(np.full(800, expected))


def test_traces_beside_a_sound_are_drawn_and_others_are_reported(here, capsys):
    furnish(here, plain=PLAIN)
    (here / "sounds").mkdir()
    sine("sounds/b.wav")
    (here / "sounds/b.wav.npz").write_bytes(b"no traces")
    (here / "sounds/b.wav.json").write_text("{")
    assert main(
        ["render", "plain.score", "-o", "sounds/a.wav", "--traces", "sounds/a.npz", "--quiet"]) == 0
    assert main(["gallery", "sounds"]) == 0
    printed = capsys.readouterr().err
    assert "cannot be read as traces" in printed and "cannot be read as a sidecar" in printed
    assert len(printed.splitlines()) == 3
    a, b = data_of(here / "page")["items"]
    assert (here / "page"
            / a["energies"]).read_bytes().startswith(b"\x89PNG") and b["energies"] is None
    assert a["command"] and b["command"] is None


def test_what_failed_or_is_missing_is_shown_as_that(here, capsys):
    sounds = here / "sounds"
    manifest(sounds, {"error": "no <way>", "parameters": {"f": 1.5, "g": None, "h": "x"}},
             {"name": "y", "file": "y.wav"}, {"name": "z", "file": "z.wav"},
             {"name": "v", "file": "v.wav"}, {"name": "w", "file": "w.wav"})
    sine("z.wav")
    os.symlink("../z.wav", sounds / "z.wav")
    sine(sounds / "w.wav", seconds=0.05, level=1e-5)
    (sounds / "v.wav").write_bytes(b"RIFF")
    assert main(["gallery", "sounds"]) == 1
    printed = capsys.readouterr().err
    assert [line.split(":")[1].strip() for line in printed.splitlines()[:4]] == ["x", "y", "z", "v"]
    data = data_of(here / "page")
    assert [bool(item["error"]) for item in data["items"]] == [True] * 4 + [False]
    assert data["items"][0]["error"] == "no <way>"
    assert data["items"][4]["flags"] == ["silent", "short"]
    assert values_of(data, data["items"][0]) == {"f": 1.5, "h": "x"}


@pytest.mark.parametrize("text",
                         ["{}", '{"name": 1}', "[]", "\xff", "[" * 100000, '{"name": "x"', ""])
def test_a_broken_row_is_reported_with_its_line(here, text, capsys):
    manifest(here / "sounds", {})
    with open(here / "sounds/manifest.jsonl", "a", encoding="latin-1") as file:
        file.write(text + "\n")
    sine("sounds/x.wav")
    assert main(["gallery", "sounds"]) == (1 if text else 0)
    out, said = capsys.readouterr()
    assert not out and [item["name"] for item in data_of(here / "page")["items"]] == ["x"]
    if text:
        assert said.startswith("pysitar: sounds/manifest.jsonl:2: "
                               ) and "; the row is left out\n" in said and "--merge" in said
    assert said.endswith(f"page/index.html: 1 of {'2 sounds' if text else '1 sound'}\n")


def test_what_cannot_be_a_gallery_is_reported(here, capsys):
    for name in ("empty", "theirs"):
        (here / name).mkdir()
    (here / "theirs/index.html").write_text("my own page")
    (here / "sounds").mkdir()
    sine("sounds/a.wav")
    (here / "file").write_text("")
    for words, said in (
        (["empty"], "no sounds"),
        (["nowhere"], "not exist"),
        (["file"], "is not a folder"),
        (["sounds", "-o", "file"], "not a folder"),
        (["sounds", "-o", "theirs"], "has not made"),
        (["sounds", "--link", "--copy"], "not allowed"),
        (["sounds", "--jobs", "0"], "--jobs"),
    ):
        assert main(["gallery", *words]) == 2
        out, printed = capsys.readouterr()
        assert said in printed and len(printed.splitlines()) == 1 and not out, words
    assert main(["gallery", "sounds", "-o", "no/page"]) == 2
    assert "mkdir -p" in capsys.readouterr().err
    code, _, printed = pysitar("gallery", "sounds", cwd=here,
                            before="import sys; sys.modules['matplotlib'] = None")
    assert code == 2 and "pysitar[figures]" in printed
    assert set(os.listdir(here)) == {"empty", "theirs", "sounds", "file"} and contents(
        here / "theirs") == {"index.html": b"my own page"}


def test_after_ctrl_c_there_is_no_half_page_and_the_next_run_goes_on(here):
    (here / "sounds").mkdir()
    for number in range(8):
        sine(f"sounds/{number}.wav", hz=200.0 + number)
    with started("gallery", "sounds", cwd=here, before="import os", stderr=-1) as process:
        pictures = here / "page/pictures"
        end = time.monotonic() + 20.0
        while not (pictures.is_dir() and len(os.listdir(pictures)) > 3) and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        printed = process.communicate(timeout=20.0)[1]
    assert process.returncode == 130 and b"interrupted" in printed
    assert not (here / "page/index.html").exists() and not list((here / "page").rglob(".pysitar-*"))
    done = tree(here / "page")
    assert main(["gallery", "sounds", "--quiet"]) == 0
    again = tree(here / "page")
    assert all(again[name] == when for name, when in done.items()
               if name != "gallery.json") and len(again) == 2 + 3 * 8
