"""`press x=65cm` on a fretboard without frets."""
import numpy as np
import pytest

import pysitar
from pysitar.errors import ScoreError

FILE = """model = "string"
gain = 0.2
[strings.a]
pitch = "A2"
length = "86cm"
linear_density = 6e-3
sigma0 = 0.8
sigma1 = 0.01
[strings.a.fretboard]
start = "30cm"
gap_nut = "0.3mm"
gap_12 = "1mm"
points = 20
stiffness = 2e8
damping = 0.5
[strings.a.pluck]
position = "10cm"
force = 0.5
width = "8mm"
ramp = "8ms"
release = "1ms"
"""
SCORE = ('use "f.toml" as f\nrender tail=0 rate=16000 fade=0\n'
         "0 f.a press {} dur=1.2\n0.2 f.a pluck\n")


def score(folder, at):
    (folder / "f.toml").write_text(FILE)
    path = folder / "f.score"
    path.write_text(SCORE.format(at))
    return pysitar.load_score(path)


def test_the_finger_stops_the_string(tmp_path):
    sound = pysitar.render(score(tmp_path, "x=65cm")).audio[:, 0]
    part = sound[6400:19200] * np.hanning(12800)
    spectrum = np.abs(np.fft.rfft(part, 1 << 18))
    frequencies = np.fft.rfftfreq(1 << 18, 1.0 / 16000.0)
    found = frequencies[np.argmax(spectrum * (frequencies > 60.0) * (frequencies < 220.0))]
    # 110 Hz at 86 cm; the finger stretches nothing, but is 1 cm wide and holds the string 0.5 mm
    # lower: 145.5 Hz, less than half a semitone sharp
    assert 145.0 < found < 149.7


@pytest.mark.parametrize("at, message", [
    ("fret=5", "f.a has a fretboard without frets; expected a position on it, press x=45cm"),
    ("x=20cm", "the finger is at 0.2 m, and the fretboard of f.a at 0.3 m from the bridge; "
               "expected more, so that it presses on it")])
def test_errors(tmp_path, at, message):
    with pytest.raises(ScoreError) as caught:
        pysitar.render(score(tmp_path, at))
    assert [problem.message for problem in caught.value.problems] == [message]
