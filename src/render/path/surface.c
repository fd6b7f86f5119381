/* What a ray finds: the nearest surface with its normals and colour, and the clear materials around a
   point (scene.h). */
#include <math.h>
#include <string.h>

#include "render/path/scene.h"

/* --- The ground. --- */

/* Slope of the grain of snow: mean of six octaves each. */
#define GRAIN_SLOPE 0.2f

static float hash2(int x, int y)
{
    uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca77u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (float)((h ^ h >> 15) >> 8) * (1 / 16777216.0f);
}

static float ease(float t)
{
    return t * t * (3 - 2 * t);
}

static float value_noise(float x, float y)
{
    float fx = floorf(x), fy = floorf(y), u = ease(x - fx), v = ease(y - fy);
    int ix = (int)fx, iy = (int)fy;
    float low = hash2(ix, iy) * (1 - u) + hash2(ix + 1, iy) * u;
    float high = hash2(ix, iy + 1) * (1 - u) + hash2(ix + 1, iy + 1) * u;
    return low * (1 - v) + high * v;
}

static float bumps(float x, float y)
{
    float sum = 0, weight = 1;
    for (int octave = 0; octave < 6; octave++) {
        sum += weight * (value_noise(x, y) - 0.5f);
        float turn = 0.8f * x - 0.6f * y; /* octaves are rotated against each other */
        y = 2.03f * (0.6f * x + 0.8f * y) + 7.1f;
        x = 2.03f * turn + 3.3f;
        weight *= 0.5f;
    }
    return sum;
}

/* Square tiles of slightly different grey with dark joints; both fade where tiles are small. */
static SlVec3 tile_color(const SlPathScene *scene, SlVec3 p, float t, SlVec3 color)
{
    float side = scene->ground.tile;
    float x = (p.x - scene->ground.center.x) / side, z = (p.z - scene->ground.center.z) / side;
    float fx = x - floorf(x), fz = z - floorf(z);
    float edge = fminf(fminf(fx, 1 - fx), fminf(fz, 1 - fz));
    float far = 1 / (1 + t * t / (900 * side * side));
    float shade = 1 + far * 0.34f * (hash2((int)floorf(x), (int)floorf(z)) - 0.5f);
    shade *= 1 + far * 0.20f * bumps(3.1f * x, 3.1f * z);
    if (edge < 0.012f)
        shade *= 1 - 0.62f * far;
    return sl_scale(color, fmaxf(shade, 0.05f));
}

/* Slopes of the bumps of a plane at (x, y), in lengths. */
static void bump_slopes(float x, float y, float *along_x, float *along_y)
{
    const float step = 0.04f;
    float here = bumps(x, y);
    *along_x = (bumps(x + step, y) - here) / step;
    *along_y = (bumps(x, y + step) - here) / step;
}

/* Slope of bumps of that length at a point of a surface. On slopes they are those of the three planes of the
   axes, each as far as the surface faces it. */
static SlVec3 snow_slope(SlVec3 p, SlVec3 normal, float length)
{
    SlVec3 q = sl_scale(p, 1 / length), slope = {0, 0, 0};
    SlVec3 facing = sl_mul(normal, normal);
    float along[2];
    if (facing.x > 0.02f) {
        bump_slopes(q.y + 5.3f, q.z, &along[0], &along[1]);
        slope = sl_add(slope, sl_scale(sl_vec3(0, along[0], along[1]), facing.x));
    }
    if (facing.y > 0.02f) {
        bump_slopes(q.x, q.z, &along[0], &along[1]);
        slope = sl_add(slope, sl_scale(sl_vec3(along[0], 0, along[1]), facing.y));
    }
    if (facing.z > 0.02f) {
        bump_slopes(q.x, q.y + 9.7f, &along[0], &along[1]);
        slope = sl_add(slope, sl_scale(sl_vec3(along[0], along[1], 0), facing.z));
    }
    return sl_sub(slope, sl_scale(normal, sl_dot(slope, normal)));
}

/* 1 near the camera, less where bumps of that length are small in the picture. */
static float snow_fade(float t, float length)
{
    float far = t / (80 * length);
    return 1 / (1 + far * far);
}

/* Snow: soft drifts, and on them grain of the size of the snow that is simulated, so that the two match. */
static SlVec3 snow_normal(const SlPathScene *scene, SlVec3 p, SlVec3 normal, float t)
{
    float drift = scene->ground.tile, grain = scene->ground.grain;
    SlVec3 slope = sl_scale(snow_slope(p, normal, drift),
                            scene->ground.bump / drift * snow_fade(t, drift));
    float fade = grain > 0 ? snow_fade(t, 2 * grain) : 0;
    if (fade > 0.02f)
        slope = sl_add(slope, sl_scale(snow_slope(p, normal, grain), GRAIN_SLOPE * fade));
    return sl_unit(sl_sub(normal, slope));
}

