"""Pitch and slips of Helmholtz motion, by the force of the bow."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pysitar.papers.finding import Figure, Finding, Numbers, Statement, judge
from pysitar.papers.schelleng1973.bowed import HELMHOLTZ, PAPER, bow_string
from pysitar.papers.style import BLACK, BLUE, VERMILION, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

KEY = "schelleng1973:flattening"
TITLE = "Flattening of a bowed string"
SOURCE = f"{PAPER}: Helmholtz motion between the limits"
BETA = 0.11
FORCES = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)  # N
EXPECTED = {0.3: -5.0, 0.4: -12.5}      # cents, of another program of this scheme
WITHIN = 1.0                    # cents
SLIPS = ((0.11, 0.1, 0.6), (0.2, 0.2, 0.36))    # beta, speed (m/s), force (N)
SLIP_WITHIN = 0.05              # of beta
SECONDS = 1.2                   # until the pitch is steady


def _find() -> Finding:
    motions = [bow_string(beta=BETA, force=force) for force in FORCES]
    slips = [bow_string(beta=beta, speed=speed, force=force, seconds=SECONDS)
             for beta, speed, force in SLIPS]
    numbers: Numbers = {
        "beta": BETA, "force_N": list(FORCES), "regimes": [one.regime for one in motions],
        "pitch_cents": [one.cents for one in motions],
        "slip_fraction_over_beta": [one.fraction / BETA for one in motions],
        "slips_at_beta": [beta for beta, _, _ in SLIPS],
        "slips_at_speed_m_per_s": [speed for _, speed, _ in SLIPS],
        "slips_at_force_N": [force for _, _, force in SLIPS],
        "slips_fraction_over_beta": [
            one.fraction / beta for one, (beta, _, _) in zip(slips, SLIPS, strict=True)],
    }
    return Finding(
        key=KEY, title=TITLE, source=SOURCE, caption=
        "The G string of a violin, bowed at 0.11 of its length with 0.1 m/s: its pitch, and the "
        "part of a period in which it slips, by the force of the bow; crosses: of another "
        "program. At 0.2 N it slips twice in a period, over 0.75 N it is raucous.", numbers=numbers,
        curves={
            "force_N": np.array(FORCES), "pitch_cents": np.array(numbers["pitch_cents"]),
            "slip fraction over beta": np.array(numbers["slip_fraction_over_beta"])},
        statements=_judge(numbers))


def _judge(numbers: Numbers) -> tuple[Statement, ...]:
    cents = dict(zip(numbers["force_N"], numbers["pitch_cents"], strict=True))
    falls = [later - earlier for earlier, later in
             zip(numbers["pitch_cents"], numbers["pitch_cents"][1:], strict=False)]
    fractions = numbers["slips_fraction_over_beta"]
    return (
        judge(
            paper="The string slips for the part beta of each period.",
            computed="the part over beta is " + ", ".join(
                f"{part:.3f} at beta {beta:g}, {speed:g} m/s, {force:g} N" for part, beta, speed,
                force in zip(fractions, numbers["slips_at_beta"],
                             numbers["slips_at_speed_m_per_s"], numbers["slips_at_force_N"],
                             strict=True)),
            holds=max(abs(part - 1.0) for part in fractions) <= SLIP_WITHIN,
            condition=f"it is within {SLIP_WITHIN:.0%} of 1",
            reason="a corner that is round over some steps lengthens a slip of 50 by two or three"),
        judge(
            paper="The paper has no round corner, and so no change of the pitch by the force.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed=", ".join(f"{cents[force]:.1f} cents at {force:g} N" for force in EXPECTED),
            holds=all(abs(cents[force] - expected) <= WITHIN
                      for force, expected in EXPECTED.items()),
            condition="they are " + " and ".join(f"{one:g}" for one in EXPECTED.values())
            + f" to {WITHIN:g} cent", reason="the pitch of another program of the same equations; "
            "windows of 0.2 s give it to some tenths of a cent"),
        judge(
            paper="The paper has no round corner, and so no change of the pitch by the force.",
            verdict="beyond the paper", otherwise="cannot be compared",
            computed=f"from {numbers['force_N'][0]:g} to {numbers['force_N'][-1]:g} N the pitch "
            f"falls by {numbers['pitch_cents'][0] - numbers['pitch_cents'][-1]:.1f} cents, all "
            f"of it Helmholtz motion: {numbers['regimes'].count(HELMHOLTZ)} of "
            f"{len(numbers['regimes'])}",
            holds=max(falls) < 0.0 and set(numbers["regimes"]) == {HELMHOLTZ},
            condition="all runs are Helmholtz motion, and the pitch falls with each step of force",
            reason="a sign has no threshold"),
    )


def _draw(finding: Finding) -> Drawing:
    drawing, [upper, lower] = sheet(2, height=3.0, sharex=True)
    force = finding.curves["force_N"]
    upper.plot(force, finding.curves["pitch_cents"], color=BLUE, marker="o")
    upper.plot(list(EXPECTED), list(EXPECTED.values()), linestyle="none", marker="x",
               markersize=6.0, color=VERMILION)
    upper.set_ylabel("pitch (cents)")
    lower.plot(force, finding.curves["slip fraction over beta"], color=BLUE, marker="o")
    lower.axhline(1.0, color=BLACK, linestyle=":", linewidth=0.9)
    lower.set(xlabel="force of the bow (N)", ylabel=r"slip fraction / $\beta$")
    return drawing


FIGURES = (Figure(key=KEY, title=TITLE, source=SOURCE, compute=_find, judge=_judge, draw=_draw), )
