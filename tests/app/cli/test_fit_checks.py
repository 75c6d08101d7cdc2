"""What `pysitar fit` refuses beside what it replaces, and what it says of a body that is none."""
import argparse

import numpy as np
import pytest

from pysitar.app.cli.fit_body import _warn
from pysitar.app.cli.fit_checks import check_response, response_name
from pysitar.app.messages import UsageError
from pysitar.fitting.body_file import BodyFit, cancelling_pairs


def check(output, response, **values):
    arguments = argparse.Namespace(**{"output": output, "recordings": ["hit.wav"],
                                      "residual": None} | values)
    check_response("fit", arguments, response, "the impulse response of the blow", "expected x")


def test_a_response_replaces_only_that_of_its_instrument(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    response = response_name("thing.toml", "_blow.wav")
    assert response == "thing_blow.wav"
    check("thing.toml", response)                           # there is none
    (tmp_path / response).write_bytes(b"a sound")
    with pytest.raises(UsageError, match="is a file that thing"):
        check("thing.toml", response)
    (tmp_path / "thing.toml").write_text("no TOML")
    with pytest.raises(UsageError, match="does not play"):
        check("thing.toml", response)
    (tmp_path / "thing.toml").write_text('[body]\nimpulse_response = "thing_blow.wav"\n')
    check("thing.toml", response)                           # that of the last fit
    with pytest.raises(UsageError, match="is named already"):
        check("thing.toml", response, residual=response)


def body(frequencies, weights):
    return BodyFit(frequencies=np.array(frequencies), q=np.full(len(weights), 100.0),
                   weights=np.array(weights), residual=0.0, start=0.0)


def test_modes_that_cancel_each_other_are_reported(capsys):
    # within a hundredth of the bandwidth, 2 Hz: the sum has 1e-4 of the energy of each
    found = body([100.0, 200.0, 200.02, 400.0], [1.0, 50.0, -49.9, 2.0])
    assert cancelling_pairs(found) == [(1, 2)]
    _warn("glass.wav", found)
    assert ("warning: glass.wav: 2 modes nearly cancel each other, most of all those at 200.000 Hz "
            "and 200.020 Hz, whose weights are 50 and -49.9; expected" in capsys.readouterr().err)


@pytest.mark.parametrize(("frequencies", "weights"), [
    ([200.0, 200.02], [50.0, 49.9]),                        # they add
    ([200.0, 204.0], [50.0, -49.9]),                        # two bandwidths apart
    ([200.0, 200.02], [50.0, -5.0]),                        # one is a hundredth of the other
])
def test_other_modes_are_not(frequencies, weights, capsys):
    found = body(frequencies, weights)
    assert cancelling_pairs(found) == []
    _warn("tap.wav", found)
    assert capsys.readouterr().err == ""
