"""Nothing in Python for each step: four times as many steps take as many calls, but for those at
each audit of 64 steps."""
import sys

import pytest

import pysitar

FORCES = "use guitar as g\nset g.*.pick.contact = none\n"
SCORES = {
    "pluck": f"{FORCES}0 g.a2 pluck dur=0.3\n",
    "plectrum": "use guitar as g\n0 g.a2 pluck dur=0.3\n",
    "press": f"{FORCES}0 g.a2 press fret=3 dur=0.3\n0.05 g.a2 pluck\n"
             "0.1 g.a2 press fret=5 dur=0.1\n",
    "hammer": "use santoor as g\n0 g.sa_1 strike dur=0.3\n",
    "round ball": "use wood_table as g\n0 g.table drop ball=rubber h=1cm\n",
    "irregular ball": "use wood_table as g\n0 g.table drop ball=rubber h=1cm irregularity=0.4\n",
}


def calls_of(text, oversample):
    """Return the number of calls of Python functions in a render, and its steps."""
    score = pysitar.load_score(text=f"{text}render tail=0.4s rate=24000 oversample={oversample}\n")
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        report = pysitar.render(score, jobs=1).report
    finally:
        sys.setprofile(None)
    return calls, report["seconds"] * 24000 * oversample


@pytest.mark.parametrize("name", SCORES)
def test_calls_do_not_grow_with_the_steps(name):
    pysitar.render(pysitar.load_score(text=f"{SCORES[name]}render tail=0\n"), stop=0.02)  # imports
    few, steps = calls_of(SCORES[name], 2)
    many, more_steps = calls_of(SCORES[name], 5)
    # some calls each 64 steps, where something may end; while a plectrum is at the string, in 30 ms
    # of 700, each 16 steps, where the force of its contact is read
    most = 0.2 if name == "plectrum" else 0.08
    assert more_steps - steps > 20_000
    assert many - few < most * (more_steps - steps), (few, many)
