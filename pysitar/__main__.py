"""The program `pysitar`, also `python -m pysitar`: all commands, with those for the figures of the
papers."""
from __future__ import annotations

import sys
from collections.abc import Sequence

from pysitar.app.cli import starting

starting.begin()

from pysitar.app.cli import main as cli

COMMANDS = cli.COMMANDS | {"reproduce": cli.command_in(
    "pysitar.papers.command", "reproduce",
    "compute the figures and tables of the papers, and compare them with the papers")}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters: argv, the words after `pysitar` (None: those of this process).
    Returns: the exit code. An error message was written to standard error.
    """
    return cli.main(argv, COMMANDS)


if __name__ == "__main__":
    sys.exit(main())
