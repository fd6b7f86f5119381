/* Grid sort and SELL-8 lists on plain arrays against brute force, on both paths and several thread
   counts. */
#include "core/random.h"
#include "spatial/neighbours.h"
#include "support/test.h"

typedef struct Fixture {
    SlContext *context;
    SlPoints points; /* sorted */
    float *records;  /* of the points */
    uint32_t *order; /* of the last sort */
    SlCellGrid grid;
    SlNeighbourList list;
    float radius;
    SlGridKind kind;
    float far_distance; /* m: how far away every 500th point is; 0: none */
} Fixture;

/* Sorts the points by the grid, as a caller does. */
static void sort(Fixture *f)
{
    size_t n = f->points.count;
    assert_true(sl_grid_sort(&f->grid, f->points, &f->context->arena, f->order));
    float *sorted = malloc(16 * n);
    for (size_t k = 0; k < n; k++)
        memcpy(sorted + 4 * k, f->records + 4 * f->order[k], 16);
    memcpy(f->records, sorted, 16 * n);
    free(sorted);
}

/* Random points in a box, some outside it, some in a tight clump. With far points the box is open. */
static void make_with(Fixture *f, SlGridKind kind, float far_distance, SlIsa isa, uint32_t threads,
                      size_t count, float radius)
{
    f->kind = kind;
    f->far_distance = far_distance;
    SlContextDef def = sl_default_context_def();
    def.threads = threads;
    def.isa = isa;
    assert_ok(sl_context_create(&def, &f->context, &test_error));
    size_t capacity = (count + 7) / 8 * 8;
    f->records = calloc(4 * (capacity + 8), sizeof *f->records);
    f->order = calloc(count, sizeof *f->order);
    f->points = (SlPoints){f->records, count, capacity};
    for (size_t k = 4 * count; k < 4 * (capacity + 8); k++)
        f->records[k] = SL_FAR;
    SlBox box = {{-1, 0, 2}, {2, 1.5f, 4}};
    if (far_distance > 0)
        box = (SlBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    f->radius = radius;
    for (size_t i = 0; i < count; i++) {
        SlRandom4 r = sl_random(11, i, 0);
        float *x = f->records + 4 * i;
        float spread = i % 10 == 0 ? 0.1f : 1;
        x[0] = -1.2f + 3.4f * spread * sl_random_unit(r.value[0]);
        x[1] = -0.1f + 1.7f * spread * sl_random_unit(r.value[1]);
        x[2] = 1.9f + 2.2f * spread * sl_random_unit(r.value[2]);
        if (far_distance > 0 && i % 500 == 7)
            for (int k = 0; k < 3; k++)
                x[k] += far_distance * (2 * sl_random_unit(r.value[3]) - 1) * (float)(k + 1) / 3;
        x[3] = (float)i; /* follows the point through the sort */
    }
    assert_ok(sl_grid_create(f->context, box, radius, f->kind, &f->grid, &test_error));
    assert_ok(sl_neighbours_create(f->context, capacity, &f->list, &test_error));
    sort(f);
}

static void make(Fixture *f, SlIsa isa, uint32_t threads, size_t count, float radius)
{
    make_with(f, SL_GRID_BOUNDED, 0, isa, threads, count, radius);
}

static void destroy(Fixture *f)
{
    sl_neighbours_destroy(&f->list);
    sl_grid_destroy(&f->grid);
    free(f->records);
    free(f->order);
    assert_true(sl_context_bytes_held(f->context) < 100000000);
    sl_context_destroy(f->context);
}

static SlStatus build(Fixture *f)
{
    return sl_neighbours_build(&f->list, &f->grid, f->points, f->radius, &f->context->arena,
                               &test_error);
}

/* The order is a permutation that sorts by cell and keeps the order within a cell. */
static void order_is_stable_by_cell(void **state)
{
    (void)state;
    enum { COUNT = 5003 };
    Fixture f;
    make(&f, SL_ISA_BASE, 3, COUNT, 0.2f);
    char *seen = calloc(COUNT, 1);
    uint64_t last_cell = 0;
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t from = f.order[i];
        assert_true(from < COUNT && !seen[from]);
        seen[from] = 1;
        const float *x = f.records + 4 * i, *origin = &f.grid.origin.x;
        assert_true(x[3] == (float)from);
        uint64_t cell = 0;
        for (int k = 2; k >= 0; k--) {
            float along = floorf((x[k] - origin[k]) * f.grid.inverse_cell);
            along = fminf(fmaxf(along, 0), f.grid.max_cell[k]);
            cell = cell * f.grid.size[k] + (uint64_t)along;
        }
        assert_true(i == 0 || cell > last_cell || (cell == last_cell && f.order[i - 1] < from));
        assert_true(i >= f.grid.start[cell] && i < f.grid.start[cell + 1]);
        last_cell = cell;
    }
    free(seen);
    destroy(&f);
}

