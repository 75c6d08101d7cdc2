"""Barriers, contact laws and modal objects: where the points are, what they weigh, and what is
refused."""
import copy
import math
import pickle

import numpy as np
import pytest

from pysitar.errors import ParameterError
from pysitar.physics.barrier import SHORTEST, Barrier, check_on_string, parabola
from pysitar.physics.contact import ContactLaw
from pysitar.physics.modal_object import ModalObject
from pysitar.physics.string import String

LAW = ContactLaw(stiffness=1e9)
STRING = String(length=0.5, tension=50.0, linear_density=5.55e-4)


def test_sitar_bridge():
    # van Walstijn & Bridges 2016, section IV-B: y_b = -x (x - 0.03) / 4, apex 56.25 um, ten points
    # 3 mm apart
    barrier = Barrier(profile=parabola(start=0.0, extent=0.03, height=56.25e-6), start=0.0,
                      end=0.03, points=10, law=LAW)
    x = (np.arange(1, 11) - 0.5) * 3e-3
    assert barrier.positions == pytest.approx(x, rel=1e-14)
    assert barrier.heights == pytest.approx(-x * (x - 0.03) / 4.0, rel=1e-13)
    assert barrier.weights == pytest.approx(np.full(10, 3e-3), rel=1e-15)
    assert barrier.row_stiffness == pytest.approx(np.full(10, 3e6), rel=1e-15)
    assert (barrier.lumped, barrier.start, barrier.end, barrier.points) == (False, 0.0, 0.03, 10)
    check_on_string(barrier, STRING)


def test_parabola():
    profile = parabola(start=0.1, extent=0.02, height=-1e-4)
    assert profile(0.11) == pytest.approx(-1e-4, rel=1e-12)
    assert profile(0.1) == 0.0
    assert profile(0.12) == pytest.approx(0.0, abs=1e-18)


def test_weights_cover_the_span():
    barrier = Barrier(profile=math.cos, start=0.05, end=0.35, points=37, law=LAW)
    assert math.fsum(barrier.weights.tolist()) == pytest.approx(0.3, rel=1e-14)
    # the midpoint rule is of second order: the integral of the profile within (b - a) w^2 / 24
    integral = math.fsum((barrier.weights * barrier.heights).tolist())
    assert integral == pytest.approx(
        math.sin(0.35) - math.sin(0.05), abs=0.3 * (0.3 / 37)**2 / 24.0)


def test_given_points():
    barrier = Barrier.at(positions=[0.1, 0.2], heights=[0.0, -1e-3], weights=[0.01, 0.02], law=LAW)
    assert barrier.row_stiffness == pytest.approx([1e7, 2e7], rel=1e-15)
    assert (barrier.profile, barrier.lumped, barrier.points) == (None, False, 2)


def test_point():
    barrier = Barrier.point(position=0.2, height=-1e-3, law=LAW)
    assert barrier.lumped
    assert barrier.row_stiffness.tolist() == [1e9]
    assert (barrier.positions.tolist(), barrier.heights.tolist(),
            barrier.weights.tolist()) == ([0.2], [-1e-3], [1.0])


def test_barrier_is_frozen():
    barrier = Barrier.point(position=0.2, height=0.0, law=LAW)
    with pytest.raises(AttributeError, match="frozen"):
        barrier.law = LAW
    with pytest.raises(ValueError, match="read-only"):
        barrier.heights[0] = 1.0


@pytest.mark.parametrize("position", [0.5, 0.6])
def test_points_lie_inside_the_string(position):
    with pytest.raises(ParameterError, match=r"position\[0\].*between 0 and 0.5 m"):
        check_on_string(Barrier.point(position=position, height=0.0, law=LAW), STRING)


@pytest.mark.parametrize(("changed", "message"), [
    ({"start": -0.1}, r"^start is -0.1.*\(m\), at least 0"),
    ({"end": 0.0}, "^end is"),
    ({"end": math.inf}, "^end is"),
    ({"points": 0}, "^points is 0"),
    ({"points": 3.0}, "^points is"),
    ({"points": 10**6}, "^points is"),
    ({"profile": lambda x: math.nan}, r"profile\(.* m\) is nan"),
    ({"profile": lambda x: "high"}, "profile"),
    ({"law": 3.0}, "ContactLaw"),
])
def test_barrier_ranges(changed, message):
    with pytest.raises(ParameterError, match=message):
        Barrier(**{"profile": abs, "start": 0.0, "end": 0.03, "points": 10, "law": LAW, **changed})


@pytest.mark.parametrize("changed", [
    {"positions": [0.0, 0.2]},
    {"positions": [0.1]},
    {"positions": []},
    {"heights": [0.0, math.inf]},
    {"weights": [0.0, 0.1]},
    {"weights": [0.1]},
])
def test_given_point_ranges(changed):
    with pytest.raises(ParameterError):
        Barrier.at(**{"positions": [0.1, 0.2], "heights": [0.0, 0.0], "weights": [0.1, 0.1],
                      "law": LAW,**changed})


