"""Array interface of the contact laws and of the collision solver, for tests and figures."""
import numpy as np

from pysitar.kernels.contact.law cimport (
    Kind, Law, dissipated_energy, force_and_slope, potential, set_law,
)
from pysitar.kernels.contact.problem cimport (
    Problem, allocate_problem, release_problem, update_laws, update_mobility_norm,
)
from pysitar.kernels.contact.solver cimport solve_collision
from pysitar.kernels.core.lanes cimport all_nonpositive, clear, max_abs, subtract


cdef Law make_law(double stiffness, double exponent, double rate, bint adhesive, int kind):
    cdef Law law
    if not (0 <= kind <= 4):
        raise ValueError(f"kind is {kind}; expected 0 (contact), 1 (linear), 2 (static contact), 3 "
                         "(static linear) or 4 (viscous)")
    set_law(&law, <Kind>kind, stiffness, exponent, rate, adhesive)
    return law


def force(double before, double after, *, double stiffness, double exponent=1.0, double rate=0.0,
          bint adhesive=True, int kind=0):
    """Return force F (N), dF/dafter (N/m) and dissipated energy (J) of a row over a step.

    Parameters: before, after, the compression at both ends of the step, m; stiffness, N/m^exponent;
    rate, damping over time step; adhesive, whether F may be negative; kind as in
    `collision_solution`.
    """
    cdef Law law = make_law(stiffness, exponent, rate, adhesive, kind)
    cdef double slope
    cdef double value = force_and_slope(&law, before, after, &slope)
    return value, slope, dissipated_energy(&law, before, after)


def energy(double compression, *, double stiffness, double exponent=1.0, int kind=0):
    """Return the energy (J) stored in a row at a compression (m)."""
    cdef Law law = make_law(stiffness, exponent, 0.0, True, kind)
    return potential(&law, compression)


def collision_solution(const double[:, ::1] mobility not None, const double[::1] drift not None,
                       const double[::1] before not None, const double[::1] stiffness not None,
                       const double[::1] exponent not None, const double[::1] rate not None, *,
                       bint adhesive=True, const int[::1] kinds=None, const double[::1] guess=None):
    """Solve one collision s = u + W f.

    Parameters: mobility W (K, K), m/N, positive semidefinite; drift u, before p0 (K,), m; stiffness
    (K,), N/m^exponent; rate (K,), damping over time step; kinds (K,): 0 contact, 1 linear, 2 static
    contact, 3 static linear, 4 viscous; guess f (K,), N, ignored if W f exceeds a thousand times
    the displacements.
    Returns: displacement s (K,), m; force f (K,), N; number of Newton iterations, -1 if the
    stopping rule was not reached.
    """
    cdef Py_ssize_t k, j
    cdef Py_ssize_t rows = drift.shape[0]
    cdef Problem g
    cdef int iterations
    cdef double guess_limit
    if mobility.shape[0] != rows or mobility.shape[1] != rows:
        raise ValueError(f"mobility is {mobility.shape[0]} x {mobility.shape[1]}; "
                         f"expected {rows} x {rows}, as many as drift")
    for name, values in (("before", before), ("stiffness", stiffness), ("exponent", exponent),
                         ("rate", rate), ("kinds", kinds), ("guess", guess)):
        if values is not None and values.shape[0] != rows:
            raise ValueError(f"{name} has {values.shape[0]} values; expected {rows}, as many as "
                             "drift")
    if not allocate_problem(&g, rows):
        raise MemoryError
    try:
        for k in range(rows):
            g.laws[k] = make_law(stiffness[k], exponent[k], rate[k], adhesive,
                                 kinds[k] if kinds is not None else 0)
            g.drift[k] = drift[k]
            g.p_before[k] = before[k]
            g.p_free[k] = before[k]
            g.force[k] = guess[k] if guess is not None else 0.0
            for j in range(rows):
                g.mobility[k * g.stride + j] = mobility[k, j]
        update_laws(&g)
        update_mobility_norm(&g)
        # drop a huge guess: its round-off would hide the solution; open rows need no guess
        subtract(g.p_after, g.p_free, g.drift, g.stride)
        guess_limit = 1e3 * (max_abs(g.drift, g.stride) + max_abs(g.p_before, g.stride))
        if ((g.bilateral_count == 0 and all_nonpositive(g.p_before, g.p_after, g.stride))
                or not g.mobility_norm * max_abs(g.force, g.stride) <= guess_limit):
            clear(g.force, g.stride)
        elif guess is not None:
            g.active_count = rows
            for k in range(rows):
                g.active_rows[k] = <int>k
        iterations = solve_collision(&g)
        return (np.array([g.step[k] for k in range(rows)]),
                np.array([g.force[k] for k in range(rows)]), iterations)
    finally:
        release_problem(&g)
