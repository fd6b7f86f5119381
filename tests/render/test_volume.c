/* The snow volume: rasterisation, tracking against formulas and references, bad input. */
#include "support/test.h"

#include "core/hash.h"
#include "core/random.h"
#include "filters/filter.h"
#include "render/path/volume_grid.h"

enum { MAX_PARTICLES = 4096 };
#define SPACING 0.01f

typedef struct Snow {
    SlSystemView system;
    SlFieldView fields[3];
    float position[MAX_PARTICLES][3], density[MAX_PARTICLES];
    uint32_t id[MAX_PARTICLES];
} Snow;

static float unit(uint64_t counter, uint64_t stream)
{
    return sl_random_unit(sl_random(11, counter, stream).value[0]);
}

/* A ball of jittered particles around `center`, and some single ones around it. */
static Snow *make_snow(size_t count, SlVec3 center)
{
    Snow *snow = calloc(1, sizeof *snow);
    float radius = SPACING * cbrtf((float)count * 0.75f / 3.14159f);
    for (size_t i = 0; i < count; i++) {
        float p[3], far = i % 50 == 0 ? 3.0f : 1.0f;
        uint64_t n = 0;
        do {
            for (uint64_t a = 0; a < 3; a++)
                p[a] = 2 * unit(i + 65536 * n, a) - 1;
            n++;
        } while (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > 1);
        snow->position[i][0] = center.x + far * radius * p[0];
        snow->position[i][1] = center.y + far * radius * p[1];
        snow->position[i][2] = center.z + far * radius * p[2];
        snow->density[i] = far > 1 ? 0.05f : 1;
        snow->id[i] = (uint32_t)(7 * i + 3);
    }
    snow->fields[0] = (SlFieldView){"position", "m", "", SL_FIELD_F32X3, snow->position, count, 12};
    snow->fields[1] = (SlFieldView){"density_ratio", "", "", SL_FIELD_F32, snow->density, count, 4};
    snow->fields[2] = (SlFieldView){"id", "", "", SL_FIELD_U32, snow->id, count, 4};
    snow->system = (SlSystemView){.name = "snow", .solver = "snow", .particle_count = count,
                                  .spacing = SPACING, .volume = SPACING * SPACING * SPACING,
                                  .mass = 400 * SPACING * SPACING * SPACING,
                                  .material = sl_default_material(SL_MATERIAL_SNOW),
                                  .fields = snow->fields, .field_count = 3};
    return snow;
}

static SlVec3 random_direction(SlPathSampler *sampler)
{
    return sl_direction_around(sl_vec3(0, 0, 1), 2 * sl_path_uniform(sampler) - 1,
                               sl_path_uniform(sampler));
}

/* --- Settings. --- */

static void test_settings(void **state)
{
    (void)state;
    SlVolumeSettings s = sl_volume_default_settings();
    assert_int_equal(s.copies, 8);
    assert_near((double)s.extinction, 2000, 1e-3);
    static const SlParamRow rows[] = {SL_VOLUME_ROWS(0)};
    SlParamValue values[SL_VOLUME_ROW_COUNT];
    for (int k = 0; k < SL_VOLUME_ROW_COUNT; k++)
        values[k] = rows[k].value;
    values[SL_VOLUME_ROW_PRESET].number[0] = 1;
    values[SL_VOLUME_ROW_G].number[0] = 0.25;
    s = sl_volume_settings(values);
    assert_int_equal(s.copies, 1);
    assert_int_equal(s.kernel, SL_VOLUME_SIMULATION);
    assert_near((double)s.extinction, 724, 1e-3);
    assert_near((double)s.albedo.x, 0.9, 1e-6);
    assert_near((double)s.kernel_size, 1.5, 1e-6);
    assert_near((double)s.g, 0.25, 1e-6); /* given by name: overrides the preset */
}

