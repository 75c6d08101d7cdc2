"""The two-point scheme of a network of modes and rows; two_point.pxd describes it."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths
from pysitar.kernels.modal.network import DAMPING, OFFSET, STIFFNESS

from libc.math cimport isfinite

from pysitar.kernels.contact.law_record cimport LINEAR
from pysitar.kernels.modal.rows cimport clear_modes, update_compressions
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call
from pysitar.kernels.modal.two_point cimport (
    TwoPointModes, allocate_modes, load_mode, omega_at, release_modes, sample_energy,
    static_compliance, take_steps, update_mode,
)

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void two_point_steps(void* state, void* modes, void* call);
    """

__all__ = ["DAMPING", "OFFSET", "STIFFNESS", "TwoPoint"]


cdef void two_point_steps "two_point_steps"(void* state, void* modes, void* call) noexcept nogil:
    take_steps(<State*>state, <TwoPointModes*>modes, <Call*>call)


cdef class TwoPoint(Network):
    """A network of M modes and K rows by the two-point scheme, resumable at any step.

    Parameters: angular_frequencies (M,), damped, rad/s; decay_rates (M,), 1/s; masses (M,), kg;
    time_step, s; shapes (K, M), mode shapes at the rows; laws (K,), as `Network`; offsets (K,), m;
    slopes (M,), derivative of the squared angular frequency by the tension, 1/(kg m) (None: 0, no
    mode depends on a tension). A free mass is a mode of frequency and decay rate 0. The modes start
    at rest at y = 0.
    """

    def __cinit__(self, *, const double[::1] slopes=None, **network):
        cdef const double[::1] omega, alpha
        cdef Py_ssize_t i
        self._load_network(2, **network)
        omega, alpha = network["angular_frequencies"], network["decay_rates"]
        if not allocate_modes(&self.m, self.state.stride):
            raise MemoryError
        slopes = np.zeros(self.state.modes) if slopes is None else slopes
        check_lengths("modes", self.state.modes, (slopes,))
        for i in range(self.state.modes):
            if not isfinite(slopes[i]):
                raise ValueError(f"slope of mode {i} is {slopes[i]} 1/(kg m); expected a finite "
                                 "value")
            load_mode(&self.state, &self.m, i, omega[i], alpha[i], slopes[i])
            update_mode(&self.state, &self.m, i)
        self._start_network()

    def __dealloc__(self):
        release_modes(&self.m)

    cdef void _take_steps(self) noexcept nogil:
        two_point_steps(&self.state, &self.m, &self.call)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_energy(&self.state, &self.m, row)

    cdef void _fill_compliance(self, double tension, double* compliance) noexcept:
        cdef Py_ssize_t i
        for i in range(self.state.modes):
            compliance[i] = static_compliance(&self.state, &self.m, i, tension)

    cdef int _check_tensions(self, const double[::1] tensions) except -1:
        cdef Py_ssize_t i, j
        for j in range(tensions.shape[0]):
            for i in range(self.state.modes):
                if (not 0.0 <= omega_at(&self.m, i, tensions[j]) * self.state.time_step
                        < 3.141592653589793):
                    raise ValueError(f"tension change of {tensions[j]} N moves the frequency of "
                                     f"mode {i} out of range; "
                                     "expected from 0 to half the sample rate")
        return 0

    @property
    def coefficients(self):
        """A, B, C of the modes, each (M,): van Walstijn & Bridges 2016, eq. (21)."""
        cdef Py_ssize_t i
        cdef State* s = &self.state
        return tuple(np.array(values) for values
                     in ([self.m.a[i] for i in range(s.modes)],
                         [s.loss[i] / s.inverse_xi[i] for i in range(s.modes)],
                         [0.5 * self.m.twice_c[i] for i in range(s.modes)]))

    def set_axial_row(self, Py_ssize_t row, const double[::1] curvature not None):
        """Make a linear row that of the string's elongation; the tension then depends on the
        amplitude.

        The elongation is e = sum c y^2 / 2, c = curvature (M,), 1/m, at least 0. It is measured
        from the straight string, after `set_equilibrium` from the equilibrium.
        Errors: IndexError, ValueError.
        """
        self._check_idle()
        cdef State* s = &self.state
        if not (0 <= row < s.g.rows and s.g.laws[row].kind == LINEAR
                and s.g.laws[row].stiffness > 0.0):
            raise IndexError(f"row {row} is not a linear row with a stiffness; expected the index "
                             "of one")
        check_lengths("modes", s.modes, (curvature,))
        for i in range(s.modes):
            if not (curvature[i] >= 0.0 and isfinite(curvature[i])):
                raise ValueError(f"curvature of mode {i} is {curvature[i]} 1/m; "
                                 "expected at least 0")
            s.curvature[i] = curvature[i]
        s.axial_row = row
        s.offset[row] = 0.0
        update_compressions(s)

    def take_over(self, TwoPoint other not None):
        """Copy step count, energy ledger, statistics and sleep state of another network."""
        self._check_idle()
        self.state.count = other.state.count
        self.state.ledger = other.state.ledger
        self.state.sleep = other.state.sleep
        self.state.g.solves = other.state.g.solves
        self.state.g.iterations = other.state.g.iterations
        self.state.g.most_iterations = other.state.g.most_iterations
        self.state.g.failures = other.state.g.failures
        self.call.run.contact_steps = other.call.run.contact_steps
        self.call.run.failed_at = other.call.run.failed_at

    def velocity(self):
        """Return dy/dt (M,), m/s."""
        return np.array([2.0 * self.state.q[i] / self.state.time_step
                         for i in range(self.state.modes)])

    def set_state(self, const double[::1] displacement not None,
                  const double[::1] velocity not None):
        """Set y (M,), m, and dy/dt (M,), m/s.

        The rows' forces are reset to 0, the ledger continues.
        """
        self._check_idle()
        cdef State* s = &self.state
        check_lengths("modes", s.modes, (displacement, velocity))
        clear_modes(s)
        for i in range(s.modes):
            s.y[i] = displacement[i]
            s.q[i] = 0.5 * s.time_step * velocity[i]
        for k in range(s.g.rows):
            s.g.force[k] = 0.0
        update_compressions(s)
