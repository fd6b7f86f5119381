/* Particles as soft discs that are added up: thickness of the water along the camera's rays, cover of
   the light's rays, and whitewater. A particle of volume V and disc radius R (m) adds
   3 V / (π R²) (1 - d²/R²)² to the thickness: integrated over the disc that is V. */
#include <string.h>

#include "core/context.h"
#include "frame/view.h"
#include "render/water/water.h"

enum { CHUNK = 4096 };
#define PI 3.14159265f
#define SPREAD 2.5f         /* radius of a disc of whitewater over that of the particle: soft at its rim */
#define FALLOFF 0.72f       /* of the height: the wider disc has the light of a harder one */
#define LARGE 2.5f          /* pixels: the larger a disc, the thinner */
#define SHUTTER (1.0f / 240) /* s: spray is drawn along its way in this time */
#define MAX_STREAK 8.0f     /* pixels: half of the longest way */
#define MIST 1.3f           /* drops too fine to be seen have this area over that of the spray */

static SlVec3 element(const SlFieldView *field, size_t i)
{
    SlVec3 v;
    memcpy(&v, (const char *)field->data + i * field->stride, sizeof v);
    return v;
}

static float scalar(const SlFieldView *field, size_t i, float otherwise)
{
    float v;
    if (field->data == NULL || field->type != SL_FIELD_F32 || i >= field->count)
        return otherwise;
    memcpy(&v, (const char *)field->data + i * field->stride, sizeof v);
    return v;
}

size_t sl_water_placed(const SlSystemView *system)
{
    SlFieldView position = sl_view_field(system, "position");
    bool fit = position.data != NULL && position.type == SL_FIELD_F32X3;
    return !fit ? 0
                : position.count < system->particle_count ? position.count : system->particle_count;
}

/* The pixels that the disc k covers when it is drawn as far as `way` to both sides; empty outside. */
static SlRect covered(const SlDiscs *discs, float x, float y, float r, const float way[2])
{
    float right = (float)discs->width - 1, bottom = (float)discs->height - 1;
    float rx = r + fabsf(way[0]), ry = r + fabsf(way[1]);
    if (!(x + rx > 0 && x - rx < right + 1 && y + ry > 0 && y - ry < bottom + 1 && r < 1e6f))
        return (SlRect){0, 0, -1, -1};
    return (SlRect){(int16_t)fmaxf(x - rx, 0), (int16_t)fmaxf(y - ry, 0),
                    (int16_t)fminf(x + rx, right), (int16_t)fminf(y + ry, bottom)};
}

void sl_water_set_disc(SlDiscs *discs, size_t k, float x, float y, float r, float height)
{
    float *record = discs->record + 4 * k;
    discs->rect[k] = (SlRect){0, 0, -1, -1};
    if (!(height > 0))
        return;
    discs->rect[k] = covered(discs, x, y, r, (const float[2]){0, 0});
    record[0] = x;
    record[1] = y;
    record[2] = 1 / (r * r);
    record[3] = height;
}

bool sl_water_push_discs(SlArena *arena, SlDiscs *discs, size_t count, bool valued)
{
    discs->count = count;
    discs->record = SL_PUSH(arena, float, 4 * count + 4);
    discs->rect = SL_PUSH(arena, SlRect, count + 1);
    discs->value = valued ? SL_PUSH(arena, float, count + 1) : NULL;
    return discs->record != NULL && discs->rect != NULL && (!valued || discs->value != NULL);
}

bool sl_water_bin_discs(SlPool *pool, SlArena *arena, SlDiscs *discs)
{
    SlRects rects = {discs->rect, NULL, discs->count};
    SlTiles tiles = {discs->tiles_x, discs->tiles_y, SL_TILE_SHIFT};
    return sl_bins_build(pool, arena, &rects, tiles, &discs->bins);
}

/* --- Liquids. --- */

typedef struct Spread {
    SlWaterFrame *frame;
    const SlSystemView *system;
    SlFieldView position;
    size_t first; /* disc of its first particle */
} Spread;

