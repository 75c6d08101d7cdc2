"""The speed history: its file is whole, slowdowns cannot add up, and only a word in the changelog
accepts one."""
import subprocess
import tomllib
from pathlib import Path

import pytest

from benchmarks import ledger, report, sampling, side_by_side, speed
from benchmarks.ledger import Row
from benchmarks.records import RECORDS, Record


def row(ratio, commit="a", record="x"):
    return Row(commit, "2026-01-01", "m", record, ratio)


def test_the_history_has_a_row_for_each_record():
    rows = ledger.read_rows()
    assert {record.name for record in RECORDS} <= {row.record for row in rows}, \
        "python -m benchmarks.speed --renew"
    keys = [(row.commit, row.machine, row.record) for row in rows]
    assert len(set(keys)) == len(keys) and all(row.ratio > 0.0 for row in rows)


def test_rows_are_read_as_written(tmp_path):
    rows = [row(1.2345), Row("b", "2026-01-02", "m, n", "y z", 300.25)]
    ledger.write_rows(rows, tmp_path / "h.csv")
    assert ledger.read_rows(tmp_path / "h.csv") == [row(1.234), Row("b", "2026-01-02", "m, n",
                                                                    "y z", 300.2)]
    assert ledger.read_rows(tmp_path / "none.csv") == []


@pytest.mark.parametrize(("ratios", "accepted", "expected"), [
    ([1.0, 1.08, 1.16, 1.24], False, 1.0),          # small slowdowns do not move the baseline
    ([1.0, 1.3], False, 1.0),
    ([1.0, 1.3], True, 1.3),
    ([1.0, 1.05], True, 1.0),                       # a word is for a slowdown
    ([1.0, 0.8, 0.9], False, 0.8),
])
def test_the_baseline(ratios, accepted, expected):
    rows = [row(ratio, commit=str(number)) for number, ratio in enumerate(ratios)]
    assert ledger.baselines(rows, lambda record, commit: accepted)["x"].ratio == expected


