"""The iterative scheme of a string on a grid, resumable at any step; the scheme's note is in iterative.pxd."""
from pysitar.kernels.grid.call cimport GridCall
from pysitar.kernels.grid.contacts cimport GridRows
from pysitar.kernels.grid.iterative cimport sample_total_energy, take_grid_steps
from pysitar.kernels.grid.network cimport GridNetwork
from pysitar.kernels.grid.string cimport StringGrid

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void fd_iterative_steps(void* string, void* rows, void* call);
    """


cdef void fd_iterative_steps "fd_iterative_steps"(void* string, void* rows, void* call) noexcept nogil:
    take_grid_steps(<StringGrid*>string, <GridRows*>rows, <GridCall*>call)


cdef class FdIterative(GridNetwork):
    """A string of M intervals against K contacts, by the conservative iterative scheme.

    Parameters: intervals M; time_step, s; node_mass, kg; sigma0, 1/s; tension_number, bending_number, loss_number, of the update, as
    physics/grid.py defines them; nodes (K,), 0 to M - 1, and fractions (K,), 0 to 1: a row is met at (1 - fraction) u[node] +
    fraction u[node + 1]; stiffness (K,), N/m^exponent; exponent (K,); damping (K,), s/m; adhesive (K,), 0 clamps a force at 0;
    offsets (K,), m. The string starts at rest at 0. Arrays "(nodes,)" are of the M - 1 interior nodes.
    Energies are those of half a step ago: before step n, H(n - 1/2), with losses and work up to there; the kinetic one has in it what
    sigma2 takes of H. du/dt at step n is (u(n + 1) - u(n - 1)) / (2 dt).
    Errors: ValueError; more than 512 rows that share nodes.
    """

    def __cinit__(self, *, Py_ssize_t intervals, double time_step, double node_mass, double sigma0, double tension_number,
                  double bending_number, double loss_number, const int[::1] nodes not None, const double[::1] fractions not None,
                  const double[::1] stiffness not None, const double[::1] exponent not None, const double[::1] damping not None,
                  const int[::1] adhesive not None, const double[::1] offsets not None):
        self._load_network(intervals, time_step, node_mass, sigma0, tension_number, bending_number, loss_number, nodes, fractions,
                           stiffness, exponent, damping, adhesive, offsets)

    cdef void _take_steps(self) noexcept nogil:
        fd_iterative_steps(&self.string, &self.r, &self.call)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_total_energy(&self.string, &self.r, &self.call, row)
