"""An instrument of struck objects; its sound is the weighted sum of their modal velocities."""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pysitar.kernels.modal.network import Network
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.network.curve import ValueCurve
from pysitar.models.network.instrument import Instrument, errors_of_part
from pysitar.models.objects.played import PlannedEvent, StruckObject


def played_name(name: str, hz: float | None) -> str:
    """Return the name of an object at a pitch (Hz; None: its own)."""
    return name if hz is None else f"{name}@{hz!r}Hz"


class StruckInstrument(Instrument[StruckObject]):
    """An instrument of objects, at rest until one is struck.

    An object that is played at a pitch is another one of that pitch, beside the object itself.

    Parameters: spec; planned, by the name of an object and the pitch (Hz, None: its own) all its
    events to come, in the order of `play`; sample_rate, internal (Hz); floor (dB) of silence; name,
    as error messages show it; seed; traced, the objects that `traces` gives. Errors:
    ParameterError. """

    def __init__(
            self,
            spec: InstrumentSpec,
            *,
            planned: Mapping[tuple[str, float | None], Sequence[PlannedEvent]],
            sample_rate: float,
            floor: float,
            name: str,
            seed: int,
            traced: Collection[str] = (),
    ) -> None:
        self.objects: dict[str, StruckObject] = {}
        pitches = {name: [hz for own, hz in planned if own == name and hz is not None]
                   for name, _ in planned}
        for part in spec.parts:
            assert isinstance(part, ObjectSpec)
            for hz in (None, *pitches.get(part.name, ())):
                played = played_name(part.name, hz)
                with errors_of_part(f"object {played}"):
                    self.objects[played] = StruckObject(
                        part if hz is None else part.at_pitch(hz),
                        planned=planned.get((part.name, hz), ()), sample_rate=sample_rate,
                        floor=floor, name=f"{name}.{played}", seed=seed,
                        traced=part.name in traced)
        super().__init__(spec.gain, self.objects)

    def play(self, part: str, verb: str, step: int, values: dict[str, float],
             hz: float | None = None, curves: Mapping[str, ValueCurve] | None = None) -> None:
        """Schedule an event on an object, or on that of a pitch (Hz): see StruckObject.play."""
        super().play(played_name(part, hz), verb, step, values, None, curves)

    @property
    def networks(self) -> Sequence[AuditedNetwork[Network]]:
        """The network of each object."""
        return [struck.sounding for struck in self.objects.values()]
