"""The verb bow: it sounds at its pitch, falls silent after its lift, and says what is wrong."""
import numpy as np
import pytest
from instruments import PLUCK, instrument, string

import pysitar
from pysitar.errors import ScoreError
from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import options

BOW = {"position": 0.11, "velocity": 0.2, "force": 0.5, "torsion": 5.2}
VIOLIN = instrument(string("g", pitch=196.0, length=0.325, linear_density=2.7726e-3, sigma0=4.0,
                           sigma1=0.06, sigma3=3e-6, bending_stiffness=4e-5, bow=BOW,
                           pluck=PLUCK), gain=0.05)


@pytest.fixture
def violin(tmp_path):
    (tmp_path / "violin.toml").write_text(VIOLIN, encoding="utf-8")

    def load(rows):
        path = tmp_path / "a.score"
        path.write_text(f'use "violin.toml" as v\nrender rate=48000 tail=0.1\n{rows}\n',
                        encoding="utf-8")
        return pysitar.load_score(path)
    return load


def messages(load, rows):
    try:
        score = load(rows)
        bound = check(score, options(score))
    except ScoreError as error:
        return [problem.message for problem in error.problems]
    return [problem.message for problem in (*bound.problems, *bound.warnings)]


def test_it_sounds_at_its_pitch(violin):
    sound = pysitar.render(violin("0 v.g bow dur=1"), jobs=1).audio[:, 0]
    part = sound[24000:40000]
    spectrum = np.abs(np.fft.rfft(part * np.hanning(part.size), 1 << 18))
    comb = spectrum[: 1 << 14]
    peak = comb.argmax() * 48000 / (1 << 18)
    # the strongest partial is a multiple of the pitch, which lies up to 25 cents under 196 Hz
    order = round(peak / 195.0)
    assert 193.0 < peak / order < 196.5


def test_a_stroke_is_loud_for_its_duration(violin):
    sound = pysitar.render(violin("0 v.g bow dur=0.5"), jobs=1).audio[:, 0]
    level = [np.abs(sound[int(48000 * t):int(48000 * (t + 0.05))]).max() for t in (0.3, 0.52)]
    assert level[1] < level[0]
    # no jump when it lifts: samples change there by no more than while it plays
    steps = np.abs(np.diff(sound))
    assert steps[22800:25200].max() <= 1.5 * steps[12000:22000].max()


def test_curves_reverse_and_move_it(violin):
    rows = ("0 v.g bow v=(0:0.2 0.2:0.2 0.3:-0.2/cos 0.5:-0.2) f=(0:0.3 0.25:0.5 0.5:0.3) "
            "shift=(0:0 0.5:5mm) dur=0.5")
    assert messages(violin, rows) == []
    rendered = pysitar.render(violin(rows), jobs=1)
    assert np.abs(rendered.audio).max() > 1e-3
    again = pysitar.render(violin(rows), jobs=1)
    assert np.array_equal(rendered.audio, again.audio)


def test_the_force_outside_its_limits_is_reported(violin):
    rough, thin = "0 v.g bow f=3N dur=1", "0 v.g bow f=0.05N dur=1"
    (message,) = messages(violin, rough)
    assert message.startswith("the bow presses with 3 N: at 35.8 mm and 0.2 m/s one slip in each")
    assert "rough" in message
    (message,) = messages(violin, thin)
    assert "thin" in message and "expected f=" in message
    force = message.partition("expected f=")[2].partition("N")[0]
    assert messages(violin, f"0 v.g bow f={force}N dur=1") == []
    # the least force is as 1/fraction^2 and the greatest as 1/fraction: they cross near the bridge
    (message,) = messages(violin, "0 v.g bow at=1mm dur=1")
    assert "no force makes one slip in each period" in message


@pytest.mark.parametrize(("rows", "message"), [
    ("0 v.g bow dur=0", "bow has no duration; expected dur=2s"),
    ("0 v.g bow dur=1 at=0.999 shift=5cm",
     "the bow is at 0.3747 m; expected above 0 m and below 0.325 m"),
    ("0 v.g bow dur=1 f=-1N", "force is -1.0; expected"),
    ("0 v.g bow dur=1\n0.5 v.g bow dur=1", "v.g is bowed until 1 s; expected a later start"),
])
def test_what_is_wrong_is_reported(violin, rows, message):
    found = messages(violin, rows)
    assert any(message in one for one in found), found


def test_a_string_without_a_bow():
    found = messages(lambda rows: pysitar.load_score(text=f"use sitar as s\n{rows}"),
                     "0 s.baj bow dur=1")
    assert found[0].startswith("s.baj has no bow; expected a table [strings.baj.bow]")


# ---- over frets

FRETTED = instrument(string("g", pitch=185.0, length=0.55, linear_density=9.865e-4, sigma0=1.0,
                            sigma1=0.03, sigma3=3e-6, bending_stiffness=2.5e-4,
                            bow={"position": 0.1, "velocity": 0.2, "force": 0.35, "torsion": 4.5},
                            frets={"count": 12, "gap_nut": 0.8e-3, "gap_12": 2.5e-3,
                                   "stiffness": 5e6, "exponent": 1.0, "damping": 0.5},
                            pluck=PLUCK), gain=0.05)


def pitch(sound, start, expected):
    """The pitch (Hz) of 0.2 s of a sound near an expected one, by the distance at which it is most
    like itself."""
    part = sound[round(24000 * start):round(24000 * (start + 0.2))]
    part = part - part.mean()
    spectrum = np.abs(np.fft.rfft(part * np.hanning(part.size), 1 << 16))
    likeness = np.fft.irfft(spectrum * spectrum)
    low, high = round(24000 / (1.1 * expected)), round(24000 / (0.9 * expected))
    peak = low + int(likeness[low:high].argmax())
    before, at, after = likeness[peak - 1:peak + 2]
    return 24000 / (peak + 0.5 * (before - after) / (before - 2.0 * at + after))


def test_fingers_on_frets_and_glides_change_the_pitch_of_a_bowed_string(tmp_path):
    (tmp_path / "e.toml").write_text(FRETTED, encoding="utf-8")
    path = tmp_path / "a.score"
    path.write_text('use "e.toml" as v\nrender rate=24000 oversample=2 tail=0 channels=1\n'
                    "0 v.g bow dur=2.2\n0.5 v.g press fret=4 f=6N dur=0.5\n"
                    "1.3 v.g fret +5st glide=50ms\n1.6 v.g bend (0:+5st 0.1:+7st/cos 0.5:+7st)\n",
                    encoding="utf-8")
    rendered = pysitar.render(pysitar.load_score(path), jobs=1)
    sound = rendered.audio[:, 0]
    for start, semitones in ((0.28, 0), (0.75, 4), (1.38, 5), (1.9, 7)):
        expected = 185.0 * 2.0 ** (semitones / 12.0)
        # a fret is where it is, and the bow flattens: by some cents each
        assert pitch(sound, start, expected) == pytest.approx(expected, rel=0.012), semitones
    assert rendered.report["residual"] < 1e-11 and rendered.report["failed_solves"] == 0
