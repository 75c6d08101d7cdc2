/* Passes over the rows of a string on a common bridge (modal/bridge.pxd); n is a multiple of 4. */
#ifndef PYSITAR_LINK_PASSES_H
#define PYSITAR_LINK_PASSES_H
#include "mode_passes.h"

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

/* p_before = p_after and no shift. */
static inline void pysitar_end_rows(double *p_before, const double *p_after, double *shift, ptrdiff_t n)
{
    const pysitar_v4 zero = {0};
    for (ptrdiff_t k = 0; k < n; k += 4) {
        PYSITAR_PUT(p_before + k) = PYSITAR_LOAD(p_after + k);
        PYSITAR_PUT(shift + k) = zero;
    }
}
#endif
