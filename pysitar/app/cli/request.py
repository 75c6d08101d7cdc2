"""The options of a render that `render`, `play` and `watch` share, and the request made of them."""
from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from pysitar.api.request import Request
from pysitar.app.cli.options import (
    LIMITS,
    Options,
    add_allow_large,
    add_fade,
    add_jobs,
    add_oversample,
    add_peak,
    add_rate,
    add_seed,
)
from pysitar.app.cli.parsing import cpus
from pysitar.app.cli.times import seconds_of
from pysitar.app.messages import UsageError
from pysitar.errors import ParameterError, ScoreError, quoted
from pysitar.rendering.engine import bind_score
from pysitar.rendering.options import MOST_JOBS
from pysitar.score.parser import Parsed

OPTION_NAMES = {                # by the names of their parameters
    "rate": "--rate", "oversample": "--oversample", "seed": "--seed", "jobs": "--jobs",
    "peak": "--peak", "fade": "--fade", "start": "--from", "stop": "--to", "only": "--only",
    "mute": "--mute", "subtype": "--subtype"}


def add_selection(group: Options, *, start: str, stop: str, peak: bool = True) -> None:
    """Add --from, --to, --only, --mute, --peak and --fade.

    Parameters: start, stop: the help of --from and --to; peak, whether --peak is one of them.
    """
    group.add_argument("--from", dest="start", metavar="T", help=start)
    group.add_argument("--to", dest="stop", metavar="T",
                       help=f"{stop} at time T (default: the end of the sound)")
    group.add_argument("--only", action="append", default=[], metavar="TARGET",
                       help="play only TARGET; can be repeated")
    group.add_argument("--mute", action="append", default=[], metavar="TARGET",
                       help="do not play TARGET; can be repeated")
    if peak:
        add_peak(group, more=", and report the gain")
    add_fade(group)


def add_computation(group: Options, *, limits: str = "") -> None:
    """Add --rate, --oversample, --seed, --jobs and --allow-large.

    Parameters: limits, which --allow-large lifts beside those of a score's size.
    """
    add_rate(group)
    add_oversample(group, more="; if N x the sample rate is below 88000 Hz, strings on bridges "
                               "sound sharper and duller")
    add_seed(group)
    add_jobs(group, of="threads, which compute strings, masses and objects",
             more="; the sound does not depend on N")
    add_allow_large(group, limits=f"{LIMITS}{limits}")


def make_request(command: str, arguments: argparse.Namespace, parsed: Parsed, *,
                 traces: bool = False) -> Request:
    """Return the options of the render.  Errors: UsageError."""
    start = _seconds(command, "--from", arguments.start, parsed)
    stop = _seconds(command, "--to", arguments.stop, parsed)
    return Request(rate=arguments.rate, oversample=arguments.oversample, seed=arguments.seed,
                   peak=getattr(arguments, "peak", None), fade=arguments.fade,
                   start=0.0 if start is None else start, stop=stop,
                   only=arguments.only, mute=arguments.mute, traces=traces,
                   allow_large=arguments.allow_large,
                   jobs=min(cpus(), MOST_JOBS) if arguments.jobs is None else arguments.jobs)


@contextmanager
def option_errors(command: str, arguments: argparse.Namespace) -> Iterator[None]:
    """Name the option in each ParameterError of a `with` block that an option caused."""
    try:
        yield
    except ParameterError as error:
        option = OPTION_NAMES.get(error.name)
        if option is None or getattr(arguments, error.name, None) in (None, []):  # the score's
            raise
        raise UsageError(
            f"pysitar {command}: {option} is {quoted(error.value)}; {error.expected}") from error


def _seconds(command: str, option: str, text: str | None, parsed: Parsed) -> float | None:
    """Return a time of the command line (s); None if there is none.

    Errors: UsageError; ScoreError, if the score has mistakes, which are reported first.
    """
    if text is None:
        return None
    try:
        return seconds_of(text, parsed.score)
    except ScoreError as error:
        bind_score(parsed.score, problems=parsed.problems)
        raise UsageError(f"pysitar {command}: {option}: {error.problems[0].message}") from None
