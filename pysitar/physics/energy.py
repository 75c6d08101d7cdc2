"""The energy of a run and its balance: stored energy, losses, and work of outer forces."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pysitar.physics.checks import FloatArray, series


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Energy:
    """Energies of a run, one value per reading.

    Parameters: arrays of shape (N,), J, N >= 0: kinetic, potential and contact energy; losses and
    work, the energy dissipated and the work of outer forces since the first reading; throughput,
    the sum of |work| over all steps since the first reading (None: the sum of |change of work|
    between readings, which is at most that).
    Errors: ParameterError.
    """

    kinetic: FloatArray
    potential: FloatArray
    contact: FloatArray
    losses: FloatArray
    work: FloatArray
    throughput: FloatArray | None = None

    def __post_init__(self) -> None:
        size = np.size(self.kinetic)
        for name in ("kinetic", "potential", "contact", "losses", "work"):
            object.__setattr__(self, name,
                               series(name, getattr(self, name), "J", size=size, empty=True))
        if self.throughput is not None:
            object.__setattr__(
                self, "throughput",
                series("throughput", self.throughput, "J", size=size, empty=True, at_least=0.0))

    @property
    def total(self) -> FloatArray:
        """The stored energy H = kinetic + potential + contact, shape (N,), J."""
        return self.kinetic + self.potential + self.contact

    @property
    def scale(self) -> FloatArray:
        """The scale of the balance: the larger of the greatest H so far and the sum of |work|,
        shape (N,), J."""
        throughput = self.throughput
        if throughput is None:
            throughput = np.cumsum(np.abs(np.diff(self.work, prepend=self.work[:1])))
        return np.maximum(np.maximum.accumulate(self.total), throughput)

    @property
    def residual(self) -> FloatArray:
        """The relative residual of the balance, |H - H(0) + losses - work| / scale, shape (N,),
        dimensionless."""
        total = self.total
        missing = total - total[:1] + (self.losses - self.losses[:1]) - (self.work - self.work[:1])
        return relative_to(missing, self.scale)


def relative_to(missing: FloatArray, scale: FloatArray) -> FloatArray:
    """Return |missing| / scale, both shape (N,), J; infinite for an error at a scale of 0."""
    error = np.abs(missing)
    if scale.min(initial=np.inf) > 0.0:
        return error / scale
    result = np.where(error == 0.0, 0.0, np.inf)          # a NaN is an error too
    np.divide(error, scale, out=result, where=scale > 0.0)
    return result


class Balance:
    """The energy balance of a system, from readings of its energy ledger.

    The columns of the ledger (n, 6) are kinetic, potential and contact energy, losses, work and the
    sum of |work|, J.

    Parameters: first, the reference reading (6,).
    Attributes: residual, the greatest |H - H(0) + losses - work| / scale so far; scale, the larger
    of the greatest H so far and the sum of |work|, J.
    """

    def __init__(self, first: FloatArray) -> None:
        self.residual = 0.0
        kinetic, potential, contact, losses, work, throughput = first.tolist()
        self.scale = kinetic + potential + contact
        self._first = self.scale + losses - work
        self._throughput = throughput

    def update(self, ledger: FloatArray) -> FloatArray:
        """Add readings (n, 6), in order, and return the residual of each (n,).

        A residual that is not a number is returned as infinity.
        """
        if not ledger.shape[0]:
            return np.zeros(0)
        total = ledger[:, 0] + ledger[:, 1] + ledger[:, 2]
        scale = np.maximum(np.maximum.accumulate(total),
                           np.maximum(ledger[:, 5] - self._throughput, self.scale))
        residual = relative_to(total - self._first + ledger[:, 3] - ledger[:, 4], scale)
        residual[np.isnan(residual)] = np.inf
        self.scale = float(scale[-1])
        self.residual = max(self.residual, float(residual.max()))
        return residual
