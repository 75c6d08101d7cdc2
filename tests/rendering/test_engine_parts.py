"""Stems and excerpts of a render: the same bits as the whole; and the traces of its strings."""
import math

import numpy as np
import pytest
from instruments import TWO_MODES
from score_texts import write_score

from pysitar.errors import ParameterError
from pysitar.rendering.engine import Engine, bind_score
from pysitar.rendering.voice import Voice

# three instruments of one wire each, at pans and gains of their own
TRIO = """\
use "two.toml" as a
use "two.toml" as b
use "two.toml" as c
set b.a.pitch = 2500Hz
set c.a.pitch = 2000Hz
render rate=16000 oversample=OVER tail=TAIL
mix a pan=-0.4 gain=-3dB
mix b pan=0.7
mix c gain=5dB
0 b.a pluck dur=0
0.01s a.a pluck dur=0
0.0137s c.a pluck f=0.2N dur=0
0.03s b.a pluck f=-0.3N dur=0
"""
TWO = TWO_MODES.replace("sigma0 = 5.0",
                        "sigma0 = 150.0").replace("pitch = 9000.0", "pitch = 3000.0")


@pytest.fixture
def score(tmp_path):
    (tmp_path / "two.toml").write_text(TWO)

    def read(text=TRIO, over=1, tail="20ms"):
        return write_score(tmp_path, text.replace("OVER", str(over)).replace("TAIL", tail))
    return read


def opened(score, **part):
    return Engine(*bind_score(score), **part)


def audio_of(engine, block=4096):
    return np.concatenate(list(engine.blocks(block)))


# ---- stems

@pytest.mark.parametrize("over", [1, 2])
@pytest.mark.parametrize("block", [100, 4096])
def test_the_sum_of_the_stems_is_the_mix_to_the_bit(score, over, block):
    piece = score(over=over)
    whole = audio_of(opened(piece))
    engine = opened(piece)
    assert engine.names == ("a", "b", "c")
    blocks = list(engine.stems(block))
    assert all(len(stems) == 3 for stems in blocks)
    stems = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    assert np.array_equal(((0.0 + stems[0]) + stems[1]) + stems[2], whole)
    assert all(np.abs(stem).max() > 0.01 for stem in stems)
    # where each stands: tan of the angle (pan + 1) 45 degrees
    for stem, pan in zip(stems, (-0.4, 0.7, 0.0), strict=True):
        assert math.sqrt((stem[:, 1]**2).sum() / (stem[:, 0]**2).sum()) == pytest.approx(
            math.tan((pan + 1.0) * math.pi / 4.0), rel=1e-12)
    assert engine.report()["peak"] == np.abs(whole).max() and engine.frames == len(whole)


def test_a_stem_is_the_instrument_alone(score):
    alone = score("\n".join(line for line in TRIO.splitlines()
                            if " b" not in line and " c" not in line and " a.a" not in line)
                  + "\n0.01s a.a pluck dur=20ms\n")  # it ends with the whole score, at 30 ms
    stems = list(opened(score()).stems(1 << 20))
    assert np.array_equal(np.concatenate([first for first, *_ in stems]), audio_of(opened(alone)))


# ---- a part of the whole

PARTS = [(0.0, None), (0.011, None), (0.0, 0.017), (0.0123, 0.0312), (0.02, 0.02007),
         (0.049, 0.0499), (0.01, 0.05), (0.03, 9e99)]


@pytest.mark.parametrize("over", [1, 2, 3])
@pytest.mark.parametrize(("start", "stop"), PARTS)
def test_a_part_has_the_samples_of_the_whole(score, over, start, stop):
    piece = score(over=over)
    whole = audio_of(opened(piece))
    assert whole.shape == (800, 2)
    first, last = math.floor(start * 16000 + 0.5), 800 if stop is None else min(
        800, math.floor(stop * 16000 + 0.5))
    reports = []
    for block in (13, 97, 4096):
        engine = opened(piece, start=start, stop=stop)
        assert (engine.least_frames, engine.most_frames) == (last - first, last - first)
        audio = audio_of(engine, block)
        assert np.array_equal(audio, whole[first:last]), block
        reports.append(engine.report())
    assert reports[0] == reports[1] == reports[2]
    assert reports[0]["frames"] == last - first and reports[0]["peak"] == np.abs(
        whole[first:last]).max()
    assert not reports[0]["tail_cut"]


