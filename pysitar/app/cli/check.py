"""`pysitar check`: what is wrong in scores, without a sound."""
from __future__ import annotations

import argparse
from dataclasses import replace

from pysitar.api.request import Asked, opened
from pysitar.app.batch.items import Wanted, item_score, plan_of
from pysitar.app.cli.inputs import read_score
from pysitar.app.cli.parsing import Parser
from pysitar.app.cli.render_options import LARGE
from pysitar.app.messages import DONE, WRONG
from pysitar.errors import Problem, ScoreError, listed, printable
from pysitar.rendering.engine import Engine, open_engine
from pysitar.score.parser import Parsed

NAME = "check"
SUMMARY = "tell what is wrong in scores, without making a sound"
DESCRIPTION = """\
Check scores: their text, the instruments they use, and every value. What is
wrong is told with file, line and column, the first 20 of each score, and the exit
code is 2; of a score in which nothing is wrong, one line tells what is in it,
after warnings of what is physically doubtful: a pitch at which steel would break,
partials that are left out, a rate at which strings on bridges are out of tune, a
contact too short for the rate, a string drawn out too far for its tension to stay
what it is, an event that is not heard before the sound is over."""
EPILOG = """\
examples:
  pysitar check first.score
  pysitar check *.score"""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("scores", nargs="+", metavar="SCORE", help="a .score file, or - for standard input")
    options.add_argument("--allow-large", action="store_true", help=LARGE)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Check scores one after the other; the exit code."""
    code = DONE
    for source in arguments.scores:
        try:
            parsed = read_score(source)
            engine, warnings, count = _open_score(parsed, Asked(allow_large=arguments.allow_large))
        except ScoreError as error:
            print(error)
            code = WRONG
        else:
            if warnings:
                print(listed([replace(warning, message=f"warning: {warning.message}") for warning in warnings]))
            many = f"{count} sounds for pysitar batch, in the first " if count else ""
            print(f"{printable(source, '?')}: {many}{summary_of(engine, warnings)}")
    return code


def _open_score(parsed: Parsed, asked: Asked) -> tuple[Engine, tuple[Problem, ...], int]:
    """The engine of a score or of its first item, the warnings, and how many items a sweep or a draw makes (0: there is none)."""
    if not parsed.score.sweeps and not parsed.score.draws:
        engine = open_engine(parsed.score, problems=parsed.problems, allow_large=asked.allow_large)
        return engine, engine.bound.warnings, 0
    plan = plan_of([parsed], Wanted(asked=asked))
    series = plan.series[0]
    return opened(item_score(series.score, series.item(1, 0)), asked), series.warnings, plan.count


def summary_of(engine: Engine, warnings: tuple[Problem, ...]) -> str:
    """One line on a score that is right."""
    voices = engine.bound.voices
    events = sum(len(voice.events) for voice in voices)
    length = f"{engine.least_frames / engine.options.rate:g} s"
    if engine.options.tail is None:
        length += ", then until all is silent"
    doubts = f"; {_count(len(warnings), 'warning')}" if warnings else ""
    return f"{_count(events, 'event')}, {_count(len(voices), 'voice')}, {length}{doubts}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
