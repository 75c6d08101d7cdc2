"""An instrument of masses thrown against barriers; its sound is the contact force."""
from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from pysitar.errors import RenderError
from pysitar.gestures.base import Player
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.kernels.lumped.mass_barrier import MassBarrier
from pysitar.models.definitions.masses import MassSpec
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.models.network.audited import AUDIT, BALANCE
from pysitar.models.network.curve import ValueCurve
from pysitar.models.network.instrument import Instrument, errors_of_part
from pysitar.models.network.schemes.catalogue import MASS_SCHEMES
from pysitar.models.network.schemes.mass import MassScheme
from pysitar.physics.checks import FloatArray, number
from pysitar.physics.energy import Balance
from pysitar.physics.lossless_contact import duration_excess, lossless_contact_time

STATISTICS = ("contacts", "evaluations", "failures")


class ThrownMass(Player):
    """One mass, asleep until it is thrown.

    Parameters: spec; scheme; sample_rate, internal (Hz); name, as error messages show it; traced,
    whether `traces` is used. Errors: ParameterError, a spring that is too stiff for the rate. """

    def __init__(self, spec: MassSpec, *, scheme: MassScheme, sample_rate: float, name: str,
                 traced: bool) -> None:
        number("frequency", spec.frequency, "Hz", at_least=0.0, below=sample_rate / math.pi)
        self.spec, self.name, self.traced = spec, name, traced
        self.sample_rate = sample_rate
        self.actions = ("fly",)
        self._kernel_index = scheme.kernel_index(spec.variant)
        self._freezes = spec.variant in scheme.freezing_variants
        self.step = 0
        self.asleep_since = 0
        self.contact_steps = 0
        self._kernel: MassBarrier | None = None          # None while asleep
        self._throws: dict[int, Mapping[str, float]] = {}
        # position, velocity and energy before the step that comes next, the kernel being one step
        # further; asleep, those it fell asleep in
        self._row = (spec.barrier - spec.throw.gap, 0.0, 0.0)
        self._work = self._throughput = 0.0
        self._balance = Balance(np.zeros(6))
        self._statistics = dict.fromkeys(STATISTICS, 0)
        self._trace_parts: list[tuple[FloatArray, FloatArray, FloatArray, FloatArray]] = []

    @property
    def asleep(self) -> bool:
        """Whether the mass flies away or was never thrown."""
        return self._kernel is None

    @property
    def waiting(self) -> bool:
        """Whether a throw is scheduled."""
        return bool(self._throws)

    @property
    def residual(self) -> float:
        """The greatest |H - work| / scale so far, the work that of the throws."""
        return self._balance.residual

    @property
    def statistics(self) -> dict[str, int]:
        """Contacts begun, evaluations of the contact law and failed solves of all flights."""
        now = {} if self._kernel is None else self._kernel.statistics
        return {key: before + int(now.get(key, 0)) for key, before in self._statistics.items()}

    def play(self, verb: str, step: int, values: dict[str, float], hz: float | None = None,
             curves: Mapping[str, ValueCurve] | None = None) -> None:
        """Schedule an event: verb, of a gesture on masses; hz and curves, none."""
        BY_MODEL["lumped"][verb].begin(self, step, values, {})

    @property
    def now(self) -> int:
        """The present step."""
        return self.step

    def schedule(self, kind: str, step: int, values: Mapping[str, float],
                 curve: ValueCurve | None = None) -> None:
        """Schedule a flight: at a step the mass is `gap` (m) before the barrier, at `velocity`
        (m/s) towards it."""
        self._throws[step] = values

    def skip(self, steps: int) -> None:
        """Skip steps in silence."""
        self.step += steps

    def advance(self, out: FloatArray) -> None:
        """Fill `out` (n,) with the force on the barrier (N), over the step that begins at each row,
        and advance n steps.

        Errors: RenderError, an energy balance that does not hold.
        """
        done = 0
        while done < out.size:
            values = self._throws.pop(self.step, None)
            if values is not None:
                self._begin(values)
            # a reading of the energy may put the mass to sleep
            end = min((self.step + out.size - done, *self._throws))
            if self._kernel is not None or self.traced:
                end = min(end, self.step + AUDIT - self.step % AUDIT)
            self._advance_piece(out[done:done + end - self.step])
            done += end - self.step
            self.step = end
            if self.step % AUDIT == 0 and self._kernel is not None and self._has_left():
                self._stop()

    def traces(self) -> dict[str, FloatArray]:
        """Take out what the mass was doing since the last time, each step.

        Returns: "position" (n,), m; "velocity" (n,), m/s, in all but the two-point scheme half a
        step earlier; "contact_force" (n,), N, on the barrier over the step; "energy" (k, 6), J, of
        each step that 64 divides: kinetic, potential, contact, losses, work, throughput. """
        empty = (np.empty(0), np.empty(0), np.empty(0), np.empty((0, 6)))
        position, velocity, force, energy = (
            np.concatenate(arrays) for arrays in zip(empty, *self._trace_parts, strict=True))
        self._trace_parts = []
        return {
            "position": position, "velocity": velocity, "contact_force": force, "energy": energy
        }

    def _begin(self, values: Mapping[str, float]) -> None:
        """Throw the mass; the change of the energy counts as work."""
        before = self._row[2]
        self._stop()
        spec = self.spec
        duration = None
        if spec.corrected:
            duration = lossless_contact_time(mass=spec.mass, stiffness=spec.stiffness,
                                             exponent=spec.exponent, velocity=1.0)
        self._kernel = MassBarrier(scheme=self._kernel_index, mass=spec.mass,
                                   angular_frequency=2.0 * math.pi * spec.frequency,
                                   time_step=1.0 / self.sample_rate, stiffness=spec.stiffness,
                                   exponent=spec.exponent, barrier=spec.barrier,
                                   position=spec.barrier - values["gap"],
                                   velocity=values["velocity"], duration=duration,
                                   excess=duration_excess(spec.exponent))
        position, velocity, energy = np.empty(1), np.empty(1), np.empty(1)
        self._kernel.advance(position, velocity, energy)
        self._row = (float(position[0]), float(velocity[0]), float(energy[0]))
        self._work += self._row[2] - before
        self._throughput += abs(self._row[2] - before)

    def _stop(self) -> None:
        self._statistics = self.statistics
        self._kernel = None
        self.asleep_since = self.step

    def _advance_piece(self, out: FloatArray) -> None:
        """Compute steps without a throw, over at most one reading of the energy."""
        size = out.size
        position, velocity, energy = np.empty(size + 1), np.empty(size + 1), np.empty(size + 1)
        position[0], velocity[0], energy[0] = self._row
        if self._kernel is None:
            out[:] = 0.0
            velocity[:], energy[:] = self._row[1:]
            since = self.step - self.asleep_since
            position[:] = self._row[0] + self._row[1] / self.sample_rate * np.arange(
                since, since + size + 1)
        else:
            self._kernel.advance(position[1:], velocity[1:], energy[1:])
            omega = 2.0 * math.pi * self.spec.frequency
            stiffness = self.spec.mass * omega * omega
            out[:] = -self.spec.mass * self.sample_rate * (velocity[1:]
                                                    - velocity[:-1]) - stiffness * position[:-1]
            self._row = (float(position[size]), float(velocity[size]), float(energy[size]))
            self.contact_steps += int(np.count_nonzero(position[:-1] > self.spec.barrier))
        ledger = self._ledger(position[:1], velocity[:1],
                              energy[:1]) if self.step % AUDIT == 0 else np.empty((0, 6))
        if self._kernel is not None:
            self._audit(ledger)
        if self.traced:
            self._trace_parts.append((position[:-1], velocity[:-1], out.copy(), ledger))

    def _ledger(self, position: FloatArray, velocity: FloatArray, energy: FloatArray) -> FloatArray:
        """Return the energy ledger (1, 6) of one row (1,)."""
        kinetic = 0.5 * self.spec.mass * velocity * velocity
        omega = 2.0 * math.pi * self.spec.frequency
        potential = 0.5 * self.spec.mass * omega * omega * position * (
            position - velocity / self.sample_rate)
        contact = energy - kinetic - potential
        return np.stack([
            kinetic, potential, contact,
            np.zeros(1),
            np.full(1, self._work),
            np.full(1, self._throughput)
        ], axis=1)

    def _audit(self, ledger: FloatArray) -> None:
        residual = self._balance.update(ledger)
        if self._balance.residual > BALANCE:
            worst = f"{residual.max():.2e}"
            raise RenderError(
                self.name, self.step / self.sample_rate,
                f"its energy balance has a residual of {worst} of its scale; expected at most "
                f"{BALANCE:g}"
            )

    def _has_left(self) -> bool:
        """Whether no contact can follow: no spring, both last positions out of contact, and the
        mass not approaching."""
        position, velocity, _ = self._row
        assert self._kernel is not None
        # whose psi acts in contact only
        at_rest = self._kernel.psi == 0.0 or self._freezes
        out = max(position, position - velocity / self.sample_rate) <= self.spec.barrier
        return self.spec.frequency == 0.0 and velocity <= 0.0 and out and at_rest


