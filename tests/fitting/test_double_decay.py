"""Two decays of a partial: found where there are two, with their errors, and played by two
strings."""
import math
import tomllib

import numpy as np
import pytest

import pysitar
from pysitar.fitting.double_decay import measure_double_decay
from pysitar.fitting.partials import BandEnvelopes
from pysitar.fitting.recording import noise_floor
from pysitar.fitting.string_file import string_text

RATE = 48000.0
F0 = 196.0
EARLY, LATE = 12.0, 3.2         # dB/s
BELOW = 12.0                    # dB: the late decay under the early one at the onset


def partials(count, *, seconds, noise, seed=0, detuning=0.0, late=True):
    """Partials of a string of pitch F0, each with one decay or two, after 50 ms of noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds * RATE)) / RATE
    sound = np.zeros(t.size)
    for k in range(1, count + 1):
        for slope, level, hz in ((EARLY, 0.0, k * F0), (LATE, -BELOW, k * F0 * (1.0 + detuning))):
            if slope == EARLY or late:
                sound += 0.1 / k * 10.0 ** ((level - slope * t) / 20.0) * np.cos(
                    2.0 * math.pi * hz * t + rng.uniform(0.0, 2.0 * math.pi))
    lead = round(0.05 * RATE)
    recording = noise * rng.normal(size=lead + sound.size)
    recording[lead:] += sound
    return recording, lead


def measured(recording, lead, order):
    bands = BandEnvelopes(recording[lead:], RATE)
    return measure_double_decay(bands, order * F0, 60.0, noise_floor(recording, RATE, lead))


@pytest.mark.parametrize("detuning", [0.0, 2e-4])
def test_two_decays_are_found_with_their_errors(detuning):
    deviations = []
    for seed in range(2):
        recording, lead = partials(3, seconds=5.0, noise=1e-4, seed=seed, detuning=detuning)
        for order in (1, 2, 3):
            found = measured(recording, lead, order)
            assert found.early == pytest.approx(60.0 / EARLY, rel=0.01)
            assert found.late == pytest.approx(60.0 / LATE, rel=0.01)
            assert found.late_level - found.early_level == pytest.approx(-BELOW, abs=0.1)
            deviations += [
                (found.early - 60.0 / EARLY) / found.early_error,
                (found.late - 60.0 / LATE) / found.late_error,
                (found.late_level - found.early_level + BELOW) / found.level_error,
                (found.detuning - order * F0 * detuning) / found.detuning_error]
    # 24 deviations over their standard errors; of independent ones the rms is within 0.3 of 1 by 3
    # standard errors, and here about three in four are independent
    assert 0.6 < float(np.sqrt(np.mean(np.square(deviations)))) < 1.5


def test_one_decay_is_not_two():
    for seed in range(3):
        for noise in (1e-3, 1e-6):
            recording, lead = partials(2, seconds=3.0, noise=noise, seed=seed, late=False)
            assert measured(recording, lead, 1) is None
            assert measured(recording, lead, 2) is None


def test_a_file_has_a_string_for_each_decay():
    recording, _ = partials(8, seconds=4.0, noise=1e-4)
    found = pysitar.fit_string(recording, RATE)
    assert found.early_t60s == pytest.approx(np.full(found.orders.size, 60.0 / EARLY), rel=0.02)
    assert found.late_t60s == pytest.approx(np.full(found.orders.size, 60.0 / LATE), rel=0.05)
    strings = tomllib.loads(string_text(found, density=1e-3, sound=recording, rate=RATE))["strings"]
    assert list(strings) == ["string", "string2"]
    # all partials decay alike, so that sigma0 has it all: 6.9 / T60
    for name, slope in (("string", EARLY), ("string2", LATE)):
        assert strings[name]["sigma0"] == pytest.approx(slope * math.log(10.0) / 20.0, rel=0.03)
    forces = [strings[name]["pluck"]["force"] for name in strings]
    assert 20.0 * math.log10(forces[1] / forces[0]) == pytest.approx(-BELOW, abs=0.2)
    single, _ = partials(8, seconds=4.0, noise=1e-4, late=False)
    text = string_text(pysitar.fit_string(single, RATE), density=1e-3, sound=single, rate=RATE)
    assert list(tomllib.loads(text)["strings"]) == ["string"]
