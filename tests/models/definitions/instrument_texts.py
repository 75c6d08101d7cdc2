"""What the tests of instrument files share: a text read, and what is reported of a wrong one."""
import pytest

from pysitar.models.definitions.loader import InstrumentError, parse_instrument


def parse(text, changes=()):
    return parse_instrument(text, name="box", shown="box.toml", changes=changes)


def faults(text, changes=()):
    """Return (key, message) of each fault."""
    with pytest.raises(InstrumentError) as caught:
        parse(text, changes)
    return [(fault.key, fault.message) for fault in caught.value.faults]