static void ground_surface(const SlPathScene *scene, const SlRay *ray, float t, SlSurface *s)
{
    const SlPathMaterial *material = &scene->materials[scene->ground.material];
    SlVec3 p = sl_add(ray->origin, sl_scale(ray->direction, t));
    p.y = scene->ground.height;
    *s = (SlSurface){.t = t,
                     .position = p,
                     .flat = {0, 1, 0},
                     .normal = {0, 1, 0},
                     .material = scene->ground.material,
                     .primitive = SL_NO_PRIMITIVE,
                     .albedo = material->color};
    bool near = fabsf(p.x) < 1e6f * scene->ground.tile && fabsf(p.z) < 1e6f * scene->ground.tile;
    if (material->pattern == SL_PATTERN_TILES && near)
        s->albedo = tile_color(scene, p, t, s->albedo);
    else if (material->pattern == SL_PATTERN_SNOW && near)
        s->normal = snow_normal(scene, p, s->normal, t);
}

static bool ground_distance(const SlPathScene *scene, const SlRay *ray, float *t)
{
    if (!scene->ground.visible || !(ray->direction.y < -1e-7f))
        return false;
    *t = (scene->ground.height - ray->origin.y) / ray->direction.y;
    return *t > 0 && *t < ray->t_max;
}

/* --- Primitives. --- */

static SlVec3 row3(const float *array, size_t k)
{
    return sl_vec3(array[3 * k], array[3 * k + 1], array[3 * k + 2]);
}

static SlVec3 mixed(const SlVec3 v[3], float u, float w)
{
    return sl_add(sl_add(sl_scale(v[0], 1 - u - w), sl_scale(v[1], u)), sl_scale(v[2], w));
}

static void triangle_surface(const SlPathScene *scene, float time, const SlHit *hit, SlSurface *s)
{
    const SlGeometry *g = &scene->geometry;
    const uint32_t *corner = g->triangles + 3 * (size_t)hit->primitive;
    SlVec3 p[3], n[3];
    for (int k = 0; k < 3; k++) {
        p[k] = row3(g->positions, corner[k]);
        n[k] = row3(scene->normals, corner[k]);
        if (g->motion != NULL)
            p[k] = sl_add(p[k], sl_scale(row3(g->motion, corner[k]), time));
    }
    s->position = mixed(p, hit->u, hit->v);
    s->flat = sl_unit(sl_cross(sl_sub(p[1], p[0]), sl_sub(p[2], p[0])));
    SlVec3 normal = mixed(n, hit->u, hit->v);
    s->normal = sl_dot(normal, normal) > 1e-6f ? sl_unit(normal) : s->flat;
    s->material = scene->triangle_material[hit->primitive];
}

static void sphere_surface(const SlPathScene *scene, const SlRay *ray, const SlHit *hit, SlSurface *s)
{
    const SlGeometry *g = &scene->geometry;
    size_t k = hit->primitive - g->triangle_count;
    SlVec3 center = sl_vec3(g->spheres[4 * k], g->spheres[4 * k + 1], g->spheres[4 * k + 2]);
    if (g->sphere_motion != NULL)
        center = sl_add(center, sl_scale(row3(g->sphere_motion, k), ray->time));
    SlVec3 p = sl_add(ray->origin, sl_scale(ray->direction, hit->t));
    s->flat = s->normal = sl_unit(sl_sub(p, center));
    s->radius = g->spheres[4 * k + 3];
    s->position = sl_add(center, sl_scale(s->normal, g->spheres[4 * k + 3]));
    s->material = scene->sphere_material[k];
}

void sl_scene_surface(const SlPathScene *scene, const SlRay *ray, const SlHit *hit, SlSurface *s)
{
    s->t = hit->t;
    s->primitive = hit->primitive;
    s->u = hit->u;
    s->v = hit->v;
    s->radius = 0;
    if (hit->primitive < scene->geometry.triangle_count)
        triangle_surface(scene, ray->time, hit, s);
    else
        sphere_surface(scene, ray, hit, s);
    s->albedo = scene->materials[s->material].color;
    if (scene->materials[s->material].pattern == SL_PATTERN_SNOW)
        s->normal = snow_normal(scene, s->position, s->normal, hit->t);
}

SlVec3 sl_scene_velocity(const SlPathScene *scene, const SlSurface *s)
{
    const SlGeometry *g = &scene->geometry;
    if (s->primitive == SL_NO_PRIMITIVE)
        return sl_vec3(0, 0, 0);
    if (s->primitive >= g->triangle_count)
        return sl_scale(row3(scene->sphere_motion, s->primitive - g->triangle_count), scene->per_motion);
    const uint32_t *corner = g->triangles + 3 * (size_t)s->primitive;
    const SlVec3 m[3] = {row3(scene->motion, corner[0]), row3(scene->motion, corner[1]),
                         row3(scene->motion, corner[2])};
    return sl_scale(mixed(m, s->u, s->v), scene->per_motion);
}