@pytest.mark.parametrize(("name", "value"), [
    ("stiffness", 0.0),
    ("stiffness", -1.0),
    ("stiffness", math.inf),
    ("exponent", 0.99),
    ("exponent", 10.1),
    ("exponent", math.nan),
    ("damping", -1e-9),
    ("damping", math.inf),
    ("adhesive", 1),
    ("stiffness", 1.01e16),
    ("damping", 1.01e6),
    ("adhesive", None),
])
def test_law_ranges(name, value):
    with pytest.raises(ParameterError, match=f"^{name} is "):
        ContactLaw(**{"stiffness": 1e9, name: value})


def test_a_profile_is_a_function():
    with pytest.raises(ParameterError, match=r"^profile is 0.0; expected a function of x \(m\)"):
        Barrier(profile=0.0, start=0.0, end=0.03, points=10, law=LAW)


def barriers():
    dome = parabola(start=0.0, extent=0.03, height=56.25e-6)
    yield Barrier(profile=dome, start=0.0, end=0.03, points=10, law=LAW)
    yield Barrier.at(positions=[0.1, 0.2], heights=[0.0, 1e-3], weights=[0.1, 0.2], law=LAW)
    yield Barrier.point(position=0.2, height=-1e-3, law=ContactLaw(stiffness=1e5, adhesive=False))


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, *(
    lambda barrier, protocol=protocol: pickle.loads(pickle.dumps(barrier, protocol))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1))])
def test_a_copy_is_an_equal_frozen_barrier(twin_of):
    made = list(barriers())
    twins = [twin_of(barrier) for barrier in made]
    assert twins == made and [hash(twin) for twin in twins] == [hash(barrier) for barrier in made]
    assert len(set(made) | set(twins)) == 3 and made[0] != "bridge"
    for twin, barrier in zip(twins, made, strict=True):
        assert np.array_equal(twin.heights, barrier.heights) and np.array_equal(
            twin.row_stiffness, barrier.row_stiffness)
        assert (twin.law, twin.profile, twin.start, twin.end, twin.lumped) == (
            barrier.law, barrier.profile, barrier.start, barrier.end, barrier.lumped)
        with pytest.raises(AttributeError, match="frozen"):
            twin.law = LAW
        with pytest.raises(AttributeError, match="frozen"):
            del twin.law
        with pytest.raises(ValueError, match="read-only"):
            twin.heights[0] = 1.0


def test_barriers_that_differ():
    one = Barrier.point(position=0.2, height=0.0, law=LAW)
    assert one == Barrier.point(position=0.2, height=0.0, law=LAW)
    assert one != Barrier.point(position=0.2, height=1e-6, law=LAW) and one != Barrier.point(
        position=0.2, height=0.0, law=ContactLaw(stiffness=2e9)) and one != Barrier.at(
            positions=[0.2], heights=[0.0], weights=[1.0], law=LAW)


def test_the_shortest_barrier():
    assert parabola(start=0.1, extent=SHORTEST,
                    height=1e-4)(0.1 + 0.5 * SHORTEST) == pytest.approx(1e-4)
    assert Barrier(profile=abs, start=0.1, end=0.1 + SHORTEST, points=2,
                   law=LAW).weights == pytest.approx([0.5 * SHORTEST] * 2)
    for extent in (0.0, 5e-324, 1e-300, 0.99 * SHORTEST):
        with pytest.raises(ParameterError, match=r"^extent is .* \(m\), at least 1e-06"):
            parabola(start=0.1, extent=extent, height=1e-4)
        with pytest.raises(ParameterError, match=r"^end is"):
            Barrier(profile=abs, start=0.1, end=0.1 + extent, points=2, law=LAW)
    with pytest.raises(ParameterError, match=r"^start is 1e\+300; .* at most 1000"):
        Barrier(profile=abs, start=1e300, end=1e300, points=2, law=LAW)


BELL = {"frequencies": [0.0, 440.0], "masses": [0.1, 0.2], "shapes": [1.0, -0.5]}


def test_object_from_quality():
    bell = ModalObject.from_quality(q=[10.0, 100.0], **BELL)
    assert bell.decay_rates == pytest.approx([0.0, math.pi * 4.4], rel=1e-15)
    assert ModalObject.from_quality(q=100.0,
                                    **BELL).decay_rates.tolist() == bell.decay_rates.tolist()
    assert bell.count == 2


@pytest.mark.parametrize("changed", [
    {"frequencies": [-1.0, 2.0]},
    {"decay_rates": [-1.0, 2.0]},
    {"masses": [0.0, 1.0]},
    {"masses": [1.0]},
    {"shapes": [1.0, math.nan]},
    {"frequencies": []},
])
def test_object_ranges(changed):
    with pytest.raises(ParameterError):
        ModalObject(**{**BELL, "decay_rates": [0.0, 1.0], **changed})


@pytest.mark.parametrize("q", [0.0, -1.0, math.inf, [1.0]])
def test_quality_range(q):
    with pytest.raises(ParameterError, match=r"^q"):
        ModalObject.from_quality(q=q, **BELL)
