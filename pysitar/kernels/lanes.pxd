# Sums in eight fixed accumulators: the permission to vectorise is in the code, so every clone has the same bits.
# Arrays are padded with zeros to a multiple of LANES; `n` is always the padded length.

cdef extern from *:
    ctypedef double* rdouble "double * __restrict"
    ctypedef const double* crdouble "const double * __restrict"

cdef enum:
    LANES = 8


cdef inline Py_ssize_t padded(Py_ssize_t n) noexcept nogil:
    return (n + LANES - 1) // LANES * LANES


cdef inline double folded(const double* acc) noexcept nogil:
    return ((acc[0] + acc[4]) + (acc[2] + acc[6])) + ((acc[1] + acc[5]) + (acc[3] + acc[7]))


cdef inline double dot(crdouble a, crdouble b, Py_ssize_t n) noexcept nogil:
    cdef double acc[LANES]
    cdef Py_ssize_t i, j
    for j in range(LANES):
        acc[j] = 0.0
    for i in range(0, n, 8):           # LANES: Cython wants the step in digits
        for j in range(LANES):
            acc[j] += a[i + j] * b[i + j]
    return folded(acc)


cdef inline void add_scaled(rdouble y, crdouble x, double factor, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        y[i] += factor * x[i]
