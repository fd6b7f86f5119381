/* Meshes as the renderer draws them: a cube and a fine sphere of triangles against the analytic
   solids, triangles that pass the eye, and meshes that are broken. */
#include "support/test.h"

#include "geometry/shape.h"
#include "math/vec3.h"
#include "render/splats/splats.h"
#include "render/splats/solids.h"

enum { WIDTH = 224, HEIGHT = 160, SAMPLES = 4, MAX_VERTICES = 50000, MAX_TRIANGLES = 100000 };

static float positions[3 * MAX_VERTICES];
static uint32_t triangles[3 * MAX_TRIANGLES];

static SlColliderView placed(size_t vertex_count, size_t triangle_count)
{
    return (SlColliderView){.name = "",
                            .kind = SL_COLLIDER_MESH,
                            .mesh = {.positions = positions,
                                     .vertex_count = vertex_count,
                                     .triangles = triangles,
                                     .triangle_count = triangle_count},
                            .pose = {.rotation = {0, 0, 0, 1}}};
}

/* Moves every vertex v to v.x x + v.y y + v.z z. */
static void stretch(const SlColliderView *mesh, SlVec3 x, SlVec3 y, SlVec3 z)
{
    for (size_t i = 0; i < mesh->mesh.vertex_count; i++) {
        float *v = positions + 3 * i;
        SlVec3 p = sl_add(sl_scale(x, v[0]), sl_add(sl_scale(y, v[1]), sl_scale(z, v[2])));
        memcpy(v, &p, sizeof p);
    }
}

static void stretch_along_axes(const SlColliderView *mesh, float x, float y, float z)
{
    stretch(mesh, sl_vec3(x, 0, 0), sl_vec3(0, y, 0), sl_vec3(0, 0, z));
}

/* Corners at ±1, each face of two triangles. */
static SlColliderView cube(void)
{
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (uint32_t v = 0; v < 8; v++)
        for (uint32_t k = 0; k < 3; k++)
            positions[3 * v + k] = (v >> k & 1) != 0 ? 1.0f : -1.0f;
    for (uint32_t f = 0; f < 6; f++) {
        const uint32_t corner[6] = {faces[f][0], faces[f][1], faces[f][2],
                                    faces[f][0], faces[f][2], faces[f][3]};
        memcpy(triangles + (size_t)6 * f, corner, sizeof corner);
    }
    return placed(8, 12);
}

/* A grid of `side` squares on each face of a cube, blown up to the unit sphere; `bump` moves its
   vertices in and out. Vertices are shared within a face only. */
static SlColliderView ball(uint32_t side, float bump)
{
    uint32_t row = side + 1, vertex = 0, count = 0;
    for (int face = 0; face < 6; face++) {
        uint32_t first = vertex;
        for (uint32_t j = 0; j <= side; j++)
            for (uint32_t i = 0; i <= side; i++, vertex++) {
                float a = 2 * (float)i / (float)side - 1, b = 2 * (float)j / (float)side - 1;
                float p[3];
                p[face % 3] = face < 3 ? 1.0f : -1.0f;
                p[(face + 1) % 3] = a;
                p[(face + 2) % 3] = face < 3 ? b : -b;
                SlVec3 n = sl_unit(sl_vec3(p[0], p[1], p[2]));
                float r = 1 + bump * sinf(9 * n.x) * sinf(8 * n.y + 1) * sinf(7 * n.z + 2);
                positions[3 * vertex] = r * n.x;
                positions[3 * vertex + 1] = r * n.y;
                positions[3 * vertex + 2] = r * n.z;
            }
        for (uint32_t j = 0; j < side; j++)
            for (uint32_t i = 0; i < side; i++, count += 2) {
                uint32_t at = first + j * row + i;
                const uint32_t corner[6] = {at, at + 1, at + row + 1, at, at + row + 1, at + row};
                memcpy(triangles + (size_t)3 * count, corner, sizeof corner);
            }
    }
    assert_true(vertex <= MAX_VERTICES && count <= MAX_TRIANGLES);
    return placed(vertex, count);
}

typedef struct Picture {
    SlContext *context;
    SlArena arena;
    SlSplatFrame frame;
} Picture;

