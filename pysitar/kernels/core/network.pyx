"""Base class of all networks: the arrays of `advance`, energies, sleep, use by one thread."""
import numpy as np

from pysitar.kernels.core.arrays import check_shape, count_multiples

from pysitar.kernels.core.ledger cimport ENERGY_TERMS
from pysitar.kernels.core.sleep cimport (
    init_sleep, reset_quiet, rounding_noise, set_sleep_reference,
)


cdef class BaseNetwork:
    """What networks of all schemes have in common: base class of Network, GridNetwork, Coupled."""

    def __cinit__(self):
        if type(self) is BaseNetwork:
            raise TypeError("BaseNetwork is abstract; expected a scheme, such as TwoPoint")

    cdef str _noun(self):
        return "network"

    cdef void _take_steps(self) noexcept nogil:
        pass

    cdef void _sample_energy(self, double* row) noexcept:
        pass

    cdef tuple _solver_counts(self):
        return (0, 0, 0, 0)

    cdef int _sample_reference(self, double* energy, double* output, double* magnitude) except -1:
        return 0

    cdef int _check_idle(self) except -1:
        if self.is_busy:
            raise RuntimeError(f"this {self._noun()} is in use by another thread; "
                               f"expected one thread per {self._noun()}")
        return 0

    cdef int _set_busy(self, bint busy) except -1:
        self.is_busy = busy
        return 0

    @property
    def count(self):
        """Steps since the start."""
        return self.step_count[0]

    @property
    def statistics(self):
        """Counts since the start: steps with active rows, Newton iterations in total and at most
        in a step, failed solves, steps with a contact force."""
        solves, iterations, most_iterations, failures = self._solver_counts()
        return {"solves": solves, "iterations": iterations, "most_iterations": most_iterations,
                "failures": failures, "contact_steps": self.run.contact_steps}

    def energy(self):
        """Return kinetic, potential and contact energy, losses, work and sum of |work| since the
        start (6,), J."""
        cdef double row[ENERGY_TERMS]
        self._sample_energy(row)
        return np.array([row[i] for i in range(ENERGY_TERMS)])

    def set_sleep(self, *, double energy_ratio, double output_level, double output_ratio,
                  long long min_quiet_steps):
        """Set the thresholds of sleep for `advance(may_sleep=True, every=64)`.

        The present state is the equilibrium. Every 64 steps the network falls asleep if its energy
        above equilibrium is at most `energy_ratio` times the greatest so far, and its first output
        has been within `output_level` of that at equilibrium (0: `output_ratio` times the greatest
        deviation so far) for `min_quiet_steps` steps without a force or a change of a row. With
        friction rows of a bridge it does so, too, if its output has been within a range of twice
        that level, and its kinetic energy has been that small, for as long: then `is_held`.
        Returns: the first output at equilibrium.
        """
        cdef double energy = 0.0
        cdef double output = 0.0
        cdef double magnitude = 0.0
        self._check_idle()
        self._sample_reference(&energy, &output, &magnitude)
        init_sleep(self.sleep, energy_ratio, output_level, output_ratio, min_quiet_steps)
        self.sleep.output_noise = rounding_noise(magnitude)
        set_sleep_reference(self.sleep, energy, output)
        return output

    def set_sleep_reference(self, double energy, double output):
        """Set energy (J) and first output of the equilibrium; keep the greatest energy above it."""
        self._check_idle()
        set_sleep_reference(self.sleep, energy, output)

    def wake(self, *, bint reset_peaks=False):
        """Restart the count of quiet steps before sleep.

        reset_peaks: also the greatest energy and output.
        """
        self._check_idle()
        reset_quiet(self.sleep, reset_peaks)

    @property
    def is_held(self):
        """Whether the network sleeps, or last slept, where friction held it off its
        equilibrium."""
        return bool(self.sleep.is_held)

    def skip(self, long long steps):
        """Advance the step count during sleep; the state is unchanged."""
        self._check_idle()
        if steps < 0:
            raise ValueError(f"steps is {steps}; expected at least 0")
        self.step_count[0] += steps

    cdef int _load_out(self, Py_ssize_t steps, double[:, ::1] out) except -1:
        check_shape("out", out, steps, self.run.outputs)
        self.run.out = &out[0, 0] if out.shape[0] and out.shape[1] else NULL
        return 0

    cdef int _load_forces(self, Py_ssize_t steps, const double[:, ::1] forces) except -1:
        self.run.forces = NULL
        if forces is None and self.run.inputs == 0:
            return 0
        check_shape("forces", forces, steps, self.run.inputs)
        if forces.shape[0] and forces.shape[1]:
            self.run.forces = <double*>&forces[0, 0]
        return 0

    cdef int _load_energies(self, Py_ssize_t steps, double[:, ::1] energies, Py_ssize_t every,
                            bint may_sleep) except -1:
        if every:
            check_shape("energies", energies, count_multiples(self.count, steps, every),
                        ENERGY_TERMS)
        self.run.energies = &energies[0, 0] if every and energies.shape[0] else NULL
        self.run.every = every
        self.run.may_sleep = may_sleep
        self.run.steps = steps
        self.run.steps_done = 0
        return 0

    cdef Py_ssize_t _run_steps(self) except -1:
        """Compute the steps of the loaded call; return how many were computed."""
        with nogil:
            self._take_steps()
        return self.run.steps_done
