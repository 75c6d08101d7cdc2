"""The regimes of a bowed string by place and force of the bow, with the limits of Schelleng."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.schelleng1973.bowed import (
    HELMHOLTZ,
    IMPEDANCE,
    MULTIPLE,
    PAPER,
    RAUCOUS,
    ROSIN,
    SPEED,
    SURFACE,
    TORSION_IMPEDANCE,
    bow_string,
)
from pysitar.papers.style import BLACK, BLUE, GREEN, ORANGE, VERMILION, legend_below, sheet
from pysitar.physics.bow import schelleng_limits

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

KEY = "schelleng1973:regimes"
TITLE = "Regimes of a bowed string"
SOURCE = f"{PAPER}: the limits of the bow's force"
BETAS = (0.03, 0.04, 0.055, 0.07, 0.09, 0.12, 0.16, 0.21)
FORCES = (0.07, 0.1, 0.15, 0.21, 0.3, 0.42, 0.6, 0.85, 1.2, 1.7)       # N
PLACES = tuple((beta, force) for beta in (0.09, 0.11) for force in (0.3, 0.4))
STEP = 1.5                      # times: the widest step of the forces
MOST = 0.75                     # of the places or cells: single runs, of which some start otherwise
SLOPE, SLOPE_WITHIN = -2.0, 0.6
BALANCE = 1e-12
MARKERS = {HELMHOLTZ: ("o", BLUE), MULTIPLE: ("^", GREEN), SURFACE: ("v", ORANGE),
           RAUCOUS: ("x", VERMILION)}


def find_regimes(betas: Sequence[float] = BETAS, forces: Sequence[float] = FORCES) -> Finding:
    """Compute the regimes of a grid; betas and forces (N) rise."""
    grid = [[bow_string(beta=beta, force=force) for beta in betas] for force in forces]
    places = [bow_string(beta=beta, force=force) for beta, force in PLACES]
    limits = [schelleng_limits(rosin=ROSIN, impedance=IMPEDANCE, torsion=TORSION_IMPEDANCE,
                               fraction=beta, speed=SPEED) for beta in betas]
    numbers: Numbers = {
        "beta": list(betas), "force_N": list(forces),
        "regimes_by_force": [[one.regime for one in row] for row in grid],
        "slips_in_a_period_by_force": [[one.slips for one in row] for row in grid],
        "pitch_cents_by_force": [[one.cents for one in row] for row in grid],
        "least_force_N": [low for low, _ in limits],
        "greatest_force_N": [high for _, high in limits],
        "impedance_of_string_kg_per_s": IMPEDANCE,
        "impedance_with_torsion_over_that_of_string":
            TORSION_IMPEDANCE / (1.0 + TORSION_IMPEDANCE),
        "places_beta_and_force_N": [list(place) for place in PLACES],
        "regimes_at_places": [one.regime for one in places],
        "energy_residual": max(one.residual for row in (*grid, places) for one in row),
    }
    return Finding(
        key=KEY, title=TITLE, source=SOURCE, caption=
        "The G string of a violin, bowed at the part beta of its length with 0.1 m/s, reached in "
        "20 ms; the last 0.2 s of 1 s. Helmholtz: one slip in a period; multiple slip; surface: no "
        "slip is as fast as a quarter of v / beta; raucous: no period, or over 70 cents out of "
        "tune. Solid: 2 Z v / (beta dmu), Z of string and torsion in series, dmu = mu(0) - mu(v / "
        "beta). Dashed: the least force from which a score is not warned.",
        numbers=numbers, curves={
            "beta": np.array(betas), "greatest force_N": np.array(numbers["greatest_force_N"]),
            "least force_N": np.array(numbers["least_force_N"])},
        statements=judge_regimes(numbers))


def ends_of_helmholtz(numbers: Numbers) -> tuple[dict[float, float], dict[float, float]]:
    """Return the least and the greatest force (N) of Helmholtz motion, by beta; a force is left out
    where the grid does not go beyond it."""
    lowest, highest = {}, {}
    forces = numbers["force_N"]
    for column, beta in enumerate(numbers["beta"]):
        found = [force for force, row in zip(forces, numbers["regimes_by_force"], strict=True)
                 if row[column] == HELMHOLTZ]
        if found and found[0] > forces[0]:
            lowest[beta] = found[0]
        if found and found[-1] < forces[-1]:
            highest[beta] = found[-1]
    return lowest, highest


def judge_regimes(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on the regimes."""
    lowest, highest = ends_of_helmholtz(numbers)
    return (*_judge_greatest(numbers, highest), _judge_least(lowest), *_judge_runs(numbers))


