/* Passes over modes and rows of a string on a common bridge (modal/bridge.pxd), each of which reads
   its vectors once: they fill more than the first cache, and the time of a pass is that of its
   loads. Sums have eight accumulators, folded as in lanes.pxd; n is a multiple of 8, or of 4 for
   rows. */
#ifndef PYSITAR_LINK_PASSES_H
#define PYSITAR_LINK_PASSES_H
#include "simd.h"

#define PYSITAR_PUT(p) (*(pysitar_v4 *)(p))
#define PYSITAR_FOUR_MODES for (int h = 0; h < 8; h += 4)

/* The vectors of a string's modes. */
typedef struct {
    const double *a, *twice_c, *inertia, *mobility, *loss;
    double *y, *q, *drift;
} PysitarLinkModes;

/* Finish a step of the modes, s = u + mobility (inertia z + sum f v) of `count` rows v, y += s, q = s - q.
   If `begins`, begin the next one: its drift u = 2 C (q - A y), and the sum of inertia (2 q - u) in
   `momentum` (kg m). Returns the energy dissipated by the modes, J. */
static inline __attribute__((always_inline)) double pysitar_finish_modes(const PysitarLinkModes *m, const int count,
                                                                         const double *const *v, const double *f, double z,
                                                                         const int begins, double *momentum, ptrdiff_t n)
{
    pysitar_v4 lost[2] = {{0}, {0}}, moved[2] = {{0}, {0}};
    double *const y = m->y, *const q = m->q, *const drift = m->drift;
    const double *const mobility = m->mobility, *const loss = m->loss;
    const double *const a = m->a, *const twice_c = m->twice_c, *const inertia = m->inertia;
    const double *rows[4];
    double forces[4];
    for (int j = 0; j < count; j++) {
        rows[j] = v[j];
        forces[j] = f[j];
    }
    for (ptrdiff_t i = 0; i < n; i += 8)
        PYSITAR_FOUR_MODES {
            const ptrdiff_t k = i + h;
            const pysitar_v4 mass = PYSITAR_LOAD(inertia + k);
            pysitar_v4 push = z * mass;
            for (int j = 0; j < count; j++)
                push += forces[j] * PYSITAR_LOAD(rows[j] + k);
            pysitar_v4 s = PYSITAR_LOAD(drift + k) + PYSITAR_LOAD(mobility + k) * push;
            const pysitar_v4 yk = PYSITAR_LOAD(y + k) + s, qk = s - PYSITAR_LOAD(q + k);
            PYSITAR_PUT(y + k) = yk;
            PYSITAR_PUT(q + k) = qk;
            lost[h / 4] += PYSITAR_LOAD(loss + k) * s * s;
            if (begins) {
                const pysitar_v4 u = PYSITAR_LOAD(twice_c + k) * (qk - PYSITAR_LOAD(a + k) * yk);
                moved[h / 4] += mass * (2.0 * qk - u);
                s = u;
            }
            PYSITAR_PUT(drift + k) = s;
        }
    const pysitar_v4 total = lost[0] + lost[1], sum = moved[0] + moved[1];
    if (begins)
        *momentum = PYSITAR_FOLD(sum);
    return PYSITAR_FOLD(total);
}

static inline double pysitar_move_link(const PysitarLinkModes *m, int count, const double *const *v, const double *f, double z,
                                       int begins, double *momentum, ptrdiff_t n)
{
#define PYSITAR_MOVE(count) \
    (begins ? pysitar_finish_modes(m, count, v, f, z, 1, momentum, n) : pysitar_finish_modes(m, count, v, f, z, 0, momentum, n))
    switch (count) {
    case 0: return PYSITAR_MOVE(0);
    case 1: return PYSITAR_MOVE(1);
    case 2: return PYSITAR_MOVE(2);
    case 3: return PYSITAR_MOVE(3);
    default: return PYSITAR_MOVE(4);
    }
#undef PYSITAR_MOVE
}

/* Begin a step: the drift u = 2 C (q - A y); returns the sum of inertia (2 q - u), kg m. */
static inline double pysitar_begin_modes(const PysitarLinkModes *m, ptrdiff_t n)
{
    pysitar_v4 moved[2] = {{0}, {0}};
    for (ptrdiff_t i = 0; i < n; i += 8)
        PYSITAR_FOUR_MODES {
            const ptrdiff_t k = i + h;
            const pysitar_v4 q = PYSITAR_LOAD(m->q + k);
            const pysitar_v4 u = PYSITAR_LOAD(m->twice_c + k) * (q - PYSITAR_LOAD(m->a + k) * PYSITAR_LOAD(m->y + k));
            moved[h / 4] += PYSITAR_LOAD(m->inertia + k) * (2.0 * q - u);
            PYSITAR_PUT(m->drift + k) = u;
        }
    const pysitar_v4 sum = moved[0] + moved[1];
    return PYSITAR_FOLD(sum);
}

/* u of all rows for z = 0, and e: drift - weight z + shape 2 Q, p_before + shift. */
static inline void pysitar_begin_rows(const double *drift, const double *weight, double z, const double *shape,
                                      double twice_bridge_q, const double *p_before, const double *shift, double *free_drift,
                                      double *p_free, ptrdiff_t n)
{
    for (ptrdiff_t k = 0; k < n; k += 4) {
        PYSITAR_PUT(free_drift + k) = PYSITAR_LOAD(drift + k) - PYSITAR_LOAD(weight + k) * z
            + PYSITAR_LOAD(shape + k) * twice_bridge_q;
        PYSITAR_PUT(p_free + k) = PYSITAR_LOAD(p_before + k) + PYSITAR_LOAD(shift + k);
    }
}

/* p_before = p_after and no shift, without the calls of memcpy and memset that the compiler makes of
   such loops. */
static inline void pysitar_end_rows(double *p_before, const double *p_after, double *shift, ptrdiff_t n)
{
    const pysitar_v4 zero = {0};
    for (ptrdiff_t k = 0; k < n; k += 4) {
        PYSITAR_PUT(p_before + k) = PYSITAR_LOAD(p_after + k);
        PYSITAR_PUT(shift + k) = zero;
        __asm__ volatile("" ::: "memory");
    }
}
#endif
