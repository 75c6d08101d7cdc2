"""The measures of one stroke: its brightness, its partials and their decays."""
from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pysitar.fitting.partials import (
    BandEnvelopes,
    Decay,
    Peak,
    Series,
    find_peaks,
    find_series,
    measure_decay,
)
from pysitar.fitting.recording import NoiseFloor, find_onset, noise_floor
from pysitar.physics.checks import FloatArray

CENTROID_TIMES = (0.005, 0.02, 0.1, 0.5)      # s after the onset
CENTROID_WINDOW = 0.04                  # s
EDGES = (2000.0, 5000.0)                # Hz over which energy is measured
EARLY = (0.01, 0.05)                    # s after the onset in which it is
DECAY_BANDS = ((0.0, 1000.0), (1000.0, 2500.0), (2500.0, 6000.0))         # Hz
MOST_PARTIALS = 40
WIDEST, NARROWEST = 60.0, 4.0           # Hz: half widths of the band of a partial
STRONGEST = 15                          # partials of the medians
NEAR_INAUDIBLE = 1e-12                  # of an energy


class StrokeMeasures:
    """The measures of one stroke.

    Parameters: sound (n,), one channel; rate (Hz); step, called after each partial.
    Attributes: onset (sample); floor; series, or None where it is no string; decays, of the
    partials, the lowest first.
    """

    def __init__(self, sound: FloatArray, rate: float, *,
                 step: Callable[[], None] | None = None) -> None:
        self.rate = rate
        self.onset = find_onset(sound, rate)
        self.floor: NoiseFloor = noise_floor(sound, rate, self.onset)
        self.stroke = sound[self.onset:]
        peaks = find_peaks(self.stroke, rate, self.floor)
        self.series: Series | None = find_series(peaks)
        self.decays: list[Decay] = []
        bands = BandEnvelopes(self.stroke, rate)
        for frequency, half_width in self._bands(peaks):
            decay = measure_decay(bands, frequency, half_width, self.floor)
            if decay is not None:
                self.decays.append(decay)
            if step is not None:
                step()

    def _bands(self, peaks: list[Peak]) -> Iterator[tuple[float, float]]:
        """Yield frequency and half width (Hz) of the partials to measure."""
        if self.series is None:
            chosen = sorted(peaks, key=lambda peak: -peak.level)[:MOST_PARTIALS]
            frequencies = sorted(peak.frequency for peak in chosen)
        else:
            frequencies = list(self.series.frequencies[:MOST_PARTIALS])
        others = [peak.frequency for peak in peaks]
        for frequency in frequencies:
            if self.series is not None:
                nearest = self.series.f0
            else:
                nearest = min((abs(other - frequency) for other in others if other != frequency),
                              default=WIDEST)
            yield frequency, min(max(0.5 * nearest, NARROWEST), WIDEST, 0.5 * frequency)

    def centroid(self, time: float, *, by_amplitude: bool = False) -> float | None:
        """Return the centroid of the power spectrum (Hz) in 40 ms about a time after the onset (s),
        from the onset on, or of the amplitudes, which has more of weak highs, and of noise."""
        half = round(0.5 * CENTROID_WINDOW * self.rate)
        middle = round(time * self.rate)
        part = self.stroke[max(0, middle - half):middle + half]
        if self.stroke.size < middle + half:
            return None
        window = np.hanning(part.size + 2)[1:-1]
        mean = float(part @ window) / float(window.sum())       # so that nothing is left at 0 Hz
        power = np.abs(np.fft.rfft((part - mean) * window))**2
        frequencies = np.fft.rfftfreq(part.size, 1.0 / self.rate).astype(np.float64)
        noise = self.floor.at(frequencies) * 0.5 * self.rate * float((window**2).sum())
        weights = np.maximum(power - noise, 0.0)
        if by_amplitude:
            weights = np.sqrt(weights)
        total = float(weights.sum())
        return float(weights @ frequencies) / total if total > 0.0 else None

    def energy_over(self, edge: float, time: float) -> float | None:
        """Return the energy above a frequency (Hz) in the first seconds after the onset, dB of all
        in that time; the later half of the part fades out."""
        part = self.stroke[:round(time * self.rate)].copy()
        if part.size < 8 or edge >= 0.5 * self.rate:
            return None
        half = part.size // 2
        part[half:] *= 0.5 + 0.5 * np.cos(np.pi * np.arange(part.size - half) / (part.size - half))
        size = 1 << (4 * part.size).bit_length()
        power = np.abs(np.fft.rfft(part, size))**2
        above = float(power[np.fft.rfftfreq(size, 1.0 / self.rate) >= edge].sum())
        total = float(power.sum())
        if total <= 0.0:
            return None
        return 10.0 * math.log10(max(above / total, NEAR_INAUDIBLE))

    def strongest(self) -> list[Decay]:
        """Return the decays of the strongest partials."""
        return sorted(self.decays, key=lambda decay: -decay.level)[:STRONGEST]

    def as_dict(self) -> dict[str, Any]:
        """Return all measures by name; None where there is none."""
        of_bands = {
            f"{low:g}-{high:g} Hz": _median([decay.t60 for decay in self.decays
                                             if low <= decay.frequency < high])
            for low, high in DECAY_BANDS}
        ratios = [decay.ratio for decay in self.strongest() if decay.ratio is not None]
        series = self.series
        return {
            "onset": self.onset / self.rate,
            "noise_floor": self.floor.level,
            "centroid": {f"{time * 1000:g} ms": self.centroid(time) for time in CENTROID_TIMES},
            "amplitude_centroid": {f"{time * 1000:g} ms": self.centroid(time, by_amplitude=True)
                                   for time in CENTROID_TIMES},
            "energy_over": {f"{edge / 1000:g} kHz, {time * 1000:g} ms": self.energy_over(edge, time)
                            for edge in EDGES for time in EARLY},
            "t60": of_bands,
            "late_over_early": _median(ratios),
            "decay_residual": _median([decay.residual for decay in self.strongest()]),
            "string": None if series is None else {
                "f0": series.f0, "f0_error": series.f0_error, "b": series.b,
                "b_error": series.b_error, "partials": len(series.orders)},
            "partials": [{"order": self._order(decay), "frequency": decay.frequency,
                          "level": decay.level, "t60": decay.t60, "t60_error": decay.error,
                          "late_over_early": decay.ratio, "residual": decay.residual}
                         for decay in self.decays]}

    def _order(self, decay: Decay) -> int | None:
        if self.series is None:
            return None
        return self.series.orders[self.series.frequencies.index(decay.frequency)]


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None
