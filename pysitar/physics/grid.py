"""A string on a grid: spacing, coefficients of the update, and weights of barriers, inputs and
outputs.

The grid has M intervals of h = length / M and nodes 0 .. M; both ends are simply supported and stay
at 0. The unknowns are the M - 1 interior nodes 1 .. M - 1: each array "(nodes,)" has M - 1 values,
and its first value belongs to node 1. With k the time step, du = u(n) - u(n - 1) and d2 the second
difference (u[0] = u[M] = 0, u[-1] = -u[1], u[M + 1] = -u[M - 1]), a step without contact is
  (1 + sigma0 k) (u(n + 1) - u(n)) = (1 - sigma0 k) du + tension_number d2 u - bending_number d2 d2
  u + loss_number d2 du + f / k_inertia
with f the force (N) on the node and k_inertia = node_mass / k^2. Ducceschi & Bilbao 2019, eq. (29),
with losses.

A kernel of a grid scheme takes `coefficients` for the string and `grid_rows` for the contacts. The
compression of a row is p = offset - (1 - fraction) u[node] - fraction u[node + 1], with 0 at an
end; its force acts on these nodes with the same weights. The shape (nodes,) of an input is the
fraction of its force on each node; the weights (nodes,) of an output are those of u or of du/dt.
Displacement and velocity (nodes,) of a state are u(n) and (u(n + 1) - u(n - 1)) / (2 k) of a step n
in which neither contact nor input acts.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from pysitar.errors import ParameterError
from pysitar.physics import ranges
from pysitar.physics.barrier import Barrier, check_on_string
from pysitar.physics.checks import FloatArray, array_of, function, number, whole
from pysitar.physics.contact import LawArray, LawValues, law_array, law_values
from pysitar.physics.string import String

FEWEST, MOST = 4, 65536         # intervals
ON_A_NODE = 1e-9                # fraction of an interval: a point nearer to a node is on the node
ROUNDING = 1e-13                # relative rounding error of the greatest number of intervals
SPREADS = ("nearest", "linear")


class Coefficients(TypedDict):
    """The arguments of a kernel for the string: see the module."""

    intervals: int
    time_step: float
    node_mass: float
    sigma0: float
    tension_number: float
    bending_number: float
    loss_number: float


class Rows(TypedDict):
    """The arguments of a kernel for the contacts, arrays of shape (K,): nodes, 0 .. M - 1;
    fractions, 0 to 1; laws, as `laws.law_array`; offsets (m)."""

    nodes: npt.NDArray[np.int32]
    fractions: FloatArray
    laws: LawArray
    offsets: FloatArray


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StringGrid:
    """The grid of a string at a sample rate, created by `string_grid`.

    Attributes: string; sample_rate (Hz); intervals M; nodes, positions of all nodes, both ends
    included, shape (M + 1,), m.
    """

    string: String
    sample_rate: float
    intervals: int
    nodes: FloatArray

    @property
    def spacing(self) -> float:
        """The distance h of two nodes, m."""
        return self.string.length / self.intervals

    @property
    def count(self) -> int:
        """The number of interior nodes, M - 1."""
        return self.intervals - 1

    @property
    def node_mass(self) -> float:
        """The mass of the string per node, rho A h, kg."""
        return self.string.linear_density * self.spacing

    @property
    def coefficients(self) -> Coefficients:
        """The arguments of a kernel for the string."""
        k, h, string = 1.0 / self.sample_rate, self.spacing, self.string
        per_mass = k * k / (string.linear_density * h * h)
        return {
            "intervals": self.intervals,
            "time_step": k,
            "node_mass": self.node_mass,
            "sigma0": string.sigma0,
            "tension_number": string.tension * per_mass,
            "bending_number": string.bending_stiffness * per_mass / (h * h),
            "loss_number": 2.0 * string.sigma2 * k / (h * h),
        }

    def place(self, x: float) -> tuple[int, float]:
        """Return the node 0 .. M - 1 left of a point 0 <= x <= length (m), and the distance between
        them as a fraction of an interval, 0 to 1.

        A point within 1e-9 of an interval from a node is on the node: its fraction is 0, or 1 for
        the last node.
        Errors: ParameterError.
        """
        q = number("position", x, "m", at_least=0.0, at_most=self.string.length) / self.spacing
        nearest = math.floor(q + 0.5)
        if abs(q - nearest) < ON_A_NODE:
            q = float(nearest)
        node = min(math.floor(q), self.intervals - 1)
        return node, min(q - node, 1.0)

    def shape(self, x: float) -> FloatArray:
        """Return the weights, shape (nodes,), of linear interpolation at a point 0 <= x <= length
        (m).  Errors: ParameterError."""
        node, fraction = self.place(x)
        return self._of_nodes({node: 1.0 - fraction, node + 1: fraction})

    def spread(self, x: float, width: float = 0.0, spread: str = "nearest") -> FloatArray:
        """Return each node's share, shape (nodes,), of a force at a point.

        Parameters: x, 0 to length (m); width >= 0 (m), over which the force is even, the whole of
        it on the string; spread, of a force without width: "nearest", all on the nearest interior
        node, or "linear", as `shape`. Errors: ParameterError. """
        if spread not in SPREADS:
            raise ParameterError("spread", spread, f"expected {' or '.join(SPREADS)}")
        half = 0.5 * number("width", width, "m", at_least=0.0, at_most=self.string.length,
                            smallest=ranges.NARROWEST)
        if half > 0.0:
            x = number("position", x, "m", at_least=half, at_most=self.string.length - half)
            low, high = (x - half) / self.spacing, (x + half) / self.spacing
            first, last = math.floor(low), math.ceil(high)
            return self._of_nodes({
                i: (_hat(high - i) - _hat(low - i)) / (high - low)
                for i in range(first, last + 1)
            })
        if spread == "linear":
            return self.shape(x)
        x = number("position", x, "m", at_least=0.0, at_most=self.string.length)
        return self._of_nodes({min(max(math.floor(x / self.spacing + 0.5), 1), self.count): 1.0})

    def slope_force_end(self) -> FloatArray:
        """Return the weights, shape (nodes,), N/m, of the upward force on the support at x =
        length: F_L = sum w_i u_i.

        The force is the derivative of the potential energy of the grid by the displacement of the
        last node: second order in h.
        """
        return array_of(self._slope_force()[::-1])

    def slope_force_start(self) -> FloatArray:
        """Return the weights, shape (nodes,), N/m, of the upward force on the support at x = 0: F_0
        = sum w_i u_i."""
        return array_of(self._slope_force())

    def sampled(self, shape: Callable[[float], float]) -> FloatArray:
        """Return the values (m) of a function of x (m) at the interior nodes, shape (nodes,).

        Errors: ParameterError, for a value that is not finite.
        """
        function("shape", shape, "the displacement (m)")
        return array_of(ranges.DISPLACEMENT.at("shape", shape, self.nodes[1:-1].tolist()))

    def triangle(self, position: float, height: float) -> FloatArray:
        """Return the displacements, shape (nodes,), m, of a string pulled to a height (m) at 0 <
        position < length (m).

        Errors: ParameterError.
        """
        length = self.string.length
        top = number("position", position, "m", above=0.0, below=length)
        h = ranges.DISPLACEMENT.number("height", height)
        return array_of([
            h * (x / top if x <= top else (length - x) / (length - top))
            for x in self.nodes[1:-1].tolist()
        ])

    def _slope_force(self) -> list[float]:
        h, bending = self.spacing, self.string.bending_stiffness
        cubed = bending / (h * h * h)
        return [self.string.tension / h + 2.0 * cubed, -cubed, *[0.0] * (self.count - 2)]

    def _of_nodes(self, weights: dict[int, float]) -> FloatArray:
        """Return the weights of the interior nodes as an array; a weight on an end is left out."""
        return array_of([weights.get(i, 0.0) for i in range(1, self.intervals)])


def string_grid(string: String, sample_rate: float, intervals: int | None = None) -> StringGrid:
    """Return the finest grid on which a string is stable at a sample rate, or a coarser one.

    Parameters: string, with losses sigma0 and sigma2 alone; sample_rate (Hz); intervals, at most as
    many as are stable (None: the greatest stable number).
    Errors: ParameterError: sigma1 or sigma3, fewer than 4 intervals, more than are stable.
    Source: Ducceschi & Bilbao 2019, section III; with losses h^2 >= (a + sqrt(a^2 + 16 EI k^2 / rho
    A)) / 2, a = T k^2 / rho A + 4 sigma2 k.
    """
    rate = ranges.SAMPLE_RATE.number("sample_rate", sample_rate)
    for name in ("sigma1", "sigma3"):
        if getattr(string, name) != 0.0:
            raise ParameterError(
                name, getattr(string, name),
                "a string on a grid has losses sigma0 and sigma2 only; expected 0, as "
                "string.grid_losses(f1, f2) makes it by a fit at two frequencies (Hz)")
    k, density = 1.0 / rate, string.linear_density
    a = string.tension / density * k * k + 4.0 * string.sigma2 * k
    smallest = math.sqrt(0.5 *
                         (a + math.sqrt(a * a + 16.0 * string.bending_stiffness / density * k * k)))
    quotient = string.length / smallest * (1.0 + ROUNDING)
    if quotient < FEWEST:
        raise ParameterError(
            "sample_rate", sample_rate,
            f"the string has {math.floor(quotient)} stable intervals at this rate, of at least "
            f"{smallest:.3g} m, and needs {FEWEST}; expected a higher rate")
    if quotient >= MOST + 1 and intervals is None:
        raise ParameterError(
            "sample_rate", sample_rate,
            f"the string has over {MOST} stable intervals at this rate; expected a lower rate")
    most = min(math.floor(quotient), MOST)
    if intervals is None:
        intervals = most
    elif whole("intervals", intervals, at_least=FEWEST, at_most=MOST) > most:
        raise ParameterError(
            "intervals", intervals,
            f"expected at most {most}, of {smallest:.6g} m or more, to be stable at {rate:g} Hz")
    nodes = array_of([string.length * (i / intervals) for i in range(intervals + 1)])
    return StringGrid(string=string, sample_rate=rate, intervals=int(intervals), nodes=nodes)


def grid_rows(grid: StringGrid, barriers: Sequence[Barrier]) -> Rows:
    """Return the contacts of barriers on a grid, in the order of the barriers.

    A barrier with a profile has a contact at every interior node in [start, end], with weight h;
    any other barrier has one at each of its points, interpolated between two nodes.
    Errors: ParameterError: a point outside the string, no node in [start, end].
    """
    nodes: list[int] = []
    fractions: list[float] = []
    offsets: list[float] = []
    laws: list[LawValues] = []
    for barrier in barriers:
        check_on_string(barrier, grid.string)
        if barrier.profile is not None:
            inside = _inside(grid, barrier)
            places = [(i, 0.0) for i in inside]
            heights = ranges.DISPLACEMENT.at("profile", barrier.profile,
                                             [float(grid.nodes[i]) for i in inside])
            strengths = [barrier.law.stiffness * grid.spacing] * len(inside)
        else:
            places = [grid.place(x) for x in barrier.positions.tolist()]
            heights, strengths = barrier.heights.tolist(), barrier.row_stiffness.tolist()
        nodes += [node for node, _ in places]
        fractions += [fraction for _, fraction in places]
        offsets += heights
        laws += [law_values(barrier.law, stiffness=strength) for strength in strengths]
    return {
        "nodes": np.array(nodes, dtype=np.int32),
        "fractions": array_of(fractions),
        "laws": law_array(laws),
        "offsets": array_of(offsets),
    }


def _inside(grid: StringGrid, barrier: Barrier) -> list[int]:
    """Return the interior nodes in [start, end] of a barrier.  Errors: ParameterError."""
    h = grid.spacing
    first = max(1, math.ceil(barrier.start / h - ON_A_NODE))
    last = min(grid.count, math.floor(barrier.end / h + ON_A_NODE))
    if first > last:
        raise ParameterError(
            "barrier", f"from {barrier.start:g} to {barrier.end:g} m",
            f"no node of the grid, {h:.3g} m apart, lies in this barrier; "
            "expected a higher sample rate, or its points by Barrier.at")
    return list(range(first, last + 1))


def _hat(t: float) -> float:
    """Return the integral of max(1 - |t|, 0) from -1 to t."""
    t = min(max(t, -1.0), 1.0)
    return 0.5 * (1.0 + t) * (1.0 + t) if t <= 0.0 else 1.0 - 0.5 * (1.0 - t) * (1.0 - t)
