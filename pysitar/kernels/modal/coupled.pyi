from typing import Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats, StringCall
from pysitar.kernels.core.network import BaseNetwork
from pysitar.kernels.modal.two_point import TwoPoint

@disjoint_base
class Coupled(BaseNetwork):
    def __new__(cls, *, strings: list[TwoPoint], body: TwoPoint, shape: Floats,
                inertia: list[Floats], bridge_shapes: list[Floats], string_mass: float,
                joint: bool = True) -> Self: ...
    @property
    def bridge_displacement(self) -> float: ...
    def outputs(self) -> Floats: ...
    def set_equilibrium(self) -> None: ...
    def advance(self, steps: int, out: Floats, *, parts: list[StringCall],
                energies: Floats | None = None, every: int = 0,
                may_sleep: bool = False) -> int: ...
