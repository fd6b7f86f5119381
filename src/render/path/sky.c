/* The sky: luminance and colour of a clear one by [Preetham 1999] (its equations 2 and appendices A.1
   and A.2), or a gradient between two colours, with thin clouds over either. */
#include <math.h>

#include "render/path/bsdf.h"
#include "render/path/lights.h"

/* --- Clouds: noise on a plane above. --- */

static float lattice(int x, int y)
{
    uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca77u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 13) * 0x297a2d39u;
    return (float)((h ^ h >> 16) >> 8) * (1 / 16777216.0f);
}

static float smooth(float t)
{
    t = fminf(fmaxf(t, 0), 1);
    return t * t * (3 - 2 * t);
}

static float noise(float x, float y)
{
    float fx = floorf(x), fy = floorf(y);
    int ix = (int)fx, iy = (int)fy;
    float u = smooth(x - fx), v = smooth(y - fy);
    float low = lattice(ix, iy) * (1 - u) + lattice(ix + 1, iy) * u;
    float high = lattice(ix, iy + 1) * (1 - u) + lattice(ix + 1, iy + 1) * u;
    return low * (1 - v) + high * v;
}

/* How much of a thin layer of clouds is seen in a direction. */
static float cloud_cover(SlVec3 d)
{
    if (d.y <= 0)
        return 0;
    float scale = 1 / (d.y + 0.14f), x = d.x * scale, y = d.z * scale;
    float sum = 0, weight = 0.5f, total = 0;
    for (int octave = 0; octave < 6; octave++) {
        sum += weight * noise(x * 0.7f + 17.3f, y * 1.3f + 5.1f);
        total += weight;
        weight *= 0.52f;
        x = 2.1f * x + 3.7f;
        y = 2.1f * y + 1.9f;
    }
    return smooth((sum / total - 0.44f) * 3.4f) * smooth(d.y * 7);
}

/* --- [Preetham 1999]. --- */

typedef struct Perez {
    double a, b, c, d, e;
} Perez;

/* The distribution of the appendix A.2 in a direction, over its value at the zenith. */
static double perez(const Perez *p, double cos_theta, double gamma, double sun_theta)
{
    double here = (1 + p->a * exp(p->b / cos_theta)) *
                  (1 + p->c * exp(p->d * gamma) + p->e * cos(gamma) * cos(gamma));
    double zenith = (1 + p->a * exp(p->b)) *
                    (1 + p->c * exp(p->d * sun_theta) + p->e * cos(sun_theta) * cos(sun_theta));
    return here / zenith;
}

static double cubic(const double m[3][4], double t, double theta)
{
    double sum = 0, powers[3] = {t * t, t, 1};
    for (int k = 0; k < 3; k++)
        sum += powers[k] * (((m[k][0] * theta + m[k][1]) * theta + m[k][2]) * theta + m[k][3]);
    return sum;
}

/* CIE xyY to linear Rec. 709. */
static SlVec3 from_xyy(double x, double y, double luminance)
{
    double cx = x / y * luminance, cz = (1 - x - y) / y * luminance;
    return sl_vec3((float)(3.2404542 * cx - 1.5371385 * luminance - 0.4985314 * cz),
                   (float)(-0.9692660 * cx + 1.8760108 * luminance + 0.0415560 * cz),
                   (float)(0.0556434 * cx - 0.2040259 * luminance + 1.0572252 * cz));
}

