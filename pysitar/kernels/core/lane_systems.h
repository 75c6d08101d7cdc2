/* Systems of contact rows of four strings at once, one in each lane: laws, Newton's step and line
   search of strings on one bridge (modal/joint.pxd). A string has up to sixteen active rows, of
   exponent 1 or linear, and its lane for good; lanes without rows, like rows beyond a string's own,
   have no force. Each lane has its own sums; a total over lanes is folded in one fixed order, so
   every clone gives the same bits. Vectors of four doubles, which the baseline splits in two. Loops
   over up to ten rows are of a constant number of turns, so that vectors stay in registers. */
#ifndef PYSITAR_LANE_SYSTEMS_H
#define PYSITAR_LANE_SYSTEMS_H
#include "unit_rows.h"

enum { PYSITAR_LANES = 4, PYSITAR_LANE_ROWS = 16 };

#define PYSITAR_UNKNOWN_ROWS (~0ULL)    /* of bits of rows, which are at most 63 */

typedef double pysitar_lane_row[PYSITAR_LANES];

typedef struct {
    pysitar_lane_row w[PYSITAR_LANE_ROWS][PYSITAR_LANE_ROWS];           /* W, m/N */
    pysitar_lane_row mobility_root[PYSITAR_LANE_ROWS];                  /* (m/N)^(1/2) */
    pysitar_lane_row p0[PYSITAR_LANE_ROWS], e[PYSITAR_LANE_ROWS];       /* m */
    pysitar_lane_row u[PYSITAR_LANE_ROWS], s[PYSITAR_LANE_ROWS];        /* m */
    pysitar_lane_row f[PYSITAR_LANE_ROWS], law_force[PYSITAR_LANE_ROWS];        /* N */
    pysitar_lane_row p1[PYSITAR_LANE_ROWS];                             /* of sweeps, m */
    pysitar_lane_row slope[PYSITAR_LANE_ROWS];                          /* D, N/m */
    pysitar_lane_row bridge_weight[PYSITAR_LANE_ROWS];                  /* e of modal/bridge.pxd */
    pysitar_lane_row half[PYSITAR_LANE_ROWS], rate[PYSITAR_LANE_ROWS];  /* as `pysitar_unit_law` */
    pysitar_lane_row spring[PYSITAR_LANE_ROWS], drag[PYSITAR_LANE_ROWS], clamp[PYSITAR_LANE_ROWS];
    pysitar_lane_row newton[PYSITAR_LANE_ROWS];                         /* A^-1 (F/D + s - u), N */
    pysitar_lane_row response[PYSITAR_LANE_ROWS];                       /* A^-1 e, N/m */
    pysitar_lane_row f_start[PYSITAR_LANE_ROWS], delta_f[PYSITAR_LANE_ROWS];    /* of a line search */
    pysitar_lane_row s_start[PYSITAR_LANE_ROWS], delta_s[PYSITAR_LANE_ROWS];
    pysitar_lane_row tolerance, residual, residual_floor, last_residual;        /* N */
    pysitar_lane_row start_slope, length;       /* of a line search: J, 1 */
    pysitar_lane_row heat;      /* dissipated by the rows of each lane in the solved step, J */
    pysitar_lane_row is_solved; /* 1 once the residual has been one at which to stop */
    double increment;           /* x of the bridge displacement for which s is, m */
    double force;               /* sum e f of all lanes is force - bridge_response x, N */
    double bridge_response;     /* N/m */
    int has_kinks;              /* a row is compressed only before or only after the step */
    int is_settled;             /* solved; f follows x by `response` */
    int rows;                   /* the most that any lane has, or one more: of loops */
    int lane_rows[PYSITAR_LANES];
    unsigned long long active[PYSITAR_LANES];   /* the rows that each lane is of, bits */
} __attribute__((aligned(64))) PysitarLaneSystem;

