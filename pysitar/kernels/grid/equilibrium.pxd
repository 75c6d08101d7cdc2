# Where a string on a grid rests on its contacts: the least potential energy, by Newton steps of five bands and a line search.
from libc.math cimport fabs
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.law cimport potential, raised
from pysitar.kernels.grid.contacts cimport GridRows, row_place
from pysitar.kernels.grid.string cimport StringGrid, second_difference

cdef enum:
    REST_VECTORS = 9
    MOST_STEPS = 500
    MOST_TRIALS = 60

cdef struct GridRest:
    double* u                   # m
    double* net                 # the force on each node, N
    double* change
    double* tried
    double* curve
    double* diagonal            # of the stiffness, N/m, and then of its L D L^T
    double* next                # the band beside it
    double* third
    double* spare
    double* arena


cdef inline bint open_grid_rest(const StringGrid* s, GridRest* at) noexcept nogil:
    """Room for a search; False without memory. `close_grid_rest` gives it back."""
    cdef double** vectors[REST_VECTORS]
    cdef Py_ssize_t k
    cdef Py_ssize_t n = s.stride + 8
    memset(at, 0, sizeof(GridRest))
    at.arena = <double*>calloc(REST_VECTORS * n, sizeof(double))
    if at.arena == NULL:
        return False
    vectors = [&at.u, &at.net, &at.change, &at.tried, &at.curve, &at.diagonal, &at.next, &at.third, &at.spare]
    for k in range(REST_VECTORS):
        vectors[k][0] = at.arena + k * n
    return True


cdef inline void close_grid_rest(GridRest* at) noexcept nogil:
    free(at.arena)
    at.arena = NULL


cdef inline double static_force(const GridRows* r, Py_ssize_t k, const double* u, double* slope) noexcept nogil:
    """K p^exponent and its slope."""
    cdef double p = r.offset[k] - row_place(r, k, u)
    cdef double force
    slope[0] = 0.0
    if not p > 0.0:
        return 0.0
    force = r.laws[k].stiffness * raised(&r.laws[k], p)
    slope[0] = r.laws[k].exponent * force / p
    return force


cdef inline void weigh(const StringGrid* s, const GridRows* r, GridRest* at, const double* u, double* net) noexcept nogil:
    """The force on each node of a string at u."""
    cdef Py_ssize_t i, k
    cdef double scale = s.node_mass / (s.time_step * s.time_step)
    cdef double* w = at.curve
    cdef double force, slope
    second_difference(w, u, s.intervals)
    for i in range(1, s.intervals):
        net[i] = scale * (s.tension_number * w[i] - s.bending_number * ((w[i + 1] - w[i]) - (w[i] - w[i - 1])))
    for k in range(r.rows):
        force = static_force(r, k, u, &slope)
        net[r.node[k]] += r.left[k] * force
        net[r.node[k] + 1] += r.right[k] * force
    net[0] = 0.0
    net[s.intervals] = 0.0


cdef inline void stiffen(const StringGrid* s, const GridRows* r, GridRest* at) noexcept nogil:
    """The bands of the stiffness of string and contacts at u."""
    cdef Py_ssize_t i, k
    cdef Py_ssize_t m = s.intervals
    cdef double scale = s.node_mass / (s.time_step * s.time_step)
    cdef double slope
    for i in range(m + 1):
        at.diagonal[i] = scale * (2.0 * s.tension_number + (5.0 if i == 1 or i == m - 1 else 6.0) * s.bending_number)
        at.next[i] = -scale * (s.tension_number + 4.0 * s.bending_number)
        at.third[i] = scale * s.bending_number
    for k in range(r.rows):
        static_force(r, k, at.u, &slope)
        i = r.node[k]
        at.diagonal[i] += r.left[k] * r.left[k] * slope
        at.diagonal[i + 1] += r.right[k] * r.right[k] * slope
        at.next[i] += r.left[k] * r.right[k] * slope