static void open_picture(Picture *p, const SlCamera *camera)
{
    memset(p, 0, sizeof *p);
    p->context = test_context(2);
    sl_arena_init(&p->arena, &p->context->memory);
    SlSplatFrame *f = &p->frame;
    f->camera = sl_camera_frame(camera, WIDTH, HEIGHT);
    f->rays = sl_splats_camera_rays(&f->camera);
    f->width = WIDTH;
    f->height = HEIGHT;
    f->tiles_x = WIDTH / SL_TILE;
    f->tiles_y = HEIGHT / SL_TILE;
    f->samples = SAMPLES;
    for (int s = 0; s < SAMPLES; s++) {
        f->offset_x[s] = 0.1f + 0.25f * (float)s;
        f->offset_y[s] = 0.9f - 0.2f * (float)s;
    }
    size_t tiled = (size_t)f->tiles_x * f->tiles_y * SAMPLES * SL_TILE_SIZE;
    f->z = SL_PUSH(&p->arena, float, tiled);
    f->id = SL_PUSH(&p->arena, uint32_t, tiled);
    f->normal = SL_PUSH(&p->arena, uint32_t, tiled);
    for (size_t k = 0; k < tiled; k++) {
        f->z[k] = SL_DEPTH_NONE;
        f->id[k] = 0;
        f->normal[k] = 0;
    }
}

static void close_picture(Picture *p)
{
    sl_arena_free(&p->arena);
    sl_context_destroy(p->context);
}

static void draw_mesh(Picture *p, const SlColliderView *mesh, SlIsa isa)
{
    SlSplatFrame *f = &p->frame;
    SlFrameView view = {.colliders = mesh, .collider_count = 1};
    assert_ok(sl_splats_gather_meshes(p->context, &p->arena, &view, f, &test_error));
    for (size_t tile = 0; tile < (size_t)f->tiles_x * f->tiles_y && f->triangles.count > 0; tile++)
        SL_KERNELS(isa, sl_mesh_kernels)->draw(f, tile);
}

static SlCamera camera_at(float x, float y, float z)
{
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){x, y, z};
    return camera;
}

/* How many samples show something. */
static size_t covered(const Picture *p)
{
    size_t count = 0;
    for (size_t plane = 0; plane < (size_t)p->frame.tiles_x * p->frame.tiles_y * SAMPLES; plane++)
        for (size_t k = 0; k < SL_TILE * SL_TILE; k++) {
            size_t at = plane * SL_TILE_SIZE + k / SL_TILE * SL_TILE_STRIDE + k % SL_TILE;
            assert_true(p->frame.z[at] > 0);
            count += p->frame.z[at] < SL_DEPTH_NONE;
        }
    return count;
}

typedef struct Misses {
    size_t shared, outline, depth, normal;
} Misses;

static void compare_sample(float z, float other_z, uint32_t n, uint32_t other_n, double depth_slack,
                           double normal_slack, Misses *misses)
{
    if ((z < SL_DEPTH_NONE) != (other_z < SL_DEPTH_NONE))
        misses->outline++;
    if (z == SL_DEPTH_NONE || other_z == SL_DEPTH_NONE)
        return;
    misses->shared++;
    misses->depth += fabsf(z - other_z) > depth_slack;
    assert_int_equal(SL_PIXEL_SOLID, n >> 30);
    double most = 0;
    for (int k = 0; k < 3; k++) {
        double a = n >> 10 * k & 1023, b = other_n >> 10 * k & 1023;
        most = fmax(most, fabs(a - b) / 511.5);
    }
    misses->normal += most > normal_slack;
}

static Misses compare(const SlColliderView *mesh, SlShape shape, SlIsa isa, double depth_slack,
                      double normal_slack)
{
    SlCamera camera = camera_at(2.2f, 1.9f, 3.1f);
    Picture p;
    open_picture(&p, &camera);
    draw_mesh(&p, mesh, isa);
    const char *reason;
    assert_true(sl_shape_prepare(&shape, &reason));
    SlSolid solid = {.shape = shape};
    SlSplatFrame *f = &p.frame;
    Misses misses = {0};
    for (uint32_t plane = 0; plane < f->tiles_x * f->tiles_y * SAMPLES; plane++) {
        static float z[SL_TILE_SIZE];
        static uint32_t id[SL_TILE_SIZE], normal[SL_TILE_SIZE];
        uint32_t tile = plane / SAMPLES, left = tile % f->tiles_x, top = tile / f->tiles_x;
        float x = (float)(left * SL_TILE) + f->offset_x[plane % SAMPLES];
        float y = (float)(top * SL_TILE) + f->offset_y[plane % SAMPLES];
        for (int k = 0; k < SL_TILE_SIZE; k++) {
            z[k] = SL_DEPTH_NONE;
            id[k] = 0;
        }
        const SlSolidKernels *kernels = SL_KERNELS(isa, sl_solid_kernels);
        SlTileView view = {x, y, z, id, normal};
        kernels->draw(&solid, &f->rays, &view, 7);
        kernels->normals(&solid, f, &view, 7);
        for (size_t k = 0; k < SL_TILE * SL_TILE; k++) {
            size_t in = k / SL_TILE * SL_TILE_STRIDE + k % SL_TILE;
            size_t at = (size_t)plane * SL_TILE_SIZE + in;
            compare_sample(f->z[at], z[in], f->normal[at], normal[in], depth_slack, normal_slack,
                           &misses);
        }
    }
    close_picture(&p);
    return misses;
}

