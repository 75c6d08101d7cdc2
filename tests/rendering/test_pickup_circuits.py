"""What is behind pickups: resonance, tone and cabinet of an instrument file, and of a score."""
from pathlib import Path

import numpy as np
import pytest
import soundfile
from instruments import instrument, string, table

import pysitar
from pysitar.errors import ScoreError
from pysitar.physics.cabinets import CABINETS
from pysitar.physics.filters import impulse_response, low_pass, one_pole

RATE = 16000
WIRE = string("a", pitch=220.0, sigma0=20.0, sigma1=0.02, pickup={"position": 0.2})
SCORE = ('use "wire.toml" as w{}\nrender rate=16000 oversample=2 channels=1 tail=0.2s fade=0\n'
         "{}\n0 w.a pluck dur=0.1s\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def render(use="", line="", *tables, wire=WIRE, **values):
    Path("wire.toml").write_text(instrument(*tables, wire, gain=2.0, **values))
    return pysitar.render(pysitar.load_score(text=SCORE.format(use, line)), jobs=1).audio.ravel()


def test_it_is_the_convolution_of_the_pickup(folder):
    """In the file, in `use` or in `set`, with the same bits; a response of a file follows."""
    plain = render()
    sections = [low_pass(3000.0, 1.5, RATE), one_pole(800.0, RATE),
                *CABINETS["bass"].sections(RATE)]
    expected = np.convolve(plain, impulse_response(sections, RATE))[:plain.size]
    values = {"pickup_resonance": 3000.0, "pickup_q": 1.5, "tone": 800.0, "cabinet": "bass"}
    found = render(**values)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
    assert np.abs(found - plain).max() > 0.1 * np.abs(plain).max()
    same = render(" cabinet=bass tone=800Hz", "set w.pickup_resonance = 3kHz\nset w.pickup_q = 1.5")
    assert same.tobytes() == found.tobytes()
    soundfile.write("ir.wav", np.array([0.0, 0.5]), RATE, subtype="DOUBLE")
    later = render("", "", table("body", impulse_response="ir.wav"), **values)
    np.testing.assert_allclose(later[1:], 0.5 * found[:-1], rtol=0.0,
                               atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize(("use", "wire", "message"), [
    (" tone=800Hz", string("a", sigma0=20.0),
     "<text>:1:22: the instrument has no tone; that is behind pickups; expected a table "
     "[strings.NAME.pickup] in its file"),
    (" pickup_resonance=9kHz", WIRE,
     "<text>:1:39: pickup_resonance is 9000 Hz; expected under 8000 Hz, half of the rate"),
    (" cabinet=bas", WIRE, "<text>:1:30: cabinet is bas; did you mean bass?"),
])
def test_mistakes_have_their_place(folder, use, wire, message):
    with pytest.raises(ScoreError) as caught:
        render(use, wire=wire)
    assert str(caught.value).split("\n")[0] == message


def test_a_file_without_pickups_has_no_circuit(folder):
    with pytest.raises(ScoreError) as caught:
        render(wire=string("a", sigma0=20.0), cabinet="bass")
    assert str(caught.value).startswith(
        "wire.toml:3:1: cabinet: the instrument has no pickups; expected tables "
        "[strings.NAME.pickup], or no cabinet; used at <text>:1:5")
