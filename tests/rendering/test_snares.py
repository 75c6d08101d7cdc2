"""Snare wires and a second head in instrument files and scores."""
import numpy as np
import pytest

import pysitar
from pysitar.models.definitions.faults import InstrumentError
from pysitar.models.definitions.loader import parse_instrument

BALL = """
model = "impact"
gain = 0.1
[balls.stick]
mass = 0.01
radius = 0.006
stiffness = 1e6
exponent = 1.5
damping = 0.3
"""
HEAD = """
[objects.head]
kind = "membrane"
radius = 0.17
surface_density = 0.26
tension = 3000
loss_factor = 0.01
support_decay = 5
air_sides = 1
modes = 16
r = 0.3
angle = 20
ball = "stick"
"""
SECOND = """
[objects.head.resonant_head]
surface_density = 0.1
tension = 2500
cavity = 8e-3
support_decay = 5
modes = 12
"""
SNARES = """
[objects.head.snares]
count = 2
length = "30cm"
tension = 10
linear_density = 0.01
stiffness = 2e5
gap = -1e-4
width = 0.04
decay = 3
modes = 6
points = 4
"""


@pytest.fixture
def render(tmp_path):
    """Rows and an instrument's text -> rendering."""
    def run(rows, toml, **others):
        (tmp_path / "o.toml").write_text(toml)
        (tmp_path / "a.score").write_text(
            f'use "o.toml" as o\nrender rate=48000 oversample=1 channels=1 tail=0\n{rows}\n')
        return pysitar.render(pysitar.load_score(tmp_path / "a.score"), **others)
    return run


def part(text):
    return parse_instrument(text, name="o", shown="o.toml").parts[0]


def drum():
    """The drum of the texts in Python."""
    common = {"radius": 0.17, "air_sides": 1, "support_decay": 5.0}
    return pysitar.SnareDrum(
        head=pysitar.Membrane(surface_density=0.26, tension=3000.0, loss_factor=0.01, modes=16,
                              **common),
        resonant_head=pysitar.Membrane(surface_density=0.1, tension=2500.0, modes=12, **common),
        cavity=8e-3,
        wires=pysitar.SnareWires(count=2, length=0.3, tension=10.0, linear_density=0.01,
                                 stiffness=2e5, gap=-1e-4, width=0.04, decay=3.0, modes=6,
                                 points=4))


