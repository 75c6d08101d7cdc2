"""Residual compliance: golden numbers, exact rest, balance with its own losses, moving rows,
masses, tension, strings on a common bridge."""
import numpy as np
import pytest
from kernels.modal.test_coupled import BODY, coupled, pluck, string_arguments
from kernels.modal.test_coupled import run as run_coupled
from twins.modal_cases import BRIDGE, DT, SITAR, network, sitar_parts
from twins.networks import imbalance
from twins.two_point import Contact, Linear, string_parameters

from pysitar.kernels.core.string_compliance import point_compliance
from pysitar.kernels.modal.two_point import DAMPING, STATIC_OUTPUTS, STIFFNESS, TwoPoint
from pysitar.physics.contact import FRICTION, LawValues, law_array

LENGTH, TENSION, STIFF = SITAR["length"], SITAR["tension"], SITAR["stiffness"]
# the step before a force, and what two codes of these equations printed (11 digits)
FORCE_END = {
    1.0: {20: 1.4118807527, 40: -.42383967314, 60: -.4256089617, 100: -.35975381295,
          150: 1.127343217, 200: -.43195327149},
    0.75: {20: 1.4118807527, 40: -.42383959918, 60: -.42569060734, 100: -.35834245448}}
SUM_OF_FORCES = {1.0: {40: .0017122479992, 60: 1.2005169774, 200: 2.0980915434},
                 0.75: {40: .0015395038352}}
ENERGY = {1.0: {0: 2.1838258758e-3, 100: 1.9996068813e-3, 200: 1.8771151495e-3},
          0.75: {0: 2.1838258758e-3, 100: 2.0097743452e-3}}
# mpmath: what the static forces are, whatever the scheme
REST = np.array([.0946865493232475, .0744746961543994, .0749393115201006, .0757439666000846,
                 .0802012139714422, 0, 0, 0, 0, 0])


def statics(kernel, *, theta=0.75, positions=BRIDGE, weights=None, string=SITAR, highest=np.inf):
    kernel.set_statics(length=string["length"], tension=string["tension"],
                       bending_stiffness=string["stiffness"], theta=theta, highest=highest,
                       positions=np.array(positions, dtype=float),
                       weights=np.ones(len(positions)) if weights is None else np.array(weights))
    return kernel


def end_weights(b):
    force = TENSION * b + STIFF * b**3
    return np.where(np.arange(b.size) % 2, -1.0, 1.0) * force, force


def static_outputs(kernel, *outputs):
    kernel.set_static_outputs(
        np.array([STATIC_OUTPUTS[kind] for kind, _ in outputs], dtype=np.int32),
        np.array([x for _, x in outputs]))


def sitar(*, rate=1.0 / DT, limit=20e3, theta=0.75, **parts):
    """The sitar string on its bridge; outputs: the forces on both ends, y(L / 2), all contacts."""
    given, y, b = sitar_parts(string=SITAR | {"limit": limit}, **parts)
    kernel = statics(network(TwoPoint, **given | {"dt": 1.0 / rate}), theta=theta)
    weights = np.zeros((4, b.size))
    weights[0], weights[1] = end_weights(b)
    weights[2] = np.sin(b * LENGTH / 2)
    kernel.set_outputs(weights, None, np.array([[0.0] * 10] * 3 + [[1.0] * 10]))
    static_outputs(kernel, ("force_end", 0.0), ("force_start", 0.0),
                   ("displacement", LENGTH / 2), ("none", 0.0))
    return kernel, y


def advance(kernel, steps, **given):
    out, ledger = np.empty((steps, kernel.outputs().size)), np.empty((steps, 6))
    assert kernel.advance(steps, out, energies=ledger, every=1, **given) == steps
    assert kernel.statistics["failures"] == 0
    return out, ledger


