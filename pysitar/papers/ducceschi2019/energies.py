"""The energies of the string with a point barrier (figures 5 and 6), and its output (figure 7)."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.ducceschi2019.plucked import (
    MJ,
    MM,
    MS,
    OUTPUT_POSITION,
    PAPER,
    PRINTED,
    RATE,
    SCHEMES,
    record_run,
    relative_difference,
    try_plucks,
)
from pysitar.papers.finding import Figure, Finding, Numbers, Statement, Verdict, judge
from pysitar.papers.style import legend_below, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from pysitar.physics.checks import FloatArray

FINER = 5
TIMES_MS = (2, 5, 10, 15, 20, 30)   # ms
PARTS = {"Hk": "kinetic", "Hp": "potential", "Hc": "contact", "H": "energy"}
THIN = 3                        # at the higher rate every third step is drawn
FASTER = f"{FINER} x 44.1 kHz"
ROUNDING = 1e-12                # of the energy
SAME = 1e-3                     # of the energy
MOST_OF_THEM, FEW_OF_THEM = 8, 2                          # of ten positions of the pluck
CONSISTENT = 0.5  # of the difference at audio rate
CONVERGED = 0.01                # of the output


def energies(rate: float) -> tuple[Numbers, dict[str, FloatArray]]:
    """Return the energies of each scheme: numbers at some instants, and curves."""
    numbers: Numbers = {"times_ms": list(TIMES_MS)}
    curves: dict[str, FloatArray] = {}
    thin = slice(None, None, 1 if rate == RATE else THIN)
    kinetic: dict[str, FloatArray] = {}
    for name in SCHEMES:
        run, numbers[name] = record_run(name, "point", rate)
        kinetic[name] = run.kinetic
        for part, attribute in PARTS.items():
            values = getattr(run, attribute)
            # H(n + 1/2) at t = n / rate
            numbers[name][f"{part}_J"] = [
                float(values[round(ms * rate / 1e3) + 1]) for ms in TIMES_MS
            ]
            curves[f"{name} {part}_J"] = values[thin]
        curves["time_s"] = run.time[thin]
    for name in ("explicit", "explicit, mended"):
        numbers[name]["kinetic_energy_off_over_H"] = float(
            np.sqrt(np.mean(
                (kinetic[name] - kinetic["iterative"])**2)) / numbers["iterative"]["last_energy_J"])
    return numbers, curves


def _energy_statements(numbers: Numbers) -> tuple[Statement, ...]:
    """Return the statements on both rates."""
    kept = max(numbers[name]["change_of_energy_after_pluck"] for name in PRINTED)
    grid, plain, modal = (numbers[name]["last_energy_J"] for name in PRINTED)
    apart = max(abs(one / grid - 1.0) for one in (plain, modal))
    tried = [abs(one) for name in ("explicit", "modal") for one in numbers["tried"][name]
             ["energy_off"]]
    return (
        judge(
            paper="The whole energy is kept once the force has ended.",
            computed=f"to {kept:.0e} of it in the schemes of the paper; the mended modal scheme "
            f"loses {100 * numbers['modal, mended']['change_of_energy_after_pluck']:.2g} % by "
            "design", holds=kept < ROUNDING,
            condition=f"it changes by less than {ROUNDING:g} of itself in each scheme",
            reason="some thousand steps with roundings of 1e-16"),
        judge(
            paper="The three schemes have the same energy.", computed=
            f"{MJ * grid:.5f} mJ on the grid, with and without iteration, and {MJ * modal:.5f} mJ "
            f"in modes ({100 * (modal / grid - 1.0):+.3f} %), which respond differently to the "
            f"highest frequencies of the pluck; plucked at {len(numbers['tried']['plucks_m'])} "
            f"positions up to {100 * max(tried):.3f} % apart",
            holds=max(apart, *tried) < SAME,
            condition=f"they differ by less than {100 * SAME:g} %, wherever the string is plucked",
            reason="a thousandth of the axis is less than the width of a line"),
    )


def _contact_energy_left(numbers: Numbers) -> str:
    left = ", ".join(f"{1e6 * numbers[name]['Hc_J'][TIMES_MS.index(30)]:.3g} µJ ({name})"
                     for name in SCHEMES)
    return f"contact energy at 30 ms, when the string is free: {left}"


def _fig5() -> Finding:
    numbers, curves = energies(RATE)
    numbers["tried"] = try_plucks("point", RATE)
    return Finding(
        key="ducceschi2019:fig5", title="Energies of the string, at audio rate",
        source=f"{PAPER}, Fig. 5",
        caption="Kinetic, potential, contact and whole energy of the string of Fig. 4, at 44.1 "
                "kHz.",
        numbers=numbers, curves=curves, statements=_fig5_statements(numbers))


def _less_in_modes(numbers: Numbers) -> int:
    """Return from how many positions of the pluck the modal scheme keeps less contact energy."""
    return sum(modal < plain for plain, modal in zip(
        *(numbers["tried"][name]["last_contact_energy_J"] for name in ("explicit", "modal")),
        strict=True))


def _fig5_statements(numbers: Numbers) -> tuple[Statement, ...]:
    plain, modal = (numbers[name]["Hc_J"][TIMES_MS.index(30)] for name in ("explicit", "modal"))
    whole, count = numbers["iterative"]["last_energy_J"], len(numbers["tried"]["plucks_m"])
    least = min(min(numbers["tried"][name]["last_contact_energy_J"])
                for name in ("explicit", "modal"))
    better = _less_in_modes(numbers)
    verdict: Verdict = ("agrees" if better >= MOST_OF_THEM else
                        "disagrees" if better <= FEW_OF_THEM else "cannot be compared")
    return (
        *_energy_statements(numbers),
        judge(
            paper="The schemes without iteration turn kinetic energy into contact energy.",
            computed=
            f"{_contact_energy_left(numbers)}: the schemes as printed keep it for good, the "
            f"mended ones return or dissipate it; plucked at {count} positions, at least "
            f"{1e6 * least:.2g} µJ", holds=min(plain, modal, least) > ROUNDING * whole,
            condition=f"both keep over {ROUNDING:g} of the whole, wherever the string is plucked",
            reason="rounding; the iterative scheme keeps none"),
        Statement(
            paper="The modal scheme behaves somewhat better in this.",
            computed=f"it keeps {modal / plain:.2f} of what the explicit scheme keeps; but less "
            f"than that scheme at {better} of {count} positions of the pluck only",
            criterion=f"agrees if it keeps less at {MOST_OF_THEM} of {count} positions of the "
            f"pluck, disagrees at {FEW_OF_THEM} or fewer: between them it depends on the "
            "position, which the paper does not give", verdict=verdict),
    )


def _fig6() -> Finding:
    numbers, curves = energies(FINER * RATE)
    before = energies(RATE)[0]
    numbers["kinetic_energy_off_over_H_at_both_rates"] = {
        name: [one[name]["kinetic_energy_off_over_H"] for one in (before, numbers)]
        for name in ("explicit", "explicit, mended")
    }
    numbers |= {"tried": try_plucks("point", FINER * RATE),
                "tried_at_audio_rate": try_plucks("point", RATE)}
    return Finding(
        key="ducceschi2019:fig6", title="Energies of the string, oversampled",
        source=f"{PAPER}, Fig. 6", caption="As in Fig. 5, at 5 x 44.1 kHz.",
        numbers=numbers, curves=curves, statements=_fig6_statements(numbers))


def _fig6_statements(numbers: Numbers) -> tuple[Statement, ...]:
    off = numbers["kinetic_energy_off_over_H_at_both_rates"]
    plain, mended = off["explicit"], off["explicit, mended"]
    left = [numbers[name]["Hc_J"][TIMES_MS.index(30)] for name in ("explicit", "modal")]
    count, better = len(numbers["tried"]["plucks_m"]), _less_in_modes(numbers)
    parts = [
        fine / slow for name in ("explicit", "modal") for slow, fine in zip(
            *(numbers[tried][name]["kinetic_energy_off"]
              for tried in ("tried_at_audio_rate", "tried")), strict=True)
    ]
    return (
        *_energy_statements(numbers),
        judge(
            paper="The energies agree far better than at audio rate.",
            computed="root mean square difference of the kinetic energy from that of the "
            f"iterative scheme, over H: explicit {100 * plain[0]:.2g} % at 44.1 kHz, "
            f"{100 * plain[1]:.2g} % at {FASTER}; mended {100 * mended[0]:.1g} % and "
            f"{100 * mended[1]:.1g} %; plucked at {count} positions, at most "
            f"{max(parts):.2f} of that at 44.1 kHz, also in modes",
            holds=max(plain[1] / plain[0], *parts) < CONSISTENT,
            condition=f"the differences of both schemes are less than {CONSISTENT:g} of those at "
            "44.1 kHz, wherever the string is plucked",
            reason="first order would give a fifth; half is far better"),
        judge(
            paper="Whether the modal scheme keeps less contact energy also at this rate is not "
            "said.", verdict="beyond the paper", otherwise="cannot be compared", computed=
            f"its contact energy at 30 ms is {1e6 * left[1]:.1e} µJ, that of the explicit scheme "
            f"{1e6 * left[0]:.1e} µJ; it keeps less at {better} of {count} positions of the pluck",
            holds=better < MOST_OF_THEM,
            condition=f"it keeps less at fewer than {MOST_OF_THEM} of {count} positions",
            reason="the paper says it of audio rate"),
    )


def _draw_energies(finding: Finding) -> Drawing:
    drawing, axes = sheet(4, 1, height=5.4, sharex=True)
    for one, part in zip(axes, PARTS, strict=True):
        for name, scheme in SCHEMES.items():
            one.plot(MS * finding.curves["time_s"], MJ * finding.curves[f"{name} {part}_J"],
                     label=name, **scheme.look)
        one.set_ylabel(f"${part[0]}_{part[1]}$ (mJ)" if part[1:] else "$H$ (mJ)")
    for one in axes[:2]:
        one.set_ylim(-0.1, 3.4)
    axes[2].set(yscale="log", ylim=(1e-8, 1.0))
    axes[3].set(xlim=(0.0, 40.0), ylim=(3.19, 3.23), xlabel="time (ms)")
    legend_below(drawing, axes[0])
    return drawing


def _fig7() -> Finding:
    numbers: Numbers = {}
    curves: dict[str, FloatArray] = {}
    apart: dict[float, list[float]] = {}
    for rate in (RATE, FINER * RATE):
        runs = {name: record_run(name, "point", rate) for name in SCHEMES}
        out = {name: run.outputs[:, 0] for name, (run, _) in runs.items()}
        numbers[f"{rate:.0f}_Hz"] = {name: found for name, (_, found) in runs.items()}
        curves[f"{rate:.0f} Hz time_s"] = runs["iterative"][0].time
        curves |= {f"{rate:.0f} Hz {name} u_m": values for name, values in out.items()}
        apart[rate] = [
            100.0 * relative_difference(out[name], out["iterative"])
            for name in ("explicit", "modal", "explicit, mended")
        ]
        numbers[f"{rate:.0f}_Hz"]["explicit_modal_mended_off_percent"] = apart[rate]
    numbers["tried"] = try_plucks("point", FINER * RATE)
    return Finding(
        key="ducceschi2019:fig7", title="Recorded output of the string", source=f"{PAPER}, Fig. 7",
        caption=
        f"Displacement at {OUTPUT_POSITION:g} m of the string of Fig. 4, at 44.1 kHz (top) and "
        "5 x 44.1 kHz (bottom).",
        numbers=numbers, curves=curves, statements=_fig7_statements(numbers))


def _fig7_statements(numbers: Numbers) -> tuple[Statement, ...]:
    slow, fast = (numbers[f"{rate:.0f}_Hz"]["explicit_modal_mended_off_percent"]
                  for rate in (RATE, FINER * RATE))
    plain, modal = (numbers["tried"][name]["output_off"] for name in ("explicit", "modal"))
    return (judge(
        paper="At the higher rate the outputs have converged.",
        computed="differences from the iterative scheme at the same rate: explicit "
        f"{slow[0]:.2g} %, then {fast[0]:.2g} %; modal {slow[1]:.2g} %, then {fast[1]:.2g} %; "
        f"explicit, mended {slow[2]:.1g} %, then {fast[2]:.0e} %. Plucked at {len(plain)} "
        f"positions, explicit up to {100 * max(plain):.2g} %, modal {100 * min(modal):.2g} to "
        f"{100 * max(modal):.2g} %",
        holds=max(fast[0], fast[1], *(100.0 * one for one in (*plain, *modal)))
        < 100.0 * CONVERGED,
        condition=f"both differ by less than {100 * CONVERGED:g} %, wherever the string is "
        "plucked", reason="the width of a line in the figure"), )


def _draw_fig7(finding: Finding) -> Drawing:
    drawing, axes = sheet(2, 1, height=3.6, sharex=True, sharey=True)
    for one, rate, letter in zip(axes, (RATE, FINER * RATE), "ab", strict=True):
        for name, scheme in SCHEMES.items():
            one.plot(MS * finding.curves[f"{rate:.0f} Hz time_s"],
                     MM * finding.curves[f"{rate:.0f} Hz {name} u_m"], label=name, **scheme.look)
        one.set_ylabel("u (mm)")
        one.set_title(f"({letter}) {rate / 1e3:g} kHz", loc="left", pad=2.0)
    axes[1].set(xlim=(0.0, 40.0), ylim=(-0.65, 0.65), xlabel="time (ms)")
    legend_below(drawing, axes[0])
    return drawing


def _figure(number: int, title: str, compute: Callable[[], Finding],
            statements: Callable[[Numbers], tuple[Statement, ...]],
            draw: Callable[[Finding], Drawing]) -> Figure:
    return Figure(key=f"ducceschi2019:fig{number}", title=title, source=f"{PAPER}, Fig. {number}",
                  compute=compute, judge=statements, draw=draw)


FIGURES = (
    _figure(5, "Energies of the string, at audio rate", _fig5, _fig5_statements, _draw_energies),
    _figure(6, "Energies of the string, oversampled", _fig6, _fig6_statements, _draw_energies),
    _figure(7, "Recorded output of the string", _fig7, _fig7_statements, _draw_fig7),
)