#define PYSITAR_AT(member) (*(pysitar_v4 *)(member))
#define PYSITAR_ALL(mask) (((mask)[0] & (mask)[1] & (mask)[2] & (mask)[3]) != 0)
#define PYSITAR_ANY(mask) (((mask)[0] | (mask)[1] | (mask)[2] | (mask)[3]) != 0)
#define PYSITAR_CONSTANT_ROWS static inline __attribute__((always_inline))
/* The function `name`(q, value) calls `rows_function`(q, rows, value) for the rows of a system: where
   vectors of four are, compiled for each number of rows, else, and for more than ten rows, `any_rows` once
   for all. */
#define PYSITAR_BY_ROWS(name, rows_function, any_rows, type)                                \
    static PYSITAR_AVX2 void name##_unrolled(PysitarLaneSystem *q, type value)                  \
    {                                                                                       \
        switch (q->rows) {                                                                  \
        case 0: break;                                                                      \
        case 1: rows_function(q, 1, value); break;                                          \
        case 2: rows_function(q, 2, value); break;                                          \
        case 3: rows_function(q, 3, value); break;                                          \
        case 4: rows_function(q, 4, value); break;                                          \
        case 6: rows_function(q, 6, value); break;                                          \
        case 8: rows_function(q, 8, value); break;                                          \
        case 10: rows_function(q, 10, value); break;                                        \
        default: any_rows(q, q->rows, value);                                               \
        }                                                                                   \
    }                                                                                       \
    static __attribute__((noinline, unused)) void name##_looped(PysitarLaneSystem *q, type value) \
    {                                                                                       \
        any_rows(q, q->rows, value);                                                        \
    }                                                                                       \
    static inline void name(PysitarLaneSystem *q, type value)                               \
    {                                                                                       \
        if (PYSITAR_HAS_AVX2)                                                                \
            name##_unrolled(q, value);                                                          \
        else                                                                                \
            name##_looped(q, value);                                                        \
    }

/* The number of turns of loops over some rows: 5, 7 and 9 have none of their own. */
static inline int pysitar_loop_rows(int rows) { return rows == 5 || rows == 7 || rows == 9 ? rows + 1 : rows; }

/* Let a lane have `count` rows, and no force of those that it had beyond. */
static inline void pysitar_clear_lane(PysitarLaneSystem *q, int lane, int count)
{
    const int last = q->lane_rows[lane];
    for (int i = count; i < last; i++) {
        q->p0[i][lane] = q->e[i][lane] = -1.0;
        q->mobility_root[i][lane] = q->u[i][lane] = q->f[i][lane] = q->bridge_weight[i][lane] = 0.0;
        q->half[i][lane] = q->rate[i][lane] = q->spring[i][lane] = q->drag[i][lane] = q->clamp[i][lane] = 0.0;
        for (int j = 0; j < last; j++)
            q->w[i][j][lane] = q->w[j][i][lane] = 0.0;
    }
    q->lane_rows[lane] = count;
}

/* Set what changes from step to step of the rows of a lane. */
static inline void pysitar_set_lane(PysitarLaneSystem *q, int lane, const int *active_rows, const double *p_before,
                                    const double *p_free, const double *free_drift, const double *force)
{
    for (int i = 0; i < q->lane_rows[lane]; i++) {
        const int k = active_rows[i];
        q->p0[i][lane] = p_before[k];
        q->e[i][lane] = p_free[k];
        q->u[i][lane] = free_drift[k];
        q->f[i][lane] = force[k];
    }
}

/* `pysitar_compress_rows` with a constant count of forces. */
static inline __attribute__((always_inline)) unsigned long long pysitar_compress_by(
    const double *free_drift, const double *weight, double x, const double *p_free, const double *mobility,
    const int *active_rows, const int count, const double *force, ptrdiff_t n, ptrdiff_t stride, double *p_after, double *pushed)
{
    const pysitar_v4 zero = {0};
    const double *w[4];
    double f[4];
    pysitar_m4 bits = {0}, bit = {1, 2, 4, 8};
    for (int j = 0; j < count; j++) {
        w[j] = mobility + active_rows[j] * stride;
        f[j] = force[active_rows[j]];
    }
    for (ptrdiff_t k = 0; k < n; k += 4) {
        pysitar_v4 s = PYSITAR_LOAD(weight + k) * x;
        if (count < 0)
            s += PYSITAR_LOAD(pushed + k);
        for (int j = 0; j < count; j++)
            s += f[j] * PYSITAR_LOAD(w[j] + k);
        const pysitar_v4 after = PYSITAR_LOAD(p_free + k) - (PYSITAR_LOAD(free_drift + k) + s);
        *(pysitar_v4 *)(p_after + k) = after;
        *(pysitar_v4 *)(pushed + k) = s;
        bits |= ~(after <= zero) & bit;
        bit <<= 4;
    }
    return (unsigned long long)((bits[0] | bits[1]) | (bits[2] | bits[3]));
}

