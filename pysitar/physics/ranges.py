"""The range of each physical quantity, with its unit: squares and products of its values stay
finite.

The classes of `physics` check their values against these ranges. The tables of instruments and
verbs take the bounds of the same quantities from here.
"""
from __future__ import annotations

from pysitar.physics.checks import Range

__all__ = ["Range"]
FINEST = 1e-6                   # m, of what lies along a string
NARROWEST = 1e-9                # m, the width of a force on it

# a string
LENGTH = Range(unit="m", low=0.0, high=1000.0, open_low=True, smallest=1e-3)
TENSION = Range(unit="N", low=0.0, high=1e9, open_low=True)
LINEAR_DENSITY = Range(unit="kg/m", low=0.0, high=100.0, open_low=True, smallest=1e-9)
BENDING_STIFFNESS = Range(unit="N m^2", low=0.0, high=1e6, smallest=1e-30)
AXIAL_STIFFNESS = Range(unit="N", low=0.0, high=1e9)
SIGMA0 = Range(unit="1/s", low=0.0, high=1e5)
SIGMA1 = Range(unit="m/s", low=0.0, high=1e5)
SIGMA2 = Range(unit="m^2/s", low=0.0, high=1e5)
SIGMA3 = Range(unit="m^3/s", low=0.0, high=1e5)
RADIUS = Range(unit="m", low=0.0, high=1.0, open_low=True, smallest=1e-6)         # of a wire
DENSITY = Range(unit="kg/m^3", low=0.0, high=1e5, open_low=True, smallest=1e-3)
YOUNGS_MODULUS = Range(unit="Pa", low=0.0, high=1e13, smallest=1.0)
PITCH = Range(unit="Hz", low=0.0, high=1e9, open_low=True)
RATE_OF_DECAY = Range(unit="1/s", low=0.0, high=1e9, smallest=0.0)
MEASURED_FREQUENCY = Range(unit="Hz", low=0.0, high=1e9, open_low=True)

# of statics: below it a string on a bridge rings at half the sample rate
THETA = Range(unit="", low=0.55, high=2.0)

# contacts and barriers
CONTACT_STIFFNESS = Range(unit="N/m^exponent, per metre if distributed", low=0.0, high=1e16,
                          open_low=True, smallest=1e-6)
EXPONENT = Range(low=1.0, high=10.0)
CONTACT_DAMPING = Range(unit="s/m", low=0.0, high=1e6)
MEMORY = Range(low=0.0, high=0.999)
MEMORY_TIME = Range(unit="s", low=1e-9, high=100.0)
LOSS_TIME = Range(unit="s", low=0.0, high=1.0)
ATTRACTION = Range(unit="N", low=0.0, high=1e6)
ATTRACTION_RANGE = Range(unit="m", low=1e-9, high=1.0)
BARRIER_START = Range(unit="m", low=0.0, high=LENGTH.high, smallest=0.0)
BARRIER_EXTENT = Range(unit="m", low=FINEST, high=LENGTH.high)
BARRIER_POSITION = Range(unit="m", low=0.0, high=LENGTH.high, open_low=True, smallest=0.0)
BARRIER_WEIGHT = Range(unit="m", low=0.0, high=LENGTH.high, open_low=True)
DISPLACEMENT = Range(unit="m", low=-1e3, high=1e3, smallest=0.0)          # and heights

# excitation
FORCE = Range(unit="N", low=-1e6, high=1e6)
DURATION = Range(unit="s", low=0.0, high=1e6, open_low=True)
RELEASE = Range(unit="s", low=0.0, high=1e6)
TIME_STEP = Range(unit="s", low=1e-9, high=1.0)

# modal objects
MODAL_FREQUENCY = Range(unit="Hz", low=0.0, high=1e9)
QUALITY = Range(low=0.5, high=1e12, open_low=True)
MODAL_MASS = Range(unit="kg", low=1e-30, high=1e12, smallest=0.0)
MODE_SHAPE = Range(low=-1e6, high=1e6, smallest=0.0)
SAMPLE_RATE = Range(unit="Hz", low=1.0, high=1e9)
