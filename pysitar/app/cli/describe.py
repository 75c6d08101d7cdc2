"""`pysitar describe`: show the values of an instrument, and the events that it plays."""
from __future__ import annotations

import argparse
import json
import os
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from pysitar.app.analysis.instrument_description import Description, Entry, description
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE, UsageError
from pysitar.errors import Place, ScoreError, printable, quoted, suggest_name
from pysitar.models.definitions.faults import InstrumentError
from pysitar.models.definitions.loader import preset_names, preset_text
from pysitar.models.definitions.registry import PARTS
from pysitar.physics.parameters import Parameter
from pysitar.score.source_files import read_text

NAME = "describe"
DESCRIPTION = """\
Describe an instrument: its strings with their pitches, its masses, or its objects and
balls; every value, with its unit, range and meaning; and the events that a score can
use. A path such as pa.barrier.height, after the name of the instrument, is what 'set'
takes in a score; * stands for all parts where they share one value. A number without a
unit is in the unit shown; a position is a fraction of the length of the string, or a
length such as 11cm."""
EPILOG = """\
examples:
  pysitar describe tanpura
  pysitar describe tanpura --json"""
ENDING = ".toml"
NARROWEST, WIDEST, USUAL = 80, 160, 100         # columns of the table
WIDEST_CELL = 24  # columns of a value or a range; paths are not wrapped
LEAST_MEANING = 28  # columns; with fewer, the meaning goes on its own line
Row: TypeAlias = tuple[str, str, str, str]      # path, value, range, meaning


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("instrument", metavar="INSTRUMENT",
                         help="the name of a preset, or a .toml file")
    options.add_argument("--json", action="store_true", help="print everything as JSON")
    return options


def run(arguments: argparse.Namespace) -> int:
    """Describe one instrument; return the exit code.  Errors: UsageError, ScoreError."""
    text, name, shown = read_instrument_text(NAME, arguments.instrument)
    try:
        described = description(text, name=name, shown=shown)
    except InstrumentError as error:
        raise ScoreError(error.problems) from None
    if arguments.json:
        print(json.dumps(described.as_json(), indent=2, allow_nan=False))
    else:
        width = shutil.get_terminal_size((USUAL, 0)).columns
        print("\n".join(page(described, min(max(width, NARROWEST), WIDEST))))
    return DONE


