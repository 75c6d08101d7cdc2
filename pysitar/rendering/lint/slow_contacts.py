"""Strings with so many contact points that a step may take long to compute."""
from __future__ import annotations

from pysitar.errors import Problem
from pysitar.kernels.core import elementary
from pysitar.models.definitions.spec import StringSpec
from pysitar.rendering.lint.table import CheckedVoice

# s per step and cubed number of points in contact; measured 4e-11 to 1.5e-10 for 100 to 507 points.
# Modes take far less: with few points in contact, 507 take 1 s per second of sound.
TIME_PER_CUBE = 1e-10
LONGEST = 100.0                 # s of computing per second of sound without a warning


def slow_contacts(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for each played string that may take long while all its points touch."""
    voice, options = checked.plan, checked.options
    played = {event.part for event in voice.events}
    found = []
    for string in voice.strings:
        points = contact_points(string.spec)
        time = TIME_PER_CUBE * options.internal_rate * points * points * points
        if string.name not in played or time <= LONGEST:
            continue
        most = int(elementary.pow(LONGEST / (TIME_PER_CUBE * options.internal_rate), 1.0 / 3.0))
        found.append(
            Problem(
                string.place,
                f"{voice.name}.{string.name} has {points} contact points; while all of them touch, "
                f"a second of sound takes about {time:.2g} s to compute; expected at most {most} "
                f"points at this internal rate"))
    return found


def contact_points(spec: StringSpec) -> int:
    """Return the number of contact points of a string's barrier, frets and fretboard."""
    barrier, frets, board = spec.barrier, spec.frets, spec.fretboard
    return ((barrier.points if barrier is not None else 0)
            + (frets.count if frets is not None else 0)
            + (board.points if board is not None else 0))
