"""Strings of the grid schemes in a score: same bits for any block, the same string, closed forms,
unsupported features."""
import math

import numpy as np
import pytest
from rendering.wires import PHRASE, bridge, rendered, reported, written

import pysitar
from pysitar.models.network.schemes.base import ROWS
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES
from pysitar.models.network.schemes.grid import grid_losses

PLAIN_SCHEMES = [name for name, scheme in STRING_SCHEMES.items() if ROWS not in scheme.capabilities]


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path, {"width": 0.004, "release": 0.002, "touch": 0.5, "lead": 0.01},
                   plain={}, bridge={"barrier": bridge(extent=0.03, stiffness=1e7, exponent=1.3)})


@pytest.mark.parametrize("scheme", PLAIN_SCHEMES)
def test_any_block_gives_the_same_bits(folder, scheme):
    text = PHRASE.format(file='"bridge.toml"', scheme=scheme)
    whole = rendered(folder, text, block=4096)
    assert np.abs(whole.audio).max() > 0.01
    assert whole.report["voices"]["s"]["contact_steps"] > 100
    assert whole.report["voices"]["s"]["residual"] <= 1e-11
    np.testing.assert_array_equal(rendered(folder, text, block=97).audio, whole.audio)


@pytest.mark.parametrize("scheme", PLAIN_SCHEMES)
def test_the_string_is_the_same(folder, scheme):
    """On a grid of some 100 nodes partials are flat by (b h)^2 / 24: the first ten periods of a
    dull pluck agree to some percent."""
    file = '"plain.toml"'
    grid = rendered(folder, PHRASE.format(file=file, scheme=scheme)).audio[:1400, 0]
    modes = rendered(folder, PHRASE.format(file=file, scheme="three-point")).audio[:1400, 0]
    assert np.abs(grid - modes).max() < 0.1 * np.abs(modes).max()
    assert np.abs(grid - modes).max() > 1e-6 * np.abs(modes).max()


@pytest.mark.parametrize("scheme", PLAIN_SCHEMES)
def test_damping_adds_a_decay_rate(folder, scheme):
    """The string's 1/s and the finger's ln 1000 / t60 add, for all partials: RMS over whole
    periods, 2 % for what a period is not."""
    t60 = 0.2
    text = (f'use "plain.toml" as s scheme={scheme}\nrender tail=0.3s\n0 s.a pluck\n'
            f'0.05 s.a damp t60={t60}s\n')
    sound = rendered(folder, text).audio[:, 0]
    period = round(32000 / 220 * 11)
    # from 70 ms on: the finger lies
    first, last = (np.sqrt(np.mean(sound[at:at + period] ** 2)) for at in (2240, 5440))
    assert math.log(first / last) / 0.1 == pytest.approx(1.0 + math.log(1000.0) / t60, rel=0.02)


@pytest.mark.parametrize("scheme", PLAIN_SCHEMES)
def test_it_falls_asleep_and_a_pluck_lifts_the_finger(folder, scheme):
    text = (f'use "plain.toml" as s scheme={scheme}\nrender tail=0.2s\n0 s.a pluck\n'
            f'0.05 s.a damp t60=20ms\n0.6 s.a pluck\n')
    sound = rendered(folder, text).audio[:, 0]
    assert np.abs(sound[14000:18000]).max() == 0.0
    late = np.sqrt(np.mean(sound[22000:] ** 2))
    assert late > 0.3 * np.sqrt(np.mean(sound[400:1600] ** 2))


def test_losses_are_fitted_where_a_grid_has_not_the_string_s_own():
    string = pysitar.String(length=0.65, tension=80.0, linear_density=1e-3, sigma0=0.5, sigma1=2e-3,
                            sigma3=1e-7)
    fitted = grid_losses(string, string.frequency(1), 96000.0)
    assert fitted.sigma1 == fitted.sigma3 == 0.0
    # the frequency of a partial differs by its own decay alone: (alpha / omega)^2
    for partial in (1, 20):
        b = string.wave_number(partial)
        assert fitted.decay_rate(b) == pytest.approx(string.decay_rate(b), rel=1e-4)
    plain = pysitar.String(length=0.65, tension=80.0, linear_density=1e-3, sigma0=0.5, sigma2=1e-4)
    assert grid_losses(plain, 220.0, 96000.0) is plain


@pytest.mark.parametrize("scheme", PLAIN_SCHEMES)
def test_unsupported_features_are_reported_with_the_schemes_that_have_them(folder, scheme):
    use = f'use "plain.toml" as s scheme={scheme}\n'
    assert f"pluck takes no pitch by the {scheme} scheme; expected scheme=two-point" in reported(
        folder, use + "0 s.a pluck ga\n")
    assert (f"pluck has no touch by the {scheme} scheme; expected scheme=two-point or three-point"
            in reported(folder, use + "0 s.a pluck touch=1\n"))
    assert f"strike is not played by the {scheme} scheme; expected scheme=two-point" in reported(
        folder, use + "0 s.a strike\n")


@pytest.mark.parametrize("scheme", PLAIN_SCHEMES)
def test_traces(folder, scheme):
    result = rendered(folder, PHRASE.format(file='"bridge.toml"', scheme=scheme), traces=True)
    assert result.traces
    found = {name: array for name, array in result.traces.items() if "contact_force" in name}
    assert all(np.abs(array).max() > 0.0 for array in found.values())
