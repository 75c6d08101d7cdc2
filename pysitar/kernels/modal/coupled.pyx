"""Strings that share a bridge with a body: two-point networks that take their steps together; the scheme's note is in bridge.pxd."""
import numpy as np

from pysitar.kernels.core.arrays import blocks_within, fits, same_lengths

from libc.math cimport isfinite
from libc.stdlib cimport calloc, free

from pysitar.kernels.core.lanes cimport padded
from pysitar.kernels.core.ledger cimport ENERGIES
from pysitar.kernels.core.sleep cimport begin_rest, forget_quiet, move_rest
from pysitar.kernels.modal.bridge cimport (
    Bridge, Link, add_bridge_energy, meet_body, meet_bridge, meet_link, meet_rows_share, place_bridge, take_coupled_steps,
)
from pysitar.kernels.modal.rows cimport meet_gaps
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
    density over wave number; 0 for a free mass); levers, N arrays (K,), how much of the bridge's motion a row sees, 1 - x / length of
    what stands on the ground, -x / length of what stands on the bridge; carried, kg, a third of all strings' mass.
    """

    cdef Bridge b
    cdef list strings
    cdef TwoPoint body
    cdef double* arena

    def __cinit__(self, *, list strings not None, TwoPoint body not None, const double[::1] shape not None, list inertia not None,
                  list levers not None, double carried):
        cdef Py_ssize_t size
        cdef TwoPoint string
        if len({id(string) for string in strings}) != len(strings) or body in strings:
            raise ValueError("a string is there twice; each once would be right")
        if not len(strings) == len(inertia) == len(levers):
            raise ValueError(f"{len(inertia)} inertias and {len(levers)} levers; {len(strings)}, one for each string, would be right")
        if body.state.g.rows or not (carried >= 0.0 and isfinite(carried)):
            raise ValueError(f"a body of {body.state.g.rows} rows carries {carried} kg; no rows, and at least 0, would be right")
        same_lengths("modes of the body", body.state.modes, (shape,))
        self.strings, self.body = strings, body
        self.b.count = len(strings)
        self.b.links = <Link*>calloc(len(strings) + 1, sizeof(Link))
        size = 2 * body.state.stride
        for string in strings:
            if string.state.time_step != body.state.time_step or string.state.count != body.state.count:
                raise ValueError("strings and body must have one time step and be at the same step")
            size += 2 * string.state.stride + 3 * padded(string.state.g.rows)
        self.arena = <double*>calloc(size, sizeof(double))
        if self.b.links == NULL or self.arena == NULL:
            raise MemoryError
        self._take_body(shape, carried)
        self._take_strings(inertia, levers)

    def __dealloc__(self):
        free(self.b.links)
        free(self.arena)

    cdef int _take_body(self, const double[::1] shape, double carried) except -1:
        cdef Py_ssize_t i
        self.b.s, self.b.m, self.b.call = &self.body.state, &self.body.m, &self.body.call
        self.b.shape = self.arena
        self.b.answer = self.arena + self.body.state.stride
        self.b.carried = carried
        for i in range(self.body.state.modes):
            self.b.shape[i] = shape[i]
        meet_body(&self.b)
        return 0

    cdef int _take_strings(self, list inertia, list levers) except -1:
        cdef double* next = self.arena + 2 * self.body.state.stride
        cdef Py_ssize_t i, j
        cdef TwoPoint string
        cdef Link* link
        cdef const double[::1] values
        for i in range(self.b.count):
            string, link = self.strings[i], &self.b.links[i]
            link.s, link.m, link.call = &string.state, &string.m, &string.call
            link.inertia, link.answer = next, next + link.s.stride
            link.share = next + 2 * link.s.stride
            link.response = link.share + padded(link.s.g.rows)
            link.free = link.response + padded(link.s.g.rows)
            next = link.free + padded(link.s.g.rows)
            values = inertia[i]
            same_lengths("modes", link.s.modes, (values,))
            for j in range(link.s.modes):
                link.inertia[j] = values[j]
            values = levers[i]
            same_lengths("rows", link.s.g.rows, (values,))
            for j in range(link.s.g.rows):
                link.s.lever[j] = values[j]
            meet_link(link)
        meet_bridge(&self.b)
        if not self.b.slack >= 0.0:
            raise ValueError(f"the strings' modes hold {self.b.carried - self.b.slack} kg; at most {self.b.carried} kg would be right")
        self._place()
        return 0

    cdef int _place(self) except -1:
        """Lets all rows see where the bridge is."""
        cdef Py_ssize_t i
        place_bridge(&self.b)
        for i in range(self.b.count):
            meet_gaps(self.b.links[i].s)
        return 0

    cdef int _claim(self) except -1:
        cdef TwoPoint string
        self.body._claim()
        for string in self.strings:
            string._claim()
        return 0

    cdef int _hold(self, bint busy) except -1:
        cdef TwoPoint string
        self.body.busy = busy
        for string in self.strings:
            string.busy = busy
        return 0

    @property
    def count(self):
        """Steps since the start."""
        return self.b.s.count

    @property
    def bridge(self):
        """Where the bridge is, m."""
        return sum([self.b.shape[i] * self.b.s.y[i] for i in range(self.b.s.modes)])

    @property
    def statistics(self):
        """Those of the strings together; a search for the force on the bridge that found none counts as a failure."""
        each = [string.statistics for string in self.strings]
        total = {name: sum([row[name] for row in each]) for name in ("solves", "iterations", "failures", "contact_steps")}
        return total | {"most": max([row["most"] for row in each], default=0), "failures": total["failures"] + self.b.failures}

    def outputs(self):
        """The body's outputs (N,) of the present state."""
        return self.body.outputs()

    def energy(self):
        """Kinetic, potential and contact energy, losses, work and sum of |work| since the start (6,), J, of all."""
        cdef double row[ENERGIES]
        add_bridge_energy(&self.b, row)
        return np.array([row[i] for i in range(ENERGIES)])

    def settle(self):
        """Puts strings and body into static equilibrium with the rows, at rest; raises ArithmeticError if none is found."""
        self._claim()
        cdef State* s = &self.body.state
        cdef double[::1] compliance = np.zeros(s.stride)
        cdef double force, last, give
        cdef TwoPoint string
        cdef Py_ssize_t i, k
        self.body._comply(0.0, &compliance[0])
        give = sum([self.b.shape[i] * self.b.shape[i] * compliance[i] for i in range(s.modes)])
        force = 0.0
        for _ in range(100):
            last, force = force, 0.0
            for string in self.strings:
                string.state.bridge = give * last
                string.settle()
                for k in range(string.state.g.rows):
                    force += string.state.lever[k] * string.state.g.force[k]
            if abs(force - last) <= 1e-14 * abs(force):
                break
        else:
            raise ArithmeticError("no static equilibrium was found")
        for i in range(s.modes):
            s.y[i] = self.b.shape[i] * compliance[i] * force
            s.q[i] = 0.0
        self._place()

    def set_rest(self, *, double energy_ratio, double level, double output_ratio, long long patience):
        """Makes the present state the one at rest: see Network.set_rest. Returns the body's first output there."""
        self._claim()
        begin_rest(&self.b.s.rest, energy_ratio, level, output_ratio, patience)
        energy, outputs = self.energy(), self.outputs()
        self.move_rest(energy[0] + energy[1] + energy[2], outputs[0] if outputs.size else 0.0)
        return self.b.s.rest.output

    def move_rest(self, double energy, double output):
        """Makes an energy (J) and an output those at rest; the greatest energy above rest so far is kept."""
        self._claim()
        move_rest(&self.b.s.rest, energy, output)

    def wake(self, *, bint anew=False):
        """Forgets the quiet so far; anew: also how loud it was."""
        self._claim()
        forget_quiet(&self.b.s.rest, anew)

    def skip(self, long long steps):
        """Lets time pass asleep: the state is kept, the count goes on."""
        self._claim()
        cdef TwoPoint string
        for string in [self.body, *self.strings]:
            string.skip(steps)

    def advance(self, Py_ssize_t steps, double[:, ::1] out not None, *, list parts not None, double[:, ::1] energies=None,
                Py_ssize_t every=0, bint may_sleep=False):
        """Computes `steps` steps, or fewer if the whole falls asleep, and returns how many; any division gives the same bits.

        Parameters: out (steps, N), filled with the body's outputs before each step; parts, a PartCall for each string; energies (n, 6),
        of all, filled like `energy()` before each step whose count divides by `every`.
        """
        cdef Bridge* b = &self.b
        cdef Py_ssize_t i, readings
        cdef TwoPoint string
        cdef double[:, ::1] view
        self._claim()
        if len(parts) != b.count:
            raise ValueError(f"{len(parts)} parts; one for each of {b.count} strings would be right")
        self._hold(True)
        try:
            fits("out", out, steps, b.call.outputs)
            b.call.out = &out[0, 0] if out.shape[0] and out.shape[1] else NULL
            readings = blocks_within(b.s.count, steps, every) if every else 0
            if every:
                fits("energies", energies, readings, ENERGIES)
            b.energies = &energies[0, 0] if readings else NULL
            for i in range(b.count):
                string, part = self.strings[i], parts[i]
                fits("out", part.out, steps, string.call.outputs)
                string._take_arrays(steps, part.out, part.forces, part.control_rows, part.control_fields, part.controls)
                string._take_tensions(steps, part.tensions, part.block_tensions)
                b.links[i].energies = NULL
                if part.energies is not None and readings:
                    fits("energies", part.energies, readings, ENERGIES)
                    view = part.energies
                    b.links[i].energies = &view[0, 0]
                if string.reshaped:
                    meet_rows_share(&b.links[i])
                    string.reshaped = False
            b.call.every, b.call.steps, b.call.done, b.call.may_sleep = every, steps, 0, may_sleep
            with nogil:
                coupled_steps(b)
        finally:
            self._hold(False)
        return b.call.done
