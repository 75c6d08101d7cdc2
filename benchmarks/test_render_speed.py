"""Speed of whole renders, as times real time on one core, with the audit on."""
import time

import pytest

import pysitar

DRONE = """
use tanpura as t
tuning sa=C#3 just
tempo 50
render tail=0
section cycle
0  t.pa      pluck
1  t.sa1     pluck
2  t.sa2     pluck
3  t.kharaj  pluck dur=2
end
play cycle
"""
SLEEPING = ("use tanpura as t\nrender tail=60s\n0 t.sa1 pluck dur=0\n"
            "0.5s t.sa1 damp t60=200ms dur=0\n")


def rendered(text):
    """(times real time, report) of a score."""
    score = pysitar.load_score(text=text)
    start = time.thread_time()
    result = pysitar.render(score)
    return result.report["seconds"] / (time.thread_time() - start), result.report


@pytest.mark.gate
def test_the_drone_is_faster_than_real_time():
    best = max(rendered(DRONE)[0] for _ in range(3))
    print(f"\nthe drone at its own settings: {best:.2f} times real time")
    assert best >= 1.0


@pytest.mark.gate
def test_silence_costs_nothing():
    # damped after half a second, it sleeps: a minute of tail must not cost a minute's work
    best = max(rendered(SLEEPING)[0] for _ in range(3))
    print(f"\na minute after a damped pluck: {best:.1f} times real time")
    assert best >= 10.0
