"""The command line's own kind of argparse: mistakes are told in one line, whole numbers are plain ones."""
from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable
from typing import IO, Any, NoReturn

from pysitar.app.messages import UsageError
from pysitar.errors import quoted

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
NEGATIVE = re.compile(r"-[0-9.]")


class Parser(argparse.ArgumentParser):
    """A parser whose options are not abbreviated, whose help keeps its lines, and whose mistakes are raised.

    Errors: UsageError.
    """

    def __init__(self, prog: str, description: str, epilog: str = "") -> None:
        super().__init__(prog=prog, description=description, epilog=epilog, allow_abbrev=False,
                         formatter_class=argparse.RawDescriptionHelpFormatter)

    def parse_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> Any:
        """Parse words; a value below 0 may stand apart from its option, with a unit too: --peak -1dB."""
        return super().parse_args(None if args is None else _joined(args), namespace)

    def print_help(self, file: IO[str] | Any = None) -> None:
        """Print the help; argparse would pass over a full disk in silence.  Errors: OSError."""
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print."""
        raise UsageError(f"{self.prog}: {message}; {self.prog} --help shows how it is used")


def whole_number(text: str) -> int:
    """An option's whole number; its range is checked where it is used.  Errors: argparse.ArgumentTypeError."""
    if not WHOLE.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number, such as 48000")
    return int(text)


def cpus() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _joined(words: Iterable[str]) -> list[str]:
    """Words in which an option and the negative number after it are one, which argparse would take for an option."""
    joined: list[str] = []
    for word in words:
        before = joined[-1] if joined else ""
        if NEGATIVE.match(word) and before.startswith("--") and len(before) > 2 and "=" not in before and "--" not in joined:
            joined[-1] = f"{before}={word}"
        else:
            joined.append(word)
    return joined
