"""Looks at what was packed and what it rendered: packed.py FILE.whl, or packed.py FILE.wav; exit
code 1 and the reason if it is wrong."""
import sys
import wave
import zipfile
from pathlib import PurePosixPath

WANTED = {".so", ".pxd", ".pyi", ".h", ".py", ".toml", ".html", ".css", ".js", ".score"}
ALLOWED = WANTED | {".typed", ".pyx"}


def wheel_problems(path):
    with zipfile.ZipFile(path) as wheel:
        names = [PurePosixPath(name) for name in wheel.namelist()]
    own = [name for name in names if name.parts[0] == "pysitar"]
    strangers = [
        name for name in names
        if name.parts[0] != "pysitar" and not name.parts[0].endswith(".dist-info")
    ]
    suffixes = {name.suffix for name in own}
    modules = {(name.parent, name.name.split(".")[0]) for name in own if name.suffix == ".so"}
    stubs = {(name.parent, name.stem)
             for name in own if name.suffix == ".pyi" and "kernels" in name.parts}
    if strangers:
        yield f"outside pysitar/: {strangers[:5]}"
    if PurePosixPath("pysitar/py.typed") not in own:
        yield "no py.typed"
    if WANTED - suffixes:
        yield f"no file with the ending {sorted(WANTED - suffixes)}"
    if stubs - modules:
        missing = [str(parent / name) for parent, name in sorted(stubs - modules)]
        yield f"kernels that were not built: {missing}"
    if suffixes - ALLOWED:
        others = [str(name) for name in own if name.suffix not in ALLOWED]
        yield f"files that do not belong: {others[:5]}"


def sound_problems(path):
    with wave.open(path) as file:
        data = file.readframes(file.getnframes())
        if file.getframerate() != 48000 or file.getsampwidth() != 3:
            yield f"{file.getparams()}"
    if len(data) < 48000 * 3 or not any(data):
        yield f"{len(data)} bytes of sound, or silence"


if __name__ == "__main__":
    name = sys.argv[1]
    wrong = list(wheel_problems(name) if name.endswith(".whl") else sound_problems(name))
    print("\n".join(wrong) or f"{PurePosixPath(name).name}: as it should be")
    sys.exit(1 if wrong else 0)
