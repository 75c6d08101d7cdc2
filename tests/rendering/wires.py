"""A string instrument as a file, with additions by a test, and scores for it."""
import pytest

import pysitar

TOML = """model = "string"
gain = 1.0
[strings.a]
pitch = 220.0
length = 0.65
linear_density = 1e-3
sigma0 = 1.0
{more}
[strings.a.pluck]
position = 0.2
force = 1.0
ramp = 0.01
{pluck}
"""
PHRASE = "use {file} as s scheme={scheme}\nrender tail=0.05s\n0 s.a pluck f=2N\n0.05 s.a damp t60=100ms\n0.12 s.a pluck h=1mm\n"


def bridge(**values):
    """A bridge whose apex is at the string at rest."""
    lines = "".join(f"{name} = {value}\n" for name, value in values.items())
    return f'[strings.a.barrier]\nprofile = "parabola"\nstart = 0.0\nheight = 0.0\npoints = 6\n{lines}'


def written(folder, pluck, **files):
    """Files of these names, each with more in it, in a folder."""
    for name, more in files.items():
        (folder / f"{name}.toml").write_text(TOML.format(more=more, pluck=pluck))
    return folder


def rendered(folder, text, **given):
    """A score of this text in a folder, rendered at 32 kHz twice oversampled."""
    path = folder / "x.score"
    path.write_text(text)
    return pysitar.render(pysitar.load_score(path), rate=32000, oversample=2, **given)


def reported(folder, text):
    """What is reported of a wrong score."""
    with pytest.raises(pysitar.ScoreError) as caught:
        rendered(folder, text)
    return str(caught.value)
