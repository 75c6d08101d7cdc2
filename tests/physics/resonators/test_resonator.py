"""What all resonators share: the protocol, positions, materials, and a blow by ImpactSimulation."""
import math
import re
from pathlib import Path

import numpy as np
import pytest

import pysitar
from pysitar.errors import ParameterError
from pysitar.physics.modes import string_modes
from pysitar.physics.resonators import losses
from pysitar.physics.resonators.material import MATERIALS
from pysitar.physics.trapezoids import trapezoid_area

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "resonators.md").read_text(encoding="utf-8")
STEEL = pysitar.material("steel")
STRING = pysitar.String(length=0.5, tension=50.0, linear_density=5e-4)
RESONATORS = {
    "string": (lambda: string_modes(STRING, count=8), 0.1),
    "bar": (lambda: pysitar.Bar(length=0.3, width=0.03, thickness=0.005, material=STEEL, modes=8),
            0.1),
    "undercut": (lambda: pysitar.UndercutBar(length=0.3, width=0.03, thickness=0.01, depth=0.5,
                                             material=STEEL, modes=8), 0.1),
    "rectangle": (lambda: pysitar.RectangularPlate(length=0.3, width=0.2, thickness=0.002,
                                                   material=STEEL, modes=8), (0.1, 0.2)),
    "disc": (lambda: pysitar.CircularPlate(radius=0.1, thickness=0.001, material=STEEL, modes=8),
             (0.7, 0.4)),
    "membrane": (lambda: pysitar.Membrane(radius=0.1, tension=1e3, surface_density=0.3, modes=8),
                 (0.7, 0.4)),
    "head": (lambda: pysitar.LoadedMembrane(radius=0.1, tension=1e3, surface_density=0.3, modes=8,
                                            load=[(0.0, 1.0), (0.4, 0.0)]), (0.7, 0.4)),
    "object": (lambda: pysitar.ModalObject(frequencies=[100.0] * 8, decay_rates=[1.0] * 8,
                                           masses=[0.1] * 8, shapes=[1.0] * 8), None),
}


@pytest.mark.parametrize("name", RESONATORS)
def test_each_meets_the_protocol(name):
    build, position = RESONATORS[name]
    resonator = build()
    shape = resonator.shape(position)
    assert resonator.count == 8
    for values in (shape, resonator.angular_frequencies, resonator.decay_rates, resonator.masses):
        assert values.shape == (8,) and values.dtype == np.float64 and np.all(np.isfinite(values))
    assert np.all(resonator.angular_frequencies > 0.0) and np.all(resonator.masses > 0.0)
    struck = pysitar.modal_object(resonator, position)
    assert struck.angular_frequencies == pytest.approx(resonator.angular_frequencies, rel=1e-13)
    assert struck.shapes.tolist() == shape.tolist()


@pytest.mark.parametrize("name", [name for name in RESONATORS if name not in {"string", "object"}])
def test_each_has_the_same_bits_again(name):
    build, position = RESONATORS[name]
    one, other = build(), build()
    assert one.frequencies.tobytes() == other.frequencies.tobytes()
    assert one.shape(position).tobytes() == other.shape(position).tobytes()
    with pytest.raises(ValueError, match="read-only"):
        one.frequencies[0] = 1.0


@pytest.mark.parametrize("name", [name for name in RESONATORS if name != "object"])
def test_positions_outside_are_refused(name):
    build, position = RESONATORS[name]
    outside = (1.5, 0.2) if isinstance(position, tuple) else 1.5
    with pytest.raises(ParameterError):
        build().shape(outside)


def test_a_user_may_bring_a_resonator():
    class Oscillator:
        count = 1
        angular_frequencies = np.array([600.0])
        decay_rates = np.array([2.0])
        masses = np.array([0.5])

        def shape(self, position):
            return np.array([float(position)])

    struck = pysitar.modal_object(Oscillator(), 0.25)
    assert struck.frequencies[0] == pytest.approx(math.hypot(600.0, 2.0) / (2.0 * math.pi))
    assert struck.shapes.tolist() == [0.25]


def test_a_blow_on_a_plate_starts_as_on_an_infinite_one():
    """The ball slows by Zener's law: its speed after the contact is that on an infinite plate, of
    impedance 8 sqrt(D rho h), while no wave has come back from the edge."""
    plate = pysitar.RectangularPlate(length=0.5, width=0.5, thickness=0.004, material=STEEL,
                                     edges="supported", modes=900)
    law = pysitar.ContactLaw(stiffness=2e6, exponent=1.0)
    rate = 768000.0
    run = pysitar.ImpactSimulation(
        body=pysitar.modal_object(plate, (0.51, 0.48)), mass=0.01, law=law, sample_rate=rate,
        velocity=1.0).run(600, outputs=("contact_force", "mass_velocity"))
    force, speed = run.outputs.T
    end = int(np.flatnonzero(force > 0.0)[-1])
    impedance = 8.0 * math.sqrt(STEEL.plate_stiffness(0.004) * 7800.0 * 0.004)
    # m y'' + k y + (m k / Z) y' = 0 of the compression, from y' = 1 until its force ends
    omega, alpha = math.sqrt(2e6 / 0.01), 2e6 / (2.0 * impedance)
    damped = math.sqrt(omega**2 - alpha**2)
    duration = math.pi / damped
    times = np.linspace(0.0, duration, 20001)
    press = np.exp(-alpha * times) * np.sin(damped * times) / damped
    exact = 1.0 - 2e6 / 0.01 * trapezoid_area(press, times)
    assert end / rate == pytest.approx(duration, rel=0.05)
    # modes end at 25 kHz, five times the contact's frequency
    assert speed[-1] == pytest.approx(exact, abs=0.03)
    assert abs(exact) < 0.9                         # the plate took energy