/* An empty set after a full one: no runs, no pairs, with either grid. */
static void empty_sets_have_no_pairs(void **state)
{
    (void)state;
    for (int kind = SL_GRID_BOUNDED; kind <= SL_GRID_COMPACT; kind++) {
        Fixture f;
        make_with(&f, (SlGridKind)kind, 0, SL_ISA_AUTO, 2, 500, 0.2f);
        assert_ok(build(&f));
        SlPoints none = f.points;
        none.count = 0;
        assert_true(sl_grid_sort(&f.grid, none, &f.context->arena, f.order));
        assert_ok(sl_neighbours_between(&f.list, f.points, &f.grid, none, f.radius,
                                        &f.context->arena, &test_error));
        for (size_t b = 0; b < sl_point_blocks(f.points); b++)
            assert_int_equal(f.list.row_count[b], 0);
        destroy(&f);
    }
}

static void check_against_brute_force(const Fixture *f)
{
    size_t n = f->points.count;
    const float *x = f->records;
    for (size_t i = 0; i < n; i++) {
        size_t listed = 0, expected = 0, b = i / 8, lane = i % 8;
        for (size_t j = 0; j < n; j++) {
            float dx = x[4 * j] - x[4 * i], dy = x[4 * j + 1] - x[4 * i + 1],
                  dz = x[4 * j + 2] - x[4 * i + 2];
            double r2 = (double)dx * dx + (double)dy * dy + (double)dz * dz;
            /* The edge of the radius may round either way. */
            if (j != i && fabs(r2 / ((double)f->radius * f->radius) - 1) > 1e-5)
                expected += r2 < (double)f->radius * f->radius;
        }
        bool ended = false;
        for (uint32_t k = 0; k < f->list.row_count[b]; k++) {
            uint32_t j = f->list.rows[f->list.row_begin[b] + k][lane];
            if (j == f->list.sentinel) {
                ended = true;
                continue;
            }
            assert_false(ended); /* padding only at the end */
            assert_true(j < n && j != i);
            float dx = x[4 * j] - x[4 * i], dy = x[4 * j + 1] - x[4 * i + 1],
                  dz = x[4 * j + 2] - x[4 * i + 2];
            double r2 = (double)dx * dx + (double)dy * dy + (double)dz * dz;
            assert_true(r2 < 1.00002 * (double)f->radius * f->radius);
            listed += fabs(r2 / ((double)f->radius * f->radius) - 1) > 1e-5;
        }
        assert_int_equal(listed, expected);
    }
}

static void lists_equal_brute_force(void **state)
{
    (void)state;
    SlIsa paths[2] = {SL_ISA_BASE, SL_ISA_AVX2};
    size_t counts[4] = {1, 8, 9, 3001};
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 4; k++) {
            Fixture f;
            make(&f, paths[p], 2, counts[k], 0.2f);
            assert_ok(build(&f));
            check_against_brute_force(&f);
            destroy(&f);
        }
}

/* The clump overflows the first guess of rows: the list grows and is still right. */
static void lists_grow(void **state)
{
    (void)state;
    Fixture f;
    make(&f, SL_ISA_AUTO, 2, 4000, 0.5f);
    assert_int_equal(f.list.row_capacity, 0);
    assert_ok(build(&f));
    uint64_t guessed = (uint64_t)f.list.segments * SL_SEGMENT_BLOCKS * 44;
    assert_true(f.list.row_capacity > guessed);
    check_against_brute_force(&f);
    destroy(&f);
}

static void crowd_is_an_error(void **state)
{
    (void)state;
    Fixture f;
    make(&f, SL_ISA_AUTO, 2, 30000, 1.0f);
    assert_int_equal(build(&f), SL_ERROR_NUMBERS);
    assert_true(f.list.crowded < f.points.count);
    destroy(&f);
}

