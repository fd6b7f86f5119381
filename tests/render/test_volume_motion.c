/* Snow volumes while the shutter is open: streaks, slices of the time, and the normal and velocity of snow. */
#include "support/test.h"

#include "core/hash.h"
#include "core/random.h"
#include "render/path/volume_grid.h"

enum { MAX_PARTICLES = 4096 };
#define SPACING 0.01f

typedef struct Snow {
    SlSystemView system;
    SlFieldView fields[4];
    float position[MAX_PARTICLES][3], velocity[MAX_PARTICLES][3], density[MAX_PARTICLES];
    uint32_t id[MAX_PARTICLES];
} Snow;

static float unit(uint64_t counter, uint64_t stream)
{
    return sl_random_unit(sl_random(23, counter, stream).value[0]);
}

/* A ball of particles around the origin, every tenth of it loose, that moves as a whole. */
static Snow *make_snow(size_t count, SlVec3 velocity)
{
    Snow *snow = calloc(1, sizeof *snow);
    float radius = SPACING * cbrtf((float)count * 0.75f / 3.14159f);
    for (size_t i = 0; i < count; i++) {
        float p[3];
        uint64_t n = 0;
        do {
            for (uint64_t a = 0; a < 3; a++)
                p[a] = 2 * unit(i + 65536 * n, a) - 1;
            n++;
        } while (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > 1);
        for (int a = 0; a < 3; a++)
            snow->position[i][a] = radius * p[a];
        memcpy(snow->velocity[i], &velocity, sizeof velocity);
        snow->density[i] = i % 10 == 0 ? 0.1f : 1;
        snow->id[i] = (uint32_t)(3 * i + 1);
    }
    snow->fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, snow->position, count, 12};
    snow->fields[1] = (SlFieldView){"density_ratio", "", "", SL_FIELD_F32, snow->density, count, 4};
    snow->fields[2] = (SlFieldView){"id", "", "", SL_FIELD_U32, snow->id, count, 4};
    snow->fields[3] = (SlFieldView){"velocity", "m/s", "", SL_FIELD_F32X3, snow->velocity, count, 12};
    snow->system = (SlSystemView){.name = "snow", .solver = "snow", .particle_count = count,
                                  .spacing = SPACING, .volume = SPACING * SPACING * SPACING,
                                  .mass = 400 * SPACING * SPACING * SPACING,
                                  .material = sl_default_material(SL_MATERIAL_SNOW),
                                  .fields = snow->fields, .field_count = 4};
    return snow;
}

/* Extinction follows the density. */
static SlVolumeSettings linear_settings(float open, float close)
{
    SlVolumeSettings s = sl_volume_default_settings();
    s.edge[1] = s.edge[0];
    s.extinction = 1;
    s.similarity = 0;
    s.open = open;
    s.close = close;
    return s;
}

/* Volume, mean place and variance along x, and the first and last node with snow. */
typedef struct Moments {
    double volume, mean, variance, low, high;
} Moments;

static Moments moments_of(const SlVolume *volume)
{
    Moments m = {.low = INFINITY, .high = -INFINITY};
    double first = 0, second = 0;
    for (uint32_t r = 0; r < volume->region_count; r++)
        for (int place = 0; place < SL_REGION_TABLE; place++) {
            uint32_t v = volume->voxels[r * (size_t)SL_REGION_TABLE + (size_t)place];
            if (v == SL_NO_VOXEL)
                continue;
            for (int n = 0; n < SL_VOXEL_OWN; n++) { /* own nodes only: each node once */
                double density = volume->nodes[(size_t)v * SL_VOXEL_STRIDE +
                                               (size_t)((n & 7) + 9 * ((n >> 3 & 7) + 9 * (n >> 6)))] /
                                 65535.0 * (double)volume->maximum[v];
                double x = (double)volume->origin.x +
                           (double)volume->cell * (8.0 * (8 * volume->regions[r].x + (place & 7)) + (n & 7));
                m.volume += density;
                first += density * x;
                second += density * x * x;
                if (density > 1e-3) {
                    m.low = fmin(m.low, x);
                    m.high = fmax(m.high, x);
                }
            }
        }
    m.mean = first / m.volume;
    m.variance = second / m.volume - m.mean * m.mean;
    m.volume *= pow((double)volume->cell, 3);
    return m;
}

