/* Elementary functions of doubles from + - * / and sqrt alone: the same bits with any C library,
   and on every CPU, with FMA or without. Each is within 1 unit in the last place of the exact value
   (tests/kernels/core/test_elementary.py), with the special values of C99; the CPU rounds to nearest.

   A number is often a sum of two doubles, its head and a tail. `split_head` keeps 26 bits, so that
   the product of two heads is exact. The build forbids fusing a product with a sum. The tables and
   coefficients come from tests/twins/elementary_tables.py. */
#ifndef PYSITAR_ELEMENTARY_H
#define PYSITAR_ELEMENTARY_H
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "elementary_tables.h"
#include "simd.h"

/* not inlined: one copy in a module keeps the clones of a kernel small */
#define PYSITAR_NOINLINE static __attribute__((noinline, unused))
#define PYSITAR_COLD static __attribute__((noinline, cold, unused))
#define PYSITAR_UNLIKELY(x) __builtin_expect(!!(x), 0)

#define PYSITAR_ROUND_TO_INTEGER 0x1.8p52                         /* adding it rounds to an integer */
#define PYSITAR_SIGN UINT64_C(0x8000000000000000)
#define PYSITAR_LEAST_NORMAL UINT64_C(0x0010000000000000)
#define PYSITAR_INFINITE UINT64_C(0x7ff0000000000000)
#define PYSITAR_ONE UINT64_C(0x3ff0000000000000)
#define PYSITAR_HEAD (~UINT64_C(0x7ffffff))             /* mask of the leading 26 bits */
/* added to the bits of x, it makes octaves begin at 1 + 105/256, the first row of log's table */
#define PYSITAR_LOG_SHIFT UINT64_C(0x0009700000000000)

typedef struct {
    double head, tail;
} pysitar_sum;

static inline uint64_t pysitar_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double pysitar_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef double pysitar_double2 __attribute__((vector_size(16)));
typedef long long pysitar_mask2 __attribute__((vector_size(16)));

/* The leading 26 bits; in a vector, because the compiler would mask them in a general register. */
static inline double pysitar_split_head(double x)
{
    const pysitar_double2 pair = {x, 0.0};
    const pysitar_mask2 mask = {(long long)PYSITAR_HEAD, 0};
    return ((pysitar_double2)((pysitar_mask2)pair & mask))[0];
}

/* a + b exactly, |a| >= |b| or a = 0 */
static inline pysitar_sum pysitar_add_smaller(double a, double b)
{
    const double head = a + b;
    return (pysitar_sum){head, (a - head) + b};
}

/* a + b exactly */
static inline pysitar_sum pysitar_add(double a, double b)
{
    const double head = a + b, of_b = head - a;
    return (pysitar_sum){head, (a - (head - of_b)) + (b - of_b)};
}

/* a * b as head and tail, to twice the precision */
static inline pysitar_sum pysitar_multiply(double a, double b)
{
    const double ah = pysitar_split_head(a), bh = pysitar_split_head(b);
    const double al = a - ah, bl = b - bh, head = a * b;
    return (pysitar_sum){head, ((ah * bh - head) + ah * bl + al * bh) + al * bl};
}

/* k, and power = 2^(i/128) and excess of e^(x + tail) = 2^k power (1 + excess), for |x| < 1100 and
   |tail| < 2^-11 */
static inline int pysitar_exp_parts(double x, double tail, double *power, double *excess)
{
    const double shifted = x * PYSITAR_EXP_STEPS_PER_UNIT + PYSITAR_ROUND_TO_INTEGER;
    const double steps = shifted - PYSITAR_ROUND_TO_INTEGER;
    const int count = (int32_t)(uint32_t)pysitar_bits(shifted);
    const double *row = PYSITAR_EXP_TABLE[count & 127];
    const double r = ((x - steps * PYSITAR_EXP_STEP) - steps * PYSITAR_EXP_STEP_TAIL) + tail;
    const double square = r * r;
    const double low = PYSITAR_EXP_0 + r * PYSITAR_EXP_1, high = PYSITAR_EXP_2 + r * PYSITAR_EXP_3;
    *power = row[0];
    *excess = r + (row[1] + square * (low + square * high));
    return count >> 7;
}

static inline double pysitar_scaled(double x, int exponent)
{
    return pysitar_of_bits(pysitar_bits(x) + ((uint64_t)(int64_t)exponent << 52));
}

