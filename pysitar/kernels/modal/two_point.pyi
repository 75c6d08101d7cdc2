from pysitar.kernels.modal.network import DAMPING as DAMPING
from pysitar.kernels.modal.network import OFFSET as OFFSET
from pysitar.kernels.modal.network import STIFFNESS as STIFFNESS
from pysitar.kernels.modal.network import Floats, Ints, Network

class TwoPoint(Network):
    def __init__(self, *, angular_frequencies: Floats, decay_rates: Floats, masses: Floats,
                 time_step: float, shapes: Floats, kinds: Ints, stiffness: Floats,
                 exponent: Floats, damping: Floats, adhesive: Ints, offsets: Floats,
                 slopes: Floats | None = None) -> None: ...
    @property
    def coefficients(self) -> tuple[Floats, Floats, Floats]: ...
    def set_axial_row(self, row: int, curvature: Floats) -> None: ...
    def take_over(self, other: TwoPoint) -> None: ...
