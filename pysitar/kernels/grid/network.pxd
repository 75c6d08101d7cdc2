# Base class of all schemes on a grid; a scheme overrides the methods below.
from pysitar.kernels.grid.call cimport GridCall
from pysitar.kernels.grid.contacts cimport GridRows
from pysitar.kernels.grid.equilibrium cimport GridEquilibrium
from pysitar.kernels.grid.string cimport StringGrid

cdef class GridNetwork:
    cdef StringGrid string
    cdef GridRows r
    cdef GridCall call
    cdef object buffers             # owns the arrays that `call` points into
    cdef bint is_busy  # `advance` is running, perhaps in a thread that released the GIL

    # of each scheme: loop over the steps, energies, reset of the rows after a change of the state
    cdef void _take_steps(self) noexcept nogil
    cdef void _sample_energy(self, double* row) noexcept
    cdef void _reset_rows(self) noexcept

    cdef int _check_idle(self) except -1
    cdef int _load_network(self, Py_ssize_t intervals, double time_step, double node_mass, double sigma0, double tension_number,
                           double bending_number, double loss_number, const int[::1] nodes, const double[::1] fractions,
                           const double[::1] stiffness, const double[::1] exponent, const double[::1] damping, const int[::1] adhesive,
                           const double[::1] offsets) except -1
    cdef int _group_rows(self) except -1
    cdef void _add_lone_row(self, int k)
    cdef int _add_cluster(self, list rows) except -1
    cdef int _find_equilibrium(self, GridEquilibrium* at) except -1
