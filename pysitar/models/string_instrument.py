"""A string instrument: its strings, and the body that they drive through their ends."""
from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.grid_network import GridNetwork
from pysitar.kernels.network import Network
from pysitar.models.course import Course
from pysitar.models.instrument import BodySpec, InstrumentSpec
from pysitar.models.network import network
from pysitar.models.plain_string import PLAIN_SCHEMES, PlainString
from pysitar.models.sounding import AUDIT, Sounding
from pysitar.models.string import PlayedString
from pysitar.physics.checks import FloatArray


class Body:
    """Modes driven one way by a force at the bridge, where every shape is 1; heard as the weighted sum of their velocities.

    Parameters: spec; sample_rate, internal (Hz); floor (dB) of silence; name, as errors tell it.
    """

    def __init__(self, spec: BodySpec, *, sample_rate: float, floor: float, name: str) -> None:
        modes = spec.modal_object()
        highest = max(spec.frequencies)
        if highest >= 0.5 * sample_rate:
            raise ParameterError("the body's highest mode", highest, (
                f"it needs an internal rate, rate x oversample, over {2.0 * highest:g} Hz; this one is {sample_rate:g} Hz"))
        kernel = network(
            angular_frequencies=modes.angular_frequencies, decay_rates=modes.decay_rates, masses=modes.masses, rows=[],
            sample_rate=sample_rate)
        ones = np.ones((1, modes.count))
        kernel.set_inputs(ones)
        kernel.set_outputs(np.zeros_like(ones), np.array(spec.weights, dtype=np.float64).reshape(1, -1))
        self.sounding = Sounding(kernel, name=name, sample_rate=sample_rate, floor=floor)

    def advance(self, out: FloatArray, force: FloatArray) -> None:
        """Computes out.size internal steps under a force (N) a step: weighted velocity, m/s."""
        done = 0
        while done < out.size:
            # it may fall asleep at every reading of its energy, and must then see the next force
            end = min(out.size, done + AUDIT - self.sounding.step % AUDIT)
            if self.sounding.asleep:
                struck = np.flatnonzero(force[done:])
                end = done + int(struck[0]) if struck.size else out.size
                self.sounding.advance(out[done:end])
                if struck.size:
                    self.sounding.wake()
            else:
                self.sounding.advance(out[done:end], forces=force[done:end].reshape(-1, 1))
            done = end


class StringInstrument:
    """An instrument of strings, asleep until it is played.

    Parameters: spec; pitches, what each string is tuned to (Hz), by its name; highest, what each is played at (Hz), where that is
    higher; sample_rate, internal (Hz); floor (dB) of silence; name, as errors tell it; traced, the strings that `traces` gives;
    exponents, of the hammers that will strike each; fingers, how many will press each at one time.
    Errors: ParameterError.
    """

    def __init__(
        self, spec: InstrumentSpec, *, pitches: Mapping[str, float], sample_rate: float, floor: float, name: str,
        highest: Mapping[str, float] | None = None, traced: Collection[str] = (),
        exponents: Mapping[str, Collection[float]] | None = None, fingers: Mapping[str, int] | None = None,
    ) -> None:
        self.spec = spec
        self.strings: dict[str, PlayedString | PlainString] = {}
        for string in spec.strings:
            hz, called, trace = pitches[string.name], f"{name}.{string.name}", string.name in traced
            try:
                if spec.scheme in PLAIN_SCHEMES:
                    self.strings[string.name] = PlainString(
                        string, scheme=spec.scheme, hz=hz, sample_rate=sample_rate, floor=floor, name=called, traced=trace)
                    continue
                self.strings[string.name] = PlayedString(
                    string, hz=hz, sample_rate=sample_rate, floor=floor, name=called, highest=(highest or {}).get(string.name),
                    traced=trace, scheme=spec.scheme, exponents=(exponents or {}).get(string.name, ()),
                    fingers=(fingers or {}).get(string.name, 0))
            except ParameterError as error:
                raise ParameterError(f"string {string.name}: {error.name}", error.value, error.expected) from None
        self.body = None if spec.body is None else Body(spec.body, sample_rate=sample_rate, floor=floor, name=f"{name}.body")

    @property
    def soundings(self) -> list[Sounding[Network] | Sounding[GridNetwork]]:
        """The networks, strings first."""
        return [string.sounding for string in self.strings.values()] + ([] if self.body is None else [self.body.sounding])

    @property
    def silent_since(self) -> int | None:
        """The internal step from which nothing sounds and nothing is left to play, or None."""
        if any(string.waiting for string in self.strings.values()) or not all(sounding.asleep for sounding in self.soundings):
            return None
        return max(sounding.asleep_since for sounding in self.soundings)

    def play(self, part: str, verb: str, step: int, values: dict[str, float], hz: float | None = None,
             courses: Mapping[str, Course] | None = None) -> None:
        """Puts an event into the future: see PlayedString.play."""
        self.strings[part].play(verb, step, values, hz, courses)

    def traces(self) -> dict[str, dict[str, FloatArray]]:
        """Takes out what the traced strings were doing since the last time: see PlayedString.traces."""
        return {name: string.traces() for name, string in self.strings.items() if string.traced}

    def skip(self, steps: int) -> bool:
        """Lets internal steps pass in silence, if nothing sounds, is left to play or is traced; whether it did."""
        if self.silent_since is None or any(string.traced for string in self.strings.values()):
            return False
        for sounding in self.soundings:
            sounding.kernel.skip(steps)
        return True

    def advance(self, out: FloatArray) -> None:
        """Computes out.size internal steps of the instrument's sound: m/s from a body or from pickups, N from the strings' ends without."""
        total = np.zeros(out.size)
        part = np.empty(out.size)
        for string in self.strings.values():
            string.advance(part)
            total += part
        if self.body is None:
            out[:] = total
        else:
            self.body.advance(out, total)
        out *= self.spec.gain

    def report(self) -> dict[str, Any]:
        """The voice's audit: greatest energy residual, Newton iterations and solves in all, failed solves, steps in contact."""
        statistics = [sounding.kernel.statistics for sounding in self.soundings]
        return {
            "residual": max(sounding.residual for sounding in self.soundings),
            "iterations": sum(row["iterations"] for row in statistics),
            "most_iterations": max(row["most"] for row in statistics),
            "solves": sum(row["solves"] for row in statistics),
            "failed_solves": sum(row["failures"] for row in statistics),
            "contact_steps": sum(row["contact_steps"] for row in statistics),
        }
