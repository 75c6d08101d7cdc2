/* Small systems of contact rows, eight strings at once, one in each lane: laws, Newton's step and
   line search of strings on one bridge (modal/joint.pxd). A string has up to eight active rows, of
   exponent 1 or linear; lanes in use come first, and the others, like rows beyond a string's own,
   have no force. Each lane has its own sums; a total over lanes is folded in one fixed order, so
   every clone gives the same bits. Vectors of four doubles, which the baseline splits in two. */
#ifndef PYSITAR_LANE_SYSTEMS_H
#define PYSITAR_LANE_SYSTEMS_H
#include "simd.h"

enum { PYSITAR_LANES = 8, PYSITAR_LANE_ROWS = 8 };

typedef double pysitar_lane_row[PYSITAR_LANES];

typedef struct {
    pysitar_lane_row w[PYSITAR_LANE_ROWS][PYSITAR_LANE_ROWS];           /* W, m/N */
    pysitar_lane_row mobility_root[PYSITAR_LANE_ROWS];                  /* (m/N)^(1/2) */
    pysitar_lane_row p0[PYSITAR_LANE_ROWS], e[PYSITAR_LANE_ROWS];       /* m */
    pysitar_lane_row u[PYSITAR_LANE_ROWS], s[PYSITAR_LANE_ROWS];        /* m */
    pysitar_lane_row f[PYSITAR_LANE_ROWS], law_force[PYSITAR_LANE_ROWS];        /* N */
    pysitar_lane_row slope[PYSITAR_LANE_ROWS];                          /* D, N/m */
    pysitar_lane_row bridge_weight[PYSITAR_LANE_ROWS];                  /* e of modal/bridge.pxd */
    pysitar_lane_row half[PYSITAR_LANE_ROWS], rate[PYSITAR_LANE_ROWS];  /* as `pysitar_evaluate_four` */
    pysitar_lane_row spring[PYSITAR_LANE_ROWS], drag[PYSITAR_LANE_ROWS], clamp[PYSITAR_LANE_ROWS];
    pysitar_lane_row newton[PYSITAR_LANE_ROWS];                         /* A^-1 (F/D + s - u), N */
    pysitar_lane_row response[PYSITAR_LANE_ROWS];                       /* A^-1 e, N/m */
    pysitar_lane_row f_start[PYSITAR_LANE_ROWS], delta_f[PYSITAR_LANE_ROWS];    /* of a line search */
    pysitar_lane_row s_start[PYSITAR_LANE_ROWS], delta_s[PYSITAR_LANE_ROWS];
    pysitar_lane_row tolerance, residual, residual_floor, last_residual;        /* N */
    pysitar_lane_row start_slope, length;       /* of a line search: J, 1 */
    pysitar_lane_row is_solved; /* 1 once the residual has been one at which to stop */
    int rows;                   /* the most that any lane has */
    int lanes;                  /* in use */
    int strings[PYSITAR_LANES]; /* the string of each lane */
} PysitarLaneSystem;

#define PYSITAR_AT(member) (*(pysitar_v4 *)((member) + c))
#define PYSITAR_ABS(x) ((pysitar_v4)((pysitar_m4)(x) & 0x7fffffffffffffffLL))
#define PYSITAR_MAX(a, b) PYSITAR_WHERE((a) > (b), a, b)
#define PYSITAR_HALVES for (int c = 0; c < PYSITAR_LANES; c += 4)

/* Let a lane have no row from `first` on. */
static inline void pysitar_clear_lane(PysitarLaneSystem *q, int lane, int first)
{
    for (int i = first; i < q->rows; i++) {
        q->p0[i][lane] = q->e[i][lane] = -1.0;
        q->mobility_root[i][lane] = q->u[i][lane] = q->f[i][lane] = q->bridge_weight[i][lane] = 0.0;
        q->half[i][lane] = q->rate[i][lane] = q->spring[i][lane] = q->drag[i][lane] = q->clamp[i][lane] = 0.0;
        for (int j = 0; j < q->rows; j++)
            q->w[i][j][lane] = q->w[j][i][lane] = 0.0;
    }
}

/* Compressions p1 = e - (u + W f) of n rows, a multiple of 4, with u = free_drift + weight x for an
   increment x (m) of the bridge displacement and forces of the active rows; returns max|u|, m. */
