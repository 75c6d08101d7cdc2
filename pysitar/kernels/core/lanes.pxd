# Vector operations whose sums use eight fixed accumulators. The order of additions is part of the
# source, so the compiler may vectorise and every clone gives the same bits.
# Arrays are padded with zeros to a multiple of LANES; `n` is always the padded length.

from libc.math cimport fabs

cdef extern from *:
    ctypedef double* rdouble "double * __restrict"
    ctypedef const double* crdouble "const double * __restrict"

cdef extern from "simd.h" nogil:
    void dot_four "pysitar_dot_four"(const double* a, const double* b, const double* c,
                                     const double* d, const double* x, Py_ssize_t n, double* to_a,
                                     double* to_b, double* to_c, double* to_d)
    void add_matrix_rows "pysitar_add_matrix_rows"(double* to, const double* start,
                                                   const double* matrix, Py_ssize_t stride,
                                                   const int* rows, const double* force,
                                                   Py_ssize_t count)
    bint relax_forces "pysitar_relax_forces"(const double* force, const double* residual,
                                             double inverse_theta, double* next, Py_ssize_t n)
    void dot_two "pysitar_dot_two"(const double* a, const double* b, const double* x, Py_ssize_t n,
                                   double* to_a, double* to_b)
    bint move_apart "pysitar_move_apart"(const double* before, const double* shift,
                                         const double* step, double* after, Py_ssize_t n)
    void add_squares "pysitar_add_squares"(const double* weight, const double* q, const double* a,
                                           const double* y, Py_ssize_t n, double* of_q,
                                           double* of_y)
    double spring_energy "pysitar_spring_energy"(const double* stiffness, const double* p,
                                                 Py_ssize_t n)
    double spring_heat "pysitar_spring_heat"(const double* stiffness, const double* rate,
                                             const double* clamp, const double* before,
                                             const double* after, Py_ssize_t n)
    void add_four "pysitar_add_four"(double* to, const double* a, const double* b,
                                     const double* c, const double* d, double fa, double fb,
                                     double fc, double fd, Py_ssize_t n)

cdef enum:
    LANES = 8


cdef inline Py_ssize_t padded_length(Py_ssize_t n) noexcept nogil:
    return (n + LANES - 1) // LANES * LANES


cdef inline double sum_lanes(const double* acc) noexcept nogil:
    return ((acc[0] + acc[4]) + (acc[2] + acc[6])) + ((acc[1] + acc[5]) + (acc[3] + acc[7]))


cdef inline double dot(crdouble a, crdouble b, Py_ssize_t n) noexcept nogil:
    cdef double acc[LANES]
    cdef Py_ssize_t i, j
    for j in range(LANES):
        acc[j] = 0.0
    for i in range(0, n, 8):           # LANES; Cython requires a literal step
        for j in range(LANES):
            acc[j] += a[i + j] * b[i + j]
    return sum_lanes(acc)


cdef inline void add_scaled(rdouble y, crdouble x, double factor, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        y[i] += factor * x[i]


cdef inline void add(rdouble to, crdouble a, crdouble b, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        to[i] = a[i] + b[i]


cdef inline void subtract(rdouble to, crdouble a, crdouble b, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        to[i] = a[i] - b[i]


cdef inline void copy(rdouble to, crdouble a, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        to[i] = a[i]


cdef inline void clear(rdouble to, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        to[i] = 0.0


cdef inline double maximum(double a, double b) noexcept nogil:
    return a if a > b else b


cdef inline double minimum(double a, double b) noexcept nogil:
    return a if a < b else b


cdef inline double max_lane(const double* acc) noexcept nogil:
    return maximum(maximum(maximum(acc[0], acc[4]), maximum(acc[1], acc[5])),
                   maximum(maximum(acc[2], acc[6]), maximum(acc[3], acc[7])))


cdef inline bint all_nonpositive(crdouble a, crdouble b, Py_ssize_t n) noexcept nogil:
    """Return True if every value in a and b is at most 0; a NaN gives False."""
    cdef double acc[LANES]
    cdef Py_ssize_t i, j
    for j in range(LANES):
        acc[j] = 0.0
    for i in range(0, n, 8):
        for j in range(LANES):
            acc[j] = acc[j] if (a[i + j] <= 0.0) & (b[i + j] <= 0.0) else 1.0
    return sum_lanes(acc) == 0.0


cdef inline double max_abs(crdouble a, Py_ssize_t n) noexcept nogil:
    """Return max|a|."""
    cdef double acc[LANES]
    cdef Py_ssize_t i, j
    for j in range(LANES):
        acc[j] = 0.0
    for i in range(0, n, 8):
        for j in range(LANES):
            acc[j] = maximum(fabs(a[i + j]), acc[j])
    return max_lane(acc)
