/* Colliders as the renderer draws them, against the signed distances the solvers use: every hit
   lies on the surface with the same normal, nothing lies before it, and a miss is one. */
#include "support/test.h"

#include "geometry/shape.h"
#include "render/splats/splats.h"
#include "render/splats/solids.h"

enum { TILE_X = 96, TILE_Y = 64 };

typedef struct Case {
    SlCameraFrame camera;
    SlRays rays;
    SlSolid solid;
} Case;

static SlVec3 ray_point(const Case *c, float px, float py, float t, SlVec3 *direction)
{
    *direction = sl_add(c->rays.direction, sl_add(sl_scale(c->rays.direction_x, px),
                                                  sl_scale(c->rays.direction_y, py)));
    return sl_add(c->rays.origin, sl_scale(*direction, t));
}

/* Depth of the first surface by sphere tracing, or SL_DEPTH_NONE; *least: how near a miss came. */
static float trace(const Case *c, float px, float py, float *least)
{
    SlVec3 direction;
    ray_point(c, px, py, 0, &direction);
    float t = 0, speed = sl_length(direction);
    *least = SL_DEPTH_NONE;
    for (int k = 0; k < 4000 && t < 40; k++) {
        SlVec3 unused;
        float distance =
            sl_shape_distance(&c->solid.shape, ray_point(c, px, py, t, &unused), NULL);
        *least = fminf(*least, distance);
        if (distance < 1e-5f)
            return t;
        t += distance / speed;
    }
    return SL_DEPTH_NONE;
}

static void check_normal(const Case *c, SlVec3 point, uint32_t packed)
{
    SlVec3 n, before = sl_add(point, sl_scale(c->camera.forward, -1e-3f));
    sl_shape_distance(&c->solid.shape, before, &n);
    for (int k = 0; k < 4; k++) { /* at an edge the two may choose different sides */
        SlVec3 beside, side = k < 2 ? c->camera.right : c->camera.up;
        SlVec3 step = sl_scale(side, k % 2 == 0 ? 8e-3f : -8e-3f);
        sl_shape_distance(&c->solid.shape, sl_add(before, step), &beside);
        if (sl_dot(n, beside) < 0.999f)
            return;
    }
    float v[3] = {sl_dot(n, c->camera.right), sl_dot(n, c->camera.up),
                  sl_dot(n, c->camera.forward)};
    for (int k = 0; k < 3; k++)
        assert_near((float)(packed >> 10 * k & 1023) / 511.5f - 1, v[k], 0.02);
    assert_int_equal(SL_PIXEL_SOLID, packed >> 30);
}

static void check_shape(SlShape shape, const SlSolidKernels *kernels)
{
    const char *reason;
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){2.2f, 1.9f, 3.1f};
    Case c = {.camera = sl_camera_frame(&camera, 224, 160)};
    assert_true(sl_shape_prepare(&shape, &reason));
    c.rays = sl_splats_camera_rays(&c.camera);
    c.solid = (SlSolid){.shape = shape, .clip = {{-50, -50, -50}, {50, 50, 50}}};
    static float z[SL_TILE_SIZE];
    static uint32_t id[SL_TILE_SIZE], normal[SL_TILE_SIZE];
    for (int k = 0; k < SL_TILE_SIZE; k++) {
        z[k] = SL_DEPTH_NONE;
        id[k] = 0;
    }
    SlTileView tile = {TILE_X + 0.5f, TILE_Y + 0.5f, z, id, normal};
    SlSplatFrame frame = {.camera = c.camera, .rays = c.rays};
    kernels->draw(&c.solid, &c.rays, &tile, 7);
    kernels->normals(&c.solid, &frame, &tile, 7);
    int hits = 0;
    for (int y = 0; y < SL_TILE; y++)
        for (int x = 0; x < SL_TILE; x++) {
            int at = y * SL_TILE_STRIDE + x;
            float px = TILE_X + 0.5f + (float)x, py = TILE_Y + 0.5f + (float)y, least;
            float t = trace(&c, px, py, &least);
            assert_int_equal(z[at] < SL_DEPTH_NONE ? 7 : 0, id[at]);
            if (t == SL_DEPTH_NONE && least > 1e-3f)
                assert_true(z[at] == SL_DEPTH_NONE);
            if (t == SL_DEPTH_NONE || z[at] == SL_DEPTH_NONE)
                continue;
            SlVec3 direction, point = ray_point(&c, px, py, z[at], &direction);
            assert_near(sl_shape_distance(&shape, point, NULL), 0, 2e-4);
            /* Grazing rays stop a little early when they are traced. */
            assert_near(z[at], t, 0.02);
            check_normal(&c, point, normal[at]);
            hits++;
        }
    assert_true(hits > 100);
}

