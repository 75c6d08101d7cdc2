"""A palm on a head: the tension in time, the frequencies at another tension, and its work."""
import math

import numpy as np
import pytest

import pysitar
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.models.objects.head_tension import HeadTension

HEAD = """
model = "impact"
gain = 0.1
[balls.finger]
mass = 0.005
radius = 0.01
stiffness = 1e5
exponent = 1.5
[objects.head]
kind = "membrane"
radius = 0.2
surface_density = 0.3
tension = {tension}
air_sides = 0
output = "velocity"
ball = "finger"
modes = {modes}
r = 0.3
{more}
"""


@pytest.fixture
def render(tmp_path):
    """Rows and the values of the head -> rendering."""
    def run(rows, tension=2000, modes=20, more="", rate=48000, **others):
        (tmp_path / "o.toml").write_text(HEAD.format(tension=tension, modes=modes, more=more))
        (tmp_path / "a.score").write_text(
            f'use "o.toml" as o\nrender rate={rate} oversample=1 channels=1 tail=0\n{rows}\n')
        return pysitar.render(pysitar.load_score(tmp_path / "a.score"), **others)
    return run


def test_the_tension_goes_smoothly_to_a_value_and_along_a_curve():
    tension = HeadTension(1000.0)
    assert tension.at([0, 50]) == [1.0, 1.0]
    tension.press(100, 2.0, None)
    assert tension.at([90, 100, 110, 120, 900]) == pytest.approx([1.0, 1.0, 1.5, 2.0, 2.0])
    curve = ValueCurve((CurvePoint(0.0, 1.0), CurvePoint(0.1, 1.4), CurvePoint(0.2, 1.2)))
    tension.press(110, 1.0, curve)          # while it is on its way, at 1.5
    assert tension.at([110, 130, 160, 210, 260, 310, 500]) == pytest.approx(
        [1.5, 1.08, 1.2, 1.4, 1.3, 1.2, 1.2])
    steps = np.array(tension.at(np.arange(110, 400) + 0.0))
    assert np.abs(np.diff(steps)).max() < 0.05


def test_the_network_has_the_last_tension_when_the_motion_ends():
    tension = HeadTension(48000.0)
    assert tension.motion(0, 100, present=0.0, stored=1.0, output=0.0) is None
    tension.press(1000, 1.5, None)
    found = tension.motion(1000, 128, present=0.0, stored=1.0, output=0.25)
    # blocks begin at 1024 and 1088; their centres are at 1056 and 1120
    assert found.blocks.tolist() == [value - 1.0 for value in tension.at([1056, 1120])]
    assert found.equilibrium.tolist() == [0.25] * 128
    late = tension.motion(5000, 100, present=0.4, stored=1.0, output=0.0)
    assert late.blocks.tolist() == [0.5]          # at 5056
    assert tension.motion(5100, 100, present=0.5, stored=1.0, output=0.0) is None


@pytest.mark.parametrize("cavity", [None, 2e-3])
def test_shares_are_the_derivatives_of_the_stiffness(cavity):
    """T d omega^2 / dT / omega^2, by a difference of 1e-4 on both sides: its error is its square,
    1e-8."""
    def squares(tension):
        head = pysitar.LoadedMembrane(radius=0.11, surface_density=0.3, tension=tension, modes=20,
                                      load=[(0.0, 2.6), (0.4, 1.4)], cavity=cavity)
        return (2.0 * math.pi * np.sort(head.frequencies)) ** 2, head

    middle, head = squares(700.0)
    order = np.argsort(head.frequencies, kind="stable")
    low, high = squares(700.0 * (1 - 1e-4))[0], squares(700.0 * (1 + 1e-4))[0]
    shares = (high - low) / (2e-4 * middle)
    assert head.tension_shares[order] == pytest.approx(shares, abs=1e-6)
    assert (head.tension_shares.min() < 0.9) == (cavity is not None)


