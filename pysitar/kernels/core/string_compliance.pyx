"""Static displacement of a stiff string by a point force; string_compliance.pxd has the formula."""
from pysitar.kernels.core.string_compliance cimport string_compliance


def point_compliance(double length, double tension, double bending_stiffness, double x, double at):
    """Return the static displacement (m/N) at x per force at a point `at` of a string.

    Parameters: length (m), tension (N), bending_stiffness (N m^2), x and at (m), in the ranges that
    `physics.string_compliance` checks.
    """
    return string_compliance(length, tension, bending_stiffness, x, at)