static SlVec3 preetham(const SlSkySettings *sky, SlVec3 d)
{
    const double pi = 3.14159265358979, t = (double)sky->turbidity;
    double sun_y = fmin(fmax((double)sky->to_sun.y, 0.02), 1), theta = acos(sun_y);
    double cos_theta = fmax((double)d.y, 0.012);
    double gamma = acos(fmin(fmax((double)sl_dot(d, sky->to_sun), -1), 1));
    const Perez big = {0.1787 * t - 1.4630, -0.3554 * t + 0.4275, -0.0227 * t + 5.3251,
                       0.1206 * t - 2.5771, -0.0670 * t + 0.3703};
    const Perez x = {-0.0193 * t - 0.2592, -0.0665 * t + 0.0008, -0.0004 * t + 0.2125,
                     -0.0641 * t - 0.8989, -0.0033 * t + 0.0452};
    const Perez y = {-0.0167 * t - 0.2608, -0.0950 * t + 0.0092, -0.0079 * t + 0.2102,
                     -0.0441 * t - 1.6537, -0.0109 * t + 0.0529};
    static const double mx[3][4] = {{0.00166, -0.00375, 0.00209, 0},
                                    {-0.02903, 0.06377, -0.03202, 0.00394},
                                    {0.11693, -0.21196, 0.06052, 0.25886}};
    static const double my[3][4] = {{0.00275, -0.00610, 0.00317, 0},
                                    {-0.04214, 0.08970, -0.04153, 0.00516},
                                    {0.15346, -0.26756, 0.06670, 0.26688}};
    double chi = (4.0 / 9 - t / 120) * (pi - 2 * theta);
    double zenith = (4.0453 * t - 4.9710) * tan(chi) - 0.2155 * t + 2.4192; /* kcd/m² */
    double luminance = fmax(zenith, 0.05) * perez(&big, cos_theta, gamma, theta);
    double cx = cubic(mx, t, theta) * perez(&x, cos_theta, gamma, theta);
    double cy = cubic(my, t, theta) * perez(&y, cos_theta, gamma, theta);
    SlVec3 light = from_xyy(cx, cy, luminance);
    return sl_vec3(fmaxf(light.x, 0), fmaxf(light.y, 0), fmaxf(light.z, 0));
}

/* The sun's light after the air, relative: Rayleigh and aerosol extinction over the optical air mass
   [Preetham 1999, appendix A.1]. */
SlVec3 sl_sun_color(SlVec3 to_sun, float turbidity)
{
    static const float wavelength[3] = {0.612f, 0.549f, 0.465f}; /* µm */
    float degrees = acosf(fminf(fmaxf(to_sun.y, 0.01f), 1)) * 180 / SL_PI;
    float mass = 1 / (cosf(degrees * SL_PI / 180) + 0.15f * powf(93.885f - degrees, -1.253f));
    float beta = fmaxf(0.04608f * turbidity - 0.04586f, 0), out[3];
    for (int k = 0; k < 3; k++) {
        float rayleigh = 0.008735f * powf(wavelength[k], -4.08f);
        float aerosol = beta * powf(wavelength[k], -1.3f);
        out[k] = expf(-mass * (rayleigh + aerosol));
    }
    SlVec3 color = {out[0], out[1], out[2]};
    return sl_scale(color, 1 / sl_luminance(color));
}

/* --- A direction. --- */

SlVec3 sl_sky_light(const SlSkySettings *sky, SlVec3 d)
{
    SlVec3 light;
    if (sky->kind == SL_SKY_UNIFORM)
        return sl_scale(sky->horizon, sky->scale);
    if (sky->kind == SL_SKY_PHYSICAL) {
        SlVec3 up = d.y >= 0 ? d : sl_unit(sl_vec3(d.x, 0, d.z));
        light = sl_scale(preetham(sky, up), sky->scale);
    } else {
        float t = sqrtf(fmaxf(d.y, 0)), sun = fmaxf(sl_dot(d, sky->to_sun), 0);
        light = sl_add(sl_scale(sky->horizon, 1 - t), sl_scale(sky->zenith, t));
        float glow = powf(sun, 8) * 0.08f + powf(sun, 64) * 0.2f;
        light = sl_scale(sl_add(light, sl_vec3(glow, 0.95f * glow, 0.88f * glow)), sky->scale);
    }
    if (sky->clouds > 0) {
        /* White, a little brighter than the sky near the horizon. */
        SlVec3 low = sl_unit(sl_vec3(d.x, 0.18f, d.z));
        SlVec3 behind = sky->kind == SL_SKY_PHYSICAL ? sl_scale(preetham(sky, low), sky->scale)
                                                     : sl_scale(sky->horizon, sky->scale);
        float white = 1.15f * sl_luminance(behind), cover = 0.75f * sky->clouds * cloud_cover(d);
        light = sl_add(sl_scale(light, 1 - cover),
                       sl_scale(sl_vec3(0.99f * white, white, 1.02f * white), cover));
    }
    return light;
}
