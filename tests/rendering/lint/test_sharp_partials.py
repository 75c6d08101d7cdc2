"""A string that the explicit scheme makes sharp is reported with its cents and what helps."""
import math

import numpy as np
import pytest
from score_texts import warnings_of

import pysitar
from pysitar import String, StringSimulation
from pysitar.models.network.schemes.modal_explicit import explicit_frequency


def warnings(render, scheme="modal-explicit", string="e4"):
    score = pysitar.load_score(
        text=f"use guitar as g scheme={scheme}\nset g.body.coupled = false\n"
             "set g.polarisation = 1\n"
             f"set g.{string}.pitch = 2000Hz\n"
             f"set g.{string}.bending_stiffness = 0\nset g.{string}.length = 0.2\n"
             f"render tail=0 {render}\n0 g.{string} pluck\n")
    return [one.message for one in warnings_of(score) if "sharp by" in one.message]


def test_the_message_has_the_cents_and_an_oversample():
    """(pi f / rate)^2 / 6 of the frequency: 4.95 cents for 2 kHz at 48 kHz; a ninth with 3."""
    [message] = warnings("rate=48000 oversample=1")
    assert message.startswith("g.e4 is sharp by 5 cents at 2000 Hz")
    assert message.endswith("at an internal rate of 48000 Hz raise frequencies; "
                            "expected oversample=3")
    assert not warnings("rate=48000 oversample=3")
    assert not warnings("rate=48000 oversample=1", scheme="two-point")


@pytest.mark.parametrize("hz", [200.0, 2000.0, 6000.0])
def test_the_scheme_has_that_frequency(hz):
    """The phase of a free mode over 0.1 s, to a millionth."""
    rate, steps = 48000.0, 4800
    string = String(length=0.5, tension=hz * hz * 5e-4, linear_density=5e-4)
    sim = StringSimulation(string=string, sample_rate=rate, modes=1, scheme="modal-explicit")
    sim.set_displacement(modal=[1e-3])
    mode = sim.run(steps, [("mode", 1)]).outputs[:, 0]
    n = np.arange(steps)
    expected = explicit_frequency(hz, rate)
    phase = 2.0 * math.pi * expected / rate * n
    fit = np.linalg.lstsq(np.stack([np.cos(phase), np.sin(phase)], axis=1), mode, rcond=None)
    assert fit[1][0] < 1e-18 * steps
    assert 1200.0 * math.log2(expected / hz) == pytest.approx(
        1200.0 / math.log(2.0) / 6.0 * (math.pi * hz / rate) ** 2, rel=0.2)
