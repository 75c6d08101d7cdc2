"""pysitar.render: parts, levels, traces and warnings in memory."""
import math
import os

import numpy as np
import pytest
from app.commands import furnish
from score_texts import write_score

import pysitar
from pysitar.errors import ParameterError, ScoreError

HEAD = ('use "two.toml" as t\nrender rate=16000 oversample=1 tail=10ms\nset *.a.pitch = 3kHz\n'
        'set t.a.sigma0 = 150\n')
ROWS = "0 t.a pluck dur=0\n0.02s t.a pluck f=0.2N dur=0\n"


@pytest.fixture
def score(tmp_path):
    furnish(tmp_path)

    def read(options="", rows=ROWS):
        text = HEAD.replace("tail=10ms", f"tail=10ms {options}")
        return write_score(tmp_path, text + rows)
    return read


def test_a_part(score):
    whole = pysitar.render(score())
    assert whole.audio.shape == (480, 2) and whole.traces is None
    part = pysitar.render(score(), start=0.005, stop=0.025, block=33)
    assert np.array_equal(part.audio, whole.audio[80:400])
    assert (part.report["frames"], part.report["seconds"],
            part.report["peak"]) == (320, 0.02, np.abs(part.audio).max())


@pytest.mark.parametrize("peak", [0.0, -1.0, -20.0])
def test_the_greatest_sample_is_brought_to_a_level(score, peak):
    loud = ROWS + "mix t gain=30dB\n"
    plain = pysitar.render(score(rows=loud))
    assert plain.report["clipped"] > 0
    # the argument, the score's own, and the argument before the score's
    for options, given in (("", peak), (f"peak={peak}dB", None), ("peak=-3dB", peak)):
        result = pysitar.render(score(options, loud), peak=given)
        level = np.abs(result.audio).max()
        assert level <= 10.0**(peak / 20.0) and level == pytest.approx(
            10.0**(peak / 20.0), rel=5e-16)
        gain = result.report["gain_db"]
        assert gain == pytest.approx(peak - 20.0 * math.log10(plain.report["peak"]), abs=1e-12)
        assert result.report["peak"] == level and result.report["clipped"] == 0 and result.report[
            "warnings"] == []
        # one factor for all: the dB, its power and the product are rounded
        assert np.abs(result.audio - plain.audio * 10.0 ** (gain / 20.0)).max() < 1e-14
    assert plain.report["gain_db"] == 0.0


def test_only_the_part_counts_for_its_level(score):
    result = pysitar.render(score(), start=0.02, stop=0.03, peak=-6.0)
    assert np.abs(result.audio).max() == pytest.approx(10.0**-0.3, rel=5e-16)


def test_silence_stays_and_is_reported(score):
    result = pysitar.render(score("floor=-20dB", "0 t.a pluck dur=0.3s\n"), start=0.29, peak=-1.0)
    assert result.audio.shape == (320,
                                  2) and not result.audio.any() and result.report["gain_db"] == 0.0
    assert result.report["warnings"] == [
        "the sound is silent and cannot be brought to a peak of -1 dB"]


@pytest.mark.parametrize("peak", [0.1, -100.1, math.nan, math.inf, True, "-1dB"])
def test_levels_that_are_none(score, peak):
    with pytest.raises(ParameterError, match="peak is"):
        pysitar.render(score(), peak=peak)
    if peak == 0.1:
        with pytest.raises(ScoreError, match=r"x\.score:2:47: peak is 0\.1; .*at most 0"):
            pysitar.render(score("peak=0.1dB"))


def test_traces(score):
    whole = pysitar.render(score(), traces=True)
    assert set(whole.traces) == {
        f"t.a.{kind}" for kind in ("force_end", "displacement", "contact_force", "energy")}
    assert whole.traces["t.a.force_end"].shape == (480, ) and whole.traces["t.a.energy"].shape == (
        8, 6)
    for traces in ("t", ["t.a"], ["*.a", "t.*"]):
        part = pysitar.render(score(), traces=traces, start=0.008, stop=0.02, block=50)
        assert np.array_equal(part.traces["t.a.displacement"],
                              whole.traces["t.a.displacement"][128:320])
        assert np.array_equal(part.traces["t.a.energy"], whole.traces["t.a.energy"][2:5])
    for traces in (None, False, []):
        assert pysitar.render(score(), traces=traces).traces is None
    with pytest.raises(ParameterError,
                       match=r"traces is u; the score has no instrument of that name; expected t"):
        pysitar.render(score(), traces="u")
    with pytest.raises(ParameterError, match="traces is u; no event plays it"):
        pysitar.render(score(rows=ROWS + 'use "two.toml" as u\n'), traces=["u"])


def test_more_traces_than_memory_are_refused_before_anything_is_computed(score, monkeypatch):
    piece = score(rows=ROWS + "0 t.a pluck dur=14000s\n")
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    seconds = 14000.01
    # 24.75 bytes a step of traces, 16 a frame of sound
    needed = math.ceil(seconds * 16000 * 24.75) + round(seconds * 16000) * 16
    monkeypatch.setattr(os, "sysconf",
                        lambda name: {"SC_PHYS_PAGES": needed - 1, "SC_PAGE_SIZE": 1}[name])
    with pytest.raises(ParameterError, match=r"traces is True; the traces and the sound need "
                       r"9\.1 GB of memory, and the machine has 9\.1 GB; expected fewer"):
        pysitar.render(piece, traces=True)
    assert there > 0
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_PHYS_PAGES": 1, "SC_PAGE_SIZE": 1}[name])
    pysitar.render(score())          # nobody asks without traces


def test_warnings_are_in_the_report(score):
    result = pysitar.render(score(rows=ROWS + "mix t gain=30dB\nset t.a.core_diameter = 0.5mm\n"))
    steel, clipped = result.report["warnings"]
    assert "x.score" in steel and "GPa" in steel
    assert clipped.startswith(f"{result.report['clipped']} samples were clipped")


def test_a_player_in_a_notebook(score):
    assert "<audio" in pysitar.render(score())._repr_html_()
