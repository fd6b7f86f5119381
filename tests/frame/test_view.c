/* Frame views of worlds: masses and volumes, materials, cameras, poses. */
#include "frame/view.h"
#include "math/vec3.h"
#include "support/dam.h"

static void axes_are_the_rotated_ones(void **state)
{
    (void)state;
    float h = sqrtf(0.5f);
    SlColliderView collider = {.name = "", .pose = {.rotation = {0, 0, h, h}}}; /* 90° about z */
    SlVec3 axes[3];
    sl_view_axes(&collider, axes);
    const SlVec3 expected[3] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++)
        assert_true(sl_length(sl_sub(axes[k], expected[k])) < 1e-6f);
    collider.pose.rotation = (SlQuat){0.5f, 0.5f, 0.5f, 0.5f}; /* x to y to z to x */
    sl_view_axes(&collider, axes);
    assert_true(axes[0].y == 1 && axes[1].z == 1 && axes[2].x == 1);
}

/* Depth 0.5 m: the absorption of water is (1.98, 0.34, 0.20) / 0.5 from the start on, though the water
   falls and spreads. */
static void absorption_comes_from_the_depth_at_the_start(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 4, .ny = 5, .nz = 4};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 1);
    for (int frame = 0; frame < 2; frame++) {
        const SlMaterial *water = &sl_world_view(world)->systems[0].material;
        assert_int_equal(water->kind, SL_MATERIAL_WATER);
        assert_near(water->absorption[0], 1.98 / 0.5, 1e-5);
        assert_near(water->absorption[1], 0.34 / 0.5, 1e-5);
        assert_near(water->absorption[2], 0.20 / 0.5, 1e-5);
        dam_advance(world, 10);
    }
    assert_near(sl_system_material(world, first_system(world)).absorption[0], -1, 0);
    sl_world_destroy(world);
}

static void materials_change_while_running(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 4, .ny = 4, .nz = 4};
    SlWorld *world = dam_create(&setting);
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){0.8f, 0.2f, 0.2f};
    ball.radius = 0.1f;
    SlColliderId id;
    assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
    assert_int_equal(sl_world_view(world)->colliders[0].material.kind, SL_MATERIAL_SOLID);
    assert_int_equal(sl_world_view(world)->domain_material.kind, SL_MATERIAL_GROUND);
    dam_advance(world, 1);
    SlMaterial honey = sl_default_material(SL_MATERIAL_WATER);
    honey.color = (SlVec3){0.8f, 0.4f, 0.05f};
    honey.index_of_refraction = 1.49f;
    honey.absorption[0] = 7;
    assert_ok(sl_system_set_material(world, first_system(world), &honey, &test_error));
    SlMaterial glass = sl_default_material(SL_MATERIAL_GLASS);
    assert_ok(sl_collider_set_material(world, id, &glass, &test_error));
    assert_ok(sl_world_set_domain_material(world, &glass, &test_error));
    const SlFrameView *view = sl_world_view(world);
    assert_true(view->systems[0].material.index_of_refraction == 1.49f);
    assert_true(view->systems[0].material.absorption[0] == 7);
    assert_true(view->systems[0].material.absorption[1] > 0);
    assert_int_equal(view->colliders[0].material.kind, SL_MATERIAL_GLASS);
    assert_int_equal(view->domain_material.kind, SL_MATERIAL_GLASS);
    honey.roughness = 1.5f;
    assert_int_equal(sl_system_set_material(world, first_system(world), &honey, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_non_null(strstr(test_error.text, "roughness"));
    sl_world_clear_error(world);
    glass.kind = SL_MATERIAL_KIND_COUNT;
    assert_int_equal(sl_collider_set_material(world, id, &glass, &test_error), SL_ERROR_ARGUMENT);
    sl_world_clear_error(world);
    SlColliderId null = {0, 0, 0};
    glass.kind = SL_MATERIAL_GLASS;
    assert_int_equal(sl_collider_set_material(world, null, &glass, &test_error),
                     SL_ERROR_ARGUMENT);
    assert_int_equal(sl_world_view(world)->colliders[0].material.kind, SL_MATERIAL_GLASS);
    sl_world_destroy(world);
}

static void uniform_water_has_one_mass(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 3, .ny = 3, .nz = 3};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_world_start(world, &test_error));
    const SlSystemView *water = &sl_world_view(world)->systems[0];
    assert_near(water->mass, 1000 * 0.001, 1e-6);
    assert_near(water->volume, 0.001, 1e-9);
    assert_null(sl_view_field(water, "mass").data);
    assert_near(sl_view_mass(water, 13), 1, 1e-6);
    sl_world_destroy(world);
}

