"""The same bits three ways: plain, without the CPU features that NumPy dispatches on, and from a build without clones.

hashes.py SCORE PYTHON, where PYTHON has a pysitar that was built with PYSITAR_CLONES empty; exit code 1 and the reason if a hash
moves, or if the check would have seen nothing.
"""
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

CLONE = b"arch_x86_64_v3"                     # in the name of every clone's symbol


def measure(score):
    """Render in this process; the hash of its samples and of NumPy's own exp, and what they were made with."""
    import numpy as np
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    import pysitar

    audio = pysitar.render(pysitar.load_score(score), rate=48000, oversample=2).audio
    folder = Path(pysitar.__file__).parent
    points = np.linspace(-20.0, 20.0, 100_000)
    control = np.exp(points).tobytes() + np.exp(points.astype(np.float32)).tobytes()      # one of them differs: which, is NumPy's affair
    return {
        "sound": hashlib.sha256(repr(audio.shape).encode() + audio.tobytes()).hexdigest(),
        "shape": audio.shape,
        "peak": float(np.abs(audio).max()),
        "control": hashlib.sha256(control).hexdigest(),
        "features": [name for name in __cpu_dispatch__ if __cpu_features__.get(name)],
        "avx2": bool(__cpu_features__.get("AVX2")),
        "clones": any(CLONE in library.read_bytes() for library in (folder / "kernels").glob("*.so")),
        "folder": str(folder),
    }


def measured(python, score, **changes):
    """What a process of its own measures, under a changed environment."""
    command = [python, __file__, "measure", score]
    done = subprocess.run(command, env=os.environ | changes, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def problems(plain, disabled, baseline):
    """What is wrong with three measurements, and what would have made the comparison empty."""
    if not plain["peak"] > 1e-4:
        yield f"the score is silent (peak {plain['peak']})"
    if not plain["clones"]:
        yield "the plain build has no clones"
    if baseline["clones"] or baseline["folder"] == plain["folder"]:
        yield f"the build without clones has clones: {baseline['folder']}"
    if disabled["features"]:
        yield f"NumPy kept {disabled['features']} although told not to"
    if plain["avx2"] and disabled["control"] == plain["control"]:
        yield "NumPy's exp is the same with and without its CPU features, so the comparison shows nothing"
    if disabled["sound"] != plain["sound"]:
        yield "the samples depend on NumPy's CPU features"
    if baseline["sound"] != plain["sound"]:
        yield "the samples depend on the kernels' clones"


def main(score, python):
    plain = measured(sys.executable, score)
    disabled = measured(sys.executable, score, NPY_DISABLE_CPU_FEATURES=" ".join(plain["features"]))
    baseline = measured(python, score)
    for name, way in (("plain", plain), ("disabled", disabled), ("baseline", baseline)):
        print(f"{name:9} sound {way['sound'][:16]}  exp {way['control'][:16]}  clones {way['clones']}  NumPy {' '.join(way['features'])}")
    wrong = list(problems(plain, disabled, baseline))
    print("\n".join(wrong) or f"the same bits three ways: {plain['shape'][0]} frames, peak {plain['peak']:.4f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        print(json.dumps(measure(sys.argv[2])))
    else:
        sys.exit(main(*sys.argv[1:]))
