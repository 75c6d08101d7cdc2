from typing import Final, Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats

SCHEMES: Final[dict[str, int]]

def mean_force_and_slope(before: float, after: float, *, stiffness: float,
                         exponent: float) -> tuple[float, float]: ...

@disjoint_base
class WallImpact:
    def __new__(cls, *, mass: float, stiffness: float, exponent: float, hysteresis: float,
                velocity: float, time_step: float, scheme: int = 0, corrected: bool = False,
                gravity: float = 0.0) -> Self: ...
    @property
    def statistics(self) -> dict[str, int]: ...
    def set_state(self, compression: float, velocity: float) -> None: ...
    def advance(self, compression: Floats, velocity: Floats, force: Floats,
                energy: Floats) -> None: ...
