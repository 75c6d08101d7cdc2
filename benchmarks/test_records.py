"""The records of the speed history, by pytest-benchmark; `python -m benchmarks.speed` compares them
with the history."""
import time

import pytest

import pysitar
from benchmarks.records import RECORDS, children_time

NAMES = [record.name for record in RECORDS]
TWO_THREADS = "use tanpura as t\nrender tail=0.2s\n0 t.* pluck dur=0\n"


@pytest.mark.parametrize("record", [
    pytest.param(record, id=record.name,
                 marks=pytest.mark.benchmark(timer=record.clock)) for record in RECORDS])
def test_record(benchmark, record):
    workload = record.make()
    benchmark(workload)
    record.check(workload)


@pytest.mark.benchmark(timer=time.process_time)
def test_render_in_two_threads(benchmark):
    score = pysitar.load_score(text=TWO_THREADS)
    report = benchmark(lambda: pysitar.render(score, jobs=2)).report
    assert report["residual"] <= 1e-12 and report["failed_solves"] == 0


def test_names_are_unique_and_clocks_fit():
    assert len(set(NAMES)) == len(NAMES)
    assert all((record.clock is children_time) == (record.reference == "process")
               for record in RECORDS)
