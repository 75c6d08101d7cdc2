"""Whole renders: the same bits in any blocks, lengths, tails, times of events, and the report."""
import math
from functools import partial

import numpy as np
import pytest
from instruments import TWO_MODES, instrument, string, table
from score_texts import write_score

import pysitar
from pysitar.models.strings.instrument import StringInstrument
from pysitar.rendering import voice as voice_module
from pysitar.rendering.engine import frames_of, open_engine

BODY = table("body", frequencies=[400.0, 900.0], q=[5.0, 6.0], masses=[0.5, 0.4],
             weights=[1.0, -0.5], coupled=False)


def low(*tables, sigma0):
    """A wire of two modes under 3.6 kHz: whole minutes cost nothing."""
    pluck = {"position": 0.3, "force": 0.5, "release": 0.0001}
    return instrument(*tables, string(pitch=1500.0, length=0.2, sigma0=sigma0, pluck=pluck))


# sigma0 60 falls by 60 dB in 0.115 s, 0 rings for ever
FILES = {"low": low(sigma0=60.0), "ringing": low(sigma0=0.0), "body": low(BODY, sigma0=150.0),
         "two": TWO_MODES}


@pytest.fixture
def score(tmp_path):
    """Text -> score, with the instruments beside it."""
    for name, text in FILES.items():
        (tmp_path / f"{name}.toml").write_text(text)
    return partial(write_score, tmp_path)


def small(instrument="low", options="", rows="0 t.a pluck dur=0\n"):
    return (
        f'use "{instrument}.toml" as t\nrender rate=8000 oversample=1 channels=1 {options}\n{rows}')


# ---- the same bits

PAIR = """\
use tanpura as t
use "two.toml" as w
render rate=24000 oversample=OVER tail=30ms
mix t pan=-0.4 gain=-3dB
mix w pan=0.6
0.013s t.sa1 pluck dur=0
0.020s w.a pluck dur=0
0.0501s t.sa1 damp t60=60ms dur=0
0.0703s w.a pluck f=0.2N dur=0
0.1207s t.sa1 pluck dur=0
"""


@pytest.mark.parametrize("over", [1, 2])
def test_any_block_gives_the_same_bits(score, over):
    pair = score(PAIR.replace("OVER", str(over)))
    whole = pysitar.render(pair, block=1 << 20)
    assert whole.audio.shape == (frames_of(0.1507, 24000), 2)
    assert np.abs(whole.audio[3000:]).max() > 0.005
    if over == 1:          # before the first force a string woken by the finger's touch only rounds
        assert np.abs(whole.audio[:313]).max() < 1e-14
    for block in (1 if over == 1 else 7, 64, 441, 4096):
        part = pysitar.render(pair, block=block)
        assert np.array_equal(part.audio, whole.audio), block
        assert part.report == whole.report, block
    assert whole.report["residual"] < 1e-12 and whole.report["failed_solves"] == 0


@pytest.mark.parametrize("later", [0.17, 0.25, 0.40])
def test_a_body_asleep_is_woken_in_any_block(score, later):
    """The strings are silent, the body is asleep, and a pluck comes: in the same block or in
    another."""
    text = (f'use "body.toml" as t\nrender rate=48000 oversample=1 channels=1 tail=0.1s fade=0\n'
            f'0 t.a pluck dur=0\n{later}s t.a pluck dur=0\n')
    audio = {block: pysitar.render(score(text), block=block).audio for block in (64, 4096, 65_536)}
    start = round(later * 48000)
    assert np.abs(audio[64][start:]).max() > 0.9 * np.abs(audio[64][:start]).max() > 0.0
    assert np.all(audio[64][start - 500:start] == 0.0) or later < 0.2  # it is asleep by then
    assert np.array_equal(audio[4096], audio[64])
    assert np.array_equal(audio[65_536], audio[64])


def test_rendering_twice_gives_the_same_bits(score):
    pair = score(PAIR.replace("OVER", "1"))
    assert np.array_equal(pysitar.render(pair).audio, pysitar.render(pair).audio)


# ---- how long


@pytest.mark.parametrize("seconds, rate, frames", [
    (1.0, 48000, 48000),
    (0.1, 44100, 4410),
    (0.0, 48000, 0),
    (0.4999 / 48000, 48000, 0),
    (0.5 / 48000, 48000, 1),
    (1.4999 / 48000, 48000, 1),
    (1.5 / 48000, 48000, 2),
    (2.5 / 8000, 8000, 3),
    (0.29, 100, 29),
    (3600.0, 48000, 172_800_000),
])
def test_times_to_frames(seconds, rate, frames):
    assert frames_of(seconds, rate) == frames


