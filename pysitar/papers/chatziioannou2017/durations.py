"""The durations of contacts: figure 6, and the correction for exponents other than 1, which the
paper leaves open."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import pysitar
from pysitar.papers.chatziioannou2017.collision import (
    HARD,
    LINES,
    PAPER,
    SCHEMES,
    TRIED,
    US,
    Collision,
    greatest_error,
    phases,
)
from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.style import BLACK, CYCLE, legend_below, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

SHORTEST = {"two-point": 1, "three-point": 2}             # steps, the paper's limits
# Hz, at which the errors of figure 6 are listed
RATES = (10e3, 20e3, 22.05e3, 30e3, 44.1e3, 48e3, 50e3)
# Hz, of figure 6, at which the hard collision is too short for both schemes
SLOW_RATES = tuple(10e3 + 20e3 * place / (TRIED - 1) for place in range(TRIED))
MARGIN, RIGHT = 0.01, 1e-9      # of the shortest duration; relative error of a half period
MUCH = 1.5                      # factor between the errors of the schemes in figure 6
EXPONENTS = (1.0, 1.1, 1.3, 1.5, 2.0, 2.5, 3.0)
RATIOS = (3.0, 6.0, 10.0, 20.0)                           # exact duration over the time step
UNEVEN = (1.1, 1.25, 1.5, 1.75, 2.25, 2.5, 3.5, 4.5, 6.5, 10.5, 20.5)
STIFF = 1e12  # stiffness of a contact that lasts a ten-thousandth of a step
MENDED = 0.1                    # part of the error that the correction may leave
FROM_STEPS = 6.0                # shortest duration, in steps, for which it is required
BETTER_ORDER = 1.5              # halfway from first to second order
NOTHING = 1e-9                                            # %, an error that is only rounding
ENTRIES = 64  # instants within a step at which the contact begins
EXPONENTS_CAPTION = (
    "Mean error of the duration of a contact, over the instants at which the contact can begin, "
    "against the exponent, for exact durations of 3, 6, 10 and 20 time steps. Filled: without "
    "correction. Open: with the stiffness multiplied by s^c, s the factor of (15), (16) at "
    "pi dt / duration, c the closed form of pysitar.analytic.duration_excess (two-point, exponent "
    "1: exact for whole numbers of steps, so not shown).")


def collision_of(ratio: float, exponent: float = 1.0) -> Collision:
    """Return a collision of 1 kg and 1 m/s with an exact duration of `ratio` time steps of 1 s."""
    unit = pysitar.analytic.lossless_contact_time(mass=1.0, stiffness=1.0, exponent=exponent,
                                                  velocity=1.0)
    return Collision(stiffness=math.pow(unit / ratio, exponent + 1.0), exponent=exponent,
                     start=-3.5, rate=1.0)


def mean_error(collision: Collision, scheme: str, *, corrected: bool = False) -> float:
    """Return the relative error of the duration, the mean over the instants within a step at which
    the contact can begin."""
    delays = [
        one.delay(one.positions(scheme, corrected=corrected)) for one in phases(collision, ENTRIES)
    ]
    return math.fsum(delays) / len(delays) / collision.duration - 1.0


def _fig6() -> Finding:
    exact = Collision(stiffness=HARD).duration
    rates = np.arange(10e3, 100.1e3, 1e3)
    curves: dict[str, FloatArray] = {"rate_Hz": rates}
    numbers: Numbers = {"exact_us": US * exact, "rates_Hz": list(RATES)}
    for scheme, steps in SHORTEST.items():
        errors = [max(0.0, steps / rate - exact) for rate in RATES]
        numbers[scheme] = {
            "half_period_off_above": _half_period(scheme, steps * (1.0 + MARGIN)) - 1.0,
            "half_period_off_below": _half_period(scheme, steps * (1.0 - MARGIN)) - 1.0,
            "exact_from_Hz": steps / exact, "error_us": [US * error for error in errors],
            **_limits(scheme)
        }
        curves[f"{scheme} shortest_us"] = US * steps / rates
        curves[f"{scheme} error_us"] = US * np.maximum(0.0, steps / rates - exact)
        curves[f"{scheme} measured error_us"] = np.array([
            US * exact * mean_error(Collision(stiffness=HARD, rate=rate), scheme, corrected=True)
            for rate in rates.tolist()
        ])
    numbers["slow_rates_Hz"] = list(SLOW_RATES)
    numbers["error_us_at_slow_rates"] = {
        scheme: [
            US * exact * mean_error(Collision(stiffness=HARD, rate=rate), scheme, corrected=True)
            for rate in SLOW_RATES
        ] for scheme in SCHEMES
    }
    return Finding(
        key="chatziioannou2017:fig6", title="The shortest contact at each sample rate",
        source=f"{PAPER}, Fig. 6", caption=
        "Top: the shortest contact that each scheme can make exactly, by the paper: one and two "
        "time steps; dashed black: the hard collision of Fig. 3. Bottom: the error of the duration "
        "of that collision, by the paper (lines), and in the corrected schemes, the mean over the "
        "instants at which the contact can begin (marks).", numbers=numbers,
        curves=curves, statements=_fig6_statements(numbers))


def _fig6_statements(numbers: Numbers) -> tuple[Statement, ...]:
    two, three = (numbers[scheme] for scheme in SCHEMES)
    at = RATES.index(22.05e3)
    right = max(abs(one["half_period_off_above"]) for one in (two, three))
    wrong = min(abs(one["half_period_off_below"]) for one in (two, three))
    ratios = [
        one / other for other, one in zip(*(numbers["error_us_at_slow_rates"][scheme]
                                            for scheme in SCHEMES), strict=True)
    ]
    return (
        judge(paper="The two-point scheme can be exact down to one step, the three-point scheme "
              "down to two.", computed=
              f"the half period of (15), (16) is right to {right:.0e} for {1 + MARGIN:g} times "
              f"these durations, and wrong by {100 * wrong:.0f} % or more for {1 - MARGIN:g} times "
              f"them; the hard collision then needs {two['exact_from_Hz']:.0f} Hz and "
              f"{three['exact_from_Hz']:.0f} Hz", holds=right < RIGHT and wrong > MARGIN / 10.0,
              condition=f"the half period is right to {RIGHT:g} just over these durations, and off "
              f"by over {10 * MARGIN:g} % just under them",
              reason="the paper means the frequency in contact; rounding above, a tenth of the "
              "margin below"),
        judge(paper="A contact lasts at least one step (two-point) or two (three-point).",
              computed=f"as the paper counts, by samples inside the wall: at least "
              f"{two['fewest_inside']} and {three['fewest_inside']}",
              holds=(two["fewest_inside"], three["fewest_inside"]) == (1, 2),
              condition="the fewest samples inside are 1 and 2, for a stiffness without limit",
              reason="counts have no threshold; 256 instants at which the contact can begin"),
        judge(paper="How long the shortest contacts last, in time, is not said.",
              computed="between the lines of flight, for infinite stiffness, the two-point scheme "
              f"takes {two['shortest_steps']:.4f} steps, the three-point scheme "
              f"{three['shortest_steps']:.4f} (3 - sqrt 2) to "
              f"{three['longest_steps']:.4f}, on average {three['mean_steps']:.4f}",
              verdict="beyond the paper", otherwise="cannot be compared",
              holds=three["shortest_steps"] < 1.99 and abs(two["shortest_steps"] - 1.0) < 0.01,
              condition="these times differ from two steps by over 0.01 steps, and from one by "
              "less", reason="the finite stiffness changes them by 1e-4 steps"),
        judge(paper="Contacts that are too short for the rate err much more in the three-point "
              "scheme.", computed=
              f"at 22.05 kHz, by the paper's limits, {two['error_us'][at]:.2f} µs and "
              f"{three['error_us'][at]:.2f} µs; measured at {TRIED} rates from 10 to 30 kHz, "
              f"{min(ratios):.2f} to {max(ratios):.1f} times as much", holds=min(ratios) > MUCH,
              condition=f"the measured mean error is over {MUCH:g} times as great at each of "
              f"{TRIED} rates", reason="the limits differ by a factor 2; 1.5 is more than a trend"),
    )


def _half_period(scheme: str, steps: float) -> float:
    """Return the half period of the corrected scheme in contact, over a duration of `steps`."""
    omega = math.pi / steps
    beta = pysitar.analytic.corrected_beta(scheme=scheme, mass=1.0, stiffness=omega * omega,
                                           sample_rate=1.0)
    cosine = (1.0 - beta if scheme == "two-point" else 1.0) / (1.0 + beta)
    return math.pi / math.acos(cosine) / steps


def _limits(scheme: str) -> Numbers:
    """Return the durations of the hardest contacts, in steps of 1 s."""
    runs = [(one, one.positions(scheme))
            for one in phases(Collision(stiffness=STIFF, start=-3.5, rate=1.0), 4 * ENTRIES)]
    delays = [one.delay(positions) for one, positions in runs]
    return {
        "fewest_inside": min(one.samples_inside(positions) for one, positions in runs),
        "shortest_steps": min(delays), "longest_steps": max(delays),
        "mean_steps": math.fsum(delays) / len(delays)
    }


def _draw_fig6(finding: Finding) -> Drawing:
    drawing, [top, bottom] = sheet(2, 1, height=3.6, sharex=True)
    curves = finding.curves
    khz = curves["rate_Hz"] / 1e3
    top.axhline(finding.numbers["exact_us"], color=BLACK, linestyle=(0, (5, 3)), linewidth=0.8,
                label="exact")
    for scheme in SCHEMES:
        top.plot(khz, curves[f"{scheme} shortest_us"], label=scheme, **LINES[scheme])
        bottom.plot(khz, curves[f"{scheme} error_us"], **LINES[scheme])
        bottom.plot(khz[::3], curves[f"{scheme} measured error_us"][::3], linestyle="none",
                    color=LINES[scheme]["color"], marker="os"[SCHEMES.index(scheme)],
                    markerfacecolor="none", markeredgewidth=0.7)
    top.set(ylabel="shortest contact (µs)", xlim=(9.0, 101.0), ylim=(0.0, 200.0))
    bottom.set(ylabel="error of the duration (µs)", xlabel="sample rate (kHz)", ylim=(-10.0, 175.0))
    legend_below(drawing, top)
    return drawing


def _exponents() -> Finding:
    numbers: Numbers = {
        "exponents": list(EXPONENTS), "duration_over_time_step": list(RATIOS),
        "excess_c": [pysitar.analytic.duration_excess(exponent) for exponent in EXPONENTS]
    }
    curves: dict[str, FloatArray] = {"exponent": np.array(EXPONENTS)}
    for scheme in SCHEMES:
        for corrected in (False, True):
            name = f"{scheme} {'corrected' if corrected else 'plain'}"
            errors = [[
                100.0 * mean_error(collision_of(ratio, exponent), scheme, corrected=corrected)
                for exponent in EXPONENTS
            ] for ratio in RATIOS]
            numbers[f"{name} error_percent"] = errors
            curves |= {
                f"{name} {ratio:g} steps error_percent": np.array(row)
                for ratio, row in zip(RATIOS, errors, strict=True)
            }
    numbers["over_prediction_at_80_steps"] = {
        scheme: [_over_prediction(scheme, exponent) for exponent in EXPONENTS]
        for scheme in SCHEMES
    }
    numbers["corrected greatest_error_steps"] = {
        scheme: {
            f"{ratio:g}": ratio * greatest_error(collision_of(ratio), scheme)
            for ratio in UNEVEN if ratio > steps
        }
        for scheme, steps in SHORTEST.items()
    }
    falls = [ratio * mean_error(collision_of(ratio), "two-point") for ratio in (20.0, 50.0)]
    numbers["two-point exponent_1_error_steps_at_20_and_50"] = falls
    order = math.log(falls[0] / falls[1]) / math.log(2.5) + 1.0
    numbers["two-point exponent_1_order"] = order
    numbers["two-point exponent_1_greatest_error_steps_at_20_and_50"] = greatest = [
        max(abs(one.delay(one.positions("two-point")) / one.duration - 1.0) * ratio
            for one in phases(collision_of(ratio), TRIED)) for ratio in (20.0, 50.0)
    ]
    numbers["two-point exponent_1_order_of_the_greatest"] = 1.0 + math.log(
        greatest[0] / greatest[1]) / math.log(2.5)
    return Finding(
        key="chatziioannou2017:durations", title="Durations for other exponents than 1",
        source=f"{PAPER}, section 4 and footnote 2", caption=EXPONENTS_CAPTION, numbers=numbers,
        curves=curves, statements=_exponent_statements(numbers))


def _exponent_statements(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on exponents over 1, and on the order at exponent 1."""
    plain, corrected = (numbers[f"two-point {name} error_percent"][1][EXPONENTS.index(1.5)]
                        for name in ("plain", "corrected"))
    left = max(
        abs(mended / error) for scheme in SCHEMES for ratio, errors, own in zip(
            RATIOS, numbers[f"{scheme} plain error_percent"],
            numbers[f"{scheme} corrected error_percent"], strict=True) if ratio >= FROM_STEPS
        for exponent, error, mended in zip(EXPONENTS, errors, own, strict=True) if exponent > 1.0)
    falls = numbers["two-point exponent_1_error_steps_at_20_and_50"]
    orders = (numbers["two-point exponent_1_order"],
              numbers["two-point exponent_1_order_of_the_greatest"])
    return (
        judge(paper="Whether parameters can be set so that durations are right for exponents over "
              "1 is left open.",
              computed=f"they can: at exponent 1.5 and 6 steps the error of the two-point scheme "
              f"is {plain:.3f} %, and {corrected:.4f} % with the stiffness multiplied by s^c; from "
              f"{FROM_STEPS:g} steps on at most {left:.3f} of any error is left",
              verdict="beyond the paper", otherwise="cannot be compared", holds=left < MENDED,
              condition=f"less than {MENDED:g} of the mean error is left for each exponent, both "
              f"schemes, and contacts of {FROM_STEPS:g} steps and more",
              reason="a digit gained; the mean of 64 instants at which the contact can begin"),
        judge(paper="For exponent 1 only first-order accuracy can be inferred.",
              computed=f"the mean error of the duration falls with order {orders[0]:.2f}: "
              f"{falls[0]:.4f} steps at 20 steps, {falls[1]:.4f} at 50; the greatest of {TRIED} "
              f"instants with order {orders[1]:.2f}", verdict="beyond the paper",
              otherwise="agrees", holds=min(orders) > BETTER_ORDER,
              condition=f"both orders are over {BETTER_ORDER:g}",
              reason="halfway between first and second; the paper infers, and does not measure"),
    )


