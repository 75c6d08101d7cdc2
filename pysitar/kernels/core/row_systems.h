/* Systems of up to sixteen contact rows of one string, a row in each lane: displacements, laws, sweeps
   and Newton's system of contact/medium_system.pxd. Vectors lie along the rows that a sum is not over.
   Lanes beyond the rows of a system have no force. Vectors of four doubles, which the baseline splits
   in two. */
#ifndef PYSITAR_ROW_SYSTEMS_H
#define PYSITAR_ROW_SYSTEMS_H
#include "unit_rows.h"

enum { PYSITAR_MEDIUM_ROWS = 16 };

typedef double pysitar_medium_vector[PYSITAR_MEDIUM_ROWS];

typedef struct {
    pysitar_medium_vector w[PYSITAR_MEDIUM_ROWS];       /* W, m/N */
    pysitar_medium_vector stiff_w[PYSITAR_MEDIUM_ROWS]; /* W of the rows of a Newton step that have D > 0, if they are few */
    pysitar_medium_vector mobility_root;                /* square roots of the diagonal of W, (m/N)^(1/2) */
    pysitar_medium_vector p0, e, u, s;                  /* m */
    pysitar_medium_vector f, law_force;                 /* N */
    pysitar_medium_vector slope;                        /* D, N/m */
    pysitar_medium_vector half, rate, spring, drag, clamp;      /* as `pysitar_unit_law` */
    pysitar_medium_vector delta_f, f_start;             /* of a line search, N */
    pysitar_medium_vector delta_s;                      /* m */
    pysitar_medium_vector compliance, rhs, products;
    /* of the sweeps: mobility of the row itself and its inverse, its compression after the row was solved,
       and the constants of `pysitar_sweep_medium_rows` */
    pysitar_medium_vector own, inverse_own, p1, shift, gain, sign, threshold, base, factor_of_root, constant, growth, least;
    int rows;
    int width;                                          /* rows, padded to a multiple of 4 */
} PysitarMediumSystem;

#define PYSITAR_ROW(member) (*(pysitar_v4 *)((member) + c))
#define PYSITAR_ROW_BLOCKS for (int c = 0; c < width; c += 4)

/* Let the lanes from `first` on have no row; those of W have none already. */
static inline void pysitar_clear_medium_lanes(PysitarMediumSystem *q, int first)
{
    const int width = q->width;
    for (int i = first; i < width; i++) {
        q->p0[i] = q->e[i] = -1.0;
        q->mobility_root[i] = q->u[i] = q->f[i] = 0.0;
        q->half[i] = q->rate[i] = q->spring[i] = q->drag[i] = q->clamp[i] = q->own[i] = 0.0;
    }
}

/* Sums over rows go over `width` of them, a constant: rows beyond those in use add 0, and a processor
   foresees the end of a loop whose number of turns changes from step to step badly. */
#define PYSITAR_FOR_WIDTH(function, ...)                                                   \
    (q->width == 8 ? function(q, 8, __VA_ARGS__) : q->width == 12 ? function(q, 12, __VA_ARGS__) \
     : q->width == 4 ? function(q, 4, __VA_ARGS__) : function(q, 16, __VA_ARGS__))
#define PYSITAR_CONSTANT_WIDTH static inline __attribute__((always_inline))

PYSITAR_CONSTANT_WIDTH void pysitar_gather_width(PysitarMediumSystem *q, const int width, const double *mobility,
                                                 ptrdiff_t stride, const int *rows)
{
    const int count = q->rows;
    int from[PYSITAR_MEDIUM_ROWS];
    pysitar_m4 is_row[PYSITAR_MEDIUM_ROWS / 4] = {{0}};
    for (int i = 0; i < width; i++)
        from[i] = rows[i < count ? i : 0];
    for (int c = 0; c < width; c += 4)
        is_row[c / 4] = (pysitar_m4){-(c < count), -(c + 1 < count), -(c + 2 < count), -(c + 3 < count)};
    for (int i = 0; i < width; i++) {
        const double *w = mobility + from[i] * stride;
        const pysitar_m4 used = (pysitar_m4){0} - (i < count);
        PYSITAR_ROW_BLOCKS {
            const pysitar_v4 values = {w[from[c]], w[from[c + 1]], w[from[c + 2]], w[from[c + 3]]};
            PYSITAR_ROW(q->w[i]) = (pysitar_v4)((pysitar_m4)values & is_row[c / 4] & used);
        }
    }
}

