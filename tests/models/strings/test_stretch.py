"""Notes of a string whose tuning is stretched, against the closed forms of an ideal string: T = rho
A (2 L f)^2, mode i at i f."""
import math
from dataclasses import replace

import numpy as np
import pytest
from models.strings.ideal_string import HIGH, IDEAL, parse

from pysitar.models.definitions.loader import InstrumentError, parse_instrument, preset_text
from pysitar.models.strings.played import PlayedString

NOTES = [-12.0, -2.0, 0.0, 0.5, 7.0, 12.0, 19.0]


def free_cents(semitones, *, cents=-7.0, stretch=-2.5):
    """How far the string without its bridge lies above the open pitch."""
    return cents + (100.0 + stretch) * semitones


def closed_tension(semitones, hz=130.0, **tuning):
    return 1e-3 * (2.0 * 0.8 * hz * 2.0 ** (free_cents(semitones, **tuning) / 1200.0)) ** 2


@pytest.mark.parametrize("semitones", NOTES)
def test_each_semitone_is_so_many_cents_more(semitones):
    hz = 130.0 * 2.0 ** (semitones / 12.0)
    string = IDEAL.string(hz, open_hz=130.0)
    # a logarithm and two powers, each within 2 roundings of 1e-16, of exponents up to 2
    assert string.tension == pytest.approx(closed_tension(semitones), rel=1e-14)
    assert IDEAL.stress(hz, open_hz=130.0) == pytest.approx(string.tension / (1e-3 / 7800.0),
                                                            rel=1e-12)
    assert IDEAL.semitones(hz, open_hz=130.0) == pytest.approx(0.975 * semitones, abs=1e-13)
    # without stretch: as if it were tuned to that pitch
    plain = replace(IDEAL, stretch=0.0)
    assert plain.string(hz, open_hz=130.0).tension == pytest.approx(
        plain.string(hz).tension, rel=1e-14)


def test_the_open_string_is_not_stretched():
    assert IDEAL.string(130.0, open_hz=130.0) == IDEAL.string(130.0) == replace(
        IDEAL, stretch=20.0).string(130.0, open_hz=130.0)


@pytest.mark.parametrize("semitones", [note for note in NOTES if note])
def test_a_note_is_played_at_the_tension_of_its_stretched_string(semitones):
    """Exactly that, not twice stretched: the kernel holds the tension over the open string's."""
    string = PlayedString(IDEAL, hz=130.0, highest=400.0, sample_rate=48000.0, floor=-80.0,
                          name="v.s")
    string.play("fret", 480, {}, 130.0 * 2.0 ** (semitones / 12.0))
    string.advance(np.empty(640))
    assert string.sounding.kernel.tension == pytest.approx(
        closed_tension(semitones) - closed_tension(0.0), rel=1e-12)


@pytest.mark.parametrize("stretch", [-20.0, 0.0, 20.0])
@pytest.mark.parametrize(("barrier", "limit"), [(None, 0.47 * 48000.0), (HIGH, 0.45 * 48000.0)])
def test_the_highest_pitch_is_stretched_once_too(stretch, barrier, limit):
    """The modes that are left lie under 0.47 of the rate at the highest free pitch, on a bridge
    under 0.45 of it."""
    spec = replace(IDEAL, stretch=stretch, barrier=barrier)
    string = PlayedString(spec, hz=130.0, highest=260.0, sample_rate=48000.0, floor=-80.0,
                          name="v.s")
    assert string.modes.count == int(limit /
                                     (130.0 * 2.0**(free_cents(12.0, stretch=stretch) / 1200.0)))


def test_a_pitch_is_heard_where_it_was_tuned_to():
    """Without a bridge it sounds beside the note by cents and stretch: of +7 semitones, -7 - 17.5
    cents; a window of 0.5 s tells 0.05."""
    rate, hz = 48000.0, 130.0 * 2.0 ** (7.0 / 12.0)
    string = PlayedString(IDEAL, hz=130.0, highest=hz, sample_rate=rate, floor=-80.0, name="v.s")
    string.play("pluck", 480, {}, hz)
    out = np.empty(26000)
    string.advance(out)
    part, size = out[2000:] * np.hanning(24000), 1 << 20
    spectrum = np.abs(np.fft.rfft(part, size))
    top = int(spectrum[:int(1.3 * hz * size / rate)].argmax())
    left, middle, right = np.log(spectrum[top - 1:top + 2])
    found = (top + 0.5 * (left - right) / (left - 2.0 * middle + right)) * rate / size
    assert 1200.0 * math.log2(found / hz) == pytest.approx(-24.5, abs=0.05)


def test_a_file_gives_it():
    assert parse().stretch == 0.0 and parse(stretch=-1.5).stretch == -1.5
    with pytest.raises(InstrumentError, match=r"stretch is -20\.1; .* \(cents per semitone\), at "
                       r"least -20 and at most 20"):
        parse(stretch=-20.1)


def test_the_bridges_of_the_sitar_have_their_own():
    found = {}
    for bridge in ("flat", "paper"):
        spec = parse_instrument(preset_text("sitar"), name="sitar", shown="sitar.toml",
                                changes=[(("bridge", ), bridge)])
        found[bridge] = {string.name: string.stretch for string in spec.strings}
    assert found["flat"] == {"baj": -1.0, "jor": -0.8, "kharaj": 0.0, "chikari1": 0.0,
                             "chikari2": 0.0}
    assert found["paper"] == {**found["flat"], "baj": -0.5, "kharaj": -0.4}
