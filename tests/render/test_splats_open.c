/* Pictures of worlds without walls: a steady scene, a ground only where there is a floor. */
#include "render/stage/stage.h"
#include "support/test.h"

enum { COUNT = 2000 };
static float points[3 * COUNT];
static const SlBox nowhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};

/* A ball of points around a place, the last of them far away. */
static SlFrameView make_view(SlBox domain, float x, float stale_distance, SlFieldView *field,
                             SlSystemView *system)
{
    for (int i = 0; i < COUNT; i++) {
        float a = 2.4f * (float)i, h = 2 * ((float)i + 0.5f) / COUNT - 1;
        points[3 * i] = x + sqrtf(1 - h * h) * cosf(a);
        points[3 * i + 1] = 1.5f + h;
        points[3 * i + 2] = sqrtf(1 - h * h) * sinf(a);
    }
    points[3 * COUNT - 3] += stale_distance;
    *field = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, points, COUNT, 12};
    *system = (SlSystemView){.name = "water", .solver = "pbf", .particle_count = COUNT, .spacing = 0.1f, .fields = field, .field_count = 1};
    return (SlFrameView){.domain = domain, .systems = system, .system_count = 1};
}

static void the_scene_is_steady(void **state)
{
    (void)state;
    SlFieldView field;
    SlSystemView system;
    SlFrameView view = make_view(nowhere, 0.51f, 0, &field, &system);
    SlBox box = sl_stage_box(&view);
    assert_true(box.min.x <= -0.48f && box.max.x >= 1.5f && box.max.x - box.min.x < 4);
    view = make_view(nowhere, 0.54f, 5000, &field, &system);
    SlBox later = sl_stage_box(&view);
    assert_memory_equal(&box, &later, sizeof box);
    SlBox half_open = {{-2, 0, -2}, {2, INFINITY, 2}};
    view = make_view(half_open, 0, 0, &field, &system);
    box = sl_stage_box(&view);
    assert_true(box.min.x == -2 && box.min.y == 0 && box.max.z == 2 && isfinite(box.max.y));
}

/* In how many bytes a picture is not that one. */
static size_t differing(const uint8_t *a, const SlImage *b)
{
    size_t count = 0;
    for (size_t k = 0; k < (size_t)b->width * b->height * 3; k++)
        count += a[k] != b->pixels[k];
    return count;
}

static void only_a_floor_is_a_ground(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlRenderer *renderer;
    assert_ok(sl_renderer_create(context, "splats", NULL, &renderer, &test_error));
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){4, 5, 8};
    camera.target = (SlVec3){0, 1, 0};
    SlFieldView field;
    SlSystemView system;
    SlFrameView view = make_view(nowhere, 0, 0, &field, &system);
    const SlImage *image;
    assert_ok(sl_renderer_draw(renderer, &view, &camera, &image, &test_error));
    size_t bytes = (size_t)image->width * image->height * 3;
    uint8_t *bare = malloc(bytes);
    memcpy(bare, image->pixels, bytes);
    SlColliderView plane = {.name = "", .shape = sl_default_shape(SL_SHAPE_PLANE)};
    view.colliders = &plane;
    view.collider_count = 1;
    assert_ok(sl_renderer_draw(renderer, &view, &camera, &image, &test_error));
    assert_true(differing(bare, image) > bytes / 10);
    float height;
    assert_true(sl_stage_floor(&view, &height) && height == 0);
    plane.shape.axis = (SlVec3){1, 1, 0};
    assert_false(sl_stage_floor(&view, &height));
    free(bare);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scene_is_steady),
        cmocka_unit_test(only_a_floor_is_a_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
