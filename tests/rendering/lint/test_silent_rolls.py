"""Warnings of balls that roll and make no sound."""
import numpy as np
import pytest
from score_texts import bind_text, places_and_messages

import pysitar
from pysitar.models.network import audited

STILL = "the ball does not move and makes no sound; expected a velocity, v=0.5m/s"
FLAT = "a flat surface makes no sound; expected a roughness, roughness=5um"
ROWS = [("v=0", STILL), ("v=(0:0 1:0)", STILL), ("roughness=0", FLAT), ("v=0.1m/s", None),
        ("v=(0:0 0.5:0.1 1:0)", None), ("", None)]


@pytest.mark.parametrize(("values", "message"), ROWS)
def test_a_silent_roll_is_reported_and_no_other(values, message):
    text = f"use wood_table as t\nrender tail=0 fade=0 channels=1\n0 t.table roll dur=1 {values}\n"
    expected = [] if message is None else [(3, 1, message)]
    assert places_and_messages(bind_text(text).warnings) == expected
    audio = pysitar.render(pysitar.load_score(text=text)).audio
    assert (np.abs(audio).max() < 1e-9) == (message is not None)


def test_a_balance_of_nothing_but_rounding_is_explained(monkeypatch):
    """On a flat surface every energy is rounding: after minutes the balance does not hold."""
    monkeypatch.setattr(audited, "BALANCE", 1e-15)
    text = "use wood_table as t\n0 t.table roll dur=1 {}\n"
    with pytest.raises(pysitar.RenderError, match=r"a ball rolls on a flat surface, and all motion "
                       r"is rounding: .* expected a roughness, roughness=5um"):
        pysitar.render(pysitar.load_score(text=text.format("roughness=0 ball=glass")))
    with pytest.raises(pysitar.RenderError, match=r"^voice 't.table' at \S+ s: its energy balance"):
        pysitar.render(pysitar.load_score(text=text.format("")))