/* W of the rows of a system, from all of a network's: its rows of `stride`. */
static inline void pysitar_gather_mobility(PysitarMediumSystem *q, const double *mobility, ptrdiff_t stride, const int *rows)
{
    PYSITAR_FOR_WIDTH(pysitar_gather_width, mobility, stride, rows);
}

PYSITAR_CONSTANT_WIDTH void pysitar_displace_width(PysitarMediumSystem *q, const int width, const double *f)
{
    PYSITAR_ROW_BLOCKS {
        pysitar_v4 s = PYSITAR_ROW(q->u), t = {0};
        for (int i = 0; i < width; i += 2) {
            s += f[i] * PYSITAR_ROW(q->w[i]);
            t += f[i + 1] * PYSITAR_ROW(q->w[i + 1]);
        }
        PYSITAR_ROW(q->s) = s + t;
    }
}

/* s = u + W f. */
static inline void pysitar_displace_medium_rows(PysitarMediumSystem *q)
{
    PYSITAR_FOR_WIDTH(pysitar_displace_width, q->f);
}

PYSITAR_CONSTANT_WIDTH double pysitar_add_rows(PysitarMediumSystem *q, const int width, const double *values)
{
    pysitar_v4 sum = {0};
    for (int c = 0; c < width; c += 4)
        sum += PYSITAR_LOAD(values + c);
    return PYSITAR_FOLD(sum);
}

/* F and D at s; returns max|f - F| and the terms of its rounding floor. */
static inline double pysitar_evaluate_medium(PysitarMediumSystem *q, double *stiffness_term, double *force_term)
{
    const int width = q->width;
    PysitarResiduals residuals = {{0}, {0}, {0}, {0}};
    PYSITAR_ROW_BLOCKS PYSITAR_ROW(q->products) = PYSITAR_ROW(q->mobility_root) * PYSITAR_ABS(PYSITAR_ROW(q->f));
    const double bound = PYSITAR_FOR_WIDTH(pysitar_add_rows, q->products);
    PYSITAR_ROW_BLOCKS {
        const pysitar_v4 p0 = PYSITAR_ROW(q->p0), s = PYSITAR_ROW(q->s);
        pysitar_v4 force, slope;
        pysitar_unit_law(PYSITAR_ROW(q->half), PYSITAR_ROW(q->rate), PYSITAR_ROW(q->spring), PYSITAR_ROW(q->drag),
                         PYSITAR_ROW(q->clamp), p0, PYSITAR_ROW(q->e) - s, &force, &slope);
        PYSITAR_ROW(q->law_force) = force;
        PYSITAR_ROW(q->slope) = slope;
        pysitar_add_residuals(&residuals, PYSITAR_ROW(q->f), force, slope, p0, s, PYSITAR_ROW(q->mobility_root), bound);
    }
    return pysitar_greatest_residual(&residuals, stiffness_term, force_term);
}

/* What the sweeps use of each row. */
static inline void pysitar_prepare_sweeps(PysitarMediumSystem *q)
{
    const int width = q->width;
    PYSITAR_ROW_BLOCKS {
        const PysitarUndampedRows r = pysitar_undamped_rows(PYSITAR_ROW(q->own), PYSITAR_ROW(q->half), PYSITAR_ROW(q->spring),
                                                            PYSITAR_ROW(q->drag), PYSITAR_ROW(q->p0));
        PYSITAR_ROW(q->inverse_own) = r.inverse_own;
        PYSITAR_ROW(q->shift) = r.shift;
        PYSITAR_ROW(q->gain) = r.gain;
        PYSITAR_ROW(q->sign) = r.sign;
        PYSITAR_ROW(q->threshold) = r.threshold;
        PYSITAR_ROW(q->base) = r.base;
        PYSITAR_ROW(q->factor_of_root) = r.factor_of_root;
        PYSITAR_ROW(q->constant) = r.constant;
        PYSITAR_ROW(q->growth) = r.growth;
        PYSITAR_ROW(q->least) = r.least;
    }
}

