"""Base class of the modal schemes: modes and rows, outputs, inputs, ledger, equilibrium, sleep."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths, check_shape, count_multiples, output_weights

from libc.math cimport fabs, isfinite
from libc.string cimport memset

from pysitar.kernels.contact.correction cimport make_correction
from pysitar.kernels.contact.law cimport is_friction, load_law
from pysitar.kernels.contact.law_record cimport CONTACT, LINEAR, VISCOUS, LawEntry
from pysitar.kernels.contact.problem cimport Problem, update_mobility_norm
from pysitar.kernels.core.ledger cimport BLOCK_STEPS, ENERGY_TERMS, add_work
from pysitar.kernels.core.network cimport BaseNetwork
from pysitar.kernels.modal.equilibrium cimport (
    Equilibrium, allocate_equilibrium, equilibrium_energy, equilibrium_output, find_equilibrium,
    load_equilibrium, release_equilibrium,
)
from pysitar.kernels.modal.friction cimport find_partners
from pysitar.kernels.modal.rows cimport (
    FIELD_DAMPING, FIELD_NORMAL_FORCE, FIELD_OFFSET, FIELD_SPEED, FIELD_STIFFNESS, change_row,
    row_energy, update_compression, update_compressions, update_mobility, update_mobility_row,
    update_mode_ranges, update_present_rows,
)
from pysitar.kernels.modal.state cimport State, allocate_state, release_state
from pysitar.kernels.modal.statics cimport place_row, unload_row
from pysitar.kernels.modal.stepping cimport Call, sample_force, sample_output, weight_work

STIFFNESS, DAMPING, OFFSET = FIELD_STIFFNESS, FIELD_DAMPING, FIELD_OFFSET
SPEED, NORMAL_FORCE = FIELD_SPEED, FIELD_NORMAL_FORCE


cdef class Network(BaseNetwork):
    """A network of M modes and K rows: base class of TwoPoint, ThreePoint and ModalExplicit.

    The laws of the rows are one structured array (K,) of the type `physics.contact.LAW`: kind, 0
    contact or 1 linear; flags, 1 if damping may make a contact pull; damping, s/m for contact and
    kg/s for linear rows; parameters, stiffness (N/m^exponent; of a distributed barrier, its density
    times the cell length), exponent, and those of the law alone.
    """

    def __cinit__(self):
        if type(self) is Network:
            raise TypeError("Network is abstract; expected a scheme, such as TwoPoint")
        memset(&self.state, 0, sizeof(State))
        memset(&self.call, 0, sizeof(Call))
        self.call.run.failed_at = -1
        self.run, self.step_count = &self.call.run, &self.state.count
        self.sleep = &self.state.sleep

    def __dealloc__(self):
        release_state(&self.state)

    cdef void _fill_compliance(self, double tension, double* compliance) noexcept:
        pass

    cdef void _reset_rows(self) noexcept:
        """Reset what the scheme stores of its rows, after a change of the modes' state."""

    cdef tuple _solver_counts(self):
        return (self.state.g.solves, self.state.g.iterations, self.state.g.most_iterations,
                self.state.g.failures)

    cdef int _sample_reference(self, double* energy, double* output, double* magnitude) except -1:
        cdef State* s = &self.state
        cdef double row[ENERGY_TERMS]
        self._sample_energy(row)
        energy[0] = row[0] + row[1] + row[2] - weight_work(s)
        if self.call.run.outputs:
            output[0] = sample_output(s, &self.call, 0, s.tension)
            magnitude[0] = sum([fabs(self.call.out_y[i] * s.y[i]) for i in range(s.modes)])
        return 0

    cdef int _prepare_ramps(self) except -1:
        return 0

    cdef int _check_tensions(self, const double[::1] tensions) except -1:
        cdef Py_ssize_t j
        for j in range(tensions.shape[0]):
            if tensions[j] != 0.0:
                raise ValueError(f"tension change is {tensions[j]} N, but this scheme keeps the "
                                 "tension; expected 0")
        return 0

    def _load_network(self, int points, *, const double[::1] angular_frequencies not None,
                      const double[::1] decay_rates not None, const double[::1] masses not None,
                      double time_step, const double[:, ::1] shapes not None,
                      const LawEntry[::1] laws not None, const double[::1] offsets not None):
        """Allocate modes and rows and load masses, laws and shapes; the arguments of every scheme.

        The scheme then loads its coefficients and calls `_start_network`.
        """
        cdef State* s = &self.state
        cdef Py_ssize_t modes = angular_frequencies.shape[0]
        cdef Py_ssize_t rows = shapes.shape[0]
        cdef Py_ssize_t i, k
        check_lengths("modes", modes, (decay_rates, masses))
        check_lengths("rows", rows, (laws, offsets))
        if rows and shapes.shape[1] != modes:
            raise ValueError(f"shapes have {shapes.shape[1]} modes; expected {modes}, as many as "
                             "frequencies")
        if s.arena != NULL:
            raise RuntimeError("this network is loaded; expected one call, by the constructor")
        if not (time_step > 0.0 and isfinite(time_step)):
            raise ValueError(f"time step is {time_step} s; expected above 0")
        s.time_step = time_step
        if not allocate_state(s, points, modes, rows):
            raise MemoryError
        s.span = time_step if points == 2 else 2.0 * time_step
        s.step_fraction = 1.0 if points == 2 else 0.5
        s.velocity_factor = (2.0 if points == 2 else 0.5) / time_step
        self._check_modes(angular_frequencies, decay_rates)
        for i in range(modes):
            if not (masses[i] > 0.0 and isfinite(masses[i])):
                raise ValueError(f"mass of mode {i} is {masses[i]} kg; expected above 0")
            s.xi[i] = time_step * time_step / (2.0 * masses[i])
            s.inverse_xi[i] = 1.0 / s.xi[i]
        for k in range(rows):
            # the functions of further laws are those of a step, from n to n + 1
            if (not load_law(&s.g.laws[k], &laws[k], s.span)
                    or not (laws[k].kind in (CONTACT, LINEAR)
                            or (laws[k].kind > VISCOUS and points == 2))):
                raise ValueError(f"kind of row {k} is {laws[k].kind}; expected 0 (contact), 1 "
                                 "(linear), or a further law of a two-point scheme")
            s.offset[k] = offsets[k]
            for i in range(modes):
                s.shapes[k * s.stride + i] = shapes[k, i]

    cdef int _check_modes(self, const double[::1] omega, const double[::1] alpha) except -1:
        cdef Py_ssize_t i
        check_lengths("modes", self.state.modes, (omega, alpha))
        for i in range(self.state.modes):
            if not (0.0 <= omega[i] * self.state.time_step < 3.141592653589793 and 0.0 <= alpha[i]
                    and isfinite(alpha[i])):
                raise ValueError(f"mode {i}: angular frequency {omega[i]} rad/s, decay rate "
                                 f"{alpha[i]} 1/s; "
                                 "expected a frequency from 0 to half the sample rate and a decay "
                                 "rate of at least 0")
        return 0

    cdef int _start_network(self) except -1:
        update_mobility(&self.state)
        update_compressions(&self.state)
        update_present_rows(&self.state)
        self.set_outputs(np.zeros((0, self.state.modes)))
        self.set_inputs(np.zeros((0, self.state.modes)))
        self._check_attraction()
        return 0

    cdef int _check_attraction(self) except -1:
        """Raise ValueError unless each step has one solution: 1 + W D > 0 for the slopes D."""
        cdef Problem* g = &self.state.g
        cdef double fall = max([g.laws[k].steepest_fall for k in range(g.rows)], default=0.0)
        if fall > 0.0 and not g.mobility_norm * fall < 1.0:
            raise ValueError(f"an attraction falls by {fall:.3g} N/m of mean force over a step; "
                             f"expected below {1.0 / g.mobility_norm:.3g} N/m, or a shorter step")
        return 0

    @property
    def modes(self):
        """Number of modes M."""
        return self.state.modes

    @property
    def rows(self):
        """Number of rows K."""
        return self.state.g.rows

    @property
    def failed_at(self):
        """Number of the first step whose collision did not reach the stopping rule, or -1."""
        return self.call.run.failed_at

    @property
    def mobility(self):
        """Mobility matrix W (K, K), m/N."""
        cdef Py_ssize_t j, k
        cdef State* s = &self.state
        return np.array([[s.g.mobility[k * s.g.stride + j] for j in range(s.g.rows)]
                         for k in range(s.g.rows)]).reshape(s.g.rows, s.g.rows)

    @property
    def tension(self):
        """Tension over the stored one for which the coefficients are computed, N."""
        return self.state.tension

    @property
    def bridge_displacement(self):
        """Displacement of a compliant bridge, m; 0 for a rigid one."""
        return self.state.bridge_displacement

    def displacement(self):
        """Return y (M,), m."""
        return np.array([self.state.y[i] for i in range(self.state.modes)])

    def velocity(self):
        """Return dy/dt (M,), m/s; every scheme has its own."""
        raise NotImplementedError

    def set_state(self, const double[::1] displacement not None,
                  const double[::1] velocity not None):
        """Set y (M,), m, and dy/dt (M,), m/s; every scheme has its own."""
        raise NotImplementedError

    def compression(self):
        """Return p (K,), m, of friction rows the deflection of the bristle; NaN for an absent row
        (no stiffness, no linear damping), whose p is not computed."""
        cdef State* s = &self.state
        return np.array([s.p_now[k] if s.g.laws[k].is_present else np.nan for k in range(s.g.rows)])

    def memory(self):
        """Return the state (K, 2) of the laws that have a memory, of friction rows bound (N) and
        slip speed (m/s) of the last step, 0 of the others."""
        cdef State* s = &self.state
        return np.array([[s.g.laws[k].state[0], s.g.laws[k].state[1]]
                         for k in range(s.g.rows)]).reshape(s.g.rows, 2)

    def set_memory(self, Py_ssize_t row, double memory, double compression):
        """Set the state of a row, as `memory` returns it."""
        self._check_idle()
        if not 0 <= row < self.state.g.rows:
            raise IndexError(f"row {row} does not exist; expected the index of one of "
                             f"{self.state.g.rows} rows")
        self.state.g.laws[row].state[0], self.state.g.laws[row].state[1] = memory, compression

    def force(self):
        """Return f (K,) over the last step, N."""
        return np.array([self.state.g.force[k] for k in range(self.state.g.rows)])

    def outputs(self):
        """Return the outputs (N,) of the present state.

        Forces, and dy/dt in three-point schemes, are those of the last step.
        """
        cdef Py_ssize_t j
        return np.array([sample_output(&self.state, &self.call, j, self.state.tension)
                         + sample_force(&self.state, &self.call, j)
                         for j in range(self.call.run.outputs)])

    def set_row(self, Py_ssize_t row, int field, double value):
        """Set STIFFNESS, DAMPING or OFFSET of a row, or SPEED or NORMAL_FORCE of a friction row,
        from the coming step on.

        A jump of the stored energy is counted as work.
        """
        self._check_idle()
        self._check_field(row, field)
        change_row(&self.state, row, field, value)

    def set_row_shape(self, Py_ssize_t row, const double[::1] shape not None,
                      double bridge_shape=0.0, double position=0.0, double weight=0.0,
                      double side_weight=0.0):
        """Move a row: set its mode shapes (M,) and its displacement per bridge displacement.

        With residual compliance also its position on the string (m) and its displacement per string
        displacement there, -1 to 1 (0: none), in the first and the second direction of the string.
        The jump of the stored energy is counted as work.
        """
        self._check_idle()
        cdef State* s = &self.state
        cdef Py_ssize_t i
        cdef double energy_before
        if not 0 <= row < s.g.rows:
            raise IndexError(f"row {row} does not exist; expected the index of one of "
                             f"{self.state.g.rows} rows")
        check_lengths("modes", s.modes, (shape,))
        if s.residual.is_on:
            check_place(row, position, weight, side_weight, s.residual.length)
            unload_row(s, row)
        energy_before = row_energy(s, row)
        for i in range(s.modes):
            s.shapes[row * s.stride + i] = shape[i]
        s.bridge_shape[row] = bridge_shape
        if s.friction.partners != NULL:
            find_partners(&s.friction, s.shapes, s.stride)
        if s.residual.is_on:
            place_row(s, row, position, weight, side_weight)
        self.has_new_shape = s.has_new_shapes = True
        update_mode_ranges(s)
        update_mobility_row(s, row, s.g.rows)
        if s.g.laws[row].is_present:
            update_compression(s, row)
        update_mobility_norm(&s.g)
        add_work(&s.ledger, row_energy(s, row) - energy_before)
        self._check_attraction()

    def correct(self, Py_ssize_t row, *, double duration, double excess):
        """Correct the stiffness of a contact row during each contact, so that its duration is
        exact.

        Parameters: duration, s, of a contact at 1 m/s of the effective mass of the modes at the
        row, above 0; excess, c(exponent), at least 1.
        Errors: IndexError, ValueError.
        """
        self._check_idle()
        cdef State* s = &self.state
        if not (0 <= row < s.g.rows and s.g.laws[row].kind == CONTACT and s.g.laws[row].is_present):
            raise IndexError(f"row {row} is not a contact row; expected the index of one")
        if not (duration > 0.0 and isfinite(duration) and excess >= 1.0):
            raise ValueError(f"duration is {duration} s, excess {excess}; "
                             "expected a duration above 0 and an excess of at least 1")
        s.correction = make_correction(s.time_points, s.g.mobility[row * s.g.stride + row],
                                       s.time_step, s.g.laws[row].stiffness, s.g.laws[row].exponent,
                                       duration, excess)
        s.corrected_row = row

    def set_force_tolerance(self, double tolerance):
        """Limit the relative error of the rows' forces from the coming step on; 0: no limit.

        Without it, forces are solved until the displacements are exact to 1e-13 of the greatest
        motion, which is coarse for soft contacts of high exponents.
        """
        self._check_idle()
        if not 0.0 <= tolerance < 1.0:
            raise ValueError(f"tolerance is {tolerance}; expected 0 to below 1")
        self.state.g.force_tolerance = tolerance

    def set_outputs(self, const double[:, ::1] displacement not None,
                    const double[:, ::1] velocity=None, const double[:, ::1] force=None,
                    const double[:, ::1] tension=None):
        """Set the outputs of `advance`.

        Parameters: weights of y and dy/dt (N, M), of f (N, K), and of y times the tension over the
        stored one (N, M).
        """
        self._check_idle()
        cdef State* s = &self.state
        y, q, f, t, terms = output_weights(displacement, velocity, force, tension, s.modes,
                                           s.stride, s.g.rows, s.velocity_factor)
        self.buffers = (self.buffers or {}) | {"y": y, "q": q, "f": f, "t": t, "parts": terms}
        self.call.run.outputs = y.shape[0]
        self.call.out_y, self.call.out_q = matrix_pointer(y), matrix_pointer(q)
        self.call.out_f, self.call.out_t = matrix_pointer(f), matrix_pointer(t)
        cdef unsigned char[::1] bytes_view = terms
        self.call.output_terms = &bytes_view[0] if bytes_view.shape[0] else NULL
        s.residual.outputs = 0

    def set_inputs(self, const double[:, ::1] shapes not None,
                   const double[::1] bridge_shapes=None):
        """Set the inputs of `advance`: mode shapes (E, M) and the weight of each force on a
        compliant bridge (E,)."""
        self._check_idle()
        check_shape("shapes", shapes, shapes.shape[0], self.state.modes)
        g = np.zeros((shapes.shape[0], self.state.stride))
        g[:, :self.state.modes] = shapes
        h = (np.zeros((1, shapes.shape[0])) if bridge_shapes is None
             else np.array(bridge_shapes, ndmin=2))
        check_lengths("inputs", shapes.shape[0], (h[0],))
        self.buffers = (self.buffers or {}) | {"g": g, "h": h}
        self.call.run.inputs = shapes.shape[0]
        self.call.input_shapes, self.call.input_bridge_shapes = matrix_pointer(g), matrix_pointer(h)

    def set_weight(self, const double[::1] weight not None):
        """Apply a constant force to each mode (M,), N, from the coming step on; the ledger counts
        its work.

        Unlike the forces of `advance` it does not prevent sleep. The energy compared for sleep, and
        the energies of `equilibrium_at` and `set_sleep_reference`, are less the work of the weight
        from y = 0. `set_equilibrium` includes the weight for modes that have a stiffness.
        """
        self._check_idle()
        cdef State* s = &self.state
        cdef Py_ssize_t i
        check_lengths("modes", s.modes, (weight,))
        if not np.isfinite(weight).all():
            raise ValueError("a weight is not finite; expected finite forces in N")
        s.has_weight, s.sleep.is_disturbed = bool(np.any(weight)), True
        for i in range(s.modes):
            s.weight[i] = weight[i]

    def set_rests(self, const double[::1] compliance not None):
        """Set which free masses rest on rows at equilibrium, under their weight, wherever they are.

        Parameters: compliance (M,), m/N, of the spring with which the search for the equilibrium
        begins, some hundred times that of the rows; 0: a free mass stays where it is.
        """
        self._check_idle()
        cdef State* s = &self.state
        cdef Py_ssize_t i
        check_lengths("modes", s.modes, (compliance,))
        if not all(0.0 <= value < np.inf for value in compliance):
            raise ValueError("a compliance is below 0 or not finite; expected 0 or more, m/N")
        for i in range(s.modes):
            s.rest_compliance[i] = compliance[i]

    def advance(self, Py_ssize_t steps, double[:, ::1] out not None, *,
                const double[:, ::1] forces=None, const int[::1] control_rows=None,
                const int[::1] control_fields=None, const double[:, ::1] controls=None,
                const double[::1] tensions=None, const double[::1] block_tensions=None,
                Py_ssize_t block_steps=BLOCK_STEPS, bint ramps=False,
                double[:, ::1] energies=None, Py_ssize_t every=0, bint may_sleep=False):
        """Compute `steps` steps, or fewer if the network falls asleep; return how many.

        Any division into calls gives the same bits.
        Parameters: out (steps, N), receives the outputs before each step (forces f: over the step);
        forces (steps, E), N; control_rows and control_fields (Q,), controls (steps, Q): new values
        of row fields, each from its step on; block_tensions, N over the stored tension, one for
        each step whose number since the start is a multiple of block_steps, valid from there, or
        with ramps reached block_steps later by a change at every step, in equal changes of C;
        tensions (steps,), N over the stored one, for the outputs (both None: unchanged); energies
        (n, 6), J, receives `energy()` before each step whose number is a multiple of `every`;
        may_sleep, whether the network may fall asleep.
        """
        self._check_idle()
        self._set_busy(True)
        try:
            self._load_arrays(steps, out, forces, control_rows, control_fields, controls)
            self._load_tensions(steps, tensions, block_tensions, block_steps, ramps)
            self._load_energies(steps, energies, every, may_sleep)
            return self._run_steps()
        finally:
            self._set_busy(False)

    cdef int _load_arrays(self, Py_ssize_t steps, double[:, ::1] out,
                          const double[:, ::1] forces, const int[::1] control_rows,
                          const int[::1] control_fields, const double[:, ::1] controls) except -1:
        cdef Call* call = &self.call
        cdef Py_ssize_t j
        self._load_out(steps, out)
        self._load_forces(steps, forces)
        call.controls = 0
        if controls is not None:
            call.controls = controls.shape[1]
            check_shape("controls", controls, steps, call.controls)
            check_lengths("controls", call.controls, (control_rows, control_fields))
            for j in range(call.controls):
                self._check_field(control_rows[j], control_fields[j])
        call.control_values = NULL
        if call.controls and steps:
            call.control_values = <double*>&controls[0, 0]
            call.control_rows = <int*>&control_rows[0]
            call.control_fields = <int*>&control_fields[0]
        return 0

    cdef int _check_field(self, Py_ssize_t row, int field) except -1:
        if (0 <= row < self.state.g.rows and FIELD_SPEED <= field <= FIELD_NORMAL_FORCE
                and is_friction(&self.state.g.laws[row])):
            return 0
        if not (0 <= row < self.state.g.rows and 0 <= field <= FIELD_OFFSET):
            raise IndexError(f"field {field} of row {row} does not exist; expected STIFFNESS, "
                             f"DAMPING or OFFSET of one of {self.state.g.rows} rows, or SPEED or "
                             "NORMAL_FORCE of a friction row")
        return 0

    cdef int _load_tensions(self, Py_ssize_t steps, const double[::1] tensions,
                            const double[::1] block_tensions,
                            Py_ssize_t block_steps, bint ramps) except -1:
        cdef Call* call = &self.call
        call.tensions = call.block_tensions = NULL
        if tensions is not None or block_tensions is not None:
            check_lengths("steps", steps, (tensions,))
            if block_steps < 1:
                raise ValueError(f"block_steps is {block_steps}; expected at least 1")
            check_lengths("blocks", count_multiples(self.state.count, steps, block_steps),
                          (block_tensions,))
            self._check_tensions(block_tensions)
            if ramps:
                self._prepare_ramps()
            call.block_steps, call.has_ramps = block_steps, ramps
            call.tensions = <double*>&tensions[0] if steps else NULL
            call.block_tensions = <double*>&block_tensions[0] if block_tensions.shape[0] else NULL
        return 0

    def equilibrium_at(self, double tension=0.0):
        """Return energy (J) and first output of the static equilibrium; the state is unchanged.

        Parameters: tension, N over the stored one.
        Errors: ArithmeticError if none is found.
        """
        cdef Equilibrium at
        self._check_tensions(np.array([tension]))
        try:
            self._find_equilibrium(tension, &at)
            return (equilibrium_energy(&self.state, &at),
                    equilibrium_output(&self.state, &self.call, &at, tension))
        finally:
            release_equilibrium(&at)

    def set_equilibrium(self):
        """Set the modes to static equilibrium with the rows, at rest.

        The search uses the static compliance V diag(1/k*) V^T in place of W; k* is the scheme's own
        stiffness, so the state is stationary for the scheme. A free mass has no stiffness and does
        not move.
        Errors: ArithmeticError if none is found.
        """
        self._check_idle()
        cdef Equilibrium at
        try:
            self._find_equilibrium(self.state.tension, &at)
            load_equilibrium(&self.state, &at)
            self._reset_rows()
        finally:
            release_equilibrium(&at)

    cdef int _find_equilibrium(self, double tension, Equilibrium* at) except -1:
        if not allocate_equilibrium(&self.state, at):
            raise MemoryError
        self._fill_compliance(tension, at.compliance)
        at.tension = tension
        if not find_equilibrium(&self.state, at):
            raise ArithmeticError("the search for the static equilibrium did not converge")
        return 0


cdef int check_place(Py_ssize_t row, double position, double weight, double side_weight,
                     double length) except -1:
    if not (0.0 <= position <= length
            and weight * weight + side_weight * side_weight <= 1.0 + 1e-12):
        raise ValueError(f"row {row} is at {position} m with weights {weight} and {side_weight}; "
                         f"expected 0 to {length} m, and squares of weights of at most 1 in all")
    return 0


cdef double* matrix_pointer(array) except? NULL:
    cdef double[:, ::1] view = array
    return &view[0, 0] if view.shape[0] and view.shape[1] else NULL
