"""Speed of reading scores: text to rows, and rows to bound events, in CPU time."""
import random
import time
from pathlib import Path

import pytest

from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import read_options
from pysitar.score.parser import parse

EVENTS = 10_000
PITCHES = ("sa'", "re'-14c", "ni")
HEAD = "use sitar as s\ntuning sa=C#3 just\ntempo 120\n"


def rows(count):
    """Plucks of a melody string, each with a pitch and three values."""
    chance = random.Random(1)
    return "".join(
        f"{0.5 * index:g} s.baj pluck {chance.choice(PITCHES)} f={chance.uniform(0.5, 2.0):.3f}N "
        f"x={chance.uniform(0.1, 0.3):.3f} dur={chance.choice((0.5, 1, 2))}\n"
        for index in range(count))


SCORES = {
    "rows": HEAD + rows(EVENTS),
    "a repeated section": f"{HEAD}section q\n{rows(EVENTS // 100)}end\nplay q times=100\n",
    "rows on all strings": "use tanpura as t\n"
    + "".join(f"{0.5 * index:g} t.* pluck f=1.{index % 97}N\n" for index in range(EVENTS)),
}


def bound(text):
    """A score from its text, bound."""
    parsed = parse(text, file="x.score", folder=Path())
    options, problems = read_options(parsed.score)
    return check(parsed.score, options, problems=[*parsed.problems, *problems])


def taken(text):
    """The CPU time (s) of `bound`."""
    start = time.thread_time()
    made = bound(text)
    lasted = time.thread_time() - start
    assert not made.problems
    return lasted


@pytest.mark.gate
def test_ten_thousand_events_are_read_and_bound_within_a_second():
    best = min(taken(SCORES["rows"]) for _ in range(5))
    print(f"\n{EVENTS} rows read and bound in {best:.2f} s")
    assert best < 1.0
