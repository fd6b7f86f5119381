/* Multiple scattering in a snow volume against a plain Monte Carlo in double, and furnaces. */
#include "support/test.h"

#include "core/random.h"
#include "render/path/volume.h"

/* A box of 0.4 x 0.4 x 0.1 m, relative density 1. */
enum { X = 41, Y = 41, Z = 11 };
#define CELL 0.01f

static SlVolume *make_box(SlContext *context, const SlVolumeSettings *s)
{
    static float density[X * Y * Z];
    for (int n = 0; n < X * Y * Z; n++)
        density[n] = 1;
    SlVolumeLattice lattice = {density, {X, Y, Z}, {-0.2f, -0.2f, 0}, CELL};
    SlVolume *volume;
    assert_ok(sl_volume_create_lattice(context, &lattice, s, &volume, &test_error));
    return volume;
}

/* Fractions of light that leave through the face it came in by, the opposite one, and the others. */
typedef struct Fractions {
    double back, through, sides;
} Fractions;

static void leave(Fractions *f, double z, double weight)
{
    double *face = z < 1e-6 ? &f->back : z > 0.1 - 1e-6 ? &f->through : &f->sides;
    *face += weight;
}

/* By the volume: light comes in along z in the middle of the lower face. */
static Fractions by_volume(const SlVolume *volume, int count)
{
    Fractions f = {0};
    for (int n = 0; n < count; n++) {
        SlPathSampler sampler = sl_path_sampler((uint64_t)n, 1, 1);
        SlVec3 o = {0, 0, -0.01f}, d = {0, 0, 1};
        SlVolumeEvent event;
        double weight = 1;
        uint32_t order = 0;
        while (sl_volume_scatter(volume, o, d, INFINITY, order, &sampler, &event)) {
            weight *= (double)event.albedo.x;
            d = sl_phase_sample(event.g, d, &sampler);
            o = event.position;
            order++;
        }
        /* where the ray leaves the box */
        double t = d.z > 0 ? (0.1 - (double)o.z) / (double)d.z
                           : d.z < 0 ? -(double)o.z / (double)d.z : INFINITY;
        double x = (double)o.x + t * (double)d.x, y = (double)o.y + t * (double)d.y;
        bool side = !(fabs(x) <= 0.2 && fabs(y) <= 0.2);
        leave(&f, side ? 0.05 : d.z > 0 ? 0.1 : 0, weight / count);
    }
    return f;
}

static double next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* The reference: exponential steps, the box's planes, in double, with random numbers of its own. */
static Fractions by_reference(double extinction, double albedo, double g, int count)
{
    Fractions f = {0};
    uint64_t state = 12345;
    for (int n = 0; n < count; n++) {
        double p[3] = {0, 0, 0}, d[3] = {0, 0, 1}, weight = 1;
        for (;;) {
            double step = -log(1 - next(&state)) / extinction, out = INFINITY;
            int face = 0;
            const double low[3] = {-0.2, -0.2, 0}, high[3] = {0.2, 0.2, 0.1};
            for (int a = 0; a < 3; a++) {
                double t = d[a] > 0 ? (high[a] - p[a]) / d[a] : d[a] < 0 ? (low[a] - p[a]) / d[a] : INFINITY;
                if (t < out) {
                    out = t;
                    face = a;
                }
            }
            if (step >= out) {
                leave(&f, face < 2 ? 0.05 : d[2] > 0 ? 0.1 : 0, weight / count);
                break;
            }
            for (int a = 0; a < 3; a++)
                p[a] += step * d[a];
            weight *= albedo;
            /* Henyey-Greenstein, around d by two vectors across it */
            double u = next(&state), phi = 6.283185307179586 * next(&state), c;
            double q = (1 - g * g) / (1 - g + 2 * g * u);
            c = fabs(g) < 1e-6 ? 2 * u - 1 : (1 + g * g - q * q) / (2 * g);
            double s = sqrt(fmax(1 - c * c, 0)), r = hypot(d[0], d[1]);
            double e1[3] = {1, 0, 0}, e2[3] = {0, d[2] > 0 ? 1 : -1, 0};
            if (r > 1e-9) {
                e1[0] = -d[1] / r, e1[1] = d[0] / r, e1[2] = 0;
                e2[0] = -d[2] * d[0] / r, e2[1] = -d[2] * d[1] / r, e2[2] = r;
            }
            for (int a = 0; a < 3; a++)
                d[a] = c * d[a] + s * (cos(phi) * e1[a] + sin(phi) * e2[a]);
        }
    }
    return f;
}

