"""The options that several commands share: each is declared here once."""
from __future__ import annotations

import argparse
import re
from typing import TypeAlias

from pysitar.app.cli.parsing import whole_number
from pysitar.errors import quoted

RATE, OVERSAMPLE = 48000, 2  # Hz; steps of the simulation per sample: where a score gives none
LEVEL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?:dB)?")
QUIET = "no progress bar and no summary line"
Options: TypeAlias = argparse.ArgumentParser | argparse._ArgumentGroup


def add_rate(options: Options, *, own: bool = False) -> None:
    """Add --rate.  Parameters: own, the command has a default of its own, not the score's."""
    default = f"{RATE}" if own else f"the score's, else {RATE}"
    options.add_argument("--rate", type=whole_number, default=RATE if own else None, metavar="HZ",
                         help=f"sample rate, Hz (default: {default})")


def add_oversample(options: Options, *, own: bool = False, more: str = "") -> None:
    """Add --oversample.  Parameters: own, as in `add_rate`; more, further text of its help."""
    default = f"{OVERSAMPLE}" if own else f"the score's, else {OVERSAMPLE}"
    options.add_argument(
        "--oversample", type=whole_number, default=OVERSAMPLE if own else None, metavar="N",
        help="oversampling factor: the simulation runs at N x the sample rate (default: "
             f"{default}){more}")


def add_seed(options: Options, *, of: str = "everything random") -> None:
    """Add --seed.  Parameters: of, what it seeds."""
    options.add_argument("--seed", type=whole_number, metavar="N",
                         help=f"seed of {of} (default: the score's, else 0)")


def add_peak(options: Options, *, more: str = "") -> None:
    """Add --peak.  Parameters: more, further text of its help."""
    options.add_argument("--peak", type=parse_level, metavar="LEVEL",
                         help="scale the sound so that its largest sample is at LEVEL, -100dB to "
                              f"0dB of full scale{more}")


def add_jobs(options: Options, *, of: str, more: str = "", default: int | None = None) -> None:
    """Add --jobs.

    Parameters: of, what runs in parallel; more, further text; default (None: CPUs).
    """
    shown = "one for each CPU" if default is None else str(default)
    options.add_argument("--jobs", type=whole_number, default=default, metavar="N",
                         help=f"number of parallel {of} (default: {shown}){more}")


def add_quiet(options: Options, text: str = QUIET) -> None:
    """Add --quiet.  Parameters: text, its help."""
    options.add_argument("--quiet", action="store_true", help=text)


def parse_level(text: str) -> float:
    """Return a level (dB) written with or without its unit; its range is checked where it is used.

    Errors: argparse.ArgumentTypeError.
    """
    match = LEVEL.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a level; expected a number of dB, such as -1dB")
    return float(match[1])
