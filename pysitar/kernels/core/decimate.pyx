# From the internal rate to the rate of the file: a linear-phase Kaiser lowpass, evaluated only where a sample is kept.
# Every kept sample is one lane dot over a window of the past, so blocks of any size have the same bits.
from libc.math cimport M_PI, ceil, sqrt
from libc.string cimport memmove

import numpy as np

from pysitar.errors import ParameterError

from pysitar.kernels.core.elementary_functions cimport sin
from pysitar.kernels.core.lanes cimport dot, padded_length

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES ptrdiff_t pysitar_decimate(void* state, const double* samples, double* outputs, ptrdiff_t n);
    """

cdef enum:
    MIN_HEADROOM = 1024     # the least room beside a window, in samples: how seldom the past is moved


cdef struct Decimation:
    double* taps            # `window` of them: zeros, then the taps, so that nothing after the newest sample is read
    double* past            # one row of `capacity` samples per channel
    Py_ssize_t factor
    Py_ssize_t channels
    Py_ssize_t window
    Py_ssize_t capacity
    Py_ssize_t sample_count  # samples in each row
    Py_ssize_t window_start  # where the next window begins in a row; beyond `sample_count` when the factor is longer than the window
    Py_ssize_t nonzero_end  # the place in a row after the last sample that is not 0


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


cdef Py_ssize_t decimate "pysitar_decimate"(void* state, const double* samples, double* outputs, Py_ssize_t n) noexcept nogil:
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
                # a window of silence is silence, at no cost
                outputs[output_count * channels + c] = dot(s.taps, s.past + c * s.capacity + s.window_start,
                                                           s.window) if s.window_start < s.nonzero_end else 0.0
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
    """The frequency (Hz) up to which decimation to `rate` is flat and free of aliases.

    20 kHz at 44100 and 48000 Hz; below 44100 Hz and above 48000 Hz the same fraction of the rate as there.
    Parameters: rate, the output rate (Hz, over 0). Errors: ParameterError.
    """
    if not 0.0 < rate < 1e9:
        raise ParameterError("rate", rate, "a positive rate in Hz")
    return min(rate / 44100.0, max(1.0, rate / 48000.0)) * 20000.0


def kaiser_taps(Py_ssize_t factor, double rate, *, double attenuation=120.0):
    """The lowpass to put before keeping every `factor`-th sample: odd, symmetric, of unit gain at 0 Hz.

    Flat from 0 to p = pass_band(rate), stopped from rate - p on, so that no alias falls below p.
    Parameters: factor, 1 to 65536; rate, the output rate (Hz, over 0); attenuation of the stop band (dB, 60 to 180).
    Returns the taps, float64 of shape (n,): [1.0] for factor 1. Errors: ParameterError.
    """
    if not 1 <= factor <= 65536:
        raise ParameterError("factor", factor, "a whole number from 1 to 65536")
    if not 60.0 <= attenuation <= 180.0:
        raise ParameterError("attenuation", attenuation, "a number of decibels from 60 to 180")
    cdef double width = 2.0 * M_PI * (rate - 2.0 * pass_band(rate)) / (factor * rate)
    cdef double design = attenuation + 2.0                  # Kaiser's two formulas fall short by up to 1 dB
    cdef double beta = 0.1102 * (design - 8.7)
    cdef Py_ssize_t half = 0 if factor == 1 else <Py_ssize_t>ceil(0.5 * (design - 7.95) / (2.285 * width))
    cdef Py_ssize_t k
    cdef double position, tap, total = 0.0
    cdef double[::1] taps = np.empty(2 * half + 1)
    taps[half] = 1.0
    for k in range(half, 0, -1):                            # outside in: the small ones are added first
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
    """Keeps every `factor`-th sample of a lowpassed signal, block by block, without delay.

    Sample m of the output stands at sample m * factor of the input; n samples give ceil(n / factor) in all, the last
    ones from `flush`; the same bits whatever the blocks. Factor 1 with the one tap 1.0 passes samples unchanged.
    Parameters: factor, 1 or more; taps, an odd number of finite values, the middle one in the middle; channels: None
    for signals of shape (n,), a number for signals of shape (n, channels). Errors: ParameterError.
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
            raise ParameterError("taps", "not finite", "finite values only")
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
        for k in range(length):                             # the output is past . reversed taps
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
        cdef Py_ssize_t window_room = self.state.sample_count + n - self.state.window - self.state.window_start
        cdef Py_ssize_t count = window_room // self.state.factor + 1 if window_room >= 0 else 0
        cdef double[:, ::1] outputs = np.empty((count, channels))
        cdef double* first = &outputs[0, 0] if count else NULL
        with nogil:
            decimate(&self.state, samples, first, n)
        return np.asarray(outputs).reshape(-1) if self.is_flat else np.asarray(outputs)

    def push(self, samples not None):
        """The output samples that a block of the input completes.

        Parameters: samples, float64 and C-contiguous, of shape (n, channels), or (n,) without channels; n >= 0.
        Returns float64 of shape (m, channels) or (m,), a new array; m may be 0. Errors: ParameterError, or ValueError
        for an array of another kind.
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
                raise ParameterError("samples", f"{table.shape[1]} channels", f"an array of shape (n, {self.state.channels})")
            if n:
                first = &table[0, 0]
        if self.is_identity:
            return np.array(samples)
        return self._decimate(first, n)

    def flush(self):
        """The rest of the output, as if the input went on in silence; the decimator is then as new.

        Returns float64 of shape (m, channels) or (m,).
        """
        cdef double[::1] silence = np.zeros(max(self.half * self.state.channels, 1))
        tail = self._decimate(&silence[0], self.half)
        self._reset()
        return tail
