"""Strings and their modes against closed forms, limits, and the golden numbers of an independent
computation."""
import math

import numpy as np
import pytest
from physics.strings import IDEAL, SITAR

from pysitar.errors import ParameterError
from pysitar.physics import damping
from pysitar.physics.modes import StringModes, string_modes
from pysitar.physics.string import String


def test_golden_partials():
    modes = string_modes(SITAR, max_frequency=20e3)
    assert modes.count == 60
    # golden G1, printed with 10 digits: rel 1e-9
    assert modes.frequencies[[0, 9, 59]] == pytest.approx([300.1595154, 3010.906682, 19940.19758],
                                                          rel=1e-9)
    assert modes.decay_rates[[0, 59]] == pytest.approx([0.6420809556, 270.9446728], rel=1e-9)
    assert modes.masses == pytest.approx(np.full(60, 1.3875e-4), rel=1e-15)


def test_ideal_string_is_harmonic():
    modes = string_modes(IDEAL, max_frequency=20e3)
    # c / (2 L), c = sqrt(T / rho A); each value is a few roundings
    fundamental = math.sqrt(64.0 / 5e-4) / (2.0 * 0.5)
    assert modes.count == 55
    assert modes.frequencies == pytest.approx(fundamental * np.arange(1, 56), rel=1e-14)
    assert not modes.decay_rates.any()


def test_stiff_limit_is_a_bar():
    # with hardly any tension the partials are those of a simply supported bar, i^2 (pi / L)^2
    # sqrt(EI / rho A) / (2 pi); T / (EI b^2) = 2.5e-10 at i = 1, half of which is the relative
    # error
    bar = String(length=1.0, tension=1e-10, linear_density=0.01, bending_stiffness=0.04)
    expected = [(i * math.pi) ** 2 * 2.0 / (2.0 * math.pi) for i in (1, 2, 7)]
    assert [bar.frequency(i) for i in (1, 2, 7)] == pytest.approx(expected, rel=2e-10)


def test_decay_law_has_each_term():
    string = String(length=1.0, tension=1.0, linear_density=1.0, sigma0=2.0, sigma1=3.0, sigma2=5.0,
                    sigma3=7.0)
    assert string.decay_rate(0.0) == 2.0
    assert string.decay_rate(2.0) == 2.0 + 3.0 * 2.0 + 5.0 * 4.0 + 7.0 * 8.0
    assert damping.decay_rate(2.0, sigma0=2.0, sigma1=3.0, sigma2=5.0,
                              sigma3=7.0) == string.decay_rate(2.0)


def test_damping_lowers_the_partial():
    free = String(length=1.0, tension=100.0, linear_density=0.01)
    lossy = String(length=1.0, tension=100.0, linear_density=0.01, sigma0=50.0)
    # omega^2 falls by exactly alpha^2
    assert (2 * math.pi * free.frequency(1))**2 - (
        2 * math.pi * lossy.frequency(1))**2 == pytest.approx(2500.0, rel=1e-10)


def test_t60_is_sixty_decibels():
    rate = damping.decay_rate_from_t60(2.0)
    # one exp of a number near 7: 7 roundings
    assert math.exp(-rate * 2.0) == pytest.approx(1e-3, rel=1e-14)
    assert damping.t60_from_decay_rate(rate) == pytest.approx(2.0, rel=1e-15)
    assert damping.decay_rate_from_quality(100.0, 50.0) == pytest.approx(math.pi * 2.0, rel=1e-15)


@pytest.mark.parametrize("hz", [30.0, 185.0, 440.0, 3000.0])
@pytest.mark.parametrize("string", [SITAR, IDEAL])
def test_pitch_round_trip(string, hz):
    tuned = string.with_pitch(hz)
    assert tuned.frequency(1) == pytest.approx(hz, rel=1e-12)
    assert (tuned.length, tuned.linear_density,
            tuned.sigma3) == (string.length, string.linear_density, string.sigma3)


