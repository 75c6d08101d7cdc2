"""The three-point scheme of a network of modes and rows; three_point.pxd describes it."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths
from pysitar.kernels.modal.network import DAMPING, OFFSET, STIFFNESS

from libc.string cimport memset

from pysitar.kernels.modal.equilibrium cimport Equilibrium, allocate_equilibrium, release_equilibrium
from pysitar.kernels.modal.network cimport Network
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call
from pysitar.kernels.modal.three_point cimport (
    ThreePointModes, allocate_modes, change_modes, correct_previous_step, free_velocity, release_modes, sample_energy, set_modal_state,
    static_compliance, take_steps, update_mode,
)

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void three_point_steps(void* state, void* modes, void* call);
    """

__all__ = ["DAMPING", "OFFSET", "STIFFNESS", "ThreePoint"]


cdef void three_point_steps "three_point_steps"(void* state, void* modes, void* call) noexcept nogil:
    take_steps(<State*>state, <ThreePointModes*>modes, <Call*>call)


cdef class ThreePoint(Network):
    """A network of M modes and K rows by the three-point scheme, resumable at any step.

    Parameters: angular_frequencies (M,), damped, rad/s; decay_rates (M,), 1/s; masses (M,), kg;
    time_step, s; shapes (K, M), mode shapes at the rows; kinds (K,), 0 contact or 1 linear; stiffness
    (K,), N/m^exponent (of a distributed barrier, its density times the cell length); exponent (K,);
    damping (K,), s/m for contact and kg/s for linear rows; adhesive (K,), 0 clamps a contact force at
    0; offsets (K,), m.
    A free mass is a mode of frequency and decay rate 0. The modes start at rest at y = 0.
    Energies before step n are H(n - 1/2), with losses and work up to n - 1/2. dy/dt at step n is
    (y(n + 1) - y(n - 1)) / (2 dt). The tension is fixed: `advance` and `equilibrium_at` accept only 0 N
    over the stored one.
    """

    cdef ThreePointModes m

    def __cinit__(self, *, const double[::1] angular_frequencies not None, const double[::1] decay_rates not None,
                  const double[::1] masses not None, double time_step, const double[:, ::1] shapes not None,
                  const int[::1] kinds not None, const double[::1] stiffness not None, const double[::1] exponent not None,
                  const double[::1] damping not None, const int[::1] adhesive not None, const double[::1] offsets not None):
        cdef Py_ssize_t i
        memset(&self.m, 0, sizeof(ThreePointModes))
        self._load_network(3, time_step, angular_frequencies, decay_rates, masses, shapes, kinds, stiffness, exponent, damping, adhesive,
                           offsets)
        if not allocate_modes(&self.m, self.state.stride):
            raise MemoryError
        for i in range(self.state.modes):
            update_mode(&self.state, &self.m, i, angular_frequencies[i], decay_rates[i])
        self._start_network()

    def __dealloc__(self):
        release_modes(&self.m)

    cdef void _take_steps(self) noexcept nogil:
        three_point_steps(&self.state, &self.m, &self.call)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_energy(&self.state, &self.m, row)

    cdef void _fill_compliance(self, double tension, double* compliance) noexcept:
        cdef Py_ssize_t i
        for i in range(self.state.modes):
            compliance[i] = static_compliance(&self.state, &self.m, i)

    @property
    def coefficients(self):
        """A, C of the recursion and Upsilon, Lambda of the energy, each (M,).

        van Walstijn & Bridges 2016, eqs. (36), (38)-(42).
        """
        cdef Py_ssize_t i
        cdef State* s = &self.state
        cdef ThreePointModes* m = &self.m
        return tuple(np.array(values) for values in (
            [m.c[i] - m.restoring_factor[i] for i in range(s.modes)], [m.c[i] for i in range(s.modes)],
            [m.upsilon[i] for i in range(s.modes)], [4.0 * s.loss[i] / s.inverse_xi[i] for i in range(s.modes)]))

    def velocity(self):
        """Return dy/dt (M,), m/s, at the present step without forces; the inverse of `set_state`."""
        cdef Py_ssize_t i
        return np.array([free_velocity(&self.state, &self.m, i) for i in range(self.state.modes)])

    def set_state(self, const double[::1] displacement not None, const double[::1] velocity not None):
        """Set y (M,), m, and dy/dt (M,), m/s, of a step without forces.

        The rows' forces are reset to 0; the ledger continues.
        """
        self._check_idle()
        check_lengths("modes", self.state.modes, (displacement, velocity))
        set_modal_state(&self.state, &self.m, displacement, velocity)

    def correct_previous_step(self):
        """Recompute y(n - 1) with the rows' forces; a state set in contact is then of second order.

        Errors: ArithmeticError if that collision was not solved.
        """
        self._check_idle()
        cdef Equilibrium at
        try:
            if not allocate_equilibrium(&self.state, &at):
                raise MemoryError
            if not correct_previous_step(&self.state, &at):
                raise ArithmeticError("the collision of the initial state did not reach the solver's stopping rule")
        finally:
            release_equilibrium(&at)

    def set_modes(self, const double[::1] angular_frequencies not None, const double[::1] decay_rates not None):
        """Set damped angular frequencies (M,), rad/s, and decay rates (M,), 1/s, from the coming step on.

        This damps a string. The displacements of this step and of the previous one are kept; the jump of
        the stored energy is counted as work.
        Errors: ValueError, as in the constructor; nothing is changed then.
        """
        self._check_idle()
        self._check_modes(angular_frequencies, decay_rates)
        if self.state.modes:
            change_modes(&self.state, &self.m, &angular_frequencies[0], &decay_rates[0])