/* Grains of 0.2 mm at 400 kg/m³: 3 · 400 / (2 · 917 · 0.0002) = 3272/m, nearly white, forward. */
static void test_grain_radius(void **state)
{
    (void)state;
    SlContext *context = test_context(1);
    Snow *snow = make_snow(200, sl_vec3(0, 0, 0));
    SlVolumeSettings s = sl_volume_default_settings();
    SlVolume *volume;
    s.grain_radius = 0.0002f;
    assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
    assert_near((double)volume->extinction[0], 3271.5, 1);
    assert_near((double)volume->g[0], 0.874, 1e-6);
    assert_near(1 - (double)volume->albedo[0].x, 2.0 / 3 * 1.27 * 0.52 * 0.0002, 1e-7);
    assert_less((double)volume->albedo[0].x, (double)volume->albedo[0].y);
    sl_volume_destroy(volume);
    free(snow);
    sl_context_destroy(context);
}

/* --- Rasterisation. --- */

/* Sum of densities at all nodes × cell³ is the particles' volume, whatever kernel and copies. */
static void test_volume_conserved(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Snow *snow = make_snow(1500, sl_vec3(0.3f, -2, 40));
    for (int k = 0; k < 4; k++) {
        SlVolumeSettings s = sl_volume_default_settings();
        s.edge[1] = s.edge[0]; /* extinction follows the density */
        s.extinction = 1;
        s.similarity = 0;
        s.copies = k == 0 ? 1 : 8;
        s.kernel = k == 2 ? SL_VOLUME_SIMULATION : SL_VOLUME_QUADRATIC;
        s.kernel_size = k == 2 ? 1.5f : k == 3 ? 2.3f : 0.55f;
        s.cell = k == 3 ? 0.2f : 0.36f;
        SlVolume *volume;
        assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
        double sum = 0;
        for (uint32_t v = 0; v < volume->voxel_count; v++) /* own nodes only: each node once */
            for (int n = 0; n < SL_VOXEL_OWN; n++)
                sum += (double)volume->nodes[(size_t)v * SL_VOXEL_STRIDE + (size_t)((n & 7) +
                                             9 * ((n >> 3 & 7) + 9 * (n >> 6)))] /
                       65535.0 * (double)volume->maximum[v];
        sum *= pow((double)volume->cell, 3);
        double expected = 1500 * pow((double)SPACING, 3);
        assert_near(sum / expected, 1, 1e-4);
        sl_volume_destroy(volume);
    }
    free(snow);
    sl_context_destroy(context);
}

/* Without copies and variation the density at a point is the sum over particles of the kernel. */
static void test_density_reference(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Snow *snow = make_snow(400, sl_vec3(0, 0, 0));
    SlVolumeSettings s = sl_volume_default_settings();
    s.copies = 1;
    s.grain = s.powder = s.body = s.crumbs = 0;
    s.edge[1] = s.edge[0];
    s.kernel_size = 2; /* wide: the weights at the nodes sum to nearly 1 by themselves */
    s.cell = 0.2f;
    s.extinction = 1;
    SlVolume *volume;
    assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
    double worst = 0, width = 2 * (double)SPACING;
    for (uint64_t q = 0; q < 400; q++) {
        SlVec3 x = {0.1f * (unit(q, 5) - 0.5f), 0.1f * (unit(q, 6) - 0.5f), 0.1f * (unit(q, 7) - 0.5f)};
        const float at[3] = {x.x, x.y, x.z};
        double sum = 0;
        for (int i = 0; i < 400; i++) {
            double product = pow((double)SPACING, 3);
            for (int a = 0; a < 3; a++) {
                double t = fabs((double)at[a] - (double)snow->position[i][a]) / width;
                product *= (t < 0.5 ? 0.75 - t * t : t < 1.5 ? 0.5 * (1.5 - t) * (1.5 - t) : 0) / width;
            }
            sum += product;
        }
        worst = fmax(worst, fabs(sum - (double)sl_volume_extinction(volume, x, 0)));
    }
    assert_less(worst, 0.008); /* of 1: linear between nodes */
    sl_volume_destroy(volume);
    free(snow);
    sl_context_destroy(context);
}

