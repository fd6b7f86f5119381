/* Limits of time: 128^3 around the squirrel in under 3 s on 2 threads, from the cache
   in under 0.1 s. The best of a few; where others keep the machine busy, half the processor time of
   the process stands for the time two free threads would have taken. */
#include <sys/resource.h>

#include "core/timer.h"
#include "geometry/sdf/sdf.h"
#include "geometry/test_sdf_meshes.h"

enum { TRIES = 6 };

static double processor_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* Best time by the clock; *processor: best half of the processor's. */
static double seconds_of(SlContext *context, const SlMesh *mesh, const char *cache, double limit,
                         double *processor)
{
    /* The box is the mesh and 4 cells on either side: 120 + 8 cells. */
    SlBox box = sl_mesh_bounds(mesh);
    SlSdfSettings s = sl_default_sdf_settings(longest_side(box) / 119.5);
    double best = INFINITY;
    *processor = INFINITY;
    for (int k = 0; k < TRIES && best >= limit; k++) {
        SlSdf sdf;
        double start = sl_seconds(), used = processor_seconds();
        assert_ok(sl_sdf_load_or_build(context, mesh, &s, cache, &sdf, &test_error));
        best = fmin(best, sl_seconds() - start);
        *processor = fmin(*processor, 0.5 * (processor_seconds() - used));
        assert_true(sdf.size[0] >= 32 || sdf.size[1] >= 32 || sdf.size[2] >= 32);
        sl_sdf_destroy(&sdf);
    }
    return best;
}

static void test_times(void **state)
{
    (void)state;
    char folder[512];
    test_folder(folder, sizeof folder, "sdf-speed");
    SlContext *context = test_context(2);
    SlMesh mesh = read_asset(context, "squirrel.obj");
    double processor, unused;
    double build = seconds_of(context, &mesh, NULL, 3.0, &processor);
    seconds_of(context, &mesh, folder, INFINITY, &unused);
    double load = seconds_of(context, &mesh, folder, 0.1, &unused);
    print_message("%zu triangles: built in %.2f s by the clock, %.2f s by two processors; from "
                  "cache in %.3f s\n",
                  mesh.triangle_count, build, processor, load);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
    assert_less(fmin(build, processor), 3.0);
    assert_less(load, 0.1);
#endif
    sl_mesh_destroy(&mesh);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
