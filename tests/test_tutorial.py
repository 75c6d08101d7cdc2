"""The lessons: docs/score.md shows the files of scores/tutorial, in their order, and each
sounds as loud as it should."""
import math
import re
from pathlib import Path

import pytest

import pysitar
from pysitar.rendering.engine import open_engine

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted((ROOT / "scores" / "tutorial").glob("*.score"))
SHOWN = re.compile(r"^### (\d+)\. ([^\n]+)\n\n`pysitar render "
                   r"scores/tutorial/(\S+)`\n\n```score\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_shows_the_files():
    lessons = SHOWN.findall((ROOT / "docs" / "score.md").read_text(encoding="utf-8"))
    assert [name for _, _, name, _ in lessons] == [path.name for path in FILES]
    assert [number for number, *_ in lessons] == [str(number) for number in range(1, 18)]
    for (number, title, _, text), path in zip(lessons, FILES, strict=True):
        assert text == path.read_text(encoding="utf-8")
        first, second = text.splitlines()[:2]
        assert first == f"# {number}. {title}." and second.startswith(
            "# What to hear: ") and path.name.startswith(f"{int(number):02d}_")


# s: where a lesson is loudest, if not in its first 2.5 s: of the six strokes the last, of 2.8 N, is
# 17 dB over the first
LOUDEST = {"02_values": (4.9, 5.5)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_lesson_sounds(path):
    """`.ci/scores.py` renders it whole, at its full rate."""
    score = pysitar.load_score(path)
    assert 2.0 <= open_engine(score).least_frames / 48000 <= 8.0
    start, stop = LOUDEST.get(path.stem, (0.0, 2.5))
    report = pysitar.render(score, rate=12000, oversample=1, start=start, stop=stop).report
    # at full rate and to their ends they peak at -0.5 to -7 dB; a rate so low takes up to 9 dB of
    # it, most of a rattle, and a beginning of 2.5 s up to 8
    assert -20.0 < 20.0 * math.log10(report["peak"]) < -1.0
    assert report["clipped"] == 0 and report["failed_solves"] == 0 and report["residual"] < 1e-9
