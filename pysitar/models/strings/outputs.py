"""The outputs that a simulation of a string can have."""
from __future__ import annotations

from pysitar.errors import ParameterError
from pysitar.models.network.schemes.statics import NO_OUTPUT

OUTPUTS = ("expected force_end, force_start, (displacement, x), (velocity, x), (mode, i), "
           "contact_force or (contact_force, k), or, with tension_modulation, tension_rise, with a "
           "bow bow_force or surface_velocity, with friction side_force_end or "
           "(side_displacement, x)")
Output = str | tuple[str, float] | tuple[str, int]


def static_output(output: Output) -> tuple[str, float]:
    """Return kind and place (m) of an output's static response."""
    name, where = parse_output(output)
    if name in ("displacement", "side_displacement") and where is not None:
        return name, float(where)
    return (name, 0.0) if name in ("force_start", "force_end", "side_force_end") else NO_OUTPUT


def parse_output(output: Output) -> tuple[str, float | None]:
    """Return the name of an output and its position or index (None: it has none)."""
    if isinstance(output, str):
        return output, None
    if isinstance(output, tuple) and len(output) == 2 and isinstance(output[0], str):
        return output
    raise ParameterError("output", output, OUTPUTS)