def test_pitch_below_the_stiffness():
    bar = String(length=0.1, tension=1.0, linear_density=0.01, bending_stiffness=0.04)
    lowest = (math.pi / 0.1) ** 2 * 2.0 / (2.0 * math.pi)
    assert bar.with_pitch(lowest * 1.001).frequency(1) == pytest.approx(lowest * 1.001, rel=1e-12)
    with pytest.raises(ParameterError, match=f"above {lowest:.6g} Hz"):
        bar.with_pitch(lowest * 0.999)


def test_wire():
    # 0.30 mm steel of 7850 kg/m^3 and 200 GPa: 5.549e-4 kg/m and 7.952e-5 N m^2, the paper's string
    wire = String.from_material(length=0.88, radius=0.15e-3, density=7850.0, youngs_modulus=2e11,
                                pitch=185.0, sigma0=0.6)
    assert wire.linear_density == pytest.approx(7850.0 * math.pi * 0.15e-3**2, rel=1e-15)
    assert wire.linear_density == pytest.approx(5.549e-4, rel=1e-4)
    assert wire.bending_stiffness == pytest.approx(7.952e-5, rel=1e-4)
    assert wire.frequency(1) == pytest.approx(185.0, rel=1e-12)
    tense = String.from_material(length=0.88, radius=0.15e-3, density=7850.0, youngs_modulus=2e11,
                                 tension=58.0)
    assert tense.tension == 58.0


def test_grid_losses_meet_both_frequencies():
    string = String(length=0.5, tension=50.0, linear_density=5.55e-4, bending_stiffness=7.95e-5,
                    sigma0=0.6, sigma1=1e-3, sigma3=5e-6)
    f1, f2 = string.frequency(1), string.frequency(20)
    fitted = string.grid_losses(f1, f2)
    assert (fitted.sigma1, fitted.sigma3) == (0.0, 0.0)
    # the fit is at undamped frequencies, which differ from these by (alpha / omega)^2 / 2 < 1e-6
    for i in (1, 20):
        b = string.wave_number(i)
        assert fitted.decay_rate(b) == pytest.approx(string.decay_rate(b), rel=1e-6)
    with pytest.raises(ParameterError, match="sigma0 < 0"):
        string.grid_losses(string.frequency(40), string.frequency(60))


def test_count_and_limit_agree():
    all_of_them = string_modes(SITAR, max_frequency=20e3)
    first = string_modes(SITAR, count=7)
    assert first.frequencies.tolist() == all_of_them.frequencies[:7].tolist()
    # strictly below: the limit itself is out
    assert string_modes(SITAR, max_frequency=SITAR.frequency(7)).count == 6
    assert string_modes(SITAR, max_frequency=math.nextafter(SITAR.frequency(7),
                                                            math.inf)).count == 7


def test_shapes():
    modes = string_modes(IDEAL, count=20)
    i = np.arange(1, 21)
    # arguments up to 20 pi, rounded: errors up to 20 pi 2^-53 = 7e-15
    assert modes.shape(0.125) == pytest.approx(np.sin(i * np.pi / 4.0), abs=1e-14)
    assert modes.shape(0.0).tolist() == [0.0] * 20
    assert modes.spread(0.125, 0.0).tolist() == modes.shape(0.125).tolist()
    # the spread shape is the mean of the shape over the width: (cos b(x - w/2) - cos b(x + w/2)) /
    # (b w)
    b = modes.wave_numbers
    mean = (np.cos(b * 0.12) - np.cos(b * 0.13)) / (b * 0.01)
    # the difference cancels 1/(b w) = 16 times
    assert modes.spread(0.125, 0.01) == pytest.approx(mean, abs=1e-13)


