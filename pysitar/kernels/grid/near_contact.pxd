# The rows of a string on a grid that are near a contact, gathered for an explicit scheme: nodes are looked at in blocks
# of 32, and what follows is computed on compact arrays of the few that matter.
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.energy_root cimport BY_TRACKING, begun_psi
from pysitar.kernels.contact.law cimport potential
from pysitar.kernels.grid.call cimport GridCall
from pysitar.kernels.grid.contacts cimport BLOCK, GridRows, row_place
from pysitar.kernels.grid.string cimport StringGrid

cdef extern from * nogil:
    """
    #include "simd.h"

    /* Whether a block of 32 nodes is on or above the heights at step n; a NaN is not. */
    static inline int pysitar_block_above(const double *u, const double *height)
    {
        pysitar_m4 above = {-1, -1, -1, -1};
        for (int i = 0; i < 32; i += 4)
            above &= PYSITAR_LOAD(u + i) >= PYSITAR_LOAD(height + i);
        return ((above[0] & above[1]) & (above[2] & above[3])) != 0;
    }

    /* The same, also at n + 1 without contact. */
    static inline int pysitar_block_stays_above(const double *u, const double *x, const double *height)
    {
        pysitar_m4 above = {-1, -1, -1, -1};
        for (int i = 0; i < 32; i += 4) {
            const pysitar_v4 h = PYSITAR_LOAD(height + i), u0 = PYSITAR_LOAD(u + i);
            above &= (u0 >= h) & (u0 + PYSITAR_LOAD(x + i) >= h);
        }
        return ((above[0] & above[1]) & (above[2] & above[3])) != 0;
    }
    """
    bint block_above "pysitar_block_above"(const double* u, const double* height)
    bint block_stays_above "pysitar_block_stays_above"(const double* u, const double* next, const double* height)

cdef enum:
    EXPLICIT_VECTORS = 11

cdef struct Explicit:
    int variant
    double* psi                 # of each row, J^(1/2)
    int* loaded                 # rows alone whose psi is not 0
    Py_ssize_t loads
    int* loaded_before
    Py_ssize_t loads_before
    Py_ssize_t gathered         # the rows alone of this step, and of each:
    int* row
    unsigned char* limited
    unsigned char* shared       # of each row, whether it is in a cluster
    double* p0                  # p(n - 1), m
    double* p                   # p(n), m
    double* way                 # m; of a damped row, what the damper leaves of it
    double* mobility            # m/N; the same
    double* rate                # of the damper, N/m
    double* root                # g
    double* free                # way without the damper, m
    double* held                # psi
    double* force               # N, without the damper's
    double* step                # h, m
    double* arena
    int* indices


cdef inline bint allocate_explicit(Explicit* x, Py_ssize_t rows) noexcept nogil:
    """Room for K rows, all zero; False without memory. `release_explicit` gives it back."""
    cdef double** vectors[EXPLICIT_VECTORS]
    cdef Py_ssize_t k
    x.arena = <double*>calloc(EXPLICIT_VECTORS * (rows + 1), sizeof(double))
    x.indices = <int*>calloc(3 * (rows + 1), sizeof(int))
    x.limited = <unsigned char*>calloc(2 * (rows + 1), 1)
    if x.arena == NULL or x.indices == NULL or x.limited == NULL:
        return False
    vectors = [&x.psi, &x.p0, &x.p, &x.way, &x.mobility, &x.rate, &x.root, &x.free,
               &x.held, &x.force, &x.step]
    for k in range(EXPLICIT_VECTORS):
        vectors[k][0] = x.arena + k * (rows + 1)
    x.loaded = x.indices
    x.loaded_before = x.indices + rows + 1
    x.row = x.indices + 2 * (rows + 1)
    x.shared = x.limited + rows + 1
    return True


cdef inline void release_explicit(Explicit* x) noexcept nogil:
    free(x.arena)
    free(x.indices)
    free(x.limited)
    memset(x, 0, sizeof(Explicit))


cdef inline void meet_explicit(Explicit* x, GridRows* r, const StringGrid* s) noexcept nogil:
    """psi of a string that was put somewhere; r.before is phi(p(n - 1)) when step n begins."""
    cdef Py_ssize_t k
    cdef double place, p0
    x.loads = 0
    for k in range(r.rows):
        place = row_place(r, k, s.u)
        p0 = r.offset[k] - (place - row_place(r, k, s.q))
        r.before[k] = potential(&r.laws[k], p0)
        x.psi[k] = begun_psi(&r.laws[k], r.offset[k] - place, p0)
        if x.psi[k] != 0.0 and not x.shared[k]:
            x.loaded[x.loads] = <int>k
            x.loads += 1


cdef inline void fails(GridRows* r, GridCall* call) noexcept nogil:
    r.failures += 1
    call.failed_at = call.count if call.failed_at < 0 else call.failed_at


cdef inline void gather(Explicit* x, GridRows* r, Py_ssize_t k, double p0, double p, double way, double mobility) noexcept nogil:
    cdef Py_ssize_t i = x.gathered
    r.touched[r.touching] = <int>k
    r.touching += 1
    r.fresh[k] = 1
    x.row[i] = <int>k
    x.p0[i] = p0
    x.p[i] = p
    x.free[i] = x.way[i] = way
    x.mobility[i] = mobility
    x.held[i] = x.psi[k]
    x.rate[i] = 0.0
    x.gathered += 1


cdef inline void gather_place(Explicit* x, GridRows* r, const StringGrid* s, Py_ssize_t k) noexcept nogil:
    cdef double u = row_place(r, k, s.u)
    cdef double q = row_place(r, k, s.q)
    gather(x, r, k, r.offset[k] - (u - q), r.offset[k] - u, -(q + row_place(r, k, s.next)), s.mobility * r.reach[k])


cdef inline void gather_on_nodes(Explicit* x, StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef bint ahead = x.variant == BY_TRACKING
    for i in range(r.first, r.last, 32):
        if block_stays_above(s.u + i, s.next + i, r.height + i) if ahead else block_above(s.u + i, r.height + i):
            continue
        for j in range(i, i + BLOCK):
            if s.u[j] >= r.height[j] and (not ahead or s.u[j] + s.next[j] >= r.height[j]):
                continue
            if r.row_at[j] >= 0:
                gather(x, r, r.row_at[j], r.height[j] - (s.u[j] - s.q[j]), r.height[j] - s.u[j], -(s.q[j] + s.next[j]), s.mobility)
            else:                               # not a number
                fails(r, call)


cdef inline void gather_between(Explicit* x, StringGrid* s, GridRows* r) noexcept nogil:
    cdef Py_ssize_t i, k
    cdef double u
    for i in range(r.betweens):
        k = r.between[i]
        u = row_place(r, k, s.u)
        if not (u >= r.offset[k] and (x.variant != BY_TRACKING or u + row_place(r, k, s.next) >= r.offset[k])):
            gather_place(x, r, s, k)


cdef inline double gather_loaded(Explicit* x, StringGrid* s, GridRows* r) noexcept nogil:
    """The rows that have left with a psi: `reset` gives it up, `tracking` gathers them; returns the heat, J."""
    cdef Py_ssize_t i, k
    cdef double heat = 0.0
    for i in range(x.loads_before):
        k = x.loaded_before[i]
        if r.fresh[k]:
            continue
        if x.variant == BY_TRACKING:
            gather_place(x, r, s, k)
        else:
            heat += 0.5 * x.psi[k] * x.psi[k]
            x.psi[k] = 0.0
    return heat
