/* The path tracer's integrator: paths from the camera with next-event estimation to sun, surroundings
   and lamps, combined with directions from the surfaces by the balance heuristic [Veach 1995]; clear
   surfaces by mirror and refraction with absorption; volumes by the calls of volume.h.

   Light of the sun behind a clear surface comes from one place only: the photon map, a straight shadow
   ray, or (traced) the path itself; `SlSunThrough` says which. */
#include "render/path/integrate.h"

#include <math.h>

#include "render/path/phase.h"
#include "render/path/photons.h"

enum { MAX_PASSED = 64, STRAIGHT_CROSSINGS = 12 };
enum { MAX_KEPT = 2 }; /* total reflections in a pane; water behind it causes one */
enum { ALWAYS_LIT = 2 }; /* scatterings in snow that ask for direct light every time */
#define KEPT 4.0f /* roulette: a path whose weight is above 1 / KEPT goes on */

typedef struct Path {
    const SlPathScene *scene;
    SlPathSampler *sampler;
    SlRay ray;
    SlMedia media;
    SlVec3 beta;
    float density; /* of the last direction; 0: mirrored, refracted or from the camera */
    bool scattered; /* at least once at a surface or in a volume */
    uint32_t bounces, order, passed;
    uint32_t kept; /* total reflections in a pane, one after the other */
    uint32_t vertex; /* number of the next one, for the even dimensions of the sampler */
    bool mirrored; /* the half that a split sent to the mirrored side */
    float inverse_scale; /* of beta by the media that the path is in: 1 in air */
    SlPathResult *result;
    float guide; /* weight in the result's albedo; 0: it has been added */
    float before; /* m: to the last pane, where the result has no distance yet */
    struct Path *other; /* takes the mirrored half where the path meets its first clear surface; NULL: done */
} Path;

/* A point where light is scattered: a surface, or an event in a volume. */
typedef struct Vertex {
    SlVec3 position, flat, normal, out; /* flat and normal on the side of `out` */
    const SlPathMaterial *material; /* NULL: in a volume */
    SlVec3 albedo;
    float radius; /* of a sphere */
    const SlVolumeEvent *event;
    const SlVolume *volume;
} Vertex;

/* The sampler's even dimensions for one use at the present vertex. */
static SlPathSampler *even(const Path *path, uint32_t use)
{
    uint32_t vertex = path->vertex + (path->mirrored ? SL_EVEN_DEPTH : 0);
    bool has = path->vertex < SL_EVEN_DEPTH && path->sampler->spread;
    path->sampler->dimension =
        has ? SL_EVEN_VERTICES + vertex * SL_EVEN_PER_VERTEX + use : SL_EVEN_COUNT;
    return path->sampler;
}

/* Roulette: dim paths end early, the others take their light. Within a medium radiance, and with it
   beta, is changed by the square of the index; that is undone for the decision. */
static bool survives(Path *path)
{
    float keep = fminf(KEPT * sl_max3(path->beta) * path->inverse_scale, 1);
    if (keep == 1)
        return true;
    if (!(sl_path_uniform(path->sampler) < keep))
        return false;
    path->beta = sl_scale(path->beta, 1 / keep);
    return true;
}

static void add(Path *path, SlVec3 light)
{
    light = sl_mul(light, path->beta);
    float clamp = path->scene->settings.clamp, max = sl_max3(light);
    if (!(max >= 0) || !isfinite(max))
        return;
    if (clamp > 0 && max > clamp && (path->bounces > 0 || path->order > 0))
        light = sl_scale(light, clamp / max);
    path->result->light = sl_add(path->result->light, light);
}

/* --- Light that arrives at a vertex. --- */

/* f times the cosine; of a volume the phase function. */
static SlVec3 scattering(const Path *path, const Vertex *v, SlVec3 in, bool sun)
{
    if (v->material == NULL) {
        float phase = sl_phase_value(v->event->g, sl_dot(path->ray.direction, in));
        if (sun)
            phase += sl_volume_glint(v->volume, v->event, path->ray.direction, in);
        return sl_scale(v->albedo, phase);
    }
    SlVec3 f = sl_bsdf_value(v->material, v->albedo, v->normal, v->out, in);
    float cosine = sl_dot(v->normal, in);
    if (v->material->translucent)
        return sl_scale(f, fabsf(cosine));
    return sl_dot(v->flat, in) > 0 ? sl_scale(f, fmaxf(cosine, 0)) : sl_vec3(0, 0, 0);
}

