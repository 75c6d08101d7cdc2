"""Strings on the bridge of a common body: coupled two-point networks.

Bridge.pxd describes the scheme.
"""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths, check_shape, count_multiples

from libc.math cimport isfinite
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.problem cimport aligned_alloc
from pysitar.kernels.core.lanes cimport padded_length
from pysitar.kernels.core.ledger cimport ENERGY_TERMS
from pysitar.kernels.core.network cimport BaseNetwork
from pysitar.kernels.modal.bridge cimport (
    sample_bridge_energy, take_coupled_steps, update_body, update_bridge,
    update_bridge_displacement, update_bridge_weights, update_link,
)
from pysitar.kernels.modal.link cimport (
    STRING_LANES, Bridge, LaneSystem, Link, Search,
)
from pysitar.kernels.modal.rows cimport update_compressions
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport modes_of
from pysitar.kernels.modal.two_point cimport TwoPoint

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void coupled_steps(void* bridge);
    """


cdef void coupled_steps "coupled_steps"(void* bridge) noexcept nogil:
    take_coupled_steps(<Bridge*>bridge)


cdef class Coupled(BaseNetwork):
    """N strings on the bridge of one body.

    Parameters: strings, N different TwoPoint networks, advanced only by this object from now on;
    body, a TwoPoint network without rows; shape (B,), the body's mode shapes at the bridge;
    inertia, N arrays (M,), kg, inertial coupling of a string's modes to the bridge (linear density
    over wave number; 0 for a free mass); bridge_shapes, N arrays (K,), displacement at a row per
    bridge displacement: 1 - x / length for a row fixed to the ground, -x / length for one fixed to
    the bridge; string_mass, kg, a third of the mass of all strings; joint, whether one Newton
    method solves for the forces of all strings where laws allow, instead of a search for the
    force on the bridge: the same to round-off, and faster.
    Errors: ValueError.
    """

    cdef Bridge b
    cdef list strings
    cdef TwoPoint body
    cdef double* arena

    def __cinit__(self, *, list strings not None, TwoPoint body not None,
                  const double[::1] shape not None, list inertia not None,
                  list bridge_shapes not None, double string_mass, bint joint=True):
        cdef Py_ssize_t i, size
        cdef TwoPoint string
        if len({id(string) for string in strings}) != len(strings) or body in strings:
            raise ValueError("a network occurs twice among strings and body; expected each once")
        if not len(strings) == len(inertia) == len(bridge_shapes):
            raise ValueError(f"{len(inertia)} inertias and {len(bridge_shapes)} bridge shapes; "
                             f"expected {len(strings)}, one for each string")
        if body.state.g.rows or not (string_mass >= 0.0 and isfinite(string_mass)):
            raise ValueError(f"body has {body.state.g.rows} rows, string mass is {string_mass} kg; "
                             "expected no rows and a mass of at least 0 kg")
        check_lengths("modes of the body", body.state.modes, (shape,))
        self.strings, self.body = strings, body
        self.run, self.step_count = &body.call.run, &body.state.count
        self.sleep = &body.state.sleep
        self.b.count = len(strings)
        self.b.links = <Link*>calloc(len(strings) + 1, sizeof(Link))
        self.b.is_joint = joint
        self.b.system_count = (len(strings) + STRING_LANES - 1) // STRING_LANES
        self.b.systems = <LaneSystem*>aligned_alloc(
            64, (self.b.system_count + 1) * sizeof(LaneSystem))
        self.b.larger_strings = <int*>calloc(len(strings) + 1, sizeof(int))
        self.b.slots = <int*>calloc(3 * len(strings) + 1, sizeof(int))
        self.b.searches = <Search*>calloc(len(strings) + 1, sizeof(Search))
        size = 2 * body.state.stride
        for string in strings:
            if (string.state.time_step != body.state.time_step
                    or string.state.count != body.state.count):
                raise ValueError("time steps or step counts of strings and body differ; expected "
                                 "the same for all")
            size += 2 * string.state.stride + 4 * padded_length(string.state.g.rows)
        self.arena = <double*>aligned_alloc(64, size * sizeof(double))
        if (self.b.links == NULL or self.arena == NULL or self.b.systems == NULL
                or self.b.larger_strings == NULL or self.b.searches == NULL
                or self.b.slots == NULL):
            raise MemoryError
        self.b.string_rows = self.b.slots + len(strings)
        self.b.slot_rows = self.b.string_rows + len(strings)
        for i in range(self.b.count):
            self.b.slots[i] = <int>i
        memset(self.b.systems, 0, (self.b.system_count + 1) * sizeof(LaneSystem))
        memset(self.arena, 0, size * sizeof(double))
        self._set_body(shape, string_mass)
        self._set_strings(inertia, bridge_shapes)

    def __dealloc__(self):
        free(self.b.links)
        free(self.b.systems)
        free(self.b.larger_strings)
        free(self.b.slots)
        free(self.b.searches)
        free(self.arena)

    cdef int _set_body(self, const double[::1] shape, double string_mass) except -1:
        cdef Py_ssize_t i
        self.b.s, self.b.m, self.b.call = &self.body.state, &self.body.m, &self.body.call
        self.b.shape = self.arena
        self.b.mode_response = self.arena + self.body.state.stride
        self.b.string_mass = string_mass
        for i in range(self.body.state.modes):
            self.b.shape[i] = shape[i]
        update_body(&self.b)
        return 0

    cdef int _set_strings(self, list inertia, list bridge_shapes) except -1:
        cdef double* next = self.arena + 2 * self.body.state.stride
        cdef Py_ssize_t i, j
        cdef TwoPoint string
        cdef Link* link
        cdef const double[::1] values
        for i in range(self.b.count):
            string, link = self.strings[i], &self.b.links[i]
            link.s, link.m, link.call = &string.state, &string.m, &string.call
            if link.s.g.has_attraction:
                raise ValueError(f"string {i} has a law that attracts; expected monotone laws of "
                                 "coupled strings")
            link.inertia, link.mode_response = next, next + link.s.stride
            link.bridge_weight = next + 2 * link.s.stride
            link.force_response = link.bridge_weight + padded_length(link.s.g.rows)
            link.free_drift = link.force_response + padded_length(link.s.g.rows)
            link.pushed = link.free_drift + padded_length(link.s.g.rows)
            next = link.pushed + padded_length(link.s.g.rows)
            link.modes = modes_of(link.s, link.m.a, link.m.twice_c, link.inertia)
            values = inertia[i]
            check_lengths("modes", link.s.modes, (values,))
            for j in range(link.s.modes):
                link.inertia[j] = values[j]
            values = bridge_shapes[i]
            check_lengths("rows", link.s.g.rows, (values,))
            for j in range(link.s.g.rows):
                link.s.bridge_shape[j] = values[j]
            update_link(link)
        update_bridge(&self.b)
        if not self.b.residual_mass >= 0.0:
            raise ValueError("coupled mass of the strings' modes is "
                             f"{self.b.string_mass - self.b.residual_mass} kg; "
                             f"expected at most the string mass, {self.b.string_mass} kg")
        self._update_rows()
        return 0

    cdef int _update_rows(self) except -1:
        """Update the compressions of all rows for the present bridge displacement."""
        cdef Py_ssize_t i
        update_bridge_displacement(&self.b)
        for i in range(self.b.count):
            update_compressions(self.b.links[i].s)
        return 0

    cdef int _check_idle(self) except -1:
        cdef TwoPoint string
        self.body._check_idle()
        for string in self.strings:
            string._check_idle()
        return 0

    cdef int _set_busy(self, bint busy) except -1:
        cdef TwoPoint string
        self.body.is_busy = busy
        for string in self.strings:
            string.is_busy = busy
        return 0

    @property
    def bridge_displacement(self):
        """Displacement of the bridge, m."""
        return sum([self.b.shape[i] * self.b.s.y[i] for i in range(self.b.s.modes)])

    @property
    def statistics(self):
        """The strings' statistics, combined.

        A failed search for the force on the bridge counts as a failure.
        """
        each = [string.statistics for string in self.strings]
        total = {name: sum([row[name] for row in each])
                 for name in ("solves", "iterations", "failures", "contact_steps")}
        return total | {"most_iterations": max([row["most_iterations"] for row in each], default=0),
                        "failures": total["failures"] + self.b.failures}

    def outputs(self):
        """Return the body's outputs (N,) of the present state."""
        return self.body.outputs()

    def set_equilibrium(self):
        """Set strings and body to static equilibrium with the rows, at rest.

        Errors: ArithmeticError if none is found.
        """
        self._check_idle()
        cdef State* s = &self.body.state
        cdef double[::1] compliance = np.zeros(s.stride)
        cdef double force, last_force, bridge_compliance
        cdef TwoPoint string
        cdef Py_ssize_t i, k
        self.body._fill_compliance(0.0, &compliance[0])
        bridge_compliance = sum([self.b.shape[i] * self.b.shape[i] * compliance[i]
                                 for i in range(s.modes)])
        force = 0.0
        for _ in range(100):
            last_force, force = force, 0.0
            for string in self.strings:
                string.state.bridge_displacement = bridge_compliance * last_force
                string.set_equilibrium()
                for k in range(string.state.g.rows):
                    force += string.state.bridge_shape[k] * string.state.g.force[k]
            if abs(force - last_force) <= 1e-14 * abs(force):
                break
        else:
            raise ArithmeticError("the search for the static equilibrium did not converge")
        for i in range(s.modes):
            s.y[i] = self.b.shape[i] * compliance[i] * force
            s.q[i] = 0.0
        self._update_rows()

    cdef void _take_steps(self) noexcept nogil:
        coupled_steps(&self.b)

    cdef void _sample_energy(self, double* row) noexcept:
        sample_bridge_energy(&self.b, row)

    cdef int _sample_reference(self, double* energy, double* output, double* magnitude) except -1:
        cdef double row[ENERGY_TERMS]
        self._sample_energy(row)
        energy[0] = row[0] + row[1] + row[2]
        if self.run.outputs:
            output[0] = self.outputs()[0]
        return 0

    def skip(self, long long steps):
        """Advance the step count during sleep; the state is unchanged."""
        self._check_idle()
        cdef TwoPoint string
        for string in [self.body, *self.strings]:
            string.skip(steps)

    def advance(self, Py_ssize_t steps, double[:, ::1] out not None, *, list parts not None,
                double[:, ::1] energies=None, Py_ssize_t every=0, bint may_sleep=False):
        """Compute `steps` steps, or fewer if strings and body fall asleep; return how many.

        Any division into calls gives the same bits.
        Parameters: out (steps, N), receives the body's outputs before each step; parts, a
        StringCall for each string; energies (n, 6), J, receives `energy()` before each step whose
        number is a multiple of `every`; may_sleep, whether strings and body may fall asleep.
        """
        cdef Bridge* b = &self.b
        cdef Py_ssize_t i, readings
        cdef TwoPoint string
        cdef double[:, ::1] view
        self._check_idle()
        if len(parts) != b.count:
            raise ValueError(f"parts has {len(parts)} items; expected {b.count}, one for each "
                             "string")
        self._set_busy(True)
        try:
            self._load_out(steps, out)
            self._load_energies(steps, energies, every, may_sleep)
            readings = count_multiples(b.s.count, steps, every) if every else 0
            b.energies = self.run.energies
            for i in range(b.count):
                string, part = self.strings[i], parts[i]
                string._load_arrays(steps, part.out, part.forces, part.control_rows,
                                    part.control_fields, part.controls)
                string._load_tensions(steps, part.tensions, part.block_tensions,
                                      part.block_steps, part.ramps)
                b.links[i].energies = NULL
                if part.energies is not None and readings:
                    check_shape("energies", part.energies, readings, ENERGY_TERMS)
                    view = part.energies
                    b.links[i].energies = &view[0, 0]
                if string.has_new_shape:
                    update_bridge_weights(&b.links[i])
                    string.has_new_shape = False
            return self._run_steps()
        finally:
            self._set_busy(False)
