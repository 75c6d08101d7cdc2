"""The strings that the simulations of the papers have, and the balance of a run."""
import math

import numpy as np
from physics.strings import SITAR

from pysitar import Barrier, ContactLaw, StringSimulation

RATE = 44100.0
# what a steel string hits
FRET_LAW = ContactLaw(stiffness=5e6, exponent=1.4)


def bump(x):
    return -x * (x - 0.03) / 4.0


def bridge(**law):
    return Barrier(profile=bump, start=0.0, end=0.03, points=10,
                   law=ContactLaw(**{"stiffness": 1e9, **law}))


def sitar(*, barriers=None, rate=RATE, scheme="two-point", **law):
    """Section IV-B of van Walstijn & Bridges 2016, drawn to 3 mm at 0.35 m."""
    sim = StringSimulation(string=SITAR, barriers=[bridge(**law)] if barriers is None else barriers,
                           sample_rate=rate, max_frequency=20e3, scheme=scheme)
    sim.set_displacement(triangle=(0.35, 3e-3))
    return sim


def imbalance(run):
    """Per step, of the scale that the stored energy and the work set."""
    error = np.abs(np.diff(run.energy + run.losses - run.work))
    return (error / np.maximum(np.maximum.accumulate(run.energy), np.abs(run.work))[1:]).max()


def soft_contact(*, scheme, exponent, rate):
    """A string of 12 modes above a soft flat barrier, let go from a half sine of 2 mm."""
    barrier = Barrier(profile=lambda x: -2e-4, start=0.05, end=0.15, points=8,
                      law=ContactLaw(stiffness=3e8, exponent=exponent))
    sim = StringSimulation(string=SITAR, barriers=[barrier], sample_rate=rate, modes=12,
                           scheme=scheme)
    sim.set_displacement(lambda x: 2e-3 * math.sin(math.pi * x / 0.5))
    return sim
