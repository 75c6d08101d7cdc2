"""`pysitar sample`: every key, velocity and repetition has its sound, in tune and rising in level,
in SFZ and Decent Sampler files."""
import re
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import soundfile
from app.commands import refused
from instruments import instrument, string, struck_object

from pysitar.__main__ import main
from pysitar.app.sampling.plan import Sample, SampleOptions, make_samples
from pysitar.app.sampling.players import sfz_text
from pysitar.app.sampling.strokes import (
    Stroke,
    named_strokes,
    parse_range,
    pitched_strokes,
    strength_factor,
    velocity_layers,
)
from pysitar.errors import ParameterError
from pysitar.models.definitions.loader import parse_instrument

RATE = 16000
BLOCK = 4096                   # of sfizz; within one, it plays sounds without a fractional delay
TEXT = instrument(*(string(name, pitch=pitch, highest=4, sigma0=12.0, sigma1=0.01,
                           pluck={"force": 1.0, "position": 0.13})
                    for name, pitch in (("low", 220.0), ("high", 293.66))), gain=0.05)
FIRST, LAST = 57, 62


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A sampled instrument of two strings: A3 to D4, two layers, three repetitions."""
    base = tmp_path_factory.mktemp("sampled")
    (base / "wires.toml").write_text(TEXT)
    assert make(base, base / "out") == 0
    return base / "out"


def make(base, out, *more):
    return main(["sample", str(base / "wires.toml"), "-o", str(out), "--notes", "a3..d4",
                 "--layers", "2", "--round-robin", "3", "--length", "600ms", "--rate", str(RATE),
                 "--oversample", "1", "--jobs", "1", "--quiet", *more])


def read_sfz(text):
    """The regions of an SFZ file, with the values of their headers: what the file uses of the
    format, and no more."""
    levels, regions = {}, []
    order = ("control", "global", "group", "region")
    for line in text.splitlines():
        line = line.partition("//")[0]
        for header, words in re.findall(r"(?:<(\w+)>)?([^<]*)", line):
            if header:
                current = header
                for inner in order[order.index(header):]:
                    levels[inner] = {}
                if header == "region":
                    regions.append(levels[header])
            for name, value in re.findall(r"(\w+)=(\S+)", words):
                levels[current][name] = value
            if header == "region":
                regions[-1] |= {key: value for outer in order[:3]
                                for key, value in levels[outer].items()} | levels["region"]
    return regions


def find(regions, key, velocity, position):
    """The regions that sound for a key, a velocity and a place in the sequence."""
    return [one for one in regions
            if int(one["lokey"]) <= key <= int(one["hikey"])
            and int(one["lovel"]) <= velocity <= int(one["hivel"])
            and int(one.get("seq_position", 1)) == position]


def expected_file(key, velocity, repetition):
    layer = 1 if velocity <= 63 else 2
    name = ("a3", "as3", "b3", "c4", "cs4", "d4")[key - FIRST]
    return f"wires-{name}-v{layer}-r{repetition}.wav"


def frequency(sound, near):
    """The greatest peak of the spectrum within a semitone of a frequency (Hz)."""
    size = 1 << 17
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(sound.size), size))
    frequencies = np.fft.rfftfreq(size, 1.0 / RATE)
    inside = np.abs(np.log2(frequencies.clip(1.0) / near)) < 1.0 / 12.0
    return frequencies[inside][spectrum[inside].argmax()]


def test_every_key_has_one_sound_in_tune(folder):
    regions = read_sfz((folder / "wires.sfz").read_text())
    assert len(regions) == 6 * 2 * 3
    for key in range(FIRST, LAST + 1):
        for velocity in (1, 63, 64, 127):
            for repetition in (1, 2, 3):
                found = find(regions, key, velocity, repetition)
                assert [one["sample"] for one in found] == [
                    expected_file(key, velocity, repetition)]
                assert found[0]["pitch_keycenter"] == str(key)
                assert found[0]["default_path"] == "samples/"
                assert found[0]["seq_length"] == "3"
                assert found[0]["loop_mode"] == "no_loop"
    for key in range(FIRST, LAST + 1):
        sound, rate = soundfile.read(folder / "samples" / expected_file(key, 127, 2))
        hz = 440.0 * 2.0 ** ((key - 69) / 12.0)
        # the varied pitch is within 3.47 x 2 cents; a bin of the padded spectrum is 1 cent
        assert rate == RATE
        assert abs(1200.0 * np.log2(frequency(sound, hz) / hz)) < 8.0


def test_layers_rise_and_sounds_end_faded(folder):
    for key in range(FIRST, LAST + 1):
        levels, sounds = [], []
        for velocity in (63, 127):
            for repetition in (1, 2, 3):
                path = folder / "samples" / expected_file(key, velocity, repetition)
                sound, _ = soundfile.read(path)
                levels.append(np.abs(sound).max())
                sounds.append(sound[:2000])
                assert sound[-1] == 0.0
                assert soundfile.info(path).subtype == "FLOAT"
        # the force of the lower layer is that of velocity 63: a quarter; each varies by at most
        # 3.47 x 4 %, and the place moves the level as much again
        ratio = np.mean(levels[3:]) / np.mean(levels[:3])
        assert ratio == pytest.approx(1.0 / strength_factor(63), rel=0.3)
        assert min(levels[3:]) > max(levels[:3])
        assert not np.array_equal(sounds[0], sounds[1])
        assert not np.array_equal(sounds[1], sounds[2])


def test_decent_sampler_has_the_same_map(folder):
    root = ET.parse(folder / "wires.dspreset").getroot()
    group = root.find("groups/group")
    assert (root.tag, group.get("seqMode"), group.get("seqLength")) == (
        "DecentSampler", "round_robin", "3")
    assert root.find("groups").get("release") == "0.3"
    regions = read_sfz((folder / "wires.sfz").read_text())
    pairs = (("lokey", "loNote"), ("hikey", "hiNote"), ("lovel", "loVel"), ("hivel", "hiVel"),
             ("pitch_keycenter", "rootNote"), ("seq_position", "seqPosition"))
    samples = group.findall("sample")
    assert len(samples) == len(regions)
    for sample, region in zip(samples, regions, strict=True):
        assert [sample.get(b) for _, b in pairs] == [region[a] for a, _ in pairs]
        assert sample.get("path") == f"samples/{region['sample']}"
        assert (folder / sample.get("path")).is_file()
        assert (sample.get("loopEnabled"), sample.get("ampEnvEnabled")) == ("false", None)


def test_sfizz_plays_every_note_layer_and_repetition(folder):
    pysfizz = pytest.importorskip("pysfizz")
    regions = read_sfz((folder / "wires.sfz").read_text())
    gain = 10.0 ** (float(regions[0]["volume"]) / 20.0)
    sounds = {path.name: soundfile.read(path)[0][:3000]
              for path in (folder / "samples").glob("*.wav")}
    synth, levels = pysfizz.Synth(RATE, BLOCK), []
    assert synth.load_sfz_file(folder / "wires.sfz")
    assert synth.playable_keys == list(range(FIRST, LAST + 1))
    for key in range(FIRST, LAST + 1):
        for velocity in (63, 127):          # the top of each layer, where its own gain is 1
            for turn in range(6):
                played = synth.render_note(key, velocity, 0.2, 1.2)[0][:3000]
                name = expected_file(key, velocity, turn % 3 + 1)
                scores = {other: played @ sound / np.sqrt((played @ played) * (sound @ sound))
                          for other, sound in sounds.items()}
                assert max(scores, key=scores.get) == name, (key, velocity, turn)
                assert scores[name] > 0.9999
                levels.append(np.abs(played).max() / np.abs(sounds[name]).max())
    # one gain for all: the volume of the file, sfizz's own of -7.35 dB, and its channel volume,
    # which begins at 100 of 127, squared
    assert np.ptp(levels) < 1e-3 * levels[0]
    assert levels[0] == pytest.approx(gain * 10.0 ** (-7.35 / 20.0) * (100 / 127) ** 2, rel=0.01)


def sample(low, high, key=60):
    """A sample of one key and a range of velocities, as far as the samplers' files use it."""
    stroke = Stroke("c4", key, key, key, None, ())
    return Sample(stroke, low, high, 1, SimpleNamespace(file=lambda number: f"{low}.wav"))