static void hits_lie_on_the_surface(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    bool avx2 = strcmp(sl_context_isa_name(context), "avx2") == 0;
    if (!avx2)
        printf("SKIPPED: the AVX2 path of solids: this processor lacks AVX2\n");
    for (int path = 0; path < (avx2 ? 2 : 1); path++) {
        const SlSolidKernels *kernels =
            SL_KERNELS(path == 1 ? SL_ISA_AVX2 : SL_ISA_BASE, sl_solid_kernels);
        for (int kind = SL_SHAPE_PLANE; kind <= SL_SHAPE_CONE; kind++) {
            SlShape shape = sl_default_shape((SlShapeKind)kind);
            shape.center = (SlVec3){0.05f, -0.2f, 0.02f};
            check_shape(shape, kernels);
            shape.axis = (SlVec3){0.4f, 1, -0.3f};
            shape.half = (SlVec3){0.3f, 0.4f, 0.2f};
            shape.radius = 0.4f;
            shape.height = 0.6f;
            check_shape(shape, kernels);
            shape.axis = (SlVec3){0.7f, -0.5f, 0.6f};
            if (kind != SL_SHAPE_PLANE) /* from its solid side a plane is not drawn */
                check_shape(shape, kernels);
            shape.axis = (SlVec3){0, 1, 0}; /* flat and wide: the far cap's plane is near, too */
            shape.radius = 0.7f;
            shape.height = kind == SL_SHAPE_CONE ? 0.4f : 0.1f;
            check_shape(shape, kernels);
        }
    }
    sl_context_destroy(context);
}

/* Nothing of a solid is drawn outside the rectangle that says which tiles it may touch. */
static void bounds_hold_every_hit(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    const SlSolidKernels *kernels = SL_KERNELS(context->isa, sl_solid_kernels);
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){1.5f, 1.2f, 2.1f};
    SlSplatFrame frame = {.width = 256, .height = 160};
    frame.camera = sl_camera_frame(&camera, 256, 160);
    frame.rays = sl_splats_camera_rays(&frame.camera);
    for (int kind = SL_SHAPE_SPHERE; kind <= SL_SHAPE_CONE; kind++)
        for (int place = 0; place < 27; place++) {
            SlSolid solid = {.shape = sl_default_shape((SlShapeKind)kind)};
            solid.shape.center = (SlVec3){(float)(place % 3) - 1, (float)(place / 3 % 3) - 1,
                                          (float)(place / 9) - 1};
            sl_splats_bound_solid(&frame, &solid);
            static float z[SL_TILE_SIZE];
            for (int tile = 0; tile < 8 * 5; tile++) {
                int left = tile % 8 * SL_TILE, top = tile / 8 * SL_TILE;
                for (int k = 0; k < SL_TILE_SIZE; k++)
                    z[k] = SL_DEPTH_NONE;
                SlTileView plane = {(float)left + 0.5f, (float)top + 0.5f, z, NULL, NULL};
                kernels->draw(&solid, &frame.rays, &plane, 0);
                for (int k = 0; k < SL_TILE * SL_TILE; k++) {
                    int x = left + k % SL_TILE, y = top + k / SL_TILE;
                    if (z[k / SL_TILE * SL_TILE_STRIDE + k % SL_TILE] < SL_DEPTH_NONE)
                        assert_true(x >= solid.rect.x0 && x <= solid.rect.x1 &&
                                    y >= solid.rect.y0 && y <= solid.rect.y1);
                }
            }
        }
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_lie_on_the_surface),
        cmocka_unit_test(bounds_hold_every_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
