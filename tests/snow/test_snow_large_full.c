/* Target: ten million particles run ten steps within 6 GiB, at 200 bytes each beside the blocks. */
#include <sys/resource.h>

#include "snow/snowballs.h"
#include "support/world.h"

static void ten_million_particles(void **state)
{
    (void)state;
    SlWorldDef def = test_world_def(2, (SlVec3){0, 0, 0}, (SlVec3){20, 20, 20});
    /* 216 x 216 x 216 = 10,077,696, just above the floor, so that they hit it */
    SlBlock block = {.min = {1, 0.0008f, 1}, .max = {5.32f, 4.3208f, 5.32f},
                        .velocity = {0, -5, 0}};
    SlSystemId id;
    SlWorld *world = test_world(&def, "snow", "time_step=2e-4", &id);
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    uint64_t asked = sl_world_memory_needed(world);
    for (int k = 0; k < 10; k++)
        assert_ok(sl_world_step(world, 2e-4, &test_error));
    const SlSystem *snow = &world->systems[0]->base;
    const SlSnowBlocks *blocks = &((const SlSnowState *)snow->state)->blocks;
    uint64_t allocated = sl_context_bytes_held(sl_world_context(world));
    uint64_t grid = (uint64_t)blocks->capacity *
                    (2 * SL_SNOW_BLOCK_FLOATS * sizeof(float) + sizeof(SlBlockCoord) + sizeof(SlSnowSlots) +
                     10 * sizeof(uint32_t) + SL_SNOW_PARTIALS * sizeof(double)) +
                    blocks->table_size * sizeof(uint32_t);
    double each = (double)(allocated - grid) / (double)snow->particles.count;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double peak = (double)usage.ru_maxrss / 1048576;
    print_message("%zu particles, %u blocks: allocated %.2f GiB (%.2f estimated), %.1f bytes per particle "
                  "beside the blocks, peak %.2f GiB\n",
                  snow->particles.count, blocks->touched, (double)allocated * 0x1p-30,
                  (double)asked * 0x1p-30, each, peak);
    assert_true(snow->particles.count > 10000000);
    assert_int_equal(snow->step, 10);
    assert_less(each, 200);
    assert_less(peak, 6);
    assert_less((double)allocated, 1.15 * (double)asked);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ten_million_particles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