/* Compressions p1 = e - (u + W f) of n rows, a multiple of 4, with u = free_drift + weight x for an
   increment x (m) of the bridge displacement and forces of the active rows, and what these two add
   to the displacements (m) in `pushed`. Returns the bits of the rows with p1 above 0 or NaN. */
static inline unsigned long long pysitar_compress_rows(const double *free_drift, const double *weight, double x,
                                                       const double *p_free, const double *mobility, const int *active_rows,
                                                       ptrdiff_t active_count, const double *force, ptrdiff_t n,
                                                       ptrdiff_t stride, double *p_after, double *pushed)
{
#define PYSITAR_COMPRESS(count) \
    pysitar_compress_by(free_drift, weight, x, p_free, mobility, active_rows, count, force, n, stride, p_after, pushed)
    if (active_count == 2)
        return PYSITAR_COMPRESS(2);
    if (active_count == 3)
        return PYSITAR_COMPRESS(3);
    if (active_count == 1)
        return PYSITAR_COMPRESS(1);
    if (active_count == 4)
        return PYSITAR_COMPRESS(4);
    if (active_count == 0)
        return PYSITAR_COMPRESS(0);
    for (ptrdiff_t k = 0; k < n; k += 4) {
        pysitar_v4 s = {0};
        for (ptrdiff_t j = 0; j < active_count; j++)
            s += force[active_rows[j]] * PYSITAR_LOAD(mobility + active_rows[j] * stride + k);
        *(pysitar_v4 *)(pushed + k) = s;
    }
    return PYSITAR_COMPRESS(-1);
#undef PYSITAR_COMPRESS
}

/* The bits of the rows that must be active (`pysitar_joining_rows`), if forces and bridge displace the
   rows as they did in the last step (`pushed`); sets max|free_drift|, m. */
static inline unsigned long long pysitar_predict_rows(const double *free_drift, const double *pushed, const double *p_before,
                                                      const double *p_free, const double *bilateral, const double *force,
                                                      ptrdiff_t n, double *most)
{
    const pysitar_v4 zero = {0};
    pysitar_v4 greatest = {0};
    pysitar_m4 bits = {0}, bit = {1, 2, 4, 8};
    for (ptrdiff_t k = 0; k < n; k += 4) {
        const pysitar_v4 u = PYSITAR_LOAD(free_drift + k), size = PYSITAR_ABS(u);
        const pysitar_v4 after = PYSITAR_LOAD(p_free + k) - (u + PYSITAR_LOAD(pushed + k));
        greatest = PYSITAR_MAX(size, greatest);
        bits |= ~((PYSITAR_LOAD(p_before + k) <= zero) & (after <= zero) & (PYSITAR_LOAD(bilateral + k) == zero)
                  & (PYSITAR_LOAD(force + k) == zero)) & bit;
        bit <<= 4;
    }
    *most = pysitar_greatest_lane(greatest);
    return (unsigned long long)((bits[0] | bits[1]) | (bits[2] | bits[3]));
}

static inline int pysitar_take_lowest_bit(unsigned long long *bits)
{
    const int k = __builtin_ctzll(*bits);
    *bits &= *bits - 1;
    return k;
}

/* The sum of e f over all rows, N. */
static inline double pysitar_lane_bridge_force(const PysitarLaneSystem *q)
{
    pysitar_v4 sum = {0};
    for (int i = 0; i < q->rows; i++)
        sum += PYSITAR_AT(q->bridge_weight[i]) * PYSITAR_AT(q->f[i]);
    return PYSITAR_FOLD(sum);
}

