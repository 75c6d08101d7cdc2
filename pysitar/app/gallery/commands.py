"""The shell command that renders a sound again, from the values in its sidecar."""
from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from pysitar.errors import printable

SCORE = ".score"
WHOLE = ("rate", "oversample", "seed")
AGAIN = "again"                 # the folder into which a command makes one sound of a batch


def render_command(score: str, file: str, options: Mapping[str, Any]) -> str | None:
    """Return the `pysitar render` command of a sound; None if the options are incomplete.

    Parameters: score, "-" for standard input; file, the name of the sound; options, of its sidecar.
    """
    words = _options(options)
    if words is None or not _is_pasteable(score, file):
        return None
    for name in ("from", "to"):
        if options.get(name):
            words.append(f"--{name}={options[name]!r}s")
    words += [
        f"--{name}={target}" for name in ("only", "mute") for target in options.get(name) or ()]
    return shlex.join(["pysitar", "render", *_file_word(score), "-o", *_file_word(file), *words])


def batch_command(score: str, number: int, most: int, options: Mapping[str, Any]) -> str | None:
    """Return the command that renders one sound of a batch into a separate folder; None if the
    options are incomplete.

    Parameters: number of the item in its score, from 1; most, at least the number of items of the
    score.
    """
    words = _options(options)
    if words is None or not _is_pasteable(score):
        return None
    if options["format"] != "wav":
        words.append(f"--format={options['format']}")
    return shlex.join(
        ["pysitar", "batch", *_file_word(score), "-o", AGAIN, f"--shard={number}/{most}", *words])


def _options(options: Mapping[str, Any]) -> list[str] | None:
    """Return the options common to both commands; None if one is missing."""
    if not {*WHOLE, "format", "subtype"} <= set(options):
        return None
    words = [f"--{name}={options[name]}" for name in WHOLE]
    if options.get("peak") is not None:
        words.append(f"--peak={options['peak']!r}")
    if options.get("fade") is not None:
        words.append(f"--fade={options['fade']!r}")
    if options["subtype"] != "PCM_24":
        words.append(f"--subtype={options['subtype']}")
    return words


def _file_word(path: str) -> list[str]:
    """Return a file name as an argument that cannot be taken for an option."""
    return [f"./{path}" if path.startswith("-") and path != "-" else path]


def _is_pasteable(*names: str) -> bool:
    """Whether names consist of printable characters, so that they can be pasted into a shell."""
    return all(name and printable(name.replace("\n", " "), "\0").isprintable() for name in names)
