"""The area under samples, by trapezoids."""
from __future__ import annotations

import math

import numpy as np

from pysitar.physics.checks import FloatArray


def trapezoid_area(values: FloatArray, points: FloatArray) -> float:
    """Return the area under values at ascending points, by trapezoids, exact for straight lines.

    NumPy 1.26 and NumPy 2 have this function under different names.
    """
    return math.fsum((np.diff(points) * (values[1:] + values[:-1]) / 2.0).tolist())