def test_end_forces_are_those_of_the_slope():
    modes = string_modes(SITAR, count=5)
    b = modes.wave_numbers
    y = np.array([1e-3, -2e-4, 3e-4, 1e-5, -4e-5])
    # T y'(0) - EI y'''(0) of sum y_i sin(b_i x), and minus that at x = L, where cos(b_i L) = (-1)^i
    start = float(sum(y * (50.0 * b + 7.95e-5 * b**3)))
    end = float(-sum(y * np.cos(b * 0.5) * (50.0 * b + 7.95e-5 * b**3)))
    assert float(sum(modes.slope_force_start() * y)) == pytest.approx(start, rel=1e-13)
    assert float(sum(modes.slope_force_end() * y)) == pytest.approx(end, rel=1e-13)


def test_other_tension():
    modes = string_modes(SITAR, count=60)
    tighter = String(length=0.5, tension=60.0, linear_density=5.55e-4, bending_stiffness=7.95e-5,
                     sigma0=0.6, sigma1=6.5e-3, sigma3=5e-6)
    assert modes.angular_frequencies_at(60.0) == pytest.approx(
        string_modes(tighter, count=60).angular_frequencies, rel=1e-14)
    # sqrt(x^2) is x for every double that neither overflows nor underflows: no change of tension is
    # no change at all
    assert modes.angular_frequencies_at(50.0).tolist() == modes.angular_frequencies.tolist()
    with pytest.raises(ParameterError, match="overdamped"):
        string_modes(String(length=1.0, tension=100.0, linear_density=0.01, sigma0=300.0),
                     count=1).angular_frequencies_at(50.0)


def test_measured_modes():
    f, a = [301.0, 603.5, 910.0], [1.0, 2.0, 3.0]
    modes = string_modes(SITAR, frequencies=f, decay_rates=a)
    assert modes.frequencies == pytest.approx(f, rel=1e-15)
    assert modes.decay_rates.tolist() == a
    assert string_modes(SITAR, frequencies=f).decay_rates.tolist() == string_modes(
        SITAR, count=3).decay_rates.tolist()
    assert string_modes(SITAR, frequencies=f, max_frequency=700.0).count == 2
    assert string_modes(SITAR, frequencies=f, count=1).count == 1
    own = string_modes(SITAR, decay_rates=a)
    assert own.angular_frequencies**2 + own.decay_rates**2 == pytest.approx(
        string_modes(SITAR, count=3).angular_frequencies**2
        + string_modes(SITAR, count=3).decay_rates**2, rel=1e-14)


def test_arrays_are_read_only():
    modes = string_modes(SITAR, count=3)
    for array in (modes.wave_numbers, modes.shape(0.1), modes.slope_force_end(), modes.frequencies):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


GOOD = {"length": 0.5, "tension": 50.0, "linear_density": 5.55e-4}


@pytest.mark.parametrize(("name", "value"), [*((name, value) for name in GOOD for value in (
    0.0, -1.0, math.nan, math.inf, "5", None, True, 10**400)), *(
        (name, value) for name in ("bending_stiffness", "sigma0", "sigma1", "sigma2", "sigma3")
        for value in (-1e-9, math.nan, math.inf, 1j))])
def test_string_ranges(name, value):
    with pytest.raises(ParameterError, match=f"^{name} is ") as caught:
        String(**{**GOOD, name: value})
    assert caught.value.name == name


