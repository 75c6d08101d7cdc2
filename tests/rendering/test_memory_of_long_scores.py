"""A score of 300 plucks is streamed in memory that does not grow with the sound."""
import gc
import itertools
import tracemalloc

import pysitar
from pysitar.rendering.engine import open_engine

PLUCKS = 300
APART = 0.005          # s
# bytes: under 16 for each of the 200 plucks of a slice, so one object kept for a pluck (at least
# 16 bytes) would be too much; what remains are the counters of the engine, which are replaced by
# larger numbers: measured 0.2 to 1.7 kB
GROWTH = 3000


def kept(blocks):
    """The traced memory (bytes) once so many blocks of a render were given out."""
    for _ in blocks:
        pass
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def test_streaming_many_plucks_keeps_nothing():
    rows = "".join(f"{APART * index:.6g}s g.e2 pluck dur=0\n" for index in range(PLUCKS))
    score = pysitar.load_score(
        text="use guitar as g\nset g.e2.pick.noise = 0\n"
             f"render rate=8000 oversample=1 tail=0\n{rows}")
    blocks = open_engine(score).blocks(400)          # ten plucks each
    kept(itertools.islice(blocks, 4))
    tracemalloc.start()
    try:
        first = kept(itertools.islice(blocks, 4))
        second = kept(itertools.islice(blocks, 20))
    finally:
        tracemalloc.stop()
    assert second - first < GROWTH
