"""Struck strings that several tests share: a santoor's string, its twin, and how it is run."""
from dataclasses import replace

import numpy as np
from twins.two_point import Contact, TwoPointTwin, string_parameters

from pysitar.models.definitions.spec import PluckSpec, StrikeSpec, StringSpec

PLUCK = PluckSpec(position=0.07, force=1.0, width=0.004, ramp=0.003, release=0.001, touch=0.0,
                  lead=0.0)
WOOD = StrikeSpec(position=0.055, velocity=2.5, mass=1.5e-3, stiffness=5e7, exponent=1.6,
                  damping=0.4)
FELT = StrikeSpec(position=0.055, velocity=2.5, mass=2.5e-3, stiffness=3e8, exponent=2.4,
                  damping=0.6)
# the santoor string that was measured with both mallets, 440 Hz
A4 = StringSpec(name="a4", pitch=440.0, cents=0.0, length=0.38, linear_density=1.30459e-3,
                bending_stiffness=4.39573e-4, sigma0=0.6, sigma1=0.006, sigma2=0.0, sigma3=3e-6,
                barrier=None, thread=None, pluck=PLUCK, strike=WOOD)
LOSSLESS = replace(A4, sigma0=0.0, sigma1=0.0, sigma3=0.0)
RATE = 96000.0


def heard(string, steps):
    out = np.empty(steps)
    string.advance(out)
    return out


def stored(string):
    """H + losses - work, J: only a state set from outside changes it."""
    kinetic, potential, contact, losses, work, _ = string.sounding.kernel.energy().tolist()
    return kinetic + potential + contact + losses - work


def twin_of(spec, masses, strikes, dt):
    """The string of a spec and free masses of their own weight, each with a contact row at its
    place."""
    tension = spec.string(440.0).tension
    b, omega, alpha, mass = string_parameters(
        length=spec.length, tension=tension, linear_density=spec.linear_density,
        stiffness=spec.bending_stiffness, losses=(spec.sigma0, spec.sigma1, spec.sigma3))
    n = len(masses)
    shapes = np.concatenate([-np.sin(np.outer([s["position"] for s in strikes], b)),
                             np.eye(n)], axis=1)
    laws = [Contact(stiffness=s["stiffness"], exponent=s["exponent"], damping=s["damping"],
                    adhesive=False) for s in strikes]
    weights = (-1.0) ** np.arange(b.size) * (tension * b + spec.bending_stiffness * b**3)
    twin = TwoPointTwin(omega=[*omega, *[0.0] * n], alpha=[*alpha, *[0.0] * n],
                        mass=[*mass, *masses], shapes=shapes, laws=laws, offset=np.zeros(n), dt=dt)
    return twin, weights
