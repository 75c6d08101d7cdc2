"""The bounds (22), (45) and (62), and the stiffness of a point barrier, as they are printed."""
from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import pysitar
from pysitar.papers.ducceschi2019.oscillator import MASS, SOFT, SPEED, START
from pysitar.papers.ducceschi2019.plucked import (
    DENSITY,
    DURATION,
    LAW,
    OUTPUT_POSITION,
    PAPER,
    RATE,
    SCHEMES,
    STRING,
    intervals,
    pluck_string,
    relative_difference,
)
from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.style import BLACK, BLUE, GREEN, ORANGE, VERMILION, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

FREQUENCIES = (1e3, 2e3, 3e3, 4e3, 5e3, 6e3, 7e3, 8e3, 9e3, 10e3)                   # Hz
LISTED = 6e3                    # Hz
STEPS = 2000
AMPLITUDE = 1e-4                # m, of the string
FAR = 1e3                       # m, a barrier that is never reached
BOUNDS = ("(22) oscillator", "(45) string on a grid", "(62) mode")
EXCEEDED, FORMULA = 1e-3, 1e-4                            # of a bound
FACTORS = (1, 2, 5, 10, 20)     # times 44.1 kHz, of the point with its stiffness as a density
FREE = 0.2                      # of the output: less than this is nearly no barrier
FALLS = 0.5                     # from the first to the last of FACTORS


def exact_factor(frequency: float) -> float:
    """Return the greatest velocity over the printed bound, at a frequency (Hz) of the solution."""
    return 1.0 / math.sqrt(1.0 - (math.pi * frequency / RATE) ** 2)


def oscillator_ratio(frequency: float) -> float:
    """Return the greatest velocity of the free oscillator over the bound (22)."""
    run = pysitar.mass_barrier(mass=MASS, stiffness=SOFT, exponent=1.1, frequency=frequency,
                               barrier=FAR, sample_rate=RATE, steps=STEPS, position=START,
                               velocity=SPEED, scheme="iterative")
    return float(np.abs(run.velocity[1:]).max() / math.sqrt(2.0 * run.energy[1] / MASS))


def mode_of(frequency: float) -> int:
    """Return the mode of the string that is nearest to a frequency (Hz)."""
    modes = np.arange(1, 200)
    return int(modes[np.argmin([abs(_frequency(int(mode)) - frequency) for mode in modes])])


def _frequency(mode: int) -> float:
    return float(STRING.angular_frequency(mode)) / (2.0 * math.pi)


def grid_ratio(mode: int) -> float:
    """Return the greatest velocity norm of the free string on a grid over the bound (45)."""
    sim = pysitar.StringSimulation(string=STRING, sample_rate=RATE, scheme="fd-iterative")
    sim.set_displacement(lambda x: AMPLITUDE * math.sin(mode * math.pi * x / STRING.length))
    nodes = sim.nodes
    run = sim.run(STEPS, outputs=[("displacement", float(x)) for x in nodes])
    spacing = STRING.length / (nodes.size - 1)
    norms = RATE * np.sqrt(spacing * np.square(np.diff(run.outputs, axis=0)).sum(axis=1))
    return float(norms.max() / math.sqrt(2.0 * run.energy[1] / DENSITY))


def mode_ratio(mode: int) -> float:
    """Return the greatest velocity of one mode of the free string over the bound (62)."""
    sim = pysitar.StringSimulation(string=STRING, sample_rate=RATE, scheme="modal-explicit",
                                   modes=mode)
    sim.set_displacement(modal=[0.0] * (mode - 1) + [AMPLITUDE])
    run = sim.run(STEPS, outputs=[("mode", mode)])
    velocity = RATE * np.abs(np.diff(run.outputs[:, 0])).max()
    return float(velocity / math.sqrt(4.0 * run.energy[1] / (DENSITY * STRING.length)))


def _bounds() -> Numbers:
    """Return the greatest velocities over the printed bounds, by frequency."""
    modes = [mode_of(frequency) for frequency in FREQUENCIES]
    return {
        "frequency_Hz": list(FREQUENCIES), "mode": modes,
        "mode_frequency_Hz": [_frequency(mode) for mode in modes],
        "expected": [exact_factor(frequency) for frequency in FREQUENCIES],
        BOUNDS[0]: [oscillator_ratio(frequency) for frequency in FREQUENCIES],
        BOUNDS[1]: [grid_ratio(mode) for mode in modes],
        BOUNDS[2]: [mode_ratio(mode) for mode in modes],
    }


def density_barrier(factor: int) -> Numbers:
    """Return how much softer the point is with its stiffness as a density on one node, and the
    relative difference of the output from that without a barrier, with both stiffnesses."""
    rate, steps = factor * RATE, round(factor * RATE * DURATION) + 1
    count = intervals(rate)
    laws = {"density": replace(LAW, stiffness=LAW.stiffness * STRING.length / count), "point": LAW}
    outputs = [("displacement", OUTPUT_POSITION)]
    free = pluck_string(SCHEMES["iterative"], "none", rate).run(steps, outputs).outputs[:, 0]
    return {
        "softer": count / STRING.length, **{
            name: relative_difference(
                pluck_string(SCHEMES["iterative"], "point", rate, law=law).run(
                    steps, outputs).outputs[:, 0], free) for name, law in laws.items()
        }
    }


