"""A bowed string, and a string that rubs on its bridge, by `StringSimulation`: golden numbers."""
import math

import numpy as np
import pytest

import pysitar
from pysitar.kernels.modal.network import NORMAL_FORCE
from pysitar.models.network.friction import (
    MoreModes,
    Rub,
    bristle,
    constant_friction,
    rubbing_rows,
    set_friction,
    thread_rows,
)
from pysitar.models.network.network import Row, barrier_rows, network
from pysitar.physics.bow import BridgeFriction, hair_places, schelleng_limits
from pysitar.physics.contact import LINEAR, LawValues
from pysitar.physics.excitation import triangle
from pysitar.physics.modes import string_modes

DENSITY = 45.0 / (2.0 * 0.325 * 196.0) ** 2
TORSION = pysitar.Torsion()


def violin(**values):
    """The G string of a violin: its impedance is 0.353 kg/s."""
    return pysitar.String(length=0.325, tension=45.0, linear_density=DENSITY,
                          bending_stiffness=4e-5, sigma0=1.2, sigma1=0.06, sigma3=3e-6, **values)


def simulation(bow, rate=88200.0, **values):
    return pysitar.StringSimulation(string=violin(), sample_rate=rate, bow=bow, **values)


def test_start_of_a_bow():
    # F4: 12 digits are printed
    bow = pysitar.Bow(position=0.11 * 0.325, speed=0.1, force=0.6, torsion=TORSION)
    run = simulation(bow).run(800, ["bow_force", "force_end"])
    force, _ = run.outputs.T
    assert force[[0, 10, 50, 100, 199]] == pytest.approx(
        [1.06634042148e-1, 6.70754760279e-2, 9.73723505315e-2, 1.63039745484e-1,
         2.92979987025e-1], rel=1e-11)
    assert force[[400, 799]] == pytest.approx([0.60418629924, 0.60938293595], rel=1e-10)
    assert run.energy[199] == pytest.approx(3.801062438058e-5, rel=1e-11)
    start = simulation(bow).run(200, ["force_start"]).outputs[:, 0]
    # the weights of F4 are of the bridge end without its sign
    assert start[[50, 100, 199]] == pytest.approx(
        [7.12410599062e-2, 1.44567332425e-1, 2.92330630744e-1], rel=1e-11)
    assert run.residual < 1e-13


def steady(beta, speed, force, rate):
    """Pitch (Hz), slips in a period, slip fraction, mean force (N), bow and friction power (W) of
    the last 0.2 s of 1.2 s; the speed rises in 20 ms."""
    rise = int(0.02 * rate)
    ramp = speed * np.minimum(np.arange(rise + 1) / rise, 1.0)
    bow = pysitar.Bow(position=beta * 0.325, speed=ramp, force=force, torsion=TORSION)
    played = simulation(bow, rate)
    first = played.run(int(1.0 * rate), energy_every=64)
    kernel, n = played._kernel, int(0.2 * rate)
    slip = np.empty(n)
    forces = np.empty(n)
    out = np.empty((1, 1))
    work, heat = kernel.friction_work, kernel.friction_heat
    for i in range(n):
        kernel.advance(1, out)
        slip[i], forces[i] = kernel.memory()[0, 1], kernel.force()[0]
    slipping = slip > 0.25 * speed / beta
    starts = np.flatnonzero(slipping[1:] & ~slipping[:-1])
    # the period: of the mean motion, by the slips' starts (one each)
    period = (starts[-1] - starts[0]) / (starts.size - 1) / rate
    assert first.residual < 1e-12
    return (1.0 / period, slipping.mean(), forces.mean(), slip.max(),
            (kernel.friction_work - work) / 0.2, (kernel.friction_heat - heat) / 0.2)


@pytest.mark.parametrize(("beta", "speed", "force", "rate", "expected"), [
    (0.11, 0.1, 0.6, 96000.0, (193.74, 0.1086, 0.2456, 1.638, 0.02456, 0.02131)),
    (0.20, 0.2, 0.36, 88200.0, (195.83, 0.2029, 0.1351, 1.301, 0.02702, 0.02519))])