/* F and D of four lanes at s, with sum|f - F| over the rows and its rounding floor: that of one row
   (`rounding_floor`), added up, because sums cost less than maxima and keep a NaN. Returns 1 if a row is
   compressed only before or only after the step. */
PYSITAR_CONSTANT_ROWS int pysitar_evaluate_at(PysitarLaneSystem *q, const int rows, const pysitar_v4 *s, const pysitar_v4 *f)
{
    const pysitar_v4 zero = {0};
    pysitar_v4 bound = zero, residual = zero, stiffness_term = zero, force_term = zero;
    pysitar_m4 kinks = {0};
    for (int i = 0; i < rows; i++)
        bound += PYSITAR_AT(q->mobility_root[i]) * PYSITAR_ABS(f[i]);
    for (int i = 0; i < rows; i++) {
        const pysitar_v4 half = PYSITAR_AT(q->half[i]), p0 = PYSITAR_AT(q->p0[i]), p1 = PYSITAR_AT(q->e[i]) - s[i];
        pysitar_v4 force, slope;
        pysitar_unit_law(half, PYSITAR_AT(q->rate[i]), PYSITAR_AT(q->spring[i]), PYSITAR_AT(q->drag[i]), PYSITAR_AT(q->clamp[i]),
                         p0, p1, &force, &slope);
        PYSITAR_AT(q->law_force[i]) = force;
        PYSITAR_AT(q->slope[i]) = slope;
        kinks |= ((p0 > zero) ^ (p1 > zero)) & (half > zero);
        residual += PYSITAR_ABS(f[i] - force);
        stiffness_term += slope * (PYSITAR_ABS(p0) + PYSITAR_ABS(s[i]) + PYSITAR_AT(q->mobility_root[i]) * bound);
        force_term += PYSITAR_ABS(force);
    }
    PYSITAR_AT(q->residual) = residual;
    PYSITAR_AT(q->residual_floor) = 4.0 * (8e-16 * stiffness_term + 4e-16 * force_term);
    return PYSITAR_ANY(kinks);
}

/* s = u + e x + W f of four lanes. */
PYSITAR_CONSTANT_ROWS void pysitar_displacement_at(const PysitarLaneSystem *q, const int rows, double x, const pysitar_v4 *f,
                                                   pysitar_v4 *s)
{
    for (int i = 0; i < rows; i++) {
        s[i] = PYSITAR_AT(q->u[i]) + PYSITAR_AT(q->bridge_weight[i]) * x;
        for (int j = 0; j < rows; j++)
            s[i] += PYSITAR_AT(q->w[i][j]) * f[j];
    }
}

/* s for f and an increment x (m) of the bridge displacement, F, D and residuals there; `kinks` is set
   to 1 if a row is compressed only before or only after the step. */
PYSITAR_CONSTANT_ROWS void pysitar_displace_rows(PysitarLaneSystem *q, const int rows, double x)
{
    pysitar_v4 f[PYSITAR_LANE_ROWS], s[PYSITAR_LANE_ROWS];
    for (int i = 0; i < rows; i++)
        f[i] = PYSITAR_AT(q->f[i]);
    pysitar_displacement_at(q, rows, x, f, s);
    for (int i = 0; i < rows; i++)
        PYSITAR_AT(q->s[i]) = s[i];
    q->has_kinks = pysitar_evaluate_at(q, rows, s, f);
}

PYSITAR_BY_ROWS(pysitar_displace_by_rows, pysitar_displace_rows, pysitar_displace_rows, double)

static inline int pysitar_displace_lanes(PysitarLaneSystem *q, double x)
{
    q->increment = x;
    pysitar_displace_by_rows(q, x);
    return q->has_kinks;
}

/* F, D and residuals at s. */
PYSITAR_CONSTANT_ROWS void pysitar_evaluate_rows(PysitarLaneSystem *q, const int rows, int unused)
{
    (void)unused;
    pysitar_v4 f[PYSITAR_LANE_ROWS], s[PYSITAR_LANE_ROWS];
    for (int i = 0; i < rows; i++) {
        f[i] = PYSITAR_AT(q->f[i]);
        s[i] = PYSITAR_AT(q->s[i]);
    }
    pysitar_evaluate_at(q, rows, s, f);
}

