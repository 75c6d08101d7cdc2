# For the debug build alone: reads past eight doubles, so that the run can see that the build sees
# it.
from libc.stdlib cimport calloc, free

import numpy as np


def read_by_pointer(Py_ssize_t index):
    """Read past the end of C memory: AddressSanitizer ends the process."""
    cdef double* values = <double*>calloc(8, sizeof(double))
    cdef double value = values[index]
    free(values)
    return value


def read_by_view(Py_ssize_t index):
    """Read past the end of a memoryview: a bounds check raises IndexError."""
    cdef double[::1] values = np.zeros(8)
    return values[index]
