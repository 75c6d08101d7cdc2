"""Modal networks that the tests of several schemes share, how they are run, and what must hold."""
import numpy as np
import pytest
from twins.laws import law_columns
from twins.networks import network as kernel_of
from twins.two_point import Contact, Linear, string_parameters

DT = 1.0 / 44100.0
EPS = float(np.finfo(float).eps)
SITAR = {
    "length": 0.5, "tension": 50.0, "linear_density": 5.55e-4, "stiffness": 7.95e-5,
    "losses": (0.6, 6.5e-3, 5e-6)
}
BRIDGE = (np.arange(1, 11) - 0.5) * 3e-3
BUMP = -BRIDGE * (BRIDGE - 0.03) / 4.0
# arguments of a constructor that is accepted
GOOD = {
    "angular_frequencies": np.array([100.0, 200.0]),
    "decay_rates": np.zeros(2),
    "masses": np.ones(2),
    "time_step": DT,
    "shapes": np.ones((3, 2)),
    "laws": law_columns(3, kinds=[0, 1, 0], stiffness=1.0),
    "offsets": np.zeros(3),
}


def network(scheme, **parameters):
    """Return the kernel of a scheme for the arguments of its twin."""
    return kernel_of(scheme, **{"dt": DT} | parameters)


def sitar_parts(*, kb=1e9, exponent=1.0, damping=0.0, adhesive=True, offset=BUMP, height=3e-3,
                losses=True, laws=None, string=SITAR):
    """The sitar string of section IV-B (60 modes, 10 points), drawn to 3 mm at 0.35 m; the
    network's parts, y and the wave numbers."""
    b, omega, alpha, mass = string_parameters(**string)
    if not losses:
        omega, alpha = np.sqrt(omega**2 + alpha**2), 0.0 * alpha
    law = Contact(stiffness=kb * 3e-3, exponent=exponent, damping=damping, adhesive=adhesive)
    parts = {
        "omega": omega, "alpha": alpha, "mass": mass, "shapes": np.sin(np.outer(BRIDGE, b)),
        "laws": laws or [law] * 10, "offset": offset, "dt": DT
    }
    return parts, 2.0 * height * np.sin(b * 0.35) / (b**2 * 0.35 * 0.15), b


def ideal_parts(*, points, limit=20e3, kb=1e9, amplitude=1e-3):
    """The ideal string of section IV-A over a flat barrier at minus half its amplitude; the
    network's parts, y and the wave numbers."""
    b, omega, alpha, mass = string_parameters(length=0.5, tension=64.0, linear_density=5e-4,
                                              limit=limit)
    x = np.arange(1, points + 1) * 0.5 / (points + 1)
    law = Contact(stiffness=kb * 0.5 / (points + 1))
    parts = {
        "omega": omega, "alpha": alpha, "mass": mass, "shapes": np.sin(np.outer(x, b)),
        "laws": [law] * points, "offset": np.full(points, -0.5 * amplitude), "dt": DT
    }
    return parts, amplitude * (np.arange(len(b)) == 0), b


def sitar(scheme, **parameters):
    """Return the kernel of the sitar string and the wave numbers."""
    parts, y, b = sitar_parts(**parameters)
    kernel = network(scheme, **parts)
    kernel.set_state(y, 0.0 * y)
    return kernel, b


def ideal(scheme, **parameters):
    """Return the kernel of the ideal string, the wave numbers and the network's parts."""
    parts, y, b = ideal_parts(**parameters)
    kernel = network(scheme, **parts)
    kernel.set_state(y, 0.0 * y)
    return kernel, b, parts


def ball(scheme, law, *, gap=1e-6):
    """Return the kernel of one free mass against one row."""
    return network(scheme, omega=[0.0], alpha=[0.0], mass=[0.01], shapes=[[1.0]], laws=[law],
                   offset=[-gap])


