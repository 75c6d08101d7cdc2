from pysitar.kernels.core.arrays import StringCall
from pysitar.kernels.core.network import BaseNetwork, Floats
from pysitar.kernels.modal.two_point import TwoPoint

class Coupled(BaseNetwork):
    def __init__(self, *, strings: list[TwoPoint], body: TwoPoint, shape: Floats,
                 inertia: list[Floats], bridge_shapes: list[Floats],
                 string_mass: float) -> None: ...
    @property
    def bridge_displacement(self) -> float: ...
    def advance(self, steps: int, out: Floats, *, parts: list[StringCall],
                energies: Floats | None = None, every: int = 0,
                may_sleep: bool = False) -> int: ...