def test_compliance():
    """mpmath; R00 has 12 digits, as it is a difference of 2e-5 and 6e-6."""
    kernel, _ = sitar()
    r = kernel.residual_compliance
    assert r[0, 0] == pytest.approx(1.19724972957559e-5, rel=2e-14, abs=0.0)
    assert r[0, 5] == pytest.approx(-3.716647803093e-7, rel=1e-12, abs=0.0)
    assert r[9, 9] == pytest.approx(2.49695919111979e-5, rel=1e-13, abs=0.0)
    assert np.trace(r) == pytest.approx(2.37578462813769e-4, rel=1e-13, abs=0.0)
    eigenvalues = np.linalg.eigvalsh(r)
    assert eigenvalues[0] == pytest.approx(4.599421e-6, rel=1e-6, abs=0.0)
    assert eigenvalues[-1] == pytest.approx(5.123338e-5, rel=1e-6, abs=0.0)
    np.testing.assert_array_equal(r, r.T)


@pytest.mark.parametrize("theta", [1.0, 0.75])
def test_golden_run(theta):
    kernel, y = sitar(theta=theta)
    kernel.set_state(y, 0.0 * y)
    out, ledger = advance(kernel, 201)
    for step, value in FORCE_END[theta].items():      # the last of 11 digits
        assert out[step, 0] == pytest.approx(value, abs=1e-10)
    for step, value in SUM_OF_FORCES[theta].items():
        assert out[step - 1, 3] == pytest.approx(value, abs=1.1e-10)
    for step, value in ENERGY[theta].items():
        assert ledger[step, :3].sum() == pytest.approx(value, abs=1e-13)
    assert imbalance(ledger) < 1e-14
    # 13 % of the energy at 0.75 by these steps; the modes alone lose a third of that
    assert 0.1 < kernel.residual_losses / ledger[0, :3].sum() < 0.2
    assert kernel.residual_losses < ledger[-1, 3]


@pytest.mark.parametrize(("rate", "limit"), [(8e3, 3.6e3), (22050.0, 9e3), (44100.0, 6e3),
                                             (44100.0, 20e3), (96e3, 20e3), (192e3, 60e3)])
def test_rest(rate, limit):
    """Forces to 1e-14 N at any rate and number of modes, kept by the scheme.

    At rest the ends carry all of them. A stiffness K dx of 3e6 N/m makes 1e-21 m of rounding
    of the displacements 3e-15 N. """
    kernel, _ = sitar(rate=rate, limit=limit)
    kernel.set_equilibrium()
    np.testing.assert_allclose(kernel.force(), REST, rtol=0.0, atol=1e-14)
    end, start, middle, _ = kernel.outputs()
    assert end == pytest.approx(.00583447766199156, abs=1e-15)
    assert start == pytest.approx(.394211259907283, abs=1e-14)
    assert middle == pytest.approx(2.91723883105578e-5, abs=2e-14)
    assert end + start == pytest.approx(kernel.force().sum(), abs=1e-14)
    energy, output = kernel.equilibrium_at()
    assert energy == pytest.approx(kernel.energy()[:3].sum(), rel=1e-14)
    assert output == pytest.approx(end, abs=1e-15)
    out, ledger = advance(kernel, 500)
    assert np.abs(out[:, 3] - REST.sum()).max() < 1e-13
    assert np.abs(np.diff(ledger[:, :3].sum(axis=1))).max() < 1e-15 * energy


def test_without_it_rest_is_wrong():
    given, _, _ = sitar_parts()
    kernel = network(TwoPoint, **given)
    kernel.set_equilibrium()
    assert kernel.force().sum() == pytest.approx(1.250372354, rel=1e-8)
    assert kernel.residual_compliance.size == kernel.residual_force.size == 0
    assert kernel.residual_losses == 0.0
    with pytest.raises(RuntimeError, match="set_statics"):
        kernel.set_static_outputs(np.zeros(0, dtype=np.int32), np.zeros(0))


@pytest.mark.parametrize("law", [
    Contact(stiffness=3e8), Contact(stiffness=3e6, damping=5.0),
    Contact(stiffness=3e7, exponent=1.5, damping=0.5),
    Contact(stiffness=3e6, damping=50.0, adhesive=False), Linear(stiffness=1e4, resistance=0.3)],
    ids=["stiff", "damped", "exponent", "clamped", "thread"])
