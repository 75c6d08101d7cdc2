"""The layout audiofolder, read by its loader: one row per sound, in one split, for all names of
scores."""
import json
import os
from pathlib import Path

import pytest
from app.batch.makers import Inline
from app.commands import furnish, one_pluck

from pysitar.__main__ import main
from pysitar.app.batch import run as batch_run

NAMES = ("train", "test", "a test b", "testing", "dev-", "val.", "eval_", ".hidden", "x.wav")


@pytest.fixture
def datasets(monkeypatch):
    """The package, without a network and without what would decode sounds."""
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "1")
    package = pytest.importorskip("datasets")
    # as it does with a path
    monkeypatch.setattr(package.Audio, "encode_example",
                        lambda self, path: {"bytes": None, "path": path})
    package.disable_progress_bars()
    return package


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a data set of two sounds of each score."""
    folder = tmp_path_factory.mktemp("audiofolder")
    text = one_pluck(5, "sweep t.a.pluck.force = (0.1N 0.2N)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_run, "Workers", Inline)
        patch.chdir(furnish(folder, **dict.fromkeys(NAMES, text)))
        assert main(["batch", *(f"{name}.score" for name in NAMES), "-o", "d", "--jobs", "1",
                     "--quiet", "--layout", "audiofolder"]) == 0
    return folder


@pytest.fixture
def folder(made, monkeypatch):
    monkeypatch.chdir(made)
    return made


@pytest.mark.filterwarnings("ignore")          # of the package's own
def test_the_loader_reads_each_sound_once_with_its_values(folder, datasets):
    parts = datasets.load_dataset("audiofolder", data_dir="d", cache_dir="cache")
    assert list(parts) == ["train"]
    rows = list(parts["train"].cast_column("audio", datasets.Audio(decode=False)))
    manifest = [json.loads(line) for line in Path("d/manifest.jsonl").read_text().splitlines()]
    assert len(rows) == len(manifest) == 2 * len(NAMES)
    assert [(os.path.relpath(row["audio"]["path"], "d"), row["t.a.pluck.force"]) for row in rows
            ] == [(row["file"], row["parameters"]["t.a.pluck.force"]) for row in manifest]
    bare = datasets.load_dataset("audiofolder", data_dir="d", cache_dir="other", drop_metadata=True)
    paths = {row["audio"]["path"]
             for row in bare["train"].cast_column("audio", datasets.Audio(decode=False))}
    assert list(bare) == ["train"] and {os.path.relpath(path, "d") for path in paths} == {
        # no sidecar; a hidden file only by its values
        row["file"] for row in manifest if not row["name"].startswith(".")}


def test_a_gallery_finds_the_sidecars(folder):
    from pysitar.app.gallery.items import read_entries

    listing = read_entries(folder / "d")
    assert len(listing.entries) == 2 * len(NAMES) and not listing.warnings
    assert all(entry.samples and entry.command and not entry.error for entry in listing.entries)
