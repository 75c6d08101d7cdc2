# Static equilibrium of a string on a grid with its contacts: the minimum of the potential energy,
# by Newton steps with a pentadiagonal matrix and a line search.
from libc.math cimport fabs
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.law cimport potential
from pysitar.kernels.contact.power_law cimport power_of
from pysitar.kernels.grid.contacts cimport GridRows, displacement_at_row
from pysitar.kernels.grid.string cimport StringGrid, second_difference

cdef enum:
    EQUILIBRIUM_VECTORS = 8
    MAX_STEPS = 500
    MAX_TRIALS = 60

cdef struct GridEquilibrium:
    double* u                   # displacement, m
    double* net_force           # force on each node, N
    double* change              # Newton step, m
    double* trial               # u of the line search, m
    double* curvature           # d2 u, m
    double* diagonal            # of the stiffness, N/m; overwritten by its L D L^T
    double* off_diagonal        # first off-diagonal of the stiffness
    double* second_off_diagonal
    double* arena


cdef inline bint allocate_grid_equilibrium(const StringGrid* s, GridEquilibrium* at) noexcept nogil:
    """Allocate a search; return False if memory is exhausted.

    Free with `release_grid_equilibrium`.
    """
    cdef double** vectors[EQUILIBRIUM_VECTORS]
    cdef Py_ssize_t k
    cdef Py_ssize_t n = s.stride + 8
    memset(at, 0, sizeof(GridEquilibrium))
    at.arena = <double*>calloc(EQUILIBRIUM_VECTORS * n, sizeof(double))
    if at.arena == NULL:
        return False
    vectors = [&at.u, &at.net_force, &at.change, &at.trial, &at.curvature, &at.diagonal,
               &at.off_diagonal, &at.second_off_diagonal]
    for k in range(EQUILIBRIUM_VECTORS):
        vectors[k][0] = at.arena + k * n
    return True


cdef inline void release_grid_equilibrium(GridEquilibrium* at) noexcept nogil:
    free(at.arena)
    at.arena = NULL


cdef inline double static_force(const GridRows* r, Py_ssize_t k, const double* u,
                                double* slope) noexcept nogil:
    """Return the static force K p^exponent (N) of a row and its slope (N/m)."""
    cdef double p = r.offset[k] - displacement_at_row(r, k, u)
    cdef double force
    slope[0] = 0.0
    if not p > 0.0:
        return 0.0
    force = r.laws[k].stiffness * power_of(&r.laws[k], p)
    slope[0] = r.laws[k].exponent * force / p
    return force


cdef inline void compute_net_force(const StringGrid* s, const GridRows* r, GridEquilibrium* at,
                                   const double* u, double* net_force) noexcept nogil:
    """Compute the net force (N) on each node at u."""
    cdef Py_ssize_t i, k
    cdef double scale = s.node_mass / (s.time_step * s.time_step)
    cdef double* w = at.curvature
    cdef double force, slope
    second_difference(w, u, s.intervals)
    for i in range(1, s.intervals):
        net_force[i] = (scale * (s.tension_number * w[i]
                                 - s.bending_number * ((w[i + 1] - w[i]) - (w[i] - w[i - 1]))))
    for k in range(r.rows):
        force = static_force(r, k, u, &slope)
        net_force[r.node[k]] += r.left[k] * force
        net_force[r.node[k] + 1] += r.right[k] * force
    net_force[0] = 0.0
    net_force[s.intervals] = 0.0


cdef inline void build_stiffness(const StringGrid* s, const GridRows* r,
                                 GridEquilibrium* at) noexcept nogil:
    """Compute the bands of the stiffness matrix of string and contacts at u."""
    cdef Py_ssize_t i, k
    cdef Py_ssize_t m = s.intervals
    cdef double scale = s.node_mass / (s.time_step * s.time_step)
    cdef double slope
    for i in range(m + 1):
        at.diagonal[i] = (scale * (2.0 * s.tension_number
                                   + (5.0 if i == 1 or i == m - 1 else 6.0) * s.bending_number))
        at.off_diagonal[i] = -scale * (s.tension_number + 4.0 * s.bending_number)
        at.second_off_diagonal[i] = scale * s.bending_number
    for k in range(r.rows):
        static_force(r, k, at.u, &slope)
        i = r.node[k]
        at.diagonal[i] += r.left[k] * r.left[k] * slope
        at.diagonal[i + 1] += r.right[k] * r.right[k] * slope
        at.off_diagonal[i] += r.left[k] * r.right[k] * slope