@pytest.mark.parametrize(("start", "stop"), [(0.0, None), (0.015, None), (0.005, 0.02),
                                             (0.05, 50.0)])
def test_a_part_of_a_sound_that_ends_by_itself(score, start, stop):
    piece = score(over=2, tail="auto")
    whole = audio_of(opened(piece))
    assert 800 < len(whole) < 16000
    first, last = round(
        start * 16000), len(whole) if stop is None else min(len(whole), round(stop * 16000))
    for block in (7, 64, 1000):
        engine = opened(piece, start=start, stop=stop)
        audio = audio_of(engine, block)
        assert np.array_equal(audio, whole[first:last]), block
        assert engine.least_frames <= len(
            audio) <= engine.most_frames and not engine.report()["tail_cut"]


def test_what_lies_after_the_part_is_not_computed(score, monkeypatch):
    counts = []
    begin = Voice.begin

    def counted(self, steps, start):
        counts.append(steps)
        return begin(self, steps, start)

    monkeypatch.setattr(Voice, "begin", counted)
    piece = score(over=2, tail="2s")
    for block in (10, 4096):
        counts.clear()
        engine = opened(piece, start=0.001, stop=0.005)
        assert len(audio_of(engine, block)) == 64
        # frame 79 waits for half of the taps after it, less than 100 frames; three voices
        assert 3 * 2 * 80 <= sum(counts) < 3 * 2 * 180


def test_what_lies_before_the_part_comes_as_empty_blocks(score):
    engine = opened(score(), start=0.02)
    shapes = [frames.shape for frames in engine.blocks(100)]
    assert [rows for rows, _ in shapes] == [0, 0, 0, 80, 100, 100, 100, 100, 0]
    assert {columns for _, columns in shapes} == {2}
    assert engine.position == 800


@pytest.mark.parametrize(
    ("part", "name", "said"),
    [
        ({"start": 0.05
          }, "start", "0.05 s; expected a time before the end of the sound, which lasts 0.05 s"),
        ({"start": 1e308}, "start", "which lasts 0.05 s"),
        ({"start": 0.02, "stop": 0.02
          }, "stop", "0.02 s; expected a time after the start, 0.02 s; the sound lasts 0.05 s"),
        ({"start": 0.03, "stop": 0.02}, "stop", "after the start, 0.03 s"),
        ({"stop": 0.0}, "stop", "after the start, 0 s"),
        ({"start": 0.02, "stop": 0.020001}, "stop", "after the start"),  # not one frame
        ({"start": 0.06, "stop": 0.07}, "start", "which lasts 0.05 s"),
        ({"start": -0.01}, "start", "at least 0"),
        ({"start": math.nan}, "start", "finite"),
        ({"stop": math.inf}, "stop", "finite"),
        ({"start": "1"}, "start", "finite number"),
    ])
def test_empty_excerpts_are_errors(score, part, name, said):
    with pytest.raises(ParameterError) as caught:
        opened(score(), **part)
    assert caught.value.name == name and said in str(caught.value)


def test_a_sound_that_ends_before_its_part_begins(score):
    piece = score(tail="auto")
    length = len(audio_of(opened(piece))) / 16000
    engine = opened(piece, start=20.0)          # it could last for a minute
    with pytest.raises(ParameterError, match="before the end of the sound, which lasted") as caught:
        list(engine.blocks())
    assert caught.value.name == "start" and f"{length:g} s" in str(caught.value)
    with pytest.raises(ParameterError, match=r"which lasts at most 60\.03 s"):
        opened(piece, start=61.0)