static uint64_t hash_of(const SlVolume *volume)
{
    uint64_t h = sl_hash(volume->nodes, (size_t)volume->voxel_count * SL_VOXEL_STRIDE * 2, 1);
    h = sl_hash(volume->maximum, volume->voxel_count * sizeof(float), h);
    return sl_hash(volume->voxels, (size_t)volume->region_count * SL_REGION_TABLE * 4, h);
}

/* --- Streaks. --- */

/* The volume stays; the extent grows by v t, and the variance by (v t)² / 12. */
static void test_streaks(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    const float ways[] = {2, 9, 30}; /* spacings */
    for (int k = 0; k < 3; k++) {
        float time = 0.008f, speed = ways[k] * SPACING / time;
        double way = (double)(ways[k] * SPACING);
        Snow *snow = make_snow(1500, (SlVec3){speed, 0, 0});
        SlVolumeSettings rest = linear_settings(0, 0), open = linear_settings(-0.5f * time, 0.5f * time);
        SlVolumeSettings late = linear_settings(0, time);
        SlVolume *volumes[3];
        Moments m[3];
        const SlVolumeSettings *settings[3] = {&rest, &open, &late};
        for (int v = 0; v < 3; v++) {
            assert_ok(sl_volume_create(context, &snow->system, settings[v], &volumes[v], &test_error));
            m[v] = moments_of(volumes[v]);
            assert_near(m[v].volume / (1500 * pow((double)SPACING, 3)), 1, 2e-4);
            sl_volume_destroy(volumes[v]);
        }
        double grown = m[1].high - m[1].low - (m[0].high - m[0].low), more = m[1].variance - m[0].variance;
        print_message("way %.0f spacings: extent %.2f, variance %.3f of the expected\n", (double)ways[k],
                      grown / way, more / (way * way / 12));
        assert_near(m[1].mean, m[0].mean, 2e-5);
        assert_near(m[2].mean, m[0].mean + 0.5 * way, 2e-5);
        /* Points stand in the middle of parts that are not longer than their kernel, of a body 1.1 spacings. */
        assert_near(grown, way, 1.1 * (double)SPACING);
        assert_near(more / (way * way / 12), 1, k == 0 ? 0.3 : 0.05);
        free(snow);
    }
    sl_context_destroy(context);
}

/* The density of a crumb in a streak is even: the middle of the way has the mean of it. */
static void test_streak_is_even(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    Snow *snow = make_snow(1, (SlVec3){25, 0, 0});
    memset(snow->position[0], 0, sizeof snow->position[0]);
    SlVolumeSettings s = linear_settings(-0.004f, 0.004f); /* 20 spacings */
    s.copies = 1;
    s.body = s.grain = s.crumbs = 0;
    SlVolume *volume;
    assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
    double low = INFINITY, high = 0;
    for (int k = -70; k <= 70; k++) {
        double e = (double)sl_volume_extinction(volume, (SlVec3){0.001f * (float)k, 0.0005f, -0.0005f}, 0);
        low = fmin(low, e);
        high = fmax(high, e);
    }
    print_message("density along a streak: %.4f to %.4f\n", low, high);
    assert_true(low > 0.005);
    assert_less(high / low, 1.15);
    sl_volume_destroy(volume);
    free(snow);
    sl_context_destroy(context);
}