static float density_of(const Path *path, const Vertex *v, SlVec3 in)
{
    if (v->material == NULL)
        return sl_phase_value(v->event->g, sl_dot(path->ray.direction, in));
    return sl_bsdf_density(v->material, v->normal, v->out, in);
}

/* Weights of one light found in two ways: by its own sampling with density `light`, or by a direction
   from the vertex. With either alone the other's is 0. */
static float light_weight(const Path *path, const Vertex *v, SlVec3 in, float light)
{
    SlLightSampling sampling = path->scene->settings.sampling;
    if (sampling != SL_SAMPLE_BOTH)
        return sampling == SL_SAMPLE_LIGHTS ? 1 : 0;
    return light / (light + density_of(path, v, in));
}

static float direction_weight(const Path *path, float light)
{
    SlLightSampling sampling = path->scene->settings.sampling;
    if (!(path->density > 0)) /* seen directly or in a mirror */
        return 1;
    if (sampling != SL_SAMPLE_BOTH)
        return sampling == SL_SAMPLE_LIGHTS ? 0 : 1;
    return path->density / (path->density + light);
}

static float volumes_transmit(const Path *path, const SlRay *ray)
{
    const SlPathScene *scene = path->scene;
    float left = 1;
    for (size_t k = 0; k < scene->volume_count && left > 0; k++)
        left *= sl_volume_transmittance(sl_volume_at(&scene->volumes[k], ray->time), ray->origin,
                                        ray->direction, ray->t_max, path->order + 1, path->sampler);
    return left;
}

/* What is left of light that comes straight through clear surfaces: (1 - Fresnel) and absorption. */
static SlVec3 straight(const Path *path, SlRay ray, bool *crossed)
{
    const SlPathScene *scene = path->scene;
    SlMedia media = path->media;
    SlVec3 left = {1, 1, 1};
    SlHit hit;
    *crossed = false;
    for (int k = 0; k < STRAIGHT_CROSSINGS; k++) {
        if (!sl_intersect(&scene->intersector, &ray, SL_RAY_CLEAR, &hit))
            return left;
        SlSurface s;
        sl_scene_surface(scene, &ray, &hit, &s);
        left = sl_mul(left, sl_media_transmit(scene, &media, hit.t));
        SlInterface face = sl_interface(scene, &media, &s, ray.direction);
        if (!face.passed) {
            float inner, cosine = fabsf(sl_dot(s.normal, ray.direction));
            /* From the air's side: a straight ray is never reflected totally. */
            float index = scene->materials[s.material].index;
            left = sl_scale(left, 1 - sl_fresnel(fmaxf(cosine, 0.15f), index, &inner));
            *crossed = true;
        }
        media = face.beyond;
        ray.origin = sl_offset(s.position, s.flat, ray.direction);
        ray.t_max -= hit.t;
    }
    return left;
}

/* Where a ray begins that leaves a surface: of light through a grain, behind it. */
static SlVec3 leave(const Vertex *v, SlVec3 in)
{
    float cosine = sl_dot(v->flat, in);
    if (!v->material->translucent || cosine >= 0)
        return sl_offset(v->position, v->flat, in);
    SlVec3 far = sl_add(v->position, sl_scale(in, -2 * v->radius * cosine));
    return sl_offset(far, in, in);
}

/* What of the light from `in`, t away, reaches the vertex. */
static SlVec3 visible(const Path *path, const Vertex *v, SlVec3 in, float t, bool through, bool *crossed)
{
    const SlPathScene *scene = path->scene;
    SlVec3 origin = v->material != NULL ? leave(v, in) : v->position;
    SlRay ray = {.origin = origin, .direction = in, .t_max = t, .time = path->ray.time};
    SlVec3 left = {1, 1, 1};
    *crossed = false;
    float snow = scene->volume_count > 0 ? volumes_transmit(path, &ray) : 1;
    if (!(snow > 0) || sl_scene_blocked(scene, &ray, through && scene->has_clear ? SL_RAY_OPAQUE : SL_RAY_ALL))
        return sl_vec3(0, 0, 0);
    if (scene->has_clear && through)
        left = straight(path, ray, crossed);
    else
        left = isfinite(t) ? sl_media_transmit(scene, &path->media, t) : left;
    return sl_scale(left, snow);
}

static void add_sun(Path *path, const Vertex *v)
{
    const SlPathScene *scene = path->scene;
    const SlSun *sun = &scene->sun;
    if (!(sl_max3(sun->irradiance) > 0))
        return;
    SlVec3 in = sl_sun_sample(sun, even(path, SL_EVEN_SUN)), f = scattering(path, v, in, true);
    if (!(sl_max3(f) > 0))
        return;
    bool mapped = scene->photons != NULL && v->material != NULL && v->material->caustics;
    bool through = scene->settings.sun_through != SL_SUN_TRACED && !mapped, crossed;
    SlVec3 left = visible(path, v, in, INFINITY, through, &crossed);
    float weight = crossed ? 1 : light_weight(path, v, in, sun->density);
    add(path, sl_scale(sl_mul(sl_mul(f, left), sun->irradiance), weight));
}

