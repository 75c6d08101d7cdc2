"""`pysitar check`: report mistakes and doubtful values in scores, without rendering."""
from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from pysitar.api.request import Request, prepare_engine
from pysitar.app.batch.items import BatchOptions, item_score, make_plan
from pysitar.app.cli.inputs import read_score
from pysitar.app.cli.options import add_allow_large, add_score
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE, WRONG
from pysitar.app.terminal import write_data
from pysitar.errors import Problem, ScoreError, counted, list_problems, printable
from pysitar.rendering.engine import Engine, open_engine
from pysitar.score.parser import Parsed

# what a score contains, its errors and its warnings
Document: TypeAlias = tuple[dict[str, Any], Sequence[Problem], Sequence[Problem]]
NAME = "check"
DESCRIPTION = """\
Check scores: their text, the instruments they use, and every value. Mistakes are
reported with file, line and column, at most 20 for each score, and the exit code is
2. A score without mistakes gets one line with its contents, after warnings about
what is physically doubtful: a pitch at which steel would break, partials that are
left out, a sample rate at which strings on bridges are out of tune, a contact that is
too short for the rate, a string displaced so far that its tension would change, an
event that starts after the sound has ended."""
EPILOG = """\
examples:
  pysitar check first.score
  pysitar check *.score
  pysitar check first.score --json

--json writes one object. "problems" lists all mistakes and warnings: file, line and col
(counted from 1; 0: the whole file), severity (error or warning) and message. "scores" lists
the scores: their file, the numbers of errors and warnings, and, without errors, the numbers
of events and voices, the least length (s), and the number of sounds of sweeps and draws."""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    add_score(options, several=True)
    add_allow_large(options)
    options.add_argument("--json", action="store_true", help="write a JSON object instead of lines")
    return options


def run(arguments: argparse.Namespace) -> int:
    """Check scores one after the other; return the exit code."""
    code = DONE
    documents: list[Document] = []
    for source in arguments.scores:
        try:
            parsed = read_score(source)
            request = Request(allow_large=arguments.allow_large)
            engine, warnings, count = _open_score(parsed, request)
        except ScoreError as error:
            code = WRONG
            if arguments.json:
                documents.append(({"score": source}, error.problems, ()))
            else:
                print(error)
        else:
            if arguments.json:
                documents.append((_contents(source, engine, count), (), warnings))
                continue
            if warnings:
                print(list_problems([warning._replace(message=f"warning: {warning.message}")
                                     for warning in warnings]))
            series = f"{counted(count, 'sound')} for pysitar batch; the first: " if count else ""
            print(f"{printable(source, '?')}: {series}{summary_line(engine, warnings)}")
    if arguments.json:
        write_data(_json_text(documents))
    return code


def _contents(source: str, engine: Engine, count: int) -> dict[str, Any]:
    """Return what a score without mistakes contains."""
    voices = engine.bound.voices
    return {"score": source, "events": sum(len(voice.events) for voice in voices),
            "voices": len(voices), "seconds": engine.least_frames / engine.options.rate,
            "sounds": max(1, count)}


def _json_text(documents: Sequence[Document]) -> str:
    """Return the JSON object of scores."""
    def name(file: str, source: str) -> str:
        # messages show a name with ? for what cannot be printed, but an editor needs the name
        exact = source if file == printable(source, "?") else file
        return exact.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    found = [(name(problem.place.file, contents["score"]), severity, problem)
             for contents, errors, warnings in documents
             for severity, problems in (("error", errors), ("warning", warnings))
             for problem in problems]
    document = {
        "problems": [{
            "file": file, "line": problem.place.line, "col": problem.place.col,
            "severity": severity, "message": problem.message
        } for file, severity, problem in found],
        "scores": [{**contents, "score": name(printable(contents["score"], "?"), contents["score"]),
                    "errors": len(errors), "warnings": len(warnings)}
                   for contents, errors, warnings in documents],
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _open_score(parsed: Parsed, request: Request) -> tuple[Engine, tuple[Problem, ...], int]:
    """Return the engine of a score, or of its first item, the warnings, and the number of items of
    its sweeps and draws (0: the score has none)."""
    if not parsed.score.sweeps and not parsed.score.draws:
        engine = open_engine(parsed.score, problems=parsed.problems,
                             allow_large=request.allow_large)
        return engine, engine.bound.warnings, 0
    plan = make_plan([parsed], BatchOptions(request=request))
    series = plan.series[0]
    engine = prepare_engine(item_score(series.score, series.item(1, 0)), request)
    return engine, series.warnings, plan.count


def summary_line(engine: Engine, warnings: tuple[Problem, ...]) -> str:
    """Return one line on a score without mistakes."""
    voices = engine.bound.voices
    events = sum(len(voice.events) for voice in voices)
    length = f"{engine.least_frames / engine.options.rate:g} s"
    if engine.options.tail is None:
        length += ", then until all is silent"
    end = f"; {counted(len(warnings), 'warning')}" if warnings else ""
    return f"{counted(events, 'event')}, {counted(len(voices), 'voice')}, {length}{end}"
