"""The string before, during and after contact: with a point (figure 4) and over a bent board
(figure 8)."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.ducceschi2019.plucked import (
    BELOW,
    LAW,
    MIDDLE,
    MM,
    PAPER,
    PRINTED,
    RATE,
    SCHEMES,
    board,
    record_run,
    relative_difference,
)
from pysitar.papers.ducceschi2019.speed import iterations
from pysitar.papers.finding import Figure, Finding, Numbers, Statement
from pysitar.papers.style import BLACK, GREY, legend_below, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

POINT_TIMES = (2.0, 10.0, 14.0, 15.0, 20.0, 32.0)         # ms; the paper does not give its own
BOARD_TIMES = (2.0, 8.0, 16.0, 19.0, 25.0, 38.0)
FINER = 5
ALONG = np.arange(201) / 200.0  # m


def record_shapes(barrier: str, rate: float,
          times: Sequence[float]) -> tuple[Numbers, dict[str, FloatArray]]:
    """Return the numbers of all schemes over a barrier, and the shapes of the string at times
    (ms)."""
    numbers: Numbers = {"times_ms": list(times)}
    curves: dict[str, FloatArray] = {"x_m": ALONG}
    out: dict[str, FloatArray] = {}
    for name in SCHEMES:
        run, numbers[name] = record_run(name, barrier, rate, along=ALONG)
        out[name] = run.outputs[:, 0]
        for time in times:
            curves[f"{name} at {time:g} ms u_m"] = run.outputs[round(time * rate / 1e3), 2:]
    for name, reference in (("explicit", "iterative"), ("explicit, mended", "iterative"),
                            ("modal", "iterative"), ("modal, mended", "modal")):
        numbers[name][f"difference_from_{reference}"] = relative_difference(
            out[name], out[reference])
    return numbers, curves


def _differences(numbers: Numbers) -> str:
    return (
        f"over 40 ms at 0.9 m the explicit scheme differs from the iterative one by "
        f"{percent(numbers['explicit']):.2g} %, the mended explicit one by "
        f"{percent(numbers['explicit, mended']):.2g} %, the modal scheme by "
        f"{percent(numbers['modal']):.2g} %"
    )


def percent(numbers: Numbers) -> float:
    """Return the difference from the iterative scheme, in per cent."""
    return 100.0 * float(numbers["difference_from_iterative"])


def _pull_statement(numbers: Numbers) -> Statement:
    """Return the statement on pulling forces, which a one-sided barrier cannot have."""
    least = {name: numbers[name]["least_force_N"] for name in SCHEMES}
    return Statement(
        paper="The barrier acts by a one-sided penalty, which only pushes.",
        verdict="agrees" if min(least[name] for name in PRINTED) >= 0.0 else "disagrees",
        computed="the least force of the whole barrier on the string is "
        + ", ".join(f"{least[name]:.2g} N ({name})" for name in SCHEMES)
        + ": as printed, the variable keeps a value after a contact, whose force can pull")


def _fig4() -> Finding:
    numbers, curves = record_shapes("point", RATE, POINT_TIMES)
    rest = LAW.stiffness * abs(BELOW) ** LAW.exponent
    numbers["force_at_rest_with_the_printed_height_N"] = rest
    residual = max(numbers[name]["balance_residual"] for name in SCHEMES)
    near = percent(numbers["explicit"])
    return Finding(
        key="ducceschi2019:fig4", title="A string and a point barrier", source=f"{PAPER}, Fig. 4",
        caption=
        "A string of 1 m, plucked by a raised cosine of 10 N and 1 ms at 0.3 m, over a point 0.1 "
        "mm below its middle (dot), at 44.1 kHz. The stiffness is that of the point, 5e6 N/m^1.4, "
        "on the nearest node. Lines: the three schemes of the paper and the mended ones.",
        numbers=numbers, curves=curves, statements=(
            Statement(
                paper="The point lies at +0.1 mm.", verdict="paper is wrong", computed=(
                    f"it would then press the string at rest with {rest:.1f} N; expected -0.1 mm")),
            Statement(paper="The three schemes agree, with some differences.",
                      computed=_differences(numbers),
                      verdict="agrees" if near < 10.0 else "disagrees"),
            Statement(
                paper=
                "In (50) psi g is subtracted, and there is no external force; in (53), (57) and "
                "(59) force and contact stand on the left with a plus.", verdict="paper is wrong",
                computed="with the compression b - u both have the opposite sign, and the force "
                f"belongs in (50): with these changes every scheme balances its energy to "
                f"{residual:.0e}"
            ),
        ))


def _fig8() -> Finding:
    numbers, curves = record_shapes("board", FINER * RATE, BOARD_TIMES)
    near = max(percent(numbers["explicit"]), percent(numbers["modal"]))
    numbers["contacts_at_44100_Hz"] = most = iterations()
    return Finding(
        key="ducceschi2019:fig8", title="A string and a bent board", source=f"{PAPER}, Fig. 8",
        caption=
        "The string of Fig. 4 over a board along all of it (grey), -1e-4 - 1e-4 x - 1e-3 x^2 m, "
        "at 5 x 44.1 kHz, 5e6 N/m^2.4; for the modes the board has 511 points, 1 / 512 m apart "
        "(the grid has 521 nodes).",
        numbers=numbers, curves=curves, statements=(
            Statement(paper="The three schemes agree, also after several collisions.",
                      computed=_differences(numbers),
                      verdict="agrees" if near < 10.0 else "disagrees"),
            _pull_statement(numbers),
            Statement(
                paper=
                "With one contact the modal system is a rank-one change, which Sherman and "
                "Morrison's formula solves.",
                verdict="paper is wrong", computed="only if one point is in contact; here up to "
                f"{most['points_in_contact_at_most']} points are in contact at a time at 44.1 kHz, "
                f"and their forces depend on each other"
            ),
        ))


def _draw(finding: Finding, *, bent: bool) -> Drawing:
    times = finding.numbers["times_ms"]
    drawing, axes = sheet(3, 2, height=4.6, sharex=True, sharey=True)
    for one, time in zip(axes, times, strict=True):
        _draw_barrier(one, bent=bent)
        for name, scheme in SCHEMES.items():
            one.plot(finding.curves["x_m"], MM * finding.curves[f"{name} at {time:g} ms u_m"],
                     label=name, **scheme.look)
        one.set_title(f"{time:g} ms", loc="left", pad=2.0)
    axes[0].set(xlim=(0.0, 1.0), ylim=(-0.65, 0.75), xticks=(0.0, 0.5, 1.0))
    for one in axes[::2]:
        one.set_ylabel("u (mm)")
    for one in axes[-2:]:
        one.set_xlabel("x (m)")
    legend_below(drawing, axes[0])
    return drawing


def _draw_barrier(axes: Axes, *, bent: bool) -> None:
    if bent:
        heights = MM * np.array([board(x) for x in ALONG.tolist()])
        axes.fill_between(ALONG, heights, -10.0, color=GREY, alpha=0.4, linewidth=0.0)
    else:
        axes.plot([MIDDLE], [MM * BELOW], linestyle="none", marker="o", color=BLACK)


def _draw_fig4(finding: Finding) -> Drawing:
    return _draw(finding, bent=False)


def _draw_fig8(finding: Finding) -> Drawing:
    return _draw(finding, bent=True)


FIGURES = (
    Figure(key="ducceschi2019:fig4", title="A string and a point barrier",
           source=f"{PAPER}, Fig. 4", compute=_fig4, draw=_draw_fig4),
    Figure(key="ducceschi2019:fig8", title="A string and a bent board", source=f"{PAPER}, Fig. 8",
           compute=_fig8, draw=_draw_fig8),
)
