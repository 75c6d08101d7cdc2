"""Static displacement of a stiff string by a force at a point."""
from __future__ import annotations

from pysitar.errors import ParameterError
from pysitar.kernels.core.string_compliance import point_compliance
from pysitar.physics.checks import number
from pysitar.physics.string import String


def string_compliance(string: String, x: float, at: float) -> float:
    """Return the static displacement of a string at a point, per force at another.

    Parameters
    ----------
    string : String
        The string, between two simple supports.
    x : float
        Where the displacement is, 0 to length (m).
    at : float
        Where the force acts, 0 to length (m).

    Returns
    -------
    float
        G(x, at), in m/N; G(x, at) = G(at, x).

    Raises
    ------
    ParameterError
        For a point that is not on the string.

    Notes
    -----
    G is the sum over all modes of sin(b x) sin(b at) / k, k = (length / 2) (EI b^4 + T b^2), in
    closed form: (a c / L - S(a) S(c) / S(L)) / T with S(z) = sinh(kappa z) / kappa,
    kappa = sqrt(T / EI), a the smaller of the two positions and c = L - the larger one. A sum over
    M modes lacks about length / (10 M tension) of it at x = at. `StringSimulation` adds what it
    lacks with `statics`.

    References
    ----------
    Green's function of T y'' - EI y'''' = -delta with y = y'' = 0 at both ends (derived).

    Examples
    --------
    >>> import pysitar
    >>> string = pysitar.String(length=0.5, tension=50.0, linear_density=5e-4)
    >>> pysitar.analytic.string_compliance(string, 0.25, 0.25)
    0.0025
    """
    if not isinstance(string, String):
        raise ParameterError("string", string, "expected a String")
    places = [number(name, value, "m", at_least=0.0, at_most=string.length)
              for name, value in (("x", x), ("at", at))]
    return point_compliance(string.length, string.tension, string.bending_stiffness, *places)
