"""The sitar string of van Walstijn & Bridges 2016 (M = 60 modes, K = 10 points, 44.1 kHz), for the
kernels."""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from pysitar.kernels.core.arrays import StringCall
from pysitar.kernels.modal.coupled import Coupled
from pysitar.kernels.modal.network import Network
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.models.network.network import barrier_rows
from pysitar.models.network.network import network as network_of
from pysitar.models.network.schemes.two_point import string_network
from pysitar.models.strings.played import PlayedString
from pysitar.models.strings.simulation import StringSimulation
from pysitar.physics.barrier import Barrier
from pysitar.physics.contact import ContactLaw
from pysitar.physics.excitation import triangle
from pysitar.physics.modes import string_modes
from pysitar.physics.string import String

RATE = 44100.0
AUDIT = 64
PIECE = 64 * 10                 # steps that are timed on their own for the history
STEPS = 64 * 690                # 1.0014 s: in contact over 95 % of it
MODES, POINTS = 60, 10
STRING = String(length=0.5, linear_density=5.55e-4, bending_stiffness=7.95e-5, tension=50.0,
                sigma0=0.6, sigma1=6.5e-3, sigma3=5e-6)
SHAPES = string_modes(STRING, count=MODES)


def bridge(x: float) -> float:
    return -x * (x - 0.03) / 4.0


def far_below(x: float) -> float:
    return -1.0


def network(height=bridge, *, stiffness: float = 1e9, exponent: float = 1.0, damping: float = 0.0,
            scheme=string_network) -> Network:
    """The string let go from a triangle over a barrier of a given height, with the force on its far
    end as output, by any scheme."""
    law = ContactLaw(stiffness=stiffness, exponent=exponent, damping=damping)
    barrier = Barrier(profile=height, start=0.0, end=0.03, points=POINTS, law=law)
    kernel = scheme(SHAPES, barrier_rows(SHAPES, barrier), RATE)
    kernel.set_state(triangle(SHAPES, position=0.35, height=3e-3), np.zeros(MODES))
    kernel.set_outputs(SHAPES.slope_force_end().reshape(1, -1))
    return kernel


