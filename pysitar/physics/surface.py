"""A rough surface from seeded random phases, and its envelope for a rolling ball."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray, Numbers, array_of, flag, number, series, whole
from pysitar.physics.draws import LARGEST_SEED, uniforms

POINTS_A_WAVE = 16              # fewest points in the shortest wavelength
MOST_POINTS = 2**22
SHORTEST = 1e-12                # m
LONGEST = 1e6                   # m


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Surface:
    """Heights of a surface along a track, repeated periodically.

    Parameters
    ----------
    heights : array_like
        Shape (N,), up, -1e6 to 1e6 (m). The array is copied and read-only.
    spacing : float
        Distance of the points, 1e-12 to 1e6 (m).

    Raises
    ------
    ParameterError
        For a value out of its range.

    Examples
    --------
    >>> import pysitar
    >>> surface = pysitar.Surface(heights=[0.0, 1e-6, 0.0, -1e-6], spacing=1e-3)
    >>> surface.length
    0.004
    """

    heights: FloatArray
    spacing: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "heights",
                           series("heights", self.heights, "m", at_least=-LONGEST, at_most=LONGEST))
        object.__setattr__(self, "spacing",
                           number("spacing", self.spacing, "m", at_least=SHORTEST, at_most=LONGEST))

    @classmethod
    def rough(
        cls,
        *,
        rms: float,
        shortest: float,
        longest: float,
        beta: float = 2.0,
        length: float = 1.0,
        seed: int = 0,
        name: str = "surface",
    ) -> Surface:
        """Return a rough surface: waves of wave number k, amplitude k^(-beta/2) and random phase.

        Parameters
        ----------
        rms : float
            Root mean square of the heights, exact, above 0 to 1 (m).
        shortest, longest : float
            Shortest and longest wavelength, 1e-12 to the length (m).
        beta : float, default 2.0
            Slope of the spectrum, 0 to 10.
        length : float, default 1.0
            Period of the surface, from the longest wavelength to 1e6 (m).
        seed : int, default 0
            Seed of the phases, 0 to 2^63 - 1.
        name : str, default "surface"
            The phases depend on the seed and the name.

        Returns
        -------
        Surface
            With at least 16 points in the shortest wavelength; their number is a power of 2.

        Raises
        ------
        ParameterError
            For a value out of its range, no wave between the wavelengths, or more than 2^22 points.

        Examples
        --------
        >>> import pysitar
        >>> surface = pysitar.Surface.rough(rms=1e-6, shortest=0.01, longest=0.1, length=0.5)
        >>> surface.heights.size, round(float((surface.heights**2).mean()**0.5), 15)
        (1024, 1e-06)
        """
        rms = number("rms", rms, "m", above=0.0, at_most=1.0)
        shortest = number("shortest", shortest, "m", at_least=SHORTEST)
        longest = number("longest", longest, "m", at_least=shortest)
        beta = number("beta", beta, "", at_least=0.0, at_most=10.0)
        length = number("length", length, "m", at_least=longest, at_most=LONGEST)
        seed = whole("seed", seed, at_least=0, at_most=LARGEST_SEED)
        if not isinstance(name, str):
            raise ParameterError("name", name, "expected a string")
        waves = range(math.ceil(length / longest), math.floor(length / shortest) + 1)
        if not waves:
            raise ParameterError(
                "length", length,
                f"expected a whole number of waves of {shortest:g} to {longest:g} m")
        if POINTS_A_WAVE * waves[-1] > MOST_POINTS:
            raise ParameterError(
                "length", length,
                f"expected at most {MOST_POINTS // POINTS_A_WAVE} times the shortest wavelength")
        points = 1 << (POINTS_A_WAVE * waves[-1] - 1).bit_length()
        amplitudes = [elementary.pow(k, -0.5 * beta) for k in waves]
        scale = rms / math.sqrt(0.5 * math.fsum([a * a for a in amplitudes]))
        phases = [2.0 * math.pi * u for u in uniforms(seed=seed, name=name, count=len(waves))]
        re, im = np.zeros(points), np.zeros(points)
        re[waves[0]:waves[-1] + 1] = [
            scale * a * elementary.cos(phase) for a, phase in zip(amplitudes, phases, strict=True)
        ]
        im[waves[0]:waves[-1] + 1] = [
            scale * a * elementary.sin(phase) for a, phase in zip(amplitudes, phases, strict=True)
        ]
        return cls(heights=_waves(re, im), spacing=length / points)

    @property
    def length(self) -> float:
        """The period of the surface.

        Returns
        -------
        float
            In m.
        """
        return self.heights.size * self.spacing

    def followed(self, radius: float) -> Surface:
        """Return the envelope of the surface for a ball: the path of its lowest point.

        Parameters
        ----------
        radius : float
            Radius of the ball, 1e-12 to 1e6 (m).

        Returns
        -------
        Surface
            With the same spacing.

        Raises
        ------
        ParameterError
            For a radius out of its range.
        """
        return Surface(
            heights=surface_envelope(self.heights, spacing=self.spacing, radius=radius,
                                     periodic=True), spacing=self.spacing)

    def at(self, positions: FloatArray) -> FloatArray:
        """Return the heights at some positions, by cubic interpolation.

        The slope at a point is that of the chord between its two neighbours.

        Parameters
        ----------
        positions : numpy.ndarray
            Shape (n,), along the track (m).

        Returns
        -------
        numpy.ndarray
            Shape (n,), m.

        References
        ----------
        Catmull & Rom 1974.

        Examples
        --------
        >>> import numpy as np
        >>> import pysitar
        >>> surface = pysitar.Surface(heights=[0.0, 1.0, 0.0, -1.0], spacing=1.0)
        >>> surface.at(np.array([0.0, 0.5, 5.0])).tolist()
        [0.0, 0.625, 1.0]
        """
        place = (positions % self.length) / self.spacing
        first = place.astype(np.int64)
        x = place - first
        h = self.heights
        size = h.size
        before, here, after, beyond = h[(first - 1)
                                        % size], h[first % size], h[(first + 1)
                                                                    % size], h[(first + 2) % size]
        rise, bend = 0.5 * (after - before), 0.5 * (beyond - here)
        step = here - after
        result: FloatArray = here + x * (rise + x * (-3.0 * step - 2.0 * rise - bend + x *
                                                     (2.0 * step + rise + bend)))
        return result


def surface_envelope(profile: Numbers, *, spacing: float, radius: float,
                     periodic: bool = False) -> FloatArray:
    """Return the height of the lowest point of a ball that touches a profile from above.

    It is the greatest y(s + q) - (radius - sqrt(radius^2 - q^2)) over points with |q| <= radius.

    Parameters
    ----------
    profile : array_like
        Shape (N,), heights y, -1e6 to 1e6 (m).
    spacing : float
        Distance of the points, 1e-12 to 1e6 (m).
    radius : float
        Radius of the ball, 1e-12 to 1e6 (m).
    periodic : bool, default False
        Whether the profile repeats; it ends otherwise.

    Returns
    -------
    numpy.ndarray
        Shape (N,), m. The time of the computation is proportional to N.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    The offset curve of Rath, DAFx-03; the sweep is that of Felzenszwalb & Huttenlocher 2012, for
    circles instead of parabolas.

    Examples
    --------
    >>> import pysitar
    >>> pysitar.surface_envelope([0.0, 0.0, 1.0, 0.0, 0.0], spacing=1.0, radius=1.0).tolist()
    [0.0, 0.0, 1.0, 0.0, 0.0]
    """
    y = series("profile", profile, "m", at_least=-LONGEST, at_most=LONGEST)
    spacing = number("spacing", spacing, "m", at_least=SHORTEST, at_most=LONGEST)
    radius = number("radius", radius, "m", at_least=SHORTEST, at_most=LONGEST)
    span = min(float(np.max(y) - np.min(y)), radius)
    window = min(
        int(math.sqrt(span * (2.0 * radius - span)) / spacing) + 1, int(radius / spacing), y.size)
    pad = window if flag("periodic", periodic) else 0
    heights = y[np.arange(-pad, y.size + pad) % y.size]
    owners, begins = _upper_arcs(heights.tolist(), radius / spacing, spacing)
    places = np.arange(pad, pad + y.size)
    owner = np.array(owners)[np.searchsorted(np.array(begins), places, side="right") - 1]
    # after rounding, the owner at a tie may lie just outside the window
    away = np.minimum(np.abs(owner - places), window)
    result: FloatArray = heights[owner] - array_of(
        [_drop(k * spacing, radius) for k in range(window + 1)])[away]
    return result


def _drop(q: float, radius: float) -> float:
    """Return the height (m) of the surface of a ball above its lowest point, at a distance q (m)
    from that point."""
    return q * q / (radius + math.sqrt(max(radius * radius - q * q, 0.0)))


def _upper_arcs(heights: list[float], radius: float,
                spacing: float) -> tuple[list[int], list[float]]:
    """Return the points whose circles form the upper envelope, from the left, and where the part of
    each begins, both in spacings.

    Parameters: radius, in spacings.
    """
    owners, begins = [0], [-math.inf]
    last, begin, low = 0, -math.inf, heights[0]
    for i, high in enumerate(heights[1:], start=1):
        start = last + _rises_at(i - last, (high - low) / spacing, radius)
        while start <= begin:
            owners.pop()
            begins.pop()
            last, begin, low = owners[-1], begins[-1], heights[owners[-1]]
            start = last + _rises_at(i - last, (high - low) / spacing, radius)
        owners.append(i)
        begins.append(start)
        last, begin, low = i, start, high
    return owners, begins


def _rises_at(along: int, up: float, radius: float) -> float:
    """Return where a second circle rises above a first circle, relative to the centre of the first.

    Parameters: along and up, the centre of the second relative to that of the first; radius of
    both. If the circles do not intersect, the result is the end of the first circle.
    """
    squared = along * along + up * up
    root = radius * radius - 0.25 * squared
    if root > 0.0:
        across = math.sqrt(root / squared)
        if 0.5 * abs(up) <= along * across:          # the crossing is above both centres
            return 0.5 * along - up * across
    return along - radius if up > 0.0 else radius


def _waves(re: FloatArray, im: FloatArray) -> FloatArray:
    """Return the real part of sum_k (re + j im)[k] exp(2 pi j k n / N), (N,), N a power of 2.

    The transform of NumPy has different bits on different CPUs; this one uses sums and products in
    a fixed order (Stockham's).
    """
    size = re.size
    turns = [2.0 * math.pi * k / size for k in range(size // 2)]
    cosines, sines = array_of([elementary.cos(t)
                               for t in turns]), array_of([elementary.sin(t) for t in turns])
    blocks = 1
    while blocks < size:
        half = size // (2 * blocks)
        cos, sin = (table[::blocks].reshape(half, 1) for table in (cosines, sines))
        re, im = re.reshape(2, half, blocks), im.reshape(2, half, blocks)
        a, b = re[0] - re[1], im[0] - im[1]
        re = np.stack((re[0] + re[1], a * cos - b * sin), axis=1)
        im = np.stack((im[0] + im[1], a * sin + b * cos), axis=1)
        blocks *= 2
    return re.reshape(size)
