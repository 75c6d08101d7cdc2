"""A score has the name and the SHA-256 of every file that was read for it."""
import hashlib
import io
import sys

from pysitar.rendering.binding.binder import bind
from pysitar.rendering.options import options
from pysitar.score.document import Score
from pysitar.score.parser import load_score
from pysitar.score.source_files import Source

SCALE = "! a.scl\na scale\n2\n3/2\n2/1\n"
CODA = "0 t.pa pluck\r\n"
MAIN = """\
\ufeffuse tanpura as t
use "my.toml" as m
tuning sa=C3 scala "a.scl"
0 m.pa pluck
include "coda.score" at=2
include "coda.score" at=4
"""


def hashed(name, data):
    return Source(name, hashlib.sha256(data).hexdigest())


def furnished(folder):
    from pysitar.models.definitions.loader import preset_text

    (folder / "a.scl").write_text(SCALE)
    (folder / "coda.score").write_bytes(CODA.encode())
    (folder / "my.toml").write_bytes(preset_text("tanpura").encode() + b"# mine\r\n")
    (folder / "main.score").write_bytes(MAIN.encode())
    return hashed("tanpura", preset_text("tanpura").encode())


def test_every_file_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    preset = furnished(tmp_path)
    score = load_score("main.score")
    # the bytes as they are, with the byte order mark and the carriage returns
    read = [
        hashed("main.score", MAIN.encode()),
        hashed("a.scl", SCALE.encode()),
        hashed("coda.score", CODA.encode())
    ]
    assert score.sources == tuple(read)
    mine = hashed("my.toml", (tmp_path / "my.toml").read_bytes())
    assert set(bind(score, options(score)).sources) == {*read, preset, mine}


def test_two_uses_of_one_file_are_one_source():
    score = load_score(text="use tanpura as t\nuse tanpura as u\n0 t.pa pluck\n0 u.pa pluck\n")
    assert [source.name for source in bind(score, options(score)).sources] == ["<text>", "tanpura"]


def test_texts_and_standard_input(monkeypatch):
    text = "use tanpura as t\n0 t.pa pluck\n"
    assert load_score(text=text).sources == (hashed("<text>", text.encode()),)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert load_score("-").sources == (hashed("-", text.encode()),)


def test_a_score_from_events_has_its_instruments_only():
    score = Score.from_events([(0.0, "t.pa", "pluck", {})], use={"t": "tanpura"})
    assert score.sources == ()
    assert [source.name for source in bind(score, options(score)).sources] == ["tanpura"]
