/* Cell numbers and SELL-8 lists. For each particle nine runs of candidates (three cells in a row
   of x) are tested eight at a time; hits are packed by a table of lane numbers, and the lists of
   eight particles are transposed into rows. About 216 candidates for 29 neighbours: 27 tests of
   eight, 13 instructions each, is the limit of this loop. */
#include "particles/neighbour_kernels.h"

#include "core/simd.h"

/* The cell of eight points, as three lanes of integers inside the grid. */
typedef struct Cells {
    I8 x, y, z;
} Cells;

SL_INLINE I8 cell_along(F8 p, float origin, float inverse_cell, uint32_t size)
{
    /* Clamped as floats: a point far outside must not overflow the conversion. */
    F8 cell = (p - f8(origin)) * f8(inverse_cell);
    return i8_from_f8(f8_min(f8_max(cell, f8(0)), f8((float)(size - 1))));
}

SL_INLINE Cells cells_of(const SlCellGrid *grid, F8 x, F8 y, F8 z)
{
    return (Cells){cell_along(x, grid->origin.x, grid->inverse_cell, grid->size[0]),
                   cell_along(y, grid->origin.y, grid->inverse_cell, grid->size[1]),
                   cell_along(z, grid->origin.z, grid->inverse_cell, grid->size[2])};
}

static void keys(const SlCellGrid *grid, const float *records, uint32_t *out, size_t begin,
                 size_t end)
{
    U8 nx = u8(grid->size[0]), ny = u8(grid->size[1]);
    for (size_t b = begin; b < end; b++) {
        F8x4 p = f8x4_load(records + 32 * b);
        Cells c = cells_of(grid, p.x, p.y, p.z);
        u8_store(out + 8 * b, ((U8)c.z * ny + (U8)c.y) * nx + (U8)c.x);
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

/* first + lane for the lanes set in bits, packed; the rest is noise. */
SL_INLINE void store_packed(uint32_t *to, uint32_t first, uint32_t bits)
{
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)packed_lanes[bits]));
    _mm256_storeu_si256((__m256i *)to, _mm256_add_epi32(lanes, _mm256_set1_epi32((int)first)));
}
#else
SL_INLINE void store_packed(uint32_t *to, uint32_t first, uint32_t bits)
{
    for (; bits != 0; bits &= bits - 1)
        *to++ = first + (uint32_t)__builtin_ctz(bits);
}
#endif

/* Candidates [begin, end) against particle i: appends hits to list, returns the new length. */
SL_INLINE uint32_t test_run(const SlSegment *s, F8 xi, F8 yi, F8 zi, uint32_t i, uint32_t begin,
                            uint32_t end, bool may_hold_self, uint32_t *list, uint32_t length)
{
    for (uint32_t j = begin; j < end && length <= SL_MOST_NEIGHBOURS; j += 8) {
        F8 dx = f8_load(s->x + j) - xi, dy = f8_load(s->y + j) - yi, dz = f8_load(s->z + j) - zi;
        F8 r2 = f8_fma(dx, dx, f8_fma(dy, dy, dz * dz));
        uint32_t bits = i8_bits(r2 < f8(s->radius_squared));
        if (end - j < 8)
            bits &= (1u << (end - j)) - 1;
        if (may_hold_self && i - j < 8)
            bits &= ~(1u << (i - j));
        store_packed(list + length, j, bits);
        length += (uint32_t)__builtin_popcount(bits);
    }
    return length;
}