static inline double pysitar_compress_rows(const double *free_drift, const double *weight, double x, const double *p_free,
                                           const double *mobility, const int *active_rows, ptrdiff_t active_count,
                                           const double *force, ptrdiff_t n, double *p_after)
{
    pysitar_v4 greatest = {0};
    for (ptrdiff_t k = 0; k < n; k += 4) {
        pysitar_v4 s = PYSITAR_LOAD(free_drift + k) + PYSITAR_LOAD(weight + k) * x;
        const pysitar_v4 size = PYSITAR_ABS(s);
        greatest = PYSITAR_MAX(size, greatest);
        for (ptrdiff_t j = 0; j < active_count; j++)
            s += force[active_rows[j]] * PYSITAR_LOAD(mobility + active_rows[j] * n + k);
        *(pysitar_v4 *)(p_after + k) = PYSITAR_LOAD(p_free + k) - s;
    }
    const double a = greatest[0] > greatest[1] ? greatest[0] : greatest[1], b = greatest[2] > greatest[3] ? greatest[2] : greatest[3];
    return a > b ? a : b;
}

/* The sum of e f over all rows, N. */
static inline double pysitar_lane_bridge_force(const PysitarLaneSystem *q)
{
    pysitar_v4 sum = {0};
    for (int i = 0; i < q->rows; i++)
        PYSITAR_HALVES sum += PYSITAR_AT(q->bridge_weight[i]) * PYSITAR_AT(q->f[i]);
    return PYSITAR_FOLD(sum);
}

/* s = u + e x + W f, with an increment x (m) of the bridge displacement. */
static inline void pysitar_displace_lanes(PysitarLaneSystem *q, double increment)
{
    for (int i = 0; i < q->rows; i++)
        PYSITAR_HALVES {
            pysitar_v4 s = PYSITAR_AT(q->u[i]) + PYSITAR_AT(q->bridge_weight[i]) * increment;
            for (int j = 0; j < q->rows; j++)
                s += PYSITAR_AT(q->w[i][j]) * PYSITAR_AT(q->f[j]);
            PYSITAR_AT(q->s[i]) = s;
        }
}

/* F and D at s, and of each lane max|f - F| with its rounding floor (`rounding_floor`). */
static inline void pysitar_evaluate_lanes(PysitarLaneSystem *q)
{
    PYSITAR_HALVES {
        const pysitar_v4 zero = {0}, one = zero + 1.0;
        pysitar_v4 bound = zero, total = zero, residual = zero, stiffness_term = zero, force_term = zero;
        for (int i = 0; i < q->rows; i++)
            bound += PYSITAR_AT(q->mobility_root[i]) * PYSITAR_ABS(PYSITAR_AT(q->f[i]));
        for (int i = 0; i < q->rows; i++) {
            const pysitar_v4 k = PYSITAR_AT(q->half[i]), g = PYSITAR_AT(q->rate[i]), p0 = PYSITAR_AT(q->p0[i]);
            const pysitar_v4 s = PYSITAR_AT(q->s[i]), p1 = PYSITAR_AT(q->e[i]) - s, h = p1 - p0;
            const pysitar_m4 in0 = p0 > zero, in1 = p1 > zero;
            const pysitar_v4 a = PYSITAR_WHERE(in0, p0, zero), b = PYSITAR_WHERE(in1, p1, zero);
            const pysitar_v4 quotient = (b - a) / PYSITAR_WHERE(h != zero, h, one), r = PYSITAR_WHERE(in0 & in1, one, quotient);
            const pysitar_v4 d = k * PYSITAR_WHERE(in1, r * (2.0 - r), r * r) + 2.0 * k * g * b
                + (PYSITAR_AT(q->spring[i]) + PYSITAR_AT(q->drag[i]));
            const pysitar_v4 law = k * (a + b) * r * (1.0 + g * h) + PYSITAR_AT(q->spring[i]) * (p0 + p1) + PYSITAR_AT(q->drag[i]) * h;
            const pysitar_m4 pulls = (PYSITAR_AT(q->clamp[i]) > zero) & (law < zero);
            const pysitar_v4 force = PYSITAR_WHERE(pulls, zero, law), slope = PYSITAR_WHERE(pulls, zero, d);
            const pysitar_v4 value = PYSITAR_ABS(PYSITAR_AT(q->f[i]) - force), size = PYSITAR_ABS(force);
            const pysitar_v4 term = slope * (PYSITAR_ABS(p0) + PYSITAR_ABS(s) + PYSITAR_AT(q->mobility_root[i]) * bound);
            PYSITAR_AT(q->law_force[i]) = force;
            PYSITAR_AT(q->slope[i]) = slope;
            total += value;                                 /* a maximum loses a NaN, a sum keeps it */
            residual = PYSITAR_MAX(value, residual);
            stiffness_term = PYSITAR_MAX(term, stiffness_term);
            force_term = PYSITAR_MAX(size, force_term);
        }
        PYSITAR_AT(q->residual) = PYSITAR_WHERE(total == total, residual, total);
        PYSITAR_AT(q->residual_floor) = 4.0 * (8e-16 * stiffness_term + 4e-16 * force_term);
    }
}

