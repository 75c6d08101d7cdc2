"""Python's search for reference cycles, held off while a score becomes objects that all stay."""
from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """Hold it off: every search would walk through all objects made so far and find nothing, which takes longer than making them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if gc.get_freeze_count() == 0:          # all that was made joins what is old: the next search would walk through it too
                gc.freeze()
                gc.unfreeze()
            gc.enable()