/* One Gauss-Seidel sweep: solve each row's equation with the other forces fixed. One branch at most, which the
   compiler makes of p1, as the signs are not foreseeable; s of the next row is found on its own, since each row
   waits for the one before. */
static inline void pysitar_sweep_medium_rows(PysitarMediumSystem *q)
{
    const int width = q->width, rows = q->rows;
    double s = q->s[0];
    for (int i = 0; i < rows; i++) {
        const double e = q->e[i] + q->own[i] * q->f[i] - s, positive = e > 0.0 ? e : 0.0;
        const double t = q->p0[i] - q->sign[i] * e;
        const double root = __builtin_sqrt(t * t + (q->constant[i] + q->growth[i] * positive));
        const double curved = q->base[i] + q->factor_of_root[i] * (t + root), straight = (e - q->shift[i]) * q->gain[i];
        const double p1 = q->sign[i] * e >= q->threshold[i] ? straight : curved;
        const double f = pysitar_maximum((e - p1) * q->inverse_own[i], q->least[i]);
        const double change = f - q->f[i];
        s = q->s[(i + 1) & (PYSITAR_MEDIUM_ROWS - 1)] + change * q->w[i][(i + 1) & (PYSITAR_MEDIUM_ROWS - 1)];
        PYSITAR_ROW_BLOCKS PYSITAR_ROW(q->s) += change * PYSITAR_ROW(q->w[i]);
        q->f[i] = f;
        q->p1[i] = p1;
    }
}

/* Where Newton's method starts after the sweeps: a stiff row in contact has the compression of its force,
   any other that of its displacement. s is set to it. */
static inline void pysitar_start_medium(PysitarMediumSystem *q)
{
    const pysitar_v4 zero = {0}, one = zero + 1.0;
    const int width = q->width;
    PYSITAR_ROW_BLOCKS {
        const pysitar_m4 stiff = (PYSITAR_ROW(q->own) * PYSITAR_ROW(q->half) > one) & (PYSITAR_ROW(q->f) > zero);
        PYSITAR_ROW(q->s) = PYSITAR_WHERE(stiff, PYSITAR_ROW(q->e) - PYSITAR_ROW(q->p1), PYSITAR_ROW(q->s));
    }
}

#define PYSITAR_FACTOR pysitar_solve_rows
#define PYSITAR_UNROLL _Pragma("GCC unroll 16")
#include "row_factor.h"
#undef PYSITAR_FACTOR
#undef PYSITAR_UNROLL
#define PYSITAR_FACTOR pysitar_solve_any_rows
#define PYSITAR_UNROLL
#include "row_factor.h"
#undef PYSITAR_FACTOR
#undef PYSITAR_UNROLL

/* The same where vectors of four are, for an even number of rows, a constant: as many as there are, or one
   more. */
static PYSITAR_AVX2 void pysitar_solve_medium_unrolled(const pysitar_medium_vector *w, const double *is_stiff,
                                                       const double *compliance, const double *rhs, int rows, double *z)
{
    switch ((rows + 1) / 2) {
    case 0: case 1: case 2: pysitar_solve_rows(w, is_stiff, compliance, rhs, 4, z); break;
    case 3: pysitar_solve_rows(w, is_stiff, compliance, rhs, 6, z); break;
    case 4: pysitar_solve_rows(w, is_stiff, compliance, rhs, 8, z); break;
    case 5: pysitar_solve_rows(w, is_stiff, compliance, rhs, 10, z); break;
    case 6: pysitar_solve_rows(w, is_stiff, compliance, rhs, 12, z); break;
    case 7: pysitar_solve_rows(w, is_stiff, compliance, rhs, 14, z); break;
    default: pysitar_solve_rows(w, is_stiff, compliance, rhs, 16, z);
    }
}

