"""Strings of the three-point scheme in a score: same bits for any block, a closed form of damping,
unsupported features."""
import math

import numpy as np
import pytest
from instruments import THREAD
from rendering.wires import PHRASE, bridge, rendered, reported, written
from score_texts import warnings_of, write_score


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path, {"release": 0.0005}, plain={}, thread={"thread": THREAD},
                   bridge={"barrier": bridge(extent=0.02, stiffness=1e8)})


def test_any_block_gives_the_same_bits(folder):
    text = PHRASE.format(file='"bridge.toml"', scheme="three-point")
    whole = rendered(folder, text, block=4096)
    assert np.abs(whole.audio).max() > 0.01
    for block in (17, 97):
        np.testing.assert_array_equal(rendered(folder, text, block=block).audio, whole.audio)
    assert whole.report["voices"]["s"]["residual"] <= 1e-12


def test_is_another_scheme_of_the_same_string(folder):
    """Both are exact for a string that touches nothing, and read the force where it acts; on a
    bridge they differ more."""
    free, held = (
        [rendered(folder, PHRASE.format(file=f'"{name}.toml"', scheme=scheme)).audio[:1600, 0]
         for scheme in ("two-point", "three-point")] for name in ("plain", "bridge"))
    # to 50 ms, before the fingers: of the steepest change in a sample 2 %, from sampling the
    # release; half a step would be 25 %
    apart = np.abs(free[0] - free[1]).max()
    assert 0.0 < apart <= 0.05 * np.abs(np.diff(free[0])).max()
    assert np.abs(held[0] - held[1]).max() > 5.0 * apart
    # contact is chaotic: its loudness alone can be compared
    loud = [np.sqrt(np.mean(sound**2)) for sound in held]
    assert 0.8 < loud[0] / loud[1] < 1.25


@pytest.mark.parametrize("t60", [0.1, 0.4])
def test_damping_adds_a_decay_rate(folder, t60):
    """The string's 1/s and the finger's ln 1000 / t60 add, for all partials: RMS over whole
    periods, 2 % for what a period is not."""
    text = (f'use "plain.toml" as s scheme=three-point\nrender tail=0.3s\n0 s.a pluck\n'
            f'0.05 s.a damp t60={t60}s\n')
    sound = rendered(folder, text).audio[:, 0]
    period = round(32000 / 220 * 11)
    # from 70 ms on: the finger lies since 54 ms
    first = np.sqrt(np.mean(sound[2240:2240 + period] ** 2))
    last = np.sqrt(np.mean(sound[2240 + 3200:2240 + 3200 + period] ** 2))
    rate = math.log(first / last) / 0.1
    assert rate == pytest.approx(1.0 + math.log(1000.0) / t60, rel=0.02)


def test_a_pluck_lifts_the_finger(folder):
    text = ('use "plain.toml" as s scheme=three-point\nrender tail=0.3s\n0 s.a pluck\n'
            '0.05 s.a damp t60=50ms\n0.2 s.a pluck\n')
    sound = rendered(folder, text).audio[:, 0]
    damped, free = (np.sqrt(np.mean(sound[at:at + 800] ** 2)) for at in (5500, 9600))
    assert free > 100.0 * damped


def test_unsupported_features_are_reported_with_a_scheme_that_has_them(folder):
    use = 'use "plain.toml" as s scheme=three-point\n'
    assert "pluck takes no pitch by the three-point scheme; expected scheme=two-point" in reported(
        folder, use + "0 s.a pluck ga\n")
    assert "fret is not played by the three-point scheme; expected scheme=two-point" in reported(
        folder, use + "0 s.a fret ga\n")
    assert "pluck has no glide by the three-point scheme; expected scheme=two-point" in reported(
        folder, use + "0 s.a pluck glide=5ms\n")
    message = reported(folder, 'use "thread.toml" as s scheme=three-point\n0 s.a pluck\n')
    assert ("the three-point scheme has no thread, and a has one; expected two-point, or no thread"
            in message)


@pytest.mark.parametrize(("scheme", "reports"), [("three-point", []), ("two-point", [
    (3, "s.a is damped in about 62 ms at best; t60 is 20 ms")])])
def test_a_t60_that_a_finger_in_rows_cannot_reach_is_reported(folder, scheme, reports):
    """13.75 periods of 220 Hz; a decay rate has no such limit."""
    score = write_score(
        folder, f'use "plain.toml" as s scheme={scheme}\n0 s.a pluck\n0.1 s.a damp t60=20ms\n')
    assert [(warning.place.line, warning.message) for warning in warnings_of(score)] == reports
