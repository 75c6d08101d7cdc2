"""`mix g loudness=-18LUFS`: the stems of a render have the loudness that the score asks for."""
import numpy as np
import pytest

import pysitar
from pysitar.physics.loudness import Loudness
from pysitar.rendering.engine import Engine, bind_score
from pysitar.score.parser import load_score
from tests.score_texts import refuse_text

SCORE = """use bass as b
use wood_table as t
mix b loudness=-18LUFS pan=0.3
mix t loudness=-30
render tail=200ms rate=8000 oversample=1 fade=50ms
0 b.e pluck
0.3 b.a pluck f=0.5N
250000us t.table strike
"""


def score(text=SCORE):
    return load_score(text=text)


def stems(**chosen):
    engine = Engine(*bind_score(score(), **chosen))
    blocks = list(engine.stems(1000))
    return {name: np.concatenate([block[index] for block in blocks])
            for index, name in enumerate(engine.names)}


def test_each_stem_has_its_loudness():
    for name, target in (("b", -18.0), ("t", -30.0)):
        meter = Loudness(8000, 2)
        meter.add(stems()[name])
        # gains are rounded to 0.001 dB
        assert meter.integrated == pytest.approx(target, abs=0.0006)


def test_the_gain_is_reported_and_is_that_of_the_whole_stem_in_every_part_of_it():
    whole = pysitar.render(score())
    part = pysitar.render(score(), start=0.1, stop=0.3, only="b.a", jobs=2)
    rows = whole.report["voices"]
    assert rows["b"]["loudness"] == -18.0 and rows["t"]["loudness"] == -30.0
    assert part.report["voices"]["b"]["gain_db"] == rows["b"]["gain_db"] != 0.0


def test_it_is_the_gain_that_a_mix_would_set():
    gain = pysitar.render(score()).report["voices"]["b"]["gain_db"]
    other = score(SCORE.replace("loudness=-18LUFS", f"gain={gain!r}dB"))
    assert np.array_equal(pysitar.render(score()).audio, pysitar.render(other).audio)


def test_the_last_mix_with_a_level_applies():
    later = score(SCORE + "mix * gain=-3dB\nmix t loudness=-24LUFS\n")
    bound, _ = bind_score(later)
    levels = {plan.name: plan.level for plan in bound.voices}
    assert (levels["b"].gain, levels["b"].loudness, levels["b"].pan) == (-3.0, None, 0.3)
    assert levels["t"].loudness == -24.0
    assert [plan.name for plan in bound.measured] == ["t"]


def test_a_loudness_without_events_is_a_warning():
    text = SCORE + "use bass as c\nmix c loudness=-20LUFS\nmix * loudness=-20LUFS\n"
    (warning,) = [one for one in bind_score(score(text))[0].warnings if "no events" in one.message]
    assert warning.place.line == 10 and warning.message.startswith("c has no events")


def test_a_silent_stem_is_a_warning():
    quiet = score("use bass as t\nuse bass as b\nmix t loudness=-18LUFS\n"
                  "render tail=50ms rate=8000 oversample=1 fade=0\n"
                  "0 b.e pluck\n0 t.e damp\n")
    warnings = pysitar.render(quiet).report["warnings"]
    assert "t is silent and cannot be brought to a loudness" in warnings


@pytest.mark.parametrize("line, column, message", [
    ("mix b.e loudness=-18LUFS", 9, "loudness is that of a stem, and a part has none; expected mix "
     "b loudness=-18LUFS"),
    ("mix b gain=1dB loudness=-18", 16, "loudness and gain both set the level; expected one of "
     "them"),
    ("mix b loudness=-18dB", 16, "loudness: -18dB is a level; expected a loudness in LUFS"),
    ("mix b loudness=-61LUFS", 16, "loudness is -61LUFS; expected -60 to 0 LUFS"),
    ("mix b gain=-18LUFS", 12, "gain: -18LUFS is a loudness; expected a level in dB"),
])
def test_errors(line, column, message):
    assert refuse_text(SCORE + line) == [(9, column, message)]
