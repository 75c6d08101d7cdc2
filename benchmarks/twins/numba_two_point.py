"""The two-point loop as one would write it with numba: no contact, and contact by Newton on all K
rows with LAPACK."""
import numba
import numpy as np


@numba.njit(fastmath=True, cache=False)
def free_steps(y, q, a, twice_c, loss, inverse_xi, shapes, compression, weights, out, energies):
    """Steps without contact, with the output and the audit of every 64th step; returns the losses,
    J."""
    modes, rows = y.size, compression.size
    drift = np.empty(modes)
    losses = 0.0
    contacts = 0
    for n in range(out.size):
        value = 0.0
        for i in range(modes):
            value += weights[i] * y[i]
        out[n] = value
        if n % 64 == 0:
            kinetic = 0.0
            stored = 0.0
            for i in range(modes):
                kinetic += inverse_xi[i] * q[i] * q[i]
                stored += inverse_xi[i] * a[i] * y[i] * y[i]
            energies[n // 64, 0] = kinetic
            energies[n // 64, 1] = stored
            energies[n // 64, 3] = losses
        for i in range(modes):
            drift[i] = twice_c[i] * (q[i] - a[i] * y[i])
        for k in range(rows):
            u = 0.0
            for i in range(modes):
                u += shapes[k, i] * drift[i]
            before = compression[k]
            compression[k] = before - u
            if before > 0.0 or before - u > 0.0:
                contacts += 1
        lost = 0.0
        for i in range(modes):
            s = drift[i]
            y[i] += s
            q[i] = s - q[i]
            lost += loss[i] * s * s
        losses += lost
    return losses + contacts


@numba.njit(cache=False)
def contact_steps(y, q, a, twice_c, mobility, loss, inverse_xi, shapes, compliance, compression,
                  stiffness, weights, out, energies):
    """Steps in contact, exponent 1: Newton on s over all rows by numpy.linalg.solve, warm-started;
    returns iterations."""
    rows = compression.size
    s = np.zeros(rows)
    force = np.zeros(rows)
    slope = np.zeros(rows)
    losses = 0.0
    total = 0
    identity = np.eye(rows)
    for n in range(out.size):
        out[n] = weights @ y
        if n % 64 == 0:
            energies[n // 64, 0] = np.sum(inverse_xi * q * q)
            energies[n // 64, 1] = np.sum(inverse_xi * a * y * y)
            energies[n // 64, 2] = 0.5 * np.sum(stiffness * np.maximum(compression, 0.0) ** 2)
            energies[n // 64, 3] = losses
        drift = twice_c * (q - a * y)
        u = shapes @ drift
        for _ in range(100):
            for k in range(rows):
                p0 = compression[k]
                p1 = p0 - s[k]
                b = max(p1, 0.0)
                c = max(p0, 0.0)
                h = p1 - p0
                r = 1.0 if p0 > 0.0 and p1 > 0.0 else ((b - c) / h if h != 0.0 else 0.0)
                force[k] = 0.5 * stiffness[k] * (b + c) * r
                slope[k] = 0.5 * stiffness[k] * (r * (2.0 - r) if p1 > 0.0 else r * r)
            residual = s - u - compliance @ force
            jacobian = identity + compliance * slope
            change = np.linalg.solve(jacobian, residual)
            s -= change
            total += 1
            if np.max(np.abs(change)) <= 1e-13 * np.max(np.abs(s)):
                break
        for k in range(rows):
            p0 = compression[k]
            p1 = p0 - s[k]
            b = max(p1, 0.0)
            c = max(p0, 0.0)
            h = p1 - p0
            r = 1.0 if p0 > 0.0 and p1 > 0.0 else ((b - c) / h if h != 0.0 else 0.0)
            force[k] = 0.5 * stiffness[k] * (b + c) * r
        moved = drift + mobility * (shapes.T @ force)
        y += moved
        q[:] = moved - q
        compression -= s
        losses += np.sum(loss * moved * moved)
    return total
