/* How surfaces scatter light (bsdf.h). */
#include "render/path/bsdf.h"

#include "render/path/phase.h"

float sl_fresnel(float cosine, float index, float *inner)
{
    float c = fminf(fmaxf(cosine, 0), 1), square = 1 - (1 - c * c) / (index * index);
    if (!(square > 0)) {
        *inner = 0;
        return 1;
    }
    float t = sqrtf(square);
    float parallel = (index * c - t) / (index * c + t), across = (c - index * t) / (c + index * t);
    *inner = t;
    return 0.5f * (parallel * parallel + across * across);
}

/* --- The coat, in the frame with the normal along z. --- */

static float lambda(float cosine, float alpha)
{
    float c2 = cosine * cosine, tan2 = fmaxf(1 - c2, 0) / fmaxf(c2, 1e-12f);
    return 0.5f * (sqrtf(1 + alpha * alpha * tan2) - 1);
}

static float ggx(SlVec3 h, float alpha)
{
    float a2 = alpha * alpha, q = h.x * h.x + h.y * h.y + a2 * h.z * h.z;
    return a2 / (SL_PI * q * q);
}

/* A normal of the micro surface that is visible from `out` [Heitz 2018]. */
static SlVec3 visible_normal(SlVec3 out, float alpha, float u1, float u2)
{
    SlVec3 v = sl_unit(sl_vec3(alpha * out.x, alpha * out.y, out.z));
    float length = v.x * v.x + v.y * v.y;
    SlVec3 t = length > 1e-12f ? sl_scale(sl_vec3(-v.y, v.x, 0), 1 / sqrtf(length)) : sl_vec3(1, 0, 0);
    SlVec3 b = sl_cross(v, t);
    float r = sqrtf(u1), angle = 2 * SL_PI * u2, x = r * cosf(angle), y = r * sinf(angle);
    float s = 0.5f * (1 + v.z);
    y = (1 - s) * sqrtf(fmaxf(1 - x * x, 0)) + s * y;
    float z = sqrtf(fmaxf(1 - x * x - y * y, 0));
    SlVec3 h = sl_add(sl_add(sl_scale(t, x), sl_scale(b, y)), sl_scale(v, z));
    return sl_unit(sl_vec3(alpha * h.x, alpha * h.y, fmaxf(h.z, 1e-6f)));
}

typedef struct Frame {
    SlVec3 x, y, z;
} Frame;

static Frame frame_of(SlVec3 n)
{
    float sign = copysignf(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
    return (Frame){{1 + sign * n.x * n.x * a, sign * b, -sign * n.x},
                   {b, sign + n.y * n.y * a, -n.y}, n};
}

static SlVec3 to_local(const Frame *f, SlVec3 v)
{
    return sl_vec3(sl_dot(v, f->x), sl_dot(v, f->y), sl_dot(v, f->z));
}

static SlVec3 to_world(const Frame *f, SlVec3 v)
{
    return sl_add(sl_add(sl_scale(f->x, v.x), sl_scale(f->y, v.y)), sl_scale(f->z, v.z));
}

/* Reflection by the coat without the cosine, and the density of its directions:
   F D G1(out) G1(in) / (4 cos cos), masking and shadowing independent of each other [Walter 2007]. */
static float coat(const SlPathMaterial *m, SlVec3 out, SlVec3 in, float *density)
{
    SlVec3 h = sl_unit(sl_add(out, in));
    float inner, cosine = sl_dot(out, h), d = ggx(h, m->alpha);
    float lo = lambda(out.z, m->alpha), li = lambda(in.z, m->alpha);
    float fresnel = sl_fresnel(cosine, m->index, &inner);
    *density = d / ((1 + lo) * 4 * out.z);
    return fresnel * d / ((1 + lo) * (1 + li) * 4 * out.z * in.z);
}

static float entry(const SlPathMaterial *m, float cosine)
{
    float at = fminf(fmaxf(cosine, 0), 1) * (SL_COAT_ENTRIES - 1);
    int k = (int)at < SL_COAT_ENTRIES - 2 ? (int)at : SL_COAT_ENTRIES - 2;
    float f = at - (float)k;
    return m->reflected[k] * (1 - f) + m->reflected[k + 1] * f;
}

void sl_coat_tables(SlPathMaterial *m)
{
    enum { SIDE = 48 };
    for (int k = 0; k < SL_COAT_ENTRIES; k++) {
        float c = fmaxf((float)k / (SL_COAT_ENTRIES - 1), 1e-3f);
        SlVec3 out = {sqrtf(1 - c * c), 0, c};
        double sum = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            int row = i / SIDE, column = i % SIDE;
            float u1 = ((float)column + 0.5f) / SIDE, u2 = ((float)row + 0.5f) / SIDE;
            SlVec3 h = visible_normal(out, m->alpha, u1, u2);
            SlVec3 in = sl_sub(sl_scale(h, 2 * sl_dot(out, h)), out);
            float density;
            if (in.z > 0) {
                float value = coat(m, out, in, &density);
                sum += (double)(density > 0 ? value * in.z / density : 0);
            }
        }
        m->reflected[k] = (float)fmin(sum / (SIDE * SIDE), 0.999);
    }
    double mean = 0; /* 2 ∫ E(c) c dc of the piecewise linear table, by Simpson's rule */
    for (int k = 0; k < SL_COAT_ENTRIES - 1; k++) {
        double a = (double)k / (SL_COAT_ENTRIES - 1), b = (double)(k + 1) / (SL_COAT_ENTRIES - 1);
        double ea = (double)m->reflected[k], eb = (double)m->reflected[k + 1];
        mean += (b - a) / 3 * (a * ea + (a + b) * (ea + eb) + b * eb);
    }
    m->mean_reflected = (float)mean;
}

