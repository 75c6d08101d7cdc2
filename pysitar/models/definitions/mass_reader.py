"""Reads the masses of an instrument file."""
from __future__ import annotations

from pysitar.errors import quoted
from pysitar.models.definitions.masses import (
    CORRECTED_VARIANT,
    MASS,
    MASS_TABLES,
    ON_A_SPRING,
    MassSpec,
    ThrowSpec,
)
from pysitar.models.definitions.table_reader import TableReader


def read_mass(reader: TableReader, name: str, data: object, scheme: str) -> MassSpec | None:
    """One mass, played by a scheme; None when it is wrong, reported as a fault."""
    table = reader.part(name, data)
    if table is None:
        return None
    before = len(reader.faults)
    keys = {key: parameter for key, parameter in MASS.items() if key != "variant" or key in table}
    values = reader.table(table, keys, (name,), inner=("variant", *MASS_TABLES))
    throw = reader.inner((name, "throw"), table.get("throw"), MASS_TABLES["throw"])
    if "throw" not in table:
        reader.report((name, "throw"), f"is missing; expected a table [masses.{name}.throw]")
    if len(reader.faults) > before or throw is None:
        return None
    n = values.numbers
    spec = MassSpec(name=name, mass=n["mass"], stiffness=n["stiffness"], exponent=n["exponent"],
                    frequency=n["frequency"], barrier=n["barrier"],
                    variant=values.texts.get("variant", ""), corrected=values.flags["corrected"],
                    throw=ThrowSpec(velocity=throw.numbers["velocity"], gap=throw.numbers["gap"]))
    _check_whole(reader, spec, scheme)
    return spec


def _check_whole(reader: TableReader, spec: MassSpec, scheme: str) -> None:
    """Report what the scheme has not."""
    if spec.frequency > 0.0 and scheme not in ON_A_SPRING:
        reader.report((spec.name, "frequency"),
                      f"frequency is {spec.frequency:g} Hz, and the {scheme} scheme has no "
                      f"spring; "
                      f"expected 0 Hz, or scheme {' or '.join(ON_A_SPRING)}")
    if spec.variant and scheme != "explicit":
        reader.report((spec.name, "variant"),
                      f"variant is {quoted(spec.variant)}, and the {scheme} scheme has none; "
                      "expected no variant, or scheme explicit")
    if spec.corrected and scheme == "explicit" and spec.variant != CORRECTED_VARIANT:
        reader.report((spec.name, "corrected"),
                      f"of the explicit variants only {CORRECTED_VARIANT} can be corrected; "
                      f"expected false, or variant {CORRECTED_VARIANT}")
