"""Strings of the papers."""
import math
from dataclasses import replace

from pysitar.physics.string import String

# van Walstijn & Bridges 2016: section IV-B, Fig. 3, and section IV-A
SITAR = String(length=0.5, tension=50.0, linear_density=5.55e-4, bending_stiffness=7.95e-5,
               sigma0=0.6, sigma1=6.5e-3, sigma3=5e-6)
IDEAL = String(length=0.5, tension=64.0, linear_density=5e-4)
# a steel string of 1 mm, with and without losses
STEEL = String(length=1.0, tension=500.0, linear_density=0.063,
               bending_stiffness=2e11 * math.pi * 5e-4**4 / 4.0)
LOSSY_STEEL = replace(STEEL, sigma0=1.0, sigma2=2e-3)