@pytest.mark.parametrize("theta", [0.55, 0.75, 1.0])
def test_balance(law, theta):
    """Exact for any law.  In 600 steps the losses of R are most of all losses on stiff contacts."""
    kernel, y = sitar(theta=theta, laws=[law] * 10)
    kernel.set_state(y, 0.0 * y)
    _, ledger = advance(kernel, 600)
    assert imbalance(ledger) < 3e-14
    assert kernel.residual_losses > 1e-5 * ledger[0, :3].sum()
    assert kernel.statistics["contact_steps"] > 0 or isinstance(law, Linear)


def test_rows_at_a_support_and_twice():
    """R is singular then; nothing inverts it."""
    x = np.array([0.0, 4.5e-3, 4.5e-3, 0.5])
    b, omega, alpha, mass = string_parameters(**SITAR)
    kernel = statics(network(TwoPoint, omega=omega, alpha=alpha, mass=mass,
                             shapes=np.sin(np.outer(x, b)), laws=[Contact(stiffness=1e6)] * 4,
                             offset=[-1e-5, 2e-5, 2e-5, -1e-5]), positions=x)
    assert np.linalg.matrix_rank(kernel.residual_compliance, tol=1e-15) == 1
    kernel.set_equilibrium()
    f = kernel.force()
    assert f[1] == pytest.approx(f[2], rel=1e-11) and f[1] > 0.0
    assert f[1] == pytest.approx(1e6 * 2e-5 / (
        1.0 + 2e6 * point_compliance(LENGTH, TENSION, STIFF, x[1], x[1])), rel=1e-12)
    _, ledger = advance(kernel, 300)
    assert imbalance(ledger) < 1e-14


def test_forces_end_without_contact():
    """g falls by (1 - 1 / theta) a step; under 1e-30 N it is 0, and its energy is in the losses."""
    kernel, y = sitar(theta=0.75)
    kernel.set_equilibrium()
    kernel.set_state(y, 0.0 * y)             # 3 mm above the bridge, g of the rest
    g = [kernel.residual_force]
    before = kernel.energy()[:3].sum() + kernel.residual_losses
    ledgers = []
    for _ in range(30):
        ledgers.append(advance(kernel, 1)[1][0])
        g.append(kernel.residual_force)
    np.testing.assert_allclose(np.array(g[1:25]), -np.array(g[:24]) / 3.0, rtol=1e-13, atol=1e-28)
    _, rest = advance(kernel, 8)
    assert imbalance(np.array([*ledgers, *rest])) < 1e-15
    advance(kernel, 200)
    kernel, y = sitar(theta=0.75, offset=np.full(10, -1.0))
    kernel.set_state(y, 0.0 * y)
    for k in range(10):
        kernel.set_row(k, 2, 1e-4)                         # a bridge that comes and goes
    advance(kernel, 3)
    assert np.any(kernel.residual_force)
    for k in range(10):
        kernel.set_row(k, 2, -1.0)
    advance(kernel, 200)
    assert not np.any(kernel.residual_force) and before > 0.0


def hammered(side):
    """A string with a thread and a hammer; side -1: the hammer is above, 1: below."""
    b, omega, alpha, mass = string_parameters(**SITAR)
    shapes = np.zeros((2, b.size + 1))
    shapes[0, :-1] = np.sin(b * 0.1)
    shapes[1, :-1], shapes[1, -1] = side * np.sin(b * 0.12), -side
    kernel = network(TwoPoint, omega=np.append(omega, 0.0), alpha=np.append(alpha, 0.0),
                     mass=np.append(mass, 1e-3), shapes=shapes,
                     laws=[Linear(stiffness=1e4), Contact(stiffness=1e6, exponent=1.5)],
                     offset=[0.0, 0.0])
    statics(kernel, positions=[0.1, 0.12], weights=[1.0, side])
    v = np.zeros(b.size + 1)
    v[-1] = side * 1.0
    kernel.set_state(0.0 * v, v)
    kernel.set_outputs(np.append(np.sin(b * 0.3), 0.0).reshape(1, -1))
    static_outputs(kernel, ("displacement", 0.3))
    return kernel


def test_a_hammer_from_above_mirrors_one_from_below():
    """The string's part of a hammer's row has the weight -1; the mirrored blow has the weight 1."""
    (above, ledger), (below, _) = (advance(hammered(side), 400) for side in (-1.0, 1.0))
    assert np.abs(above).max() > 1e-5
    np.testing.assert_array_equal(above, -below)
    assert imbalance(ledger) < 1e-14


