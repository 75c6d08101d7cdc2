"""The default force of a bow follows the pitch, so that every note is as steady as the open
string."""
import pytest
from instruments import PLUCK, instrument, string

import pysitar
from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import options

SEMITONE = 2.0 ** (1.0 / 12.0)
FORCE = 0.35
FRETTED = instrument(string("g", pitch=185.0, length=0.55, linear_density=9.865e-4, sigma0=1.0,
                            bow={"position": 0.1, "velocity": 0.2, "force": FORCE, "torsion": 4.5},
                            frets={"count": 12, "gap_nut": 0.8e-3, "gap_12": 2.5e-3,
                                   "stiffness": 5e6}, pluck=PLUCK), gain=0.05)


@pytest.fixture
def bound(tmp_path):
    (tmp_path / "e.toml").write_text(FRETTED, encoding="utf-8")

    def load(rows, use='"e.toml"'):
        path = tmp_path / "a.score"
        path.write_text(f"use {use} as v\nrender rate=48000\n{rows}\n", encoding="utf-8")
        score = pysitar.load_score(path)
        return check(score, options(score))
    return load


def force_of(found, event=-1):
    """Return the force of an event at its start, and the points of its curve."""
    assert not found.problems
    bows = [one for one in found.voices[0].events if one.verb == "bow"]
    curve = bows[event].courses.get("force")
    return bows[event].values["force"], [] if curve is None else [
        (round(point.time, 6), point.value) for point in curve.points]


@pytest.mark.parametrize(("rows", "factor"), [
    ("0 v.g bow dur=1", 1.0),
    ("0 v.g bow 185Hz dur=1", 1.0),                 # its own pitch: the same bits
    ("0 v.g bow +7st dur=1", SEMITONE ** 7),
    ("0 v.g bow -12st dur=1", 0.5),
    ("0 v.g fret +5st\n1 v.g bow dur=1", SEMITONE ** 5),      # the pitch that the string keeps
    ("0 v.g bend (0:+0st 1:+5st)\n2 v.g bow dur=1", SEMITONE ** 5),
    # a finger shortens the string, whose tension stays: the bow is then nearer to its middle
    ("0 v.g press fret=12 dur=3\n1 v.g bow dur=1", 0.5),
    ("0 v.g press fret=12 dur=1\n2 v.g bow dur=1", 1.0),
    ("section a\n0 v.g bow +12st dur=1\nend\nplay a f=*0.5", 1.0),
])
def test_it_follows_the_pitch_and_the_length(bound, rows, factor):
    force, points = force_of(bound(rows))
    assert points == []
    assert force == (FORCE if factor == 1.0 else pytest.approx(FORCE * factor, rel=1e-9))


def test_a_force_of_the_row_stays(bound):
    assert force_of(bound("0 v.g bow +7st f=0.4N dur=1")) == (0.4, [])
    force, points = force_of(bound("0 v.g bow +7st force=(0:0.3 1:0.5) dur=1"))
    assert (force, points) == (0.3, [(0.0, 0.3), (1.0, 0.5)])


def test_it_follows_during_the_stroke(bound):
    _, points = force_of(bound("0 v.g bow (0:+0st 0.5:+12st/cos 1:+12st) dur=1"))
    assert points == [(0.0, FORCE), (0.5, pytest.approx(2.0 * FORCE)),
                      (1.0, pytest.approx(2.0 * FORCE))]
    # another row changes the pitch; its glide of 50 ms ends at its time
    _, points = force_of(bound("0 v.g bow dur=2\n1 v.g fret +12st glide=50ms"))
    assert points == [(0.0, FORCE), (0.95, FORCE), (1.0, pytest.approx(2.0 * FORCE)),
                      (2.0, pytest.approx(2.0 * FORCE))]
    # a finger that comes down and lifts in 20 ms
    _, points = force_of(bound("0 v.g bow dur=2\n1 v.g press fret=12 dur=0.5"))
    assert points == [(0.0, FORCE), (1.0, FORCE), (1.02, pytest.approx(0.5 * FORCE)),
                      (1.48, pytest.approx(0.5 * FORCE)), (1.5, FORCE), (2.0, FORCE)]