/* The body makes snow that holds together more even, and leaves loose snow as it is. */
static void test_body(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    double variation[2][2], at_particles[2] = {0, 0};
    for (int loose = 0; loose < 2; loose++) {
        Snow *snow = make_snow(3000, sl_vec3(0, 0, 0));
        for (int i = 0; i < 3000; i++)
            snow->density[i] = loose ? 0.1f : 1;
        for (int b = 0; b < 2; b++) {
            SlVolumeSettings s = sl_volume_default_settings();
            s.edge[1] = s.edge[0];
            s.powder = 0;
            s.crumbs = 0.4f;
            s.body = b ? 0.7f : 0;
            SlVolume *volume;
            assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
            double sum = 0, squares = 0;
            for (uint64_t q = 0; q < 2000; q++) {
                SlVec3 x = {0.1f * (unit(q, 5) - 0.5f), 0.1f * (unit(q, 6) - 0.5f),
                            0.1f * (unit(q, 7) - 0.5f)};
                double e = (double)sl_volume_extinction(volume, x, 0);
                sum += e;
                squares += e * e;
            }
            variation[loose][b] = sqrt(squares / 2000 - pow(sum / 2000, 2)) / (sum / 2000);
            if (loose)
                at_particles[b] = sum;
            sl_volume_destroy(volume);
        }
        free(snow);
    }
    print_message("variation of the density: %.3f, with a body %.3f; loose %.3f, %.3f\n",
                  variation[0][0], variation[0][1], variation[1][0], variation[1][1]);
    assert_less(variation[0][1], 0.85 * variation[0][0]); /* particles at random are not even themselves */
    assert_near(at_particles[1] / at_particles[0], 1, 1e-6);
    assert_near(variation[1][1] / variation[1][0], 1, 1e-6);
    sl_context_destroy(context);
}

static uint64_t hash_of(const SlVolume *volume)
{
    uint64_t h = sl_hash(volume->nodes, (size_t)volume->voxel_count * SL_VOXEL_STRIDE * 2, 1);
    h = sl_hash(volume->maximum, volume->voxel_count * sizeof(float), h);
    h = sl_hash(volume->regions, volume->region_count * sizeof *volume->regions, h);
    return sl_hash(volume->voxels, (size_t)volume->region_count * SL_REGION_TABLE * 4, h);
}