static void test_at_rest_the_same_bits(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    const float speeds[] = {0, 0.25f * SPACING / 0.008f}; /* at rest; less than a kernel, also of crumbs */
    for (int k = 0; k < 2; k++) {
        uint64_t hash[2];
        for (int open = 0; open < 2; open++) {
            Snow *snow = make_snow(3000, (SlVec3){0, speeds[k], 0});
            SlVolumeSettings s = sl_volume_default_settings();
            s.grain = 0.2f;
            s.open = open ? -0.004f : 0;
            s.close = open ? 0.004f : 0;
            SlVolumeSlices slices;
            assert_ok(sl_volume_slices_create(context, &snow->system, &s, &slices, &test_error));
            assert_int_equal(slices.count, 1);
            hash[open] = hash_of(slices.slice[0]);
            sl_volume_slices_destroy(&slices);
            free(snow);
        }
        assert_true(hash[0] == hash[1]);
    }
    sl_context_destroy(context);
}

static void test_same_bits_for_any_threads(void **state)
{
    (void)state;
    const uint32_t threads[3] = {1, 2, 5};
    uint64_t hash[3] = {0};
    for (int k = 0; k < 3; k++) {
        SlContext *context = test_context(threads[k]);
        Snow *snow = make_snow(4000, (SlVec3){8, 3, -2});
        for (size_t i = 0; i < 4000; i++)
            snow->velocity[i][1] = 40 * unit(i, 9);
        SlVolumeSettings s = sl_volume_default_settings();
        s.open = -0.004f;
        s.close = 0.004f;
        s.velocities = true;
        SlVolumeSlices slices;
        assert_ok(sl_volume_slices_create(context, &snow->system, &s, &slices, &test_error));
        assert_int_equal(slices.count, SL_VOLUME_SLICES);
        for (uint32_t v = 0; v < slices.count; v++) {
            const SlVolume *volume = slices.slice[v];
            hash[k] = 31 * hash[k] + hash_of(volume);
            hash[k] += sl_hash(volume->velocity, volume->voxel_count * 3 * SL_VOXEL_BINS * sizeof(float), v);
        }
        sl_volume_slices_destroy(&slices);
        free(snow);
        sl_context_destroy(context);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* With little memory streaks have fewer points, and all of the volume. */
static void test_points_are_bounded(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Snow *snow = make_snow(1000, (SlVec3){0, 0, 60});
    const uint32_t limits[] = {1u << 24, 20000, 0};
    uint32_t counts[3];
    for (int k = 0; k < 3; k++) {
        SlVolumeSettings s = linear_settings(-0.004f, 0.004f);
        SlArenaMark mark = sl_arena_mark(&context->arena);
        SlSnowPoints points;
        SlVolume *volume;
        s.streak_points = limits[k];
        assert_ok(sl_volume_points(context, &snow->system, &s, &points, &test_error));
        counts[k] = points.count;
        sl_arena_release(&context->arena, mark);
        assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
        Moments m = moments_of(volume);
        assert_near(m.volume / (1000 * pow((double)SPACING, 3)), 1, 2e-4);
        sl_volume_destroy(volume);
    }
    print_message("%u, %u and %u points\n", counts[0], counts[1], counts[2]);
    assert_true(counts[0] > 9000 + 20000); /* 8 copies and a body each at rest */
    assert_true(counts[1] <= 9000 + 20000 && counts[1] > 9000);
    assert_int_equal(counts[2], 9000);
    free(snow);
    sl_context_destroy(context);
}

/* Speeds that no snow has, or none: the volume is made, and is not without bounds. */
static void test_impossible_speeds(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Snow *snow = make_snow(100, (SlVec3){0, 0, 0});
    const float speeds[] = {NAN, INFINITY, 1e30f, -3e38f, 1e6f};
    for (int k = 0; k < 5; k++) {
        snow->velocity[3 * k][k % 3] = speeds[k];
        snow->velocity[50][k % 3] = speeds[k];
    }
    SlVolumeSettings s = linear_settings(-0.004f, 0.004f);
    s.velocities = true;
    SlVolumeSlices slices;
    assert_ok(sl_volume_slices_create(context, &snow->system, &s, &slices, &test_error));
    for (uint32_t k = 0; k < slices.count; k++) {
        SlBox box = sl_volume_bounds(slices.slice[k]);
        assert_less((double)(box.max.z - box.min.z), 2200 * (double)SPACING);
        assert_near(moments_of(slices.slice[k]).volume / (100 * pow((double)SPACING, 3)), 1, 1e-3);
    }
    sl_volume_slices_destroy(&slices);
    s.open = 0.1f; /* after it closes */
    SlVolume *volume;
    assert_int_equal(sl_volume_create(context, &snow->system, &s, &volume, &test_error), SL_ERROR_ARGUMENT);
    free(snow);
    sl_context_destroy(context);
}

/* --- Slices. --- */

static void test_slices(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    const struct {
        float way; /* spacings */
        size_t fast; /* particles that move; the others rest */
        uint32_t slices;
    } cases[] = {{0.45f, 4000, 1}, {0.9f, 4000, 2}, {1.9f, 4000, 4}, {20, 4000, 8}, {20, 4, 1}, {20, 40, 8}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Snow *snow = make_snow(4000, (SlVec3){0, 0, 0});
        for (size_t i = 0; i < cases[k].fast; i++)
            snow->velocity[i][2] = cases[k].way * SPACING / 0.008f;
        SlVolumeSettings s = linear_settings(-0.004f, 0.004f);
        SlVolumeSlices slices;
        assert_ok(sl_volume_slices_create(context, &snow->system, &s, &slices, &test_error));
        assert_int_equal(slices.count, cases[k].slices);
        assert_true(sl_volume_at(&slices, 0) == slices.slice[0]);
        assert_true(sl_volume_at(&slices, 1) == slices.slice[slices.count - 1]);
        assert_true(sl_volume_at(&slices, 0.501f) == slices.slice[slices.count / 2]);
        sl_volume_slices_destroy(&slices);
        free(snow);
    }
    /* One after the other along the way. */
    Snow *snow = make_snow(500, (SlVec3){25, 0, 0});
    SlVolumeSettings s = linear_settings(-0.004f, 0.004f);
    SlVolumeSlices slices;
    assert_ok(sl_volume_slices_create(context, &snow->system, &s, &slices, &test_error));
    double middle = 0;
    for (uint32_t k = 0; k < slices.count; k++) {
        Moments m = moments_of(slices.slice[k]);
        middle += m.mean / slices.count;
        if (k > 0)
            assert_near(m.mean - moments_of(slices.slice[k - 1]).mean, 0.2 / 8, 1e-4);
    }
    s.open = s.close = 0;
    SlVolume *volume;
    assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
    assert_near(middle, moments_of(volume).mean, 1e-4);
    sl_volume_destroy(volume);
    sl_volume_slices_destroy(&slices);
    free(snow);
    sl_context_destroy(context);
}

/* --- Velocity and normal. --- */

static void test_velocity(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    const SlVec3 v = {3, -1.5f, 0.125f};
    for (int open = 0; open < 2; open++) {
        Snow *snow = make_snow(3000, v);
        SlVolumeSettings s = sl_volume_default_settings();
        s.velocities = true;
        s.open = open ? -0.004f : 0;
        s.close = open ? 0.004f : 0;
        SlVolume *volume;
        assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
        size_t inside = 0;
        for (uint64_t q = 0; q < 4000; q++) {
            SlVec3 x = {0.2f * (unit(q, 5) - 0.5f), 0.2f * (unit(q, 6) - 0.5f), 0.2f * (unit(q, 7) - 0.5f)};
            SlVec3 found = sl_volume_velocity(volume, x);
            if (!(sl_volume_extinction(volume, x, 0) > 0))
                continue;
            assert_near((double)sl_length(sl_sub(found, v)), 0, 1e-5);
            inside++;
        }
        assert_true(inside > 500);
        sl_volume_destroy(volume);
        /* Halves that part: each has its own, but at the plane between them. */
        for (size_t i = 0; i < 3000; i++)
            snow->velocity[i][0] = snow->position[i][0] > 0 ? 2 : -2;
        assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
        assert_near((double)sl_volume_velocity(volume, (SlVec3){0.05f, 0, 0}).x, 2, 1e-5);
        assert_near((double)sl_volume_velocity(volume, (SlVec3){-0.05f, 0, 0}).x, -2, 1e-5);
        sl_volume_destroy(volume);
        s.velocities = false;
        assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
        assert_null(volume->velocity);
        assert_true(sl_volume_velocity(volume, (SlVec3){0.05f, 0, 0}).x == 0);
        sl_volume_destroy(volume);
        free(snow);
    }
    sl_context_destroy(context);
}

static void test_normal(void **state)
{
    (void)state;
    enum { SIDE = 25 };
    static float density[SIDE * SIDE * SIDE];
    SlContext *context = test_context(1);
    SlVolumeSettings s = sl_volume_default_settings();
    SlVolume *volume;
    /* A slope has one everywhere. */
    for (int n = 0; n < SIDE * SIDE * SIDE; n++)
        density[n] = 0.5f + 0.02f * (float)(n % SIDE) - 0.01f * (float)(n / SIDE % SIDE) + 0.005f * (float)(n / SIDE / SIDE);
    SlVolumeLattice lattice = {density, {SIDE, SIDE, SIDE}, {-0.12f, -0.12f, -0.12f}, 0.01f};
    assert_ok(sl_volume_create_lattice(context, &lattice, &s, &volume, &test_error));
    SlVec3 expected = sl_unit((SlVec3){-0.02f, 0.01f, -0.005f});
    for (uint64_t q = 0; q < 500; q++) {
        SlVec3 x = {0.2f * (unit(q, 5) - 0.5f), 0.2f * (unit(q, 6) - 0.5f), 0.2f * (unit(q, 7) - 0.5f)};
        SlVec3 n = sl_volume_normal(volume, x, (SlVec3){0, 0, 1});
        assert_near((double)sl_dot(n, expected), 1, 1e-4);
    }
    sl_volume_destroy(volume);
    /* In even snow there is none: towards the eye. */
    for (int n = 0; n < SIDE * SIDE * SIDE; n++)
        density[n] = 1;
    assert_ok(sl_volume_create_lattice(context, &lattice, &s, &volume, &test_error));
    assert_true(sl_volume_normal(volume, (SlVec3){0, 0, 0}, (SlVec3){0, 0, 1}).z == -1);
    sl_volume_destroy(volume);
    /* Where paths meet a ball of snow first: outwards, with the roughness of its grains. */
    Snow *snow = make_snow(4000, (SlVec3){0, 0, 0});
    assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
    SlPathSampler sampler = sl_path_sampler(5, 6, 7);
    double sum = 0;
    int hits = 0;
    for (int k = 0; k < 4000; k++) {
        SlVolumeEvent event;
        SlVec3 out = sl_direction_around((SlVec3){0, 0, 1}, 2 * sl_path_uniform(&sampler) - 1,
                                         sl_path_uniform(&sampler));
        SlVec3 d = sl_scale(out, -1);
        if (!sl_volume_scatter(volume, sl_scale(out, 1), d, INFINITY, 0, &sampler, &event))
            continue;
        SlVec3 n = sl_volume_normal(volume, event.position, d);
        assert_near((double)sl_length(n), 1, 1e-5);
        sum += (double)sl_dot(n, out);
        hits++;
    }
    print_message("mean cosine of normals to the radius of a ball: %.3f of %d\n", sum / hits, hits);
    assert_true(hits > 3500 && sum / hits > 0.65);
    sl_volume_destroy(volume);
    free(snow);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streaks),
        cmocka_unit_test(test_streak_is_even),
        cmocka_unit_test(test_at_rest_the_same_bits),
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_points_are_bounded),
        cmocka_unit_test(test_impossible_speeds),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_velocity),
        cmocka_unit_test(test_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
