/* The frame arena: growth in pieces, one piece after a reset, nothing allocated once warm. */
#include "support/test.h"

static void assert_aligned(const void *block)
{
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % SL_ALIGNMENT, 0);
}

static void blocks_are_aligned_and_apart(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    static const size_t sizes[] = {0, 1, 63, 64, 65, 0, 1000, 4096, 1, 100000, 7};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    unsigned char *blocks[COUNT];
    for (size_t k = 0; k < COUNT; k++) {
        blocks[k] = sl_arena_push(&context->arena, sizes[k]);
        assert_aligned(blocks[k]);
        memset(blocks[k], (int)k + 1, sizes[k]);
    }
    /* Each still holds its own bytes: no two overlap. */
    for (size_t k = 0; k < COUNT; k++)
        for (size_t b = 0; b < sizes[k]; b++)
            assert_int_equal(blocks[k][b], k + 1);
    sl_context_destroy(context);
}

/* What a step might push; different sizes, so that pieces do not fit by chance. */
static void push_step(SlArena *arena)
{
    for (size_t k = 1; k <= 100; k++)
        assert_aligned(sl_arena_push(arena, k * k * 37));
}

static void pieces_become_one_and_then_nothing_is_allocated(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlArena *arena = &context->arena;
    push_step(arena);
    assert_true(arena->piece_count > 1);
    size_t used = arena->in_use;
    assert_int_equal(arena->high_water, used);

    sl_arena_reset(arena);
    assert_int_equal(arena->piece_count, 1);
    assert_int_equal(arena->in_use, 0);
    assert_true(arena->pieces[0].size >= used);

    uint64_t before = sl_context_allocation_count(context);
    for (int step = 0; step < 50; step++) {
        push_step(arena);
        assert_int_equal(arena->in_use, used);
        sl_arena_reset(arena);
    }
    assert_int_equal(sl_context_allocation_count(context), before);

    /* A larger step grows once more, and is then steady too. */
    push_step(arena);
    push_step(arena);
    sl_arena_reset(arena);
    assert_int_equal(arena->piece_count, 1);
    before = sl_context_allocation_count(context);
    push_step(arena);
    push_step(arena);
    assert_int_equal(sl_context_allocation_count(context), before);
    sl_context_destroy(context);
}

/* What was pushed before a mark stays; what came after gives its room to the next, in one piece or
   over several. */
static void released_room_is_used_again(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlArena *arena = &context->arena;
    for (int round = 0; round < 2; round++) { /* pieces, then one */
        unsigned char *kept = sl_arena_push(arena, 1000);
        memset(kept, 7, 1000);
        size_t in_use = arena->in_use;
        for (int k = 0; k < 3; k++) {
            SlArenaMark mark = sl_arena_mark(arena);
            memset(sl_arena_push(arena, 300), k, 300);
            memset(sl_arena_push(arena, 5000), k, 5000);
            sl_arena_release(arena, mark);
            assert_int_equal(arena->in_use, in_use);
        }
        size_t most = arena->high_water;
        memset(sl_arena_push(arena, 5000), 9, 5000);
        assert_int_equal(arena->high_water, most);
        for (int k = 0; k < 1000; k++)
            assert_int_equal(kept[k], 7);
        sl_arena_reset(arena);
        assert_int_equal(arena->piece_count, 1);
    }
    /* The first mark may be taken before there is anything. */
    SlArena empty;
    sl_arena_init(&empty, &context->memory);
    SlArenaMark mark = sl_arena_mark(&empty);
    assert_non_null(sl_arena_push(&empty, 100));
    sl_arena_release(&empty, mark);
    assert_int_equal(empty.in_use, 0);
    sl_arena_free(&empty);
    sl_context_destroy(context);
}

/* A function that is called again and again takes the same scratch each time: pieces must not add up. */
static void rounds_between_marks_become_steady(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlArena *arena = &context->arena;
    for (int outer = 0; outer < 2; outer++) {
        uint64_t allocations = 0;
        size_t in_use = arena->in_use;
        for (int round = 0; round < 200; round++) {
            SlArenaMark mark = sl_arena_mark(arena);
            push_step(arena);
            sl_arena_release(arena, mark);
            assert_int_equal(arena->in_use, in_use);
            if (round == 0)
                allocations = sl_context_allocation_count(context);
        }
        assert_int_equal(sl_context_allocation_count(context), allocations);
        assert_true(arena->piece_count <= 2);
        memset(sl_arena_push(arena, 5000), 1, 5000); /* the second time there is something below the mark */
    }
    sl_context_destroy(context);
}

/* Rounds whose need grows a little each time: what earlier ones had becomes part of the next. */
static void growing_rounds_keep_few_pieces(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    SlArena *arena = &context->arena;
    for (size_t round = 0; round < 200; round++) {
        SlArenaMark mark = sl_arena_mark(arena);
        for (size_t k = 0; k < 4; k++)
            assert_aligned(sl_arena_push(arena, 10000 + 1000 * round));
        size_t needed = arena->in_use, held = 0;
        for (uint32_t k = 0; k < arena->piece_count; k++)
            held += arena->pieces[k].size;
        assert_true(held <= 3 * needed);
        sl_arena_release(arena, mark);
        assert_true(arena->piece_count <= 1);
    }
    sl_context_destroy(context);
}

static void many_small_pushes_need_few_pieces(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    for (int k = 0; k < 100000; k++)
        assert_non_null(sl_arena_push(&context->arena, 16));
    assert_true(context->arena.piece_count < SL_ARENA_PIECES);
    sl_context_destroy(context);
}

static void too_much_gives_null_and_harms_nothing(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    char *kept = sl_arena_push(&context->arena, 100);
    memset(kept, 7, 100);
    size_t in_use = context->arena.in_use;
    assert_null(sl_arena_push(&context->arena, SIZE_MAX));
    assert_null(sl_arena_push(&context->arena, SIZE_MAX - SL_ALIGNMENT));
    assert_null(sl_arena_push(&context->arena, SIZE_MAX / 2));
    assert_int_equal(context->arena.in_use, in_use);
    assert_int_equal(kept[99], 7);
    assert_aligned(sl_arena_push(&context->arena, 100));
    sl_context_destroy(context);
}

/* Element counts come from scenes: their product with the size must not wrap. */
static void typed_push_survives_overflow(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    assert_null(SL_PUSH(&context->arena, double, SIZE_MAX / sizeof(double) + 2));
    assert_non_null(SL_PUSH(&context->arena, double, 10));
    sl_context_destroy(context);
}

static void destroyed_arena_gives_everything_back(void **state)
{
    (void)state;
    SlMemory memory;
    sl_memory_init(&memory, NULL);
    SlArena arena;
    sl_arena_init(&arena, &memory);
    push_step(&arena);
    assert_true(atomic_load(&memory.bytes_held) > 0);
    sl_arena_free(&arena);
    assert_int_equal(atomic_load(&memory.bytes_held), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_apart),
        cmocka_unit_test(pieces_become_one_and_then_nothing_is_allocated),
        cmocka_unit_test(released_room_is_used_again),
        cmocka_unit_test(rounds_between_marks_become_steady),
        cmocka_unit_test(growing_rounds_keep_few_pieces),
        cmocka_unit_test(many_small_pushes_need_few_pieces),
        cmocka_unit_test(too_much_gives_null_and_harms_nothing),
        cmocka_unit_test(typed_push_survives_overflow),
        cmocka_unit_test(destroyed_arena_gives_everything_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