static void test_same_bits(void **state)
{
    (void)state;
    const uint32_t threads[3] = {1, 2, 5};
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        SlContext *context = test_context(threads[k]);
        Snow *snow = make_snow(4000, sl_vec3(-3, 1, 0.5f));
        SlVolumeSettings s = sl_volume_default_settings();
        SlVolume *volume;
        assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
        hash[k] = hash_of(volume);
        sl_volume_destroy(volume);
        free(snow);
        sl_context_destroy(context);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* Snow at rest is rasterised the same whatever flies elsewhere: the lattice is fixed in space. */
static void test_fixed_lattice(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Snow *snow = make_snow(500, sl_vec3(0, 0, 0));
    SlVolumeSettings s = sl_volume_default_settings();
    SlVolume *first, *second;
    snow->position[0][0] = -1;
    assert_ok(sl_volume_create(context, &snow->system, &s, &first, &test_error));
    snow->position[0][0] = -1.37f;
    assert_ok(sl_volume_create(context, &snow->system, &s, &second, &test_error));
    double worst = 0, sum = 0;
    for (uint64_t q = 0; q < 2000; q++) {
        SlVec3 x = {0.1f * (unit(q, 5) - 0.5f), 0.1f * (unit(q, 6) - 0.5f), 0.1f * (unit(q, 7) - 0.5f)};
        double a = (double)sl_volume_extinction(first, x, 0), b = (double)sl_volume_extinction(second, x, 0);
        worst = fmax(worst, fabs(a - b));
        sum += a;
    }
    assert_true(sum > 0);
    assert_less(worst, 2); /* of 2000 */
    sl_volume_destroy(first);
    sl_volume_destroy(second);
    free(snow);
    sl_context_destroy(context);
}

/* --- Tracking. --- */

static void test_mean_cosine(void **state)
{
    (void)state;
    enum { N = 4000000 };
    const float g[] = {-0.7f, -0.0005f, 0, 0.5f, 0.874f};
    for (int k = 0; k < 5; k++) {
        SlPathSampler sampler = sl_path_sampler(3, (uint32_t)k, 0);
        SlVec3 axis = sl_unit(sl_vec3(0.3f, -0.8f, (float)k - 2));
        double sum = 0, norm = 0;
        for (int n = 0; n < N; n++) {
            SlVec3 w = sl_phase_sample(g[k], axis, &sampler);
            sum += (double)sl_dot(axis, w);
        }
        for (int n = 0; n < 100000; n++) /* ∫ p = 1, by the midpoint rule */
            norm += 2 * 3.14159265358979 * 2e-5 *
                    (double)sl_phase_value(g[k], -1 + 2e-5f * ((float)n + 0.5f));
        assert_near(sum / N, (double)g[k], 1e-3);
        assert_near(norm, 1, 1e-3);
    }
}

/* A box of 33 x 33 x 17 nodes of 1 cm, density by `f` of x, y, z in cells. */
static SlVolume *make_lattice(SlContext *context, float (*f)(int, int, int), SlVolumeSettings *s)
{
    enum { X = 33, Y = 33, Z = 17 };
    static float density[X * Y * Z];
    for (int n = 0; n < X * Y * Z; n++)
        density[n] = f(n % X, n / X % Y, n / (X * Y));
    SlVolumeLattice lattice = {density, {X, Y, Z}, {-0.16f, -0.16f, 0}, 0.01f};
    SlVolume *volume;
    assert_ok(sl_volume_create_lattice(context, &lattice, s, &volume, &test_error));
    return volume;
}

static float uniform_density(int x, int y, int z)
{
    (void)x, (void)y, (void)z;
    return 1;
}

static float graded_density(int x, int y, int z)
{
    return (float)z / 8 + 0.02f * (float)x + (float)(y % 2) * 0.1f;
}

static void test_slab_transmission(void **state)
{
    (void)state;
    enum { N = 400000 };
    SlContext *context = test_context(1);
    for (int mode = 0; mode < 2; mode++) {
        SlVolumeSettings s = sl_volume_default_settings();
        s.extinction = 10;
        s.supervoxels = mode == 0;
        SlVolume *volume = make_lattice(context, uniform_density, &s);
        SlPathSampler sampler = sl_path_sampler(1, 2, 3);
        SlVec3 d = sl_unit(sl_vec3(0.2f, 0.1f, 1)), o = {0, 0, -0.05f};
        double length = 0.16 / (double)d.z, passed = 0, ratio = 0, later = 0;
        for (int n = 0; n < N; n++) {
            SlVolumeEvent event;
            passed += !sl_volume_scatter(volume, o, d, INFINITY, 0, &sampler, &event);
            ratio += (double)sl_volume_transmittance(volume, o, d, INFINITY, 0, &sampler);
            later += (double)sl_volume_transmittance(volume, o, d, INFINITY, 1, &sampler);
        }
        assert_near(passed / N, exp(-10 * length), 0.0025); /* 3σ */
        assert_near(ratio / N, exp(-10 * length), 0.0025);
        assert_near(later / N, exp(-5 * length), 0.0025); /* similarity: σ (1 - g) */
        /* up to a distance inside */
        double half = 0;
        for (int n = 0; n < N; n++)
            half += (double)sl_volume_transmittance(volume, o, d, 0.13f, 0, &sampler);
        assert_near(half / N, exp(-10 * (0.13 - 0.05 / (double)d.z)), 0.0025);
        sl_volume_destroy(volume);
    }
    sl_context_destroy(context);
}

static void test_graded_transmission(void **state)
{
    (void)state;
    enum { N = 400000 };
    SlContext *context = test_context(1);
    SlVolumeSettings s = sl_volume_default_settings();
    s.extinction = 6;
    SlVolume *volume = make_lattice(context, graded_density, &s);
    SlPathSampler sampler = sl_path_sampler(4, 4, 4);
    SlVec3 d = {0, 0, 1}, o = {0.04f, 0.055f, -1}; /* x = 20 cells, y = 21.5 */
    double ratio = 0, delta = 0, depth = 6 * 0.16 * (1 + 0.4 + 0.05);
    for (int n = 0; n < N; n++) {
        SlVolumeEvent event;
        ratio += (double)sl_volume_transmittance(volume, o, d, INFINITY, 0, &sampler);
        delta += !sl_volume_scatter(volume, o, d, INFINITY, 0, &sampler, &event);
    }
    assert_near(ratio / N, exp(-depth), 0.002);
    assert_near(delta / N, exp(-depth), 0.0025);
    sl_volume_destroy(volume);
    sl_context_destroy(context);
}

/* exp of minus the extinction summed in small steps. */
static double marched(const SlVolume *volume, SlVec3 o, SlVec3 d, double length)
{
    enum { STEPS = 6000 };
    double sum = 0;
    for (int n = 0; n < STEPS; n++) {
        float t = (float)(length * (n + 0.5) / STEPS);
        sum += (double)sl_volume_extinction(volume, sl_add(o, sl_scale(d, t)), 0);
    }
    return exp(-sum * length / STEPS);
}

/* Walking over regions and super-voxels against marching, on rays from everywhere, also along axes. */
static void test_walk_reference(void **state)
{
    (void)state;
    enum { RAYS = 60, N = 4000 };
    SlContext *context = test_context(1);
    Snow *snow = make_snow(1000, sl_vec3(5, 0.2f, -3));
    double chi2 = 0, total = 0;
    for (int mode = 0; mode < 2; mode++) {
        SlVolumeSettings s = sl_volume_default_settings();
        s.extinction = 20;
        s.supervoxels = mode == 0;
        SlVolume *volume;
        assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
        SlPathSampler sampler = sl_path_sampler(9, 9, (uint32_t)mode);
        for (int r = 0; r < RAYS; r++) {
            SlVec3 o = sl_add(sl_vec3(5, 0.2f, -3), sl_scale(random_direction(&sampler), 0.5f));
            SlVec3 to = sl_add(sl_vec3(5, 0.2f, -3), sl_scale(random_direction(&sampler), 0.04f));
            SlVec3 d = sl_unit(sl_sub(to, o));
            if (r % 10 == 0) { /* along an axis, through the middle */
                d = r % 20 ? sl_vec3(0, -1, 0) : sl_vec3(1, 0, 0);
                o = sl_sub(to, sl_scale(d, 0.5f));
            }
            double sum = 0, squares = 0, expected = marched(volume, o, d, 1);
            for (int n = 0; n < N; n++) {
                double t = (double)sl_volume_transmittance(volume, o, d, 1, 0, &sampler);
                sum += t;
                squares += t * t;
            }
            double mean = sum / N, variance = (squares / N - mean * mean) / N + 1e-6;
            chi2 += (mean - expected) * (mean - expected) / variance;
            total++;
        }
        sl_volume_destroy(volume);
    }
    assert_less(chi2 / total, 1.7);
    free(snow);
    sl_context_destroy(context);
}

/* --- Bad input. --- */

static void test_none_and_one(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Snow *snow = make_snow(1, sl_vec3(0, 0, 0));
    SlVolumeSettings s = sl_volume_default_settings();
    SlVolume *volume;
    SlVolumeEvent event;
    SlPathSampler sampler = sl_path_sampler(0, 0, 0);
    snow->position[0][0] = snow->position[0][1] = snow->position[0][2] = 0;
    snow->density[0] = 1;
    assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
    SlBox box = sl_volume_bounds(volume);
    assert_true(box.min.x < -0.005f && box.max.y > 0.005f);
    assert_true(sl_volume_cells(volume) <= 27 * 512 && sl_volume_bytes(volume) > 0);
    int hits = 0;
    for (int n = 0; n < 1000; n++) /* from inside */
        hits += sl_volume_scatter(volume, sl_vec3(0, 0, 0), random_direction(&sampler), INFINITY, 0,
                                  &sampler, &event);
    assert_true(hits > 300 && sl_length(event.position) < 0.05f);
    sl_volume_destroy(volume);
    snow->system.particle_count = 0;
    assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
    assert_false(sl_volume_scatter(volume, sl_vec3(0, 0, -1), sl_vec3(0, 0, 1), INFINITY, 0, &sampler, &event));
    assert_true(sl_volume_transmittance(volume, sl_vec3(0, 0, -1), sl_vec3(0, 0, 1), 2, 0, &sampler) == 1);
    assert_true(sl_volume_extinction(volume, sl_vec3(0, 0, 0), 0) == 0);
    box = sl_volume_bounds(volume);
    assert_true(box.min.x > box.max.x);
    sl_volume_destroy(volume);
    sl_volume_destroy(NULL);
    free(snow);
    sl_context_destroy(context);
}

static void test_refused(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Snow *snow = make_snow(2000, sl_vec3(0, 0, 0));
    SlVolumeSettings s = sl_volume_default_settings();
    SlVolume *volume;
    SlError error;
    snow->position[1234][1] = NAN;
    assert_int_equal(sl_volume_create(context, &snow->system, &s, &volume, &error), SL_ERROR_ARGUMENT);
    assert_null(volume);
    assert_non_null(strstr(error.text, "particle 8641")); /* its id */
    snow->position[1234][1] = 1e9f;
    assert_int_equal(sl_volume_create(context, &snow->system, &s, &volume, &error), SL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "snow_cell"));
    snow->position[1234][1] = 500; /* far, but a grid that follows the snow holds it */
    assert_ok(sl_volume_create(context, &snow->system, &s, &volume, &test_error));
    assert_less((double)sl_volume_bytes(volume), 2e6);
    sl_volume_destroy(volume);
    s.copies = 0;
    assert_int_equal(sl_volume_create(context, &snow->system, &s, &volume, &error), SL_ERROR_ARGUMENT);
    free(snow);
    sl_context_destroy(context);
}