def gains(text):
    """The gain of each velocity in an SFZ file of one key, straight between its points."""
    gain = np.zeros(128)
    for one in read_sfz(text):
        points = {int(name.removeprefix("amp_velcurve_")): float(value)
                  for name, value in one.items() if name.startswith("amp_velcurve_")}
        velocities = np.arange(int(one["lovel"]), int(one["hivel"]) + 1)
        gain[velocities] = np.interp(velocities, list(points), list(points.values()))
    return gain


def test_one_layer_follows_the_law_of_velocities():
    text = sfz_text("one", [sample(1, 127)], peaks=[0.5], folder="samples", gain=0.0, release=None,
                    repetitions=1)
    velocities = np.arange(1, 128)
    # a chord of 8 velocities, a factor r = 16^(8/126), is at most (1 + r)/2/sqrt(r) = 0.4 % over
    law = 16.0 ** ((velocities - 127) / 126)
    assert np.all(np.abs(gains(text)[1:] / law - 1.0) < 0.005)


def test_layers_continue_each_other_whatever_their_levels():
    """The level of a hard mallet rises faster than its speed: 24 dB, not 12, from 63 to 127."""
    peaks = [0.03, 0.05, 0.5, 0.7]
    samples = [sample(1, 63), sample(1, 63), sample(64, 127), sample(64, 127)]
    text = sfz_text("two", samples, peaks=peaks, folder="samples", gain=0.0, release=None,
                    repetitions=2)
    level = gains(text)[1:] * np.repeat([0.04, 0.6], [63, 64])
    assert level[62] == pytest.approx(0.04) and level[126] == pytest.approx(0.6)
    # 23.5 dB over 64 velocities are 0.37 dB each, a step between layers too; a chord of 8 of them
    # is steeper by (r - 1)/(r log r) < 1.2 for r = 10^(2.94/20)
    steps = np.diff(20.0 * np.log10(level))
    assert np.all(steps > 0.0)
    assert steps[62:].max() < 1.25 * 20.0 * np.log10(0.6 / 0.04) / 64
    # a layer that is softer than the one below has one level
    text = sfz_text("two", samples[1:3], peaks=[0.5, 0.4], folder="samples", gain=0.0,
                    release=None, repetitions=1)
    assert np.all(gains(text)[64:] == 1.0)