def test_a_stroke_is_the_simulation(render):
    found = render("0 o.head strike v=2 dur=300ms", BALL + HEAD + SECOND + SNARES, traces=True)
    body = pysitar.modal_object(drum(), (0.3, 20.0 * np.pi / 180.0))
    simulation = pysitar.ImpactSimulation(
        body=body, mass=0.01, velocity=2.0, sample_rate=48000.0,
        law=pysitar.ContactLaw(stiffness=1e6, exponent=1.5, damping=0.3))
    run = simulation.run(300, ["contact_force", "body_displacement"])
    for column, name in enumerate(("contact_force", "displacement")):
        expected = run.outputs[:, column]
        # only the decimal conversion of degrees differs
        assert found.traces[f"o.head.{name}"][:300] == pytest.approx(
            expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
    assert found.report["residual"] < 1e-12 and found.report["failed_solves"] == 0


def test_snares_of_none_are_the_drum_without_them(render):
    """Bit for bit, by the file and by `set`."""
    rows = "0 o.head strike dur=200ms"
    for second in ("", SECOND):
        plain = np.asarray(render(rows, BALL + HEAD + second).audio)
        off = render(f"set o.head.snares.count = 0\n{rows}", BALL + HEAD + second + SNARES)
        on = render(rows, BALL + HEAD + second + SNARES)
        assert np.array_equal(np.asarray(off.audio), plain) and plain.any()
        assert not np.array_equal(np.asarray(on.audio), plain)


def test_wires_buzz_after_the_blow(render):
    """Without wires nothing over 2 kHz is left after 0.1 s: the highest mode of a head is under
    1 kHz here."""
    rows, power = "0 o.head strike v=4 dur=400ms", []
    for extra in (SNARES, ""):
        sound = np.asarray(render(rows, BALL + HEAD + SECOND + extra).audio)[4800:14400, 0]
        spectrum = np.abs(np.fft.rfft(sound * np.hanning(sound.size))) ** 2
        power.append(spectrum[np.fft.rfftfreq(sound.size, 1 / 48000) > 2000.0].sum())
    assert power[0] > 1e4 * power[1]


def test_a_pressed_drum_is_silent_until_it_is_struck_and_sleeps_again(render):
    found = render("0.5 o.head strike dur=3", BALL + HEAD + SECOND + SNARES, traces=True)
    sound = np.asarray(found.audio)[:, 0]
    assert not sound[:23900].any() and np.abs(sound).max() > 1e-3
    assert not sound[-4800:].any()
    displacement = found.traces["o.head.displacement"]
    # one head hangs on the air and the wires: they press it out of its plane
    assert displacement[0] != 0.0 and displacement[0] == displacement[23900]


def test_more_balls_than_seats(render):
    """Forty blows within 40 ms: seats are added while the wires are in motion."""
    rows = "\n".join(f"{i / 1000:.3f} o.head strike v=0.5 r=0.{1 + i % 8}" for i in range(40))
    found = render(rows, BALL + HEAD + SECOND + SNARES)
    assert found.report["residual"] < 1e-12 and found.report["failed_solves"] == 0


def test_what_a_stroke_radiates():
    """The weights of the heads are those of their power, the second with the other sign; wires
    radiate nothing."""
    both, alone = part(BALL + HEAD + SECOND + SNARES), part(BALL + HEAD)
    assert both.weights[:16] == alone.weights and both.weights[28:] == (0.0,) * 12
    behind = drum().resonant_head
    signs = np.sign(behind.shape((0.3, 20.0 * np.pi / 180.0)))
    # its decay but for the edge is by air: it has no loss
    power = np.sqrt(2.0 * behind.masses * np.maximum(behind.decay_rates - 5.0, 0.0))
    assert both.weights[16:28] == pytest.approx((-signs * power).tolist(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("before", "after", "key", "message"), [
    ("count = 2", "count = 41", "snares.count", "from 0 to 40"),
    ("count = 2", "counts = 2", "snares.counts", "did you mean count"),
    ("gap = -1e-4", "gap = 0.5", "snares.gap", "0.01"),
    ("points = 4\n", "points = 64\ncount = 40\n", None, None),
    ('length = "30cm"', "length = 0.5", "snares.length", "expected shorter wires"),
    ("stiffness = 2e5", "stiffness = 2e12", "snares.stiffness", "at most 1e+12"),
    ("modes = 6", "modes = 64\n", None, None),
])
def test_what_is_wrong_in_a_file_is_reported(before, after, key, message):
    text = BALL + HEAD + SECOND + SNARES.replace(before, after)
    if key is None:
        if "count" in after:
            text = text.replace("count = 2\n", "")
            with pytest.raises(InstrumentError, match="2560 contact points; expected at most 400"):
                part(text)
        else:
            assert len(part(text).frequencies) == 16 + 12 + 128
        return
    with pytest.raises(InstrumentError) as caught:
        part(text)
    found = [fault.text for fault in caught.value.faults]
    assert found[0].startswith(f"objects.head.{key}"), found
    assert message in found[0]


@pytest.mark.parametrize("key", ["cavity = 1e-2", "load_radii = [0, 0.4]\nload = [1, 1]"])
def test_a_second_head_goes_with_a_plain_one(key):
    with pytest.raises(InstrumentError, match="goes with one head alone"):
        part(BALL + HEAD + key + SECOND)


def test_a_drum_has_at_most_600_modes():
    text = BALL + HEAD.replace("modes = 16", "modes = 300") + SECOND.replace("modes = 12",
                                                                             "modes = 300")
    with pytest.raises(InstrumentError, match="612 modes; expected at most 600"):
        part(text + SNARES)