def _judge_greatest(numbers: Numbers, highest: dict[float, float]) -> tuple[Statement, ...]:
    limits = dict(zip(numbers["beta"], numbers["greatest_force_N"], strict=True))
    ratios = {beta: force / limits[beta] for beta, force in highest.items()}
    near = sum(1.0 / STEP <= ratio <= STEP for ratio in ratios.values())
    above = [regime for force, row in zip(numbers["force_N"], numbers["regimes_by_force"],
                                          strict=True)
             for beta, regime in zip(numbers["beta"], row, strict=True)
             if force > STEP * limits[beta]]
    rough = above.count(RAUCOUS)
    series = numbers["impedance_with_torsion_over_that_of_string"]
    return (
        judge(
            paper="The greatest force of one slip in a period is 2 Z v / (beta dmu).",
            computed="the greatest force with Helmholtz motion, over it, with Z of string and "
            f"torsion in series: {_listed(ratios)}; over it with Z of the string alone: "
            + _listed({beta: series * ratio for beta, ratio in ratios.items()}),
            holds=bool(ratios) and near >= MOST * len(ratios),
            condition=f"{MOST:.0%} of the ratios are between 1 / {STEP:g} and {STEP:g}, with "
            "string and torsion in series",
            reason="the widest step of the grid's forces; each cell is one run, and near the limit "
            "the attack decides between two regimes"),
        judge(
            paper="With more force the motion is raucous.",
            computed=f"{rough} of {len(above)} cells over {STEP:g} times the limit",
            holds=bool(above) and rough >= MOST * len(above),
            condition=f"{MOST:.0%} of these cells are raucous",
            reason="a step of the grid above the limit; from beta 0.16 on, steady motions of one "
            "or three slips occur above it"),
    )


def _judge_least(lowest: dict[float, float]) -> Statement:
    slope = _slope(lowest)
    return judge(
        paper="The least force goes with beta^-2.",
        computed=f"the least force with Helmholtz motion goes with beta^{slope:.2f}: "
        + ", ".join(f"{force:g} N at {beta:g}" for beta, force in lowest.items()),
        holds=abs(slope - SLOPE) <= SLOPE_WITHIN,
        condition=f"the exponent is within {SLOPE_WITHIN:g} of {SLOPE:g}",
        reason="a step of 1.5 at both ends of a range of 3 to 4 in beta moves it by 0.6; in the "
        "paper the bridge takes the energy, here the string does")


def _judge_runs(numbers: Numbers) -> tuple[Statement, ...]:
    places, residual = numbers["regimes_at_places"], numbers["energy_residual"]
    return (
        judge(
            paper="The paper has no simulation; its limits are those of an ideal corner.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed="at beta and force (N) "
            + ", ".join(f"{beta:g}, {force:g}: {regime}" for (beta, force), regime in
                        zip(numbers["places_beta_and_force_N"], places, strict=True)),
            holds=places.count(HELMHOLTZ) == len(places),
            condition=f"all {len(places)} are Helmholtz motion",
            reason="they lie between the limits; one slip is a count, without a threshold"),
        judge(
            paper="The paper does not add up the bow's work and the heat of friction.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed="the balance of each run, raucous ones too, closes to "
            f"{residual:.0e} of its greatest energy",
            holds=residual < BALANCE, condition=f"it closes to {BALANCE:g}",
            reason="rounding of 1e5 steps, 1e-16 each, would add up to 1e-11 if all of it had one "
            "sign; a term that is left out shows at 1e-3"),
    )


def _listed(ratios: dict[float, float]) -> str:
    return ", ".join(f"{ratio:.2f} at {beta:g}" for beta, ratio in ratios.items())


def _slope(forces: dict[float, float]) -> float:
    """Return the exponent of forces as a power of beta, by least squares; nan of fewer than two."""
    if len(forces) < 2:
        return math.nan
    x = [math.log(beta) for beta in forces]
    y = [math.log(force) for force in forces.values()]
    middle, height = sum(x) / len(x), sum(y) / len(y)
    spread = sum((one - middle) ** 2 for one in x)
    return sum((one - middle) * (other - height) for one, other in zip(x, y, strict=True)) / spread


def _draw(finding: Finding) -> Drawing:
    numbers = finding.numbers
    drawing, [axes] = sheet(height=3.3)
    for regime, (marker, color) in MARKERS.items():
        found = [(beta, force) for force, row in zip(numbers["force_N"],
                                                     numbers["regimes_by_force"], strict=True)
                 for beta, one in zip(numbers["beta"], row, strict=True) if one == regime]
        axes.plot([beta for beta, _ in found], [force for _, force in found], linestyle="none",
                  marker=marker, markersize=4.5, color=color, label=regime)
    beta = finding.curves["beta"]
    axes.plot(beta, finding.curves["greatest force_N"], color=BLACK,
              label=r"$2 Z v / (\beta\,\Delta\mu)$")
    axes.plot(beta, finding.curves["least force_N"], color=BLACK, linestyle="--", linewidth=0.8,
              label="least of a score")
    low, high = numbers["force_N"][0], numbers["force_N"][-1]
    axes.set(xscale="log", yscale="log", xlabel=r"$\beta$", ylabel="force of the bow (N)",
             ylim=(low / 1.3, high * 1.3))
    ticks = numbers["beta"]
    axes.set_xticks(ticks, [f"{one:g}" for one in ticks])
    axes.set_xticks([], minor=True)
    marks = [one for one in (0.1, 0.2, 0.5, 1.0) if low <= one <= high]
    axes.set_yticks(marks, [f"{one:g}" for one in marks])
    axes.set_yticks([], minor=True)
    legend_below(drawing, axes, columns=3)
    return drawing


FIGURES = (Figure(key=KEY, title=TITLE, source=SOURCE, compute=find_regimes, judge=judge_regimes,
                  draw=_draw), )
