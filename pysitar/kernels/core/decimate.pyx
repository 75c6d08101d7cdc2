# Decimation from the internal sample rate to that of the file: a linear-phase Kaiser lowpass,
# evaluated only at the output samples. Every output sample is one `dot` over a window of past
# input, so blocks of any size give the same bits.
from libc.math cimport M_PI, ceil, sqrt
from libc.string cimport memmove

import numpy as np

from pysitar.errors import ParameterError

from pysitar.kernels.core.elementary_functions cimport sin
from pysitar.kernels.core.lanes cimport dot, padded_length

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES ptrdiff_t pysitar_decimate(void* state, const double* samples,
                                                     double* outputs, ptrdiff_t n);
    """

cdef enum:
    MIN_HEADROOM = 1024     # least free space beside a window, samples: bounds how often data moves


cdef struct Decimation:
    double* taps  # `window` values: zeros, then the taps, so the window ends at the newest
    double* past            # past input, one row of `capacity` samples per channel
    Py_ssize_t factor
    Py_ssize_t channels
    Py_ssize_t window       # padded filter length, samples
    Py_ssize_t capacity
    Py_ssize_t sample_count  # samples in each row
    # index of the next window; may exceed `sample_count` if factor > window
    Py_ssize_t window_start
    Py_ssize_t nonzero_end  # index after the last nonzero sample of any row


cdef void discard_past(Decimation* s) noexcept nogil:
    cdef Py_ssize_t drop_count = min(s.window_start, s.sample_count)
    cdef Py_ssize_t c
    cdef double* row
    for c in range(s.channels):
        row = s.past + c * s.capacity
        memmove(row, row + drop_count, (s.sample_count - drop_count) * sizeof(double))
    s.sample_count -= drop_count
    s.window_start -= drop_count
    s.nonzero_end -= drop_count


cdef Py_ssize_t decimate "pysitar_decimate"(void* state, const double* samples, double* outputs,
                                            Py_ssize_t n) noexcept nogil:
    cdef Decimation* s = <Decimation*>state
    cdef Py_ssize_t channels = s.channels, samples_read = 0, output_count = 0, count, c, i
    cdef double* row
    while samples_read < n:
        if s.sample_count == s.capacity:
            discard_past(s)
        count = min(n - samples_read, s.capacity - s.sample_count)
        for c in range(channels):
            row = s.past + c * s.capacity + s.sample_count
            for i in range(count):
                row[i] = samples[(samples_read + i) * channels + c]
            i = count
            while i > 0 and row[i - 1] == 0.0:
                i -= 1
            if i > 0:
                s.nonzero_end = max(s.nonzero_end, s.sample_count + i)
        samples_read += count
        s.sample_count += count
        while s.window_start + s.window <= s.sample_count:
            for c in range(channels):
                # a window of zeros needs no dot product
                outputs[output_count * channels
                        + c] = (dot(s.taps, s.past + c * s.capacity + s.window_start, s.window)
                                if s.window_start < s.nonzero_end else 0.0)
            output_count += 1
            s.window_start += s.factor
    return output_count


cdef double bessel_i0(double x) noexcept nogil:
    cdef double term = 1.0, total = 1.0, k = 1.0
    while term > 1e-17 * total:
        term *= (0.5 * x / k) * (0.5 * x / k)
        total += term
        k += 1.0
    return total


def pass_band(double rate):
    """Return the frequency (Hz) up to which decimation to `rate` is flat and free of aliases.

    It is 20 kHz at 44100 and 48000 Hz; below 44100 Hz it is the fraction 20/44.1 of the rate, above
    48000 Hz 20/48.
    Parameters: rate, the output sample rate (Hz, above 0). Errors: ParameterError.
    """
    if not 0.0 < rate < 1e9:
        raise ParameterError("rate", rate, "a positive rate in Hz")
    return min(rate / 44100.0, max(1.0, rate / 48000.0)) * 20000.0


def kaiser_taps(Py_ssize_t factor, double rate, *, double attenuation=120.0):
    """Return the taps of the anti-aliasing lowpass for decimation by `factor`.

    The filter has odd length, is symmetric and has unit gain at 0 Hz. Its pass band ends at
    p = pass_band(rate), its stop band begins at rate - p, so no alias falls below p.
    Parameters: factor, 1 to 65536; rate, the output sample rate (Hz, above 0); attenuation of the
    stop band (dB, 60 to 180).
    Returns: float64 of shape (n,); [1.0] for factor 1. Errors: ParameterError.
    """
    if not 1 <= factor <= 65536:
        raise ParameterError("factor", factor, "a whole number from 1 to 65536")
    if not 60.0 <= attenuation <= 180.0:
        raise ParameterError("attenuation", attenuation, "a number of decibels from 60 to 180")
    cdef double width = 2.0 * M_PI * (rate - 2.0 * pass_band(rate)) / (factor * rate)
    cdef double design = attenuation + 2.0                  # Kaiser's formulas are up to 1 dB short
    cdef double beta = 0.1102 * (design - 8.7)
    cdef Py_ssize_t half = (
        0 if factor == 1 else <Py_ssize_t>ceil(0.5 * (design - 7.95) / (2.285 * width)))
    cdef Py_ssize_t k
    cdef double position, tap, total = 0.0
    cdef double[::1] taps = np.empty(2 * half + 1)
    taps[half] = 1.0
    for k in range(half, 0, -1):  # smallest taps first, for less round-off
        position = k / <double>half
        tap = sin(M_PI * k / factor) * factor / (M_PI * k)
        tap *= bessel_i0(beta * sqrt(1.0 - position * position)) / bessel_i0(beta)
        taps[half - k] = taps[half + k] = tap
        total += 2.0 * tap
    total += 1.0
    for k in range(2 * half + 1):
        taps[k] /= total
    return np.asarray(taps)


cdef class Decimator:
    """A lowpass and decimator that works block by block and adds no delay.

    Output sample m is aligned with input sample m * factor. n input samples give
    ceil(n / factor) output samples, the last of them from `flush`; the bits do not depend on the
    blocks. Factor 1 with the single tap 1.0 passes samples unchanged.
    Parameters: factor, 1 to 65536; taps, an odd number of finite values, centred on the middle one;
    channels: None for signals of shape (n,), 1 to 1024 for signals of shape (n, channels).
    Errors: ParameterError.
    """

    cdef Decimation state
    cdef double[::1] taps
    cdef double[:, ::1] past
    cdef Py_ssize_t half
    cdef bint is_flat
    cdef bint is_identity

    def __cinit__(self, Py_ssize_t factor, const double[::1] taps not None, channels=None):
        cdef Py_ssize_t length = taps.shape[0], k
        if not 1 <= factor <= 65536:
            raise ParameterError("factor", factor, "a whole number from 1 to 65536")
        if length % 2 == 0:
            raise ParameterError("taps", f"{length} values", "an odd number of values")
        if not np.isfinite(taps).all():
            raise ParameterError("taps", "not finite", "finite values")
        if channels is not None and not 1 <= channels <= 1024:
            raise ParameterError("channels", channels, "None or a whole number from 1 to 1024")
        self.is_flat = channels is None
        self.half = length // 2
        self.is_identity = factor == 1 and length == 1 and taps[0] == 1.0
        self.state.factor = factor
        self.state.channels = 1 if self.is_flat else channels
        self.state.window = padded_length(length)
        self.state.capacity = self.state.window + max(self.state.window, <Py_ssize_t>MIN_HEADROOM)
        self.taps = np.zeros(self.state.window)
        self.past = np.zeros((self.state.channels, self.state.capacity))
        for k in range(length):                             # convolution: dot with reversed taps
            self.taps[self.state.window - 1 - k] = taps[k]
        self.state.taps = &self.taps[0]
        self.state.past = &self.past[0, 0]
        self._reset()

    cdef void _reset(self):
        self.past[:, :] = 0.0
        self.state.nonzero_end = 0
        self.state.sample_count = self.state.window - 1 - self.half
        self.state.window_start = 0

    cdef object _decimate(self, const double* samples, Py_ssize_t n):
        cdef Py_ssize_t channels = self.state.channels
        cdef Py_ssize_t window_room = (self.state.sample_count + n - self.state.window
                                       - self.state.window_start)
        cdef Py_ssize_t count = window_room // self.state.factor + 1 if window_room >= 0 else 0
        cdef double[:, ::1] outputs = np.empty((count, channels))
        cdef double* first = &outputs[0, 0] if count else NULL
        with nogil:
            decimate(&self.state, samples, first, n)
        return np.asarray(outputs).reshape(-1) if self.is_flat else np.asarray(outputs)

    def push(self, samples not None):
        """Filter a block of input and return the output samples that are complete.

        Parameters: samples, float64 and C-contiguous, of shape (n, channels), or (n,) without
        channels; n >= 0.
        Returns: a new float64 array of shape (m, channels) or (m,); m may be 0.
        Errors: ParameterError; ValueError for another dtype or layout.
        """
        cdef const double[::1] line
        cdef const double[:, ::1] table
        cdef const double* first = NULL
        cdef Py_ssize_t n
        if self.is_flat:
            line = samples
            n = line.shape[0]
            if n:
                first = &line[0]
        else:
            table = samples
            n = table.shape[0]
            if table.shape[1] != self.state.channels:
                raise ParameterError("samples", f"{table.shape[1]} channels",
                                     f"an array of shape (n, {self.state.channels})")
            if n:
                first = &table[0, 0]
        if self.is_identity:
            return np.array(samples)
        return self._decimate(first, n)

    def flush(self):
        """Return the remaining output, with zeros as further input, and reset the decimator.

        Returns: float64 of shape (m, channels) or (m,).
        """
        cdef double[::1] silence = np.zeros(max(self.half * self.state.channels, 1))
        tail = self._decimate(&silence[0], self.half)
        self._reset()
        return tail
