"""numba twins of a string on a grid: the step without contact, and the iterative scheme with a
contact on each node."""
import numba


@numba.njit(fastmath=True)
def free_grid_steps(u, previous, keep, pull, bend, fade, at, weight, out):
    """Steps of u(n + 1) = ... from u(n), u(n - 1), nodes with a spare one at both ends; writes
    weight u[at] + (1 - weight) u[at + 1]."""
    n = u.size - 2
    nxt = u * 0.0
    for step in range(out.size):
        out[step] = weight * u[at] + (1.0 - weight) * u[at + 1]
        _free(u, previous, nxt, keep, pull, bend, fade, n)
        u, previous, nxt = nxt, u, previous


@numba.njit(fastmath=True)
def _free(u, previous, nxt, keep, pull, bend, fade, n):
    u[0], u[n + 1] = -u[2], -u[n - 1]          # simply supported: nodes 1 and n are the ends
    for i in range(2, n):
        d2 = u[i + 1] - 2.0 * u[i] + u[i - 1]
        d4 = u[i + 2] - 4.0 * u[i + 1] + 6.0 * u[i] - 4.0 * u[i - 1] + u[i - 2]
        old = previous[i + 1] - 2.0 * previous[i] + previous[i - 1]
        nxt[i] = u[i] + keep * (u[i] - previous[i]) + pull * d2 - bend * d4 + fade * (d2 - old)
    nxt[1] = nxt[n] = 0.0


@numba.njit
def iterative_grid_steps(u, previous, keep, pull, bend, fade, mobility, stiffness, exponent, height,
                         at, weight, out):
    """The same with a contact of a stiffness (N/m^exponent) at a height on every node, Newton held
    between bounds."""
    n = u.size - 2
    nxt = u * 0.0
    for step in range(out.size):
        out[step] = weight * u[at] + (1.0 - weight) * u[at + 1]
        _free(u, previous, nxt, keep, pull, bend, fade, n)
        for i in range(2, n):
            p0, e = height[i] - previous[i], height[i] - nxt[i]
            if p0 <= 0.0 and e <= 0.0:
                continue
            p1 = _newton(p0, e, mobility, stiffness, exponent)
            nxt[i] = height[i] - p1
        u, previous, nxt = nxt, u, previous


@numba.njit
def _potential(p, stiffness, exponent):
    return stiffness / (exponent + 1.0) * p ** (exponent + 1.0) if p > 0.0 else 0.0


@numba.njit
def _newton(p0, e, w, stiffness, exponent):
    stored = _potential(p0, stiffness, exponent)
    low, high = min(p0, e) - w * stiffness * max(p0, e, 0.0) ** exponent, e
    p1 = e
    for _ in range(200):
        h = p1 - p0
        if abs(h) <= 1e-9 * (abs(p0) + abs(p1)):
            middle = max(0.5 * (p0 + p1), 0.0)
            force = stiffness * middle ** exponent
            slope = 0.5 * exponent * force / middle if middle > 0.0 else 0.0
        else:
            force = (_potential(p1, stiffness, exponent) - stored) / h
            slope = ((stiffness * p1 ** exponent if p1 > 0.0 else 0.0) - force) / h
        r = p1 - e + w * force
        if abs(r) <= 4e-16 * (abs(e) + abs(p1) + w * force):
            break
        if r > 0.0:
            high = p1
        else:
            low = p1
        p1 -= r / (1.0 + w * slope)
        if not low < p1 < high:
            p1 = 0.5 * (low + high)
        if high - low <= 4e-16 * (abs(low) + abs(high)):
            break
    return p1
