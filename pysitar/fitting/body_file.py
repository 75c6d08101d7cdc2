"""An instrument file of a modal body from the modes of its impulse response, at its level."""
from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.fitting.exponentials import Exponentials
from pysitar.fitting.modes import MOST_MODES, Modes, fit_modes
from pysitar.fitting.object_file import BLOW_TIMES, fit_weights, list_numbers
from pysitar.models.definitions.loader import parse_instrument
from pysitar.physics.checks import FloatArray, Numbers, array_of, number

MASS = 0.05                     # kg, of each mode; only its quotient with the weight is in a sound
HIGHEST = 10000.0               # Hz
LEAST_Q = 0.5
GAIN_DIGITS = 4
LONGEST = 4.0                   # s of an impulse response
# of the energies of two modes, their sum that marks a pair: real bodies have -0.87 and above
CANCELLED = -0.95
LEAST_SHARE = 0.1               # of the energy of the stronger mode of such a pair
# a steel string that plays the body: chosen
STRING = """\
[strings.string]
pitch = "G3"
length = 0.65
linear_density = 7e-4
bending_stiffness = 5e-5
sigma0 = 0.6
sigma1 = 0.004
sigma3 = 4e-6

[strings.string.pluck]
position = "10cm"
force = 1.0
width = 0.002
ramp = 0.008
release = 0.0002
"""


@dataclass(frozen=True, slots=True, eq=False)
class BodyFit:
    """The modal body fitted to a tap or an impulse response.

    Its output for a force is the sum of weight times velocity over modes of 0.05 kg each: a chosen
    mass, as a sound shows only its quotient with the weight.

    Attributes
    ----------
    frequencies : ndarray
        Shape (M,), without losses (Hz).
    q : ndarray
        Shape (M,), quality factors, above 0.5.
    weights : ndarray
        Shape (M,), of the velocities in the output (full scale per m/s), with signs.
    residual : float
        Energy that these modes, all driven by one impulse, leave, over that of the sound.
    start : float
        Time of the tap in the recording (s).
    """

    frequencies: FloatArray
    q: FloatArray
    weights: FloatArray
    residual: float
    start: float

    def remainder(self, sound: FloatArray, rate: float) -> FloatArray:
        """Return what the modes lack of the recorded response from the tap on.

        Parameters
        ----------
        sound : ndarray
            Shape (n,), the recording, full scale 1.
        rate : float
            Its sample rate, above 0 to 1e9 (Hz).

        Returns
        -------
        ndarray
            Shape (m,), at most 4 s: the sum with the modes is the recording.

        Raises
        ------
        ParameterError
            For a rate out of its range.
        """
        rate = number("rate", rate, "Hz", above=0.0, at_most=1e9)
        first = max(0, round(self.start * rate))
        rest = sound[first:first + round(LONGEST * rate)]
        alphas = math.pi * self.frequencies / self.q
        damped = 2.0 * math.pi * np.sqrt(np.maximum(
            self.frequencies**2 - (alphas / (2.0 * math.pi))**2, 1e-12))
        amplitudes = self.weights / (MASS * rate) * (1.0 + 1j * alphas / damped)
        exponents = ((-alphas + 1j * damped) / rate).astype(np.complex128)
        left: FloatArray = rest - Exponentials(exponents, rest.size).sound(
            amplitudes.astype(np.complex128))
        return left


def fit_body(
    audio: Numbers,
    rate: float,
    *,
    count: int = MOST_MODES,
    settled: float | None = None,
    step: Callable[[], None] | None = None,
) -> BodyFit:
    """Fit the body of an instrument to its response to a tap at the bridge.

    The modes are those of `fit_modes` up to 10 kHz, dense ones too; all are driven by one impulse,
    so that each has one weight with a sign.

    Parameters
    ----------
    audio : array_like
        Shape (n,), floating-point, full scale 1; 0.1 s to 60 s. One channel.
    rate : float
        Sample rate, 16000 to 768000 (Hz).
    count : int, default 200
        The greatest number of modes, 1 to 200.
    settled : float, optional
        Time after the onset from which on the body rings freely, 0 to 1 (s). Default: 2 ms.
    step : callable, optional
        Called after each part of the search.

    Returns
    -------
    BodyFit

    Raises
    ------
    ParameterError
        For a wrong argument, a recording that cannot be fitted, and one without modes.

    Examples
    --------
    >>> import numpy, pysitar
    >>> t = numpy.arange(24000) / 48000.0
    >>> tap = 0.1 * numpy.exp(-30.0 * t) * numpy.cos(2.0 * numpy.pi * 200.0 * t)
    >>> body = pysitar.fit_body(numpy.concatenate([numpy.zeros(2400), tap]), 48000.0)
    >>> body.frequencies.round(1).tolist(), body.q.round(1).tolist()
    ([200.1], [20.9])
    """
    modes = fit_modes(audio, rate, count=count, settled=settled, highest=HIGHEST, dense=True,
                      step=step)
    if not modes.count:
        raise ParameterError("audio", "without a mode over its noise",
                             "expected the response of a body to a tap")
    return weigh_body(modes, np.asarray(audio, dtype=np.float64), float(rate))


