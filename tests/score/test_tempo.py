"""The closed form of the tempo against known numbers and a numerical integral."""
import math

import pytest

from pysitar.errors import Place, ScoreError
from pysitar.score.parser import load_score
from pysitar.score.tempo import TempoChange, TempoMap
from pysitar.score.timeline import events

HEAD = "use tanpura as t\n"


def integral(bpm, beats, steps=200_000):
    """Seconds up to a beat by the midpoint rule."""
    width = beats / steps
    return math.fsum(60.0 / bpm((i + 0.5) * width) * width for i in range(steps))


def times(text):
    return [event.time for event in events(load_score(text=HEAD + text))]


def test_the_check_of_the_language():
    tempo = TempoMap((TempoChange(0, 60), TempoChange(8, 60, 120, 16)))
    assert tempo.seconds(8) == 8.0
    assert tempo.seconds(16) == pytest.approx(13.545177444, abs=1e-9)
    assert tempo.seconds(16) == pytest.approx(8 + 8 * math.log(2), abs=1e-12)
    assert tempo.seconds(18) == pytest.approx(tempo.seconds(16) + 1.0, abs=1e-12)
    assert times("tempo 60\ntempo 8 60 -> 120 @ 16\n16 t.pa pluck")[0] == tempo.seconds(16)


@pytest.mark.parametrize(("start", "end"), [(52.0, 60.0), (200.0, 20.0), (60.0, 60.0),
                                            (60.0, 60.0000001)])
def test_a_ramp_is_the_integral(start, end):
    tempo = TempoMap((TempoChange(0, start, end, 8),))
    assert tempo.seconds(8) == pytest.approx(integral(lambda x: start + (end - start) * x / 8, 8),
                                             rel=1e-9)
    assert tempo.seconds(3.7) == pytest.approx(
        integral(lambda x: start + (end - start) * x / 8, 3.7), rel=1e-9)


def test_seconds_and_beats_are_inverse():
    tempo = TempoMap((TempoChange(0, 52), TempoChange(16, 52, 60, 24), TempoChange(30, 90, 30, 31),
                      TempoChange(40, 77)))
    for beat in (0.0, 3.3, 16.0, 20.5, 24.0, 29.9, 30.5, 31.0, 35.0, 40.0, 100.0):
        assert tempo.beats(tempo.seconds(beat)) == pytest.approx(beat, abs=1e-10)


def test_steps_and_jumps():
    assert times("tempo 120\ntempo 4 60\n4 t.pa pluck\n5 t.pa pluck") == [2.0, 3.0]
    # a ramp that begins with a jump
    tempo = TempoMap((TempoChange(0, 60), TempoChange(4, 120, 240, 8)))
    assert tempo.seconds(4) == 4.0
    assert tempo.seconds(8) == pytest.approx(4 + 60 / 30 * math.log(2), abs=1e-12)


def test_a_ramp_may_begin_where_another_ends():
    tempo = TempoMap((TempoChange(4, 60, 120, 8,
                                  Place("a")), TempoChange(8, 120, 60, 12, Place("a"))))
    assert tempo.seconds(12) == pytest.approx(4 + 2 * 4 * math.log(2), abs=1e-12)


def test_without_tempo_a_beat_is_a_second():
    assert times("0.1 t.pa pluck\n0.7 t.pa pluck") == [0.1, 0.7]


def test_an_event_in_seconds_lies_at_the_beat_the_tempo_gives_there():
    assert times("tempo 120\n1.5s t.pa pluck dur=1\n+ t.pa pluck") == [1.5, 2.0]


def test_a_section_keeps_its_own_tempo_and_the_caller_its_own():
    text = ("tempo 120\nsection a\ntempo 30\n0 t.pa pluck\n1 t.pa pluck\nend\nsection b\n"
            "0 t.pa pluck\n1 t.pa pluck\nend\n")
    assert times(text + "play a at=4\n") == [2.0, 4.0]
    assert times(text + "play b at=4\n") == [2.0, 2.5]
    # 2 beats of its own tempo: 4 s
    assert times(text + "play a at=4 times=2\n") == [2.0, 4.0, 6.0, 8.0]
    assert times(text + "play a at=4 times=2 every=2\n") == [2.0, 3.0, 4.0, 5.0]


def test_a_repeat_falls_into_the_callers_ramp():
    text = ("tempo 60\ntempo 4 60 -> 120 @ 8\nsection a\n0 t.pa pluck\n3 t.pa pluck\nend\n"
            "play a times=2\n")
    tempo = TempoMap((TempoChange(0, 60), TempoChange(4, 60, 120, 8)))
    assert times(text) == [0.0, 3.0, 4.0, tempo.seconds(7)]


