"""Sound synthesis of colliding strings and objects, by schemes whose energy balance is proved."""
from pysitar.app.cli.starting import begin

begin()
del begin
try:
    from pysitar.kernels import contact, decimate, three_point, two_point
except ImportError as error:
    raise ImportError(
        f"pysitar's kernels are not built ({error}); in its source folder, 'pip install -e .' builds them") from error
del contact, decimate, three_point, two_point

from pysitar.app.render_file import render_file
from pysitar.app.render_memory import Rendering, render
from pysitar.errors import ParameterError, PhysicalWarning, PysitarError, RenderError, ScoreError
from pysitar.models.impact import ImpactSimulation
from pysitar.models.mass_barrier import MassRun, mass_barrier
from pysitar.models.rolling import RollingSimulation
from pysitar.models.run import Run
from pysitar.models.simulation import StringSimulation
from pysitar.models.wall_impact import WallRun, wall_impact
from pysitar.output.audio import write_audio
from pysitar.physics import analytic
from pysitar.physics.barrier import Barrier, parabola
from pysitar.physics.contact import ContactLaw
from pysitar.physics.modal_object import ModalObject
from pysitar.physics.string import String
from pysitar.physics.surface import Surface, surface_envelope
from pysitar.score.document import Score
from pysitar.score.parser import load_score

__all__ = [
    "Barrier", "ContactLaw", "ImpactSimulation", "MassRun", "ModalObject", "ParameterError",
    "PhysicalWarning", "PysitarError", "RenderError", "Rendering", "RollingSimulation", "Run",
    "Score", "ScoreError", "String", "StringSimulation", "Surface", "WallRun", "__version__",
    "analytic", "load_score", "mass_barrier", "parabola", "render", "render_file",
    "surface_envelope", "wall_impact", "write_audio",
]


def __getattr__(name: str) -> str:
    # the metadata is slow to read, and few ask
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("pysitar")
        except PackageNotFoundError:
            return "unknown"
    raise AttributeError(f"module 'pysitar' has no attribute {name!r}")
