"""The ideal string over a straight barrier: figures 1 and 2."""
from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.style import BLACK, BLUE, SNAPSHOTS, VERMILION, legend_below, sheet
from pysitar.papers.walstijn2016.strings import (
    AMPLITUDE,
    CUT,
    IDEAL,
    MS,
    PAPER,
    RATE,
    ideal,
    period_ratio,
    roughness,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

STEPS = (0, 12, 18, 24, 30, 36, 42, 48)                   # 0, 0.272, ... 1.088 ms
ZOOMED = 42                                               # 0.952 ms
MIDDLE = 0.5 * IDEAL.length
LONG = 420  # steps at 44.1 kHz: three free periods, two of the collisions
KEPT = 0.4535                                             # of the sample rate: 20 kHz at 44.1 kHz
RATES = (44100, 88200, 176400, 352800)                    # Hz
# Hz, of the effect of the stiffness at some rates
NEAR_RATES = (44100, 48000, 52000, 56000, 60000, 66000, 72000, 80000, 88200, 96000)
# m, of outputs over half of the string, which is symmetric: where the roughness is measured
PLACES = tuple(MIDDLE * place / 10.0 for place in range(1, 11))
WINDOW = 93                     # steps, half a period of the collisions
MICROMETRES = (0.5e-6, 10e-6)   # m, of the order of micrometres
FOURFOLD = 4.0  # of the excess of the period, for eight times the rate
SLIGHTLY = 0.03                 # of the free period
STIFFNESS_MATTERS = 0.9         # part of the excess that 1000 times the stiffness may leave
ROUGHER, REMEDIED = 2.0, 1.5    # times the roughness of the two-point scheme
UM = 1e6


def _fig1() -> Finding:
    sim = ideal()
    count = sim.modes.count
    points = np.arange(1, count + 1) * IDEAL.length / (count + 1)
    places = np.linspace(0.0, IDEAL.length, 401)
    outputs = [("displacement", x) for x in (*places.tolist(), *points.tolist())]
    shapes = sim.run(STEPS[-1] + 1, outputs=outputs).outputs
    curves: dict[str, FloatArray] = {
        "x_m": places, "point x_m": points, "point y_m": shapes[ZOOMED, places.size:]
    }
    for step in STEPS:
        curves[f"step {step} y_m"] = shapes[step, :places.size]
    deepest = -0.5 * AMPLITUDE - float(shapes[:, places.size:].min())
    here = -0.5 * AMPLITUDE - float(curves["point y_m"].min())
    return Finding(
        key="walstijn2016:fig1", title="An ideal string on a straight barrier",
        source=f"{PAPER}, Fig. 1", caption=
        "Snapshots of an ideal string (0.5 m, 5e-4 kg/m, 64 N) released from its first mode over a "
        "barrier half an amplitude below it (1e9 N/m^2, exponent 1), two-point scheme at 44.1 kHz, "
        "with M points for M modes, L / (M + 1) apart, which is the weight of each. The amplitude, "
        "which the paper does not give, is 1 mm. Below: the zone of contact at 0.952 ms, with the "
        "points of the model. The barrier is grey.", numbers={
            "modes": count, "points": count, "amplitude_m": AMPLITUDE,
            "times_ms": [MS * step / RATE for step in STEPS], "compression_at_0.952_ms_m": here,
            "greatest_compression_at_points_m": deepest, "middle_over_amplitude": [
                float(curves[f"step {step} y_m"][200]) / AMPLITUDE for step in STEPS
            ]
        }, curves=curves, statements=_fig1_statements({
            "compression_at_0.952_ms_m": here, "greatest_compression_at_points_m": deepest}))


def _fig1_statements(numbers: Numbers) -> tuple[Statement, ...]:
    here = numbers["compression_at_0.952_ms_m"]
    deepest = numbers["greatest_compression_at_points_m"]
    low, high = MICROMETRES
    return (judge(
        paper="The compression is of the order of micrometres.", computed=
        f"{UM * here:.2f} µm at 0.952 ms, {UM * deepest:.2f} µm at most, for an amplitude of "
        "1 mm; the compression is proportional to the amplitude, which the paper does not give: it "
        f"is so for each amplitude from {low / deepest:.1f} to {high / deepest:.1f} mm",
        holds=low < deepest < high,
        condition=f"it is from {UM * low:g} to {UM * high:g} µm for an amplitude of 1 mm",
        reason="an order of magnitude around it"), )


def _draw_fig1(finding: Finding) -> Drawing:
    drawing, [whole, zoom] = sheet(2, 1, height=4.4)
    for step, style in zip(STEPS, SNAPSHOTS, strict=True):
        whole.plot(finding.curves["x_m"], MS * finding.curves[f"step {step} y_m"],
                   label=f"{MS * step / RATE:.3f} ms", **style)
    whole.axhspan(-1.0, -0.5, color="#dddddd", linewidth=0.0)
    whole.set(xlim=(0.0, 0.5), ylim=(-0.6, 1.05), xlabel="x (m)", ylabel="y (mm)")
    floor = -0.5 * AMPLITUDE
    zoom.axhspan(-100.0, 0.0, color="#dddddd", linewidth=0.0)
    zoom.plot(finding.curves["x_m"], UM * (finding.curves[f"step {ZOOMED} y_m"] - floor),
              **SNAPSHOTS[STEPS.index(ZOOMED)])
    zoom.plot(finding.curves["point x_m"], UM * (finding.curves["point y_m"] - floor),
              linestyle="none", marker="o", color=BLACK, markersize=2)
    zoom.set(xlim=(0.15, 0.35), xticks=(0.15, 0.2, 0.25, 0.3, 0.35), ylim=(-4.0, 8.0),
             xlabel="x (m)", ylabel="y over the barrier (µm)")
    legend_below(drawing, whole, columns=4)
    return drawing


def _fig2() -> Finding:
    period = RATE / float(ideal().frequencies[0])
    numbers: Numbers = {"free_period_steps": period}
    curves: dict[str, FloatArray] = {"time_s": np.arange(LONG) / RATE}
    curves["free y_over_amplitude"] = np.cos(2.0 * np.pi * np.arange(LONG) / period)
    for scheme in ("two-point", "three-point"):
        for name, cut in (("all modes", None), ("20 kHz", CUT)):
            sim = ideal(scheme, cut=cut)
            run = sim.run(
                LONG, outputs=[("displacement", MIDDLE), ("mode", 1),
                               ("displacement", 0.5 * MIDDLE)])
            middle, mode, quarter = run.outputs.T / AMPLITUDE
            numbers[f"{scheme} {name}"] = {
                "modes": sim.modes.count,
                "period_ratio": period_ratio(mode, period),
                "half_of_second_period_ratio": 0.5 * period_ratio(mode, period, around=3.0),
                "middle_over_amplitude_at_41_93_185_370": middle[[41, 93, 185, 370]].tolist(),
                "quarter_over_amplitude_at_93_185": quarter[[93, 185]].tolist(),
                "roughness_over_amplitude": roughness(middle[:400]),
                "roughness_by_window": [
                    roughness(middle[begin:begin + WINDOW + 2])
                    for begin in range(0, 4 * WINDOW, WINDOW)
                ],
                "energy_residual": run.residual,
            }
            curves[f"{scheme} {name} y_over_amplitude"] = middle
    numbers["ratio_by_rate"] = {str(rate): _ratio(rate=rate) for rate in RATES}
    numbers["ratio_by_stiffness"] = {
        f"{stiffness:.0e}": _ratio(stiffness=stiffness)
        for stiffness in (1e8, 1e9, 1e10, 1e11, 1e12)
    }
    numbers["excess_at_1e12_over_1e9_by_rate"] = {
        str(rate): (_ratio(rate=rate, stiffness=1e12) - 1.5) / (_ratio(rate=rate) - 1.5)
        for rate in NEAR_RATES
    }
    numbers["roughness_by_place"] = _roughness_by_place()
    return Finding(
        key="walstijn2016:fig2", title="The middle of the ideal string", source=f"{PAPER}, Fig. 2",
        caption=
        "Displacement at the middle of the ideal string of Fig. 1 at 44.1 kHz, over its "
        "amplitude. Blue, dashed: without the barrier. Top: two-point scheme, all modes. Bottom: "
        "three-point scheme, all modes (orange) and those below 20 kHz (black, dashed). The period "
        "is the time of the maximum of the first mode near 1.5 free periods, by a parabola through "
        "three steps.",
        numbers=numbers, curves=curves, statements=_fig2_statements(numbers))


def _roughness_by_place() -> Numbers:
    """Return the roughness over the first 400 steps at PLACES, over the amplitude, by scheme and
    modes."""
    return {
        f"{scheme} {name}": [
            roughness(column / AMPLITUDE) for column in ideal(scheme, cut=cut).run(
                400, outputs=[("displacement", x) for x in PLACES]).outputs.T
        ] for scheme in ("two-point", "three-point")
        for name, cut in (("all modes", None), ("20 kHz", CUT))
    }


def _fig2_statements(numbers: Numbers) -> tuple[Statement, ...]:
    by_rate, by_stiffness = numbers["ratio_by_rate"], numbers["ratio_by_stiffness"]
    periods = [numbers[f"two-point {name}"]["period_ratio"] for name in ("20 kHz", "all modes")]
    rates = ", ".join(f"{ratio:.4f} at {int(rate) / 1e3:g} kHz" for rate, ratio in by_rate.items())
    falls = [ratio - 1.5 for ratio in by_rate.values()]
    kept = min(numbers["excess_at_1e12_over_1e9_by_rate"].values())
    return (
        judge(
            paper="Over a rigid barrier the motion is periodic, 1.5 times as slow as without it.",
            holds=falls[0] > FOURFOLD * falls[-1] > 0.0, computed=
            f"two-point: {rates}; the excess falls with the time step", condition=
            f"the excess over 1.5 falls over {FOURFOLD:g} times for eight times the rate, and "
            "stays above 0", reason="nearly first order of the time step towards 1.5; the barrier "
            "is not quite rigid"),
        judge(
            paper="At 44.1 kHz the cycle of the two-point scheme is slightly too long.",
            holds=1.5 < min(periods) <= max(periods) < 1.5 + SLIGHTLY, computed=
            f"{periods[0]:.6f} (modes below 20 kHz), {periods[1]:.6f} (all), not 1.5",
            condition=f"both ratios are from 1.5 to {1.5 + SLIGHTLY:g}",
            reason="2 % of the cycle, which the figure still shows"),
        judge(
            paper="The cycle is too long because the barrier is not rigid.",
            holds=kept < STIFFNESS_MATTERS, computed=
            f"from 1e9 to 1e12 N/m^2 the ratio changes from {by_stiffness['1e+09']:.6f} to "
            f"{by_stiffness['1e+12']:.6f} at 44.1 kHz, and at {len(NEAR_RATES)} rates up to 96 kHz "
            f"at least {kept:.2f} of the excess is left: a stiffer barrier does not shorten the "
            "cycle; a shorter time step, with more modes and points, does",
            condition=f"1000 times the stiffness leaves less than {STIFFNESS_MATTERS:g} of the "
            "excess at any of these rates",
            reason="a compliance that caused it would leave a thirtieth (its square root)"),
        *_roughness_statements(numbers))


def _roughness_statements(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on the spurious oscillations of the three-point scheme."""
    places = numbers["roughness_by_place"]
    two, three = (numbers[f"{scheme} all modes"] for scheme in ("two-point", "three-point"))
    rougher, left = (
        min(one / other for one, other in zip(places[f"three-point {name}"],
                                              places[f"two-point {name}"], strict=True))
        for name in ("all modes", "20 kHz"))
    windows = three["roughness_by_window"]
    middle = [places["three-point 20 kHz"][-1] / places[name][-1]
              for name in ("three-point all modes", "two-point 20 kHz")]
    return (
        judge(
            paper="The three-point scheme adds spurious high frequencies.",
            computed=f"roughness at the middle (rms second difference over the amplitude): "
            f"{three['roughness_over_amplitude']:.4f}, two-point "
            f"{two['roughness_over_amplitude']:.4f}; at {len(PLACES)} places of the string at "
            f"least {rougher:.1f} times as rough",
            holds=rougher > ROUGHER,
            condition=f"it is over {ROUGHER:g} times as rough at each place",
            reason="a factor that no other choice of place or window takes away"),
        judge(
            paper="These oscillations grow during the simulation.",
            computed=f"roughness in successive windows of half a cycle: "
            f"{_list(windows)}; two-point {_list(two['roughness_by_window'])}",
            holds=all(one < other for one, other in pairwise(windows))
            and windows[-1] > ROUGHER * windows[0],
            condition="the roughness is greater in each window than in the one before, and over "
            f"{ROUGHER:g} times as great in the last as in the first",
            reason="a trend over all windows, not in one"),
        judge(
            paper="Without the modes above 20 kHz this is remedied.", computed=
            f"the roughness at the middle is halved, to {middle[0]:.2f} of that with all modes, "
            f"which is still {middle[1]:.1f} times that of the two-point scheme (at "
            f"{len(PLACES)} places at least {left:.1f} times), and it still grows: "
            f"{_list(numbers['three-point 20 kHz']['roughness_by_window'])}",
            holds=left < REMEDIED,
            condition=f"it is less than {REMEDIED:g} times as rough as the two-point scheme at "
            "some place", reason="the two-point scheme has no such oscillations; half as much "
            "again is left for other choices of the window"),
    )


def _list(values: list[float]) -> str:
    return ", ".join(f"{value:.4f}" for value in values)


def _ratio(*, rate: int = RATE, stiffness: float = 1e9) -> float:
    """Return the period of the two-point scheme over the free period.

    The modes are those below 20 kHz at 44.1 kHz, and below the same fraction of other rates.
    """
    sim = ideal(rate=rate, stiffness=stiffness, cut=KEPT * rate)
    period = rate / float(sim.frequencies[0])
    return period_ratio(sim.run(round(1.8 * period), outputs=[("mode", 1)]).outputs[:, 0], period)


def _draw_fig2(finding: Finding) -> Drawing:
    drawing, axes = sheet(2, 1, height=3.8, sharex=True)
    time = MS * finding.curves["time_s"]
    for one, scheme in zip(axes, ("two-point", "three-point"), strict=True):
        one.axhspan(-1.0, -0.5, color="#dddddd", linewidth=0.0)
        one.plot(time, finding.curves["free y_over_amplitude"], color=BLUE, linestyle="--",
                 linewidth=0.8, label="no barrier")
        one.plot(time, finding.curves[f"{scheme} all modes y_over_amplitude"], color=VERMILION,
                 label="all modes")
        if scheme == "three-point":
            one.plot(time, finding.curves["three-point 20 kHz y_over_amplitude"], color=BLACK,
                     linestyle=(0, (4, 2)), linewidth=0.7, label="below 20 kHz")
        one.set(ylabel="y / amplitude", title=scheme, xlim=(0.0, 9.5), ylim=(-1.05, 1.15))
    axes[1].set_xlabel("time (ms)")
    legend_below(drawing, axes[1])
    return drawing


FIGURES = (
    Figure(key="walstijn2016:fig1", title="An ideal string on a straight barrier",
           source=f"{PAPER}, Fig. 1", compute=_fig1, judge=_fig1_statements,
           draw=_draw_fig1),
    Figure(key="walstijn2016:fig2", title="The middle of the ideal string",
           source=f"{PAPER}, Fig. 2", compute=_fig2, judge=_fig2_statements,
           draw=_draw_fig2),
)
