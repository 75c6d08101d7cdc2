"""The version is that of the metadata that are installed, beside the package or elsewhere."""
import sys

import pytest

from pysitar import version as module


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PACKAGE", tmp_path / "pysitar")
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "site-packages" not in path])
    module.package_version.cache_clear()
    yield lambda *names: ([(tmp_path / name).mkdir() for name in names],
                          module.package_version())[1]
    module.package_version.cache_clear()


def test_an_installed_package(found):
    assert found("pysitar-7.8.9.dist-info", "numpy-2.0.0.dist-info", "pysitar") == "7.8.9"


def test_sources_elsewhere(found, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site")])
    assert found("site", "site/pysitar-7.8.9.dist-info") == "7.8.9"


@pytest.mark.parametrize("names", [(), ("pysitar-1.0.dist-info", "pysitar-2.0.dist-info")])
def test_metadata_elsewhere_or_of_two_versions(found, names, monkeypatch):
    monkeypatch.setattr("importlib.metadata.version", lambda name: f"the one of {name}")
    assert found(*names) == "the one of pysitar"
