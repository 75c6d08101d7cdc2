"""The two-point scheme of a network of modes and rows; two_point.pxd describes it."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths
from pysitar.kernels.modal.network import DAMPING, NORMAL_FORCE, OFFSET, SPEED, STIFFNESS

from libc.math cimport INFINITY, isfinite
from libc.stdlib cimport calloc, malloc

from pysitar.kernels.contact.condensation cimport allocate_condensation
from pysitar.kernels.contact.law cimport is_friction
from pysitar.kernels.contact.law_record cimport LINEAR
from pysitar.kernels.modal.friction cimport NO_LINK, FrictionRow, Partner, find_partners
from pysitar.kernels.modal.network cimport check_place, matrix_pointer
from pysitar.kernels.modal.residual cimport (
    DISPLACEMENT, FORCE_END, FORCE_START, NO_RESPONSE, SIDE_DISPLACEMENT, SIDE_FORCE_END, Residual,
    allocate_residual,
)
from pysitar.kernels.modal.rows cimport (
    clear_modes, update_compressions, update_mobility, update_mode_ranges, update_present_rows,
)
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.statics cimport clear_residual, update_residual
from pysitar.kernels.modal.stepping cimport Call
from pysitar.kernels.modal.tension_ramp cimport allocate_ramp
from pysitar.kernels.modal.two_point cimport (
    TwoPointModes, allocate_modes, fill_modal_compliance, load_mode, omega_at, release_modes,
    sample_energy, static_compliance, take_steps, update_mode,
)
from pysitar.kernels.modal.watch cimport (
    MAX_WATCHES, ROW_PARTING, ROW_PARTING_BY_BLOCKS, ROW_TOUCH, Watch,
)

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void two_point_steps(void* state, void* modes, void* call,
                                                  void* watch);
    """

__all__ = ["DAMPING", "NORMAL_FORCE", "OFFSET", "PARTING", "PARTING_BY_BLOCKS", "SPEED",
           "STATIC_OUTPUTS", "STIFFNESS", "TOUCH", "TwoPoint"]

# kinds of outputs for `TwoPoint.set_static_outputs`
STATIC_OUTPUTS = {"none": NO_RESPONSE, "displacement": DISPLACEMENT, "force_start": FORCE_START,
                  "force_end": FORCE_END, "side_displacement": SIDE_DISPLACEMENT,
                  "side_force_end": SIDE_FORCE_END}
TOUCH, PARTING, PARTING_BY_BLOCKS = ROW_TOUCH, ROW_PARTING, ROW_PARTING_BY_BLOCKS


cdef void two_point_steps "two_point_steps"(void* state, void* modes, void* call,
                                            void* watch) noexcept nogil:
    take_steps(<State*>state, <TwoPointModes*>modes, <Call*>call, <Watch*>watch)


cdef double FORCE_TOLERANCE = 1e-11     # of contact forces with residual compliance
cdef int EXTRA_SWEEPS = 2   # with it W is well conditioned, so sweeps save iterations (a fifth)


