"""The same bits four times: plain, without the CPU features that NumPy dispatches on, with a C
library that believes in no FMA and no AVX2, and from a build without clones.

hashes.py SCORE PYTHON, where PYTHON has a pysitar that was built with PYSITAR_CLONES empty; exit
code 1 and the reason if a hash moves, or if the check would have seen nothing. """
import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

CLONE = b"arch_x86_64_v3"                     # in the name of every clone's symbol
# the names of glibc 2.33 and later, and those before; it ignores one that it does not know
NO_FMA = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-FMA_Usable,-FMA4_Usable,-AVX2_Usable"


def measure(score):
    """Render in this process; the hash of its samples, of NumPy's own exp and of the C library's,
    and what they were made with."""
    import math

    import numpy as np
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    import pysitar

    audio = pysitar.render(pysitar.load_score(score), rate=48000, oversample=2).audio
    folder = Path(pysitar.__file__).parent
    points = np.linspace(-20.0, 20.0, 100_000)
    # one of them differs: which, is NumPy's affair
    control = np.exp(points).tobytes() + np.exp(points.astype(np.float32)).tobytes()
    return {
        "sound": hashlib.sha256(repr(audio.shape).encode() + audio.tobytes()).hexdigest(),
        "shape": audio.shape,
        "peak": float(np.abs(audio).max()),
        "control": hashlib.sha256(control).hexdigest(),
        "libm": hashlib.sha256(
            repr([(math.exp(x), math.sin(x), math.pow(x * x, 1.3))
                  for x in points.tolist()]).encode()).hexdigest(),
        "features": [name for name in __cpu_dispatch__ if __cpu_features__.get(name)],
        "avx2": bool(__cpu_features__.get("AVX2")),
        "fma": bool(__cpu_features__["FMA3"]),
        "libc": platform.libc_ver()[0],
        "clones": any(CLONE in library.read_bytes()
                      for library in (folder / "kernels").rglob("*.so")),
        "folder": str(folder),
    }


def measured(python, score, **changes):
    """What a process of its own measures, under a changed environment."""
    command = [python, __file__, "measure", score]
    done = subprocess.run(command, env=os.environ | changes, stdout=subprocess.PIPE, check=True,
                          text=True)
    return json.loads(done.stdout.splitlines()[-1])


def problems(plain, disabled, other, baseline):
    """What is wrong with four measurements, and what would have made the comparison empty."""
    if not plain["peak"] > 1e-4:
        yield f"the score is silent (peak {plain['peak']})"
    if not plain["clones"]:
        yield "the plain build has no clones"
    if baseline["clones"] or baseline["folder"] == plain["folder"]:
        yield f"the build without clones has clones: {baseline['folder']}"
    if disabled["features"]:
        yield f"NumPy kept {disabled['features']} although told not to"
    if plain["avx2"] and disabled["control"] == plain["control"]:
        yield ("NumPy's exp is the same with and without its CPU features, so the comparison "
               "shows nothing")
    if plain["fma"] and plain["avx2"] and other["libm"] == plain["libm"]:
        yield ("the C library's exp, sin and pow are the same with and without FMA "
               f"({plain['libc']}), so the comparison shows nothing")
    if other["sound"] != plain["sound"]:
        yield "the samples depend on the C library's exp, sin or pow"
    if disabled["sound"] != plain["sound"]:
        yield "the samples depend on NumPy's CPU features"
    if baseline["sound"] != plain["sound"]:
        yield "the samples depend on the kernels' clones"


def main(score, python):
    plain = measured(sys.executable, score)
    disabled = measured(sys.executable, score, NPY_DISABLE_CPU_FEATURES=" ".join(plain["features"]))
    other = measured(sys.executable, score, GLIBC_TUNABLES=NO_FMA)
    baseline = measured(python, score)
    for name, found in (("plain", plain), ("disabled", disabled), ("no FMA", other), ("baseline",
                                                                                      baseline)):
        print(
            f"{name:9} sound {found['sound'][:16]}  NumPy's exp {found['control'][:8]}  libm "
            f"{found['libm'][:8]}  "
            f"clones {found['clones']}  NumPy {' '.join(found['features'])}")
    wrong = list(problems(plain, disabled, other, baseline))
    print("\n".join(wrong)
          or f"the same bits four times: {plain['shape'][0]} frames, peak {plain['peak']:.4f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        print(json.dumps(measure(sys.argv[2])))
    else:
        sys.exit(main(*sys.argv[1:]))