/* One Gauss-Seidel sweep of each lane for an increment x (m) of the bridge displacement: each row's
   force with the others fixed, by the closed forms of `unit_exponent_step` and `linear_step`. They
   are only a guess: cancellation does not matter, and the damping of a contact that begins in this
   step acts on its undamped motion. */
static inline void pysitar_sweep_lanes(PysitarLaneSystem *q, double x)
{
    for (int i = 0; i < q->rows; i++)
        PYSITAR_HALVES {
            const pysitar_v4 zero = {0}, w = PYSITAR_AT(q->w[i][i]), p0 = PYSITAR_AT(q->p0[i]), g = PYSITAR_AT(q->rate[i]);
            const pysitar_v4 half = PYSITAR_AT(q->half[i]), gain = w * half, square = p0 * p0;
            const pysitar_v4 linear = PYSITAR_AT(q->spring[i]) + PYSITAR_AT(q->drag[i]);
            pysitar_v4 e = PYSITAR_AT(q->e[i]) - PYSITAR_AT(q->u[i]) - PYSITAR_AT(q->bridge_weight[i]) * x;
            for (int j = 0; j < q->rows; j++)
                if (j != i)
                    e -= PYSITAR_AT(q->w[i][j]) * PYSITAR_AT(q->f[j]);
            const pysitar_v4 stays = gain * p0 * (1.0 - g * p0) - e;    /* below 0: p1 above 0 */
            const pysitar_m4 in0 = p0 > zero, both = in0 & (stays < zero), leaves = in0 & ~both, enters = ~in0 & (e > zero);
            const pysitar_v4 b = PYSITAR_WHERE(leaves, p0 - e - gain * g * square, e + p0);
            const pysitar_v4 product = PYSITAR_WHERE(leaves, 4.0 * gain * square, -4.0 * (1.0 + gain) * e * p0);
            const pysitar_v4 radicand = PYSITAR_WHERE(both, (1.0 + gain) * (1.0 + gain) - 4.0 * gain * g * stays, b * b + product);
            double root[4];
            *(pysitar_v4 *)root = PYSITAR_WHERE(radicand > zero, radicand, zero);
            for (int k = 0; k < 4; k++)
                root[k] = __builtin_sqrt(root[k]);
            const pysitar_v4 r = PYSITAR_LOAD(root), large = b + r, small = r - b;
            const pysitar_v4 top = PYSITAR_WHERE(both, -2.0 * stays, PYSITAR_WHERE(b >= zero, large, product));
            const pysitar_v4 factor = PYSITAR_WHERE(leaves, zero + 2.0, 2.0 * (1.0 + gain));
            const pysitar_v4 bottom = PYSITAR_WHERE(both, 1.0 + gain + r, factor * PYSITAR_WHERE(b >= zero, zero + 1.0, small));
            const pysitar_v4 p1 = top / PYSITAR_WHERE(bottom > zero, bottom, zero + 1.0);       /* of `leaves`: p0 - p1 */
            const pysitar_v4 way = PYSITAR_WHERE(leaves, p1, p1 - p0);
            const pysitar_v4 quotient = PYSITAR_WHERE(leaves, square, p1 * p1) / PYSITAR_WHERE(way > zero, way, zero + 1.0);
            const pysitar_v4 change = PYSITAR_WHERE(leaves, -way, p1 - p0);
            pysitar_v4 force = half * PYSITAR_WHERE(both, p0 + p1, quotient) * (1.0 + g * change);
            force = PYSITAR_WHERE(both | leaves | enters, force, zero);
            force = PYSITAR_WHERE((PYSITAR_AT(q->clamp[i]) > zero) & (force < zero), zero, force);
            PYSITAR_AT(q->f[i]) = force + (linear * e + (PYSITAR_AT(q->spring[i]) - PYSITAR_AT(q->drag[i])) * p0) / (1.0 + w * linear);
        }
}

