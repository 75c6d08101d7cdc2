from typing import Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats, Ints
from pysitar.kernels.modal.network import DAMPING, OFFSET, STIFFNESS, Network

__all__ = ["DAMPING", "OFFSET", "STIFFNESS", "ThreePoint"]

@disjoint_base
class ThreePointNetwork(Network):
    def set_modes(self, angular_frequencies: Floats, decay_rates: Floats) -> None: ...

class ThreePoint(ThreePointNetwork):
    def __new__(cls, *, angular_frequencies: Floats, decay_rates: Floats, masses: Floats,
                time_step: float, shapes: Floats, kinds: Ints, stiffness: Floats, exponent: Floats,
                damping: Floats, adhesive: Ints, offsets: Floats) -> Self: ...
    @property
    def coefficients(self) -> tuple[Floats, Floats, Floats, Floats]: ...
    def correct_previous_step(self) -> None: ...
