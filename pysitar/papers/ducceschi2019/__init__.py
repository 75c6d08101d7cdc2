"""Ducceschi & Bilbao 2019: collisions without iteration, of an oscillator and of a string, as
printed and mended."""
from pysitar.papers.ducceschi2019 import (
    convergence,
    energies,
    equations,
    oscillator,
    snapshots,
    speed,
)

FIGURES = (*oscillator.FIGURES, snapshots.FIGURES[0], *energies.FIGURES, snapshots.FIGURES[1],
           *convergence.FIGURES, *speed.FIGURES, *equations.FIGURES)
