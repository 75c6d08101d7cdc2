"""The statement `room`: what is heard, how long, at what level, in blocks, stems and excerpts."""
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from instruments import instrument, string

import pysitar
from pysitar.errors import ScoreError
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.engine import Engine, bind_score
from pysitar.rendering.plan import RoomPlan
from pysitar.rendering.room import Room
from pysitar.rendering.room_responses import room_responses

RATE = 16000
SCORE = """use "wire.toml" as w
use "wire.toml" as v
mix v pan=0.8
{room}
render rate=16000 oversample=1 channels={channels} tail={tail} fade={fade}
0 w.a pluck dur=0.1s
0.02s v.a pluck 330Hz dur=0.1s
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wire.toml").write_text(
        instrument(string("a", pitch=220.0, sigma0=20.0, sigma1=0.02), gain=2.0))
    return tmp_path


def score(room="", *, tail="0.2s", fade=0, channels=2):
    return pysitar.load_score(text=SCORE.format(room=room, tail=tail, fade=fade,
                                                channels=channels))


def sound(room="", **options):
    return pysitar.render(score(room, **options)).audio


def convolved(plain, responses, wet):
    """The mix and the mean of its channels, through a response for each channel."""
    sent = plain.mean(axis=1)
    return plain + 10.0**(wet / 20.0) * np.stack(
        [np.convolve(sent, response)[:sent.size] for response in responses.T], axis=1)


# ---- what is heard

def test_an_impulse_gives_the_responses():
    responses = np.random.default_rng(1).standard_normal((3000, 2))
    impulse = np.zeros((3500, 2))
    impulse[10] = 1.0
    found = np.stack(Room(RoomPlan("ir.wav", -20.0, responses), 2).push([impulse]), axis=1)
    assert not found[:10].any() and not found[3010:].any()
    np.testing.assert_allclose(found[10:3010], 0.1 * responses, rtol=1e-15)


@pytest.mark.parametrize("name", ["small", "hall"])
def test_the_mix_is_the_dry_one_and_the_room(name):
    plain, found = sound(), sound(f"room {name} wet=-14dB")
    expected = convolved(plain, room_responses(name, RATE), -14.0)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-14)
    assert np.abs(found - plain).max() > 0.01 * np.abs(plain).max()
    assert sound(f"room {name} wet=-20dB").tobytes() == sound(f"room {name}").tobytes()


def test_one_channel_has_the_left_response():
    plain, found = sound(channels=1), sound("room small", channels=1)
    expected = convolved(plain, room_responses("small", RATE)[:, :1], -20.0)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("channels", [1, 2])
def test_a_file_is_at_its_own_level(channels):
    response = np.random.default_rng(2).standard_normal((700, channels))
    soundfile.write("ir.wav", response, RATE, subtype="DOUBLE")
    plain, found = sound(), sound('room "ir.wav" wet=-6')
    expected = convolved(plain, np.broadcast_to(response, (700, 2)), -6.0)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-13)
    bound, _ = bind_score(score('room "ir.wav" wet=-6'))
    assert [source.name for source in bound.sources] == ["<text>", "wire.toml", "ir.wav"]


def test_noise_is_as_far_below_as_wet_says():
    """White noise below 2 kHz: 40000 values, of which the room keeps the power; their own power is
    known to 1/sqrt(8000 * 3 s), 0.03 dB, and that of a response's bins to about 0.5 dB."""
    rate = 8000
    noise = np.random.default_rng(3).standard_normal(40000)
    spectrum = np.fft.rfft(noise)
    spectrum[np.fft.rfftfreq(noise.size, 1.0 / rate) > 2000.0] = 0.0
    noise = np.fft.irfft(spectrum)[:, None] * np.ones(2)
    found = np.stack(Room(RoomPlan("small", -20.0, room_responses("small", rate)), 2).push([noise]),
                     axis=1)
    levels = 10.0 * np.log10((found[rate:]**2).mean(axis=0) / (noise[rate:]**2).mean(axis=0))
    assert levels == pytest.approx(-20.0, abs=0.5)


def test_the_room_is_linear():
    """Twice the forces would be another sound: twice the level is the same one."""
    twice = SCORE.replace("{room}", "mix * gain=6dB\nroom small")
    factor = 10.0**0.3
    plain = sound("room small")
    found = pysitar.render(pysitar.load_score(
        text=twice.format(tail="0.2s", fade=0, channels=2))).audio
    np.testing.assert_allclose(found, factor * plain, rtol=0.0, atol=1e-14)


# ---- how long

