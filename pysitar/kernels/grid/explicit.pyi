from typing import Final

from pysitar.kernels.grid.network import Floats, GridNetwork, Ints

PAPER: Final[int]
RESET: Final[int]
TRACKING: Final[int]

class FdExplicit(GridNetwork):
    def __init__(self, *, intervals: int, time_step: float, node_mass: float, sigma0: float,
                 tension_number: float, bending_number: float, loss_number: float, nodes: Ints,
                 fractions: Floats, stiffness: Floats, exponent: Floats, damping: Floats,
                 adhesive: Ints, offsets: Floats, variant: int = ...) -> None: ...
    @property
    def psi(self) -> Floats: ...
