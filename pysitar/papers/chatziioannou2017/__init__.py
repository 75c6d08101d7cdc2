"""Chatziioannou & van Walstijn 2017: how long a mass stays in contact with a wall, in the two-point
and the three-point scheme."""
from pysitar.papers.chatziioannou2017 import durations, motion

FIGURES = (*motion.FIGURES, *durations.FIGURES)