/* --- All kinds. --- */

static float coat_share(const SlPathMaterial *m, float cosine)
{
    return fminf(fmaxf(entry(m, cosine), 0.15f), 0.9f);
}

static float base(const SlPathMaterial *m, float out, float in)
{
    return (1 - entry(m, out)) * (1 - entry(m, in)) / ((1 - m->mean_reflected) * SL_PI);
}

SlVec3 sl_bsdf_value(const SlPathMaterial *m, SlVec3 albedo, SlVec3 n, SlVec3 out, SlVec3 in)
{
    float co = sl_dot(n, out), ci = sl_dot(n, in);
    if (m->translucent)
        return sl_scale(albedo, 0.5f / SL_PI);
    if (!(co > 0 && ci > 0))
        return sl_vec3(0, 0, 0);
    if (m->kind != SL_BSDF_COATED)
        return sl_scale(albedo, 1 / SL_PI);
    Frame f = frame_of(n);
    float density, layer = coat(m, to_local(&f, out), to_local(&f, in), &density);
    return sl_add(sl_scale(albedo, base(m, co, ci)), sl_vec3(layer, layer, layer));
}

float sl_bsdf_density(const SlPathMaterial *m, SlVec3 n, SlVec3 out, SlVec3 in)
{
    float co = sl_dot(n, out), ci = sl_dot(n, in), density;
    if (m->translucent)
        return 0.5f * fabsf(ci) / SL_PI;
    if (!(co > 0 && ci > 0))
        return 0;
    if (m->kind != SL_BSDF_COATED)
        return ci / SL_PI;
    Frame f = frame_of(n);
    float p = coat_share(m, co);
    coat(m, to_local(&f, out), to_local(&f, in), &density);
    return p * density + (1 - p) * ci / SL_PI;
}

static SlVec3 cosine_sample(SlVec3 n, float u, float turn)
{
    return sl_unit(sl_direction_around(n, sqrtf(1 - u), turn));
}

bool sl_bsdf_sample(const SlPathMaterial *m, SlVec3 albedo, const SlVec3 directions[2],
                    SlPathSampler *sampler, SlVec3 *in, SlVec3 *weight)
{
    SlVec3 n = directions[0], out = directions[1];
    float u1 = sl_path_even(sampler), u2 = sl_path_even(sampler);
    if (m->translucent) {
        bool through = sl_path_even(sampler) < 0.5f;
        *in = cosine_sample(through ? sl_scale(n, -1) : n, u1, u2);
        *weight = albedo;
        return true;
    }
    if (m->kind != SL_BSDF_COATED) {
        *in = cosine_sample(n, u1, u2);
        *weight = albedo;
        return sl_dot(n, *in) > 0;
    }
    float p = coat_share(m, sl_dot(n, out));
    if (sl_path_even(sampler) < p) {
        Frame f = frame_of(n);
        SlVec3 local = to_local(&f, out);
        SlVec3 h = visible_normal(local, m->alpha, u1, u2);
        SlVec3 r = sl_sub(sl_scale(h, 2 * sl_dot(local, h)), local);
        *in = sl_unit(to_world(&f, r));
    } else {
        *in = cosine_sample(n, u1, u2);
    }
    float density = sl_bsdf_density(m, n, out, *in);
    if (!(density > 0))
        return false;
    *weight = sl_scale(sl_bsdf_value(m, albedo, n, out, *in), sl_dot(n, *in) / density);
    return true;
}
