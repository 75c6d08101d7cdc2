import numpy as np
from numpy.typing import NDArray

def force(before: float, after: float, *, stiffness: float, exponent: float = 1.0,
          rate: float = 0.0, adhesive: bool = True,
          kind: int = 0) -> tuple[float, float, float]: ...
def energy(compression: float, *, stiffness: float, exponent: float = 1.0,
           kind: int = 0) -> float: ...
def collision_solution(
    mobility: NDArray[np.float64], drift: NDArray[np.float64], before: NDArray[np.float64],
    stiffness: NDArray[np.float64], exponent: NDArray[np.float64], rate: NDArray[np.float64], *,
    adhesive: bool = True, kinds: NDArray[np.int32] | None = None,
    guess: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]: ...
