"""Pitches on objects: the bar of a set, and objects of another size."""
import json

import numpy as np
import pytest

import pysitar
from pysitar.errors import ParameterError
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.options import options

BALL = """
model = "impact"
gain = 1e-3
[balls.wood]
mass = 0.02
radius = 0.015
stiffness = 2e6
exponent = 1.5
damping = 0.5
"""
BARS = BALL + """
[objects.set]
kind = "bars"
lowest_note = "C4"
highest_note = "G4"
width = 0.05
thickness = 0.02
material = "rosewood"
modes = 6
ball = "wood"
"""
BAR = BALL + """
[objects.it]
kind = "bar"
{size}
width = 0.05
thickness = 0.02
material = "rosewood"
modes = 5
ball = "wood"
"""


@pytest.fixture
def score(tmp_path):
    """Rows and an instrument's text -> score."""
    def read(rows, toml):
        (tmp_path / "o.toml").write_text(toml)
        (tmp_path / "a.score").write_text(
            'use "o.toml" as o\nrender rate=24000 oversample=1 channels=1 tail=100ms\n' + rows)
        return pysitar.load_score(tmp_path / "a.score")
    return read


def audio(score):
    return np.asarray(pysitar.render(score).audio)


def messages(score):
    with pytest.raises(pysitar.ScoreError) as caught:
        pysitar.render(score)
    return [(problem.place.line, problem.place.col, problem.message)
            for problem in caught.value.problems]


@pytest.mark.parametrize(("pitch", "bar"), [
    ("E4", "E4"), ("F#4", "Fs4"), ("Gb4", "Fs4"), ("262Hz", "C4"), ("pitch=D4", "D4"),
    # of the just scale on C#3: 16/9 of it, 18 c over C4; its octave
    ("ni-", "B3"), ("sa'", "Cs4"), ("ga-'", "E4")])
def test_a_pitch_plays_its_bar(pitch, bar, score):
    """Bit for bit the row that names the bar."""
    if bar == "B3":          # below the set
        found = messages(score(f"0 o strike {pitch}\n0 o.C4 strike\n", BARS))
        assert len(found) == 1 and "o has no bar there; expected C4 to G4" in found[0][2]
        return
    one, two = (audio(score(f"0 {row} x=0.3\n", BARS))
                for row in (f"o strike {pitch}", f"o.{bar} strike"))
    assert np.array_equal(one, two) and one.any()


def test_a_play_transposes_bars_with_a_pitch(score):
    section = "section a\n0 o strike C4\n0.2s o.G4 strike\nend\n"
    moved = audio(score(section + "play a transpose=2st\n", BARS))
    plain = audio(score("0 o.D4 strike dur=1\n0.2s o.G4 strike\n", BARS))
    assert np.array_equal(moved, plain)


@pytest.mark.parametrize(("size", "hz"), [
    ("frequency = 400", 500.0), ("length = 0.3", 600.0),
    ("frequency = 400\nratios = [4, 9.5]", 300)])
def test_a_bar_of_another_pitch_is_another_bar(size, hz, score):
    """That of its own table: length, masses, losses and radiation are those of its size."""
    found = audio(score(f"0 o.it strike {hz}Hz\n", BAR.format(size=size)))
    ratios = "\nratios = [4, 9.5]" if "ratios" in size else ""
    own = audio(score("0 o.it strike\n", BAR.format(size=f"frequency = {hz}{ratios}")))
    assert np.array_equal(found, own) and found.any()


def test_the_length_of_a_bar_is_nearly_as_the_root_of_the_period():
    table = parse_instrument(BAR.format(size="length = 0.3"), name="o", shown="o").parts[0]
    higher = table.at_pitch(1.44 * table.pitch)
    assert higher.pitch == pytest.approx(1.44 * table.pitch, rel=1e-13)
    found = higher.surface.resonator.length
    # shear lowers the shorter bar more, by less than in all: (k h)^2 (1 + E / (kappa G)) / 24, with
    # k of 4.73 / length, of a frequency as the length squared
    assert 0.3 / 1.2 * (1.0 - 0.07 / 2.0) < found < 0.3 / 1.2
    assert higher.masses[0] == pytest.approx(table.masses[0] * found / 0.3, rel=1e-14)


def test_an_object_of_lists_is_similar():
    """Of half the size: twice the frequencies, an eighth of the mass, decay in the same number of
    periods."""
    glass = parse_instrument(preset_text("glass"), name="glass", shown="glass").parts[0]
    small = glass.at_pitch(2.0 * glass.pitch)
    assert small.frequencies == tuple(2.0 * f for f in glass.frequencies)
    assert small.masses == pytest.approx([mass / 8.0 for mass in glass.masses], rel=1e-15)
    assert small.decay_rates == tuple(2.0 * rate for rate in glass.decay_rates)
    assert (small.shapes, small.weights) == (glass.shapes, glass.weights)
    for hz in (0.49 * glass.pitch, 2.01 * glass.pitch):
        with pytest.raises(ParameterError, match="at most an octave from its own"):
            glass.at_pitch(hz)


