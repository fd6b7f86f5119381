/* The stage of a picture: framing, light, ground, colours of materials. */
#include "support/test.h"

#include "math/camera.h"
#include "render/color.h"
#include "render/stage/stage.h"

static SlParamValue values[SL_STAGE_ROW_COUNT];
static const SlParamRow rows[SL_STAGE_ROW_COUNT] = {SL_STAGE_ROWS};

static int set_defaults(void **state)
{
    (void)state;
    for (int k = 0; k < SL_STAGE_ROW_COUNT; k++) {
        assert_non_null(rows[k].name);
        values[k] = rows[k].value;
    }
    return 0;
}

/* Every renderer's table begins with the stage's rows. */
static void tables_begin_with_the_stage(void **state)
{
    (void)state;
    size_t count;
    const SlTable *const *tables = sl_renderer_tables(&count);
    assert_true(count >= 1);
    for (size_t t = 0; t < count; t++) {
        assert_true(tables[t]->row_count >= SL_STAGE_ROW_COUNT);
        for (int k = 0; k < SL_STAGE_ROW_COUNT; k++)
            assert_string_equal(rows[k].name, tables[t]->rows[k].name);
    }
}

/* All corners of the box are in pictures of any shape, and the nearest is close to the border. */
static void framing_has_the_scene_in_the_picture(void **state)
{
    (void)state;
    const SlBox boxes[] = {{{-1, -1, -1}, {1, 1, 1}},
                           {{0, 0, 0}, {16, 8, 5}},
                           {{3, 0, 0}, {3.1f, 40, 0.2f}},
                           {{-900, -1, -900}, {900, 1, 900}},
                           {{0.001f, 0, 0}, {0.002f, 0.001f, 0.003f}}};
    const uint32_t sizes[][2] = {{1280, 720}, {300, 900}, {64, 64}, {2000, 100}};
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            SlFrameView view = {.domain = boxes[b]};
            float width = (float)sizes[s][0], height = (float)sizes[s][1];
            SlCamera camera = sl_view_framing(&view, sizes[s][0], sizes[s][1]);
            const char *reason;
            assert_true(sl_camera_valid(&camera, &reason));
            SlCameraFrame frame = sl_camera_frame(&camera, sizes[s][0], sizes[s][1]);
            float border = 1;
            for (int k = 0; k < 8; k++) {
                SlVec3 corner = {k & 1 ? boxes[b].max.x : boxes[b].min.x,
                                 k & 2 ? boxes[b].max.y : boxes[b].min.y,
                                 k & 4 ? boxes[b].max.z : boxes[b].min.z};
                SlVec3 v = sl_camera_to_view(&frame, corner);
                assert_true(v.z > 0);
                float x = (frame.center_x + frame.focal * v.x / v.z) / width;
                float y = (frame.center_y - frame.focal * v.y / v.z) / height;
                assert_true(x > 0 && x < 1 && y > 0 && y < 1);
                border = fminf(border, fminf(fminf(x, 1 - x), fminf(y, 1 - y)));
            }
            assert_near(border, 0.025, 0.005);
        }
}

static void stage_follows_view_and_parameters(void **state)
{
    (void)state;
    SlFrameView view = {.domain = {{0, 0.5f, 0}, {4, 3.5f, 12}}};
    values[SL_STAGE_LIGHT].number[0] = 3;
    values[SL_STAGE_LIGHT].number[1] = 0;
    values[SL_STAGE_LIGHT].number[2] = 4;
    values[SL_STAGE_EXPOSURE].number[0] = 2;
    SlRenderStage stage = sl_stage_make(&view, values);
    assert_near(stage.diagonal, 13, 1e-5);
    assert_near(stage.spacing, 13 / 60.0, 1e-5);
    assert_near(stage.to_light.x, 0.6, 1e-6);
    assert_near(stage.to_light.z, 0.8, 1e-6);
    assert_near(stage.key.x, 2.56, 1e-6);
    assert_true(stage.ground.visible && stage.ground.height == 0.5f && stage.ground.checker == 1);
    assert_true(stage.draw_edges);
    SlVec3 solid = sl_color_from_srgb(sl_vec3(0.80f, 0.76f, 0.70f));
    assert_memory_equal(&solid, &stage.solid_color, sizeof solid);
    /* Open below, without a floor: no ground. */
    view.domain.min.y = -INFINITY;
    stage = sl_stage_make(&view, values);
    assert_false(stage.ground.visible);
    assert_true(isinf(stage.edges.min.y) && isfinite(stage.scene.min.y));
    set_defaults(NULL);
}

static void materials_give_colors(void **state)
{
    (void)state;
    SlVec3 preset = {0.1f, 0.2f, 0.3f};
    SlMaterial unset = {0}, solid = sl_default_material(SL_MATERIAL_SOLID), red = solid;
    SlMaterial glass = sl_default_material(SL_MATERIAL_GLASS);
    red.color = (SlVec3){0.9f, 0, 0};
    assert_near(sl_stage_color(&unset, SL_MATERIAL_SOLID, preset).y, 0.2, 1e-7);
    assert_near(sl_stage_color(&solid, SL_MATERIAL_SOLID, preset).y, 0.2, 1e-7);
    assert_near(sl_stage_color(&red, SL_MATERIAL_SOLID, preset).x, 0.9, 1e-7);
    assert_near(sl_stage_color(&glass, SL_MATERIAL_SOLID, preset).x, glass.color.x, 1e-7);
    SlFrameView view = {.domain = {{0, 0, 0}, {1, 1, 1}}, .domain_material = red};
    assert_near(sl_stage_make(&view, values).ground.color.x, 0.9, 1e-7);
}