def _over_prediction(scheme: str, exponent: float) -> float:
    """Return the measured error of a contact of 80 steps divided by the closed form c Omega^2 / (6
    (exponent + 1)), 5/2 times that for three-point."""
    omega = math.pi / 80.0
    factor = 1.0 if scheme == "two-point" else 2.5
    predicted = factor * pysitar.analytic.duration_excess(exponent) * omega * omega / (
        6.0 * (exponent + 1.0))
    return mean_error(collision_of(80.0, exponent), scheme) / predicted


def _draw_exponents(finding: Finding) -> Drawing:
    drawing, axes = sheet(1, 2, height=3.0, sharey=True)
    for one, scheme in zip(axes, SCHEMES, strict=True):
        for index, ratio in enumerate(RATIOS):
            for name, filled in (("plain", True), ("corrected", False)):
                error = np.abs(finding.curves[f"{scheme} {name} {ratio:g} steps error_percent"])
                error[error < NOTHING] = np.nan
                one.plot(finding.curves["exponent"], error, color=CYCLE[index],
                         linestyle="-" if filled else "--", marker="os^D"[index],
                         markerfacecolor=CYCLE[index] if filled else "white",
                         label=f"{ratio:g} steps" if filled else None)
        one.set(yscale="log", xlabel="exponent", title=scheme, ylim=(2e-6, 50.0))
    axes[0].set_ylabel("|mean error of the duration| (%)")
    legend_below(drawing, axes[0], columns=4)
    return drawing


FIGURES = (
    Figure(key="chatziioannou2017:fig6", title="The shortest contact at each sample rate",
           source=f"{PAPER}, Fig. 6", compute=_fig6, judge=_fig6_statements,
           draw=_draw_fig6),
    Figure(key="chatziioannou2017:durations", title="Durations for other exponents than 1",
           source=f"{PAPER}, section 4 and footnote 2", compute=_exponents,
           judge=_exponent_statements, draw=_draw_exponents),
)
