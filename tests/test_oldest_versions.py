"""The constraints of the oldest dependencies follow from pyproject.toml."""
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = """
[project]
dependencies = ["numpy>=1.26", "soundfile>=0.13"]
[project.optional-dependencies]
test = ["scipy>=1.11", "numpy>=1.26", "free"]
wrong = ["numpy>=2"]
"""


@pytest.fixture(scope="module")
def oldest():
    spec = importlib.util.spec_from_file_location("oldest_script", ROOT / ".ci" / "oldest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.oldest


def test_floors(oldest):
    assert oldest(TEXT) == ["numpy==1.26", "soundfile==0.13"]
    assert oldest(TEXT, ["test"]) == ["free  # has no lower bound", "numpy==1.26", "scipy==1.11",
                                      "soundfile==0.13"]
    with pytest.raises(ValueError, match=r"two floors, 1\.26 and 2"):
        oldest(TEXT, ["wrong"])


def test_every_dependency_has_a_floor(oldest):
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert not [line for line in oldest(text, ["test", "figures", "tune", "distributed"])
                if "#" in line]
