"""Networks of strings on a grid: the iterative and the explicit schemes."""
