"""The command `pysitar`: its subcommands, and how a command ends."""
from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import NamedTuple

from pysitar.app.cli import starting
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import (
    DONE,
    FAILED,
    NO_MEMORY,
    TRACEBACK,
    WRONG,
    UsageError,
    exit_code,
    free_frames,
    message,
    report,
)
from pysitar.app.terminal import clean_streams
from pysitar.output.hidden import files_named_for
from pysitar.output.signals import SignalExit, raise_signals
from pysitar.system.threads import limit_threads
from pysitar.version import package_version

ONE_THREAD = frozenset({"fit"})         # commands whose results depend on sums of linear algebra


class Command(NamedTuple):
    """One command: its name, a one-line summary, its parser, and the function that runs it."""

    name: str
    summary: str
    parser: Callable[[], Parser]
    run: Callable[[argparse.Namespace], int]


def command_in(module: str, name: str, summary: str) -> Command:
    """Return the command of a module, its functions parser and run; it is imported when the command
    is used, not before."""

    def parser() -> Parser:
        if name in ONE_THREAD:
            limit_threads()
        options: Parser = import_module(module).parser()
        return options

    def run(arguments: argparse.Namespace) -> int:
        code: int = import_module(module).run(arguments)
        return code

    return Command(name, summary, parser, run)


_SUMMARIES = {
    "render": "render a score to a sound file",
    "play": "play a score while it is computed",
    "watch": "play or render a score again whenever its files change",
    "batch": "render every combination of the sweeps and draws of scores, with a manifest",
    "sample": "make an instrument for samplers (SFZ, Decent Sampler) from an instrument",
    "gallery": "make a page to listen to the sounds of a folder, with pictures and values",
    "check": "report mistakes and doubtful values in scores, without rendering",
    "compare": "render a score by several schemes, with a table of their differences",
    "expand": "write a score as a flat list of events",
    "look": "draw the waveform and the spectrogram of a sound file",
    "measure": "measure a sound: decay of each partial, brightness, loudness",
    "fit": "make an instrument file from the recording of a stroke",
    "partials": "make an object from a list of partials, or the list from an object",
    "midi": "convert a MIDI file to a score",
    "new": "create a folder with a small instrument and a score that plays it",
    "presets": "list the instruments of pysitar, or copy one to edit",
    "scores": "list the scores of pysitar, or copy them",
    "describe": "show every value of an instrument, and the events that it plays",
    "tune": "measure how far bridges and threads sharpen the strings, and write the tuned "
            "instrument",
}
COMMANDS = {name: command_in(f"pysitar.app.cli.{name}", name, summary)
            for name, summary in _SUMMARIES.items()}
NO_MEMORY_LINE = f"{NO_MEMORY}\n".encode()
DESCRIPTION = "Make sound files of colliding strings and objects, from a score in a text file."
EPILOG = """\
commands:
{commands}

a first sound, to paste into a shell:
  printf 'use tanpura as t\\nrender tail=3s\\n0 t.pa pluck\\n1 t.sa1 pluck\\n' > first.score
  printf '2 t.sa2 pluck\\n3 t.kharaj pluck\\n' >> first.score
  pysitar render first.score

This writes a score with one event per line (time, instrument and string, action) and
renders it to first.wav. Next steps:
  pysitar COMMAND --help     the help of each command, with examples
  pysitar check first.score  after every change: report mistakes with their places
  pysitar look first.wav     draw the sound, first.png (extra: figures)
  pysitar presets            list the instruments
  pysitar describe tanpura   show the values of one, and the events that it plays

exit codes: 0 done; 2 the score or the command line is wrong; 130, 143 ended by Ctrl-C or
another signal; 1 any other error."""


def main(argv: Sequence[str] | None = None, commands: Mapping[str, Command] = COMMANDS) -> int:
    """Run one command.

    Parameters: argv, the words after `pysitar` (None: those of this process); commands, by name.
    Returns: the exit code; errors are reported on standard error.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")   # of characters that it cannot encode
    words = sys.argv[1:] if argv is None else argv
    command = commands.get(words[0]) if words else None
    parser = command.parser() if command is not None else None      # imports the command
    starting.end()
    traced = os.environ.get(TRACEBACK) == "1"
    with raise_signals(), clean_streams():
        try:
            code = _command(words, commands, parser)
            if sys.stdout is not None:
                sys.stdout.flush()
            return code
        except MemoryError as error:
            return _out_of_memory(error, traced=traced)
        except BaseException as error:
            return _report_failure(error, traced=traced)


def _command(words: Sequence[str], commands: Mapping[str, Command], parser: Parser | None) -> int:
    """Run the command that the words name; parser, its parser (None: no command).  Errors: any."""
    try:
        if parser is None:
            return _show_usage(words, commands)
        command = commands[words[0]]
        with files_named_for(command.name):
            return command.run(parser.parse_args(words[1:]))
    except SystemExit as end:
        if isinstance(end, SignalExit):
            raise
        return DONE                     # raised by argparse after --help


def _show_usage(words: Sequence[str], commands: Mapping[str, Command]) -> int:
    """Show the help or the version.  Errors: UsageError."""
    shown = "\n".join(f"  {command.name:9} {command.summary}" for command in commands.values())
    top = Parser("pysitar", DESCRIPTION, EPILOG.format(commands=shown))
    top.usage = "pysitar COMMAND ...    (or: pysitar --help, pysitar --version)"
    top.add_argument("--version", action="store_true", help="show the version")
    top.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    if not words:
        report(top.format_help().rstrip())
        return WRONG
    word = words[0]
    if word.endswith(".score"):
        raise UsageError(
            f"pysitar: {word} is not a command; did you mean pysitar render {word}?")
    if top.parse_args([word]).version:
        print(f"pysitar {package_version()}")
        return DONE
    raise UsageError(f"pysitar: {word!r} is not a command; expected one of {', '.join(commands)}; "
                     "pysitar --help describes them")


def _out_of_memory(error: MemoryError, *, traced: bool) -> int:
    """Report a lack of memory; if there is none even to format the message, write a prepared one.

    Returns: the exit code.
    """
    if not traced:
        free_frames(error)
    try:
        return _report_failure(error, traced=traced)
    except MemoryError as again:
        free_frames(again)
        with suppress(OSError):
            os.write(2, NO_MEMORY_LINE)
        return FAILED


def _report_failure(error: BaseException, *, traced: bool) -> int:
    """Report the exception that ended a command; return the exit code."""
    if traced and not isinstance(error, BrokenPipeError):
        with suppress(OSError):
            traceback.print_exception(error)
    text = message(error)
    if text:
        with suppress(OSError):
            report(text)
    if isinstance(error, OSError):
        _discard_stdout()
    return exit_code(error)


def _discard_stdout() -> None:
    """Discard output that cannot be written; Python would try to write it again at exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
