"""The mass that strikes a wall: displacements of figures 3, 4 and 5."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import pysitar
from pysitar.papers.chatziioannou2017.collision import (
    HARD,
    HARDER,
    LINES,
    PAPER,
    RATE,
    SCHEMES,
    SOFT,
    US,
    Collision,
    greatest_error,
)
from pysitar.papers.finding import Figure, Finding, Numbers, Statement
from pysitar.papers.style import BLACK, legend_below, power_of_ten, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

# rad/s, in contact, of figure 5: a stiffness of 1.998e9 N/m, which figure 3 does not have
FREQUENCY = 44700.0
NEAR_THE_LIMIT = 1.557          # rad per step; the limit of the three-point scheme is 1.571


def _run_schemes(collision: Collision, *,
             corrected: bool = False) -> tuple[Numbers, dict[str, FloatArray]]:
    """Return the durations and the positions (m) of both schemes and of the exact solution."""
    numbers: Numbers = {"exact_us": US * collision.duration}
    curves: dict[str, FloatArray] = {}
    for scheme in SCHEMES:
        positions = collision.positions(scheme, corrected=corrected)
        numbers[scheme] = {
            "samples_inside": collision.samples_inside(positions),
            "duration_us": US * collision.delay(positions),
            "greatest_compression_m": float(positions.max()),
            "leaving_speed_m_per_s": collision.output_speed(positions),
            "positions_5_to_8_m": positions[5:9].tolist(),
        }
        curves[f"{scheme} y_m"] = positions
    steps = curves["two-point y_m"].size
    curves["time_s"] = np.arange(steps) / collision.rate
    curves["exact time_s"] = np.linspace(0.0, (steps - 1) / collision.rate, 2000)
    curves["exact y_m"] = collision.exact(curves["exact time_s"])
    return numbers, curves


def _draw_motion(axes: Axes, curves: dict[str, FloatArray], *, markers: bool = True) -> None:
    axes.axhspan(0.0, 1e3, color="#dddddd", linewidth=0.0)
    axes.plot(US * curves["exact time_s"], US * curves["exact y_m"], color=BLACK, linewidth=0.8,
              label="exact")
    for scheme in SCHEMES:
        y = US * curves[f"{scheme} y_m"]
        axes.plot(US * np.arange(y.size) / RATE, y, label=scheme,
                  marker="os"[SCHEMES.index(scheme)] if markers else "", **LINES[scheme])
    axes.set_xlabel("time (µs)")


def _fig3() -> Finding:
    numbers: Numbers = {}
    curves: dict[str, FloatArray] = {}
    for name, stiffness in (("soft", SOFT), ("hard", HARD)):
        numbers[name], own = _run_schemes(Collision(stiffness=stiffness))
        curves |= {f"{name} {key}": curve for key, curve in own.items()}
    soft, hard = numbers["soft"], numbers["hard"]
    durations = "; ".join(
        f"{name}: exact {one['exact_us']:.2f} µs, two-point {one['two-point']['duration_us']:.2f} "
        f"µs, three-point "
        f"{one['three-point']['duration_us']:.2f} µs" for name, one in numbers.items())
    longer = all(
        one["exact_us"] < one["two-point"]["duration_us"] < one["three-point"]["duration_us"]
        for one in (soft, hard))
    relative = [one["three-point"]["duration_us"] / one["exact_us"] - 1.0 for one in (soft, hard)]
    speeds = max(
        abs(one[scheme]["leaving_speed_m_per_s"] - 1.0) for one in (soft, hard)
        for scheme in SCHEMES)
    return Finding(
        key="chatziioannou2017:fig3", title="A soft and a hard collision",
        source=f"{PAPER}, Fig. 3", caption=
        "Displacement of a mass of 1 kg that strikes a wall at 1 m/s from -0.1 mm, exponent 1, at "
        "50 kHz. Left: stiffness 1e9 N/m; "
        "right: 1e10 N/m. Samples are joined by lines; the wall is grey. A duration is the time "
        "between the lines on which the "
        "mass flies before and after the contact.", numbers=numbers, curves=curves, statements=(
            Statement(paper="Both schemes change the duration of the contact.", computed=durations,
                      verdict="agrees" if longer else "disagrees"),
            Statement(
                paper="This matters most for hard impacts.",
                verdict="agrees" if relative[1] > 2.0 * relative[0] else "disagrees", computed=
                f"three-point: {100 * relative[0]:.1f} % too long when soft, "
                f"{100 * relative[1]:.0f} % when hard"
            ),
            Statement(paper="The energy is conserved.",
                      verdict="agrees" if speeds < 1e-10 else "disagrees",
                      computed=f"the mass leaves with 1 m/s, to {speeds:.0e} m/s, in every case"),
        ))


def _draw_fig3(finding: Finding) -> Drawing:
    drawing, axes = sheet(1, 2, height=2.3)
    for one, name, most in ((axes[0], "soft", 45.0), (axes[1], "hard", 15.0)):
        _draw_motion(
            one, {
                key.removeprefix(f"{name} "): curve
                for key, curve in finding.curves.items() if key.startswith(name)
            })
        one.set(xlim=(0.0, 300.0), ylim=(-105.0, most),
                title=f"{name}, {power_of_ten(SOFT if name == 'soft' else HARD)} N/m")
    axes[0].set_ylabel("displacement (µm)")
    legend_below(drawing, axes[0])
    return drawing


def _fig4() -> Finding:
    numbers, curves = _run_schemes(Collision(stiffness=HARDER))
    two, three = (numbers[scheme]["samples_inside"] for scheme in SCHEMES)
    return Finding(
        key="chatziioannou2017:fig4", title="A collision shorter than a time step",
        source=f"{PAPER}, Fig. 4", caption=
        "As in Fig. 3, around the wall, with a stiffness of 1e11 N/m: the exact contact lasts "
        "half a time step.",
        numbers=numbers, curves=curves, statements=(
            Statement(paper="Only the two-point scheme has a force during a single time step.",
                      computed=f"samples inside the wall: two-point {two}, three-point {three}",
                      verdict="agrees" if (two, three) == (1, 2) else "disagrees"),
            Statement(
                paper="The two-point scheme errs less.",
                computed=", ".join(f"{scheme} {numbers[scheme]['duration_us']:.2f} µs"
                                   for scheme in SCHEMES) + f", exact {numbers['exact_us']:.2f} µs",
                verdict="agrees" if numbers["two-point"]["duration_us"]
                < numbers["three-point"]["duration_us"] else "disagrees"),
        ))


def _draw_fig4(finding: Finding) -> Drawing:
    drawing, [axes] = sheet(height=2.5)
    _draw_motion(axes, dict(finding.curves))
    axes.set(xlim=(75.0, 165.0), ylim=(-30.0, 8.0), ylabel="displacement (µm)")
    legend_below(drawing, axes)
    return drawing


def _fig5() -> Finding:
    collision = Collision(stiffness=FREQUENCY * FREQUENCY)
    numbers, curves = _run_schemes(collision, corrected=True)
    step = FREQUENCY / RATE
    worst: Numbers = {}
    for scheme in SCHEMES:
        y = curves[f"{scheme} y_m"]
        numbers[scheme]["frequency_in_contact_rad_per_s"] = RATE * math.acos(
            float(y[6] + y[8]) / float(2.0 * y[7]))
        numbers[scheme]["beta"] = pysitar.analytic.corrected_beta(
            scheme=scheme, mass=1.0, stiffness=FREQUENCY * FREQUENCY, sample_rate=RATE)
        worst[scheme] = [
            greatest_error(collision, scheme),
            greatest_error(Collision(stiffness=(NEAR_THE_LIMIT * RATE)**2), scheme)
        ]
    numbers |= {
        "omega_dt_rad": step, "greatest_error_over_entries": worst,
        "near_the_limit_rad": NEAR_THE_LIMIT
    }
    exact = numbers["exact_us"]
    agrees = all(
        abs(numbers[scheme]["frequency_in_contact_rad_per_s"] / FREQUENCY - 1.0) < 1e-9
        for scheme in SCHEMES)
    return Finding(
        key="chatziioannou2017:fig5", title="The corrected schemes", source=f"{PAPER}, Fig. 5",
        caption=
        "As in Fig. 3, around the wall, with the corrected coefficients (15) and (16) and a "
        "frequency of 44700 rad/s in contact.",
        numbers=numbers, curves=curves, statements=(
            Statement(
                paper=
                "With the corrected coefficients both schemes have the right frequency in contact.",
                computed=", ".join(
                    f"{scheme} {numbers[scheme]['frequency_in_contact_rad_per_s']:.6f} rad/s"
                    for scheme in SCHEMES), verdict="agrees" if agrees else "disagrees"),
            Statement(
                paper="With the corrected coefficients the duration of the contact is exact.",
                verdict="disagrees" if worst["two-point"][0] > 1e-6 else "agrees",
                computed=f"nearly: {numbers['two-point']['duration_us']:.3f} µs (two-point) and "
                f"{numbers['three-point']['duration_us']:.3f} µs, exact {exact:.3f} µs; over all "
                f"instants at which the contact can begin, the error is up to "
                f"{100 * worst['two-point'][0]:.2f} % and {100 * worst['three-point'][0]:.2f} %, "
                f"because the first and the last step of the contact cross the wall"
            ),
            Statement(
                paper=
                "The corrected schemes are exact down to contacts of one step (two-point) and two "
                "(three-point).",
                verdict="disagrees" if worst["three-point"][1] > 1e-3 else "agrees", computed=
                f"at {NEAR_THE_LIMIT} rad per step, just below the limit 1.571 of the three-point "
                f"scheme, the error of its duration is up to {100 * worst['three-point'][1]:.0f} % "
                f"(two-point: {100 * worst['two-point'][1]:.1f} %)"
            ),
        ))


def _draw_fig5(finding: Finding) -> Drawing:
    drawing, [axes] = sheet(height=2.5)
    _draw_motion(axes, dict(finding.curves))
    axes.set(xlim=(90.0, 185.0), ylim=(-15.0, 25.0), ylabel="displacement (µm)")
    legend_below(drawing, axes)
    return drawing


FIGURES = (
    Figure(key="chatziioannou2017:fig3", title="A soft and a hard collision",
           source=f"{PAPER}, Fig. 3", compute=_fig3, draw=_draw_fig3),
    Figure(key="chatziioannou2017:fig4", title="A collision shorter than a time step",
           source=f"{PAPER}, Fig. 4", compute=_fig4, draw=_draw_fig4),
    Figure(key="chatziioannou2017:fig5", title="The corrected schemes", source=f"{PAPER}, Fig. 5",
           compute=_fig5, draw=_draw_fig5),
)
