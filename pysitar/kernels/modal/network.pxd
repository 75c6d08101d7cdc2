# Base class of all modal schemes; a scheme overrides the methods below.
from pysitar.kernels.core.network cimport BaseNetwork
from pysitar.kernels.modal.equilibrium cimport Equilibrium
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call

cdef class Network(BaseNetwork):
    cdef State state
    cdef Call call
    cdef object buffers         # owns the arrays that `call` points into
    cdef bint has_new_shape     # a row's shape was set: a Coupled network must update and clear it

    # overridden by each scheme, in this order: its static compliance; a check of the tensions; the
    # memory for a tension that changes at every step; the reset of its rows after a change of the
    # state
    cdef void _fill_compliance(self, double tension, double* compliance) noexcept
    cdef int _check_tensions(self, const double[::1] tensions) except -1
    cdef int _prepare_ramps(self) except -1
    cdef void _reset_rows(self) noexcept

    cdef int _check_modes(self, const double[::1] omega, const double[::1] alpha) except -1
    cdef int _start_network(self) except -1
    cdef int _check_attraction(self) except -1
    cdef int _load_arrays(self, Py_ssize_t steps, double[:, ::1] out,
                          const double[:, ::1] forces, const int[::1] control_rows,
                          const int[::1] control_fields, const double[:, ::1] controls) except -1
    cdef int _check_field(self, Py_ssize_t row, int field) except -1
    cdef int _load_tensions(self, Py_ssize_t steps, const double[::1] tensions,
                            const double[::1] block_tensions,
                            Py_ssize_t block_steps, bint ramps) except -1
    cdef int _find_equilibrium(self, double tension, Equilibrium* at) except -1


cdef double* matrix_pointer(array) except? NULL
cdef int check_place(Py_ssize_t row, double position, double weight, double side_weight,
                     double length) except -1
