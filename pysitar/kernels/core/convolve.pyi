from typing import Self

from typing_extensions import disjoint_base

from pysitar.kernels.core.arrays import Floats

@disjoint_base
class Convolver:
    length: int
    def __new__(cls, response: Floats) -> Self: ...
    def push(self, samples: Floats) -> Floats: ...
