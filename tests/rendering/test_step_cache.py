"""A render with a cache has the bits of a render without one, and computes what changed alone."""
from itertools import pairwise

import numpy as np
import pytest

from pysitar.api.request import Request, prepare_engine
from pysitar.models.definitions.loader import parse_instrument, preset_names, preset_text
from pysitar.rendering import step_cache
from pysitar.rendering.engine import bind_score
from pysitar.rendering.step_cache import StepCache, plan_digest
from pysitar.score.parser import load_score

RATE = "rate=8000 oversample=2"
HEAD = ("use tanpura as t\nuse guitar as g\nuse xylophone as o\n"
        f"set t.*.sigma0 = 20\nset g.*.sigma0 = 20\nrender {RATE} tail=0.1s\n")
PAIR = HEAD + "0 t.pa pluck dur=0.1\n0 g.e2 pluck\n0.1s o strike C5\n"
# each edit of the score before it: more and less of its end, an event, a value, a level, a line
EDITS = [
    PAIR,
    PAIR + "0.15s o strike E5\n",                # all ring on for longer
    PAIR,
    PAIR.replace("g.e2 pluck", "g.e2 pluck f=1N"),
    PAIR.replace("g.e2 pluck", "g.e2 pluck f=1N") + "mix g gain=-6dB pan=0.5\nmix t.sa1 gain=1dB\n",
    "# a comment\n" + PAIR + "mix t pan=-1\n",
    PAIR.replace("tail=0.1s", "tail=auto floor=-20"),
    PAIR.replace("tail=0.1s", "tail=0.05s fade=0 channels=1"),
    PAIR.replace("oversample=2", "oversample=3"),
    PAIR.replace("0 t.pa pluck dur=0.1\n", "set t.gain = 0.5\n0.05s t.pa pluck\n"),
]


def engine_of(text, cache=None, **request):
    return prepare_engine(load_score(text=text), Request(**request), cache=cache)


def sound(text, cache=None, block=1000, **request):
    blocks = list(engine_of(text, cache, **request).blocks(block))
    return np.concatenate(blocks).tobytes()


@pytest.fixture(scope="module")
def whole():
    return {text: sound(text) for text in EDITS}


@pytest.fixture
def built(monkeypatch):
    """The names of the voices that are computed from their start."""
    names = []
    played = step_cache.PlayedSteps
    monkeypatch.setattr(step_cache, "PlayedSteps", lambda plan, options: (
        names.append(plan.name), played(plan, options))[1])
    return names


def test_a_series_of_edits_has_the_bits_of_whole_renders(whole, built):
    cache = StepCache()
    for text in EDITS:
        assert sound(text, cache) == whole[text]
    assert len({whole[text] for text in EDITS}) == len(EDITS) - 1      # two are the same score
    # all for the first score, the floor and the rate; t for levels of parts and its gain, g for a
    # force, o for an event and for one channel, since its bars lie from left to right; none for the
    # ends, the comment, the mix of instruments
    assert [built.count(name) for name in "tgo"] == [5, 4, 5]


@pytest.mark.parametrize("limit", [0, 20_000, 150_000])
def test_a_limit_changes_no_bits(limit, whole):
    cache = StepCache(limit)
    for text in EDITS[:4]:
        assert sound(text, cache) == whole[text]
        assert cache.size <= limit


def test_a_limit_drops_what_was_not_used_longest(built):
    one = "use tanpura as t\nrender rate=8000 oversample=1 tail=0 channels=1\n0 t.pa pluck dur={}\n"
    texts = [one.format(dur) for dur in (0.5, 0.6, 0.5, 0.7, 0.5, 0.6)]
    cache = StepCache(80_000)                   # of 64 kB a second: two of these
    for text in texts:
        sound(text, cache)
    assert len(built) == 4 and cache.size <= 80_000


