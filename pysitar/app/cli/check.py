"""`pysitar check`: what is wrong in scores, without a sound."""
from __future__ import annotations

import argparse
from dataclasses import replace

from pysitar.app.cli.failures import DONE, WRONG
from pysitar.app.cli.parsing import Parser
from pysitar.app.cli.reading import read_score
from pysitar.errors import ScoreError, listed, printable
from pysitar.rendering.engine import Engine, open_engine

NAME = "check"
SUMMARY = "tell what is wrong in scores, without making a sound"
DESCRIPTION = """\
Check scores: their text, the instruments they use, and every value. What is
wrong is told with file, line and column, the first 20 of each score, and the exit
code is 2; of a score in which nothing is wrong, one line tells what is in it,
after warnings of what is physically doubtful: a pitch at which steel would break,
partials that are left out, a rate at which strings on bridges are out of tune."""
EPILOG = """\
examples:
  pysitar check first.score
  pysitar check *.score"""


def parser() -> Parser:
    """The options of the command."""
    made = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    made.add_argument("scores", nargs="+", metavar="SCORE", help="a .score file, or - for standard input")
    return made


def run(arguments: argparse.Namespace) -> int:
    """Check scores one after the other; the exit code."""
    code = DONE
    for source in arguments.scores:
        try:
            parsed = read_score(source)
            engine = open_engine(parsed.score, problems=parsed.problems)
        except ScoreError as error:
            print(error)
            code = WRONG
        else:
            if engine.bound.warnings:
                print(listed([replace(warning, message=f"warning: {warning.message}") for warning in engine.bound.warnings]))
            print(f"{printable(source, '?')}: {summary_of(engine)}")
    return code


def summary_of(engine: Engine) -> str:
    """One line on a score that is right."""
    voices = engine.bound.voices
    events = sum(len(voice.events) for voice in voices)
    length = f"{engine.least_frames / engine.options.rate:g} s"
    if engine.options.tail is None:
        length += ", then until all is silent"
    warnings = f"; {_count(len(engine.bound.warnings), 'warning')}" if engine.bound.warnings else ""
    return f"{_count(events, 'event')}, {_count(len(voices), 'voice')}, {length}{warnings}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
