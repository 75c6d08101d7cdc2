# Base class of all networks; a scheme overrides the methods below and sets the three pointers.
from pysitar.kernels.core.run cimport Run
from pysitar.kernels.core.sleep cimport SleepState

cdef class BaseNetwork:
    cdef Run* run               # of the scheme's call
    cdef SleepState* sleep      # of the scheme's state
    cdef long long* step_count  # steps since the start, of the scheme's state
    cdef bint is_busy           # `advance` is running, perhaps in a thread that released the GIL

    # overridden by each scheme, in this order: its name in messages; its loop over the steps; its
    # energies; its counts of the solver (solves, iterations, most iterations, failures); for sleep,
    # at the present state: energy, first output, and sum of the magnitudes of that output's terms
    cdef str _noun(self)
    cdef void _take_steps(self) noexcept nogil
    cdef void _sample_energy(self, double* row) noexcept
    cdef tuple _solver_counts(self)
    cdef int _sample_reference(self, double* energy, double* output, double* magnitude) except -1

    cdef int _check_idle(self) except -1
    cdef int _set_busy(self, bint busy) except -1
    cdef int _load_out(self, Py_ssize_t steps, double[:, ::1] out) except -1
    cdef int _load_forces(self, Py_ssize_t steps, const double[:, ::1] forces) except -1
    cdef int _load_energies(self, Py_ssize_t steps, double[:, ::1] energies, Py_ssize_t every,
                            bint may_sleep) except -1
    cdef Py_ssize_t _run_steps(self) except -1