def test_a_higher_pitch_later_leaves_fewer_modes_from_the_start(score):
    """Two octaves of 16 kHz hold 2, 4 and 6 kHz; with 3.5 kHz to come the third would pass the
    rate's half, and is left out at once."""
    head = ('use "two.toml" as a\nset a.a.pitch = 2kHz\nset a.a.sigma0 = 5\n'
            'render rate=16000 oversample=1 channels=1 tail=0 fade=0\n' "0 a.a pluck dur=0.1s\n")
    turn = np.exp(-2j * np.pi * np.outer([2000.0, 4000.0, 6000.0], np.arange(1600)) / 16000)
    plain, high = (np.abs(turn @ audio_of(opened(score(head + rows), stop=0.1))[:, 0])
                   for rows in ("", "0.2s a.a fret 3.5kHz dur=0.1s\n"))
    assert high[:2] == pytest.approx(plain[:2], rel=0.1) and high[2] < 0.05 * plain[2]


# ---- traces

KINDS = ("force_end", "displacement", "contact_force", "energy")


def traced(score, strings, *, block=4096, **part):
    engine = opened(score, traced=frozenset(strings), **part)
    found = {}
    frames = []
    for mix in engine.blocks(block):
        frames.append(mix)
        for name, values in engine.traces().items():
            found.setdefault(name, []).append(values)
    assert engine.traces().keys() == found.keys() and not any(
        values.size for values in engine.traces().values())
    return np.concatenate(frames), {name: np.concatenate(values)
                                    for name, values in found.items()}, engine


def test_a_trace_is_the_output_force(score):
    piece = score('use "two.toml" as a\n'
                  'render rate=16000 oversample=OVER channels=1 fade=0 tail=TAIL\n'
                  '0.001s a.a pluck dur=0\n', tail="0.05s")
    audio, traces, engine = traced(piece, [("a", "a")])
    assert set(traces) == {f"a.a.{kind}" for kind in KINDS}
    force = traces["a.a.force_end"]
    # nothing is decimated, the gain is 1 and no body is driven: the sound is the force. Rounding of
    # a force of about 1 N
    assert force.shape == (816, ) and np.abs(audio[:, 0]
                                             - force).max() < 1e-14 and np.abs(force).max() > 0.1
    energy = traces["a.a.energy"]
    assert energy.shape == (math.ceil(816 / 64), 6)
    kinetic, potential, contact, losses, work, throughput = energy.T
    balance = kinetic + potential + contact + losses - work
    assert np.abs(balance).max() < 1e-12 * work.max() and (
        losses[1:] >= losses[:-1]).all() and throughput[-1] >= work[-1] > 0.0
    assert not traces["a.a.contact_force"].any()          # it touches nothing
    assert engine.trace_bytes == 816 * 24.75


@pytest.mark.parametrize("over", [1, 3])
@pytest.mark.parametrize(("start", "stop"), [(0.0, None), (0.0123, 0.0312), (0.004, 0.02)])
def test_traces_of_a_part(score, over, start, stop):
    piece = score(over=over)
    _, whole, _ = traced(piece, [("a", "a"), ("c", "a")])
    assert set(whole) == {f"{voice}.a.{kind}" for voice in "ac" for kind in KINDS}
    first, last = math.floor(start * 16000 + 0.5) * over, (800 if stop is None else
                                                           math.floor(stop * 16000 + 0.5)) * over
    for block in (13, 97, 4096):
        _, part, _ = traced(piece, [("a", "a"), ("c", "a")], block=block, start=start, stop=stop)
        for name, values in part.items():
            low, high = (-(-step // 64)
                         for step in (first, last)) if name.endswith("energy") else (first, last)
            assert np.array_equal(values, whole[name][low:high]), (name, block)


def test_traces_end_with_a_sound_that_ends_by_itself(score):
    audio, traces, _ = traced(score(over=2, tail="auto"), [("b", "a")], block=1000)
    assert len(traces["b.a.displacement"]) == 2 * len(audio) and len(
        traces["b.a.energy"]) == math.ceil(2 * len(audio) / 64)


def test_traces_change_no_bit(score):
    piece = score(over=2)
    audio, _, engine = traced(piece, [("a", "a"), ("b", "a")])
    plain = opened(piece)
    assert np.array_equal(audio, audio_of(plain)) and engine.report() == plain.report()
