"""Strings coupled by the body at their bridge: one network."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core.arrays import StringCall
from pysitar.kernels.modal.coupled import Coupled
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.definitions.spec import BodySpec
from pysitar.models.network.audited import AuditedNetwork, Record, count_readings, stored_energy
from pysitar.models.strings.body import body_network
from pysitar.models.strings.played import PlayedString
from pysitar.physics.checks import FloatArray, array_of


class StringMember:
    """The part of a string in a network of coupled strings: see StringNetwork.

    Parameters: kernel; whole, the network; outputs, their number; rest, the energy (J) of the
    string at equilibrium. """

    def __init__(self, kernel: TwoPoint, whole: AuditedNetwork[Coupled], *, outputs: int,
                 rest: float) -> None:
        self.kernel, self._whole, self._outputs = kernel, whole, outputs
        self._rest = rest
        self._record = Record(outputs)

    @property
    def step(self) -> int:
        return self._whole.step

    def wake(self, *, reset_peaks: bool = False) -> None:
        self._whole.wake(reset_peaks=reset_peaks)

    def jump(self, displacement: FloatArray, velocity: FloatArray) -> None:
        self._whole.jump_in(self.kernel, displacement, velocity)

    def set_sleep_reference(self, energy: float, output: float) -> None:
        """Update the equilibrium energy (J) of the whole network for a new equilibrium energy of
        the string; the output of the body at equilibrium is 0."""
        self._whole.raise_sleep_energy(energy - self._rest)
        self._rest = energy

    def call(self, string: PlayedString, now: int, n: int) -> StringCall:
        """Return the string's arguments of the kernel for n steps."""
        inputs = string.network_inputs(now, n)
        motion = inputs.motion
        moved: dict[str, Any] = {} if motion is None else {
            "tensions": motion.tensions, "block_tensions": motion.blocks,
            "block_steps": motion.block_steps, "ramps": motion.ramps}
        return StringCall(out=np.empty(
            (n, self._outputs)), forces=inputs.forces, control_rows=inputs.rows,
                          control_fields=inputs.fields, controls=inputs.controls,
                          energies=np.empty((count_readings(now, n), 6)) if self._outputs else None,
                          **moved)

    def record(self, call: StringCall, now: int, done: int) -> None:
        """Record outputs and energies: of the computed steps, then of those asleep."""
        if call.energies is None:
            return
        call.out[done:] = self.kernel.outputs()
        call.energies[count_readings(now, done):] = self.kernel.energy()
        self._record.add(call.out, call.energies)

    def take(self) -> tuple[FloatArray, FloatArray]:
        return self._record.take()


class CoupledStrings:
    """Strings on a coupled body; the output is the weighted sum of the velocities of the body's
    modes.

    Parameters: strings, with coupled=True; body; sample_rate, internal (Hz); floor (dB) of silence;
    name, as error messages show it. Errors: ParameterError, a body mode too high for the rate, or
    no equilibrium. """

    def __init__(self, strings: Sequence[PlayedString], body: BodySpec, *, sample_rate: float,
                 floor: float, name: str) -> None:
        self._strings = list(strings)
        kernels = [string.kernel for string in strings]
        mass = math.fsum(string.string.linear_density * string.string.length for string in strings)
        two_point = [kernel for kernel in kernels if isinstance(kernel, TwoPoint)]
        assert len(two_point) == len(kernels)
        body_kernel = body_network(body, sample_rate)
        kernel = Coupled(strings=two_point, body=body_kernel,
                         shape=array_of([1.0] * body_kernel.modes),
                         inertia=[string.inertia for string in strings],
                         bridge_shapes=[string.bridge_shapes
                                        for string in strings], string_mass=mass / 3.0)
        try:
            kernel.set_equilibrium()
        except ArithmeticError:
            raise ParameterError(
                "the strings' equilibrium on a coupled body", "not found",
                "expected a stiffer body, or coupled = false in [body]") from None
        self.sounding: AuditedNetwork[Coupled] = AuditedNetwork(kernel, name=name,
                                                                sample_rate=sample_rate,
                                                                floor=floor)
        work = math.fsum(string.weight_work() for string in strings)
        if work != 0.0:
            self.sounding.raise_sleep_energy(-work)
        self._members = [StringMember(part, self.sounding, outputs=4 if string.traced else 0,
                                      rest=stored_energy(part) - string.weight_work())
                        for part, string in zip(two_point, strings, strict=True)]
        for string, member in zip(strings, self._members, strict=True):
            string.join(member)

    def advance(self, out: FloatArray) -> None:
        """Compute out.size internal steps of the body's sound, m/s."""
        done = 0
        while done < out.size:
            now = self.sounding.step
            stops = [stop for string in self._strings for stop in string.prepare(now)]
            end = min(min(stops, default=now + out.size) - now, out.size - done)
            calls = [
                member.call(string, now, end)
                for string, member in zip(self._strings, self._members, strict=True)
            ]
            awake = self.sounding.advance(out[done:done + end], parts=calls)
            for member, call in zip(self._members, calls, strict=True):
                member.record(call, now, awake)
            done += end
