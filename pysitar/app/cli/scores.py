"""`pysitar scores`: list the scores of pysitar, or copy them to render and to edit."""
from __future__ import annotations

import argparse
import os
import re
import shlex
from pathlib import Path

from pysitar.app.cli.new_folder import write_folder
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE
from pysitar.errors import printable

NAME = "scores"
DESCRIPTION = """\
List the scores that come with pysitar, with a one-line description of each: pieces, the
lessons of the tutorial, data sets, and experiments of papers.
With --copy, write them all, with the instruments that they use, to a folder of your own."""
EPILOG = """\
examples:
  pysitar scores
  pysitar scores --copy
  pysitar render scores/tutorial/01_first.score"""
FOLDER = "scores"
ENDINGS = {".score", ".toml"}
FIRST = "tutorial/01_first.score"
SENTENCE = re.compile(r"(.*?[^0-9.])\.(?: |$)")


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument(
        "--copy", nargs="?", const=FOLDER, metavar="DIR",
        help=f"copy all scores into DIR, a new folder or an empty one (default: {FOLDER})")
    return options


def run(arguments: argparse.Namespace) -> int:
    """List the scores, or copy them; return the exit code.  Errors: UsageError, OSError."""
    files = shipped_scores()
    if arguments.copy is None:
        names = [name for name in files if name.endswith(".score")]
        width = max(len(name) for name in names)
        for name in names:
            print(f"{name:{width}}  {title(files[name].decode())}")
        return DONE
    folder = arguments.copy
    write_folder(NAME, folder, files, example=FOLDER)
    named = f"./{folder}" if folder.startswith("-") else folder
    score = shlex.quote(os.path.join(named, FIRST))
    print(printable(f"copied {len(files)} files to {folder}. Next: pysitar render {score}", "?"))
    return DONE


def shipped_scores() -> dict[str, bytes]:
    """Return the scores that come with pysitar and the instruments that they use, by name: those of
    an installed package stand in it, those of a source tree beside it.  Errors: OSError."""
    package = Path(__file__).resolve().parents[2]
    folder = next((found for found in (package / FOLDER, package.parent / FOLDER)
                   if (found / FIRST).is_file()), None)
    if folder is None:
        raise FileNotFoundError(2, "pysitar was installed without its scores", str(package))
    paths = sorted(folder.rglob("*"), key=lambda path: (len(path.relative_to(folder).parts), path))
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in paths if path.suffix in ENDINGS}


def title(text: str) -> str:
    """Return the first sentence of the comment with which a score begins."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").strip())
    comment = " ".join(lines)
    found = SENTENCE.match(comment)
    return found[1] if found else comment
