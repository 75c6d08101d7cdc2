"""Base class of the schemes of a string on a grid: contacts, outputs, inputs, ledger, equilibrium,
sleep."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths
from pysitar.kernels.grid.arrays import check_grid, grid_inputs, grid_outputs, group_rows

from libc.math cimport fabs, isfinite
from libc.stdlib cimport calloc
from libc.string cimport memset

from pysitar.kernels.contact.law cimport set_law
from pysitar.kernels.contact.law_record cimport CONTACT, MAY_PULL, VISCOUS, LawEntry
from pysitar.kernels.contact.problem cimport allocate_problem, update_laws
from pysitar.kernels.core.network cimport BaseNetwork
from pysitar.kernels.grid.call cimport GridCall, sample_grid_displacement, sample_grid_velocity
from pysitar.kernels.grid.contacts cimport (
    NODE_BLOCK, Cluster, GridRows, allocate_rows, displacement_at_row, release_rows, reset_rows,
    update_grid_mobility,
)
from pysitar.kernels.grid.equilibrium cimport (
    GridEquilibrium, allocate_grid_equilibrium, find_grid_equilibrium, grid_equilibrium_energy,
    release_grid_equilibrium, static_force,
)
from pysitar.kernels.grid.string cimport (
    StringGrid, allocate_grid, release_grid, set_grid_damping, set_grid_state, step_free_grid,
)

cdef Py_ssize_t MAX_CLUSTER_ROWS = 512


cdef class GridNetwork(BaseNetwork):
    """A string of M intervals with K contacts: base class of FdIterative and FdExplicit."""

    def __cinit__(self):
        if type(self) is GridNetwork:
            raise TypeError("GridNetwork is abstract; expected a scheme, such as FdIterative")
        memset(&self.string, 0, sizeof(StringGrid))
        memset(&self.r, 0, sizeof(GridRows))
        memset(&self.call, 0, sizeof(GridCall))
        self.call.run.failed_at = -1
        self.run, self.step_count = &self.call.run, &self.call.count
        self.sleep = &self.call.sleep
        self.buffers = {}

    def __dealloc__(self):
        release_rows(&self.r)
        release_grid(&self.string)

    cdef void _reset_rows(self) noexcept:
        """Reset the rows after a change of the string's state."""
        reset_rows(&self.r, &self.string)

    cdef int _allocate_contacts(self, Py_ssize_t rows) except -1:
        """Allocate what the scheme stores of its rows."""
        return 0

    cdef str _noun(self):
        return "string"

    cdef tuple _solver_counts(self):
        return self.r.solves, self.r.iterations, self.r.most_iterations, self.r.failures

    cdef int _sample_reference(self, double* energy, double* output, double* magnitude) except -1:
        cdef GridCall* call = &self.call
        if call.run.outputs:
            output[0] = self.outputs()[0]
            magnitude[0] = sum([fabs(call.displacement_weights[i]
                                     * self.string.u[call.displacement_nodes[i]])
                                for i in range(call.displacement_starts[1])])
        kinetic, potential, contact, *_ = self.energy().tolist()
        energy[0] = kinetic + potential + contact
        return 0

    def _load_network(self, *, Py_ssize_t intervals, double time_step, double node_mass,
                      double sigma0, double tension_number, double bending_number,
                      double loss_number, const int[::1] nodes not None,
                      const double[::1] fractions not None, const LawEntry[::1] laws not None,
                      const double[::1] offsets not None):
        """Load string and contacts; the arguments of every scheme."""
        cdef GridRows* r = &self.r
        cdef Py_ssize_t rows = nodes.shape[0]
        cdef Py_ssize_t k
        cdef double stiffness, exponent, damping
        if self.string.intervals:
            raise RuntimeError("this string is loaded; expected one call, by the constructor")
        check_grid(intervals, time_step, node_mass, sigma0, tension_number, bending_number,
                   loss_number)
        check_lengths("rows", rows, (fractions, laws, offsets))
        if not allocate_grid(&self.string, intervals):
            raise MemoryError
        self.string.time_step, self.string.node_mass = time_step, node_mass
        self.string.loss_number = loss_number
        self.string.tension_number, self.string.bending_number = tension_number, bending_number
        set_grid_damping(&self.string, sigma0)
        if not allocate_rows(r, rows, self.string.stride):
            raise MemoryError
        self._allocate_contacts(rows)
        for k in range(rows):
            stiffness, exponent = laws[k].parameters[0], laws[k].parameters[1]
            damping = laws[k].damping
            if not (0 <= nodes[k] < intervals and 0.0 <= fractions[k] <= 1.0
                    and laws[k].kind == CONTACT and stiffness >= 0.0 and exponent >= 1.0
                    and damping >= 0.0):
                raise ValueError(f"row {k}: node {nodes[k]}, fraction {fractions[k]}, kind "
                                 f"{laws[k].kind}, stiffness {stiffness}, exponent {exponent}, "
                                 f"damping {damping}; expected a position on the string and the "
                                 "law of a contact")
            r.node[k], r.offset[k] = nodes[k], offsets[k]
            r.adhesive[k] = (laws[k].flags & MAY_PULL) != 0
            r.left[k] = 1.0 - fractions[k] if nodes[k] > 0 else 0.0
            r.right[k] = fractions[k] if nodes[k] + 1 < intervals else 0.0
            r.weight_square[k] = r.left[k] * r.left[k] + r.right[k] * r.right[k]
            set_law(&r.laws[k], CONTACT, stiffness, exponent, 0.0, True)
            r.drag[k] = 0.5 * damping * stiffness / time_step
        self._group_rows()
        update_grid_mobility(r, self.string.mobility)
        self._reset_rows()
        self.set_outputs(np.zeros((0, intervals - 1)))
        self.set_inputs(np.zeros((0, intervals - 1)))

    cdef int _group_rows(self) except -1:
        """Sort the rows into single rows on a node, single rows between two nodes, and clusters."""
        cdef GridRows* r = &self.r
        cdef Py_ssize_t k
        n = range(r.rows)
        groups = group_rows([r.node[k] for k in n], [r.left[k] for k in n], [r.right[k] for k in n])
        self.buffers["clusters"] = [rows for rows in groups if len(rows) > 1]
        r.first_node, r.last_node = self.string.stride, 0
        for rows in groups:
            if len(rows) == 1:
                self._add_lone_row(rows[0])
            else:
                self._add_cluster(rows)
        r.first_node = r.first_node // NODE_BLOCK * NODE_BLOCK
        return 0

    cdef void _add_lone_row(self, int k):
        cdef GridRows* r = &self.r
        cdef int node = r.node[k] + (r.left[k] == 0.0)
        if (r.left[k] == 0.0 and r.right[k] == 1.0) or (r.right[k] == 0.0 and r.left[k] == 1.0):
            r.height[node] = r.offset[k]
            r.row_at[node] = k
            r.first_node = min(r.first_node, node)
            r.last_node = max(r.last_node, node + 1)
        elif r.weight_square[k] > 0.0:
            r.between_rows[r.between_count] = k
            r.between_count += 1

    cdef int _add_cluster(self, list rows) except -1:
        cdef GridRows* r = &self.r
        cdef Cluster* c = &r.clusters[r.cluster_count]
        cdef Py_ssize_t i
        cdef int k
        if len(rows) > MAX_CLUSTER_ROWS:
            raise ValueError(f"{len(rows)} contacts share nodes; expected at most "
                             f"{MAX_CLUSTER_ROWS}")
        r.cluster_count += 1
        c.rows = <int*>calloc(len(rows), sizeof(int))
        if not allocate_problem(&c.g, len(rows)) or c.rows == NULL:
            raise MemoryError
        for i in range(c.g.rows):
            k = rows[i]
            c.rows[i] = k
            c.has_damping = c.has_damping or r.drag[k] > 0.0
            set_law(&c.g.laws[i], VISCOUS if r.drag[k] > 0.0 else CONTACT, r.laws[k].stiffness,
                    r.laws[k].exponent, 0.0, r.adhesive[k] != 0)
        update_laws(&c.g)
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
        """Indices of the rows of each cluster: rows that share nodes, directly or through other
        rows."""
        return [list(rows) for rows in self.buffers["clusters"]]

    @property
    def failed_at(self):
        """Number of the first step whose collision did not reach the stopping rule, or -1."""
        return self.call.run.failed_at

    def displacement(self):
        """Return u (nodes,), m."""
        return np.array([self.string.u[i] for i in range(1, self.string.intervals)])

    def velocity(self):
        """Return du/dt (nodes,), m/s, at the present step without contact and input.

        This is the inverse of `set_state`.
        """
        step_free_grid(&self.string)
        return np.array([(self.string.next[i] + self.string.q[i]) / (2.0 * self.string.time_step)
                         for i in range(1, self.string.intervals)])

    def compression(self):
        """Return p (K,), m."""
        return np.array([self.r.offset[k] - displacement_at_row(&self.r, k, self.string.u)
                         for k in range(self.r.rows)])

    def force(self):
        """Return f (K,) over the last step, N."""
        return np.array([self.r.force[k] for k in range(self.r.rows)])

    def outputs(self):
        """Return the outputs (N,) of the present state.

        du/dt is that of a step without contact and input; the forces are those of the last step.
        """
        cdef Py_ssize_t j, k
        values = []
        step_free_grid(&self.string)
        for j in range(self.call.run.outputs):
            value = (sample_grid_displacement(&self.string, &self.call, j)
                     + sample_grid_velocity(self.string.q, self.string.next, &self.call, j))
            values.append(value + sum([self.call.out_f[j * self.r.rows + k] * self.r.force[k]
                                       for k in range(self.r.rows)]))
        return np.array(values)

    def set_state(self, const double[::1] displacement not None,
                  const double[::1] velocity not None):
        """Set u (nodes,), m, and du/dt (nodes,), m/s, of a step without contact and input.

        The rows' forces are reset to 0; the ledger continues.
        """
        self._check_idle()
        check_lengths("nodes", self.string.intervals - 1, (displacement, velocity))
        set_grid_state(&self.string, &displacement[0], &velocity[0])
        self._reset_rows()

    def set_sigma0(self, double value):
        """Set sigma0 (1/s) from the coming step on, to damp the string.

        The stored energy is unchanged.
        """
        self._check_idle()
        if not (value >= 0.0 and isfinite(value)):
            raise ValueError(f"sigma0 is {value} 1/s; expected at least 0")
        self.call.sleep.is_disturbed = self.call.sleep.is_disturbed or value != self.string.sigma0
        set_grid_damping(&self.string, value)
        update_grid_mobility(&self.r, self.string.mobility)

    def set_outputs(self, const double[:, ::1] displacement not None,
                    const double[:, ::1] velocity=None, const double[:, ::1] force=None):
        """Set the outputs of `advance`: weights of u and du/dt (N, nodes) and of f (N, K)."""
        self._check_idle()
        cdef GridCall* call = &self.call
        displacements, velocities, push, has_force_output = grid_outputs(
            displacement, velocity, force, self.string.intervals - 1, self.r.rows,
            0.5 / self.string.time_step)
        self.buffers |= {"place": displacements, "speed": velocities, "push": push,
                         "pressed": has_force_output}
        call.run.outputs, call.rows = displacement.shape[0], self.r.rows
        call.out_f, call.has_force_output = double_pointer(push), byte_pointer(has_force_output)
        call.displacement_starts, call.displacement_nodes, call.displacement_weights = (
            int_pointer(displacements[0]), int_pointer(displacements[1]),
            double_pointer(displacements[2]))
        call.velocity_starts, call.velocity_nodes, call.velocity_weights = (
            int_pointer(velocities[0]), int_pointer(velocities[1]), double_pointer(velocities[2]))

    def set_inputs(self, const double[:, ::1] shapes not None):
        """Set the inputs of `advance`: the weight of each node in a force (E, nodes)."""
        self._check_idle()
        weights, first, last = grid_inputs(shapes, self.string.intervals - 1, self.string.stride)
        self.buffers |= {"shares": weights, "first": first, "last": last}
        self.call.run.inputs = shapes.shape[0]
        self.call.input_weights, self.call.input_first, self.call.input_last = (
            double_pointer(weights), int_pointer(first), int_pointer(last))

    def advance(self, Py_ssize_t steps, double[:, ::1] out not None, *,
                const double[:, ::1] forces=None, double[:, ::1] energies=None, Py_ssize_t every=0,
                bint may_sleep=False):
        """Compute `steps` steps, or fewer if the string falls asleep; return how many.

        Any division into calls gives the same bits.
        Parameters: out (steps, N), receives the outputs before each step (forces f: over the step);
        forces (steps, E), N; energies (n, 6), J, receives `energy()` before each step whose number
        is a multiple of `every`; may_sleep, whether the string may fall asleep.
        """
        self._check_idle()
        self._set_busy(True)
        try:
            self._load_out(steps, out)
            self._load_forces(steps, forces)
            self._load_energies(steps, energies, every, may_sleep)
            return self._run_steps()
        finally:
            self._set_busy(False)

    def equilibrium_at(self):
        """Return energy (J) and first output of the static equilibrium; the state is unchanged.

        Errors: ArithmeticError if none is found.
        """
        cdef GridEquilibrium at
        cdef StringGrid equilibrium_string = self.string
        try:
            self._find_equilibrium(&at)
            equilibrium_string.u = at.u
            return (grid_equilibrium_energy(&self.string, &self.r, &at),
                    sample_grid_displacement(&equilibrium_string, &self.call, 0)
                    if self.call.run.outputs else 0.0)
        finally:
            release_grid_equilibrium(&at)

    def set_equilibrium(self):
        """Set the state to the static equilibrium with the contacts, at rest.

        Errors: ArithmeticError if none is found.
        """
        self._check_idle()
        cdef GridEquilibrium at
        cdef Py_ssize_t i, k
        cdef double slope
        try:
            self._find_equilibrium(&at)
            for i in range(self.string.intervals + 1):
                self.string.u[i] = at.u[i]
                self.string.q[i] = 0.0
            self._reset_rows()
            for k in range(self.r.rows):
                self.r.force[k] = static_force(&self.r, k, at.u, &slope)
                if self.r.force[k] > 0.0:
                    self.r.active_rows[self.r.active_count] = <int>k
                    self.r.active_count += 1
        finally:
            release_grid_equilibrium(&at)

    cdef int _find_equilibrium(self, GridEquilibrium* at) except -1:
        if not allocate_grid_equilibrium(&self.string, at):
            raise MemoryError
        if not find_grid_equilibrium(&self.string, &self.r, at):
            raise ArithmeticError("the search for the static equilibrium did not converge")
        return 0


cdef double* double_pointer(array) except NULL:
    cdef double[::1] view = array
    return &view[0]


cdef int* int_pointer(array) except NULL:
    cdef int[::1] view = array
    return &view[0]


cdef unsigned char* byte_pointer(array) except NULL:
    cdef unsigned char[::1] view = array
    return &view[0]
