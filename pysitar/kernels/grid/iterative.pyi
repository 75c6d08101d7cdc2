from pysitar.kernels.grid.network import Floats, GridNetwork, Ints

class FdIterative(GridNetwork):
    def __init__(self, *, intervals: int, time_step: float, node_mass: float, sigma0: float,
                 tension_number: float, bending_number: float, loss_number: float, nodes: Ints,
                 fractions: Floats, stiffness: Floats, exponent: Floats, damping: Floats,
                 adhesive: Ints, offsets: Floats) -> None: ...