PYSITAR_BY_ROWS(pysitar_evaluate_by_rows, pysitar_evaluate_rows, pysitar_evaluate_rows, int)

/* One Gauss-Seidel sweep of each lane for an increment x (m) of the bridge displacement: each row's
   force with the others fixed, by the formulas of unit_rows.h. It only
   finds where Newton's method starts, so it neglects damping. A row waits for the one before; the sum
   takes that row's force last. The compression of each stiff row in contact is left in `p1`, -1 of any
   other. */
static inline void pysitar_sweep_lanes(PysitarLaneSystem *q, double x)
{
    const pysitar_v4 zero = {0}, one = zero + 1.0;
    for (int i = 0; i < q->rows; i++) {
        const pysitar_v4 w = PYSITAR_AT(q->w[i][i]), half = PYSITAR_AT(q->half[i]), p0 = PYSITAR_AT(q->p0[i]);
        const PysitarUndampedRows r = pysitar_undamped_rows(w, half, PYSITAR_AT(q->spring[i]), PYSITAR_AT(q->drag[i]), p0);
        pysitar_v4 e = PYSITAR_AT(q->e[i]) - PYSITAR_AT(q->u[i]) - PYSITAR_AT(q->bridge_weight[i]) * x;
        for (int j = i + 1; j < q->rows; j++)
            e -= PYSITAR_AT(q->w[i][j]) * PYSITAR_AT(q->f[j]);
        for (int j = 0; j < i; j++)
            e -= PYSITAR_AT(q->w[i][j]) * PYSITAR_AT(q->f[j]);
        const pysitar_v4 t = p0 - r.sign * e, square = t * t + (r.constant + r.growth * PYSITAR_WHERE(e > zero, e, zero));
        double root[4];
        *(pysitar_v4 *)root = square;
        for (int k = 0; k < 4; k++)
            root[k] = __builtin_sqrt(root[k]);
        const pysitar_v4 curved = r.base + r.factor_of_root * (t + PYSITAR_LOAD(root)), straight = (e - r.shift) * r.gain;
        const pysitar_v4 p1 = PYSITAR_WHERE(r.sign * e >= r.threshold, straight, curved), force = (e - p1) * r.inverse_own;
        const pysitar_v4 f = PYSITAR_WHERE(force > r.least, force, r.least);
        PYSITAR_AT(q->f[i]) = f;
        PYSITAR_AT(q->p1[i]) = PYSITAR_WHERE((w * half > one) & (f > zero), p1, -one);
    }
}

/* Where Newton's method starts after the sweeps: a stiff row in contact has the compression of its force,
   any other that of its displacement. */
PYSITAR_CONSTANT_ROWS void pysitar_start_rows(PysitarLaneSystem *q, const int rows, double x)
{
    const pysitar_v4 zero = {0};
    pysitar_v4 f[PYSITAR_LANE_ROWS], s[PYSITAR_LANE_ROWS];
    for (int i = 0; i < rows; i++)
        f[i] = PYSITAR_AT(q->f[i]);
    pysitar_displacement_at(q, rows, x, f, s);
    for (int i = 0; i < rows; i++) {
        const pysitar_v4 p1 = PYSITAR_AT(q->p1[i]);
        s[i] = PYSITAR_WHERE(p1 >= zero, PYSITAR_AT(q->e[i]) - p1, s[i]);
        PYSITAR_AT(q->s[i]) = s[i];
    }
    q->has_kinks = pysitar_evaluate_at(q, rows, s, f);
}

PYSITAR_BY_ROWS(pysitar_start_by_rows, pysitar_start_rows, pysitar_start_rows, double)

static inline void pysitar_start_lanes(PysitarLaneSystem *q, double x)
{
    q->increment = x;
    pysitar_start_by_rows(q, x);
}

/* 1 if every lane has a residual at which to stop (`should_stop`), or had one and is at its floor:
   round-off moves them all, and they would rarely stop at once. */
