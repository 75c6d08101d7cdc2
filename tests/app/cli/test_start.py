"""What a start imports: the command that runs, and nothing of the others."""
import gc
import subprocess
import sys

import pytest

from pysitar.app.cli import starting

CODE = ("import sys\nfrom pysitar.__main__ import main\ncode = main(sys.argv[1:])\n"
        "print(*sorted(sys.modules), file=sys.stderr)\nsys.exit(code)")


def modules_of(folder, *words):
    done = subprocess.run([sys.executable, "-c", CODE, *words], cwd=folder, capture_output=True,
                          text=True, timeout=60, check=True)
    return done.stderr.split()


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_the_version_and_the_help_need_few_modules(tmp_path, word):
    modules = modules_of(tmp_path, word)
    # there were 175 of this package and NumPy
    assert len([name for name in modules if name.startswith("pysitar")]) <= 16
    assert not {"numpy", "soundfile", "tqdm", "pysitar.kernels"} & set(modules)


def test_a_render_imports_no_other_command(tmp_path):
    (tmp_path / "a.score").write_text("use guitar as t\nrender tail=0 rate=8000 oversample=1\n"
                                      "0 t.e2 pluck dur=10ms\n")
    modules = modules_of(tmp_path, "render", "a.score", "--quiet")
    own = [name for name in modules if name.startswith("pysitar")]
    commands = {name for name in own if name.startswith("pysitar.app.")}
    assert not {"matplotlib", "distributed", "scipy", "tomlkit", "mido", "datasets"} & set(modules)
    assert not [name for name in own if name.startswith("pysitar.papers")]
    assert commands <= {"pysitar.app." + name for name in (
        "cli", "cli.inputs", "cli.main", "cli.options", "cli.parsing", "cli.render", "cli.request",
        "cli.starting", "cli.times", "messages", "progress", "terminal")}
    # a score of strings needs nothing of how objects and masses are computed
    others = ("pysitar.models.objects", "pysitar.models.masses", "pysitar.physics.resonators")
    assert {name for name in own if name.startswith(others)} <= {
        "pysitar.physics.resonators", "pysitar.physics.resonators.material"}      # of wires
    # 208 with friction, second directions, rattles, gauges, measured bodies, plectra, circuits of
    # pickups and keys without effect; all of the package are over 360
    assert len(own) <= 210


@pytest.mark.parametrize("is_command", [True, False])
def test_a_command_collects_no_garbage_while_it_is_imported(monkeypatch, is_command):
    monkeypatch.setattr(starting, "_is_command", lambda: is_command)
    starting.begin()
    try:
        assert gc.isenabled() is not is_command
    finally:
        starting.end()
    assert gc.isenabled()


def test_a_program_without_garbage_collection_keeps_it_so():
    gc.disable()
    try:
        starting.begin()
        starting.end()
        assert not gc.isenabled()
    finally:
        gc.enable()
