from typing import Self

from pysitar.kernels.core.arrays import Floats, Ints, Laws
from pysitar.kernels.grid.network import GridNetwork

class FdIterative(GridNetwork):
    def __new__(cls, *, intervals: int, time_step: float, node_mass: float, sigma0: float,
                tension_number: float, bending_number: float, loss_number: float, nodes: Ints,
                fractions: Floats, laws: Laws, offsets: Floats) -> Self: ...
