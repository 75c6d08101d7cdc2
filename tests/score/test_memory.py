"""The free memory under each limit of a process, and the memory that a score needs."""
import os
import tracemalloc

import pytest

import pysitar
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.engine import Engine
from pysitar.rendering.options import options
from pysitar.score import memory
from pysitar.score.memory import (
    FreeMemory,
    MemoryShortageError,
    MemoryWatch,
    check_memory,
    free_memory,
    watch_memory,
)
from pysitar.score.parser import load_score
from pysitar.score.timeline import timeline

resource = pytest.importorskip("resource")
PAGE = os.sysconf("SC_PAGE_SIZE")
MEMINFO = ("MemTotal: 999 kB\nMemFree: 1 kB\nMemAvailable:    2000 kB\nSwapTotal: 90 kB\n"
           "SwapFree:     50 kB\n")


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Return the free memory for given files of the system."""
    def shown(files, limits=()):
        memory._control_group_folders.cache_clear()
        for name, text in {"proc/self/statm": "100 50 9 1 0 40 0", "proc/meminfo": MEMINFO,
                           **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        limits = dict(limits)
        monkeypatch.setattr(resource, "getrlimit", lambda which: (
            limits.get(which, resource.RLIM_INFINITY), 0))
        found = free_memory(str(tmp_path / "proc"), str(tmp_path / "groups"))
        memory._control_group_folders.cache_clear()
        return found
    return shown


def test_without_limits_it_is_what_the_machine_has(system):
    assert system({}) == (2050 * 1024, "all that the machine has")
    assert system({"proc/meminfo": "MemTotal: 1 kB\n"}).size == float("inf")


def test_limits_of_the_process_count_what_it_has_taken(system):
    assert system({}, {resource.RLIMIT_AS: 150 * PAGE}) == (50 * PAGE,
                                                            "the limit ulimit -v of this process")
    assert system({}, {resource.RLIMIT_DATA: 50 * PAGE}) == (
        10 * PAGE, "the limit ulimit -d of this process")
    assert system({}, {resource.RLIMIT_AS: 90 * PAGE}).size == 0.0


def test_a_control_group_and_those_above_it(system):
    two = {"proc/self/cgroup": "0::/a/b\n", "groups/memory.max": "max\n",
           "groups/a/memory.max": "900000\n", "groups/a/memory.current": "500000\n",
           "groups/a/memory.stat": "anon 1\ninactive_file 1000\n", "groups/a/b/memory.max": "max\n"}
    assert system(two) == (401_000, "the limit of its control group")
    assert system({**two, "groups/a/b/memory.max": "600000",
                   "groups/a/b/memory.current": "590000"}).size == 10_000
    one = {"proc/self/cgroup": "9:cpu:/\n4:cpuset,memory:/x\n",
           "groups/memory/memory.limit_in_bytes": "700000",
           "groups/memory/memory.usage_in_bytes": "100000",
           "groups/memory/x/memory.limit_in_bytes": str(2**63 - 4096)}
    assert system(one).size == 600_000          # in a container its own group is the top one


def test_files_that_are_not_as_expected_limit_nothing(system):
    strange = {"proc/self/cgroup": "0::/../..\nxyz\n\n", "proc/meminfo": "",
               "proc/self/statm": "1 2", "groups/memory.max": "?"}
    assert system(strange, {resource.RLIMIT_AS: 5}).size == float("inf")
    assert free_memory("/nowhere", "/nowhere").size == float("inf")


def test_this_process_has_some_left():
    assert free_memory().size > 1e6


@pytest.fixture
def left(monkeypatch):
    """Set the free memory (bytes)."""
    def put(size):
        monkeypatch.setattr(memory, "free_memory", lambda: FreeMemory(float(size), "a test"))
    return put


def test_a_shortage_is_reported_with_both_sizes(left):
    left(0.5e9)
    check_memory(400_000, 1200.0, "events")
    with pytest.raises(MemoryShortageError, match=r"^400001 events need about 616 MB of memory, "
                       r"and 500 MB are free \(a test\); expected fewer events, or more memory$"):
        check_memory(400_001, 1500.0, "events")
    with pytest.raises(MemoryShortageError, match=r"need about 2\.02 GB"):
        check_memory(1, 2e9, "events")


def test_a_watch_looks_every_thousand_things(left):
    watch = MemoryWatch("rows")
    left(1e6)
    watch.add(memory.CHECK_INTERVAL - 1)
    with pytest.raises(MemoryShortageError, match="the rows take all memory: 1 MB are left"):
        watch.add()
    with pytest.raises(MemoryShortageError):
        list(watch_memory(range(2 * memory.CHECK_INTERVAL), "rows"))
    left(1e9)
    assert list(watch_memory(range(3000), "rows")) == list(range(3000))


HEAD = "use guitar as g\nrender tail=0 rate=8000 oversample=1\n"


@pytest.mark.parametrize(("text", "what"), [(HEAD + "0 g.e2 pluck\n" * 9000, "rows need"), (
    HEAD + "section s\n0 g.e2 pluck dur=0.01\nend\nplay s times=9000 every=0.01\n", "events need")])
def test_a_score_is_refused_before_its_objects_are_made(left, monkeypatch, text, what):
    left(memory.RESERVE + 5e6)
    made = []
    monkeypatch.setattr("pysitar.score.timeline._Player.play_section",
                        lambda *given: made.append(given))
    with pytest.raises(MemoryShortageError, match=what):
        pysitar.render(load_score(text=text))
    assert not made


@pytest.mark.parametrize("text", [
    HEAD + "0 g.e2 bend (" + " ".join(f"{at}:+1st" for at in range(90_000)) + ")\n0 g.e2 pluck\n",
    HEAD + "0 g.* pluck\n" * 3000, HEAD + "0 g strum\n" * 3000,
    HEAD + "section s\n0 g.e2 pluck dur=0.01\nend\nplay s times=3000 every=0.01\n",
])
def test_what_was_not_estimated_is_noticed_while_it_is_made(left, text):
    left(memory.RESERVE - 1.0)
    with pytest.raises(MemoryShortageError):
        pysitar.render(load_score(text=text))


def test_the_sizes_are_those_that_are_measured():
    def grown(make):
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            made = make()
            return made, (tracemalloc.get_traced_memory()[1] - before) / count
        finally:
            tracemalloc.stop()

    count = 3000
    score, row = grown(lambda: load_score(
        text=HEAD + "".join(f"{at * 0.01:.2f} g.e2 pluck\n" for at in range(count))))
    played, event = grown(lambda: timeline(score))
    bound, both = grown(lambda: bind(score, options(score)))
    engine, waiting = grown(lambda: Engine(bound, options(score)))
    assert len(played.events) == len(engine.bound.voices[0].events) == count
    for name, size in (("ROW_BYTES", row), ("EVENT_BYTES", event),
                       ("BOUND_EVENT_BYTES", both - event), ("WAITING_EVENT_BYTES", waiting)):
        assert 0.6 * size < getattr(memory, name) < 1.1 * size, (name, size)
