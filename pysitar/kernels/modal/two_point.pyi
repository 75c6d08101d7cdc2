from typing import Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats, Ints
from pysitar.kernels.modal.network import DAMPING, OFFSET, STIFFNESS, Network

__all__ = ["DAMPING", "OFFSET", "PARTING", "PARTING_BY_BLOCKS", "STIFFNESS", "TOUCH", "TwoPoint"]
TOUCH: int
PARTING: int
PARTING_BY_BLOCKS: int

@disjoint_base
class TwoPoint(Network):
    def __new__(cls, *, angular_frequencies: Floats, decay_rates: Floats, masses: Floats,
                time_step: float, shapes: Floats, kinds: Ints, stiffness: Floats, exponent: Floats,
                damping: Floats, adhesive: Ints, offsets: Floats,
                slopes: Floats | None = None) -> Self: ...
    @property
    def coefficients(self) -> tuple[Floats, Floats, Floats]: ...
    def set_axial_row(self, row: int, curvature: Floats) -> None: ...
    def set_watch(self, rows: Ints, kinds: Ints, shifts: Floats,
                  compressions: Floats | None = None) -> None: ...
    @property
    def has_ended(self) -> bool: ...
    def take_over(self, other: TwoPoint) -> None: ...
