"""Impacts of a mass or a ball on a modal object."""
import time

import numpy as np

from benchmarks.cases import AUDIT, RATE, STEPS
from pysitar.models.objects.impact import (
    ImpactSimulation,
    point_mass,
    set_outputs,
    struck_network,
)
from pysitar.physics.contact import ContactLaw
from pysitar.physics.energy import Balance
from pysitar.physics.modal_object import ModalObject

MASS = 5e-3
LAW = ContactLaw(stiffness=1e8, exponent=1.5, damping=0.3)
EXACT = 1e-12


class Impact:
    """A second of a mass that strikes an object of a number of modes, with output and audit; with
    gravity it bounces."""

    def __init__(self, modes: int, gravity: float = 0.0, *, steps: int = STEPS) -> None:
        self.steps = steps
        f = np.linspace(400.0, 9000.0, modes)
        body = ModalObject(frequencies=f, decay_rates=0.01 * f, masses=np.full(modes, 0.2),
                           shapes=1.0 - 0.5 * np.arange(modes) / modes)
        striker = point_mass(MASS)
        self.kernel = struck_network(striker, body, LAW, RATE)
        set_outputs(self.kernel, striker, body, ["body_velocity"])
        self.kernel.set_inputs(np.eye(1, modes + 1) if gravity else np.zeros((0, modes + 1)))
        self.forces = np.full((steps, 1), MASS * gravity) if gravity else None
        self.start = np.zeros(modes + 1), np.eye(1, modes + 1)[0]
        self.out, self.ledger = np.empty((steps, 1)), np.empty((steps // AUDIT, 6))

    def __call__(self) -> None:
        self.kernel.set_state(*self.start)
        self.kernel.advance(self.steps, self.out, forces=self.forces, energies=self.ledger,
                            every=AUDIT)

    @property
    def residual(self) -> float:
        """The greatest part of the energy balance that the last run broke."""
        return float(Balance(self.ledger[0]).update(self.ledger).max())

    def rate(self) -> float:
        """Times real time, the best of some."""
        best = float("inf")
        for _ in range(8):
            start = time.thread_time()
            self()
            best = min(best, time.thread_time() - start)
        return self.steps / RATE / best


class Bounces:
    """A second of a ball that bounces on an object of eight modes, round or irregular."""

    def __init__(self, irregularity: float, *, steps: int = STEPS) -> None:
        self.steps = steps
        f = np.linspace(400.0, 9000.0, 8)
        self.given = {
            "body": ModalObject(frequencies=f, decay_rates=0.01 * f, masses=np.full(8, 0.2),
                                shapes=1.0 - 0.5 * np.arange(8) / 8),
            "mass": MASS, "law": ContactLaw(stiffness=1e6, exponent=1.5, damping=0.2),
            "velocity": 0.5, "gravity": 9.81, "sample_rate": RATE, "radius": 0.01, "seed": 3,
            "irregularity": irregularity}

    def __call__(self) -> None:
        self.run = ImpactSimulation(**self.given).run(self.steps)

    @property
    def residual(self) -> float:
        return self.run.residual
