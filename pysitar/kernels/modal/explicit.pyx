"""The explicit scheme of a string's modes, resumable at any step; explicit.pxd describes it."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths

from libc.math cimport isfinite
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.energy_root cimport VARIANT_PAPER, VARIANT_RESET
from pysitar.kernels.contact.law cimport CONTACT
from pysitar.kernels.core.ledger cimport add_work
from pysitar.kernels.modal.explicit cimport init_psi, sample_modal_energy, take_modal_steps, update_explicit_mode
from pysitar.kernels.modal.network cimport Network
from pysitar.kernels.modal.rows cimport update_mobility
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call
from pysitar.kernels.modal.three_point cimport (
    ThreePointModes, allocate_modes, free_velocity, release_modes, set_modal_state, static_compliance, stiffening_work,
)

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void modal_explicit_steps(void* state, void* modes, double* psi, int variant, void* call);
    """

PAPER, RESET = VARIANT_PAPER, VARIANT_RESET


cdef void modal_explicit_steps "modal_explicit_steps"(void* state, void* modes, double* psi, int variant, void* call) noexcept nogil:
    take_modal_steps(<State*>state, <ThreePointModes*>modes, psi, variant, <Call*>call)


cdef class ModalExplicit(Network):
    """A string of M modes with K contacts, by an explicit scheme: one linear system of active rows per step.

    Parameters: angular_frequencies (M,), undamped, rad/s, below 2 / time_step; decay_rates (M,), 1/s;
    masses (M,), kg; time_step, s; shapes (K, M), mode shapes at the rows; kinds (K,), all 0 (contact);
    stiffness (K,), N/m^exponent (of a distributed barrier, its density times the cell length);
    exponent (K,), at least 1; damping (K,), s/m; adhesive (K,), 0 clamps the force at 0; offsets (K,),
    m; variant, PAPER or RESET.
    The modes start at rest at y = 0. Energies before step n are H(n - 1/2), with losses and work up to
    n - 1/2; energy dropped by RESET is a loss. dy/dt at step n is (y(n + 1) - y(n - 1)) / (2 dt).
    Rows and tension are fixed: `set_row`, `set_row_shape`, `correct` and controls raise ValueError.
    """

    cdef ThreePointModes m
    cdef double* row_psi            # psi of each row
    cdef int variant

    def __cinit__(self, *, const double[::1] angular_frequencies not None, const double[::1] decay_rates not None,
                  const double[::1] masses not None, double time_step, const double[:, ::1] shapes not None,
                  const int[::1] kinds not None, const double[::1] stiffness not None, const double[::1] exponent not None,
                  const double[::1] damping not None, const int[::1] adhesive not None, const double[::1] offsets not None,
                  int variant=VARIANT_RESET):
        cdef Py_ssize_t i
        memset(&self.m, 0, sizeof(ThreePointModes))
        self.row_psi = NULL
        if variant not in (PAPER, RESET):
            raise ValueError(f"variant is {variant}; expected 0 (paper) or 1 (reset)")
        self.variant = variant
        self._load_network(3, time_step, angular_frequencies, decay_rates, masses, shapes, kinds, stiffness, exponent, damping, adhesive,
                           offsets)
        for i in range(self.state.g.rows):
            if self.state.g.laws[i].kind != CONTACT or not exponent[i] >= 1.0:
                raise ValueError(f"row {i}: kind {kinds[i]}, exponent {exponent[i]}; expected a contact of exponent 1 or more")
        self.row_psi = <double*>calloc(shapes.shape[0] + 1, sizeof(double))
        if self.row_psi == NULL or not allocate_modes(&self.m, self.state.stride):
            raise MemoryError
        for i in range(self.state.modes):
            update_explicit_mode(&self.state, &self.m, i, angular_frequencies[i], decay_rates[i])
        self._start_network()
        init_psi(&self.state, self.row_psi)

    def __dealloc__(self):
        release_modes(&self.m)
        free(self.row_psi)

    cdef void _take_steps(self) noexcept nogil:
        modal_explicit_steps(&self.state, &self.m, self.row_psi, self.variant, &self.call)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_modal_energy(&self.state, &self.m, self.row_psi, row)

    cdef void _fill_compliance(self, double tension, double* compliance) noexcept:
        cdef Py_ssize_t i
        for i in range(self.state.modes):
            compliance[i] = static_compliance(&self.state, &self.m, i)

    cdef int _check_modes(self, const double[::1] omega, const double[::1] alpha) except -1:
        cdef Py_ssize_t i
        check_lengths("modes", self.state.modes, (omega, alpha))
        for i in range(self.state.modes):
            if not (0.0 <= omega[i] * self.state.time_step < 2.0 and 0.0 <= alpha[i] and isfinite(alpha[i])):
                raise ValueError(f"mode {i}: angular frequency {omega[i]} rad/s, decay rate {alpha[i]} 1/s; "
                                 "expected a frequency from 0 to below 2 / time step, and a decay rate of at least 0")
        return 0

    cdef int _set_arrays(self, Py_ssize_t steps, double[:, ::1] out, const double[:, ::1] forces, const int[::1] control_rows,
                         const int[::1] control_fields, const double[:, ::1] controls) except -1:
        if controls is not None:
            raise ValueError("the rows of this scheme are fixed; expected no controls")
        return Network._set_arrays(self, steps, out, forces, control_rows, control_fields, controls)

    @property
    def psi(self):
        """psi (K,) at n - 1/2, J^(1/2); a row stores psi^2 / 2."""
        return np.array([self.row_psi[k] for k in range(self.state.g.rows)])

    def set_row(self, Py_ssize_t row, int field, double value):
        """Raise ValueError: the rows of this scheme are fixed."""
        raise ValueError("the rows of this scheme are fixed; expected a two-point or three-point scheme")

    def set_row_shape(self, Py_ssize_t row, const double[::1] shape not None, double bridge_shape=0.0):
        """Raise ValueError: the rows of this scheme are fixed."""
        raise ValueError("the rows of this scheme are fixed; expected a two-point scheme")

    def correct(self, Py_ssize_t row, *, double duration, double excess):
        """Raise ValueError: the rows of this scheme are fixed."""
        raise ValueError("this scheme has no contact correction; expected a two-point or three-point scheme")

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
        init_psi(&self.state, self.row_psi)

    def set_modes(self, const double[::1] angular_frequencies not None, const double[::1] decay_rates not None):
        """Set undamped angular frequencies (M,), rad/s, and decay rates (M,), 1/s, from the coming step on.

        This damps a string. The displacements of this step and of the previous one are kept; the jump of
        the stored energy is counted as work.
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
            update_explicit_mode(s, &self.m, i, angular_frequencies[i], decay_rates[i])
            work += stiffening_work(s, &self.m, i, upsilon_before)
        update_mobility(s)
        add_work(&s.ledger, work)

    def set_equilibrium(self):
        """Set the modes to static equilibrium with the rows, at rest.

        Errors: ArithmeticError if none is found.
        """
        Network.set_equilibrium(self)
        init_psi(&self.state, self.row_psi)
