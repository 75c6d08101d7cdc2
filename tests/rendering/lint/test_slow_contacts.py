"""A string with very many contact points is reported with what a second of its sound may take."""
import pytest

import pysitar
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.options import options


def warnings(points, render="", row="0 s.baj pluck", use="use sitar as s"):
    """Return the warnings about contact points of a sitar."""
    score = pysitar.load_score(
        text=f"{use}\nset s.baj.barrier.points = {points}\nrender tail=0 {render}\n{row}\n")
    found = bind(score, options(score)).warnings
    return [problem.message for problem in found if "contact points" in problem.message]


def test_the_message_has_the_time_and_a_number_of_points():
    [message] = warnings(450)
    assert message.startswith("s.baj has 450 contact points; ")      # it has no frets
    # 1e-10 s * 96 kHz * 450^3
    assert "a second of sound takes about 8.7e+02 s" in message
    assert message.endswith("expected at most 218 points at this internal rate")


@pytest.mark.parametrize("case", [
    {"points": 100}, {"points": 220, "render": "oversample=1"},
    {"points": 450, "row": "0 s.kharaj pluck"},
    {"points": 450, "use": "use sitar as s scheme=modal-explicit\nset s.*.statics = false"},
])
def test_what_is_fast_or_not_played_is_not_reported(case):
    assert warnings(**case) == []


def test_the_internal_rate_counts():
    assert warnings(260) and not warnings(260, render="oversample=1")
