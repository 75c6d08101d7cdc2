"""Convolution: against the definition, the same bits in any blocks, and after silence."""
import math

import numpy as np
import pytest

from pysitar.errors import ParameterError
from pysitar.kernels.core.convolve import Convolver

LENGTHS = [1, 3, 8, 1000, 1023, 1024, 1025, 5000]


def noise(count, seed=1):
    return np.random.default_rng(seed).standard_normal(count)


@pytest.mark.parametrize("length", LENGTHS)
def test_it_is_the_definition(length):
    response, samples = noise(length), noise(3000, 2)
    found = Convolver(response).push(samples)
    # of n products of size 1 round-off grows to a few sqrt(n) eps
    np.testing.assert_allclose(found, np.convolve(samples, response)[:3000], rtol=0.0,
                               atol=8.0 * math.sqrt(length) * np.finfo(float).eps * 8.0)
    for at in (0, 1, 997, 2999):
        exact = math.fsum(response[k] * samples[at - k] for k in range(min(length, at + 1)))
        assert found[at] == pytest.approx(exact, abs=4e-14 * math.sqrt(length))


@pytest.mark.parametrize("length", LENGTHS)
def test_blocks_of_any_size_have_the_same_bits(length):
    response, samples = noise(length), noise(2500, 2)
    samples[400:1900] = 0.0                 # silence, longer than the shorter responses
    whole = Convolver(response).push(samples)
    for size in (1, 2, 7, 511, 512, 513, 1024):
        one = Convolver(response)
        parts = [one.push(samples[at:at + size]) for at in range(0, samples.size, size)]
        assert np.concatenate(parts).tobytes() == whole.tobytes()


def test_an_impulse_gives_the_response_itself():
    response = noise(1500)
    impulse = np.zeros(4000)
    impulse[100] = 1.0
    found = Convolver(response).push(impulse)
    assert np.array_equal(found[100:1600], response)
    assert not found[:100].any() and not found[1600:].any()


def test_sums_are_the_same_after_silence():
    response, samples = noise(700), noise(900, 2)
    before = Convolver(response)
    before.push(noise(800, 3))
    before.push(np.zeros(5000))
    assert before.push(samples).tobytes() == Convolver(response).push(samples).tobytes()


@pytest.mark.parametrize("response", [np.zeros(0), np.array([1.0, math.nan]),
                                      np.array([math.inf])])
def test_wrong_responses_are_refused(response):
    with pytest.raises(ParameterError, match="response"):
        Convolver(response)


def test_no_samples():
    assert Convolver(np.ones(3)).push(np.zeros(0)).shape == (0,)
