"""How long the schemes make a contact: against runs, and against the closed forms of its ends."""
import math

import pytest

from pysitar.analytic import duration_excess, lossless_contact_time
from pysitar.errors import ParameterError
from pysitar.models.masses.mass_barrier import mass_barrier
from pysitar.physics.lossless_contact import scheme_contact_time

MASS, RATE, PHASES = 1e-9, 48000.0, 48          # kg, Hz; phases of the entry over one step
SCHEMES = ("two-point", "three-point")


def stiffness_for(steps, exponent):
    """N/m^exponent, so that at 1 m/s the contact lasts so many steps: it goes as stiffness^(-1 /
    (exponent + 1))."""
    soft = RATE * lossless_contact_time(mass=MASS, stiffness=1.0, exponent=exponent, velocity=1.0)
    return (soft / steps) ** (exponent + 1.0)


def measured(scheme, steps, exponent):
    """The mean over phases of when the line of the flight away leaves the barrier less when that of
    the flight there met it (steps)."""
    total = 0.0
    for phase in range(PHASES):
        gap = (3.0 + (phase + 0.5) / PHASES) / RATE
        count = 12 + math.ceil(steps)
        run = mass_barrier(mass=MASS, stiffness=stiffness_for(steps, exponent), exponent=exponent,
                           sample_rate=RATE, steps=count, position=-gap, velocity=1.0,
                           scheme=scheme)
        after = run.position[-2:]
        assert after[1] < after[0] <= 0.0          # away, and free
        total += count - 1 - after[1] / (after[1] - after[0]) - gap * RATE
    return total / PHASES


# the bounds of the docstring: for exponent 1 the two-point scheme's frequency in contact is exact,
# what remains is the entry and the exit
@pytest.mark.parametrize(("scheme", "exponent", "steps", "low", "high"), [
    ("two-point", 1.0, 0.2, -0.013, 0.0),
    ("two-point", 1.0, 1.0, -0.002, 0.003),
    ("two-point", 1.0, 2.0, -0.001, 0.001),
    ("two-point", 1.5, 0.2, 0.0, 0.02),
    ("two-point", 1.5, 2.0, 0.0, 0.006),
    ("two-point", 3.0, 0.2, 0.05, 0.09),
    ("two-point", 3.0, 6.0, -0.003, 0.003),
    ("three-point", 1.0, 0.2, 0.10, 0.12),
    ("three-point", 1.0, 2.0, 0.0, 0.005),
    ("three-point", 1.5, 2.0, 0.0, 0.013),
    ("three-point", 3.0, 0.2, 0.11, 0.14),
    ("three-point", 3.0, 10.0, -0.003, 0.003),
])
def test_it_is_what_runs_do_on_average(scheme, exponent, steps, low, high):
    reports = RATE * scheme_contact_time(scheme=scheme, contact_time=steps / RATE,
                                         exponent=exponent, sample_rate=RATE)
    assert low <= reports / measured(scheme, steps, exponent) - 1.0 <= high


@pytest.mark.parametrize("exponent", [1.0, 1.3, 2.0, 3.0])
@pytest.mark.parametrize(("scheme", "factor"), [("two-point", 1.0), ("three-point", 2.5)])
def test_a_long_contact_is_stretched_by_the_leading_term(scheme, factor, exponent):
    omega = 0.01
    reports = scheme_contact_time(scheme=scheme, contact_time=math.pi / omega / RATE,
                               exponent=exponent, sample_rate=RATE)
    excess = factor * duration_excess(exponent) * omega * omega / (6.0 * (exponent + 1.0))
    # the next term is of order omega^2 of it
    assert reports * RATE * omega / math.pi - 1.0 == pytest.approx(excess, rel=3e-4)


def test_exponent_one_has_a_closed_form():
    """In contact the numerical frequency is 2 atan(Omega / 2) (two-point), acos(1 / (1 + Omega^2 /
    2)) (three-point), in steps."""
    for steps in (0.3, 1.0, 1.7, 5.0, 40.0):
        omega = math.pi / steps
        two, three = (RATE * scheme_contact_time(scheme=scheme, contact_time=steps / RATE,
                                                 sample_rate=RATE) for scheme in SCHEMES)
        assert two == pytest.approx(math.pi / (2.0 * math.atan(0.5 * omega)), rel=1e-12)
        assert three == pytest.approx(math.pi / math.acos(1.0 / (1.0 + 0.5 * omega * omega)),
                                      rel=1e-12)


def test_it_has_its_ends():
    for scheme, least in zip(SCHEMES, (1.0, 2.0), strict=True):
        shortest = scheme_contact_time(scheme=scheme, contact_time=1e-12, exponent=1.5,
                                       sample_rate=RATE)
        assert shortest * RATE == pytest.approx(least, rel=0.01)
        # beyond a million steps the excess is under rounding
        assert scheme_contact_time(scheme=scheme, contact_time=1e3, sample_rate=RATE) == 1e3


@pytest.mark.parametrize("wrong",
                         [{"scheme": "explicit"}, {"contact_time": 0.0}, {"contact_time": math.nan},
                          {"exponent": 0.5}, {"sample_rate": 0.0}])
def test_what_is_wrong_is_reported(wrong):
    good = {"scheme": "two-point", "contact_time": 1e-5, "exponent": 1.5, "sample_rate": RATE}
    with pytest.raises(ParameterError) as raised:
        scheme_contact_time(**(good | wrong))
    assert raised.value.name == next(iter(wrong))
