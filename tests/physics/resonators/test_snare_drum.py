"""A head with snare wires: against the head alone, a NumPy twin, closed forms of its rest, symmetry
and its energy balance."""
import math

import numpy as np
import pytest
from twins.agreement import check_agreement
from twins.two_point import Contact, Linear, TwoPointTwin

import pysitar
from pysitar.errors import ParameterError
from pysitar.models.objects.impact import point_mass, struck_network

HEAD = {"radius": 0.17, "tension": 3000.0, "surface_density": 0.26, "loss_factor": 0.01}
WIRES = {"count": 2, "length": 0.3, "tension": 10.0, "linear_density": 0.01, "stiffness": 2e5,
         "width": 0.04, "decay": 3.0, "modes": 6, "points": 4}
RATE = 48000.0
LAW = pysitar.ContactLaw(stiffness=1e6, exponent=1.5, damping=0.3)


def head(modes=12, **others):
    return pysitar.Membrane(**(HEAD | others), modes=modes)


def drum(*, two_heads=False, modes=12, **wires):
    behind = {"resonant_head": head(modes, tension=2500.0, surface_density=0.1),
              "cavity": 8e-3} if two_heads else {}
    return pysitar.SnareDrum(head=head(modes), wires=pysitar.SnareWires(**(WIRES | wires)),
                             **behind)


def struck(body, steps, position=(0.3, 0.4), velocity=2.0):
    simulation = pysitar.ImpactSimulation(body=pysitar.modal_object(body, position), mass=0.01,
                                          velocity=velocity, law=LAW, sample_rate=RATE)
    return simulation.run(steps, ["body_velocity", "contact_force"])


def network(body, rate=RATE, position=(0.3, 0.4)):
    """The kernel of a drum and a mass that is never there: mode 0, row 0."""
    return struck_network(point_mass(1.0), pysitar.modal_object(body, position),
                          pysitar.ContactLaw(stiffness=1e-6), rate)


def far(kernel):
    """Set the mass of `network` far away; return the displacements of the drum's modes."""
    y = kernel.displacement()
    y[0] = -1.0
    kernel.set_state(y, np.zeros(y.size))
    return y[1:]


def test_without_wires_it_is_the_head():
    """Bit for bit: the same modes, and no rows more."""
    plain, none = struck(head(), 2000), struck(drum(count=0), 2000)
    assert np.array_equal(plain.outputs, none.outputs) and plain.outputs.any()


def test_wires_that_never_touch_do_not_matter():
    plain, off = struck(head(), 2000), struck(drum(gap=0.01), 2000)
    # sums in another order: 2000 steps of roundings, measured 3e-14
    largest = np.abs(plain.outputs).max(axis=0)
    assert np.abs(off.outputs - plain.outputs).max(axis=0) == pytest.approx(0.0, abs=1e-12
                                                                            * largest.min())
    near = struck(drum(gap=1e-5), 2000)
    assert np.abs(near.outputs - plain.outputs).max() > 1e-3 * largest.max()


@pytest.mark.parametrize("two_heads", [False, True])
@pytest.mark.parametrize("law", [{}, {"exponent": 1.5, "stiffness": 1e7}, {"damping": 2.0},
                                 {"gap": -2e-4}])
def test_energy_is_balanced_in_each_step(two_heads, law):
    run = struck(drum(two_heads=two_heads, **law), 4000)
    change = np.abs(np.diff(run.energy + run.losses - run.work))
    assert change.max() < 1e-13 * run.energy.max() and run.residual < 1e-12
    assert run.contact_steps > 700


@pytest.mark.parametrize(("two_heads", "law"), [(False, {}), (True, {"exponent": 1.5,
                                                                     "damping": 2.0})])
def test_it_agrees_with_the_twin(two_heads, law):
    """The first 300 steps after a blow."""
    body = drum(two_heads=two_heads, **law)
    shape = np.concatenate([[-1.0], body.shape((0.3, 0.4))])
    forces = body.internal_forces
    laws = [Contact(stiffness=1e6, exponent=1.5, damping=0.3, adhesive=False)] + [
        Linear(stiffness=force.stiffness) if force.is_spring else
        Contact(stiffness=force.stiffness, exponent=force.exponent, damping=force.damping,
                adhesive=False) for force in forces]
    q = np.zeros(shape.size)
    q[0] = 0.5 * 2.0 / RATE                         # of 2 m/s
    twin = TwoPointTwin(
        omega=[0.0, *body.angular_frequencies], alpha=[0.0, *body.decay_rates],
        mass=[0.01, *body.masses], laws=laws, offset=[0.0] * len(laws), dt=1.0 / RATE, q=q,
        shapes=[shape, *(np.concatenate([[0.0], force.shape]) for force in forces)])
    speeds, touched = [], 0
    for _ in range(300):
        speeds.append(shape[1:] @ twin.q[1:] * 2.0 * RATE)
        twin.step()
        touched += int((twin.f[1:] > 0.0).sum())
    found = struck(body, 300).outputs[:, 0]
    # measured 2e-13 of the largest
    check_agreement(found, speeds, rel=0.0, abs=1e-10 * np.abs(speeds).max())
    assert touched > 300


