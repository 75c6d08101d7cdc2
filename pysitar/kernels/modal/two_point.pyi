from typing import Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats, Laws
from pysitar.kernels.modal.network import DAMPING, OFFSET, STIFFNESS, Network

__all__ = ["DAMPING", "OFFSET", "STIFFNESS", "TwoPoint"]

@disjoint_base
class TwoPoint(Network):
    def __new__(cls, *, angular_frequencies: Floats, decay_rates: Floats, masses: Floats,
                time_step: float, shapes: Floats, laws: Laws, offsets: Floats,
                slopes: Floats | None = None) -> Self: ...
    @property
    def coefficients(self) -> tuple[Floats, Floats, Floats]: ...
    def set_axial_row(self, row: int, curvature: Floats) -> None: ...
    def take_over(self, other: TwoPoint) -> None: ...
