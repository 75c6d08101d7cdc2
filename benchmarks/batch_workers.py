"""How near two local workers of a batch come to twice the speed of one: python
benchmarks/batch_workers.py [ROUNDS]

Items of about 0.1 s of computing, one worker and two in turn. Told for each round: the time of both
from the first items that are made to the last, so that the start of processes is not in it, and one
/ (2 x two): 1 is ideal. `spin` is the same for two processes that only count, which is what the
machine itself can give at that moment. """
import multiprocessing
import sys
import tempfile
import time
from pathlib import Path

from pysitar.api.request import Request
from pysitar.app.batch.items import BatchOptions, make_plan
from pysitar.app.batch.render_item import MAKE, Setup
from pysitar.app.workers.pool import Workers
from pysitar.score.parser import read_score

ITEMS = 40
SCORE = ("use tanpura as t\nrender tail=0 channels=1\n"
         f"draw t.pa.pluck.force ~ uniform(0.2N, 0.8N) n={ITEMS}\n0 t.pa pluck dur=0.25s\n")


def spent(jobs: int, folder: Path) -> float:
    """The time (s) for all items but those that are made first."""
    score = folder / "x.score"
    score.write_text(SCORE)
    wanted = BatchOptions(request=Request())
    plan = make_plan([read_score(str(score))], wanted)
    with tempfile.TemporaryDirectory(dir=folder) as place, Workers(jobs,
                                                                   Setup.of(plan, place, wanted),
                                                                   function=MAKE) as workers:
        ends = [time.perf_counter() for _ in workers.outcomes(plan.items())]
    return (ends[-1] - ends[jobs]) / (len(ends) - 1 - jobs) * ITEMS


def count(until: int = 3_000_000) -> None:
    """Something that takes a CPU for a while."""
    total = 0
    for number in range(until):
        total += number


def spin(jobs: int) -> float:
    """The time (s) of two counts by so many processes."""
    begin = time.perf_counter()
    for _ in range(2 // jobs):
        processes = [multiprocessing.Process(target=count) for _ in range(jobs)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
    return time.perf_counter() - begin


def main(rounds: int) -> None:
    """Tell of each round."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            one, two = spent(1, Path(folder)), spent(2, Path(folder))
            ideal = spin(1) / (2 * spin(2))
            print(
                f"{one / ITEMS:.3f} s an item; one {one:.2f} s, two {two:.2f} s: "
                f"{one / (2 * two):.2f}; spin {ideal:.2f}",
                flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
