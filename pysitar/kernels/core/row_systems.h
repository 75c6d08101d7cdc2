/* Systems of up to sixteen contact rows of one string, a row in each lane: displacements, laws and
   Newton's system of contact/medium_system.pxd. Each sum over rows is in the order of the rows, as
   in contact/active_set.pxd, so both give the same bits; the vectors are along the rows that a sum
   is not over. Lanes beyond the rows of a system have no force. Vectors of four doubles, which the
   baseline splits in two. */
#ifndef PYSITAR_ROW_SYSTEMS_H
#define PYSITAR_ROW_SYSTEMS_H
#include "simd.h"

enum { PYSITAR_MEDIUM_ROWS = 16 };

typedef double pysitar_medium_vector[PYSITAR_MEDIUM_ROWS];

typedef struct {
    pysitar_medium_vector w[PYSITAR_MEDIUM_ROWS];       /* W, m/N */
    pysitar_medium_vector factor[PYSITAR_MEDIUM_ROWS];  /* of W + 1/D; column k of L is row k, from k + 1 on */
    pysitar_medium_vector mobility_root;                /* square roots of the diagonal of W, (m/N)^(1/2) */
    pysitar_medium_vector p0, e, u, s;                  /* m */
    pysitar_medium_vector f, law_force;                 /* N */
    pysitar_medium_vector slope;                        /* D, N/m */
    pysitar_medium_vector half, rate, spring, drag, clamp;      /* as `pysitar_evaluate_four` */
    pysitar_medium_vector delta_f, f_start;             /* of a line search, N */
    pysitar_medium_vector delta_s;                      /* m */
    pysitar_medium_vector compliance, rhs, products;
    int rows;
    int width;                                          /* rows, padded to a multiple of 4 */
} PysitarMediumSystem;

#define PYSITAR_ROW(member) (*(pysitar_v4 *)((member) + c))
#define PYSITAR_ROW_SIZE(x) ((pysitar_v4)((pysitar_m4)(x) & 0x7fffffffffffffffLL))
#define PYSITAR_ROW_MAX(a, b) PYSITAR_WHERE((a) > (b), a, b)
#define PYSITAR_ROW_BLOCKS for (int c = 0; c < width; c += 4)

/* Let the lanes from `first` on have no row. */
static inline void pysitar_clear_medium_lanes(PysitarMediumSystem *q, int first)
{
    const pysitar_v4 zero = {0};
    const int width = q->width;
    for (int i = first; i < width; i++) {
        q->p0[i] = q->e[i] = -1.0;
        q->mobility_root[i] = q->u[i] = q->f[i] = 0.0;
        q->half[i] = q->rate[i] = q->spring[i] = q->drag[i] = q->clamp[i] = 0.0;
        for (int j = 0; j < first; j++)
            q->w[j][i] = 0.0;
        PYSITAR_ROW_BLOCKS PYSITAR_ROW(q->w[i]) = zero;
    }
}

/* s += f w of row i. */
static inline void pysitar_push_medium_row(PysitarMediumSystem *q, int i, double f)
{
    const int width = q->width;         /* a copy: each store through a vector may change the structure */
    PYSITAR_ROW_BLOCKS PYSITAR_ROW(q->s) += f * PYSITAR_ROW(q->w[i]);
}

/* Sums over rows go over `width` of them, a constant: rows beyond those in use add 0, and a processor
   foresees the end of a loop whose number of turns changes from step to step badly. */
#define PYSITAR_FOR_WIDTH(function, ...)                                            \
    (q->width == 8 ? function(q, 8, __VA_ARGS__) : q->width == 12 ? function(q, 12, __VA_ARGS__) : function(q, 16, __VA_ARGS__))
#define PYSITAR_CONSTANT_WIDTH static inline __attribute__((always_inline))

