"""The fade at the end of a sound: exactly its window times the sound without it, in any blocks."""
import math
from functools import partial

import numpy as np
import pytest
from instruments import instrument, string
from score_texts import write_score

import pysitar
from pysitar.api.request import Request, prepare_engine
from pysitar.rendering.engine import open_engine
from pysitar.rendering.mix import EndFade, fade_window

RATE = 8000
PLUCK = {"position": 0.3, "force": 0.5, "release": 0.0001}
LOSSY, RINGING = (instrument(string(pitch=1500.0, length=0.2, sigma0=sigma0, pluck=PLUCK))
                  for sigma0 in (60.0, 2.0))
HEAD = """\
use "ringing.toml" as w
use "lossy.toml" as v
render rate=8000 oversample=1
mix w pan=-0.4 gain=-3dB
mix v pan=0.7
"""
ROWS = "0 w.a pluck dur=0\n0.05s v.a pluck dur=0\n"


@pytest.fixture
def score(tmp_path):
    (tmp_path / "ringing.toml").write_text(RINGING)
    (tmp_path / "lossy.toml").write_text(LOSSY)
    return partial(write_score, tmp_path)


def window(frames, length):
    """A raised cosine after `frames - length` ones: NumPy's twin."""
    at = np.arange(frames) - (frames - length)
    return np.where(at < 0, 1.0, 0.5 * (1.0 + np.cos(np.pi * (at + 1) / max(length, 1))))


@pytest.mark.parametrize("option, tail, seconds", [
    ("", 3.0, 0.4), ("", 1.15, 0.3), ("fade=0.1", 1.15, 0.1), ("fade=0", 1.15, 0.0),
    ("fade=5", 1.15, 0.3)])
def test_it_is_the_window_times_the_sound(score, option, tail, seconds):
    text = HEAD + f"render tail={tail}s %s\n" + ROWS
    plain = pysitar.render(score(text % "fade=0")).audio
    faded = pysitar.render(score(text % option))
    length = round(seconds * RATE)
    assert faded.report["fade"] == pytest.approx(seconds, abs=1e-12)
    assert np.array_equal(faded.audio[:len(plain) - length], plain[:len(plain) - length])
    # two voices are faded and then added: one rounding more than the mix times the window
    factors = window(len(plain), length)[:, None]
    assert np.abs(faded.audio - factors * plain).max() <= 1e-15 * np.abs(plain).max()
    assert np.abs(plain[-99:]).max() > 1e-4 * np.abs(plain).max()
    assert not length or not faded.audio[-1].any()


@pytest.mark.parametrize("tail", ["auto", "0.5s"])
def test_any_block_and_number_of_threads_gives_the_same_bits(score, tail):
    text = HEAD + f"set w.a.sigma0 = 20\nrender tail={tail}\n" + ROWS
    whole = pysitar.render(score(text), block=1 << 20)
    assert whole.report["fade"] > 0.1 and not whole.report["tail_cut"]
    for block, jobs in ((7, 1), (4096, 2)) if tail == "auto" else ((1, 1), (64, 2)):
        part = pysitar.render(score(text), block=block, jobs=jobs)
        assert np.array_equal(part.audio, whole.audio) and part.report == whole.report, block
    # with tail=auto the length is known only at the end, and the fade is that of this length
    plain = pysitar.render(score(text), fade=0).audio
    length = round(whole.report["fade"] * RATE)
    assert len(plain) == len(whole.audio) and length == min(3200, len(plain) // 4)
    assert np.abs(whole.audio - window(len(plain), length)[:, None] * plain).max() <= 1e-15


@pytest.mark.parametrize("tail", ["auto", "0.5s"])
def test_stems_fade_and_add_up_to_the_mix(score, tail):
    text = HEAD + f"set w.a.sigma0 = 20\nrender tail={tail}\n" + ROWS
    parts = list(open_engine(score(text)).parts(100))
    mix = np.concatenate([mix for mix, _ in parts])
    stems = [np.concatenate([stems[voice] for _, stems in parts if stems]) for voice in (0, 1)]
    assert np.array_equal(mix, pysitar.render(score(text)).audio)
    assert np.array_equal(mix, np.zeros(mix.shape) + stems[0] + stems[1])
    assert all(not stem[-1].any() and stem[:-1].any() for stem in stems)


@pytest.mark.parametrize("tail", ["auto", "0.5s"])
@pytest.mark.parametrize("start, stop", [(0.0, 0.2), (0.1, 0.54), (0.45, None)])
def test_an_excerpt_is_a_part_of_the_faded_sound(score, tail, start, stop):
    text = HEAD + f"set w.a.sigma0 = 20\nrender tail={tail}\n" + ROWS
    whole = pysitar.render(score(text))
    part = pysitar.render(score(text), start=start, stop=stop)
    low, high = round(start * RATE), len(whole.audio) if stop is None else round(stop * RATE)
    assert np.array_equal(part.audio, whole.audio[low:high])
    begin = len(whole.audio) - round(whole.report["fade"] * RATE)
    assert part.report["fade"] == pytest.approx(
        max(0, min(high, len(whole.audio)) - max(low, begin)) / RATE)


def test_a_sound_that_is_cut_at_the_longest_tail_fades(score):
    text = HEAD + "set w.a.sigma0 = 0\n" + ROWS
    engine = prepare_engine(score(text), Request(longest_tail=1.0))
    audio = np.concatenate(list(engine.blocks()))
    report = engine.report()
    assert report["tail_cut"]
    assert report["fade"] == pytest.approx(0.25, abs=0.02)
    assert not audio[-1].any() and audio[-400].any()


def test_the_window_is_a_raised_cosine():
    assert fade_window(0, 5, 4) == pytest.approx(
        [0.5 + 0.5 * math.cos(math.pi * at / 4) for at in (1, 2, 3, 4, 4)], abs=1e-16)
    half = fade_window(0, 999, 1000)
    assert half + half[::-1] == pytest.approx(np.ones(999), abs=1e-15)
    assert (np.diff(half) < 0.0).all()


def test_frames_wait_no_longer_than_the_fade():
    fade = EndFade(100, 1)
    ready = [fade.push([np.full(30, 1.0)], None)[0].size for _ in range(10)]
    assert ready == [0, 0, 0, 20, *[30] * 6]
    (rest,) = fade.push([np.ones(0)], 300)
    assert rest.size == 100 and rest[24] == 1.0 and rest[-1] == 0.0 and fade.frames(300) == 75