/* The list of particle i in cell (cx, cy, cz); its length, or more than SL_MOST_NEIGHBOURS. */
SL_INLINE uint32_t neighbours_of(const SlSegment *s, uint32_t i, const uint32_t cell[3],
                                 uint32_t *list)
{
    const SlCellGrid *g = s->grid;
    F8 xi = f8(s->x[i]), yi = f8(s->y[i]), zi = f8(s->z[i]);
    uint32_t x0 = cell[0] - (cell[0] > 0), x1 = cell[0] + (cell[0] + 1 < g->size[0]);
    uint32_t y0 = cell[1] - (cell[1] > 0), y1 = cell[1] + (cell[1] + 1 < g->size[1]);
    uint32_t z0 = cell[2] - (cell[2] > 0), z1 = cell[2] + (cell[2] + 1 < g->size[2]);
    uint32_t length = 0;
    for (uint32_t z = z0; z <= z1; z++)
        for (uint32_t y = y0; y <= y1; y++) {
            size_t row = ((size_t)z * g->size[1] + y) * g->size[0];
            uint32_t begin = g->start[row + x0], end = g->start[row + x1 + 1];
            if (z == cell[2] && y == cell[1])
                length = test_run(s, xi, yi, zi, i, begin, end, true, list, length);
            else
                length = test_run(s, xi, yi, zi, i, begin, end, false, list, length);
        }
    return length;
}

#ifdef __AVX2__
/* Eight entries of eight lists become eight rows. */
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
        _mm256_storeu_ps((float *)rows[k], _mm256_permute2f128_ps(r[k], r[k + 4], 0x20));
        _mm256_storeu_ps((float *)rows[k + 4], _mm256_permute2f128_ps(r[k], r[k + 4], 0x31));
    }
}
#else
SL_INLINE void transpose_to_rows(const uint32_t *lists, size_t stride, uint32_t (*rows)[8])
{
    for (int lane = 0; lane < 8; lane++)
        for (int k = 0; k < 8; k++)
            rows[k][lane] = lists[(size_t)lane * stride + (size_t)k];
}
#endif

/* Room for one packed store past the most neighbours, and for padding to eights. */
enum { LIST_ROOM = SL_MOST_NEIGHBOURS + 24 };

static void build(SlSegment *s)
{
    uint32_t lists[8][LIST_ROOM], lengths[8], cells[3][8];
    uint64_t used = 0;
    s->rows_needed = 0;
    s->crowded = SIZE_MAX;
    for (size_t b = s->block_begin; b < s->block_end; b++) {
        Cells c = cells_of(s->grid, f8_load(s->x + 8 * b), f8_load(s->y + 8 * b),
                           f8_load(s->z + 8 * b));
        u8_store(cells[0], (U8)c.x);
        u8_store(cells[1], (U8)c.y);
        u8_store(cells[2], (U8)c.z);
        uint32_t longest = 0;
        for (uint32_t lane = 0; lane < 8; lane++) {
            uint32_t i = (uint32_t)(8 * b) + lane;
            uint32_t cell[3] = {cells[0][lane], cells[1][lane], cells[2][lane]};
            uint32_t length = i < s->count ? neighbours_of(s, i, cell, lists[lane]) : 0;
            if (length > SL_MOST_NEIGHBOURS) {
                s->crowded = i;
                return;
            }
            lengths[lane] = length;
            longest = length > longest ? length : longest;
        }
        longest += longest & 1; /* passes take rows in pairs */
        /* Rows are written in eights; the next block's overwrite what was too much. */
        uint32_t padded = (longest + 7) / 8 * 8;
        uint64_t row = s->first_row + used;
        bool fits = used + padded <= s->row_limit;
        for (uint32_t lane = 0; fits && lane < 8; lane++)
            for (uint32_t k = lengths[lane]; k < padded; k++)
                lists[lane][k] = s->sentinel;
        for (uint32_t k = 0; fits && k < padded; k += 8)
            transpose_to_rows(&lists[0][k], LIST_ROOM, s->rows + row + k);
        s->row_begin[b] = row;
        s->row_count[b] = longest;
        s->rows_needed = used + padded > s->rows_needed ? used + padded : s->rows_needed;
        used += longest;
    }
}

SL_KERNEL_TABLE(SlNeighbourKernels, sl_neighbour_kernels) = {keys, split, build};