def test_sfizz_level_rises_with_velocity(folder):
    pysfizz = pytest.importorskip("pysfizz")
    levels = []
    for velocity in (1, 20, 40, 63, 64, 90, 110, 127):
        synth = pysfizz.Synth(RATE, BLOCK)          # anew: the first repetition each time
        synth.load_sfz_file(folder / "wires.sfz")
        levels.append(np.abs(synth.render_note(FIRST, velocity, 0.3, 0.4)).max())
    assert all(low < high * 1.15 for low, high in pairwise(levels)), levels
    # over all velocities 16 : 1, as for MIDI files
    assert levels[-1] / levels[0] == pytest.approx(16.0, rel=0.35)


def test_sounds_are_kept_and_what_is_missing_is_made_again(folder, tmp_path, capsys):
    before = {path: path.stat().st_mtime_ns for path in (folder / "samples").glob("*.wav")}
    gone = min(before)
    gone.unlink()
    assert make(folder.parent, folder) == 0
    after = {path: path.stat().st_mtime_ns for path in (folder / "samples").glob("*.wav")}
    assert after.keys() == before.keys()
    assert {path for path in after if after[path] != before[path]} == {gone}


def test_more_repetitions_keep_the_sounds_that_exist(tmp_path):
    (tmp_path / "wires.toml").write_text(TEXT)
    strokes = pitched_strokes(parse_instrument(TEXT, name="wires", shown="wires.toml"),
                              {"low": 220.0, "high": 293.66}, (57, 58), 1)
    keys = []
    for seed, repetitions in ((0, 2), (0, 3), (1, 3)):
        options = SampleOptions(layers=2, repetitions=repetitions, length=1.0, seed=seed, rate=RATE,
                                oversample=1, subtype="FLOAT")
        samples = make_samples("wires", f'"{tmp_path / "wires.toml"}"', strokes, options)
        keys.append({item.file: item.key for item in samples.plan.items()})
    assert keys[0].items() < keys[1].items()
    assert len({*keys[1].values(), *keys[2].values()}) == 2 * len(keys[1])


def test_a_sound_that_is_replaced_removes_the_old_map(tmp_path, capsys):
    """A failed command leaves no map of layers whose sounds have other strengths."""
    (tmp_path / "lid.toml").write_text(struck_object())
    sounds = tmp_path / "out" / "samples"
    sounds.mkdir(parents=True)
    for old in ("samples/lid-top-v1-r1.wav", "lid.sfz", "lid.dspreset", "other.sfz"):
        (tmp_path / "out" / old).write_text("of another command")
    (sounds / "lid-top-v1-r1.wav.json").mkdir()         # no sidecar can be written
    assert main(["sample", str(tmp_path / "lid.toml"), "-o", str(tmp_path / "out"), "--at", "top",
                 "--round-robin", "1", "--layers", "1", "--length", "100ms", "--rate", "16000",
                 "--oversample", "1", "--jobs", "1", "--quiet"]) != 0
    assert [path.name for path in (tmp_path / "out").glob("*.*")] == ["other.sfz"]


