"""A check that runs on a cluster worker before its tasks; sent as code, for workers without
pysitar."""
from __future__ import annotations


def probe() -> tuple[str, str, str]:
    """Return the fields of the worker's `Build`."""
    import importlib

    try:
        version = importlib.import_module("pysitar").__version__
    except ModuleNotFoundError as error:
        if error.name == "pysitar":
            return "", "", "pysitar is not installed"
        return "", "", f"pysitar cannot be loaded: {error}"
    except Exception as error:
        return "", "", f"pysitar cannot be loaded: {error}"
    try:
        build = importlib.import_module("pysitar.app.batch.build").this_build()
    except ImportError:          # an older pysitar
        return version, "", ""
    return build.version, build.sources, ""
