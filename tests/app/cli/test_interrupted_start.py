"""Ctrl-C while the command is still being imported: one line, and exit code 130."""
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import pysitar

# what pip makes of an entry point
SCRIPT = ("import sys\nfrom pysitar.__main__ import main\nif __name__ == '__main__':\n"
          "    sys.exit(main())\n")
# run by Python before all else; the finder is asked for each module that is imported, and sends the
# signal at one of them
HOOK = """\
import os, signal, sys
class Finder:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
"""


def run(folder, module, *words):
    """Python started with these words, interrupted when it imports a module: exit code, standard
    error."""
    (folder / "pysitar").write_text(SCRIPT)
    (folder / "sitecustomize.py").write_text(HOOK.format(module=module))
    path = os.pathsep.join([str(folder), str(Path(pysitar.__file__).parents[1])])
    done = subprocess.run([sys.executable, *words], cwd=folder,
                          env=os.environ | {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"},
                          capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("start", [("pysitar",), ("-m", "pysitar")], ids=["script", "module"])
@pytest.mark.parametrize(("command", "module"), [
    ("--version", "pysitar.app.cli.main"), ("render", "pysitar.kernels"), ("render", "numpy"),
    ("render", "pysitar.output.audio"), ("reproduce", "pysitar.papers.command")])
def test_an_interrupt_while_the_command_is_imported_is_one_line(tmp_path, start, command, module):
    assert run(tmp_path, module, *start, command) == (130, "pysitar: interrupted\n")


@pytest.mark.parametrize("words", [("-c", "import pysitar; pysitar.render"), ("mine.py", ),
                                   ("-m", "mine")])
def test_in_another_program_it_is_a_keyboard_interrupt(tmp_path, words):
    (tmp_path / "mine.py").write_text(
        "try:\n    import pysitar; pysitar.render\nexcept "
        " KeyboardInterrupt:\n    print('mine', flush=True)\n    raise\n")
    code, output = run(tmp_path, "pysitar.output.audio", *words)
    assert code in {-signal.SIGINT, 130}
    assert output.rstrip().endswith("KeyboardInterrupt")
    assert "pysitar: interrupted" not in output


def test_later_it_ends_as_ever(tmp_path):
    (tmp_path / "x.score").write_text("use tanpura as t\n0 t.pa pluck\n")
    # tomllib is read from here on: main has begun
    code, output = run(tmp_path, "no such module", "pysitar", "check", "x.score")
    assert (code, output) == (0, "")
    code, output = run(tmp_path, "encodings.cp1252", "-c", "import sys; sys.argv = ['pysitar', "
                     "'check', 'x.score']\nimport pysitar.__main__ as m, signal\n"
                     "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n")
    assert (code, output) == (0, "")
