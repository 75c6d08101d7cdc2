"""A string instrument: its strings, and the body that their end forces drive or that couples
them."""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pysitar.errors import ParameterError
from pysitar.kernels.grid.network import GridNetwork
from pysitar.kernels.modal.coupled import Coupled
from pysitar.kernels.modal.network import Network
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.network.curve import ValueCurve
from pysitar.models.strings.body import Body
from pysitar.models.strings.coupled import CoupledStrings
from pysitar.models.strings.plain import PLAIN_SCHEMES, PlainString
from pysitar.models.strings.played import PlayedString
from pysitar.physics.checks import FloatArray


class StringInstrument:
    """An instrument of strings, asleep until it is played.

    Parameters: spec; pitches, of the open strings (Hz), by name; highest, the highest pitch that
    each plays (Hz), where that is higher; sample_rate, internal (Hz); floor (dB) of silence; name,
    as error messages show it; traced, the strings that `traces` gives; exponents, of the hammers
    that will strike each; fingers, the largest number that will press each at a time. Errors:
    ParameterError. """

    def __init__(
        self,
        spec: InstrumentSpec,
        *,
        pitches: Mapping[str, float],
        sample_rate: float,
        floor: float,
        name: str,
        highest: Mapping[str, float] | None = None,
        traced: Collection[str] = (),
        exponents: Mapping[str, Collection[float]] | None = None,
        fingers: Mapping[str, int] | None = None,
    ) -> None:
        self.spec = spec
        self.strings: dict[str, PlayedString | PlainString] = {}
        coupled = spec.body is not None and spec.body.coupled
        for string in spec.strings:
            hz, called, trace = pitches[string.name], f"{name}.{string.name}", string.name in traced
            try:
                if spec.scheme in PLAIN_SCHEMES:
                    self.strings[string.name] = PlainString(string, scheme=spec.scheme, hz=hz,
                                                            sample_rate=sample_rate, floor=floor,
                                                            name=called, traced=trace)
                    continue
                self.strings[string.name] = PlayedString(
                    string, hz=hz, sample_rate=sample_rate, floor=floor, name=called,
                    highest=(highest or {}).get(string.name), traced=trace, scheme=spec.scheme,
                    exponents=(exponents or {}).get(string.name, ()),
                    fingers=(fingers or {}).get(string.name, 0), coupled=coupled)
            except ParameterError as error:
                raise ParameterError(f"string {string.name}: {error.name}", error.value,
                                     error.expected) from None
        self.body: Body | CoupledStrings | None = None
        if spec.body is not None and coupled:
            played = [
                string for string in self.strings.values() if isinstance(string, PlayedString)
            ]
            self.body = CoupledStrings(played, spec.body, sample_rate=sample_rate, floor=floor,
                                       name=name)
        elif spec.body is not None:
            self.body = Body(spec.body, sample_rate=sample_rate, floor=floor, name=f"{name}.body")

    @property
    def soundings(
        self
    ) -> list[AuditedNetwork[Network] | AuditedNetwork[GridNetwork] | AuditedNetwork[Coupled]]:
        """The networks, strings first; strings on a coupled body are one network."""
        alone = [string.sounding for string in self.strings.values()]
        networks = [sounding for sounding in alone if isinstance(sounding, AuditedNetwork)]
        return networks + ([] if self.body is None else [self.body.sounding])

    @property
    def silent_since(self) -> int | None:
        """The internal step from which nothing sounds and nothing is left to play, or None."""
        if any(string.waiting
               for string in self.strings.values()) or not all(sounding.asleep
                                                               for sounding in self.soundings):
            return None
        return max(sounding.asleep_since for sounding in self.soundings)

    def play(self, part: str, verb: str, step: int, values: dict[str, float],
             hz: float | None = None, curves: Mapping[str, ValueCurve] | None = None) -> None:
        """Schedule an event: see PlayedString.play."""
        self.strings[part].play(verb, step, values, hz, curves)

    def traces(self) -> dict[str, dict[str, FloatArray]]:
        """Take out what the traced strings were doing since the last time: see
        PlayedString.traces."""
        return {name: string.traces() for name, string in self.strings.items() if string.traced}

    def skip(self, steps: int) -> bool:
        """Skip internal steps if nothing sounds, is left to play or is traced; return whether it
        did."""
        if self.silent_since is None or any(string.traced for string in self.strings.values()):
            return False
        for sounding in self.soundings:
            sounding.kernel.skip(steps)
        return True

    @property
    def parts(self) -> Sequence[PlayedString | PlainString | CoupledStrings]:
        """The parts that are computed independently of each other; strings on a coupled body are
        one part."""
        if isinstance(self.body, CoupledStrings):
            return (self.body,)
        return tuple(self.strings.values())

    def finish_output(self, sound: FloatArray) -> None:
        """Apply body and gain to the sum of the parts' outputs, in place.

        The sum is in m/s for a body or pickups, and in N (force at the strings' ends) without them.
        """
        if isinstance(self.body, Body):
            self.body.advance(sound, sound.copy())
        sound *= self.spec.gain

    def report(self) -> dict[str, Any]:
        """The voice's audit: greatest energy residual, Newton iterations and solves in all, failed
        solves, steps in contact."""
        statistics = [sounding.kernel.statistics for sounding in self.soundings]
        return {
            "residual": max(sounding.residual for sounding in self.soundings),
            "iterations": sum(row["iterations"] for row in statistics),
            "most_iterations": max(row["most_iterations"] for row in statistics),
            "solves": sum(row["solves"] for row in statistics),
            "failed_solves": sum(row["failures"] for row in statistics),
            "contact_steps": sum(row["contact_steps"] for row in statistics),
        }
