"""Blocks are played while they are computed, in their order, and the device is left closed."""
import threading

import numpy as np
import pytest
from app.playback.outputs import FakeOutput

from pysitar.app.playback.player import BLOCK, play_blocks

RATE = 20480                    # Hz: a block lasts 0.1 s
TIMEOUT = 20.0                  # s, after which a test fails


def ramp(count):
    """Blocks of a ramp in two channels."""
    values = np.arange(count * BLOCK) / (count * BLOCK)
    return [np.column_stack([part, -part]) for part in np.split(values, count)]


def test_all_is_played_in_order_and_the_device_closed():
    output, blocks = FakeOutput(), ramp(40)
    played = play_blocks(blocks, output, rate=RATE)
    assert output.sound.tobytes() == np.concatenate(blocks).astype(np.float32).tobytes()
    assert output.calls == ["start", "stop", "close"]
    assert played.frames == 40 * BLOCK and not played.underruns and not played.stopped


def test_sound_begins_once_the_lead_is_computed():
    begun = threading.Event()
    output = FakeOutput(on_write=lambda number: begun.set())

    def blocks():
        yield from ramp(5)[:3]              # 0.3 s
        assert begun.wait(TIMEOUT), "0.3 s are computed, and none is played"
        yield from ramp(5)[3:]

    assert play_blocks(blocks(), output, rate=RATE, lead=0.3).frames == 5 * BLOCK


def test_no_sound_before_the_lead_is_computed():
    output, seen = FakeOutput(), []

    def blocks():
        for part in ramp(5):
            threading.Event().wait(0.02)        # time in which a sound could begin
            seen.append(list(output.calls))
            yield part

    play_blocks(blocks(), output, rate=RATE, lead=0.5)
    assert seen == [[]] * 5


def test_computing_waits_for_the_device():
    """2 s wait, 20 blocks and the one that reaches them; one is in the device, one computed."""
    release, computed, seen = threading.Event(), [], []

    def blocks():
        for part in ramp(60):
            computed.append(part)
            yield part

    def look():                             # called before each block, and while there is no room
        seen.append(len(computed))
        if len(seen) > 40:
            release.set()
        return True

    output = FakeOutput(on_write=lambda number: release.wait(TIMEOUT))
    play_blocks(blocks(), output, rate=RATE, lead=0.0, keep_playing=look)
    assert 20 <= max(seen[:40]) <= 23 and output.sound.shape == (60 * BLOCK, 2)


def test_an_underrun_is_counted_where_the_device_waits():
    waited = threading.Event()
    output = FakeOutput(latency=0.01)

    def blocks():
        yield from ramp(6)[:4]
        while output.calls == [] or len(output.parts) < 4:
            waited.wait(0.005)
        waited.wait(0.3)                    # thirty times what the device holds
        yield from ramp(6)[4:]

    played = play_blocks(blocks(), output, rate=RATE, lead=0.1)
    assert played.underruns == [pytest.approx(0.4)] and played.frames == 6 * BLOCK


def test_an_underrun_that_the_device_reports_is_counted():
    played = play_blocks(ramp(10), FakeOutput(dry={0, 7}), rate=RATE)
    assert played.underruns == [pytest.approx(0.7)]         # before its first frames it has none


def test_samples_beyond_full_scale_are_clipped():
    output = FakeOutput()
    play_blocks([np.array([[1.5, -2.0], [0.5, 1.0]])], output, rate=RATE)
    assert output.sound.tolist() == [[1.0, -1.0], [0.5, 1.0]]


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt()])
def test_an_error_of_the_blocks_ends_the_sound(error):
    output = FakeOutput()

    def blocks():
        yield from ramp(5)
        while len(output.parts) < 1:
            threading.Event().wait(0.005)
        raise error

    with pytest.raises(type(error)):
        play_blocks(blocks(), output, rate=RATE)
    assert output.calls == ["start", "abort", "close"]


def test_an_error_of_the_device_is_raised():
    def fail(number):
        raise RuntimeError("unplugged")

    output = FakeOutput(on_write=fail)
    with pytest.raises(RuntimeError, match="unplugged"):
        play_blocks(ramp(100), output, rate=RATE)
    assert output.calls[-1] == "close"


def test_keep_playing_ends_the_sound():
    output = FakeOutput()
    played = play_blocks(ramp(200), output, rate=RATE, keep_playing=lambda: len(output.parts) < 5)
    assert played.stopped and output.calls == ["start", "abort", "close"]
    assert 5 <= len(output.parts) < 200


def test_nothing_to_play():
    output = FakeOutput()
    played = play_blocks([np.zeros((0, 2))], output, rate=RATE)
    assert played.frames == 0 and played.delay is None and output.calls == ["close"]