def test_a_row_that_moves():
    """R follows a row; what it stored is counted as work.  A shape alone has no place."""
    kernel, y = sitar(laws=[Contact(stiffness=3e6)] * 9 + [Linear(resistance=0.1)])
    kernel.set_state(y, 0.0 * y)
    b = string_parameters(**SITAR)[0]
    _, first = advance(kernel, 200)
    assert kernel.residual_force[9] != 0.0
    kernel.set_row_shape(9, np.sin(b * 0.21), position=0.21, weight=1.0)
    assert kernel.residual_force[9] == 0.0
    fresh = statics(network(TwoPoint, **sitar_parts(laws=[Contact(stiffness=3e6)] * 9 + [
        Linear(resistance=0.1)])[0] | {"shapes": np.sin(np.outer([*BRIDGE[:9], 0.21], b))}),
        positions=[*BRIDGE[:9], 0.21])
    np.testing.assert_array_equal(kernel.residual_compliance, fresh.residual_compliance)
    np.testing.assert_array_equal(kernel.mobility, fresh.mobility)
    _, second = advance(kernel, 200)
    assert imbalance(np.concatenate([first, second])) < 1e-14
    kernel.set_row_shape(9, 0.0 * b)
    assert not kernel.residual_compliance[9].any()
    kernel.set_row(9, DAMPING, 0.0)
    kernel.set_row(0, STIFFNESS, 0.0)                      # absent: its g decays
    _, third = advance(kernel, 200)
    assert imbalance(third) < 1e-14
    with pytest.raises(ValueError, match=r"row 9 is at 0\.6 m"):
        kernel.set_row_shape(9, 0.0 * b, position=0.6, weight=1.0)


def test_glide():
    """R and k* follow the tension together: rest at the new one is the exact one, and the work of
    the change is in the balance."""
    given, _, b = sitar_parts()
    kernel = statics(network(TwoPoint, **given, slopes=b * b / SITAR["linear_density"]))
    slope = np.where(np.arange(b.size) % 2, -b, b).reshape(1, -1)
    kernel.set_outputs(end_weights(b)[0].reshape(1, -1), tension=slope)
    static_outputs(kernel, ("force_end", 0.0))
    kernel.set_equilibrium()
    steps = 64 * 200
    tensions = 5.0 * np.minimum(np.arange(steps) / 6400.0, 1.0)
    _, ledger = advance(kernel, steps, tensions=tensions, block_tensions=tensions[::64].copy())
    assert imbalance(ledger) < 1e-13 and abs(ledger[-1, 4]) > 1e-9
    parts = sitar_parts(string=SITAR | {"tension": 55.0, "limit": 21e3})[0]
    count = b.size
    tight = statics(network(TwoPoint, **parts | {
        name: parts[name][..., :count] for name in ("omega", "alpha", "mass", "shapes")}),
        string=SITAR | {"tension": 55.0})
    tight.set_equilibrium()
    np.testing.assert_allclose(kernel.residual_compliance, tight.residual_compliance, rtol=0.0,
                               atol=1e-13 * tight.residual_compliance.max())
    energy, output = kernel.equilibrium_at(5.0)
    assert energy == pytest.approx(tight.energy()[:3].sum(), rel=1e-12)
    # the reaction is x / L, whatever the tension
    assert output == pytest.approx((tight.force() @ BRIDGE) / LENGTH, rel=1e-11)


def test_lifted_bow_above_a_limit():
    """The bristle of a lifted bow has no deflection, also where a mode is left out meanwhile."""
    given, y, b = sitar_parts()
    slopes = b * b / SITAR["linear_density"]
    highest = np.sqrt(given["omega"]**2 + 1e-9 * slopes)[-1]
    laws = law_array([LawValues(kind=FRICTION, stiffness=3e5, damping=1.0)])
    kernel = TwoPoint(angular_frequencies=given["omega"], decay_rates=given["alpha"],
                      masses=given["mass"], time_step=DT, shapes=np.sin(b * 0.1)[np.newaxis],
                      laws=laws, offsets=np.zeros(1), slopes=slopes)
    kernel.set_friction(np.zeros(1, dtype=np.int32), np.array([[0.3, 0.0, 1.0, 0.0, 1.0]]),
                        np.array([-1], dtype=np.int32), 1)
    statics(kernel, positions=[0.1], weights=[0.0], highest=highest)
    kernel.set_state(y, 0.0 * y)
    for tension in (0.0, 2e-9, 0.0):
        block = np.full(64, tension)
        kernel.advance(64, np.zeros((64, 0)), tensions=block, block_tensions=block[:1])
    assert kernel.friction_heat == 0.0 and kernel.compression()[0] == 0.0


