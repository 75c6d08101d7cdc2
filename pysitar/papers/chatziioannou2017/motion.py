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
    TRIED,
    US,
    Collision,
    greatest_error,
    try_entries,
)
from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.style import BLACK, legend_below, power_of_ten, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

# rad/s, in contact, of figure 5: a stiffness of 1.998e9 N/m, which figure 3 does not have
FREQUENCY = 44700.0
VISIBLE, HARDER_BY, ROUNDING = 1.0, 2.0, 1e-12            # us, factor, m/s: figure 3
EXACT, NEARLY = 1e-3, 1e-2                                # relative errors of durations: figure 5
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
        collision = Collision(stiffness=stiffness)
        numbers[name], own = _run_schemes(collision)
        numbers[name]["tried"] = {scheme: try_entries(collision, scheme) for scheme in SCHEMES}
        curves |= {f"{name} {key}": curve for key, curve in own.items()}
    return Finding(
        key="chatziioannou2017:fig3", title="A soft and a hard collision",
        source=f"{PAPER}, Fig. 3", caption=
        "Displacement of a mass of 1 kg that strikes a wall at 1 m/s from -0.1 mm, exponent 1, at "
        "50 kHz. Left: stiffness 1e9 N/m; "
        "right: 1e10 N/m. Samples are joined by lines; the wall is grey. A duration is the time "
        "between the lines on which the "
        "mass flies before and after the contact.", numbers=numbers, curves=curves,
        statements=_fig3_statements(numbers))


def _fig3_statements(numbers: Numbers) -> tuple[Statement, ...]:
    cases = [numbers[name] for name in ("soft", "hard")]
    durations = "; ".join(
        f"{name}: exact {one['exact_us']:.2f} µs, two-point {one['two-point']['duration_us']:.2f} "
        f"µs, three-point "
        f"{one['three-point']['duration_us']:.2f} µs" for name, one in numbers.items())
    gaps = [
        gap for one in cases
        for gap in (one["tried"]["two-point"]["least_us"] - one["exact_us"],
                    one["tried"]["three-point"]["least_us"]
                    - one["tried"]["two-point"]["greatest_us"])
    ]
    worst = [max(one["tried"][scheme]["greatest_us"] for scheme in SCHEMES) / one["exact_us"] - 1.0
             for one in cases[:1]]
    least = [min(one["tried"][scheme]["least_us"] for scheme in SCHEMES) / one["exact_us"] - 1.0
             for one in cases[1:]]
    speeds = max(
        abs(one[scheme]["leaving_speed_m_per_s"] - 1.0) for one in cases for scheme in SCHEMES)
    return (
        judge(paper="In both plots the durations of the contact differ.", computed=
              f"{durations}; over {TRIED} instants at which the contact can begin, exact, "
              f"two-point and three-point are at least {min(gaps):.2f} µs apart",
              holds=min(gaps) > VISIBLE, condition=f"exact, two-point and three-point are over "
              f"{VISIBLE:g} µs apart, in this order, at all instants",
              reason="a 300th of the axis of the figure, the width of its lines"),
        judge(paper="The differences are significant for hard impacts in particular.", computed=
              f"hard: at least {100 * least[0]:.0f} % too long; soft: at most "
              f"{100 * worst[0]:.1f} %", holds=least[0] > HARDER_BY * worst[0],
              condition="the least relative error when hard is over "
              f"{HARDER_BY:g} times the greatest when soft",
              reason="both schemes and all instants; twice is more than a trend"),
        judge(paper="The two-point scheme conserves the energy, and the three-point scheme is "
              "stable.", computed=f"the mass leaves with 1 m/s, to {speeds:.0e} m/s, in every case",
              holds=speeds < ROUNDING, condition=f"the speed after the contact is that before it "
              f"to {ROUNDING:g}", reason="some 30 steps with roundings of 1e-16 each, and their "
              "differences over one step"),
    )


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
    collision = Collision(stiffness=HARDER)
    numbers, curves = _run_schemes(collision)
    numbers["tried"] = {scheme: try_entries(collision, scheme) for scheme in SCHEMES}
    return Finding(
        key="chatziioannou2017:fig4", title="A collision shorter than a time step",
        source=f"{PAPER}, Fig. 4", caption=
        "As in Fig. 3, around the wall, with a stiffness of 1e11 N/m: the exact contact lasts "
        "half a time step.",
        numbers=numbers, curves=curves, statements=_fig4_statements(numbers))


