"""The values of sweeps and draws, their order, names and keys; and what is refused before
rendering."""
import math
import tracemalloc

import numpy as np
import pytest
from app.commands import HEAD, furnish
from instruments import TWO_MODES

import pysitar
from pysitar.__main__ import main
from pysitar.api.request import Request
from pysitar.app.batch.items import BatchOptions, make_plan
from pysitar.app.batch.render_item import Setup, make
from pysitar.score.parser import read_score

ROW = "0 t.a pluck dur=50ms\n"
BASE = HEAD + "render tail=0 oversample=1\n" + ROW
POSITION, FORCE = "t.a.pluck.position", "t.a.pluck.force"


@pytest.fixture
def plan(here):
    furnish(here)

    def made(*lines, text=BASE, name="x", request=None, **shard):
        (here / f"{name}.score").write_text(text + "\n".join(lines) + "\n")
        return make_plan([read_score(f"{name}.score")], BatchOptions(request=request or Request()),
                         **shard)

    return made


def values(plan, name):
    return [item.parameters[name] for item in plan.items()]


def test_values_of_a_sweep(plan):
    assert values(plan(f"sweep {POSITION} = linear(0.05, 0.45, 9)"), POSITION) == [
        0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]
    found = values(plan(f"sweep {FORCE} = log(10mN, 10N, 4)"), FORCE)
    assert found == pytest.approx([0.01, 0.1, 1.0, 10.0],
                                  rel=1e-14) and (found[0], found[-1]) == (0.01, 10.0)
    assert values(plan(f"sweep {FORCE} = (0.5N 200mN 3)"), FORCE) == [0.5, 0.2, 3.0]
    assert values(plan(f"sweep {POSITION} = linear(2cm, 80mm, 3)"),
                  f"{POSITION} (m)") == pytest.approx([0.02, 0.05, 0.08], rel=1e-15)
    assert values(plan(f"sweep {FORCE} = linear(1N, 2N, 1)"), FORCE) == [1.0]


def test_sweeps_are_crossed_with_the_last_fastest_and_draws_slowest(plan):
    found = plan(f"sweep {POSITION} = (0.2 0.3)", f"draw {FORCE} ~ uniform(1, 2) n=2",
                 "sweep t.gain = (1 2 3)")
    assert [(item.parameters[POSITION], item.parameters["t.gain"]) for item in found.items()] == [
        (0.2, 1), (0.2, 2), (0.2, 3), (0.3, 1), (0.3, 2), (0.3, 3)] * 2
    assert len(set(values(found, FORCE))) == 12          # each item has its own
    names = [item.name for item in found.items()]
    assert names == sorted(names) and names[0] == "x-00001" and found.count == 12


def test_draws_are_what_their_distribution_says(plan):
    n = 4000
    is_draw = np.array(values(plan(f"draw {FORCE} ~ loguniform(0.1N, 10N) n={n}"), FORCE))
    share = np.log(is_draw / 0.1) / math.log(100.0)
    assert share.min() >= 0.0 and share.max() <= 1.0
    # the mean of n uniform values has the deviation 1/sqrt(12 n); five of them, and for the
    # greatest gap of their order 2/sqrt(n)
    assert abs(share.mean() - 0.5) < 5.0 / math.sqrt(12.0 * n)
    assert np.abs(np.sort(share) - (np.arange(n) + 0.5) / n).max() < 2.0 / math.sqrt(n)
    uniform = np.array(values(plan(f"draw {FORCE} ~ uniform(1N, 3N) n={n}"), FORCE))
    assert uniform == pytest.approx(1.0 + 2.0 * share, rel=1e-12)          # the same seed and name


