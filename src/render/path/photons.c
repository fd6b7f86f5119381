/* Photons from the sun through clear surfaces, and their density (photons.h). */
#include "render/path/photons.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"

enum { CHUNK = 1024, MAX_HITS = 24 };

void sl_photons_init(SlPhotonMap *map, SlContext *context)
{
    *map = (SlPhotonMap){.pool = context->pool};
    sl_arena_init(&map->arena, &context->memory);
}

void sl_photons_free(SlPhotonMap *map)
{
    if (map->pool != NULL)
        sl_arena_free(&map->arena);
}

/* --- A clear boundary. --- */

SlInterface sl_interface(const SlPathScene *scene, const SlMedia *media, const SlSurface *s, SlVec3 d)
{
    SlInterface result = {.beyond = *media};
    bool entering = sl_dot(d, s->flat) < 0;
    if (entering)
        sl_media_enter(&result.beyond, s->material);
    else
        sl_media_leave(&result.beyond, s->material);
    uint16_t here = sl_media_top(media, scene), there = sl_media_top(&result.beyond, scene);
    float index = there != SL_NO_MATERIAL ? scene->materials[there].index : 1;
    index /= here != SL_NO_MATERIAL ? scene->materials[here].index : 1;
    result.passed = here == there || index == 1;
    if (result.passed)
        return result;
    SlVec3 flat = entering ? s->flat : sl_scale(s->flat, -1);
    SlVec3 n = entering ? s->normal : sl_scale(s->normal, -1);
    if (!(sl_dot(n, d) < -1e-3f)) /* smoothed normals may point away */
        n = flat;
    float inner, cosine = fmaxf(-sl_dot(d, n), 0);
    result.reflected = sl_fresnel(cosine, index, &inner);
    result.scale = 1 / (index * index);
    SlVec3 mirror = sl_add(d, sl_scale(n, 2 * cosine));
    float below = sl_dot(mirror, flat); /* a mirrored ray stays on its side */
    if (below < 1e-3f)
        mirror = sl_add(mirror, sl_scale(flat, 1e-3f - below));
    result.mirror = sl_unit(mirror);
    SlVec3 refracted = sl_add(sl_scale(d, 1 / index), sl_scale(n, cosine / index - inner));
    float above = sl_dot(refracted, flat);
    if (above > -1e-3f)
        refracted = sl_sub(refracted, sl_scale(flat, 1e-3f + above));
    result.refracted = sl_unit(refracted);
    return result;
}

/* --- Shooting. --- */

typedef struct Shoot {
    const SlPathScene *scene;
    SlVec3 corner, u, v; /* of the rectangle that photons start from */
    SlVec3 power;        /* of one */
    uint32_t seed;
    size_t count;
    float cell;
    uint32_t bits;
    float *place, *normal, *light; /* 3 per photon that was sent */
    uint32_t *key;                 /* 1 << bits: it met nothing */
} Shoot;

static uint32_t cell_key(int x, int y, int z, uint32_t bits)
{
    uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca77u ^ (uint32_t)z * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    return (h ^ h >> 13) & ((1u << bits) - 1);
}

/* Whether a photon, bent at least once, meets a surface that takes it; its light and place. */
static bool follow(const SlPathScene *scene, SlRay ray, SlPathSampler *sampler, SlVec3 *light,
                   SlSurface *s)
{
    SlMedia media = {0};
    bool bent = false;
    for (int k = 0; k < MAX_HITS; k++) {
        if (!sl_scene_hit(scene, &ray, s))
            return false;
        SlVolumeEvent event;
        for (size_t j = 0; j < scene->volume_count; j++)
            if (sl_volume_scatter(sl_volume_at(&scene->volumes[j], ray.time), ray.origin, ray.direction, s->t, 0, sampler, &event))
                return false;
        *light = sl_mul(*light, sl_media_transmit(scene, &media, s->t));
        const SlPathMaterial *material = &scene->materials[s->material];
        if (material->kind != SL_BSDF_CLEAR) {
            /* `normal` becomes that of the side that was met. */
            if (sl_dot(s->flat, ray.direction) > 0)
                s->flat = sl_scale(s->flat, -1);
            return bent && material->caustics;
        }
        SlInterface face = sl_interface(scene, &media, s, ray.direction);
        if (!face.passed) {
            bent = true;
            bool mirrored = sl_path_uniform(sampler) < face.reflected;
            ray.direction = mirrored ? face.mirror : face.refracted;
            media = mirrored ? media : face.beyond;
        } else {
            media = face.beyond;
        }
        ray.origin = sl_offset(s->position, s->flat, ray.direction);
    }
    return false;
}

