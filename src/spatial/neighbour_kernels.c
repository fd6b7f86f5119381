/* Cell numbers and SELL-8 lists. The candidates of a cell (nine runs of three cells in a row along
   x, about 216 points) are copied into one batch that serves all points of the cell. Each point
   tests them eight at a time, hits are packed by a table of lane numbers, and the lists of eight
   points are transposed into rows. 216 candidates for 29 neighbours: 27 tests of 14 instructions
   bound the speed of this loop. */
#include "spatial/neighbour_kernels.h"

#include "core/simd.h"

/* The cell coordinates of eight points. */
typedef struct Cells {
    I8 x, y, z;
} Cells;

SL_INLINE I8 cell_along(const SlCellGrid *grid, F8 p, float origin, int k)
{
    /* Clamped as floats: a point far outside must not overflow the conversion. */
    F8 cell = (p - f8(origin)) * f8(grid->inverse_cell);
    cell = f8_min(f8_max(cell, f8(grid->min_cell[k])), f8(grid->max_cell[k]));
    I8 toward_zero = i8_from_f8(cell);
    return toward_zero + (I8)(f8_from_i8(toward_zero) > cell); /* a mask is -1 */
}

SL_INLINE Cells cells_of(const SlCellGrid *grid, F8 x, F8 y, F8 z)
{
    return (Cells){cell_along(grid, x, grid->origin.x, 0), cell_along(grid, y, grid->origin.y, 1),
                   cell_along(grid, z, grid->origin.z, 2)};
}

static void keys(const SlCellGrid *grid, const float *records, uint32_t *out, uint32_t *high,
                 size_t begin, size_t end)
{
    U8 nx = u8(grid->size[0]), ny = u8(grid->size[1]);
    I8 x0 = (I8)u8((uint32_t)grid->low[0]), y0 = (I8)u8((uint32_t)grid->low[1]);
    I8 z0 = (I8)u8((uint32_t)grid->low[2]);
    for (size_t b = begin; b < end; b++) {
        F8x4 p = f8x4_load(records + 32 * b);
        Cells c = cells_of(grid, p.x, p.y, p.z);
        U8 x = (U8)(c.x - x0), y = (U8)(c.y - y0), z = (U8)(c.z - z0);
        u8_store(out + 8 * b, (z * ny + y) * nx + x);
        for (int k = 0; high != NULL && k < 8; k++)
            high[8 * b + (size_t)k] =
                (uint32_t)((((uint64_t)z[k] * grid->size[1] + y[k]) * grid->size[0] + x[k]) >> 32);
    }
}

static void extent(const SlCellGrid *grid, const float *records, size_t count, size_t begin,
                   size_t end, SlCellExtent *out)
{
    for (int k = 0; k < 3; k++) {
        out->low[k] = INT32_MAX;
        out->high[k] = INT32_MIN;
    }
    for (size_t b = begin; b < end; b++) {
        F8x4 p = f8x4_load(records + 32 * b);
        Cells c = cells_of(grid, p.x, p.y, p.z);
        const I8 along[3] = {c.x, c.y, c.z};
        int lanes = count - 8 * b < 8 ? (int)(count - 8 * b) : 8;
        for (int k = 0; k < 3; k++)
            for (int lane = 0; lane < lanes; lane++) {
                int32_t cell = along[k][lane];
                out->low[k] = cell < out->low[k] ? cell : out->low[k];
                out->high[k] = cell > out->high[k] ? cell : out->high[k];
            }
    }
}

static void split(const float *records, float *x, float *y, float *z, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++) {
        F8x4 p = f8x4_load(records + 32 * b);
        f8_store(x + 8 * b, p.x);
        f8_store(y + 8 * b, p.y);
        f8_store(z + 8 * b, p.z);
    }
}

#ifdef __AVX2__
/* For each mask of 8 lanes, the numbers of its lanes, one a byte, packed to the front. */
#define BIT_(m, i) ((uint64_t)((m) >> (i)) & 1)
#define PAIR_(m, i) (BIT_(m, i) + BIT_(m, (i) + 1))
#define BELOW_(m, i)                                                                               \
    (((i) & 1 ? BIT_(m, (i)-1) : 0) + ((i) > 1 ? PAIR_(m, 0) : 0) + ((i) > 3 ? PAIR_(m, 2) : 0) +  \
     ((i) > 5 ? PAIR_(m, 4) : 0))