static SlIsa best_isa(void)
{
    SlContext *context = test_context(1);
    SlIsa isa = context->isa;
    sl_context_destroy(context);
    return isa;
}

/* Turned and of unlike sides, as a scene may place it. */
static void cube_equals_the_box(void **state)
{
    (void)state;
    SlShape shape = sl_default_shape(SL_SHAPE_BOX);
    shape.center = (SlVec3){0.1f, -0.1f, 0.2f};
    shape.half = (SlVec3){0.8f, 0.5f, 0.6f};
    shape.axis = (SlVec3){0.3f, 1, 0.2f};
    SlShape ready = shape;
    const char *reason;
    assert_true(sl_shape_prepare(&ready, &reason));
    SlColliderView mesh = cube();
    mesh.pose.position = ready.center;
    stretch(&mesh, sl_scale(ready.side, ready.half.x), sl_scale(ready.axis, ready.half.y),
            sl_scale(sl_cross(ready.side, ready.axis), ready.half.z));
    for (int path = 0; path < 2; path++) {
        Misses misses =
            compare(&mesh, shape, path == 0 ? SL_ISA_BASE : best_isa(), 1e-4, 0.005);
        assert_true(misses.shared > 10000);
        assert_true(misses.outline < 20);
        assert_true(misses.depth < 10);
        assert_true(misses.normal < 20); /* at an edge the two may choose different sides */
    }
}

static void fine_ball_is_close_to_the_sphere(void **state)
{
    (void)state;
    SlShape shape = sl_default_shape(SL_SHAPE_SPHERE);
    shape.center = (SlVec3){0, 0, 0};
    shape.radius = 0.9f;
    SlColliderView mesh = ball(30, 0); /* flat triangles would miss the normals */
    stretch_along_axes(&mesh, 0.9f, 0.9f, 0.9f);
    Misses misses = compare(&mesh, shape, best_isa(), 5e-3, 0.02);
    assert_true(misses.shared > 10000);
    assert_true(misses.outline < misses.shared / 200);
    assert_true(misses.depth < misses.shared / 50); /* the rim is steep */
    assert_true(misses.normal < misses.shared / 500);
}

/* A wall of many triangles in front of the camera leaves no sample open. */
static void neighbours_leave_no_cracks(void **state)
{
    (void)state;
    enum { SIDE = 100 };
    for (uint32_t v = 0; v < (SIDE + 1) * (SIDE + 1); v++) {
        positions[3 * v] = (float)(v % (SIDE + 1)) / SIDE * 8 - 4;
        positions[3 * v + 1] = floorf((float)v / (SIDE + 1)) / SIDE * 8 - 4;
        positions[3 * v + 2] = 0.3f * sinf((float)v);
    }
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        uint32_t row = k / SIDE, at = row * (SIDE + 1) + k % SIDE;
        const uint32_t corner[6] = {at, at + 1, at + SIDE + 2, at, at + SIDE + 2, at + SIDE + 1};
        memcpy(triangles + (size_t)6 * k, corner, sizeof corner);
    }
    SlColliderView mesh = placed((SIDE + 1) * (SIDE + 1), 2 * SIDE * SIDE);
    SlCamera camera = camera_at(0.1f, 0.2f, 4);
    Picture p;
    open_picture(&p, &camera);
    draw_mesh(&p, &mesh, best_isa());
    assert_int_equal(WIDTH * HEIGHT * SAMPLES, covered(&p));
    close_picture(&p);
}

/* A floor 1 m below the eye, of one triangle that reaches far before and behind it: at slope b
   below the horizon its depth is 1 / b. Also as seen from below. */
