"""Sound synthesis of colliding strings and objects, by schemes whose energy balance is proved.

Each public name is imported at its first use: `import pysitar` alone loads neither NumPy nor a
kernel.
"""
import os
from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pysitar import analytic
    from pysitar.api.render_file import render_file
    from pysitar.api.render_memory import Rendering, render
    from pysitar.errors import (
        ParameterError,
        PhysicalWarning,
        PysitarError,
        RenderError,
        ScoreError,
    )
    from pysitar.fitting.body_file import BodyFit, fit_body
    from pysitar.fitting.modes import Modes, fit_modes
    from pysitar.fitting.string_fit import StringFit, fit_string
    from pysitar.models.masses.mass_barrier import MassRun, mass_barrier
    from pysitar.models.masses.wall_impact import WallRun, wall_impact
    from pysitar.models.network.run import Run
    from pysitar.models.objects.impact import ImpactSimulation
    from pysitar.models.objects.rolling import RollingSimulation
    from pysitar.models.strings.simulation import StringSimulation
    from pysitar.output.audio import write_audio
    from pysitar.physics.adhesive_law import AdhesiveLaw
    from pysitar.physics.barrier import Barrier, parabola
    from pysitar.physics.bow import Bow, BridgeFriction, Rosin, Torsion
    from pysitar.physics.contact import ContactLaw
    from pysitar.physics.felt_law import FeltLaw
    from pysitar.physics.internal_force import InternalForce
    from pysitar.physics.modal_object import ModalObject
    from pysitar.physics.resonators.bar import Bar
    from pysitar.physics.resonators.circular_plate import CircularPlate
    from pysitar.physics.resonators.loaded_membrane import LoadedMembrane
    from pysitar.physics.resonators.material import Material, material
    from pysitar.physics.resonators.membrane import Membrane
    from pysitar.physics.resonators.rectangular_plate import RectangularPlate
    from pysitar.physics.resonators.resonator import Resonator, modal_object
    from pysitar.physics.resonators.snare_drum import SnareDrum, SnareWires
    from pysitar.physics.resonators.undercut_bar import UndercutBar, tuned_bar
    from pysitar.physics.string import String
    from pysitar.physics.surface import Surface, surface_envelope
    from pysitar.physics.viscoelastic_law import ViscoelasticLaw
    from pysitar.score.document import Score
    from pysitar.score.parser import load_score

    __version__: str

__all__ = [
    "AdhesiveLaw", "Bar", "Barrier", "BodyFit", "Bow", "BridgeFriction", "CircularPlate",
    "ContactLaw", "FeltLaw", "ImpactSimulation", "InternalForce", "LoadedMembrane", "MassRun",
    "Material", "Membrane", "ModalObject", "Modes", "ParameterError", "PhysicalWarning",
    "PysitarError", "RectangularPlate", "RenderError", "Rendering", "Resonator",
    "RollingSimulation", "Rosin", "Run", "Score", "ScoreError", "SnareDrum", "SnareWires",
    "String", "StringFit", "StringSimulation", "Surface", "Torsion", "UndercutBar",
    "ViscoelasticLaw", "WallRun", "__version__", "analytic", "fit_body", "fit_modes",
    "fit_string", "load_score", "mass_barrier", "material", "modal_object", "parabola",
    "render", "render_file", "surface_envelope", "tuned_bar", "wall_impact", "write_audio",
]
_MODULES = {                      # the module that defines each public name
    "AdhesiveLaw": "pysitar.physics.adhesive_law",
    "Bar": "pysitar.physics.resonators.bar",
    "Barrier": "pysitar.physics.barrier",
    "BodyFit": "pysitar.fitting.body_file",
    "Bow": "pysitar.physics.bow",
    "BridgeFriction": "pysitar.physics.bow",
    "CircularPlate": "pysitar.physics.resonators.circular_plate",
    "ContactLaw": "pysitar.physics.contact",
    "FeltLaw": "pysitar.physics.felt_law",
    "ImpactSimulation": "pysitar.models.objects.impact",
    "InternalForce": "pysitar.physics.internal_force",
    "LoadedMembrane": "pysitar.physics.resonators.loaded_membrane",
    "MassRun": "pysitar.models.masses.mass_barrier",
    "Material": "pysitar.physics.resonators.material",
    "Membrane": "pysitar.physics.resonators.membrane",
    "ModalObject": "pysitar.physics.modal_object",
    "Modes": "pysitar.fitting.modes",
    "ParameterError": "pysitar.errors",
    "PhysicalWarning": "pysitar.errors",
    "PysitarError": "pysitar.errors",
    "RectangularPlate": "pysitar.physics.resonators.rectangular_plate",
    "RenderError": "pysitar.errors",
    "Rendering": "pysitar.api.render_memory",
    "Resonator": "pysitar.physics.resonators.resonator",
    "RollingSimulation": "pysitar.models.objects.rolling",
    "Rosin": "pysitar.physics.bow",
    "Run": "pysitar.models.network.run",
    "Score": "pysitar.score.document",
    "ScoreError": "pysitar.errors",
    "SnareDrum": "pysitar.physics.resonators.snare_drum",
    "SnareWires": "pysitar.physics.resonators.snare_drum",
    "String": "pysitar.physics.string",
    "StringFit": "pysitar.fitting.string_fit",
    "StringSimulation": "pysitar.models.strings.simulation",
    "Surface": "pysitar.physics.surface",
    "Torsion": "pysitar.physics.bow",
    "UndercutBar": "pysitar.physics.resonators.undercut_bar",
    "ViscoelasticLaw": "pysitar.physics.viscoelastic_law",
    "WallRun": "pysitar.models.masses.wall_impact",
    "fit_body": "pysitar.fitting.body_file",
    "fit_modes": "pysitar.fitting.modes",
    "fit_string": "pysitar.fitting.string_fit",
    "load_score": "pysitar.score.parser",
    "mass_barrier": "pysitar.models.masses.mass_barrier",
    "material": "pysitar.physics.resonators.material",
    "modal_object": "pysitar.physics.resonators.resonator",
    "parabola": "pysitar.physics.barrier",
    "render": "pysitar.api.render_memory",
    "render_file": "pysitar.api.render_file",
    "surface_envelope": "pysitar.physics.surface",
    "tuned_bar": "pysitar.physics.resonators.undercut_bar",
    "wall_impact": "pysitar.models.masses.wall_impact",
    "write_audio": "pysitar.output.audio",
}
_KERNELS = ("contact.collision", "core.decimate", "core.elementary", "modal.three_point",
            "modal.two_point")


def _check_kernels() -> None:
    """Raise ImportError if the kernels are not built for this Python; import nothing for that."""
    for kernel in _KERNELS:
        places = [os.path.join(path, "kernels", kernel.partition(".")[0]) for path in __path__]
        if PathFinder.find_spec(f"pysitar.kernels.{kernel}", places) is None:
            raise ImportError(f"pysitar's kernels are not built (no {kernel}); "
                              "in its source folder, 'pip install -e .' builds them")


_check_kernels()


def _load(name: str) -> Any:
    """Import and return a public name at its first use."""
    if name == "__version__":
        from pysitar.version import package_version

        return package_version()
    if name == "analytic":
        return import_module("pysitar.analytic")
    if name not in _MODULES:
        raise AttributeError(f"module 'pysitar' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:           # a type checker takes the names from the imports above
    __getattr__ = _load
