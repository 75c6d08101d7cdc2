from typing import Final, Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats, Laws
from pysitar.kernels.modal.three_point import ThreePointNetwork

PAPER: Final[int]
RESET: Final[int]

@disjoint_base
class ModalExplicit(ThreePointNetwork):
    def __new__(cls, *, angular_frequencies: Floats, decay_rates: Floats, masses: Floats,
                time_step: float, shapes: Floats, laws: Laws, offsets: Floats,
                variant: int = ...) -> Self: ...
    @property
    def psi(self) -> Floats: ...
