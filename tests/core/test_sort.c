/* The parallel radix sort against a plain stable sort, for any threads. */
#include "core/random.h"
#include "core/sort.h"
#include "support/test.h"

static const uint32_t thread_counts[] = {1, 2, 3, 7};

typedef enum Pattern { RANDOM, EQUAL, FALLING, RISING, FEW, PATTERNS } Pattern;

static uint32_t key_at(Pattern pattern, size_t i, size_t count, uint64_t limit)
{
    uint32_t random = sl_random(limit, i, count).value[0];
    switch (pattern) {
    case RANDOM: return (uint32_t)(random % limit);
    case EQUAL: return (uint32_t)(limit - 1);
    case FALLING: return (uint32_t)((limit - 1) * (uint64_t)(count - 1 - i) / count);
    case RISING: return (uint32_t)((limit - 1) * (uint64_t)i / count);
    case FEW: return random % 3 == 0 ? 0 : (uint32_t)((limit - 1) / (1 + random % 2));
    case PATTERNS: break;
    }
    return 0;
}

/* The reference: by key, then by place; that order is the only stable one. */
typedef struct Pair {
    uint32_t key, item;
} Pair;

static int by_key_then_place(const void *a, const void *b)
{
    const Pair *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static void check_starts(SlContext *context, const uint32_t *sorted, size_t count, uint64_t limit)
{
    uint32_t *start = malloc((limit + 1) * sizeof *start);
    assert_non_null(start);
    memset(start, 0xee, (limit + 1) * sizeof *start);
    sl_key_starts(context->pool, sorted, count, limit, start);
    size_t place = 0;
    for (uint64_t key = 0; key <= limit; key++) {
        while (place < count && sorted[place] < key)
            place++;
        if (start[key] != place)
            fail_msg("start[%llu] = %u, not %zu", (unsigned long long)key, start[key], place);
    }
    free(start);
}

static void check_sort(SlContext *context, Pattern pattern, size_t count, uint64_t limit)
{
    uint32_t *keys = malloc((count + 1) * sizeof *keys);
    uint32_t *order = malloc((count + 1) * sizeof *order);
    uint32_t *sorted = malloc((count + 1) * sizeof *sorted);
    Pair *expected = malloc((count + 1) * sizeof *expected);
    assert_true(keys != NULL && order != NULL && sorted != NULL && expected != NULL);
    for (size_t i = 0; i < count; i++) {
        keys[i] = key_at(pattern, i, count, limit);
        expected[i] = (Pair){keys[i], (uint32_t)i};
    }
    qsort(expected, count, sizeof *expected, by_key_then_place);

    sl_arena_reset(&context->arena);
    assert_true(sl_sort_by_key(context->pool, &context->arena, keys, count, limit, order, sorted));
    for (size_t k = 0; k < count; k++)
        if (order[k] != expected[k].item || sorted[k] != expected[k].key)
            fail_msg("pattern %d, %zu items, limit %llu: place %zu has item %u key %u, not %u, %u",
                     (int)pattern, count, (unsigned long long)limit, k, order[k], sorted[k],
                     expected[k].item, expected[k].key);
    if (limit < 200000)
        check_starts(context, sorted, count, limit);
    free(keys);
    free(order);
    free(sorted);
    free(expected);
}

static void sorts_like_the_reference(void **state)
{
    (void)state;
    /* Around one chunk, and limits around one, two and three digits of 11 bits. */
    static const size_t counts[] = {0, 1, 2, 100, 8191, 8192, 8193, 30011};
    static const uint64_t limits[] = {1,       2,       3,         100,       2048,
                                      2049,    100000,  1u << 22,  5000000,   (uint64_t)1 << 32};
    for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
        SlContext *context = test_context(thread_counts[t]);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++)
                /* All patterns for one thread count; they cost most in the reference. */
                for (int p = 0; p < (t == 2 ? PATTERNS : 1); p++)
                    check_sort(context, (Pattern)p, counts[c], limits[l]);
        sl_context_destroy(context);
    }
}

static void nothing_is_allocated_once_warm(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    enum { COUNT = 20000 };
    static uint32_t keys[COUNT], order[COUNT], sorted[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        keys[i] = key_at(RANDOM, i, COUNT, 100000);
    uint64_t before = 0;
    for (int step = 0; step < 5; step++) {
        sl_arena_reset(&context->arena);
        assert_true(
            sl_sort_by_key(context->pool, &context->arena, keys, COUNT, 100000, order, sorted));
        if (step == 1)
            before = sl_context_allocation_count(context);
    }
    assert_int_equal(sl_context_allocation_count(context), before);
    sl_context_destroy(context);
}

/* An allocator that has nothing: the sort says so. */
static void *no_memory(void *user, size_t bytes, size_t alignment)
{
    (void)user, (void)bytes, (void)alignment;
    return NULL;
}

static void no_release(void *user, void *memory, size_t bytes)
{
    (void)user, (void)memory, (void)bytes;
}

static void out_of_memory_is_told(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlAllocator hooks = {no_memory, no_release, NULL};
    SlMemory memory;
    sl_memory_init(&memory, &hooks);
    SlArena arena;
    sl_arena_init(&arena, &memory);
    uint32_t keys[3] = {2, 1, 0}, order[3], sorted[3];
    assert_false(sl_sort_by_key(context->pool, &arena, keys, 3, 3, order, sorted));
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_like_the_reference),
        cmocka_unit_test(nothing_is_allocated_once_warm),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
