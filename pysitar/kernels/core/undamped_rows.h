/* The force of a row of exponent 1 or linear whose other rows' forces are fixed, without its damping: what
   Gauss-Seidel sweeps need, which only find where Newton's method starts. One square root then gives it,
   without branches, as the signs of compressions are not foreseeable. With w the row's own mobility,
   c = 1 + w K/2 and e = p1 + w F,
     p0 > 0, e > w K/2 p0:   p1 = (e - w K/2 p0) / c
     p0 > 0, else:           p1 = p0 - (t + sqrt(t^2 + 2 w K p0^2)) / 2,        t = p0 - e
     p0 <= 0, e > 0:         p1 = (t + sqrt(t^2 - 4 c p0 e)) / (2 c),           t = p0 + e
     p0 <= 0, else:          p1 = e
     linear:                 p1 = (e - w (K/2 - R/dt) p0) / (1 + w (K/2 + R/dt))
   the first, fourth and last of them as (e - shift) gain. */
#ifndef PYSITAR_UNDAMPED_ROWS_H
#define PYSITAR_UNDAMPED_ROWS_H
#include "simd.h"

typedef struct {
    pysitar_v4 inverse_own, shift, gain, sign, threshold, base, factor_of_root, constant, growth;
    pysitar_v4 least;                       /* force, N: 0 of a contact */
} PysitarUndampedRows;

/* The constants of four rows of own mobility w (m/N); half, spring and drag as of `pysitar_evaluate_four`. */
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

#define PYSITAR_LANE(member, i) (((const double *)&(member))[i])

/* One Gauss-Seidel sweep of up to four rows: f of each from the others'. A row waits for the one before,
   whose force its sum takes last. */
static inline void pysitar_sweep_four(const double *w, const double *half, const double *spring, const double *drag,
                                      const double *p0, const double *e, const double *u, int rows, double *f)
{
    const pysitar_v4 own = {w[0], w[5], w[10], w[15]};
    const PysitarUndampedRows r = pysitar_undamped_rows(own, PYSITAR_LOAD(half), PYSITAR_LOAD(spring), PYSITAR_LOAD(drag),
                                                        PYSITAR_LOAD(p0));
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        if (i >= rows)
            break;
        double x = e[i] - u[i];
        for (int j = i + 1; j < 4; j++)
            x -= w[4 * i + j] * f[j];
        for (int j = 0; j < i; j++)
            x -= w[4 * i + j] * f[j];
        const double t = p0[i] - PYSITAR_LANE(r.sign, i) * x, positive = x > 0.0 ? x : 0.0;
        const double root = __builtin_sqrt(t * t + (PYSITAR_LANE(r.constant, i) + PYSITAR_LANE(r.growth, i) * positive));
        const double curved = PYSITAR_LANE(r.base, i) + PYSITAR_LANE(r.factor_of_root, i) * (t + root);
        const double straight = (x - PYSITAR_LANE(r.shift, i)) * PYSITAR_LANE(r.gain, i);
        const double p1 = PYSITAR_LANE(r.sign, i) * x >= PYSITAR_LANE(r.threshold, i) ? straight : curved;
        const double force = (x - p1) * PYSITAR_LANE(r.inverse_own, i);
        f[i] = force > PYSITAR_LANE(r.least, i) ? force : PYSITAR_LANE(r.least, i);
    }
}
#endif
