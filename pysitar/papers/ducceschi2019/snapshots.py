"""The string before, during and after contact: with a point (figure 4) and over a bent board
(figure 8)."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.ducceschi2019.plucked import (
    BELOW,
    DURATION,
    LAW,
    MIDDLE,
    MM,
    OUTPUT_POSITION,
    PAPER,
    PRINTED,
    RATE,
    SCHEMES,
    board,
    intervals,
    pluck_string,
    record_run,
    relative_difference,
    stable_modes,
    try_plucks,
)
from pysitar.papers.ducceschi2019.speed import iterations
from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.style import BLACK, GREY, legend_below, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

POINT_TIMES = (2.0, 10.0, 14.0, 15.0, 20.0, 32.0)         # ms; the paper does not give its own
BOARD_TIMES = (2.0, 8.0, 16.0, 19.0, 25.0, 38.0)
FINER = 5
ALONG = np.arange(201) / 200.0  # m
CONSISTENT = 0.03               # of the output: the two schemes on a grid
DISPERSION = 2.0                # times the difference without a barrier: modes and grid
BALANCED = 1e-11                # of the energy


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


def _consistent(numbers: Numbers, paper: str) -> Statement:
    """Return the statement that the three schemes agree."""
    plain = [0.01 * percent(numbers["explicit"]), *numbers["tried"]["explicit"]["output_off"]]
    free = numbers["modal"]["free_difference_from_iterative"]
    modal = [0.01 * percent(numbers["modal"]) / free, *(
        one / other for one, other in zip(numbers["tried"]["modal"]["output_off"],
                                          numbers["tried"]["modal"]["free_output_off"],
                                          strict=True))]
    return judge(
        paper=paper, computed=
        f"over 40 ms at 0.9 m the explicit scheme differs from the iterative one by "
        f"{100 * plain[0]:.2g} %, the mended explicit one by "
        f"{percent(numbers['explicit, mended']):.2g} %, the modal scheme by "
        f"{percent(numbers['modal']):.2g} %, of which the waves on the grid cause "
        f"{100 * free:.2g} % without a barrier; plucked at {len(plain) - 1} positions at 44.1 kHz, "
        f"explicit up to {100 * max(plain[1:]):.2g} %, modal up to {max(modal[1:]):.2f} times the "
        "difference without a barrier",
        holds=max(plain) < CONSISTENT and max(modal) < DISPERSION,
        condition=f"explicit and iterative differ by less than {100 * CONSISTENT:g} %, modal and "
        f"iterative by less than {DISPERSION:g} times what they differ without a barrier, wherever "
        "the string is plucked",
        reason="some differences, as the paper has them; the contact may add no more than the "
        "waves on the grid")


def percent(numbers: Numbers) -> float:
    """Return the difference from the iterative scheme, in per cent."""
    return 100.0 * float(numbers["difference_from_iterative"])


def _free_difference(rate: float) -> float:
    """Return the difference of the modal from the iterative scheme without a barrier."""
    steps = round(DURATION * rate) + 1
    one, other = (pluck_string(SCHEMES[name], "none", rate).run(
        steps, [("displacement", OUTPUT_POSITION)]).outputs[:, 0] for name in ("modal",
                                                                             "iterative"))
    return relative_difference(one, other)


def _fig4() -> Finding:
    numbers, curves = record_shapes("point", RATE, POINT_TIMES)
    rest = LAW.stiffness * abs(BELOW) ** LAW.exponent
    numbers |= {
        "force_at_rest_with_the_printed_height_N": rest,
        # psi g = phi', with the sign of (50) for a string that is 0.1 mm inside the barrier
        "force_inside_as_printed_N": -rest, "tried": try_plucks("point", RATE)
    }
    numbers["modal"]["free_difference_from_iterative"] = _free_difference(RATE)
    return Finding(
        key="ducceschi2019:fig4", title="A string and a point barrier", source=f"{PAPER}, Fig. 4",
        caption=
        "A string of 1 m, plucked by a raised cosine of 10 N and 1 ms at 0.3 m, over a point 0.1 "
        "mm below its middle (dot), at 44.1 kHz. The stiffness is that of the point, 5e6 N/m^1.4, "
        "on the nearest node (as a density: ducceschi2019:equations). Lines: the three schemes of "
        "the paper and the mended ones.",
        numbers=numbers, curves=curves, statements=_fig4_statements(numbers))


def _fig4_statements(numbers: Numbers) -> tuple[Statement, ...]:
    rest, inside = (numbers["force_at_rest_with_the_printed_height_N"],
                    numbers["force_inside_as_printed_N"])
    residual = max(numbers[name]["balance_residual"] for name in SCHEMES)
    return (
        judge(
            paper="The point lies at +0.1 mm.", verdict="paper is wrong", otherwise="agrees",
            computed=f"it would then press the string at rest with {rest:.1f} N; expected -0.1 mm",
            holds=rest > 0.0, condition="the barrier presses the string at rest",
            reason="the string of the figure starts at rest, and strikes the barrier later"),
        _consistent(numbers, "The three schemes agree, with some differences."),
        judge(
            paper=
            "In (50) psi g is subtracted, and there is no external force; in (53), (57) and "
            "(59) force and contact stand on the left with a plus.", verdict="paper is wrong",
            otherwise="cannot be compared",
            computed="with the compression b - u both have the opposite sign, and the force "
            f"belongs in (50): as printed a string 0.1 mm inside the barrier is pulled in with "
            f"{-inside:.1f} N; with these changes every scheme balances its energy to "
            f"{residual:.0e}", holds=inside < 0.0 and residual < BALANCED,
            condition=f"the force as printed pulls, and the balance as mended holds to "
            f"{BALANCED:g}", reason="some thousand steps with roundings of 1e-16"),
    )


def _fig8() -> Finding:
    numbers, curves = record_shapes("board", FINER * RATE, BOARD_TIMES)
    numbers |= {"contacts_at_44100_Hz": iterations(), "tried": try_plucks("board", RATE)}
    most = numbers["contacts_at_44100_Hz"]["points_in_contact_at_most"]
    numbers["rank_of_the_change"] = {"one": _rank(1), "most": _rank(most)}
    numbers["modal"]["free_difference_from_iterative"] = _free_difference(FINER * RATE)
    return Finding(
        key="ducceschi2019:fig8", title="A string and a bent board", source=f"{PAPER}, Fig. 8",
        caption=
        "The string of Fig. 4 over a board along all of it (grey), -1e-4 - 1e-4 x - 1e-3 x^2 m, "
        "at 5 x 44.1 kHz, 5e6 N/m^2.4; for the modes the board has 511 points, 1 / 512 m apart "
        "(the grid has 521 nodes).",
        numbers=numbers, curves=curves, statements=_fig8_statements(numbers))


def _rank(points: int) -> int:
    """Return the rank of the matrix of (60), sum of X X', for neighbouring points in contact at
    44.1 kHz."""
    cells = intervals(RATE)
    modes = np.arange(1, stable_modes(RATE) + 1)
    shapes = np.sin(np.pi * np.outer(np.arange(1, points + 1) / cells, modes))
    return int(np.linalg.matrix_rank(shapes))


def _fig8_statements(numbers: Numbers) -> tuple[Statement, ...]:
    least = {name: numbers[name]["least_force_N"] for name in SCHEMES}
    most, rank = numbers["contacts_at_44100_Hz"], numbers["rank_of_the_change"]
    return (
        _consistent(numbers, "The three schemes agree, also after several collisions."),
        judge(
            paper="Whether the schemes only push, as the penalty does, is not said.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed="the least force of the whole barrier on the string is "
            + ", ".join(f"{least[name]:.2g} N ({name})" for name in SCHEMES)
            + ": as printed, the variable keeps a value after a contact, whose force can pull",
            holds=min(least[name] for name in PRINTED) < 0.0
            and min(least[name] for name in SCHEMES if name not in PRINTED) >= 0.0,
            condition="the least force of a scheme of the paper is below 0 N, and that of the "
            "mended ones is not", reason="a sign has no threshold"),
        judge(
            paper="The modal system is a rank-one change, which Sherman and Morrison's formula "
            "solves.",
            computed=f"with one point in contact the rank is {rank['one']}",
            holds=rank["one"] == 1, condition="the rank of (60) is 1 for one point in contact",
            reason="each point obstacle, as the paper places them, adds one such change"),
        judge(
            paper="What the system is for several points in contact at a time is not said.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed=f"up to {most['points_in_contact_at_most']} points are in contact at a time "
            f"at 44.1 kHz; the rank is then {rank['most']}, to rounding, and their "
            "forces depend on each other",
            holds=rank["most"] > 1, condition="the rank of (60) is over 1 for as many points",
            reason="counts have no threshold"),
    )


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
           source=f"{PAPER}, Fig. 4", compute=_fig4, judge=_fig4_statements,
           draw=_draw_fig4),
    Figure(key="ducceschi2019:fig8", title="A string and a bent board", source=f"{PAPER}, Fig. 8",
           compute=_fig8, judge=_fig8_statements,
           draw=_draw_fig8),
)
