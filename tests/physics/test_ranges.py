"""Every quantity has a range with a unit in which squares and products stay finite, and the objects
of physics refuse the rest."""
import math

import pytest

from pysitar import (
    Barrier,
    ContactLaw,
    ModalObject,
    ParameterError,
    String,
    StringSimulation,
    parabola,
)
from pysitar.gestures.catalogue import GESTURES
from pysitar.gestures.pluck import FORCE, POSITION
from pysitar.models.definitions import masses, objects, strings
from pysitar.models.definitions.objects import BallSpec
from pysitar.models.definitions.schema import keys_of, schema
from pysitar.models.definitions.spec import GROUPS, BodySpec, InstrumentSpec
from pysitar.physics import ranges
from pysitar.physics.damping import (
    decay_rate,
    decay_rate_from_quality,
    decay_rate_from_t60,
    t60_from_decay_rate,
)
from pysitar.physics.excitation import raised_cosine, ramp_release, triangle
from pysitar.physics.modes import string_modes
from pysitar.physics.parameters import Length, Parameter, check_position, check_value
from pysitar.physics.ranges import Range

RANGES = {name: value for name, value in vars(ranges).items() if isinstance(value, Range)}
TINY = (5e-324, 1e-320, 1e-300, 1e-170)
HUGE = (1e170, 1e300, math.inf, math.nan)
STRING = {"length": 0.65, "tension": 70.0, "linear_density": 4e-3}


def parameters():
    """Every parameter of every table and verb, by its module and name."""
    tables = [schema(each) for each in (InstrumentSpec, BodySpec, BallSpec)]
    tables += [table for part in GROUPS.values() for table in (part, *part.tables.values())]
    for table in tables:
        for key, parameter in {**table.keys, **table.lists}.items():
            yield f"{table.table.__module__}.{table.table.__name__}.{key}", parameter
    for gesture in GESTURES:
        for key, parameter in gesture.parameters.items():
            yield f"{gesture!r}.{key}", parameter
    for module in (strings, masses, objects):
        for name, value in vars(module).items():
            if isinstance(value, Parameter):
                yield f"{module.__name__}.{name}", value
            table = value if isinstance(value, dict) else {}
            for key, parameter in table.items():
                if isinstance(parameter, Parameter):
                    yield f"{module.__name__}.{name}.{key}", parameter


PARAMETERS = dict(parameters())


@pytest.mark.parametrize("name", RANGES)
def test_squares_and_products_stay_finite(name):
    within = RANGES[name]
    least = max(within.low, within.smallest) if within.low > 0.0 else within.smallest
    assert math.isfinite(within.low) and math.isfinite(within.high) and within.high**4 < 1e100
    assert least == 0.0 or least**4 > 1e-200


def refused(make, *values):
    with pytest.raises(ParameterError) as caught:
        make(*values)
    return str(caught.value)


def test_every_parameter_of_a_table_has_a_range():
    ranged = {name: parameter for name, parameter in PARAMETERS.items()
              if parameter.kind in {"number", "list", "position", "pitch"}}
    assert len(ranged) > 250
    for name, parameter in ranged.items():
        assert parameter.low is not None and math.isfinite(parameter.low), name
        if parameter.name != "extent":          # which the length of its string bounds
            assert parameter.high is not None and abs(parameter.high) <= 1e16, name
        # a mode may be in a node but for rounding, and a term of a sum may have any size
        assert parameter.smallest >= 1e-30 or parameter.name in {
            "shapes", "weights", "corrections", "places"}, name
        if parameter.kind == "number":
            for value in (*TINY, *HUGE):
                refused(check_value, parameter, -value)
                if parameter.high is not None or not 1.0 < value < math.inf:
                    refused(check_value, parameter, value)


def test_a_message_has_the_least_size():
    with pytest.raises(ParameterError,
                       match=r"^core_diameter is 1e-300; expected 0, or at least 1e-06 m$"):
        check_value(keys_of(strings.StringSpec)["core_diameter"], 1e-300)
    with pytest.raises(ParameterError,
                       match=r"^force is -1e-160; expected at least 1e-09 N in size$"):
        check_value(FORCE, -1e-160)
    with pytest.raises(ParameterError, match=r"^position is 1e-09; expected at least 6.5e-07 m$"):
        check_position(POSITION, Length(1e-9), 0.65)
    assert check_value(keys_of(strings.StringSpec)["core_diameter"], 0) == 0.0


