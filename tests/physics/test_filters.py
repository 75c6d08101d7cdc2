"""Filters of first and second order at a sample rate, against the analogue ones."""
import numpy as np
import pytest

from pysitar.physics.cabinets import CABINETS
from pysitar.physics.filters import high_pass, impulse_response, low_pass, one_pole

RATE = 48000.0


def gains(response, frequencies):
    """Return the complex gain of a response at some frequencies (Hz)."""
    turns = np.outer(frequencies, np.arange(response.size)) / RATE
    return np.exp(-2j * np.pi * turns) @ response


def analogue(kind, frequency, q, at):
    """Return the gain of the analogue filter at some frequencies (Hz)."""
    s, w = 2j * np.pi * at, 2.0 * np.pi * frequency
    if kind is one_pole:
        return w / (s + w)
    return (w * w if kind is low_pass else s * s) / (s * s + s * w / q + w * w)


@pytest.mark.parametrize("kind", [low_pass, high_pass])
@pytest.mark.parametrize(("frequency", "q"), [(3000.0, 1.0), (3000.0, 0.5), (65.0, 0.9),
                                              (2500.0, 4.0)])
def test_gain_of_second_order(kind, frequency, q):
    """The gain at w0 is q by construction, as exact as the cut 160 dB down allows: times q, since
    a ringing response is cut where it is that far under its own start. Under a quarter of the rate
    the gain is that of the analogue filter within 0.1 dB, both decades around w0."""
    response = impulse_response([kind(frequency, q, RATE)], RATE)
    assert abs(gains(response, [frequency])[0]) == pytest.approx(q, rel=1e-6)
    at = frequency * np.logspace(-1.0, 1.0, 60)
    at = at[at < 0.25 * RATE]
    error = np.abs(gains(response, at)) / np.abs(analogue(kind, frequency, q, at))
    assert np.abs(20.0 * np.log10(error)).max() < 0.1


def test_gain_at_zero_and_of_first_order():
    """A low-pass has gain 1 at 0 Hz, a high-pass 0; the first order has the analogue gain at 0 Hz
    and at half the rate, and between them within 1 dB; the cut at 160 dB leaves 1e-8."""
    for section in (low_pass(3000.0, 1.0, RATE), one_pole(2000.0, RATE)):
        assert impulse_response([section], RATE).sum() == pytest.approx(1.0, abs=2e-8)
    assert abs(impulse_response([high_pass(65.0, 0.9, RATE)], RATE).sum()) < 2e-8
    response = impulse_response([one_pole(2000.0, RATE)], RATE)
    at = np.append(np.logspace(1.0, 4.3, 40), 0.5 * RATE)
    error = 20.0 * np.log10(np.abs(gains(response, at) / analogue(one_pole, 2000.0, 0.0, at)))
    assert np.abs(error).max() < 1.0 and abs(error[-1]) < 1e-6


def test_poles_are_the_analogue_ones():
    """What rings is a decaying sine: y[n] = 2 r cos(w) y[n - 1] - r^2 y[n - 2] from its third
    value on, with r = exp(-w0 / (2 q rate)) and w = w0 sqrt(1 - 1 / (4 q^2)) / rate."""
    w0, q = 2.0 * np.pi * 3000.0, 2.0
    r, w = np.exp(-0.5 * w0 / q / RATE), w0 * np.sqrt(1.0 - 0.25 / q**2) / RATE
    y = impulse_response([low_pass(3000.0, q, RATE)], RATE)
    np.testing.assert_allclose(y[3:], 2.0 * r * np.cos(w) * y[2:-1] - r * r * y[1:-2], rtol=0.0,
                               atol=1e-13)


def test_a_row_of_filters_multiplies_their_gains():
    first, second = low_pass(3000.0, 1.0, RATE), one_pole(2000.0, RATE)
    at = np.array([100.0, 2000.0, 9000.0])
    product = (gains(impulse_response([first], RATE), at)
               * gains(impulse_response([second], RATE), at))
    np.testing.assert_allclose(gains(impulse_response([first, second], RATE), at), product,
                               rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("name", CABINETS)
def test_cabinets_pass_what_lies_between_their_ends(name):
    """12 dB an octave below the resonance, 24 above the break-up, no silence between."""
    cabinet = CABINETS[name]
    response = impulse_response(cabinet.sections(RATE), RATE)
    low, middle = cabinet.resonance, np.sqrt(cabinet.resonance * cabinet.breakup)
    found = 20.0 * np.log10(np.abs(gains(response, [
        low / 8, low / 4, middle, 2 * cabinet.breakup, 4 * cabinet.breakup])))
    assert found[1] - found[0] == pytest.approx(12.0, abs=1.0)
    assert abs(found[2]) < 1.5
    # two filters of order 2 at their w0 and an octave on; up to 2 dB each near half the rate
    assert found[3] - found[4] == pytest.approx(24.0, abs=4.0)
