"""A score has the same bits where the C library uses no FMA, and rounds exp, sin and pow
otherwise."""
import hashlib
import json
import math
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np

import pysitar

try:
    from numpy._core._multiarray_umath import __cpu_features__
except ImportError:             # NumPy 1
    from numpy.core._multiarray_umath import __cpu_features__

# the names of glibc 2.33 and later, and those before; it ignores one that it does not know
TUNABLES = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-FMA_Usable,-FMA4_Usable,-AVX2_Usable"
SCORE = """
use tanpura as t
use wood_table as w
render tail=50ms oversample=1
tuning sa=C#3 just
tempo 0 60 -> 90 @ 1
set t.pa.barrier.exponent = 1.3
set t.pa.barrier.stiffness = 2e10
0    t.pa     pluck x=0.3
0.1  t.pa     fret re glide=50ms
0.1  w.table  roll v=0.3m/s dur=0.1
0.2  w.table  drop h=1mm
mix t gain=-3dB pan=-0.2
"""


def resonators():
    """Bytes of the modes of a plate, a head in air and a tuned bar, solved in each way there is."""
    steel = pysitar.material("steel")
    head = pysitar.LoadedMembrane(radius=0.065, tension=4000.0, surface_density=0.25, modes=12,
                                  load=[(0.0, 2.7), (0.48, 1.5)], cavity=1e-3, air_sides=1)
    bar = pysitar.tuned_bar(frequency=262.0, ratios=(4.0, 9.5), width=0.06, thickness=0.022,
                            material=pysitar.material("rosewood"), modes=6)
    plate = pysitar.RectangularPlate(length=0.4, width=0.3, thickness=0.002, material=steel,
                                     modes=20)
    disc = pysitar.CircularPlate(radius=0.2, thickness=0.002, material=steel, modes=20)
    places = ((plate, (0.3, 0.2)), (disc, (0.3, 0.2)), (head, (0.3, 0.2)), (bar, 0.3))
    return b"".join(part.tobytes() for body, place in places for part in (
        body.frequencies, body.decay_rates, body.masses, body.shape(place)))


def bits():
    """Hashes of the samples of the score, with the modes of resonators, and of the C library's own
    exp, sin and pow."""
    audio = pysitar.render(pysitar.load_score(text=SCORE)).audio
    assert audio.shape[0] > 10_000 and np.abs(audio).max() > 0.01
    points = np.linspace(-20.0, 20.0, 20_000).tolist()
    own = [(math.exp(x), math.sin(x), math.pow(x * x, 1.3)) for x in points]
    parts = audio.tobytes() + resonators(), repr(own).encode()
    return [hashlib.sha256(part).hexdigest() for part in parts]


def test_a_score_has_the_same_bits_without_fma():
    sound, libm = bits()
    command = [sys.executable, str(Path(__file__))]
    environment = os.environ | {"GLIBC_TUNABLES": TUNABLES}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    sound_without, libm_without = json.loads(done.stdout)
    has_fma = __cpu_features__["FMA3"] and __cpu_features__["AVX2"]
    if has_fma and platform.libc_ver()[0] == "glibc":
        assert libm_without != libm, "the C library did not change, so this test shows nothing"
    assert sound_without == sound


if __name__ == "__main__":
    print(json.dumps(bits()))
