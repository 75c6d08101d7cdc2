"""Strings that share a bridge with a body: two-point networks that take their steps together; the scheme's note is in bridge.pxd."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths, check_shape, count_multiples

from libc.math cimport isfinite
from libc.stdlib cimport calloc, free

from pysitar.kernels.core.lanes cimport padded_length
from pysitar.kernels.core.ledger cimport ENERGY_TERMS
from pysitar.kernels.core.sleep cimport init_sleep, reset_quiet, set_sleep_reference
from pysitar.kernels.modal.bridge cimport (
    Bridge, Link, sample_bridge_energy, take_coupled_steps, update_body, update_bridge, update_bridge_displacement, update_bridge_weights,
    update_link,
)
from pysitar.kernels.modal.rows cimport update_compressions
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.two_point cimport TwoPoint

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void coupled_steps(void* bridge);
    """


cdef void coupled_steps "coupled_steps"(void* bridge) noexcept nogil:
    take_coupled_steps(<Bridge*>bridge)


cdef class Coupled:
    """N strings over the bridge of one body.

    Parameters: strings, N TwoPoint networks, each of its own modes and rows, not advanced by anything else from now on; body, a TwoPoint
    without rows; shape (B,), of the body's modes at the bridge; inertia, N arrays (M,), kg, how a string's modes move the bridge (linear
    density over wave number; 0 for a free mass); bridge_shapes, N arrays (K,), how much of the bridge's motion a row sees, 1 - x / length
    of what stands on the ground, -x / length of what stands on the bridge; string_mass, kg, a third of all strings' mass.
    """

    cdef Bridge b
    cdef list strings
    cdef TwoPoint body
    cdef double* arena

    def __cinit__(self, *, list strings not None, TwoPoint body not None, const double[::1] shape not None, list inertia not None,
                  list bridge_shapes not None, double string_mass):
        cdef Py_ssize_t size
        cdef TwoPoint string
        if len({id(string) for string in strings}) != len(strings) or body in strings:
            raise ValueError("a string is there twice; expected each once")
        if not len(strings) == len(inertia) == len(bridge_shapes):
            raise ValueError(f"{len(inertia)} inertias and {len(bridge_shapes)} bridge shapes; {len(strings)}, one for each string, would "
                             f"be right")
        if body.state.g.rows or not (string_mass >= 0.0 and isfinite(string_mass)):
            raise ValueError(f"a body of {body.state.g.rows} rows carries {string_mass} kg; expected no rows, and at least 0")
        check_lengths("modes of the body", body.state.modes, (shape,))
        self.strings, self.body = strings, body
        self.b.count = len(strings)
        self.b.links = <Link*>calloc(len(strings) + 1, sizeof(Link))
        size = 2 * body.state.stride
        for string in strings:
            if string.state.time_step != body.state.time_step or string.state.count != body.state.count:
                raise ValueError("strings and body must have one time step and be at the same step")
            size += 2 * string.state.stride + 3 * padded_length(string.state.g.rows)
        self.arena = <double*>calloc(size, sizeof(double))
        if self.b.links == NULL or self.arena == NULL:
            raise MemoryError
        self._set_body(shape, string_mass)
        self._set_strings(inertia, bridge_shapes)

    def __dealloc__(self):
        free(self.b.links)
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
            link.inertia, link.mode_response = next, next + link.s.stride
            link.bridge_weight = next + 2 * link.s.stride
            link.force_response = link.bridge_weight + padded_length(link.s.g.rows)
            link.free_drift = link.force_response + padded_length(link.s.g.rows)
            next = link.free_drift + padded_length(link.s.g.rows)
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
            raise ValueError(f"the strings' modes hold {self.b.string_mass - self.b.residual_mass} kg; at most {self.b.string_mass} kg "
                             f"would be right")
        self._update_rows()
        return 0

    cdef int _update_rows(self) except -1:
        """Lets all rows see where the bridge is."""
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
    def count(self):
        """Steps since the start."""
        return self.b.s.count

    @property
    def bridge_displacement(self):
        """Where the bridge is, m."""
        return sum([self.b.shape[i] * self.b.s.y[i] for i in range(self.b.s.modes)])

    @property
    def statistics(self):
        """Those of the strings together; a search for the force on the bridge that found none counts as a failure."""
        each = [string.statistics for string in self.strings]
        total = {name: sum([row[name] for row in each]) for name in ("solves", "iterations", "failures", "contact_steps")}
        return total | {"most_iterations": max([row["most_iterations"] for row in each], default=0),
                        "failures": total["failures"] + self.b.failures}

    def outputs(self):
        """The body's outputs (N,) of the present state."""
        return self.body.outputs()

    def energy(self):
        """Kinetic, potential and contact energy, losses, work and sum of |work| since the start (6,), J, of all."""
        cdef double row[ENERGY_TERMS]
        sample_bridge_energy(&self.b, row)
        return np.array([row[i] for i in range(ENERGY_TERMS)])

    def set_equilibrium(self):
        """Puts strings and body into static equilibrium with the rows, at rest; raises ArithmeticError if none is found."""
        self._check_idle()
        cdef State* s = &self.body.state
        cdef double[::1] compliance = np.zeros(s.stride)
        cdef double force, last_force, bridge_compliance
        cdef TwoPoint string
        cdef Py_ssize_t i, k
        self.body._fill_compliance(0.0, &compliance[0])
        bridge_compliance = sum([self.b.shape[i] * self.b.shape[i] * compliance[i] for i in range(s.modes)])
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
            raise ArithmeticError("no static equilibrium was found")
        for i in range(s.modes):
            s.y[i] = self.b.shape[i] * compliance[i] * force
            s.q[i] = 0.0
        self._update_rows()

    def set_sleep(self, *, double energy_ratio, double output_level, double output_ratio, long long min_quiet_steps):
        """Makes the present state the one at rest: see Network.set_sleep. Returns the body's first output there."""
        self._check_idle()
        init_sleep(&self.b.s.sleep, energy_ratio, output_level, output_ratio, min_quiet_steps)
        energy, outputs = self.energy(), self.outputs()
        self.set_sleep_reference(energy[0] + energy[1] + energy[2], outputs[0] if outputs.size else 0.0)
        return self.b.s.sleep.reference_output

    def set_sleep_reference(self, double energy, double output):
        """Makes an energy (J) and an output those at rest; the greatest energy above rest so far is kept."""
        self._check_idle()
        set_sleep_reference(&self.b.s.sleep, energy, output)

    def wake(self, *, bint reset_peaks=False):
        """Forgets the quiet so far; reset_peaks: also how loud it was."""
        self._check_idle()
        reset_quiet(&self.b.s.sleep, reset_peaks)

    def skip(self, long long steps):
        """Lets time pass asleep: the state is kept, the count goes on."""
        self._check_idle()
        cdef TwoPoint string
        for string in [self.body, *self.strings]:
            string.skip(steps)

    def advance(self, Py_ssize_t steps, double[:, ::1] out not None, *, list parts not None, double[:, ::1] energies=None,
                Py_ssize_t every=0, bint may_sleep=False):
        """Computes `steps` steps, or fewer if the whole falls asleep, and returns how many; any division gives the same bits.

        Parameters: out (steps, N), filled with the body's outputs before each step; parts, a StringCall for each string; energies (n, 6),
        of all, filled like `energy()` before each step whose count divides by `every`.
        """
        cdef Bridge* b = &self.b
        cdef Py_ssize_t i, readings
        cdef TwoPoint string
        cdef double[:, ::1] view
        self._check_idle()
        if len(parts) != b.count:
            raise ValueError(f"{len(parts)} parts; expected one for each of {b.count} strings")
        self._set_busy(True)
        try:
            check_shape("out", out, steps, b.call.outputs)
            b.call.out = &out[0, 0] if out.shape[0] and out.shape[1] else NULL
            readings = count_multiples(b.s.count, steps, every) if every else 0
            if every:
                check_shape("energies", energies, readings, ENERGY_TERMS)
            b.energies = &energies[0, 0] if readings else NULL
            for i in range(b.count):
                string, part = self.strings[i], parts[i]
                check_shape("out", part.out, steps, string.call.outputs)
                string._set_arrays(steps, part.out, part.forces, part.control_rows, part.control_fields, part.controls)
                string._set_tensions(steps, part.tensions, part.block_tensions)
                b.links[i].energies = NULL
                if part.energies is not None and readings:
                    check_shape("energies", part.energies, readings, ENERGY_TERMS)
                    view = part.energies
                    b.links[i].energies = &view[0, 0]
                if string.has_new_shape:
                    update_bridge_weights(&b.links[i])
                    string.has_new_shape = False
            b.call.every, b.call.steps, b.call.steps_done, b.call.may_sleep = every, steps, 0, may_sleep
            with nogil:
                coupled_steps(b)
        finally:
            self._set_busy(False)
        return b.call.steps_done