static void spread_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Spread *spread = argument;
    SlWaterFrame *f = spread->frame;
    const SlCameraFrame *c = &f->back->camera;
    const SlShadow *shadow = &f->back->shadow;
    const float coarse = 1.0f / SL_WATER_COARSE, radius = 1.1f * spread->system->spacing;
    for (size_t i = begin; i < end; i++) {
        SlVec3 p = element(&spread->position, i), v = sl_camera_to_view(c, p);
        float volume = sl_view_volume(spread->system, i);
        size_t k = spread->first + i;
        f->thickness.rect[k] = (SlRect){0, 0, -1, -1};
        if (v.z > radius) {
            float scale = c->focal / v.z * coarse, r = fmaxf(radius * scale, 1), wide = r / scale;
            sl_water_set_disc(&f->thickness, k, c->center_x * coarse + v.x * scale,
                     c->center_y * coarse - v.y * scale, r, 3 * volume / (PI * wide * wide));
        }
        if (f->cover.plane[0] == NULL)
            continue;
        float light[3], scale = coarse / shadow->texel, r = fmaxf(radius * scale, 1),
                        wide = r / scale;
        for (int a = 0; a < 3; a++) {
            const float *row = shadow->world_row[a];
            light[a] = row[0] * p.x + row[1] * p.y + row[2] * p.z + row[3];
        }
        f->cover.value[k] = light[2];
        sl_water_set_disc(&f->cover, k, light[0] * coarse, light[1] * coarse, r,
                 3 * volume / (PI * wide * wide));
    }
}

SlStatus sl_water_spread_liquid(SlContext *context, SlArena *arena, const SlFrameView *view,
                                SlWaterFrame *frame, SlError *error)
{
    size_t count = 0;
    for (size_t s = 0; s < view->system_count; s++)
        count += sl_water_placed(&view->systems[s]);
    bool lit = frame->cover.plane[0] != NULL;
    bool ready = sl_water_push_discs(arena, &frame->thickness, count, false) &&
                 (!lit || sl_water_push_discs(arena, &frame->cover, count, true));
    Spread spread = {.frame = frame};
    for (size_t s = 0; ready && s < view->system_count; s++) {
        spread.system = &view->systems[s];
        spread.position = sl_view_field(spread.system, "position");
        size_t here = sl_water_placed(spread.system);
        sl_parallel_for(context->pool, here, CHUNK, spread_chunk, &spread);
        spread.first += here;
    }
    ready = ready && sl_water_bin_discs(context->pool, arena, &frame->thickness) &&
            (!lit || sl_water_bin_discs(context->pool, arena, &frame->cover));
    return ready ? SL_OK
                 : sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %zu particles", count);
}

/* --- Whitewater. --- */

enum { SPRAY, FOAM, BUBBLE, PARTS = 4 /* discs of a particle: a large one is a cluster of smaller ones */ };

typedef struct Foam {
    SlWaterFrame *frame;
    const SlSystemView *system;
    SlFieldView position, velocity, phase, radius, lifetime, id;
    size_t first;
} Foam;

/* Four numbers of [-1, 1] that belong to a particle and one of its parts. */
static void jitter(uint32_t id, uint32_t part, float out[4])
{
    uint32_t h = id * 0x9e3779b1u ^ part * 0x85ebca77u;
    for (int k = 0; k < 4; k++) {
        h = (h ^ h >> 15) * 0x2c1b3c6du;
        h = (h ^ h >> 12) * 0x297a2d39u;
        out[k] = (float)(h >> 8) * (2.0f / 16777215) - 1;
    }
}

static uint32_t integer(const SlFieldView *field, size_t i, uint32_t otherwise)
{
    if (field->data != NULL && field->type == SL_FIELD_U32 && i < field->count)
        memcpy(&otherwise, (const char *)field->data + i * field->stride, sizeof otherwise);
    return otherwise;
}

