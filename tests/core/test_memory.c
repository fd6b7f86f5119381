/* The counted allocator: counts, sizes on release, overflow, and an allocator that fails. */
#include "support/test.h"

/* A program's allocator that gives `left` more blocks and then none, and checks the sizes. */
typedef struct Rationed {
    int left;
    uint64_t held, calls;
    bool misaligned;
} Rationed;

static void *rationed_alloc(void *user, size_t bytes, size_t alignment)
{
    Rationed *ration = user;
    if (ration->left == 0)
        return NULL;
    ration->left--;
    ration->calls++;
    ration->held += bytes;
    ration->misaligned |= alignment != SL_ALIGNMENT;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void rationed_release(void *user, void *memory, size_t bytes)
{
    ((Rationed *)user)->held -= bytes;
    free(memory);
}

static SlAllocator hooks_of(Rationed *ration)
{
    return (SlAllocator){rationed_alloc, rationed_release, ration};
}

static void counts_follow(void **state)
{
    (void)state;
    SlMemory memory;
    sl_memory_init(&memory, NULL);
    char *a = sl_alloc(&memory, 100), *b = sl_alloc(&memory, 28);
    assert_int_equal((uintptr_t)a % SL_ALIGNMENT, 0);
    assert_int_equal((uintptr_t)b % SL_ALIGNMENT, 0);
    assert_int_equal(atomic_load(&memory.allocations), 2);
    assert_int_equal(atomic_load(&memory.bytes_held), 128);

    memset(a, 5, 100);
    a = sl_regrow(&memory, a, 100, 1000, 60);
    for (int k = 0; k < 60; k++)
        assert_int_equal(a[k], 5);
    assert_int_equal(atomic_load(&memory.allocations), 3);
    assert_int_equal(atomic_load(&memory.bytes_held), 1028);

    sl_free(&memory, a, 1000);
    sl_free(&memory, b, 28);
    sl_free(&memory, NULL, 0);
    assert_int_equal(atomic_load(&memory.bytes_held), 0);
    assert_int_equal(atomic_load(&memory.allocations), 3);
}

static void zero_bytes_are_null(void **state)
{
    (void)state;
    SlMemory memory;
    sl_memory_init(&memory, NULL);
    assert_null(sl_alloc(&memory, 0));
    assert_null(sl_alloc_zero(&memory, 0, 8));
    assert_int_equal(atomic_load(&memory.allocations), 0);
}

static void zeroed_means_zero(void **state)
{
    (void)state;
    SlMemory memory;
    sl_memory_init(&memory, NULL);
    for (int round = 0; round < 4; round++) {
        unsigned char *block = sl_alloc_zero(&memory, 1000, 3);
        for (int k = 0; k < 3000; k++)
            assert_int_equal(block[k], 0);
        memset(block, 255, 3000);
        sl_free(&memory, block, 3000);
    }
}

static void overflow_is_refused(void **state)
{
    (void)state;
    SlMemory memory;
    sl_memory_init(&memory, NULL);
    assert_null(sl_alloc_zero(&memory, SIZE_MAX / 2, 3));
    assert_null(sl_alloc_zero(&memory, SIZE_MAX / 8 + 1, 8));
    assert_null(sl_alloc(&memory, SIZE_MAX));
    assert_null(sl_alloc(&memory, SIZE_MAX - 62));
    assert_int_equal(atomic_load(&memory.allocations), 0);
    assert_int_equal(atomic_load(&memory.bytes_held), 0);
}

static void failed_growth_keeps_the_old_block(void **state)
{
    (void)state;
    Rationed ration = {.left = 1};
    SlAllocator hooks = hooks_of(&ration);
    SlMemory memory;
    sl_memory_init(&memory, &hooks);
    char *block = sl_alloc(&memory, 10);
    memcpy(block, "kept", 5);
    assert_null(sl_regrow(&memory, block, 10, 1000, 10));
    assert_string_equal(block, "kept");
    assert_int_equal(atomic_load(&memory.bytes_held), 10);
    sl_free(&memory, block, 10);
    assert_int_equal(ration.held, 0);
}

/* A context whose n-th allocation fails, for every n: a sentence, and nothing leaks. */
static void context_survives_any_failing_allocation(void **state)
{
    (void)state;
    for (int left = 0;; left++) {
        assert_true(left < 50);
        Rationed ration = {.left = left};
        SlContextDef def = sl_default_context_def();
        def.threads = 3;
        def.allocator = hooks_of(&ration);
        SlContext *context;
        SlError error = {0};
        SlStatus status = sl_context_create(&def, &context, &error);
        if (status == SL_OK) {
            assert_int_equal(sl_context_bytes_held(context), ration.held);
            assert_int_equal(sl_context_allocation_count(context), ration.calls);
            sl_context_destroy(context);
            assert_int_equal(ration.held, 0);
            assert_false(ration.misaligned);
            assert_true(left > 0);
            return;
        }
        assert_int_equal(status, SL_ERROR_MEMORY);
        assert_int_equal(error.status, SL_ERROR_MEMORY);
        assert_true(strlen(error.text) > 0);
        assert_null(context);
        assert_int_equal(ration.held, 0);
    }
}

static void arena_survives_a_failing_allocator(void **state)
{
    (void)state;
    Rationed ration = {.left = 2};
    SlAllocator hooks = hooks_of(&ration);
    SlMemory memory;
    sl_memory_init(&memory, &hooks);
    SlArena arena;
    sl_arena_init(&arena, &memory);
    assert_non_null(sl_arena_push(&arena, 1000));
    assert_non_null(sl_arena_push(&arena, 5000));
    assert_null(sl_arena_push(&arena, 90000));
    /* The merge at the reset fails as well; the next push must say so, not crash. */
    sl_arena_reset(&arena);
    assert_null(sl_arena_push(&arena, 1000));
    ration.left = 1;
    assert_non_null(sl_arena_push(&arena, 1000));
    sl_arena_free(&arena);
    assert_int_equal(ration.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_follow),
        cmocka_unit_test(zero_bytes_are_null),
        cmocka_unit_test(zeroed_means_zero),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(failed_growth_keeps_the_old_block),
        cmocka_unit_test(context_survives_any_failing_allocation),
        cmocka_unit_test(arena_survives_a_failing_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