def page(described: Description, width: int) -> list[str]:
    """Return the lines that describe an instrument, wrapped to a width (columns); only a word
    longer than the width exceeds it."""
    spec = described.spec
    sections = {
        "values: path, value, range in the same unit, meaning": _value_rows(described.entries)
    }
    for verb in described.verbs.values():
        follows = " [CURVE]" if verb.gesture.takes_curve else {
            "not": "", "may": " [PITCH]", "must": " PITCH"
        }[verb.pitch]
        rows = [
            _parameter_row(described, verb.name, parameter)
            for parameter in verb.parameters.values()
        ]
        title = (f"event {verb.name}{follows}: name in a row, default, range in the same unit, "
                 f"meaning")
        sections[title] = rows
    if described.ornaments:
        title = (f"ornaments of {' and '.join(described.ornament_verbs)}: name in a row, default, "
                 "range, meaning")
        sections[title] = _ornament_rows(described)
    longest = [
        max(len(row[column]) for rows in sections.values() for row in rows) for column in range(3)
    ]
    cell = min(WIDEST_CELL, (width - longest[0] - 6) // 2)      # beside the longest path
    widths = [longest[0], min(longest[1], cell), min(longest[2], cell)]
    lines = textwrap.wrap(f"{spec.name}: {described.meaning}" if described.meaning else spec.name,
                          width)
    lines += ["", *_part_lines(described, width), *_bridge_lines(described, width)]
    for heading, rows in sections.items():
        lines += ["", heading, *_table(rows, widths, width)]
    first, verb = spec.parts[0], next(iter(described.verbs.values()))
    name = verb.gesture.strength
    parameter, value = verb.parameters[name], described.own(verb.name, name)[first.name]
    table = getattr(first.written, "name", first.name)
    use = spec.name if not spec.name.endswith(ENDING) else f'"{spec.name}"'
    return [
        *lines, "", "in a score", f"  use {use} as t",
        f"  set t.{table}.{verb.name}.{name} = {value:g}{parameter.unit}",
        f"  0 t.{first.name} {verb.name} {parameter.alias}={value:g}{parameter.unit}"
    ]


def read_instrument_text(command: str, source: str) -> tuple[str, str, str]:
    """Return the text of an instrument named on the command line, its name, and its file as shown
    in messages.

    Errors: UsageError, ScoreError.
    """
    if source.endswith(ENDING) or os.sep in source:
        shown = printable(source, "?")
        return read_text(Path(source), shown, ENDING, Place(shown)), shown, shown
    try:
        return preset_text(source), source, f"{source}{ENDING}"
    except KeyError:
        raise UsageError(
            f"pysitar {command}: no preset is named {quoted(source)}; "
            f"{suggest_name(source, preset_names())}; "
            f"the name of a file must end in {ENDING}") from None


def _part_lines(described: Description, width: int) -> list[str]:
    if not described.hz:
        word, words = PARTS[described.spec.model]
        names = ", ".join(part.name for part in described.spec.parts)
        line = f"{word if len(described.spec.parts) == 1 else words}: {names}"
        return textwrap.wrap(line, width, initial_indent="  ", subsequent_indent="    ")
    rows = [("string", "pitch", "Hz (sa=C#3)", "tension")]
    for string in described.spec.strings:
        pitch = string.pitch if isinstance(string.pitch, str) else f"{string.pitch:g}Hz"
        rows.append((string.name, pitch, f"{described.hz[string.name]:.3f}",
                     f"{described.tension[string.name]:.1f} N"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "  " + "  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _bridge_lines(described: Description, width: int) -> list[str]:
    lines = []
    for name, changes in described.bridges.items():
        shown = ", ".join(f"{path} = {value}" for path, value in changes.items()) or "as below"
        lines += textwrap.wrap(f"bridge={name}: {shown}", width, initial_indent="  ",
                               subsequent_indent="      ", break_on_hyphens=False)
    return ["", *lines] if lines else []


def _value_rows(entries: Iterable[Entry]) -> list[Row]:
    """Return a row for each value, or one row for all parts with the same value."""
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for entry in entries:
        own = len(entry.path) == 1 or entry.path[0] == "body"
        shared = ("balls", "*", *entry.path[2:]) if entry.path[0] == "balls" else ("*",
                                                                                   *entry.path[1:])
        groups.setdefault(entry.path if own else shared, []).append(entry)
    rows: list[Row] = []
    for pattern, group in groups.items():
        parameter, shown = group[0].parameter, [_shown(entry) for entry in group]
        about = (range_text(parameter), parameter.meaning)
        if len(group) == 1 or len(set(shown)) > 1:
            rows.extend((".".join(entry.path), value, *(about if not index else ("", "")))
                        for index, (entry, value) in enumerate(zip(group, shown, strict=True)))
        else:
            rows.append((".".join(pattern), shown[0], *about))
    return rows


def _parameter_row(described: Description, verb: str, parameter: Parameter) -> Row:
    name = f"{parameter.name}, {parameter.alias}" if parameter.alias else parameter.name
    own = set(described.own(verb, parameter.name).values())
    if len(own) > 1:
        default = f"the {PARTS[described.spec.model][0]}'s own"
    elif own:
        default = _with_unit(own.pop(), parameter.unit)
    else:
        default = "none" if parameter.default is None else _with_unit(parameter.default,
                                                                      parameter.unit)
    return name, default, range_text(parameter), parameter.meaning


def _ornament_rows(described: Description) -> list[Row]:
    """Return a row for each ornament and one for each of its parameters."""
    rows: list[Row] = []
    for ornament in described.ornaments.values():
        rows.append(
            (ornament.name, "", "notes" if ornament.takes_list else "a note", ornament.meaning))
        for parameter in ornament.parameters.values():
            _, default, bounds, meaning = _parameter_row(described, ornament.name, parameter)
            rows.append((f"{parameter.name} ({ornament.name})", default, bounds, meaning))
    return rows


def _shown(entry: Entry) -> str:
    if entry.value is None:
        return "none"
    if isinstance(entry.value, tuple):
        return _with_unit(", ".join(f"{item:g}" for item in entry.value), entry.parameter.unit)
    shown = _with_unit(entry.value, "" if isinstance(entry.value, str) else entry.parameter.unit)
    if entry.length and isinstance(entry.value, float):
        shown += f" ({entry.value / entry.length:.4g})"
    return shown


def _with_unit(value: object, unit: str) -> str:
    text = str(value).lower() if isinstance(
        value, bool) else f"{value:.7g}" if isinstance(value, float) else str(value)
    return f"{text} {unit}" if unit else text


def range_text(parameter: Parameter) -> str:
    """Return the range of a parameter in words."""
    if parameter.kind == "flag":
        return "true or false"
    if parameter.kind == "file":
        return "a .wav file"
    if parameter.kind == "text":
        return " or ".join(parameter.choices) or "a name"
    low, high = parameter.low, parameter.high
    words = ("above" if parameter.open_low else "at least",
             "below" if parameter.open_high else "at most")
    if low is not None and high is not None and words == ("at least", "at most"):
        bounds = f"{low:g} to {high:g}"
    else:
        bounds = ", ".join(f"{word} {bound:g}"
                           for word, bound in zip(words, (low, high), strict=True)
                           if bound is not None)
    if parameter.nonzero:
        bounds += ", not 0"
    before = {"whole": "whole, ", "pitch": "a pitch, or Hz ",
              "list": "each "}.get(parameter.kind, "")
    after = " of the length" if parameter.kind == "position" else ""
    if not bounds:
        return "any numbers" if parameter.kind == "list" else "any number"
    return f"{before}{bounds}{after}"


def _table(rows: Sequence[Row], widths: Sequence[int], width: int) -> list[str]:
    """Return rows as lines: three wrapped cells, and the meaning beside them, or below where there
    is no room."""
    left = 2 + sum(size + 2 for size in widths)
    beside = width - left >= LEAST_MEANING
    lines = []
    for row in rows:
        cells = [
            textwrap.wrap(cell, size, break_on_hyphens=False)
            for cell, size in zip(row, widths, strict=False)
        ]
        meaning = textwrap.wrap(row[3], width - left if beside else width - 6)
        if beside:
            cells.append(meaning)
        for index in range(max(map(len, cells))):
            parts = [(cell[index] if index < len(cell) else "").ljust(size)
                     for cell, size in zip(cells, [*widths, 0], strict=False)]
            lines.append(("  " + "  ".join(parts)).rstrip())
        if not beside:
            lines += [f"      {line}" for line in meaning]
    return lines
