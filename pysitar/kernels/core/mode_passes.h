/* Passes over the modes of a string (modal/two_point.pxd, three_point.pxd, bridge.pxd), each of which reads its vectors
   once: of many strings they fill more than the first cache, and the time of a pass is that of its loads.
   Sums have eight accumulators, folded as in lanes.pxd; n is a multiple of 8. */
#ifndef PYSITAR_MODE_PASSES_H
#define PYSITAR_MODE_PASSES_H
#include "simd.h"

#define PYSITAR_PUT(p) (*(pysitar_v4 *)(p))
#define PYSITAR_FOUR_MODES for (int h = 0; h < 8; h += 4)

/* The vectors of the modes of a string or body: A and 2 C of two points of time, G and C of three; `inertia`
   (kg) couples them to a bridge. */
typedef struct {
    const double *restoring, *factor, *inertia, *mobility, *loss;
    double *y, *q, *drift;
} PysitarModes;

/* The drift u of a step: 2 C (q - A y) with two points of time, C q - G y with three. */
#define PYSITAR_FREE_DRIFT(restoring, factor, y, q, points) \
    ((points) == 2 ? (factor) * ((q) - (restoring) * (y)) : (factor) * (q) - (restoring) * (y))

/* Finish a step of the modes, s = u + mobility (inertia z + sum f v) of `count` rows v, q = s - q, y += s with
   two `points` of time or y += q with three. If `begins`, begin the next one: its drift u. If not `coupled`,
   there is no inertia, or else `momentum` (kg m) becomes the sum of inertia (2 q - u) as the next step begins.
   Returns the energy dissipated by the modes, J. */
static inline __attribute__((always_inline)) double pysitar_finish_modes(const PysitarModes *m, const int count,
                                                                         const double *const *v, const double *f, double z,
                                                                         const int points, const int coupled, const int begins,
                                                                         double *momentum, ptrdiff_t n)
{
    const pysitar_v4 zero = {0};
    pysitar_v4 lost[2] = {{0}, {0}}, moved[2] = {{0}, {0}};
    double *const y = m->y, *const q = m->q, *const drift = m->drift;
    const double *const mobility = m->mobility, *const loss = m->loss;
    const double *const restoring = m->restoring, *const factor = m->factor, *const inertia = m->inertia;
    const double *rows[4];
    double forces[4];
    for (int j = 0; j < count; j++) {
        rows[j] = v[j];
        forces[j] = f[j];
    }
    for (ptrdiff_t i = 0; i < n; i += 8)
        PYSITAR_FOUR_MODES {
            const ptrdiff_t k = i + h;
            pysitar_v4 mass = zero, push = zero;
            if (coupled) {
                mass = PYSITAR_LOAD(inertia + k);
                push = z * mass;
            }
            for (int j = 0; j < count; j++)
                push += forces[j] * PYSITAR_LOAD(rows[j] + k);
            pysitar_v4 s = PYSITAR_LOAD(drift + k);
            if (coupled || count)
                s += PYSITAR_LOAD(mobility + k) * push;
            const pysitar_v4 qk = s - PYSITAR_LOAD(q + k), yk = PYSITAR_LOAD(y + k) + (points == 2 ? s : qk);
            PYSITAR_PUT(y + k) = yk;
            PYSITAR_PUT(q + k) = qk;
            lost[h / 4] += PYSITAR_LOAD(loss + k) * s * s;
            if (begins) {
                const pysitar_v4 u = PYSITAR_FREE_DRIFT(PYSITAR_LOAD(restoring + k), PYSITAR_LOAD(factor + k), yk, qk, points);
                if (coupled)
                    moved[h / 4] += mass * (2.0 * qk - u);
                s = u;
            }
            PYSITAR_PUT(drift + k) = s;
        }
    const pysitar_v4 total = lost[0] + lost[1], sum = moved[0] + moved[1];
    if (coupled && begins)
        *momentum = PYSITAR_FOLD(sum);
    return PYSITAR_FOLD(total);
}

#define PYSITAR_FINISH_MODES(count, points, coupled) \
    (begins ? pysitar_finish_modes(m, count, v, f, z, points, coupled, 1, momentum, n) \
            : pysitar_finish_modes(m, count, v, f, z, points, coupled, 0, momentum, n))
#define PYSITAR_FINISH_BY_COUNT(points, coupled) \
    switch (count) { \
    case 0: return PYSITAR_FINISH_MODES(0, points, coupled); \
    case 1: return PYSITAR_FINISH_MODES(1, points, coupled); \
    case 2: return PYSITAR_FINISH_MODES(2, points, coupled); \
    case 3: return PYSITAR_FINISH_MODES(3, points, coupled); \
    default: return PYSITAR_FINISH_MODES(4, points, coupled); \
    }

/* The same for up to four rows and modes on a bridge, two points of time. */
static inline double pysitar_move_coupled_modes(const PysitarModes *m, int count, const double *const *v, const double *f, double z,
                                                int begins, double *momentum, ptrdiff_t n)
{
    PYSITAR_FINISH_BY_COUNT(2, 1)
}

/* The same without a bridge. */
static inline __attribute__((always_inline)) double pysitar_move_modes(const PysitarModes *m, int count, const double *const *v,
                                                                       const double *f, const int points, int begins, ptrdiff_t n)
{
    double *const momentum = NULL;
    const double z = 0.0;
    PYSITAR_FINISH_BY_COUNT(points, 0)
}

/* Begin a step: the drift u. Returns the sum of inertia (2 q - u), kg m, 0 if not `coupled`. */
static inline __attribute__((always_inline)) double pysitar_begin_modes(const PysitarModes *m, const int points, const int coupled,
                                                                        ptrdiff_t n)
{
    pysitar_v4 moved[2] = {{0}, {0}};
    for (ptrdiff_t i = 0; i < n; i += 8)
        PYSITAR_FOUR_MODES {
            const ptrdiff_t k = i + h;
            const pysitar_v4 q = PYSITAR_LOAD(m->q + k);
            const pysitar_v4 u = PYSITAR_FREE_DRIFT(PYSITAR_LOAD(m->restoring + k), PYSITAR_LOAD(m->factor + k),
                                                    PYSITAR_LOAD(m->y + k), q, points);
            if (coupled)
                moved[h / 4] += PYSITAR_LOAD(m->inertia + k) * (2.0 * q - u);
            PYSITAR_PUT(m->drift + k) = u;
        }
    const pysitar_v4 sum = moved[0] + moved[1];
    return PYSITAR_FOLD(sum);
}
#endif
