"""`pysitar presets`: list the instruments of pysitar, or copy one to edit."""
from __future__ import annotations

import argparse
import os
import shlex

from pysitar.app.analysis.instrument_description import first_comment
from pysitar.app.cli.inputs import check_name_in_score
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.errors import printable, quoted, suggest_name
from pysitar.models.definitions.loader import (
    FORMER_NAMES,
    parse_instrument,
    preset_names,
    preset_text,
)
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.output.file_transaction import FileTransaction
from pysitar.output.files import check_target

NAME = "presets"
DESCRIPTION = """\
List the instruments of pysitar, with a one-line description of each. A score uses one
by its name: use tanpura as t
With --copy, write one to a file of your own, and beside it a score of five lines that
plays it."""
EPILOG = """\
examples:
  pysitar presets
  pysitar presets --copy tanpura mine.toml
  pysitar render mine.score"""
ENDING, SCORE = ".toml", ".score"


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument(
        "--copy", nargs=2, metavar=("NAME", "FILE"),
        help="copy the preset NAME into FILE, a .toml file, and write a .score file beside it that "
             "plays it")
    options.add_argument("--force", action="store_true", help="replace existing files")
    return options


def run(arguments: argparse.Namespace) -> int:
    """List the presets, or copy one; return the exit code.  Errors: UsageError, OSError."""
    if arguments.copy is not None:
        _copy(*arguments.copy, force=arguments.force)
        return DONE
    if arguments.force:
        raise UsageError(f"pysitar {NAME}: --force needs --copy; expected --copy NAME FILE --force")
    names = preset_names()
    width = max((len(name) for name in names), default=0)
    for name in names:
        print(f"{name:{width}}  {first_comment(preset_text(name))}")
    return DONE


def _copy(name: str, instrument: str, *, force: bool) -> None:
    """Write a preset to a file, and a score that plays it beside it: both or neither."""
    if name not in {*preset_names(), *FORMER_NAMES}:
        raise UsageError(
            f"pysitar {NAME}: no preset is named {quoted(name)}; "
            f"{suggest_name(name, preset_names())}")
    stem, ending = os.path.splitext(instrument)
    base, shown = os.path.basename(instrument), printable(instrument, "?")
    if ending != ENDING:
        raise UsageError(f"pysitar {NAME}: {shown} does not end in {ENDING}; expected FILE{ENDING}")
    check_name_in_score(NAME, base, shown)
    score = stem + SCORE
    for file in (instrument, score):
        if not force and os.path.lexists(file):
            raise UsageError(f"pysitar {NAME}: {printable(file, '?')} exists; expected another "
                             "name, or --force, which replaces it")
        check_target(file)
    with FileTransaction() as transaction:
        for file, text in ((instrument, preset_text(name)), (score, score_of(name, base))):
            transaction.place(file).write_bytes(text.encode())
    render, describe = _shell_word(score), _shell_word(instrument)
    report(one_line(
        f"wrote {instrument} and {score}; pysitar render {render} plays it. Then change a value in "
        f"{instrument} and render again; pysitar describe {describe} explains each value."))


def score_of(name: str, file: str) -> str:
    """Return a score of five lines that plays the first two parts of a copied preset."""
    spec = parse_instrument(preset_text(name), name=name, shown=file)
    parts = [part.name for part in spec.parts]
    verb = next(iter(MODELS[spec.model][spec.scheme]))
    stem = file.removesuffix(ENDING)
    word, words = PARTS[spec.model]
    first = f"Two {words}" if len(parts) > 1 else f"The {word}"
    return (
        f"# {first} of {file}, a copy of the preset {name}. Render it: pysitar render "
        f"{_shell_word(stem + SCORE)}\n"
        f'use "{file}" as t\n'
        "render tail=3s\n"
        f"0 t.{parts[0]} {verb}\n"
        f"1 t.{parts[1 % len(parts)]} {verb}\n")


def _shell_word(file: str) -> str:
    """Return the name of a file, quoted for a shell."""
    return shlex.quote(f"./{file}" if file.startswith("-") else file)
