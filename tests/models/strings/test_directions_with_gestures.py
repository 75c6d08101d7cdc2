"""Strings in two directions that are pressed on frets, bowed, or held aside by friction."""
from dataclasses import replace

import numpy as np
import pytest

from pysitar.gestures.press import finger_position
from pysitar.models.definitions.bows import BowSpec
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.models.network.audited import SETTLING
from pysitar.models.strings.played import PlayedString

RATE = 48000.0
BOW = BowSpec(position=0.03, velocity=0.1, force=0.2)


def string_of(preset, name, directions, **changes):
    """A string of a preset; changes, of its table and `friction` and `tilt` of its inner ones."""
    spec = next(one for one in parse_instrument(preset_text(preset), name="t", shown="t").strings
                if one.name == name)
    for key in ("friction", "tilt"):
        value = changes.pop(key, None)
        if value is not None:
            changes |= {table: replace(getattr(spec, table), **{key: value})
                        for table in ("barrier", "frets")
                        if hasattr(getattr(spec, table), key)}
    return replace(spec, polarisation=directions, **changes)


def play(spec, hz, steps, *events, is_bowed=False, fingers=1):
    """The sound of a string after events (verb, s, values), and the string."""
    string = PlayedString(spec, hz=hz, sample_rate=RATE, floor=-90.0, name="s", is_bowed=is_bowed,
                          fingers=fingers)
    for verb, time, values in events:
        string.play(verb, round(time * RATE), dict(values))
    out = np.empty(steps)
    string.advance(out)
    return out, string


def fretted(directions, steps, **changes):
    """A guitar's d3, plucked and pressed on its fifth fret."""
    spec = string_of("guitar", "d3", directions, **changes)
    press = {"position": finger_position(5, spec.length), "width": 0.01, "force": 8.0, "held": 1.0}
    pluck = {"lead": 0.0, "ramp": 0.002, "touch": 0.0}
    if directions == 2:
        pluck["angle"] = changes.pop("angle", 90.0)
    return play(spec, 146.83, steps, ("press", 0.0, press), ("pluck", 0.04, pluck))


def bowed(directions, steps, **changes):
    """A tanpura's sa1 under a bow."""
    spec = string_of("tanpura", "sa1", directions, bow=BOW, **changes)
    return play(spec, 138.59, steps, ("bow", 0.0, {"held": 0.5, "position": 0.03}), is_bowed=True)


ALONE = {"detuning": 0.0, "axis_angle": 0.0, "nut_coupling": 0.0, "friction": 0.0}


@pytest.mark.parametrize("player", [fretted, bowed])
def test_one_direction_of_two_is_the_string_alone(player):
    # without tilt, friction and detuning; the rows are solved by another order of operations, and
    # contacts spread the rounding, 1e-16, by some 1e7 in 3000 steps
    changes = ALONE | ({"tilt": 0.0} if player is bowed else {})
    alone, _ = player(1, 3000, **changes)
    both, string = player(2, 3000, **changes)
    assert np.abs(alone).max() > 1e-2
    assert both == pytest.approx(alone, abs=1e-7 * np.abs(alone).max())
    assert not string.kernel.displacement()[string.modes.count:2 * string.modes.count].any()


def test_frets_rub():
    # a pluck at 45 degrees: the finger holds the string on the fret, where it slides; the balance
    # is that of other contacts of exponent 1, 1e-16 for each of some hundred terms
    spec = string_of("guitar", "d3", 2, friction=0.3)
    press = {"position": finger_position(5, spec.length), "width": 0.01, "force": 8.0, "held": 1.0}
    _, string = play(spec, 146.83, 6000, ("press", 0.0, press),
                     ("pluck", 0.04, {"lead": 0.0, "ramp": 0.002, "angle": 45.0, "force": 3.0}))
    kernel = string.kernel
    assert kernel.friction_heat > 1e-8 and kernel.statistics["failures"] == 0
    assert string.sounding.residual < 1e-12
    assert np.abs(kernel.displacement()[string.modes.count:]).max() > 1e-6


