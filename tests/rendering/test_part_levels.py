"""Levels of parts: `mix g.e2 pan=`, and `spread`."""
import numpy as np
import pytest
from score_texts import bind_text, refuse_text

import pysitar

HEAD = ("use guitar as g\nset g.body.coupled = false\nuse santoor as s\n"
        "set s.body.coupled = false\nrender rate=24000 oversample=1 fade=0 tail=100ms\n")
ROW = "0 g.e2 pluck dur=0.3s\n"


def sound(text, **options):
    return pysitar.render(pysitar.load_score(text=HEAD + text), **options)


def parts_of(text, name="g"):
    [voice] = [voice for voice in bind_text(HEAD + ROW + text + "\n0 s.sa_* strike").voices
               if voice.name == name]
    return {part.name: level for part, level in zip(voice.parts, voice.level.parts, strict=False)}


def test_the_pan_of_a_string_is_that_of_the_instrument_alone_with_it():
    """One sum of the parts through the body for each channel: the body is linear."""
    for pan in ("-1", "0.4", "1"):
        whole = sound(ROW + f"mix g pan={pan} gain=-3dB").audio
        string = sound(ROW + f"mix g.e2 pan={pan}\nmix g gain=-3dB").audio
        assert np.abs(whole).max() > 0.05
        np.testing.assert_allclose(string, whole, atol=1e-9)


def test_strings_on_both_sides():
    left = sound(ROW + "mix g.e2 pan=-1")
    assert np.abs(left.audio[:, 0]).max() > 0.05 and not left.audio[:, 1].any()
    both = sound(ROW + "0 g.e4 pluck\nmix g.e2 pan=-1\nmix g.e4 pan=1").audio
    np.testing.assert_allclose(both[:, 0], sound(ROW + "0 g.e4 pluck\nmix g.e2 pan=-1\n"
                                                 "mix g.e4 gain=-200dB").audio[:, 0], atol=1e-9)
    mono = sound(ROW + "mix g.e2 pan=-1", rate=24000).audio
    assert mono.shape[1] == 2
    one = sound(ROW + "mix g.e2 gain=-6dB\nrender channels=1").audio
    plain = sound(ROW + "mix g gain=-6dB\nrender channels=1").audio
    assert one.shape[1] == 1
    np.testing.assert_allclose(one, plain, atol=1e-9)
    assert left.report["residual"] < 1e-9


def test_the_noise_of_a_plectrum_is_on_the_side_of_its_string():
    """The noise of a string goes into each sum with the string's own weight, once."""
    def noise_of(text):
        with_noise, without = (sound(f"set g.*.pick.noise = {level}\n{text}").audio
                               for level in ("0.04", "0"))
        return with_noise - without

    rows = ROW + "0.1 g.e4 pluck dur=0.3s\n"
    alone = noise_of(ROW + "mix g.e2 pan=-1")
    assert np.abs(alone[:, 0]).max() > 1e-3
    both = sound(ROW + "mix g.e2 pan=-1").audio
    assert both[:, 0].any() and not both[:, 1].any()
    left = noise_of(rows + "mix g.e2 pan=-1\nmix g.e4 gain=-200dB")
    right = noise_of(rows + "mix g.e2 gain=-200dB\nmix g.e4 pan=1")
    sides = noise_of(rows + "mix g.e2 pan=-1\nmix g.e4 pan=1")
    np.testing.assert_allclose(sides, left + right, atol=1e-9)
    assert np.abs(sides).max(axis=0).min() > 1e-3
    # the channels of pan 0 have 1/sqrt(2) of a voice of one channel each
    middle = noise_of(rows + "mix g.e2 pan=0\nmix g.e4 pan=0")
    np.testing.assert_allclose(middle, (sides.sum(axis=1) / np.sqrt(2.0))[:, None] * [1.0, 1.0],
                               atol=1e-9)


def test_gains_of_parts_add_to_that_of_the_instrument():
    whole = sound(ROW + "mix g gain=-10dB pan=0.2").audio
    np.testing.assert_allclose(sound(ROW + "mix g gain=-4dB pan=0.2\nmix g.e* gain=-6dB").audio,
                               whole, atol=1e-9)


def test_spread():
    assert not parts_of("mix g gain=-3dB pan=0.5")
    assert [pan for _, pan in parts_of("mix g spread=0.5").values()] == pytest.approx(
        [-0.5, -0.3, -0.1, 0.1, 0.3, 0.5], abs=1e-12)
    assert [pan for _, pan in parts_of("mix g pan=0.8 spread=-0.5").values()] == pytest.approx(
        [1.0, 1.0, 0.9, 0.7, 0.5, 0.3], abs=1e-12)
    own = parts_of("mix * spread=1\nmix g.e* pan=0 gain=2dB\nmix g.e2 gain=-1dB")
    assert own["e2"] == (-1.0, 0.0) and own["e4"] == (2.0, 0.0) and own["a2"] == (0.0, -0.6)
    assert parts_of("mix s.sa_* pan=1", "s")["sa_1"] == (0.0, 1.0)


@pytest.mark.parametrize(("line", "col", "message"), [
    ("mix g.e5 pan=1", 7, "g has no part e5; expected one of e2, a2, d3, g3, b3, e4"),
    ("mix g.e2.x pan=1", 7, "mix has an instrument or one of its parts; expected mix g.e2"),
    ("mix t.baj pan=1", 5,
     "the strings of t sound through one coupled body; expected mix t gain=0 pan=0"),
])
def test_what_has_no_level_is_reported(line, col, message):
    text = f"use guitar as g\nuse sitar_tarafs as t\n0 g.e2 pluck\n0 t.baj pluck\n{line}"
    assert refuse_text(text) == [(5, col, message)]


def test_a_spread_is_within_the_panorama():
    with pytest.raises(pysitar.ScoreError, match="has no instrument; expected its name"):
        pysitar.load_score(text="use guitar as g\n0 g.e2 pluck\nmix *.e2 pan=1")
    with pytest.raises(pysitar.ScoreError, match="spread is 2; expected -1 to 1"):
        pysitar.load_score(text="use guitar as g\n0 g.e2 pluck\nmix g spread=2")


def test_the_sound_does_not_depend_on_blocks_or_threads():
    text = ROW + "0.1 g.e4 pluck dur=0.3s\n0 s.sa_* strike\nmix g spread=1\nmix s.sa_1 pan=1"
    first = sound(text, jobs=1).audio
    for options in ({"jobs": 3}, {"block": 517}):
        np.testing.assert_array_equal(first, sound(text, **options).audio)