@pytest.mark.parametrize("block", [1000, 4096, 48000])
@pytest.mark.parametrize("rate, over", [(48000, 1), (48000, 2), (44100, 3)])
def test_a_second_is_a_second(score, rate, over, block):
    text = f'use "two.toml" as t\nrender rate={rate} oversample={over} tail=0\n0 t.a pluck dur=1s\n'
    result = pysitar.render(score(text), block=block)
    assert result.audio.shape == (rate, 2) and result.rate == rate
    assert result.report["frames"] == rate and result.report["seconds"] == 1.0
    assert np.all(np.abs(result.audio[-rate // 10:]).max(axis=0) > 0.0)  # it sounds to the end


def test_a_given_tail_is_exact(score):
    for name in ("low", "ringing"):          # whether or not it sleeps before
        result = pysitar.render(score(small(name, "tail=2s", "0.25s t.a pluck dur=0.5s\n")),
                                block=441)
        assert result.audio.shape == (22_000, 1) and not result.report["tail_cut"]


@pytest.mark.parametrize("block", [1, 64, 441, 4096, 100_000])
def test_the_tail_ends_with_the_sound(score, block):
    result = pysitar.render(score(small(options="tail=auto fade=0")), block=block)
    reference = pysitar.render(score(small(options="tail=1s fade=0")), block=441).audio
    frames = result.audio.shape[0]
    assert np.array_equal(result.audio, reference[:frames]) and np.all(reference[frames:] == 0.0)
    # the string is decided on every 64 steps; what it had then fades in 20 ms to 0 at the last one
    assert (frames - 160) % 64 == 0 and np.all(reference[frames - 2] != 0.0)
    # 60 dB in 3 ln 10 / 60 = 0.115 s, energy by 80 dB in 0.154 s, 50 ms of patience: within 0.2 s
    # of the pluck's end, +- one reading or two
    assert 0.115 < frames / 8000 - 0.02 < 0.0051 + 0.2 + 3 * 64 / 8000
    assert not result.report["tail_cut"]


@pytest.mark.parametrize("name", ["low", "body"])
def test_a_long_tail_costs_nothing_once_all_is_silent(score, name, monkeypatch):
    """120 s after a pluck that dies in 0.1 s: every step that is computed, and every one that is
    decimated, lies in the first second."""
    computed, decimated = [], []
    hear, push = StringInstrument.finish_output, voice_module.Decimator.push

    class Counting:
        def __init__(self, *given):
            self.inner = voice_module_decimator(*given)

        def push(self, sound):
            decimated.append(sound.size)
            return self.inner.push(sound)

        def flush(self):
            return self.inner.flush()

    def counted(self, out, *stream):
        computed.append(out.size)
        hear(self, out, *stream)

    voice_module_decimator = voice_module.Decimator
    monkeypatch.setattr(voice_module, "Decimator", Counting)
    monkeypatch.setattr(StringInstrument, "finish_output", counted)
    assert push is voice_module_decimator.push
    text = small(name, "tail=120s").replace("oversample=1", "oversample=2")
    result = pysitar.render(score(text), block=400)
    assert result.audio.shape[0] == 960_000 and result.audio[:2000].any(
    ) and not result.audio[8000:].any()
    assert 1600 < sum(computed) < 16_000 and 1600 < sum(decimated) < 16_000


def test_a_soft_pluck_after_a_loud_one_is_whole(score):
    """A loud pluck, and one of -60 dB 0.2 s later: the second sounds as it does alone, to its end,
    added to what is left of the first."""
    def rows(*which):
        loud, soft = "0 t.a pluck f=0.5N dur=0\n", "0.2s t.a pluck f=0.5mN dur=0\n"
        return "".join(line for line, wanted in ((loud, "loud"), (soft, "soft")) if wanted in which)

    both, loud, soft = (pysitar.render(score(
        small(options=f"tail=1s floor={floor}dB", rows=rows(*which)))).audio[:, 0] for floor,
                        which in ((-80, ("loud", "soft")), (-200, ("loud",)), (-200, ("soft",))))
    n = 8 * 200 + 41          # the release's end
    assert np.abs(loud).max() > 500.0 * np.abs(soft).max() > 0.01
    # linear, no contact: what differs is rounding, and what sleep cuts off, 80 dB (the floor) under
    # the greatest since the soft one
    assert np.abs(both[:8000] - loud - soft[:8000]).max() < 1e-12 + 1e-4 * np.abs(both[n:]).max()
    # no step larger than the pluck's own where it begins or the first one ends
    jump = np.abs(np.diff(both[n - 200:])).max()
    assert jump < 1.05 * (np.abs(np.diff(loud[n - 200:])).max() + np.abs(np.diff(soft)).max())


@pytest.mark.parametrize("block", [64, 441, 4096, 100_000])
def test_the_tail_does_not_end_before_the_score(score, block):
    """A string that sleeps long before its duration is over: silence belongs to the piece."""
    result = pysitar.render(
        score(small(options="tail=auto floor=-60dB", rows="0 t.a pluck dur=2.5s\n")), block=block)
    assert result.audio.shape == (20_000, 1)
    assert np.all(result.audio[4000:] == 0.0) and result.audio[:800].any()


@pytest.mark.parametrize("block", [64, 4096])
def test_a_voice_that_sleeps_does_not_end_one_that_waits(score, block):
    rows = 'use "low.toml" as u\n0 t.a pluck dur=0\n2s u.a pluck dur=0\n'
    result = pysitar.render(score(small(options="tail=auto fade=0", rows=rows)), block=block)
    once = pysitar.render(score(small(options="tail=auto fade=0"))).audio
    # the second sounds as the first; 16000 is 250 readings, so it even ends at the same one
    assert result.audio.shape == (16_000 + once.shape[0], 1)
    assert np.array_equal(result.audio[16_000:], once)


def test_an_endless_tail_is_cut_and_reported(score):
    result = pysitar.render(score(small("ringing", "tail=auto", "0.5s t.a pluck dur=0\n")),
                            block=65_536)
    assert result.audio.shape == (round(60.5 * 8000), 1)
    assert result.report["tail_cut"] is True
    peak = np.abs(result.audio[5000:10_000]).max()
    # nothing is lost in a minute: 4.8e5 steps of a lossless scheme
    assert np.abs(result.audio[-5000:]).max() == pytest.approx(peak, rel=1e-2)
    assert result.report["residual"] < 1e-10


# ---- where events land

class Through:
    """In the decimator's place: keeps the internal samples."""

    kept: list

    def __init__(self, factor, taps):
        self.factor = factor

    def push(self, samples):
        type(self).kept.append(samples.copy())
        return samples[::self.factor]

    def flush(self):
        return np.zeros(0)


@pytest.mark.parametrize("rate, over", [(8000, 1), (8000, 2), (48000, 3), (44100, 4)])
@pytest.mark.parametrize("time", [0.0, 0.0123457, 0.02501, 1.00002])
def test_an_event_lands_on_its_internal_sample(score, monkeypatch, rate, over, time):
    monkeypatch.setattr(Through, "kept", [], raising=False)
    monkeypatch.setattr(voice_module, "Decimator", Through)
    text = (f'use "low.toml" as t\nrender rate={rate} oversample={over} tail=10ms\n'
            f'{time}s t.a pluck dur=0\n')
    pysitar.render(score(text), block=333)
    sounding = np.flatnonzero(np.concatenate(Through.kept))
    # the output is the state before a step: a force in step n sounds from step n + 1 on
    assert abs(math.modf(time * rate * over)[0] - 0.5) > 0.01          # no tie
    assert sounding[0] == round(time * rate * over) + 1


# ---- the report

def test_the_report_is_of_the_audio(score):
    result = pysitar.render(score(PAIR.replace("OVER", "1") + "mix w gain=40dB\n"), seed=12,
                            block=100)
    report, audio = result.report, result.audio
    assert set(report) == {"frames", "seconds", "rate", "oversample", "channels", "seed", "peak",
                           "clipped", "fade", "tail_cut", "residual", "iterations",
                           "most_iterations", "failed_solves", "gain_db", "warnings", "voices"}
    assert set(report["voices"]) == {"t", "w"}
    for voice in report["voices"].values():
        assert set(voice) == {"residual", "iterations", "most_iterations", "solves",
                              "failed_solves", "contact_steps"}
    assert report["peak"] == np.abs(audio).max() > 1.0          # never scaled behind one's back
    assert report["clipped"] == (np.abs(audio) > 1.0).sum() > 0
    assert (report["frames"], report["rate"], report["oversample"],
            report["channels"]) == (audio.shape[0], 24000, 1, 2)
    assert report["seed"] == 12
    tanpura, wire = report["voices"]["t"], report["voices"]["w"]
    assert report["residual"] == max(tanpura["residual"],
                                     wire["residual"]) and 0.0 < report["residual"] < 1e-12
    assert report["iterations"] == tanpura["iterations"] + wire["iterations"]
    assert report["most_iterations"] == tanpura["most_iterations"] > wire[
        "most_iterations"] == 0 == report["gain_db"]
    assert tanpura["contact_steps"] > 50 and tanpura["solves"] > 2000 and wire["contact_steps"] == 0


def test_without_clipping_none_is_counted(score):
    result = pysitar.render(score(small(options="tail=0.1s")))
    assert result.report["clipped"] == 0 and 0.01 < result.report["peak"] < 1.0


def test_seeds(score):
    piece = score(small(options="tail=50ms seed=4"))
    assert pysitar.render(piece).report["seed"] == 4
    other = pysitar.render(piece, seed=5)
    # nothing here is random
    assert other.report["seed"] == 5 and np.array_equal(other.audio, pysitar.render(piece).audio)
    with pytest.raises(pysitar.ParameterError, match="seed"):
        pysitar.render(piece, seed=-1)


def test_arguments_go_before_the_score(score):
    result = pysitar.render(score(small(options="tail=0.1s")), rate=16000, oversample=2)
    assert result.rate == 16000 and result.audio.shape[0] == 1600 and result.report[
        "oversample"] == 2


@pytest.mark.parametrize("block", [0, -1, 1.5, (1 << 20) + 1, True])
def test_impossible_blocks(score, block):
    with pytest.raises(pysitar.ParameterError, match="block"):
        pysitar.render(score(small(options="tail=0.1s")), block=block)


def test_a_score_of_no_length(score):
    # no tail and no dur: a file without a frame is nobody's wish
    with pytest.raises(pysitar.ScoreError, match="lasts 0 s"):
        open_engine(score(small(options="tail=0")))


def test_blocks_have_the_given_size(score):
    engine = open_engine(score(small(options="tail=0.5s")))
    assert engine.least_frames == engine.most_frames == 4000
    sizes = [frames.shape[0] for frames in engine.blocks(441)]
    assert sum(sizes) == 4000 == engine.frames and max(sizes) <= 441


# ---- what goes wrong

def test_an_instrument_that_cannot_be_built_is_reported_at_its_use(score):
    # 3700 Hz is a pitch that the rate can hold (0.47 of 8000 Hz), but no mode lies under 0.45 of it
    with pytest.raises(pysitar.ScoreError) as caught:
        pysitar.render(score("# a comment\n" + small(rows="0 t.a pluck\n").replace(
            "render", "set t.a.pitch = 3700Hz\nrender")))
    problem, = caught.value.problems
    assert (problem.place.line, problem.place.col) == (2, 5)          # the file's name in `use`
    assert problem.place.file.endswith("x.score")
    assert "t cannot be built" in problem.message and "string a" in problem.message


def test_a_sample_that_is_no_number_ends_the_render(score, monkeypatch):
    hear = StringInstrument.finish_output
    done = 0

    def broken(self, out, *stream):
        nonlocal done
        hear(self, out, *stream)
        if done <= 777 < done + out.size:
            out[777 - done] = math.nan
        done += out.size
    monkeypatch.setattr(StringInstrument, "finish_output", broken)
    engine, got = open_engine(score(small(options="tail=1s"))), []
    with pytest.raises(pysitar.RenderError) as caught:
        got.extend(engine.blocks(100))
    assert caught.value.voice == "t" and caught.value.time == 777 / 8000
    assert sum(frames.shape[0] for frames in got) == 700  # nothing of the broken block came out


def test_a_balance_that_fails_ends_the_render(score, monkeypatch):
    """The energy ledger of a real voice, in error by 1e-8: reported with voice, string and time."""
    from pysitar.models.network import audited

    def false(self, books, start):
        books[:, 3] += 1e-8 * (books[:, :3].sum(axis=1).max(initial=0.0)
                               + books[:, 5].max(initial=0.0))
        return audit(self, books, start)
    audit = audited.AuditedNetwork._audit
    monkeypatch.setattr(audited.AuditedNetwork, "_audit", false)
    with pytest.raises(pysitar.RenderError, match="balance") as caught:
        pysitar.render(score(small(options="tail=0.1s", rows="0.05s t.a pluck dur=0\n")))
    assert caught.value.voice == "t.a" and 0.05 < caught.value.time < 0.1
