"""A string instrument: its strings, and the body that their end forces drive or that couples
them."""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from pysitar.gestures.base import HammerHead
from pysitar.kernels.grid.network import GridNetwork
from pysitar.kernels.modal.coupled import Coupled
from pysitar.kernels.modal.network import Network
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.network.instrument import Instrument, errors_of_part
from pysitar.models.network.schemes.base import ROWS
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES
from pysitar.models.network.schemes.modal import ModalScheme
from pysitar.models.strings.body import Body
from pysitar.models.strings.coupled import CoupledStrings
from pysitar.models.strings.pick_noise import PickNoise
from pysitar.models.strings.plain import PlainString
from pysitar.models.strings.played import PlayedString
from pysitar.physics.checks import FloatArray

AnyNetwork: TypeAlias = (AuditedNetwork[Network] | AuditedNetwork[GridNetwork]
                         | AuditedNetwork[Coupled])


class StringInstrument(Instrument[PlayedString | PlainString]):
    """An instrument of strings, asleep until it is played.

    Parameters: spec; pitches, of the open strings (Hz), by name; highest, the highest pitch that
    each string plays (Hz), where it is above the open pitch; sample_rate, internal (Hz); floor (dB)
    of silence; name, as error messages show it; traced, the strings that `traces` gives; heads,
    of the hammers that will strike each string; fingers, the largest number that will press each
    string at a time; bowed, the strings that will be bowed; streams, the number of sums of parts
    that `finish_output` finishes, each by a body of its own; seed, of the score, for the noise of
    plectra and mallets. Errors: ParameterError. """

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
        heads: Mapping[str, Collection[HammerHead]] | None = None,
        fingers: Mapping[str, int] | None = None,
        bowed: Collection[str] = (),
        streams: int = 1,
        seed: int = 0,
    ) -> None:
        self.strings: dict[str, PlayedString | PlainString] = {}
        coupled = spec.body is not None and spec.body.coupled
        scheme = STRING_SCHEMES[spec.scheme]
        for string in spec.strings:
            key = string.name
            hz, trace = pitches[key], key in traced
            noise = None
            if string.pick is not None and string.pick.noise > 0.0:
                noise = PickNoise(string.pick, width=string.pluck.width, string=string.string(hz),
                                  sample_rate=sample_rate, seed=seed, name=f"{name}.{key}",
                                  in_string=spec.body is None)
            with errors_of_part(f"string {key}"):
                if not isinstance(scheme, ModalScheme) or ROWS not in scheme.capabilities:
                    self.strings[key] = PlainString(string, scheme=scheme, hz=hz,
                                                    sample_rate=sample_rate, floor=floor,
                                                    name=f"{name}.{key}", traced=trace, noise=noise)
                    continue
                self.strings[key] = PlayedString(
                    string, hz=hz, sample_rate=sample_rate, floor=floor, name=f"{name}.{key}",
                    highest=(highest or {}).get(key), traced=trace, scheme=scheme,
                    heads=(heads or {}).get(key, ()), fingers=(fingers or {}).get(key, 0),
                    coupled=coupled, noise=noise, is_bowed=key in bowed)
        super().__init__(spec.gain, self.strings)
        self.body: Body | CoupledStrings | None = None
        self.other_bodies: tuple[Body, ...] = ()
        self._has_response = spec.response is not None
        if spec.body is not None and coupled:
            played = [
                string for string in self.strings.values() if isinstance(string, PlayedString)
            ]
            self.body = CoupledStrings(played, spec.body, sample_rate=sample_rate, floor=floor,
                                       name=name)
        elif spec.body is not None:
            self.body, *others = (
                Body(spec.body, sample_rate=sample_rate, floor=floor, name=f"{name}.body")
                for _ in range(streams))
            self.other_bodies = tuple(others)
        # strings on a coupled body: the noise drives a second body, without them
        self._noise_body: Body | None = None
        if spec.body is not None and coupled and self._has_noise:
            self._noise_body = Body(spec.body, sample_rate=sample_rate, floor=floor,
                                    name=f"{name}.noise")

    @property
    def networks(self) -> Sequence[AnyNetwork]:
        """The networks, strings first; strings on a coupled body are one network."""
        alone = [string.sounding for string in self.strings.values()]
        networks: list[AnyNetwork] = [
            sounding for sounding in alone if isinstance(sounding, AuditedNetwork)
        ]
        bodies = [body.sounding for body in (self.body, *self.other_bodies, self._noise_body)
                  if body is not None]
        return [*networks, *bodies]

    @property
    def _has_noise(self) -> bool:
        return any(string.noise is not None for string in self.strings.values())

    @property
    def parts(self) -> Sequence[PlayedString | PlainString | CoupledStrings]:
        """The parts that are computed independently of each other; strings on a coupled body are
        one part."""
        if isinstance(self.body, CoupledStrings):
            return (self.body,)
        return tuple(self.strings.values())

    def finish_output(self, sound: FloatArray, stream: int = 0,
                      weights: Sequence[float] = ()) -> FloatArray | None:
        """Apply body and gain to the sum of the parts' outputs, in place.

        Parameters: as in Instrument. The sum is in m/s for a body or pickups, and in N (force at
        the strings' ends) without them.
        """
        if isinstance(self.body, Body):
            body = self.other_bodies[stream - 1] if stream else self.body
            force = sound.copy()
            self._add_noise(force, body.sounding.step, weights,
                            is_last=stream == len(self.other_bodies))
            body.advance(sound, force)
            if self._has_response:
                super().finish_output(sound)
                force *= self.gain
                return force
        elif self._noise_body is not None:
            force, noise = np.zeros(sound.size), np.empty(sound.size)
            self._add_noise(force, self._noise_body.sounding.step, weights, is_last=True)
            self._noise_body.advance(noise, force)
            sound += noise
        return super().finish_output(sound)

    def _add_noise(self, force: FloatArray, now: int, weights: Sequence[float], *,
                   is_last: bool) -> None:
        """Add the noise of plectra and mallets to the force of a stream, whose first step is `now`.

        Parameters: weights, of the strings in the stream (none: 1); is_last, whether no other
        stream of these steps follows.
        """
        for index, string in enumerate(self.strings.values()):  # in this order, for the same bits
            if string.noise is not None:
                string.noise.add_to(force, now, weights[index] if weights else 1.0)
                if is_last:
                    string.noise.drop_before(now + force.size)
