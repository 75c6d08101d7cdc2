# Rows near contact, gathered for the explicit schemes: nodes are compared with the heights in
# blocks of 32, and the forces are computed on compact arrays of the few rows found.
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.energy_root cimport VARIANT_TRACKING, initial_psi
from pysitar.kernels.contact.law cimport potential
from pysitar.kernels.grid.call cimport GridCall
from pysitar.kernels.grid.contacts cimport NODE_BLOCK, GridRows, displacement_at_row
from pysitar.kernels.grid.string cimport StringGrid

cdef extern from * nogil:
    """
    #include "simd.h"

    /* True if a block of 32 nodes is at or above the heights at step n; a NaN gives false. */
    static inline int pysitar_block_above(const double *u, const double *height)
    {
        pysitar_m4 above = {-1, -1, -1, -1};
        for (int i = 0; i < 32; i += 4)
            above &= PYSITAR_LOAD(u + i) >= PYSITAR_LOAD(height + i);
        return ((above[0] & above[1]) & (above[2] & above[3])) != 0;
    }

    /* The same, also at n + 1 without contact. */
    static inline int pysitar_block_stays_above(const double *u, const double *x,
                                                const double *height)
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
    bint block_stays_above "pysitar_block_stays_above"(const double* u, const double* next,
                                                       const double* height)

cdef enum:
    EXPLICIT_VECTORS = 11

cdef struct NearContact:
    int variant                 # of contact/energy_root.pxd
    double* psi                 # of each row of the network, J^(1/2)
    int* psi_rows               # single rows whose psi is not 0
    Py_ssize_t psi_count
    int* last_psi_rows          # psi_rows of the previous step
    Py_ssize_t last_psi_count
    Py_ssize_t row_count        # gathered single rows of this step; per gathered row, unless noted:
    int* row                    # its index
    unsigned char* is_limited   # g is at the limit
    unsigned char* in_cluster   # of each row of the network, 1: it is in a cluster
    double* p0                  # p(n - 1), m
    double* p                   # p(n), m
    double* free_increment      # increment of p without contact force, reduced by the damper, m
    double* mobility            # W, reduced by the damper, m/N
    double* rate                # r, of the damper, N/m
    double* psi_slope           # g, J^(1/2)/m
    double* undamped_increment  # free increment without the damper, m
    double* start_psi           # psi at n - 1/2, J^(1/2)
    double* force               # without the damper's, N
    double* step                # h, m
    double* arena
    int* indices


cdef inline bint allocate_near_contact(NearContact* x, Py_ssize_t rows) noexcept nogil:
    """Allocate for K rows, all zero.

    Return False if memory is exhausted. Free with `release_near_contact`.
    """
    cdef double** vectors[EXPLICIT_VECTORS]
    cdef Py_ssize_t k
    x.arena = <double*>calloc(EXPLICIT_VECTORS * (rows + 1), sizeof(double))
    x.indices = <int*>calloc(3 * (rows + 1), sizeof(int))
    x.is_limited = <unsigned char*>calloc(2 * (rows + 1), 1)
    if x.arena == NULL or x.indices == NULL or x.is_limited == NULL:
        return False
    vectors = [&x.psi, &x.p0, &x.p, &x.free_increment, &x.mobility, &x.rate, &x.psi_slope,
               &x.undamped_increment, &x.start_psi, &x.force, &x.step]
    for k in range(EXPLICIT_VECTORS):
        vectors[k][0] = x.arena + k * (rows + 1)
    x.psi_rows = x.indices
    x.last_psi_rows = x.indices + rows + 1
    x.row = x.indices + 2 * (rows + 1)
    x.in_cluster = x.is_limited + rows + 1
    return True


cdef inline void release_near_contact(NearContact* x) noexcept nogil:
    free(x.arena)
    free(x.indices)
    free(x.is_limited)
    memset(x, 0, sizeof(NearContact))


cdef inline void reset_psi(NearContact* x, GridRows* r, const StringGrid* s) noexcept nogil:
    """Set psi after a change of the string's state.

    r.energy_before is phi(p(n - 1)) when step n begins.
    """
    cdef Py_ssize_t k
    cdef double displacement, p0
    x.psi_count = 0
    for k in range(r.rows):
        displacement = displacement_at_row(r, k, s.u)
        p0 = r.offset[k] - (displacement - displacement_at_row(r, k, s.q))
        r.energy_before[k] = potential(&r.laws[k], p0)
        x.psi[k] = initial_psi(&r.laws[k], r.offset[k] - displacement, p0)
        if x.psi[k] != 0.0 and not x.in_cluster[k]:
            x.psi_rows[x.psi_count] = <int>k
            x.psi_count += 1


cdef inline void record_failure(GridRows* r, GridCall* call) noexcept nogil:
    r.failures += 1
    call.run.failed_at = call.count if call.run.failed_at < 0 else call.run.failed_at


cdef inline void gather_row(NearContact* x, GridRows* r, Py_ssize_t k, double p0, double p,
                            double free_increment, double mobility) noexcept nogil:
    cdef Py_ssize_t i = x.row_count
    r.active_rows[r.active_count] = <int>k
    r.active_count += 1
    r.is_active[k] = 1
    x.row[i] = <int>k
    x.p0[i] = p0
    x.p[i] = p
    x.undamped_increment[i] = x.free_increment[i] = free_increment
    x.mobility[i] = mobility
    x.start_psi[i] = x.psi[k]
    x.rate[i] = 0.0
    x.row_count += 1


cdef inline void gather_at_row(NearContact* x, GridRows* r, const StringGrid* s,
                               Py_ssize_t k) noexcept nogil:
    cdef double u = displacement_at_row(r, k, s.u)
    cdef double q = displacement_at_row(r, k, s.q)
    gather_row(x, r, k, r.offset[k] - (u - q), r.offset[k] - u,
               -(q + displacement_at_row(r, k, s.next)), s.mobility * r.weight_square[k])


cdef inline void gather_on_nodes(NearContact* x, StringGrid* s, GridRows* r,
                                 GridCall* call) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef bint is_tracking = x.variant == VARIANT_TRACKING
    for i in range(r.first_node, r.last_node, 32):
        if (block_stays_above(s.u + i, s.next + i, r.height + i) if is_tracking
                else block_above(s.u + i, r.height + i)):
            continue
        for j in range(i, i + NODE_BLOCK):
            if s.u[j] >= r.height[j] and (not is_tracking or s.u[j] + s.next[j] >= r.height[j]):
                continue
            if r.row_at[j] >= 0:
                gather_row(x, r, r.row_at[j], r.height[j] - (s.u[j] - s.q[j]), r.height[j] - s.u[j],
                           -(s.q[j] + s.next[j]), s.mobility)
            else:                               # u is NaN
                record_failure(r, call)


cdef inline void gather_between(NearContact* x, StringGrid* s, GridRows* r) noexcept nogil:
    cdef Py_ssize_t i, k
    cdef double u
    for i in range(r.between_count):
        k = r.between_rows[i]
        u = displacement_at_row(r, k, s.u)
        if not (u >= r.offset[k] and (x.variant != VARIANT_TRACKING
                                      or u + displacement_at_row(r, k, s.next) >= r.offset[k])):
            gather_at_row(x, r, s, k)


cdef inline double gather_psi_rows(NearContact* x, StringGrid* s, GridRows* r) noexcept nogil:
    """Handle rows out of contact with psi != 0: `reset` sets it to 0, `tracking` gathers them.

    Return the energy (J) dissipated by resetting psi.
    """
    cdef Py_ssize_t i, k
    cdef double heat = 0.0
    for i in range(x.last_psi_count):
        k = x.last_psi_rows[i]
        if r.is_active[k]:
            continue
        if x.variant == VARIANT_TRACKING:
            gather_at_row(x, r, s, k)
        else:
            heat += 0.5 * x.psi[k] * x.psi[k]
            x.psi[k] = 0.0
    return heat
