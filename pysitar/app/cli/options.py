"""The arguments and options that several commands share: each is declared here once."""
from __future__ import annotations

import argparse
from typing import TypeAlias

from pysitar.app.cli.parsing import cpus, parse_quantity, whole_number
from pysitar.app.messages import UsageError
from pysitar.rendering.options import MOST_JOBS

RATE, OVERSAMPLE = 48000, 2     # Hz; oversampling factor: where a score sets none
FORMATS = ("wav", "flac")
QUIET = "no progress bar and no summary line"
LIMITS = "a million events, 4 hours, an internal rate of 3.1 MHz"
Options: TypeAlias = argparse.ArgumentParser | argparse._ArgumentGroup


def add_score(options: Options, *, several: bool = False, standard_input: bool = True) -> None:
    """Add SCORE, or SCORE..., as `score` or `scores`."""
    options.add_argument("scores" if several else "score", metavar="SCORE",
                         nargs="+" if several else None,
                         help="a .score file" + ", or - for standard input" * standard_input)


def add_output_folder(options: Options, *, required: bool = True) -> None:
    """Add -o DIR."""
    options.add_argument("-o", "--output", metavar="DIR", required=required,
                         help="output folder, created if it does not exist")


def add_format(options: Options, *, default: str | None = None) -> None:
    """Add --format.  Parameters: default (None: from the ending of the output file)."""
    shown = "from the ending of FILE, else wav" if default is None else default
    options.add_argument("--format", choices=FORMATS, default=default,
                         help=f"wav or flac (default: {shown})")


def add_subtype(options: Options, *, default: str = "PCM_24") -> None:
    """Add --subtype.  Parameters: default."""
    options.add_argument(
        "--subtype", default=default, metavar="NAME",
        help="sample format: PCM_24, PCM_16, or FLOAT (wav only; never clips) "
             f"(default: {default})")


def add_allow_large(options: Options, *, limits: str = LIMITS) -> None:
    """Add --allow-large.  Parameters: limits, those that it lifts."""
    options.add_argument("--allow-large", action="store_true", help=f"lift the limits: {limits}")


def add_rate(options: Options, *, own: bool = False) -> None:
    """Add --rate.  Parameters: own, the default does not depend on a score."""
    default = f"{RATE}" if own else f"the score's, else {RATE}"
    options.add_argument("--rate", type=whole_number, default=RATE if own else None, metavar="HZ",
                         help=f"sample rate, Hz (default: {default})")


def add_oversample(options: Options, *, own: bool = False, more: str = "") -> None:
    """Add --oversample.  Parameters: own, as in `add_rate`; more, further text of its help."""
    default = f"{OVERSAMPLE}" if own else f"the score's, else {OVERSAMPLE}"
    options.add_argument(
        "--oversample", type=whole_number, default=OVERSAMPLE if own else None, metavar="N",
        help="oversampling factor: the simulation runs at N x the sample rate "
             f"(default: {default}){more}")


def add_seed(options: Options, *, of: str = "everything random") -> None:
    """Add --seed.  Parameters: of, what it seeds."""
    options.add_argument("--seed", type=whole_number, metavar="N",
                         help=f"seed of {of} (default: the score's, else 0)")


def add_peak(options: Options, *, more: str = "") -> None:
    """Add --peak.  Parameters: more, further text of its help."""
    options.add_argument("--peak", type=parse_level, metavar="LEVEL",
                         help="scale the sound so that its largest sample is at LEVEL, -100dB to "
                              f"0dB of full scale{more} (default: the score's, else no scaling)")


def add_fade(options: Options) -> None:
    """Add --fade."""
    options.add_argument("--fade", type=parse_time, metavar="T",
                         help="fade the last T of the sound, such as 0.2s or 200ms, at most 5 s "
                              "and a quarter of the sound; 0: no fade (default: the score's, else "
                              "0.4 s)")


def add_jobs(options: Options, *, of: str, more: str = "", default: int | None = None) -> None:
    """Add --jobs.

    Parameters: of, what runs in parallel; more, further text; default (None: one for each CPU).
    """
    shown = "one for each CPU" if default is None else str(default)
    options.add_argument("--jobs", type=whole_number, default=default, metavar="N",
                         help=f"number of parallel {of} (default: {shown}){more}")


def add_quiet(options: Options, text: str = QUIET) -> None:
    """Add --quiet.  Parameters: text, its help."""
    options.add_argument("--quiet", action="store_true", help=text)


def parse_level(text: str) -> float:
    """Return the level of an option (dB).  Errors: argparse.ArgumentTypeError."""
    return parse_quantity(text, "a level; expected a number of dB, such as -1dB", dB=1.0)


def parse_time(text: str) -> float:
    """Return the duration of an option (s).  Errors: argparse.ArgumentTypeError."""
    return parse_quantity(text, "a time; expected a number of s, such as 0.2s or 200ms",
                          s=1.0, ms=1000.0)


def worker_count(command: str, jobs: int | None, most: int = MOST_JOBS) -> int:
    """Return the number of workers: --jobs, else one for each CPU.  Errors: UsageError."""
    if jobs is None:
        return cpus()
    if not 1 <= jobs <= most:
        raise UsageError(
            f"pysitar {command}: --jobs is {jobs}; expected a whole number from 1 to {most}")
    return jobs