@pytest.mark.parametrize(
    "name",
    [*STRING, "bending_stiffness", "axial_stiffness", "sigma0", "sigma1", "sigma2", "sigma3"])
def test_a_string_refuses_what_is_no_size(name):
    for value in (*TINY, *HUGE, -1e-300, -1e300):
        assert refused(lambda v: String(**STRING | {name: v}), value).startswith(f"{name} is ")


@pytest.mark.parametrize("make", [
    lambda v: ContactLaw(stiffness=v),
    lambda v: ContactLaw(stiffness=1.0, damping=v),
    lambda v: ContactLaw(stiffness=1.0, exponent=v),
    lambda v: String.from_material(length=1.0, radius=v, density=7850.0, youngs_modulus=2e11,
                                   tension=1.0),
    lambda v: String.from_material(length=1.0, radius=1e-3, density=v, youngs_modulus=2e11, tension=
                                   1.0),
    lambda v: String.from_material(length=1.0, radius=1e-3, density=7850.0, youngs_modulus=v,
                                   tension=1.0),
    lambda v: String(**STRING).with_pitch(v),
    lambda v: decay_rate_from_t60(v),
    lambda v: t60_from_decay_rate(v),
    lambda v: decay_rate_from_quality(440.0, v),
    lambda v: decay_rate(1.0, sigma2=v),
    lambda v: ModalObject(frequencies=[440.0], decay_rates=[1.0], masses=[v], shapes=[1.0]),
    lambda v: raised_cosine(force=1.0, duration=1e-3, time_step=v),
    lambda v: ramp_release(force=v, ramp=1e-3, release=0.0, time_step=1e-5),
    lambda v: StringSimulation(string=String(**STRING), sample_rate=v, modes=3),
    lambda v: StringSimulation(string=String(**STRING), sample_rate=48e3, modes=3).pluck(
        position=0.1, force=v, duration=1e-3),
    lambda v: StringSimulation(string=String(**STRING), sample_rate=48e3, modes=3).pluck(
        position=0.1, force=1.0, width=v, duration=1e-3),
    lambda v: StringSimulation(string=String(**STRING), sample_rate=48e3, scheme="fd-iterative").
    pluck(position=0.1, force=1.0, width=v, duration=1e-3),
])
def test_what_is_out_of_range_is_refused(make):
    for value in (*TINY, *HUGE):
        refused(make, value)


@pytest.mark.parametrize("value", [1e100, -1e100, 1e300, math.inf, math.nan])
def test_a_height_is_no_hundredth_power(value):
    law = ContactLaw(stiffness=1e8)
    sim = StringSimulation(string=String(**STRING), sample_rate=48e3, modes=3)
    for make in (
            lambda: Barrier.point(position=0.1, height=value, law=law),
            lambda: parabola(start=0.0, extent=0.1, height=value),
            lambda: Barrier.at(positions=[0.1], heights=[value], weights=[1e-3], law=law),
            lambda: Barrier(profile=lambda x: value, start=0.0, end=0.1, points=2, law=law),
            lambda: triangle(string_modes(String(**STRING), count=2), position=0.1, height=value),
            lambda: sim.set_displacement(lambda x: value),
            lambda: sim.set_displacement(modal=[0.0, value, 0.0]),
            lambda: sim.set_displacement(triangle=(0.1, value)),
            lambda: sim.drive(position=0.1, force=[0.0, value]),
    ):
        with pytest.raises(ParameterError):
            make()


def test_losses_are_fitted_at_two_frequencies_apart():
    string = String(**STRING, sigma0=1.0, sigma2=1e-3)
    with pytest.raises(ParameterError, match="f2"):
        string.grid_losses(100.0, math.nextafter(100.0, math.inf))
    assert String(**STRING,
                  sigma2=1e-3).grid_losses(100.0, 1000.0).sigma0 == pytest.approx(0.0, abs=1e-12)


def test_a_pitch_whose_tension_is_none():
    with pytest.raises(
            ParameterError,
            match=r"^pitch is 1e-07; the tension would be 6.76e-17 N; expected 1e-12 to 1e\+09 N$"):
        String(**STRING).with_pitch(1e-7)
    with pytest.raises(ParameterError, match=r"expected 1e-12 to 1e\+09 N$"):
        String(**STRING).with_pitch(1e8)