static void triangle_around_the_eye(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        float far = side == 0 ? 300.0f : 3e6f, height = side == 0 ? -1.0f : 1.0f;
        const float corner[9] = {-far, height, far, far, height, far, 0, height, -far};
        memcpy(positions, corner, sizeof corner);
        triangles[0] = 0;
        triangles[1] = 1;
        triangles[2] = 2;
        SlColliderView mesh = placed(3, 1);
        SlCamera camera = camera_at(0, 0, 0);
        camera.target = (SlVec3){0, 0, -1};
        Picture p;
        open_picture(&p, &camera);
        draw_mesh(&p, &mesh, best_isa());
        const SlSplatFrame *f = &p.frame;
        for (int y = 0; y < HEIGHT; y++) {
            size_t tile = (size_t)(y / SL_TILE) * f->tiles_x + 3; /* left of the middle */
            size_t at = sl_tile_plane(f, tile, 1) + (size_t)(y % SL_TILE * SL_TILE_STRIDE + 10);
            float b = ((float)y + f->offset_y[1] - f->camera.center_y) / f->camera.focal;
            float depth = -height / b;
            if (depth < 0)
                assert_true(f->z[at] == SL_DEPTH_NONE);
            else if (depth < 100)
                assert_near(f->z[at], depth, 1e-4 * depth);
            if (depth < 0 || depth > 100)
                continue;
            /* The normal looks at the eye from either side. */
            assert_near((f->normal[at] >> 10 & 1023) / 511.5 - 1, -height, 0.003);
        }
        close_picture(&p);
    }
}

static void broken_meshes_are_harmless(void **state)
{
    (void)state;
    SlColliderView whole = cube();
    SlCamera camera = camera_at(2.2f, 1.9f, 3.1f);
    Picture good, bad;
    open_picture(&good, &camera);
    draw_mesh(&good, &whole, best_isa());
    /* No area, twice in different ways; no such vertex; not a number; nothing. */
    static const uint32_t extra[][3] = {{0, 0, 7}, {7, 0, 0}, {0, 7, 0}, {3, 3, 3}, {0, 8, 9},
                                        {0, 1, 12}, {UINT32_MAX, 0, 1}, {0, UINT32_MAX, 1},
                                        {10, 0, 1}, {0, 1, 11}};
    const float more[] = {0, 0, 0, 0.5f, 0.5f, 0.5f, NAN, 0, 0, 0, INFINITY, 0};
    memcpy(positions + (size_t)3 * 8, more, sizeof more);
    memcpy(triangles + (size_t)3 * 12, extra, sizeof extra);
    SlColliderView mesh = placed(12, 12 + sizeof extra / sizeof extra[0]);
    open_picture(&bad, &camera);
    draw_mesh(&bad, &mesh, best_isa());
    assert_int_equal(covered(&good), covered(&bad));
    close_picture(&bad);
    mesh.mesh.triangles += 3 * 12;
    mesh.mesh.triangle_count -= 12;
    open_picture(&bad, &camera);
    draw_mesh(&bad, &mesh, best_isa());
    assert_true(covered(&bad) < 5); /* corners in line but for rounding may touch a sample */
    close_picture(&bad);
    SlColliderView empty[] = {placed(0, 0), placed(0, 3), placed(8, 0), {.name = "", .kind = SL_COLLIDER_MESH}};
    for (size_t k = 0; k < sizeof empty / sizeof empty[0]; k++) {
        open_picture(&bad, &camera);
        draw_mesh(&bad, &empty[k], best_isa());
        assert_int_equal(0, covered(&bad));
        close_picture(&bad);
    }
    close_picture(&good);
}

enum { MAX_ROWS = 64, SIDE = 192, CROWD = 3000 };

/* A picture of `view` by the public calls, to be freed. */
static uint8_t *picture(const SlFrameView *view, const char *style, uint32_t threads)
{
    size_t kinds;
    const SlTable *table = sl_renderer_tables(&kinds)[0];
    SlParamValue values[MAX_ROWS];
    for (size_t k = 0; k < table->row_count; k++)
        values[k] = table->rows[k].value;
    const SlParamRow *row = sl_table_find(table, "blend");
    assert_ok(sl_param_set_text(row, style, &values[row - table->rows], &test_error));
    const char *const sides[2] = {"width", "height"};
    for (int k = 0; k < 2; k++) {
        row = sl_table_find(table, sides[k]);
        assert_ok(sl_param_set_number(row, SIDE, &values[row - table->rows], &test_error));
    }
    SlContext *context = test_context(threads);
    SlRenderer *renderer;
    const SlImage *image;
    SlCamera camera = camera_at(3, 2.5f, 5);
    assert_ok(sl_renderer_create(context, "splats", values, &renderer, &test_error));
    assert_ok(sl_renderer_draw(renderer, view, &camera, &image, &test_error));
    uint8_t *copy = malloc((size_t)3 * SIDE * SIDE);
    memcpy(copy, image->pixels, (size_t)3 * SIDE * SIDE);
    sl_renderer_destroy(renderer);
    sl_context_destroy(context);
    return copy;
}

