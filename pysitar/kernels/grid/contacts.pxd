# The contacts of a string on a grid: positions, laws, and clusters of rows that share nodes.
#
# A row between two nodes has p = offset - left u[node] - right u[node + 1] and exerts left F and
# right F on them. A row that shares no node with another is a single row: on a node it is found by
# comparing the string with `height`, between two nodes it is in the list `between_rows`. Rows that
# share nodes, directly or through other rows, form a cluster, whose forces are coupled.
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.law cimport potential
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.problem cimport (
    Problem, allocate_problem, release_problem, update_mobility_norm,
)
from pysitar.kernels.grid.string cimport StringGrid

cdef enum:
    ROW_VECTORS = 8
    NODE_BLOCK = 32             # nodes that are compared at once

cdef struct Cluster:
    Problem g
    int* rows                   # indices of its rows
    bint has_damping            # any of its rows is damped

cdef struct GridRows:
    Py_ssize_t rows             # K
    Law* laws                   # without damping
    int* node                   # left node of each row, 0 .. M - 1
    double* left                # weight of the left node; 0 at an end of the string
    double* right               # weight of the right node; 0 at an end of the string
    double* offset              # m
    double* drag  # damping stiffness / (2 k); drag p^exponent is the damper's rate, N/m
    double* weight_square       # left^2 + right^2: mobility of the row over that of a node
    double* force               # over the last step, N
    double* energy_now          # phi(p(n)), J
    double* energy_before       # phi(p(n - 1)), J
    unsigned char* adhesive     # 0: the force is clamped at 0
    double* height              # offset of the single row on each node, m
    int* row_at                 # index of the single row on each node, -1: none
    Py_ssize_t first_node       # range of nodes with single rows, first <= i < last, whole blocks
    Py_ssize_t last_node
    int* between_rows           # single rows between two nodes
    Py_ssize_t between_count
    Cluster* clusters
    Py_ssize_t cluster_count
    int* active_rows            # rows that may have a force in this step
    Py_ssize_t active_count
    int* last_active_rows       # active_rows of the previous step
    Py_ssize_t last_active_count
    unsigned char* is_active    # 1 for a row in active_rows
    long long iterations        # of all solves
    long long solves
    long long failures          # solves that did not converge
    int most_iterations         # of one solve
    double* arena
    int* indices


cdef inline bint allocate_rows(GridRows* r, Py_ssize_t rows, Py_ssize_t stride) noexcept nogil:
    """Allocate K rows, all zero; return False if memory is exhausted. Free with `release_rows`."""
    cdef double** vectors[ROW_VECTORS]
    cdef Py_ssize_t k
    memset(r, 0, sizeof(GridRows))
    r.rows = rows
    r.laws = <Law*>calloc(rows + 1, sizeof(Law))
    r.arena = <double*>calloc(ROW_VECTORS * rows + stride + NODE_BLOCK, sizeof(double))
    r.indices = <int*>calloc(4 * (rows + NODE_BLOCK) + stride + NODE_BLOCK, sizeof(int))
    r.adhesive = <unsigned char*>calloc(2 * rows + 1, 1)
    r.clusters = <Cluster*>calloc(rows + 1, sizeof(Cluster))
    if (r.laws == NULL or r.arena == NULL or r.indices == NULL or r.adhesive == NULL
            or r.clusters == NULL):
        return False
    vectors = [&r.left, &r.right, &r.offset, &r.drag, &r.weight_square, &r.force, &r.energy_now,
               &r.energy_before]
    for k in range(ROW_VECTORS):
        vectors[k][0] = r.arena + k * rows
    r.height = r.arena + ROW_VECTORS * rows
    r.node = r.indices
    r.between_rows = r.indices + rows + NODE_BLOCK
    r.active_rows = r.indices + 2 * (rows + NODE_BLOCK)
    r.last_active_rows = r.indices + 3 * (rows + NODE_BLOCK)
    r.row_at = r.indices + 4 * (rows + NODE_BLOCK)
    r.is_active = r.adhesive + rows
    for k in range(stride + NODE_BLOCK):
        r.height[k] = -1e300                    # below any string: no contact
        r.row_at[k] = -1
    return True


cdef inline void release_rows(GridRows* r) noexcept nogil:
    cdef Py_ssize_t i
    if r.clusters != NULL:
        for i in range(r.cluster_count):
            release_problem(&r.clusters[i].g)
            free(r.clusters[i].rows)
    free(r.clusters)
    free(r.laws)
    free(r.arena)
    free(r.indices)
    free(r.adhesive)
    memset(r, 0, sizeof(GridRows))


cdef inline double displacement_at_row(const GridRows* r, Py_ssize_t k,
                                       const double* u) noexcept nogil:
    """Return the displacement of the string at a row, m."""
    return r.left[k] * u[r.node[k]] + r.right[k] * u[r.node[k] + 1]


cdef inline double row_coupling(const GridRows* r, Py_ssize_t j, Py_ssize_t k) noexcept nogil:
    """Return the mobility at row k for a force of row j, over that of a node."""
    cdef int node_distance = r.node[k] - r.node[j]
    if node_distance == 0:
        return r.left[j] * r.left[k] + r.right[j] * r.right[k]
    if node_distance == 1:
        return r.right[j] * r.left[k]
    return r.left[j] * r.right[k] if node_distance == -1 else 0.0


cdef inline void update_grid_mobility(GridRows* r, double mobility) noexcept nogil:
    """Recompute W of the clusters after a change of the mobility of a node (m/N)."""
    cdef Py_ssize_t c, i, j
    cdef Problem* g
    for c in range(r.cluster_count):
        g = &r.clusters[c].g
        for i in range(g.rows):
            for j in range(g.rows):
                g.mobility[i * g.stride + j] = mobility * row_coupling(
                    r, r.clusters[c].rows[i], r.clusters[c].rows[j])
        update_mobility_norm(g)


cdef inline void reset_rows(GridRows* r, const StringGrid* s) noexcept nogil:
    """Reset the rows' stored energies to the string's state, and their forces to 0."""
    cdef Py_ssize_t k, c, i
    cdef double displacement
    for k in range(r.rows):
        r.force[k] = 0.0
        displacement = displacement_at_row(r, k, s.u)
        r.energy_now[k] = potential(&r.laws[k], r.offset[k] - displacement)
        r.energy_before[k] = potential(&r.laws[k],
                                       r.offset[k]
                                       - (displacement - displacement_at_row(r, k, s.q)))
    r.active_count = 0
    r.last_active_count = 0
    for c in range(r.cluster_count):
        for i in range(r.clusters[c].g.rows):
            r.clusters[c].g.force[i] = 0.0
        r.clusters[c].g.active_count = 0


cdef inline double grid_row_energy(const GridRows* r) noexcept nogil:
    """Return the mean of the rows' stored energy at steps n and n - 1, J."""
    cdef Py_ssize_t k
    cdef double sum = 0.0
    for k in range(r.rows):
        sum += 0.5 * (r.energy_now[k] + r.energy_before[k])
    return sum