def test_modes_above_a_limit():
    """Modes whose frequency a tension raises above the limit have no motion meanwhile; they come
    back at the place where the residual forces hold them. At rest no force changes by it."""
    given, y, b = sitar_parts()
    slopes = b * b / SITAR["linear_density"]
    highest = np.sqrt(given["omega"]**2 + 1e-9 * slopes)[-1]

    def kernel_with(**limits):
        return statics(network(TwoPoint, **given, slopes=slopes), **limits)

    kernel, free = kernel_with(highest=highest), kernel_with()
    for one in kernel, free:
        one.set_equilibrium()
    steps = 64 * 6
    tensions = np.repeat([0.0, 2e-9, 2e-9, 2e-9, 0.0, 0.0], 64)
    at_rest = kernel.force()
    for first in range(0, steps, 64):
        block = tensions[first:first + 64].copy()
        for one in kernel, free:
            one.advance(64, np.zeros((64, 0)), tensions=block, block_tensions=block[:1])
        is_out = kernel.displacement()[-1] == 0.0
        assert is_out == (block[0] > 0.0) == (kernel.coefficients[0][-1] == 0.0)
        # 1e-9 N of 50 N; without the static displacement in R the forces would jump by 1e-3
        np.testing.assert_allclose(kernel.force(), at_rest, rtol=0.0, atol=1e-9)
        assert free.displacement()[-1] != 0.0

    kernel = kernel_with(highest=highest)
    kernel.set_state(y, 0.0 * y)
    tensions = np.repeat(20.0 * np.abs(np.sin(np.arange(60))), 64)      # N: up to 17 modes
    _, ledger = advance_alone(kernel, tensions)
    assert imbalance(ledger) < 1e-13
    assert (kernel.displacement() == 0.0).sum() > 3
    # at rest a mode that is left out has no energy, wherever it is now
    kernel.set_state(y, 0.0 * y)
    energy = kernel_with(highest=highest).equilibrium_at(20.0)[0]
    assert kernel.equilibrium_at(20.0)[0] == pytest.approx(energy, rel=1e-12)
    # the state of a mode that is left out is not set
    kernel.set_state(y, y)
    assert kernel.displacement()[-1] == 0.0 == kernel.velocity()[-1]
    with pytest.raises(ValueError, match="above all modes at the stored tension"):
        kernel_with(highest=0.9 * highest)


def advance_alone(kernel, tensions):
    """Advance a kernel without outputs under tensions, one for each step."""
    out, ledger = np.zeros((tensions.size, 0)), np.empty((tensions.size, 6))
    kernel.advance(tensions.size, out, energies=ledger, every=1, tensions=tensions,
                   block_tensions=tensions[::64].copy())
    return out, ledger


def test_elongation():
    """Tension modulation beside it: R stays that of the base tension, the balance holds."""
    given, y, b = sitar_parts()
    shapes = np.vstack([given["shapes"], np.zeros(b.size)])
    laws = [*given["laws"], Linear(stiffness=3e4 / LENGTH)]
    kernel = statics(network(TwoPoint, **given | {
        "shapes": shapes, "laws": laws, "offset": np.append(given["offset"], 0.0)}),
        positions=np.append(BRIDGE, 0.0), weights=np.append(np.ones(10), 0.0))
    kernel.set_axial_row(10, 0.5 * LENGTH * b * b)
    kernel.set_state(y, 0.0 * y)
    _, ledger = advance(kernel, 600)
    assert imbalance(ledger) < 2e-14 and kernel.residual_losses > 0.0
    assert not kernel.residual_compliance[10].any()


