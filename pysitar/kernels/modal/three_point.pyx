"""The three-point scheme of a network of modes and rows; three_point.pxd describes it."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths
from pysitar.kernels.modal.network import DAMPING, OFFSET, STIFFNESS

from pysitar.kernels.core.ledger cimport add_work
from pysitar.kernels.modal.equilibrium cimport (
    Equilibrium, allocate_equilibrium, release_equilibrium,
)
from pysitar.kernels.modal.network cimport Network
from pysitar.kernels.modal.rows cimport update_mobility
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call
from pysitar.kernels.modal.three_point cimport (
    ThreePointModes, allocate_modes, correct_previous_step, free_velocity, release_modes,
    sample_energy, set_modal_state, static_compliance, stiffening_work, take_steps, update_mode,
)

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void three_point_steps(void* state, void* modes, void* call);
    """

__all__ = ["DAMPING", "OFFSET", "STIFFNESS", "ThreePoint"]


cdef void three_point_steps "three_point_steps"(void* state, void* modes,
                                                void* call) noexcept nogil:
    take_steps(<State*>state, <ThreePointModes*>modes, <Call*>call)


cdef class ThreePointNetwork(Network):
    """Base class of the schemes over three points of time: ThreePoint and ModalExplicit."""

    def __cinit__(self):
        if type(self) is ThreePointNetwork:
            raise TypeError("ThreePointNetwork is abstract; expected a scheme, such as ThreePoint")

    cdef int _load_modes(self, dict network) except -1:
        """Load modes and rows from the arguments of the constructor."""
        cdef const double[::1] omega, alpha
        cdef Py_ssize_t i
        self._load_network(3, **network)
        if not allocate_modes(&self.m, self.state.stride):
            raise MemoryError
        omega, alpha = network["angular_frequencies"], network["decay_rates"]
        for i in range(self.state.modes):
            self._update_mode(i, omega[i], alpha[i])
        return 0

    def __dealloc__(self):
        release_modes(&self.m)

    cdef void _update_mode(self, Py_ssize_t i, double omega, double alpha) noexcept:
        pass

    cdef void _fill_compliance(self, double tension, double* compliance) noexcept:
        cdef Py_ssize_t i
        for i in range(self.state.modes):
            compliance[i] = static_compliance(&self.state, &self.m, i)

    def velocity(self):
        """Return dy/dt (M,), m/s, at the present step without forces.

        The inverse of `set_state`.
        """
        cdef Py_ssize_t i
        return np.array([free_velocity(&self.state, &self.m, i) for i in range(self.state.modes)])

    def set_state(self, const double[::1] displacement not None,
                  const double[::1] velocity not None):
        """Set y (M,), m, and dy/dt (M,), m/s, of a step without forces.

        The rows' forces are reset to 0; the ledger continues.
        """
        self._check_idle()
        check_lengths("modes", self.state.modes, (displacement, velocity))
        set_modal_state(&self.state, &self.m, displacement, velocity)
        self._reset_rows()

    def set_modes(self, const double[::1] angular_frequencies not None,
                  const double[::1] decay_rates not None):
        """Set angular frequencies (M,), rad/s, and decay rates (M,), 1/s, from the coming step on.

        This damps a string. The displacements of this step and of the previous one are kept; the
        jump of the stored energy is counted as work.
        Errors: ValueError, as in the constructor; nothing is changed then.
        """
        self._check_idle()
        self._check_modes(angular_frequencies, decay_rates)
        cdef State* s = &self.state
        cdef Py_ssize_t i
        cdef double upsilon_before
        cdef double work = 0.0
        s.sleep.is_disturbed = True
        for i in range(s.modes):
            upsilon_before = self.m.upsilon[i]
            self._update_mode(i, angular_frequencies[i], decay_rates[i])
            work += stiffening_work(s, &self.m, i, upsilon_before)
        update_mobility(s)
        add_work(&s.ledger, work)


cdef class ThreePoint(ThreePointNetwork):
    """A network of M modes and K rows by the three-point scheme, resumable at any step.

    Parameters: angular_frequencies (M,), damped, rad/s; decay_rates (M,), 1/s; masses (M,), kg;
    time_step, s; shapes (K, M), mode shapes at the rows; laws (K,), as `Network`; offsets (K,), m.
    A free mass is a mode of frequency and decay rate 0. The modes start at rest at y = 0. Energies
    before step n are H(n - 1/2), with losses and work up to n - 1/2. dy/dt at step n is (y(n + 1) -
    y(n - 1)) / (2 dt). The tension is fixed: `advance` and `equilibrium_at` accept only 0 N over
    the stored one.
    """

    def __cinit__(self, **network):
        self._load_modes(network)
        self._start_network()

    cdef void _update_mode(self, Py_ssize_t i, double omega, double alpha) noexcept:
        update_mode(&self.state, &self.m, i, omega, alpha)

    cdef void _take_steps(self) noexcept nogil:
        three_point_steps(&self.state, &self.m, &self.call)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_energy(&self.state, &self.m, row)

    @property
    def coefficients(self):
        """A, C of the recursion and Upsilon, Lambda of the energy, each (M,).

        van Walstijn & Bridges 2016, eqs. (36), (38)-(42).
        """
        cdef Py_ssize_t i
        cdef State* s = &self.state
        cdef ThreePointModes* m = &self.m
        return tuple(np.array(values) for values
                     in ([m.c[i] - m.restoring_factor[i] for i in range(s.modes)],
                         [m.c[i] for i in range(s.modes)], [m.upsilon[i] for i in range(s.modes)],
                         [4.0 * s.loss[i] / s.inverse_xi[i] for i in range(s.modes)]))

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
                raise ArithmeticError("the collision of the initial state did not reach "
                                      "the solver's stopping rule")
        finally:
            release_equilibrium(&at)
