"""Four runs of NESS (Edinburgh; a finite-difference program in C++ that nobody here wrote): a free
string, a string over a flat board, over 21 frets with damping, over one soft fret. What they are,
two instants of each, and the same for a kernel on a grid.

Their arrays are not in this repository, but in the folder named by PYSITAR_ORACLE, or
../shared/oracle if it is not set. """
import math
import os
from pathlib import Path

import numpy as np

from pysitar.kernels.grid.iterative import FdIterative
from pysitar.physics.barrier import Barrier
from pysitar.physics.contact import ContactLaw
from pysitar.physics.grid import grid_rows, string_grid
from pysitar.physics.string import String

ARRAYS = Path(os.environ.get("PYSITAR_ORACLE",
                             Path(__file__).resolve().parents[3] / "shared" / "oracle")) / "ness"
LENGTH, TENSION, RADIUS, DENSITY, YOUNG = 0.65, 70.0, 0.2e-3, 7850.0, 2e11
OUTPUTS = (0.9, 0.5, 0.137)
# place and height (m) of the frets of case D
FRETS = [
    (0.12345678, -0.45e-3),
    (0.056125687318, -0.316838e-3),
    (0.10910128186, -0.33273e-3),
    (0.159103584746, -0.347731e-3),
    (0.206299474016, -0.36189e-3),
    (0.250846461562, -0.375254e-3),
    (0.292893218813, -0.387868e-3),
    (0.332580072915, -0.399774e-3),
    (0.370039475053, -0.411012e-3),
    (0.405396442499, -0.421619e-3),
    (0.438768975845, -0.431631e-3),
    (0.470268452820, -0.441081e-3),
    (0.5, -0.45e-3),
    (0.528062843659, -0.458419e-3),
    (0.55455064093, -0.466365e-3),
    (0.579551792373, -0.473866e-3),
    (0.603149737008, -0.480945e-3),
    (0.625423230781, -0.487627e-3),
    (0.646446609407, -0.493934e-3),
    (0.666290036457, -0.499887e-3),
    (0.685019737526, -0.505506e-3),
]
# sample rate, seconds; pluck: start (s), place, duration (s), force (N)
CASES = {"A": (48000, 0.2, (0.001, 0.8, 0.0015, 2.0)), "B": (48000, 0.2, (0.001, 0.8, 0.0015, 2.0)),
         "D": (48000, 0.2, (0.001, 0.8, 0.0015, 3.0)),
         "G": (192000, 0.05, (0.0005, 0.7, 0.004, 2.0))}
# displacements (m) at the three outputs, frames 480 and 960, from the runs' description
SPOTS = {
    "A": ((7.1514915726e-08, -9.6121111582e-04, -2.0737324905e-03),
          (-1.5442599489e-05, -1.6175129511e-03, -1.4358617954e-03)),
    "B": ((1.1726466730e-06, 8.6766017042e-04, 1.1064596458e-03),
          (-8.1975967505e-06, 9.4822143068e-04, 1.4396275928e-03)),
    "D": ((5.1505488879e-05, 7.4537658749e-04, 2.1271653960e-03),
          (-1.3937948386e-04, 3.5603446098e-04, 3.6495210651e-04)),
    "G": ((4.2862745307e-04, 6.3656618396e-04, 4.9746659873e-05),
          (1.7060770498e-03, 4.2149309656e-03, 1.3908198832e-03)),
}
# until when (s), and the greatest deviation by the greatest displacement of the whole run: chaos
# grows what rounding begins
WITHIN = {
    "A": [(0.2, 1e-11)],
    "B": [(0.02, 1e-10), (0.05, 1e-9), (0.2, 1e-6)],
    "D": [(0.02, 1e-9), (0.2, 1e-6)],
    "G": [(0.05, 1e-10)],
}


def ness_string():
    """Return the string with NESS's losses: T60 of 15 s at 0 Hz and 5 s at 1 kHz."""
    density = DENSITY * math.pi * RADIUS**2
    bending = YOUNG * math.pi * RADIUS**4 / 4.0
    c2, kappa2, omega = TENSION / density, bending / density, 2.0 * math.pi * 1000.0
    z = (-c2 + math.sqrt(c2 * c2 + 4.0 * kappa2 * omega**2)) / (2.0 * kappa2)
    return String(length=LENGTH, tension=TENSION, linear_density=density, bending_stiffness=bending,
                  sigma0=6.0 * math.log(10.0) / 15.0, sigma2=6.0 * math.log(10.0) / z *
                  (1.0 / 5.0 - 1.0 / 15.0))


def barriers(case, spacing):
    def frets(places, **law):
        return [Barrier.point(position=x * LENGTH, height=b, law=ContactLaw(exponent=1.3, **law))
                for x, b in places]

    if case == "B":                 # NESS's stiffness is that of each node
        return [Barrier(profile=lambda x: -1e-3, start=0.0, end=LENGTH, points=2,
                        law=ContactLaw(stiffness=1e8 / spacing, exponent=1.3))]
    return {"A": [], "D": frets(FRETS, stiffness=1e9, damping=0.5),
            "G": frets([(0.4, -0.4e-3)], stiffness=2e4)}[case]


def ness_case(case, scheme=FdIterative):
    """Return a kernel with NESS's outputs, and the pluck's force (frames + 1, 1), N."""
    rate, seconds, (start, place, duration, force) = CASES[case]
    grid = string_grid(ness_string(), rate)

    def at(x):
        # NESS puts plucks and outputs, unlike frets, at (x (M - 1) + 1) h with M - 1 the interior
        # nodes
        return (x * grid.count + 1.0) * grid.spacing

    kernel = scheme(**grid.coefficients, **grid_rows(grid, barriers(case, grid.spacing)))
    values, first, steps = np.zeros(
        (round(seconds * rate) + 1, 1)), math.floor(start * rate), math.floor(duration * rate) + 1
    values[first:first + steps,
           0] = [0.5 * force * (1.0 - math.cos(math.pi * m / steps)) for m in range(steps)]
    kernel.set_inputs(grid.spread(at(place), spread="linear").reshape(1, -1))
    kernel.set_outputs(np.array([grid.shape(at(x)) for x in OUTPUTS]))
    return kernel, values


def ness_run(case, scheme=FdIterative):
    """Return displacements (m) at NESS's outputs (3, frames) and ledger (frames + 1, 6); output n
    is u(n + 1)."""
    kernel, values = ness_case(case, scheme)
    out, ledger = np.empty((len(values), 3)), np.empty((len(values), 6))
    kernel.advance(len(values), out, forces=values, energies=ledger, every=1)
    assert kernel.failed_at == -1
    return out[1:].T, ledger


def ness_truth(case):
    """Return NESS's displacements (m) at its outputs (3, frames), None if its arrays are absent."""
    path = ARRAYS / case / f"case_{case}.npz"
    return np.load(path)["output"] if path.exists() else None
