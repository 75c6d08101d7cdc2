"""Strikes, drops, rolls, hammers, throws and strums: flat scores have the same bits, and are
unchanged when flattened again."""
import numpy as np
import pytest

import pysitar
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.options import options

MASS = ('model = "lumped"\ngain = 1\n[masses.a]\nmass = 0.01\nstiffness = 1e6\nexponent = 1.3\n'
        '[masses.a.throw]\nvelocity = 1\ngap = 1e-3\n')
HEAD = "render rate=16000 oversample=1 seed=7 tail="
SCORES = {
    "objects struck and dropped on": f"use wood_table as t\nuse glass as g\n{HEAD}0.1\ntempo 300\n"
    + """section a
0 t.* drop irregularity=0.3
0 g.* strike
0.1 t.table drop irregularity=0.2 h=2cm
0.15 g.* strike m=3g v=0.4 K=1e7
end
play a times=2 every=0.2 f=*0.5
""",
    "a rolled ball": f"use wood_table as t\n{HEAD}0.05\ntempo 90\ntempo 0.2 90 -> 200 @ 1\n"
    "0.1 t.table roll v=(0:0.1m/s 1:0.4m/s/cos 1:0.1m/s 0.9s:0.2m/s/pow2) dur=0.6\n",
    "strums": f"use guitar as g\n{HEAD}0.05\ntempo 311\n" + """section a
0 g strum E2 B2 E3 G3 B3 E4 spread=60ms dir=up f=0.5N
0.01 g.a2 pluck B2
0.9 g.* damp t60=100ms
end
play a times=2 every=1 f=*0.7^ transpose=-37.5c
0.02 g strum f=1N dur=0.2s
1.3 g strum +1st +1st +1st +1st +1st +1st x=0.3 spread=0
""",
    "strums with ornaments": f"use guitar as g\n{HEAD}0.02\ntempo 600\n0 g strum gamak=+1st "
                             f"rate=20Hz\n"
    "1.5 g strum A2 B2 E3 G3 B3 E4 meend=+0.5st dir=up\n",
    "hammers": f"use santoor as s\n{HEAD}0.03\n0 s.sa_* strike v=1\n0.02 s.sa_* strike v=1.5 "
               f"m=3g\n",
    "thrown masses": f'use "mass.toml" as m\n{HEAD}0.005\n0 m.* throw v=1m/s\n0.003 m.a throw '
                     f'v=1.5 \n',
}


@pytest.mark.parametrize("name", SCORES)
def test_the_same_bits_and_itself_again(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mass.toml").write_text(MASS)
    score = pysitar.load_score(text=SCORES[name])
    text = flatten_score(score, bind(score, options(score)))
    flat = pysitar.load_score(text=text)
    assert flatten_score(flat, bind(flat, options(flat))) == text
    first, second = pysitar.render(score), pysitar.render(flat)
    assert np.abs(first.audio).max() > 1e-4
    np.testing.assert_array_equal(first.audio, second.audio)
    words = {line.split()[2] for line in text.splitlines() if line[0].isdigit()}
    assert words == {"objects struck and dropped on": {"strike", "drop"}, "a rolled ball": {"roll"},
                     "strums": {"pluck", "damp"}, "strums with ornaments": {"pluck", "bend"},
                     "hammers": {"strike"}, "thrown masses": {"throw"}}[name]


def test_a_strum_is_one_pluck_a_string_in_equal_steps():
    score = pysitar.load_score(text="use guitar as g\nplay a at=1\nsection a\n0 g strum E2 B2 E3 "
                               "G3 B3 E4 spread=50ms dir=up f=0.5N dur=1s\nend\n")
    rows = [line for line in flatten_score(score, bind(score, options(score))).splitlines()
            if line[0].isdigit()]
    parts = [row.split() for row in rows]
    assert [part[1:3] for part in parts] == [[f"g.{name}", "pluck"]
                                             for name in ("e4", "b3", "g3", "d3", "a2", "e2")]
    assert [float(part[0].removesuffix("s"))
            for part in parts] == pytest.approx([1.0 + 0.01 * step for step in range(6)], abs=1e-12)
    hz = [440.0 * 2.0 ** (semitones / 12) for semitones in (-5, -10, -14, -17, -22, -29)]
    assert [float(part[3].removesuffix("Hz")) for part in parts] == pytest.approx(hz, rel=1e-12)
    assert {" ".join(part[4:]) for part in parts} == {"dur=1s f=0.5N"}
