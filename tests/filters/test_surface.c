/* The surface of pools, balls and blocks of particles: flat, round, closed, of the right volume, with the
   same bits for any number of threads. */
#include "core/hash.h"
#include "filters/surface/surface.h"
#include "geometry/mesh/check.h"
#include "geometry/shape.h"
#include "support/dam.h"

typedef struct Cloud {
    float *x, *v; /* 3 each */
    size_t count, room;
} Cloud;

static const float d = 0.1f;

static void add(Cloud *cloud, float x, float y, float z)
{
    if (cloud->count == cloud->room) {
        cloud->room = 2 * cloud->room + 64;
        cloud->x = realloc(cloud->x, 3 * cloud->room * sizeof(float));
        cloud->v = realloc(cloud->v, 3 * cloud->room * sizeof(float));
    }
    const float position[3] = {x, y, z}, velocity[3] = {1, 2 * x, -3};
    memcpy(cloud->x + 3 * cloud->count, position, sizeof position);
    memcpy(cloud->v + 3 * cloud->count++, velocity, sizeof velocity);
}

static void drop_cloud(Cloud *cloud)
{
    free(cloud->x);
    free(cloud->v);
}

/* A number in [-0.5, 0.5) by a small generator of its own. */
static float jitter(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f - 0.5f;
}

static void add_block(Cloud *cloud, int nx, int ny, int nz, float amount)
{
    uint32_t state = 7;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                float a = amount * jitter(&state), b = amount * jitter(&state);
                add(cloud, d * ((float)x + 0.5f + a), d * ((float)y + 0.5f + b),
                    d * ((float)z + 0.5f + amount * jitter(&state)));
            }
}

typedef struct Meshed {
    SlContext *context;
    SlFilter *filter;
    const SlSurfaceView *surface;
} Meshed;

static const SlBox open_box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};

/* NULL values: the defaults. */
static Meshed mesh_beside(const Cloud *cloud, SlBox domain, const SlColliderView *collider,
                          uint32_t threads, const SlParamValue *values)
{
    SlFieldView fields[2] = {{"position", "m", "", SL_FIELD_F32X3, cloud->x, cloud->count, 12},
                             {"velocity", "m/s", "", SL_FIELD_F32X3, cloud->v, cloud->count, 12}};
    SlSystemView system = {.name = "water", .solver = "pbf", .particle_count = cloud->count,
                           .spacing = d, .volume = d * d * d, .fields = fields, .field_count = 2};
    SlFrameView frame = {.domain = domain, .systems = &system, .system_count = 1,
                         .colliders = collider, .collider_count = collider != NULL};
    const SlFrameView *output;
    Meshed m = {.context = test_context(threads)};
    assert_ok(sl_filter_create(m.context, "surface", values, &m.filter, &test_error));
    assert_ok(sl_filter_apply(m.filter, &frame, &output, &test_error));
    assert_int_equal(output->surface_count, 1);
    m.surface = output->surfaces;
    assert_string_equal(m.surface->system, "water");
    return m;
}

static Meshed mesh(const Cloud *cloud, SlBox domain, uint32_t threads, const SlParamValue *values)
{
    return mesh_beside(cloud, domain, NULL, threads, values);
}

static void unmesh(Meshed *m)
{
    sl_filter_destroy(m->filter);
    sl_context_destroy(m->context);
}

static SlMeshReport report_of(const Meshed *m)
{
    SlMesh copy;
    SlMeshReport report;
    assert_ok(sl_mesh_copy(m->context, m->surface->positions, m->surface->vertex_count,
                           m->surface->triangles, m->surface->triangle_count, &copy, &test_error));
    assert_ok(sl_mesh_check(&copy, &report, &test_error));
    sl_mesh_destroy(&copy);
    return report;
}