def test_the_room_lengthens_a_sound_that_ends_at_silence():
    responses = room_responses("small", RATE)
    plain, found = sound(tail="auto"), sound("room small", tail="auto")
    assert found.shape[0] == plain.shape[0] + responses.shape[0]
    padded = np.concatenate([plain, np.zeros(responses.shape)])
    np.testing.assert_allclose(found, convolved(padded, responses, -20.0), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("tail", ["auto", "0.3s"])
def test_the_fade_is_that_of_the_whole(tail):
    plain = sound("room small", tail=tail)
    faded = pysitar.render(score("room small", tail=tail, fade="0.1s"))
    length = round(faded.report["fade"] * RATE)
    assert length == 1600 and faded.audio.shape == plain.shape
    window = 0.5 + 0.5 * np.cos(np.pi * np.arange(1, length + 1) / length)
    np.testing.assert_allclose(faded.audio[-length:], window[:, None] * plain[-length:], rtol=0.0,
                               atol=1e-16)
    assert faded.audio[:-length].tobytes() == plain[:-length].tobytes()


# ---- the same bits

@pytest.mark.parametrize("tail", ["auto", "0.3s"])
def test_blocks_jobs_and_excerpts_have_the_same_bits(tail):
    piece = score("room small", tail=tail, fade="0.1s")
    whole = pysitar.render(piece, block=1 << 20)
    for block, jobs in ((7, 1), (97, 2), (4096, 1)):
        part = pysitar.render(piece, block=block, jobs=jobs)
        assert part.audio.tobytes() == whole.audio.tobytes() and part.report == whole.report
    part = pysitar.render(piece, start=0.05, stop=0.27)
    assert part.audio.tobytes() == whole.audio[800:4320].tobytes()


def test_the_stems_are_dry_and_the_room_is_one_more():
    engine = Engine(*bind_score(score("room small", tail="auto", fade="0.1s")))
    assert engine.names == ("w", "v", "room")
    parts = list(engine.parts(100))
    mix = np.concatenate([mix for mix, _ in parts])
    one, two, room = (np.concatenate([stems[at] for _, stems in parts]) for at in range(3))
    assert np.array_equal(((0.0 + one) + two) + room, mix)
    assert room.any() and not room[-1].any()
    dry = Engine(*bind_score(score(tail="1s")))
    alone = np.concatenate([stems[0] for stems in dry.stems()])
    early = one.shape[0] - 1600                       # before the fade
    assert np.array_equal(one[:early], alone[:early])


def test_what_is_muted_is_not_in_the_room():
    plain = pysitar.render(score(), only=["w"]).audio
    found = pysitar.render(score("room hall"), only=["w"]).audio
    expected = convolved(plain, room_responses("hall", RATE), -20.0)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-14)


# ---- files

def test_stems_and_sidecar(folder):
    report = pysitar.render_file(score("room small wet=-18dB"), "a.wav", stems="stems",
                                 subtype="FLOAT")
    assert sorted(report["stems"]) == ["room", "v", "w"]
    assert (folder / "stems" / "room.wav").exists()
    options = json.loads(Path("a.wav.json").read_text())["options"]
    assert options["room"] == {"name": "small", "wet": -18.0}
    pysitar.render_file(score(), "b.wav")
    assert "room" not in json.loads(Path("b.wav.json").read_text())["options"]


def test_expand_keeps_it(folder):
    soundfile.write("ir.wav", np.array([0.5, 0.2, -0.1]), RATE, subtype="DOUBLE")
    for line, flat in (('room "ir.wav" wet=-6dB', 'room "../ir.wav" wet=-6dB'),
                       ("room hall", "room hall wet=-20dB")):
        piece = score(line)
        bound, _ = bind_score(piece)
        assert flat in flatten_score(piece, bound, "flat").splitlines()
        again = pysitar.load_score(text=flatten_score(piece, bound))
        assert pysitar.render(again).audio.tobytes() == pysitar.render(piece).audio.tobytes()


# ---- mistakes

@pytest.mark.parametrize(("line", "column", "message"), [
    ("room", 5, "the room is missing; expected room small wet=-20dB"),
    ("room wet=-3dB", 6, "the room is missing; expected room small wet=-20dB"),
    ("room smal", 6, "smal is not a room or a file in quotes; did you mean small"),
    ("room ir.wav", 6, "ir.wav is not the name of a room; expected a file in quotes: "
                       "\"ir.wav\""),
    ('room "ir.flac"', 6, "ir.flac is not an impulse response; expected a name that ends in "
                          ".wav"),
    ('room "ir.wav"', 6, "ir.wav cannot be read (No such file or directory); expected an "
                         "existing .wav file"),
    ('room "three.wav"', 6, "three.wav has 3 channels; expected at most 2 channels"),
    ("room small wet=1s", 16, "wet: 1s is a time; expected a level in dB"),
    ("room small wet=loud", 16, "wet is loud; expected a level in dB"),
    ("room small wet=21dB", 16, "wet is 21dB; expected -100 to 20 dB"),
    ("room small dry=1", 12, "room has no dry; expected room small wet=-20dB"),
    ("room small\nroom hall", 1, "a second room (the first: <text>:4); expected one for the whole "
                                 "score"),
    ("section x\nroom small\nend", 1, "room is inside a section"),
])
def test_mistakes_have_their_place(line, column, message):
    soundfile.write("three.wav", np.ones((4, 3)), RATE)
    with pytest.raises(ScoreError) as caught:
        pysitar.render(score(line))
    problem = caught.value.problems[0]
    assert problem.place.line == (5 if "\n" in line else 4)
    assert problem.place.col == column and problem.message.startswith(message)


def test_an_instrument_named_room_has_no_room():
    text = "use \"wire.toml\" as room\nrender rate=16000 tail=0.1s\n0 room.a pluck\n"
    assert pysitar.render(pysitar.load_score(text=text)).audio.any()
    with pytest.raises(ScoreError, match=r"<text>:1:20: the stem of the room is named room too"):
        pysitar.render(pysitar.load_score(text=text + "room small\n"))
