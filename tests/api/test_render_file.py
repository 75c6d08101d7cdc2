"""render_file: stems, levels, traces and the sidecar, written together with the mix or not at
all."""
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from app.commands import contents, furnish

import pysitar
from pysitar import ParameterError, load_score, render, render_file
from pysitar.api.render_file import Files, stream
from pysitar.api.request import Request, prepare_engine
from pysitar.output import audio as audio_module
from pysitar.rendering.engine import Engine, bind_score

PAIR = """\
use "two.toml" as t
use "two.toml" as Low
render rate=16000 oversample=OVER tail=10ms
set *.a.sigma0 = 150
set t.a.pitch = 3kHz
set Low.a.pitch = 2kHz
mix t pan=-0.3 gain=3dB
mix Low pan=0.4
0 t.a pluck dur=0
0.01s Low.a pluck dur=0
0.02s t.a pluck f=-0.2N dur=0
0.03s Low.a damp dur=0
"""
FRAMES = 640


@pytest.fixture
def folder(here):
    return furnish(here, a=PAIR.replace("OVER", "1"), b=PAIR.replace("OVER", "2"))


def read(path):
    frames, rate = soundfile.read(path, always_2d=True, dtype="float64")
    assert rate == 16000
    return frames


def names(folder):
    return {path.name for path in folder.iterdir()} - {"two.toml", "a.score", "b.score"}


# ---- stems

def factor_of(factor, part):
    """The peak of a part times a factor, which the report has in dB: a rounding of it is 1e-15."""
    return pytest.approx(factor * np.abs(part).max(), rel=1e-14)


@pytest.mark.parametrize("name", ["a", "b"])
@pytest.mark.parametrize("peak", [None, -3.0])
def test_stems_in_files_are_those_of_the_engine(name, peak, folder):
    """Float files hold what was computed, rounded once."""
    score = load_score(f"{name}.score")
    report = render_file(score, "mix.wav", stems="stems", subtype="FLOAT", block=100, peak=peak)
    whole = render(score, peak=peak)
    assert names(folder) == {"mix.wav", "mix.wav.json", "stems"}
    assert {path.name for path in (folder / "stems").iterdir()} == {"t.wav", "l-ow.wav"}
    assert np.array_equal(read("mix.wav"), whole.audio.astype(np.float32))
    factor = 10.0 ** (report["gain_db"] / 20.0)
    parts = [np.concatenate(part) for part in zip(*Engine(*bind_score(score)).stems(), strict=True)]
    for part, file in zip(parts, ("t", "l-ow"), strict=True):
        assert part.shape == (FRAMES, 2)
        written = read(f"stems/{file}.wav")
        # without a level the factor is 1 and the file the rounded part; with it 2^-24 of rounding,
        # and that of the dB
        assert np.abs(written
                      - factor * part).max() <= 2.0**-24 * np.abs(written).max() * (1.0 + 1e-6)
        assert peak is not None or np.array_equal(written, part.astype(np.float32))
    assert report["stems"] == {
        voice: {"file": f"{file}.wav", "peak": factor_of(factor, part), "clipped": 0} for voice,
        file, part in zip(("t", "Low"), ("t", "l-ow"), parts, strict=True)}


def test_stems_in_a_folder_that_is_there(folder):
    (folder / "stems").mkdir()
    (folder / "stems" / "t.wav").write_bytes(b"before")
    (folder / "stems" / "other.wav").write_bytes(b"other")
    render_file(load_score("a.score"), "mix.flac", stems=Path("stems"))
    assert {path.name for path in (folder / "stems").iterdir()} == {
        "t.wav", "other.wav", "t.flac", "l-ow.flac"}
    # 24 bits: three roundings of half a step
    total = read("stems/t.flac") + read("stems/l-ow.flac")
    assert np.abs(total - read("mix.flac")).max() <= 1.5 * 2.0**-23


def test_a_stem_may_clip_where_the_mix_does_not(folder):
    (folder / "a.score").write_text(PAIR.replace("OVER", "1").replace("gain=3dB", "gain=20dB"))
    report = render_file(load_score("a.score"), "mix.wav", stems=".", start=0.005, stop=0.01)
    clipped = report["stems"]["t"]["clipped"]
    assert clipped > 0 and any(text.startswith(f"stem t: {clipped} samples were clipped")
                               and "in place of 20dB" in text
                               for text in report["warnings"])
    assert names(folder) == {"mix.wav", "mix.wav.json", "t.wav", "l-ow.wav"}