def weigh_body(modes: Modes, sound: FloatArray, rate: float) -> BodyFit:
    """Return the body whose response to one short tap is a sound.

    Every mode is driven by the same impulse, 1 N for one sample, so that its velocity begins with
    its greatest value; the moment of the impulse is found within some milliseconds of the onset.

    Parameters: modes, of the sound; sound (n,); rate (Hz).
    Errors: ParameterError, a mode that is damped too much.
    """
    omegas = 2.0 * math.pi * np.hypot(modes.frequencies, modes.decay_rates / (2.0 * math.pi))
    q = omegas / (2.0 * modes.decay_rates)
    if not (q > LEAST_Q).all():
        raise ParameterError("body", f"Q of {q.min():.3g}", f"expected modes of a Q over {LEAST_Q}")
    damped = 2.0 * math.pi * modes.frequencies
    # velocity of mode k: (cos(w t) - sigma/w sin(w t)) exp(-sigma t) / (mass rate)
    response = ((1.0 + 1j * modes.decay_rates / damped) / (MASS * rate)).astype(np.complex128)
    exponents = ((-modes.decay_rates + 1j * damped) / rate).astype(np.complex128)
    rest = sound[round(modes.start * rate):]
    residual, weights, delay = fit_weights(exponents, response, rest, rate,
                                           modes.start - modes.onset, BLOW_TIMES)
    return BodyFit(array_of((omegas / (2.0 * math.pi)).tolist()), array_of(q.tolist()),
                   array_of(weights.tolist()), residual, modes.onset + delay)


def cancelling_pairs(body: BodyFit) -> list[tuple[int, int]]:
    """Return the indices of each two modes whose sounds nearly cancel each other, so that their
    weights say little: the most equal pair first."""
    alphas = math.pi * body.frequencies / body.q
    damped = np.sqrt(np.maximum((2.0 * math.pi * body.frequencies)**2 - alphas * alphas, 1e-12))
    amplitudes = body.weights * (1.0 + 1j * alphas / damped)
    exponents = -alphas + 1j * damped
    # integrals of the products of two modes over all times
    products = 0.5 * (
        np.outer(amplitudes, amplitudes) / -(exponents[:, None] + exponents)
        + np.outer(amplitudes, amplitudes.conj()) / -(exponents[:, None] + exponents.conj())).real
    energies = np.diag(products)
    shared = products / np.sqrt(np.maximum(np.outer(energies, energies), 1e-300))
    found = [(shared[one, other], one, other) for one, other in zip(
        *np.nonzero(np.triu(shared < CANCELLED, 1)), strict=True)
        if LEAST_SHARE < energies[one] / energies[other] < 1.0 / LEAST_SHARE]
    return [(int(one), int(other)) for _, one, other in sorted(found)]


def body_text(body: BodyFit, comment: str, remainder: str = "", gain: float = 1.0) -> str:
    """Return the instrument file of a body and a string on it.

    Parameters: comment; remainder, the file of the impulse response beside the modes ("": none);
    gain, of the instrument; 1 has the level of the recording.
    Errors: InstrumentError, values that a file cannot have.
    """
    lists = {"frequencies": body.frequencies, "q": body.q,
             "masses": np.full(body.q.size, MASS), "weights": body.weights}
    lines = [f"# {comment}", "# The table [body] is for any instrument of strings; the string is "
             "chosen, and the gain for it: 1 is the level of the recording, for 1 N that lasts one "
             "sample.", 'model = "string"', f"gain = {gain:.{GAIN_DIGITS}g}", "", "[body]"]
    lines += [f"{key} = [{list_numbers(values)}]" for key, values in lists.items()]
    if remainder:
        lines.append(f"impulse_response = {json.dumps(remainder)}   # what the modes lack")
    text = "\n".join([*lines, "", STRING])
    parse_instrument(text, name="body", shown="body.toml")
    return text