static void add_surroundings(Path *path, const Vertex *v)
{
    const SlPathScene *scene = path->scene;
    if (!scene->sky.peaked)
        return;
    float density;
    bool crossed;
    SlVec3 in = sl_surroundings_sample(&scene->sky, even(path, SL_EVEN_SKY), &density);
    SlVec3 f = scattering(path, v, in, false);
    if (!(sl_max3(f) > 0 && density > 0))
        return;
    SlVec3 left = visible(path, v, in, INFINITY, false, &crossed);
    SlVec3 light = sl_mul(sl_mul(f, left), sl_surroundings_light(&scene->sky, in));
    add(path, sl_scale(light, light_weight(path, v, in, density) / density));
}

static void add_lamp(Path *path, const Vertex *v)
{
    if (path->scene->lamps.count == 0)
        return;
    SlVec3 at;
    const SlLamp *lamp = sl_lamps_sample(&path->scene->lamps, even(path, SL_EVEN_LAMP), &at);
    SlVec3 way = sl_sub(at, v->position), in = sl_unit(way);
    float t = sl_length(way), density = sl_lamp_density(lamp, in, t);
    SlVec3 f = scattering(path, v, in, false);
    if (!(sl_max3(f) > 0 && density > 0))
        return;
    bool crossed;
    SlVec3 left = visible(path, v, in, 0.9999f * t - 1e-6f, false, &crossed);
    add(path, sl_scale(sl_mul(sl_mul(f, left), lamp->light), light_weight(path, v, in, density) / density));
}

static void add_direct(Path *path, const Vertex *v)
{
    add_sun(path, v);
    add_surroundings(path, v);
    add_lamp(path, v);
    if (path->scene->photons != NULL && v->material != NULL && v->material->caustics) {
        SlVec3 e = sl_photons_irradiance(path->scene->photons, v->position, v->flat);
        add(path, sl_scale(sl_mul(v->albedo, e), 1 / SL_PI));
    }
}

/* --- Where the path meets light itself. --- */

static void meet_sky(Path *path, SlVec3 direction)
{
    const SlPathScene *scene = path->scene;
    const SlSun *sun = &scene->sun;
    float weight = 1;
    if (path->density > 0 && scene->sky.peaked)
        weight = direction_weight(path, sl_surroundings_density(&scene->sky, direction));
    add(path, sl_scale(sl_surroundings_light(&scene->sky, direction), weight));
    if (sl_dot(direction, sun->direction) < sun->cosine || !(sl_max3(sun->irradiance) > 0))
        return;
    if (!(path->density > 0) && path->scattered && scene->settings.sun_through != SL_SUN_TRACED)
        return; /* it came by a shadow ray or by photons */
    add(path, sl_scale(sun->radiance, direction_weight(path, sun->density)));
}

static void meet_lamp(Path *path, const SlSurface *s)
{
    const SlPathScene *scene = path->scene;
    const SlLamp *lamp = &scene->lamps.lamp[s->material - scene->lamp_material];
    float density = sl_lamp_density(lamp, path->ray.direction, s->t);
    if (density > 0)
        add(path, sl_scale(lamp->light, direction_weight(path, density)));
}

/* Past a lamp that gives light and is not itself in the picture. */
static bool pass_lamp(Path *path, const SlSurface *s)
{
    path->before += s->t;
    path->ray.origin = sl_offset(s->position, s->flat, path->ray.direction);
    return ++path->passed < MAX_PASSED;
}

/* --- Steps of a path; false: it ends. --- */

static void name_albedo(Path *path, SlVec3 albedo)
{
    path->result->albedo = sl_add(path->result->albedo, sl_scale(albedo, path->guide));
    path->guide = 0;
}

static void name_first(Path *path, SlVec3 albedo, const SlSurface *s)
{
    SlPathResult *result = path->result;
    if (path->scene->materials[s->material].pane) {
        path->before += s->t;
        return;
    }
    if (result->distance == INFINITY) {
        result->distance = path->before + s->t;
        result->normal = s->normal;
        if (sl_dot(s->normal, path->ray.direction) > 0)
            result->normal = sl_scale(s->normal, -1);
        result->velocity = sl_scene_velocity(path->scene, s);
    }
    /* Of clear surfaces: of what lies behind them. */
    if (path->scene->materials[s->material].kind != SL_BSDF_CLEAR)
        name_albedo(path, albedo);
}

