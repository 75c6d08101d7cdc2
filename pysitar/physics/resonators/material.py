"""Materials of bars, plates and membranes.

Sources of the table: metals and glass, Cremer, Heckl & Petersson, Structure-Borne Sound (2005),
table 4.3 (density, modulus, Poisson ratio, and the loss factor of bending in the middle of its
range); bell bronze (20 % tin), Fletcher & Rossing, The Physics of Musical Instruments (1998),
chapter 21, its loss factor that of brass; woods at 12 % moisture, along the grain, The Wood
Database (Meier) for density and modulus, nu_LR and G_LR / E_L of the USDA Wood Handbook (2010),
tables 5-1 and 5-2 (rosewood and padauk, which it lacks, as maple), loss factors of spruce and maple
Haines (1979), of rosewood bars 0.0045 +- 0.0009 measured on a marimba, of padauk a little more, as
Bremaud et al. (2012) order them; polyester film, DuPont's data sheet of Mylar (modulus 490 kg/mm^2,
density 1.390, Poisson ratio 0.38), its loss factor an order of magnitude. Nylon (of strings, drawn)
varies with its making and with moisture: orders of magnitude, as its loss factor. Goatskin varies
with its making and with moisture: orders of magnitude, and the loss factor that the partials of a
recorded tabla have. Loss factors hold to a factor of 2 at best.
"""
from __future__ import annotations

from dataclasses import dataclass

from pysitar.errors import ParameterError, suggest_name
from pysitar.physics import ranges
from pysitar.physics.checks import check_numbers
from pysitar.physics.ranges import Range

MODULUS = Range(unit="Pa", low=0.0, high=1e13, open_low=True, smallest=1.0)
POISSON = Range(low=0.0, high=0.5, open_high=True, smallest=0.0)
LOSS_FACTOR = Range(low=0.0, high=0.5, smallest=0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """An isotropic elastic material with a loss factor.

    Parameters
    ----------
    density : float
        1e-3 to 1e5 (kg/m^3).
    youngs_modulus : float
        1 to 1e13 (Pa); of a wood, along the grain.
    poisson_ratio : float
        0 to below 0.5.
    loss_factor : float, default 0.0
        Share of the elastic energy that is lost in one radian, 0 to 0.5: a mode decays by
        loss_factor omega / 2.
    shear_modulus : float, optional
        1 to 1e13 (Pa); by default that of an isotropic material, E / (2 (1 + nu)).

    Raises
    ------
    ParameterError
        For a value out of its range.

    Examples
    --------
    >>> import pysitar
    >>> pysitar.Material(density=2700.0, youngs_modulus=72e9, poisson_ratio=0.34).density
    2700.0
    """

    density: float
    youngs_modulus: float
    poisson_ratio: float
    loss_factor: float = 0.0
    shear_modulus: float | None = None

    def __post_init__(self) -> None:
        check_numbers(self, {"density": ranges.DENSITY, "youngs_modulus": MODULUS,
                             "poisson_ratio": POISSON, "loss_factor": LOSS_FACTOR})
        if self.shear_modulus is not None:
            MODULUS.number("shear_modulus", self.shear_modulus)

    @property
    def stiffness_in_shear(self) -> float:
        """The shear modulus.

        Returns
        -------
        float
            In Pa: `shear_modulus`, or that of an isotropic material.
        """
        if self.shear_modulus is not None:
            return self.shear_modulus
        return self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))

    def plate_stiffness(self, thickness: float) -> float:
        """Return the bending stiffness of a plate, D = E h^3 / (12 (1 - nu^2)).

        Parameters
        ----------
        thickness : float
            Of the plate, h > 0 (m).

        Returns
        -------
        float
            In N m.
        """
        return self.youngs_modulus * thickness * thickness * thickness / (
            12.0 * (1.0 - self.poisson_ratio * self.poisson_ratio))


def _material(density: float, gigapascals: float, poisson: float, loss: float,
              shear: float | None = None) -> Material:
    modulus = gigapascals * 1e9
    return Material(density=density, youngs_modulus=modulus, poisson_ratio=poisson,
                    loss_factor=loss, shear_modulus=None if shear is None else shear * modulus)


MATERIALS = {  # density, Young's modulus in GPa, Poisson ratio, loss factor, of woods also G / E
    "steel": _material(7800.0, 210.0, 0.31, 2e-4),
    "bronze": _material(8700.0, 105.0, 0.34, 5e-4),
    "brass": _material(8500.0, 95.0, 0.33, 5e-4),
    "aluminium": _material(2700.0, 72.0, 0.34, 1e-4),
    "glass": _material(2500.0, 65.0, 0.22, 1.3e-3),
    "spruce": _material(425.0, 11.0, 0.37, 7e-3, 0.064),
    "maple": _material(705.0, 12.6, 0.42, 1e-2, 0.111),
    "rosewood": _material(1025.0, 22.0, 0.4, 4.5e-3, 0.11),
    "padauk": _material(745.0, 11.7, 0.4, 5e-3, 0.11),
    "nylon": _material(1140.0, 3.0, 0.4, 1e-2),
    "mylar": _material(1390.0, 4.9, 0.38, 1e-2),
    "goatskin": _material(1000.0, 0.5, 0.4, 6e-3),
}


def material(name: str) -> Material:
    """Return a material of the table by its name.

    Parameters
    ----------
    name : str
        One of steel, bronze, brass, aluminium, glass, spruce, maple, rosewood, padauk, nylon,
        mylar, goatskin.

    Returns
    -------
    Material
        With the values of docs/resonators.md.

    Raises
    ------
    ParameterError
        For another name.

    Examples
    --------
    >>> import pysitar
    >>> pysitar.material("steel").youngs_modulus
    210000000000.0
    """
    if name not in MATERIALS:
        raise ParameterError("material", name, suggest_name(name, MATERIALS))
    return MATERIALS[name]


def checked_material(value: object) -> Material:
    """Return a parameter as a Material.  Errors: ParameterError."""
    if not isinstance(value, Material):
        raise ParameterError("material", value,
                             'expected a Material, such as pysitar.material("steel")')
    return value