def _fig4_statements(numbers: Numbers) -> tuple[Statement, ...]:
    two, three = (numbers[scheme]["samples_inside"] for scheme in SCHEMES)
    tried = [numbers["tried"][scheme] for scheme in SCHEMES]
    return (
        judge(paper="Only the two-point scheme has a force during a single time step.",
              computed=f"samples inside the wall: two-point {two}, three-point {three}; at {TRIED} "
              "instants at which the contact can begin at least "
              f"{tried[0]['fewest_inside']} and {tried[1]['fewest_inside']}",
              holds=two == 1 and min(three, tried[1]["fewest_inside"]) > 1,
              condition="one sample is inside in the two-point scheme, from the start of the "
              "figure, and never fewer than two in the three-point scheme",
              reason="counts have no threshold"),
        judge(paper="The two-point scheme errs less.",
              computed=", ".join(f"{scheme} {numbers[scheme]['duration_us']:.2f} µs"
                                 for scheme in SCHEMES) + f", exact {numbers['exact_us']:.2f} µs; "
              f"over the instants at most {tried[0]['greatest_us']:.2f} µs (two-point) and at "
              f"least {tried[1]['least_us']:.2f} µs (three-point)",
              holds=numbers["exact_us"] < tried[0]["greatest_us"] < tried[1]["least_us"],
              condition="the longest contact of the two-point scheme is shorter than the shortest "
              "of the three-point scheme", reason="all are longer than exact; all instants"),
    )


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
    return Finding(
        key="chatziioannou2017:fig5", title="The corrected schemes", source=f"{PAPER}, Fig. 5",
        caption=
        "As in Fig. 3, around the wall, with the corrected coefficients (15) and (16) and a "
        "frequency of 44700 rad/s in contact.",
        numbers=numbers, curves=curves, statements=_fig5_statements(numbers))


def _fig5_statements(numbers: Numbers) -> tuple[Statement, ...]:
    worst, exact = numbers["greatest_error_over_entries"], numbers["exact_us"]
    off = max(abs(numbers[scheme]["frequency_in_contact_rad_per_s"] / FREQUENCY - 1.0)
              for scheme in SCHEMES)
    return (
        judge(paper="With the corrected coefficients both schemes have the right frequency in "
              "contact.", computed=", ".join(
                  f"{scheme} {numbers[scheme]['frequency_in_contact_rad_per_s']:.6f} rad/s"
                  for scheme in SCHEMES), holds=off < 1e-9,
              condition="the frequency is right to 1e-9",
              reason="rounding of three samples, 1e-16 each, and of the inverse cosine"),
        judge(paper="With the corrected coefficients the scheme has the correct duration of the "
              "contact.", computed=f"nearly: {numbers['two-point']['duration_us']:.3f} µs "
              f"(two-point) and {numbers['three-point']['duration_us']:.3f} µs, exact {exact:.3f} "
              f"µs; over all instants at which the contact can begin, the error is up to "
              f"{100 * worst['two-point'][0]:.2f} % and {100 * worst['three-point'][0]:.2f} %, "
              "because the first and the last step of the contact cross the wall",
              holds=max(worst[scheme][0] for scheme in SCHEMES) < EXACT, condition=
              f"the time between the lines of flight, which is the duration in (14), is right to "
              f"{100 * EXACT:g} % at each of 256 instants",
              reason="a thousandth of the axis of the figure"),
        judge(paper="The corrected schemes are exact down to contacts of one step (two-point) and "
              "two (three-point).", computed=
              f"at {NEAR_THE_LIMIT} rad per step, just below the limit 1.571 of the three-point "
              f"scheme, the error of its duration is up to {100 * worst['three-point'][1]:.0f} % "
              f"(two-point: {100 * worst['two-point'][1]:.1f} %)",
              holds=max(worst[scheme][1] for scheme in SCHEMES) < NEARLY, condition=
              f"this time is right to {100 * NEARLY:g} % at the limit, at each of 256 instants",
              reason="ten times the threshold of the row above, as the limit is approached"),
    )


def _draw_fig5(finding: Finding) -> Drawing:
    drawing, [axes] = sheet(height=2.5)
    _draw_motion(axes, dict(finding.curves))
    axes.set(xlim=(90.0, 185.0), ylim=(-15.0, 25.0), ylabel="displacement (µm)")
    legend_below(drawing, axes)
    return drawing


FIGURES = (
    Figure(key="chatziioannou2017:fig3", title="A soft and a hard collision",
           source=f"{PAPER}, Fig. 3", compute=_fig3, judge=_fig3_statements,
           draw=_draw_fig3),
    Figure(key="chatziioannou2017:fig4", title="A collision shorter than a time step",
           source=f"{PAPER}, Fig. 4", compute=_fig4, judge=_fig4_statements,
           draw=_draw_fig4),
    Figure(key="chatziioannou2017:fig5", title="The corrected schemes", source=f"{PAPER}, Fig. 5",
           compute=_fig5, judge=_fig5_statements, draw=_draw_fig5),
)
