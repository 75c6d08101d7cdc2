"""Array face of the contact laws and of the solver, for tests, figures and whoever wants one collision solved."""
import numpy as np

from pysitar.kernels.contact.law cimport Kind, Law, dissipated, force_and_slope, potential, shape_law
from pysitar.kernels.contact.problem cimport Problem, allocate, meet_laws, measure_mobility, release
from pysitar.kernels.contact.solver cimport solve
from pysitar.kernels.core.lanes cimport clear, greatest_size, none_above_zero, subtract


cdef Law law_of(double stiffness, double exponent, double rate, bint adhesive, int kind):
    cdef Law law
    if not (0 <= kind <= 4):
        raise ValueError(f"kind is {kind}; 0 contact, 1 linear, 2 static contact, 3 static linear, 4 viscous")
    shape_law(&law, <Kind>kind, stiffness, exponent, rate, adhesive)
    return law


def force(double before, double after, *, double stiffness, double exponent=1.0, double rate=0.0, bint adhesive=True, int kind=0):
    """Force of a row as its compression goes from `before` to `after` (m): (F in N, dF/dafter in N/m, heat in J)."""
    cdef Law law = law_of(stiffness, exponent, rate, adhesive, kind)
    cdef double slope
    cdef double value = force_and_slope(&law, before, after, &slope)
    return value, slope, dissipated(&law, before, after)


def energy(double compression, *, double stiffness, double exponent=1.0, int kind=0):
    """Energy stored in a row at a compression (m), J."""
    cdef Law law = law_of(stiffness, exponent, 0.0, True, kind)
    return potential(&law, compression)


def solved(const double[:, ::1] mobility not None, const double[::1] drift not None, const double[::1] before not None,
           const double[::1] stiffness not None, const double[::1] exponent not None, const double[::1] rate not None,
           *, bint adhesive=True, const int[::1] kinds=None, const double[::1] guess=None):
    """One collision s = u + W f: displacement s (m), force f (N), Newton iterations (-1: the stopping rule was not reached).

    Parameters: mobility W (K, K), m/N, positive semidefinite; drift u, before p0 (K,), m; stiffness (K,), N/m^exponent;
    rate (K,), damping over time step; kinds (K,): 0 contact, 1 linear, 2 static contact, 3 static linear, 4 viscous; guess f (K,), N,
    dropped where W f would be a thousand times all displacements.
    """
    cdef Py_ssize_t k, j
    cdef Py_ssize_t rows = drift.shape[0]
    cdef Problem g
    cdef int iterations
    cdef double reason
    if mobility.shape[0] != rows or mobility.shape[1] != rows:
        raise ValueError(f"mobility is {mobility.shape[0]} x {mobility.shape[1]}; {rows} x {rows} would fit the drift")
    for name, given in (("before", before), ("stiffness", stiffness), ("exponent", exponent), ("rate", rate),
                        ("kinds", kinds), ("guess", guess)):
        if given is not None and given.shape[0] != rows:
            raise ValueError(f"{name} has {given.shape[0]} values; {rows} would fit the drift")
    if not allocate(&g, rows):
        raise MemoryError
    try:
        for k in range(rows):
            g.laws[k] = law_of(stiffness[k], exponent[k], rate[k], adhesive, kinds[k] if kinds is not None else 0)
            g.drift[k] = drift[k]
            g.before[k] = before[k]
            g.free[k] = before[k]
            g.force[k] = guess[k] if guess is not None else 0.0
            for j in range(rows):
                g.mobility[k * g.stride + j] = mobility[k, j]
        meet_laws(&g)
        measure_mobility(&g)
        # a guess beyond reason would have only its own rounding to be judged by, and rows apart need none
        subtract(g.after, g.free, g.drift, g.stride)
        reason = 1e3 * (greatest_size(g.drift, g.stride) + greatest_size(g.before, g.stride))
        if (g.linear == 0 and none_above_zero(g.before, g.after, g.stride)) or not g.widest * greatest_size(g.force, g.stride) <= reason:
            clear(g.force, g.stride)
        elif guess is not None:
            g.touching = rows
            for k in range(rows):
                g.touch[k] = <int>k
        iterations = solve(&g)
        return (np.array([g.step[k] for k in range(rows)]), np.array([g.force[k] for k in range(rows)]), iterations)
    finally:
        release(&g)
