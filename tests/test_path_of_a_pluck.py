"""The path of one pluck through `render`: the files of the package that it enters, and the moves
between them."""
import sys
from collections import Counter
from pathlib import Path

import pytest

import pysitar

ROOT = str(Path(pysitar.__file__).parent)
MOST_FILES = 65                 # two of them were parts of others; one finds keys without effect
MOST_MOVES = 173_895            # half of what it was
# far fewer would be a broken counter
FEWEST_FILES, FEWEST_MOVES = 40, 10_000
# files that every path through `render` enters: the text, the instrument, the kernels' callers, the
# mix and the report
STATIONS = {
    "score/parser.py", "score/timeline.py", "models/definitions/loader.py",
    "rendering/binding/binder.py", "rendering/engine.py", "rendering/voice.py",
    "models/strings/played.py", "models/network/audited.py", "kernels/core/arrays.py",
    "models/strings/body.py", "physics/energy.py", "rendering/mix.py", "api/report.py",
}
# what a pluck without a fault, without threads, traces and targets does not need
NOT_ENTERED = {
    "api/resources.py", "api/targets.py", "rendering/threads.py",
    "rendering/binding/changed_file.py", "rendering/binding/levels.py",
    "rendering/binding/expansion.py", "models/definitions/overrides.py",
}


def package_file(frame):
    """Return the path of a function's file inside the package ("": outside, or a module body)."""
    name = frame.f_code.co_filename
    if not name.startswith(ROOT) or frame.f_code.co_name == "<module>":
        return ""
    return Path(name).relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return the calls of each file, and the moves between each two files."""
    file = tmp_path_factory.mktemp("pluck") / "one.score"
    file.write_text("use tanpura as t\n0 t.pa pluck f=1N\n")
    pysitar.render(pysitar.load_score(file), stop=0.1)          # imports, and fills caches
    calls, moves, names = Counter(), Counter(), {}

    def count(frame, event, argument):
        if event != "call":
            return
        code = frame.f_code
        if code not in names:
            names[code] = package_file(frame)
        entered = names[code]
        if not entered:
            return
        calls[entered] += 1
        caller = frame.f_back
        while caller is not None and not names.get(caller.f_code):
            caller = caller.f_back
        if caller is not None and names[caller.f_code] != entered:
            moves[names[caller.f_code], entered] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        pysitar.render(pysitar.load_score(file), jobs=1)
    finally:
        sys.setprofile(before)
    return calls, moves


def test_a_pluck_enters_few_files(path):
    calls, _ = path
    assert FEWEST_FILES <= len(calls) <= MOST_FILES, sorted(calls)
    assert calls.keys() >= STATIONS


def test_a_pluck_moves_seldom_between_files(path):
    _, moves = path
    assert FEWEST_MOVES <= sum(moves.values()) <= MOST_MOVES, moves.most_common(10)
    assert moves["models/network/audited.py", "kernels/core/arrays.py"] > 1000


def test_a_pluck_without_a_fault_enters_no_module_of_messages(path):
    calls, _ = path
    assert not NOT_ENTERED & calls.keys()
    assert [name for name in calls if name.startswith("rendering/lint/")] == [
        "rendering/lint/table.py"]
