"""The convergence of the schemes, for the string and for the oscillator."""
from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pysitar.papers.ducceschi2019.oscillator import (
    HARD,
    MOST_OF_THEM,
    SOFT,
    START,
    run_oscillator,
)
from pysitar.papers.ducceschi2019.plucked import (
    OUTPUT_POSITION,
    PAPER,
    PLUCKED,
    PLUCKS,
    RATE,
    SCHEMES,
    TWO_POINT,
    Scheme,
    pluck_string,
    relative_difference,
    stable_modes,
)
from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    VERMILION,
    legend_below,
    power_of_ten,
    sheet,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

FACTORS, FINEST = (1, 2, 4, 8, 16), 64
LASTING = 0.03                  # s of the string
BARRIERS = ("none", "point", "board")
GRID, MODES = ("iterative", "explicit", "explicit, mended"), ("modal", "modal, mended")
MOST_MODES = 1000               # of a reference

RATES, REFERENCE = (1, 2, 5, 10, 20, 40), 320             # times 44.1 kHz, of the oscillator
PERIODS = 0.2                   # s of the oscillator, three impacts
# m: the phase of a sample at the impact counts
STARTS = tuple(START + 1e-3 * place for place in range(-5, 6))
HALF_ORDER, SECOND_ORDER = 0.5, 1.8
MORE_ERROR = 0.05               # of the explicit scheme, over that of the iterative one
FOLLOWS = 1e-5                  # relative difference of the mended scheme on the same grid
VARIANTS = {
    "iterative": ("iterative", None), "explicit": ("explicit", "paper"),
    "sign": ("explicit", "sign"), "release": ("explicit", "release"),
    "midpoint": ("explicit", "midpoint")
}
LOOKS = {
    "iterative": (VERMILION, "-", "o"), "explicit": (BLUE, "--", "s"), "sign": (GREEN, "-.", "^"),
    "release": (ORANGE, ":", "D"), "midpoint": (PURPLE, (0, (5, 1.5)), "x"),
    "explicit, mended": (ORANGE, ":", "D"), "two-point": (BLACK, "-", "x"),
    "modal": (GREEN, "-.", "^"), "modal, mended": (PURPLE, (0, (3, 1, 1, 1)), "v")
}


def record_output(scheme: Scheme, barrier: str, factor: int, modes: int | None = None, *,
                  plucked: float = PLUCKED) -> FloatArray:
    """Return the output of the string at the samples of 44.1 kHz, computed at a multiple of that
    rate."""
    sim = pluck_string(scheme, barrier, factor * RATE, modes=modes, between=True, plucked=plucked)
    steps = factor * round(LASTING * RATE)
    return np.asarray(sim.run(steps + 1, [("displacement", OUTPUT_POSITION)]).outputs[::factor, 0])


def convergence_orders(errors: Sequence[float], factors: Sequence[int] = FACTORS) -> list[float]:
    """Return the order of convergence between each two successive rates."""
    return [
        math.log(one / other) / math.log(finer / factor)
        for one, other, factor, finer in zip(errors, errors[1:], factors, factors[1:], strict=False)
    ]


def on_grids(barrier: str, *, factors: Sequence[int] = FACTORS) -> Numbers:
    """Return the relative errors of the schemes on a grid against the iterative scheme, at 64 times
    44.1 kHz and at the same rate."""
    reference = record_output(SCHEMES["iterative"], barrier, FINEST)
    numbers: Numbers = {}
    same: list[FloatArray] = []
    for name in GRID if barrier != "none" else GRID[:1]:
        outs = [record_output(SCHEMES[name], barrier, factor) for factor in factors]
        same = same or outs
        errors = [relative_difference(out, reference) for out in outs]
        numbers[name] = {"error": errors, "order": convergence_orders(errors, factors)}
        if name != "iterative":
            numbers[name]["difference_from_iterative"] = [
                relative_difference(out, own) for out, own in zip(outs, same, strict=True)
            ]
    return numbers


