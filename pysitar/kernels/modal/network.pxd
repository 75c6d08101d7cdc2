# Base class of all modal schemes; a scheme overrides the methods below.
from pysitar.kernels.modal.equilibrium cimport Equilibrium
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call

cdef class Network:
    cdef State state
    cdef Call call
    cdef object buffers             # owns the arrays that `call` points into
    cdef bint has_new_shape  # a row's shape was set: a Coupled network must update and clear it
    cdef bint is_busy  # `advance` is running, perhaps in a thread that released the GIL

    # of each scheme: loop over the steps, energies, static compliance, valid tensions
    cdef void _take_steps(self) noexcept nogil
    cdef void _sample_energy(self, double* row) noexcept
    cdef void _fill_compliance(self, double tension, double* compliance) noexcept
    cdef int _check_tensions(self, const double[::1] tensions) except -1

    cdef int _check_idle(self) except -1
    cdef int _load_network(self, int points, double time_step, const double[::1] omega, const double[::1] alpha, const double[::1] mass,
                           const double[:, ::1] shapes, const int[::1] kinds, const double[::1] stiffness, const double[::1] exponent,
                           const double[::1] damping, const int[::1] adhesive, const double[::1] offsets) except -1
    cdef int _check_modes(self, const double[::1] omega, const double[::1] alpha) except -1
    cdef int _start_network(self) except -1
    cdef int _set_arrays(self, Py_ssize_t steps, double[:, ::1] out, const double[:, ::1] forces, const int[::1] control_rows,
                         const int[::1] control_fields, const double[:, ::1] controls) except -1
    cdef int _set_tensions(self, Py_ssize_t steps, const double[::1] tensions, const double[::1] block_tensions) except -1
    cdef int _find_equilibrium(self, double tension, Equilibrium* at) except -1
