/* Every solver in the list, the day it arrives: empty world, one particle, threads, bad
   parameters, numbers that go wrong, no allocation in a running step. */
#include "support/dam.h"
#include "support/world.h"
#include "world/world.h"

static SlWorld *world_of(const SlSolver *solver, uint32_t threads, uint32_t side)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, threads, SL_ISA_AUTO);
    SlSystemId id;
    SlWorld *world = test_world(&def, solver->table.name, NULL, &id);
    if (side > 0) {
        float size = (float)side * solver->spacing(&world->systems[0]->base);
        SlBlock block = {.min = {1, 1, 1}, .max = {1 + size, 1 + size, 1 + size}};
        assert_ok(sl_system_add_block(world, id, &block, &test_error));
    }
    return world;
}

static void empty_world(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        SlWorld *world = world_of(sl_solvers[k], 2, 0);
        dam_advance(world, 3);
        assert_int_equal(sl_world_view(world)->systems[0].particle_count, 0);
        assert_near(sl_world_time(world), 3.0 / 60, 1e-12);
        sl_world_destroy(world);
    }
}

static void one_particle_falls(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        SlWorld *world = world_of(sl_solvers[k], 2, 1);
        assert_ok(sl_world_start(world, &test_error));
        const float *x = sl_system_field(world, first_system(world), "position").data;
        float before = x[1];
        dam_advance(world, 6);
        x = sl_system_field(world, first_system(world), "position").data;
        assert_true(x[1] < before && x[1] > before - 0.2f);
        dam_advance(world, 120);
        x = sl_system_field(world, first_system(world), "position").data;
        assert_true(x[1] >= 0 && x[1] < 0.2f); /* lies on the floor */
        sl_world_destroy(world);
    }
}

static void same_hash_for_any_threads(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        uint64_t first = 0;
        for (uint32_t threads = 1; threads <= 7; threads += 2) {
            SlWorld *world = world_of(sl_solvers[k], threads, 12);
            dam_advance(world, 10);
            if (threads == 1)
                first = sl_world_hash(world);
            assert_true(sl_world_hash(world) == first);
            sl_world_destroy(world);
        }
        SlWorld *world = world_of(sl_solvers[k], 2, 12);
        dam_advance(world, 11);
        assert_true(sl_world_hash(world) != first);
        sl_world_destroy(world);
    }
}

/* A state taken from one world puts another on the same way; its items can be told apart. */
static void restart_gives_the_same_bits(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        SlWorld *world = world_of(sl_solvers[k], 2, 12), *other = world_of(sl_solvers[k], 1, 12);
        dam_advance(world, 6);
        const SlStateView *view;
        assert_ok(sl_world_state(world, &view, &test_error));
        for (size_t a = 0; a < view->item_count; a++) {
            const SlStateItem *item = &view->items[a];
            assert_true(strlen(item->name) < 32);
            assert_ptr_equal(sl_state_find(view, item->system, item->name), item);
        }
        assert_ok(sl_world_restore(other, view, &test_error));
        assert_true(sl_world_hash(other) == sl_world_hash(world));
        dam_advance(world, 8);
        dam_advance(other, 8);
        assert_true(sl_world_hash(other) == sl_world_hash(world));
        sl_world_destroy(world);
        sl_world_destroy(other);
    }
}

/* A world of its own for each refusal: the first error of a set-up is kept. */
static void assert_refused(const SlSolver *solver, const char *name, double number, const char *text)
{
    SlWorld *world = world_of(solver, 1, 0);
    SlSystemId id = first_system(world);
    assert_int_equal(text != NULL ? sl_system_set_text(world, id, name, text, &test_error)
                                  : sl_system_set_number(world, id, name, number, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, name));
    sl_world_destroy(world);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        const SlTable *table = &sl_solvers[k]->table;
        SlWorld *world = world_of(sl_solvers[k], 1, 0);
        for (size_t r = 0; r < table->row_count; r++) {
            const SlParamRow *row = &table->rows[r];
            assert_true(strlen(row->meaning) > 10 && row->unit != NULL);
            if (row->type == SL_PARAM_CHOICE) {
                assert_refused(sl_solvers[k], row->name, 0, "nonsense");
                continue;
            }
            assert_refused(sl_solvers[k], row->name, NAN, NULL);
            assert_refused(sl_solvers[k], row->name, row->maximum * 2 + 1, NULL);
            /* The default itself is in range. */
            assert_ok(sl_system_set_number(world, first_system(world), row->name, row->value.number[0],
                                           &test_error));
        }
        assert_refused(sl_solvers[k], "viscocity", 1, NULL);
        sl_world_destroy(world);
    }
}

/* Threshold: no allocation in steps 50 to 150. */
static void a_running_step_allocates_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        SlWorld *world = world_of(sl_solvers[k], 2, 18);
        dam_advance(world, 25);
        uint64_t before = sl_context_allocation_count(sl_world_context(world));
        dam_advance(world, 50);
        assert_int_equal(sl_context_allocation_count(sl_world_context(world)), before);
        sl_world_destroy(world);
    }
}