/* Two spheres and a mesh with a colour each: the picture shows the three. */
static void colliders_are_drawn_in_their_colors(void **state)
{
    (void)state;
    static const float positions[] = {-0.4f, -0.4f, 0, 0.4f, -0.4f, 0, 0, 0.4f, 0};
    static const uint32_t triangles[] = {0, 1, 2};
    SlColliderView colliders[3];
    memset(colliders, 0, sizeof colliders);
    for (int k = 0; k < 3; k++) {
        colliders[k].name = "";
        colliders[k].material = sl_default_material(SL_MATERIAL_SOLID);
        colliders[k].material.color = (SlVec3){k == 0, k == 1, k == 2};
        colliders[k].shape = sl_default_shape(SL_SHAPE_SPHERE);
        colliders[k].shape.center = (SlVec3){(float)k - 1, 0, 0};
        colliders[k].shape.radius = 0.4f;
    }
    colliders[2].kind = SL_COLLIDER_MESH;
    colliders[2].mesh = (SlMeshView){
        .positions = positions, .vertex_count = 3, .triangles = triangles, .triangle_count = 1};
    colliders[2].pose = (SlPose){{1, 0, 0}, {0, 0, 0, 1}};
    SlFrameView view = {
        .domain = {{-2, -2, -2}, {2, 2, 2}}, .colliders = colliders, .collider_count = 3};
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){0, 0, 5};
    SlContext *context = test_context(2);
    SlRenderer *renderer;
    SlTarget *target;
    const char *const planes[] = {"albedo"};
    assert_ok(sl_renderer_create(context, "splats", NULL, &renderer, &test_error));
    SlRenderJob job = sl_default_render_job(&view);
    job.camera = &camera;
    job.planes = planes;
    job.plane_count = 1;
    uint32_t remaining = 1, width = sl_renderer_width(renderer);
    uint32_t height = sl_renderer_height(renderer);
    assert_ok(sl_render_begin(renderer, &job, &test_error));
    while (remaining > 0)
        assert_ok(sl_render_accumulate(renderer, &remaining, &test_error));
    assert_ok(sl_target_create(context, width, height, planes, 1, &target, &test_error));
    assert_ok(sl_render_resolve(renderer, target, &test_error));
    float focal = 0.5f * (float)height / tanf(20 * 3.14159265f / 180);
    for (int k = 0; k < 3; k++) {
        float x = 0.5f * (float)width + focal * (float)(k - 1) / 5;
        const float *albedo = sl_target_plane(target, "albedo") +
                              3 * ((size_t)(height / 2) * width + (size_t)x);
        for (int c = 0; c < 3; c++)
            assert_near(albedo[c], c == k, 1e-6);
    }
    sl_target_destroy(target);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

/* A closed domain with water is a tank, unless a side is open or a solid stands there. */
static void tank_of_a_view(void **state)
{
    (void)state;
    SlSurfaceView surface = {.system = "water"};
    SlColliderView ball = {.kind = SL_COLLIDER_SHAPE, .shape = sl_default_shape(SL_SHAPE_SPHERE)};
    ball.shape.center = (SlVec3){2, 1, 1};
    ball.shape.radius = 0.5f;
    SlFrameView view = {.domain = {{0, 0, 0}, {4, INFINITY, 2}}, .surfaces = &surface, .surface_count = 1,
                        .colliders = &ball, .collider_count = 1};
    SlBox tank;
    assert_true(sl_stage_tank(&view, 0.1f, &tank));
    assert_near(tank.max.y, 1.2, 1e-6);
    assert_near(tank.max.x, 4, 0);
    ball.shape.center.z = 0.55f;
    assert_false(sl_stage_tank(&view, 0.1f, &tank));
    static const float corners[9] = {1, 0, 1, 2, 0, 1, 1, 1, 1.95f};
    static const uint32_t triangle[3] = {0, 1, 2};
    ball = (SlColliderView){.kind = SL_COLLIDER_MESH, .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                            .mesh = {corners, 3, triangle, 1}};
    assert_false(sl_stage_tank(&view, 0.1f, &tank));
    ball.pose.position.z = -0.5f;
    assert_true(sl_stage_tank(&view, 0.1f, &tank));
    view.surface_count = 0;
    assert_false(sl_stage_tank(&view, 0.1f, &tank));
    view.surface_count = 1;
    view.domain.max.x = INFINITY;
    assert_false(sl_stage_tank(&view, 0.1f, &tank));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tank_of_a_view),
        cmocka_unit_test(tables_begin_with_the_stage),
        cmocka_unit_test(framing_has_the_scene_in_the_picture),
        cmocka_unit_test(stage_follows_view_and_parameters),
        cmocka_unit_test(materials_give_colors),
        cmocka_unit_test(colliders_are_drawn_in_their_colors),
    };
    return cmocka_run_group_tests(tests, set_defaults, NULL);
}