def test_pitches_ring_together_and_a_row_without_one_plays_the_object():
    score = pysitar.load_score(text=(
        "use glass as g\nrender rate=24000 oversample=2 channels=1 tail=0\n"
        "0 g strike +3st dur=1\n0 g strike +7st\n0 g.glass strike\n0.3s g strike +3st\n"))
    rendering = pysitar.render(score)
    assert rendering.report["residual"] < 1e-12
    sound = np.asarray(rendering.audio)[2400:, 0]
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(sound.size), 1 << 17))
    first = 1132.99          # with a twin 0.9 Hz above it, which 1.2 s do not part from it
    frequencies = np.fft.rfftfreq(1 << 17, 1 / 24000)
    floor = np.median(spectrum[(frequencies > 1000.0) & (frequencies < 2000.0)])
    for semitones in (0, 3, 7):
        line = first * 2.0 ** (semitones / 12.0)
        near = np.abs(frequencies - line) < 4.0
        assert spectrum[near].max() > 12.0 * floor
        best = frequencies[near][spectrum[near].argmax()]
        assert best == pytest.approx(line, abs=1.0)


def test_a_flat_score_has_the_same_bits(score, tmp_path):
    rows = "0 o strike 450Hz\n0.1s o.it strike\n0.2s o.it strike +2st\n0.3s o.it strike -1st v=2\n"
    read = score(rows, BAR.format(size="frequency = 400"))
    (tmp_path / "flat.score").write_text(
        flatten_score(read, bind(read, options(read)), str(tmp_path)))
    flat = pysitar.load_score(tmp_path / "flat.score")
    assert np.array_equal(audio(read), audio(flat))
    events = bind(flat, options(flat)).voices[0].events
    assert [event.hz for event in events] == pytest.approx(
        [450.0, None, 400.0 * 2 ** (2 / 12), 400.0 * 2 ** (-1 / 12)])


def test_the_sidecar_names_pitches(score, tmp_path):
    rows = "0 o strike 450Hz\n0.1s o.it strike\n"
    pysitar.render_file(score(rows, BAR.format(size="frequency = 400")), tmp_path / "a.wav",
                        sidecar=True)
    events = json.loads((tmp_path / "a.wav.json").read_text())["events"]
    assert [event["hz"] for event in events] == [450.0, None]


def test_traces_are_those_of_each_pitch(score):
    traces = pysitar.render(score("0 o strike 450Hz\n", BAR.format(size="frequency = 400")),
                            traces=True).traces
    assert traces["o.it@450.0Hz.velocity"].any() and not traces["o.it.velocity"].any()


@pytest.mark.parametrize(("row", "column", "message"), [
    ("o strike C7", 12, "the pitch C7 is 2093 Hz, and o has no bar there; expected C4 to G4, "
                        "261.626 to 391.995 Hz"),
    ("o strike D4-5c", 12, "D4-5c has cents, and a bar its own pitch; expected a pitch without "
                           "cents"),
    ("o.C4 strike D4", 15, "the pitch D4 is 293.665 Hz, and o.C4 261.626 Hz; expected o strike and "
                           "the pitch, which plays its own bar"),
    ("o strike +1st", 12, "+1st is relative to an open string, and there is none here; expected a "
                          "name or Hz"),
    ("o strike", 3, "strike plays an object; expected o.C4, or o.* for all, or a pitch: o strike "
                    "C4"),
    ("o drop", 3, "drop plays an object; expected o.C4, or o.* for all"),
])
def test_what_is_wrong_on_a_set_is_reported(row, column, message, score):
    assert messages(score(f"0 o.E4 strike\n1 {row}\n", BARS)) == [(4, column, message)]


def test_a_pitch_that_a_play_moves_out_of_the_set_says_so(score):
    (problem,) = messages(score("section a\n0 o strike C4\nend\nplay a transpose=2400\n", BARS))
    assert "the pitch C4, moved +2400 cents by its play, is 1046.5 Hz, and o has no" in problem[2]


@pytest.mark.parametrize(("use", "row", "message"), [
    ("glass", "o strike C8", "the pitch C8 is 4186.01 Hz on o.glass; expected at most an octave "
                             "from its own, 566.495 to 2265.98 Hz"),
    ("tabla_dayan", "o.open strike C4", "the pitch C4 is 261.626 Hz on o.open; its size gives its "
                                        "pitch; expected no pitch, or a bar"),
    ("tabla_dayan", "o strike C4", "strike plays an object; expected o.open, or o.* for all"),
    ("santoor", "o.sa_1 strike sa", "strike takes no pitch; expected none"),
])
def test_what_is_wrong_on_one_object_is_reported(use, row, message):
    found = messages(pysitar.load_score(text=f"use {use} as o\n0 {row}\n"))
    assert len(found) == 1 and found[0][0] == 2 and found[0][2].startswith(message), found


def test_a_strike_without_a_pitch_is_not_transposed():
    """As it was before strikes had pitches."""
    head = "use santoor as o\nrender rate=24000 oversample=1 tail=0\nsection a\n"
    sounds = [audio(pysitar.load_score(text=head + "0 o.sa_1 strike dur=100ms\nend\n" + play))
              for play in ("play a\n", "play a transpose=2st\n")]
    assert np.array_equal(*sounds) and sounds[0].any()
