"""A kind of object added from outside the package: the example of docs/extending.md."""
import importlib
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import pysitar
from pysitar.__main__ import main
from pysitar.errors import ParameterError
from pysitar.models.definitions.faults import InstrumentError
from pysitar.models.definitions.kinds import KINDS, add_kind, remove_kind
from pysitar.models.definitions.loader import parse_instrument
from pysitar.models.definitions.plates import PlateTable
from pysitar.models.definitions.schema import key

PAGE = (Path(__file__).resolve().parents[3] / "docs/extending.md").read_text(encoding="utf-8")
SECTION = re.search(r"^## A resonator\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
(_, MODULE), (_, USE), (_, TOML), (_, SCORE) = BLOCKS


@pytest.fixture
def tine(tmp_path, monkeypatch):
    """The module of the page, its files in the present folder; removed after the test."""
    assert [kind for kind, _ in BLOCKS] == ["python", "python", "toml", "text"]
    assert len(MODULE.splitlines()) < 60
    for name, text in (("tine.py", MODULE), ("kalimba.toml", TOML), ("tine.score", SCORE)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    before = list(KINDS)
    yield importlib.import_module("tine")
    remove_kind("tine")
    del sys.modules["tine"]
    assert list(KINDS) == before


def test_the_example_of_the_page_adds_a_resonator_from_outside(tine):
    space = {}
    exec(USE, space)
    sound = np.asarray(space["sound"])[:, 0]
    steel = pysitar.material("steel")
    first = tine.ROOTS[0]**2 / (2.0 * math.pi * 0.06**2) * 0.001 * math.sqrt(
        steel.youngs_modulus / (12.0 * steel.density))
    spectrum = np.abs(np.fft.rfft(sound[:24000] * np.hanning(24000), 1 << 17))
    frequencies = np.fft.rfftfreq(1 << 17, 1 / 48000)
    low = frequencies < 2.0 * first
    # the line of half a second is 4 Hz wide; losses lower it by less than 1e-5
    assert frequencies[spectrum[low].argmax()] == pytest.approx(first, abs=0.5)


def test_its_shapes_are_those_of_a_clamped_bar(tine):
    """Orthogonal, of mean square 1, 2 at the tip, flat at the clamp; the roots are roots."""
    for root in tine.ROOTS:
        assert math.cos(root) * math.cosh(root) == pytest.approx(-1.0, abs=1e-9)
    one = tine.Tine(length=0.06, width=0.004, thickness=0.001, material=pysitar.material("steel"))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    shapes = np.array([one.shape(0.5 * (1.0 + float(x))) for x in nodes])
    assert 0.5 * shapes.T @ (weights[:, None] * shapes) == pytest.approx(np.eye(4), abs=1e-9)
    assert np.abs(one.shape(1.0)) == pytest.approx(np.full(4, 2.0), abs=1e-8)
    assert one.shape(0.0) == pytest.approx(np.zeros(4), abs=1e-12)
    assert np.abs(one.shape(1e-4)).max() < 1e-4


def test_commands_and_messages_have_it(tine, capsys):
    assert main(["describe", "kalimba.toml"]) == 0
    assert "low.thickness" in capsys.readouterr().out
    score = "use \"kalimba.toml\" as k\nset k.low.length = 5cm\n0 k.low strike\n"
    Path("b.score").write_text(score)
    assert main(["check", "b.score"]) == 0
    Path("b.score").write_text(score + "1 k.low strike y=0.3\n")
    with pytest.raises(pysitar.ScoreError, match="this object has no y; expected x"):
        pysitar.render(pysitar.load_score("b.score"))
    with pytest.raises(InstrumentError) as caught:
        parse_instrument(TOML.replace('"1mm"', "1.0"), name="k", shown="k.toml")
    assert "thickness is 1.0" in caught.value.faults[0].text


def test_without_the_module_the_kind_is_not_known(tmp_path):
    with pytest.raises(InstrumentError, match="kind"):
        parse_instrument(TOML, name="k", shown="k.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(PlateTable):
    """A plate of another kind."""

    kind: str = key("another plate", kind="text", choices=("other",))


@pytest.mark.parametrize(("name", "table", "message"), [
    ("plate", Other, "expected a name that no other kind has"),
    ("two words", Other, "expected a name that no other kind has"),
    ("thing", Other, 'expected a key kind whose only choice is "thing"'),
    ("other", dict, "expected a subclass of ResonatorTable"),
])
def test_a_wrong_kind_is_refused(name, table, message):
    before = dict(KINDS)
    with pytest.raises(ParameterError, match=message):
        add_kind(name, table)
    assert before == KINDS
