/* Least-significant-digit radix sort of (key, item) pairs: 17 bits of cell number, as a 200k
   particle scene has, take two passes of 9 bits. Each pass counts digits per chunk, turns the
   counts into places (digit first, then chunk, so the sort is stable), and scatters. */
#include "core/sort.h"

#include <string.h>

enum { MAX_DIGIT_BITS = 12, MIN_CHUNK = 8192, MAX_CHUNKS = 256 };

typedef struct Pass {
    const uint64_t *from; /* key in the high half, item in the low; NULL: the first pass */
    uint64_t *to;
    const uint32_t *keys;
    uint32_t *order, *sorted_keys; /* not NULL in the last pass */
    uint32_t *counts;              /* [chunk][digit] */
    uint32_t shift, digits;
} Pass;

static inline uint64_t pair_at(const Pass *pass, size_t i)
{
    return pass->from != NULL ? pass->from[i] : (uint64_t)pass->keys[i] << 32 | (uint32_t)i;
}

static inline uint32_t digit_of(const Pass *pass, uint64_t pair)
{
    return (uint32_t)(pair >> (32 + pass->shift)) & (pass->digits - 1);
}

static void count_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Pass *pass = argument;
    uint32_t *counts = pass->counts + chunk * pass->digits;
    memset(counts, 0, pass->digits * sizeof *counts);
    for (size_t i = begin; i < end; i++)
        counts[digit_of(pass, pair_at(pass, i))]++;
}

static void scatter_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Pass *pass = argument;
    uint32_t *place = pass->counts + chunk * pass->digits;
    for (size_t i = begin; i < end; i++) {
        uint64_t pair = pair_at(pass, i);
        uint32_t to = place[digit_of(pass, pair)]++;
        if (pass->order != NULL) {
            pass->order[to] = (uint32_t)pair;
            pass->sorted_keys[to] = (uint32_t)(pair >> 32);
        } else {
            pass->to[to] = pair;
        }
    }
}

static void counts_to_places(uint32_t *counts, uint32_t digits, size_t chunks)
{
    uint32_t place = 0;
    for (uint32_t digit = 0; digit < digits; digit++)
        for (size_t chunk = 0; chunk < chunks; chunk++) {
            uint32_t *count = &counts[chunk * digits + digit];
            uint32_t here = *count;
            *count = place;
            place += here;
        }
}

bool sl_sort_by_key(SlPool *pool, SlArena *arena, const uint32_t *keys, size_t count,
                    uint64_t key_limit, uint32_t *order, uint32_t *sorted_keys)
{
    uint32_t bits = 1;
    while (bits < 32 && (uint64_t)1 << bits < key_limit)
        bits++;
    uint32_t passes = (bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
    uint32_t digit_bits = (bits + passes - 1) / passes;
    size_t chunk_size = sl_chunk_count(count, MAX_CHUNKS);
    if (chunk_size < MIN_CHUNK)
        chunk_size = MIN_CHUNK;
    if (chunk_size < (size_t)4 << digit_bits) /* else there are more counts than items */
        chunk_size = (size_t)4 << digit_bits;
    size_t chunks = sl_chunk_count(count, chunk_size);

    uint64_t *buffers[2] = {passes > 1 ? SL_PUSH(arena, uint64_t, count) : NULL,
                            passes > 2 ? SL_PUSH(arena, uint64_t, count) : NULL};
    uint32_t *counts = SL_PUSH(arena, uint32_t, chunks << digit_bits);
    if ((passes > 1 && buffers[0] == NULL) || (passes > 2 && buffers[1] == NULL) || counts == NULL)
        return false;
    for (uint32_t p = 0; p < passes; p++) {
        bool last = p + 1 == passes;
        Pass pass = {.from = p > 0 ? buffers[(p - 1) & 1] : NULL,
                     .to = last ? NULL : buffers[p & 1],
                     .keys = keys,
                     .order = last ? order : NULL,
                     .sorted_keys = last ? sorted_keys : NULL,
                     .counts = counts,
                     .shift = p * digit_bits,
                     .digits = 1u << digit_bits};
        sl_parallel_for(pool, count, chunk_size, count_chunk, &pass);
        counts_to_places(counts, pass.digits, chunks);
        sl_parallel_for(pool, count, chunk_size, scatter_chunk, &pass);
    }
    return true;
}

typedef struct Starts {
    const uint32_t *keys;
    uint32_t *start;
    size_t count;
    uint64_t key_limit;
} Starts;

/* Place i writes the start of every key after its predecessor's, up to its own. */
static void open_keys(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Starts *s = argument;
    for (size_t i = begin; i < end; i++) {
        uint64_t first = i > 0 ? (uint64_t)s->keys[i - 1] + 1 : 0;
        for (uint64_t key = first; key <= s->keys[i]; key++)
            s->start[key] = (uint32_t)i;
    }
    if (end == s->count)
        for (uint64_t key = (uint64_t)s->keys[end - 1] + 1; key <= s->key_limit; key++)
            s->start[key] = (uint32_t)end;
}

void sl_key_starts(SlPool *pool, const uint32_t *sorted_keys, size_t count, uint64_t key_limit,
                   uint32_t *start)
{
    if (count == 0) {
        memset(start, 0, (size_t)(key_limit + 1) * sizeof *start);
        return;
    }
    Starts s = {sorted_keys, start, count, key_limit};
    sl_parallel_for(pool, count, MIN_CHUNK, open_keys, &s);
}
