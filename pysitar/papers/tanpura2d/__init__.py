"""Bridges & van Walstijn 2015: a tanpura string that moves in two directions."""
from pysitar.papers.tanpura2d import decay, thread

FIGURES = (*thread.FIGURES, *decay.FIGURES)
