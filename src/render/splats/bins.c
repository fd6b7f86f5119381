#include "render/splats/bins.h"

#include <string.h>

enum { DIGIT_BITS = 12, DIGITS = 1 << DIGIT_BITS, MAX_CHUNKS = 32, MIN_CHUNK = 8192 };

static size_t chunk_size_for(size_t count)
{
    size_t size = (count + MAX_CHUNKS - 1) / MAX_CHUNKS;
    return size > MIN_CHUNK ? size : MIN_CHUNK;
}

typedef struct Pass {
    const uint32_t *key, *item; /* item NULL: 0, 1, 2, … */
    uint32_t *key_out, *item_out;
    size_t *count; /* [chunk][digit]: first the number, then the position of the next */
    uint32_t shift;
} Pass;

static void count_digits(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Pass *pass = argument;
    size_t *count = pass->count + chunk * DIGITS;
    memset(count, 0, DIGITS * sizeof *count);
    for (size_t i = begin; i < end; i++)
        count[pass->key[i] >> pass->shift & (DIGITS - 1)]++;
}

static void move_by_digit(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Pass *pass = argument;
    size_t *next = pass->count + chunk * DIGITS;
    for (size_t i = begin; i < end; i++) {
        size_t to = next[pass->key[i] >> pass->shift & (DIGITS - 1)]++;
        pass->key_out[to] = pass->key[i];
        pass->item_out[to] = pass->item != NULL ? pass->item[i] : (uint32_t)i;
    }
}

/* Counts become first positions: by bin, and within a bin by chunk. */
static size_t prefix(size_t *count, size_t chunks, size_t bins, size_t *start)
{
    size_t at = 0;
    for (size_t b = 0; b < bins; b++) {
        if (start != NULL)
            start[b] = at;
        for (size_t c = 0; c < chunks; c++) {
            size_t here = count[c * bins + b];
            count[c * bins + b] = at;
            at += here;
        }
    }
    return at;
}

static void sort_pass(SlPool *pool, Pass *pass, size_t count)
{
    size_t chunk = chunk_size_for(count);
    sl_parallel_for(pool, count, chunk, count_digits, pass);
    prefix(pass->count, sl_chunk_count(count, chunk), DIGITS, NULL);
    sl_parallel_for(pool, count, chunk, move_by_digit, pass);
}

uint32_t *sl_sort_keys(SlPool *pool, SlArena *arena, uint32_t *keys, size_t count)
{
    size_t chunks = sl_chunk_count(count, chunk_size_for(count));
    uint32_t *other = SL_PUSH(arena, uint32_t, count);
    uint32_t *half = SL_PUSH(arena, uint32_t, count), *order = SL_PUSH(arena, uint32_t, count);
    size_t *digits = SL_PUSH(arena, size_t, (chunks + 1) * DIGITS);
    if (other == NULL || half == NULL || order == NULL || digits == NULL)
        return NULL;
    Pass low = {keys, NULL, other, half, digits, 0};
    sort_pass(pool, &low, count);
    Pass high = {other, half, keys, order, digits, DIGIT_BITS};
    sort_pass(pool, &high, count);
    return order;
}

typedef struct Binning {
    const SlRect *rect;
    const uint32_t *order;
    size_t *count; /* [chunk][tile] */
    uint32_t *item;
    uint32_t tiles_x, shift;
    size_t tiles;
} Binning;

static void count_tiles(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Binning *b = argument;
    size_t *count = b->count + chunk * b->tiles;
    memset(count, 0, b->tiles * sizeof *count);
    for (size_t i = begin; i < end; i++) {
        SlRect r = b->rect[b->order != NULL ? b->order[i] : i];
        if (r.x1 < r.x0)
            continue;
        for (int y = r.y0 >> b->shift; y <= r.y1 >> b->shift; y++)
            for (int x = r.x0 >> b->shift; x <= r.x1 >> b->shift; x++)
                count[(size_t)y * b->tiles_x + (size_t)x]++;
    }
}

static void fill_tiles(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Binning *b = argument;
    size_t *next = b->count + chunk * b->tiles;
    for (size_t i = begin; i < end; i++) {
        uint32_t self = b->order != NULL ? b->order[i] : (uint32_t)i;
        SlRect r = b->rect[self];
        if (r.x1 < r.x0)
            continue;
        for (int y = r.y0 >> b->shift; y <= r.y1 >> b->shift; y++)
            for (int x = r.x0 >> b->shift; x <= r.x1 >> b->shift; x++)
                b->item[next[(size_t)y * b->tiles_x + (size_t)x]++] = self;
    }
}

bool sl_bins_build(SlPool *pool, SlArena *arena, const SlRects *rects, SlTiles tiles,
                   SlBins *bins)
{
    Binning b = {.rect = rects->rect,
                 .order = rects->order,
                 .tiles_x = tiles.x,
                 .shift = tiles.shift,
                 .tiles = (size_t)tiles.x * tiles.y};
    size_t count = rects->count;
    size_t chunk = chunk_size_for(count), chunks = sl_chunk_count(count, chunk);
    b.count = SL_PUSH(arena, size_t, (chunks + 1) * b.tiles);
    bins->start = SL_PUSH(arena, size_t, b.tiles + 1);
    if (b.count == NULL || bins->start == NULL)
        return false;
    sl_parallel_for(pool, count, chunk, count_tiles, &b);
    size_t total = prefix(b.count, chunks, b.tiles, bins->start);
    bins->start[b.tiles] = total;
    bins->item = b.item = SL_PUSH(arena, uint32_t, total);
    if (b.item == NULL)
        return false;
    sl_parallel_for(pool, count, chunk, fill_tiles, &b);
    return true;
}
