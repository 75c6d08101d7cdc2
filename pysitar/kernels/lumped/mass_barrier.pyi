from typing import Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats

SCHEMES: tuple[str, ...]

@disjoint_base
class MassBarrier:
    def __new__(cls, *, scheme: int, mass: float, angular_frequency: float, time_step: float,
                stiffness: float, exponent: float, barrier: float, position: float, velocity: float,
                duration: float | None = None, excess: float = 1.0) -> Self: ...
    @property
    def psi(self) -> float: ...
    @property
    def statistics(self) -> dict[str, float]: ...
    def advance(self, position: Floats, velocity: Floats, energy: Floats) -> None: ...