def test_a_word_in_the_changelog(tmp_path):
    def git(*words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    log = tmp_path / "CHANGELOG.md"
    git("init", "-q")
    log.write_text("- `old x` takes longer\n")
    git("add", ".")
    git("commit", "-qm", "a")
    commit = git("rev-parse", "HEAD").strip()
    log.write_text("- `old x` takes longer\n- `x y` takes 12 % longer: it does more\n")
    assert ledger.is_accepted("x y", commit, tmp_path)
    assert not ledger.is_accepted("x", commit, tmp_path)
    assert not ledger.is_accepted("old x", commit, tmp_path)        # from before
    assert not ledger.is_accepted("x y", "0" * 40, tmp_path)


class Clock:
    """A clock that a workload moves, and disturbance with it."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def measured(monkeypatch, work, disturbance, expected=None):
    """Return the ratio of a workload of two pieces and the number of its rounds; disturbance gives
    a factor for each piece of time."""
    clock, rounds = Clock(), []

    class Workload:
        def __call__(self):
            pass

        def pieces(self):
            rounds.append(clock.now)
            clock.now += work * 0.75 * next(disturbance)
            yield
            clock.now += work * 0.25 * next(disturbance)

    def beside():
        clock.now += next(disturbance)

    monkeypatch.setattr(sampling, "reference", lambda kind: beside)
    monkeypatch.setattr(sampling.gc, "collect", lambda: 0)      # half a second among all tests
    found = sampling.measure([Record("x", Workload, clock=clock)], expected)
    return found["x"], len(rounds)


def busy(period):
    """Factors of a machine that is undisturbed at one piece of a period alone."""
    number = 0
    while True:
        number += 1
        yield 1.0 if number % period == 0 else 1.2 + 0.01 * (number % 23)


def test_pieces_find_the_time_without_disturbance(monkeypatch):
    # of whole runs none is undisturbed
    ratio, _ = measured(monkeypatch, 5.0, busy(7))
    assert ratio == pytest.approx(5.0, rel=1e-12)


def test_sampling_ends_when_a_record_is_as_fast_as_expected(monkeypatch):
    quiet = iter(lambda: 1.0, None)
    assert measured(monkeypatch, 5.0, quiet, {"x": 5.0}) == (5.0, sampling.FEWEST)
    ratio, rounds = measured(monkeypatch, 5.75, quiet, {"x": 5.0})
    assert ratio == pytest.approx(5.75) and rounds == sampling.ENOUGH


@pytest.fixture
def check(monkeypatch, capsys):
    """Check one record against a history of one row, with given results of each stage."""
    def run(first, beside, *, accepted=False, build=Path):
        monkeypatch.setattr(speed, "RECORDS", [Record("x", lambda: None)])
        monkeypatch.setattr(ledger, "machine", lambda: "m")
        monkeypatch.setattr(ledger, "read_rows", lambda: [row(1.0)])
        monkeypatch.setattr(ledger, "is_accepted", lambda record, commit: accepted)
        monkeypatch.setattr(speed, "measure_in_process", lambda expected: {"x": first})
        monkeypatch.setattr(side_by_side, "build", build)
        monkeypatch.setattr(side_by_side, "compare", lambda names, tree: {
            name: beside for name in names if beside is not None})
        code = speed.check()
        return code, capsys.readouterr().out
    return run


@pytest.mark.parametrize(("first", "beside", "accepted", "code", "expected"), [
    (1.09, None, False, 0, "+9.0 %"),
    (1.15, 1.02, False, 0, "as fast"),              # disturbed the first time
    (1.15, 1.15, False, 1, "slower by over 10 %: x"),
    (1.15, 1.15, True, 0, "slower, as CHANGELOG.md says"),
])
def test_what_fails(check, first, beside, accepted, code, expected):
    found, output = check(first, beside, accepted=accepted)
    assert found == code and expected in output


def test_a_commit_that_is_not_here_is_measured_again(check, monkeypatch, tmp_path):
    build = side_by_side.build
    monkeypatch.setattr(side_by_side, "BUILDS", tmp_path)
    code, output = check(1.15, None, build=build)
    assert code == 1 and "not here, or cannot be built (fatal: " in output and "+15.0 %" in output
    assert not list(tmp_path.iterdir())


def test_a_record_that_the_earlier_package_cannot_do_is_measured_again(check, monkeypatch):
    code, output = check(1.15, None)
    assert code == 1 and "+15.0 %  since a: SLOWER" in output
    monkeypatch.setattr(ledger, "machine", lambda: "another")
    rows = [row(1.0)]
    monkeypatch.setattr(ledger, "read_rows", lambda: rows)      # whose ratios say nothing here
    assert speed.check() == 0


def test_a_record_is_slow_if_each_comparison_says_so(monkeypatch, tmp_path):
    answers = iter([{"x": 1.2, "y": 1.05, "z": 1.3}, {"x": 1.15, "z": 1.02}, {"x": 1.17}])
    asked = []

    def compare(names, tree):
        asked.append(names)
        return next(answers)
    monkeypatch.setattr(side_by_side, "compare", compare)
    assert speed.compare_again(["x", "y", "z", "none"], tmp_path) == {
        "x": 1.15, "y": 1.05, "z": 1.02}
    assert asked == [["x", "y", "z", "none"], ["x", "z"], ["x"]]


def test_earlier_commits_can_be_built_from_the_bench_extra():
    project = tomllib.loads((ledger.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extra = project["project"]["optional-dependencies"]["bench"]
    assert set(project["build-system"]["requires"]) <= set(extra)


def test_the_page_has_a_line_for_each_record():
    rows = [row(1.0), row(1.2, commit="b"), row(3.0, record="a < b")]
    page = report.page(rows)
    assert page.count("<tr><td>") == 2 and page.count("<circle") == 3
    assert "a &lt; b" in page and '<td class="number slower">+20.0 %' in page
    assert "no rows yet" in report.page([])