def test_a_pressed_head_is_one_of_that_tension(render):
    """In a vacuum and without losses: the frequencies alone change. It sleeps when it is struck, at
    a step within a block of 64."""
    pressed = render("0 o.head press tension=1.5 dur=100ms\n0.5006 o.head strike dur=100ms")
    other = render("0.5006 o.head strike dur=100ms", tension=3000)
    first = np.flatnonzero(np.asarray(other.audio)[:, 0])[0]
    one, two = (np.asarray(each.audio)[first:first + 500, 0] for each in (pressed, other))
    assert one == pytest.approx(two, abs=1e-9 * np.abs(two).max())
    unpressed = np.asarray(render("0.5006 o.head strike dur=100ms").audio)[first:first + 500, 0]
    assert np.abs(unpressed - two).max() > 0.1 * np.abs(two).max()


@pytest.mark.parametrize("curve", ["(0:1 1.5:2/cos)", "(0:1 0.7:4/cos 1.5:2/cos)"])
def test_the_energy_follows_the_frequency(curve, render):
    """Slowly, the energy of a mode over its frequency stays (the adiabatic invariant): it rises by
    the root of the tension, and the palm's work is the difference."""
    found = render(f"0 o.head strike\n0.1 o.head press tension={curve}\n1.8 o.head press tension=2",
                   modes=1, traces=True)
    energy = found.traces["o.head.energy"]
    time = np.arange(energy.shape[0]) * 64 / 48000.0
    # the mode's alone: the finger flies on with its own
    speed = found.traces["o.head.displacement"]
    before = np.abs(speed[(2400):4800]).max()
    after = np.abs(speed[81600:86400]).max()
    # amplitude: E / omega = m omega a^2 / 2, so a falls as omega^-1/2, tension^-1/4
    assert after / before == pytest.approx(2.0 ** -0.25, rel=2e-3)
    stored = energy[:, :3].sum(axis=1)
    change = stored[-1] - stored[np.searchsorted(time, 0.09)]
    work = energy[-1, 4] - energy[np.searchsorted(time, 0.09), 4]
    assert work == pytest.approx(change, rel=1e-9) and work > 1e-6
    assert found.report["residual"] < 1e-12


def test_a_press_while_many_fingers_play(render):
    """More than the first seats: the network is replaced while the tension moves."""
    rows = "0.2 o.head press tension=(0:1 0.2:2)\n" + "\n".join(
        f"{0.2 + i / 1000:.4f} o.head strike v=0.5 r=0.{1 + i % 8}" for i in range(60))
    found = render(f"0 o.head strike\n{rows}\n1 o.head press tension=2")
    assert found.report["residual"] < 1e-12 and found.report["failed_solves"] == 0
    sound = np.asarray(found.audio)[24000:, 0]
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(sound.size), 1 << 17))
    frequencies = np.fft.rfftfreq(1 << 17, 1 / 48000)
    band = np.flatnonzero((frequencies > 140.0) & (frequencies < 260.0))
    first = frequencies[band[spectrum[band].argmax()]]
    rest = 2.404825557695773 / (2.0 * math.pi * 0.2) * math.sqrt(2000.0 / 0.3)
    # half a second: 2 Hz is a line's width
    assert first == pytest.approx(rest * math.sqrt(2.0), abs=1.0)


@pytest.mark.parametrize(("row", "message"), [
    ("press", "press has no tension; expected tension=1.3"),
    ("press tension=0.9", "tension is 0.9; expected a finite number, at least 1 and at most 4"),
    ("press tension=(0:1 1:5)", "tension is 5.0"),
    ("press tension=1.2 fret=3", "press has no fret; expected tension"),
])
def test_what_is_wrong_in_a_row_is_reported(row, message, render):
    with pytest.raises(pysitar.ScoreError, match="3:") as caught:
        render(f"0 o.head {row}")
    assert message in str(caught.value)


def test_objects_without_a_tension_are_not_pressed(render):
    snares = ("[objects.head.snares]\ncount = 1\nlength = 0.1\ntension = 1\nlinear_density = 0.01\n"
              "stiffness = 1e5\n")
    with pytest.raises(pysitar.ScoreError, match="no membrane whose tension may change"):
        render("0 o.head press tension=1.5", more=snares)
    with pytest.raises(pysitar.ScoreError, match="no membrane whose tension may change"):
        pysitar.render(pysitar.load_score(text="use glass as g\n0 g.glass press tension=2\n"))