static inline int pysitar_lanes_stop(PysitarLaneSystem *q)
{
    const pysitar_v4 zero = {0}, one = zero + 1.0, r = PYSITAR_AT(q->residual), floor = PYSITAR_AT(q->residual_floor);
    const pysitar_m4 stop = (r <= floor / 16.0) | (r <= PYSITAR_AT(q->tolerance)) | (r != r)
        | ((r <= floor) & ((r > 0.25 * PYSITAR_AT(q->last_residual)) | (PYSITAR_AT(q->is_solved) > zero)));
    PYSITAR_AT(q->is_solved) = PYSITAR_WHERE(stop, one, zero);
    return PYSITAR_ALL(stop);
}

/* 1 if every residual is at most its floor or its tolerance. */
static inline int pysitar_lanes_converged(const PysitarLaneSystem *q)
{
    const pysitar_v4 r = PYSITAR_AT(q->residual);
    const pysitar_m4 all = (r <= PYSITAR_AT(q->residual_floor)) | (r <= PYSITAR_AT(q->tolerance));
    return PYSITAR_ALL(all);
}

#define PYSITAR_FACTOR pysitar_factor_rows
#define PYSITAR_UNROLL _Pragma("GCC unroll 16")
#include "lane_factor.h"
#undef PYSITAR_FACTOR
#undef PYSITAR_UNROLL
#define PYSITAR_FACTOR pysitar_factor_any_rows
#define PYSITAR_UNROLL
#include "lane_factor.h"
#undef PYSITAR_FACTOR
#undef PYSITAR_UNROLL

PYSITAR_BY_ROWS(pysitar_factor_by_rows, pysitar_factor_rows, pysitar_factor_any_rows, int)

/* Newton's forces. Rows at the end that have a slope in no lane have none. */
static inline void pysitar_find_lane_forces(PysitarLaneSystem *q)
{
    const pysitar_v4 zero = {0};
    const int rows = q->rows;
    int used = rows;
    for (; used > 0; used--) {
        const pysitar_m4 has_slope = PYSITAR_AT(q->slope[used - 1]) > zero;
        if (PYSITAR_ANY(has_slope))
            break;
    }
    q->rows = pysitar_loop_rows(used);
    for (int i = q->rows; i < rows; i++)
        PYSITAR_AT(q->newton[i]) = PYSITAR_AT(q->response[i]) = zero;
    q->force = q->bridge_response = 0.0;
    pysitar_factor_by_rows(q, 0);
    q->rows = rows;
}

/* Take a whole Newton step for an increment x (m) of the bridge displacement, and evaluate there; keep
   what a line search starts from, and the slope of each lane's objective at its start, J. */
PYSITAR_CONSTANT_ROWS void pysitar_step_rows(PysitarLaneSystem *q, const int rows, double x)
{
    pysitar_v4 f[PYSITAR_LANE_ROWS], s[PYSITAR_LANE_ROWS], slope = {0};
    PYSITAR_AT(q->last_residual) = PYSITAR_AT(q->residual);
    for (int i = 0; i < rows; i++)
        f[i] = PYSITAR_AT(q->newton[i]) - PYSITAR_AT(q->response[i]) * x;
    pysitar_displacement_at(q, rows, x, f, s);
    for (int i = 0; i < rows; i++) {
        const pysitar_v4 f_start = PYSITAR_AT(q->f[i]), s_start = PYSITAR_AT(q->s[i]), change = s[i] - s_start;
        PYSITAR_AT(q->f_start[i]) = f_start;
        PYSITAR_AT(q->s_start[i]) = s_start;
        PYSITAR_AT(q->delta_f[i]) = f[i] - f_start;
        PYSITAR_AT(q->delta_s[i]) = change;
        PYSITAR_AT(q->f[i]) = f[i];
        PYSITAR_AT(q->s[i]) = s[i];
        slope += change * (f_start - PYSITAR_AT(q->law_force[i]));
    }
    PYSITAR_AT(q->start_slope) = slope;
    PYSITAR_AT(q->length) = (pysitar_v4){1.0, 1.0, 1.0, 1.0};
    pysitar_evaluate_at(q, rows, s, f);
}

