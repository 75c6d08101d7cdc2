"""The two-point scheme of a network of modes and rows, resumable at any step; the scheme's note is in two_point.pxd."""
import numpy as np

from pysitar.kernels.arrays import blocks_within, fits, output_weights, same_lengths

from libc.math cimport exp, expm1, fabs, isfinite
from libc.string cimport memset

from pysitar.kernels.contact cimport CONTACT, LINEAR, Kind, Law, potential, shape_law
from pysitar.kernels.equilibrium cimport (
    NO_MEMORY, NOT_FOUND, Equilibrium, energy_of, find_equilibrium, output_of, release_equilibrium, rest_there,
)
from pysitar.kernels.lanes cimport dot
from pysitar.kernels.problem cimport measure_mobility
from pysitar.kernels.stepping cimport take_steps
from pysitar.kernels.two_point cimport (
    BOOKING, ENERGIES, FIELD_DAMPING, FIELD_OFFSET, FIELD_STIFFNESS, Call, Rest, State, add_energy, allocate_state, book_work, change_row,
    find_living, meet_modes, meet_row, omega_at, read_output, release_state, set_mode,
)

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void two_point_steps(void* state, void* call);
    """

cdef double NOISE = 1e-12        # of a sum's terms: far over its rounding, far under what is heard
STIFFNESS, DAMPING, OFFSET = FIELD_STIFFNESS, FIELD_DAMPING, FIELD_OFFSET


cdef void two_point_steps "two_point_steps"(void* state, void* call) noexcept nogil:
    take_steps(<State*>state, <Call*>call)


cdef class TwoPoint:
    """A network of M modes and K rows.

    Parameters: angular_frequencies (M,), damped, rad/s; decay_rates (M,), 1/s; masses (M,), kg; time_step, s; shapes (K, M), rows'
    mode shapes; kinds (K,), 0 contact or 1 linear; stiffness (K,), N/m^exponent (a distributed barrier's times its cell); exponent
    (K,); damping (K,), s/m for contact and kg/s for linear rows; adhesive (K,), 0 clamps a contact's force at 0; offsets (K,), m;
    slopes (M,), by how much a squared angular frequency grows with the tension, 1/(kg m) (None: nothing here is under tension).
    A free mass is a mode of frequency and decay rate 0. The modes start at rest at y = 0.
    """

    cdef State state
    cdef Call call
    cdef object keep                # the arrays that `call` points into
    cdef bint busy                  # being advanced, perhaps by a thread that has let the others in

    def __cinit__(self, *, const double[::1] angular_frequencies not None, const double[::1] decay_rates not None,
                  const double[::1] masses not None, double time_step, const double[:, ::1] shapes not None,
                  const int[::1] kinds not None, const double[::1] stiffness not None, const double[::1] exponent not None,
                  const double[::1] damping not None, const int[::1] adhesive not None, const double[::1] offsets not None,
                  const double[::1] slopes=None):
        cdef Py_ssize_t modes = angular_frequencies.shape[0]
        cdef Py_ssize_t rows = shapes.shape[0]
        memset(&self.state, 0, sizeof(State))
        memset(&self.call, 0, sizeof(Call))
        self.call.failed_at = -1
        same_lengths("modes", modes, (decay_rates, masses))
        same_lengths("rows", rows, (kinds, stiffness, exponent, damping, adhesive, offsets))
        if rows and shapes.shape[1] != modes:
            raise ValueError(f"shapes have {shapes.shape[1]} modes; {modes} would fit the frequencies")
        if not (time_step > 0.0 and isfinite(time_step)):
            raise ValueError(f"time step is {time_step} s; above 0 would be right")
        self.state.time_step = time_step
        if not allocate_state(&self.state, modes, rows):
            raise MemoryError
        self._load_modes(angular_frequencies, decay_rates, masses, np.zeros(modes) if slopes is None else slopes)
        for k in range(rows):
            if kinds[k] not in (CONTACT, LINEAR):
                raise ValueError(f"kind of row {k} is {kinds[k]}; 0 (contact) or 1 (linear) would be right")
            shape_law(&self.state.g.laws[k], <Kind>kinds[k], stiffness[k], exponent[k], damping[k] / time_step, adhesive[k] != 0)
            self.state.offset[k] = offsets[k]
            for i in range(modes):
                self.state.shapes[k * self.state.stride + i] = shapes[k, i]
        for k in range(rows):
            meet_row(&self.state, k, rows)
        meet_modes(&self.state)
        measure_mobility(&self.state.g)
        find_living(&self.state)
        self.set_outputs(np.zeros((0, modes)))
        self.set_inputs(np.zeros((0, modes)))

    def __dealloc__(self):
        release_state(&self.state)

    cdef int _claim(self) except -1:
        if self.busy:
            raise RuntimeError("this network is being advanced by another thread: one network belongs to one thread")
        return 0

    cdef int _load_modes(self, const double[::1] omega, const double[::1] alpha, const double[::1] mass, const double[::1] slope) except -1:
        cdef State* s = &self.state
        cdef Py_ssize_t i
        same_lengths("modes", s.modes, (slope,))
        for i in range(s.modes):
            if not (mass[i] > 0.0 and 0.0 <= omega[i] * s.time_step < 3.141592653589793 and alpha[i] >= 0.0
                    and isfinite(mass[i] + alpha[i] + slope[i])):
                raise ValueError(f"mode {i}: {mass[i]} kg, {omega[i]} rad/s, {alpha[i]} 1/s; a positive mass, a frequency below "
                                 f"half the sample rate and a decay rate of at least 0 would be right")
            s.xi[i] = s.time_step * s.time_step / (2.0 * mass[i])
            s.inverse_xi[i] = 1.0 / s.xi[i]
            s.decay[i] = exp(-alpha[i] * s.time_step)
            s.decay_less_one[i] = expm1(-alpha[i] * s.time_step)
            s.squared[i] = omega[i] * omega[i]
            s.slope[i] = slope[i]
            set_mode(s, i)
        return 0

    cdef int _check_tensions(self, const double[::1] tensions) except -1:
        cdef Py_ssize_t i, j
        for j in range(tensions.shape[0]):
            for i in range(self.state.modes):
                if not 0.0 <= omega_at(&self.state, i, tensions[j]) * self.state.time_step < 3.141592653589793:
                    raise ValueError(f"with {tensions[j]} N over its tension mode {i} leaves the range from 0 to half the sample rate")
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
    def coefficients(self):
        """A, B, C of the modes, each (M,): van Walstijn & Bridges 2016, eq. (21)."""
        cdef Py_ssize_t i
        cdef State* s = &self.state
        return tuple(np.array(values) for values in (
            [s.a[i] for i in range(s.modes)], [s.loss[i] / s.inverse_xi[i] for i in range(s.modes)],
            [0.5 * s.twice_c[i] for i in range(s.modes)]))

    @property
    def mobility(self):
        """W (K, K), m/N."""
        cdef Py_ssize_t j, k
        cdef State* s = &self.state
        return np.array([[s.g.mobility[k * s.g.stride + j] for j in range(s.g.rows)] for k in range(s.g.rows)]).reshape(s.g.rows, s.g.rows)

    def displacement(self):
        """y (M,), m."""
        return np.array([self.state.y[i] for i in range(self.state.modes)])

    def velocity(self):
        """dy/dt (M,), m/s."""
        return np.array([2.0 * self.state.q[i] / self.state.time_step for i in range(self.state.modes)])

    def compression(self):
        """p (K,), m; NaN for a row without stiffness and damping, which is not followed."""
        cdef State* s = &self.state
        return np.array([s.g.before[k] if s.g.laws[k].present else np.nan for k in range(s.g.rows)])

    def force(self):
        """f (K,), N, over the last step."""
        return np.array([self.state.g.force[k] for k in range(self.state.g.rows)])

    @property
    def tension(self):
        """The tension over the stored one, N, that the coefficients have."""
        return self.state.tension

    def outputs(self):
        """The outputs (N,) of the present state; a part of the rows' forces is that of the last step."""
        cdef Py_ssize_t j, k
        return np.array([
            read_output(&self.state, &self.call, j, self.state.tension)
            + sum([self.call.out_f[j * self.state.g.rows + k] * self.state.g.force[k] for k in range(self.state.g.rows)])
            for j in range(self.call.outputs)])

    def energy(self):
        """Kinetic, potential and contact energy, losses, work and sum of |work| since the start (6,), J."""
        cdef double row[ENERGIES]
        add_energy(&self.state, row)
        return np.array([row[i] for i in range(ENERGIES)])

    def set_state(self, const double[::1] displacement not None, const double[::1] velocity not None):
        """Sets y (M,), m, and dy/dt (M,), m/s; the rows' forces are forgotten, the books of losses and work go on."""
        self._claim()
        cdef State* s = &self.state
        same_lengths("modes", s.modes, (displacement, velocity))
        for i in range(s.modes):
            s.y[i] = displacement[i]
            s.q[i] = 0.5 * s.time_step * velocity[i]
        for k in range(s.g.rows):
            s.g.force[k] = 0.0
        meet_modes(s)

    def set_row(self, Py_ssize_t row, int field, double value):
        """Sets STIFFNESS, DAMPING or OFFSET of a row from the coming step on; a jump of the stored energy is work."""
        self._claim()
        if not (0 <= row < self.state.g.rows and 0 <= field <= FIELD_OFFSET):
            raise IndexError(f"no field {field} of row {row}")
        change_row(&self.state, row, field, value)

    def set_row_shape(self, Py_ssize_t row, const double[::1] shape not None):
        """Puts a row elsewhere: its mode shapes (M,); the jump of its stored energy is work."""
        self._claim()
        cdef State* s = &self.state
        cdef double jump
        if not 0 <= row < s.g.rows:
            raise IndexError(f"no row {row}")
        same_lengths("modes", s.modes, (shape,))
        jump = self._contact_energy(row)
        for i in range(s.modes):
            s.shapes[row * s.stride + i] = shape[i]
        meet_row(s, row, s.g.rows)
        if s.g.laws[row].present:
            s.g.before[row] = s.offset[row] - s.shift[row] - dot(&s.shapes[row * s.stride], s.y, s.stride)
        measure_mobility(&s.g)
        book_work(s, self._contact_energy(row) - jump)

    cdef double _contact_energy(self, Py_ssize_t row) noexcept:
        cdef const Law* law = &self.state.g.laws[row]
        return potential(law, self.state.g.before[row]) if law.present else 0.0

    def set_outputs(self, const double[:, ::1] displacement not None, const double[:, ::1] velocity=None,
                    const double[:, ::1] force=None, const double[:, ::1] tension=None):
        """What `advance` writes: weights of y and dy/dt (N, M), of f (N, K), and of y times the tension over the stored one (N, M)."""
        self._claim()
        cdef State* s = &self.state
        y, q, f, t, parts = output_weights(displacement, velocity, force, tension, s.modes, s.stride, s.g.rows, s.time_step)
        self.keep = (self.keep or {}) | {"y": y, "q": q, "f": f, "t": t, "parts": parts}
        self.call.outputs = y.shape[0]
        self.call.out_y, self.call.out_q = address(y), address(q)
        self.call.out_f, self.call.out_t = address(f), address(t)
        cdef unsigned char[::1] bytes_view = parts
        self.call.parts = &bytes_view[0] if bytes_view.shape[0] else NULL

    def set_inputs(self, const double[:, ::1] shapes not None):
        """Where the forces of `advance` act: mode shapes (E, M)."""
        self._claim()
        fits("shapes", shapes, shapes.shape[0], self.state.modes)
        g = np.zeros((shapes.shape[0], self.state.stride))
        g[:, :self.state.modes] = shapes
        self.keep = (self.keep or {}) | {"g": g}
        self.call.inputs = shapes.shape[0]
        self.call.input_shapes = address(g)

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
        cdef State* state = &self.state
        self._claim()
        self.busy = True
        try:
            fits("out", out, steps, call.outputs)
            forces = np.zeros((steps, 0)) if forces is None and call.inputs == 0 else forces
            fits("forces", forces, steps, call.inputs)
            call.controls = 0
            if controls is not None:
                call.controls = controls.shape[1]
                fits("controls", controls, steps, call.controls)
                same_lengths("controls", call.controls, (control_rows, control_fields))
                for j in range(call.controls):
                    if not (0 <= control_rows[j] < state.g.rows and 0 <= control_fields[j] <= FIELD_OFFSET):
                        raise IndexError(f"no field {control_fields[j]} of row {control_rows[j]}")
            call.tensions = call.block_tensions = NULL
            if tensions is not None or block_tensions is not None:
                same_lengths("steps", steps, (tensions,))
                same_lengths("blocks", blocks_within(state.count, steps, BOOKING), (block_tensions,))
                self._check_tensions(block_tensions)
                call.tensions = <double*>&tensions[0] if steps else NULL
                call.block_tensions = <double*>&block_tensions[0] if block_tensions.shape[0] else NULL
            if every:
                fits("energies", energies, blocks_within(state.count, steps, every), ENERGIES)
            call.every = every
            call.steps = steps
            call.done = 0
            call.may_sleep = may_sleep
            call.out = &out[0, 0] if out is not None and out.shape[0] and out.shape[1] else NULL
            call.forces = <double*>&forces[0, 0] if forces.shape[0] and forces.shape[1] else NULL
            call.values = NULL
            if call.controls and steps:
                call.values = <double*>&controls[0, 0]
                call.control_rows = <int*>&control_rows[0]
                call.control_fields = <int*>&control_fields[0]
            call.energies = &energies[0, 0] if every and energies.shape[0] else NULL
            with nogil:
                two_point_steps(state, call)
        finally:
            self.busy = False
        return call.done

    def set_rest(self, *, double energy_ratio, double level, double output_ratio, long long patience):
        """Makes the present state the one at rest, for `advance(may_sleep=True, every=64)`.

        Every 64 steps the network sleeps if its energy above rest is at most `energy_ratio` of its greatest so far and its first
        output has been within `level` of that at rest (0: `output_ratio` of its greatest so far) for `patience` steps without a force
        or a change of a row. Returns the first output at rest.
        """
        self._claim()
        cdef State* s = &self.state
        cdef double row[ENERGIES]
        add_energy(s, row)
        memset(&s.rest, 0, sizeof(Rest))
        s.rest.energy_ratio, s.rest.level, s.rest.output_ratio, s.rest.patience = energy_ratio, level, output_ratio, patience
        s.rest.quiet = patience
        s.rest.output_noise = NOISE * sum([fabs(self.call.out_y[i] * s.y[i]) for i in range(s.modes)]) if self.call.outputs else 0.0
        self.move_rest(row[0] + row[1] + row[2], read_output(s, &self.call, 0, s.tension) if self.call.outputs else 0.0)
        return s.rest.output

    def rest_at(self, double tension):
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
        cdef Rest* rest = &self.state.rest
        rest.peak_energy += energy - rest.energy
        rest.energy, rest.output, rest.energy_noise = energy, output, NOISE * energy

    def wake(self, *, bint anew=False):
        """Forgets the quiet so far: the network sleeps only after `patience` steps of it; anew: also how loud it was."""
        self._claim()
        self.state.rest.disturbed = True
        self.state.rest.quiet = 0
        if anew:
            self.state.rest.peak_energy = self.state.rest.energy
            self.state.rest.peak_output = 0.0

    def skip(self, long long steps):
        """Lets time pass asleep: the state is kept, the count goes on."""
        self._claim()
        if steps < 0:
            raise ValueError(f"steps is {steps}; at least 0 would be right")
        self.state.count += steps

    def settle(self):
        """Puts the modes into static equilibrium with the rows, at rest; raises ArithmeticError if none is found.

        The static compliance V diag(1/k*) V^T takes W's place, k* = 2 A / xi the scheme's own stiffness: so the scheme stays there.
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
        cdef int status = find_equilibrium(&self.state, tension, at)
        if status == NO_MEMORY:
            raise MemoryError
        if status == NOT_FOUND:
            raise ArithmeticError("no static equilibrium was found")
        return 0


cdef double* address(array) except? NULL:
    cdef double[:, ::1] view = array
    return &view[0, 0] if view.shape[0] and view.shape[1] else NULL