#define LANE_(m, i) ((BIT_(m, i) * (i)) << (8 * BELOW_(m, i)))
#define MASK_(m)                                                                                   \
    (LANE_(m, 1) | LANE_(m, 2) | LANE_(m, 3) | LANE_(m, 4) | LANE_(m, 5) | LANE_(m, 6) |           \
     LANE_(m, 7))
#define MASKS4_(m) MASK_(m), MASK_(m + 1), MASK_(m + 2), MASK_(m + 3)
#define MASKS16_(m) MASKS4_(m), MASKS4_(m + 4), MASKS4_(m + 8), MASKS4_(m + 12)
#define MASKS64_(m) MASKS16_(m), MASKS16_(m + 16), MASKS16_(m + 32), MASKS16_(m + 48)
static const uint64_t packed_lanes[256] = {MASKS64_(0), MASKS64_(64), MASKS64_(128),
                                           MASKS64_(192)};

/* Stores the numbers whose bits are set, packed; up to eight entries after them are undefined. */
SL_INLINE void store_packed(uint32_t *to, const uint32_t *numbers, uint32_t bits)
{
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)packed_lanes[bits]));
    __m256i all = _mm256_loadu_si256((const __m256i *)numbers);
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(all, lanes));
}
#else
SL_INLINE void store_packed(uint32_t *to, const uint32_t *numbers, uint32_t bits)
{
    for (; bits != 0; bits &= bits - 1)
        *to++ = numbers[__builtin_ctz(bits)];
}
#endif

/* The runs of candidates of a cell: up to nine ranges of sorted points, each of three cells of a
   row along x. The run that holds the cell itself is last; runs are consumed from the end. */
typedef struct Runs {
    uint32_t begin[9], end[9];
    uint32_t count;
} Runs;

SL_INLINE Runs runs_of(const SlCellGrid *g, const int32_t cell[3])
{
    int32_t from[3], to[3]; /* relative to the box of numbered cells */
    for (int k = 0; k < 3; k++) {
        int32_t own = cell[k] - g->low[k], size = (int32_t)g->size[k];
        from[k] = own > 0 ? own - 1 : 0;
        to[k] = own + 1 < size ? own + 1 : size - 1;
    }
    Runs runs = {.count = 0};
    uint32_t own = 0;
    if (from[0] > to[0]) /* a point of another set, outside the box of cells */
        return runs;
    for (int32_t z = from[2]; z <= to[2]; z++)
        for (int32_t y = from[1]; y <= to[1]; y++) {
            uint64_t row = ((uint64_t)z * g->size[1] + (uint32_t)y) * g->size[0];
            uint32_t begin, end;
            sl_grid_run(g, row + (uint32_t)from[0], row + (uint32_t)to[0], &begin, &end);
            if (begin == end)
                continue;
            if (z + g->low[2] == cell[2] && y + g->low[1] == cell[1])
                own = runs.count;
            runs.begin[runs.count] = begin;
            runs.end[runs.count++] = end;
        }
    if (runs.count > 0) {
        uint32_t last = runs.count - 1, begin = runs.begin[own], end = runs.end[own];
        runs.begin[own] = runs.begin[last];
        runs.end[own] = runs.end[last];
        runs.begin[last] = begin;
        runs.end[last] = end;
    }
    return runs;
}

/* Candidates by channel, followed by padding at SL_FAR. A cell with more takes several batches. */
enum { BATCH = 512 };
typedef struct Batch {
    float x[BATCH + 24], y[BATCH + 24], z[BATCH + 24];
    uint32_t number[BATCH + 24];
    uint32_t count;
} Batch;