def in_modes(*, fixed: bool, factors: Sequence[int] = FACTORS,
             plucked: float = PLUCKED) -> Numbers:
    """Return the relative errors of the schemes of modes with the point.

    Parameters: fixed, whether every rate has the number of modes of 44.1 kHz; otherwise each rate
    has all its stable modes; plucked, the position of the pluck (m).
    """
    count = stable_modes(RATE)
    modes = {
        factor: count if fixed else min(stable_modes(factor * RATE), MOST_MODES)
        for factor in (*factors, FINEST)
    }
    reference = record_output(TWO_POINT if fixed else SCHEMES["modal, mended"], "point", FINEST,
                              modes[FINEST], plucked=plucked)
    schemes = {"two-point": TWO_POINT} if fixed else {}
    numbers: Numbers = {}
    for name, scheme in (schemes | {name: SCHEMES[name] for name in MODES}).items():
        errors = [
            relative_difference(
                record_output(scheme, "point", factor, modes[factor], plucked=plucked), reference)
            for factor in factors
        ]
        numbers[name] = {"error": errors, "order": convergence_orders(errors, factors)}
    return numbers


def try_plucks_in_modes() -> Numbers:
    """Return the lowest order between two rates with a fixed number of modes, by scheme and
    pluck."""
    runs = [in_modes(fixed=True, plucked=plucked) for plucked in PLUCKS]
    return {"plucks_m": list(PLUCKS), **{
        name: [min(run[name]["order"]) for run in runs] for name in ("modal", "two-point")}}


def _table(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3e}" for value in values)


def _string() -> Finding:
    numbers: Numbers = {barrier: on_grids(barrier) for barrier in BARRIERS}
    numbers |= {
        "factors": list(FACTORS), "modes": in_modes(fixed=False),
        "fixed_modes": in_modes(fixed=True), "fixed_modes_by_pluck": try_plucks_in_modes()
    }
    return Finding(
        key="ducceschi2019:convergence", title="Convergence of the string",
        source=f"{PAPER}, sections 3.3 and 4", caption=
        "Relative error of the displacement at 0.9 m over 30 ms against the sample rate over 44.1 "
        "kHz. Left: on a grid with the point, against the iterative scheme at 64 times the rate "
        "(grey: without a barrier), and the difference of the mended scheme from the iterative one "
        "on the same grid (crosses). Right: with 142 modes at every rate, against the two-point "
        "scheme at 64 times the rate.", numbers=numbers, curves={},
        statements=_string_statements(numbers))


def _string_statements(numbers: Numbers) -> tuple[Statement, ...]:
    point, fixed = numbers["point"], numbers["fixed_modes"]
    pairs = [
        (one, other) for barrier in BARRIERS[1:]
        for one, other in zip(numbers[barrier]["explicit"]["error"],
                              numbers[barrier]["iterative"]["error"], strict=True)
    ]
    gain = max(one / other - 1.0 for one, other in pairs)
    small = max(error for barrier in BARRIERS[1:]
                for error in numbers[barrier]["explicit, mended"]["difference_from_iterative"])
    slow, fast = (min(fixed[name]["order"]) for name in ("modal", "two-point"))
    tried = numbers["fixed_modes_by_pluck"]
    slowly, steadily = max(tried["modal"]), min(tried["two-point"])
    least = min(order for name in GRID for order in point[name]["order"])
    modal = numbers["modes"]["modal"]["error"]
    return (
        judge(
            paper="All schemes converge to one solution.",
            computed=f"errors at {_factors(numbers)} x 44.1 kHz: "
            + "; ".join(f"{name} {_table(point[name]['error'])}" for name in GRID)
            + f"; modal {_table(modal)}", holds=least > HALF_ORDER and modal[-1] < 0.5 * modal[0],
            condition=f"each order on the grid is over {HALF_ORDER:g}, and the modal error at the "
            "highest rate is less than half of that at the lowest",
            reason="first order is expected where waves on the grid disperse; half of it is still "
            "convergence"),
        judge(
            paper="The explicit scheme converges more slowly than the iterative one.", computed=
            (f"not on the string: at {len(pairs)} pairs of rate and barrier its error is at most "
             f"{100 * gain:.1g} % greater, because the dispersion of the waves on the grid causes "
             f"a greater error than the contact (without a barrier "
             f"{_table(numbers['none']['iterative']['error'])})"), holds=gain > MORE_ERROR,
            condition=f"its error is over {100 * MORE_ERROR:g} % greater for some rate, with the "
            "point or the board", reason="for the same rate, the paper says, the iterative scheme "
            "is nearer to the solution; 5 % would be seen in a figure of errors"),
        judge(
            paper=
            "The schemes without iteration converge more slowly, where the contact alone "
            "counts.",
            computed="with 142 modes at every rate the lowest order is "
            f"{slow:.2f} (modal, as printed) and {fast:.2f} (two-point); plucked at "
            f"{len(tried['plucks_m'])} positions at most {slowly:.2f} and at least {steadily:.2f}",
            holds=max(slow, slowly) < SECOND_ORDER < min(fast, steadily),
            condition=f"the lowest order between two rates is below {SECOND_ORDER:g} as printed, "
            "and above it with iteration, wherever the string is plucked",
            reason="a tenth below second order"),
        judge(
            paper=
            "Other ways than oversampling to make the explicit scheme better are left open.",
            verdict="beyond the paper", otherwise="cannot be compared", computed=
            "one is the mended scheme, whose variable follows the contact energy: on the same "
            f"grid it differs from the iterative one by at most {small:.1g}, at a fixed cost",
            holds=small < FOLLOWS, condition=f"it differs by less than {FOLLOWS:g}, with the point "
            "and the board, at each rate", reason="the explicit scheme as printed differs "
            "by at least as much at every rate"),
    )