static void shoot_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Shoot *job = argument;
    const SlPathScene *scene = job->scene;
    size_t side = (size_t)sqrt((double)job->count);
    for (size_t i = begin; i < end; i++) {
        SlPathSampler sampler = sl_path_sampler(i, 0, job->seed);
        float a = sl_path_uniform(&sampler), b = sl_path_uniform(&sampler);
        if (i < side * side) { /* one photon in each cell of a square */
            size_t row = i / side, column = i % side;
            a = ((float)column + a) / (float)side;
            b = ((float)row + b) / (float)side;
        }
        SlRay ray = {.t_max = INFINITY, .time = sl_path_uniform(&sampler)};
        ray.direction = sl_scale(sl_sun_sample(&scene->sun, &sampler), -1);
        ray.origin = sl_add(job->corner, sl_add(sl_scale(job->u, a), sl_scale(job->v, b)));
        /* A direction beside the sun's middle crosses the rectangle at an angle. */
        SlVec3 light = sl_scale(job->power, -sl_dot(ray.direction, scene->sun.direction));
        SlSurface s;
        job->key[i] = 1u << job->bits;
        if (!follow(scene, ray, &sampler, &light, &s))
            continue;
        memcpy(job->place + 3 * i, &s.position, sizeof light);
        memcpy(job->normal + 3 * i, &s.flat, sizeof light);
        memcpy(job->light + 3 * i, &light, sizeof light);
        job->key[i] = cell_key((int)floorf(s.position.x / job->cell), (int)floorf(s.position.y / job->cell),
                               (int)floorf(s.position.z / job->cell), job->bits);
    }
}

/* The rectangle across the sun's direction that covers all clear surfaces. */
static float aim(const SlPathScene *scene, Shoot *job)
{
    SlVec3 sun = scene->sun.direction;
    SlVec3 side = fabsf(sun.y) < 0.9f ? sl_vec3(0, 1, 0) : sl_vec3(1, 0, 0);
    SlVec3 u = sl_unit(sl_cross(side, sun)), v = sl_cross(sun, u);
    const SlBox *box = &scene->clear_bounds;
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, top = -INFINITY;
    for (int k = 0; k < 8; k++) {
        SlVec3 p = {k & 1 ? box->max.x : box->min.x, k & 2 ? box->max.y : box->min.y,
                    k & 4 ? box->max.z : box->min.z};
        float at[2] = {sl_dot(p, u), sl_dot(p, v)};
        for (int j = 0; j < 2; j++) {
            low[j] = fminf(low[j], at[j]);
            high[j] = fmaxf(high[j], at[j]);
        }
        top = fmaxf(top, sl_dot(p, sun));
    }
    top += 2 * scene->stage.diagonal;
    job->u = sl_scale(u, high[0] - low[0]);
    job->v = sl_scale(v, high[1] - low[1]);
    job->corner = sl_add(sl_add(sl_scale(u, low[0]), sl_scale(v, low[1])), sl_scale(sun, top));
    return (high[0] - low[0]) * (high[1] - low[1]);
}

typedef struct Order {
    const Shoot *shoot;
    SlPhotonMap *map;
    const uint32_t *order;
} Order;

static void order_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Order *job = argument;
    for (size_t k = begin; k < end; k++) {
        size_t from = 3 * (size_t)job->order[k];
        memcpy(job->map->place + 3 * k, job->shoot->place + from, 3 * sizeof(float));
        memcpy(job->map->normal + 3 * k, job->shoot->normal + from, 3 * sizeof(float));
        memcpy(job->map->power + 3 * k, job->shoot->light + from, 3 * sizeof(float));
    }
}