#define PYSITAR_ALL(mask) (((mask)[0] & (mask)[1] & (mask)[2] & (mask)[3]) != 0)

/* 1 if every lane has a residual at which to stop (`should_stop`), or had one and is at its floor:
   round-off moves them all, and they would rarely stop at once. */
static inline int pysitar_lanes_stop(PysitarLaneSystem *q)
{
    pysitar_m4 all = {-1, -1, -1, -1};
    PYSITAR_HALVES {
        const pysitar_v4 zero = {0}, one = zero + 1.0, r = PYSITAR_AT(q->residual), floor = PYSITAR_AT(q->residual_floor);
        const pysitar_m4 stop = (r <= floor / 16.0) | (r <= PYSITAR_AT(q->tolerance)) | (r != r)
            | ((r <= floor) & ((r > 0.25 * PYSITAR_AT(q->last_residual)) | (PYSITAR_AT(q->is_solved) > zero)));
        PYSITAR_AT(q->is_solved) = PYSITAR_WHERE(stop, one, zero);
        all &= stop;
    }
    return PYSITAR_ALL(all);
}

/* 1 if every residual is at most its floor or its tolerance. */
static inline int pysitar_lanes_converged(const PysitarLaneSystem *q)
{
    pysitar_m4 all = {-1, -1, -1, -1};
    PYSITAR_HALVES {
        const pysitar_v4 r = PYSITAR_AT(q->residual);
        all &= (r <= PYSITAR_AT(q->residual_floor)) | (r <= PYSITAR_AT(q->tolerance));
    }
    return PYSITAR_ALL(all);
}

/* Newton's forces by L D L^T of A = W + 1/D on the rows with D > 0: `newton` without the bridge's
   response, and `response` = A^-1 e; adds their sums e . newton and e . response. */
static inline __attribute__((always_inline)) void pysitar_factor_lanes(PysitarLaneSystem *q, const int rows, double *force,
                                                                       double *response)
{
    pysitar_v4 force_sum = {0}, response_sum = {0};
    PYSITAR_HALVES {
        const pysitar_v4 zero = {0}, one = zero + 1.0;
        pysitar_v4 a[PYSITAR_LANE_ROWS], b[PYSITAR_LANE_ROWS], r[PYSITAR_LANE_ROWS], t[PYSITAR_LANE_ROWS];
        pysitar_v4 lower[PYSITAR_LANE_ROWS][PYSITAR_LANE_ROWS], product[PYSITAR_LANE_ROWS], inverse[PYSITAR_LANE_ROWS];
        for (int i = 0; i < rows; i++) {
            const pysitar_v4 d = PYSITAR_AT(q->slope[i]);
            a[i] = PYSITAR_WHERE(d > zero, one, zero);
            b[i] = 1.0 / PYSITAR_WHERE(d > zero, d, one);
            r[i] = (PYSITAR_AT(q->law_force[i]) * b[i] + (PYSITAR_AT(q->s[i]) - PYSITAR_AT(q->u[i]))) * a[i];
            t[i] = PYSITAR_AT(q->bridge_weight[i]) * a[i];
        }
        for (int i = 0; i < rows; i++) {
            pysitar_v4 pivot = PYSITAR_AT(q->w[i][i]) * a[i] + b[i];
            for (int j = 0; j < i; j++) {
                pysitar_v4 value = PYSITAR_AT(q->w[i][j]) * (a[i] * a[j]);
                for (int k = 0; k < j; k++)
                    value -= lower[j][k] * product[k];
                product[j] = value;
                lower[i][j] = value * inverse[j];
                pivot -= lower[i][j] * value;
            }
            /* W is semidefinite, so apart from round-off a pivot is at least 1/D */
            inverse[i] = 1.0 / PYSITAR_MAX(pivot, b[i]);
            for (int k = 0; k < i; k++) {
                r[i] -= lower[i][k] * r[k];
                t[i] -= lower[i][k] * t[k];
            }
        }
        for (int i = rows - 1; i >= 0; i--) {
            r[i] *= inverse[i];
            t[i] *= inverse[i];
            for (int k = i + 1; k < rows; k++) {
                r[i] -= lower[k][i] * r[k];
                t[i] -= lower[k][i] * t[k];
            }
        }
        for (int i = 0; i < rows; i++) {
            const pysitar_v4 e = PYSITAR_AT(q->bridge_weight[i]);
            PYSITAR_AT(q->newton[i]) = r[i];
            PYSITAR_AT(q->response[i]) = t[i];
            force_sum += e * r[i];
            response_sum += e * t[i];
        }
    }
    *force += PYSITAR_FOLD(force_sum);
    *response += PYSITAR_FOLD(response_sum);
}

