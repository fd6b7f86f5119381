/* The rasteriser against a reference implementation: for every sample the nearest of all spheres, in
   double. Also the sort and the bins it depends on. */
#include "support/test.h"

#include "core/random.h"
#include "render/splats/splats.h"

enum { WIDTH = 200, HEIGHT = 150, COUNT = 400, SAMPLES = 3 };

typedef struct Picture {
    SlContext *context;
    SlArena arena;
    SlSplatFrame frame;
    const SlSphereKernels *sphere;
} Picture;

static float unit(uint64_t counter, uint64_t stream)
{
    return sl_random_unit(sl_random(5, counter, stream).value[0]);
}

static void open_picture(Picture *p, SlIsa isa, size_t count)
{
    memset(p, 0, sizeof *p);
    p->context = test_context(2);
    p->sphere = SL_KERNELS(isa, sl_sphere_kernels);
    sl_arena_init(&p->arena, &p->context->memory);
    SlSplatFrame *f = &p->frame;
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){0, 1, 6};
    camera.target = (SlVec3){0, 0, 0};
    f->camera = sl_camera_frame(&camera, WIDTH, HEIGHT);
    f->width = WIDTH;
    f->height = HEIGHT;
    f->tiles_x = (WIDTH + SL_TILE - 1) / SL_TILE;
    f->tiles_y = (HEIGHT + SL_TILE - 1) / SL_TILE;
    f->samples = SAMPLES;
    for (int s = 0; s < SAMPLES; s++) {
        f->offset_x[s] = 0.1f + 0.3f * (float)s;
        f->offset_y[s] = 0.8f - 0.25f * (float)s;
    }
    f->count = count;
    size_t padded = (count + 7) / 8 * 8;
    size_t tiled = (size_t)f->tiles_x * f->tiles_y * SAMPLES * SL_TILE_SIZE;
    f->world = SL_PUSH(&p->arena, float, 4 * padded);
    f->record = SL_PUSH(&p->arena, float, 4 * padded);
    f->rect = SL_PUSH(&p->arena, SlRect, padded);
    f->key = SL_PUSH(&p->arena, uint32_t, padded);
    f->z = SL_PUSH(&p->arena, float, tiled);
    f->id = SL_PUSH(&p->arena, uint32_t, tiled);
    for (size_t k = 0; k < tiled; k++) {
        f->z[k] = SL_DEPTH_NONE;
        f->id[k] = (uint32_t)count;
    }
    for (size_t k = 4 * count; k < 4 * padded; k++)
        f->world[k] = NAN;
}

static void raster(Picture *p)
{
    SlSplatFrame *f = &p->frame;
    p->sphere->project_camera(f, 0, f->count);
    uint32_t *order = sl_sort_keys(p->context->pool, &p->arena, f->key, f->count);
    assert_non_null(order);
    SlRects rects = {f->rect, order, f->count};
    SlTiles tiles = {f->tiles_x, f->tiles_y, SL_TILE_SHIFT};
    assert_true(sl_bins_build(p->context->pool, &p->arena, &rects, tiles, &f->bins));
    for (size_t tile = 0; tile < (size_t)f->tiles_x * f->tiles_y; tile++)
        p->sphere->draw(f, tile);
}

static void close_picture(Picture *p)
{
    sl_arena_free(&p->arena);
    sl_context_destroy(p->context);
}

/* Depth at a pixel position of one sphere, or infinity; *edge: how near the ray passes its rim. */
static double reference_hit(const SlCameraFrame *c, const float *w, double px, double py, double *edge)
{
    double a = (px - c->center_x) / c->focal, b = (c->center_y - py) / c->focal;
    double d[3] = {c->forward.x + a * c->right.x + b * c->up.x,
                   c->forward.y + a * c->right.y + b * c->up.y,
                   c->forward.z + a * c->right.z + b * c->up.z};
    double q[3] = {c->eye.x - (double)w[0], c->eye.y - (double)w[1], c->eye.z - (double)w[2]};
    double dd = 0, qd = 0, qq = 0;
    for (int k = 0; k < 3; k++) {
        dd += d[k] * d[k];
        qd += q[k] * d[k];
        qq += q[k] * q[k];
    }
    double inside = qd * qd - dd * (qq - (double)w[3] * w[3]);
    *edge = fabs(inside) / (dd * w[3] * w[3]);
    return inside > 0 ? (-qd - sqrt(inside)) / dd : INFINITY;
}