static void several_fluids_have_masses_of_their_own(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2, .nx = 4, .ny = 4, .nz = 4, .domain = {2, 2, 2}};
    SlWorld *world = dam_create(&setting);
    SlFluidDef oil = sl_default_fluid_def();
    oil.name = "oil";
    oil.density = 800;
    uint32_t fluid;
    assert_ok(sl_system_add_fluid(world, first_system(world), &oil, &fluid, &test_error));
    SlBlock block = {.min = {1, 0, 0}, .max = {1.4f, 0.4f, 0.4f}, .fluid = fluid};
    assert_ok(sl_system_add_block(world, first_system(world), &block, &test_error));
    dam_advance(world, 2);
    const SlSystemView *system = &sl_world_view(world)->systems[0];
    SlFieldView kind = sl_view_field(system, "fluid");
    assert_true(system->mass == 0 && system->volume > 0);
    size_t oily = 0;
    for (size_t i = 0; i < system->particle_count; i++) {
        uint32_t of;
        memcpy(&of, (const char *)kind.data + i * kind.stride, sizeof of);
        assert_near(sl_view_mass(system, i), of == 0 ? 1.0 : 0.8, 1e-6);
        oily += of != 0;
    }
    assert_int_equal(oily, 64);
    sl_world_destroy(world);
}

static void snow_has_volumes_of_its_own(void **state)
{
    (void)state;
    SlWorldDef def = sl_default_world_def();
    SlWorld *world;
    assert_ok(sl_world_create(&def, &world, &test_error));
    SlSystemDef snow = sl_default_system_def("snow");
    SlSystemId id;
    assert_ok(sl_world_add_system(world, &snow, &id, &test_error));
    SlBlock block = {.min = {1, 1, 1}, .max = {1.5f, 1.5f, 1.5f}};
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    for (int step = 0; step < 2; step++) {
        const SlSystemView *view = &sl_world_view(world)->systems[0];
        assert_int_equal(view->material.kind, SL_MATERIAL_SNOW);
        assert_true(view->particle_count > 0 && view->volume == 0 && view->mass > 0);
        double sum = 0, mass = 0;
        for (size_t i = 0; i < view->particle_count; i++) {
            sum += (double)sl_view_volume(view, i);
            mass += (double)sl_view_mass(view, i);
        }
        printf("step %d: %.4f m^3, %.4g kg of snow\n", step, sum, mass);
        /* By the spacing at the start; then measured on the grid, which is more at the edges. */
        assert_near(sum, 0.125, step == 0 ? 1e-3 : 0.06);
        assert_near(mass, 0.125 * 400, 1e-3);
        assert_ok(sl_world_step(world, 1e-4, &test_error));
    }
    sl_world_destroy(world);
}

static void views_have_all_cameras(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 3, .ny = 3, .nz = 3};
    SlWorld *world = dam_create(&setting);
    SlCamera cameras[20];
    for (int k = 0; k < 20; k++) {
        cameras[k] = sl_default_camera();
        cameras[k].eye = (SlVec3){3, 2, 4 + (float)k};
        cameras[k].weight = k == 0 ? 1 : 0;
        snprintf(cameras[k].name, sizeof cameras[k].name, "c%d", k);
    }
    assert_ok(sl_world_set_cameras(world, cameras, 20, &test_error));
    const SlFrameView *view = sl_world_view(world);
    assert_int_equal(view->camera_count, 20);
    assert_true(sl_view_camera(view, "c17")->eye.z == 21);
    assert_null(sl_view_camera(view, "c20"));
    assert_null(sl_view_system(view, "snow"));
    assert_ptr_equal(sl_view_system(view, "pbf"), view->systems);
    assert_true(view->gravity.y == -9.81f);
    assert_near(view->frame_time, 1.0 / 60, 1e-9);
    sl_world_destroy(world);
}

static void hash_tells_meshes_apart(void **state)
{
    (void)state;
    float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t triangles[3] = {0, 1, 2};
    SlMeshView mesh = {
        .positions = positions, .vertex_count = 3, .triangles = triangles, .triangle_count = 1};
    uint64_t first[2], second[2], third[2];
    sl_mesh_hash(&mesh, first);
    sl_mesh_hash(&mesh, second);
    assert_memory_equal(first, second, sizeof first);
    positions[8] = -0.0f;
    sl_mesh_hash(&mesh, third);
    assert_memory_not_equal(first, third, sizeof first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_the_rotated_ones),
        cmocka_unit_test(absorption_comes_from_the_depth_at_the_start),
        cmocka_unit_test(materials_change_while_running),
        cmocka_unit_test(uniform_water_has_one_mass),
        cmocka_unit_test(several_fluids_have_masses_of_their_own),
        cmocka_unit_test(snow_has_volumes_of_its_own),
        cmocka_unit_test(views_have_all_cameras),
        cmocka_unit_test(hash_tells_meshes_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
