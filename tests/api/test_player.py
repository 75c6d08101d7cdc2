"""The notebook player: it contains the sound, notes cuts and clipping, escapes text and fetches
nothing."""
import base64
import io
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import soundfile
from app.commands import SHORT, furnish

from pysitar import ParameterError, load_score, render
from pysitar.api import player
from pysitar.api.player import player_html

RATE = 8000
NOISE = np.random.default_rng(5).uniform(-0.99, 0.99, size=(4000, 2))
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Tags that close, every attribute, and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.attributes, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        assert tag not in VOID
        self.open.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += f" {data}"


def read(html):
    """What a fragment holds; it closes every tag and fetches nothing."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    assert "http" not in html and "//" not in re.sub("base64,[^\"]*", "", html)
    for tag, name, value in reader.attributes:
        assert name not in {"href", "srcset", "data", "onload", "onerror"}
        assert name != "src" or (tag == "audio" and value.startswith("data:audio/wav;base64,"))
    return reader


def sound_of(html):
    """The samples that a player holds, its rate and its kind."""
    source = next(value for tag, name, value in read(html).attributes
                  if (tag, name) == ("audio", "src"))
    with soundfile.SoundFile(io.BytesIO(base64.b64decode(source.partition(",")[2],
                                                         validate=True))) as file:
        return file.read(dtype="float64",
                         always_2d=True), file.samplerate, (file.format, file.subtype)


@pytest.mark.parametrize("audio", [NOISE, NOISE[:, 0], NOISE[:1], NOISE.astype(np.float32),
                                   np.zeros((30, 1))], ids=lambda a: str(a.shape))
def test_the_sound_itself(audio):
    """Each sample rounded to the nearest of 2^16 steps."""
    heard, rate, kind = sound_of(player_html(audio, RATE, {}))
    assert (rate, kind) == (RATE, ("WAV", "PCM_16"))
    assert heard.shape == (audio.shape[0], 1 if audio.ndim == 1 else audio.shape[1])
    assert np.abs(heard - audio.reshape(heard.shape)).max() <= 2.0**-16


def test_the_table():
    text = read(player_html(0.5 * np.ones((12000, 2)), RATE,
                            {"residual": 1.234e-13, "peak": 9.0})).text
    assert "length 1.50 s, 2 channels, 8000 Hz" in text
    assert "peak -6.0 dBFS" in text
    assert "energy residual 1.2e-13" in text
    text = read(player_html(np.zeros(65 * RATE), RATE, {})).text
    assert "length 1 min 5 s, 1 channel" in text
    assert "peak none (silence)" in text
    assert "residual" not in text


def test_what_is_over_full_scale_is_clipped_and_reported():
    audio = np.array([0.0, 2.0, -3.0, 1.0, -1.0])
    html = player_html(audio, RATE, {})
    heard, _, _ = sound_of(html)
    assert heard[:, 0].tolist() == [0.0, 1.0 - 2.0**-15, -1.0, 1.0 - 2.0**-15, -1.0]
    assert "2 samples beyond full scale are clipped" in read(
        html).text and f"peak {20.0 * math.log10(3.0):.1f} dBFS" in read(html).text
    assert "clipped" not in player_html(audio / 3.0, RATE, {})


@pytest.mark.parametrize(("limit", "value", "frames"), [("MAX_SECONDS", 0.25, 2000),
                                                        ("MAX_BYTES", 4000, 1000),
                                                        (None, None, 4000)])
def test_a_long_sound_is_cut_and_reported(limit, value, frames, monkeypatch):
    if limit:
        monkeypatch.setattr(player, limit, value)
    audio = NOISE.copy()
    audio[3999] = 1.0          # the table and the waveform are of the whole
    html = player_html(audio, RATE, {})
    assert sound_of(html)[0].shape == (frames, 2)
    assert "peak 0.0 dBFS" in read(html).text
    assert (f"only the first {frames / RATE:.2f} s of 0.50 s are in this player"
            in read(html).text) == (limit is not None)
    assert "length 0.50 s" in read(html).text


def test_a_notebook_stays_small():
    """Five minutes, and 32 MB of sound at 2 bytes a sample."""
    assert player.MAX_SECONDS == 300.0 and player.MAX_BYTES == 2**25


def test_the_waveform_shows_every_sample():
    """600 columns of the least and greatest sample, at the height of the loudest; a click of one
    sample among 100,000 is there."""
    audio = np.zeros((100_000, 2))
    audio[77_777, 1] = -0.5
    points = next(value for tag, name, value in read(player_html(audio, RATE, {})).attributes
                  if (tag, name) == ("polygon", "points"))
    corners = np.array([[float(number) for number in point.split(",")] for point in points.split()])
    assert corners.shape == (2 * player.WIDTH, 2)
    lower = corners[player.WIDTH:][::-1, 1]
    assert np.argmax(lower) == 77_777 * player.WIDTH // 100_000
    assert lower.max() == pytest.approx(player.HEIGHT - 0.5) and np.sort(
        lower)[-2] == pytest.approx(0.5 * player.HEIGHT + 0.5)
    assert corners[:player.WIDTH, 1] == pytest.approx(0.5 * player.HEIGHT - 0.5)
    assert corners[:, 0].min() >= 0.0 and corners[:, 0].max() <= player.WIDTH


def test_nothing_unescaped():
    html = player_html(NOISE, RATE, {"residual": "<script>alert(1)</script>&"})
    assert "<script" not in html
    assert "<script>alert(1)</script>&" in read(html).text


def test_no_sound():
    for audio in (np.zeros((0, 2)), np.zeros(0)):
        assert "0 frames" in read(player_html(audio, RATE, {})).text


@pytest.mark.parametrize("audio", [np.zeros((3, 2), dtype=int), np.zeros((2, 9)), np.zeros((2, 0)),
                                   np.zeros((2, 2, 2)), 0.5, ["a"], [[1.0], [1.0, 2.0]], [math.nan],
                                   [[0.0, math.inf]], np.zeros(3, dtype=complex)])
def test_what_is_no_sound(audio):
    with pytest.raises(ParameterError, match="audio"):
        player_html(audio, RATE, {})


@pytest.mark.parametrize("rate", [0, -1, 1.5, True, "48000", 10**9])
def test_what_is_no_rate(rate):
    with pytest.raises(ParameterError, match="rate"):
        player_html(NOISE, rate, {})


def test_of_a_rendering(tmp_path):
    result = render(load_score(furnish(tmp_path, a=SHORT) / "a.score"))
    text = read(player_html(result.audio, result.rate, result.report)).text
    assert "length 0.10 s, 2 channels, 48000 Hz" in text
    assert f"energy residual {result.report['residual']:.1e}" in text
