"""Plucks whose force lasts only a few steps: silent ones are errors, a wrong impulse is a
warning."""
import math

import pytest
from score_texts import warnings_of

import pysitar
from pysitar.physics.excitation import ramp_release
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.options import options

RATE = 50_000


@pytest.fixture
def scores():
    """Rows -> a score of them on a guitar, at 50 kHz, without oversampling unless it is given."""
    def build(rows, oversample=1):
        return pysitar.load_score(
            text=f"use guitar as g\nrender rate={RATE} oversample={oversample} tail=0\n{rows}\n")
    return build


def warned(score):
    found = warnings_of(score)
    return [(warning.place.line, warning.message) for warning in found
            if "internal steps" in warning.message]


def impulse(ramp, release, rate):
    """Of a force of 1 N, as the steps have it, over that of the force itself, (ramp + release) /
    2."""
    return 2.0 * math.fsum(ramp_release(force=1.0, ramp=ramp, release=release,
                                        time_step=1.0 / rate)) / rate / (ramp + release)


def test_a_pluck_that_would_be_silent_is_refused(scores):
    # the force is sampled in the middle of the steps: one that is over by then, 10 us, is never
    # seen
    score = scores("0 g.e2 pluck ramp=0.001ms release=0\n0 g.a2 pluck ramp=0.0099ms release=0\n"
                   "1 g.* pluck ramp=0.0101ms release=0")
    with pytest.raises(pysitar.ScoreError) as caught:
        bind(score, options(score))
    first, second = caught.value.problems
    assert [problem.place.line for problem in (first, second)] == [3, 4]
    assert first.message == ("g.e2: the pluck's force (ramp and release) lasts 1 us, 0.05 "
                             "internal steps, and would be silent; expected a ramp of 340 us")


def test_a_wrong_impulse_is_reported_once(scores):
    rows = "".join(f"{n} g.e2 pluck ramp=0.03ms release=0\n{n} g.a2 pluck ramp=0.03ms release=0\n"
                   for n in range(3))
    [(line, message)] = warned(scores(rows))
    off = 20.0 * math.log10(impulse(3e-5, 0.0, RATE))
    assert line == 3 and abs(off) > 0.5
    assert (f"1.5 internal steps: its impulse is {off:+.1f} dB off; expected a ramp of 340 us, or "
            in message)
    assert message.endswith("oversample=12")          # 17 / 1.5


def test_the_expected_ramp_and_oversample_suffice(scores):
    assert warned(scores("0 g.e2 pluck ramp=0.03ms release=0", oversample=12)) == []
    assert warned(scores("0 g.e2 pluck ramp=0.34ms release=0")) == []
    for steps in range(1700, 4000):
        # a half step of the peak, at the sharp end, of half a ramp: 1 / 17, 0.52 dB at the worst;
        # here the midpoints are never so unlucky
        assert abs(20.0 * math.log10(impulse(steps / 100 / RATE, 0.0, RATE))) < 0.53


def test_a_force_of_one_step_is_reported_even_where_its_impulse_is_right_by_chance(scores):
    assert abs(impulse(1e-6, 17.5e-6, RATE) - 1.0) < 0.06          # 0.5 dB
    assert len(warned(scores("0 g.e2 pluck ramp=0.001ms release=0.0175ms"))) == 1


@pytest.mark.parametrize("rows", ["0 g.e2 pluck", "0 g.e2 pluck h=1mm",
                                  "0 g.e2 pluck ramp=2ms release=0", "0 g.e2 damp\n0 g.a2 pluck"])
def test_an_ordinary_pluck_is_not_reported(scores, rows):
    assert warned(scores(rows)) == []


def test_other_schemes_see_the_force_at_their_steps():
    """A ramp that is let go at once within the first step is seen in its middle, 10 us, and not at
    its beginning."""
    def score(scheme):
        return pysitar.load_score(text=f"use guitar as g scheme={scheme}\nset g.body.coupled = "
                                  "false\nset g.polarisation = 1\n"
                                  f"render rate={RATE} oversample=1 tail=0\n"
                                  "0 g.e2 pluck ramp=0.0101ms release=0")
    bind(score("two-point"), options(score("two-point")))
    for scheme in ("three-point", "modal-explicit", "fd-explicit"):
        with pytest.raises(pysitar.ScoreError, match="0\\.51 internal steps, and would be silent"):
            bind(score(scheme), options(score(scheme)))


@pytest.mark.parametrize("ramp", ["1e-9", "2e-9", "1e-8"])
def test_the_shortest_of_all_ramps_is_an_error_as_others_are(ramp):
    score = pysitar.load_score(text=f"use guitar as g\nrender rate={RATE} oversample=1 tail=0\n"
                               f"0 g.e2 pluck ramp={ramp} release=0")
    with pytest.raises(pysitar.ScoreError,
                       match="and would be silent; expected a ramp of 340 us"):
        bind(score, options(score))
