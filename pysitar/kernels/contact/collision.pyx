"""Array interface of the contact laws and of the collision solver, for tests and figures."""
import numpy as np

from pysitar.kernels.core.arrays import check_lengths

from libc.math cimport fabs

from pysitar.kernels.contact.law cimport (
    dissipated_energy, force_and_slope, has_memory, is_friction, load_law, potential,
)
from pysitar.kernels.contact.law_record cimport Law, LawEntry
from pysitar.kernels.contact.problem cimport (
    Problem, allocate_problem, release_problem, update_laws, update_mobility_norm,
)
from pysitar.kernels.contact.solver cimport solve_collision
from pysitar.kernels.core.lanes cimport all_nonpositive, clear, max_abs, subtract


cdef int load_checked_law(Law* law, const LawEntry* entry, double time_step) except -1:
    if not load_law(law, entry, time_step):
        raise ValueError(f"kind is {entry.kind}; expected 0 (contact), 1 (linear), 2 (static "
                         "contact), 3 (static linear), 4 (viscous), or that of a further law")
    return 0


def force(double before, double after, const LawEntry[::1] laws not None, *,
          double time_step=1.0):
    """Return force F (N), dF/dafter (N/m) and dissipated energy (J) of a row over a step.

    Parameters: before, after, the compression at both ends of the step, m; laws (1,), as
    `modal.network.Network`; time_step, s.
    """
    cdef Law law
    cdef double slope
    check_lengths("laws", 1, (laws,))
    load_checked_law(&law, &laws[0], time_step)
    cdef double value = force_and_slope(&law, before, after, &slope)
    return value, slope, dissipated_energy(&law, before, after)


def energy(double compression, const LawEntry[::1] laws not None):
    """Return the energy (J) stored in a row at a compression (m); laws (1,), as `force`."""
    cdef Law law
    check_lengths("laws", 1, (laws,))
    load_checked_law(&law, &laws[0], 1.0)
    return potential(&law, compression)


def relaxation(const double[::1] compressions not None, const LawEntry[::1] laws not None, *,
               double time_step):
    """Return what a row with a memory does at each of some steps, (n, 4): force (N) of the step
    from the compression before, dF/dafter (N/m), heat (J) of the relaxation that follows, and
    stored energy (J) after it.

    Parameters: compressions (n,), m, the one before the first step is 0; laws (1,), as `force`;
    time_step, s.
    """
    cdef Law law
    cdef double slope
    cdef double before = 0.0
    cdef Py_ssize_t n
    check_lengths("laws", 1, (laws,))
    load_checked_law(&law, &laws[0], time_step)
    if not has_memory(&law):
        raise ValueError(f"kind is {laws[0].kind}; expected a law with a memory")
    out = np.empty((compressions.shape[0], 4))
    for n in range(compressions.shape[0]):
        out[n, 0] = force_and_slope(&law, before, compressions[n], &slope)
        before = compressions[n]
        out[n, 1] = slope
        out[n, 2] = law.relax(&law, before, time_step)
        out[n, 3] = potential(&law, before)
    return out


def collision_solution(const double[:, ::1] mobility not None, const double[::1] drift not None,
                       const double[::1] before not None, const LawEntry[::1] laws not None, *,
                       double time_step=1.0, const double[::1] guess=None,
                       const double[::1] bounds=None):
    """Solve one collision s = u + W f.

    Parameters: mobility W (K, K), m/N, positive semidefinite; drift u, before p0 (K,), m; laws
    (K,), as `force`; time_step, s; guess f (K,), N, ignored if W f exceeds a thousand times the
    displacements; bounds b (K,), N, of friction rows, whose p0 is the deflection of the bristle.
    Returns: displacement s (K,), m; force f (K,), N; number of Newton iterations, -1 if the
    stopping rule was not reached.
    """
    cdef Py_ssize_t k, j
    cdef Py_ssize_t rows = drift.shape[0]
    cdef Problem g
    cdef int iterations
    cdef double guess_limit
    cdef double greatest_length = 0.0           # of drift and compressions, m
    if mobility.shape[0] != rows or mobility.shape[1] != rows:
        raise ValueError(f"mobility is {mobility.shape[0]} x {mobility.shape[1]}; "
                         f"expected {rows} x {rows}, as many as drift")
    for name, values in (("before", before), ("laws", laws), ("guess", guess),
                         ("bounds", bounds)):
        if values is not None and values.shape[0] != rows:
            raise ValueError(f"{name} has {values.shape[0]} values; expected {rows}, as many as "
                             "drift")
    if not allocate_problem(&g, rows):
        raise MemoryError
    try:
        for k in range(rows):
            load_checked_law(&g.laws[k], &laws[k], time_step)
            if bounds is not None and is_friction(&g.laws[k]):
                g.laws[k].state[0] = bounds[k]
            greatest_length = max(greatest_length, fabs(drift[k]), fabs(before[k]))
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
        guess_limit = 1e3 * greatest_length
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