def test_a_part_and_other_blocks(whole):
    cache = StepCache()
    for request in ({"start": 0.05, "stop": 0.1}, {"stop": 0.15}, {"start": 0.12},
                    {"only": "g"}, {}):
        for block in (777, 4096):
            assert sound(PAIR, cache, block, **request) == sound(PAIR, None, **request)
    assert sound(PAIR, cache, jobs=3) == whole[PAIR]


def test_a_render_that_was_left_is_continued(whole, built):
    cache = StepCache()
    blocks = engine_of(PAIR, cache).blocks(500)
    next(blocks)
    blocks.close()
    assert sound(PAIR, cache) == whole[PAIR] and len(built) == 3


def test_a_render_that_failed_is_not_continued(whole, built, monkeypatch):
    cache = StepCache()
    engine = engine_of(PAIR, cache)
    blocks = engine.blocks(500)
    next(blocks)
    with monkeypatch.context() as patch:
        patch.setattr(np, "isfinite", lambda values: np.zeros(len(values), bool))
        with pytest.raises(Exception, match="not a finite number"):
            next(blocks)
    assert sound(PAIR, cache) == whole[PAIR] and len(built) == 6


def test_a_repeated_render_computes_nothing(built, monkeypatch):
    cache = StepCache()
    first = sound(PAIR, cache)
    # it is called for computed steps alone
    monkeypatch.setattr(cache, "_keep", lambda *steps: pytest.fail("steps are computed again"))
    assert sound(PAIR, cache) == first and built == ["t", "g", "o"]


def test_traces_are_computed(built):
    cache = StepCache()
    for _ in range(2):
        engine = engine_of(PAIR, cache, traces=("t.pa",))
        assert sum(engine.traces()["t.pa.force_end"].size for _ in engine.blocks()) > 1000
    assert built == ["g", "o"]


def digests(text):
    bound, options = bind_score(load_score(text=text))
    return {plan.name: plan_digest(plan, options) for plan in bound.voices}


def test_a_hash_is_that_of_what_decides_the_samples():
    changes = {                     # of PAIR, in three of its lines: the voices that change
        "rate=8000": ("rate=16000", "tgo"), "oversample=2": ("oversample=2 seed=1", "tgo"),
        "oversample": ("floor=-90 oversample", "tgo"), "tail=0.1s": ("tail=0.2s fade=0", ""),
        "t.pa": ("t.sa1", "t"), "dur=0.1": ("dur=0.1 f=0.5N", "t"),
        "g.e2 pluck": ("g.e2 pluck F2", "g"), "\n0.1s o": ("\n0.11s o", "o"), "C5": ("C#5", "o"),
        "\n0 t.pa": ("\n\n# more lines\n0 t.pa", ""),
        "\n0 g": ("\nset g.e2.pluck.width = 12mm\n0 g", "g"), "0 t": ("mix t gain=2dB\n0 t", ""),
    }
    before = digests(PAIR)
    for old, (new, voices) in changes.items():
        assert old in PAIR
        after = digests(PAIR.replace(old, new, 1))
        assert {name for name in before if before[name] != after[name]} == set(voices), old


@pytest.mark.parametrize("name", preset_names())
def test_every_instrument_has_a_hash(name):
    spec = parse_instrument(preset_text(name), name=name, shown=name)
    pieces = b"".join(step_cache._pieces(spec))
    assert len(pieces) > 500


def test_no_two_values_are_alike():
    values = [None, 0, 0.0, -0.0, False, "0", "", (), ("",), ("a", "b"), ("ab",), (("a",), "b"),
              {"a": 1}, {"a": 1.0}, np.zeros(1), np.zeros(2), np.zeros(1, int), float("nan")]
    pieces = sorted(b"".join(step_cache._pieces(value)) for value in values)
    assert all(one != other for one, other in pairwise(pieces))
    with pytest.raises(TypeError, match="has no hash"):
        b"".join(step_cache._pieces(object()))
