"""Papetti, Avanzini & Rocchesso 2009: a mass on a rigid wall with the Hunt-Crossley force, its
closed forms, and four methods."""
from pysitar.papers.papetti2009 import closed_forms, corrections, errors, schemes

FIGURES = (*closed_forms.FIGURES, *schemes.FIGURES, *errors.FIGURES, *corrections.FIGURES)
