/* The depth image against one drawn sphere by sphere with nothing left out: the same bits, wherever
   the camera stands and however large spheres are in its picture. */
#include "spatial/depth.h"

#include "core/random.h"
#include "math/vec3.h"
#include "support/test.h"

enum { COUNT = 8003, WIDTH = 100, HEIGHT = 75 };

static float records[4 * (COUNT + 8)];

/* A full block of spheres, and a few around it. */
static void scatter(uint64_t seed)
{
    for (size_t i = 0; i < COUNT; i++) {
        SlRandom4 r = sl_random(seed, i, 0);
        float scale = i % 50 == 0 ? 3.0f : 1.0f;
        for (size_t k = 0; k < 3; k++)
            records[4 * i + k] = scale * (sl_random_unit(r.value[k]) - 0.5f);
    }
}

typedef struct Plain {
    float depth[WIDTH * HEIGHT];
    uint32_t seen[WIDTH * HEIGHT];
} Plain;

static void draw_plainly(const SlDepthImage *image, float radius, Plain *plain)
{
    for (size_t p = 0; p < (size_t)WIDTH * HEIGHT; p++) {
        plain->depth[p] = SL_DEPTH_EMPTY;
        plain->seen[p] = SL_DEPTH_NONE;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        const SlSpot *s = &image->spots[i];
        float inverse = 1 / s->radius;
        for (size_t p = 0; s->radius > 0 && p < (size_t)WIDTH * HEIGHT; p++) {
            float u = ((float)(p % WIDTH) + 0.5f - s->x) * inverse;
            float v = ((float)(p / WIDTH) + 0.5f - s->y) * inverse;
            float rest = 1 - u * u - v * v, depth = s->depth - radius * sqrtf(rest);
            if (rest >= 0 && depth < plain->depth[p]) {
                plain->depth[p] = depth;
                plain->seen[p] = i;
            }
        }
    }
}

/* Of the middle of a sphere behind what is seen in its pixel. */
static float reference_distance(const SlDepthImage *image, const SlSpot *s)
{
    if (!(s->radius > 0 && s->x >= 0 && s->x < WIDTH && s->y >= 0 && s->y < HEIGHT))
        return INFINITY;
    return s->depth - image->depth[(size_t)s->y * WIDTH + (size_t)s->x];
}

static void same_as_all_drawn(void **state)
{
    (void)state;
    static Plain plain;
    static float distance[COUNT + 8];
    static const struct {
        SlVec3 eye;
        float radius, fov;
        bool something;
    } views[] = {
        {{2, 1, 3}, 0.02f, 30, true},          /* all in the picture, dots of a pixel */
        {{0.4f, 0.3f, 1.4f}, 0.02f, 60, true}, /* near, of several sizes, cut by the frame */
        {{0.1f, 0, 0.05f}, 0.02f, 90, true},   /* inside: some fill the picture */
        {{40, 10, 30}, 0.02f, 20, true},       /* far: less than a pixel each */
        {{1, 0.5f, 2}, 0.2f, 40, true},        /* all large */
        {{0, 0, -9}, 0.02f, 40, false},        /* looking away */
    };
    SlContext *contexts[2] = {test_context(1), test_context(3)};
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        scatter(v);
        SlCamera camera = sl_default_camera();
        camera.eye = views[v].eye;
        camera.fov = views[v].fov;
        if (!views[v].something)
            camera.target = sl_scale(camera.eye, 2);
        for (size_t c = 0; c < 2; c++) {
            SlDepthImage image;
            sl_arena_reset(&contexts[c]->arena);
            SlSpheres spheres = {records, COUNT, views[v].radius};
            assert_true(sl_depth_draw(contexts[c], &contexts[c]->arena, &camera, &spheres, WIDTH,
                                      HEIGHT, &image));
            if (c == 0)
                draw_plainly(&image, views[v].radius, &plain);
            size_t covered = 0;
            for (size_t p = 0; p < (size_t)WIDTH * HEIGHT; p++) {
                assert_true(image.seen[p] == plain.seen[p]);
                assert_true(image.depth[p] == plain.depth[p]);
                covered += plain.seen[p] != SL_DEPTH_NONE;
            }
            assert_int_equal(covered > 0, views[v].something);
            sl_depth_behind(contexts[c], &image, 0, COUNT, distance);
            for (size_t i = 0; i < COUNT; i++)
                assert_true(distance[i] == reference_distance(&image, &image.spots[i]));
        }
    }
    sl_context_destroy(contexts[0]);
    sl_context_destroy(contexts[1]);
}

static void of_nothing_is_empty(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    SlCamera camera = sl_default_camera();
    SlDepthImage image;
    SlSpheres spheres = {records, 0, 0.1f};
    assert_true(sl_depth_draw(context, &context->arena, &camera, &spheres, WIDTH, HEIGHT, &image));
    for (size_t p = 0; p < (size_t)WIDTH * HEIGHT; p++) {
        assert_true(image.depth[p] == SL_DEPTH_EMPTY);
        assert_true(image.seen[p] == SL_DEPTH_NONE);
    }
    sl_context_destroy(context);
}

/* The pixels of a drawn image, handed in as a host would: the same distances. */
static void handed_in_gives_the_same_distances(void **state)
{
    (void)state;
    static float drawn[COUNT + 8], taken[COUNT + 8], pixels[WIDTH * HEIGHT];
    SlContext *context = test_context(2);
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){0.4f, 0.3f, 1.4f};
    SlSpheres spheres = {records, COUNT, 0.02f};
    SlDepthImage image;
    scatter(1);
    assert_true(sl_depth_draw(context, &context->arena, &camera, &spheres, WIDTH, HEIGHT, &image));
    sl_depth_behind(context, &image, 0, COUNT, drawn);
    memcpy(pixels, image.depth, sizeof pixels);
    SlDepthView view = {camera, WIDTH, HEIGHT, pixels};
    SlDepthImage host;
    assert_true(sl_depth_from_view(context, &context->arena, &view, &spheres, &host));
    assert_null(host.seen);
    sl_depth_behind(context, &host, 0, COUNT, taken);
    size_t inside = 0;
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(taken[i] == drawn[i]);
        inside += isfinite(taken[i]);
    }
    assert_true(inside > COUNT / 10);
    /* A wall before the camera hides all of them. */
    for (size_t p = 0; p < (size_t)WIDTH * HEIGHT; p++)
        pixels[p] = 0.01f;
    sl_depth_behind(context, &host, 0, COUNT, taken);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(taken[i] > drawn[i] || !isfinite(drawn[i]));
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_all_drawn),
                                       cmocka_unit_test(handed_in_gives_the_same_distances),
                                       cmocka_unit_test(of_nothing_is_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
