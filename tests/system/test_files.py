"""Files are read if regular and not too large; names are the same bytes in every locale."""

import errno
import os
import socket

import pytest

from pysitar.system.files import (
    NotRegularError,
    TooLargeError,
    decode_bytes,
    error_reason,
    is_encodable,
    is_regular,
    local_name,
    open_regular,
    portable_name,
    read_bytes,
    real_path,
    system_path,
)


@pytest.fixture
def strange(tmp_path):
    """Paths of files that are not regular, by kind."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    return {name: tmp_path / name for name in ("folder", "pipe", "device", "socket")}


def test_what_is_no_regular_file_is_refused_at_once(strange):
    for name, path in strange.items():
        assert not is_regular(path)
        for read in (open_regular, lambda path: read_bytes(path, 10)):
            with pytest.raises(NotRegularError) as caught:
                read(path)
            assert caught.value.kind == ("a folder" if name == "folder" else "no regular file")
            assert (str(caught.value.filename) == str(path)
                    and error_reason(caught.value) == f"it is {caught.value.kind}")


def test_a_file_is_read_up_to_its_limit(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a")
    assert read_bytes(path, 5) == read_bytes(tmp_path / "link", 5) == b"12345"
    assert is_regular(tmp_path / "link")
    with pytest.raises(TooLargeError, match="expected a smaller file"):
        read_bytes(path, 4)
    with open(path, "r+b") as file:
        file.truncate(1 << 33)  # a hole: only its beginning is read
    with pytest.raises(TooLargeError):
        read_bytes(path, 1 << 20)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "missing", "loop"])
def test_names_that_lead_nowhere(tmp_path, name):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match=r".") as caught:
        open_regular(tmp_path / name)
    assert type(caught.value) is not UnicodeEncodeError and not is_regular(tmp_path / name)
    assert caught.value.errno == {"missing": errno.ENOENT,
                                  "loop": errno.ELOOP}.get(name, errno.EINVAL)


def ascii_locale(monkeypatch):
    """Names are encoded as where LC_ALL is C and Python's UTF-8 mode is off."""
    monkeypatch.setattr(os, "fsencode",
                        lambda name: os.fspath(name).encode("ascii", "surrogateescape"))
    monkeypatch.setattr(os, "fsdecode", lambda name: name.decode("ascii", "surrogateescape"))


def test_names_are_the_same_bytes_in_every_locale(monkeypatch):
    names = {"ré": "ré".encode(), "रे ♯": "रे ♯".encode(), "x\udcff": b"x\xff", "a": b"a"}
    for name, data in names.items():
        assert (portable_name(name), local_name(name), system_path(name)) == (name, name, data)
    ascii_locale(monkeypatch)
    for name, data in names.items():
        here = data.decode("ascii", "surrogateescape")
        assert (portable_name(here), local_name(name), system_path(here), system_path(name)) == (
            name,
            here,
            data,
            data,
        )
    assert real_path("/né/../é") == "/\udcc3\udca9"


def test_bytes_that_are_characters_together_become_those():
    assert decode_bytes("r\udcc3\udca9 \udcff \udcc3x") == "ré \udcff \udcc3x"
    assert (is_encodable("ré\udcff") and not is_encodable("\ud800") and not is_encodable("a\0")
            and not is_encodable("\udc7f"))
