"""Corrections of a string's tuning, and what fewer modes add, against the closed forms of an ideal
string: T = rho A (2 L f)^2."""
from dataclasses import replace

import numpy as np
import pytest
from models.strings import ideal_string
from models.strings.ideal_string import HIGH, HZ, parse

from pysitar.models.definitions.loader import InstrumentError
from pysitar.models.strings.modal_string import HIGHEST_ON_BRIDGE, crowding, retuned_spec
from pysitar.models.strings.played import PlayedString

GIVEN = (0.0, -3.0, 5.0)
IDEAL = replace(ideal_string.IDEAL, corrections=GIVEN)


def note(semitones):
    return HZ * 2.0 ** (semitones / 12.0)


def tension(cents):
    return 1e-3 * (2.0 * 0.8 * HZ * 2.0 ** (cents / 1200.0)) ** 2


@pytest.mark.parametrize(("semitones", "correction"), [(-5.0, 0.0), (0.0, 0.0), (0.5, -1.5),
                                                       (1.0, -3.0), (1.25, -1.0), (2.0, 5.0),
                                                       (9.0, 5.0)])
def test_corrections_are_joined_by_straight_lines_and_level_beyond_them(semitones, correction):
    # two logarithms and powers, each within 2 roundings of 1e-16, times hundreds of cents
    assert IDEAL.correction(semitones) == pytest.approx(correction, abs=1e-12)
    free = -7.0 + 97.5 * semitones + correction
    assert IDEAL.string(note(semitones),
                        open_hz=HZ).tension == pytest.approx(tension(free), rel=1e-12)
    assert IDEAL.semitones(note(semitones), open_hz=HZ) == pytest.approx(
        0.975 * semitones + 0.01 * correction, abs=1e-12)


def test_the_first_one_is_the_open_strings():
    moved = replace(IDEAL, corrections=(4.0, 1.0))
    assert moved.string(HZ).tension == moved.string(HZ, open_hz=HZ).tension == pytest.approx(
        tension(-3.0), rel=1e-14)
    assert moved.string(note(1.0),
                        open_hz=HZ).tension == pytest.approx(tension(-7.0 + 97.5 + 1.0), rel=1e-13)


def test_a_note_is_played_at_its_corrected_tension():
    string = PlayedString(IDEAL, hz=HZ, highest=note(12.0), sample_rate=48000.0, floor=-80.0,
                          name="v.s")
    string.play("fret", 480, {}, note(2.0))
    string.advance(np.empty(640))
    assert string.sounding.kernel.tension == pytest.approx(
        tension(-7.0 + 195.0 + 5.0) - tension(-7.0), rel=1e-12)


def test_fewer_modes_are_counted():
    """Mode i is at i f: under the limit on a bridge there are limit / f of them at the note's free
    pitch."""
    spec = replace(IDEAL, cents=0.0, stretch=0.0, corrections=(0.0,), barrier=HIGH)
    rate = 192000.0
    # none is made over 20 kHz
    count = [min(int(20e3 / HZ), int(HIGHEST_ON_BRIDGE / note(n))) for n in (0, 7, 12)]
    found = crowding(spec, hz=HZ, notes=[note(n) for n in (0, 7, 12, 19)], highest=note(12),
                     sample_rate=rate)
    assert found == [1.0 / count[2] - 1.0 / n for n in count] + [0.0]
    assert found[0] > found[1] > 0.0


@pytest.mark.parametrize("semitones", [0.0, 7.0, 12.0])
def test_fewer_modes_are_tuned_flatter(semitones):
    spec = replace(IDEAL, barrier=HIGH, truncation=800.0)
    kept = retuned_spec(spec, hz=HZ, highest=note(12.0), sample_rate=96000.0)
    [share] = crowding(spec, hz=HZ, notes=[note(semitones)], highest=note(12.0),
                       sample_rate=96000.0)
    assert kept.correction(semitones) == pytest.approx(
        spec.correction(semitones) - 800.0 * share, abs=1e-12)
    assert (share > 0.0) == (semitones < 12.0)
    # and so it is played
    string = PlayedString(spec, hz=HZ, highest=note(12.0), sample_rate=96000.0, floor=-80.0,
                          name="v.s")
    assert string.spec == kept and string.string.tension == kept.string(HZ).tension


def test_a_string_alone_or_without_truncation_stays_as_it_is():
    spec = replace(IDEAL, barrier=HIGH, truncation=800.0)
    assert retuned_spec(spec, hz=HZ, highest=HZ, sample_rate=96000.0) is spec
    plain = replace(spec, truncation=0.0)
    assert retuned_spec(plain, hz=HZ, highest=note(12.0), sample_rate=96000.0) is plain


def test_a_file_gives_them():
    spec = parse()
    assert (spec.corrections, spec.truncation) == ((0.0,), 0.0)
    given = parse(corrections=[0, -1.5], truncation=400)
    assert (given.corrections, given.truncation) == ((0.0, -1.5), 400.0)


@pytest.mark.parametrize(("values", "message"), [
    ({"corrections": []}, "corrections is an empty list; expected a list of one or more numbers"),
    ({"corrections": 3}, "corrections is 3; expected a list of one or more numbers"),
    ({"corrections": [0, 1300]},
     r"corrections\[1\] is 1300; .* \(cents\), at least -1200 and at most 1200"),
    ({"truncation": -1}, r"truncation is -1; .* \(cents\), at least 0 and at most 5000"),
])
def test_a_file_that_gives_them_wrongly(values, message):
    with pytest.raises(InstrumentError, match=message):
        parse(**values)