@pytest.mark.parametrize(("given", "error", "said"), [
    ({"stems": "."}, ParameterError, "two files of this render have that path"),
    ({"stems": "no/stems"}, OSError, "the folder does not exist"),
    ({"stems": "a.score"}, OSError, "not a folder"),
    ({"stems": "/proc/stems"}, OSError, "no file can be made"),
    ({"traces": "x.npy"}, ParameterError, r"expected a name that ends in \.npz"),
    ({"traces": "no/x.npz"}, OSError, "the folder does not exist"),
    ({"subtype": "PCM_8"}, ParameterError, "subtype is PCM_8"),
    ({"allow_large": 1}, ParameterError, "allow_large is 1"),
])
def test_what_cannot_be_made_is_refused_first(given, error, said, folder, monkeypatch):
    monkeypatch.setattr(Engine, "parts", None)          # not a block is computed
    before = contents(folder)
    with pytest.raises(error, match=said):
        render_file(load_score("a.score"), "t.wav", **given)
    assert contents(folder) == before


@pytest.mark.parametrize("peak", [None, -1.0])
@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("where", ["computing", "closing", "sidecar"])
def test_whatever_fails_nothing_stays_and_what_was_there_does(
        where, there, peak, folder, monkeypatch):
    if there:
        (folder / "stems").mkdir()
        for name in ("mix.wav", "mix.wav.json", "x.npz", "stems/t.wav"):
            (folder / name).write_bytes(b"before")
    before = contents(folder), contents(folder / "stems") if there else None
    failures = {"computing": (Engine, "report"),
                "closing": (audio_module.AudioWriter, "_check_whole"),
                "sidecar": (sys.modules["pysitar.api.render_file"], "sidecar_text")}

    def broken(*_):
        raise OSError(28, "full")

    monkeypatch.setattr(*failures[where], broken)
    with pytest.raises(OSError, match="full"):
        render_file(load_score("a.score"), "mix.wav", stems="stems", traces="x.npz", peak=peak)
    assert (contents(folder), contents(folder / "stems") if there else None) == before


# ---- levels


@pytest.mark.parametrize(("subtype", "ending"), [("PCM_24", "wav"), ("PCM_16", "wav"),
                                                 ("FLOAT", "wav"), ("PCM_24", "flac")])
def test_a_level_in_a_file_is_that_in_memory(subtype, ending, folder):
    score = load_score("b.score")
    result = render(score, peak=-1.0)
    report = render_file(score, f"mix.{ending}", subtype=subtype, peak=-1.0, block=100)
    pysitar.write_audio(f"same.{ending}", result.audio, result.rate, subtype=subtype)
    assert (folder / f"mix.{ending}").read_bytes() == (folder / f"same.{ending}").read_bytes()
    assert all(report[key] == value for key, value in result.report.items())
    assert np.abs(read(f"mix.{ending}")).max() == pytest.approx(10.0 ** (-1.0 / 20.0), abs=2.0**-15)


def test_a_level_of_full_scale_clips_nothing(folder):
    assert render_file(load_score("a.score"), "mix.wav", peak=0.0)["clipped"] == 0
    assert np.abs(read("mix.wav")).max() >= 1.0 - 2.0**-23


def test_a_level_takes_no_memory(folder):
    """A minute of two stems is 92 MB, and all that runs takes 45."""
    (folder / "a.score").write_text(
        'use "two.toml" as t\nuse "two.toml" as u\nrender tail=60s oversample=1\n'
        "0 t.a pluck dur=0\n0 u.a pluck dur=0\nset *.a.sigma0 = 100\n")
    code = ("from pysitar import load_score, render_file\nprint(render_file(load_score('a.score'), "
            "'a.wav', peak=-1.0, stems='stems', subtype='PCM_16')['frames'])\nprint(next(line for "
            "line in open('/proc/self/status') if line.startswith('VmHWM:')))")
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True,
                          timeout=120, check=True)
    frames, _, kilobytes, _ = done.stdout.split()
    assert int(frames) == 60 * 48000 and int(kilobytes) < 90e3