PYSITAR_BY_ROWS(pysitar_step_by_rows, pysitar_step_rows, pysitar_step_rows, double)

static inline void pysitar_step_lanes(PysitarLaneSystem *q, double x)
{
    q->increment = x;
    pysitar_step_by_rows(q, x);
}

/* The energy that the rows of each lane dissipate (`dissipated_energy` of contact/law.pxd). Returns 1 if
   a row is displaced far beyond all lengths of its lane (`has_run_away` of contact/medium_system.pxd):
   the rounding floor is so high there that the stopping rule says nothing. */
static inline int pysitar_find_lane_heat(PysitarLaneSystem *q)
{
    const pysitar_v4 zero = {0};
    pysitar_v4 heat = zero, most = zero, bound = zero;
    for (int i = 0; i < q->rows; i++) {
        const pysitar_v4 p0 = PYSITAR_AT(q->p0[i]), p1 = PYSITAR_AT(q->e[i]) - PYSITAR_AT(q->s[i]), h = p1 - p0;
        pysitar_v4 loss;
        pysitar_contact_loss(PYSITAR_AT(q->half[i]), PYSITAR_AT(q->rate[i]), PYSITAR_AT(q->clamp[i]), p0, p1, &loss);
        heat += (loss + PYSITAR_AT(q->drag[i]) * h) * h;
        most += PYSITAR_ABS(PYSITAR_AT(q->s[i]));
        bound += PYSITAR_ABS(PYSITAR_AT(q->u[i])) + PYSITAR_ABS(p0) + PYSITAR_ABS(PYSITAR_AT(q->e[i]));
    }
    PYSITAR_AT(q->heat) = heat;
    const pysitar_m4 far = most > 100.0 * bound;
    return PYSITAR_ANY(far);
}

/* Let the forces follow a change (m) of the increment of the bridge displacement. */
static inline void pysitar_follow_bridge(PysitarLaneSystem *q, double change)
{
    for (int i = 0; i < q->rows; i++)
        PYSITAR_AT(q->f[i]) -= PYSITAR_AT(q->response[i]) * change;
}

/* Shorten the Newton step of lanes whose objective's slope has not halved, and evaluate there; 1 if
   there are any. */
static inline int pysitar_shorten_lanes(PysitarLaneSystem *q)
{
    const pysitar_v4 zero = {0}, one = zero + 1.0, start = PYSITAR_AT(q->start_slope), length = PYSITAR_AT(q->length);
    const pysitar_v4 size = PYSITAR_ABS(start);
    pysitar_v4 slope = zero;
    for (int i = 0; i < q->rows; i++)
        slope += PYSITAR_AT(q->delta_s[i]) * (PYSITAR_AT(q->f[i]) - PYSITAR_AT(q->law_force[i]));
    /* at the rounding floor the sign of the slope is noise */
    const pysitar_m4 is_long = ~((PYSITAR_AT(q->residual) <= PYSITAR_AT(q->residual_floor)) | (slope <= 0.5 * size))
        & (slope == slope) & (slope != start);
    const pysitar_v4 secant = length * start / PYSITAR_WHERE(is_long, start - slope, one), least = 0.1 * length;
    const pysitar_v4 next = PYSITAR_WHERE(is_long, PYSITAR_MAX(secant, least), length);
    if (!PYSITAR_ANY(is_long))
        return 0;
    PYSITAR_AT(q->length) = next;
    for (int i = 0; i < q->rows; i++) {
        const pysitar_v4 f = PYSITAR_AT(q->f_start[i]) + next * PYSITAR_AT(q->delta_f[i]);
        const pysitar_v4 s = PYSITAR_AT(q->s_start[i]) + next * PYSITAR_AT(q->delta_s[i]);
        PYSITAR_AT(q->f[i]) = PYSITAR_WHERE(is_long, f, PYSITAR_AT(q->f[i]));
        PYSITAR_AT(q->s[i]) = PYSITAR_WHERE(is_long, s, PYSITAR_AT(q->s[i]));
    }
    pysitar_evaluate_by_rows(q, 0);
    return 1;
}
#endif