static inline void pysitar_find_lane_forces(PysitarLaneSystem *q, double *force, double *response)
{
    if (q->rows == 1)
        pysitar_factor_lanes(q, 1, force, response);
    else if (q->rows == 2)
        pysitar_factor_lanes(q, 2, force, response);
    else if (q->rows == 3)
        pysitar_factor_lanes(q, 3, force, response);
    else if (q->rows == 4)
        pysitar_factor_lanes(q, 4, force, response);
    else
        pysitar_factor_lanes(q, q->rows, force, response);
}

/* Begin a line search at f and s, and set f to Newton's, for an increment (m) of the bridge
   displacement. */
static inline void pysitar_begin_lane_search(PysitarLaneSystem *q, double increment)
{
    PYSITAR_HALVES {
        PYSITAR_AT(q->last_residual) = PYSITAR_AT(q->residual);
        for (int i = 0; i < q->rows; i++) {
            const pysitar_v4 f = PYSITAR_AT(q->newton[i]) - PYSITAR_AT(q->response[i]) * increment;
            PYSITAR_AT(q->f_start[i]) = PYSITAR_AT(q->f[i]);
            PYSITAR_AT(q->s_start[i]) = PYSITAR_AT(q->s[i]);
            PYSITAR_AT(q->delta_f[i]) = f - PYSITAR_AT(q->f[i]);
            PYSITAR_AT(q->f[i]) = f;
        }
    }
}

/* Keep the change of s in a Newton step, and the slope of each lane's objective at its start, J. */
static inline void pysitar_keep_lane_change(PysitarLaneSystem *q)
{
    PYSITAR_HALVES {
        pysitar_v4 slope = {0};
        for (int i = 0; i < q->rows; i++) {
            const pysitar_v4 change = PYSITAR_AT(q->s[i]) - PYSITAR_AT(q->s_start[i]);
            PYSITAR_AT(q->delta_s[i]) = change;
            slope += change * (PYSITAR_AT(q->f_start[i]) - PYSITAR_AT(q->law_force[i]));
        }
        PYSITAR_AT(q->start_slope) = slope;
        PYSITAR_AT(q->length) = (pysitar_v4){1.0, 1.0, 1.0, 1.0};
    }
}

/* Shorten the Newton step of lanes whose objective's slope has not halved; 1 if there are any. */
static inline int pysitar_shorten_lanes(PysitarLaneSystem *q)
{
    pysitar_m4 any = {0};
    PYSITAR_HALVES {
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
        PYSITAR_AT(q->length) = next;
        for (int i = 0; i < q->rows; i++) {
            const pysitar_v4 f = PYSITAR_AT(q->f_start[i]) + next * PYSITAR_AT(q->delta_f[i]);
            const pysitar_v4 s = PYSITAR_AT(q->s_start[i]) + next * PYSITAR_AT(q->delta_s[i]);
            PYSITAR_AT(q->f[i]) = PYSITAR_WHERE(is_long, f, PYSITAR_AT(q->f[i]));
            PYSITAR_AT(q->s[i]) = PYSITAR_WHERE(is_long, s, PYSITAR_AT(q->s[i]));
        }
        any |= is_long;
    }
    return ((any[0] | any[1]) | (any[2] | any[3])) != 0;
}
#endif