/* Closed, manifold, outwards, with normals of length 1. */
static SlMeshReport check_mesh(const Meshed *m)
{
    SlMeshReport report = report_of(m);
    assert_true(report.closed);
    /* Smoothing shrinks air pockets of a cube or two to a point. */
    assert_true(report.degenerate_faces * 1000 <= report.triangles);
    assert_int_equal(report.duplicate_faces, 0);
    assert_true(report.volume > 0);
    for (size_t i = 0; i < m->surface->vertex_count; i++) {
        const float *n = m->surface->normals + 3 * i;
        assert_near((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1, 1e-5);
    }
    return report;
}

/* Every cell's triangles are a closed set of loops: an edge inside the cell is used in both directions,
   one on a face in one direction only. (That no inner edge lies in a face is asserted by the derivation.) */
static void cubes_fit_together(void **state)
{
    (void)state;
    SurfaceCase cases[256];
    surface_cubes_derive(cases);
    for (int c = 0; c < 256; c++) {
        int used[12][12] = {{0}}, corners[12] = {0};
        for (int t = 0; t < cases[c].triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                uint8_t a = cases[c].edges[t][k], b = cases[c].edges[t][(k + 1) % 3];
                used[a][b]++;
                corners[a]++;
            }
        for (uint32_t e = 0; e < 12; e++) {
            uint32_t low = surface_edge_corner(e), high = low | 1u << (e >> 2);
            bool crossed = ((uint32_t)c >> low & 1) != ((uint32_t)c >> high & 1);
            assert_int_equal(corners[e] > 0, crossed);
            int open = 0; /* of the half-edges that begin here, those without their opposite */
            for (int f = 0; f < 12; f++) {
                assert_true(used[e][f] <= 1);
                open += used[e][f] == 1 && used[f][e] == 0;
            }
            assert_int_equal(open, crossed);
        }
    }
    assert_int_equal(cases[1].triangle_count, 1);
    assert_int_equal(cases[0].triangle_count + cases[255].triangle_count, 0);
}

/* A pool between walls: flat top at the right height, walls and floor exactly at the domain's planes. */
static void pool_is_flat(void **state)
{
    (void)state;
    SlBox domain = {{0, 0, 0}, {24 * d, 20 * d, 21.3f * d}};
    for (int jittered = 0; jittered < 2; jittered++) {
        Cloud cloud = {0};
        add_block(&cloud, 24, 8, 21, jittered == 1 ? 0.1f : 0);
        Meshed m = mesh(&cloud, domain, 1, NULL);
        SlMeshReport report = check_mesh(&m);
        assert_int_equal(report.components, 1);
        float worst = 0;
        size_t top = 0;
        for (size_t i = 0; i < m.surface->vertex_count; i++) {
            const float *x = m.surface->positions + 3 * i;
            for (int k = 0; k < 3; k++)
                assert_true(x[k] >= 0 && x[k] <= (&domain.max.x)[k]);
            bool away = x[0] > 2 * d && x[0] < 22 * d && x[2] > 2 * d && x[2] < 19 * d;
            if (!away || x[1] < 4 * d)
                continue;
            top++;
            worst = fmaxf(worst, fabsf(x[1] - 8 * d));
        }
        assert_true(top > 1000);
        assert_less((double)(worst / d), 0.05);
        assert_near(report.volume / (24 * 8 * 21.3 * pow((double)d, 3)), 1, 0.02);
        assert_near((double)report.bounds.min.x, 0, 0);
        assert_near((double)report.bounds.min.y, 0, 0);
        assert_near((double)report.bounds.max.x, (double)domain.max.x, 0);
        unmesh(&m);
        drop_cloud(&cloud);
    }
}

/* Shells one spacing apart, each with evenly spread particles: a cubic lattice would be a ball within
   half a spacing only. */
static void ball_is_round(void **state)
{
    (void)state;
    Cloud cloud = {0};
    const float center[3] = {0.3f, -1.2f, 7};
    const int shells = 10;
    for (int s = 0; s < shells; s++) {
        float r = (float)s + 0.5f;
        int n = (int)roundf(4 * 3.14159265f * (r * r + 1.0f / 12));
        for (int i = 0; i < n; i++) {
            float y = 1 - (2 * (float)i + 1) / (float)n, around = 2.39996323f * (float)i + r;
            float ring = r * d * sqrtf(1 - y * y);
            add(&cloud, center[0] + ring * cosf(around), center[1] + r * d * y,
                center[2] + ring * sinf(around));
        }
    }
    Meshed m = mesh(&cloud, open_box, 2, NULL);
    SlMeshReport report = check_mesh(&m);
    double worst = 0;
    for (size_t i = 0; i < m.surface->vertex_count; i++) {
        double r2 = 0;
        for (int k = 0; k < 3; k++)
            r2 += pow((double)(m.surface->positions[3 * i + (size_t)k] - center[k]), 2);
        worst = fmax(worst, fabs(sqrt(r2) / (double)d - shells));
    }
    assert_less(worst, 0.1);
    assert_near(report.volume / ((double)cloud.count * pow((double)d, 3)), 1, 0.02);
    unmesh(&m);
    drop_cloud(&cloud);
}

static void block_keeps_its_volume(void **state)
{
    (void)state;
    Cloud cloud = {0};
    add_block(&cloud, 20, 14, 17, 0.2f);
    Meshed m = mesh(&cloud, open_box, 1, NULL);
    SlMeshReport report = check_mesh(&m);
    assert_near(report.volume / ((double)cloud.count * pow((double)d, 3)), 1, 0.02);
    for (size_t i = 0; i < m.surface->vertex_count; i++) {
        const float *v = m.surface->velocities + 3 * i;
        assert_near((double)v[0], 1, 1e-4);
        assert_near((double)v[1], 2 * (double)m.surface->positions[3 * i], 0.15);
        assert_near((double)v[2], -3, 1e-4);
    }
    unmesh(&m);
    drop_cloud(&cloud);
}

static void few_particles(void **state)
{
    (void)state;
    Cloud cloud = {0};
    Meshed none = mesh(&cloud, open_box, 1, NULL);
    assert_int_equal(none.surface->vertex_count, 0);
    assert_int_equal(none.surface->triangle_count, 0);
    unmesh(&none);
    add(&cloud, 3, 4, 5);
    Meshed one = mesh(&cloud, open_box, 1, NULL);
    SlMeshReport report = check_mesh(&one);
    assert_int_equal(report.components, 1);
    assert_near(report.volume / pow((double)d, 3), 1, 0.1);
    for (size_t i = 0; i < one.surface->vertex_count; i++) {
        double r2 = 0;
        for (size_t k = 0; k < 3; k++)
            r2 += pow((double)(one.surface->positions[3 * i + k] - cloud.x[k]), 2);
        assert_near(sqrt(r2) / (double)d, 0.67, 1e-3);
    }
    assert_near((double)(report.bounds.max.x + report.bounds.min.x) / 2, 3, 1e-3);
    unmesh(&one);
    drop_cloud(&cloud);
}

/* A pillar that stands in a pool, on the lattice of the particles, and its particles left out. */
static const float pillar_low[3] = {7 * 0.1f, -1, 8 * 0.1f}, pillar_high[3] = {12 * 0.1f, 2, 14 * 0.1f};

static void add_pool(Cloud *cloud, int nx, int ny, int nz)
{
    Cloud all = {0};
    add_block(&all, nx, ny, nz, 0.1f);
    for (size_t i = 0; i < all.count; i++) {
        const float *x = all.x + 3 * i;
        if (x[0] < pillar_low[0] || x[0] > pillar_high[0] || x[2] < pillar_low[2] ||
            x[2] > pillar_high[2])
            add(cloud, x[0], x[1], x[2]);
    }
    drop_cloud(&all);
}

static SlColliderView pillar_shape(void)
{
    SlColliderView collider = {.kind = SL_COLLIDER_SHAPE, .shape = sl_default_shape(SL_SHAPE_BOX)};
    for (int k = 0; k < 3; k++) {
        (&collider.shape.center.x)[k] = (pillar_low[k] + pillar_high[k]) / 2;
        (&collider.shape.half.x)[k] = (pillar_high[k] - pillar_low[k]) / 2;
    }
    return collider;
}

/* Distance to the pillar's sides, negative inside. */
static float pillar_distance(const float *x)
{
    float u = fmaxf(pillar_low[0] - x[0], x[0] - pillar_high[0]);
    return fmaxf(u, fmaxf(pillar_low[2] - x[2], x[2] - pillar_high[2]));
}

/* Round it: flat up to the pillar, and in the pillar the mesh ends at one depth; by shape and by mesh. */
static void follows_colliders(void **state)
{
    (void)state;
    SlBox domain = {{0, 0, 0}, {20 * d, 20 * d, 20 * d}};
    Cloud cloud = {0};
    add_pool(&cloud, 20, 8, 20);
    SlColliderView colliders[2] = {pillar_shape(), {.kind = SL_COLLIDER_MESH}};
    SlContext *context = test_context(1);
    SlMesh box;
    assert_ok(sl_shape_mesh(context, &colliders[0].shape, d, domain, &box, &test_error));
    colliders[1].mesh = (SlMeshView){.positions = box.positions, .vertex_count = box.vertex_count,
                                     .triangles = box.triangles,
                                     .triangle_count = box.triangle_count};
    colliders[1].pose.position = colliders[0].shape.center;
    colliders[1].pose.rotation.w = 1;
    for (int c = 0; c < 2; c++) {
        Meshed m = mesh_beside(&cloud, domain, &colliders[c], 2, NULL);
        SlMeshReport report = check_mesh(&m);
        size_t at_side = 0, beside = 0;
        for (size_t i = 0; i < m.surface->vertex_count; i++) {
            const float *x = m.surface->positions + 3 * i;
            float s = pillar_distance(x) / d;
            assert_true(s > -0.4f); /* deeper than 0.1 only at the pillar's edges */
            if (x[1] < 6.5f * d && x[1] > d && s < 2) {
                at_side++; /* no film of air beside it */
                assert_near((double)s, -0.1, 0.02);
            }
            if (x[1] > 6.5f * d && s > -0.05f && s < 2) {
                beside++;
                assert_near((double)(x[1] / d), 8, 0.08);
            }
        }
        assert_true(at_side > 300 && beside > 200);
        double pool = 20 * 20 * 8, hole = (5 - 0.2) * (6 - 0.2) * 8;
        assert_near(report.volume / pow((double)d, 3) / (pool - hole), 1, 0.01);
        unmesh(&m);
    }
    sl_mesh_destroy(&box);
    sl_context_destroy(context);
    drop_cloud(&cloud);
}

/* Water at one side of a thin plate does not appear at the other. */
static void plates_keep_apart(void **state)
{
    (void)state;
    Cloud cloud = {0};
    add_block(&cloud, 12, 12, 12, 0.1f);
    for (int thick = 1; thick < 4; thick++) {
        SlColliderView plate = pillar_shape();
        plate.shape.half = (SlVec3){0.25f * d * (float)thick, 3, 3};
        plate.shape.center = (SlVec3){12 * d + plate.shape.half.x, 0, 0};
        Meshed m = mesh_beside(&cloud, open_box, &plate, 1, NULL);
        SlMeshReport report = check_mesh(&m);
        /* Below 1.25 d there are no images: the surface is that of the particles. */
        assert_near((double)report.bounds.max.x / (double)d, 12.1, thick < 3 ? 0.1 : 0.02);
        assert_near(report.volume / ((double)cloud.count * pow((double)d, 3)), 1, 0.02);
        unmesh(&m);
    }
    drop_cloud(&cloud);
}

/* `sink` moves the mesh's ends outwards, at walls and in colliders, and not the free surface. */
static void sinks_into_walls(void **state)
{
    (void)state;
    SlBox domain = {{0, 0, 0}, {20 * d, 20 * d, 20 * d}};
    Cloud cloud = {0};
    add_pool(&cloud, 20, 8, 20);
    SlColliderView pillar = pillar_shape();
    size_t count;
    const SlTable *const *tables = sl_filter_tables(&count);
    const SlTable *table = sl_table_named(tables, count, "surface");
    SlParamValue values[16];
    sl_table_defaults(table, values);
    assert_ok(sl_table_set_number(table, values, "sink", 0.5, &test_error));
    Meshed m = mesh_beside(&cloud, domain, &pillar, 1, values);
    SlMeshReport report = check_mesh(&m);
    assert_near((double)report.bounds.min.x / (double)d, -0.5, 1e-4);
    assert_near((double)report.bounds.min.y / (double)d, -0.5, 1e-4);
    assert_near((double)report.bounds.max.z / (double)d, 20.5, 1e-4);
    for (size_t i = 0; i < m.surface->vertex_count; i++) {
        const float *x = m.surface->positions + 3 * i;
        float s = pillar_distance(x) / d;
        if (x[1] < 6.5f * d && x[1] > d && s < 2)
            assert_near((double)s, -0.6, 0.02);
        if (x[1] > 6.5f * d && s > 0 && s < 2)
            assert_near((double)(x[1] / d), 8, 0.08);
    }
    unmesh(&m);
    drop_cloud(&cloud);
}

/* A particle that is nowhere or too far away is named, whichever thread finds it. */
static void places_are_checked(void **state)
{
    (void)state;
    const float bad[3] = {NAN, 1e30f, -30000.0f}; /* more than 2^18 d away */
    for (int k = 0; k < 3; k++) {
        Cloud cloud = {0};
        add_block(&cloud, 50, 50, 60, 0);
        cloud.x[3 * 140001 + 1] = cloud.x[3 * 140002] = bad[k];
        SlFieldView position = {"position", "m", "", SL_FIELD_F32X3, cloud.x, cloud.count, 12};
        SlSystemView system = {.name = "water", .particle_count = cloud.count, .spacing = d,
                               .fields = &position, .field_count = 1};
        SlFrameView frame = {.domain = open_box, .systems = &system, .system_count = 1};
        const SlFrameView *output;
        SlContext *context = test_context(2);
        SlFilter *filter;
        assert_ok(sl_filter_create(context, "surface", NULL, &filter, &test_error));
        assert_int_equal(sl_filter_apply(filter, &frame, &output, &test_error),
                         SL_ERROR_ARGUMENT);
        assert_non_null(strstr(test_error.text, "particle 140001 of \"water\""));
        assert_non_null(strstr(test_error.text, "26214.4 m"));
        sl_filter_destroy(filter);
        sl_context_destroy(context);
        drop_cloud(&cloud);
    }
}

/* A sheet of one layer stays one piece without holes (Euler characteristic 2), thin and in its place. */
static void sheets_stay(void **state)
{
    (void)state;
    for (int stretch = 0; stretch < 2; stretch++) {
        Cloud cloud = {0};
        uint32_t seed = 11;
        float wide = d * (1 + 0.1f * (float)stretch);
        for (int z = 0; z < 30; z++)
            for (int x = 0; x < 30; x++) {
                float u = 0.2f * jitter(&seed), v = 0.2f * jitter(&seed);
                add(&cloud, wide * ((float)x + u), 0.3f * d * jitter(&seed), wide * ((float)z + v));
            }
        Meshed m = mesh(&cloud, open_box, 2, NULL);
        SlMeshReport report = check_mesh(&m);
        assert_int_equal(report.components, 1);
        assert_int_equal((long)report.vertices - (long)report.triangles / 2, 2);
        assert_near(report.volume / ((double)cloud.count * pow((double)d, 3)), 0.85, 0.1);
        assert_less((double)((report.bounds.max.y - report.bounds.min.y) / d), 1.5);
        unmesh(&m);
        drop_cloud(&cloud);
    }
}

/* A drop beside a wall does not reach behind it. */
static void drops_stay_inside(void **state)
{
    (void)state;
    SlBox domain = {{0, 0, 0}, {20 * d, 20 * d, 20 * d}};
    for (int k = 0; k < 12; k++) {
        Cloud cloud = {0};
        float gap = 0.1f * d * (float)k;
        add(&cloud, gap, 10.2f * d, 20 * d - gap);
        Meshed m = mesh(&cloud, domain, 1, NULL);
        SlMeshReport report = check_mesh(&m);
        assert_int_equal(report.components, 1);
        assert_true(report.bounds.min.x >= 0 && report.bounds.max.z <= domain.max.z);
        unmesh(&m);
        drop_cloud(&cloud);
    }
}

/* A gas of particles has every case of the table, thin bridges and pieces that touch. */
static void gas_is_manifold(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int round = 0; round < 3; round++) {
        Cloud cloud = {0};
        for (int i = 0; i < 1500 << round; i++) {
            float x = 1.5f * jitter(&seed), y = 1.5f * jitter(&seed);
            add(&cloud, x, y, 1.5f * jitter(&seed));
        }
        SlBox domain = {{-0.75f, -0.75f, -INFINITY}, {0.75f, INFINITY, 0.75f}};
        Meshed m = mesh(&cloud, domain, 2, NULL);
        SlMeshReport report = check_mesh(&m);
        assert_true(report.triangles > 1000);
        assert_true(report.bounds.min.x >= -0.75f && report.bounds.max.x <= 0.75f);
        assert_true(report.bounds.min.y >= -0.75f && report.bounds.max.z <= 0.75f);
        unmesh(&m);
        drop_cloud(&cloud);
    }
}