def test_helmholtz_motion(beta, speed, force, rate, expected):
    # F5: 1 %, the pitch 0.1 Hz; one slip in a period, or the pitch would be a multiple
    found = steady(beta, speed, force, rate)
    assert found[0] == pytest.approx(expected[0], abs=0.1)
    assert found[1:] == pytest.approx(expected[1:], rel=0.01)


def test_flattening():
    # at beta 0.11, v 0.1: -5.0 and -12.5 cents at N 0.3 and 0.4, within 1 cent
    for force, cents in ((0.3, -5.0), (0.4, -12.5)):
        pitch, slip, *_ = steady(0.11, 0.1, force, 96000.0)
        assert 1200.0 * math.log2(pitch / 196.0) == pytest.approx(cents, abs=1.0)
        assert 0.9 < slip / 0.11 < 1.1


def test_bow_with_curves_balances():
    # reversal and swell, two hairs, with statics and a bridge as well
    n = 3000
    at = np.arange(n) / n
    bow = pysitar.Bow(position=0.03, speed=0.2 * np.cos(3.0 * np.pi * at),
                      force=0.5 * np.sin(np.pi * at) ** 2, hairs=2, width=0.004)
    bridge = pysitar.Barrier(profile=pysitar.parabola(start=0.0, extent=0.01, height=2e-5),
                             start=0.0, end=0.01, points=4, law=pysitar.ContactLaw(stiffness=1e9))
    for values in ({}, {"barriers": [bridge]}, {"barriers": [bridge], "statics": True},
                   {"barriers": [bridge], "friction": BridgeFriction(tilt=0.05)}):
        run = simulation(bow, 48000.0, **values).run(n, ["force_end", "bow_force"])
        assert run.residual < 1e-12 and run.bow_work > 0.0 < run.friction_heat
        assert run.outputs[-1, 1] == pytest.approx(0.0, abs=1e-5)      # lifted
    plain = simulation(bow, 48000.0).run(n)
    parts = simulation(bow, 48000.0)
    again = np.concatenate([parts.run(1000).outputs, parts.run(2000).outputs])
    assert np.array_equal(plain.outputs, again)


def test_bow_with_tension_modulation():
    bow = pysitar.Bow(position=0.03, speed=0.2, force=0.3, torsion=TORSION)
    stretched = pysitar.StringSimulation(string=violin(axial_stiffness=4e4), sample_rate=48000.0,
                                         bow=bow, tension_modulation=True)
    run = stretched.run(2000, ["tension_rise", "bow_force"])
    assert run.residual < 1e-12 and run.outputs[:, 0].max() > 0.0
    assert np.abs(run.outputs[:, 1]).max() > 0.1


def tanpura():
    """F3: the jora string, its bridge of 6 points, and a thread in both directions."""
    string = pysitar.String(length=1.0, tension=47.6214, linear_density=0.000631334,
                            bending_stiffness=0.000102944, sigma0=0.35, sigma1=0.004, sigma3=3e-6)
    bridge = pysitar.Barrier(profile=pysitar.parabola(start=0.0, extent=0.035, height=6e-5),
                             start=0.0, end=0.035, points=6,
                             law=pysitar.ContactLaw(stiffness=1e9, damping=0.05))
    modes = string_modes(string, max_frequency=4000.0)
    more = MoreModes(modes, 48000.0, detuning=0.003)
    friction = BridgeFriction(coefficient=0.3, tilt=math.radians(3.0))
    normal, rubbing = rubbing_rows(more, barrier_rows(modes, bridge), friction, 48000.0)
    # the thread lies on the bridge, and is tilted with it
    height = 6e-5 * 4.0 * 0.008 * (0.035 - 0.008) / 0.035 ** 2 + 23.7e-6
    thread = Row(shape=modes.shape(0.008), offset=height,
                 law=LawValues(kind=LINEAR, stiffness=1.2e5, damping=1.2))
    rows = [*normal, *thread_rows(more, thread, friction.tilt), *rubbing]
    kernel = network(rows=rows, sample_rate=48000.0, **more.arrays)
    set_friction(kernel, len(normal) + 2,
                 [Rub(curve=constant_friction(0.3), link=k) for k in range(len(normal))], 2)
    y = (more.extend(triangle(modes, position=0.42, height=-1.5e-3))
         + more.extend_side(triangle(modes, position=0.42, height=1e-3)))
    kernel.set_state(y, np.zeros(y.size))
    weights = modes.slope_force_end()
    middle = modes.shape(0.5)
    kernel.set_outputs(np.stack([more.extend(weights), more.extend_side(weights),
                                 more.extend(middle), more.extend_side(middle)]))
    return kernel, len(normal)


