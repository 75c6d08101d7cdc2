"""Strings on a grid of nodes: the iterative and the explicit schemes."""
