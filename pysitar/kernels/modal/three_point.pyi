from typing import Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats, Laws
from pysitar.kernels.modal.network import DAMPING, OFFSET, STIFFNESS, Network

__all__ = ["DAMPING", "OFFSET", "STIFFNESS", "ThreePoint"]

@disjoint_base
class ThreePointNetwork(Network):
    def set_modes(self, angular_frequencies: Floats, decay_rates: Floats) -> None: ...

class ThreePoint(ThreePointNetwork):
    def __new__(cls, *, angular_frequencies: Floats, decay_rates: Floats, masses: Floats,
                time_step: float, shapes: Floats, laws: Laws, offsets: Floats) -> Self: ...
    @property
    def coefficients(self) -> tuple[Floats, Floats, Floats, Floats]: ...
    def correct_previous_step(self) -> None: ...
