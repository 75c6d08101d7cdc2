"""A score computed in threads: the same bits, reports, traces and errors as in one thread, and
threads end with the render."""
import threading
from functools import partial

import numpy as np
import pytest
from instruments import TWO_MODES, mass, masses
from score_texts import write_score

import pysitar
from pysitar.errors import ParameterError, RenderError
from pysitar.models.strings.played import PlayedString
from pysitar.rendering.engine import Engine, bind_score

MASS = masses(mass("wall", mass=0.01, stiffness=1e6, exponent=1.5,
                   throw={"gap": 0.0, "velocity": 1.0}), gain=1e-3)
SCORE = """\
use tanpura as t
use "two.toml" as w
use marble_slab as g
use "mass.toml" as m
use tanpura as k
set k.body.coupled = true
render rate=16000 oversample=2 tail=20ms
mix t pan=-0.4
0 t.sa1 pluck dur=0
0 t.pa pluck dur=0
0 m.wall throw velocity=1m/s dur=0
0.005s w.a pluck dur=0
0.01s k.sa1 pluck dur=0
0.02s g.slab strike dur=0
0.03s t.sa1 damp t60=60ms dur=0
0.04s w.a pluck f=0.2N dur=0
"""
WIRES = """\
use "two.toml" as t
use "two.toml" as u
render rate=16000 oversample=1 tail=20ms
set *.a.pitch = 3kHz
set *.a.sigma0 = 60
0 t.a pluck dur=0
0 u.a pluck dur=0
"""


@pytest.fixture
def score(tmp_path):
    (tmp_path / "two.toml").write_text(TWO_MODES)
    (tmp_path / "mass.toml").write_text(MASS)
    return partial(write_score, tmp_path)


def reported(result):
    return result.report, {name: values.tobytes() for name,
                           values in (result.traces or {}).items()}, result.audio.tobytes()


def test_any_number_of_jobs_gives_the_same(score):
    piece = score(SCORE)
    alone = pysitar.render(piece, traces=True)
    assert {name.split(".")[0] for name in alone.traces} == {"t", "w", "g", "m", "k"}
    assert np.abs(alone.audio).max() > 0.01
    for jobs, block in ((2, 4096), (3, 4096), (8, 4096), (2, 37), (3, 1001)):
        assert reported(pysitar.render(piece, traces=True, jobs=jobs,
                                       block=block)) == reported(alone), (jobs, block)


def test_strings_are_added_in_their_order_whichever_is_done_first(score, monkeypatch):
    """Three, for two have the same sum in both orders; the first of them is always the last to be
    done."""
    piece = score("use tanpura as t\nrender rate=16000 oversample=1 tail=20ms\n0 t.* pluck dur=0\n")
    alone = pysitar.render(piece, only=("t.pa", "t.sa1", "t.sa2"))
    done = threading.Semaphore(0)
    advance = PlayedString.advance

    def late(self, out):
        name = self.sounding.name
        assert name != "t.pa" or all(done.acquire(timeout=20.0) for _ in range(2))
        advance(self, out)
        if name in ("t.sa1", "t.sa2"):
            done.release()

    monkeypatch.setattr(PlayedString, "advance", late)
    assert reported(pysitar.render(piece, only=("t.pa", "t.sa1", "t.sa2"), jobs=4,
                                   block=100)) == reported(alone)


@pytest.mark.parametrize("jobs", [2, 5])
def test_stems_and_parts_are_the_same(score, jobs):
    def stems(jobs):
        return [np.concatenate(each).tobytes() for each in zip(
            *Engine(*bind_score(score(SCORE)), jobs=jobs).stems(500), strict=True)]

    assert len(stems(1)) == 5 and stems(jobs) == stems(1)
    part = pysitar.render(score(SCORE), start=0.013, stop=0.031, only="t", jobs=jobs)
    assert np.array_equal(part.audio,
                          pysitar.render(score(SCORE), start=0.013, stop=0.031, only="t").audio)


def test_a_sleep_that_ends_by_itself_is_the_same(score):
    piece = score(WIRES.replace("tail=20ms", "tail=auto").replace("0 u.a", "0.4s u.a"))
    alone, together = (pysitar.render(piece, jobs=jobs) for jobs in (1, 2))
    assert not alone.report["tail_cut"] and reported(alone) == reported(together)


# ---- threads

def test_two_jobs_run_in_parallel_and_one_in_the_calling_thread(score, monkeypatch):
    seen, meeting = set(), threading.Barrier(2)
    advance = PlayedString.advance

    def met(self, out):
        seen.add(threading.current_thread())
        if meeting is not None:
            meeting.wait(timeout=20.0)          # broken, and reported, unless two are here at once
        advance(self, out)

    monkeypatch.setattr(PlayedString, "advance", met)
    pysitar.render(score(WIRES), jobs=2)
    assert len(seen) == 2 and threading.main_thread() not in seen
    seen.clear()
    meeting = None
    pysitar.render(score(WIRES))
    assert seen == {threading.current_thread()}


def ours():
    return [thread for thread in threading.enumerate() if thread.name.startswith("pysitar")]


def test_threads_are_gone_when_the_sound_is(score):
    piece = score(WIRES)
    blocks = Engine(*bind_score(piece), jobs=3).blocks(100)
    assert not ours()
    next(blocks)
    assert 1 <= len(ours()) <= 2          # no more than there are strings
    blocks.close()
    assert not ours()
    for _ in Engine(*bind_score(piece), jobs=3).blocks(100):
        pass
    assert not ours()


# ---- errors

@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_of_two_that_fail_the_first_in_the_score_is_reported(score, jobs, monkeypatch):
    failed = threading.Event()
    advance = PlayedString.advance

    def broken(self, out):
        if self.sounding.step < 200:
            return advance(self, out)
        if self.sounding.name == "t.a" and jobs > 1:
            assert failed.wait(timeout=20.0)          # the other one failed before
        failed.set()
        raise RenderError(self.sounding.name, 0.01, "no balance")

    monkeypatch.setattr(PlayedString, "advance", broken)
    with pytest.raises(RenderError) as caught:
        pysitar.render(score(WIRES), jobs=jobs, block=100)
    assert caught.value.voice == "t.a" and not ours()


@pytest.mark.parametrize("jobs", [0, -1, 1025, 1.5, True, "2", None, float("nan")])
def test_impossible_numbers_of_jobs(score, jobs, tmp_path):
    with pytest.raises(ParameterError, match="jobs is"):
        pysitar.render(score(WIRES), jobs=jobs)
    with pytest.raises(ParameterError, match="jobs is"):
        pysitar.render_file(score(WIRES), tmp_path / "x.wav", jobs=jobs)
    assert not (tmp_path / "x.wav").exists()