/* Moves candidates from the runs into the batch, as many as fit; the rest stays in the runs. */
SL_INLINE void fill_batch(const SlSegment *s, Runs *runs, Batch *batch)
{
    static const uint32_t iota[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const float *x = s->x, *y = s->y, *z = s->z;
    U8 lanes = u8_load(iota);
    uint32_t count = 0;
    while (runs->count > 0 && count < BATCH) {
        uint32_t r = runs->count - 1, begin = runs->begin[r], length = runs->end[r] - begin;
        if (length > BATCH - count)
            length = BATCH - count;
        for (uint32_t k = 0; k < length; k += 8) {
            f8_store(batch->x + count + k, f8_load(x + begin + k));
            f8_store(batch->y + count + k, f8_load(y + begin + k));
            f8_store(batch->z + count + k, f8_load(z + begin + k));
            u8_store(batch->number + count + k, lanes + (begin + k));
        }
        count += length;
        runs->begin[r] += length;
        runs->count -= runs->begin[r] == runs->end[r];
    }
    f8_store(batch->x + count, f8(SL_FAR));
    f8_store(batch->x + count + 8, f8(SL_FAR));
    batch->count = count;
}

/* Appends the batch's points within the radius of point i to its list; returns the new length. */
SL_INLINE uint32_t test_batch(const SlSegment *s, Batch *batch, uint32_t i, uint32_t *list,
                              uint32_t length)
{
    F8x3 at = {f8(s->at_x[i]), f8(s->at_y[i]), f8(s->at_z[i])};
    F8 radius_squared = f8(s->radius_squared);
    uint32_t count = batch->count;
    for (uint32_t k = 0; k < count && length <= SL_MAX_NEIGHBOURS; k += 16) {
        uint32_t bits[2];
        for (uint32_t half = 0; half < 2; half++) {
            uint32_t j = k + 8 * half;
            F8x3 u = {f8_load(batch->x + j) - at.x, f8_load(batch->y + j) - at.y,
                      f8_load(batch->z + j) - at.z};
            bits[half] = i8_bits(f8x3_dot(u, u) < radius_squared);
        }
        store_packed(list + length, batch->number + k, bits[0]);
        length += (uint32_t)__builtin_popcount(bits[0]);
        store_packed(list + length, batch->number + k + 8, bits[1]);
        length += (uint32_t)__builtin_popcount(bits[1]);
    }
    return length;
}

/* Removes i from its list; returns the new length. */
SL_INLINE uint32_t without(uint32_t i, uint32_t *list, uint32_t length)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < length; k++) {
        list[kept] = list[k];
        kept += list[k] != i;
    }
    return kept;
}

/* The candidates of the previous point's cell: consecutive sorted points are mostly in one cell. */
typedef struct Cache {
    int32_t cell[3];
    uint32_t own_begin; /* the point that is first in the batch */
    bool whole;         /* the batch holds all candidates */
    Runs rest;          /* the runs that it does not hold */
    Batch batch;
} Cache;

SL_INLINE uint32_t neighbours_of(const SlSegment *s, Cache *cache, const int32_t cell[3],
                                 uint32_t i, uint32_t *list)
{
    if (!cache->whole || memcmp(cell, cache->cell, sizeof cache->cell) != 0) {
        memcpy(cache->cell, cell, sizeof cache->cell);
        cache->rest = runs_of(s->grid, cell);
        cache->own_begin = cache->rest.count > 0 ? cache->rest.begin[cache->rest.count - 1] : 0;
        fill_batch(s, &cache->rest, &cache->batch);
        cache->whole = cache->rest.count == 0;
    }
    if (cache->whole && s->between)
        return test_batch(s, &cache->batch, i, list, 0);
    if (cache->whole) { /* i itself is moved to SL_FAR while its list is made */
        float *self = &cache->batch.x[i - cache->own_begin];
        *self = SL_FAR;
        uint32_t length = test_batch(s, &cache->batch, i, list, 0);
        *self = s->x[i];
        return length;
    }
    uint32_t length = test_batch(s, &cache->batch, i, list, 0);
    while (cache->rest.count > 0 && length <= SL_MAX_NEIGHBOURS) {
        fill_batch(s, &cache->rest, &cache->batch);
        length = test_batch(s, &cache->batch, i, list, length);
    }
    return s->between ? length : without(i, list, length);
}

#ifdef __AVX2__
/* Transposes eight entries of eight lists into eight rows. Streaming stores: the rows exceed the
   caches, and fetching lines only to overwrite them cost a tenth of the time. */
