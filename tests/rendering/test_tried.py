"""Faults known from other programs: energy from nothing, a cut end, a frame too many, an unchecked
value."""
import math

import numpy as np
import pytest
from instruments import instrument, string
from score_texts import check_text

import pysitar
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.options import options

BRIDGE = {"profile": "parabola", "extent": 0.02, "height": 0.0, "points": 12, "stiffness": 1e7}


@pytest.fixture(autouse=True)
def folder(here):
    for name, more in {"lossless": {}, "lossy": {"sigma0": 40.0},
                       "bridge": {"barrier": BRIDGE}}.items():
        wire = string(pitch=300.0, length=0.6, lowest=-24, highest=24, **more,
                      pluck={"position": 0.3, "force": 0.5})
        (here / f"{name}.toml").write_text(instrument(wire))


FALLING = "".join(f"{index / 10:g} w.a {verb} {12 - 2 * index:+d}st\n"
                  for index, verb in enumerate(["pluck"] + ["fret"] * 9))


@pytest.mark.parametrize("name", ["lossless", "bridge"])
def test_falling_notes_build_up_no_energy(name):
    """After the one pluck nothing is put in: a falling tension takes energy out, and on a string
    without losses nothing else does."""
    text = f'use "{name}.toml" as w\nrender rate=24000 oversample=1 tail=0\n{FALLING}'
    result = pysitar.render(pysitar.load_score(text=text), traces=True)
    kinetic, potential, contact, *_ = result.traces["w.a.energy"].T
    stored = kinetic + potential + contact
    after = stored[math.ceil(0.01 * 24000 / 64):]          # the pluck is over at 6 ms
    # each reading is exact to the balance that a render is held to, 1e-9 of the greatest
    assert np.all(np.diff(after) <= 1e-9 * stored.max())
    # nine falls by 2 semitones: the frequencies fall by 2^(18/12), and a slow fall keeps energy
    # over frequency
    if name == "lossless":
        assert after[-1] == pytest.approx(after[0] * 2.0**-1.5, rel=0.1)
    assert result.report["residual"] < 1e-9 and result.report["failed_solves"] == 0


def stored(rows):
    """The energy (J) of the string without losses at each reading."""
    text = f'use "lossless.toml" as w\nrender rate=24000 oversample=1 tail=0\n{rows}'
    return pysitar.render(pysitar.load_score(text=text),
                          traces=True).traces["w.a.energy"][:, :3].sum(axis=1)


def test_repeated_plucks_have_no_more_energy_than_their_work():
    """Waves of one string add up: at most to the square of the sum of the roots of what each pluck
    gives the string at rest."""
    rows = FALLING.replace("fret", "pluck").splitlines()
    alone = [stored(f"0 {row.split(' ', 1)[1]} dur=20ms\n")[-1] for row in rows]
    together = stored("\n".join(rows) + "\n")
    assert max(alone) < together.max() <= np.sqrt(alone).sum() ** 2


def test_an_event_at_the_very_end_keeps_its_tail():
    head = ('use "lossy.toml" as w\n'
            'render rate=48000 oversample=1 channels=1 floor=-80 fade=0 tail=TAIL\n')

    def audio(tail, row):
        return pysitar.render(pysitar.load_score(text=head.replace("TAIL", tail) + row)).audio[:, 0]

    first, last = audio("0.25s", "0 w.a pluck dur=0"), audio("0.25s", "1s w.a pluck dur=0")
    assert (len(first), len(last)) == (12000, 60000) and not last[:48000].any()
    np.testing.assert_array_equal(last[48000:], first)
    whole = audio("auto", "1s w.a pluck dur=0")
    np.testing.assert_array_equal(whole[:60000], last)
    # 60 dB at a rate of 40 1/s take 6.9 / 40 = 0.17 s; the floor of -80 dB comes after 0.23 s
    assert len(whole) > 48000 * 1.23 and np.abs(whole[-480:]).max() < 1e-4 * np.abs(whole).max()