def test_tanpura_in_two_directions():
    # F3: 12 digits are printed, 10 of the forces; contact amplifies rounding by the step 100
    kernel, points = tanpura()
    assert kernel.mobility[0, 0] == pytest.approx(4.220406881312e-7, rel=1e-11)
    assert kernel.mobility[8, 8] == pytest.approx(4.221413925466e-7, rel=1e-11)
    out = np.empty((1, 4))
    energies = {}
    for n in range(101):
        energies[n] = kernel.energy()[:3].sum()
        kernel.advance(1, out)
        if n == 40:
            assert out[0] == pytest.approx([-1.08116111105e-1, 8.70724168797e-2,
                                            -8.39631464320e-4, 5.59606331633e-4], rel=1e-10)
        if n == 5:
            forces = kernel.force()
            assert forces[:points] == pytest.approx(
                [19.22540417, 20.29702917, 1.911656634, 0.0, 0.0, 0.0], rel=1e-9)
            assert forces[points + 2:] == pytest.approx(
                [-0.9930129299, -1.946341031, -0.0935842126, 0.0, 0.0, 0.0], rel=1e-9)
    assert out[0] == pytest.approx([-3.32191116942e-2, 3.01906069094e-2, 4.96057454033e-4,
                                    -1.73297940712e-4], rel=1e-9)
    assert energies[40] == pytest.approx(1.576142854800e-3, rel=1e-11)
    assert energies[100] == pytest.approx(1.570902670302e-3, rel=1e-11)


def test_pluck_along_the_bridge_leaves_the_first_direction_at_rest():
    bridge = pysitar.Barrier(profile=lambda x: -1e-5, start=0.0, end=0.02, points=4,
                             law=pysitar.ContactLaw(stiffness=1e9))
    string = pysitar.String(length=1.0, tension=47.6, linear_density=6.3e-4, sigma0=0.35)
    both = pysitar.StringSimulation(string=string, barriers=[bridge], sample_rate=48000.0,
                                    friction=BridgeFriction())
    both.pluck(position=0.4, force=0.5, duration=0.002, angle=0.0)
    run = both.run(2000, ["force_end", "side_force_end", ("side_displacement", 0.5)])
    assert not run.outputs[:, 0].any() and np.abs(run.outputs[:, 1:]).max(axis=0).min() > 0.0
    assert run.friction_heat == 0.0


def test_one_direction_of_two_is_the_string_alone():
    # without tilt and friction, a pluck upwards gives the bits of the string in one direction
    bridge = pysitar.Barrier(profile=lambda x: -1e-5, start=0.0, end=0.02, points=4,
                             law=pysitar.ContactLaw(stiffness=1e9))
    string = pysitar.String(length=1.0, tension=47.6, linear_density=6.3e-4, sigma0=0.35)
    outputs = []
    for friction in (None, BridgeFriction()):
        one = pysitar.StringSimulation(string=string, barriers=[bridge], sample_rate=48000.0,
                                       friction=friction)
        one.pluck(position=0.4, force=0.5, duration=0.002)
        outputs.append(one.run(300, ["force_end", "contact_force"]).outputs)
    # 1e-9: the forces are solved by another method, to 1e-11
    assert outputs[1] == pytest.approx(outputs[0], abs=1e-9 * np.abs(outputs[0]).max())