static void divergence_is_reported(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        SlWorld *world = world_of(sl_solvers[k], 2, 8);
        dam_advance(world, 1);
        SlSystem *system = &world->systems[0]->base;
        sl_f32x4(&system->particles, SL_F_VELOCITY)[4 * 100 + 1] = NAN;
        assert_int_equal(sl_world_advance_frame(world, &test_error), SL_ERROR_NUMBERS);
        assert_non_null(strstr(test_error.text, "particle"));
        print_message("%s\n", test_error.text);
        sl_world_destroy(world);
    }
}

static void memory_is_asked_first(void **state)
{
    (void)state;
    for (size_t k = 0; k < sl_solver_count; k++) {
        SlWorldDef def = sl_default_world_def();
        def.domain = (SlBox){{0, 0, 0}, {1e5f, 1e5f, 1e5f}};
        SlBlock block = {.max = {1e5f, 1e5f, 1e5f}};
        SlSystemId id;
        SlWorld *world = test_world(&def, sl_solvers[k]->table.name, NULL, &id);
        assert_ok(sl_system_add_block(world, id, &block, &test_error));
        assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_MEMORY);
        assert_non_null(strstr(test_error.text, "GiB"));
        print_message("%s\n", test_error.text);
        sl_world_destroy(world);
    }
}

/* What a run holds is what was said before it started, within a tenth. */
static void memory_needed_is_right(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 40, .ny = 40, .nz = 40};
    SlWorld *world = dam_create(&setting);
    double said = (double)sl_world_memory_needed(world);
    dam_advance(world, 3);
    double held = (double)sl_context_bytes_held(sl_world_context(world));
    print_message("said %.1f MB, holds %.1f MB\n", said / 1e6, held / 1e6);
    assert_near(held / said, 1, 0.1);
    sl_world_destroy(world);
}

typedef struct Scheduler {
    uint32_t runs;
} Scheduler;

static void run_backwards(void *user, void (*task)(void *argument, uint32_t index), void *argument,
                          uint32_t count)
{
    ((Scheduler *)user)->runs++;
    while (count-- > 0)
        task(argument, count);
}

static void a_program_may_bring_its_scheduler(void **state)
{
    (void)state;
    Scheduler scheduler = {0};
    SlWorldDef def = sl_default_world_def();
    SlContextDef context = sl_default_context_def();
    context.tasks = (SlTaskScheduler){run_backwards, 5, &scheduler};
    assert_ok(sl_context_create(&context, &def.context, &test_error));
    def.own_context = true;
    SlBlock block = {.min = {1, 1, 1}, .max = {2.2f, 2.2f, 2.2f}};
    SlWorld *world, *own = world_of(sl_solver_find("pbf"), 1, 12);
    SlSystemId id;
    world = test_world(&def, "pbf", NULL, &id);
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    dam_advance(world, 5);
    dam_advance(own, 5);
    assert_true(scheduler.runs > 10);
    assert_true(sl_world_hash(world) == sl_world_hash(own));
    sl_world_destroy(world);
    sl_world_destroy(own);
}

static bool stop_at_three(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)user;
    (void)system;
    return stats->step < 3;
}

static void a_hook_may_stop_the_run(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 6, .ny = 6, .nz = 6, .on_step = stop_at_three};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 1);
    assert_int_equal(sl_world_advance_frame(world, &test_error), SL_ERROR_CANCELLED);
    sl_world_destroy(world);
}

static void set_up_is_checked(void **state)
{
    (void)state;
    SlWorld *world = world_of(sl_solver_find("pbf"), 1, 8);
    SlBlock over = {.min = {1.2f, 1.2f, 1.2f}, .max = {2, 2, 2}};
    assert_ok(sl_system_add_block(world, first_system(world), &over, &test_error));
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "overlaps"));
    sl_world_destroy(world);

    world = world_of(sl_solver_find("pbf"), 1, 8);
    SlBlock out = {.min = {3, 3, 3}, .max = {5, 4, 4}};
    assert_ok(sl_system_add_block(world, first_system(world), &out, &test_error));
    assert_int_equal(sl_world_start(world, &test_error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "outside"));
    sl_world_destroy(world);

    SlWorldDef def = sl_default_world_def();
    def.cookie = 0;
    assert_int_equal(sl_world_create(&def, &world, &test_error), SL_ERROR_ARGUMENT);
    SlSystemDef unknown = sl_default_system_def("pfb");
    def = sl_default_world_def();
    assert_ok(sl_world_create(&def, &world, &test_error));
    SlSystemId id;
    assert_int_equal(sl_world_add_system(world, &unknown, &id, &test_error), SL_ERROR_ARGUMENT);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_world),
        cmocka_unit_test(one_particle_falls),
        cmocka_unit_test(same_hash_for_any_threads),
        cmocka_unit_test(restart_gives_the_same_bits),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(a_running_step_allocates_nothing),
        cmocka_unit_test(divergence_is_reported),
        cmocka_unit_test(memory_is_asked_first),
        cmocka_unit_test(memory_needed_is_right),
        cmocka_unit_test(a_program_may_bring_its_scheduler),
        cmocka_unit_test(a_hook_may_stop_the_run),
        cmocka_unit_test(set_up_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
