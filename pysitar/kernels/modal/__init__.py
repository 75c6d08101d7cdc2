"""Networks of modes: the two-point, three-point and explicit schemes, and coupling by a bridge."""