/* power (1 + excess) 2^k if it, or its last bits, may leave the range of normal numbers */
PYSITAR_COLD double pysitar_exp_far(double power, double excess, int k)
{
    const int shift = k > 0 ? 600 : -600;
    double scaled;
    if (k < -1100 || k > 1100)
        return k > 0 ? INFINITY : 0.0;
    scaled = pysitar_scaled(power, k - shift);
    return (scaled + scaled * excess) * pysitar_scaled(1.0, shift);
}

/* e^(x + tail), |x| < 1100 */
static inline double pysitar_exp_sum(double x, double tail)
{
    double power, excess, scaled;
    const int k = pysitar_exp_parts(x, tail, &power, &excess);
    if (PYSITAR_UNLIKELY(k < -960 || k > 1022))
        return pysitar_exp_far(power, excess, k);
    scaled = pysitar_scaled(power, k);
    return scaled + scaled * excess;
}

PYSITAR_NOINLINE double pysitar_exp(double x)
{
    if (PYSITAR_UNLIKELY(!(fabs(x) < 1100.0)))
        return x != x ? x + x : x > 0.0 ? INFINITY : 0.0;
    return pysitar_exp_sum(x, 0.0);
}

PYSITAR_NOINLINE double pysitar_expm1(double x)
{
    double power, excess, scaled;
    pysitar_sum sum;
    int k;
    if (fabs(x) < 0.17) {
        const pysitar_sum square = pysitar_multiply(x, x);
        const double z = square.head;
        const double a = PYSITAR_EXPM1_0 + x * PYSITAR_EXPM1_1;
        const double b = PYSITAR_EXPM1_2 + x * PYSITAR_EXPM1_3;
        const double c = PYSITAR_EXPM1_4 + x * PYSITAR_EXPM1_5;
        const double d = PYSITAR_EXPM1_6 + x * PYSITAR_EXPM1_7;
        const double series = (a + z * b) + z * z * (c + z * (d + z * PYSITAR_EXPM1_8));
        if (fabs(x) < 0x1p-60)
            return x;
        sum = pysitar_add_smaller(x, 0.5 * z);
        return sum.head + (sum.tail + (0.5 * square.tail + x * z * series));
    }
    if (!(fabs(x) < 700.0))
        return x < 0.0 ? -1.0 : pysitar_exp(x);
    k = pysitar_exp_parts(x, 0.0, &power, &excess);
    scaled = pysitar_scaled(power, k);
    sum = k >= 0 ? pysitar_add_smaller(scaled, -1.0) : pysitar_add_smaller(-1.0, scaled);
    return sum.head + (sum.tail + scaled * excess);
}

/* ln of (x + more) 2^-shift, x positive, finite and normal; its tail is up to 2^-17 of it */
static inline pysitar_sum pysitar_log_sum(double x, int shift, double more)
{
    const uint64_t moved = pysitar_bits(x) + PYSITAR_LOG_SHIFT;
    const int exponent = (int)(moved >> 52) - 1023;
    const double *row = PYSITAR_LOG_TABLE[(moved >> 45) & 127];
    const double z = pysitar_scaled(x, -exponent);
    const double zh = pysitar_of_bits(pysitar_bits(z) & PYSITAR_HEAD);
    const double k = exponent - shift, c = row[0];
    double r = (zh * c - 1.0) + (z - zh) * c;       /* exact */
    double square, half, rh, series, tail = k * PYSITAR_LN2_TAIL + row[2];
    pysitar_sum sum;
    if (more != 0.0) {
        sum = pysitar_add(r, pysitar_scaled(more, -exponent) * c);
        r = sum.head;
        tail += sum.tail * (1.0 - r);
    }
    square = r * r;
    series = (PYSITAR_LOG_0 + r * PYSITAR_LOG_1)
        + square * ((PYSITAR_LOG_2 + r * PYSITAR_LOG_3)
                    + square * ((PYSITAR_LOG_4 + r * PYSITAR_LOG_5) + square * PYSITAR_LOG_6));
    rh = pysitar_split_head(r);
    half = 0.5 * rh;                    /* r^2/2 = half rh, exact, and (r - rh) (half + r/2) */
    tail += r * square * series - (r - rh) * (half + 0.5 * r);
    sum = pysitar_add_smaller(k * PYSITAR_LN2 + row[1], r);
    tail += sum.tail;
    sum = pysitar_add_smaller(sum.head, -half * rh);
    sum.tail += tail;
    return sum;
}

