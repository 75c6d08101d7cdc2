"""The array `laws` of a kernel from columns, and the functions of a single law by keyword."""
import numpy as np

from pysitar.kernels.contact import collision
from pysitar.physics.contact import LAW, MAY_PULL


def law_columns(n=1, *, kinds=0, stiffness=0.0, exponent=1.0, damping=0.0, adhesive=True,
                further=()):
    """Return n laws; each column is n values or one for all."""
    laws = np.zeros(n, dtype=LAW)
    laws["kind"], laws["damping"] = kinds, damping
    laws["flags"] = np.where(adhesive, MAY_PULL, 0)
    laws["parameters"][:, 0], laws["parameters"][:, 1] = stiffness, exponent
    for i, value in enumerate(further):
        laws["parameters"][:, 2 + i] = value
    return laws


def force(before, after, *, kind=0, rate=0.0, **columns):
    """Return F, dF/dafter and the dissipated energy of a step; rate, damping over time step."""
    return collision.force(before, after, law_columns(kinds=kind, damping=rate, **columns))


def energy(compression, *, kind=0, **columns):
    return collision.energy(compression, law_columns(kinds=kind, **columns))


def collision_solution(mobility, drift, before, stiffness, exponent, rate, *, adhesive=True,
                       kinds=None, guess=None):
    laws = law_columns(len(drift), kinds=0 if kinds is None else kinds, stiffness=stiffness,
                       exponent=exponent, damping=rate, adhesive=adhesive)
    return collision.collision_solution(mobility, drift, before, laws, guess=guess)
