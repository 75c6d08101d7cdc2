"""The first sound of an installed pysitar, far from its sources: the scores are copied, and the
first lesson is rendered, by the commands of the README; exit code 1 if there is no sound, or not
within 15 s of CPU time, on a machine that does nothing else 15 s by the clock."""
import os
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

LONGEST = 15.0      # s


def run(*words, folder):
    print("$ pysitar", *words, flush=True)
    subprocess.run([sys.executable, "-P", "-m", "pysitar", *words], cwd=folder, check=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        run("scores", "--copy", folder=folder)
        run("render", "scores/tutorial/01_first.score", "-o", "first.wav", "--jobs", "1",
            folder=folder)
        wall, times = time.perf_counter() - begin, os.times()
        spent = times.children_user + times.children_system
        with wave.open(str(Path(folder, "first.wav"))) as file:
            seconds = file.getnframes() / file.getframerate()
            audible = any(file.readframes(file.getnframes()))
    print(f"{seconds:.1f} s of sound in {wall:.1f} s, {spent:.1f} s of CPU time")
    return 0 if audible and spent <= LONGEST else 1


if __name__ == "__main__":
    sys.exit(main())