/* the logarithm of 0, a negative number, infinity or NaN */
PYSITAR_COLD double pysitar_log_special(double x)
{
    if (x == 0.0)
        return -INFINITY;
    return x > 0.0 || x != x ? x + x : NAN;
}

static inline int pysitar_is_normal(double x)
{
    return pysitar_bits(x) - PYSITAR_LEAST_NORMAL < PYSITAR_INFINITE - PYSITAR_LEAST_NORMAL;
}

/* ln x times a factor given as head and tail */
static inline double pysitar_log_times(double x, double factor, double tail)
{
    pysitar_sum log, product;
    int shift = 0;
    if (PYSITAR_UNLIKELY(!pysitar_is_normal(x))) {
        if (!(x > 0.0 && x < INFINITY))
            return pysitar_log_special(x);
        x *= 0x1p54;
        shift = 54;
    }
    log = pysitar_log_sum(x, shift, 0.0);
    if (factor == 1.0)
        return log.head + log.tail;
    product = pysitar_multiply(log.head, factor);
    return product.head + (product.tail + (log.head * tail + log.tail * factor));
}

PYSITAR_NOINLINE double pysitar_log(double x)
{
    return pysitar_log_times(x, 1.0, 0.0);
}

PYSITAR_NOINLINE double pysitar_log2(double x)
{
    return pysitar_log_times(x, PYSITAR_LOG2_E, PYSITAR_LOG2_E_TAIL);
}

PYSITAR_NOINLINE double pysitar_log10(double x)
{
    return pysitar_log_times(x, PYSITAR_LOG10_E, PYSITAR_LOG10_E_TAIL);
}

PYSITAR_NOINLINE double pysitar_log1p(double x)
{
    pysitar_sum sum;
    if (fabs(x) < 0x1p-54)
        return x;
    if (!(x > -1.0 && x < 0x1p60))
        return pysitar_log(1.0 + x);
    sum = x < 1.0 ? pysitar_add_smaller(1.0, x) : pysitar_add_smaller(x, 1.0);
    sum = pysitar_log_sum(sum.head, 0, sum.tail);
    return sum.head + sum.tail;
}

/* 1 for an odd integer, 2 for an even integer, 0 for any other number */
static inline int pysitar_parity(double y)
{
    const int exponent = (int)(pysitar_bits(y) >> 52 & 0x7ff) - 1023;
    uint64_t unit;
    if (exponent < 0)
        return y == 0.0 ? 2 : 0;
    if (exponent > 52)
        return 2;
    unit = UINT64_C(1) << (52 - exponent);
    if (pysitar_bits(y) & (unit - 1))
        return 0;
    return (exponent == 0 || pysitar_bits(y) & unit) ? 1 : 2;
}

/* e^(head + tail) for any head, |tail| up to 2^-17 |head| */
PYSITAR_NOINLINE double pysitar_exp_wide(double head, double tail)
{
    pysitar_sum sum;
    if (!(fabs(head) < 1000.0))
        return head > 0.0 ? INFINITY : 0.0;
    sum = pysitar_add_smaller(head, tail);
    return pysitar_exp_sum(sum.head, sum.tail);
}

/* (x 2^-shift)^y for a positive normal x */
static inline double pysitar_pow_sum(double x, int shift, double y)
{
    const pysitar_sum log = pysitar_log_sum(x, shift, 0.0);
    const double yh = pysitar_split_head(y), lh = pysitar_split_head(log.head), head = yh * lh;
    const double tail = (y - yh) * lh + y * ((log.head - lh) + log.tail);
    double power, excess;
    int k;
    if (PYSITAR_UNLIKELY(!(fabs(head) < 64.0)))
        return pysitar_exp_wide(head, tail);
    k = pysitar_exp_parts(head, tail, &power, &excess);
    power = pysitar_scaled(power, k);
    return power + power * excess;
}