static void compare_with_reference(Picture *p)
{
    const SlSplatFrame *f = &p->frame;
    size_t covered = 0;
    for (uint32_t s = 0; s < SAMPLES; s++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                double best = INFINITY, second = INFINITY, min_edge = INFINITY;
                uint32_t nearest = (uint32_t)f->count;
                for (uint32_t i = 0; i < f->count; i++) {
                    double edge, hit = reference_hit(&f->camera, f->world + 4 * i,
                                                 (double)x + f->offset_x[s],
                                                 (double)y + f->offset_y[s], &edge);
                    min_edge = fmin(min_edge, edge);
                    if (hit < best) {
                        second = best;
                        best = hit;
                        nearest = i;
                    } else {
                        second = fmin(second, hit);
                    }
                }
                /* A ray that grazes a rim, or two spheres at one depth, may go either way. */
                if (min_edge < 1e-3 || second - best < 1e-5)
                    continue;
                size_t tile = (size_t)(y / SL_TILE) * f->tiles_x + (size_t)(x / SL_TILE);
                size_t at = sl_tile_plane(f, tile, s) +
                            (size_t)(y % SL_TILE * SL_TILE_STRIDE + x % SL_TILE);
                assert_int_equal(nearest, f->id[at]);
                if (nearest < f->count) {
                    covered++;
                    assert_near(f->z[at], best, 2e-5);
                }
            }
    assert_true(covered > (size_t)WIDTH * HEIGHT / 4);
}

static void rasteriser_agrees_on(SlIsa isa)
{
    Picture p;
    open_picture(&p, isa, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        float *w = p.frame.world + 4 * i;
        w[0] = 5 * unit(i, 1) - 2.5f;
        w[1] = 4 * unit(i, 2) - 2;
        w[2] = 5 * unit(i, 3) - 2.5f;
        w[3] = 0.05f + 0.25f * unit(i, 4) * unit(i, 5);
    }
    raster(&p);
    compare_with_reference(&p);
    close_picture(&p);
}

static void rasteriser_agrees_with_reference(void **state)
{
    (void)state;
    rasteriser_agrees_on(SL_ISA_BASE);
    SlContext *context = test_context(1);
    if (strcmp(sl_context_isa_name(context), "avx2") == 0)
        rasteriser_agrees_on(SL_ISA_AVX2);
    else
        printf("SKIPPED: the AVX2 path of the rasteriser: this processor lacks AVX2\n");
    sl_context_destroy(context);
}

/* Equal spheres that cut each other: the seam is the plane half-way between the centres. */
static void intersecting_spheres_meet_half_way(void **state)
{
    (void)state;
    Picture p;
    open_picture(&p, SL_ISA_BASE, 2);
    const float world[8] = {-0.4f, 0, 0, 0.9f, 0.4f, 0, 0, 0.9f};
    memcpy(p.frame.world, world, sizeof world);
    raster(&p);
    const SlSplatFrame *f = &p.frame;
    size_t seen[2] = {0, 0};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            size_t tile = (size_t)(y / SL_TILE) * f->tiles_x + (size_t)(x / SL_TILE);
            uint32_t id = f->id[sl_tile_plane(f, tile, 0) +
                                (size_t)(y % SL_TILE * SL_TILE_STRIDE + x % SL_TILE)];
            if (id < 2) {
                seen[id]++;
                float from_seam = (float)x + f->offset_x[0] - f->camera.center_x;
                if (fabsf(from_seam) > 0.01f)
                    assert_int_equal(from_seam > 0, id);
            }
        }
    assert_true(seen[0] > 500 && seen[1] > 500);
    close_picture(&p);
}

static void sort_is_stable_and_complete(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    SlContext *context = test_context(3);
    SlArena arena;
    sl_arena_init(&arena, &context->memory);
    uint32_t *keys = SL_PUSH(&arena, uint32_t, MANY), *copy = SL_PUSH(&arena, uint32_t, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        copy[i] = keys[i] = sl_random(3, i, 0).value[0] >> 8 & (i % 2 ? 0xffffff : 0xff000f);
    uint32_t *order = sl_sort_keys(context->pool, &arena, keys, MANY);
    for (uint32_t i = 1; i < MANY; i++) {
        uint32_t a = order[i - 1], b = order[i];
        assert_true(copy[a] < copy[b] || (copy[a] == copy[b] && a < b));
    }
    assert_non_null(sl_sort_keys(context->pool, &arena, keys, 0));
    sl_arena_free(&arena);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rasteriser_agrees_with_reference),
        cmocka_unit_test(intersecting_spheres_meet_half_way),
        cmocka_unit_test(sort_is_stable_and_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
