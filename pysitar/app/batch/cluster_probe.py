"""What a worker of a cluster is asked before it has a task; it is sent as code, for the worker may have no pysitar."""
from __future__ import annotations


def probe() -> tuple[str, str, str]:
    """The fields of a worker's `Build`."""
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
    except ImportError:          # it is older than that
        return version, "", ""
    return build.version, build.sources, ""
