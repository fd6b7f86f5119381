/* Reuse of neighbour lists within a frame: no pair is missed, lists are reused only while they are valid, and
   results do not depend on a restart or the number of threads. */
#include "core/random.h"
#include "solvers/pbf/pbf.h"
#include "support/boundary_worlds.h"
#include "world/world.h"

static SlWorld *pool(uint32_t threads, double skin, double max_stale_fraction, uint32_t steps, SlVec3 domain)
{
    DamSetting setting = {.threads = threads, .nx = 16, .ny = 10, .nz = 12, .steps = steps,
                          .iterations = 2, .domain = domain};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_system_set_number(world, first_system(world), "skin", skin, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "max_stale_fraction", max_stale_fraction, &test_error));
    return world;
}

static SlSystem *system_of(SlWorld *world)
{
    return &world->systems[0]->base;
}

static bool is_listed(const SlNeighbourList *list, size_t i, uint32_t j)
{
    const uint32_t(*row)[8] = (const uint32_t(*)[8])list->rows + list->row_begin[i / 8];
    for (uint32_t k = 0; k < list->row_count[i / 8]; k++)
        if (row[k][i % 8] == j)
            return true;
    return false;
}

/* Sort and list as in a step of 1e-6 s. */
static void update_list(SlSystem *system, SlFluidPass *pass)
{
    SlListChoice list;
    assert_ok(sl_fluid_choose_list(system, pass, 1e-6, &list, &test_error));
    if (list.rebuild) {
        assert_ok(sl_fluid_sort(system, pass, list.source, &test_error));
        assert_ok(sl_fluid_list(system, pass, list.source, &test_error));
    }
}

/* All particles move by one vector and by up to half a skin more: the list stays and has all pairs. */
static void misses_nobody(void **state)
{
    (void)state;
    const float d = 0.1f, skin = 0.3f;
    SlWorld *world = pool(2, (double)skin, 0, 4, (SlVec3){8, 8, 8});
    assert_ok(sl_world_start(world, &test_error));
    SlSystem *system = system_of(world);
    SlFluidState *fluid = system->state;
    SlPbfPass pass;
    system->surroundings.interval_begins = true;
    assert_ok(sl_pbf_prepare(system, 1e-6, &pass, &test_error));
    sl_fluid_predict(system, &pass.fluid);
    update_list(system, &pass.fluid);
    uint64_t lists = fluid->list_count;
    system->surroundings.interval_begins = false;
    size_t n = pass.fluid.particles.count;
    for (size_t i = 0; i < n; i++) {
        SlRandom4 r = sl_random(3, (uint32_t)i, 0);
        float by[3], length = 0;
        for (int k = 0; k < 3; k++) {
            by[k] = sl_random_unit(r.value[k]) - 0.5f;
            length += by[k] * by[k];
        }
        for (int k = 0; k < 3; k++)
            pass.fluid.particles.predicted[4 * i + (size_t)k] =
                sl_f32x4(&system->particles, SL_F_REFERENCE)[4 * i + (size_t)k] + 0.7f + 0.48f * skin * d * by[k] / sqrtf(length);
    }
    update_list(system, &pass.fluid);
    assert_int_equal(fluid->list_count, lists);
    size_t pairs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const float *a = pass.fluid.particles.predicted + 4 * i, *b = pass.fluid.particles.predicted + 4 * j;
            float r2 = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                       (a[2] - b[2]) * (a[2] - b[2]);
            if (i == j || r2 >= 4 * d * d)
                continue;
            pairs++;
            if (!is_listed(&fluid->list, i, (uint32_t)j))
                fail_msg("pair %zu, %zu at %g is not listed", i, j, (double)sqrtf(r2));
        }
    assert_true(pairs > 20 * n);
    /* A particle that moves too far causes a list build, unless stale neighbours are allowed. */
    pass.fluid.particles.predicted[4 * 17] += 0.6f * skin * d;
    update_list(system, &pass.fluid);
    assert_int_equal(fluid->list_count, lists + 1);
    sl_world_destroy(world);
}

