/* The parallel loop: every item and chunk exactly once, whatever the threads; ordered folds. */
#include <unistd.h>

#include "core/random.h"
#include "core/parallel.h"
#include "support/test.h"

static const uint32_t thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };

/* Counts visits. Atomic, so that a chunk run twice at once is seen and not lost. */
typedef struct Visits {
    size_t count, chunk_size;
    _Atomic uint32_t *items, *chunks;
    _Atomic uint32_t wrong_bounds;
} Visits;

static void visit(void *argument, size_t begin, size_t end, size_t chunk)
{
    Visits *visits = argument;
    size_t last = begin + visits->chunk_size < visits->count ? begin + visits->chunk_size
                                                             : visits->count;
    if (begin != chunk * visits->chunk_size || end != last || begin >= end)
        atomic_fetch_add(&visits->wrong_bounds, 1);
    atomic_fetch_add(&visits->chunks[chunk], 1);
    for (size_t i = begin; i < end; i++)
        atomic_fetch_add(&visits->items[i], 1);
}

static void check_loop(SlContext *context, size_t count, size_t chunk_size)
{
    size_t chunks = sl_chunk_count(count, chunk_size);
    Visits visits = {.count = count, .chunk_size = chunk_size};
    visits.items = calloc(count + 1, sizeof *visits.items);
    visits.chunks = calloc(chunks + 1, sizeof *visits.chunks);
    assert_true(visits.items != NULL && visits.chunks != NULL);
    sl_parallel_for(context->pool, count, chunk_size, visit, &visits);
    assert_int_equal(atomic_load(&visits.wrong_bounds), 0);
    for (size_t c = 0; c < chunks; c++)
        assert_int_equal(atomic_load(&visits.chunks[c]), 1);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(atomic_load(&visits.items[i]), 1);
    free(visits.items);
    free(visits.chunks);
}

static void every_chunk_once(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, 63, 64, 65, 1000, 10007};
    static const size_t chunk_sizes[] = {1, 3, 64, 512, 20000};
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        SlContext *context = test_context(thread_counts[t]);
        assert_int_equal(sl_context_threads(context), thread_counts[t]);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (size_t s = 0; s < sizeof chunk_sizes / sizeof chunk_sizes[0]; s++)
                check_loop(context, counts[c], chunk_sizes[s]);
        sl_context_destroy(context);
    }
}

static void never(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)argument, (void)begin, (void)end, (void)chunk;
    fail_msg("an empty loop has no chunk");
}

static void empty_loops_do_nothing(void **state)
{
    (void)state;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        SlContext *context = test_context(thread_counts[t]);
        for (int k = 0; k < 1000; k++)
            sl_parallel_for(context->pool, 0, 64, never, NULL);
        sl_context_destroy(context);
    }
}

/* Plain memory on purpose: a chunk is one item's only writer, and a loop sees all that the loop
   before it wrote. A thread that lags behind would break the chain (and TSan would tell). */
static void add_neighbour(void *argument, size_t begin, size_t end, size_t chunk)
{
    uint64_t **arrays = argument;
    (void)chunk;
    for (size_t i = begin; i < end; i++)
        arrays[1][i] = arrays[0][i] + arrays[0][(i + 1) % 20] % 3 + 1;
}

static void many_loops_in_a_row(void **state)
{
    (void)state;
    uint64_t expected[20] = {0};
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        SlContext *context = test_context(thread_counts[t]);
        uint64_t a[20] = {0}, b[20] = {0};
        uint64_t *arrays[2] = {a, b};
        uint64_t before = sl_context_allocation_count(context);
        for (int loop = 0; loop < 10000; loop++) {
            sl_parallel_for(context->pool, 20, 3, add_neighbour, arrays);
            uint64_t *swap = arrays[0];
            arrays[0] = arrays[1];
            arrays[1] = swap;
        }
        assert_int_equal(sl_context_allocation_count(context), before);
        if (t == 0)
            memcpy(expected, arrays[0], sizeof expected);
        assert_memory_equal(arrays[0], expected, sizeof expected);
        sl_context_destroy(context);
    }
}

/* A program's own scheduler: runs tasks from last to first on the calling thread. */
typedef struct Backwards {
    uint32_t runs, tasks, most;
} Backwards;

static void run_backwards(void *user, void (*task)(void *argument, uint32_t index), void *argument,
                          uint32_t count)
{
    Backwards *seen = user;
    seen->runs++;
    seen->most = count > seen->most ? count : seen->most;
    for (uint32_t k = count; k-- > 0; seen->tasks++)
        task(argument, k);
}

static void own_scheduler_is_used(void **state)
{
    (void)state;
    Backwards seen = {0};
    SlContextDef def = sl_default_context_def();
    def.threads = 9; /* has no say where a scheduler is given */
    def.tasks = (SlTaskScheduler){run_backwards, 5, &seen};
    SlContext *context;
    assert_ok(sl_context_create(&def, &context, &test_error));
    assert_int_equal(sl_context_threads(context), 5);
    check_loop(context, 1000, 7);
    assert_int_equal(seen.runs, 1);
    assert_int_equal(seen.most, 5);
    /* No more tasks than chunks. */
    check_loop(context, 30, 10);
    assert_int_equal(seen.tasks, 5 + 3);
    check_loop(context, 0, 10);
    assert_int_equal(seen.runs, 2);
    sl_context_destroy(context);
}

typedef struct Sums {
    const double *values;
    double *partials; /* sum and maximum of each chunk */
} Sums;

static void add_up(void *argument, size_t begin, size_t end, size_t chunk)
{
    Sums *sums = argument;
    double sum = 0, most = -INFINITY;
    for (size_t i = begin; i < end; i++) {
        sum += sums->values[i];
        most = sums->values[i] > most ? sums->values[i] : most;
    }
    sums->partials[2 * chunk] = sum;
    sums->partials[2 * chunk + 1] = most;
}

static void sums_have_the_same_bits(void **state)
{
    (void)state;
    enum { COUNT = 20011, CHUNKS = (COUNT + SL_REDUCE_CHUNK - 1) / SL_REDUCE_CHUNK };
    static double values[COUNT], partials[2 * CHUNKS];
    double largest = -INFINITY;
    for (uint64_t i = 0; i < COUNT; i++) {
        /* Wide range and both signs: another order of additions gives other bits. */
        SlRandom4 random = sl_random(1, i, 0);
        values[i] = ldexp((double)random.value[0] - 2e9, (int)(random.value[1] % 40));
        largest = values[i] > largest ? values[i] : largest;
    }
    double first = 0;
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        SlContext *context = test_context(thread_counts[t]);
        for (int repeat = 0; repeat < 20; repeat++) {
            Sums sums = {values, partials};
            sl_parallel_for(context->pool, COUNT, SL_REDUCE_CHUNK, add_up, &sums);
            double sum = sl_fold_sum(partials, CHUNKS, 2, 0);
            if (t == 0 && repeat == 0)
                first = sum;
            assert_memory_equal(&sum, &first, sizeof sum);
            assert_true(sl_fold_max(partials, CHUNKS, 2, 1) == largest);
        }
        sl_context_destroy(context);
    }
}

int main(void)
{
    alarm(120); /* a hang is a failure */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_once),
        cmocka_unit_test(empty_loops_do_nothing),
        cmocka_unit_test(many_loops_in_a_row),
        cmocka_unit_test(own_scheduler_is_used),
        cmocka_unit_test(sums_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