PYSITAR_CONSTANT_WIDTH void pysitar_displace_width(PysitarMediumSystem *q, const int width, const double *f)
{
    PYSITAR_ROW_BLOCKS {
        pysitar_v4 s = PYSITAR_ROW(q->u);
        for (int i = 0; i < width; i++)
            s += f[i] * PYSITAR_ROW(q->w[i]);
        PYSITAR_ROW(q->s) = s;
    }
}

/* s = u + W f. */
static inline void pysitar_displace_medium_rows(PysitarMediumSystem *q)
{
    PYSITAR_FOR_WIDTH(pysitar_displace_width, q->f);
}

PYSITAR_CONSTANT_WIDTH double pysitar_add_rows(PysitarMediumSystem *q, const int width, const double *values)
{
    double sum = 0.0;
    for (int i = 0; i < width; i++)
        sum += values[i];
    return sum;
}

static inline double pysitar_greatest_lane(pysitar_v4 x)
{
    const double a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
}

/* F and D at s; returns max|f - F|, NaN if any is NaN, and the terms of its rounding floor
   (`evaluate_residual` of active_set.pxd), N. */
static inline double pysitar_evaluate_medium(PysitarMediumSystem *q, double *stiffness_term, double *force_term)
{
    const int width = q->width;
    const pysitar_v4 zero = {0};
    pysitar_v4 total = zero, residual = zero, stiffness = zero, greatest = zero;
    PYSITAR_ROW_BLOCKS PYSITAR_ROW(q->products) = PYSITAR_ROW(q->mobility_root) * PYSITAR_ROW_SIZE(PYSITAR_ROW(q->f));
    const double bound = PYSITAR_FOR_WIDTH(pysitar_add_rows, q->products);
    PYSITAR_ROW_BLOCKS {
        double law_force[4], slope[4];
        pysitar_evaluate_four(q->half + c, q->rate + c, q->spring + c, q->drag + c, q->clamp + c, q->p0 + c, q->e + c,
                              q->s + c, law_force, slope);
        const pysitar_v4 force = PYSITAR_LOAD(law_force), d = PYSITAR_LOAD(slope);
        const pysitar_v4 value = PYSITAR_ROW_SIZE(PYSITAR_ROW(q->f) - force), size = PYSITAR_ROW_SIZE(force);
        const pysitar_v4 term = PYSITAR_ROW_SIZE(d) * (PYSITAR_ROW_SIZE(PYSITAR_ROW(q->p0)) + PYSITAR_ROW_SIZE(PYSITAR_ROW(q->s))
                                                       + PYSITAR_ROW(q->mobility_root) * bound);
        PYSITAR_ROW(q->law_force) = force;
        PYSITAR_ROW(q->slope) = d;
        total += value;                                     /* a maximum loses a NaN, a sum keeps it */
        residual = PYSITAR_ROW_MAX(value, residual);
        stiffness = PYSITAR_ROW_MAX(term, stiffness);
        greatest = PYSITAR_ROW_MAX(size, greatest);
    }
    *stiffness_term = pysitar_greatest_lane(stiffness);
    *force_term = pysitar_greatest_lane(greatest);
    const double sum = PYSITAR_FOLD(total);
    return sum == sum ? pysitar_greatest_lane(residual) : sum;
}

/* The Newton change of f by L D L^T of the rows, W + 1/D in the upper half of `factor`, whose row k
   becomes column k of L; rows beyond those in use have a row of the identity. The next pivot and the
   factors of the other rows are found on their own, with the same bits: they need not wait for what
   vectors store. */