def test_a_wire_pressed_on_the_head_rests_as_a_triangle():
    """One point in the middle: force -gap / (1/K + C of the wire + C of the head), where C of the
    wire is L / (4 T) and that of the head the sum of shape^2 / (m omega^2)."""
    body = drum(count=1, points=1, modes=40, gap=-1e-3, width=0.0)
    wires = pysitar.SnareWires(**(WIRES | {"count": 1, "points": 1, "modes": 63, "gap": -1e-3}))
    body = pysitar.SnareDrum(head=head(40), wires=wires)
    y = far(network(body, rate=1e6))
    compliance = np.sum(head(40).shape((0.0, 0.0)) ** 2 / (
        head(40).masses * (2.0 * math.pi * head(40).frequencies) ** 2))
    stiffness = 2e5 * 0.3
    # of the wire, the modes above the 63rd are missing: 4 / (pi^2 64) of L / (4 T), 0.6 %
    parts = np.array([8.0 / (math.pi * i) ** 2 for i in range(1, 64, 2)])
    wire = 0.3 / (4.0 * 10.0) * parts.sum()
    assert parts.sum() == pytest.approx(1.0, rel=0.007)
    force = 1e-3 / (1.0 / stiffness + wire + compliance)
    modes = wires.string_modes(0)
    # the scheme's static stiffness is off by (omega dt)^2 / 12, 1e-6 of the wire's highest mode
    middle = modes.shape(0.15) @ y[40:]
    assert middle == pytest.approx(-force * -wire, rel=1e-5)
    assert modes.shape(0.075) @ y[40:] == pytest.approx(0.5 * middle, rel=0.02)
    assert head(40).shape((0.0, 0.0)) @ y[:40] == pytest.approx(-force * compliance, rel=1e-5)


def test_a_pressed_drum_stays_at_rest():
    kernel = network(drum(two_heads=True, gap=-3e-4, exponent=1.5))
    y = far(kernel)
    kernel.set_outputs(np.zeros((0, kernel.modes)))
    kernel.advance(5000, np.empty((5000, 0)))
    # the search ends at roundings of the displacements, 0.1 mm
    assert np.abs(kernel.displacement()[1:] - y).max() < 1e-13 * 1e-4 / 1e-7
    assert np.abs(y).max() > 1e-6 and kernel.energy()[2] > 1e-8


def test_a_blow_on_the_line_of_symmetry_moves_both_wires_alike():
    """Wires at both sides of the line of angle 0, on which the head is struck."""
    body = drum(modes=12, gap=0.0)
    kernel = network(body)
    y = far(kernel)
    v = np.concatenate([[0.0], body.shape((0.4, 0.0)) * 5.0])
    kernel.set_state(np.concatenate([[-1.0], y]), v)
    kernel.set_outputs(np.zeros((0, kernel.modes)))
    kernel.advance(300, np.empty((300, 0)))
    first, second = kernel.displacement()[13:19], kernel.displacement()[19:25]
    assert np.abs(first).max() > 1e-4
    assert np.abs(first - second).max() < 1e-11 * np.abs(first).max()


def test_tensions_and_places_of_the_wires():
    """Four wires: at -3/8, -1/8, 1/8 and 3/8 of the band, their tensions off by twice that times
    the spread, their points 5 mm along."""
    wires = pysitar.SnareWires(**(WIRES | {"count": 4, "spread": 0.2, "shift": 5e-3}))
    first = [wires.string_modes(wire).frequencies[0] for wire in range(4)]
    plain = math.sqrt(10.0 / 0.01) / (2.0 * 0.3)
    assert first == pytest.approx(
        [math.sqrt((plain * math.sqrt(1.0 + 0.2 * part))**2 - (3.0 / (2.0 * math.pi))**2)
         for part in (-0.75, -0.25, 0.25, 0.75)], rel=1e-12)
    points = list(wires.contact_points())
    assert [point[0] for point in points] == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    assert points[0][1:] == pytest.approx((0.0375, 0.0375 - 0.145, -0.015))
    assert points[-1][1:] == pytest.approx((0.2625, 0.2625 - 0.145, 0.015))
    with pytest.raises(ParameterError, match="wire is 4"):
        wires.string_modes(4)


def test_the_wires_are_pushed_away_and_push_back():
    """A head that moves towards the wires throws them in its direction."""
    body = drum(gap=0.0)
    kernel = network(body)
    far(kernel)
    v = np.zeros(kernel.modes)
    v[1] = 1.0                                      # the first mode, towards the wires
    kernel.set_state(np.concatenate([[-1.0], np.zeros(kernel.modes - 1)]), v)
    kernel.set_outputs(np.zeros((0, kernel.modes)))
    kernel.advance(20, np.empty((20, 0)))
    wires = pysitar.SnareWires(**WIRES).string_modes(0)
    assert wires.shape(0.15) @ kernel.velocity()[13:19] > 0.5
    assert 0.0 < kernel.velocity()[1] < 1.0


