/* Function clones for the CPU at hand without a second build; flatten, or large inline functions stay outside the clone and
   run as the baseline. clang crashes on target_clones on a declaration alone. */
#ifndef PYSITAR_SIMD_H
#define PYSITAR_SIMD_H
#if !defined(PYSITAR_NO_CLONES) && defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
#define PYSITAR_CLONES __attribute__((flatten, target_clones("arch=x86-64-v3", "default")))
#else
#define PYSITAR_CLONES __attribute__((flatten))
#endif

#include <stddef.h>

typedef double pysitar_v4 __attribute__((vector_size(32), aligned(8), may_alias));

/* v holds the sums of lanes 0+4, 1+5, 2+6, 3+7: the order of lanes.pxd's `folded` */
#define PYSITAR_FOLD(v) (((v)[0] + (v)[2]) + ((v)[1] + (v)[3]))

/* Four dots that share their loads of x, each with the bits of lanes.pxd's `dot`; written in vectors because the compiler
   does not find them in four loops of eight accumulators. n is a multiple of 8. */
static inline void pysitar_dot_four(const double *a, const double *b, const double *c, const double *d, const double *x,
                                    ptrdiff_t n, double *to_a, double *to_b, double *to_c, double *to_d)
{
    pysitar_v4 a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0}, c0 = {0}, c1 = {0}, d0 = {0}, d1 = {0};
    for (ptrdiff_t i = 0; i < n; i += 8) {
        const pysitar_v4 x0 = *(const pysitar_v4 *)(x + i), x1 = *(const pysitar_v4 *)(x + i + 4);
        a0 += *(const pysitar_v4 *)(a + i) * x0;
        a1 += *(const pysitar_v4 *)(a + i + 4) * x1;
        b0 += *(const pysitar_v4 *)(b + i) * x0;
        b1 += *(const pysitar_v4 *)(b + i + 4) * x1;
        c0 += *(const pysitar_v4 *)(c + i) * x0;
        c1 += *(const pysitar_v4 *)(c + i + 4) * x1;
        d0 += *(const pysitar_v4 *)(d + i) * x0;
        d1 += *(const pysitar_v4 *)(d + i + 4) * x1;
    }
    a0 += a1;
    b0 += b1;
    c0 += c1;
    d0 += d1;
    *to_a = PYSITAR_FOLD(a0);
    *to_b = PYSITAR_FOLD(b0);
    *to_c = PYSITAR_FOLD(c0);
    *to_d = PYSITAR_FOLD(d0);
}

typedef long long pysitar_m4 __attribute__((vector_size(32)));

/* Whether one of eight rows is outside and pushes, would, or is bilateral; a NaN does. For the solver's list of rows that touch. */
static inline int pysitar_any_joins(const double *before, const double *after, const double *bilateral, const double *force,
                                    const double *inside)
{
    pysitar_m4 joins = {0};
    for (int i = 0; i < 8; i += 4) {
        const pysitar_v4 b = *(const pysitar_v4 *)(before + i), a = *(const pysitar_v4 *)(after + i), zero = {0};
        const pysitar_v4 l = *(const pysitar_v4 *)(bilateral + i), f = *(const pysitar_v4 *)(force + i);
        const pysitar_v4 in = *(const pysitar_v4 *)(inside + i);
        joins |= ~((b <= zero) & (a <= zero) & (l == zero) & (f == zero)) & (in == zero);
    }
    return ((joins[0] | joins[1]) | (joins[2] | joins[3])) != 0;
}
#endif
