import numpy as np
from numpy.typing import NDArray

SCHEMES: tuple[str, ...]
Floats = NDArray[np.float64]

class MassBarrier:
    def __init__(self, *, scheme: int, mass: float, angular_frequency: float, time_step: float,
                 stiffness: float, exponent: float, barrier: float, position: float,
                 velocity: float, duration: float | None = None, excess: float = 1.0) -> None: ...
    @property
    def psi(self) -> float: ...
    @property
    def statistics(self) -> dict[str, float]: ...
    def advance(self, position: Floats, velocity: Floats, energy: Floats) -> None: ...
