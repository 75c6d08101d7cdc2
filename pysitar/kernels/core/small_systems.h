/* Systems of up to four contact rows of one string, a row in each lane: contact/small_system.pxd. Lanes
   beyond the rows of a system have no force. */
#ifndef PYSITAR_SMALL_SYSTEMS_H
#define PYSITAR_SMALL_SYSTEMS_H
#include "unit_rows.h"

typedef struct {
    double w[16];                                       /* W, m/N */
    double mobility_root[4];                            /* square roots of the diagonal of W, (m/N)^(1/2) */
    double p0[4], e[4], u[4], s[4];                     /* m */
    double f[4], law_force[4];                          /* N */
    double slope[4];                                    /* D, N/m */
    double half[4], rate[4], spring[4], drag[4], clamp[4];      /* as `pysitar_unit_law` */
    int rows;                                           /* in use */
} PysitarSmallSystem;

/* s = u + W f, W symmetric. */
static inline void pysitar_displace_small(PysitarSmallSystem *q)
{
    const double *w = q->w, *f = q->f;
    *(pysitar_v4 *)q->s = PYSITAR_LOAD(q->u) + ((PYSITAR_LOAD(w) * f[0] + PYSITAR_LOAD(w + 8) * f[2])
                                                + (PYSITAR_LOAD(w + 4) * f[1] + PYSITAR_LOAD(w + 12) * f[3]));
}

/* F and D at s; returns max|f - F| and the terms of its rounding floor. */
static inline double pysitar_evaluate_small(PysitarSmallSystem *q, double *stiffness_term, double *force_term)
{
    const pysitar_v4 f = PYSITAR_LOAD(q->f), p0 = PYSITAR_LOAD(q->p0), s = PYSITAR_LOAD(q->s), root = PYSITAR_LOAD(q->mobility_root);
    const pysitar_v4 bounds = root * PYSITAR_ABS(f);
    PysitarResiduals residuals = {{0}, {0}, {0}, {0}};
    pysitar_v4 force, slope;
    pysitar_unit_law(PYSITAR_LOAD(q->half), PYSITAR_LOAD(q->rate), PYSITAR_LOAD(q->spring), PYSITAR_LOAD(q->drag),
                     PYSITAR_LOAD(q->clamp), p0, PYSITAR_LOAD(q->e) - s, &force, &slope);
    *(pysitar_v4 *)q->law_force = force;
    *(pysitar_v4 *)q->slope = slope;
    pysitar_add_residuals(&residuals, f, force, slope, p0, s, root, PYSITAR_FOLD(bounds));
    return pysitar_greatest_residual(&residuals, stiffness_term, force_term);
}

#define PYSITAR_LANE(member, i) (((const double *)&(member))[i])

/* One Gauss-Seidel sweep: the force of each row from the others'. A row waits for the one before, whose
   force its sum takes last. */
static inline void pysitar_sweep_small(PysitarSmallSystem *q)
{
    const pysitar_v4 own = {q->w[0], q->w[5], q->w[10], q->w[15]};
    const PysitarUndampedRows r = pysitar_undamped_rows(own, PYSITAR_LOAD(q->half), PYSITAR_LOAD(q->spring), PYSITAR_LOAD(q->drag),
                                                        PYSITAR_LOAD(q->p0));
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        if (i >= q->rows)
            break;
        double x = q->e[i] - q->u[i];
        for (int j = i + 1; j < 4; j++)
            x -= q->w[4 * i + j] * q->f[j];
        for (int j = 0; j < i; j++)
            x -= q->w[4 * i + j] * q->f[j];
        const double t = q->p0[i] - PYSITAR_LANE(r.sign, i) * x, positive = x > 0.0 ? x : 0.0;
        const double root = __builtin_sqrt(t * t + (PYSITAR_LANE(r.constant, i) + PYSITAR_LANE(r.growth, i) * positive));
        const double curved = PYSITAR_LANE(r.base, i) + PYSITAR_LANE(r.factor_of_root, i) * (t + root);
        const double straight = (x - PYSITAR_LANE(r.shift, i)) * PYSITAR_LANE(r.gain, i);
        const double p1 = PYSITAR_LANE(r.sign, i) * x >= PYSITAR_LANE(r.threshold, i) ? straight : curved;
        q->f[i] = pysitar_maximum((x - p1) * PYSITAR_LANE(r.inverse_own, i), PYSITAR_LANE(r.least, i));
    }
}
#endif
