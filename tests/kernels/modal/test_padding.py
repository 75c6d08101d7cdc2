"""Vectors over the rows are padded to whole lanes; a NaN in the padding is no row."""
import numpy as np
import pytest
from twins.laws import law_columns

from pysitar.kernels.modal.three_point import ThreePoint
from pysitar.kernels.modal.two_point import TwoPoint


def bouncing(scheme, rows):
    """Return masses of 0.01 kg, one for each row, in contact."""
    each = np.ones(rows)
    kernel = scheme(angular_frequencies=0.0 * each, decay_rates=0.0 * each, masses=0.01 * each,
                    time_step=1.0 / 44100.0, shapes=np.eye(rows),
                    laws=law_columns(rows, stiffness=1e9, exponent=1.5), offsets=1e-5 * each)
    kernel.set_outputs(np.eye(rows))
    kernel.set_inputs(np.eye(rows))
    return kernel


def advance(kernel, steps, force=0.0):
    out = np.empty((steps, kernel.rows))
    assert kernel.advance(steps, out, forces=np.full((steps, kernel.rows), force)) == steps
    return out


@pytest.mark.parametrize("scheme", [TwoPoint, ThreePoint])
@pytest.mark.parametrize("rows", [1, 3, 9])
def test_a_nan_does_not_leave_the_rows(scheme, rows):
    # a force that is no number spreads through W to the padding of all vectors. A padding row that
    # joined the solver would write W of up to 8 rows more over the laws of the true ones: after a
    # new state the motion must be that of a network that had none, to the last bit.
    kernel, fresh = bouncing(scheme, rows), bouncing(scheme, rows)
    advance(kernel, 3, np.nan)
    assert kernel.failed_at == 0
    for one in (kernel, fresh):
        one.set_state(np.full(rows, 2e-5), np.full(rows, -0.5))
    moved = advance(fresh, 40)
    assert moved.min() < 0.0 < moved[-1].min()          # into the contact, and out of it
    assert np.array_equal(advance(kernel, 40), moved)
