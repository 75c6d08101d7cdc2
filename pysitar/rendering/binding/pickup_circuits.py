"""What is behind the pickups of an instrument, resonance, tone control and cabinet, as an impulse
response."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pysitar.kernels.core.convolve import Convolver
from pysitar.models.definitions.spec import NO_CABINET, InstrumentSpec
from pysitar.physics.cabinets import CABINETS
from pysitar.physics.filters import impulse_response, low_pass, one_pole
from pysitar.rendering.plan import BodyResponse


def circuit_faults(spec: InstrumentSpec, rate: int) -> Iterator[tuple[str, str]]:
    """Yield keys and messages of what a rate (Hz) cannot have: resonances over half of it."""
    half = 0.5 * rate
    if spec.pickup_resonance >= half:
        yield "pickup_resonance", (f"pickup_resonance is {spec.pickup_resonance:g} Hz; expected "
                                   f"under {half:g} Hz, half of the rate")
    if spec.cabinet != NO_CABINET and CABINETS[spec.cabinet].breakup >= half:
        yield "cabinet", (f"the cabinet {spec.cabinet} reaches {CABINETS[spec.cabinet].breakup:g} "
                          f"Hz; expected a rate of more than twice that")


def circuit_response(spec: InstrumentSpec, rate: int,
                     following: BodyResponse | None) -> BodyResponse:
    """Return the impulse response of an instrument's circuit, and of the response that follows.

    Parameters: spec, with a circuit that has no fault at the rate (Hz); following (None: none).
    """
    sections = []
    if spec.pickup_resonance > 0.0:
        sections.append(low_pass(spec.pickup_resonance, spec.pickup_q, rate))
    if spec.tone > 0.0:
        sections.append(one_pole(spec.tone, rate))
    if spec.cabinet != NO_CABINET:
        sections += CABINETS[spec.cabinet].sections(rate)
    values = impulse_response(sections, rate)
    if following is None:
        return BodyResponse(values)
    longer = np.concatenate([following.values, np.zeros(values.size - 1)])
    return BodyResponse(np.asarray(Convolver(values).push(longer)))
