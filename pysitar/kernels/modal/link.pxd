# The strings of a bridge and the bridge: what bridge.pxd and joint.pxd work on.
from libc.math cimport fabs

from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call, Modes
from pysitar.kernels.modal.two_point cimport TwoPointModes

cdef extern from "lane_systems.h" nogil:
    enum:
        LANE_ROWS "PYSITAR_LANE_ROWS"
        STRING_LANES "PYSITAR_LANES"
    const unsigned long long UNKNOWN_ROWS "PYSITAR_UNKNOWN_ROWS"
    ctypedef struct LaneSystem "PysitarLaneSystem":
        double w[16][16][4]
        double mobility_root[16][4]
        double bridge_weight[16][4]
        double half[16][4]
        double rate[16][4]
        double spring[16][4]
        double drag[16][4]
        double clamp[16][4]
        double f[16][4]
        double heat[4]
        double tolerance[4]
        double last_residual[4]
        double is_solved[4]
        double increment
        double force
        double bridge_response
        bint is_settled
        int rows
        int lane_rows[4]
        unsigned long long active[4]

cdef struct Search:             # of a string with more rows than a lane takes, or of other laws
    unsigned long long active   # rows that the compact vectors of its problem are of, bits
    double tolerance            # residuals, N
    double residual
    double residual_floor
    double last_residual
    double start_slope          # of a line search, J
    double length               # of a line search, 1: a whole Newton step
    bint is_solved              # the residual has been one at which to stop
    bint is_settled             # as of a LaneSystem
    double increment
    double force
    double bridge_response

cdef struct Link:               # a string of the bridge
    State* s
    TwoPointModes* m
    Call* call
    Modes modes                 # the vectors of the modes
    double momentum             # sum a (2 q - u) of the coming step, if its drift u is there, kg m
    bint has_drift              # the drift of the coming step has been computed
    bint has_projection         # and u of the rows
    double* inertia             # a of each mode, kg
    double* mode_response       # C a / m of each mode
    double* bridge_weight       # e of each row
    double* force_response      # df/dt of each row for a drift u + e t, N/m
    double* free_drift          # u of each row for z = 0, m
    double* pushed              # what forces and bridge add to it, in the last joint solution, m
    double heat                 # dissipated by the rows in the solved step, J
    bint has_heat
    double* energies            # rows of ENERGY_TERMS of this string alone, J; NULL: not recorded
    double force_tolerance      # |f - F| at which the rows are solved, N
    unsigned long long active   # bits of the active rows, in ascending order, or UNKNOWN_ROWS
    bint has_new_rows           # W, laws or bridge weights may be other than in the last step
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
    LaneSystem* systems         # of all strings, STRING_LANES in each
    Py_ssize_t system_count
    int* slots                  # of each string, in the systems (slots.pxd)
    int* string_rows            # of each string, active and in lanes
    int* slot_rows              # the same of each slot
    int* larger_strings         # of those in touch, the strings that are in no system
    Py_ssize_t larger_count
    Search* searches            # of each string, for when it is larger
    long long failures          # searches for z that did not converge


cdef enum:
    MOST_JOINT_ROWS = 63        # of a string that is solved with the others: a bit for each


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
