"""One schema for rows, sidecars and gallery.json: paths and numbers are checked."""

import json
import math

import pytest
from app.gallery.folders import batch_folder, written

from pysitar.app.batch import documents
from pysitar.app.batch.documents import (
    DocumentError,
    manifest_lines,
    parse_row,
    read_document,
    read_sidecar,
)
from pysitar.app.batch.schema import SOUND_COLUMNS, faults, sidecar_faults
from pysitar.output.sidecar import sidecar_text
from pysitar.system.files import NotRegularError, TooLargeError

HASH, RATE = "expected 64 hex digits (0-9, a-f)", "expected a rate in Hz, a whole number from 1"
PLACE, NAME = ("expected a path inside the folder, no .. and no NUL in it",
               "expected a plain file name, no folder and no NUL in it")
TEXT = "expected text without NUL and without half a surrogate pair"
ROWS = [
    ("samples", "../../X", "samples is '../../X'; " + HASH),
    ("samples", "A" * 64, HASH),
    ("samples", "\ud800", r"'\ud800'; " + HASH),
    ("key", "0" * 63, HASH),
    ("key", 5, "key is 5; " + HASH),
    ("rate", 0, "rate is 0; " + RATE),
    ("rate", 8000.0, "rate is 8000.0; " + RATE),
    ("rate", True, "rate is true; " + RATE),
    ("peak", math.inf, "peak is inf; expected a finite number, 0 or more"),
    ("peak", -1, "0 or more"),
    ("rms", 10**400, "rms is 1"),
    ("dc", -math.inf, "dc is -inf; expected a finite number"),
    ("t60", "long", "t60 is 'long'"),
    ("seconds", 1e300, "from 0 to 1e+09 s"),
    ("frames", -1, "frames is -1; expected a whole number, 0 or more"),
    ("clipped", 2**63, "clipped is 9223372036854775808"),
    ("item", 0, "item is 0; expected a whole number, 1 or more"),
    ("item", None, "item is null"),
    ("flags", ["a\0"], "flags is a list; expected a list of texts"),
    ("flags", "dc", "a list of texts"),
    ("tail_cut", 0, "true or false"),
    ("error", "\ud800", TEXT),
    ("score", "a\0", TEXT),
    ("score", "\udc7f", TEXT),
    ("file", "../x.wav", "file is '../x.wav'; " + PLACE),
    ("file", "/x.wav", PLACE),
    ("file", "a//x.wav", PLACE),
    ("file", "", PLACE),
    ("file", "a\0b.wav", PLACE),
    ("file", "a\ud800b.wav", PLACE),
    ("file", "./x.wav", PLACE),
    ("file", None, PLACE),
    ("name", "../../x", "name is '../../x'; " + NAME),
    ("name", "..", NAME),
    ("name", "", NAME),
    ("name", "x\0", NAME),
    ("parameters", [], "parameters is a list; expected values by their names"),
    ("parameters", {"f": math.inf}, "parameters.f is inf; expected a finite number, text or null"),
    ("parameters", {"f": [1]}, "parameters.f is a list"),
    ("parameters", {"f": True}, "parameters.f is true"),
    ("parameters", {"f": 10**400}, "parameters.f is 1000"),
    ("parameters", {"f": "\ud800"}, r"parameters.f is '\ud800'"),
    ("parameters", {"\ud800": 1}, r"parameters has the name '\ud800'"),
    ("parameters", {"a\0": 1}, "parameters has the name"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return batch_folder(tmp_path_factory.mktemp("folder") / "a", 1)


@pytest.mark.parametrize(("name", "value", "said"), ROWS)
def test_a_row_that_is_wrong_says_where(made, name, value, said):
    [row], _ = made
    assert parse_row(json.dumps(row).encode()) == row
    with pytest.raises(DocumentError) as caught:
        parse_row(written({**row, name: value}).encode())
    assert (said in str(caught.value) and str(caught.value).isprintable()
            and len(str(caught.value)) < 200)


@pytest.mark.parametrize("name", ["name", "file", "score", "item", "parameters"])
def test_a_row_needs_its_identity(made, name):
    row = {key: value for key, value in made[0][0].items() if key != name}
    with pytest.raises(DocumentError, match=f"^{name} is missing; expected "):
        parse_row(json.dumps(row).encode())
    few = {key: made[0][0][key] for key in ("name", "file", "score", "item", "parameters")}
    assert (parse_row(json.dumps({**few, "x": "\0", "error": "why",
                                  "peak": None}).encode())["error"] == "why")  # of one that failed


def test_bytes_of_names_and_values_that_are_right_stay(made):
    [row], _ = made
    for more in (
        {"name": "x\udcff", "file": "audio/x\udcff.wav"},
        {"file": "..wav"},
        {"name": "...", "peak": 1e300, "dc": -5e-324},
        {"parameters": {"a b": None, "é": "", "x": -1, "y": "=1\n"}},
        {"t60": None, "centroid": 0},
    ):
        assert parse_row(json.dumps({**row, **more}).encode()) == {**row, **more}


@pytest.mark.parametrize(
    ("part", "name", "value", "said"),
    [
        ("options", "rate", 0, "options.rate is 0"),
        ("options", "format", "../x", "options.format is '../x'; expected flac or wav"),
        ("options", "only", 5, "options.only is 5; expected a list of texts"),
        ("options", "from", math.inf, "options.from is inf"),
        ("options", "subtype", "\x1b[0m", "expected FLOAT or PCM_16 or PCM_24"),
        ("batch", "samples", "\ud800", "batch.samples is"),
        ("batch", "bytes", -1, "batch.bytes is -1"),
        ("batch", "score", "a\0", "batch.score is"),
        ("timing", "seconds_per_second", "", "timing."),
        (None, "peak", math.inf, "peak is inf"),
        (None, "options", 5, "options is 5"),
        (None, "batch", [], "batch is a list"),
        (None, "files", {"\ud800": "0" * 64}, "files has"),
        (None, "files", {"a": "0"}, "files has 'a' of '0'"),
        (None, "files", 1, "files is 1"),
    ],
)
def test_a_sidecar_that_is_wrong_says_where(made, part, name, value, said):
    _, [document] = made
    assert (not list(sidecar_faults(document)) and not list(sidecar_faults({}))
            and not list(faults(made[0][0], SOUND_COLUMNS, needed=SOUND_COLUMNS)))
    other = ({**document, name: value} if part is None
             else {**document, part: {**document[part], name: value}})
    [found] = sidecar_faults(json.loads(written(other)))
    assert said in found


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"a": NaN}', "NaN is not a number of JSON"),
        (b'{"a": -Infinity}', "-Infinity is not"),
        (b"[1]", "not a JSON object"),
        (b"{", "at column 2"),
        (b'{"a":\n1,,}', "at line 2, column 3"),
        (b"[" * 100000, "nests too deeply"),
        (b'{"a": "\xff"}', "0xff is not UTF-8"),
        (b'{"a": ' + b"9" * 5000 + b"}", "thousands of digits"),
        (b"\xff\xfe{\0}\0", "0xff is not UTF-8"),
        (b"", "at column 1"),
    ],
)
def test_what_is_no_json_is_reported(tmp_path, data, said):
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(DocumentError) as caught:
        read_document(tmp_path / "a")
    assert said in str(caught.value) and "expected" in str(caught.value)


