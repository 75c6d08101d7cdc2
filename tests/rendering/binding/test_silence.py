"""The error of a score without sound names the verbs that sound on its instruments."""
import pytest

import pysitar
from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import options


@pytest.mark.parametrize(("text", "right"), [
    ("use tanpura as t", "a pluck would sound"),                       # no hammer
    ("use tanpura as t\n0 t.pa damp", "a pluck would sound"),
    ("use santoor as s", "a pluck or a strike would sound"),
    ("use santoor as s scheme=three-point\nset s.body.coupled = false", "a pluck would sound"),
    ("use glass as g", "a strike, a bow, a drop or a roll would sound"),
    ("use glass as g\nuse tanpura as t", "a pluck, a strike, a bow, a drop or a roll would sound"),
    ("use glass as g\nsection a\n0 g.glass strike\nend", "expected play a"),
    ("# nothing", "a pluck or a strike would sound"),
])
def test_silence_names_the_verbs_that_sound(text, right):
    score = pysitar.load_score(text=text)
    [problem] = check(score, options(score)).problems
    assert problem.message == f"nothing sounds in this score; {right}"