/* Where a particle is: in front of the water, hidden, or how far below its surface. */
static float depth_below(const SlWaterFrame *f, float x, float y, float z, float radius)
{
    size_t px = (size_t)fminf(fmaxf(x, 0), (float)f->width - 1);
    size_t py = (size_t)fminf(fmaxf(y, 0), (float)f->height - 1);
    size_t back = (py + SL_MARGIN) * f->back->stride + px + SL_MARGIN, at = sl_water_at(f, px, py);
    if (z > f->back->depth[back] + radius)
        return -INFINITY;
    float water = f->near.depth[at], leave = f->near.leave[at];
    /* Behind the first water, only that lies before it. */
    return fmaxf(fminf(z, leave) - water, 0);
}

/* A disc of the particle k at v (view space), drawn along `way` (view space) to both sides. */
static void set_foam(const Foam *foam, size_t k, const SlVec3 place[2], float radius, float height)
{
    SlWaterFrame *f = foam->frame;
    const SlCameraFrame *c = &f->back->camera;
    SlVec3 v = place[0], way = place[1];
    f->foam.rect[k] = f->deep.rect[k] = (SlRect){0, 0, -1, -1};
    if (!(v.z > 2 * radius && height > 0))
        return;
    float scale = c->focal / v.z, x = c->center_x + v.x * scale, y = c->center_y - v.y * scale;
    if (!(x > -64 && y > -64 && x < (float)f->width + 64 && y < (float)f->height + 64))
        return;
    float below = depth_below(f, x, y, v.z, radius);
    if (below < 0)
        return;
    /* A disc smaller than a pixel keeps its light and is spread over the pixel. */
    float r = SPREAD * radius * scale, drawn = fmaxf(r, 1.15f);
    float long_x = fminf(fmaxf((way.x - v.x / v.z * way.z) * scale, -MAX_STREAK), MAX_STREAK);
    float long_y = fminf(fmaxf((-way.y + v.y / v.z * way.z) * scale, -MAX_STREAK), MAX_STREAK);
    float length = sqrtf(long_x * long_x + long_y * long_y);
    height *= fminf(1, r * r / (drawn * drawn)) * drawn / (drawn + 1.27f * length);
    height *= FALLOFF * fminf(1, LARGE / drawn);
    bool front = below < 1.2f * foam->system->spacing;
    SlDiscs *discs = front ? &f->foam : &f->deep;
    sl_water_set_disc(discs, k, x, y, drawn, height);
    if (!front)
        f->deep.value[k] = below;
    f->foam.streak[2 * k] = f->foam.streak[2 * k + 1] = 0;
    if (front && length > 0.5f) {
        float *streak = f->foam.streak + 2 * k;
        streak[0] = long_x;
        streak[1] = long_y;
        f->foam.rect[k] = covered(&f->foam, x, y, drawn, streak);
    }
}

/* Fine drops around spray, of the size of the water's own particles: where spray is dense, it is mist. */
static void set_mist(const Foam *foam, size_t k, SlVec3 v, float radius, float height)
{
    SlWaterFrame *f = foam->frame;
    const SlCameraFrame *c = &f->back->camera;
    const float coarse = 1.0f / SL_WATER_MIST, wide = 2.6f * f->spacing;
    f->mist.rect[k] = (SlRect){0, 0, -1, -1};
    if (!(v.z > 2 * wide && height > 0))
        return;
    float scale = c->focal / v.z, x = c->center_x + v.x * scale, y = c->center_y - v.y * scale;
    float below = depth_below(f, x, y, v.z, radius);
    if (!(below >= 0 && below < wide))
        return;
    float r = fmaxf(wide * scale * coarse, 1), drawn = r / (scale * coarse);
    /* One large drop is none: many together are. */
    float thin = fminf(height * MIST * 3 * radius * radius / (drawn * drawn), 0.03f);
    sl_water_set_disc(&f->mist, k, x * coarse, y * coarse, r, thin);
}

