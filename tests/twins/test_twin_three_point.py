"""The three-point twin itself, against golden numbers of an independent computation and its energy
balance.

The golden numbers (G3, G5, G6, G7) were computed by another code and, G5, by scipy.optimize.root on
the paper's own equation: all digits. """
import numpy as np
import pytest
from twins.modal_cases import ideal_parts, sitar_parts
from twins.three_point import ThreePointTwin

DT = 1.0 / 44100.0


def end_force(b):
    return (-1.0) ** np.arange(len(b)) * (50.0 * b + 7.95e-5 * b**3)


def balanced_step(twin, scale):
    """One step whose energy balance holds within 1e-13 of a scale (J): some hundred roundings of
    the stored energies."""
    before = twin.energy() + twin.losses - twin.work
    twin.step()
    assert abs(twin.energy() + twin.losses - twin.work - before) <= 1e-13 * scale


def test_sitar():
    parts, y, b = sitar_parts()
    twin = ThreePointTwin(**parts, y=y)
    force, height, energy = {}, {}, {}
    h0 = twin.energy()
    for n in range(201):
        force[n], height[n], energy[n] = end_force(b) @ twin.y, np.sin(
            b * 0.25) @ twin.y, twin.energy()
        balanced_step(twin, h0)
    # G5: 1e-8 of the greatest F_L, 1.4 N, and of the greatest displacement, 3 mm
    golden = [1.41052036, -0.424028984, -0.426728668, -0.38443343, 1.06495776, -0.430662621]
    assert [force[n] for n in (20, 40, 60, 100, 150, 200)] == pytest.approx(golden, abs=1.4e-8)
    assert [height[n] for n in (60, 100, 200)] == pytest.approx(
        [-0.00212949136, -0.000402498499, -0.0019921202], abs=3e-11)
    assert [energy[n] for n in (0, 100, 200)] == pytest.approx(
        [2.097454882e-3, 2.08465913e-3, 2.066071363e-3], rel=1e-8)


def test_static_equilibrium():
    parts, _, b = sitar_parts()
    twin = ThreePointTwin(**parts)
    twin.settle()
    # G6, 10 digits; it stays (4e-18 m measured)
    assert [np.sin(b * 0.25) @ twin.y, end_force(b) @ twin.y, twin.f.sum()] == pytest.approx(
        [2.979947473e-5, 0.004670101691, 0.664764001], rel=1e-8)
    assert twin.f[[0, 4]] == pytest.approx([0.49908502, 0.16567898], rel=1e-6)
    start = twin.y.copy()
    for _ in range(100):
        twin.step()
    assert twin.y == pytest.approx(start, abs=1e-15)


def test_ideal_string_on_a_flat_barrier():
    parts, y, b = ideal_parts(points=55)
    twin = ThreePointTwin(**parts, y=y)
    h0, heights = twin.energy(), []
    for _ in range(94):
        heights.append(np.sin(b * 0.25) @ twin.y / 1e-3)
        balanced_step(twin, h0)
    # G7, in units of the amplitude
    assert [heights[n] for n in (41, 93)] == pytest.approx([-0.49612137, 1.00959633], abs=1e-7)
    assert abs(twin.energy() - h0) <= 1e-12 * h0
