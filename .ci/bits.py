"""The same bits from several Pythons: bits.py SCORE PYTHON PYTHON ...

Each renders the score with the pysitar that it has; exit code 1 if a hash differs, or if two of
them have the same package, so that the comparison shows nothing."""
import hashlib
import json
import subprocess
import sys
from pathlib import Path


def measure(score):
    """Render in this process; return the hash of the samples and what made them."""
    import numpy as np

    import pysitar

    audio = pysitar.render(pysitar.load_score(score), rate=48000, oversample=2).audio
    return {"sound": hashlib.sha256(repr(audio.shape).encode() + audio.tobytes()).hexdigest(),
            "peak": float(np.abs(audio).max()), "python": sys.version.split()[0],
            "numpy": np.__version__, "place": [str(Path(pysitar.__file__).parent), sys.version,
                                               np.__version__]}


def main(score, *pythons):
    results = [json.loads(subprocess.run([python, "-P", __file__, score], check=True,
                                         stdout=subprocess.PIPE, text=True).stdout)
               for python in pythons]
    for result in results:
        print(f"Python {result['python']}, NumPy {result['numpy']}: {result['sound'][:16]}, peak "
              f"{result['peak']:.4f}")
    places = {tuple(result["place"]) for result in results}
    same = len({result["sound"] for result in results}) == 1
    if not same:
        print("the samples differ")
    if len(places) < len(results):
        print("two of them are the same package, Python and NumPy; expected different ones")
    return 0 if same and len(places) == len(results) and results[0]["peak"] > 1e-4 else 1


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(json.dumps(measure(sys.argv[1])))
    else:
        sys.exit(main(*sys.argv[1:]))