PYSITAR_CONSTANT_WIDTH void pysitar_factor_medium(PysitarMediumSystem *q, const int width, double *delta_f)
{
    pysitar_v4 rhs[PYSITAR_MEDIUM_ROWS / 4], column[PYSITAR_MEDIUM_ROWS / 4];
    double inverse[PYSITAR_MEDIUM_ROWS], forward[PYSITAR_MEDIUM_ROWS], found = q->factor[0][0];
    for (int b = 0; b < width / 4; b++)
        rhs[b] = PYSITAR_LOAD(q->rhs + 4 * b);
#pragma GCC unroll 16
    for (int k = 0; k < width; k++) {
        /* W is semidefinite, so apart from round-off a pivot is at least 1/D */
        const double least = q->compliance[k], pivot = found > least ? found : least;
        double *row = q->factor[k];
        inverse[k] = 1.0 / pivot;
        if (k + 1 < width) {
            const double next = row[k + 1] * inverse[k];
            found = q->factor[k + 1][k + 1] - next * next * pivot;
        }
        for (int b = k / 4; b < width / 4; b++)
            column[b] = PYSITAR_LOAD(row + 4 * b) * inverse[k];
#pragma GCC unroll 16
        for (int i = k + 1; i < width; i++) {
            const double factor = row[i] * inverse[k];
            for (int b = i / 4; b < width / 4; b++)
                *(pysitar_v4 *)(q->factor[i] + 4 * b) -= factor * column[b] * pivot;
        }
        forward[k] = rhs[k / 4][k & 3];
        for (int b = k / 4; b < width / 4; b++) {
            *(pysitar_v4 *)(row + 4 * b) = column[b];
            rhs[b] -= column[b] * forward[k];
        }
    }
#pragma GCC unroll 16
    for (int i = width - 1; i >= 0; i--) {
        double z = forward[i] * inverse[i];
#pragma GCC unroll 16
        for (int k = i + 1; k < width; k++)
            z -= q->factor[i][k] * forward[k];
        forward[i] = z;
        delta_f[i] = z - q->f[i];
    }
}

/* The Newton change of f: (W + 1/D) (f + delta) = F/D + s - u on rows with D > 0, else f + delta = 0.
   Rows with D = 0 have a row and a column of the identity instead, which leaves the others' sums as
   they are. */
static inline void pysitar_find_medium_change(PysitarMediumSystem *q)
{
    const pysitar_v4 zero = {0}, one = zero + 1.0;
    const int width = q->width;
    pysitar_medium_vector is_stiff;
    PYSITAR_ROW_BLOCKS {
        const pysitar_v4 d = PYSITAR_ROW(q->slope);
        const pysitar_m4 stiff = d > zero;
        const pysitar_v4 compliance = one / PYSITAR_WHERE(stiff, d, one);
        PYSITAR_ROW(is_stiff) = PYSITAR_WHERE(stiff, one, zero);
        PYSITAR_ROW(q->compliance) = compliance;
        PYSITAR_ROW(q->rhs) = PYSITAR_WHERE(stiff, PYSITAR_ROW(q->law_force) * compliance
                                            + (PYSITAR_ROW(q->s) - PYSITAR_ROW(q->u)), zero);
    }
    for (int i = 0; i < width; i++) {
        const double stiff = is_stiff[i];
        for (int c = i & ~3; c < width; c += 4)
            PYSITAR_ROW(q->factor[i]) = PYSITAR_ROW(q->w[i]) * (PYSITAR_ROW(is_stiff) * stiff);
        q->factor[i][i] = q->w[i][i] * stiff + q->compliance[i];
    }
    PYSITAR_FOR_WIDTH(pysitar_factor_medium, q->delta_f);
}

/* f = f_start + length delta_f. */
static inline void pysitar_set_medium_forces(PysitarMediumSystem *q, double length)
{
    const int width = q->width;
    PYSITAR_ROW_BLOCKS PYSITAR_ROW(q->f) = PYSITAR_ROW(q->f_start) + length * PYSITAR_ROW(q->delta_f);
}

/* delta_s . (f - F), the derivative of the objective along a change, J. */
static inline double pysitar_medium_slope(PysitarMediumSystem *q, const double *f)
{
    const int width = q->width;
    PYSITAR_ROW_BLOCKS PYSITAR_ROW(q->products) = PYSITAR_ROW(q->delta_s) * (PYSITAR_ROW(f) - PYSITAR_ROW(q->law_force));
    return PYSITAR_FOR_WIDTH(pysitar_add_rows, q->products);
}
#endif
