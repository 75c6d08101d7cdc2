"""Argument parsing: argparse with one-line errors and strict whole numbers."""
from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable
from typing import IO, Any, NoReturn

from pysitar.app.messages import UsageError
from pysitar.errors import quoted

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
QUANTITY = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)")
NEGATIVE = re.compile(r"-[0-9.]")


class Parser(argparse.ArgumentParser):
    """A parser without abbreviated options, which keeps the lines of its help and raises errors.

    Errors: UsageError.
    """

    def __init__(self, prog: str, description: str, epilog: str = "") -> None:
        super().__init__(prog=prog, description=description, epilog=epilog, allow_abbrev=False,
                         formatter_class=argparse.RawDescriptionHelpFormatter)

    def parse_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> Any:
        """Parse words; a negative value may follow its option as a separate word: --peak -1dB."""
        return super().parse_args(None if args is None else _joined(args), namespace)

    def print_help(self, file: IO[str] | Any = None) -> None:
        """Print the help, and unlike argparse raise errors of writing.  Errors: OSError."""
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        """Raise the error that argparse would print."""
        raise UsageError(f"{self.prog}: {message}; {self.prog} --help shows the options")


def whole_number(text: str) -> int:
    """Return the whole number of an option; its range is checked where it is used.

    Errors: argparse.ArgumentTypeError.
    """
    if not WHOLE.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a whole number; expected one such as 48000")
    return int(text)


def parse_quantity(text: str, expected: str, **per_unit: float) -> float:
    """Return the number of an option, written without or with a unit; its range is checked where it
    is used.

    Parameters: expected, in words, for the message; per_unit, how much of each unit is 1.
    Errors: argparse.ArgumentTypeError.
    """
    match = QUANTITY.fullmatch(text)
    if match is None or match[2] not in {"", *per_unit}:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not {expected}")
    return float(match[1]) / per_unit.get(match[2], 1.0)


def cpus() -> int:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _joined(words: Iterable[str]) -> list[str]:
    """Join each option with a negative number after it, which argparse would take for an option."""
    joined: list[str] = []
    for word in words:
        before = joined[-1] if joined else ""
        if NEGATIVE.match(word) and before.startswith("--") and len(
                before) > 2 and "=" not in before and "--" not in joined:
            joined[-1] = f"{before}={word}"
        else:
            joined.append(word)
    return joined
