from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SCHEMES: Final[dict[str, int]]

def mean_force_and_slope(before: float, after: float, *, stiffness: float,
                         exponent: float) -> tuple[float, float]: ...

class WallImpact:
    def __init__(self, *, mass: float, stiffness: float, exponent: float, hysteresis: float,
                 velocity: float, time_step: float, scheme: int = 0, corrected: bool = False,
                 gravity: float = 0.0) -> None: ...
    @property
    def statistics(self) -> dict[str, int]: ...
    def set_state(self, compression: float, velocity: float) -> None: ...
    def advance(self, compression: Floats, velocity: Floats, force: Floats,
                energy: Floats) -> None: ...