/* A particle that would be a large round spot is drawn as several of different sizes around it. */
static void set_cluster(const Foam *foam, size_t i, const SlVec3 place[2], float radius, float height)
{
    const SlCameraFrame *c = &foam->frame->back->camera;
    size_t k = (foam->first + i) * PARTS;
    uint32_t id = integer(&foam->id, i, (uint32_t)i);
    bool large = place[0].z > 0 && SPREAD * radius * c->focal > 1.6f * place[0].z;
    for (uint32_t n = 0; n < PARTS; n++) {
        float r[4], size = radius;
        SlVec3 here[2] = {place[0], place[1]};
        if (large) {
            jitter(id, n, r);
            here[0] = sl_add(here[0], sl_scale(sl_vec3(r[0], r[1], r[2]), 1.6f * radius));
            size = radius * (0.45f + 0.3f * r[3]);
        }
        set_foam(foam, k + n, here, size, large || n == 0 ? height : 0);
    }
}

static void foam_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Foam *foam = argument;
    const SlCameraFrame *c = &foam->frame->back->camera;
    for (size_t i = begin; i < end; i++) {
        SlVec3 p = element(&foam->position, i), place[2] = {sl_camera_to_view(c, p), {0, 0, 0}};
        float radius = scalar(&foam->radius, i, 0.1f * foam->system->spacing);
        float life = scalar(&foam->lifetime, i, 1);
        uint32_t phase = integer(&foam->phase, i, FOAM);
        if (foam->velocity.data != NULL && phase == SPRAY) {
            SlVec3 w = sl_scale(element(&foam->velocity, i), 0.5f * SHUTTER);
            place[1] = sl_vec3(sl_dot(w, c->right), sl_dot(w, c->up), sl_dot(w, c->forward));
        }
        /* The last tenth of a second fades; bubbles scatter less than foam. */
        float height = foam->frame->look.foam_opacity * fminf(1, fmaxf(life, 0) * 10);
        if (phase == BUBBLE)
            height *= 0.6f;
        set_mist(foam, foam->first + i, place[0], radius, phase == SPRAY ? height : 0);
        set_cluster(foam, i, place, radius, height);
    }
}

SlStatus sl_water_spread_foam(SlContext *context, SlArena *arena, const SlFrameView *view,
                              SlWaterFrame *frame, SlError *error)
{
    size_t count = 0;
    for (size_t s = 0; s < view->system_count; s++)
        if (sl_water_is_whitewater(&view->systems[s]))
            count += sl_water_placed(&view->systems[s]);
    bool ready = sl_water_push_discs(arena, &frame->foam, PARTS * count, false) &&
                 sl_water_push_discs(arena, &frame->deep, PARTS * count, true) &&
                 sl_water_push_discs(arena, &frame->mist, count, false);
    frame->foam.streak = SL_PUSH(arena, float, 2 * PARTS * count + 2);
    ready = ready && frame->foam.streak != NULL;
    Foam foam = {.frame = frame};
    for (size_t s = 0; ready && s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        if (!sl_water_is_whitewater(system))
            continue;
        foam.system = system;
        foam.position = sl_view_field(system, "position");
        foam.velocity = sl_view_field(system, "velocity");
        if (foam.velocity.type != SL_FIELD_F32X3 || foam.velocity.count < sl_water_placed(system))
            foam.velocity.data = NULL;
        foam.id = sl_view_field(system, "id");
        foam.phase = sl_view_field(system, "phase");
        foam.radius = sl_view_field(system, "radius");
        foam.lifetime = sl_view_field(system, "lifetime");
        sl_parallel_for(context->pool, sl_water_placed(system), CHUNK, foam_chunk, &foam);
        foam.first += sl_water_placed(system);
    }
    ready = ready && sl_water_bin_discs(context->pool, arena, &frame->foam) &&
            sl_water_bin_discs(context->pool, arena, &frame->deep) &&
            sl_water_bin_discs(context->pool, arena, &frame->mist);
    return ready ? SL_OK
                 : sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %zu bubbles and drops",
                                count);
}