static void lists_do_not_depend_on_threads(void **state)
{
    (void)state;
    Fixture one, many;
    make(&one, SL_ISA_AUTO, 1, 20011, 0.12f);
    assert_ok(build(&one));
    for (uint32_t threads = 2; threads < 8; threads += 5) {
        make(&many, SL_ISA_AUTO, threads, 20011, 0.12f);
        assert_ok(build(&many));
        for (size_t b = 0; b < sl_point_blocks(one.points); b++) {
            assert_int_equal(one.list.row_count[b], many.list.row_count[b]);
            assert_memory_equal(one.list.rows + one.list.row_begin[b],
                                many.list.rows + many.list.row_begin[b],
                                32 * one.list.row_count[b]);
        }
        destroy(&many);
    }
    destroy(&one);
}

static void same_lists(const Fixture *one, const Fixture *other)
{
    assert_memory_equal(one->order, other->order, 4 * one->points.count);
    for (size_t b = 0; b < sl_point_blocks(one->points); b++) {
        assert_int_equal(one->list.row_count[b], other->list.row_count[b]);
        assert_memory_equal(one->list.rows + one->list.row_begin[b],
                            other->list.rows + other->list.row_begin[b],
                            32 * one->list.row_count[b]);
    }
}

/* Order and lists, entry by entry, on both paths. */
static void compact_equals_bounded(void **state)
{
    (void)state;
    SlIsa paths[2] = {SL_ISA_BASE, SL_ISA_AVX2};
    size_t counts[4] = {1, 9, 3001, 40003};
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 4; k++) {
            Fixture bounded, compact;
            make_with(&bounded, SL_GRID_BOUNDED, 0, paths[p], 2, counts[k], 0.09f);
            make_with(&compact, SL_GRID_COMPACT, 0, paths[p], 3, counts[k], 0.09f);
            assert_false(bounded.grid.compact);
            assert_true(compact.grid.compact);
            assert_ok(build(&bounded));
            assert_ok(build(&compact));
            same_lists(&bounded, &compact);
            destroy(&bounded);
            destroy(&compact);
        }
}

/* Far points on both sides of the origin: cell numbers of up to 56 bits, of 32 and a few. */
static void open_worlds_equal_brute_force(void **state)
{
    (void)state;
    const float far_distances[4] = {1e-3f, 20, 300, 4e4f};
    for (int k = 0; k < 4; k++) {
        Fixture f, threads;
        make_with(&f, SL_GRID_AUTO, far_distances[k], SL_ISA_AUTO, 1, 3001, 0.2f);
        assert_true(f.grid.compact);
        assert_ok(build(&f));
        check_against_brute_force(&f);
        make_with(&threads, SL_GRID_AUTO, far_distances[k], SL_ISA_AUTO, 5, 3001, 0.2f);
        assert_ok(build(&threads));
        same_lists(&f, &threads);
        destroy(&threads);
        destroy(&f);
    }
}

/* Sorted by z, then y, then x of the cell, negative ones too. */
static void open_cells_are_in_order(void **state)
{
    (void)state;
    Fixture f;
    make_with(&f, SL_GRID_AUTO, 4e4f, SL_ISA_AUTO, 2, 20000, 0.2f);
    const float *x = f.records;
    for (size_t i = 1; i < 20000; i++) {
        int order = 0;
        for (int k = 2; k >= 0 && order == 0; k--) {
            float a = floorf(x[4 * (i - 1) + (size_t)k] * f.grid.inverse_cell);
            float b = floorf(x[4 * i + (size_t)k] * f.grid.inverse_cell);
            order = (a > b) - (a < b);
        }
        assert_true(order <= 0);
    }
    destroy(&f);
}

/* Memory follows the particles: a world of 1000 km³ holds what a small one does. */
static void compact_memory_follows_particles(void **state)
{
    (void)state;
    Fixture f;
    make_with(&f, SL_GRID_AUTO, 2e4f, SL_ISA_AUTO, 2, 20000, 0.2f);
    uint64_t held = f.grid.stretch_capacity * sizeof *f.grid.stretches +
                    (sizeof *f.grid.table << f.grid.table_bits);
    assert_less(held, 20000 * 130);
    uint32_t before = f.grid.stretch_capacity;
    for (int k = 0; k < 3; k++) {
        sl_arena_reset(&f.context->arena);
        sort(&f);
    }
    assert_int_equal(f.grid.stretch_capacity, before);
    destroy(&f);
}