static void test_box_reference(void **state)
{
    (void)state;
    enum { N = 100000 };
    const double albedos[2] = {1, 0.9}, gs[3] = {-0.4, 0, 0.7};
    SlContext *context = test_context(1);
    for (int k = 0; k < 6; k++) {
        double albedo = albedos[k / 3], g = gs[k % 3];
        SlVolumeSettings s = sl_volume_default_settings();
        s.extinction = 60; /* six mean free paths thick */
        s.albedo = sl_vec3((float)albedo, 1, 1);
        s.g = (float)g;
        s.similarity = 0;
        SlVolume *volume = make_box(context, &s);
        Fractions a = by_volume(volume, N), b = by_reference(60, albedo, g, N);
        assert_near(a.back, b.back, 0.007); /* 3σ: 3 √(2 · 0.25 / 100,000) */
        assert_near(a.through, b.through, 0.007);
        assert_near(a.sides, b.sides, 0.007);
        assert_near(albedo < 1 ? 1 : a.back + a.through + a.sides, 1, 1e-6);
        sl_volume_destroy(volume);
    }
    sl_context_destroy(context);
}

/* Similarity keeps what leaves a thick volume: isotropic scattering with less extinction. */
static void test_similarity(void **state)
{
    (void)state;
    enum { N = 100000 };
    SlContext *context = test_context(1);
    Fractions f[2];
    for (int k = 0; k < 2; k++) {
        SlVolumeSettings s = sl_volume_default_settings();
        s.extinction = 400;
        s.albedo = sl_vec3(0.99f, 1, 1);
        s.similarity = k == 0 ? 0 : 1;
        SlVolume *volume = make_box(context, &s);
        f[k] = by_volume(volume, N);
        sl_volume_destroy(volume);
    }
    assert_near(f[1].back, f[0].back, 0.03);
    assert_near(f[1].through, f[0].through, 0.01);
    sl_context_destroy(context);
}

/* In uniform light of 1 a volume of albedo 1 sends back 1: by directions that happen to leave, and by
   asking for direct light at every scattering. */
static void test_furnace(void **state)
{
    (void)state;
    enum { N = 120000 };
    SlContext *context = test_context(1);
    for (int k = 0; k < 2; k++) {
        SlVolumeSettings s = sl_volume_default_settings();
        s.extinction = 80;
        s.albedo = sl_vec3(1, 1, 1);
        s.g = 0.6f;
        s.glints = 0;
        s.similarity = (uint32_t)k;
        SlVolume *volume = make_box(context, &s);
        double direct = 0, left = 0;
        for (int n = 0; n < N; n++) {
            SlPathSampler sampler = sl_path_sampler((uint64_t)n, 5, 0);
            SlVec3 o = {0.13f, -0.1f, -0.2f}, d = sl_unit(sl_vec3(-0.3f, 0.2f, 0.9f));
            if (n % 2) /* from inside */
                o = sl_vec3(0.1f, 0.05f, 0.04f);
            SlVolumeEvent event;
            uint32_t order = 0;
            while (order < 100000 && sl_volume_scatter(volume, o, d, INFINITY, order, &sampler, &event)) {
                SlVec3 l = sl_direction_around(sl_vec3(0, 1, 0), 2 * sl_path_uniform(&sampler) - 1,
                                               sl_path_uniform(&sampler));
                double transmittance = (double)sl_volume_transmittance(volume, event.position, l, INFINITY,
                                                                       order + 1, &sampler);
                direct += 4 * 3.14159265 * transmittance *
                          (double)sl_phase_value(event.g, sl_dot(d, l)) / N;
                d = sl_phase_sample(event.g, d, &sampler);
                o = event.position;
                order++;
            }
            left += order < 100000;
            direct += order == 0 ? 1.0 / N : 0; /* seen without any scattering */
        }
        assert_near(left / N, 1, 1e-9);
        assert_near(direct, 1, 0.01);
        sl_volume_destroy(volume);
    }
    sl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_reference),
        cmocka_unit_test(test_similarity),
        cmocka_unit_test(test_furnace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
