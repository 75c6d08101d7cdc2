"""What every scheme of a string on a grid is: nodes and contacts, outputs, inputs, books and rest, resumable at any step."""
import numpy as np

from pysitar.kernels.core.arrays import blocks_within, fits, same_lengths
from pysitar.kernels.grid.arrays import check_grid, grid_inputs, grid_outputs, groups_of

from libc.math cimport fabs, isfinite
from libc.stdlib cimport calloc
from libc.string cimport memset

from pysitar.kernels.contact.law cimport CONTACT, VISCOUS, shape_law
from pysitar.kernels.contact.problem cimport allocate, meet_laws
from pysitar.kernels.core.ledger cimport ENERGIES
from pysitar.kernels.core.sleep cimport Rest, begin_rest, forget_quiet, move_rest, rounding_noise
from pysitar.kernels.grid.call cimport GridCall, read_grid_place, read_grid_speed
from pysitar.kernels.grid.contacts cimport (
    BLOCK, Cluster, GridRows, allocate_rows, meet_grid_mobility, meet_string, release_rows, row_place,
)
from pysitar.kernels.grid.equilibrium cimport GridRest, close_grid_rest, find_grid_rest, open_grid_rest, rest_energy, static_force
from pysitar.kernels.grid.string cimport StringGrid, allocate_grid, damp_grid, free_grid_step, release_grid, start_grid

cdef Py_ssize_t LARGEST = 512    # rows of a cluster