@pytest.mark.parametrize("changes", [{}, {"tilt": 10.0, "friction": 0.5},
                                     {"tension_modulation": True}])
def test_bow_on_a_string_of_two_directions(changes):
    _, string = bowed(2, 4800, **changes)
    kernel = string.kernel
    assert kernel.friction_work > 1e-6 and kernel.friction_heat > 0.0
    assert kernel.statistics["failures"] == 0
    assert string.sounding.residual < 1e-12        # of 75 readings, some hundred terms each
    # the tilt and the spring at the nut move the second direction
    assert np.abs(kernel.displacement()[string.modes.count:2 * string.modes.count]).max() > 1e-7


# ---- sleep

def held_string(angle, seconds, **changes):
    """A string that lies on its bridge, plucked at an angle (degrees), damped strongly."""
    spec = string_of("tanpura", "sa1", 2, thread=None, sigma0=80.0, nut_coupling=0.0, **changes)
    return play(spec, 138.59, round(seconds * RATE),
                ("pluck", 0.0, {"lead": 0.0, "ramp": 0.002, "touch": 0.0, "angle": angle,
                                "force": 0.8}))


def test_a_string_that_friction_holds_aside_sleeps():
    out, string = held_string(30.0, 0.35, friction=0.5)
    network, kernel = string.sounding, string.kernel
    assert network.asleep and kernel.is_held
    rest = network._equilibrium_energy
    stored = kernel.energy()[:3].sum() - rest
    # what it keeps is far over -90 dB less 20 dB of the pluck's 8e-5 J, below which strings sleep
    assert stored > 1e-9
    assert kernel.energy()[0] < 1e-11 * 8e-5 and out[-1] == 0.0
    # the output goes to 0 from where it is held in SETTLING, by 1.5 / steps of it at most
    steps = round(SETTLING * RATE)
    quiet = out[network.asleep_since - steps - 100:]
    assert abs(quiet[0]) > 0.01 * np.abs(out).max()
    assert np.abs(np.diff(quiet)).max() < 1.6 / steps * abs(quiet[0])
    # asleep the state is kept, and the ledger with it
    state, ledger = kernel.displacement(), kernel.energy()
    string.advance(np.empty(4800))
    assert np.array_equal(kernel.displacement(), state)
    assert np.array_equal(kernel.energy(), ledger)
    # and the next pluck begins there: the balance, of the whole run, holds
    string.play("pluck", network.step, {"lead": 0.0, "ramp": 0.002, "touch": 0.0, "angle": 90.0})
    string.advance(np.empty(2400))
    assert not network.asleep and network.residual < 1e-12


def test_a_motion_that_is_not_heard_keeps_a_string_awake():
    # on its thread, plucked along the bridge: no output, and a second direction that swings
    spec = string_of("tanpura", "sa1", 2, tilt=0.0, nut_coupling=0.0)
    out, string = play(spec, 138.59, round(0.2 * RATE),
                       ("pluck", 0.0, {"lead": 0.0, "ramp": 0.002, "touch": 0.0, "angle": 0.0}))
    assert np.abs(out).max() < 1e-12 and not string.sounding.asleep


def test_a_stroke_before_silence_has_no_jump():
    out, string = held_string(30.0, 0.35, friction=0.5)
    steps = round(SETTLING * RATE)
    begun = string.sounding.asleep_since - steps // 2
    part, string = held_string(30.0, begun / RATE, friction=0.5)
    assert np.array_equal(part, out[:begun]) and not string.sounding.asleep
    string.play("pluck", begun, {"lead": 0.0, "ramp": 0.01, "touch": 0.0, "force": 1e-9})
    rest = np.empty(100)
    string.advance(rest)
    # a pluck of almost no force: the output goes on from where it is
    held = abs(out[begun - steps])
    assert abs(part[-1]) > 0.3 * held
    assert np.abs(np.diff([part[-1], *rest])).max() < 1.6 / steps * held
