"""The warning of clipped samples names the `mix` line that would keep them: the one that stands,
where one does."""
import re

import pytest

import pysitar
from pysitar.api.report import clipping_warning
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.options import options

KEPT = "7 samples were clipped, the loudest 6.02 dB over full scale; a gain 7 dB lower keeps them: "


def advice(*lines, uses=("g",)):
    text = "\n".join([*(f"use guitar as {name}" for name in uses), *lines,
                      *(f"0 {name}.e2 pluck" for name in uses), ""])
    score = pysitar.load_score(text=text)
    return clipping_warning(7, 2.0, bind(score, options(score)).voices).removeprefix(KEPT)


@pytest.mark.parametrize(("lines", "uses", "said"), [
    ([], "g", "mix g gain=-7dB"),
    (["mix g pan=0.5"], "g", "mix g gain=-7dB"),
    (["mix g gain=20dB"], "g", "mix g gain=13dB at <text>:2, in place of 20dB"),
    (["mix g gain=20dB pan=0", "mix g pan=1"], "g",
     "mix g gain=13dB at <text>:2, in place of 20dB"),
    (["mix g gain=20dB", "mix * gain=3.3dB"], "g",
     "mix * gain=-3.7dB at <text>:3, in place of 3.3dB"),
    ([], "gh", "mix * gain=-7dB"),
    (["mix g gain=1dB"], "gh", "mix g gain=-6dB at <text>:3, in place of 1dB; mix h gain=-7dB"),
    (["mix * gain=1dB"], "gh", "mix * gain=-6dB at <text>:3, in place of 1dB"),
    ([f"mix {name} gain=1dB" for name in "ghij"], "ghij",
     "mix g gain=-6dB at <text>:5, in place of 1dB; mix h gain=-6dB at <text>:6, in place of 1dB; "
     "mix i gain=-6dB at <text>:7, in place of 1dB and so on, each instrument 7 dB lower"),
])
def test_what_is_advised(lines, uses, said):
    assert advice(*lines, uses=uses) == said


def test_what_is_advised_keeps_all_samples(tmp_path):
    text = "use guitar as g\nmix g gain=30dB\nrender tail=0\n0 g.e2 pluck dur=0.05\n"
    path = tmp_path / "a.wav"
    loud = pysitar.render_file(pysitar.load_score(text=text), path, stems=tmp_path / "stems")
    for warning in (message for message in loud["warnings"] if "clipped" in message):
        [line] = re.findall(r"keeps them: (.*) at <text>:2,", warning)
        soft = pysitar.render_file(pysitar.load_score(text=text.replace("mix g gain=30dB", line)),
                                   path)
        assert loud["clipped"] > 0 and soft["clipped"] == 0 and soft["peak"] > 0.7