static bool cross(Path *path, const SlSurface *s)
{
    SlInterface face = sl_interface(path->scene, &path->media, s, path->ray.direction);
    if (face.passed) {
        path->media = face.beyond;
        path->ray.origin = sl_offset(s->position, s->flat, path->ray.direction);
        return ++path->passed < MAX_PASSED;
    }
    bool mirrored;
    bool pane = path->scene->materials[s->material].pane;
    path->kept = pane && face.reflected >= 1 ? path->kept + 1 : 0;
    if (path->kept > MAX_KEPT) {
        /* Light that a pane keeps as a guide does comes out of its edges; followed to them they are black. */
        path->media = face.beyond;
        path->beta = sl_scale(path->beta, face.scale);
        path->inverse_scale /= face.scale;
        path->ray.origin = sl_offset(s->position, s->flat, path->ray.direction);
        path->kept = 0;
        return ++path->passed < MAX_PASSED;
    }
    if (path->other != NULL && !pane && !path->scattered && face.reflected < 1) {
        /* Both ways are followed: neither glints nor what is below are left to chance. */
        Path *other = path->other;
        path->other = NULL;
        *other = *path;
        other->mirrored = true;
        other->guide = path->guide * face.reflected;
        path->guide -= other->guide;
        other->beta = sl_scale(path->beta, face.reflected);
        path->beta = sl_scale(path->beta, 1 - face.reflected);
        other->ray.direction = face.mirror;
        other->ray.origin = sl_offset(s->position, s->flat, face.mirror);
        other->density = 0;
        other->bounces++;
        other->vertex++;
        mirrored = false;
    } else {
        mirrored = sl_path_even(even(path, SL_EVEN_CHOICE)) < face.reflected;
    }
    path->vertex++;
    path->ray.direction = mirrored ? face.mirror : face.refracted;
    path->ray.origin = sl_offset(s->position, s->flat, path->ray.direction);
    if (!mirrored) {
        path->media = face.beyond;
        path->beta = sl_scale(path->beta, face.scale);
        path->inverse_scale /= face.scale;
    }
    path->density = 0;
    return ++path->bounces < path->scene->settings.max_bounces;
}

static bool scatter(Path *path, const SlSurface *s)
{
    if (path->mirrored && !path->scattered && !survives(path))
        return false; /* a faint reflection: light sources were seen in it, scattered light by chance */
    Vertex v = {.position = s->position, .flat = s->flat, .normal = s->normal, .albedo = s->albedo,
                .material = &path->scene->materials[s->material], .radius = s->radius,
                .out = sl_scale(path->ray.direction, -1)};
    if (sl_dot(v.flat, v.out) < 0) {
        v.flat = sl_scale(v.flat, -1);
        v.normal = sl_scale(v.normal, -1);
    }
    if (!(sl_dot(v.normal, v.out) > 1e-4f))
        v.normal = v.flat;
    add_direct(path, &v);
    if (++path->bounces >= path->scene->settings.max_bounces)
        return false;
    SlVec3 in, weight, directions[2] = {v.normal, v.out};
    if (!sl_bsdf_sample(v.material, v.albedo, directions, even(path, SL_EVEN_DIRECTION), &in, &weight) ||
        !(v.material->translucent || sl_dot(in, v.flat) > 0))
        return false;
    path->beta = sl_mul(path->beta, weight);
    path->density = sl_bsdf_density(v.material, v.normal, v.out, in);
    path->ray.origin = leave(&v, in);
    path->ray.direction = in;
    path->vertex++;
    path->scattered = true;
    path->order = 0;
    return true;
}

/* The nearest event of all volumes before t. */
static bool find_event(Path *path, float t, SlVolumeEvent *event, const SlVolume **volume)
{
    const SlPathScene *scene = path->scene;
    bool found = false;
    for (size_t k = 0; k < scene->volume_count; k++) {
        SlVolumeEvent own;
        const SlVolume *now = sl_volume_at(&scene->volumes[k], path->ray.time);
        if (sl_volume_scatter(now, path->ray.origin, path->ray.direction, t, path->order,
                              path->sampler, &own)) {
            *event = own;
            *volume = now;
            t = own.t;
            found = true;
        }
    }
    return found;
}