/* Snow at rest: points of the filter upsample give the volume that the renderer's own copies do. */
static void test_upsampled(void **state)
{
    (void)state;
    SlContext *context = test_context(2);
    Snow *snow = make_snow(1500, sl_vec3(0.3f, 1, 0));
    SlFrameView frame = {.systems = &snow->system, .system_count = 1};
    SlFilter *filter;
    const SlFrameView *output;
    SlVolume *volumes[2];
    assert_ok(sl_filter_create(context, "upsample", NULL, &filter, &test_error));
    assert_ok(sl_filter_apply(filter, &frame, &output, &test_error));
    assert_int_equal(output->systems[0].particle_count, 12000);
    SlVolumeSettings s = sl_volume_default_settings();
    for (int powder = 0; powder < 2; powder++) {
        s.powder = powder == 1 ? 0.25f : 0;
        for (int k = 0; k < 2; k++)
            assert_ok(sl_volume_create(context, k == 0 ? &snow->system : &output->systems[0], &s,
                                       &volumes[k], &test_error));
        assert_near((double)volumes[1]->cell, (double)volumes[0]->cell, 1e-8);
        assert_int_equal(volumes[1]->voxel_count, volumes[0]->voxel_count);
        double worst = 0;
        for (uint32_t v = 0; v < volumes[0]->voxel_count; v++)
            for (size_t n = 0; n < 729; n++) { /* those in use */
                double density[2];
                for (int k = 0; k < 2; k++)
                    density[k] = volumes[k]->nodes[(size_t)v * SL_VOXEL_STRIDE + n] / 65535.0 *
                                 (double)volumes[k]->maximum[v];
                worst = fmax(worst, fabs(density[1] - density[0]));
            }
        assert_less(worst, 2e-3);
        for (int k = 0; k < 2; k++)
            sl_volume_destroy(volumes[k]);
    }
    sl_filter_destroy(filter);
    free(snow);
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_grain_radius),
        cmocka_unit_test(test_volume_conserved),
        cmocka_unit_test(test_density_reference),
        cmocka_unit_test(test_body),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_fixed_lattice),
        cmocka_unit_test(test_mean_cosine),
        cmocka_unit_test(test_slab_transmission),
        cmocka_unit_test(test_graded_transmission),
        cmocka_unit_test(test_walk_reference),
        cmocka_unit_test(test_none_and_one),
        cmocka_unit_test(test_upsampled),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
