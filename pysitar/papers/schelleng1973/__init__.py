"""Schelleng 1973: the bowed string, and the forces of the bow between which it has one slip in a
period."""
from pysitar.papers.schelleng1973 import flattening, regimes

FIGURES = (*regimes.FIGURES, *flattening.FIGURES)