class LumpedInstrument(Instrument[ThrownMass]):
    """An instrument of masses, asleep until one is thrown.

    Parameters: spec; sample_rate, internal (Hz); name, as error messages show it; traced, the
    masses that `traces` gives. Errors: ParameterError. """

    def __init__(self, spec: InstrumentSpec, *, sample_rate: float, name: str,
                 traced: Collection[str] = ()) -> None:
        self.masses: dict[str, ThrownMass] = {}
        for mass in spec.parts:
            assert isinstance(mass, MassSpec)
            with errors_of_part(f"mass {mass.name}"):
                self.masses[mass.name] = ThrownMass(mass, scheme=MASS_SCHEMES[spec.scheme],
                                                    sample_rate=sample_rate,
                                                    name=f"{name}.{mass.name}", traced=mass.name
                                                    in traced)
        super().__init__(spec.gain, self.masses)

    @property
    def networks(self) -> Sequence[ThrownMass]:
        """The masses, each alone."""
        return tuple(self.masses.values())

    def _skip_steps(self, steps: int) -> None:
        for mass in self.masses.values():
            mass.skip(steps)

    def report(self) -> dict[str, Any]:
        """The voice's audit: greatest energy residual, evaluations of the contact law, failed
        solves, contacts, steps in contact."""
        masses = self.masses.values()
        return {
            "residual": max(mass.residual for mass in masses),
            "iterations": sum(mass.statistics["evaluations"] for mass in masses),
            "failed_solves": sum(mass.statistics["failures"] for mass in masses),
            "contacts": sum(mass.statistics["contacts"] for mass in masses),
            "contact_steps": sum(mass.contact_steps for mass in masses),
        }