def test_ramp_inside_a_repeated_section():
    text = (
        "section a\ntempo 0 60 -> 120 @ 4\n0 t.pa pluck\n4 t.pa pluck dur=0\nend\nplay a times=3\n")
    length = 4 * math.log(2)
    assert times(text) == pytest.approx([0, length, length, 2 * length, 2 * length, 3 * length],
                                        abs=1e-9)


def test_extreme_tempos_are_reported():
    for text in ("tempo 1e-300\n1e300 t.pa pluck",
                 "tempo 0 1e-300 -> 1e300 @ 1e-300\n5 t.pa pluck\n5s t.pa pluck",
                 "tempo 5e-324\n1 t.pa pluck"):
        try:
            times(text)
        except ScoreError as error:
            assert error.problems[0].place.line > 1


@pytest.mark.parametrize(
    "line", ["tempo 0.0009", "tempo 4 2e6", "tempo 5 4 -> 5e-71 @ 6", "tempo 0 8e57 -> 0.6 @ 0.69"])
def test_a_tempo_out_of_range_is_reported(line):
    """Between 0.001 and 1e6 the logarithm of the ratio of a ramp is accurate; beyond, it may have
    no correct digit."""
    with pytest.raises(ScoreError, match=r"expected 0\.001 to 1000000 beats per minute"):
        load_score(text=f"use tanpura as t\n{line}\n0 t.pa pluck")
    ends = load_score(text="use tanpura as t\ntempo 0 1e6 -> 0.001 @ 1\n1 t.pa pluck dur=1s")
    # 60 log(q / p) / (q - p)
    assert events(ends)[0].time == pytest.approx(60.0 * math.log(1e-9) / (1e-3 - 1e6), rel=1e-7)


def seconds(start, end, beats):
    """Return the duration (s) of a ramp over some beats in closed form."""
    return 60.0 * beats / (end - start) * math.log(end / start)


@pytest.mark.parametrize(("start", "end", "beats"), [(60, 120, 8), (52, 60, 8), (240, 30, 3),
                                                     (0.5, 1000, 0.25), (90, 90.001, 500)])
def test_a_ramp_in_closed_form_to_a_nanosecond(start, end, beats):
    text = f"tempo {start}\ntempo 2 {start} -> {end} @ {2 + beats}\n" + "".join(
        f"{beat} t.pa pluck\n" for beat in (2 + beats / 2, 2 + beats, 3 + beats))
    before, middle = 2 * 60.0 / start, (start + end) / 2
    half, whole = before + seconds(start, middle, beats / 2), before + seconds(start, end, beats)
    assert times(text) == pytest.approx([half, whole, whole + 60.0 / end], rel=0, abs=1e-9)


def test_sections_at_other_tempos_after_repeats():
    """A section with its own ramp three times, a section at a third tempo, then the tempo of the
    caller."""
    text = (
        "tempo 60\ntempo 40 60 -> 90 @ 50\nsection a\ntempo 0 60 -> 120 @ 4\n0 t.pa pluck\n"
        "4 t.pa pluck dur=0\nend\nsection b\ntempo 200\n0 t.sa1 pluck\n1 t.sa1 pluck\nplay c at=1\n"
        "end\nsection c\n0 t.sa2 pluck\n1 t.sa2 pluck\nend\nplay a at=2 times=3\nplay b at=20\n"
        "play b at=45 times=2 every=1\nplay c at=30s\n30 t.kharaj pluck\n50 t.kharaj pluck\n")
    made = events(load_score(text=HEAD + text))
    by = {name: [event.time for event in made if event.target[1] == name]
          for name in ("pa", "sa1", "sa2", "kharaj")}
    length = seconds(60, 120, 4)
    near = {"rel": 0, "abs": 1e-9}
    assert by["pa"] == pytest.approx(sorted([2 + i * length for i in range(3)]
                                            + [2 + (i + 1) * length for i in range(3)]),**near)
    # 60 to 75 over 5 beats of the ramp of the caller, to 78 over 6
    late = [40 + seconds(60, 75, 5), 40 + seconds(60, 78, 6)]
    assert by["sa1"] == pytest.approx([20, 20.3, late[0], late[0] + 0.3, late[1], late[1] + 0.3],
                                      **near)
    # c keeps its caller's tempo: 0.3 s a beat in b, a second in the score
    assert by["sa2"] == pytest.approx(
        [20.3, 20.6, 30, 31, late[0] + 0.3, late[0] + 0.6, late[1] + 0.3, late[1] + 0.6], **near)
    assert by["kharaj"] == pytest.approx([30, 40 + seconds(60, 90, 10)], **near)


def test_repeats_do_not_drift():
    made = times(
        "tempo 37\nsection a\ntempo 53\n0 t.pa pluck dur=0.1\nend\nplay a times=5000 every=0.7\n")
    assert made == pytest.approx([i * 0.7 * 60 / 37 for i in range(5000)], rel=1e-15, abs=1e-12)
