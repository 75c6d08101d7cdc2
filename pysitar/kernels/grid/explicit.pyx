"""The explicit schemes of a string on a grid, resumable at any step.

Explicit.pxd describes them.
"""
import numpy as np

from pysitar.kernels.contact.energy_root cimport VARIANT_PAPER, VARIANT_RESET, VARIANT_TRACKING
from pysitar.kernels.grid.call cimport GridCall
from pysitar.kernels.grid.contacts cimport GridRows, reset_rows
from pysitar.kernels.grid.explicit cimport sample_explicit_energy, take_explicit_steps
from pysitar.kernels.grid.near_contact cimport (
    NearContact, allocate_near_contact, release_near_contact, reset_psi,
)
from pysitar.kernels.grid.network cimport GridNetwork
from pysitar.kernels.grid.string cimport StringGrid

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void fd_explicit_steps(void* explicit, void* string, void* rows,
                                                 void* call);
    """

PAPER, RESET, TRACKING = VARIANT_PAPER, VARIANT_RESET, VARIANT_TRACKING


cdef void fd_explicit_steps "fd_explicit_steps"(void* explicit, void* string, void* rows,
                                                void* call) noexcept nogil:
    take_explicit_steps(<NearContact*>explicit, <StringGrid*>string, <GridRows*>rows,
                        <GridCall*>call)


cdef class FdExplicit(GridNetwork):
    """A string of M intervals with K contacts, by an explicit scheme: no iteration for any
    exponent.

    Parameters: intervals M, at least 4; time_step, s; node_mass, kg; sigma0, 1/s; tension_number,
    bending_number, loss_number of the update, as defined in physics/grid.py; nodes (K,), 0 to M -
    1, and fractions (K,), 0 to 1: a row acts at (1 - fraction) u[node] + fraction u[node + 1]; laws
    (K,), as `modal.network.Network`, all of kind 0 (contact); offsets (K,), m; variant, PAPER,
    RESET or TRACKING. The string starts at rest at u = 0. Arrays of shape (nodes,) have the M - 1
    interior nodes. Energies before step n are H(n - 1/2), with losses and work up to n - 1/2;
    energy dropped by RESET is a loss. du/dt at step n is (u(n + 1) - u(n - 1)) / (2 dt).
    Errors: ValueError, also for more than 512 rows in a cluster.
    """

    cdef NearContact x

    def __cinit__(self, *, int variant=VARIANT_TRACKING, **network):
        if variant not in (PAPER, RESET, TRACKING):
            raise ValueError(f"variant is {variant}; expected 0 (paper), 1 (reset) or 2 (tracking)")
        self.x.variant = variant
        self._load_network(**network)
        for rows in self.buffers["clusters"]:
            for k in rows:
                self.x.in_cluster[<Py_ssize_t>k] = 1

    def __dealloc__(self):
        release_near_contact(&self.x)

    cdef int _allocate_contacts(self, Py_ssize_t rows) except -1:
        if not allocate_near_contact(&self.x, rows):
            raise MemoryError
        return 0

    cdef void _take_steps(self) noexcept nogil:
        fd_explicit_steps(&self.x, &self.string, &self.r, &self.call)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_explicit_energy(&self.x, &self.string, &self.r, &self.call, row)

    cdef void _reset_rows(self) noexcept:
        reset_rows(&self.r, &self.string)
        reset_psi(&self.x, &self.r, &self.string)

    @property
    def psi(self):
        """psi (K,) at n - 1/2, J^(1/2); a row stores psi^2 / 2."""
        return np.array([self.x.psi[k] for k in range(self.r.rows)])
