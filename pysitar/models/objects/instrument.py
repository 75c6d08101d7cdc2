"""An instrument of struck objects; its sound is the weighted sum of their modal velocities."""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pysitar.kernels.modal.network import Network
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.network.instrument import Instrument, errors_of_part
from pysitar.models.objects.played import PlannedEvent, StruckObject


class StruckInstrument(Instrument[StruckObject]):
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
        self.objects: dict[str, StruckObject] = {}
        for part in spec.parts:
            assert isinstance(part, ObjectSpec)
            with errors_of_part(f"object {part.name}"):
                self.objects[part.name] = StruckObject(part, planned=planned.get(part.name, ()),
                                                       sample_rate=sample_rate, floor=floor,
                                                       name=f"{name}.{part.name}", seed=seed,
                                                       traced=part.name in traced)
        super().__init__(spec.gain, self.objects)

    @property
    def networks(self) -> Sequence[AuditedNetwork[Network]]:
        """The network of each object."""
        return [struck.sounding for struck in self.objects.values()]
