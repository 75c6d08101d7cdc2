"""The tables of a body at the bridge of strings: its modes, or its impulse response."""
from __future__ import annotations

from dataclasses import dataclass

from pysitar.models.definitions.schema import Specification, key
from pysitar.physics.modal_object import ModalObject

LIGHTEST, HEAVIEST = 1e-6, 1e9          # kg, of a mode
LOUDEST = 1e9                           # of gain and weights


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BodySpec(Specification):
    """The modes of a body at the bridge."""

    frequencies: tuple[float, ...] = key("the frequency of each mode", kind="list", unit="Hz",
                                         low=0.0, high=1e6, open_low=True, smallest=1e-3)
    q: tuple[float, ...] = key("the quality factor of each mode", kind="list", low=0.5, high=1e9,
                               open_low=True, each="frequencies")
    masses: tuple[float, ...] = key("the modal mass of each mode at the bridge", kind="list",
                                    unit="kg", low=LIGHTEST, high=HEAVIEST, each="frequencies")
    weights: tuple[float, ...] = key(
        "the weight of each mode's velocity in the output, with its sign", kind="list",
        low=-LOUDEST, high=LOUDEST, smallest=0.0, each="frequencies")
    coupled: bool = key("whether the motion of the body acts on the strings", kind="flag",
                        default=False)

    def modal_object(self) -> ModalObject:
        """Return the body of physics, each mode with shape 1 at the bridge.  Errors:
        ParameterError."""
        ones = [1.0] * len(self.frequencies)
        return ModalObject.from_quality(frequencies=self.frequencies, q=self.q, masses=self.masses,
                                        shapes=ones)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ResponseSpec(Specification):
    """A body, or what its modes lack of it, by its impulse response, which the forces at the
    strings' ends drive; or what the sound of pickups or of objects is convolved with."""

    impulse_response: str = key(
        "in place of modes, or added to them, a .wav file with one channel, of at most 4 s, beside "
        "the instrument's file: what it outputs, full scale 1, for a force of 1 N that "
        "lasts one sample of it; with pickups or objects, for one sample of 1 of their sound",
        kind="file")
