/* Super-voxels make pictures of snow at least four times faster than one majorant for the whole box. */
#include "support/test.h"

#include "core/random.h"
#include "core/timer.h"
#include "render/path/volume.h"

enum { COUNT = 60000 };

static float unit(uint64_t counter, uint64_t stream)
{
    return sl_random_unit(sl_random(21, counter, stream).value[0]);
}

/* Five heaps of 40 cm on a field of 2 m, d = 8 mm. */
static SlSystemView make_heaps(float (*position)[3], SlFieldView *field)
{
    for (size_t i = 0; i < COUNT; i++) {
        float angle = 6.2831853f * unit(i, 0), r = sqrtf(unit(i, 1)), heap = (float)(i % 5);
        position[i][0] = 0.4f * heap - 0.8f + 0.2f * r * cosf(angle);
        position[i][1] = 0.12f * unit(i, 2) * (1 - r * r);
        position[i][2] = 0.5f * sinf(2 * heap) + 0.2f * r * sinf(angle);
    }
    *field = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, position, COUNT, 12};
    return (SlSystemView){.name = "snow", .solver = "snow", .particle_count = COUNT, .spacing = 0.008f,
                          .volume = 5.12e-7f, .mass = 2e-4f,
                          .material = sl_default_material(SL_MATERIAL_SNOW), .fields = field,
                          .field_count = 1};
}

/* Seconds of tracing `rays` paths of a camera in front of it, and their mean depth. */
static double trace(const SlVolume *volume, int rays, double *scatterings)
{
    double start = sl_seconds();
    *scatterings = 0;
    for (int n = 0; n < rays; n++) {
        SlPathSampler sampler = sl_path_sampler((uint64_t)n, 0, 0);
        SlVec3 o = {0, 0.5f, 2.5f}, d, sun = sl_unit(sl_vec3(-1, 0.33f, 0.1f));
        SlVec3 to = {2.2f * (sl_path_uniform(&sampler) - 0.5f), 0.05f,
                     1.4f * (sl_path_uniform(&sampler) - 0.5f)};
        SlVolumeEvent event;
        uint32_t order = 0;
        d = sl_unit(sl_sub(to, o));
        while (order < 160 && sl_volume_scatter(volume, o, d, INFINITY, order, &sampler, &event)) {
            sl_volume_transmittance(volume, event.position, sun, INFINITY, order + 1, &sampler);
            d = sl_phase_sample(event.g, d, &sampler);
            o = event.position;
            order++;
        }
        *scatterings += (double)order / rays;
    }
    return sl_seconds() - start;
}

static void test_supervoxels(void **state)
{
    (void)state;
    static float position[COUNT][3];
    SlFieldView field;
    SlSystemView system = make_heaps(position, &field);
    SlContext *context = test_context(1);
    double seconds[2] = {INFINITY, INFINITY}, depth[2];
    for (int mode = 0; mode < 2; mode++) {
        SlVolumeSettings s = sl_volume_default_settings();
        s.supervoxels = mode == 0;
        SlVolume *volume;
        assert_ok(sl_volume_create(context, &system, &s, &volume, &test_error));
        for (int k = 0; k < 2; k++)
            seconds[mode] = fmin(seconds[mode], trace(volume, 20000, &depth[mode]));
        sl_volume_destroy(volume);
    }
    print_message("with super-voxels %.3f s, without %.3f s: %.1f times; %.1f scatterings a path, %.0f ns "
                  "each with a shadow ray\n", seconds[0], seconds[1], seconds[1] / seconds[0], depth[0],
                  1e9 * seconds[0] / (20000 * depth[0]));
    assert_near(depth[0] / depth[1], 1, 0.05); /* the same light */
    assert_less(4 * seconds[0], seconds[1]);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_supervoxels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
