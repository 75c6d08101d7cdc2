"""Watched rows: a call ends before the step in which a row touches or parts, and its bits are those
of a run without a watch."""
import numpy as np
import pytest
from twins.networks import network
from twins.two_point import Contact, Linear

from pysitar.kernels.modal.two_point import PARTING, PARTING_BY_BLOCKS, TOUCH, TwoPoint

RATE, G, STEPS = 48000.0, 9.81, 3000
FORCES = np.full((STEPS, 1), 5e-3 * G)
FALL = -0.5 * G / RATE**2          # of the row by the weight in a step, m


def ball(height=1e-4, damping=0.5):
    """A mass of 5 g over a mode of 100 g, with a contact between them and a spring in the mode."""
    kernel = network(TwoPoint, omega=[0.0, 2.0 * np.pi * 400.0], alpha=[0.0, 20.0],
                     mass=[5e-3, 0.1], shapes=[[-1.0, 0.7], [0.0, 1.0]],
                     laws=[Contact(stiffness=1e7, exponent=1.5, damping=damping, adhesive=False),
                           Linear(stiffness=100.0)], offset=[-height, 0.0], dt=1.0 / RATE)
    kernel.set_outputs(np.eye(2))
    kernel.set_inputs(np.array([[1.0, 0.0]]))        # downwards
    kernel.set_state(np.array([0.0, 1e-6]), np.array([0.05, 0.0]))
    return kernel


@pytest.fixture(scope="module")
def run():
    """Outputs, energies and compressions of the run in single steps; whether the row is held."""
    kernel = ball()
    out, ledger, p = np.empty((STEPS, 2)), np.empty((STEPS, 6)), np.empty(STEPS + 1)
    held = np.empty(STEPS, dtype=bool)
    for n in range(STEPS):
        p[n] = kernel.compression()[0]
        v = kernel.velocity()
        held[n] = p[n] > 0.0 or v[0] - 0.7 * v[1] > 0.0
        kernel.advance(1, out[n:n + 1], forces=FORCES[:1], energies=ledger[n:n + 1], every=1)
    p[STEPS] = kernel.compression()[0]
    assert np.count_nonzero(np.diff((p > 0.0).astype(int)) > 0) >= 3       # contacts
    return out, ledger, p, held


def advance(kernel, first, out, ledger, p):
    return kernel.advance(STEPS - first, out[first:], forces=FORCES[first:],
                          energies=ledger[first:], every=1)


@pytest.mark.parametrize("parting", [PARTING, PARTING_BY_BLOCKS])
def test_calls_end_where_the_row_touches_and_parts(run, parting):
    wanted, energies, compressions, held = run
    out, ledger, p = np.empty((STEPS, 2)), np.empty((STEPS, 6)), np.empty(STEPS)
    kernel = ball()
    done, ends = 0, []
    while done < STEPS:
        begin = done
        touches = compressions[done + 1] <= 0.0 and compressions[done] <= 0.0
        kind = TOUCH if touches else parting
        kernel.set_watch(np.array([0], dtype=np.int32), np.array([kind], dtype=np.int32),
                         np.array([FALL if kind == TOUCH else 0.0]), p[done:])
        done += advance(kernel, done, out, ledger, p)
        if kind == TOUCH:
            expected = [n for n in range(begin + 1, STEPS) if compressions[n + 1] > 0.0]
        else:
            expected = [n for n in range(begin + 1, STEPS) if not (held[n] or (
                parting == PARTING_BY_BLOCKS and n % 64))]
        assert done == min(expected, default=STEPS)
        assert kernel.has_ended == (done < STEPS)
        ends.append(done)
    assert len(ends) >= 4
    assert np.array_equal(out, wanted) and np.array_equal(ledger, energies)
    assert np.array_equal(p, compressions[:STEPS])


def test_the_first_step_is_always_taken_and_no_watch_ends_nothing(run):
    kernel = ball(height=-1e-6)               # in contact
    kernel.set_watch(np.array([0], dtype=np.int32), np.array([TOUCH], dtype=np.int32),
                     np.zeros(1))
    out, ledger = np.empty((STEPS, 2)), np.empty((STEPS, 6))
    assert advance(kernel, 0, out, ledger, None) == 1 and kernel.has_ended
    kernel.set_watch(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0))
    assert advance(kernel, 1, out, ledger, None) == STEPS - 1 and not kernel.has_ended


@pytest.mark.parametrize("rows, kinds, shifts, error", [
    ([2], [TOUCH], [0.0], IndexError), ([-1], [TOUCH], [0.0], IndexError),
    ([0], [3], [0.0], IndexError), ([0], [-1], [0.0], IndexError),
    ([0], [TOUCH, TOUCH], [0.0], ValueError), ([0], [TOUCH], [], ValueError),
    ([0] * 513, [TOUCH] * 513, [0.0] * 513, ValueError)])
def test_refused_watches(rows, kinds, shifts, error):
    with pytest.raises(error, match="expected"):
        ball().set_watch(np.array(rows, dtype=np.int32), np.array(kinds, dtype=np.int32),
                         np.array(shifts, dtype=float))
