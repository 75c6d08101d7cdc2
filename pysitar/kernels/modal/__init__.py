"""Networks of modes: the two-point, three-point and explicit schemes, and the bridge that couples them."""
