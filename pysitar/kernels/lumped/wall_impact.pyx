"""A mass against a rigid wall, by six schemes, resumable at any step; the schemes' note is in wall_steps.pxd."""
from pysitar.kernels.core.arrays import check_lengths

from libc.math cimport isfinite
from libc.string cimport memset

from pysitar.kernels.contact.law cimport CONTACT, set_law
from pysitar.kernels.contact.mean_force cimport MeanForce, mean_force, set_mean_force, set_start
from pysitar.kernels.core.elementary_functions cimport pow
from pysitar.kernels.lumped.wall_steps cimport AM1, ENERGY, HEUN, INVARIANT, RK4, VERLET, Scheme, Wall, take_step, wall_energy, wall_force

SCHEMES = {"invariant": INVARIANT, "energy": ENERGY, "am1": AM1, "verlet": VERLET, "heun": HEUN, "rk4": RK4}


cdef void take_steps(Wall* s, double* x, double* v, double* force, double* energy, Py_ssize_t n) noexcept nogil:
    # no clones: one mass has nothing to vectorise, and the clone is slower
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
    """The mean of the elastic force as x goes from `before` to `after` (m), N, and its derivative by `after`, N/m; for tests."""
    cdef MeanForce state
    cdef double slope
    set_mean_force(&state, stiffness, exponent)
    set_start(&state, before)
    mean = mean_force(&state, after, &slope)
    return mean, slope


cdef class WallImpact:
    """One mass, at x = 0 with a velocity (m/s, towards the wall positive).

    Parameters: mass, kg; stiffness, N/m^exponent; exponent, 1 or more; hysteresis, s/m; time_step, s; scheme, of SCHEMES; corrected,
    the paper's corrections, for its schemes only; gravity towards the wall, m/s^2.
    """

    cdef Wall state

    def __cinit__(self, *, double mass, double stiffness, double exponent, double hysteresis, double velocity, double time_step,
                  int scheme=INVARIANT, bint corrected=False, double gravity=0.0):
        cdef Wall* s = &self.state
        if not (mass > 0.0 and stiffness > 0.0 and exponent >= 1.0 and hysteresis >= 0.0 and time_step > 0.0 and gravity >= 0.0
                and isfinite(mass + stiffness + exponent + hysteresis + velocity + time_step + gravity)):
            raise ValueError("the parameters are finite numbers: mass, stiffness, time step above 0, exponent from 1, the others from 0")
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
        """Since the start: solves, iterations of them together and at most, and failed ones."""
        return {"solves": self.state.solves, "iterations": self.state.iterations, "most_iterations": self.state.most_iterations,
                "failures": self.state.failures}

    def set_state(self, double compression, double velocity):
        """Puts the mass elsewhere (m) with a velocity (m/s), with the force of that place and no correction under way."""
        cdef Wall* s = &self.state
        s.x, s.v, s.is_correcting = compression, velocity, False
        s.force = wall_force(s, compression, velocity)
        set_start(&s.mean_force, compression)

    def advance(self, double[::1] compression not None, double[::1] velocity not None, double[::1] force not None,
                double[::1] energy not None):
        """Computes as many steps as the arrays have values, and fills them with the state before each; any division gives the same bits.

        The force is that over the step (invariant, energy), else the one that the scheme has stored for the present.
        """
        cdef Py_ssize_t n = compression.shape[0]
        check_lengths("steps", n, (velocity, force, energy))
        if n:
            with nogil:
                take_steps(&self.state, &compression[0], &velocity[0], &force[0], &energy[0], n)