cdef class TwoPoint(Network):
    """A network of M modes and K rows by the two-point scheme, resumable at any step.

    Parameters: angular_frequencies (M,), damped, rad/s; decay_rates (M,), 1/s; masses (M,), kg;
    time_step, s; shapes (K, M), mode shapes at the rows; laws (K,), as `Network`; offsets (K,), m;
    slopes (M,), derivative of the squared angular frequency by the tension, 1/(kg m) (None: 0, no
    mode depends on a tension). A free mass is a mode of frequency and decay rate 0. The modes start
    at rest at y = 0.
    """

    def __cinit__(self, *, const double[::1] slopes=None, **network):
        cdef const double[::1] omega, alpha
        cdef Py_ssize_t i
        self._load_network(2, **network)
        omega, alpha = network["angular_frequencies"], network["decay_rates"]
        if not allocate_modes(&self.m, self.state.stride):
            raise MemoryError
        slopes = np.zeros(self.state.modes) if slopes is None else slopes
        check_lengths("modes", self.state.modes, (slopes,))
        for i in range(self.state.modes):
            if not isfinite(slopes[i]):
                raise ValueError(f"slope of mode {i} is {slopes[i]} 1/(kg m); expected a finite "
                                 "value")
            load_mode(&self.state, &self.m, i, omega[i], alpha[i], slopes[i])
            update_mode(&self.state, &self.m, i)
        self._start_network()

    def __dealloc__(self):
        release_modes(&self.m)

    cdef void _take_steps(self) noexcept nogil:
        two_point_steps(&self.state, &self.m, &self.call, &self.watch)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_energy(&self.state, &self.m, row)

    cdef void _fill_compliance(self, double tension, double* compliance) noexcept:
        cdef Py_ssize_t i
        for i in range(self.state.modes):
            compliance[i] = static_compliance(&self.state, &self.m, i, tension)

    cdef int _prepare_ramps(self) except -1:
        if not allocate_ramp(&self.m.ramp, &self.state):
            raise MemoryError
        return 0

    cdef int _check_tensions(self, const double[::1] tensions) except -1:
        cdef Py_ssize_t i, j
        for j in range(tensions.shape[0]):
            for i in range(self.state.modes):
                if (not 0.0 <= omega_at(&self.m, i, tensions[j]) * self.state.time_step
                        < 3.141592653589793
                        and not omega_at(&self.m, i, tensions[j]) > self.m.highest):
                    raise ValueError(f"tension change of {tensions[j]} N moves the frequency of "
                                     f"mode {i} out of range; "
                                     "expected from 0 to half the sample rate")
        return 0

    @property
    def coefficients(self):
        """A, B, C of the modes, each (M,): van Walstijn & Bridges 2016, eq. (21)."""
        cdef Py_ssize_t i
        cdef State* s = &self.state
        return tuple(np.array(values) for values
                     in ([self.m.a[i] for i in range(s.modes)],
                         [s.loss[i] / s.inverse_xi[i] for i in range(s.modes)],
                         [0.5 * self.m.twice_c[i] for i in range(s.modes)]))

    def set_axial_row(self, Py_ssize_t row, const double[::1] curvature not None):
        """Make a linear row that of the string's elongation; the tension then depends on the
        amplitude.

        The elongation is e = sum c y^2 / 2, c = curvature (M,), 1/m, at least 0. It is measured
        from the straight string, after `set_equilibrium` from the equilibrium.
        Errors: IndexError, ValueError.
        """
        self._check_idle()
        cdef State* s = &self.state
        if not (0 <= row < s.g.rows and s.g.laws[row].kind == LINEAR
                and s.g.laws[row].stiffness > 0.0):
            raise IndexError(f"row {row} is not a linear row with a stiffness; expected the index "
                             "of one")
        check_lengths("modes", s.modes, (curvature,))
        for i in range(s.modes):
            if not (curvature[i] >= 0.0 and isfinite(curvature[i])):
                raise ValueError(f"curvature of mode {i} is {curvature[i]} 1/m; "
                                 "expected at least 0")
            s.curvature[i] = curvature[i]
        s.axial_row = row
        update_mode_ranges(s)
        s.offset[row] = 0.0
        update_compressions(s)

    def set_friction(self, const int[::1] rows not None, const double[:, ::1] curves not None,
                     const int[::1] links not None, int passes):
        """Set what presses the friction rows, and their coefficients of friction, once.

        Parameters: rows (n,), all friction rows of the network; curves (n, 5): mu0, mu1, v1 (m/s),
        mu2, v2 (m/s) of mu(v) = mu0 + mu1 exp(-v / v1) + mu2 exp(-v / v2); links (n,), the contact
        row whose force presses the row, or -1: NORMAL_FORCE, at first 0; passes, how often a step
        is solved at most, each time with mu and forces of the last.
        Errors: ValueError, RuntimeError.
        """
        self._check_idle()
        cdef State* s = &self.state
        cdef FrictionRow* row
        cdef Py_ssize_t i, j
        cdef Py_ssize_t n = rows.shape[0]
        check_lengths("friction rows", n, (links,))
        if s.friction.count:
            raise RuntimeError("the friction rows are set already; expected one call")
        if (sorted(rows) != [k for k in range(s.g.rows) if is_friction(&s.g.laws[k])]
                or curves.shape[0] != n or curves.shape[1] != 5 or passes < 1):
            raise ValueError(f"friction of {n} rows, {curves.shape[0]} x {curves.shape[1]} "
                             f"coefficients, {passes} passes; expected each friction row once, "
                             "five coefficients of each and at least 1 pass")
        for i in range(n):
            if not (min([curves[i, j] for j in (0, 1, 3)]) >= 0.0
                    and min(curves[i, 2], curves[i, 4]) > 0.0 and np.isfinite(curves[i]).all()):
                raise ValueError(f"coefficients of friction row {i} are {list(curves[i])}; "
                                 "expected mu of at least 0 and speeds above 0")
            if not (links[i] == NO_LINK or (0 <= links[i] < s.g.rows
                                            and not is_friction(&s.g.laws[links[i]]))):
                raise ValueError(f"friction row {i} is linked to row {links[i]}; expected a "
                                 "contact row or -1")
        s.friction.rows = <FrictionRow*>calloc(n + 1, sizeof(FrictionRow))
        if s.friction.rows == NULL:
            raise MemoryError
        for i in range(n):
            row = &s.friction.rows[i]
            row.row, row.link = rows[i], links[i]
            s.g.has_bridge_friction = s.g.has_bridge_friction or links[i] != NO_LINK
            row.mu0, row.mu1, row.v1 = curves[i, 0], curves[i, 1], curves[i, 2]
            row.mu2, row.v2 = curves[i, 3], curves[i, 4]
        s.friction.count, s.friction.passes = n, passes
        if s.g.has_bridge_friction:
            s.friction.partners = <Partner*>malloc(s.g.rows * sizeof(Partner))
            if s.friction.partners == NULL or not allocate_condensation(&s.g):
                raise MemoryError
            for i in range(s.g.rows):
                s.friction.partners[i].row = -1
            find_partners(&s.friction, s.shapes, s.stride)
        update_present_rows(s)

    @property
    def friction_heat(self):
        """Energy dissipated by friction rows since the start, J; part of the losses."""
        return self.state.friction.heat

    @property
    def friction_work(self):
        """Work of the surfaces that rub at friction rows since the start, J; part of the work."""
        return self.state.friction.work

    def set_statics(self, *, double length, double tension, double bending_stiffness, double theta,
                    const double[::1] positions not None, const double[::1] weights not None,
                    double highest=INFINITY, const double[::1] side_weights=None,
                    double side_softness=1.0):
        """Add the residual compliance of a string at the rows, once, before the first step.

        Parameters: length (m), tension, stored (N), bending_stiffness (N m^2) of the string; theta,
        above 1/2; positions (K,), of the rows, m; weights (K,), the displacement of a row per
        string displacement there, -1 to 1, or 0 for a row that has no place; highest, rad/s: a mode
        is left out while a tension raises its damped angular frequency above this; side_weights
        (K,), likewise in the second direction of the string (None: 0); side_softness, at least 1,
        the compliance of that direction over that of the first.
        Errors: ValueError, RuntimeError.
        """
        self._check_idle()
        cdef State* s = &self.state
        cdef Residual* r = &s.residual
        cdef Py_ssize_t i, k
        side_weights = np.zeros(s.g.rows) if side_weights is None else side_weights
        check_lengths("rows", s.g.rows, (positions, weights, side_weights))
        if not 1.0 <= side_softness < 4.0:
            raise ValueError(f"side_softness is {side_softness}; expected 1 to below 4")
        if r.is_on or s.count:
            raise RuntimeError("residual compliance is set already, or steps have been computed; "
                               "expected one call before the first step")
        if not (length > 0.0 and tension > 0.0 and bending_stiffness >= 0.0 and 0.5 < theta < 1e3):
            raise ValueError(f"length {length} m, tension {tension} N, bending stiffness "
                             f"{bending_stiffness} N m^2, theta {theta}; expected a length and a "
                             "tension above 0 and theta above 0.5")
        for i in range(s.modes):
            if not omega_at(&self.m, i, 0.0) <= highest:
                raise ValueError(f"mode {i} is above highest, {highest} rad/s; expected a limit "
                                 "above all modes at the stored tension")
        for k in range(s.g.rows):
            check_place(k, positions[k], weights[k], side_weights[k], length)
        if not allocate_residual(r, s.g.rows, s.stride):
            raise MemoryError
        r.length, r.tension, r.bending_stiffness = length, tension, bending_stiffness
        r.theta, r.inverse_theta = theta, 1.0 / theta
        r.side_softness = side_softness
        self.m.highest = highest
        for k in range(s.g.rows):
            r.position[k], r.weight[k], r.side_weight[k] = positions[k], weights[k], side_weights[k]
        r.is_on = True
        s.g.force_tolerance = FORCE_TOLERANCE
        s.g.extra_sweeps = EXTRA_SWEEPS
        fill_modal_compliance(s, &self.m)
        update_residual(s)
        update_mobility(s)

    def set_static_outputs(self, const int[::1] kinds not None,
                           const double[::1] positions not None):
        """Set the static response of the outputs to forces at the rows, after `set_outputs`.

        Parameters: kinds (N,), values of STATIC_OUTPUTS; positions (N,), of displacements, m.
        """
        self._check_idle()
        cdef Residual* r = &self.state.residual
        cdef Py_ssize_t j
        check_lengths("outputs", self.call.run.outputs, (kinds, positions))
        if not r.is_on:
            raise RuntimeError("the network has no residual compliance; expected set_statics first")
        for j in range(kinds.shape[0]):
            check_place(j, positions[j], 0.0, 0.0, r.length)
            if not NO_RESPONSE <= kinds[j] <= SIDE_FORCE_END:
                raise ValueError(f"kind of output {j} is {kinds[j]}; expected one of "
                                 "STATIC_OUTPUTS")
        places, weights = np.array([positions]), np.zeros((kinds.shape[0], r.stride))
        own_kinds = np.array(kinds, dtype=np.int32)
        self.buffers = self.buffers | {"kinds": own_kinds, "places": places, "residual": weights}
        cdef int[::1] view = own_kinds
        r.output_kinds = &view[0] if view.shape[0] else NULL
        r.output_positions, r.output_weights = matrix_pointer(places), matrix_pointer(weights)
        r.out_y, r.out_t, r.outputs = self.call.out_y, self.call.out_t, kinds.shape[0]
        update_residual(&self.state)

    def clear_residual(self):
        """Set the residual forces to 0, and the compressions to those at rest."""
        self._check_idle()
        if self.state.residual.is_on:
            clear_residual(&self.state)
            update_compressions(&self.state)

    @property
    def residual_compliance(self):
        """R (K, K), m/N; empty without residual compliance."""
        cdef Residual* r = &self.state.residual
        return np.array([[r.compliance[k * r.stride + j] for j in range(r.rows)]
                         for k in range(r.rows)]).reshape(r.rows, r.rows)

    @property
    def residual_force(self):
        """g (K,), N; empty without residual compliance."""
        return np.array([self.state.residual.force[k] for k in range(self.state.residual.rows)])

    @property
    def residual_losses(self):
        """Energy dissipated by the residual compliance since the start, J; part of the losses."""
        return self.state.residual.losses

    def set_watch(self, const int[::1] rows not None, const int[::1] kinds not None,
                  const double[::1] shifts not None, double[::1] compressions=None):
        """Let `advance` end early, before a step at which a row may touch or part; its first step
        is always taken.

        Parameters: rows (n,), none: no watch; kinds (n,): TOUCH, the compression may be above 0
        after a step without row forces; PARTING, it is at most 0 and may not grow;
        PARTING_BY_BLOCKS, the same, at steps whose number is a multiple of 64; shifts (n,), m, of
        TOUCH: a displacement in that step that is not of the modes' own motion; compressions, m,
        receives that of the first row before each step.
        Errors: IndexError, ValueError.
        """
        self._check_idle()
        cdef Py_ssize_t j
        check_lengths("watched rows", rows.shape[0], (kinds, shifts))
        if rows.shape[0] > MAX_WATCHES:
            raise ValueError(f"{rows.shape[0]} watched rows; expected at most {MAX_WATCHES}")
        for j in range(rows.shape[0]):
            if not (0 <= rows[j] < self.state.g.rows and 0 <= kinds[j] <= ROW_PARTING_BY_BLOCKS
                    and rows[j] != self.state.axial_row):
                raise IndexError(f"row {rows[j]} cannot be watched for {kinds[j]}; expected TOUCH, "
                                 "PARTING or PARTING_BY_BLOCKS of one of "
                                 f" {self.state.g.rows} rows")
            self.watch.rows[j], self.watch.kinds[j] = rows[j], kinds[j]
            self.watch.shifts[j] = shifts[j]
        self.watch.count, self.watch.room = rows.shape[0], 0
        self.watch.compressions, self.watch_buffer = NULL, compressions
        if compressions is not None and compressions.shape[0]:
            self.watch.room, self.watch.compressions = compressions.shape[0], &compressions[0]

    @property
    def has_ended(self):
        """Whether a watched row ended the last `advance` early."""
        return self.watch.has_ended

    def take_over(self, TwoPoint other not None):
        """Copy step count, energy ledger, statistics and sleep state of another network."""
        self._check_idle()
        self.state.count = other.state.count
        self.state.ledger = other.state.ledger
        self.state.friction.heat = other.state.friction.heat
        self.state.friction.work = other.state.friction.work
        self.state.sleep = other.state.sleep
        self.state.g.solves = other.state.g.solves
        self.state.g.iterations = other.state.g.iterations
        self.state.g.most_iterations = other.state.g.most_iterations
        self.state.g.failures = other.state.g.failures
        self.call.run.contact_steps = other.call.run.contact_steps
        self.call.run.failed_at = other.call.run.failed_at

    def velocity(self):
        """Return dy/dt (M,), m/s."""
        return np.array([2.0 * self.state.q[i] / self.state.time_step
                         for i in range(self.state.modes)])

    def set_state(self, const double[::1] displacement not None,
                  const double[::1] velocity not None):
        """Set y (M,), m, and dy/dt (M,), m/s.

        The rows' forces are reset to 0, the ledger continues.
        """
        self._check_idle()
        cdef State* s = &self.state
        check_lengths("modes", s.modes, (displacement, velocity))
        clear_modes(s)
        for i in range(s.modes):
            if self.m.twice_c[i] > 0.0:         # not of a mode that is left out at this tension
                s.y[i] = displacement[i]
                s.q[i] = 0.5 * s.time_step * velocity[i]
        for k in range(s.g.rows):
            s.g.force[k] = 0.0
        update_compressions(s)