def _factors(numbers: Numbers) -> str:
    return ", ".join(str(factor) for factor in numbers["factors"])


def _draw_string(finding: Finding) -> Drawing:
    drawing, [left, right] = sheet(1, 2, height=3.2, sharex=True, sharey=True)
    numbers, factors = finding.numbers, finding.numbers["factors"]
    left.plot(factors, numbers["none"]["iterative"]["error"], color=GREY, linewidth=3.0,
              label="no barrier")
    for axes, group in ((left, numbers["point"]), (right, numbers["fixed_modes"])):
        for name, found in group.items():
            colour, style, marker = LOOKS[name]
            axes.plot(factors, found["error"], color=colour, linestyle=style, marker=marker,
                      label=name)
    left.plot(factors[:3], numbers["point"]["explicit, mended"]["difference_from_iterative"][:3],
              linestyle=":", marker="x", color=ORANGE, label="mended - iterative")
    left.set(xscale="log", yscale="log", title="grid", ylabel="relative error", ylim=(1e-10, 1e-1))
    right.set_title("142 modes")
    left.set_xticks(factors, [str(factor) for factor in factors])
    left.minorticks_off()
    handles: dict[str, Any] = {}
    for axes in (left, right):
        axes.set_xlabel("rate / 44.1 kHz")
        handles |= {
            label: handle
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
    drawing.legend([*handles.values()], [*handles], loc="outside lower center", ncols=2)
    return drawing


def of_oscillator(stiffness: float, *, starts: Sequence[float] = STARTS,
                  rates: Sequence[int] = RATES) -> Numbers:
    """Return the relative errors of each variant over 0.2 s: the root mean square over the starts,
    and those of the middle start, which is the one of the paper."""
    references = [
        _position("explicit", stiffness, REFERENCE, start, "midpoint") for start in starts
    ]
    middle = references[len(starts) // 2]
    numbers: Numbers = {
        "reference_at_0.05_and_0.15_s_m": [
            float(middle[round(time * RATE)]) for time in (0.05, 0.15)
        ]
    }
    for name, (scheme, variant) in VARIANTS.items():
        each = [[relative_difference(_position(scheme, stiffness, rate, start, variant), reference)
                 for start, reference in zip(starts, references, strict=True)] for rate in rates]
        means = [math.sqrt(math.fsum(error * error for error in row) / len(row)) for row in each]
        numbers[name] = {
            "error": means, "order": convergence_orders(means, rates),
            "error_from_the_middle": [row[len(starts) // 2] for row in each],
            "starts_whose_error_grows_at_some_rate": sum(
                any(after > before for before, after in pairwise(own))
                for own in zip(*each, strict=True))
        }
    return numbers


def _position(scheme: str, stiffness: float, factor: int, start: float,
              variant: str | None) -> FloatArray:
    """Return the positions at the samples of 44.1 kHz."""
    return run_oscillator(scheme, stiffness, factor * RATE, duration=PERIODS, start=start,
                  variant=variant).position[::factor]


def _oscillator() -> Finding:
    numbers: Numbers = {
        "rates_over_44100_Hz": list(RATES), "soft": of_oscillator(SOFT), "hard": of_oscillator(HARD)
    }
    return Finding(
        key="ducceschi2019:convergence-oscillator", title="Convergence of the oscillator",
        source=f"{PAPER}, sections 2.3 and 4", caption=
        "Relative error of the position over 0.2 s (three impacts) against the sample rate over "
        f"44.1 kHz, root mean square over {len(STARTS)} starts from {STARTS[0]:g} to "
        f"{STARTS[-1]:g} m; reference: the midpoint variant at 320 times the "
        "rate. Left: the soft barrier of "
        "Fig. 1; right: the hard one of Figs 2 and 3. Sign, release and midpoint are mended "
        "variants of the explicit scheme.",
        numbers=numbers, curves={}, statements=_oscillator_statements(numbers))


def _oscillator_statements(numbers: Numbers) -> tuple[Statement, ...]:
    soft, hard = numbers["soft"], numbers["hard"]
    rates = numbers["rates_over_44100_Hz"]
    ends = {
        name: math.log(soft[name]["error"][0] / soft[name]["error"][-1])
        / math.log(rates[-1] / rates[0])
        for name in VARIANTS
    }
    plain = hard["explicit"]["error"]
    grows = hard["explicit"]["starts_whose_error_grows_at_some_rate"]
    ratio = soft["midpoint"]["error"][0] / soft["iterative"]["error"][0]
    return (
        judge(
            paper="The iterative scheme converges faster than the explicit one.",
            computed="mean orders with the soft barrier: "
            + ", ".join(f"{name} {order:.2f}" for name, order in ends.items()),
            holds=ends["iterative"] > ends["explicit"] + HALF_ORDER,
            condition=f"its mean order is over {HALF_ORDER:g} greater",
            reason="half of the step from first to second order; of all starts"),
        judge(
            paper="How the error falls with the rate at the hard barrier is not said.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed=f"not steadily: from {grows} of {len(STARTS)} starts it grows from one rate "
            f"to a higher one; the errors over 0.2 s at {', '.join(map(str, rates))} x 44.1 kHz "
            f"are {_table(plain)}; release {_table(hard['release']['error'])}",
            holds=grows >= MOST_OF_THEM,
            condition="the error of the explicit scheme grows at some rate from "
            f"{MOST_OF_THEM} of {len(STARTS)} starts",
            reason="the root mean square over all starts may fall at every rate: it depends on "
            "which starts"),
        judge(
            paper="Whether a scheme without iteration can be as accurate at the same rate is not "
            "tried.", verdict="beyond the paper", otherwise="cannot be compared",
            computed="as printed it is not; with its variable set by a midpoint rule, still "
            f"without iteration to a tolerance, its error at 44.1 kHz is "
            f"{soft['midpoint']['error'][0]:.2e}, that of the iterative scheme "
            f"{soft['iterative']['error'][0]:.2e}", holds=ratio < 1.0,
            condition="the midpoint variant errs less than the iterative scheme with the soft "
            "barrier", reason="it is a mean over all starts"),
    )


def _draw_oscillator(finding: Finding) -> Drawing:
    drawing, axes = sheet(1, 2, height=2.9, sharex=True, sharey=True)
    rates = finding.numbers["rates_over_44100_Hz"]
    for one, (group, stiffness) in zip(axes, (("soft", SOFT), ("hard", HARD)), strict=True):
        for name in VARIANTS:
            colour, style, marker = LOOKS[name]
            one.plot(rates, finding.numbers[group][name]["error"], color=colour, linestyle=style,
                     marker=marker, label=name)
        one.set(
            xlabel="rate / 44.1 kHz",
            title=f"{group}, {stiffness / 10 ** int(math.log10(stiffness)):g} $\\cdot$ "
            + power_of_ten(10.0**int(math.log10(stiffness))) + r" N/m$^{1.1}$")
    axes[0].set(xscale="log", yscale="log", ylabel="relative error")
    axes[0].set_xticks(rates, [str(rate) for rate in rates])
    axes[0].minorticks_off()
    legend_below(drawing, axes[0])
    return drawing


FIGURES = (
    Figure(key="ducceschi2019:convergence", title="Convergence of the string",
           source=f"{PAPER}, sections 3.3 and 4", compute=_string,
           judge=_string_statements, draw=_draw_string),
    Figure(key="ducceschi2019:convergence-oscillator", title="Convergence of the oscillator",
           source=f"{PAPER}, sections 2.3 and 4", compute=_oscillator,
           judge=_oscillator_statements, draw=_draw_oscillator),
)