cdef inline void solve_bands(Py_ssize_t m, GridEquilibrium* at) noexcept nogil:
    """Solve stiffness change = net_force on the interior nodes by banded L D L^T, which overwrites
    the bands."""
    cdef Py_ssize_t i
    cdef double* d = at.diagonal
    cdef double* a = at.off_diagonal        # couples nodes i and i + 1
    cdef double* b = at.second_off_diagonal  # couples nodes i and i + 2
    cdef double* x = at.change
    cdef double first_factor, second_factor
    for i in range(1, m):
        x[i] = at.net_force[i]
    for i in range(1, m - 1):
        first_factor = a[i] / d[i]
        second_factor = b[i] / d[i] if i + 2 < m else 0.0
        d[i + 1] -= first_factor * a[i]
        x[i + 1] -= first_factor * x[i]
        if i + 2 < m:
            a[i + 1] -= second_factor * a[i]
            d[i + 2] -= second_factor * b[i]
            x[i + 2] -= second_factor * x[i]
        a[i] = first_factor
        b[i] = second_factor
    for i in range(m - 1, 0, -1):
        x[i] /= d[i]
        if i + 1 < m:
            x[i] -= a[i] * x[i + 1]
        if i + 2 < m:
            x[i] -= b[i] * x[i + 2]


cdef inline double energy_slope(const double* net_force, const double* change,
                                Py_ssize_t m) noexcept nogil:
    """Return the slope of the potential energy along a change, J."""
    cdef Py_ssize_t i
    cdef double sum = 0.0
    for i in range(1, m):
        sum -= net_force[i] * change[i]
    return sum


cdef inline void search_line(const StringGrid* s, const GridRows* r,
                             GridEquilibrium* at) noexcept nogil:
    """Step along the change until the slope of the potential energy has halved."""
    cdef Py_ssize_t i
    cdef Py_ssize_t m = s.intervals
    cdef double start_slope = energy_slope(at.net_force, at.change, m)
    cdef double length = 1.0
    cdef double trial_slope, trial_length
    for _ in range(MAX_TRIALS):
        for i in range(1, m):
            at.trial[i] = at.u[i] + length * at.change[i]
        compute_net_force(s, r, at, at.trial, at.net_force)
        trial_slope = energy_slope(at.net_force, at.change, m)
        if trial_slope <= 0.5 * fabs(start_slope):
            break
        trial_length = length * start_slope / (start_slope - trial_slope)
        length = trial_length if trial_length > 0.1 * length else 0.1 * length
    for i in range(1, m):
        at.u[i] = at.trial[i]


cdef inline bint find_grid_equilibrium(const StringGrid* s, const GridRows* r,
                                       GridEquilibrium* at) noexcept nogil:
    """Find the equilibrium, starting from the straight string.

    Return False if Newton does not converge.
    """
    cdef Py_ssize_t i
    cdef double size, step, last_step
    last_step = 1e300
    for _ in range(MAX_STEPS):
        compute_net_force(s, r, at, at.u, at.net_force)
        build_stiffness(s, r, at)
        solve_bands(s.intervals, at)
        size = 0.0
        step = 0.0
        for i in range(1, s.intervals):
            size = fabs(at.u[i]) if fabs(at.u[i]) > size else size
            step = fabs(at.change[i]) if fabs(at.change[i]) > step else step
            if at.change[i] != at.change[i]:
                return False
        # converged to round-off: the steps no longer get shorter
        if step <= 1e-16 * size or (step <= 1e-6 * size and step > 0.25 * last_step):
            return True
        last_step = step
        search_line(s, r, at)
    return False


cdef inline double grid_equilibrium_energy(const StringGrid* s, const GridRows* r,
                                           GridEquilibrium* at) noexcept nogil:
    """Return the energy of the equilibrium, J."""
    cdef Py_ssize_t i, k
    cdef double scale = 0.5 * s.node_mass / (s.time_step * s.time_step)
    cdef double energy = 0.0
    cdef double d
    second_difference(at.curvature, at.u, s.intervals)
    for i in range(s.intervals):
        d = at.u[i + 1] - at.u[i]
        energy += (scale * (s.tension_number * d * d
                            + s.bending_number * at.curvature[i] * at.curvature[i]))
    for k in range(r.rows):
        energy += potential(&r.laws[k], r.offset[k] - displacement_at_row(r, k, at.u))
    return energy
