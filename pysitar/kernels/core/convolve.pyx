# Convolution with a finite impulse response, in the time domain: every output sample is a sum of
# dot products over tiles of the response, from its end to its start, so blocks of any size and
# every clone give the same bits. No FFT: its bits depend on the machine.
from libc.string cimport memmove

import numpy as np

from pysitar.errors import ParameterError

from pysitar.kernels.core.lanes cimport dot, dot_four

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES void pysitar_convolve(void* state, const double* samples, double* outputs,
                                                ptrdiff_t n);
    """

cdef enum:
    TILE = 1024             # values of the response per dot product: they stay in the first cache
    BLOCK = 512             # outputs per tile, a multiple of 4
    MOST_TAPS = 1 << 22     # 87 s at 48 kHz


cdef struct Convolution:
    double* taps            # `window` values: zeros, then the response, its start last
    double* past            # the last `window` - 1 inputs, then those of a block
    Py_ssize_t window       # padded length of the response, a multiple of TILE
    # inputs since the last one that was not 0, at most `window`: then the output is 0
    Py_ssize_t zeros


cdef void convolve_block(Convolution* s, const double* samples, double* outputs,
                         Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t kept = s.window - 1, start, i
    cdef bint silent = s.zeros >= s.window
    for i in range(n):
        s.past[kept + i] = samples[i]
        outputs[i] = 0.0
        if samples[i] != 0.0:
            s.zeros = 0
            silent = False
        else:
            s.zeros = min(s.zeros + 1, s.window)
    cdef double a, b, c, d
    cdef const double* x
    if not silent:
        for start in range(0, s.window, 1024):             # TILE; Cython requires a literal step
            x = s.past + start
            i = 0
            while i + 4 <= n:
                dot_four(x + i, x + i + 1, x + i + 2, x + i + 3, s.taps + start, TILE,
                         &a, &b, &c, &d)
                outputs[i] += a
                outputs[i + 1] += b
                outputs[i + 2] += c
                outputs[i + 3] += d
                i += 4
            while i < n:
                outputs[i] += dot(x + i, s.taps + start, TILE)
                i += 1
    memmove(s.past, s.past + n, kept * sizeof(double))


cdef void convolve "pysitar_convolve"(void* state, const double* samples, double* outputs,
                                      Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t at = 0, count
    while at < n:
        count = min(n - at, <Py_ssize_t>BLOCK)
        convolve_block(<Convolution*>state, samples + at, outputs + at, count)
        at += count


cdef class Convolver:
    """A causal convolution that works block by block and adds no delay.

    Output sample n is the sum of response[k] times input sample n - k; as many outputs as inputs,
    and the bits do not depend on the blocks.
    Parameters: response, 1 to 4194304 finite values, of shape (n,).  Errors: ParameterError.
    """

    cdef Convolution state
    cdef double[::1] taps
    cdef double[::1] past
    cdef readonly Py_ssize_t length

    def __cinit__(self, const double[::1] response not None):
        cdef Py_ssize_t length = response.shape[0], k
        if not 1 <= length <= MOST_TAPS:
            raise ParameterError("response", f"{length} values",
                                 f"expected 1 to {MOST_TAPS} values")
        if not np.isfinite(response).all():
            raise ParameterError("response", "not finite", "expected finite values")
        self.length = length
        self.state.window = (length + TILE - 1) // TILE * TILE
        self.state.zeros = self.state.window
        self.taps = np.zeros(self.state.window)
        self.past = np.zeros(self.state.window - 1 + BLOCK)
        for k in range(length):
            self.taps[self.state.window - 1 - k] = response[k]
        self.state.taps = &self.taps[0]
        self.state.past = &self.past[0]

    def push(self, const double[::1] samples not None):
        """Return the convolution of the next input samples.

        Parameters: samples, float64 and C-contiguous, of shape (n,), n >= 0.
        Returns: a new float64 array of shape (n,).
        """
        cdef Py_ssize_t n = samples.shape[0]
        outputs = np.empty(n)
        cdef double[::1] to = outputs
        if n:
            with nogil:
                convolve(&self.state, &samples[0], &to[0], n)
        return outputs