def test_a_large_sidecar_is_read_without_its_events(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "LARGEST", 4096)
    event = {"sample": 0, "target": "t.a", "parameters": {"force": [[0.0, 1.0, "linear"]] * 5}}
    document = {
        "options": {"rate": 8000},
        "events": [event] * 500,
        "batch": {"events": "no list"},
        "timing": {},
    }
    path = tmp_path / "a.wav.json"
    text = sidecar_text(document)
    path.write_text(text)
    assert len(text) > 4096 and read_sidecar(path) == {**document, "events": []}
    for bad, kind in (
        (text.replace('"t.a"', '"t.a', 1), DocumentError),
        (text[:-200], DocumentError),
        (text.replace('  {"sample"', '{"sample"'), TooLargeError),
        (json.dumps(document), TooLargeError),
        (json.dumps({"x": "x" * 5000}, indent=1), TooLargeError),
    ):
        path.write_text(bad)
        with pytest.raises(kind):
            read_sidecar(path)


def test_lines_of_a_manifest_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "LARGEST_ROW", 100)
    path = tmp_path / "manifest.jsonl"
    path.write_bytes(
        b"{}\r\n\n" + b"x" * 1000 + b"\n  \n" + b"y" * 101 + b"\n" + b"z" * 99 + b"\n" + b"w" * 102)
    lines = list(manifest_lines(path))
    assert [number for number, _ in lines] == [1, 3, 5, 6, 7]
    assert all(len(line) <= 101 for _, line in lines)
    for number, line in lines[1:]:
        with pytest.raises(DocumentError, match="not JSON" if number == 6 else "it is over"):
            parse_row(line)
    with open(path, "r+b") as file:
        file.truncate(1 << 33)
    with pytest.raises(TooLargeError):
        next(manifest_lines(path))
    with pytest.raises(NotRegularError):
        next(manifest_lines(tmp_path))
