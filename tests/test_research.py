"""The code of docs/research.md runs as it stands, and what the page says of its results is so."""
import re
from pathlib import Path

import numpy as np
import pytest

from pysitar.__main__ import COMMANDS

TEXT = (Path(__file__).resolve().parents[1] / "docs/research.md").read_text(encoding="utf-8")
CODE = "\n".join(re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("research"), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(CODE, "docs/research.md", "exec"), made)
    return made | {"folder": folder}


def test_the_run(names):
    """The golden waveform of the sitar, and a balance of some thousand roundings of 2e-3 J."""
    assert names["force"][[20, 200]] == pytest.approx([1.41188075, -0.432796472], abs=1.5e-8)
    assert names["middle"].shape == names["contact"].shape == (2000,)
    assert np.abs(names["balance"]).max() < 1e-13 * names["run"].energy[0] * 10.0
    assert names["run"].energy[-1] < names["run"].energy[0]


def test_the_convergence(names):
    """Second order, as it says; where in a step the mass enters makes single errors uneven."""
    assert names["order"] == pytest.approx(2.0, abs=0.2)
    assert np.median(names["errors"][:, 1] / names["errors"][:, 2]) > 10.0


def test_the_files(names):
    folder = names["folder"]
    lines = (folder / "errors.csv").read_text().splitlines()
    assert lines[0] == "rate_Hz,error_m,corrected_error_m"
    assert np.loadtxt(lines[1:], delimiter=",") == pytest.approx(names["errors"], rel=1e-15)
    with np.load(folder / "run.npz") as arrays:
        assert (arrays["force_N"] == names["force"]).all()
        assert set(arrays) == {"time_s", "force_N", "middle_m", "contact_N", "energy_J"}


def test_it_is_short_and_names_what_there_is():
    assert len([line for line in CODE.splitlines() if line.strip()]) <= 35
    for words in re.findall(r"`pysitar ([^`\n]+)`", TEXT):
        command, *rest = words.split()
        COMMANDS[command].parser().parse_args(rest)
    schemes = re.search(r"`scheme=` takes (.*?);", TEXT, re.DOTALL)[1]
    assert re.findall(r"`([\w-]+)`", schemes) == ["two-point", "three-point", "modal-explicit",
                                                  "fd-iterative", "fd-explicit"]
