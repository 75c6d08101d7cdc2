"""The explicit scheme of a string's modes, resumable at any step; explicit.pxd describes it."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths

from libc.math cimport isfinite
from libc.stdlib cimport calloc, free

from pysitar.kernels.contact.energy_root cimport VARIANT_PAPER, VARIANT_RESET
from pysitar.kernels.contact.law_record cimport CONTACT
from pysitar.kernels.modal.explicit cimport (
    init_psi, sample_modal_energy, take_modal_steps, update_explicit_mode,
)
from pysitar.kernels.modal.network cimport Network
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call
from pysitar.kernels.modal.three_point cimport ThreePointModes, ThreePointNetwork

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void modal_explicit_steps(void* state, void* modes, double* psi,
                                                    int variant, void* call);
    """

PAPER, RESET = VARIANT_PAPER, VARIANT_RESET


cdef void modal_explicit_steps "modal_explicit_steps"(void* state, void* modes, double* psi,
                                                      int variant, void* call) noexcept nogil:
    take_modal_steps(<State*>state, <ThreePointModes*>modes, psi, variant, <Call*>call)


cdef class ModalExplicit(ThreePointNetwork):
    """A string of M modes with K contacts, by an explicit scheme: one linear system of active rows
    per step.

    Parameters: angular_frequencies (M,), undamped, rad/s, below 2 / time_step; decay_rates (M,),
    1/s; masses (M,), kg; time_step, s; shapes (K, M), mode shapes at the rows; laws (K,), as
    `Network`, all of kind 0 (contact) and of exponent 1 or more; offsets (K,), m; variant, PAPER or
    RESET. The modes start at rest at y = 0. Energies before step n are H(n - 1/2), with losses and
    work up to n - 1/2; energy dropped by RESET is a loss. dy/dt at step n is (y(n + 1) - y(n - 1))
    / (2 dt). Rows and tension are fixed: `set_row`, `set_row_shape`, `correct` and controls raise
    ValueError.
    """

    cdef double* row_psi            # psi of each row
    cdef int variant

    def __cinit__(self, *, int variant=VARIANT_RESET, **network):
        cdef Py_ssize_t k
        if variant not in (PAPER, RESET):
            raise ValueError(f"variant is {variant}; expected 0 (paper) or 1 (reset)")
        self.variant = variant
        self._load_modes(network)
        for k in range(self.state.g.rows):
            if self.state.g.laws[k].kind != CONTACT or not self.state.g.laws[k].exponent >= 1.0:
                raise ValueError(f"row {k}: kind {self.state.g.laws[k].kind}, "
                                 f"exponent {self.state.g.laws[k].exponent}; "
                                 "expected a contact of exponent 1 or more")
        self.row_psi = <double*>calloc(self.state.g.rows + 1, sizeof(double))
        if self.row_psi == NULL:
            raise MemoryError
        self._start_network()
        self._reset_rows()

    def __dealloc__(self):
        free(self.row_psi)

    cdef void _update_mode(self, Py_ssize_t i, double omega, double alpha) noexcept:
        update_explicit_mode(&self.state, &self.m, i, omega, alpha)

    cdef void _reset_rows(self) noexcept:
        init_psi(&self.state, self.row_psi)

    cdef void _take_steps(self) noexcept nogil:
        modal_explicit_steps(&self.state, &self.m, self.row_psi, self.variant, &self.call)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_modal_energy(&self.state, &self.m, self.row_psi, row)

    cdef int _check_modes(self, const double[::1] omega, const double[::1] alpha) except -1:
        cdef Py_ssize_t i
        check_lengths("modes", self.state.modes, (omega, alpha))
        for i in range(self.state.modes):
            if not (0.0 <= omega[i] * self.state.time_step < 2.0 and 0.0 <= alpha[i]
                    and isfinite(alpha[i])):
                raise ValueError(f"mode {i}: angular frequency {omega[i]} rad/s, decay rate "
                                 f"{alpha[i]} 1/s; "
                                 "expected a frequency from 0 to below 2 / time step, and a decay "
                                 "rate of at least 0")
        return 0

    cdef int _load_arrays(self, Py_ssize_t steps, double[:, ::1] out, const double[:, ::1] forces,
                          const int[::1] control_rows, const int[::1] control_fields,
                          const double[:, ::1] controls) except -1:
        if controls is not None:
            raise ValueError("the rows of this scheme are fixed; expected no controls")
        return Network._load_arrays(self, steps, out, forces, control_rows, control_fields,
                                    controls)

    @property
    def psi(self):
        """psi (K,) at n - 1/2, J^(1/2); a row stores psi^2 / 2."""
        return np.array([self.row_psi[k] for k in range(self.state.g.rows)])

    def set_row(self, Py_ssize_t row, int field, double value):
        """Raise ValueError: the rows of this scheme are fixed."""
        raise ValueError("the rows of this scheme are fixed; expected a two-point or three-point "
                         "scheme")

    def set_row_shape(self, Py_ssize_t row, const double[::1] shape not None,
                      double bridge_shape=0.0, double position=0.0, double weight=0.0,
                      double side_weight=0.0):
        """Raise ValueError: the rows of this scheme are fixed."""
        raise ValueError("the rows of this scheme are fixed; expected a two-point scheme")

    def correct(self, Py_ssize_t row, *, double duration, double excess):
        """Raise ValueError: the rows of this scheme are fixed."""
        raise ValueError("this scheme has no contact correction; expected a two-point or "
                         "three-point scheme")
