from pysitar.kernels.modal.network import DAMPING as DAMPING
from pysitar.kernels.modal.network import OFFSET as OFFSET
from pysitar.kernels.modal.network import STIFFNESS as STIFFNESS
from pysitar.kernels.modal.network import Floats, Ints, Network

class ThreePointNetwork(Network):
    def set_modes(self, angular_frequencies: Floats, decay_rates: Floats) -> None: ...

class ThreePoint(ThreePointNetwork):
    def __init__(self, *, angular_frequencies: Floats, decay_rates: Floats, masses: Floats,
                 time_step: float, shapes: Floats, kinds: Ints, stiffness: Floats,
                 exponent: Floats, damping: Floats, adhesive: Ints, offsets: Floats) -> None: ...
    @property
    def coefficients(self) -> tuple[Floats, Floats, Floats, Floats]: ...
    def correct_previous_step(self) -> None: ...