SL_INLINE void transpose_to_rows(const uint32_t *lists, size_t stride, uint32_t (*rows)[8])
{
    __m256 r[8], t[8];
    for (int k = 0; k < 8; k++)
        r[k] = _mm256_loadu_ps((const float *)(const void *)(lists + (size_t)k * stride));
    for (int k = 0; k < 8; k += 2) {
        t[k] = _mm256_unpacklo_ps(r[k], r[k + 1]);
        t[k + 1] = _mm256_unpackhi_ps(r[k], r[k + 1]);
    }
    for (int k = 0; k < 8; k += 4) {
        r[k] = _mm256_shuffle_ps(t[k], t[k + 2], 0x44);
        r[k + 1] = _mm256_shuffle_ps(t[k], t[k + 2], 0xee);
        r[k + 2] = _mm256_shuffle_ps(t[k + 1], t[k + 3], 0x44);
        r[k + 3] = _mm256_shuffle_ps(t[k + 1], t[k + 3], 0xee);
    }
    for (int k = 0; k < 4; k++) {
        _mm256_stream_ps((float *)rows[k], _mm256_permute2f128_ps(r[k], r[k + 4], 0x20));
        _mm256_stream_ps((float *)rows[k + 4], _mm256_permute2f128_ps(r[k], r[k + 4], 0x31));
    }
}
/* Orders the streaming stores before the end of the task. */
SL_INLINE void fence_rows(void)
{
    _mm_sfence();
}
#else
SL_INLINE void fence_rows(void)
{
}

SL_INLINE void transpose_to_rows(const uint32_t *lists, size_t stride, uint32_t (*rows)[8])
{
    for (int lane = 0; lane < 8; lane++)
        for (int k = 0; k < 8; k++)
            rows[k][lane] = lists[(size_t)lane * stride + (size_t)k];
}
#endif

/* Room for packed stores past the maximum number of neighbours, and for padding to eights. */
enum { LIST_ROOM = SL_MAX_NEIGHBOURS + 40 };

static void build(SlSegment *s)
{
    uint32_t lists[8][LIST_ROOM], lengths[8], cells[3][8];
    Cache cache = {.whole = false};
    uint64_t used = 0;
    s->rows_needed = 0;
    s->crowded = SIZE_MAX;
    for (size_t b = s->block_begin; b < s->block_end; b++) {
        Cells c = cells_of(s->grid, f8_load(s->at_x + 8 * b), f8_load(s->at_y + 8 * b),
                           f8_load(s->at_z + 8 * b));
        u8_store(cells[0], (U8)c.x);
        u8_store(cells[1], (U8)c.y);
        u8_store(cells[2], (U8)c.z);
        uint32_t longest = 0;
        for (uint32_t lane = 0; lane < 8; lane++) {
            uint32_t i = (uint32_t)(8 * b) + lane;
            int32_t cell[3] = {(int32_t)cells[0][lane], (int32_t)cells[1][lane],
                               (int32_t)cells[2][lane]};
            uint32_t length = i < s->count ? neighbours_of(s, &cache, cell, i, lists[lane]) : 0;
            if (length > SL_MAX_NEIGHBOURS) {
                s->crowded = i;
                return;
            }
            lengths[lane] = length;
            longest = length > longest ? length : longest;
        }
        longest += longest & 1; /* passes take rows in pairs */
        /* Rows are written in eights; the next block overwrites the surplus. */
        uint32_t padded = (longest + 7) / 8 * 8;
        uint64_t row = s->first_row + used;
        bool fits = used + padded <= s->row_limit;
        for (uint32_t lane = 0; fits && lane < 8; lane++)
            for (uint32_t k = lengths[lane]; k < padded; k += 8)
                u8_store(&lists[lane][k], u8(s->sentinel));
        for (uint32_t k = 0; fits && k < padded; k += 8)
            transpose_to_rows(&lists[0][k], LIST_ROOM, s->rows + row + k);
        s->row_begin[b] = row;
        s->row_count[b] = longest;
        s->rows_needed = used + padded > s->rows_needed ? used + padded : s->rows_needed;
        used += longest;
    }
    fence_rows();
}

SL_KERNEL_TABLE(SlNeighbourKernels, sl_neighbour_kernels) = {keys, extent, split, build};
