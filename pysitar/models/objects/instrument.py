"""An instrument of struck objects; its sound is the weighted sum of their modal velocities."""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pysitar.errors import ParameterError
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.models.network.curve import ValueCurve
from pysitar.models.objects.played import PlannedEvent, StruckObject
from pysitar.physics.checks import FloatArray


class StruckInstrument:
    """An instrument of objects, at rest until one is struck.

    Parameters: spec; planned, by the name of an object all its events to come, in the order of
    `play`; sample_rate, internal (Hz); floor (dB) of silence; name, as error messages show it;
    seed; traced, the objects that `traces` gives. Errors: ParameterError. """

    def __init__(
            self,
            spec: InstrumentSpec,
            *,
            planned: Mapping[str, Sequence[PlannedEvent]],
            sample_rate: float,
            floor: float,
            name: str,
            seed: int,
            traced: Collection[str] = (),
    ) -> None:
        self.spec = spec
        self.objects: dict[str, StruckObject] = {}
        for part in spec.parts:
            assert isinstance(part, ObjectSpec)
            try:
                self.objects[part.name] = StruckObject(part, planned=planned.get(part.name, ()),
                                                       sample_rate=sample_rate, floor=floor,
                                                       name=f"{name}.{part.name}", seed=seed,
                                                       traced=part.name in traced)
            except ParameterError as error:
                raise ParameterError(f"object {part.name}: {error.name}", error.value,
                                     error.expected) from None

    @property
    def silent_since(self) -> int | None:
        """The internal step from which nothing sounds and nothing is left to play, or None."""
        networks = [struck.sounding for struck in self.objects.values()]
        if any(struck.waiting
               for struck in self.objects.values()) or not all(network.asleep
                                                               for network in networks):
            return None
        return max(network.asleep_since for network in networks)

    def play(self, part: str, verb: str, step: int, values: dict[str, float],
             hz: float | None = None, curves: Mapping[str, ValueCurve] | None = None) -> None:
        """Schedule an event: see StruckObject.play."""
        self.objects[part].play(verb, step, values)

    def traces(self) -> dict[str, dict[str, FloatArray]]:
        """Take out what the traced objects were doing since the last time: see
        StruckObject.traces."""
        return {name: struck.traces() for name, struck in self.objects.items() if struck.traced}

    def skip(self, steps: int) -> bool:
        """Skip internal steps if nothing sounds, is left to play or is traced; return whether it
        did."""
        if self.silent_since is None or any(struck.traced for struck in self.objects.values()):
            return False
        for struck in self.objects.values():
            struck.sounding.kernel.skip(steps)
        return True

    @property
    def parts(self) -> Sequence[StruckObject]:
        """The parts that are computed independently of each other."""
        return tuple(self.objects.values())

    def finish_output(self, sound: FloatArray) -> None:
        """Multiply the sum of the objects' outputs (m/s) by the gain, in place."""
        sound *= self.spec.gain

    def report(self) -> dict[str, Any]:
        """The voice's audit: greatest energy residual, Newton iterations and solves in all, failed
        solves, steps in contact."""
        networks = [struck.sounding for struck in self.objects.values()]
        statistics = [network.kernel.statistics for network in networks]
        return {
            "residual": max(network.residual for network in networks),
            "iterations": sum(row["iterations"] for row in statistics),
            "most_iterations": max(row["most_iterations"] for row in statistics),
            "solves": sum(row["solves"] for row in statistics),
            "failed_solves": sum(row["failures"] for row in statistics),
            "contact_steps": sum(row["contact_steps"] for row in statistics),
        }
