"""A dry run shows the cost of a batch: exactly, or its bounds and estimate for sounds that end at
silence."""
import re
from pathlib import Path

import pytest
from app.commands import HEAD, furnish
from instruments import TWO_MODES

from pysitar.__main__ import main
from pysitar.api.request import Request
from pysitar.app.batch.items import BatchOptions, make_plan
from pysitar.app.batch.run import SIDECAR_SIZE, estimate
from pysitar.app.cli.batch import format_estimate
from pysitar.score.parser import read_score

BASE = HEAD + "render tail=auto oversample=1\n0 t.a pluck dur=50ms\n"
WANTED = BatchOptions(request=Request())


@pytest.fixture
def folder(here):
    furnish(here)
    (here / "two.toml").write_text(TWO_MODES.replace("sigma0 = 5.0", "sigma0 = 50.0"))
    return here


def test_a_dry_run_of_sounds_that_end_at_silence_says_the_bounds(folder, capsys):
    text = BASE + "sweep t.a.pluck.position = (0.3 0.31 0.32)\n"
    (folder / "auto.score").write_text(text)
    parsed = read_score("auto.score")
    found = estimate(make_plan([parsed], WANTED), "auto", WANTED)
    assert main(["batch", "auto.score", "-o", "auto", "--quiet"]) == 0
    true = sum(path.stat().st_size for path in Path("auto").glob("auto-*.wav"))
    sizes = [amount.size - 3 * SIDECAR_SIZE for amount in (found.least, found.alike, found.most)]
    assert sizes[0] < true < sizes[2] and sizes[1] > 3 * sizes[0]
    assert sizes[1] == pytest.approx(true, rel=0.1)
    assert found.most.seconds == pytest.approx(found.least.seconds + 180.0)
    capsys.readouterr()
    assert main(["batch", "auto.score", "-o", "new", "--dry-run", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert re.match(r"3 sounds of 0\.\d+ s \(0\.05 s to 60\.1 s\); [\d.]+ kB \([\d.]+ kB to "
                    r"[\d.]+ MB\) of disk; ", said)
    assert said.endswith("; estimates assume that all last as long as the first one, with "
                         "bounds in brackets\n")
    assert main(["batch", "auto.score", "-o", "auto", "--dry-run"]) == 0
    assert capsys.readouterr().out == "3 sounds, all existing\n"


def test_a_sound_that_is_not_heard_out_has_bounds_alone(folder, monkeypatch):
    monkeypatch.setattr("pysitar.app.batch.run.MEASURED_TO_END", 0.0)
    (folder / "auto.score").write_text(BASE + "sweep t.a.pluck.position = (0.3 0.31)\n")
    plan = make_plan([read_score("auto.score")], WANTED)
    found = estimate(plan, "d", WANTED)
    assert found.alike is None
    assert format_estimate(found, plan, 1).startswith("2 sounds of 0.05 s to 60 s; ")
