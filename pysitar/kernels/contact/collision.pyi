from pysitar.kernels.core.arrays import Floats, Ints

def force(before: float, after: float, *, stiffness: float, exponent: float = 1.0,
          rate: float = 0.0, adhesive: bool = True,
          kind: int = 0) -> tuple[float, float, float]: ...
def energy(compression: float, *, stiffness: float, exponent: float = 1.0,
           kind: int = 0) -> float: ...
def collision_solution(mobility: Floats, drift: Floats, before: Floats, stiffness: Floats,
                       exponent: Floats, rate: Floats, *, adhesive: bool = True,
                       kinds: Ints | None = None,
                       guess: Floats | None = None) -> tuple[Floats, Floats, int]: ...
