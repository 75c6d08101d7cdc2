from typing import Final

from pysitar.kernels.modal.network import Floats, Ints
from pysitar.kernels.modal.three_point import ThreePointNetwork

PAPER: Final[int]
RESET: Final[int]

class ModalExplicit(ThreePointNetwork):
    def __init__(self, *, angular_frequencies: Floats, decay_rates: Floats, masses: Floats,
                 time_step: float, shapes: Floats, kinds: Ints, stiffness: Floats,
                 exponent: Floats, damping: Floats, adhesive: Ints, offsets: Floats,
                 variant: int = ...) -> None: ...
    @property
    def psi(self) -> Floats: ...
