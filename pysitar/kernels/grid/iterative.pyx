"""The iterative scheme of a string on a grid, resumable at any step; iterative.pxd describes it."""
from pysitar.kernels.grid.call cimport GridCall
from pysitar.kernels.grid.contacts cimport GridRows
from pysitar.kernels.grid.iterative cimport sample_total_energy, take_grid_steps
from pysitar.kernels.grid.network cimport GridNetwork
from pysitar.kernels.grid.string cimport StringGrid

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void fd_iterative_steps(void* string, void* rows, void* call);
    """


cdef void fd_iterative_steps "fd_iterative_steps"(void* string, void* rows,
                                                  void* call) noexcept nogil:
    take_grid_steps(<StringGrid*>string, <GridRows*>rows, <GridCall*>call)


cdef class FdIterative(GridNetwork):
    """A string of M intervals with K contacts, by the conservative iterative scheme.

    Parameters: intervals M, at least 4; time_step, s; node_mass, kg; sigma0, 1/s; tension_number,
    bending_number, loss_number of the update, as defined in physics/grid.py; nodes (K,), 0 to M -
    1, and fractions (K,), 0 to 1: a row acts at (1 - fraction) u[node] + fraction u[node + 1]; laws
    (K,), as `modal.network.Network`, all of kind 0 (contact); offsets (K,), m. The string starts at
    rest at u = 0. Arrays of shape (nodes,) have the M - 1 interior nodes. Energies before step n
    are H(n - 1/2), with losses and work up to n - 1/2; the kinetic energy contains the (negative)
    sigma2 term of H. du/dt at step n is (u(n + 1) - u(n - 1)) / (2 dt).
    Errors: ValueError, also for more than 512 rows in a cluster.
    """

    def __cinit__(self, **network):
        self._load_network(**network)

    cdef void _take_steps(self) noexcept nogil:
        fd_iterative_steps(&self.string, &self.r, &self.call)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_total_energy(&self.string, &self.r, &self.call, row)