cdef inline void solve_bands(Py_ssize_t m, GridRest* at) noexcept nogil:
    """change = stiffness^-1 net on the interior nodes, by L D L^T of two bands; the bands are overwritten by L."""
    cdef Py_ssize_t i
    cdef double* d = at.diagonal
    cdef double* a = at.next                # of node i and i + 1
    cdef double* b = at.third               # of node i and i + 2
    cdef double* x = at.change
    cdef double one, two
    for i in range(1, m):
        x[i] = at.net[i]
    for i in range(1, m - 1):
        one = a[i] / d[i]
        two = b[i] / d[i] if i + 2 < m else 0.0
        d[i + 1] -= one * a[i]
        x[i + 1] -= one * x[i]
        if i + 2 < m:
            a[i + 1] -= two * a[i]
            d[i + 2] -= two * b[i]
            x[i + 2] -= two * x[i]
        a[i] = one
        b[i] = two
    for i in range(m - 1, 0, -1):
        x[i] /= d[i]
        if i + 1 < m:
            x[i] -= a[i] * x[i + 1]
        if i + 2 < m:
            x[i] -= b[i] * x[i + 2]


cdef inline double against(const double* net, const double* change, Py_ssize_t m) noexcept nogil:
    """The slope of the potential energy along a change, J."""
    cdef Py_ssize_t i
    cdef double sum = 0.0
    for i in range(1, m):
        sum -= net[i] * change[i]
    return sum


cdef inline void search_rest(const StringGrid* s, const GridRows* r, GridRest* at) noexcept nogil:
    """Goes along the change until the potential energy's slope has halved."""
    cdef Py_ssize_t i
    cdef Py_ssize_t m = s.intervals
    cdef double start = against(at.net, at.change, m)
    cdef double length = 1.0
    cdef double here, shorter
    for _ in range(MOST_TRIALS):
        for i in range(1, m):
            at.tried[i] = at.u[i] + length * at.change[i]
        weigh(s, r, at, at.tried, at.net)
        here = against(at.net, at.change, m)
        if here <= 0.5 * fabs(start):
            break
        shorter = length * start / (start - here)
        length = shorter if shorter > 0.1 * length else 0.1 * length
    for i in range(1, m):
        at.u[i] = at.tried[i]


cdef inline bint find_grid_rest(const StringGrid* s, const GridRows* r, GridRest* at) noexcept nogil:
    """Rest on the contacts, found from the straight string; False if Newton's steps do not come to an end."""
    cdef Py_ssize_t i
    cdef double size, step, last
    last = 1e300
    for _ in range(MOST_STEPS):
        weigh(s, r, at, at.u, at.net)
        stiffen(s, r, at)
        solve_bands(s.intervals, at)
        size = 0.0
        step = 0.0
        for i in range(1, s.intervals):
            size = fabs(at.u[i]) if fabs(at.u[i]) > size else size
            step = fabs(at.change[i]) if fabs(at.change[i]) > step else step
            if at.change[i] != at.change[i]:
                return False
        # as near as rounding lets it come: there the steps get no shorter
        if step <= 1e-16 * size or (step <= 1e-6 * size and step > 0.25 * last):
            return True
        last = step
        search_rest(s, r, at)
    return False


cdef inline double rest_energy(const StringGrid* s, const GridRows* r, GridRest* at) noexcept nogil:
    """The energy there, J."""
    cdef Py_ssize_t i, k
    cdef double scale = 0.5 * s.node_mass / (s.time_step * s.time_step)
    cdef double energy = 0.0
    cdef double d
    second_difference(at.curve, at.u, s.intervals)
    for i in range(s.intervals):
        d = at.u[i + 1] - at.u[i]
        energy += scale * (s.tension_number * d * d + s.bending_number * at.curve[i] * at.curve[i])
    for k in range(r.rows):
        energy += potential(&r.laws[k], r.offset[k] - row_place(r, k, at.u))
    return energy
