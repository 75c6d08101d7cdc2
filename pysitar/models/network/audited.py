"""A network in a voice, with an energy balance every 64 steps; it sleeps while its output is
silent."""
from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from pysitar.errors import RenderError
from pysitar.kernels.core import elementary
from pysitar.kernels.core.arrays import StringCall
from pysitar.kernels.grid.network import GridNetwork
from pysitar.kernels.modal.coupled import Coupled
from pysitar.kernels.modal.network import Network
from pysitar.models.network.agenda import smooth
from pysitar.physics.checks import FloatArray
from pysitar.physics.energy import Balance

Kernel = TypeVar("Kernel", Network, GridNetwork, Coupled)
IntArray = npt.NDArray[np.int32]
AUDIT = 64                      # steps between two readings of the energy, counted from step 0
# fraction of the scale: the largest residual of an energy balance that a render accepts
BALANCE = 1e-9
DEEPER = 20.0                   # dB under the floor, for the energy
PATIENCE = 0.05                 # s that the output must have been under the floor
SETTLING = 0.1                  # s, of the output to 0 from where friction holds a string aside
FADE = 0.02                     # s, of the rest of the output to 0 where a network falls asleep
RECENT = 128                    # outputs from which its frequency is taken
LEAST_RADIANS, MOST_RADIANS = 1e-4, 1.5     # a step, of that frequency


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A change of tension over n steps.

    Attributes: tensions (n,), N, over the stored tension at each step; blocks, N, of each block of
    block_steps steps that begins in them, at its end, to which ramps lead, or throughout;
    equilibrium (n,), the output at equilibrium. """

    tensions: FloatArray
    blocks: FloatArray
    equilibrium: FloatArray
    block_steps: int
    ramps: bool


class Record:
    """Outputs (n, N) of a network before each step, and its energies (k, 6), J, at each reading."""

    def __init__(self, outputs: int) -> None:
        self._outputs: list[FloatArray] = [np.empty((0, outputs))]
        self._energies: list[FloatArray] = [np.empty((0, 6))]

    def add(self, outputs: FloatArray, energies: FloatArray) -> None:
        """Append the outputs and energies of some steps."""
        self._outputs.append(outputs)
        self._energies.append(energies)

    def take(self) -> tuple[FloatArray, FloatArray]:
        """Return and clear the record."""
        found = np.concatenate(self._outputs), np.concatenate(self._energies)
        del self._outputs[1:], self._energies[1:]
        return found


class FadingOutput:
    """An output that goes on as one sinusoid after the steps of a network have ended.

    Parameters: value, at step 0; recent (n,), those before, the last one at step -1. It passes
    through value and the last of these, with the mean frequency that they have; without any it is
    constant.
    """

    def __init__(self, value: float, recent: FloatArray) -> None:
        self.value, self._radians, self._sine = value, 0.0, 0.0
        values = [*recent.tolist(), value]
        size = math.fsum(x * x for x in values)
        if len(values) > 1 and size > 0.0:
            steps = math.fsum((y - x) * (y - x) for x, y in pairwise(values))
            self._radians = min(max(math.sqrt(steps / size), LEAST_RADIANS), MOST_RADIANS)
            self._sine = (value * elementary.cos(self._radians)
                          - values[-2]) / elementary.sin(self._radians)

    def at(self, first: int, steps: int) -> FloatArray:
        """Return the output at some steps from a first one on (steps,)."""
        angles = self._radians * np.arange(first, first + steps, dtype=np.float64)
        return (self.value * elementary.cosines(angles)
                + self._sine * elementary.cosines(angles - 0.5 * math.pi))


class StringNetwork(Protocol):
    """The network of a string: an AuditedNetwork, or a part of one."""

    @property
    def kernel(self) -> Network: ...
    @property
    def step(self) -> int: ...
    def wake(self, *, reset_peaks: bool = False) -> None: ...
    def jump(self, displacement: FloatArray, velocity: FloatArray) -> None: ...
    def set_sleep_reference(self, energy: float, output: float) -> None: ...
    def take(self) -> tuple[FloatArray, FloatArray]: ...


class AuditedNetwork(Generic[Kernel]):
    """A network that starts at equilibrium; its first output is the sound.

    Parameters: kernel, with its outputs set, at equilibrium; name, as error messages show it;
    sample_rate, of the steps (Hz); floor (dB), below which the output counts as silent, relative to
    its own peak; outputs, their number; recorded, whether outputs and energies are kept until
    `take`. """

    def __init__(
        self,
        kernel: Kernel,
        *,
        name: str,
        sample_rate: float,
        floor: float,
        outputs: int = 1,
        recorded: bool = False,
    ) -> None:
        self.kernel: Kernel = kernel
        self.name, self.sample_rate = name, sample_rate
        self._outputs = outputs
        self._record = Record(outputs) if recorded else None
        self.equilibrium_output = kernel.set_sleep(
            energy_ratio=elementary.pow(10.0, (floor - DEEPER) / 10.0), output_level=0.0,
            output_ratio=elementary.pow(10.0, floor / 20.0),
            min_quiet_steps=math.ceil(PATIENCE * sample_rate))
        self.asleep = True
        self.asleep_since = 0
        self._recent = np.empty(0)        # the last outputs, less those at equilibrium
        self._fading = FadingOutput(0.0, self._recent)    # where the network fell asleep
        self._settled, self._settling = 0, 0        # steps in which it goes to 0: done, all
        self._is_held = False                       # by friction, where it fell asleep
        # what sleep took from the output, which returns: whether it does, and from which step of
        # the fade
        self._is_returning, self._left_at = False, 0
        self._returned, self._returning = 0, math.ceil(FADE * sample_rate)      # steps: done, all
        self._equilibrium_energy = stored_energy(kernel)
        self._jumps = (0.0, 0.0)          # work of the jumps, J, and sum of |work|
        self._balance = Balance(kernel.energy())

    @property
    def residual(self) -> float:
        """The greatest |H - H(0) + losses - work| / scale so far."""
        return self._balance.residual

    @property
    def is_computed(self) -> bool:
        """Whether its steps are computed: it neither sleeps nor is about to."""
        return not (self.asleep or self._settling)

    @property
    def step(self) -> int:
        """Steps since the start, asleep or awake."""
        count: int = self.kernel.count
        return count

    def wake(self, *, reset_peaks: bool = False) -> None:
        """Resume the computation from the state in which the network fell asleep.

        Parameters: reset_peaks, whether a new sound begins, whose own peak the silence floor is
        relative to. """
        if self._settling:
            self._end_settling()
        elif not (self.asleep or reset_peaks):
            return
        self.asleep = False
        self.kernel.wake(reset_peaks=reset_peaks)

    def jump(self, displacement: FloatArray, velocity: FloatArray) -> None:
        """Set the modes' displacement and velocity, (M,); the change of the energy counts as
        work."""
        assert not isinstance(self.kernel, Coupled)
        self.jump_in(self.kernel, displacement, velocity)

    def jump_in(self, part: Network | GridNetwork, displacement: FloatArray,
                velocity: FloatArray) -> None:
        """As `jump`, for this network or a part of it."""
        before = stored_energy(self.kernel)
        part.set_state(displacement, velocity)
        change = stored_energy(self.kernel) - before
        self._jumps = (self._jumps[0] + change, self._jumps[1] + abs(change))

    def set_outputs(self, count: int) -> None:
        """Set the number of outputs of the kernel, after `take`."""
        self._outputs = count
        if self._record is not None:
            self._record = Record(count)

    def replace(self, kernel: Kernel) -> None:
        """Continue with another kernel in the state of the present one; the change of the stored
        energy counts as work."""
        change = stored_energy(kernel) - stored_energy(self.kernel)
        self._jumps = (self._jumps[0] + change, self._jumps[1] + abs(change))
        self.kernel = kernel

    def set_sleep_reference(self, energy: float, output: float) -> None:
        """Set the energy (J) and the output at equilibrium, at the end of a change of tension."""
        self.kernel.set_sleep_reference(energy, output)
        self.equilibrium_output = output

    def raise_sleep_energy(self, energy: float) -> None:
        """Add to the energy (J) at equilibrium after the equilibrium of a part of the network has
        changed."""
        self._equilibrium_energy += energy
        self.kernel.set_sleep_reference(self._equilibrium_energy, self.equilibrium_output)

    def advance(self, out: FloatArray, *, forces: FloatArray | None = None,
                control_rows: IntArray | None = None, control_fields: IntArray | None = None,
                controls: FloatArray | None = None, motion: Motion | None = None,
                parts: list[StringCall] | None = None) -> int:
        """Fill `out` (steps,) with the output less that at equilibrium, 0 while asleep; return the
        number of steps awake. Where a watched row ends the call, the rest of `out` is not filled.

        Parameters: as in the kernel's `advance`.

        Errors: RenderError, an energy balance that does not hold.
        """
        done = 0
        if self.is_computed:
            done = self.advance_awake(out, forces=forces, control_rows=control_rows,
                                      control_fields=control_fields, controls=controls,
                                      motion=motion, parts=parts)
        rest = out[done:]
        if self._settling and rest.size:
            rest = rest[self._settle(rest):]
        if self.asleep and rest.size:
            self.skip_asleep(rest)
        return done

    def advance_awake(self, out: FloatArray, *, forces: FloatArray | None = None,
                      control_rows: IntArray | None = None, control_fields: IntArray | None = None,
                      controls: FloatArray | None = None, motion: Motion | None = None,
                      parts: list[StringCall] | None = None) -> int:
        """Compute steps of `out` (steps,) up to the one at which the network falls asleep, or a
        watched row ends the call; return their number.

        Parameters and errors: as in `advance`.
        """
        steps = out.shape[0]
        start = self.step
        ledger = np.empty((count_readings(start, steps), 6))
        sound = np.empty((steps, self._outputs))
        # each kernel takes its own of these
        arguments: dict[str, Any] = {
            "forces": forces, "control_rows": control_rows, "control_fields": control_fields,
            "controls": controls, "parts": parts
        }
        if motion is not None:
            arguments |= {"tensions": motion.tensions, "block_tensions": motion.blocks,
                          "block_steps": motion.block_steps, "ramps": motion.ramps}
        done = self.kernel.advance(
            steps, sound, energies=ledger, every=AUDIT, may_sleep=True,
            **{name: value for name, value in arguments.items() if value is not None})
        readings = count_readings(start, done)
        # only some networks end early for a watched row
        falls_asleep = done < steps and not getattr(self.kernel, "has_ended", False)
        # with the reading at which the network falls asleep
        ledger = ledger[:readings + falls_asleep]
        ledger[:, 4:] += self._jumps
        out[:done] = sound[:done, 0] - (self.equilibrium_output
                                        if motion is None else motion.equilibrium[:done])
        if self._is_returning:
            self._return_output(out[:done])
        self._recent = (out[done - RECENT:done].copy() if done >= RECENT
                        else np.concatenate([self._recent, out[:done]])[-RECENT:])
        self._audit(ledger, start)
        if self._record is not None:
            self._record.add(sound[:done], ledger[:readings])
        if falls_asleep:
            value = float(self.kernel.outputs()[0]) - self.equilibrium_output
            self._is_held = self.kernel.is_held
            if self._is_returning:
                value -= float(self._taken_output(1)[0])
                self._is_returning = False
            self._fading = FadingOutput(value, np.empty(0) if self._is_held else self._recent)
            self._settled, self._settling = 0, 0
            if value != 0.0:
                self._settling = math.ceil(
                    (SETTLING if self._is_held else FADE) * self.sample_rate)
            else:
                self.asleep, self.asleep_since = True, start + done
        return done

    def skip_asleep(self, out: FloatArray) -> None:
        """Fill `out` (steps,) with the silence of steps that the network sleeps through."""
        out[:] = 0.0
        self._skip(out.shape[0])

    def _settle(self, out: FloatArray) -> int:
        """Fill the first steps of `out` with an output that goes to 0, while the state is kept;
        return their number."""
        steps: int = min(out.shape[0], self._settling - self._settled)
        at = np.arange(self._settled, self._settled + steps) / self._settling
        out[:steps] = self._fading.at(self._settled, steps) * (1.0 - smooth(at))
        self._settled += steps
        self._skip(steps)
        if self._settled == self._settling:
            self._end_settling()
            self.asleep = True
            self.asleep_since = self.step
        return steps

    def _end_settling(self) -> None:
        """Let outputs be those less what has been taken from them, without a jump: for good where
        friction holds the network, else what was taken returns once it is awake."""
        if self._is_held:
            self.equilibrium_output += self._fading.value * smooth(self._settled / self._settling)
        else:
            self._is_returning, self._returned, self._left_at = True, 0, self._settled
        self._settling = 0

    def _return_output(self, out: FloatArray) -> None:
        """Take from the first steps of `out` what sleep took from it, less and less."""
        steps = min(out.shape[0], self._returning - self._returned)
        out[:steps] -= self._taken_output(steps)
        self._returned += steps
        self._is_returning = self._returned < self._returning

    def _taken_output(self, steps: int) -> FloatArray:
        """Return what the next steps lack of the output of the network (steps,): its fading output
        less what sounds of it where the network wakes within the fade."""
        taken = self._fading.at(self._returned, steps)
        taken -= (1.0 - smooth(self._left_at / self._returning)) * self._fading.at(
            self._left_at + self._returned, steps)
        at = np.arange(self._returned, self._returned + steps) / self._returning
        return taken * (1.0 - smooth(at))

    def _skip(self, steps: int) -> None:
        """Count steps in which the state is kept."""
        if self._record is not None:
            self._record.add(np.tile(self.kernel.outputs(), (steps, 1)),
                             np.tile(self._energy(), (count_readings(self.step, steps), 1)))
        self.kernel.skip(steps)

    def take(self) -> tuple[FloatArray, FloatArray]:
        """Return and clear the record: outputs (n, N), and energies (k, 6), J, at every multiple of
        64 steps."""
        assert self._record is not None
        return self._record.take()

    def _energy(self) -> FloatArray:
        """The kernel's energy, with the work of the jumps (6,), J."""
        energy: FloatArray = self.kernel.energy()
        energy[4:] += self._jumps
        return energy

    def _audit(self, ledger: FloatArray, start: int) -> None:
        residual = self._balance.update(ledger)
        if self._balance.residual > BALANCE:
            worst = int(residual.argmax())
            time = (-(-start // AUDIT) + worst) * AUDIT / self.sample_rate
            raise RenderError(
                self.name, time,
                f"its energy balance has a residual of {residual[worst]:.2e} of its scale; "
                f"expected at most {BALANCE:g}"
            )


def stored_energy(kernel: Network | GridNetwork | Coupled) -> float:
    """Return the stored energy (J) of a network."""
    kinetic, potential, contact, *_ = kernel.energy().tolist()
    return float(kinetic + potential + contact)


def count_readings(start: int, steps: int) -> int:
    """Return the number of energy readings in some steps from a step on."""
    return (start + steps + AUDIT - 1) // AUDIT - (start + AUDIT - 1) // AUDIT
