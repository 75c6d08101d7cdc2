"""A mass against a rigid wall, by six schemes, resumable at any step.

Wall_steps.pxd describes them.
"""
from pysitar.kernels.core.arrays import check_lengths

from libc.math cimport isfinite
from libc.string cimport memset

from pysitar.kernels.contact.law cimport set_law
from pysitar.kernels.contact.law_record cimport CONTACT
from pysitar.kernels.contact.mean_force cimport MeanForce, mean_force, set_mean_force, set_start
from pysitar.kernels.core.elementary_functions cimport pow
from pysitar.kernels.lumped.wall_steps cimport (
    AM1, ENERGY, HEUN, INVARIANT, RK4, VERLET, Scheme, Wall, take_step, wall_energy, wall_force,
)

SCHEMES = {"invariant": INVARIANT, "energy": ENERGY, "am1": AM1, "verlet": VERLET, "heun": HEUN,
           "rk4": RK4}


cdef void take_steps(Wall* s, double* x, double* v, double* force, double* energy,
                     Py_ssize_t n) noexcept nogil:
    # no clones: a single mass has nothing to vectorise, and the clone is slower
    cdef Py_ssize_t i
    for i in range(n):
        x[i] = s.x
        v[i] = s.v
        energy[i] = wall_energy(s)
        if s.scheme > ENERGY:
            force[i] = s.force
        take_step(s)
        if s.scheme <= ENERGY:
            force[i] = s.force


def mean_force_and_slope(double before, double after, *, double stiffness, double exponent):
    """Return the mean elastic force (N) from x = before to after (m) and its derivative by after
    (N/m); for tests."""
    cdef MeanForce state
    cdef double slope
    set_mean_force(&state, stiffness, exponent)
    set_start(&state, before)
    mean = mean_force(&state, after, &slope)
    return mean, slope


cdef class WallImpact:
    """A mass that starts at x = 0, resumable at any step.

    Parameters: mass, kg; stiffness, N/m^exponent; exponent, at least 1; hysteresis, s/m, at least
    0; velocity, m/s, positive towards the wall; time_step, s; scheme, a value of SCHEMES;
    corrected, whether to apply the paper's corrections (to its own schemes only); gravity towards
    the wall, m/s^2.
    Errors: ValueError.
    """

    cdef Wall state

    def __cinit__(self, *, double mass, double stiffness, double exponent, double hysteresis,
                  double velocity, double time_step, int scheme=INVARIANT, bint corrected=False,
                  double gravity=0.0):
        cdef Wall* s = &self.state
        if not (mass > 0.0 and stiffness > 0.0 and exponent >= 1.0 and hysteresis >= 0.0
                and time_step > 0.0 and gravity >= 0.0
                and isfinite(mass + stiffness + exponent + hysteresis + velocity + time_step
                             + gravity)):
            raise ValueError("a parameter is out of range; expected finite numbers, mass, "
                             "stiffness and time step above 0, exponent at "
                             "least 1, hysteresis and gravity at least 0")
        if scheme < 0 or scheme > <int>RK4:
            raise ValueError(f"scheme is {scheme}; expected 0 to {<int>RK4}")
        memset(s, 0, sizeof(Wall))
        s.scheme = <Scheme>scheme
        s.has_correction = corrected and scheme > ENERGY
        s.mass, s.hysteresis, s.gravity, s.time_step = mass, hysteresis, gravity, time_step
        s.step_per_mass = time_step / mass
        s.v = velocity
        set_law(&s.law, CONTACT, stiffness, exponent, hysteresis / time_step, False)
        set_mean_force(&s.mean_force, stiffness, exponent)
        s.weight_compression = pow((exponent + 1.0) * mass * gravity / stiffness, 1.0 / exponent)

    @property
    def statistics(self):
        """Counts since the start: solves, their iterations in total and at most, failed solves."""
        return {"solves": self.state.solves, "iterations": self.state.iterations,
                "most_iterations": self.state.most_iterations, "failures": self.state.failures}

    def set_state(self, double compression, double velocity):
        """Set compression (m) and velocity (m/s).

        The force follows from them, a correction ends.
        """
        cdef Wall* s = &self.state
        s.x, s.v, s.is_correcting = compression, velocity, False
        s.force = wall_force(s, compression, velocity)
        set_start(&s.mean_force, compression)

    def advance(self, double[::1] compression not None, double[::1] velocity not None,
                double[::1] force not None, double[::1] energy not None):
        """Compute as many steps as the arrays have values; any division into calls gives the same
        bits.

        The arrays receive the state before each step: compression, m; velocity, m/s; force, N, over
        the step (invariant, energy) or stored by the scheme for the present time; energy, J.
        """
        cdef Py_ssize_t n = compression.shape[0]
        check_lengths("steps", n, (velocity, force, energy))
        if n:
            with nogil:
                take_steps(&self.state, &compression[0], &velocity[0], &force[0], &energy[0], n)