def test_disk_space_is_checked_for_all_files(folder, monkeypatch):
    score = load_score("a.score")
    size = 44 + FRAMES * 6
    real = os.statvfs(folder)
    needs = {            # options -> least bytes that will be written
        (): size, ("stems",): 3 * size, ("peak",): size + FRAMES * 16,
        ("stems", "peak"): 3 * size + FRAMES * 32,
        ("traces",): size + 2 * 2 * round(FRAMES * 24.75),
    }
    values = {"stems": "stems", "peak": -1.0, "traces": "x.npz"}
    for request, needed in needs.items():
        given = {name: values[name] for name in request}
        for free in (needed - 1, needed):
            monkeypatch.setattr(os, "statvfs", lambda path, free=free: os.statvfs_result((
                1, 1, *real[2:4], free, *real[5:])))
            if free < needed:
                with pytest.raises(OSError, match=r"bytes are needed" if "traces" not in request
                                   else r"the traces need 0\.0 GB"):
                    render_file(score, "mix.wav", sidecar=False, **given)
                assert names(folder) == set()
                render_file(score, "mix.wav", sidecar=False, allow_large=True, **given)
            else:
                render_file(score, "mix.wav", sidecar=False, **given)
            for path in sorted(folder.rglob("*"), reverse=True):
                if path.name in {"mix.wav", "stems", "x.npz", "t.wav", "l-ow.wav"}:
                    path.rmdir() if path.is_dir() else path.unlink()


# ---- traces

def test_traces_in_a_file(folder):
    score = load_score("b.score")
    render_file(score, "mix.wav", traces="x.npz", start=0.005, stop=0.02, only="t", block=50)
    with np.load("x.npz") as file:
        found = {name: file[name] for name in file.files}
    assert json.loads(str(found.pop("units")))["displacement"] == "m"
    assert [found.pop(name).tolist()
            for name in ("rate", "energy_every", "first_step")] == [[32000.0], [64.0], [160.0]]
    memory = render(score, traces=True, start=0.005, stop=0.02, only="t").traces
    assert found.keys() == memory.keys() == {
        f"t.a.{kind}" for kind in ("force_end", "displacement", "contact_force", "energy")}
    assert all(np.array_equal(found[name], memory[name]) for name in found)
    assert memory["t.a.force_end"].shape == (480,)


# ---- the sidecar

def sidecar(path="mix.wav.json"):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def test_the_sidecar_says_how_the_file_was_made(folder):
    report = render_file(load_score("b.score"), "sub.wav", subtype="PCM_16", seed=4, start=0.005,
                         stop=0.025, mute=["Low.*"], peak=-2, stems="stems")
    document = sidecar("sub.wav.json")
    assert document["pysitar"] == pysitar.__version__ and document["file"] == "sub.wav"
    assert document["options"] == {"rate": 16000, "oversample": 2, "channels": 2, "seed": 4,
                                   "tail": 0.01, "floor": -60.0, "fade": 0.4, "peak": -2.0,
                                   "format": "wav", "subtype": "PCM_16", "from": 0.005,
                                   "to": 0.025, "only": [], "mute": ["Low.*"]}
    assert document["files"] == {name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
                                 for name in ("b.score", "two.toml")}
    both = document.keys() & report.keys()
    assert both == {"frames", "seconds", "peak", "gain_db", "clipped", "fade", "tail_cut",
                    "residual", "iterations", "most_iterations", "failed_solves", "warnings",
                    "voices", "stems", "timing"}
    assert all(document[key] == report[key] for key in both)
    assert document["frames"] == 320
    assert document["timing"].keys() == {"seconds_per_second"}
    assert list(document)[-1] == "timing"


def test_the_events_are_labels(folder):
    render_file(load_score("a.score"), "mix.wav")
    events = sidecar()["events"]
    assert [(event["sample"], event["seconds"], event["target"], event["verb"])
            for event in events] == [(0, 0.0, "t.a", "pluck"), (160, 0.01, "Low.a", "pluck"),
                                     (320, 0.02, "t.a", "pluck"), (480, 0.03, "Low.a", "damp")]
    assert [event["hz"] for event in events] == [3000.0, 2000.0, 3000.0, None]
    assert events[2]["parameters"]["force"] == -0.2 and events[2]["parameters"][
        "position"] == pytest.approx(0.06, rel=1e-15)
    assert events[3]["parameters"] == {"t60": 0.2} and all(event["duration"] == 0.0
                                                           for event in events)


def test_a_pluck_without_a_pitch_has_that_of_the_string_then(folder):
    (folder / "a.score").write_text(
        PAIR.replace("OVER", "1") + "0.021s t.a fret 3.3kHz dur=0\n0.022s t.a pluck dur=0\n"
        "0.023s t.a pluck +2st dur=0.5\n0.024s t.a pluck dur=5ms\n0.024s Low.a pluck dur=0\n")
    render_file(load_score("a.score"), "mix.wav")
    played = [event for event in sidecar()["events"] if event["sample"] > 320]
    assert [(event["target"], event["verb"], event["hz"]) for event in played] == [
        ("t.a", "fret", 3300.0), ("t.a", "pluck", 3300.0),
        ("t.a", "pluck", pytest.approx(3000.0 * 2.0**(2 / 12), rel=1e-12)),
        ("t.a", "pluck", pytest.approx(3000.0 * 2.0**(2 / 12), rel=1e-12)),
        ("Low.a", "pluck", 2000.0), ("Low.a", "damp", None)]
    assert [event["duration"] for event in played] == [0.0, 0.0, 0.5, 0.005, 0.0, 0.0]