def test_a_bar_set_and_steps(tmp_path):
    (tmp_path / "bars.toml").write_text(
        'model = "impact"\ngain = 0.5\n[balls.mallet]\nmass = 0.02\nradius = 0.01\n'
        'stiffness = 1e7\nexponent = 1.5\ndamping = 0.3\n[objects.set]\nkind = "bars"\n'
        'material = "rosewood"\nlowest_note = "C4"\nhighest_note = "G4"\nwidth = 0.05\n'
        'thickness = 0.02\nmodes = 4\nball = "mallet"\n[objects.set.strike]\nvelocity = 1.0\n')
    text = (tmp_path / "bars.toml").read_text()
    spec = parse_instrument(text, name="bars", shown="bars.toml")
    strokes = pitched_strokes(spec, {}, None, 3)
    assert [(one.key, one.low, one.high) for one in strokes] == [
        (60, 60, 61), (63, 62, 64), (66, 65, 67)]
    covered = [key for one in strokes for key in range(one.low, one.high + 1)]
    assert covered == list(range(60, 68))
    with pytest.raises(ParameterError, match="does not play B3; expected notes from C4 to G4"):
        pitched_strokes(spec, {}, (59, 62), 1)


def test_objects_without_a_range_of_pitches(tmp_path, capsys):
    (tmp_path / "lid.toml").write_text(struck_object())
    words = ["sample", str(tmp_path / "lid.toml"), "-o", str(tmp_path / "out")]
    refused("sample", capsys, tmp_path, 2, "has no range of pitches; expected --at and the names "
            "of strokes, such as --at top", *words[1:], "--notes", "c3..c4")
    refused("sample", capsys, tmp_path, 2, "no part tap; did you mean top?", *words[1:], "--at",
            "tap")
    assert main([*words, "--at", "top", "--layers", "1", "--round-robin", "1", "--length", "200ms",
                 "--rate", "16000", "--oversample", "1", "--jobs", "1", "--quiet"]) == 0
    regions = read_sfz((tmp_path / "out" / "lid.sfz").read_text())
    assert [(one["lokey"], one["sample"], one["loop_mode"]) for one in regions] == [
        ("36", "lid-top-v1-r1.wav", "one_shot")]
    assert "seq_position" not in regions[0]
    # a one-shot has no envelope: a release would fade it from the note off
    root = ET.parse(tmp_path / "out" / "lid.dspreset").getroot()
    assert root.find("groups").get("release") is None
    assert [one.get("ampEnvEnabled") for one in root.iter("sample")] == ["false"]


def test_names_of_other_scripts_have_their_own_files():
    text = struck_object()
    top = text[text.index("[objects.top"):]
    names = ("ä", "ö")
    spec = parse_instrument(
        text.replace(top, "\n".join(top.replace("objects.top", f'objects."{name}"')
                                    for name in names)), name="lids", shown="lids.toml")
    assert [one.name for one in named_strokes(spec, names)] == ["_", "__37"]


@pytest.mark.parametrize(("words", "message"), [
    (["--notes", "e5..e2"], "expected the lower note first"),
    (["--notes", "h2"], "expected a range of notes"),
    (["--notes", ""], "--notes is empty; expected a range of notes"),
    (["--notes", "a2..a3"], "does not play A2; expected notes from A3 to F4"),
    (["--layers", "0"], "--layers is 0; expected a whole number from 1 to 32"),
    (["--length", "0"], "--length is 0; expected a time from 0.1 to 60 s"),
    (["--at", "low,"], "expected the names of strokes"),
    (["--at", ""], "expected the names of strokes"),
    (["--at", "low", "--notes", "a3"], "do not go together"),
])
def test_mistakes_are_reported(tmp_path, capsys, words, message):
    (tmp_path / "wires.toml").write_text(TEXT)
    refused("sample", capsys, tmp_path, 2, message, str(tmp_path / "wires.toml"), "-o",
            str(tmp_path / "out"), *words)


def test_a_file_in_place_of_the_sounds_is_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wires.toml").write_text(TEXT)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "samples").touch()
    assert main(["sample", "wires.toml", "-o", "out"]) == 2
    assert "out/samples is not a folder; expected a folder" in capsys.readouterr().err


def test_layers_cover_all_velocities():
    for count in range(1, 33):
        layers = velocity_layers(count)
        assert [value for low, high in layers for value in range(low, high + 1)] == list(
            range(1, 128))
    assert parse_range("Bb2 .. c3") == (46, 48)


def test_warnings_that_differ_in_numbers_alone_are_one(tmp_path, capsys):
    """Its place is the instrument and the note: the score of a sound is no file."""
    assert main(["sample", "sitar", "-o", str(tmp_path / "s"), "--notes", "e4..g4", "--layers", "1",
                 "--round-robin", "1", "--length", "100ms", "--dry-run"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and ".score" not in lines[0]
    assert lines[0].startswith("pysitar: warning: sitar, g4: i.baj at 392.")
    assert lines[0].endswith("(and 3 other strokes)")
