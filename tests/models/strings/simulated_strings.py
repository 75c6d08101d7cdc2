"""The strings that the simulations of the papers have, and the balance of a run."""
import math
from dataclasses import replace

import numpy as np

from pysitar import Barrier, ContactLaw, String, StringSimulation

RATE = 44100.0
SITAR = String(length=0.5, tension=50.0, linear_density=5.55e-4, bending_stiffness=7.95e-5,
               sigma0=0.6, sigma1=6.5e-3, sigma3=5e-6)
IDEAL = String(length=0.5, tension=64.0, linear_density=5e-4)
# a steel string of 1 mm, with and without losses, and the law of what it hits
STEEL = String(length=1.0, tension=500.0, linear_density=0.063,
               bending_stiffness=2e11 * math.pi * 5e-4**4 / 4.0)
LOSSY_STEEL = replace(STEEL, sigma0=1.0, sigma2=2e-3)
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
