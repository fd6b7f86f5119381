/* Eight floats at once: a 32-byte compiler vector. + - * / and comparisons are operators; the
   rest are named functions with AVX2, SSE2 and plain bodies. Only *_kernels.c include this, and no
   vector crosses a non-static function. No reciprocal or root estimates: state must be the same
   bits on every processor of one path. */
#ifndef CORE_SIMD_H
#define CORE_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));
typedef uint32_t U8 __attribute__((vector_size(32)));

#define SL_INLINE static inline __attribute__((always_inline, unused))

SL_INLINE F8 f8(float a)
{
    return (F8){a, a, a, a, a, a, a, a};
}

SL_INLINE U8 u8(uint32_t a)
{
    return (U8){a, a, a, a, a, a, a, a};
}

SL_INLINE F8 f8_load(const float *p)
{
    F8 a;
    memcpy(&a, p, sizeof a);
    return a;
}

SL_INLINE void f8_store(float *p, F8 a)
{
    memcpy(p, &a, sizeof a);
}

SL_INLINE U8 u8_load(const uint32_t *p)
{
    U8 a;
    memcpy(&a, p, sizeof a);
    return a;
}

SL_INLINE void u8_store(uint32_t *p, U8 a)
{
    memcpy(p, &a, sizeof a);
}

/* mask lanes are all ones or all zeros, as comparisons give them. */
SL_INLINE F8 f8_select(I8 mask, F8 yes, F8 no)
{
#ifdef __AVX2__
    return (F8)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#else
    return (F8)((mask & (I8)yes) | (~mask & (I8)no));
#endif
}

/* Keeps lanes of a where mask is set, else 0. */
SL_INLINE F8 f8_keep(I8 mask, F8 a)
{
    return (F8)(mask & (I8)a);
}

#if defined(__SSE2__) && !defined(__AVX2__)
/* An operation on both halves of its operands. */
#define SL_HALVES_(operation, a, b)                                                                \
    do {                                                                                           \
        __m128 low_[2], high_[2];                                                                  \
        memcpy(low_, &(a), sizeof low_);                                                           \
        memcpy(high_, &(b), sizeof high_);                                                         \
        low_[0] = operation(low_[0], high_[0]);                                                    \
        low_[1] = operation(low_[1], high_[1]);                                                    \
        memcpy(&(a), low_, sizeof low_);                                                           \
    } while (0)
#endif

/* min and max as the processor has them: the second operand where either is NaN. */
SL_INLINE F8 f8_min(F8 a, F8 b)
{
#ifdef __AVX2__
    return (F8)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    SL_HALVES_(_mm_min_ps, a, b);
    return a;
#else
    return f8_select(a < b, a, b);
#endif
}

SL_INLINE F8 f8_max(F8 a, F8 b)
{
#ifdef __AVX2__
    return (F8)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    SL_HALVES_(_mm_max_ps, a, b);
    return a;
#else
    return f8_select(a > b, a, b);
#endif
}

SL_INLINE F8 f8_abs(F8 a)
{
    return (F8)((I8)a & 0x7fffffff);
}

SL_INLINE F8 f8_sqrt(F8 a)
{
#ifdef __AVX2__
    return (F8)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__)
    __m128 half[2];
    memcpy(half, &a, sizeof a);
    half[0] = _mm_sqrt_ps(half[0]);
    half[1] = _mm_sqrt_ps(half[1]);
    memcpy(&a, half, sizeof a);
    return a;
#else
    for (int k = 0; k < 8; k++)
        a[k] = sqrtf(a[k]);
    return a;
#endif
}