static bool scatter_in_volume(Path *path, const SlVolumeEvent *event, const SlVolume *volume)
{
    Vertex v = {.position = event->position, .albedo = event->albedo, .event = event, .volume = volume};
    SlPathResult *result = path->result;
    if (result->distance == INFINITY) {
        result->distance = path->before + event->t;
        result->normal = sl_volume_normal(volume, event->position, path->ray.direction);
        result->velocity = sl_volume_velocity(volume, event->position);
    }
    name_albedo(path, event->albedo);
    /* Light that comes straight to one of many scatterings is smooth: a fraction of them suffices. */
    SlVec3 beta = path->beta;
    float chance = path->order < ALWAYS_LIT ? 1 : 0.25f;
    if (chance == 1 || sl_path_uniform(path->sampler) < chance) {
        path->beta = sl_scale(beta, 1 / chance);
        add_direct(path, &v);
        path->beta = beta;
    }
    if (++path->order >= path->scene->settings.max_scatterings)
        return false;
    SlVec3 in = sl_phase_sample(event->g, path->ray.direction, even(path, SL_EVEN_DIRECTION));
    path->density = sl_phase_value(event->g, sl_dot(path->ray.direction, in));
    path->beta = sl_mul(path->beta, event->albedo);
    path->ray.origin = event->position;
    path->ray.direction = in;
    path->vertex++;
    path->scattered = true;
    return true;
}

/* The ground far away is the horizon's haze: its light is that of the sky just above it. */
static bool ends_in_haze(Path *path, const SlSurface *s)
{
    const SlPathScene *scene = path->scene;
    if (!scene->settings.haze || s->primitive != SL_NO_PRIMITIVE || !(s->t > 0.2f * scene->ground.haze))
        return false;
    float left = expf(-(s->t - 0.2f * scene->ground.haze) / scene->ground.haze);
    if (sl_path_uniform(path->sampler) < left)
        return false;
    SlVec3 d = path->ray.direction;
    add(path, sl_surroundings_light(&scene->sky, sl_unit(sl_vec3(d.x, 0.02f, d.z))));
    return true;
}

/* A mixture of dry and wet: one of the two, by chance. */
static void dampen(Path *path, SlSurface *s)
{
    uint16_t wet = path->scene->materials[s->material].wet;
    if (wet == 0 || !(sl_path_uniform(path->sampler) < sl_wet_at(&path->scene->wet, s->position)))
        return;
    s->material = wet;
    s->albedo = path->scene->materials[wet].color;
}

static bool step(Path *path)
{
    const SlPathScene *scene = path->scene;
    SlSurface s;
    SlVolumeEvent event;
    const SlVolume *volume;
    /* Volumes first: a path within snow is scattered after a millimetre, and surfaces further away
       need not be found. */
    SlRay ray = path->ray;
    bool scattered = scene->volume_count > 0 && find_event(path, ray.t_max, &event, &volume);
    if (scattered)
        ray.t_max = event.t;
    bool hit = sl_scene_hit(scene, &ray, &s);
    if (scattered && !hit)
        return scatter_in_volume(path, &event, volume);
    if (!hit) {
        if (path->bounces > 0)
            name_albedo(path, sl_vec3(1, 1, 1)); /* the sky through water */
        meet_sky(path, path->ray.direction);
        return false;
    }
    dampen(path, &s);
    if (path->media.count > 0)
        path->beta = sl_mul(path->beta, sl_media_transmit(scene, &path->media, s.t));
    bool lamp = scene->materials[s.material].kind == SL_BSDF_LIGHT;
    if (lamp && scene->settings.hide_lamps && !path->scattered && path->bounces == 0)
        return pass_lamp(path, &s);
    name_first(path, s.albedo, &s);
    if (ends_in_haze(path, &s))
        return false;
    switch (scene->materials[s.material].kind) {
    case SL_BSDF_LIGHT:
        meet_lamp(path, &s);
        return false;
    case SL_BSDF_CLEAR:
        return cross(path, &s);
    default:
        return scatter(path, &s);
    }
}

static void follow(Path *path)
{
    while (step(path)) {
        if (path->bounces + path->order >= 3 && !survives(path))
            return;
    }
}

SlPathResult sl_path_trace(const SlPathScene *scene, const SlRay *ray, const SlMedia *media,
                           SlPathSampler *sampler)
{
    SlPathResult result = {.distance = INFINITY};
    Path other = {.scene = scene};
    Path path = {.scene = scene, .sampler = sampler, .ray = *ray, .media = *media,
                 .beta = {1, 1, 1}, .inverse_scale = 1, .guide = 1, .result = &result, .other = &other};
    follow(&path);
    if (path.other == NULL && other.bounces < scene->settings.max_bounces)
        follow(&other);
    return result;
}
