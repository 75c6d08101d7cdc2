"""Balls with felt that has a memory: the simulation's own sound, crowds, files and rows."""
import numpy as np
import pytest
from instruments import TOP_MODES, struck_object
from score_texts import write_score

import pysitar
from pysitar import FeltLaw, ImpactSimulation, ModalObject, ScoreError

RATE = 48000
BODY = ModalObject(**{key: TOP_MODES[key]
                      for key in ("frequencies", "decay_rates", "masses", "shapes")})
FELT = "K=1e9 alpha=2.3 m=8g damping=0 memory=0.7 memory_time=0.2ms"


@pytest.fixture
def rendered(tmp_path):
    """Rows and an instrument's text -> rendering."""
    def render(rows, text):
        (tmp_path / "o.toml").write_text(text)
        score = write_score(tmp_path, f'use "o.toml" as o\nrender rate={RATE} oversample=1 '
                            f'channels=1 tail=0\n{rows}\n')
        return pysitar.render(score, traces=True)
    return render


def test_a_strike_is_the_simulation(rendered):
    found = rendered(f"0 o.top strike v=1.5 {FELT} dur=50ms",
                     struck_object(weights=TOP_MODES["shapes"]))
    law = FeltLaw(stiffness=1e9, exponent=2.3, memory=0.7, memory_time=2e-4)
    run = ImpactSimulation(body=BODY, mass=8e-3, law=law, sample_rate=RATE, velocity=1.5).run(
        500, ["body_velocity", "contact_force"])
    for kind, values in zip(("velocity", "contact_force"), run.outputs.T, strict=True):
        assert np.array_equal(found.traces[f"o.top.{kind}"][:500], values)
    assert run.losses[-1] > 0.1 * run.energy[0]


def test_new_seats_keep_the_memories(rendered):
    # balls of a millionth of its mass need seats of their own while the ball is in contact: its
    # force stays what it is alone, to far less than the memory's part of it
    text = struck_object(weights=TOP_MODES["shapes"])
    alone = f"0 o.top strike v=1.5 {FELT} dur=20ms"
    light = "\n".join(f"{2e-5 * i:.5f} o.top strike v=0.001 m=0.001g K=1e3 alpha=1 damping=0"
                      for i in range(1, 25))
    force, other = (rendered(rows, text).traces["o.top.contact_force"][:200]
                    for rows in (alone, f"{alone}\n{light}"))
    assert (force > 0.0).sum() > 40
    assert np.abs(force - other).max() < 1e-3 * force.max()
    assert not np.array_equal(force, other)


def test_memory_beside_damping_is_reported(rendered):
    with pytest.raises(ScoreError, match=r"memory is 0.5; damping is .* s/m beside it"):
        rendered("0 o.top strike memory=0.5 damping=1", struck_object())
    with pytest.raises(ScoreError, match=r"memory is 0.5; damping is .* s/m beside it"):
        rendered("0 o.top drop h=1cm memory=0.5 damping=1", struck_object())