def test_materials():
    for name, found in MATERIALS.items():
        assert pysitar.material(name) is found
        speed = math.sqrt(found.youngs_modulus / found.density)
        # of waves in a rod: from skin to metal and spruce
        assert 500.0 < speed < 5500.0 and 1e-5 < found.loss_factor <= 0.02
        assert found.stiffness_in_shear < 0.5 * found.youngs_modulus
    assert STEEL.plate_stiffness(0.002) == pytest.approx(
        210e9 * 0.002**3 / 12.0 / (1.0 - 0.31**2), rel=1e-15)


def test_the_page_has_the_materials_of_the_table():
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]*) ?\|",
                      PAGE, re.MULTILINE)
    assert {name for name, *_ in rows} == set(MATERIALS)
    for name, density, gigapascals, poisson, loss, shear in rows:
        found = MATERIALS[name]
        assert (found.density, found.poisson_ratio, found.loss_factor) == (
            float(density), float(poisson), float(loss))
        assert found.youngs_modulus == pytest.approx(1e9 * float(gigapascals), rel=1e-15)
        assert (found.shear_modulus is None) == (shear == "")
        if shear:
            assert found.stiffness_in_shear == pytest.approx(
                float(shear) * found.youngs_modulus, rel=1e-15)


def test_the_examples_of_the_page_run():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)
    assert names["run"].outputs.shape[0] == 176400 and names["na"].count == 60
    assert names["run"].residual < 1e-12


@pytest.mark.parametrize(("values", "message"), [
    ({"density": 0.0}, "density"), ({"poisson_ratio": 0.5}, "poisson_ratio"),
    ({"youngs_modulus": -1.0}, "youngs_modulus"), ({"loss_factor": 1.0}, "loss_factor"),
    ({"shear_modulus": 0.0}, "shear_modulus"),
])
def test_refused_materials(values, message):
    with pytest.raises(ParameterError, match=message):
        pysitar.Material(**{"density": 1e3, "youngs_modulus": 1e9, "poisson_ratio": 0.3, **values})


def test_an_unknown_material_has_a_suggestion():
    with pytest.raises(ParameterError, match="did you mean brass"):
        pysitar.material("bras")


def test_radiation_of_an_infinite_plate():
    """Above the critical frequency 1 / sqrt(1 - fc / f); far below a small part, at fc the most."""
    sheet = {"surface_density": 7.8, "stiffness": 17.5, "area": 1.0, "perimeter": 4.0}
    critical = losses.SPEED_OF_SOUND**2 * math.sqrt(7.8 / 17.5)
    at = {ratio: losses.radiation_efficiency(ratio * critical, **sheet)
          for ratio in (0.001, 0.01, 0.1, 0.99, 1.0, 1.01, 2.0, 100.0)}
    assert at[2.0] == pytest.approx(math.sqrt(2.0), rel=1e-12)
    assert at[100.0] == pytest.approx(1.0 / math.sqrt(0.99), rel=1e-12)
    assert at[0.001] < at[0.01] < at[0.1] < 1.0 < at[2.0] < at[0.99]
    # at the critical frequency sqrt(k a) 0.35, whose neighbours are at most that
    highest = 0.35 * math.sqrt(critical / losses.SPEED_OF_SOUND)
    assert at[1.0] == pytest.approx(highest, rel=1e-12)
    assert [at[0.99], at[1.01]] == pytest.approx([highest, highest], rel=0.01)
    # far below: 2 P / (pi k S) (f / fc)^(3/2)
    omega = 0.001 * critical
    assert at[0.001] == pytest.approx(
        2.0 * 4.0 / (math.pi * omega / losses.SPEED_OF_SOUND) * 0.001**1.5, rel=2e-3)


def test_radiation_of_a_bar():
    """At low frequency a line of dipoles, omega^3, at high one two pistons."""
    def rate(omega):
        return losses.decay_of_bar_in_air(omega, width=0.05, thickness=0.02, density=1000.0)

    assert rate(200.0) == pytest.approx(8.0 * rate(100.0), rel=1e-3)
    pistons = losses.AIR_DENSITY * losses.SPEED_OF_SOUND / (1000.0 * 0.02)
    assert rate(1e7) == pytest.approx(pistons, rel=1e-6) and rate(1e4) < pistons
