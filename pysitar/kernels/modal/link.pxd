# The strings of a bridge and the bridge: what bridge.pxd and joint.pxd work on.
from libc.math cimport fabs

from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call
from pysitar.kernels.modal.two_point cimport TwoPointModes

cdef extern from "lane_systems.h" nogil:
    enum:
        LANE_ROWS "PYSITAR_LANE_ROWS"
        STRING_LANES "PYSITAR_LANES"
    ctypedef struct LaneSystem "PysitarLaneSystem":
        double w[8][8][8]
        double mobility_root[8][8]
        double p0[8][8]
        double e[8][8]
        double u[8][8]
        double f[8][8]
        double bridge_weight[8][8]
        double half[8][8]
        double rate[8][8]
        double spring[8][8]
        double drag[8][8]
        double clamp[8][8]
        double tolerance[8]
        double last_residual[8]
        double is_solved[8]
        int rows
        int lanes
        int strings[8]


cdef struct Search:             # residuals of a string with more rows than a lane takes, N
    double tolerance
    double residual
    double residual_floor
    double last_residual
    double start_slope          # of a line search, J
    double length               # of a line search, 1: a whole Newton step
    bint is_solved              # the residual has been one at which to stop

cdef struct Link:               # a string of the bridge
    State* s
    TwoPointModes* m
    Call* call
    double* inertia             # a of each mode, kg
    double* mode_response       # C a / m of each mode
    double* bridge_weight       # e of each row
    double* force_response      # df/dt of each row for a drift u + e t, N/m
    double* free_drift          # u of each row for z = 0, m
    double* energies            # rows of ENERGY_TERMS of this string alone, J; NULL: not recorded
    double force_tolerance      # |f - F| at which the rows are solved, N
    bint has_unit_exponents     # all present rows have exponent 1 or are linear
    double coupled_mass         # h of this string, sum C a^2 / m, kg

cdef struct Bridge:
    Link* links
    Py_ssize_t count
    State* s                    # of the body, which has no rows
    TwoPointModes* m            # of the body
    Call* call                  # of the body
    double* shape               # phi of each body mode
    double* mode_response       # C phi / m of each body mode, 1/kg
    double string_mass          # mu, kg
    double residual_mass        # mu - h, kg
    double inverse_mass         # gw, 1/kg
    double coupling_factor      # 1 / den
    double mobility             # Y, m/N
    double force                # z of the last step, N
    double previous_force       # z of the step before, N
    double assumed_force        # z for which the rows were solved, N
    double* energies            # rows of ENERGY_TERMS of strings and body, J
    bint is_joint               # forces of all strings are solved together where laws allow
    LaneSystem* systems         # room for all strings
    Py_ssize_t system_count     # in use
    int* larger_strings         # of those in touch, the strings that are in no system
    Py_ssize_t larger_count
    Search* searches            # of the larger strings
    long long failures          # searches for z that did not converge


cdef inline void set_row_drift(Link* link, double bridge_increment) noexcept nogil:
    """Set the drift u of a string's rows (m) for an increment of the bridge displacement by row
    forces (m)."""
    cdef State* s = link.s
    cdef Py_ssize_t j, k
    for j in range(s.present_count):
        k = s.present_rows[j]
        s.g.drift[k] = link.free_drift[k] + link.bridge_weight[k] * bridge_increment


cdef inline double force_on_bridge(const Link* link, double* force_scale) noexcept nogil:
    """Return sum e f of a string's rows, N; add sum |e f| to force_scale."""
    cdef Py_ssize_t j, k
    cdef double force = 0.0
    for j in range(link.s.g.active_count):
        k = link.s.g.active_rows[j]
        force += link.bridge_weight[k] * link.s.g.force[k]
        force_scale[0] += fabs(link.bridge_weight[k] * link.s.g.force[k])
    return force
