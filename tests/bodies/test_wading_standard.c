/* The walking figure wades through water: its keys are made by tools/make_assets.py for this test.
   Nothing may be inside the figure as it is drawn, at keys and between them, by more than a tenth of
   a spacing; that is asked of the triangles and not of the field that pushed. */
#include "geometry/mesh/bvh.h"
#include "support/dam.h"
#include "world/world.h"

enum { KEYS = 29, FRAMES = 64 };
static const double spacing = 0.06;

/* False where there is no Python with numpy. */
static bool make_keys(char names[KEYS][700])
{
    char folder[512], command[1700];
    test_folder(folder, sizeof folder, "wading");
    const char *source = getenv("SLEET_SOURCE");
    snprintf(command, sizeof command,
             "for p in python3 /usr/bin/python3; do $p -c 'import numpy' 2> /dev/null && exec env "
             "PYTHONDONTWRITEBYTECODE=1 $p '%s/tools/make_assets.py' --walker '%s' --frames %d > "
             "/dev/null; done; exit 1",
             source != NULL ? source : ".", folder, KEYS);
    for (int k = 0; k < KEYS; k++)
        snprintf(names[k], 700, "%s/walker_%04d.obj", folder, k);
    return system(command) == 0;
}

typedef struct Inside {
    const SlBvh *bvh;
    SlFieldView x;
    double *depth; /* m, by particle, below 0 outside; -2 spacings and less are not told apart */
} Inside;

static void measure(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Inside *in = argument;
    (void)chunk;
    for (size_t i = begin; i < end; i++) {
        SlVec3 p;
        SlBvhHit hit;
        memcpy(&p, (const char *)in->x.data + i * in->x.stride, sizeof p);
        in->depth[i] = -2 * spacing;
        if (!sl_bvh_closest(in->bvh, sl_d3_from(p), 2 * spacing, &hit))
            continue;
        bool inside = sl_bvh_winding(in->bvh, sl_d3_from(p)) > 0.5;
        in->depth[i] = (inside ? 1 : -1) * sqrt(hit.distance2);
    }
}

static double deepest(SlWorld *world)
{
    const SlColliderView *view = &sl_world_view(world)->colliders[0];
    SlMesh mesh = {.vertex_count = view->mesh.vertex_count,
                   .triangle_count = view->mesh.triangle_count,
                   .positions = (float *)(uintptr_t)sl_view_vertices(view),
                   .triangles = (uint32_t *)(uintptr_t)view->mesh.triangles};
    SlBvh bvh;
    assert_ok(sl_bvh_create(sl_world_context(world), &mesh, &bvh, &test_error));
    Inside in = {&bvh, sl_system_field(world, first_system(world), "position"), NULL};
    in.depth = calloc(in.x.count, sizeof *in.depth);
    sl_parallel_for(sl_world_context(world)->pool, in.x.count, 256, measure, &in);
    double most = -INFINITY;
    for (size_t i = 0; i < in.x.count; i++)
        most = fmax(most, in.depth[i]);
    free(in.depth);
    sl_bvh_destroy(&bvh);
    return most;
}

static void nothing_is_inside(void **state)
{
    (void)state;
    static char names[KEYS][700];
    const char *paths[KEYS];
    if (!make_keys(names)) {
        test_skip("no Python with numpy to make the walker (apt-get install python3-numpy)");
    }
    for (int k = 0; k < KEYS; k++)
        paths[k] = names[k];
    /* The figure walks out of a dry strip into the water. */
    DamSetting setting = {.threads = 2, .nx = 34, .ny = 8, .nz = 26, .spacing = spacing,
                          .domain = {3.6f, 2.4f, 1.56f}, .offset = {1.5f, 0, 0}, .steps = 4};
    SlWorld *world = dam_create(&setting);
    SlMeshColliderDef mesh = sl_default_mesh_collider_def();
    mesh.paths = paths;
    mesh.path_count = KEYS;
    mesh.position = (SlVec3){0.8f, 0, 0.78f};
    mesh.friction = 0.1f;
    SlColliderId id;
    assert_ok(sl_world_add_mesh_collider(world, &mesh, &id, &test_error));
    uint64_t needed = sl_world_memory_needed(world);
    assert_ok(sl_world_start(world, &test_error));
    uint64_t held = sl_context_bytes_held(sl_world_context(world));
    print_message("memory: %.1f MB said, %.1f MB held\n", (double)needed / 1e6,
                  (double)held / 1e6);
    assert_true(needed > held / 2 && needed < 5 * held);
    double most = -INFINITY;
    for (int k = 1; k <= FRAMES; k++) {
        dam_advance(world, 1);
        most = fmax(most, deepest(world));
    }
    print_message("%zu particles: deepest inside %.3f d\n",
                  sl_world_view(world)->systems[0].particle_count, most / spacing);
    assert_less(most, 0.1 * spacing);
    assert_less(-spacing, most); /* the water did meet the figure */
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_inside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
