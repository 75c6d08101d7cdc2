"""Names of stems: safe on every disk, and different for different voices."""
import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pysitar.errors import ParameterError
from pysitar.output.stems import stem_name

ALPHABET = st.sampled_from("tTzZ_09éÉßſKıIİiåÅÅΑАaसात𝐀ªªe\u0301\u0327\u0323")
NAMES = st.text(ALPHABET, min_size=1, max_size=12).filter(str.isidentifier)
ANY = st.text(min_size=1, max_size=40).filter(str.isidentifier)
PIECE = re.compile(r"\+([0-9a-f]+)\+|([a-z])-|([a-z0-9_])")
SAFE = re.compile(r"[a-z0-9_+-]{1,200}")


def voice_of(stem):
    """The voice of a stem that was not cut: the twin of stem_name, read backwards."""
    stem = stem.removesuffix("--")
    voice, at = "", 0
    while at < len(stem):
        piece = PIECE.match(stem, at)
        voice += chr(int(piece[1], 16)) if piece[1] else piece[2].upper() if piece[2] else piece[3]
        at = piece.end()
    return voice


@pytest.mark.parametrize(("voice", "stem"), [
    ("t", "t"),
    ("T", "t-"),
    ("Tanpura", "t-anpura"),
    ("jor_2", "jor_2"),
    ("_", "_"),
    ("é", "+e9+"),
    ("e\u0301", "e+301+"),
    ("sitarA", "sitara-"),
    ("AB", "a-b-"),
    ("con", "con--"),
    ("CON", "c-o-n-"),
    ("lpt1", "lpt1--"),
    ("lpt10", "lpt10"),
    ("console", "console"),
])
def test_stems_can_be_read(voice, stem):
    assert stem_name(voice) == stem


@settings(deadline=None)
@given(ANY | NAMES)
@example("con")
@example("e9")
@example("_E9")
def test_a_stem_gives_its_voice_back(voice):
    stem = stem_name(voice)
    assert SAFE.fullmatch(stem)
    assert stem[0] not in "-."
    assert re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)", stem) is None
    if len(stem) <= 163:                    # one that was cut has 166 characters
        assert voice_of(stem) == voice


@settings(deadline=None)
@given(NAMES, NAMES)
@example("t", "T")
@example("é", "e\u0301")
@example("K", "K")
def test_two_voices_have_two_files_on_a_disk_that_folds_names(one, other):
    def folded(voice):
        return unicodedata.normalize("NFKC", stem_name(voice).casefold())

    assert (folded(one) == folded(other)) == (one == other)


@settings(max_examples=50, deadline=None)
@given(st.integers(90, 400), st.integers(90, 400), st.sampled_from("aAé"), st.sampled_from("bBé"))
def test_long_names_are_cut_and_differ(one, other, first, last):
    stems = {
        stem_name(first * one + last),
        stem_name(first * other + last),
        stem_name(first * one + "_"),
        stem_name(first * (one + 1))
    }
    assert len(stems) == len(
        {first * one + last, first * other + last, first * one + "_", first * (one + 1)})
    assert all(SAFE.fullmatch(stem) for stem in stems)


def test_the_longest_name_that_is_not_cut():
    assert stem_name("a" * 200) == "a" * 200
    assert re.fullmatch(r"a{100}--[0-9a-f]{64}", stem_name("a" * 201))


@pytest.mark.parametrize(
    "voice", ["", "a b", "../a", "1a", "a-b", "a.b", "a+b", "a\0", "\udcff", None, 3, b"a"])
def test_what_is_no_name(voice):
    with pytest.raises(ParameterError, match=r"^voice is "):
        stem_name(voice)
