from typing import Final, Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats, Ints, Laws
from pysitar.kernels.grid.network import GridNetwork

PAPER: Final[int]
RESET: Final[int]
TRACKING: Final[int]

@disjoint_base
class FdExplicit(GridNetwork):
    def __new__(cls, *, intervals: int, time_step: float, node_mass: float, sigma0: float,
                tension_number: float, bending_number: float, loss_number: float, nodes: Ints,
                fractions: Floats, laws: Laws, offsets: Floats, variant: int = ...) -> Self: ...
    @property
    def psi(self) -> Floats: ...