def everything():
    """A string of 12 modes, a free mass and 5 body modes of other masses; rows of every kind
    between them: the network's parts, y, dy/dt and the wave numbers."""
    b, omega, alpha, mass = string_parameters(length=0.6, tension=60.0, linear_density=1e-3,
                                              stiffness=2e-4, losses=(1.0, 5e-3, 1e-6), limit=3.4e3)
    n = len(b)
    omega = np.concatenate(
        [omega, [0.0], 2.0 * np.pi * np.array([180.0, 420.0, 910.0, 2500.0, 7000.0])])
    alpha = np.concatenate([alpha, [0.0], [20.0, 35.0, 60.0, 200.0, 500.0]])
    mass = np.concatenate([mass, [2e-3], [0.05, 0.02, 0.03, 0.01, 0.004]])
    body = np.array([1.0, -0.7, 0.4, 0.9, -0.3])
    shapes = np.zeros((8, len(mass)))
    for k, x in enumerate((0.004, 0.01, 0.02, 0.03, 0.05)):
        shapes[k, :n] = np.sin(b * x)
    shapes[0, n + 1:] = -body                      # a bridge that the body carries
    shapes[4, :n] *= -1.0  # a mass above the string falls on it: p = offset + y - z
    shapes[4, n] = 1.0
    shapes[5, :n] = np.sin(b * 0.4)                # a finger's damper
    shapes[6, n], shapes[6, n + 1:] = 1.0, -body   # a spring between mass and body
    shapes[7, n] = 1.0                             # the mass on a clamped floor
    laws = [
        Contact(stiffness=2e6, exponent=1.0, damping=0.3),
        Contact(stiffness=3e7, exponent=1.5, damping=0.5),
        Contact(stiffness=4e9, exponent=2.3, damping=0.2),
        Contact(stiffness=5e5, exponent=1.0),
        Contact(stiffness=1e6, exponent=1.5, damping=0.2, adhesive=False),
        Linear(resistance=0.4),
        Linear(stiffness=800.0, resistance=0.05),
        Contact(stiffness=1e6, exponent=2.0, damping=2.0, adhesive=False),
    ]
    offset = np.array([1e-5, 2e-5, 3e-5, 1e-5, -2e-4, 0.0, 5e-5, -1e-4])
    y, v = np.zeros(len(mass)), np.zeros(len(mass))
    y[:3] = [1e-3, -5e-4, 3e-4]
    v[n], v[n + 1] = -0.8, 0.05
    return {
        "omega": omega, "alpha": alpha, "mass": mass, "shapes": shapes, "laws": laws,
        "offset": offset
    }, y, v, b


def end_force(b):
    return (-1.0) ** np.arange(len(b)) * (50.0 * b + 7.95e-5 * b**3)


def disturbed(kernel, b, steps):
    """Set two inputs along the string; return their forces."""
    kernel.set_inputs(np.array([np.sin(b * 0.11), np.sin(b * 0.37)]))
    n = np.arange(steps)
    return np.column_stack([3.0 * np.sin(0.02 * n), 0.5 * np.cos(0.003 * n)])


def damped(omega, alpha, rate):
    """Return the modes for a sigma0 greater by rate (1/s): sqrt(k / m - alpha^2) decreases."""
    return np.sqrt(omega**2 + alpha**2 - (alpha + rate) ** 2), alpha + rate


def run(kernel, steps, outputs=None, *, forces=None, **options):
    """Return outputs (weights of y) before each step, the row forces over it, and the ledger before
    each step."""
    y = np.zeros((0, kernel.modes)) if outputs is None else np.atleast_2d(outputs)
    n = len(y)
    none, each = np.zeros((n, kernel.rows)), np.eye(kernel.rows)
    kernel.set_outputs(np.vstack([y, np.zeros((kernel.rows, kernel.modes))]), None,
                       np.vstack([none, each]))
    out, ledger = np.empty((steps, n + kernel.rows)), np.empty((steps, 6))
    assert kernel.advance(steps, out, forces=forces, energies=ledger, every=1, **options) == steps
    assert kernel.failed_at == -1
    return out[:, :n], out[:, n:], ledger


def run_pieces(kernel, lengths, outputs, **arrays):
    """Run in pieces; return outputs, energies every 64 steps, and all of the state at the end.

    arrays: forces and controls of all steps, row and field of the controls. """
    outs, ledger, start = [], [], kernel.count
    for length in lengths:
        now = kernel.count - start
        piece = {
            name: array[now:now + length] if name in ("forces", "controls") else array
            for name, array in arrays.items()
        }
        out = np.full((length, outputs), np.nan)
        energies = np.full((len(range(-(-kernel.count // 64) * 64, kernel.count + length, 64)), 6),
                           np.nan)
        assert kernel.advance(length, out, energies=energies, every=64, **piece) == length
        outs.append(out)
        ledger.append(energies)
    return (np.vstack(outs), np.vstack(ledger), kernel.displacement(), kernel.velocity(),
            kernel.force(), kernel.compression(), kernel.energy(), kernel.statistics)


def assert_in_touch(kernel, shapes, offset, f, *, pulls=False):
    """Assert p = offset - V y (the kernel updates p by increments: one eps per step) and forces >=
    0."""
    y = kernel.displacement()
    rounding = 64 * EPS * (np.abs(offset) + np.abs(shapes) @ np.abs(y)).max() + 1e-17 * kernel.count
    assert kernel.compression() == pytest.approx(offset - shapes @ y, abs=rounding)
    assert f.max() > 0.0
    assert pulls or f.min() >= 0.0
