"""A string instrument as a file, with additions by a test, and scores for it."""
import pytest
from instruments import instrument, string
from score_texts import write_score

import pysitar

PHRASE = ("use {file} as s scheme={scheme}\nrender tail=0.05s\n0 s.a pluck f=2N\n"
          "0.05 s.a damp t60=100ms\n0.12 s.a pluck h=1mm\n")


def bridge(**values):
    """A bridge whose apex is at the string at rest."""
    return {"profile": "parabola", "start": 0.0, "height": 0.0, "points": 6, **values}


def written(folder, pluck, **files):
    """Files of these names in a folder: a string with more keys and tables in each."""
    for name, more in files.items():
        text = instrument(string(sigma0=1.0, **more, pluck={"ramp": 0.01} | pluck))
        (folder / f"{name}.toml").write_text(text)
    return folder


def rendered(folder, text, **given):
    """A score of this text in a folder, rendered at 32 kHz twice oversampled."""
    return pysitar.render(write_score(folder, text), rate=32000, oversample=2, **given)


def reported(folder, text):
    """What is reported of a wrong score."""
    with pytest.raises(pysitar.ScoreError) as caught:
        rendered(folder, text)
    return str(caught.value)
