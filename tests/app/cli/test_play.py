"""`pysitar play`: what is played is what is rendered, and what is missing is reported in a line."""
import os
import re
import signal
import sys

import numpy as np
import pytest
from app.commands import HEAD, LONG, SHORT, contents, furnish

import pysitar
from pysitar.__main__ import main

LINE = re.compile(r"a\.score: (?P<seconds>[\d.]+) s played, peak -?[\d.]+ dBFS, begun after "
                  r"(?P<delay>[\d.]+) s, [\d.e+]+ x real time\n")


@pytest.fixture
def folder(here):
    return furnish(here, a=SHORT)


def test_it_plays_what_render_returns(folder, device, capsys):
    before = contents(folder)
    assert main(["play", "a.score"]) == 0
    out, line = capsys.readouterr()
    assert out == "" and LINE.fullmatch(line)["seconds"] == "0.10"
    [output] = device.outputs
    assert output.options == {"samplerate": 48000, "channels": 2, "dtype": "float32",
                              "device": None}
    expected = pysitar.render(pysitar.load_score("a.score")).audio.astype(np.float32)
    assert output.sound.tobytes() == expected.tobytes()
    assert output.calls == ["start", "stop", "close"] and contents(folder) == before


def test_a_part_of_the_score(folder, device):
    words = ["--from", "20ms", "--to", "50ms", "--quiet", "--device", "3"]
    assert main(["play", "a.score", *words]) == 0
    expected = pysitar.render(pysitar.load_score("a.score"), start=0.02, stop=0.05).audio
    assert device.outputs[0].sound.tobytes() == expected.astype(np.float32).tobytes()
    assert device.outputs[0].options["device"] == 3


def test_it_begins_long_before_a_long_score_is_computed(here, device, capsys):
    """The score lasts 20 minutes; two writes come, and then it is interrupted."""
    furnish(here, a=LONG)
    device.more["on_write"] = lambda number: number == 1 and os.kill(os.getpid(), signal.SIGINT)
    assert main(["play", "a.score"]) == 130
    assert capsys.readouterr().err == "pysitar: interrupted\n"
    assert device.outputs[0].calls == ["start", "abort", "close"]


def test_interruptions_are_reported(folder, device, capsys):
    device.more["dry"] = {1, 2}
    (folder / "a.score").write_text(HEAD + "render tail=0 oversample=1\n0 t.a pluck dur=500ms\n")
    assert main(["play", "a.score"]) == 0
    warning, line = capsys.readouterr().err.splitlines()
    assert "the sound was interrupted 2 times, first at 0.0" in warning and "--lead" in warning
    assert LINE.fullmatch(line + "\n")


def test_a_peak_has_no_effect(folder, device, capsys):
    (folder / "a.score").write_text(SHORT.replace("tail=0", "tail=0 peak=-1dB"))
    assert main(["play", "a.score", "--quiet"]) == 0
    assert "the peak of -1 dB has no effect here" in capsys.readouterr().err
    expected = pysitar.render(pysitar.load_score(text=SHORT)).audio
    assert device.outputs[0].sound.tobytes() == expected.astype(np.float32).tobytes()


def fail(error):
    def open_stream(**options):
        raise error
    return open_stream


def test_no_device(folder, device, capsys):
    device.OutputStream = fail(device.PortAudioError("Error querying device -1"))
    assert main(["play", "a.score"]) == 2
    assert capsys.readouterr().err == (
        "pysitar play: there is no default output device that plays 2 channels at 48000 Hz (Error "
        "querying device -1); python -m sounddevice lists the devices; pysitar render writes a "
        "file instead\n")


def test_no_library(folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    assert main(["play", "a.score"]) == 2
    assert "pip install 'pysitar[play]' adds it; pysitar render" in capsys.readouterr().err


def test_no_portaudio(folder, monkeypatch, capsys):
    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
    assert main(["play", "a.score"]) == 2
    assert "expected the package libportaudio2" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "message"), [
    (["--lead", "2000"], "--lead is 2000 s; expected 0 to 60 s"),
    (["--from", "1s"], "--from is 1 s; expected a time before the end"),
    (["--rate", "7"], "--rate is 7; expected"),
])
def test_wrong_options(words, message, folder, device, capsys):
    assert main(["play", "a.score", *words]) == 2
    assert message in capsys.readouterr().err and not device.outputs