PYSITAR_COLD double pysitar_pow_special(double x, double y)
{
    const double size = fabs(x);
    const int parity = pysitar_parity(y);
    double sign = 1.0;
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (x != x || y != y)
        return x + y;
    if (fabs(y) == INFINITY)
        return size == 1.0 ? 1.0 : (size > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    if (pysitar_bits(x) & PYSITAR_SIGN) {
        if (parity == 0 && size != 0.0 && size != INFINITY)
            return NAN;
        sign = parity == 1 ? -1.0 : 1.0;
    }
    if (size == 0.0 || size == INFINITY)
        return sign * ((size == 0.0) == (y < 0.0) ? INFINITY : 0.0);
    if (!pysitar_is_normal(size))
        return sign * pysitar_pow_sum(size * 0x1p54, 54, y);
    return sign * pysitar_pow_sum(size, 0, y);
}

PYSITAR_NOINLINE PYSITAR_CLONES double pysitar_pow(double x, double y)
{
    if (PYSITAR_UNLIKELY(!pysitar_is_normal(x) || !(fabs(y) < INFINITY)))
        return pysitar_pow_special(x, y);
    return pysitar_pow_sum(x, 0, y);
}

/* `pysitar_reduce` from 2^20 up to the largest double, by a 256-bit integer product */
PYSITAR_COLD int pysitar_reduce_far(double x, pysitar_sum *rest)
{
    const uint64_t bits = pysitar_bits(x);
    const int power = (int)(bits >> 52 & 0x7ff) - 1075 + 62;    /* |x| = whole 2^(power - 62) */
    const uint64_t whole = (bits & (PYSITAR_LEAST_NORMAL - 1)) | PYSITAR_LEAST_NORMAL;
    const uint64_t *words = PYSITAR_TWO_OVER_PI + power / 64;
    const int up = power % 64;
    uint64_t product[4], carry = 0, first, second;
    int quarter, negative, i, zeros;
    double sign = bits & PYSITAR_SIGN ? -1.0 : 1.0, scale;
    pysitar_sum fraction, found;
    for (i = 3; i >= 0; i--) {                  /* |x| 2/pi mod 4, in units of 2^(up - 254) */
        const unsigned __int128 part = (unsigned __int128)whole * words[i] + carry;
        product[i] = (uint64_t)part;
        carry = (uint64_t)(part >> 64);
    }
    for (i = 0; up && i < 4; i++)
        product[i] = product[i] << up | (i < 3 ? product[i + 1] >> (64 - up) : 0);
    quarter = (int)(product[0] >> 62);
    for (i = 0; i < 4; i++)
        product[i] = product[i] << 2 | (i < 3 ? product[i + 1] >> 62 : 0);
    negative = (int)(product[0] >> 63);         /* fraction at least 1/2: round up */
    quarter += negative;
    for (i = 0; negative && i < 4; i++)
        product[i] = ~product[i];               /* ones' complement: off by 2^-256 */
    for (i = 0; i < 2 && product[i] == 0; i++)
        ;
    zeros = product[i] ? __builtin_clzll(product[i]) : 63;
    first = product[i] << zeros | (zeros ? product[i + 1] >> (64 - zeros) : 0);
    second = product[i + 1] << zeros;
    scale = pysitar_of_bits(PYSITAR_ONE - ((uint64_t)(64 * i + zeros + 53) << 52));
    fraction = pysitar_add_smaller((double)(first >> 11) * scale,
                                   (double)((first << 53 | second >> 11) >> 1) * scale * 0x1p-63);
    found = pysitar_multiply(fraction.head, PYSITAR_HALF_PI);
    found.tail += fraction.head * PYSITAR_HALF_PI_TAIL + fraction.tail * PYSITAR_HALF_PI;
    found = pysitar_add_smaller(found.head, found.tail);
    sign = negative ? -sign : sign;
    rest->head = sign * found.head;
    rest->tail = sign * found.tail;
    return bits & PYSITAR_SIGN ? -quarter & 3 : quarter & 3;
}

/* Return n mod 4 for the multiple n pi/2 nearest to a finite x; *rest = x - n pi/2. */
static inline int pysitar_reduce(double x, pysitar_sum *rest)
{
    const double shifted = x * PYSITAR_QUARTERS_PER_RADIAN + PYSITAR_ROUND_TO_INTEGER;
    const double quarters = shifted - PYSITAR_ROUND_TO_INTEGER;
    pysitar_sum first, second;
    if (fabs(x) <= 0.785) {
        *rest = (pysitar_sum){x, 0.0};
        return 0;
    }
    if (PYSITAR_UNLIKELY(fabs(x) >= 0x1p20))
        return pysitar_reduce_far(x, rest);
    first = pysitar_add(x - quarters * PYSITAR_QUARTER_1, -quarters * PYSITAR_QUARTER_2);
    second = pysitar_add(first.head, -quarters * PYSITAR_QUARTER_3);
    first.tail = (first.tail + second.tail) - quarters * PYSITAR_QUARTER_4;
    *rest = pysitar_add_smaller(second.head, first.tail);
    return (int)(pysitar_bits(shifted) & 3);
}

/* sin and cos of a head and tail within pi/4 */
static inline pysitar_sum pysitar_sin_near(pysitar_sum x)
{
    const double r = x.head, z = r * r, z2 = z * z;
    const double series = (PYSITAR_SIN_0 + z * PYSITAR_SIN_1)
        + z2 * ((PYSITAR_SIN_2 + z * PYSITAR_SIN_3)
                + z2 * ((PYSITAR_SIN_4 + z * PYSITAR_SIN_5) + z2 * PYSITAR_SIN_6));
    return (pysitar_sum){r, r * z * series + x.tail * (1.0 - 0.5 * z)};
}

static inline pysitar_sum pysitar_cos_near(pysitar_sum x)
{
    const double r = x.head, rh = pysitar_split_head(r), rl = r - rh, z = r * r, z2 = z * z;
    const double less = ((rh * rh - z) + 2.0 * rh * rl) + rl * rl;
    const double series = (PYSITAR_COS_0 + z * PYSITAR_COS_1)
        + z2 * ((PYSITAR_COS_2 + z * PYSITAR_COS_3) + z2 * (PYSITAR_COS_4 + z * PYSITAR_COS_5));
    const pysitar_sum sum = pysitar_add_smaller(1.0, -0.5 * z);
    return (pysitar_sum){sum.head, sum.tail + (z2 * series - (0.5 * less + r * x.tail))};
}

/* sin of x + quarters pi/2 */
static inline double pysitar_sine(double x, int quarters)
{
    pysitar_sum rest, found;
    if (PYSITAR_UNLIKELY(!(fabs(x) < INFINITY)))
        return NAN;
    quarters += pysitar_reduce(x, &rest);
    found = quarters & 1 ? pysitar_cos_near(rest) : pysitar_sin_near(rest);
    return quarters & 2 ? -(found.head + found.tail) : found.head + found.tail;
}

PYSITAR_NOINLINE double pysitar_sin(double x)
{
    return fabs(x) < 0x1p-30 ? x : pysitar_sine(x, 0);
}

PYSITAR_NOINLINE double pysitar_cos(double x)
{
    return pysitar_sine(x, 1);
}

/* (a + a') / (b + b'), both heads far from overflow and underflow */
static inline pysitar_sum pysitar_divide(pysitar_sum a, pysitar_sum b)
{
    const double head = a.head / b.head;
    const pysitar_sum back = pysitar_multiply(head, b.head);
    const double rest = ((a.head - back.head) - back.tail) + (a.tail - head * b.tail);
    return pysitar_add_smaller(head, rest / b.head);
}

PYSITAR_NOINLINE double pysitar_tan(double x)
{
    pysitar_sum rest, sine, cosine;
    int quarters;
    if (!(fabs(x) < INFINITY))
        return NAN;
    if (fabs(x) < 0x1p-30)
        return x;
    quarters = pysitar_reduce(x, &rest);
    sine = pysitar_sin_near(rest);
    cosine = pysitar_cos_near(rest);
    sine = pysitar_add_smaller(sine.head, sine.tail);
    cosine = pysitar_add_smaller(cosine.head, cosine.tail);
    return quarters & 1 ? -pysitar_divide(cosine, sine).head : pysitar_divide(sine, cosine).head;
}

/* atan(low / high), 0 < low <= high, neither near overflow or underflow */
static inline pysitar_sum pysitar_atan_near(double low, double high)
{
    const pysitar_sum q = pysitar_divide((pysitar_sum){low, 0.0}, (pysitar_sum){high, 0.0});
    const int i = (int)(q.head * 32.0 + 0.5);
    const double c = i * 0.03125, *row = PYSITAR_ATAN_TABLE[i];
    const pysitar_sum product = pysitar_multiply(q.head, c);
    pysitar_sum below = pysitar_add_smaller(1.0, product.head), t, sum;
    double z, series;
    below.tail += product.tail + q.tail * c;
    t = i ? pysitar_divide(pysitar_add(q.head - c, q.tail), below) : q;
    z = t.head * t.head;
    series = PYSITAR_ATAN_2 + z * (PYSITAR_ATAN_3 + z * PYSITAR_ATAN_4);
    series = PYSITAR_ATAN_0 + z * (PYSITAR_ATAN_1 + z * series);
    sum = pysitar_add_smaller(row[0], t.head);
    return pysitar_add_smaller(sum.head, sum.tail + (row[1] + (t.tail + t.head * z * series)));
}

PYSITAR_NOINLINE double pysitar_atan2(double y, double x)
{
    const double sign = pysitar_bits(y) & PYSITAR_SIGN ? -1.0 : 1.0;
    const int behind = (pysitar_bits(x) & PYSITAR_SIGN) != 0;
    double high = fabs(x), low = fabs(y), scale;
    pysitar_sum found = {0.0, 0.0};
    int steep;
    if (x != x || y != y)
        return x + y;
    if (high == INFINITY && low == INFINITY)
        high = low = 1.0;
    steep = low > high;
    if (steep) {
        const double other = high;
        high = low;
        low = other;
    }
    if (low != 0.0 && high != INFINITY) {
        if (low < 0x1p-30 * high) {
            if (!steep && !behind)
                return sign * (low / high);
            found.head = low / high;
        } else {
            scale = high > 1.0 ? 0x1p-400 : 0x1p600;
            while (!(high >= 0x1p-300 && high <= 0x1p300)) {    /* at most twice */
                high *= scale;
                low *= scale;
            }
            found = pysitar_atan_near(low, high);
        }
    }
    if (steep) {
        const double side = behind ? 1.0 : -1.0;
        const pysitar_sum sum = pysitar_add_smaller(PYSITAR_HALF_PI, side * found.head);
        return sign * (sum.head + (sum.tail + (PYSITAR_HALF_PI_TAIL + side * found.tail)));
    }
    if (behind) {
        const pysitar_sum sum = pysitar_add_smaller(PYSITAR_PI, -found.head);
        return sign * (sum.head + (sum.tail + (PYSITAR_PI_TAIL - found.tail)));
    }
    return sign * (found.head + found.tail);
}

PYSITAR_NOINLINE double pysitar_hypot(double x, double y)
{
    double high = fabs(x), low = fabs(y), scale = 1.0, root;
    pysitar_sum a, b, sum;
    if (high == INFINITY || low == INFINITY)
        return INFINITY;
    if (low > high) {
        const double other = high;
        high = low;
        low = other;
    }
    if (!(low > 0x1p-60 * high))
        return high + low;
    if (high > 0x1p500)
        scale = 0x1p600;
    else if (low < 0x1p-400)
        scale = 0x1p-600;
    high /= scale;
    low /= scale;
    a = pysitar_multiply(high, high);
    b = pysitar_multiply(low, low);
    sum = pysitar_add_smaller(a.head, b.head);
    sum.tail += a.tail + b.tail;
    root = sqrt(sum.head);
    a = pysitar_multiply(root, root);
    return scale * (root + (((sum.head - a.head) - a.tail) + sum.tail) / (2.0 * root));
}

/* gamma(x), 0 < x <= 3; NAN elsewhere */
PYSITAR_NOINLINE double pysitar_gamma(double x)
{
    const double middle = x < 1.0 ? -0.5 : x <= 2.0 ? -1.5 : -2.5;
    const pysitar_sum t = pysitar_add(middle, x);
    double value = 0.0;
    pysitar_sum sum, product;
    int n;
    if (!(x > 0.0 && x <= 3.0))
        return NAN;
    for (n = 22; n > 0; n--)
        value = value * t.head + PYSITAR_GAMMA_SERIES[n];
    sum = pysitar_add_smaller(PYSITAR_GAMMA_SERIES[0], value * t.head);
    sum.tail += PYSITAR_GAMMA_TAIL - 0.577 * t.tail;    /* t.tail is 0 except near x = 0, where the slope is -0.577 */
    if (x < 0x1p-500)
        return 1.0 / x;
    if (x < 1.0)
        return pysitar_divide(sum, (pysitar_sum){x, 0.0}).head;
    if (x <= 2.0)
        return sum.head + sum.tail;
    product = pysitar_multiply(sum.head, x - 1.0);
    return product.head + (product.tail + sum.tail * (x - 1.0));
}
#endif
