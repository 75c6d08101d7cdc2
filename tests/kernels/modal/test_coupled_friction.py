"""Strings that move in two directions and rub on a bridge that gives: a dense twin, balance."""
import numpy as np
import pytest
from twins.coupled_friction import CoupledFrictionTwin
from twins.friction import Rub, bristle
from twins.networks import imbalance, network
from twins.two_point import Contact, Linear, string_parameters

from pysitar.kernels.core.arrays import StringCall
from pysitar.kernels.modal.coupled import Coupled
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.physics.contact import FRICTION, LawValues, law_array

DT = 1.0 / 44100.0
POINTS = 4
BODY = {
    "omega": 2.0 * np.pi * np.array([110.0, 460.0]), "alpha": np.array([12.0, 30.0]),
    "mass": np.array([0.02, 0.008]), "shape": np.array([1.0, -0.7])
}


def law(row):
    if isinstance(row, Rub):
        return LawValues(kind=FRICTION, stiffness=row.stiffness, damping=row.damping)
    if isinstance(row, Linear):
        return LawValues(kind=1, stiffness=row.stiffness, damping=row.resistance)
    return LawValues(stiffness=row.stiffness, damping=row.damping, adhesive=row.adhesive)


def string(length, tension, density, tilt, first_row):
    """A string over a bump at the bridge, with a thread in both directions and friction of 0.4;
    first_row, the index of its first row among those of all strings, which the twin counts."""
    b, omega, alpha, mass = string_parameters(length=length, tension=tension,
                                              linear_density=density, stiffness=2e-5,
                                              losses=(0.6, 6.5e-3, 5e-6), limit=3e3)
    x = np.array([0.0025, 0.0075, 0.0125, 0.0175])
    up, side = np.cos(tilt), np.sin(tilt)
    shape, thread = np.sin(np.outer(x, b)), np.sin(b * 0.02)[None]
    rows = [np.hstack([up * shape, side * shape]), np.hstack([up * thread, side * thread]),
            np.hstack([-side * thread, up * thread]), np.hstack([-side * shape, up * shape])]
    linear = Linear(stiffness=1e4, resistance=0.3)
    carried = 1.0 - x / length              # with the bridge, in the first direction
    end = 1.0 - 0.02 / length
    return {
        "b": b, "length": length, "omega": np.concatenate([omega, 0.997 * omega]),
        "alpha": np.concatenate([alpha, alpha]), "mass": np.concatenate([mass, mass]),
        "inertia": np.concatenate([density / b, 0.0 * b]),
        "string_mass": density * length / 3.0, "shapes": np.vstack(rows),
        # the bump is on the body
        "bridge_shapes": np.concatenate([up * (carried - 1.0), [up * (end - 1.0)],
                                         [-side * (end - 1.0)], -side * (carried - 1.0)]),
        "laws": [*[Contact(stiffness=1e6)] * POINTS, linear, linear,
                 *[bristle(8e5, DT, curve=(0.4, 0.0, 1.0, 0.0, 1.0), link=first_row + k)
                   for k in range(POINTS)]],
        "offset": np.concatenate([up * x * (0.02 - x) / 4.0, np.zeros(POINTS + 2)]),
    }


def kernel_of(part):
    laws = part["laws"]
    kernel = TwoPoint(angular_frequencies=part["omega"], decay_rates=part["alpha"],
                      masses=part["mass"], time_step=DT, shapes=part["shapes"],
                      laws=law_array([law(row) for row in laws]), offsets=part["offset"])
    rubs = [k for k, row in enumerate(laws) if isinstance(row, Rub)]
    kernel.set_friction(np.array(rubs, dtype=np.int32),
                        np.array([laws[k].curve for k in rubs]),
                        np.arange(POINTS, dtype=np.int32), 2)
    return kernel


def coupled(tilt=0.05):
    """Two strings, the first drawn aside in both directions, as kernel and twin."""
    parts = [string(0.5, 50.0, 5.55e-4, tilt, 0), string(0.42, 40.0, 3.1e-4, tilt, 2 * POINTS + 2)]
    strings = [kernel_of(part) for part in parts]
    body = network(TwoPoint, **{name: BODY[name] for name in ("omega", "alpha", "mass")},
                   shapes=[], laws=[], offset=[], dt=DT)
    body.set_outputs(np.zeros((1, 2)), np.ones((1, 2)))
    values = {"string_mass": sum(part["string_mass"] for part in parts)}
    whole = Coupled(strings=strings, body=body, shape=BODY["shape"],
                    inertia=[part["inertia"] for part in parts],
                    bridge_shapes=[part["bridge_shapes"] for part in parts], **values)
    twin = CoupledFrictionTwin(parts=parts, body=BODY, dt=DT, passes=2, **values)
    b, x = parts[0]["b"], 0.15
    aside = 2e-3 * np.sin(b * x) / (b**2 * x * (0.5 - x))
    start = np.concatenate([aside, 0.8 * aside])
    strings[0].set_state(start, 0.0 * start)
    twin.y[:start.size] = start
    twin.p = np.where(twin.rubs, 0.0, twin.offset - twin.shapes @ twin.y)
    return whole, strings, twin


def advance(whole, strings, steps):
    ledger = np.empty((steps, 6))
    calls = [StringCall(out=np.empty((steps, 0)), forces=np.empty((steps, 0))) for _ in strings]
    assert whole.advance(steps, np.empty((steps, 1)), parts=calls, energies=ledger,
                         every=1) == steps
    assert whole.statistics["failures"] == 0
    return ledger


def test_twin():
    whole, strings, twin = coupled()
    slid = pressed = 0.0
    for n in range(100):
        advance(whole, strings, 1)
        twin.step()
        y = np.concatenate([one.displacement() for one in strings])
        # strings of 1e-3 m, whose rounding the contacts spread by some 1e3
        assert np.abs(y - twin.y[:y.size]).max() < 1e-13, n
        # a stiffness of 1e6 N/m on compressions that are that near
        f = np.concatenate([one.force() for one in strings])
        assert np.abs(f - twin.f).max() < 1e-7
        assert whole.energy()[:3].sum() == twin_energy(twin, rel=1e-11)
        slid = max(slid, np.abs(f[twin.rubs]).max())
        pressed = max(pressed, np.abs(f[2 * POINTS + 2:][:POINTS]).max())
    assert slid > 0.1 and pressed > 1e-4       # N; the second string by the bridge alone
    heat = sum(one.friction_heat for one in strings)
    assert heat > 1e-7 and abs(heat - twin.heat) < 1e-9 * heat


def twin_energy(twin, rel):
    """The energy of the twin, with that of its bristles."""
    stored = sum(0.5 * row.stiffness * p * p for row, rub, p in
                 zip(twin.all_laws, twin.rubs, twin.p, strict=True) if rub)
    return pytest.approx(twin.energy() + stored, rel=rel)


def test_balance():
    whole, strings, _ = coupled(tilt=0.2)
    ledger = advance(whole, strings, 4000)
    assert imbalance(ledger) < 1e-13            # the limit of all networks
    assert sum(one.friction_heat for one in strings) > 1e-6