def advance_pieces(kernel, out, ledger, forces=None):
    """Advance a kernel by the steps of its output, PIECE at a time."""
    for first in range(0, len(out), PIECE):
        last = first + PIECE
        kernel.advance(len(out[first:last]), out[first:last],
                       forces=None if forces is None else forces[first:last],
                       energies=ledger[first // AUDIT:last // AUDIT], every=AUDIT)
        yield


class KernelCase:
    """A run of some steps of a kernel from a start, anew at each call, with output and audit."""

    def __init__(self, kernel, start, steps: int) -> None:
        self.kernel, self.start, self.steps = kernel, start, steps
        self.out = np.empty((steps, 1))
        self.ledger = np.empty((steps // AUDIT, 6))

    def __call__(self) -> None:
        self.kernel.set_state(*self.start)
        self.kernel.advance(self.steps, self.out, energies=self.ledger, every=AUDIT)

    def pieces(self):
        """The same run in pieces."""
        self.kernel.set_state(*self.start)
        yield from advance_pieces(self.kernel, self.out, self.ledger)

    @property
    def residual(self) -> float:
        """The greatest |H - H(0) + losses| / H(0) of the last run."""
        return balance(self.ledger)


class Case(KernelCase):
    """The sitar string."""

    def __init__(self, *, steps: int = STEPS, **given) -> None:
        self.given = given
        kernel = network(**given)
        super().__init__(kernel, (kernel.displacement(), kernel.velocity()), steps)

    @property
    def contact_fraction(self) -> float:
        kernel = network(**self.given)
        kernel.advance(self.steps, self.out, energies=self.ledger, every=AUDIT)
        return kernel.statistics["contact_steps"] / self.steps


class BowedCase:
    """A G string of a violin with torsion, 100 modes, bowed in Helmholtz motion at 96 kHz, by the
    public class; the start is not timed."""

    rate = 96000.0

    def __init__(self, *, steps: int) -> None:
        # here: the history is compared with builds of versions that have no such module
        from pysitar.physics.bow import Bow, Torsion

        string = String(length=0.325, tension=45.0,
                        linear_density=45.0 / (2.0 * 0.325 * 196.0) ** 2, bending_stiffness=4e-5,
                        sigma0=1.2, sigma1=0.06, sigma3=3e-6)
        rise = np.minimum(np.arange(1921) / 1920.0, 1.0)        # of the speed, 20 ms
        bow = Bow(position=0.11 * 0.325, speed=0.1 * rise, force=0.4, torsion=Torsion())
        self.simulation = StringSimulation(string=string, sample_rate=self.rate, bow=bow)
        self.simulation.run(PIECE * 75, [])                     # 0.5 s
        self.steps, self.residual = steps, 0.0

    def __call__(self) -> None:
        for _ in self.pieces():
            pass

    def pieces(self):
        """The next steps, in pieces, with the force on the bridge as output."""
        piece = 5 * PIECE               # a call costs as much as some hundred steps
        for _ in range(self.steps // piece):
            run = self.simulation.run(piece, ["force_start"], energy_every=AUDIT)
            self.residual = max(self.residual, run.residual)
            yield


class PlayedCase:
    """A string as a score plays it, with statics, plucked at 96 kHz; the pluck, the first 33 ms,
    is not timed."""

    rate = 96000.0

    def __init__(self, spec, *, hz: float, steps: int, **pluck) -> None:
        self.string = PlayedString(spec, hz=hz, sample_rate=self.rate, floor=-200.0, name="string")
        self.string.play("pluck", 0, {"lead": 0.0, **pluck})
        self.string.advance(np.empty(PIECE * 5))        # the ramp of 30 ms at most, and the release
        self.steps = steps

    def __call__(self) -> None:
        for _ in self.pieces():
            pass

    def pieces(self):
        """The next steps, in pieces."""
        out = np.empty(PIECE)
        for _ in range(self.steps // PIECE):
            self.string.advance(out)
            yield

    @property
    def residual(self) -> float:
        return self.string.sounding.residual


class TanpuraCase(PlayedCase):
    """The jora string of a tanpura, with its thread, plucked at 60 degrees to the bridge, in one or
    two directions."""

    def __init__(self, *, directions: int, steps: int, **changes) -> None:
        from pysitar.papers.tanpura2d.plucked import PITCH, jora  # here, as above

        # in one direction the part of the force that is across the bridge
        force = 0.8 if directions == 2 else 0.8 * float(np.sin(np.pi / 3.0))
        super().__init__(jora(directions=directions, **changes), hz=PITCH, steps=steps, force=force,
                         angle=60.0)


class SitarCase(PlayedCase):
    """The first string of the sitar, of whose flat bridge seven or eight rows are active."""

    def __init__(self, *, steps: int) -> None:
        spec = parse_instrument(preset_text("sitar"), name="sitar", shown="sitar").parts[0]
        super().__init__(spec, hz=184.788, steps=steps, force=2.0)


def balance(ledger) -> float:
    total = ledger[:, 0] + ledger[:, 1] + ledger[:, 2]
    return float(np.abs(total - total[0] + ledger[:, 3] - ledger[0, 3]).max() / total.max())


class CoupledCase:
    """Strings over their own barriers on one bridge, plucked together; or, not coupled, one after
    another."""

    body_frequencies = (110.0, 205.0, 460.0, 1230.0)       # Hz

    def __init__(self, *, coupled: bool, strings: int = 16, steps: int = 64 * 32) -> None:
        rate, count, self.strings, self.steps = RATE, strings, strings, steps
        modes = [string_modes(replace(STRING, tension=50.0 * 0.97**i), count=MODES)
                 for i in range(count)]
        law = ContactLaw(stiffness=1e9)
        barrier = Barrier(profile=bridge, start=0.0, end=0.03, points=POINTS, law=law)
        rows = [barrier_rows(each, barrier, on_bridge=True) for each in modes]
        self.kernels = [string_network(each, row, rate)
                        for each, row in zip(modes, rows, strict=True)]
        self.start = [triangle(each, position=0.35, height=3e-3) for each in modes]
        body = network_of(
            angular_frequencies=2.0 * np.pi * np.array(self.body_frequencies),
            decay_rates=np.array([12.0, 17.0, 30.0, 90.0]),
            masses=np.array([0.2, 0.12, 0.08, 0.05]),
            rows=[], sample_rate=rate)
        body.set_outputs(np.zeros((1, 4)), np.ones((1, 4)))
        self.whole = Coupled(
            strings=self.kernels, body=body, shape=np.ones(4),
            inertia=[STRING.linear_density / each.wave_numbers for each in modes],
            bridge_shapes=[np.array([row.bridge_shape for row in part]) for part in rows],
            string_mass=count * STRING.linear_density * STRING.length / 3.0) if coupled else None
        self.out = np.empty((steps, 1))
        self.ledger = np.empty((steps // AUDIT, 6))
        self.calls = [StringCall(out=np.empty((steps, 0)), forces=np.empty((steps, 0)))
                      for _ in self.kernels]

    def __call__(self) -> None:
        for kernel, start in zip(self.kernels, self.start, strict=True):
            kernel.set_state(start, np.zeros(MODES))
        if self.whole is not None:
            self.whole.advance(self.steps, self.out, parts=self.calls, energies=self.ledger,
                               every=AUDIT)
            return
        for kernel, call in zip(self.kernels, self.calls, strict=True):
            kernel.advance(self.steps, call.out, energies=self.ledger, every=AUDIT)

    @property
    def residual(self) -> float:
        return balance(self.ledger)
