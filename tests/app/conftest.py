import sys
import types

import pytest
from app.playback.outputs import FakeOutput


class PortAudioError(Exception):
    pass


@pytest.fixture
def device(monkeypatch):
    """A module sounddevice whose only device keeps what it plays: outputs, all that were opened."""
    module = types.ModuleType("sounddevice")
    module.PortAudioError = PortAudioError
    module.outputs, module.more = [], {}

    def open_stream(**options):
        module.outputs.append(FakeOutput(**options, **module.more))
        return module.outputs[-1]

    module.OutputStream = open_stream
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    return module
