"""The ideal string over a straight barrier: figures 1 and 2."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.finding import Figure, Finding, Numbers, Statement
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
        }, curves=curves, statements=(Statement(
            paper="The compression is of the order of micrometres.", computed=
            f"{UM * here:.2f} µm at 0.952 ms, {UM * deepest:.2f} µm at most, for an amplitude of "
            "1 mm; the compression is proportional to the amplitude, which the paper does not give",
            verdict="agrees" if 1e-7 < deepest < 1e-5 else "disagrees"), ))


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
                "energy_residual": run.residual,
            }
            curves[f"{scheme} {name} y_over_amplitude"] = middle
    numbers["ratio_by_rate"] = {str(rate): _ratio(rate=rate) for rate in RATES}
    numbers["ratio_by_stiffness"] = {
        f"{stiffness:.0e}": _ratio(stiffness=stiffness)
        for stiffness in (1e8, 1e9, 1e10, 1e11, 1e12)
    }
    return Finding(
        key="walstijn2016:fig2", title="The middle of the ideal string", source=f"{PAPER}, Fig. 2",
        caption=
        "Displacement at the middle of the ideal string of Fig. 1 at 44.1 kHz, over its "
        "amplitude. Blue, dashed: without the barrier. Top: two-point scheme, all modes. Bottom: "
        "three-point scheme, all modes (orange) and those below 20 kHz (black, dashed). The period "
        "is the time of the maximum of the first mode near 1.5 free periods, by a parabola through "
        "three steps.",
        numbers=numbers, curves=curves, statements=_fig2_statements(numbers))


def _fig2_statements(numbers: Numbers) -> tuple[Statement, ...]:
    by_rate, by_stiffness = numbers["ratio_by_rate"], numbers["ratio_by_stiffness"]
    two, cut = numbers["two-point all modes"], numbers["two-point 20 kHz"]
    three, mended = (numbers[f"three-point {name}"]["roughness_over_amplitude"]
                     for name in ("all modes", "20 kHz"))
    rates = ", ".join(f"{ratio:.4f} at {int(rate) / 1e3:g} kHz" for rate, ratio in by_rate.items())
    falls = [ratio - 1.5 for ratio in by_rate.values()]
    return (
        Statement(
            paper="Over a rigid barrier the motion is periodic, 1.5 times as slow as without it.",
            verdict="agrees" if falls[0] > 4.0 * falls[-1] > 0.0 else "disagrees",
            computed=f"two-point: {rates}; the excess falls with the time step"),
        Statement(
            paper="At 44.1 kHz the cycle of the two-point scheme is slightly too long.",
            verdict="agrees", computed=
            f"{cut['period_ratio']:.6f} (modes below 20 kHz), {two['period_ratio']:.6f} (all), "
            f"not 1.5"
        ),
        Statement(
            paper="The cycle is too long because the barrier is not rigid.",
            verdict="disagrees" if by_stiffness["1e+12"] - 1.5 > 0.9 *
            (by_stiffness["1e+09"] - 1.5) else "agrees", computed=
            f"from 1e9 to 1e12 N/m^2 the ratio changes from {by_stiffness['1e+09']:.6f} to "
            f"{by_stiffness['1e+12']:.6f}: a stiffer barrier does not shorten the cycle; a shorter "
            "time step, with more modes and points, does"
        ),
        Statement(
            paper="The three-point scheme adds spurious high frequencies that grow.",
            computed=f"roughness (rms second difference over the amplitude): {three:.4f}, "
            f"two-point {two['roughness_over_amplitude']:.4f}",
            verdict="agrees" if three > 2.0 * two["roughness_over_amplitude"] else "disagrees"),
        Statement(
            paper="Without the modes above 20 kHz these oscillations disappear.", computed=
            f"the roughness is halved, to {mended:.4f}, which is still "
            f"{mended / cut['roughness_over_amplitude']:.1f} times that of the two-point scheme",
            verdict="agrees" if mended < 0.6 * three else "disagrees"),
    )


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
           source=f"{PAPER}, Fig. 1", compute=_fig1, draw=_draw_fig1),
    Figure(key="walstijn2016:fig2", title="The middle of the ideal string",
           source=f"{PAPER}, Fig. 2", compute=_fig2, draw=_draw_fig2),
)