@pytest.mark.parametrize(("arguments", "message"), [
    ({}, "exactly one of max_frequency"),
    ({"count": 3, "max_frequency": 100.0}, "exactly one of max_frequency"),
    ({"count": 0}, "from 1 to 4096"),
    ({"count": 4097}, "from 1 to 4096"),
    ({"count": 2.0}, "whole number"),
    ({"max_frequency": -1.0}, r"\(Hz\), above 0"),
    ({"max_frequency": math.nan}, r"\(Hz\), above 0"),
    ({"max_frequency": 100.0}, "no mode of the string"),
    ({"frequencies": [300.0, 200.0]}, "expected rising frequencies"),
    ({"frequencies": [300.0, math.nan]}, r"frequencies\[1\] is nan"),
    ({"frequencies": [300.0, 600.0], "decay_rates": [1.0]}, "one for each of the 2"),
    ({"frequencies": [300.0, 600.0], "count": 3
      }, "expected at most 2, the number of measured modes"),
    ({"decay_rates": [1.0, -1.0]}, r"decay_rates\[1\] is -1"),
    ({"decay_rates": [1.0], "max_frequency": 1000.0}, "for every mode below"),
    ({"decay_rates": [1.0, 1e9]}, "decay rate of mode 2.*overdamped"),
    ({"frequencies": []}, "one or more"),
    ({"frequencies": ["300"]}, "one or more"),
    ({"frequencies": [True]}, "one or more"),
    ({"frequencies": [300.0, [1.0]]}, "one or more"),
    ({"frequencies": [10**400]}, "one or more"),
    ({"frequencies": [[300.0]]}, "one or more"),
])
def test_mode_ranges(arguments, message):
    with pytest.raises(ParameterError, match=message):
        string_modes(SITAR, **arguments)


def test_a_decay_rate_for_each_mode_below_a_limit_is_enough():
    string = String(length=1.0, tension=1.0, linear_density=1.0)          # partials every 0.5 Hz
    measured = [3.0, 2.0, 1.0]
    assert string_modes(string, decay_rates=measured,
                        max_frequency=1.9).decay_rates.tolist() == measured
    with pytest.raises(ParameterError, match="for every mode below"):
        string_modes(string, decay_rates=measured, max_frequency=2.1)


def test_too_many_modes():
    low = String(length=1.0, tension=1.0, linear_density=1.0)          # partials every 0.5 Hz
    with pytest.raises(ParameterError, match="more than 4096"):
        string_modes(low, max_frequency=2048.51)
    assert string_modes(low, max_frequency=2048.2).count == 4096


def test_overdamped_modes_are_reported():
    thick = String(length=0.5, tension=50.0, linear_density=5.55e-4, sigma3=1e-2)
    with pytest.raises(ParameterError, match="overdamped"):
        string_modes(thick, max_frequency=20e3)
    with pytest.raises(ParameterError, match="overdamped"):
        thick.frequency(60)
    with pytest.raises(ParameterError, match="whole number"):
        thick.frequency(0)


@pytest.mark.parametrize(("name", "value"), [
    ("position", -0.001),
    ("position", 0.501),
    ("position", math.nan),
    ("width", -0.01),
    ("width", 0.51),
    ("position", 0.004),
])
def test_places_on_the_string(name, value):
    modes = string_modes(SITAR, count=3)
    arguments = {"position": 0.25, "width": 0.01, name: value}
    with pytest.raises(ParameterError, match=f"^{name} is "):
        modes.spread(arguments["position"], arguments["width"])


def test_modes_check_themselves():
    good = {"wave_numbers": [1.0, 2.0], "angular_frequencies": [1.0, 2.0],
            "decay_rates": [0.0, 0.0], "masses": [1.0, 1.0]}
    assert StringModes(string=SITAR, **good).count == 2
    for name, bad in (("masses", [1.0, 0.0]), ("masses", [1.0]),
                      ("angular_frequencies", [0.0, 1.0]), ("decay_rates", [0.0, -1.0])):
        with pytest.raises(ParameterError, match=f"^{name}"):
            StringModes(string=SITAR, **{**good, name: bad})


@pytest.mark.parametrize("pair", [{}, {"tension": 50.0, "pitch": 185.0}])
def test_wire_needs_tension_or_pitch(pair):
    with pytest.raises(ParameterError, match="exactly one of tension"):
        String.from_material(length=0.88, radius=0.15e-3, density=7850.0, youngs_modulus=2e11,
                             **pair)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_t60_range(value):
    for convert in (damping.decay_rate_from_t60, damping.t60_from_decay_rate):
        with pytest.raises(ParameterError):
            convert(value)
