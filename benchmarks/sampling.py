"""How long records take beside the reference workload, on a machine that does other things as well.

The time of a thread does not pass while the thread waits, but a neighbour on the same core, another
clock or a cold cache make it up to half longer, for milliseconds or for minutes, and not by the
same factor for each workload. They never make it shorter. So a record is done in pieces of about a
millisecond, again and again, the rounds of one record between those of the others; the minimum of
each piece is kept, and the sum of the minima is what the record takes undisturbed. The reference
workload is timed before each of them and has its minimum too. A record that seems slow is sampled
for longer: that can only correct it.

Starts of processes cannot be cut into pieces; each has a start of Python beside it, which the same
disturbance slows by the same factor, and the median of the quotients is kept.
"""
import gc
from collections.abc import Iterable, Mapping
from statistics import median

from benchmarks.records import Record
from benchmarks.reference import reference

FEWEST, ENOUGH, MOST = 3, 24, 150       # rounds
LONG = 0.8                      # s of a record in all, after which ENOUGH rounds are enough
STARTS = 5                      # rounds of processes
NEAR = 1.04                     # times the expected ratio, near enough to end


class Sample:
    """The times of one record so far."""

    def __init__(self, record: Record) -> None:
        self.record, self.workload = record, record.make()
        self.minima: list[float] = []
        self.quotients: list[float] = []
        self.spent = 0.0
        self.workload()
        record.check(self.workload)

    def time_pieces(self) -> list[float]:
        """Do the workload once; return the time (s) of each piece."""
        clock, times = self.record.clock, []
        pieces = self.workload.pieces() if hasattr(self.workload, "pieces") else None
        end = object()
        while True:
            begin = clock()
            result = self.workload() if pieces is None else next(pieces, end)
            times.append(clock() - begin)
            if pieces is None or result is end:
                return times

    def add(self, beside: float) -> None:
        """Do the workload once more; beside, the time (s) of the reference just before."""
        times = self.time_pieces()
        self.quotients.append(sum(times) / beside)
        self.spent += sum(times)
        self.minima = smaller(self.minima, times)

    def ratio(self, undisturbed: float) -> float:
        """Return the time of the record by that of its reference (s), both undisturbed."""
        if self.record.reference == "process":
            return median(self.quotients)
        return sum(self.minima) / undisturbed

    def is_done(self, ratio: float, expected: float | None) -> bool:
        """Return whether it needs no more rounds."""
        rounds = len(self.quotients)
        if self.record.reference == "process":
            return rounds >= STARTS
        if rounds >= MOST or (rounds >= ENOUGH and self.spent >= LONG):
            return True
        return rounds >= FEWEST and expected is not None and ratio <= NEAR * expected


def smaller(minima: list[float], times: list[float]) -> list[float]:
    """Return the minima of pieces, with those of one more round."""
    return [min(pair) for pair in zip(minima or times, times, strict=True)]


def measure(records: Iterable[Record],
            expected: Mapping[str, float] | None = None) -> dict[str, float]:
    """Return the ratios of records to their references.

    Parameters: expected, ratios by name: sampling of a record ends when it is near its own, or
    after enough rounds.
    """
    samples = [Sample(record) for record in records]
    clocks = {sample.record.reference: sample.record.clock for sample in samples}
    references = {kind: reference(kind) for kind in clocks}
    undisturbed = dict.fromkeys(clocks, float("inf"))
    for workload in references.values():
        workload()
    ratios: dict[str, float] = {}
    gc.collect()
    gc.disable()
    try:
        while samples:
            for sample in samples:
                kind = sample.record.reference
                begin = clocks[kind]()
                references[kind]()
                beside = clocks[kind]() - begin
                undisturbed[kind] = min(undisturbed[kind], beside)
                sample.add(beside)
            ratios |= {sample.record.name: sample.ratio(undisturbed[sample.record.reference])
                       for sample in samples}
            samples = [sample for sample in samples if not sample.is_done(
                ratios[sample.record.name], (expected or {}).get(sample.record.name))]
    finally:
        gc.enable()
    return ratios
