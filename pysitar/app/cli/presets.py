"""`pysitar presets`: the instruments that come with pysitar."""
from __future__ import annotations

import argparse

from pysitar.app.cli.failures import DONE
from pysitar.app.cli.parsing import Parser
from pysitar.models.instrument_file import preset_names, preset_text

NAME = "presets"
SUMMARY = "list the instruments that come with pysitar"
DESCRIPTION = """\
List the instruments that come with pysitar, each with one line on what it is.
A score uses one by its name: use tanpura as t"""
EPILOG = """\
example:
  pysitar presets"""


def parser() -> Parser:
    """The options of the command."""
    return Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)


def run(arguments: argparse.Namespace) -> int:
    """List the presets."""
    names = preset_names()
    width = max((len(name) for name in names), default=0)
    for name in names:
        print(f"{name:{width}}  {meaning_of(preset_text(name))}")
    return DONE


def meaning_of(text: str) -> str:
    """The first comment of an instrument's file."""
    return next((line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("#")), "")