def test_the_volume_of_a_mode_is_the_integral_of_its_shape():
    one = head(20)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    radii = 0.5 * (1.0 + nodes)
    area = math.pi * 0.17**2
    means = np.mean([[one.shape((float(r), 2.0 * math.pi * k / 8)) for k in range(8)]
                     for r in radii], axis=1)
    # mean over the disc: of r, the integral of 2 r
    assert one.volumes() == pytest.approx(
        area * np.sum(weights[:, None] * radii[:, None] * means, axis=0), abs=1e-13)
    assert abs(one.volumes()[0]) > 0.5 * area


def test_the_air_couples_two_heads():
    """With a mode each, two coupled oscillators: the eigenvalues of a matrix of 2 x 2. Air of no
    loss, and heads of none."""
    heads = [head(1, loss_factor=0.0), head(1, loss_factor=0.0, tension=1500.0,
                                            surface_density=0.1)]
    body = pysitar.SnareDrum(head=heads[0], resonant_head=heads[1], cavity=8e-3,
                             wires=pysitar.SnareWires(**(WIRES | {"count": 0})))
    bulk = 1.204 * 343.2**2
    volumes = np.array([heads[0].volumes()[0], -heads[1].volumes()[0]])
    mass = np.array([one.masses[0] for one in heads])
    stiffness = np.diag(mass * (2.0 * math.pi * np.array([one.frequencies[0] for one in heads]))**2)
    stiffness = stiffness + bulk / 8e-3 * np.outer(volumes, volumes)
    squares, vectors = np.linalg.eigh(stiffness / np.sqrt(np.outer(mass, mass)))
    rate = 1e6
    kernel = network(body, rate=rate)
    for square, vector in zip(squares, (vectors / np.sqrt(mass)[:, None]).T, strict=True):
        start = vector / np.abs(vector).max() * 1e-4
        kernel.set_state(np.concatenate([[-1.0], start]), np.zeros(3))
        kernel.set_outputs(np.zeros((0, 3)))
        steps = 5000
        kernel.advance(steps, np.empty((steps, 0)))
        # the spring's force is the mean of both ends of a step: (omega dt)^2 / 12, 1e-6, of the
        # frequency, over up to three periods
        turn = math.cos(math.sqrt(square) * steps / rate)
        assert kernel.displacement()[1:] == pytest.approx(start * turn, abs=1e-4 * 1e-4)
    alone = [2.0 * math.pi * one.frequencies[0] for one in heads]
    assert math.sqrt(squares[1]) > 1.3 * max(alone)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"wires": {"length": 0.4, "points": 20}}, "expected shorter wires"),
    ({"cavity": 8e-3}, "the air between two heads"),
    ({"resonant_head": head()}, "the air between two heads"),
    ({"wires": {"points": 60, "count": 40}}, "2400 contact points; expected at most 400"),
    ({"wires": {"count": -1}}, "count"), ({"wires": {"gap": 0.02}}, "gap"),
    ({"wires": {"tension": 0.0}}, "tension"),
    ({"head": pysitar.LoadedMembrane(radius=0.17, tension=3e3, surface_density=0.3, modes=3),
      "resonant_head": head(), "cavity": 8e-3}, "expected a Membrane"),
])
def test_what_is_wrong_is_reported(arguments, message):
    with pytest.raises(ParameterError, match=message):
        pysitar.SnareDrum(**({"head": head()} | arguments | {
            "wires": pysitar.SnareWires(**(WIRES | arguments.get("wires", {})))}))


def test_internal_forces_are_checked():
    modes = {"frequencies": [100.0, 200.0], "decay_rates": [1.0, 1.0], "masses": [0.1, 0.1],
             "shapes": [1.0, 0.0]}
    with pytest.raises(ParameterError, match=r"internal_forces\[0\].shape"):
        pysitar.ModalObject(**modes, internal_forces=[
            pysitar.InternalForce(shape=[1.0], stiffness=1.0)])
    with pytest.raises(ParameterError, match="expected an InternalForce"):
        pysitar.ModalObject(**modes, internal_forces=[1.0])
    body = pysitar.ModalObject(**modes, internal_forces=[
        pysitar.InternalForce(shape=[-1.0, 1.0], stiffness=1e3)])
    with pytest.raises(ParameterError, match="1 internal forces; expected an object without"):
        pysitar.RollingSimulation(body=body, mass=0.01, radius=0.01, law=LAW, surface=None,
                                  speed=0.1, sample_rate=RATE)
    simulation = pysitar.ImpactSimulation(body=body, mass=0.01, velocity=0.0, law=LAW, gravity=9.8,
                                          sample_rate=RATE)
    with pytest.raises(ParameterError, match="expected an object without"):
        simulation.drop(height=0.01)
    with pytest.raises(ParameterError, match="mass"):
        pysitar.ImpactSimulation(body=None, mass=body, velocity=0.0, law=LAW, sample_rate=RATE)
