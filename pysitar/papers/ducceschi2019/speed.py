"""The computing times of the iterative and the explicit scheme, measured in one run, as in section
3.3 of the paper."""
from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.ducceschi2019.plucked import (
    DURATION,
    OUTPUT_POSITION,
    PAPER,
    RATE,
    SCHEMES,
    intervals,
    pluck_string,
)
from pysitar.papers.finding import (
    Figure,
    Finding,
    Numbers,
    Statement,
    cannot_compare,
    judge,
)
from pysitar.papers.style import BLACK, BLUE, ORANGE, VERMILION, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FINER = 5
FIXED = 20                      # iterations per collision, in the paper
SHORT = 0.125                   # s of sound whose computation is timed
FASTER = 0.9                    # of a time
ROUNDS = 10                     # rounds, of which the fastest counts
CASES = (("iterative", "none", 1), ("iterative", "board", 1), ("explicit", "board", 1),
         ("explicit, mended", "board", 1), ("explicit", "board", FINER), ("explicit, mended",
                                                                          "board", FINER))


def case_name(name: str, barrier: str, factor: int) -> str:
    """Return the name of a case among the numbers."""
    return f"{name}, {barrier}, {factor} x 44.1 kHz"


def measure_times(seconds: float = SHORT, rounds: int = ROUNDS) -> Numbers:
    """Return the processor seconds for a second of sound, for each case: the fastest of some rounds
    through all cases."""
    best = {case_name(*case): np.inf for case in CASES}
    for _ in range(rounds):
        for name, barrier, factor in CASES:
            sim = pluck_string(SCHEMES[name], barrier, factor * RATE)
            steps = round(seconds * factor * RATE)
            begun = time.thread_time()          # of the processor: others may be computing too
            sim.run(steps, [("displacement", OUTPUT_POSITION)])
            best[case_name(name, barrier, factor)] = min(best[case_name(name, barrier, factor)],
                                                     (time.thread_time() - begun) / seconds)
    return {name: float(taken) for name, taken in best.items()}


def iterations(duration: float = DURATION) -> Numbers:
    """Return the iterations per point in contact at 44.1 kHz, and the number of points in contact
    at a time."""
    points = intervals(RATE) - 1
    run = pluck_string(SCHEMES["iterative"], "board",
                  RATE).run(round(duration * RATE), [("contact_force", k) for k in range(points)])
    touching = np.count_nonzero(run.outputs, axis=1)
    return {
        "a_point_and_step": run.iterations / int(touching.sum()),
        "most_in_a_step": run.most_iterations,
        "points_in_contact_on_average": float(touching[touching > 0].mean()),
        "points_in_contact_at_most": int(touching.max())
    }


def _speed() -> Finding:
    numbers: Numbers = {"seconds_for_a_second": measure_times(), "iterations": iterations()}
    taken, mean = numbers["seconds_for_a_second"], numbers["iterations"]["a_point_and_step"]
    slow, plain, fine = (taken[case_name(name, "board", factor)]
                         for name, factor in (("iterative", 1), ("explicit", 1), ("explicit",
                                                                                  FINER)))
    alone = taken[case_name("iterative", "none", 1)]
    fixed = alone + (slow - alone) * FIXED / mean
    numbers |= {"explicit_5x_over_iterative": fine / slow, "iterative_over_explicit": slow / plain,
                "estimate_with_20_iterations_s_for_a_second": fixed,
                "estimate_with_20_iterations_over_explicit": fixed / plain,
                "explicit_5x_over_estimate_with_20_iterations": fine / fixed}
    return Finding(
        key="ducceschi2019:speed", title="Iterative against explicit: time",
        source=f"{PAPER}, section 3.3", caption=
        "Processor seconds for a second of sound of the string over the board of Fig. 8: the "
        f"fastest of {ROUNDS} rounds of {SHORT:g} s in one run, one processor, compiled, with an "
        "audit of the energy balance at every step. Times differ from machine to machine, and "
        "from run to run.", numbers=numbers, curves={}, statements=_speed_statements(numbers))


def _speed_statements(numbers: Numbers) -> tuple[Statement, ...]:
    taken, mean = numbers["seconds_for_a_second"], numbers["iterations"]["a_point_and_step"]
    slow, fine = (taken[case_name(name, "board", factor)]
                  for name, factor in (("iterative", 1), ("explicit", FINER)))
    fixed = numbers["estimate_with_20_iterations_s_for_a_second"]
    return (
        judge(
            paper=
            "The explicit scheme at 5 times the audio rate is faster than the iterative one "
            "at audio rate, with 20 iterations per collision (in Matlab).",
            computed=
            f"{fine:.2f} s for a second of sound, compiled; the iterative one takes "
            f"{slow:.2f} s with {mean:.1f} iterations per point in contact, so about "
            f"{fixed:.2f} s with {FIXED}",
            holds=numbers["explicit_5x_over_estimate_with_20_iterations"] < FASTER,
            condition=f"it takes less than {FASTER:g} of that time",
            reason=f"the fastest of {ROUNDS} rounds, of processor time, differs by less than a "
            "tenth from run to run"),
        judge(
            paper=
            "Against an iteration that ends when it has converged the paper does not compare.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed="at 5 times the rate the explicit scheme takes "
            f"{numbers['explicit_5x_over_iterative']:.1f} times as long as the iterative one that "
            "stops when it has converged to rounding",
            holds=numbers["explicit_5x_over_iterative"] > 1.0 / FASTER,
            condition=f"it takes over {1.0 / FASTER:.2f} times as long",
            reason="as above"),
        cannot_compare(
            paper=
            "At the same rate the explicit scheme can be up to ten times as fast (from its "
            "companion paper).",
            computed=f"{numbers['iterative_over_explicit']:.1f} times as fast here as an iteration "
            "that stops when it has converged, about "
            f"{numbers['estimate_with_20_iterations_over_explicit']:.0f} times as fast as "
            f"{FIXED} iterations",
            reason="the cases, and the number of iterations, are in the companion paper alone, "
            "and up to is no number to fall below"),
    )


def _draw(finding: Finding) -> Drawing:
    drawing, [axes] = sheet(height=2.3)
    taken = finding.numbers["seconds_for_a_second"]
    colours = {"iterative": VERMILION, "explicit": BLUE, "explicit, mended": ORANGE}
    cases = [case for case in CASES if case[1] == "board"]
    labels = [f"{name}, {'44.1' if factor == 1 else '220.5'} kHz" for name, _, factor in cases]
    values = [taken[case_name(*case)] for case in cases]
    labels.append("iterative, 20 iterations\n(estimated), 44.1 kHz")
    values.append(finding.numbers["estimate_with_20_iterations_s_for_a_second"])
    bars = axes.barh(labels, values, color=[*(colours[name] for name, _, _ in cases), "white"],
                     edgecolor=BLACK, linewidth=0.6, height=0.65)
    for bar, hatch in zip(bars, ("", "", "", "//", "//", ".."), strict=True):
        bar.set_hatch(hatch)
    for place, value in enumerate(values):
        axes.text(value, place, f" {value:.2f}", va="center", fontsize=7)
    axes.invert_yaxis()
    axes.set(xlabel="time for a second of sound (s)", xlim=(0.0, 1.2 * max(values)))
    axes.grid(visible=False, axis="y")
    return drawing


FIGURES = (Figure(key="ducceschi2019:speed", title="Iterative against explicit: time",
                  source=f"{PAPER}, section 3.3", compute=_speed,
                  judge=_speed_statements, draw=_draw), )