/* Between two sets rows follow the pairs: few while few meet, laid out anew when more do. */
static void lists_between_sets_follow_the_pairs(void **state)
{
    (void)state;
    enum { COUNT = 9000 };
    Fixture f;
    make(&f, SL_ISA_AUTO, 2, COUNT, 0.12f);
    SlNeighbourList list;
    assert_ok(sl_neighbours_create(f.context, f.points.capacity, &list, &test_error));
    const float *other = f.records;
    float *at = calloc(4 * (COUNT + 16), sizeof *at);
    uint64_t capacity[3];
    for (int k = 0; k < 3; k++) {
        float away = k == 0 ? 1000.0f : k == 1 ? 2.0f : 0.0f; /* all of it, two thirds, nothing */
        for (size_t i = 0; i < 4 * COUNT; i++)
            at[i] = other[i] + (i % 4 == 0 ? away : 0);
        SlPoints points = {at, COUNT, f.points.capacity};
        assert_ok(sl_neighbours_between(&list, points, &f.grid, f.points, f.radius,
                                        &f.context->arena, &test_error));
        capacity[k] = list.row_capacity;
        for (size_t i = 0; i < COUNT; i += 7) {
            uint32_t expected = 0, listed = 0;
            for (size_t j = 0; j < COUNT; j++) {
                float u[3] = {other[4 * j] - at[4 * i], other[4 * j + 1] - at[4 * i + 1],
                              other[4 * j + 2] - at[4 * i + 2]};
                float r2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
                expected += fabsf(r2 / (f.radius * f.radius) - 1) > 1e-5f && r2 < f.radius * f.radius;
            }
            for (uint32_t row = 0; row < list.row_count[i / 8]; row++) {
                uint32_t j = list.rows[list.row_begin[i / 8] + row][i % 8];
                if (j == list.sentinel)
                    continue;
                float u[3] = {other[4 * j] - at[4 * i], other[4 * j + 1] - at[4 * i + 1],
                              other[4 * j + 2] - at[4 * i + 2]};
                float r2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
                listed += fabsf(r2 / (f.radius * f.radius) - 1) > 1e-5f;
            }
            assert_int_equal(listed, expected);
        }
    }
    print_message("rows between two sets: %llu, %llu, %llu\n", (unsigned long long)capacity[0],
                  (unsigned long long)capacity[1], (unsigned long long)capacity[2]);
    assert_true(capacity[0] <= 8 * list.segments);
    assert_true(capacity[0] < capacity[1] && capacity[1] < capacity[2]);
    free(at);
    sl_neighbours_destroy(&list);
    destroy(&f);
}

static void huge_domains_are_compact_or_refused(void **state)
{
    (void)state;
    SlBox box = {{-1e6f, -1e6f, -1e6f}, {1e6f, 1e6f, 1e6f}};
    SlBox street = {{0, 0, 0}, {1e4f, 20, 1e4f}}, open = box;
    open.max.y = INFINITY;
    assert_int_equal(sl_grid_cells(box, 0.01), 0);
    SlContext *context = test_context(1);
    SlCellGrid grid;
    assert_int_equal(sl_grid_create(context, box, 0.01f, SL_GRID_AUTO, &grid, &test_error),
                     SL_ERROR_MEMORY);
    assert_int_equal(sl_grid_create(context, open, 10, SL_GRID_BOUNDED, &grid, &test_error),
                     SL_ERROR_MEMORY);
    assert_ok(sl_grid_create(context, street, 0.1f, SL_GRID_AUTO, &grid, &test_error));
    assert_true(grid.compact);
    sl_grid_destroy(&grid);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_stable_by_cell),
        cmocka_unit_test(empty_sets_have_no_pairs),
        cmocka_unit_test(lists_equal_brute_force),
        cmocka_unit_test(lists_grow),
        cmocka_unit_test(lists_between_sets_follow_the_pairs),
        cmocka_unit_test(crowd_is_an_error),
        cmocka_unit_test(lists_do_not_depend_on_threads),
        cmocka_unit_test(compact_equals_bounded),
        cmocka_unit_test(open_worlds_equal_brute_force),
        cmocka_unit_test(open_cells_are_in_order),
        cmocka_unit_test(compact_memory_follows_particles),
        cmocka_unit_test(huge_domains_are_compact_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