def test_a_draw_depends_on_seed_item_and_name_alone(plan):
    line = f"draw {FORCE} ~ uniform(1N, 2N) n="
    first = values(plan(line + "6"), FORCE)
    assert values(plan(line + "9"), FORCE)[:6] == first
    assert values(plan(f"draw {POSITION} ~ uniform(0.2, 0.3) n=6", line + "6", name="other"),
                  FORCE) == first
    assert not set(first) & set(values(plan(line + "6", request=Request(seed=1)), FORCE))
    assert not set(first) & set(
        values(plan("draw t.*.pluck.force ~ uniform(1N, 2N) n=6"), "t.*.pluck.force"))


def test_a_key_is_the_sound(plan, tmp_path):
    def keys(*lines, **more):
        return [item.key for item in plan(*lines, **more).items()]

    sweep, draw = f"sweep {POSITION} = (0.2 0.3)", f"draw {FORCE} ~ uniform(1, 2) n=3"
    first = keys(sweep, draw)
    assert len(set(first)) == 6
    assert keys(sweep, draw.replace("n=3", "n=5"))[:6] == first          # more items change none
    assert keys(sweep, draw, "# a comment", name="renamed") == first
    # the same events, written in another way
    assert keys(sweep, draw, text=BASE.replace(
        ROW, "# later\n\nsection s\n0 t.a pluck dur=50ms\nend\nplay s\n")) == first
    assert set(keys(sweep.replace("0.2", "0.1 0.2"))) > set(keys(sweep))
    for other in (
            keys(sweep, draw, text=BASE.replace("50ms", "51ms")),
            keys(sweep, draw, request=Request(seed=3)),
            keys(sweep, draw, request=Request(rate=44100)),
            keys(sweep, draw, "mix t gain=1dB"),
            keys(sweep, draw, "set t.gain = 2"),
    ):
        assert not set(first) & set(other)
    (tmp_path / "two.toml").write_text(TWO_MODES.replace("sigma0 = 5.0", "sigma0 = 6.0"))
    assert not set(first) & set(keys(sweep, draw))


def test_a_key_does_not_depend_on_where_the_command_is_given(plan, tmp_path, monkeypatch):
    (tmp_path / "x.scl").write_text("test\n1\n2/1\n")
    first = [
        item.key for item in plan(f"sweep {POSITION} = (0.2 0.3)", 'tuning scala "x.scl"').items()]

    def keys(path):
        return [item.key
                for item in make_plan([read_score(path)], BatchOptions(request=Request())).items()]

    assert first == keys("./x.score") == keys(str(tmp_path / "x.score"))
    (tmp_path / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "deeper")
    assert first == keys("../x.score")


@pytest.mark.parametrize(
    ("lines", "output"),
    [
        ([f"sweep {FORCE} = linear(-1N, 1N, 3)"], "x.score:4:25: value 2: force is 0"),
        ([f"sweep {POSITION} = linear(0.5, 1.5, 3)"], "x.score:4:28: value 2: position is 1.0"),
        # beyond the string, which is 20 cm long
        ([f"sweep {POSITION} = linear(1cm, 30cm, 3)"], "x.score:4:40: "),
        ([f"sweep {POSITION} = linear(0.1, 10cm, 3)"], "both bare, or both with a unit"),
        ([f"draw {POSITION} ~ uniform(0.5, 1.5) n=3"], "x.score:4:40: position is 1.5"),
        ([f"draw {FORCE} ~ uniform(1N, 900mN) n=3"], "not above the lower"),
        (["sweep t.a.pluck.colour = (1 2)"], "x.score:4:17: "),
        ([f"sweep {FORCE} = (1N 2s)"], "2s is a time"),
        ([f"sweep {FORCE} = (1N 2N)", f"draw {FORCE} ~ uniform(1N, 2N) n=2"
          ], "x.score:5:6: t.a.pluck.force is varied twice"),
        # each is right beside the first value of the other, both last ones together are not
        (["sweep t.a.pluck.position = (0.5 0.1)", "sweep t.a.pluck.width = (1mm 100mm)"], "width"),
    ])