@pytest.mark.parametrize(("preset", "part"), [
    ("violin", "g3"), ("violin", "e5"), ("sarangi", "sa"), ("sarangi", "pa"), ("esraj", "baj"),
    ("esraj", "pa")])
def test_every_note_of_the_presets_is_steady(bound, preset, part):
    lowest = bound(f"0 v.{part} bow dur=1", preset)
    spec = next(one.spec for one in lowest.voices[0].parts if one.name == part)
    for semitones in (spec.lowest, -5, 5, 12, spec.highest):
        found = bound(f"0 v.{part} bow {semitones:+g}st dur=1", preset)
        assert [one.message for one in (*found.problems, *found.warnings)
                if "bow" in one.message or "slip" in one.message] == [], semitones


def test_a_finger_on_a_fret_is_part_of_the_warning(bound):
    def warnings(rows):
        return [one.message for one in bound(rows, "esraj").warnings]

    assert warnings("0 v.baj press fret=19 f=6N dur=2\n0.5 v.baj bow dur=1") == []
    # the greatest force for the open string is 0.65 N, and a third of it at the last fret
    message, = warnings("0 v.baj press fret=19 f=6N dur=2\n0.5 v.baj bow v=0.2 f=0.4N dur=1")
    assert "needs 0.0422 to 0.218 N" in message and "rough" in message


def test_a_force_beyond_that_of_any_bow_is_an_error(bound):
    heavy = 'set v.g.bow.force = 80N\n0 v.g bow +5st dur=1'
    message, = (one.message for one in bound(heavy).problems)
    assert message == ("at this pitch the default force is 106.787; expected a finite number (N), "
                       "at least 0 and at most 100, or a force in the row")


def test_that_of_an_object_rises_for_a_larger_one(bound):
    own = force_of(bound("0 v.glass bow dur=1", "wine_glass"))[0]
    hz = bound("0 v.glass bow dur=1", "wine_glass").voices[0].parts[0].spec.pitch
    larger = bound(f"0 v.glass bow {0.51 * hz}Hz dur=1", "wine_glass")
    assert force_of(larger)[0] > 1.5 * own and not larger.warnings
    assert force_of(bound(f"0 v.glass bow {1.9 * hz}Hz dur=1", "wine_glass"))[0] == own


def messages(found):
    return [one.message for one in (*found.problems, *found.warnings)]


def test_friction_that_is_the_same_at_every_speed_advises_no_force(bound):
    for preset, part in (("violin", "g3"), ("wine_glass", "glass")):
        rows = [f"set v.{part}.bow.{key} = 0" for key in ("mu1", "mu2")]
        message, = (one for one in messages(bound("\n".join([*rows, f"0 v.{part} bow dur=1"]),
                                                  preset)) if "has no effect" not in one)
        assert message == ("the friction of the bow is the same at every speed, and no force makes "
                           "a steady sound; expected mu1 or mu2 above 0")


@pytest.mark.parametrize("force", ["100N", "0.1N"])
def test_a_speed_at_which_no_bow_presses_enough_is_named(bound, force):
    message, = messages(bound(f"0 v.glass bow f={force} v=10 dur=1", "wine_glass"))
    assert "it needs more than the 100 N of a bow" in message
    speed = message.partition("expected v=")[2].partition("m/s")[0]
    # the speed that it advises is enough, and not much more would be too fast
    assert messages(bound(f"0 v.glass bow f={force} v={speed} dur=1", "wine_glass")) == []
    assert messages(bound(f"0 v.glass bow f={force} v={1.15 * float(speed)} dur=1", "wine_glass"))


def test_a_range_beyond_that_of_any_bow_is_said(bound):
    message, = messages(bound("set v.g.bow.mu1 = 0\nset v.g.bow.mu2 = 1e-4\n0 v.g bow dur=1"))
    assert "and a bow presses with at most 100 N; expected a slower bow or one nearer" in message