@pytest.mark.parametrize("row",
                         ["0 w.a pluck", "0.25 w.a pluck dur=750ms", "1 w.a pluck dur=0",
                          "0 w.a pluck\n1s w.a damp dur=0", "tempo 120\n0 w strum dur=2 spread=0"])
def test_a_second_has_48000_frames(row):
    result = pysitar.render(pysitar.load_score(
        text=f'use "lossy.toml" as w\nrender rate=48000 oversample=1 tail=0\n{row}\n'))
    assert result.audio.shape == (48000, 2)


def test_a_scale_of_ratios_cents_and_comments_beyond_the_octave(tmp_path):
    (tmp_path / "bp.scl").write_text(
        "! bp.scl\n!\nBohlen-Pierce, some of it\n 5\n! a comment\n 27/25  the first\n 301.847\n"
        "! another\n 7/5\n 1466.871 cents\n 3/1\n")
    text = ('use "lossy.toml" as w\ntuning sa=150Hz scala "bp.scl"\n'
            + "".join(f"{index} w.a pluck {pitch}\n" for index,
                      pitch in enumerate(["d0", "d1", "d2", "d3-5c", "d4", "d0'", "d3'"])))
    score = pysitar.load_score(text=text)
    cents = [0.0, 1200 * math.log2(27 / 25), 301.847, 1200 * math.log2(7 / 5) - 5, 1466.871,
             1200 * math.log2(3), 1200 * math.log2(3 * 7 / 5)]
    assert [event.hz for event in bind(score, options(score)).voices[0].events] == pytest.approx(
        [150 * 2 ** (cent / 1200) for cent in cents], rel=1e-12)


HEAD = 'use "lossy.toml" as w\n'


@pytest.mark.parametrize(
    ("lines", "places"),
    [
        ("set w.a.pluck.force = 2000N\nset w.a.pluck.force = 1N", [(2, 23)]),
        ("set w.a.pluck.force = 1N\nset w.a.pluck.force = 2000N", [(3, 23)]),
        ("set w.*.pluck.force = 2000N\nset w.a.pluck.force = 1N", [(2, 23)]),
        ("set *.a.sigma0 = -1\nset w.a.pluck.force = 2000N\nset w.*.*.force = 1N\nset w.a.sigma0 "
         "= 0",
         [(2, 18), (3, 23)]),
        ("set w.a.pitch = 0Hz\nset w.a.pitch = 200Hz", [(2, 17)]),
        ("set w.gain = -1\nset w.gain = -2\nset w.gain = 1", [(2, 14), (3, 14)]),
        # right where they stand: the longer string has room for both
        ("set w.a.length = 2m\nset w.a.pluck.position = 1m\nset w.a.pluck.position = 0.1", []),
        ("set w.a.pluck.position = 1m\nset w.a.pluck.position = 0.1", [(2, 26)]),
        ("set w.gain = 2\nset w.gain = 1", []),
    ])
def test_a_wrong_value_is_reported_even_if_a_later_one_holds(lines, places):
    assert [(line, col) for line, col, _ in check_text(f"{HEAD}{lines}\n0 w.a pluck")] == places


@pytest.mark.parametrize(("use", "message"), [
    ("sitar as w scheme=3",
     "scheme is 3; expected two-point or three-point or modal-explicit or fd-iterative or "
     "fd-explicit"
     ),
    ("glass as w scheme=3", "scheme is 3; expected two-point"),
    ("glass as w scheme=foo", "scheme is foo; expected two-point"),
    ("glass as w scheme=fd-explicit", "no scheme fd-explicit; expected two-point"),
])
def test_the_schemes_that_are_offered_are_those_of_the_model(use, message):
    verb = 'pluck' if 'sitar' in use else 'strike'
    assert [(line, message)
            for line, _, message in check_text(f"use {use}\n5 w.* {verb}")] == [(1, message)]
