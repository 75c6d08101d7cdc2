"""Sidecars: strict JSON with exact numbers, in the given order, one event per line."""
import json
import math
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysitar.errors import ParameterError
from pysitar.output.files import atomic_replacement
from pysitar.output.sidecar import sidecar_path, sidecar_text

TEXT = st.text(st.characters(exclude_categories=()))
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(
    allow_nan=False, allow_infinity=False) | TEXT
KEYS = st.sampled_from(["events", "a", "é", "", '"', "\n"])
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12)


def strict(text):
    """Parsed by a reader that takes no NaN."""
    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def paired(value):
    """A value as pairs, so that the order of keys and the types of numbers count."""
    if isinstance(value, dict):
        return [(key, paired(item)) for key, item in value.items()]
    if isinstance(value, list):
        return [paired(item) for item in value]
    return type(value), repr(value)


def test_where_it_stands():
    assert sidecar_path("drone.wav") == Path("drone.wav.json")
    assert sidecar_path(Path("there") / "a.b.FLAC") == Path("there/a.b.FLAC.json")


def test_one_event_a_line():
    event = {"sample": 48000, "seconds": 0.5, "target": "t.pa",
             "parameters": {"force": 0.3, "list": [1, 2]}}
    document = {"version": "0.1", "events": [event, {"verb": "damp"}], "files": {"a.score": "00ff"},
                "none": [], "inner": {"events": []}}
    assert sidecar_text(document) == (
        '{\n "version": "0.1",\n "events": [\n  {"sample": 48000, "seconds": 0.5, "target": '
        '"t.pa", "parameters": {"force": 0.3, "list": [1, 2]}},\n  {"verb": "damp"}\n ],\n'
        ' "files": {\n  "a.score": "00ff"\n },\n "none": [],\n "inner": {\n  "events": []\n }\n}\n')


def test_without_events_it_is_what_json_writes():
    document = {"b": [1, [2, {"c": None}]], "a": {"x": 0.1, "y": True, "events": {"no": "list"}},
                "é": "\u2028"}
    assert sidecar_text(document) == json.dumps(document, indent=1, ensure_ascii=False) + "\n"


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_it_gives_everything_back(document):
    text = sidecar_text(document)
    text.encode("utf-8")
    assert paired(strict(text)) == paired(document)


def test_numbers_keep_full_precision():
    numbers = [0.1 + 0.2, 1e-300, 5e-324, 1.7976931348623157e308, -0.0, 2.0**53 + 2, math.pi]
    assert [repr(number) for number in strict(sidecar_text({"n": numbers}))["n"]] == [
        repr(number) for number in numbers]


def test_scalars_of_numpy_and_kin():
    class Kind(IntEnum):
        ONE = 1

    given = {"a": np.float64(0.1), "b": np.float32(0.1), "c": np.int64(-3), "d": np.uint8(255),
             "e": np.bool_(True), "f": np.str_("text"), "g": Kind.ONE, "h": np.longdouble(0.5),
             np.str_("i"): (1, 2)}
    text = sidecar_text(given)
    assert strict(text) == {"a": 0.1, "b": float(np.float32(0.1)), "c": -3, "d": 255, "e": True,
                            "f": "text", "g": 1, "h": 0.5, "i": [1, 2]}
    assert '"e": true' in text and '"g": 1,' in text


@pytest.mark.parametrize("bad", [
    math.nan,
    math.inf,
    -math.inf,
    np.float32(np.nan),
    np.longdouble(np.inf),
    1j,
    b"x",
    Path("a"),
    {1},
    np.zeros(2),
    np.datetime64("2020-01-01", "ns"),
    np.timedelta64(3, "ns"),
    object(),
    pytest.param(10**5000, id="digits"),
])
def test_what_json_cannot_say_is_refused_with_its_place(bad):
    with pytest.raises(ParameterError, match=r"^sidecar\.events\[1\]\.hz is "):
        sidecar_text({"events": [{}, {"hz": bad}]})


def test_keys_are_text():
    with pytest.raises(ParameterError, match=r"^a key of sidecar\.a is 3; expected text"):
        sidecar_text({"a": {3: 1}})


def test_what_holds_itself_is_refused():
    document = {}
    document["a"] = [document]
    with pytest.raises(ParameterError, match="nested too deep"):
        sidecar_text(document)


def test_a_file_name_of_any_bytes(tmp_path):
    name = b"\xff\xe9.score".decode("utf-8", "surrogateescape")
    text = sidecar_text({"read": {name: "hash"}})
    path = tmp_path / "a.wav.json"
    with atomic_replacement(path) as descriptor, open(descriptor, "w", encoding="utf-8",
                                                      closefd=False) as file:
        file.write(text)
    assert json.loads(path.read_text(encoding="utf-8")) == {"read": {name: "hash"}}
