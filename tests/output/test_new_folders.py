"""Folders made for a command: what is empty at its end is removed, if it was not there before."""
import os

import pytest

from pysitar.output.files import new_folders


def test_only_new_and_empty_ones_are_removed(tmp_path):
    outer, used, there = tmp_path / "outer", tmp_path / "used", tmp_path / "there"
    there.mkdir()
    with pytest.raises(KeyboardInterrupt), new_folders(outer, outer / "inner", used, there):
        (used / "file").touch()
        assert (outer / "inner").is_dir()
        raise KeyboardInterrupt
    assert sorted(os.listdir(tmp_path)) == ["there", "used"]
    assert os.listdir(used) == ["file"]


def test_what_was_made_before_an_error_is_removed(tmp_path):
    with pytest.raises(FileNotFoundError), new_folders(tmp_path / "a", tmp_path / "none" / "b"):
        raise AssertionError("not reached")
    assert not os.listdir(tmp_path)
