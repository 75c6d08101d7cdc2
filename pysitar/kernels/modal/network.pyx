"""What every scheme's network is: modes and rows, their outputs, inputs, books and rest, resumable at any step."""
import numpy as np

from pysitar.kernels.core.arrays import blocks_within, fits, output_weights, same_lengths

from libc.math cimport fabs, isfinite
from libc.string cimport memset

from pysitar.kernels.contact.correction cimport corrects
from pysitar.kernels.contact.law cimport CONTACT, LINEAR, Kind, shape_law
from pysitar.kernels.contact.problem cimport measure_mobility
from pysitar.kernels.core.ledger cimport BOOKING, ENERGIES, book_work
from pysitar.kernels.core.sleep cimport begin_rest, forget_quiet, move_rest, rounding_noise
from pysitar.kernels.modal.equilibrium cimport (
    Equilibrium, energy_of, find_equilibrium, open_equilibrium, output_of, release_equilibrium, rest_there,
)
from pysitar.kernels.modal.rows cimport (
    FIELD_DAMPING, FIELD_OFFSET, FIELD_STIFFNESS, change_row, find_living, meet_gap, meet_gaps, meet_mobility, meet_row, row_energy,
)
from pysitar.kernels.modal.state cimport State, allocate_state, release_state
from pysitar.kernels.modal.stepping cimport Call, fallen, read_force, read_output

STIFFNESS, DAMPING, OFFSET = FIELD_STIFFNESS, FIELD_DAMPING, FIELD_OFFSET


