# Base class of all schemes on a grid; a scheme overrides the methods below.
from pysitar.kernels.core.network cimport BaseNetwork
from pysitar.kernels.grid.call cimport GridCall
from pysitar.kernels.grid.contacts cimport GridRows
from pysitar.kernels.grid.equilibrium cimport GridEquilibrium
from pysitar.kernels.grid.string cimport StringGrid

cdef class GridNetwork(BaseNetwork):
    cdef StringGrid string
    cdef GridRows r
    cdef GridCall call
    cdef object buffers         # owns the arrays that `call` points into

    # of each scheme: room for its rows, reset of its rows after a change of the state
    cdef int _allocate_contacts(self, Py_ssize_t rows) except -1
    cdef void _reset_rows(self) noexcept

    cdef int _group_rows(self) except -1
    cdef void _add_lone_row(self, int k)
    cdef int _add_cluster(self, list rows) except -1
    cdef int _find_equilibrium(self, GridEquilibrium* at) except -1
