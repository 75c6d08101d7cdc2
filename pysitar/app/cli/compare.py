"""`pysitar compare`: render one score by several schemes."""
from __future__ import annotations

import argparse
from pathlib import Path

from pysitar.api.request import Request
from pysitar.app.analysis.scheme_comparison import (
    COLUMNS,
    TABLE,
    Schemes,
    compare,
    open_engines,
)
from pysitar.app.cli.inputs import check_output_folder, check_score_names, read_score
from pysitar.app.cli.options import (
    add_output_folder,
    add_oversample,
    add_quiet,
    add_rate,
    add_score,
)
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.app.progress import bar_enabled, sound_bar, warn
from pysitar.errors import ParameterError, printable
from pysitar.models.network.schemes.base import TOUCH
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES, names_with

NAME = "compare"
WITH_TOUCH = " and ".join(names_with("string", TOUCH))
DESCRIPTION = f"""\
Render a score once by each scheme into DIR, as SCORE-two-point.wav and so on, each
with its sidecar, and print a table, which is also written to DIR/{TABLE}: level (dB),
T60 (s), spectral centroid of the first second (Hz), residual of the energy balance,
speed (times real time), and the relative difference from the first scheme in the first
10 ms. Contact is chaotic: later samples differ, levels and decays hardly.

Only {WITH_TOUCH} have a touch before a pluck. If one of the schemes has
none, the touch is left out in all of them, and the table says so; otherwise the 10 ms
would compare the touch. Likewise plectra in contact: plucks are then forces in all of
them. A scheme that cannot play the score (a pitch, a thread, a
hammer, a coupled body) is skipped, with the reason. A T60 needs a tail in which the sound falls by
45 dB."""
EPILOG = """\
examples:
  printf 'use bass as b\\nrender tail=1s\\n0 b.e pluck f=2N\\n' > bass.score
  pysitar compare bass.score -o compared
  pysitar compare bass.score -o compared --schemes two-point,fd-explicit"""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    add_score(options, standard_input=False)
    add_output_folder(options)
    options.add_argument("--schemes", metavar="A,B,...", default=",".join(STRING_SCHEMES),
                         help=f"the schemes to compare (default: {','.join(STRING_SCHEMES)})")
    add_rate(options)
    add_oversample(options)
    add_quiet(options, "no progress bar and no table on standard output")
    return options


def run(arguments: argparse.Namespace) -> int:
    """Render a score by each scheme; return the exit code.

    Errors: UsageError, ScoreError, ParameterError, OSError.
    """
    check_score_names(NAME, [arguments.score])
    check_output_folder(NAME, arguments.output)
    request = Request(rate=arguments.rate, oversample=arguments.oversample)
    parsed = read_score(arguments.score)
    words = [word.strip() for word in arguments.schemes.split(",")]
    schemes = list(dict.fromkeys(filter(None, words)))
    try:
        played = open_engines(parsed.score, schemes, request, parsed.problems)
    except ParameterError as error:
        raise UsageError(f"pysitar {NAME}: {error}") from error
    for scheme in played.skipped:
        report(one_line(f"pysitar {NAME}: {scheme}: {played.note(scheme)}"))
    engines = played.engines.values()
    warn(list(dict.fromkeys(warning for engine in engines for warning in engine.bound.warnings)))
    with sound_bar(next(iter(engines)), shown=bar_enabled(arguments.quiet)) as progress:
        rows = compare(played, request, Path(arguments.output), Path(arguments.score).stem,
                       progress)
    if not arguments.quiet:
        _show(played, rows)
    return DONE


def _show(played: Schemes, rows: list[tuple[str, ...]]) -> None:
    """Print the table to standard output."""
    lines = [[printable(word, "?") for word in row]
             for row in (COLUMNS, *(row for row in rows if row[0] in played.engines))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (word.ljust(width) for word, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())
    for note, names, lacking in (
            ("without touch", played.without_touch_schemes, "touch before a pluck; it is"),
            ("plucks are forces", played.without_plectra_schemes, "plectra in contact; they are")):
        if names:
            print(f"{note}: {', '.join(names)} {'has' if len(names) == 1 else 'have'} no {lacking} "
                  "left out in all schemes")