def coupled_statics(count, theta=0.75):
    """Strings on one bridge, all with statics."""
    parts = [string_arguments(i) for i in range(count)]
    bridge, strings = coupled(parts)
    for i, (string, part) in enumerate(zip(strings, parts, strict=True)):
        x = np.array([0.0025, 0.0075, 0.0125, 0.0175, 0.02, 0.4 * part["length"]])
        statics(string, theta=theta, positions=x, string={
            "length": part["length"], "tension": (50.0, 40.0, 33.0)[i], "stiffness": 2e-5})
    return parts, bridge, strings


def test_strings_on_a_body():
    """The joint scheme: balance of strings and body together, exact."""
    parts, bridge, strings = coupled_statics(3)
    bridge.set_equilibrium()
    strings[0].set_state(strings[0].displacement() + pluck(parts[0]), 0.0 * parts[0]["b"])
    strings[1].set_row(5, DAMPING, 0.4)
    _, ledger = run_coupled(bridge, strings, 1500)
    assert imbalance(ledger) < 1e-13
    for string in strings:
        assert string.residual_losses > 0.0
    assert abs(bridge.bridge_displacement) > 1e-9


def test_rest_on_a_body():
    """The rows' compliance is that of the whole string and of the body: G + c c' / k."""
    parts, bridge, strings = coupled_statics(1)
    bridge.set_equilibrium()
    part, f = parts[0], strings[0].force()
    x = np.array([0.0025, 0.0075, 0.0125, 0.0175, 0.02, 0.4 * part["length"]])
    g = np.array([[point_compliance(part["length"], 50.0, 2e-5, a, b) for a in x] for b in x])
    omega, alpha = (BODY[name] for name in ("omega", "alpha"))
    # the body's own k* = 4 m A / dt^2 at its frequencies differs from k by (omega dt)^2 / 12, 3e-3
    soft = np.sum(BODY["shape"]**2 / (BODY["mass"] * (omega**2 + alpha**2)))
    c = part["bridge_shapes"]
    y = (g + soft * np.outer(c, c)) @ f
    stiffness = np.array([law.stiffness for law in part["laws"]])
    contact = np.array([isinstance(law, Contact) for law in part["laws"]])
    p = part["offset"] - y
    expected = stiffness * np.where(contact, np.maximum(p, 0.0), p)
    assert np.abs(f - expected).max() < 1e-4 * f.max()
    assert f.max() > 0.01
    before = f.copy()
    run_coupled(bridge, strings, 500)
    np.testing.assert_allclose(strings[0].force(), before, rtol=0.0, atol=1e-12)


def test_soft_contacts_are_solved():
    """Exponent 4, K 1e6: a force of 1e-9 N is below what moves the string by rounding; the stopping
    rule then is that of forces.  The residual f - F of the last step, over the greatest force. """
    kernel, y = sitar(laws=[Contact(stiffness=1e6 * 3e-3, exponent=4.0)] * 10)
    kernel.set_state(y, 0.0 * y)
    peak = worst = 0.0
    for _ in range(300):
        before = kernel.compression()
        kernel.advance(1, np.empty((1, 4)))
        after, f = kernel.compression(), kernel.force()
        a, b = np.maximum(before, 0.0), np.maximum(after, 0.0)
        mean = 3e3 / 5.0 * (a**4 + a**3 * b + a**2 * b**2 + a * b**3 + b**4)
        both = (before > 0.0) & (after > 0.0)
        peak = max(peak, f.max())
        worst = max(worst, np.abs(np.where(both, f - mean, 0.0)).max())
    assert 1e-10 < peak < 1e-6
    assert worst < 1e-9 * peak


@pytest.mark.parametrize("wrong", [
    {"theta": 0.5}, {"theta": float("nan")}, {"positions": [*BRIDGE[:9], 0.6]},
    {"weights": [1.5] * 10}, {"string": SITAR | {"tension": 0.0}},
    {"positions": BRIDGE[:3]}], ids=str)
def test_wrong_arguments(wrong):
    with pytest.raises(ValueError, match="expected"):
        statics(network(TwoPoint, **sitar_parts()[0]), **wrong)


def test_once():
    kernel, _ = sitar()
    with pytest.raises(RuntimeError, match="one call"):
        statics(kernel)
