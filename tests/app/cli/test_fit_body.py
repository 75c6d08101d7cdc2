"""`pysitar fit --body`: a modal body that plays as the impulse response it was fitted to."""
import tomllib
from pathlib import Path

import numpy as np
import pytest
import soundfile
from app.commands import refused

import pysitar
from pysitar.__main__ import main

RATE = 48000
# Hz, 1/s, peak of the response
MODES = ((103.0, 9.0, 0.02), (216.0, 15.0, -0.03), (431.0, 30.0, 0.015), (980.0, 60.0, 0.01),
         (2310.0, 110.0, -0.006))


def response(seed=0):
    """The response of five modes to an impulse after 50 ms of noise."""
    time = np.arange(RATE) / RATE
    sound = np.zeros(RATE)
    for hz, decay, peak in MODES:
        omega = 2.0 * np.pi * hz
        sound += peak * np.exp(-decay * time) * (
            np.cos(omega * time) - decay / omega * np.sin(omega * time))
    quiet = np.random.default_rng(seed).normal(size=RATE + 2400) * 1e-6
    quiet[2400:] += sound
    return quiet, sound


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def render(text):
    Path("i.toml").write_text(text)
    score = pysitar.load_score(text='use "i.toml" as i\nrender rate=48000 oversample=2 channels=1 '
                                    "tail=0.4s fade=0\n0 i.string pluck dur=0.1s\n")
    return pysitar.render(score).audio.ravel()


def test_a_body_plays_as_its_response(folder, capsys):
    recording, exact = response()
    soundfile.write("tap.wav", recording, RATE, subtype="DOUBLE")
    assert main(["fit", "tap.wav", "--body", "-o", "body.toml", "--quiet"]) == 0
    text = Path("body.toml").read_text()
    body = tomllib.loads(text)["body"]
    frequencies = [np.hypot(hz, decay / (2.0 * np.pi)) for hz, decay, _ in MODES]
    # noise 80 dB below: far within a cent, and T60 within 1 %
    assert body["frequencies"] == pytest.approx(frequencies, rel=3e-4)
    assert body["q"] == pytest.approx(
        [np.pi * f / decay for f, (_, decay, _) in zip(frequencies, MODES, strict=True)], rel=0.01)
    # a mode of mass m begins with the velocity 1 N / (m rate)
    peaks = [weight / (mass * RATE) for weight, mass in zip(body["weights"], body["masses"],
                                                            strict=True)]
    assert peaks == pytest.approx([peak for _, _, peak in MODES], rel=0.03)
    soundfile.write("ir.wav", exact, RATE, subtype="DOUBLE")
    start, end = text.index("\n[body]\n") + 1, text.index("[strings.string]")
    modal = render(text)
    convolved = render(text[:start] + '[body]\nimpulse_response = "ir.wav"\n\n' + text[end:])
    size = min(modal.size, convolved.size)
    left = modal[:size] - convolved[:size]
    # the moment of the impulse is found to 10 us, a phase of 0.15 rad at 2310 Hz
    assert left @ left < 0.01 * (convolved @ convolved)
    assert np.std(modal) == pytest.approx(np.std(convolved), rel=0.02)


def test_what_the_modes_lack_is_played_beside_them(folder, capsys):
    recording, exact = response()
    time = np.arange(RATE) / RATE
    rest = 0.02 * np.random.default_rng(3).normal(size=RATE) * np.exp(-time / 0.002)
    recording[2400:] += rest
    soundfile.write("tap.wav", recording, RATE, subtype="DOUBLE")
    assert main(["fit", "tap.wav", "--body", "-o", "body.toml", "--residual", "rest.wav",
                 "--modes", "8", "--settled", "10ms", "--quiet"]) == 0
    text = Path("body.toml").read_text()
    assert tomllib.loads(text)["body"]["impulse_response"] == "rest.wav"
    both = render(text)
    soundfile.write("ir.wav", exact + rest, RATE, subtype="DOUBLE")
    start, end = text.index("\n[body]\n") + 1, text.index("[strings.string]")
    convolved = render(text[:start] + '[body]\nimpulse_response = "ir.wav"\n\n' + text[end:])
    modal = render(text.replace('impulse_response = "rest.wav"', ""))
    size = min(modal.size, convolved.size, both.size)
    # the moment of the tap is found to some samples: the best of those
    errors = [min(float(np.sum((np.roll(sound[:size], shift) - convolved[:size])**2))
                  for shift in range(-3, 4)) / float(np.sum(convolved[:size]**2))
              for sound in (modal, both)]
    # the remainder makes up for what the modes lack, but for the noise and half a step of the body
    assert errors[1] < 0.01 and errors[1] < 0.2 * errors[0]


def test_mistakes(folder, capsys):
    refused("fit", capsys, folder, 2, "--string and --body do not go together", "tap.wav", "--body",
            "--string", "-o", "body.toml")
    noise = np.random.default_rng(1).normal(size=RATE) * 0.1
    soundfile.write("tap.wav", response()[0], RATE)
    soundfile.write("other.wav", response(1)[0], RATE)
    refused("fit", capsys, folder, 2, "--body is of one recording, and there are 2", "tap.wav",
            "other.wav", "--body", "-o", "body.toml")
    refused("fit", capsys, folder, 2, "--residual is in another folder than -o", "tap.wav",
            "--body", "-o", "body.toml", "--residual", str(folder / "rest.wav"))
    refused("fit", capsys, folder, 2, "--positions is of an object", "tap.wav", "--body", "-o",
            "body.toml", "--positions", "0.1")
    soundfile.write("noise.wav", noise, RATE)
    refused("fit", capsys, folder, 2, "expected", "noise.wav", "--body", "-o", "body.toml")