def test_what_is_wrong_is_reported_at_its_place(plan, lines, output):
    with pytest.raises(pysitar.ScoreError) as raised:
        plan(*lines)
    assert output in str(raised.value) and len(raised.value.problems) == 1


def test_each_wrong_value_of_a_list_is_reported_at_its_place(plan):
    with pytest.raises(pysitar.ScoreError) as raised:
        plan(f"sweep {FORCE} = (1N -2000N 3N 0)", f"sweep {POSITION} = (0.1 0.2 2)")
    assert [str(problem).splitlines()[0][:36] for problem in raised.value.problems] == [
        "x.score:4:29: value 2: force is -200", "x.score:4:39: value 4: force is 0.0;",
        "x.score:5:37: value 3: position is 2"]


def test_a_value_is_reported_once_however_many_stand_beside_it(plan):
    """A width is wrong beside each position, with another message, and beside a wrong one."""
    width = "draw t.a.pluck.width ~ uniform(10cm, 20cm) n=2"
    for positions, others in (("(0.1 0.2)", []), ("(0.1 0.2 1.5)", [(4, 37)]),
                              ("linear(0.1, 0.2, 9)", [])):
        with pytest.raises(pysitar.ScoreError) as raised:
            plan(f"sweep {POSITION} = {positions}", width)
        assert [problem.place[1:3] for problem in raised.value.problems] == [
            *others, (5, 32), (5, 38)]


def test_a_sweep_that_reaches_nothing_is_reported(plan):
    given = BASE.replace("pluck", "pluck x=0.4")
    assert [problem.message for problem in plan(
        f"sweep {POSITION} = (0.2 0.3)", text=given).series[0].warnings] == [
            "this sweep has no effect: every pluck of t.a sets position itself"]
    assert not plan(f"sweep {POSITION} = (0.2 0.3)").series[0].warnings and not plan(
        "sweep t.gain = (1 2)", text=given).series[0].warnings


def test_too_many_are_refused_with_their_number(plan, tmp_path, capsys):
    lines = [f"sweep {POSITION} = linear(0.2, 0.3, 400)", f"draw {FORCE} ~ uniform(1, 2) n=251"]
    with pytest.raises(pysitar.ScoreError, match=r"x.score:4:28: the batch has 100400 sounds; "
                       r"expected at most 100000, or --allow-large"):
        plan(*lines)
    assert plan(*lines, request=Request(allow_large=True)).count == 100400
    # exactly so many are allowed
    assert plan(lines[0], lines[1].replace("251", "250")).count == 100000
    (tmp_path / "x.score").write_text(BASE + "\n".join(lines) + "\n")
    assert main(["batch", "x.score", "-o", "d", "--dry-run"]) == 2
    assert "100400" in capsys.readouterr().err


def test_the_limit_of_one_draw_is_that_of_the_batch(plan, tmp_path, capsys):
    many = f"draw {FORCE} ~ uniform(1, 2) n=200000"
    with pytest.raises(pysitar.ScoreError, match=r"x\.score:4:24: the batch has 200000 sounds; "
                       r"expected at most 100000"):
        plan(many)
    assert plan(many, request=Request(allow_large=True)).count == 200000
    assert plan(f"sweep {FORCE} = linear(1, 2, 999999999)",
                request=Request(allow_large=True)).count == 999999999
    (tmp_path / "x.score").write_text(f"{BASE}{many}\n0 t.a pluck f=1x\n")
    assert main(["check", "x.score"]) == 2          # the syntax error is reported beside it
    assert [line.split(": ")[0] for line in capsys.readouterr().out.splitlines()
            if line.startswith("x")] == ["x.score:4:24", "x.score:5:15"]
    for lines in ([f"sweep {POSITION} = linear(0.1, 0.4, 999999999)", many],
                  [f"sweep {FORCE} = linear(-1, 1, 999999999)"]):
        with pytest.raises(pysitar.ScoreError, match=r"at most 1e\+12|force is 0"):
            plan(*lines, request=Request(allow_large=True))


