/* A part of lane_systems.h, which includes it twice: with the loops over a constant number of rows
   unrolled, so that none has a number of turns that changes, and as they are written, for any number.
   PYSITAR_FACTOR is the name of the function, PYSITAR_UNROLL what stands before its loops. */
/* Newton's forces by L D L^T of A = W + 1/D on the rows with D > 0: `newton` without the bridge's
   response, and `response` = A^-1 e; sets their sums e . newton and e . response. */
static inline __attribute__((always_inline)) void PYSITAR_FACTOR(PysitarLaneSystem *q, const int rows, int unused)
{
    pysitar_v4 force_sum = {0}, response_sum = {0};
    (void)unused;
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
    PYSITAR_UNROLL for (int i = 0; i < rows; i++) {
        pysitar_v4 pivot = PYSITAR_AT(q->w[i][i]) * a[i] + b[i];
        PYSITAR_UNROLL for (int j = 0; j < i; j++) {
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
    PYSITAR_UNROLL for (int i = rows - 1; i >= 0; i--) {
        r[i] *= inverse[i];
        t[i] *= inverse[i];
        for (int k = rows - 1; k > i; k--) {    /* the last one known is taken last */
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
    q->force = PYSITAR_FOLD(force_sum);
    q->bridge_response = PYSITAR_FOLD(response_sum);
}
