"""Scores for benchmarks: long ones to read and bind, and short ones to render."""
import random
from pathlib import Path

from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import read_options
from pysitar.score.parser import parse

EVENTS = 10_000
PITCHES = ("sa'", "re'-14c", "ni")
HEAD = "use sitar as s\ntuning sa=C#3 just\ntempo 120\n"
# one of each gesture that has work of its own
RENDERS = {
    "glide": "use sitar as s\nrender tail=0\n0 s.baj pluck f=1N dur=0.02s\n"
             "0.02s s.baj fret +2st glide=50ms dur=0.08s\n",
    "hammers": "use santoor as s\nrender tail=0.1s\n0 s.sa_* strike v=2m/s dur=0\n",
    "press": "use guitar as g\nrender tail=0\n0 g.d3 press fret=5 dur=0.1s\n"
             "0.02s g.d3 pluck f=1.4N dur=0.08s\n",
    "tension modulation": "use guitar as g\nset g.*.tension_modulation = true\nmix g gain=-12dB\n"
                          "render tail=0.1s\n0 g.d3 pluck f=4N dur=0\n",
    "coupled guitar": "use guitar as g\nmix g gain=-12dB\nrender tail=0.1s\n0 g.* pluck dur=0\n",
    "tanpura": "use tanpura as t\nrender tail=0.2s\n0 t.sa1 pluck dur=0\n",
    "roll": "use wood_table as w\nrender tail=0\n0 w.table roll v=0.3m/s dur=0.1s\n",
    "snare": "use snare as w\nrender tail=0.1s\n0 w.head strike dur=0\n",
}


def rows(count):
    """Plucks of a melody string, each with a pitch and three values."""
    chance = random.Random(1)
    return "".join(
        f"{0.5 * index:g} s.baj pluck {chance.choice(PITCHES)} f={chance.uniform(0.5, 2.0):.3f}N "
        f"x={chance.uniform(0.1, 0.3):.3f} dur={chance.choice((0.5, 1, 2))}\n"
        for index in range(count))


def rows_of_strings(count):
    """Plucks of all four strings of a tanpura."""
    return "use tanpura as t\n" + "".join(f"{0.5 * index:g} t.* pluck f=1.{index % 97}N\n"
                                          for index in range(count))


def section(count, times):
    """A section of plucks and its plays."""
    return f"{HEAD}section q\n{rows(count)}end\nplay q times={times}\n"


def bound(text):
    """A score from its text, bound."""
    parsed = parse(text, file="x.score", folder=Path())
    options, problems = read_options(parsed.score)
    return check(parsed.score, options, problems=[*parsed.problems, *problems])
