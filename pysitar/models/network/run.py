"""The result of a run, computed in pieces, with an energy balance at every step."""
from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core.arrays import count_multiples
from pysitar.kernels.grid.network import GridNetwork
from pysitar.kernels.modal.network import Network
from pysitar.physics.checks import FloatArray
from pysitar.physics.energy import Balance

MOST_STEPS = 2**31              # of one run
# values kept per energy reading: six of the energy ledger, energy, two for the residual
READING_VALUES = 9
PIECE = 65536                   # steps computed at once; between two pieces Ctrl-C works
Advance = Callable[[FloatArray, FloatArray], None]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Run:
    """The result of a run of a simulation.

    Row n of an array is the value before step n; a contact force is the mean over step n. In
    three-point, modal-explicit and the schemes on a grid, energies, losses and work of row n belong
    to the time half a step earlier: the kinetic energy comes from the increment between steps n - 1
    and n (on a grid less the loss by sigma2), potential and contact energy from both steps, so that
    the potential energy alone may be negative. The velocity of row n is there (y(n + 1) - y(n - 1))
    / 2 dt. With energy_every=k there are energies before every k-th step since the start of the
    simulation alone; E is the number of those in the run.

    Attributes
    ----------
    outputs : numpy.ndarray
        Shape (steps, N), the outputs in the order of the request.
    time : numpy.ndarray
        Shape (steps,), s.
    energy, kinetic, potential, contact : numpy.ndarray
        Shape (E,), J; the first is the sum of the others. E is the number of steps unless
        energy_every was set.
    losses, work : numpy.ndarray
        Shape (E,), since the start of the simulation (J).
    energy_time : numpy.ndarray
        Shape (E,), of the energies, s.
    iterations : int
        Newton iterations of the run.
    most_iterations : int
        The greatest number of Newton iterations in a step, since the start of the simulation.
    contact_steps : int
        Steps of the run with a contact force.
    residual : float
        The greatest |H - H(0) + losses - work| / scale since the displacement was set; the scale is
        the larger of the greatest H and the sum of the absolute work.
    static_losses : float
        What the damped compliance of `statics` has dissipated since the start of the simulation, a
        part of the losses (J); 0 without `statics`.
    friction_heat : float
        What dry friction, of bow and bridge, has dissipated since the start of the simulation, a
        part of the losses (J).
    bow_work : float
        The work of the bow since the start of the simulation, a part of the work (J).
    """

    outputs: FloatArray
    time: FloatArray
    energy: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    contact: FloatArray
    losses: FloatArray
    work: FloatArray
    energy_time: FloatArray
    iterations: int
    most_iterations: int
    contact_steps: int
    residual: float
    static_losses: float = 0.0
    friction_heat: float = 0.0
    bow_work: float = 0.0


class Audited:
    """A kernel and its energy balance.

    Parameters: kernel; sample_rate, of its steps (Hz).
    """

    def __init__(self, kernel: Network | GridNetwork, sample_rate: float) -> None:
        self.kernel, self.sample_rate = kernel, sample_rate
        self._balance: Balance | None = None

    def begin(self) -> None:
        """Start a new balance, after the state has been set from outside."""
        self._balance = None

    def run(
        self,
        steps: int,
        outputs: int,
        advance: Advance,
        *,
        until: Callable[[FloatArray, FloatArray], bool] | None = None,
        piece: int | None = None,
        every: int = 1,
    ) -> Run:
        """Compute steps and return a Run.

        Parameters: outputs, how many the kernel has; advance, which fills outputs (n, N) and ledger
        (n, 6) of the next n steps, or of those whose number is a multiple of `every`; until, a
        function of them that returns whether a piece was the last; piece, steps computed at once
        (None: 65536). Errors: ParameterError, more than memory
        holds; ArithmeticError if a collision could not be solved. """
        start, before = self.kernel.count, self.kernel.statistics
        if self._balance is None:
            self._balance = Balance(self.kernel.energy())
        out, ledger = _allocate(steps, outputs, count_multiples(start, steps, every))
        stop = read = 0
        while stop < steps:
            done, stop = stop, min(stop + (piece or PIECE), steps)
            readings = ledger[read:count_multiples(start, stop, every)]
            read += readings.shape[0]
            advance(out[done:stop], readings)
            if self.kernel.failed_at >= 0:
                raise ArithmeticError(
                    f"the collision at step {self.kernel.failed_at} did not reach the solver's "
                    f"stopping rule"
                )
            if until is not None and until(out[done:stop], readings):
                break
        self._balance.update(ledger[:read])
        return self._result(start, out[:stop], ledger[:read], before, every)

    def _result(self, start: int, out: FloatArray, ledger: FloatArray, before: dict[str, int],
                every: int) -> Run:
        assert self._balance is not None
        time = (start + np.arange(out.shape[0])) / self.sample_rate
        after = self.kernel.statistics
        kinetic, potential, contact, losses, work, _ = (ledger[:, i] for i in range(6))
        return Run(
            outputs=out,
            time=time,
            energy=kinetic + potential + contact,
            kinetic=kinetic,
            potential=potential,
            contact=contact,
            losses=losses,
            work=work,
            energy_time=time[-start % every::every],
            iterations=after["iterations"] - before["iterations"],
            most_iterations=after["most_iterations"],
            contact_steps=after["contact_steps"] - before["contact_steps"],
            residual=self._balance.residual,
            static_losses=getattr(self.kernel, "residual_losses", 0.0),
            friction_heat=getattr(self.kernel, "friction_heat", 0.0),
            bow_work=getattr(self.kernel, "friction_work", 0.0),
        )


def _allocate(steps: int, outputs: int, readings: int) -> tuple[FloatArray, FloatArray]:
    """Return arrays for the outputs (steps, outputs) and the energy ledger (readings, 6).  Errors:
    ParameterError."""
    needed = 8 * (steps * (outputs + 1) + readings * READING_VALUES)
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        if needed > there:
            raise MemoryError
        return np.empty((steps, outputs)), np.empty((readings, 6))
    except MemoryError:
        need = (f"with {outputs} outputs the results need {needed / 1e9:.3g} GB, and this machine "
                f"has {there / 1e9:.3g} GB")
        raise ParameterError(
            "steps", steps,
            f"{need}; expected fewer steps per run, each run continues the last") from None
