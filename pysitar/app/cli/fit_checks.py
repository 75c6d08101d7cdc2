"""Checks of the command lines of `pysitar fit`: what all its kinds of instrument have in common."""
from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pysitar.app.messages import UsageError
from pysitar.errors import quoted


def refuse_options(command: str, arguments: argparse.Namespace, names: Sequence[str], whose: str,
                   when: str) -> None:
    """Raise a UsageError for an option that has no effect.

    Parameters: names, of such options; whose, what they are of; when, beside which option they have
    no effect.
    """
    for name in names:
        if getattr(arguments, name) not in {None, False}:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"pysitar {command}: {option} is {whose}; expected no {option} {when}")


def check_recordings(command: str, files: Sequence[str]) -> None:
    """Raise a UsageError for a recording that is given twice."""
    for index, file in enumerate(files):
        for other in files[:index]:
            if file == other or (os.path.exists(file) and os.path.exists(other)
                                 and os.path.samefile(file, other)):
                same = "" if file == other else f" ({quoted(other)} is the same file)"
                raise UsageError(f"pysitar {command}: {quoted(file)} is given twice{same}; "
                                 "expected each recording once")


def response_name(output: str, ending: str) -> str:
    """Return the name of the impulse response beside an instrument file, with its ending."""
    path = Path(output)
    return str(path.with_name(f"{path.stem}{ending}"))


def check_response(command: str, arguments: argparse.Namespace, response: str, what: str,
                   expected: str) -> None:
    """Raise a UsageError if an impulse response would replace a file that the command names, or one
    that does not belong to the instrument that is replaced.

    Parameters: response, its file; what, it is; expected, the end of the message.
    """
    shown = f"pysitar {command}: {quoted(response)} would be {what}, and"
    if response in {*arguments.recordings, arguments.residual}:
        raise UsageError(f"{shown} is named already; {expected}")
    if os.path.lexists(response) and not _plays(arguments.output, response):
        raise UsageError(f"{shown} is a file that {quoted(arguments.output)} does not play; "
                         f"{expected}")


def _plays(instrument: str, response: str) -> bool:
    """Return whether an instrument file names an impulse response."""
    try:
        body = tomllib.loads(Path(instrument).read_text(encoding="utf-8")).get("body")
    except (OSError, ValueError):
        return False
    return isinstance(body, dict) and body.get("impulse_response") == Path(response).name