cdef class GridNetwork:
    """A string of M intervals against K contacts: what the schemes on a grid share. It is made as one of these."""

    def __cinit__(self):
        if type(self) is GridNetwork:
            raise TypeError("a GridNetwork is made as one of a scheme, such as FdIterative")
        memset(&self.string, 0, sizeof(StringGrid))
        memset(&self.r, 0, sizeof(GridRows))
        memset(&self.call, 0, sizeof(GridCall))
        self.call.failed_at = -1
        self.keep = {}

    def __dealloc__(self):
        release_rows(&self.r)
        release_grid(&self.string)

    cdef void _take_steps(self) noexcept nogil:
        pass

    cdef void _read_energy(self, double* row) noexcept:
        pass

    cdef void _meet(self) noexcept:
        """What the rows remember, after the string has been put somewhere."""
        meet_string(&self.r, &self.string)

    cdef int _claim(self) except -1:
        if self.busy:
            raise RuntimeError("this string is being advanced by another thread: one string belongs to one thread")
        return 0

    cdef int _open(self, Py_ssize_t intervals, double time_step, double node_mass, double sigma0, double tension_number,
                   double bending_number, double loss_number, const int[::1] nodes, const double[::1] fractions,
                   const double[::1] stiffness, const double[::1] exponent, const double[::1] damping, const int[::1] adhesive,
                   const double[::1] offsets) except -1:
        cdef GridRows* r = &self.r
        cdef Py_ssize_t rows = nodes.shape[0]
        cdef Py_ssize_t k
        check_grid(intervals, time_step, node_mass, sigma0, tension_number, bending_number, loss_number)
        same_lengths("rows", rows, (fractions, stiffness, exponent, damping, adhesive, offsets))
        if not allocate_grid(&self.string, intervals):
            raise MemoryError
        self.string.time_step, self.string.node_mass, self.string.loss_number = time_step, node_mass, loss_number
        self.string.tension_number, self.string.bending_number = tension_number, bending_number
        damp_grid(&self.string, sigma0)
        if not allocate_rows(r, rows, self.string.stride):
            raise MemoryError
        for k in range(rows):
            if not (0 <= nodes[k] < intervals and 0.0 <= fractions[k] <= 1.0 and stiffness[k] >= 0.0 and exponent[k] >= 1.0
                    and damping[k] >= 0.0):
                raise ValueError(f"row {k}: node {nodes[k]}, fraction {fractions[k]}, stiffness {stiffness[k]}, exponent {exponent[k]}, "
                                 f"damping {damping[k]}; a place on the string and a law of a contact would be right")
            r.node[k], r.offset[k], r.adhesive[k] = nodes[k], offsets[k], adhesive[k] != 0
            r.left[k] = 1.0 - fractions[k] if nodes[k] > 0 else 0.0
            r.right[k] = fractions[k] if nodes[k] + 1 < intervals else 0.0
            r.reach[k] = r.left[k] * r.left[k] + r.right[k] * r.right[k]
            shape_law(&r.laws[k], CONTACT, stiffness[k], exponent[k], 0.0, True)
            r.drag[k] = 0.5 * damping[k] * stiffness[k] / time_step
        self._group()
        meet_grid_mobility(r, self.string.mobility)
        self._meet()
        self.set_outputs(np.zeros((0, intervals - 1)))
        self.set_inputs(np.zeros((0, intervals - 1)))
        return 0

    cdef int _group(self) except -1:
        """Sorts the rows into those alone on a node, alone between two, and clusters of such as share nodes."""
        cdef GridRows* r = &self.r
        cdef Py_ssize_t k
        n = range(r.rows)
        groups = groups_of([r.node[k] for k in n], [r.left[k] for k in n], [r.right[k] for k in n])
        self.keep["clusters"] = [rows for rows in groups if len(rows) > 1]
        r.first, r.last = self.string.stride, 0
        for rows in groups:
            if len(rows) == 1:
                self._leave_alone(rows[0])
            else:
                self._join(rows)
        r.first = r.first // BLOCK * BLOCK
        return 0

    cdef void _leave_alone(self, int k):
        cdef GridRows* r = &self.r
        cdef int node = r.node[k] + (r.left[k] == 0.0)
        if (r.left[k] == 0.0 and r.right[k] == 1.0) or (r.right[k] == 0.0 and r.left[k] == 1.0):
            r.height[node] = r.offset[k]
            r.row_at[node] = k
            r.first = min(r.first, node)
            r.last = max(r.last, node + 1)
        elif r.reach[k] > 0.0:
            r.between[r.betweens] = k
            r.betweens += 1

    cdef int _join(self, list rows) except -1:
        cdef GridRows* r = &self.r
        cdef Cluster* c = &r.clusters[r.cluster_count]
        cdef Py_ssize_t i
        cdef int k
        if len(rows) > LARGEST:
            raise ValueError(f"{len(rows)} contacts share nodes with each other; at most {LARGEST} would be right")
        r.cluster_count += 1
        c.rows = <int*>calloc(len(rows), sizeof(int))
        if not allocate(&c.g, len(rows)) or c.rows == NULL:
            raise MemoryError
        for i in range(c.g.rows):
            k = rows[i]
            c.rows[i] = k
            c.damped = c.damped or r.drag[k] > 0.0
            shape_law(&c.g.laws[i], VISCOUS if r.drag[k] > 0.0 else CONTACT, r.laws[k].stiffness, r.laws[k].exponent, 0.0,
                      r.adhesive[k] != 0)
        meet_laws(&c.g)
        return 0

    @property
    def intervals(self):
        """Number of intervals M."""
        return self.string.intervals

    @property
    def rows(self):
        """Number of contacts K."""
        return self.r.rows

    @property
    def clusters(self):
        """The rows of each cluster: those that share nodes, directly or through others."""
        return [list(rows) for rows in self.keep["clusters"]]

    @property
    def count(self):
        """Steps since the start."""
        return self.call.count

    @property
    def statistics(self):
        """Since the start: steps in which contact was possible, Newton iterations, most of a row or cluster in a step, failed solves,
        steps with a contact force."""
        return {"solves": self.r.solves, "iterations": self.r.iterations, "most": self.r.most, "failures": self.r.failures,
                "contact_steps": self.call.pushed}

    @property
    def failed_at(self):
        """The first step whose collision did not reach the stopping rule, or -1."""
        return self.call.failed_at

    def displacement(self):
        """u (nodes,), m."""
        return np.array([self.string.u[i] for i in range(1, self.string.intervals)])

    def velocity(self):
        """du/dt (nodes,), m/s, as it is at the present step if neither contact nor input acts over it: what `set_state` takes."""
        free_grid_step(&self.string)
        return np.array([(self.string.next[i] + self.string.q[i]) / (2.0 * self.string.time_step) for i in range(1, self.string.intervals)])

    def compression(self):
        """p (K,), m."""
        return np.array([self.r.offset[k] - row_place(&self.r, k, self.string.u) for k in range(self.r.rows)])

    def force(self):
        """f (K,), N, over the last step."""
        return np.array([self.r.force[k] for k in range(self.r.rows)])

    def outputs(self):
        """The outputs (N,) of the present state; a part of du/dt is that of a step without contact and input, of forces the last step's."""
        cdef Py_ssize_t j, k
        values = []
        free_grid_step(&self.string)
        for j in range(self.call.outputs):
            value = read_grid_place(&self.string, &self.call, j) + read_grid_speed(self.string.q, self.string.next, &self.call, j)
            values.append(value + sum([self.call.out_f[j * self.r.rows + k] * self.r.force[k] for k in range(self.r.rows)]))
        return np.array(values)

    def energy(self):
        """Kinetic, potential and contact energy, losses, work and sum of |work| since the start (6,), J."""
        cdef double row[ENERGIES]
        self._read_energy(row)
        return np.array([row[i] for i in range(ENERGIES)])

    def set_state(self, const double[::1] displacement not None, const double[::1] velocity not None):
        """Sets u, m, and du/dt, m/s, (nodes,) each, as it is if neither contact nor input acts; forces are forgotten, the books go on."""
        self._claim()
        same_lengths("nodes", self.string.intervals - 1, (displacement, velocity))
        start_grid(&self.string, &displacement[0], &velocity[0])
        self._meet()

    def set_sigma0(self, double value):
        """Another sigma0 (1/s) from the coming step on: how a string is damped. It stores no energy."""
        self._claim()
        if not (value >= 0.0 and isfinite(value)):
            raise ValueError(f"sigma0 is {value} 1/s; at least 0 would be right")
        self.call.rest.disturbed = self.call.rest.disturbed or value != self.string.sigma0
        damp_grid(&self.string, value)
        meet_grid_mobility(&self.r, self.string.mobility)

    def set_outputs(self, const double[:, ::1] displacement not None, const double[:, ::1] velocity=None,
                    const double[:, ::1] force=None):
        """What `advance` writes: weights of u and du/dt (N, nodes) and of f (N, K)."""
        self._claim()
        cdef GridCall* call = &self.call
        place, speed, push, pressed = grid_outputs(
            displacement, velocity, force, self.string.intervals - 1, self.r.rows, 0.5 / self.string.time_step)
        self.keep |= {"place": place, "speed": speed, "push": push, "pressed": pressed}
        call.outputs, call.rows = displacement.shape[0], self.r.rows
        call.out_f, call.pressed = doubles(push), octets(pressed)
        call.place_starts, call.place_nodes, call.place_weights = ints(place[0]), ints(place[1]), doubles(place[2])
        call.speed_starts, call.speed_nodes, call.speed_weights = ints(speed[0]), ints(speed[1]), doubles(speed[2])

    def set_inputs(self, const double[:, ::1] shapes not None):
        """Where the forces of `advance` act: each node's share (E, nodes)."""
        self._claim()
        shares, first, last = grid_inputs(shapes, self.string.intervals - 1, self.string.stride)
        self.keep |= {"shares": shares, "first": first, "last": last}
        self.call.inputs = shapes.shape[0]
        self.call.input_shares, self.call.input_first, self.call.input_last = doubles(shares), ints(first), ints(last)

    def advance(self, Py_ssize_t steps, double[:, ::1] out not None, *, const double[:, ::1] forces=None,
                double[:, ::1] energies=None, Py_ssize_t every=0, bint may_sleep=False):
        """Computes `steps` steps, or fewer if the string falls asleep, and returns how many; any division gives the same bits.

        Parameters: out (steps, N), filled with the outputs before each step (forces f: over it); forces (steps, E), N; energies (n, 6),
        filled like `energy()` before each step whose count divides by `every`.
        """
        cdef GridCall* call = &self.call
        self._claim()
        self.busy = True
        try:
            fits("out", out, steps, call.outputs)
            forces = np.zeros((steps, 0)) if forces is None and call.inputs == 0 else forces
            fits("forces", forces, steps, call.inputs)
            if every:
                fits("energies", energies, blocks_within(call.count, steps, every), ENERGIES)
            call.out = &out[0, 0] if out.shape[0] and out.shape[1] else NULL
            call.forces = <double*>&forces[0, 0] if forces.shape[0] and forces.shape[1] else NULL
            call.energies = &energies[0, 0] if every and energies.shape[0] else NULL
            call.every, call.steps, call.done, call.may_sleep = every, steps, 0, may_sleep
            with nogil:
                self._take_steps()
        finally:
            self.busy = False
        return call.done

    def set_rest(self, *, double energy_ratio, double level, double output_ratio, long long patience):
        """Makes the present state the one at rest, for `advance(may_sleep=True, every=64)`: as a Network's. Returns the first output."""
        self._claim()
        cdef Rest* rest = &self.call.rest
        begin_rest(rest, energy_ratio, level, output_ratio, patience)
        output = self.outputs()[0] if self.call.outputs else 0.0
        if self.call.outputs:
            rest.output_noise = rounding_noise(sum([fabs(self.call.place_weights[i] * self.string.u[self.call.place_nodes[i]])
                                                    for i in range(self.call.place_starts[1])]))
        kinetic, potential, contact, *_ = self.energy().tolist()
        self.move_rest(kinetic + potential + contact, output)
        return rest.output

    def rest_at(self):
        """Returns energy (J) and first output of the static equilibrium; the state is kept.  Errors: ArithmeticError if there is none."""
        cdef GridRest at
        cdef StringGrid there = self.string
        try:
            self._find(&at)
            there.u = at.u
            return (rest_energy(&self.string, &self.r, &at), read_grid_place(&there, &self.call, 0) if self.call.outputs else 0.0)
        finally:
            close_grid_rest(&at)

    def move_rest(self, double energy, double output):
        """Makes an energy (J) and a first output those at rest; the greatest energy above rest so far is kept."""
        self._claim()
        move_rest(&self.call.rest, energy, output)

    def wake(self, *, bint anew=False):
        """Forgets the quiet so far: the string sleeps only after `patience` steps of it; anew: also how loud it was."""
        self._claim()
        forget_quiet(&self.call.rest, anew)

    def skip(self, long long steps):
        """Lets time pass asleep: the state is kept, the count goes on."""
        self._claim()
        if steps < 0:
            raise ValueError(f"steps is {steps}; at least 0 would be right")
        self.call.count += steps

    def settle(self):
        """Puts the string into static equilibrium with the contacts, at rest; raises ArithmeticError if none is found."""
        self._claim()
        cdef GridRest at
        cdef Py_ssize_t i, k
        cdef double slope
        try:
            self._find(&at)
            for i in range(self.string.intervals + 1):
                self.string.u[i] = at.u[i]
                self.string.q[i] = 0.0
            self._meet()
            for k in range(self.r.rows):
                self.r.force[k] = static_force(&self.r, k, at.u, &slope)
                if self.r.force[k] > 0.0:
                    self.r.touched[self.r.touching] = <int>k
                    self.r.touching += 1
        finally:
            close_grid_rest(&at)

    cdef int _find(self, GridRest* at) except -1:
        if not open_grid_rest(&self.string, at):
            raise MemoryError
        if not find_grid_rest(&self.string, &self.r, at):
            raise ArithmeticError("no static equilibrium was found")
        return 0


cdef double* doubles(array) except NULL:
    cdef double[::1] view = array
    return &view[0]


cdef int* ints(array) except NULL:
    cdef int[::1] view = array
    return &view[0]


cdef unsigned char* octets(array) except NULL:
    cdef unsigned char[::1] view = array
    return &view[0]