static uint64_t hash_of(const SlSurfaceView *s)
{
    uint64_t hash = sl_hash(s->positions, s->vertex_count * 12, 1);
    hash = sl_hash(s->normals, s->vertex_count * 12, hash);
    hash = sl_hash(s->velocities, s->vertex_count * 12, hash);
    return sl_hash(s->triangles, s->triangle_count * 12, hash);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 1, .nx = 20, .ny = 20, .nz = 12};
    SlWorld *world = dam_create(&setting);
    dam_advance(world, 40);
    uint64_t first = 0;
    const uint32_t threads[3] = {1, 2, 5};
    for (int k = 0; k < 3; k++) {
        SlContext *context = test_context(threads[k]);
        SlFilter *filter;
        const SlFrameView *output;
        assert_ok(sl_filter_create(context, "surface", NULL, &filter, &test_error));
        assert_ok(sl_filter_apply(filter, sl_world_view(world), &output, &test_error));
        uint64_t hash = hash_of(output->surfaces);
        assert_true(k == 0 || hash == first);
        first = hash;
        sl_filter_destroy(filter);
        sl_context_destroy(context);
    }
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubes_fit_together),     cmocka_unit_test(pool_is_flat),
        cmocka_unit_test(ball_is_round),          cmocka_unit_test(block_keeps_its_volume),
        cmocka_unit_test(few_particles),          cmocka_unit_test(gas_is_manifold),
        cmocka_unit_test(threads_change_nothing), cmocka_unit_test(places_are_checked),
        cmocka_unit_test(follows_colliders),      cmocka_unit_test(plates_keep_apart),
        cmocka_unit_test(sinks_into_walls),       cmocka_unit_test(drops_stay_inside),
        cmocka_unit_test(sheets_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