static void same_picture_for_any_threads(void **state)
{
    (void)state;
    static float crowd[CROWD][3];
    for (int i = 0; i < CROWD; i++) {
        crowd[i][0] = sinf((float)i) * 0.95f;
        crowd[i][1] = -0.9f + (float)i / CROWD;
        crowd[i][2] = cosf(1.7f * (float)i) * 0.95f;
    }
    SlFieldView field = {"position", "m", "", SL_FIELD_F32X3, crowd, CROWD, 12};
    SlSystemView system = {.name = "water",
                           .solver = "pbf",
                           .particle_count = CROWD,
                           .spacing = 0.06f,
                           .fields = &field,
                           .field_count = 1};
    SlColliderView both[2];
    both[0] = both[1] = ball(40, 0.1f);
    stretch_along_axes(&both[0], 0.6f, 0.6f, 0.6f);
    both[1].pose.position = (SlVec3){0.8f, 0.9f, 0.3f};
    SlFrameView view = {.domain = {{-1, -1, -1}, {1, 1, 1}},
                        .systems = &system,
                        .system_count = 1,
                        .colliders = both,
                        .collider_count = 2};
    const char *const styles[2] = {"opaque", "transparent"};
    for (int style = 0; style < 2; style++) {
        uint8_t *one = picture(&view, styles[style], 1);
        view.collider_count = 0;
        uint8_t *none = picture(&view, styles[style], 1);
        view.collider_count = 2;
        assert_memory_not_equal(one, none, (size_t)3 * SIDE * SIDE);
        for (uint32_t threads = 2; threads <= 3; threads++) {
            uint8_t *other = picture(&view, styles[style], threads);
            assert_memory_equal(one, other, (size_t)3 * SIDE * SIDE);
            free(other);
        }
        free(one);
        free(none);
    }
}

/* Light, shadow on the ground and occlusion included. */
static void cube_looks_like_the_box(void **state)
{
    (void)state;
    SlShape shape = sl_default_shape(SL_SHAPE_BOX);
    shape.center = (SlVec3){0, -0.3f, 0};
    shape.half = (SlVec3){0.5f, 0.4f, 0.6f};
    SlColliderView mesh = cube();
    mesh.pose.position = shape.center;
    stretch_along_axes(&mesh, shape.half.x, shape.half.y, shape.half.z);
    SlColliderView solid = {.name = "", .kind = SL_COLLIDER_SHAPE, .shape = shape};
    SlFrameView by_mesh = {
        .domain = {{-1, -1, -1}, {1, 1, 1}}, .colliders = &mesh, .collider_count = 1};
    SlFrameView by_shape = {.domain = by_mesh.domain, .colliders = &solid, .collider_count = 1};
    uint8_t *a = picture(&by_mesh, "opaque", 2), *b = picture(&by_shape, "opaque", 2);
    size_t apart = 0;
    for (size_t k = 0; k < (size_t)3 * SIDE * SIDE; k++)
        apart += abs(a[k] - b[k]) > 3;
    assert_true(apart < (size_t)3 * SIDE * SIDE / 500);
    free(a);
    free(b);
}

static void bounds_take_in_meshes(void **state)
{
    (void)state;
    SlColliderView mesh = cube();
    mesh.pose.position = (SlVec3){1, 0, 0};
    SlFrameView view = {.colliders = &mesh, .collider_count = 1};
    SlBox box = sl_stage_box(&view);
    assert_near(box.min.x, 0, 1e-6);
    assert_near(box.max.x, 2, 1e-6);
    view.domain = (SlBox){{-1, -0.5f, -1}, {1, 1, 1}};
    SlBox scene = sl_stage_box(&view), reach = sl_stage_reach(&view, &scene);
    assert_near(scene.min.y, -0.5, 0);
    assert_near(reach.min.y, -1, 1e-6);
    SlBox lit = sl_stage_shadow_box(&scene, &reach);
    assert_true(lit.min.y <= -1 && lit.max.x >= 2 && lit.max.x < 2.26f);
    assert_near(lit.min.x, -1, 0);
    stretch_along_axes(&mesh, 1000, 1, 1); /* not so far that shadows get coarse */
    reach = sl_stage_reach(&view, &scene);
    assert_near(reach.max.x, 3, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_equals_the_box),
        cmocka_unit_test(fine_ball_is_close_to_the_sphere),
        cmocka_unit_test(neighbours_leave_no_cracks),
        cmocka_unit_test(triangle_around_the_eye),
        cmocka_unit_test(broken_meshes_are_harmless),
        cmocka_unit_test(same_picture_for_any_threads),
        cmocka_unit_test(cube_looks_like_the_box),
        cmocka_unit_test(bounds_take_in_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
