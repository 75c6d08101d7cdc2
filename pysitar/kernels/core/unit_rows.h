/* Rows of exponent 1 or linear in the lanes of a vector: what Newton's method shares whatever the number
   of rows (small_systems.h, row_systems.h, lane_systems.h). */
#ifndef PYSITAR_UNIT_ROWS_H
#define PYSITAR_UNIT_ROWS_H
#include "simd.h"

#define PYSITAR_ABS(x) ((pysitar_v4)((pysitar_m4)(x) & 0x7fffffffffffffffLL))
#define PYSITAR_MAX(a, b) PYSITAR_WHERE((a) > (b), a, b)

/* One instruction, where a value that is read twice from memory would pass through integers. */
static inline double pysitar_maximum(double a, double b) { return a > b ? a : b; }

static inline double pysitar_greatest_lane(pysitar_v4 x)
{
    const double a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
}

/* Sums and maxima over rows of |f - F|, and the terms of its rounding floor (`evaluate_residual` of
   contact/active_set.pxd), N. */
typedef struct { pysitar_v4 total, residual, stiffness, greatest; } PysitarResiduals;

static inline void pysitar_add_residuals(PysitarResiduals *to, pysitar_v4 f, pysitar_v4 force, pysitar_v4 slope, pysitar_v4 p0,
                                         pysitar_v4 s, pysitar_v4 mobility_root, double bound)
{
    const pysitar_v4 value = PYSITAR_ABS(f - force), size = PYSITAR_ABS(force);
    const pysitar_v4 term = PYSITAR_ABS(slope) * (PYSITAR_ABS(p0) + PYSITAR_ABS(s) + mobility_root * bound);
    to->total += value;                                     /* a maximum loses a NaN, a sum keeps it */
    to->residual = PYSITAR_MAX(value, to->residual);
    to->stiffness = PYSITAR_MAX(term, to->stiffness);
    to->greatest = PYSITAR_MAX(size, to->greatest);
}

/* max|f - F|, NaN if any is NaN. */
static inline double pysitar_greatest_residual(const PysitarResiduals *of, double *stiffness_term, double *force_term)
{
    const double sum = PYSITAR_FOLD(of->total);
    *stiffness_term = pysitar_greatest_lane(of->stiffness);
    *force_term = pysitar_greatest_lane(of->greatest);
    return sum == sum ? pysitar_greatest_lane(of->residual) : sum;
}

/* The force of a row of exponent 1 or linear whose other rows' forces are fixed, without its damping: what
   Gauss-Seidel sweeps need, which only find where Newton's method starts. One square root then gives it, and
   no more than one branch, as the signs of compressions are not foreseeable. With w the row's own mobility,
   c = 1 + w K/2 and e = p1 + w F,
     p0 > 0, e > w K/2 p0:   p1 = (e - w K/2 p0) / c
     p0 > 0, else:           p1 = p0 - (t + sqrt(t^2 + 2 w K p0^2)) / 2,        t = p0 - e
     p0 <= 0, e > 0:         p1 = (t + sqrt(t^2 - 4 c p0 e)) / (2 c),           t = p0 + e
     p0 <= 0, else:          p1 = e
     linear:                 p1 = (e - w (K/2 - R/dt) p0) / (1 + w (K/2 + R/dt))
   the first, fourth and last of them as (e - shift) gain. */
typedef struct {
    pysitar_v4 inverse_own, shift, gain, sign, threshold, base, factor_of_root, constant, growth;
    pysitar_v4 least;                       /* force, N: 0 of a contact */
} PysitarUndampedRows;

/* The constants of four rows of own mobility w (m/N); half, spring and drag as of `pysitar_unit_law`. */
static inline PysitarUndampedRows pysitar_undamped_rows(pysitar_v4 w, pysitar_v4 half, pysitar_v4 spring, pysitar_v4 drag,
                                                        pysitar_v4 p0)
{
    const pysitar_v4 zero = {0}, one = zero + 1.0, wh = w * half, inverse = one / (one + wh + w * (spring + drag));
    const pysitar_m4 linear = spring + drag > zero, touches = p0 > zero, lies = ~touches & ~linear;
    const pysitar_v4 shift = PYSITAR_WHERE(linear, w * (spring - drag) * p0, PYSITAR_WHERE(touches, wh * p0, zero));
    PysitarUndampedRows r;
    r.inverse_own = PYSITAR_WHERE(w > zero, one / PYSITAR_WHERE(w > zero, w, one), zero);
    r.shift = shift;
    r.gain = PYSITAR_WHERE(lies, one, inverse);
    r.sign = PYSITAR_WHERE(linear, zero, PYSITAR_WHERE(touches, one, -one));
    r.threshold = PYSITAR_WHERE(linear, zero, shift);
    r.base = PYSITAR_WHERE(touches, p0, zero);
    r.factor_of_root = PYSITAR_WHERE(touches, zero - 0.5, 0.5 * inverse);
    r.constant = PYSITAR_WHERE(touches, 4.0 * wh * p0 * p0, zero);
    r.growth = PYSITAR_WHERE(touches, zero, -4.0 * (one + wh) * p0);
    r.least = PYSITAR_WHERE(linear, zero - __builtin_inf(), zero);
    return r;
}
#endif