/* a b + c: one rounding where the path has it, two on the base path. */
SL_INLINE F8 f8_fma(F8 a, F8 b, F8 c)
{
#ifdef __FMA__
    return (F8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/* c - a b. */
SL_INLINE F8 f8_fnma(F8 a, F8 b, F8 c)
{
#ifdef __FMA__
    return (F8)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return c - a * b;
#endif
}

/* One bit per lane, lane 0 lowest. */
SL_INLINE uint32_t i8_bits(I8 mask)
{
#ifdef __AVX2__
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    __m128 half[2];
    memcpy(half, &mask, sizeof mask);
    return (uint32_t)_mm_movemask_ps(half[0]) | (uint32_t)_mm_movemask_ps(half[1]) << 4;
#else
    uint32_t bits = 0;
    for (int k = 0; k < 8; k++)
        bits |= (uint32_t)(mask[k] != 0) << k;
    return bits;
#endif
}

/* Lane-wise to float and back; values below 2^31. f8_to_u8 truncates and needs a >= 0. */
SL_INLINE F8 f8_from_i8(I8 a)
{
    return __builtin_convertvector(a, F8);
}

SL_INLINE I8 i8_from_f8(F8 a)
{
#ifdef __AVX2__
    return (I8)_mm256_cvttps_epi32((__m256)a);
#else
    return __builtin_convertvector(a, I8);
#endif
}

/* Sum in a fixed tree order: the same on every path. */
SL_INLINE float f8_sum(F8 a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

SL_INLINE float f8_horizontal_max(F8 a)
{
    float most = a[0];
    for (int k = 1; k < 8; k++)
        most = a[k] > most ? a[k] : most;
    return most;
}

/* base[index[k]] for k = 0 … 7. */
SL_INLINE F8 f8_gather(const float *base, const uint32_t *index)
{
    return (F8){base[index[0]], base[index[1]], base[index[2]], base[index[3]],
                base[index[4]], base[index[5]], base[index[6]], base[index[7]]};
}

SL_INLINE U8 u8_gather(const uint32_t *base, const uint32_t *index)
{
    U8 a;
    for (int k = 0; k < 8; k++)
        a[k] = base[index[k]];
    return a;
}

/* Four float4 columns of eight float4 records. */
typedef struct F8x4 {
    F8 x, y, z, w;
} F8x4;

#ifdef __AVX2__
SL_INLINE __m256 pair_of_records_(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

SL_INLINE F8x4 transpose_records_(__m256 r04, __m256 r15, __m256 r26, __m256 r37)
{
    __m256 xy01 = _mm256_unpacklo_ps(r04, r15), zw01 = _mm256_unpackhi_ps(r04, r15);
    __m256 xy23 = _mm256_unpacklo_ps(r26, r37), zw23 = _mm256_unpackhi_ps(r26, r37);
    F8x4 t;
    t.x = (F8)_mm256_castpd_ps(
        _mm256_unpacklo_pd(_mm256_castps_pd(xy01), _mm256_castps_pd(xy23)));
    t.y = (F8)_mm256_castpd_ps(
        _mm256_unpackhi_pd(_mm256_castps_pd(xy01), _mm256_castps_pd(xy23)));
    t.z = (F8)_mm256_castpd_ps(
        _mm256_unpacklo_pd(_mm256_castps_pd(zw01), _mm256_castps_pd(zw23)));
    t.w = (F8)_mm256_castpd_ps(
        _mm256_unpackhi_pd(_mm256_castps_pd(zw01), _mm256_castps_pd(zw23)));
    return t;
}
#endif

/* Records base[4 index[k]] for k = 0 … 7, transposed. */
SL_INLINE F8x4 f8x4_gather(const float *base, const uint32_t *index)
{
#ifdef __AVX2__
#define SL_RECORD_(k) (base + 4 * (size_t)index[k])
    return transpose_records_(pair_of_records_(SL_RECORD_(0), SL_RECORD_(4)),
                              pair_of_records_(SL_RECORD_(1), SL_RECORD_(5)),
                              pair_of_records_(SL_RECORD_(2), SL_RECORD_(6)),
                              pair_of_records_(SL_RECORD_(3), SL_RECORD_(7)));
#undef SL_RECORD_
#else
    F8x4 t;
    for (int k = 0; k < 8; k++) {
        const float *record = base + 4 * (size_t)index[k];
        t.x[k] = record[0];
        t.y[k] = record[1];
        t.z[k] = record[2];
        t.w[k] = record[3];
    }
    return t;
#endif
}

/* Eight records in a row, transposed. */
SL_INLINE F8x4 f8x4_load(const float *base)
{
    static const uint32_t row[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    return f8x4_gather(base, row);
}

SL_INLINE void f8x4_store(float *base, F8x4 t)
{
#ifdef __AVX2__
    __m256 xy_lo = _mm256_unpacklo_ps((__m256)t.x, (__m256)t.y);
    __m256 xy_hi = _mm256_unpackhi_ps((__m256)t.x, (__m256)t.y);
    __m256 zw_lo = _mm256_unpacklo_ps((__m256)t.z, (__m256)t.w);
    __m256 zw_hi = _mm256_unpackhi_ps((__m256)t.z, (__m256)t.w);
    __m256 r04 = _mm256_shuffle_ps(xy_lo, zw_lo, 0x44), r15 = _mm256_shuffle_ps(xy_lo, zw_lo, 0xee);
    __m256 r26 = _mm256_shuffle_ps(xy_hi, zw_hi, 0x44), r37 = _mm256_shuffle_ps(xy_hi, zw_hi, 0xee);
    _mm256_storeu_ps(base, _mm256_permute2f128_ps(r04, r15, 0x20));
    _mm256_storeu_ps(base + 8, _mm256_permute2f128_ps(r26, r37, 0x20));
    _mm256_storeu_ps(base + 16, _mm256_permute2f128_ps(r04, r15, 0x31));
    _mm256_storeu_ps(base + 24, _mm256_permute2f128_ps(r26, r37, 0x31));
#else
    for (int k = 0; k < 8; k++) {
        base[4 * k] = t.x[k];
        base[4 * k + 1] = t.y[k];
        base[4 * k + 2] = t.z[k];
        base[4 * k + 3] = t.w[k];
    }
#endif
}

/* A float4 record in both halves. */
SL_INLINE F8 f8_twice(const float *record)
{
#ifdef __AVX2__
    return (F8)_mm256_broadcast_ps((const __m128 *)(const void *)record);
#else
    return (F8){record[0], record[1], record[2], record[3],
                record[0], record[1], record[2], record[3]};
#endif
}

/* low in the lower four lanes, high in the upper. */
SL_INLINE F8 f8_halves(float low, float high)
{
#ifdef __AVX2__
    return (F8)_mm256_insertf128_ps(_mm256_set1_ps(low), _mm_set1_ps(high), 1);
#else
    return (F8){low, low, low, low, high, high, high, high};
#endif
}

/* The sum of both halves, as a float4 record. */
SL_INLINE void f8_fold(float *record, F8 a)
{
#ifdef __AVX2__
    _mm_storeu_ps(record, _mm_add_ps(_mm256_castps256_ps128((__m256)a),
                                     _mm256_extractf128_ps((__m256)a, 1)));
#else
    for (int k = 0; k < 4; k++)
        record[k] = a[k] + a[k + 4];
#endif
}

/* Three channels at once. */
typedef struct F8x3 {
    F8 x, y, z;
} F8x3;

SL_INLINE F8 f8x3_dot(F8x3 a, F8x3 b)
{
    return f8_fma(a.x, b.x, f8_fma(a.y, b.y, a.z * b.z));
}

/* a b + c. */
SL_INLINE F8x3 f8x3_fma(F8 a, F8x3 b, F8x3 c)
{
    return (F8x3){f8_fma(a, b.x, c.x), f8_fma(a, b.y, c.y), f8_fma(a, b.z, c.z)};
}

#endif