static void include(SlBox *box, SlVec3 p, float radius)
{
    box->min = sl_vec3(fminf(box->min.x, p.x - radius), fminf(box->min.y, p.y - radius),
                       fminf(box->min.z, p.z - radius));
    box->max = sl_vec3(fmaxf(box->max.x, p.x + radius), fmaxf(box->max.y, p.y + radius),
                       fmaxf(box->max.z, p.z + radius));
}

void sl_scene_classes(SlPathScene *scene, uint8_t *classes)
{
    const SlGeometry *g = &scene->geometry;
    SlBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t k = 0; k < g->triangle_count; k++) {
        bool clear = scene->materials[scene->triangle_material[k]].kind == SL_BSDF_CLEAR;
        classes[k] = clear ? SL_RAY_CLEAR : SL_RAY_OPAQUE;
        for (size_t c = 0; clear && c < 3; c++)
            include(&box, row3(g->positions, g->triangles[3 * k + c]), 0);
    }
    for (size_t k = 0; k < g->sphere_count; k++) {
        bool clear = scene->materials[scene->sphere_material[k]].kind == SL_BSDF_CLEAR;
        const float *s = g->spheres + 4 * k;
        classes[g->triangle_count + k] = clear ? SL_RAY_CLEAR : SL_RAY_OPAQUE;
        if (clear)
            include(&box, sl_vec3(s[0], s[1], s[2]), s[3]);
    }
    scene->clear_bounds = box;
}

bool sl_scene_hit(const SlPathScene *scene, const SlRay *ray, SlSurface *surface)
{
    SlHit hit;
    SlRay inner = *ray;
    float t;
    bool ground = ground_distance(scene, ray, &t);
    if (ground)
        inner.t_max = t;
    if (scene->geometry.triangle_count + scene->geometry.sphere_count > 0 &&
        sl_intersect(&scene->intersector, &inner, SL_RAY_ALL, &hit)) {
        sl_scene_surface(scene, ray, &hit, surface);
        return true;
    }
    if (ground)
        ground_surface(scene, ray, t, surface);
    return ground;
}

bool sl_scene_blocked(const SlPathScene *scene, const SlRay *ray, uint32_t mask)
{
    float t;
    if ((mask & SL_RAY_OPAQUE) && ground_distance(scene, ray, &t))
        return true;
    return scene->geometry.triangle_count + scene->geometry.sphere_count > 0 &&
           sl_occluded(&scene->intersector, ray, mask);
}

SlVec3 sl_offset(SlVec3 p, SlVec3 flat, SlVec3 side)
{
    float far = fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z)));
    float step = 1e-5f * far + 1e-7f;
    return sl_add(p, sl_scale(flat, sl_dot(flat, side) >= 0 ? step : -step));
}

/* --- Media. --- */

void sl_media_enter(SlMedia *media, uint16_t material)
{
    if (media->count < SL_PATH_MEDIA)
        media->id[media->count++] = material;
}

void sl_media_leave(SlMedia *media, uint16_t material)
{
    for (int k = media->count - 1; k >= 0; k--)
        if (media->id[k] == material) {
            media->count--;
            memmove(&media->id[k], &media->id[k + 1],
                    (size_t)(media->count - k) * sizeof media->id[0]);
            return;
        }
}

uint16_t sl_media_top(const SlMedia *media, const SlPathScene *scene)
{
    uint16_t top = SL_NO_MATERIAL;
    for (int k = 0; k < media->count; k++)
        if (top == SL_NO_MATERIAL ||
            scene->materials[media->id[k]].priority > scene->materials[top].priority)
            top = media->id[k];
    return top;
}

SlVec3 sl_media_transmit(const SlPathScene *scene, const SlMedia *media, float t)
{
    uint16_t top = sl_media_top(media, scene);
    if (top == SL_NO_MATERIAL)
        return sl_vec3(1, 1, 1);
    SlVec3 a = scene->materials[top].absorption;
    if (!(sl_max3(a) > 0))
        return sl_vec3(1, 1, 1);
    return sl_vec3(expf(-a.x * t), expf(-a.y * t), expf(-a.z * t));
}

/* Counts how often a ray upwards leaves each material more often than it enters it. */
SlMedia sl_media_at(const SlPathScene *scene, SlVec3 point)
{
    SlMedia media = {0};
    if (!scene->has_clear)
        return media;
    SlRay ray = {.origin = point, .direction = sl_unit(sl_vec3(0.0131f, 1, 0.0172f)), .t_max = INFINITY};
    SlMedia left = {0}; /* entered on the way */
    SlHit hit;
    for (int k = 0; k < 256 && sl_intersect(&scene->intersector, &ray, SL_RAY_CLEAR, &hit); k++) {
        SlSurface s;
        sl_scene_surface(scene, &ray, &hit, &s);
        if (sl_dot(ray.direction, s.flat) < 0) {
            sl_media_enter(&left, s.material);
        } else {
            uint8_t before = left.count;
            sl_media_leave(&left, s.material);
            if (left.count == before)
                sl_media_enter(&media, s.material);
        }
        ray.origin = sl_offset(s.position, s.flat, ray.direction);
    }
    return media;
}