def test_a_bend_is_a_label_with_its_curve_and_leaves_its_last_pitch(folder):
    (folder / "a.score").write_text(PAIR.replace("OVER", "1") + "0.021s t.a bend (0s:3kHz "
                                    "0.001s:3.2kHz/pow2) dur=0\n0.024s t.a pluck dur=0\n")
    render_file(load_score("a.score"), "mix.wav")
    bend, pluck = (event for event in sidecar()["events"]
                   if event["target"] == "t.a" and event["sample"] > 320)
    assert (bend["verb"], bend["hz"], bend["parameters"]) == (
        "bend", 3000.0, {"glide": 0.007, "pitch": [[0.0, 3000.0, "lin"], [0.001, 3200.0, "pow2"]]})
    assert (pluck["verb"], pluck["hz"]) == ("pluck", 3200.0)


@pytest.mark.parametrize(("part", "samples"), [
    ({"start": 0.01}, [-160, 0, 160, 320]),
    ({"stop": 0.02}, [0, 160]),
    ({"stop": 0.0201}, [0, 160, 320]),
    ({"start": 0.015, "stop": 0.025}, [-240, -80, 80]),
    ({"stop": 99.0}, [0, 160, 320, 480]),
    ({"only": "Low"}, [160, 480]),
])
def test_events_of_a_part_count_from_its_start(part, samples, folder):
    render_file(load_score("a.score"), "mix.wav", **part)
    events = sidecar()["events"]
    assert [event["sample"] for event in events] == samples
    assert [event["seconds"]
            for event in events] == pytest.approx([sample / 16000 for sample in samples], abs=1e-15)


def test_an_event_lies_where_it_is_heard(folder):
    """A label's frame is where the sound begins: the wire is let go there from a triangle."""
    (folder / "a.score").write_text(
        PAIR.split("0 t.a")[0].replace("OVER", "4") + "0.0123s t.a pluck h=1mm dur=0\n")
    render_file(load_score("a.score"), "mix.wav", sidecar=True, subtype="FLOAT")
    frames, (event,) = np.abs(read("mix.wav")).max(axis=1), sidecar()["events"]
    # before it the filter rings, at -120 dB; the wire's pulse is as long as half of its width
    assert event["sample"] == 197 and frames[196:199].max(
    ) > 0.4 * frames.max() and frames[:150].max() < 1e-6 * frames.max()


def test_all_but_the_time_is_the_same_twice(folder):
    texts = []
    for _ in range(2):
        render_file(load_score("a.score"), "mix.wav")
        texts.append(
            re.sub(r'"seconds_per_second": [^\n]*', "", (folder / "mix.wav.json").read_text()))
    assert texts[0] == texts[1]
    assert "Traceback" not in texts[0] and str(folder) not in texts[0]


def test_without_a_sidecar(folder):
    report = render_file(load_score("a.score"), "mix.wav", sidecar=False)
    assert names(folder) == {"mix.wav"} and report["warnings"] == []
    render_file(load_score("a.score"), "mix.wav")
    report = render_file(load_score("a.score"), "mix.wav", sidecar=False)
    assert report["warnings"] == ["mix.wav.json exists and describes an earlier sound"]
    pysitar.write_audio("other.wav", np.zeros((3, 1)), 16000)
    assert not (folder / "other.wav.json").exists()


def test_a_sidecar_that_cannot_be_is_refused_first(folder, monkeypatch):
    (folder / "mix.wav.json").mkdir()
    monkeypatch.setattr(Engine, "parts", None)
    with pytest.raises(OSError, match=r"a directory, not a file to write; .*: 'mix\.wav\.json'"):
        render_file(load_score("a.score"), "mix.wav")
    assert names(folder) == {"mix.wav.json"}


def test_a_stream_gets_the_bytes_of_the_file(folder, tmp_path):
    render_file(load_score("a.score"), "mix.wav")
    with open("streamed", "wb") as out:
        request = Request()
        report = stream(prepare_engine(load_score("a.score"), request), request,
                        Files(path="sound.wav", out=out, stems="stems"))
    assert (folder / "streamed").read_bytes() == (folder / "mix.wav").read_bytes()
    assert report["path"] == "standard output" and not (folder / "sound.wav.json").exists()
    assert {path.name for path in (folder / "stems").iterdir()} == {"t.wav", "l-ow.wav"}
