/* Every shape of the list is drawn where its surface is, by rays or by its triangles. */
#include "support/test.h"

#include "geometry/shape.h"
#include "math/camera.h"

static const float heights[9] = {0.2f, 0.3f, 0.1f, 0.4f, 0.6f, 0.3f, 0.2f, 0.5f, 0.4f};

/* About 1 m large, around the origin. */
static SlShape sample_shape(const SlShapeType *type)
{
    SlShape shape = sl_default_shape(type->kind);
    shape.center = (SlVec3){0.05f, -0.2f, 0.02f};
    shape.axis = (SlVec3){0.2f, 1, -0.1f};
    shape.half = (SlVec3){0.4f, 0.3f, 0.5f};
    shape.radius = 0.3f;
    shape.height = 0.6f;
    if (type->arrays) {
        shape.heights = heights;
        shape.columns = shape.rows = 3;
    }
    return shape;
}

static void check_shape(SlContext *context, SlRenderer *renderer, const SlShapeType *type)
{
    const char *const planes[] = {"depth"}, *reason;
    SlColliderView collider = {
        .name = "", .kind = SL_COLLIDER_SHAPE, .shape = sample_shape(type)};
    SlFrameView view = {
        .domain = {{-1, -1, -1}, {1, 1, 1}}, .colliders = &collider, .collider_count = 1};
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){1.1f, 0.9f, 1.6f};
    uint32_t width = sl_renderer_width(renderer), height = sl_renderer_height(renderer);
    SlRenderJob job = sl_default_render_job(&view);
    job.camera = &camera;
    job.planes = planes;
    job.plane_count = 1;
    SlTarget *target;
    uint32_t remaining = 1;
    assert_ok(sl_render_begin(renderer, &job, &test_error));
    while (remaining > 0)
        assert_ok(sl_render_accumulate(renderer, &remaining, &test_error));
    assert_ok(sl_target_create(context, width, height, planes, 1, &target, &test_error));
    assert_ok(sl_render_resolve(renderer, target, &test_error));
    const float *depth = sl_target_plane(target, "depth");
    SlShape shape = collider.shape;
    assert_true(sl_shape_prepare(&shape, &reason));
    SlCameraFrame frame = sl_camera_frame(&camera, width, height);
    size_t hits = 0;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            float z = depth[(size_t)y * width + x];
            if (isinf(z))
                continue;
            float a = ((float)x + 0.5f - frame.center_x) / frame.focal * z;
            float b = (frame.center_y - (float)y - 0.5f) / frame.focal * z;
            SlVec3 p = sl_add(frame.eye, sl_add(sl_scale(frame.forward, z),
                                                sl_add(sl_scale(frame.right, a),
                                                       sl_scale(frame.up, b))));
            SlVec3 normal;
            float distance = type->distance(&shape, p, 1, &normal);
            if (!(fabsf(distance) < 4e-3f))
                fail_msg("%s: %g m off its surface at pixel %u, %u", type->name, (double)distance, x,
                         y);
            hits++;
        }
    if (hits < (size_t)width * height / 50)
        fail_msg("%s: %zu pixels show it", type->name, hits);
    sl_target_destroy(target);
}

static void every_shape_is_drawn_on_its_surface(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    size_t count;
    const SlTable *table = sl_renderer_tables(&count)[0];
    const char *const names[] = {"width", "height", "antialias", "ground", "domain"};
    const double numbers[] = {160, 120, 1, 0, 0}; /* one sample: in the middle of the pixel */
    SlParamValue values[64];
    for (size_t k = 0; k < table->row_count; k++)
        values[k] = table->rows[k].value;
    for (size_t k = 0; k < 5; k++)
        values[sl_table_find(table, names[k]) - table->rows].number[0] = numbers[k];
    SlRenderer *renderer;
    assert_ok(sl_renderer_create(context, "splats", values, &renderer, &test_error));
    for (size_t k = 0; k < sl_shape_type_count; k++)
        check_shape(context, renderer, sl_shape_types[k]);
    /* A kind that there is not, and an invalid shape, are not drawn. */
    SlColliderView odd[2] = {{.name = "", .kind = SL_COLLIDER_SHAPE},
                             {.name = "", .kind = SL_COLLIDER_SHAPE}};
    odd[0].shape.kind = (SlShapeKind)77;
    odd[1].shape = sl_default_shape(SL_SHAPE_CAPSULE);
    odd[1].shape.radius = -1;
    SlFrameView view = {.domain = {{-1, -1, -1}, {1, 1, 1}}, .colliders = odd, .collider_count = 2};
    const SlImage *image;
    uint64_t held = sl_context_bytes_held(context);
    assert_ok(sl_renderer_draw(renderer, &view, NULL, &image, &test_error));
    assert_int_equal(held, sl_context_bytes_held(context));
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_is_drawn_on_its_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
