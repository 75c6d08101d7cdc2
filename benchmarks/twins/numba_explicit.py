"""A numba twin of the paper's explicit scheme of a string on a grid, with a contact on each
node."""
import numba
from twins.numba_grid import _free


@numba.njit
def explicit_grid_steps(u, previous, root, keep, pull, bend, fade, mobility, stiffness, exponent,
                        height, at, weight, out):
    """Steps of u(n + 1) from u(n), u(n - 1) and psi(n - 1/2) on each node; writes weight u[at] + (1
    - weight) u[at + 1]."""
    n = u.size - 2
    nxt = u * 0.0
    half = (0.5 * stiffness * (exponent + 1.0)) ** 0.5
    for step in range(out.size):
        out[step] = weight * u[at] + (1.0 - weight) * u[at + 1]
        _free(u, previous, nxt, keep, pull, bend, fade, n)
        for i in range(2, n):
            p = height[i] - u[i]
            if p > 0.0:
                g = half * p ** (0.5 * (exponent - 1.0))
                way = previous[i] - nxt[i]
                force = g * (root[i] + 0.25 * g * way) / (1.0 + 0.25 * mobility * g * g)
                nxt[i] += mobility * force
                root[i] += 0.5 * g * (previous[i] - nxt[i])
        u, previous, nxt = nxt, u, previous
