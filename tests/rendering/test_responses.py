"""A body by its impulse response: level, length, rates, blocks and mistakes."""
from pathlib import Path

import numpy as np
import pytest
import soundfile
from instruments import instrument, string, table

import pysitar
from pysitar.errors import ScoreError
from pysitar.models.definitions.loader import preset_text
from pysitar.physics.resampling import resample_response
from pysitar.rendering.engine import bind_score

RATE = 16000
WIRE = string("a", pitch=220.0, sigma0=20.0, sigma1=0.02)
SCORE = ('use "wire.toml" as w\nrender rate=16000 oversample=2 channels=1 tail={} fade=0\n'
         "0 w.a pluck dur=0.1s\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def render(response, *, rate=RATE, tail="0.3s", subtype="DOUBLE", **options):
    """The sound of a wire with a body of a response; None: without a body."""
    body = "" if response is None else table("body", impulse_response="ir.wav")
    Path("wire.toml").write_text(instrument(body, WIRE, gain=2.0))
    if response is not None:
        soundfile.write("ir.wav", np.asarray(response), rate, subtype=subtype)
    return pysitar.render(pysitar.load_score(text=SCORE.format(tail)), **options)


def test_it_is_the_convolution_of_the_force(folder):
    """A response of one 1 changes no bit; another is the convolution, at its level."""
    plain = render(None).audio
    assert render([1.0]).audio.tobytes() == plain.tobytes()
    response = np.random.default_rng(1).standard_normal(700) * np.exp(-np.arange(700) / 150.0)
    found = render(response).audio
    expected = np.convolve(plain.ravel(), response)[:plain.size]
    np.testing.assert_allclose(found.ravel(), expected, rtol=0.0,
                               atol=1e-13 * np.abs(expected).max())


def test_the_body_rings_after_the_string(folder):
    late = np.zeros(8000)
    late[[0, -1]] = 1.0                     # an echo after half a second
    plain, found = render(None, tail="auto"), render(late, tail="auto")
    # until the string is silent, and then as long as the response
    assert found.audio.shape[0] - plain.audio.shape[0] == pytest.approx(8000, abs=2)
    assert np.abs(found.audio[-1000:]).max() > 0.0


def test_jobs_give_the_same_bits(folder):
    response = np.random.default_rng(1).standard_normal(3000)
    assert render(response).audio.tobytes() == render(response, jobs=2).audio.tobytes()


@pytest.mark.parametrize("rate", [8000, 22050, 32000, 44100, 48000])
def test_another_rate_keeps_the_level(rate):
    """A tone of 1 kHz within a Gaussian of 10 ms has no energy near the limits of these rates, so
    that sampled at any of them it is the same signal, later by half the length of the sinc."""
    def tone(time):
        return np.exp(-((time - 0.05) / 0.01) ** 2) * np.sin(2000.0 * np.pi * time)

    found = resample_response(tone(np.arange(int(0.1 * rate)) / rate) / rate, rate, RATE)
    delay = np.ceil(48 * max(1.0, rate / RATE)) / rate
    expected = tone(np.arange(found.size) / RATE - delay) / RATE
    # the window's side lobes are 58 dB down or more
    assert np.abs(found - expected).max() < 1e-3 * expected.max()


def test_the_rate_of_the_file_does_not_matter(folder):
    assert resample_response(np.ones(3), RATE, RATE).tolist() == [1.0] * 3
    found = render([1.0], rate=32000).audio.ravel()
    # a single 1 passes the force unchanged at any rate, up to the limit of the lower one; it comes
    # later by 96 samples of 32 kHz, 48 here
    plain = render(None).audio.ravel()
    shifted = found[48:]
    assert np.abs(shifted - plain[:shifted.size]).max() < 0.02 * np.abs(plain).max()


@pytest.mark.parametrize(("make", "message"), [
    (lambda: None, "cannot be read (No such file or directory); expected an existing .wav file"),
    (lambda: Path("ir.wav").write_text("noise"), "cannot be read as a sound"),
    (lambda: soundfile.write("ir.wav", np.ones((4, 2)), RATE), "has 2 channels; expected one"),
    (lambda: soundfile.write("ir.wav", np.ones(5 * RATE), RATE),
     "lasts 5 s; expected at most 4 s: cut it where it has died away"),
    (lambda: soundfile.write("ir.wav", np.zeros(10), RATE), "is silent"),
    (lambda: soundfile.write("ir.wav", np.array([1.0, np.nan]), RATE, subtype="DOUBLE"),
     "values that are not finite"),
    (lambda: soundfile.write("ir.wav", np.ones(9), 47999), "no small numbers"),
])
def test_wrong_files_have_their_place(folder, make, message):
    (folder / "wire.toml").write_text(
        instrument(table("body", impulse_response="ir.wav"), WIRE, gain=2.0))
    make()
    with pytest.raises(ScoreError) as caught:
        pysitar.render(pysitar.load_score(text=SCORE.format("0.1s")))
    text = str(caught.value)
    assert message in text and text.startswith("wire.toml:4:1: body.impulse_response: ")
    assert text.split("\n")[0].endswith("; used at <text>:1:5")


def test_a_file_that_the_score_names_is_wrong_there(folder):
    Path("wire.toml").write_text(
        instrument(table("body", impulse_response="ir.wav"), WIRE, gain=2.0))
    score = SCORE.format("0.1s").replace("0 w.a", 'set w.body.impulse_response = "no.wav"\n0 w.a')
    with pytest.raises(ScoreError) as caught:
        pysitar.render(pysitar.load_score(text=score))
    assert str(caught.value).startswith("<text>:3:31: no.wav cannot be read")


MODES = {"frequencies": [210.0, 700.0], "q": [20.0, 30.0], "masses": [0.1, 0.2],
         "weights": [1.0, -0.5]}


@pytest.mark.parametrize("rate", [RATE, 32000])
@pytest.mark.parametrize("channels", [1, 2])
def test_a_response_is_added_to_the_sound_of_modes(folder, rate, channels):
    """The sum of what either gives alone; a response of another rate delays both."""
    response = np.zeros(400)
    response[[0, 150]] = 0.4, -0.3
    soundfile.write("ir.wav", response, rate, subtype="DOUBLE")
    score = SCORE.format("0.3s").replace("channels=1", f"channels={channels}").replace(
        "0 w.a", "mix w.a pan=0.5\n0 w.a")
    sounds = []
    for keys in (MODES, {"impulse_response": "ir.wav"}, {**MODES, "impulse_response": "ir.wav"}):
        Path("wire.toml").write_text(instrument(table("body", **keys), WIRE, gain=2.0))
        sounds.append(pysitar.render(pysitar.load_score(text=score)).audio)
    modal, convolved, both = sounds
    if rate != RATE:                # by the sinc of a single 1 at that rate
        direct = resample_response(np.ones(1), rate, RATE)
        modal = np.stack([np.convolve(one, direct)[:len(modal)] for one in modal.T], axis=1)
    # round-off alone, of sums of some hundred terms
    np.testing.assert_allclose(both, modal + convolved, rtol=0.0,
                               atol=1e-12 * np.abs(both).max())
    assert np.abs(convolved).max() > 1e-3 * np.abs(both).max()


@pytest.mark.parametrize(("keys", "message"), [
    ({"frequencies": [100.0]}, "q"), ({**MODES, "coupled": True}, "expected coupled = false")])
def test_modes_beside_a_response_are_whole_and_not_coupled(folder, keys, message):
    (folder / "wire.toml").write_text(instrument(
        table("body", impulse_response="ir.wav", **keys), WIRE, gain=2.0))
    with pytest.raises(ScoreError, match=message):
        pysitar.render(pysitar.load_score(text=SCORE.format("0.1s")))


def test_the_file_is_among_the_sources(folder):
    """So that a batch renders again what a changed file changes."""
    render([1.0, 0.5])
    bound, _ = bind_score(pysitar.load_score(text=SCORE.format("0.3s")))
    assert [source.name for source in bound.sources] == ["<text>", "wire.toml", "ir.wav"]


def test_the_sound_of_objects_is_convolved(folder):
    own = preset_text("wood_bar")
    score = ('use "bar.toml" as b\nrender rate=16000 oversample=2 channels=1 tail=0.2s fade=0\n'
             "0 b.bar strike\n")
    sounds = []
    late = np.zeros(40)
    late[30] = -0.5
    soundfile.write("ir.wav", late, RATE, subtype="DOUBLE")
    for body in ("", '\n[body]\nimpulse_response = "ir.wav"\n'):
        Path("bar.toml").write_text(own + body)
        sounds.append(pysitar.render(pysitar.load_score(text=score)).audio.ravel())
    plain, found = sounds
    # one value of 0.5 changes no mantissa
    assert np.array_equal(found[30:], -0.5 * plain[:-30]) and not found[:30].any()
    Path("bar.toml").write_text(own + "\n[body]\nq = [3.0]\n")
    with pytest.raises(ScoreError, match=r"body\.q: is not known; expected impulse_response"):
        pysitar.render(pysitar.load_score(text=score))
