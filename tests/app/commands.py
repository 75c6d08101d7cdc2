"""What the tests of the command line share: a small instrument, scores for it, and the command run
in a process of its own."""
import os
import subprocess
import sys

from instruments import TWO_MODES

from pysitar.__main__ import main

HEAD = 'use "two.toml" as t\n'


def one_pluck(milliseconds, *lines, options=""):
    """A score of one pluck that ends with it, and more lines."""
    return "\n".join([f"{HEAD}render tail=0 oversample=1{options}",
                      f"0 t.a pluck dur={milliseconds}ms", *lines, ""])


SHORT = one_pluck(100)
# a minute of computing
LONG = HEAD + ("render tail=0 oversample=8 channels=1\nsection s\n0 t.a pluck\nend\n"
               "play s times=1200 every=1s\n")


def furnish(folder, **scores):
    """Put the instrument and scores, by their names without the ending, into a folder."""
    (folder / "two.toml").write_text(TWO_MODES)
    for name, text in scores.items():
        (folder / f"{name}.score").write_text(text)
    return folder


def started(*words, cwd, before="", environment=None, **options):
    """`pysitar WORDS` as a running process; before, Python to run first in it."""
    code = f"{before}\nimport sys\nfrom pysitar.__main__ import main\nsys.exit(main())"
    return subprocess.Popen([sys.executable, "-c", code, *words], cwd=cwd,
                            env=os.environ | (environment or {}), **options)


def pysitar(*words, cwd, given=None, timeout=30.0, **options):
    """`pysitar WORDS` in a process of its own: exit code, standard output, standard error; given,
    its standard input."""
    pipe = subprocess.PIPE
    with started(*words, cwd=cwd, stdin=subprocess.DEVNULL if given is None else pipe, stdout=pipe,
                 stderr=pipe, **options) as process:
        try:
            out, output = process.communicate(given, timeout=timeout)
        finally:
            process.kill()
    return process.returncode, out.decode(errors="replace"), output.decode(errors="replace")


def contents(folder):
    """Every name in a folder, with the bytes of the regular files."""
    return {path.name: path.read_bytes() if path.is_file() and path.stat().st_size < 10**6 else None
            for path in folder.iterdir()}


def messages(output):
    """The messages on standard error, without the lines that show where."""
    return [line for line in output.splitlines() if not line.startswith("    ")]


def refused(command, capsys, folder, code, message, *words):
    """Run a command in this process that ends with this code and one message with this text, and
    changes no file."""
    before = contents(folder)
    assert main([command, *words]) == code
    out, errors = capsys.readouterr()
    assert out == "" and len(messages(errors)) == 1
    assert "Traceback" not in errors and "unexpected" not in errors
    assert message in errors, errors
    assert contents(folder) == before
