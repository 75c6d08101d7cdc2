"""`pysitar new`: create a folder with a small instrument and a score that plays it."""
from __future__ import annotations

import argparse
import os
import shlex

from pysitar.app.cli.new_folder import write_folder
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE
from pysitar.errors import printable

NAME = "new"
DESCRIPTION = """\
Create a folder with a small instrument, wire.toml, and a score that plays it,
wire.score. Both have a comment at every value, so that they can be edited and rendered
again. The next commands to try are printed. A folder that is not empty is refused."""
EPILOG = """\
examples:
  pysitar new mine
  pysitar render mine/wire.score"""
INSTRUMENT = """\
# Wire: two steel strings, of which the low one has a wide, flat bridge, and buzzes. Change a value,
# render wire.score again, and listen.
# Numbers are in SI units (m, N, s, kg). Their meanings and ranges: pysitar describe wire.toml
model = "string"
gain = 0.6                      # level: full scale per N at the end of the string

[strings.low]
pitch = "C3"                    # or "sa", or 130.8 (Hz)
# The bridge raises the pitch of the string. cents, corrections and truncation compensate it, in
# cents: at all notes, at each semitone over C3, and for scores with high notes, which leave fewer
# partials. If the bridge or the string changes: pysitar tune wire.toml -o tuned.toml
cents = -29.7
corrections = [0.0, -0.02, -0.15, -0.12, 0.14, 0.34, 0.47, 0.63, 0.51, -0.04, -0.64, -1.24, -1.88]
truncation = 1188.0
length = 1.0                    # m
linear_density = 8e-4           # kg/m; more needs a greater tension for the same pitch
bending_stiffness = 1.6e-4      # N m^2; more makes high partials sharper, as in a bell
sigma0 = 0.5                    # 1/s: decay of all partials; try 3
sigma1 = 0.004                  # m/s: faster decay of high partials; try 0.02
sigma3 = 3e-6                   # m^3/s: faster decay of the highest ones

[strings.low.barrier]           # the bridge; a string without this table is a plain wire
profile = "parabola"
start = 0.0                     # m from the end of the string
extent = 0.035                  # m: its width along the string; try 0.01
height = 60e-6                  # m: the height of its middle
points = 20                     # number of contact points
stiffness = 1e9                 # N/m per m; try 1e6: far too soft
exponent = 1.0                  # of the force over the compression
damping = 0.05                  # s/m

[strings.low.pluck]             # the values of a pluck that its row in the score does not set
position = "30cm"               # from the bridge; "3cm" sounds thin and bright
force = 0.6                     # N; more buzzes more
width = 0.01                    # m: width of the finger
ramp = 0.02                     # s during which the force rises
release = 0.001                 # s during which it falls; less sounds sharper

[strings.high]                  # an octave above, without a bridge
pitch = "C4"
length = 0.7
linear_density = 5e-4
bending_stiffness = 6e-5
sigma0 = 0.5
sigma1 = 0.004
sigma3 = 3e-6

[strings.high.pluck]
position = "20cm"
force = 0.8
width = 0.01
ramp = 0.02
release = 0.001
"""
SCORE = """\
# A low string that buzzes on its bridge, a high string without one, and a bend.
# Render it: pysitar render wire.score
use "wire.toml" as w
mix w  gain=0dB  pan=0           # pan: -1 is left, 1 is right
room small  wet=-20dB            # the room around it; without this line: none
tempo 90                         # beats per minute
render tail=1s                   # length after the last event
# beat  string  event
0       w.low   pluck            # with the values of wire.toml
1       w.low   pluck f=1.2N     # with twice the force
2       w.high  pluck
2.5     w.high  pluck D4 f=0.5N
3       w.low   pluck G3
3.5     w.low   bend (0:G3 0.5:A3/cos) dur=1
4.5     w.*     damp             # a finger on all strings
"""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("folder", metavar="DIR", help="a new folder, or an empty one")
    return options


def run(arguments: argparse.Namespace) -> int:
    """Create the folder; return the exit code.  Errors: UsageError, OSError."""
    folder = arguments.folder
    files = {"wire.toml": INSTRUMENT.encode(), "wire.score": SCORE.encode()}
    write_folder(NAME, folder, files, example="mine")
    named = f"./{folder}" if folder.startswith("-") else folder
    score, instrument = (shlex.quote(os.path.join(named, name))
                         for name in ("wire.score", "wire.toml"))
    print(printable(
        f"created {folder}. Next: pysitar render {score}; then change a value in {instrument} and "
        f"render again; pysitar describe {instrument} explains each value", "?"))
    return DONE