static __attribute__((noinline, unused)) void pysitar_solve_medium_looped(const pysitar_medium_vector *w, const double *is_stiff,
                                                                          const double *compliance, const double *rhs, int rows,
                                                                          double *z)
{
    pysitar_solve_any_rows(w, is_stiff, compliance, rhs, rows <= 4 ? 4 : (rows + 1) & ~1, z);
}

static inline void pysitar_solve_medium(const pysitar_medium_vector *w, const double *is_stiff, const double *compliance,
                                        const double *rhs, int rows, double *z)
{
    if (PYSITAR_HAS_AVX2)
        pysitar_solve_medium_unrolled(w, is_stiff, compliance, rhs, rows, z);
    else
        pysitar_solve_medium_looped(w, is_stiff, compliance, rhs, rows, z);
}

/* Newton's system of the stiff rows alone: z of each of `count` rows. */
static inline void pysitar_solve_stiff_rows(PysitarMediumSystem *q, int *rows, int count, double *z)
{
    pysitar_medium_vector compliance, rhs, is_used, solved;
    const int width = count <= 4 ? 4 : (count + 3) & ~3;
    for (int i = count; i < width; i++)
        rows[i] = 0;
    for (int i = 0; i < width; i++) {
        is_used[i] = i < count ? 1.0 : 0.0;
        compliance[i] = i < count ? q->compliance[rows[i]] : 1.0;
        rhs[i] = i < count ? q->rhs[rows[i]] : 0.0;
    }
    for (int i = 0; i < width; i++) {
        const double *w = q->w[rows[i]];
        for (int c = i & ~3; c < width; c += 4)
            PYSITAR_ROW(q->stiff_w[i]) = (pysitar_v4){w[rows[c]], w[rows[c + 1]], w[rows[c + 2]], w[rows[c + 3]]};
    }
    pysitar_solve_medium(q->stiff_w, is_used, compliance, rhs, count, solved);
    for (int i = 0; i < count; i++)
        z[rows[i]] = solved[i];
}

/* Newton's forces: (W + 1/D) z = F/D + s - u on the rows with D > 0, else 0, less f to delta_f. If those
   rows fit into fewer vectors, they are solved alone. */
static inline void pysitar_find_medium_change(PysitarMediumSystem *q)
{
    const pysitar_v4 zero = {0}, one = zero + 1.0;
    const int width = q->width;
    pysitar_medium_vector is_stiff, z;
    int rows[PYSITAR_MEDIUM_ROWS], count = 0;
    PYSITAR_ROW_BLOCKS {
        const pysitar_v4 d = PYSITAR_ROW(q->slope);
        const pysitar_m4 stiff = d > zero;
        const pysitar_v4 compliance = one / PYSITAR_WHERE(stiff, d, one);
        PYSITAR_ROW(is_stiff) = PYSITAR_WHERE(stiff, one, zero);
        PYSITAR_ROW(z) = zero;
        PYSITAR_ROW(q->compliance) = compliance;
        PYSITAR_ROW(q->rhs) = PYSITAR_WHERE(stiff, PYSITAR_ROW(q->law_force) * compliance
                                            + (PYSITAR_ROW(q->s) - PYSITAR_ROW(q->u)), zero);
    }
    for (int i = 0; i < width; i++) {
        rows[count] = i;
        count += q->slope[i] > 0.0;
    }
    if (width > 4 && count <= width - 4)
        pysitar_solve_stiff_rows(q, rows, count, z);
    else
        pysitar_solve_medium(q->w, is_stiff, q->compliance, q->rhs, q->rows, z);
    PYSITAR_ROW_BLOCKS PYSITAR_ROW(q->delta_f) = PYSITAR_ROW(z) - PYSITAR_ROW(q->f);
}

/* A whole Newton step. */
static inline void pysitar_step_medium(PysitarMediumSystem *q)
{
    const int width = q->width;
    PYSITAR_ROW_BLOCKS PYSITAR_ROW(q->f) += PYSITAR_ROW(q->delta_f);
    pysitar_displace_medium_rows(q);
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