SlStatus sl_photons_shoot(SlPhotonMap *map, const SlPathScene *scene, size_t count, uint32_t seed,
                          SlError *error)
{
    enum { BITS = 18, PER_DISC = 20 };
    Shoot job = {.scene = scene, .seed = seed, .count = count, .bits = BITS};
    map->count = 0;
    map->made = false;
    if (!scene->has_clear || count == 0 || !(sl_max3(scene->sun.irradiance) > 0))
        return SL_OK;
    float area = aim(scene, &job);
    if (!(area > 0) || !isfinite(area))
        return SL_OK;
    sl_arena_reset(&map->arena);
    job.power = sl_scale(scene->sun.irradiance, area / (float)count);
    map->radius = sqrtf(PER_DISC * area / (SL_PI * (float)count));
    map->bits = BITS;
    job.cell = 2 * map->radius;
    job.place = SL_PUSH(&map->arena, float, 3 * count);
    job.normal = SL_PUSH(&map->arena, float, 3 * count);
    job.light = SL_PUSH(&map->arena, float, 3 * count);
    job.key = SL_PUSH(&map->arena, uint32_t, count);
    map->place = SL_PUSH(&map->arena, float, 3 * count);
    map->normal = SL_PUSH(&map->arena, float, 3 * count);
    map->power = SL_PUSH(&map->arena, float, 3 * count);
    map->start = SL_PUSH(&map->arena, uint32_t, (1u << BITS) + 2);
    uint32_t *order = SL_PUSH(&map->arena, uint32_t, count), *sorted = SL_PUSH(&map->arena, uint32_t, count);
    if (job.place == NULL || job.normal == NULL || job.light == NULL || job.key == NULL ||
        map->place == NULL || map->normal == NULL || map->power == NULL || map->start == NULL ||
        order == NULL || sorted == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu photons", count);
    sl_parallel_for(map->pool, count, CHUNK, shoot_chunk, &job);
    if (!sl_sort_by_key(map->pool, &map->arena, job.key, count, (1u << BITS) + 1, order, sorted))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu photons", count);
    sl_key_starts(map->pool, sorted, count, (1u << BITS) + 1, map->start);
    map->count = map->start[1u << BITS];
    Order move = {&job, map, order};
    sl_parallel_for(map->pool, map->count, CHUNK, order_chunk, &move);
    map->made = true;
    return SL_OK;
}

/* --- Density. --- */

SlVec3 sl_photons_irradiance(const SlPhotonMap *map, SlVec3 p, SlVec3 n)
{
    SlVec3 sum = {0, 0, 0};
    if (!map->made || map->count == 0)
        return sum;
    float r = map->radius, cell = 2 * r, inverse = 1 / (r * r);
    int low[3] = {(int)floorf((p.x - r) / cell), (int)floorf((p.y - r) / cell),
                  (int)floorf((p.z - r) / cell)};
    int high[3] = {(int)floorf((p.x + r) / cell), (int)floorf((p.y + r) / cell),
                   (int)floorf((p.z + r) / cell)};
    uint32_t seen[8], seen_count = 0; /* cells with the same key count once */
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                uint32_t key = cell_key(x, y, z, map->bits), known = 0;
                for (uint32_t k = 0; k < seen_count; k++)
                    known |= seen[k] == key;
                if (known || seen_count == 8)
                    continue;
                seen[seen_count++] = key;
                for (uint32_t k = map->start[key]; k < map->start[key + 1]; k++) {
                    const float *at = map->place + 3 * (size_t)k, *m = map->normal + 3 * (size_t)k;
                    SlVec3 off = {at[0] - p.x, at[1] - p.y, at[2] - p.z};
                    float q = sl_dot(off, off) * inverse;
                    float facing = m[0] * n.x + m[1] * n.y + m[2] * n.z;
                    if (!(q < 1) || facing < 0.5f || fabsf(sl_dot(off, n)) > 0.35f * r)
                        continue;
                    const float *w = map->power + 3 * (size_t)k;
                    sum = sl_add(sum, sl_scale(sl_vec3(w[0], w[1], w[2]), 1 - q));
                }
            }
    return sl_scale(sum, 2 * inverse / SL_PI); /* the kernel 2 (1 - d²/r²) / (π r²) */
}