@pytest.mark.parametrize(("row", "line", "why"), [
    ("t.e2 pluck", "sweep t.a2.pluck.force = linear(0.5, 1, 3)", "no row plays t.a2"),
    ("t.e2 pluck", "sweep t.a2.length = (0.6 0.65)", "no row plays t.a2"),
    ("t.e2 fret +2st", "sweep t.e2.pluck.force = linear(0.5, 1, 3)",
     "no row plays t.e2 with pluck"),
    ("t.e2 pluck f=1N", "sweep t.e2.pluck.force = linear(0.5, 1, 3)",
     "every pluck of t.e2 sets force itself"),
    ("t.* pluck f=1N", "sweep t.*.pluck.force = linear(0.5, 1, 3)",
     "every pluck of t.* sets force itself"),
    ("t.e2 pluck h=1mm", "draw t.e2.pluck.force ~ uniform(0.5, 1) n=3",
     "no pluck of t.e2 uses force"),
])
def test_why_a_sweep_reaches_nothing(plan, row, line, why):
    # strings on a body of their own, and a release that does not depend on the default force
    text = ("use guitar as t\nset t.body.coupled = false\nset t.*.pick.sharpening = 0\n"
            "render tail=0 oversample=1\n"
            f"0 {row} dur=50ms\n0 t.b3 pluck f=1N dur=50ms\n")
    warnings = plan(line, text=text).series[0].warnings
    assert [problem.message for problem in warnings] == [
        f"this {line.split()[0]} has no effect: {why}"]


def test_a_sweep_that_ends_where_it_begins_reaches_its_events(plan):
    assert not plan(f"sweep {FORCE} = (1 2 1)").series[0].warnings
    for values in ("linear(1, 1, 3)", "(1 1)"):
        warnings = plan(f"sweep {FORCE} = {values}").series[0].warnings
        assert [problem.message for problem in warnings] == [
            "this sweep has no effect: all its values are the same"]
    lines = ("sweep t.*.pluck.force = (1 2)", f"sweep {FORCE} = (3 4)")
    assert [problem.message for problem in plan(*lines).series[0].warnings] == [
        "this sweep has no effect: a later line sets the same value again"]


def test_shards_are_disjoint_and_whole(plan):
    lines = [f"sweep {POSITION} = (0.2 0.3 0.4)", f"draw {FORCE} ~ uniform(1, 2) n=3"]
    whole = [item.key for item in plan(*lines).items()]
    parts = [[item.key for item in plan(*lines, shard=shard, shards=4).items()]
             for shard in range(1, 5)]
    assert [len(part) for part in parts] == [3, 2, 2, 2] == [
        plan(*lines, shard=shard, shards=4).count for shard in range(1, 5)]
    assert sorted(key for part in parts for key in part) == sorted(whole)


def test_memory_does_not_grow_with_the_items(plan):
    found = plan(f"draw {FORCE} ~ uniform(1, 2) n=3000")
    tracemalloc.start()
    try:
        def peak(count):
            tracemalloc.reset_peak()
            for _, _ in zip(range(count), found.items(), strict=False):
                pass
            return tracemalloc.get_traced_memory()[1]

        few, many = peak(100), peak(3000)
    finally:
        tracemalloc.stop()
    assert many - few < 5800          # bytes: two a further item would be as much


def test_a_file_edited_meanwhile_is_not_taken_for_the_old_one(plan, tmp_path):
    found = plan(f"sweep {POSITION} = (0.2 0.3)")
    (tmp_path / "two.toml").write_text(TWO_MODES.replace("sigma0 = 5.0", "sigma0 = 6.0"))
    with pytest.raises(pysitar.RenderError, match="has changed since the batch began"):
        make(Setup.of(found, str(tmp_path), BatchOptions(request=Request())), next(found.items()))
    assert not list(tmp_path.glob("*.wav*"))