def test_limits_of_schelleng():
    # the table of docs/friction.md at v = 0.1: one slip lies between them
    for beta, good, few, rough in ((0.12, 0.3, 0.15, 0.6), (0.09, 0.42, 0.1, 1.0)):
        low, high = schelleng_limits(rosin=pysitar.Rosin(), impedance=0.3532, torsion=2.6,
                                     fraction=beta, speed=0.1)
        assert few < low < good < high < rough


def test_hairs_without_a_width_are_one_hair():
    """They share force, stiffness and damping: three equal rows, each with a third of its force.
    The solver ends within 1e-13 of the motion of a step, and 800 of them add up."""
    values = {"position": 0.036, "speed": 0.1, "force": 0.6, "torsion": TORSION}
    one, three, wide = (
        simulation(pysitar.Bow(hairs=hairs, width=width, **values)).run(
            800, ["bow_force", "force_end"]).outputs
        for hairs, width in ((1, 0.0), (3, 0.0), (3, 8e-3)))
    largest = np.abs(one).max(axis=0)
    assert (np.abs(three - one).max(axis=0) < 1e-10 * largest).all()
    assert (np.abs(wide - one).max(axis=0) > 1e-3 * largest).all()


def test_hairs():
    assert hair_places(0.03, 0.008, 1) == [0.03]
    assert hair_places(0.03, 0.008, 3) == pytest.approx([0.026, 0.03, 0.034])


@pytest.mark.parametrize(("values", "message"), [
    ({"position": 0.0, "speed": 0.1, "force": 0.1}, "position is 0.0; expected a finite number"),
    ({"position": 0.1, "speed": 0.1, "force": -0.1}, r"force is -0.1; expected"),
    ({"position": 0.1, "speed": [0.1, math.nan], "force": 0.1}, r"speed\[1\] is nan"),
    ({"position": 0.1, "speed": 0.1, "force": 0.1, "hairs": 0}, "hairs is 0; expected a whole"),
    ({"position": 0.1, "speed": 0.1, "force": 0.1, "rosin": 0.3}, "rosin is 0.3; expected a Ros"),
])
def test_wrong_bows(values, message):
    with pytest.raises(pysitar.ParameterError, match=message):
        pysitar.Bow(**values)


def test_wrong_options():
    bow = pysitar.Bow(position=0.03, speed=0.1, force=0.3)
    for values, message in (
            ({"bow": 0.3}, "expected a Bow, or None"),
            ({"bow": bow, "scheme": "fd-explicit"}, "has no friction; expected two-point"),
            ({"friction": BridgeFriction(detuning=-0.01), "statics": True},
             "detuning is -0.01; expected at least 0 with statics"),
            ({"bow": bow, "corrected": True}, "expected False with bow"),
            ({"bow": pysitar.Bow(position=0.324, speed=0.1, force=0.3, hairs=2, width=0.01)},
             "expected all hairs within the string")):
        with pytest.raises(pysitar.ParameterError, match=message):
            pysitar.StringSimulation(string=pysitar.String(
                length=0.325, tension=45.0, linear_density=DENSITY, sigma0=1.0),
                sample_rate=48000.0, **values)
    plain = pysitar.StringSimulation(string=violin(), sample_rate=48000.0)
    with pytest.raises(pysitar.ParameterError, match="moves in one direction"):
        plain.pluck(position=0.1, force=1.0, duration=0.001, angle=30.0)
    with pytest.raises(pysitar.ParameterError, match="expected force_end"):
        plain.run(10, ["bow_force"])
    assert NORMAL_FORCE == 4 and bristle(2.0, None, 4.0).damping == 0.25
