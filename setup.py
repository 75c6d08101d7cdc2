"""Builds the kernels; all metadata is in pyproject.toml."""
import gc
import hashlib
import os
import shutil
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

DEBUG = os.environ.get("PYSITAR_DEBUG") == "1"
# "" builds the baseline code alone: the same bits, slower
CLONES = os.environ.get("PYSITAR_CLONES", "1")
INCLUDE = ["pysitar/kernels/core"]          # where simd.h is
HEADERS = [f"{INCLUDE[0]}/{name}.h"
           for name in ("simd", "lane_factor", "lane_systems", "link_passes", "mode_passes",
                        "row_factor", "row_systems", "small_systems", "unit_rows", "elementary",
                        "elementary_tables")]
# holds the digest of the sources that are compiled
SOURCES = "pysitar.kernels.core.sources"
# one copy of Cython's own utility code, which cythonize writes
SHARED = "pysitar.kernels._cyutility"
# Modules of which no speed is asked: without clones and at -O2 they compile in 6 s, not 13.
PLAIN = {SHARED, SOURCES, "pysitar.kernels.contact.collision", "pysitar.kernels.core.network"}
if DEBUG:
    COMPILE = ["-O0", "-g1", "-ffp-contract=off", "-fsanitize=address,undefined",
               "-fno-omit-frame-pointer", "-DPYSITAR_NO_CLONES"]
    LINK = ["-fsanitize=address,undefined"]
else:
    # the two passes of gcse take a third of the time of large functions, and gain nothing here
    COMPILE = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-g0",
               "-fno-gcse", "-fno-gcse-after-reload",
               "-fno-tree-loop-distribute-patterns",    # memset and memcpy of few rows are slower
               "-Wno-attributes"]           # Cython declares inline what simd.h keeps separate
    COMPILE += [] if CLONES else ["-DPYSITAR_NO_CLONES"]
    LINK = []
PLAIN_COMPILE = COMPILE + ([] if DEBUG else ["-O2", "-DPYSITAR_NO_CLONES"])
DIRECTIVES = {
    "language_level": 3, "boundscheck": DEBUG, "wraparound": False, "initializedcheck": DEBUG,
    "cdivision": True, "embedsignature": True, "freethreading_compatible": True,
}


def sources_digest():
    """Return the SHA-256 (hex) of the kernels' sources: name, length and bytes of each file."""
    digest = hashlib.sha256()
    kernels = Path("pysitar/kernels").rglob("*")
    for path in sorted(path for path in kernels if path.suffix in {".pyx", ".pxd", ".h"}):
        data = path.read_bytes()
        digest.update(f"{path.name} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def extensions():
    sources = sorted(path.as_posix() for path in Path("pysitar/kernels").rglob("*.pyx"))
    modules = {source[:-4].replace("/", "."): source for source in sources}
    modules[SHARED] = SHARED.replace(".", "/") + ".c"
    macros = {SOURCES: [("PYSITAR_SOURCES", f'"{sources_digest()}"')]}
    return [
        Extension(name, [source], depends=HEADERS, include_dirs=INCLUDE,
                  define_macros=macros.get(name), extra_link_args=LINK,
                  extra_compile_args=PLAIN_COMPILE if name in PLAIN else COMPILE)
        for name, source in modules.items()
    ]


class Build(build_ext):
    """A build that runs Cython only where kernels are compiled; pip's other queries need none."""

    def finalize_options(self):
        super().finalize_options()
        # pip's editable build does not pass the number of compilers on
        if not self.parallel:
            usable = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))(0)
            self.parallel = len(usable)

    def run(self):
        # force: cythonize compares dates, not directives; a debug build over a release tree would
        # have no checks
        # a sixth of Cython's time is Python's search for cycles among its many nodes
        gc.set_threshold(200_000)
        generated = cythonize(extensions(), force=True, nthreads=self.parallel,
                              compiler_directives=DIRECTIVES,
                              shared_utility_qualified_name=SHARED)
        sources = {extension.name: extension.sources for extension in generated}
        for extension in self.extensions:
            extension.sources = sources[extension.name]
        # the longest first, so that no compiler waits for one that began last
        self.extensions.sort(key=lambda extension: -os.path.getsize(extension.sources[0]))
        super().run()


class BuildWithScores(build_py):
    """A build that puts scores/ into the package, where `pysitar scores` finds them; an editable
    one needs none, for they stand beside it."""

    def scores(self):
        """Yield each file of the scores, and where it is built."""
        for path in sorted(Path("scores").rglob("*")):
            if path.suffix in {".score", ".toml"}:
                yield path.as_posix(), Path(self.build_lib, "pysitar", path).as_posix()

    def run(self):
        super().run()
        if not self.editable_mode:
            for source, target in self.scores():
                self.mkpath(os.path.dirname(target))
                shutil.copyfile(source, target)

    def get_outputs(self, include_bytecode=True):
        return super().get_outputs(include_bytecode) + [target for _, target in self.scores()]

    def get_source_files(self):
        return super().get_source_files() + [source for source, _ in self.scores()]


setup(ext_modules=extensions(), cmdclass={"build_ext": Build, "build_py": BuildWithScores})