cdef class Network:
    """A network of M modes and K rows: what TwoPoint and ThreePoint share. It is made as one of these."""

    def __cinit__(self):
        if type(self) is Network:
            raise TypeError("a Network is made as one of a scheme, such as TwoPoint")
        memset(&self.state, 0, sizeof(State))
        memset(&self.call, 0, sizeof(Call))
        self.call.failed_at = -1

    def __dealloc__(self):
        release_state(&self.state)

    cdef void _take_steps(self) noexcept nogil:
        pass

    cdef void _read_energy(self, double* row) noexcept:
        pass

    cdef void _comply(self, double tension, double* compliance) noexcept:
        pass

    cdef int _check_tensions(self, const double[::1] tensions) except -1:
        cdef Py_ssize_t j
        for j in range(tensions.shape[0]):
            if tensions[j] != 0.0:
                raise ValueError(f"{tensions[j]} N over its tension: this scheme keeps the tension, and 0 would be right")
        return 0

    cdef int _claim(self) except -1:
        if self.busy:
            raise RuntimeError("this network is being advanced by another thread: one network belongs to one thread")
        return 0

    cdef int _open(self, int points, double time_step, const double[::1] omega, const double[::1] alpha, const double[::1] mass,
                   const double[:, ::1] shapes, const int[::1] kinds, const double[::1] stiffness, const double[::1] exponent,
                   const double[::1] damping, const int[::1] adhesive, const double[::1] offsets) except -1:
        """Room for modes and rows, their masses, laws and shapes; the scheme then loads its coefficients, and `_start` follows."""
        cdef State* s = &self.state
        cdef Py_ssize_t modes = omega.shape[0]
        cdef Py_ssize_t rows = shapes.shape[0]
        cdef Py_ssize_t i, k
        same_lengths("modes", modes, (alpha, mass))
        same_lengths("rows", rows, (kinds, stiffness, exponent, damping, adhesive, offsets))
        if rows and shapes.shape[1] != modes:
            raise ValueError(f"shapes have {shapes.shape[1]} modes; {modes} would fit the frequencies")
        if not (time_step > 0.0 and isfinite(time_step)):
            raise ValueError(f"time step is {time_step} s; above 0 would be right")
        s.time_step = time_step
        if not allocate_state(s, points, modes, rows):
            raise MemoryError
        s.span = time_step if points == 2 else 2.0 * time_step
        s.share = 1.0 if points == 2 else 0.5
        s.speed = (2.0 if points == 2 else 0.5) / time_step
        self._check_modes(omega, alpha)
        for i in range(modes):
            if not (mass[i] > 0.0 and isfinite(mass[i])):
                raise ValueError(f"mode {i}: {mass[i]} kg; a positive mass would be right")
            s.xi[i] = time_step * time_step / (2.0 * mass[i])
            s.inverse_xi[i] = 1.0 / s.xi[i]
        for k in range(rows):
            if kinds[k] not in (CONTACT, LINEAR):
                raise ValueError(f"kind of row {k} is {kinds[k]}; 0 (contact) or 1 (linear) would be right")
            shape_law(&s.g.laws[k], <Kind>kinds[k], stiffness[k], exponent[k], damping[k] / s.span, adhesive[k] != 0)
            s.offset[k] = offsets[k]
            for i in range(modes):
                s.shapes[k * s.stride + i] = shapes[k, i]
        return 0

    cdef int _check_modes(self, const double[::1] omega, const double[::1] alpha) except -1:
        cdef Py_ssize_t i
        same_lengths("modes", self.state.modes, (omega, alpha))
        for i in range(self.state.modes):
            if not (0.0 <= omega[i] * self.state.time_step < 3.141592653589793 and 0.0 <= alpha[i] and isfinite(alpha[i])):
                raise ValueError(f"mode {i}: {omega[i]} rad/s, {alpha[i]} 1/s; a frequency below half the sample rate and a decay rate "
                                 f"of at least 0 would be right")
        return 0

    cdef int _start(self) except -1:
        meet_mobility(&self.state)
        meet_gaps(&self.state)
        find_living(&self.state)
        self.set_outputs(np.zeros((0, self.state.modes)))
        self.set_inputs(np.zeros((0, self.state.modes)))
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
    def count(self):
        """Steps since the start."""
        return self.state.count

    @property
    def statistics(self):
        """Since the start: steps with a force, Newton iterations, most in a step, failed solves, steps in contact."""
        return {"solves": self.state.g.solves, "iterations": self.state.g.iterations, "most": self.state.g.most,
                "failures": self.state.g.failures, "contact_steps": self.call.pushed}

    @property
    def failed_at(self):
        """The first step whose collision did not reach the stopping rule, or -1."""
        return self.call.failed_at

    @property
    def mobility(self):
        """W (K, K), m/N."""
        cdef Py_ssize_t j, k
        cdef State* s = &self.state
        return np.array([[s.g.mobility[k * s.g.stride + j] for j in range(s.g.rows)] for k in range(s.g.rows)]).reshape(s.g.rows, s.g.rows)

    @property
    def tension(self):
        """The tension over the stored one, N, that the coefficients have."""
        return self.state.tension

    @property
    def bridge(self):
        """Where a bridge is that gives, m; 0 for a rigid one."""
        return self.state.bridge

    def displacement(self):
        """y (M,), m."""
        return np.array([self.state.y[i] for i in range(self.state.modes)])

    def compression(self):
        """p (K,), m; NaN for a row without stiffness and damping, which is not followed."""
        cdef State* s = &self.state
        return np.array([s.latest[k] if s.g.laws[k].present else np.nan for k in range(s.g.rows)])

    def force(self):
        """f (K,), N, over the last step."""
        return np.array([self.state.g.force[k] for k in range(self.state.g.rows)])

    def outputs(self):
        """The outputs (N,) of the present state; a part of the rows' forces, and of 3 points of dy/dt, is that of the last step."""
        cdef Py_ssize_t j
        return np.array([read_output(&self.state, &self.call, j, self.state.tension) + read_force(&self.state, &self.call, j)
                         for j in range(self.call.outputs)])

    def energy(self):
        """Kinetic, potential and contact energy, losses, work and sum of |work| since the start (6,), J."""
        cdef double row[ENERGIES]
        self._read_energy(row)
        return np.array([row[i] for i in range(ENERGIES)])

    def set_row(self, Py_ssize_t row, int field, double value):
        """Sets STIFFNESS, DAMPING or OFFSET of a row from the coming step on; a jump of the stored energy is work."""
        self._claim()
        if not (0 <= row < self.state.g.rows and 0 <= field <= FIELD_OFFSET):
            raise IndexError(f"no field {field} of row {row}")
        change_row(&self.state, row, field, value)

    def set_row_shape(self, Py_ssize_t row, const double[::1] shape not None, double lever=0.0):
        """Puts a row elsewhere: its mode shapes (M,), and how much it sees of a moving bridge; the jump of its stored energy is work."""
        self._claim()
        cdef State* s = &self.state
        cdef Py_ssize_t i
        cdef double before
        if not 0 <= row < s.g.rows:
            raise IndexError(f"no row {row}")
        same_lengths("modes", s.modes, (shape,))
        before = row_energy(s, row)
        for i in range(s.modes):
            s.shapes[row * s.stride + i] = shape[i]
        s.lever[row] = lever
        self.reshaped = True
        meet_row(s, row, s.g.rows)
        if s.g.laws[row].present:
            meet_gap(s, row)
        measure_mobility(&s.g)
        book_work(&s.books, row_energy(s, row) - before)

    def correct(self, Py_ssize_t row, *, double duration, double excess):
        """Gives a contact row during each contact the stiffness with which it lasts as long as it should, from now on.

        Parameters: duration, of a contact at 1 m/s of the mass that the modes are to the row, s; excess, c(exponent).
        """
        self._claim()
        cdef State* s = &self.state
        if not (0 <= row < s.g.rows and s.g.laws[row].kind == CONTACT and s.g.laws[row].present):
            raise IndexError(f"row {row} is no contact")
        if not (duration > 0.0 and isfinite(duration) and excess >= 1.0):
            raise ValueError(f"duration {duration} s, excess {excess}; above 0, and at least 1, would be right")
        s.correction = corrects(s.points, s.g.mobility[row * s.g.stride + row], s.time_step, s.g.laws[row].stiffness,
                                s.g.laws[row].exponent, duration, excess)
        s.corrected = row

    def set_outputs(self, const double[:, ::1] displacement not None, const double[:, ::1] velocity=None,
                    const double[:, ::1] force=None, const double[:, ::1] tension=None):
        """What `advance` writes: weights of y and dy/dt (N, M), of f (N, K), and of y times the tension over the stored one (N, M)."""
        self._claim()
        cdef State* s = &self.state
        y, q, f, t, parts = output_weights(displacement, velocity, force, tension, s.modes, s.stride, s.g.rows, s.speed)
        self.keep = (self.keep or {}) | {"y": y, "q": q, "f": f, "t": t, "parts": parts}
        self.call.outputs = y.shape[0]
        self.call.out_y, self.call.out_q = address(y), address(q)
        self.call.out_f, self.call.out_t = address(f), address(t)
        cdef unsigned char[::1] bytes_view = parts
        self.call.parts = &bytes_view[0] if bytes_view.shape[0] else NULL

    def set_inputs(self, const double[:, ::1] shapes not None, const double[::1] levers=None):
        """Where the forces of `advance` act: mode shapes (E, M), and what each does to a moving bridge (E,) (None: nothing)."""
        self._claim()
        fits("shapes", shapes, shapes.shape[0], self.state.modes)
        g = np.zeros((shapes.shape[0], self.state.stride))
        g[:, :self.state.modes] = shapes
        h = np.zeros((1, shapes.shape[0])) if levers is None else np.array(levers, ndmin=2)
        same_lengths("inputs", shapes.shape[0], (h[0],))
        self.keep = (self.keep or {}) | {"g": g, "h": h}
        self.call.inputs = shapes.shape[0]
        self.call.input_shapes, self.call.input_levers = address(g), address(h)

    def set_weight(self, const double[::1] weight not None):
        """Puts a constant force on each mode (M,), N, from the coming step on; what it does is work.

        Unlike the forces of `advance` it lets the network sleep, which then judges the energy less what the weight has done from y = 0;
        so do the energies of `rest_at` and `move_rest`. `settle` takes it into account on modes that have a stiffness.
        """
        self._claim()
        cdef State* s = &self.state
        cdef Py_ssize_t i
        same_lengths("modes", s.modes, (weight,))
        if not np.isfinite(weight).all():
            raise ValueError("a weight is not a finite number of N")
        s.heavy, s.rest.disturbed = bool(np.any(weight)), True
        for i in range(s.modes):
            s.weight[i] = weight[i]

    def advance(self, Py_ssize_t steps, double[:, ::1] out not None, *, const double[:, ::1] forces=None,
                const int[::1] control_rows=None, const int[::1] control_fields=None, const double[:, ::1] controls=None,
                const double[::1] tensions=None, const double[::1] block_tensions=None, double[:, ::1] energies=None,
                Py_ssize_t every=0, bint may_sleep=False):
        """Computes `steps` steps, or fewer if the network falls asleep, and returns how many; any division gives the same bits.

        Parameters: out (steps, N), filled with the outputs before each step (forces f: over it); forces (steps, E), N; control_rows
        and control_fields (Q,), controls (steps, Q): rows' fields that change, from their step on; block_tensions, N over the stored
        one, of each step whose count since the start divides by 64, from where it holds, and tensions (steps,), as the outputs follow it
        (both None: as it is); energies (n, 6), filled like `energy()` before each step whose count divides by `every`.
        """
        cdef Call* call = &self.call
        self._claim()
        self.busy = True
        try:
            fits("out", out, steps, call.outputs)
            forces = np.zeros((steps, 0)) if forces is None and call.inputs == 0 else forces
            self._take_arrays(steps, out, forces, control_rows, control_fields, controls)
            self._take_tensions(steps, tensions, block_tensions)
            if every:
                fits("energies", energies, blocks_within(self.state.count, steps, every), ENERGIES)
            call.energies = &energies[0, 0] if every and energies.shape[0] else NULL
            call.every = every
            call.steps = steps
            call.done = 0
            call.may_sleep = may_sleep
            with nogil:
                self._take_steps()
        finally:
            self.busy = False
        return call.done

    cdef int _take_arrays(self, Py_ssize_t steps, double[:, ::1] out, const double[:, ::1] forces, const int[::1] control_rows,
                          const int[::1] control_fields, const double[:, ::1] controls) except -1:
        cdef Call* call = &self.call
        cdef Py_ssize_t j
        fits("forces", forces, steps, call.inputs)
        call.controls = 0
        if controls is not None:
            call.controls = controls.shape[1]
            fits("controls", controls, steps, call.controls)
            same_lengths("controls", call.controls, (control_rows, control_fields))
            for j in range(call.controls):
                if not (0 <= control_rows[j] < self.state.g.rows and 0 <= control_fields[j] <= FIELD_OFFSET):
                    raise IndexError(f"no field {control_fields[j]} of row {control_rows[j]}")
        call.out = &out[0, 0] if out.shape[0] and out.shape[1] else NULL
        call.forces = <double*>&forces[0, 0] if forces.shape[0] and forces.shape[1] else NULL
        call.values = NULL
        if call.controls and steps:
            call.values = <double*>&controls[0, 0]
            call.control_rows = <int*>&control_rows[0]
            call.control_fields = <int*>&control_fields[0]
        return 0

    cdef int _take_tensions(self, Py_ssize_t steps, const double[::1] tensions, const double[::1] block_tensions) except -1:
        cdef Call* call = &self.call
        call.tensions = call.block_tensions = NULL
        if tensions is not None or block_tensions is not None:
            same_lengths("steps", steps, (tensions,))
            same_lengths("blocks", blocks_within(self.state.count, steps, BOOKING), (block_tensions,))
            self._check_tensions(block_tensions)
            call.tensions = <double*>&tensions[0] if steps else NULL
            call.block_tensions = <double*>&block_tensions[0] if block_tensions.shape[0] else NULL
        return 0

    def set_rest(self, *, double energy_ratio, double level, double output_ratio, long long patience):
        """Makes the present state the one at rest, for `advance(may_sleep=True, every=64)`.

        Every 64 steps the network sleeps if its energy above rest is at most `energy_ratio` of its greatest so far and its first
        output has been within `level` of that at rest (0: `output_ratio` of its greatest so far) for `patience` steps without a force
        or a change of a row. Returns the first output at rest.
        """
        self._claim()
        cdef State* s = &self.state
        cdef double row[ENERGIES]
        self._read_energy(row)
        begin_rest(&s.rest, energy_ratio, level, output_ratio, patience)
        if self.call.outputs:
            s.rest.output_noise = rounding_noise(sum([fabs(self.call.out_y[i] * s.y[i]) for i in range(s.modes)]))
        self.move_rest(row[0] + row[1] + row[2] - fallen(s), read_output(s, &self.call, 0, s.tension) if self.call.outputs else 0.0)
        return s.rest.output

    def rest_at(self, double tension=0.0):
        """Returns energy (J) and first output of the static equilibrium under a tension over the stored one (N); the state is kept.

        Errors: ArithmeticError if there is none.
        """
        cdef Equilibrium at
        self._check_tensions(np.array([tension]))
        try:
            self._find(tension, &at)
            return energy_of(&self.state, &at), output_of(&self.state, &self.call, &at, tension)
        finally:
            release_equilibrium(&at)

    def move_rest(self, double energy, double output):
        """Makes an energy (J) and a first output those at rest; the greatest energy above rest so far is kept."""
        self._claim()
        move_rest(&self.state.rest, energy, output)

    def wake(self, *, bint anew=False):
        """Forgets the quiet so far: the network sleeps only after `patience` steps of it; anew: also how loud it was."""
        self._claim()
        forget_quiet(&self.state.rest, anew)

    def skip(self, long long steps):
        """Lets time pass asleep: the state is kept, the count goes on."""
        self._claim()
        if steps < 0:
            raise ValueError(f"steps is {steps}; at least 0 would be right")
        self.state.count += steps

    def settle(self):
        """Puts the modes into static equilibrium with the rows, at rest; raises ArithmeticError if none is found.

        The static compliance V diag(1/k*) V^T takes W's place, k* the scheme's own stiffness: so the scheme stays there.
        A free mass has no stiffness and keeps its place.
        """
        self._claim()
        cdef Equilibrium at
        try:
            self._find(self.state.tension, &at)
            rest_there(&self.state, &at)
        finally:
            release_equilibrium(&at)

    cdef int _find(self, double tension, Equilibrium* at) except -1:
        if not open_equilibrium(&self.state, at):
            raise MemoryError
        self._comply(tension, at.compliance)
        if not find_equilibrium(&self.state, at):
            raise ArithmeticError("no static equilibrium was found")
        return 0


cdef double* address(array) except? NULL:
    cdef double[:, ::1] view = array
    return &view[0, 0] if view.shape[0] and view.shape[1] else NULL
