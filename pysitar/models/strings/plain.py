"""A string played by a scheme without rows for hands: it has no pitch changes, threads and
hammers."""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pysitar.gestures.base import Player
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.definitions.spec import StringSpec
from pysitar.models.network.agenda import (
    Action,
    Agenda,
    Push,
    finger_steps,
    forces_of,
)
from pysitar.models.network.curve import ValueCurve
from pysitar.models.network.schemes.base import StringScheme
from pysitar.models.strings.damper import DecayFinger, decay_of
from pysitar.models.strings.modal_string import barriers, output_weights, set_equilibrium
from pysitar.models.strings.pick_noise import PickNoise
from pysitar.physics.checks import FloatArray
from pysitar.physics.excitation import ramp_release

ACTIONS = ("lay", "let", "lift", "push")          # of gestures


class PlainString(Player):
    """One string of an instrument, resting on its barriers until it is played; it keeps its pitch
    and has no thread, touch or hammer.

    Parameters: spec; scheme; hz, the pitch it is tuned to (Hz); sample_rate, internal (Hz); floor
    (dB) of silence; name, as error messages show it; traced, whether `traces` is used; noise, of
    its plectrum (None: none). Errors: ParameterError. """

    def __init__(
        self,
        spec: StringSpec,
        *,
        scheme: StringScheme,
        hz: float,
        sample_rate: float,
        floor: float,
        name: str,
        traced: bool = False,
        noise: PickNoise | None = None,
    ) -> None:
        self.noise = noise
        self.spec, self.sample_rate, self.traced = spec, sample_rate, traced
        self.string = spec.string(hz)
        self.actions, self.finger_steps = ACTIONS, finger_steps(sample_rate)
        self._outputs, self._force_offset = 4 if traced else 1, scheme.force_time_offset
        self._played = scheme.play(self.string, hz, barriers(spec), sample_rate)
        self._prepare()
        self.sounding = self._played.audited(name=name, sample_rate=sample_rate, floor=floor,
                                             outputs=self._outputs, recorded=traced)
        self._finger = DecayFinger(self._played.add_decay)
        self._agenda = Agenda()
        self._pushes: list[Push] = []

    @property
    def waiting(self) -> bool:
        """Whether something is still to be played, or is being played."""
        return bool(self._agenda or self._pushes or self._finger.waiting
                    or (self.noise is not None and self.noise.waiting))

    def play(self, verb: str, step: int, values: dict[str, float], hz: float | None = None,
             curves: Mapping[str, ValueCurve] | None = None) -> None:
        """Schedule an event, not before those that were put in.

        Parameters: verb, of a gesture; step, its internal sample, not before the present one;
        values by their long names in SI units, the instrument's own where one is missing; hz, None,
        and curves, none: the string keeps its pitch. """
        assert hz is None
        BY_MODEL["string"][verb].begin(self, step, values, {})

    @property
    def now(self) -> int:
        """The present step."""
        return self.sounding.step

    def schedule(self, kind: str, step: int, values: Mapping[str, float],
                 curve: ValueCurve | None = None) -> None:
        """Schedule an action."""
        self._agenda.put(kind, step, values)

    def traces(self) -> dict[str, FloatArray]:
        """Take out what the string was doing since the last time, each step, if it is traced: see
        PlayedString.traces."""
        outputs, energy = self.sounding.take()
        return {
            "force_end": outputs[:, 1], "displacement": outputs[:, 2],
            "contact_force": outputs[:, 3], "energy": energy
        }

    def advance(self, out: FloatArray) -> None:
        """Compute out.size internal steps: the upward force on the far support less that at rest,
        N, or the pickup's velocity, m/s."""
        done = 0
        while done < out.size:
            now = self.sounding.step
            for action in self._agenda.due(now):
                self._begin(action)
            self._pushes = [push for push in self._pushes if push.stop > now]
            self._finger.change(now)
            stops = [push.stop for push in self._pushes
                     ] + self._agenda.next_start + self._finger.next_change()
            end = min(min(stops, default=now + out.size) - now, out.size - done)
            self._compute(out[done:done + end], now)
            done += end

    def _prepare(self) -> None:
        """Set the equilibrium of the string, then the outputs: the sound, and the traces if it is
        traced."""
        kernel, space = self._played.kernel, self._played.space
        set_equilibrium(kernel, self.spec)
        none, end, weights = np.zeros(
            space.count), space.slope_force_end(), output_weights(space, self.spec)
        force = np.zeros((4, kernel.rows))
        force[3] = 1.0
        places = np.array([weights[0], end, space.shape(self.spec.pluck.position), none])
        kernel.set_outputs(places[:self._outputs],
                           np.array([weights[1], none, none, none])[:self._outputs],
                           force[:self._outputs])

    def _begin(self, action: Action) -> None:
        self.sounding.wake(reset_peaks=action.kind in {"push", "let"})
        values = action.values
        if action.kind == "push":
            force = ramp_release(force=values["force"], ramp=values["ramp"],
                                 release=values["release"], time_step=1.0 / self.sample_rate,
                                 at=self._force_offset)
            if self.noise is not None:
                force = self.noise.start(values, action.start,
                                         round(values["ramp"] * self.sample_rate), force)
            self._pushes.append(
                Push(self._played.pluck_weights(values["position"], values["width"]), action.start,
                     force))
        elif action.kind == "let":
            kernel = self.sounding.kernel
            drawn = self._played.triangle(values["position"], values["height"])
            self.sounding.jump(kernel.displacement() + drawn, kernel.velocity())
        elif action.kind == "lay":
            self._finger.move(action.start, decay_of(values["t60"], self.string),
                              self.finger_steps)
        elif self._finger.lies:
            self._finger.move(action.start, 0.0, self.finger_steps)

    def _compute(self, out: FloatArray, now: int) -> None:
        """Compute steps during which no force begins or ends."""
        shapes, forces = forces_of(self._pushes, now, out.size, self._played.space.count)
        self.sounding.kernel.set_inputs(shapes)
        self.sounding.advance(out, forces=forces)
