"""Random values of a score: distributions, and the draws of each name, by the seed alone."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

from pysitar.kernels.core import elementary
from pysitar.physics.draws import uniforms
from pysitar.score.expressions import Amount, Value

DISTRIBUTIONS = ("uniform", "loguniform", "normal", "exponential", "choice", "cycle", "markov")
LISTS = frozenset(("choice", "cycle", "markov"))
TRIES = 64                      # pairs of numbers of a normal distribution with limits


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of a named value.

    Parameters: name, one of `DISTRIBUTIONS`; numbers, its parameters: the two ends, mean and
    deviation, or the mean; unit, of them; low and high, the limits (None: none); items, of choice,
    cycle and markov.
    """

    name: str
    numbers: tuple[float, ...] = ()
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    items: tuple[Value, ...] = ()


@dataclass(slots=True)
class Chance:
    """The draws of one score.

    Parameters: seed; used, whether anything was drawn; counts, the draws so far of each name;
    chains, the index of the last item of each chain and cycle, by the place of its line.
    """

    seed: int = 0
    used: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    chains: dict[tuple[str, int], int] = field(default_factory=dict)

    def draw(self, name: str, distribution: Distribution, line: tuple[str, int]) -> Value:
        """Return the next value of a name.

        Parameters: line, the file and number of the line of the distribution.
        """
        self.used = True
        count = self.counts[name] = self.counts.get(name, -1) + 1
        sequence = f"let {name} {count}"
        if distribution.name == "normal":
            return Amount(self._draw_normal(distribution, sequence), distribution.unit)
        [u] = uniforms(seed=self.seed, name=sequence, count=1)
        items = distribution.items
        if distribution.name == "cycle":
            index = (self.chains.get(line, -1) + 1) % len(items)
            self.chains[line] = index
            return items[index]
        if distribution.name == "choice":
            return items[int(u * len(items))]
        if distribution.name == "markov":
            index = self._next_item(items, self.chains.get(line), u)
            self.chains[line] = index
            return items[index]
        return Amount(draw_number(distribution, u), distribution.unit)

    def _draw_normal(self, distribution: Distribution, sequence: str) -> float:
        """Return a normal number within its limits: the first such of some, by the polar form of
        Box and Muller, else the last of them moved to the nearer limit."""
        mean, deviation = distribution.numbers
        low = -math.inf if distribution.low is None else distribution.low
        high = math.inf if distribution.high is None else distribution.high
        value = mean
        for pair in range(TRIES):
            u, v = uniforms(seed=self.seed, name=sequence, start=2 * pair, count=2)
            radius = math.sqrt(-2.0 * elementary.log1p(-u))
            value = mean + deviation * radius * elementary.cos(2.0 * math.pi * v)
            if low <= value <= high:
                return value
        return min(max(value, low), high)

    @staticmethod
    def _next_item(items: tuple[Value, ...], last: int | None, u: float) -> int:
        """Return the index of the item of a chain after the last: one that follows an equal item in
        the list, of which the first follows the last; the first item begins."""
        if last is None:
            return 0
        following = [(index + 1) % len(items) for index, item in enumerate(items)
                     if item == items[last]]
        return following[int(u * len(following))]


def draw_number(distribution: Distribution, u: float) -> float:
    """Return the number of a uniform, loguniform or exponential distribution at a uniform number
    in [0, 1)."""
    if distribution.name == "exponential":
        [mean] = distribution.numbers
        low = distribution.low or 0.0          # without memory: above a limit it is as from 0
        if distribution.high is not None:
            u *= -elementary.expm1(-(distribution.high - low) / mean)
        return low - mean * elementary.log1p(-u)
    low, high = distribution.numbers
    if distribution.name == "loguniform":
        ratio = elementary.exp(u * elementary.log(high / low))
        return min(max(low * ratio, min(low, high)), max(low, high))
    return min(low + u * (high - low), high)