def _equations() -> Finding:
    points = [density_barrier(factor) for factor in FACTORS]
    numbers: Numbers = {"bounds": _bounds(), "barrier": {
        "rate_over_44100_Hz": list(FACTORS),
        **{name: [one[name] for one in points] for name in ("softer", "density", "point")}
    }}
    bounds, barrier = numbers["bounds"], numbers["barrier"]
    curves: dict[str, FloatArray] = {
        "frequency_Hz": np.array(FREQUENCIES),
        **{f"{name} over_bound": np.array(bounds[name]) for name in BOUNDS},
        "rate_over_44100_Hz": np.array(FACTORS, dtype=np.float64),
        **{f"{name} difference_from_free": np.array(barrier[name]) for name in ("density", "point")}
    }
    return Finding(
        key="ducceschi2019:equations", title="Bounds and stiffness as they are printed",
        source=f"{PAPER}, eqs. (22), (45), (62), Fig. 4", caption=
        "Top: the greatest velocity of the oscillator, of the string on a grid and of a mode, "
        "without contact, over the bounds (22), (45) and (62), against the frequency, at 44.1 kHz; "
        "black: 1 / sqrt(1 - (pi f / fs)^2). Bottom: relative difference of the output of the "
        "string of Fig. 4 from that without a barrier, over 40 ms, against the sample rate, with "
        "the stiffness of the point as a density on one node, as printed, and as that of the "
        "point.", numbers=numbers, curves=curves, statements=_equation_statements(numbers))


def _equation_statements(numbers: Numbers) -> tuple[Statement, ...]:
    bounds, barrier = numbers["bounds"], numbers["barrier"]
    at = bounds["frequency_Hz"].index(LISTED)
    off = max(abs(own / expected - 1.0)
              for own, expected in zip(bounds[BOUNDS[0]], bounds["expected"], strict=True))
    least = min(bounds[name][at] for name in BOUNDS)
    return (
        judge(
            paper="(22), (45), (62): the velocities stay within these bounds.",
            verdict="paper is wrong", otherwise="agrees", computed=
            f"near {LISTED / 1e3:g} kHz, without contact, the velocity is "
            f"{bounds[BOUNDS[0]][at]:.3f}, {bounds[BOUNDS[1]][at]:.3f} and "
            f"{bounds[BOUNDS[2]][at]:.3f} times the bound, because the potential "
            "energy of two successive steps can be below 0; with the factor "
            f"1 / sqrt(1 - (pi f / fs)^2) the bound of (22) is reached to {off:.0e} at "
            f"{len(FREQUENCIES)} frequencies",
            holds=least > 1.0 + EXCEEDED and off < FORMULA,
            condition=f"each is exceeded by over {100 * EXCEEDED:g} %, and the factor is right to "
            f"{FORMULA:g}", reason="a bound has no margin; the greatest of 2000 samples misses the "
            "crest by 1e-5 or less"),
        judge(
            paper="K of the point barrier is 5e6, in the density (9) of one node.",
            verdict="paper is wrong", otherwise="agrees", computed=
            f"the point is then {barrier['softer'][0]:.0f} times softer at 44.1 kHz than with this "
            f"stiffness itself, and the more so the finer the grid: at "
            f"{', '.join(map(str, barrier['rate_over_44100_Hz']))} x 44.1 kHz the output differs "
            f"from that without a barrier by {_list(barrier['density'])}, which tends to no "
            f"barrier; with the stiffness of the point by {_list(barrier['point'])}",
            holds=max(barrier["density"]) < FREE < min(barrier["point"])
            and barrier["density"][-1] < FALLS * barrier["density"][0],
            condition=f"the difference from no barrier is less than {FREE:g} as printed, falls to "
            f"less than {FALLS:g} of itself, and is over {FREE:g} with the stiffness of the point",
            reason="a limit that is no barrier is not the string of Figs 4 to 7, which is stopped "
            "by the point"),
    )


def _list(values: list[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def _draw(finding: Finding) -> Drawing:
    drawing, [top, bottom] = sheet(2, 1, height=4.2)
    curves = finding.curves
    khz = curves["frequency_Hz"] / 1e3
    fine = np.linspace(float(khz[0]), float(khz[-1]), 200)
    top.plot(fine, [exact_factor(1e3 * one) for one in fine], color=BLACK, linewidth=0.7,
             label="expected")
    for name, colour, marker in zip(BOUNDS, (BLUE, VERMILION, GREEN), "os^", strict=True):
        top.plot(khz, curves[f"{name} over_bound"], linestyle="none", marker=marker, color=colour,
                 markerfacecolor="none", label=name)
    top.axhline(1.0, color=BLACK, linestyle=":", linewidth=0.8)
    top.set(xlabel="frequency (kHz)", ylabel="velocity / bound")
    top.legend(loc="upper left")
    for name, label, colour, marker in (("point", "stiffness of the point", BLUE, "o"),
                                        ("density", "density, as printed", ORANGE, "s")):
        bottom.plot(curves["rate_over_44100_Hz"], curves[f"{name} difference_from_free"],
                    color=colour, marker=marker, label=label)
    bottom.set(xscale="log", yscale="log", xlabel="rate / 44.1 kHz", ylim=(0.02, 1.0),
               ylabel="difference from no barrier")
    bottom.set_xticks(FACTORS, [str(factor) for factor in FACTORS])
    bottom.minorticks_off()
    bottom.legend(loc="lower left")
    return drawing


FIGURES = (Figure(key="ducceschi2019:equations", title="Bounds and stiffness as they are printed",
                  source=f"{PAPER}, eqs. (22), (45), (62), Fig. 4", compute=_equations,
                  judge=_equation_statements, draw=_draw), )
