"""van Walstijn & Bridges 2016: modal simulation of a string against a barrier, by the two-point and
the three-point scheme."""
from pysitar.papers.walstijn2016 import ideal, sitar, solving

FIGURES = (*ideal.FIGURES, *sitar.FIGURES, *solving.FIGURES)