/* Water at rest reuses its lists, a breaking dam does not, except with max_stale_fraction 1. */
static void serves_while_it_may(void **state)
{
    (void)state;
    const struct {
        SlVec3 domain;
        double max_stale_fraction;
        uint64_t least, most; /* lists built in 10 frames of 4 steps */
    } cases[] = {{{1.6f, 3, 1.2f}, 0, 10, 10}, {{8, 3, 1.2f}, 0, 15, 40}, {{8, 3, 1.2f}, 1, 10, 10}};
    for (size_t c = 0; c < 3; c++) {
        SlWorld *world = pool(2, 0.2, cases[c].max_stale_fraction, 4, cases[c].domain);
        dam_advance(world, 20);
        SlFluidState *fluid = system_of(world)->state;
        uint64_t before = fluid->list_count;
        dam_advance(world, 10);
        uint64_t made = fluid->list_count - before;
        if (made < cases[c].least || made > cases[c].most)
            fail_msg("case %zu: %llu lists", c, (unsigned long long)made);
        sl_world_destroy(world);
    }
}

/* A reused list may miss pairs at the edge of the support, whose kernel values are negligible. */
static void compression_stays(void **state)
{
    (void)state;
    double compression[2];
    for (int kept = 0; kept < 2; kept++) {
        SlWorld *world = pool(2, kept ? 0.05 : 0, 1, 2, (SlVec3){5, 3, 1.2f});
        double sum = 0;
        for (int f = 0; f < 40; f++) {
            dam_advance(world, 1);
            sum += system_of(world)->stats.mean_compression;
        }
        compression[kept] = sum / 40;
        sl_world_destroy(world);
    }
    assert_true(compression[0] > 1e-4);
    assert_true(fabs(compression[1] / compression[0] - 1) < 0.05);
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    uint64_t first = 0;
    const uint32_t threads[] = {1, 2, 3, 5};
    for (int k = 0; k < 4; k++) {
        SlWorld *world = pool(threads[k], 0.15, 0.1, 4, (SlVec3){5, 3, 1.2f});
        assert_ok(sl_system_set_text(world, first_system(world), "post_solve", "frame", &test_error));
        dam_advance(world, 15);
        uint64_t hash = sl_world_hash(world);
        first = k == 0 ? hash : first;
        assert_true(hash == first);
        sl_world_destroy(world);
    }
}

static bool stop_in_the_middle(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    (void)stats;
    uint32_t *left = user;
    return --*left != 0;
}

/* A run stopped between two steps that share a list continues identically in another world. */
static void restarts_within_a_frame(void **state)
{
    (void)state;
    uint32_t left = 4 * 6 + 2, never = UINT32_MAX;
    SlWorld *worlds[2];
    for (int k = 0; k < 2; k++) {
        DamSetting setting = {.threads = 2, .nx = 16, .ny = 10, .nz = 12, .steps = 4, .iterations = 2,
                              .on_step = stop_in_the_middle, .user = k == 0 ? &left : &never};
        worlds[k] = dam_create(&setting);
        assert_ok(sl_system_set_number(worlds[k], first_system(worlds[k]), "skin", 0.1, &test_error));
        assert_ok(sl_system_set_number(worlds[k], first_system(worlds[k]), "max_stale_fraction", 1, &test_error));
        assert_ok(sl_world_start(worlds[k], &test_error));
    }
    SlStatus status = SL_OK;
    while (status == SL_OK)
        status = sl_world_advance_frame(worlds[0], &test_error);
    assert_int_equal(status, SL_ERROR_CANCELLED);
    const SlStateView *view;
    assert_ok(sl_world_state(worlds[0], &view, &test_error));
    assert_ok(sl_world_restore(worlds[1], view, &test_error));
    left = UINT32_MAX;
    for (int k = 0; k < 2; k++)
        for (int f = 0; f < 3; f++)
            assert_ok(sl_world_advance_frame(worlds[k], &test_error));
    assert_true(sl_world_hash(worlds[0]) == sl_world_hash(worlds[1]));
    for (int k = 0; k < 2; k++)
        sl_world_destroy(worlds[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misses_nobody),         cmocka_unit_test(serves_while_it_may),
        cmocka_unit_test(compression_stays),     cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(restarts_within_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
