# What the classes of all schemes on a grid share; each fills in what is its own.
from pysitar.kernels.grid.call cimport GridCall
from pysitar.kernels.grid.contacts cimport GridRows
from pysitar.kernels.grid.equilibrium cimport GridRest
from pysitar.kernels.grid.string cimport StringGrid

cdef class GridNetwork:
    cdef StringGrid string
    cdef GridRows r
    cdef GridCall call
    cdef object keep                # the arrays that `call` points into
    cdef bint busy                  # being advanced, perhaps by a thread that has let the others in

    # the scheme's own: its loop, its energy, and what its contacts remember of a string that was put somewhere
    cdef void _take_steps(self) noexcept nogil
    cdef void _read_energy(self, double* row) noexcept
    cdef void _meet(self) noexcept

    cdef int _claim(self) except -1
    cdef int _open(self, Py_ssize_t intervals, double time_step, double node_mass, double sigma0, double tension_number,
                   double bending_number, double loss_number, const int[::1] nodes, const double[::1] fractions,
                   const double[::1] stiffness, const double[::1] exponent, const double[::1] damping, const int[::1] adhesive,
                   const double[::1] offsets) except -1
    cdef int _group(self) except -1
    cdef void _leave_alone(self, int k)
    cdef int _join(self, list rows) except -1
    cdef int _find(self, GridRest* at) except -1
