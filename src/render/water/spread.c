/* Particles as soft discs that are added up: thickness of the water along the camera's rays, cover of
   the light's rays, and whitewater. A particle of volume V and disc radius R (m) adds
   3 V / (π R²) (1 - d²/R²)² to the thickness: integrated over the disc that is V. */
#include <string.h>

#include "core/context.h"
#include "frame/view.h"
#include "render/water/water.h"

enum { CHUNK = 4096 };
#define PI 3.14159265f

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

/* Particles with a position. */
static size_t placed(const SlSystemView *system)
{
    SlFieldView position = sl_view_field(system, "position");
    bool fit = position.data != NULL && position.type == SL_FIELD_F32X3;
    return !fit ? 0
                : position.count < system->particle_count ? position.count : system->particle_count;
}

/* Stores disc k; one that is not finite or beside the plane is not drawn. */
static void set_disc(SlDiscs *discs, size_t k, float x, float y, float r, float height)
{
    float *record = discs->record + 4 * k;
    float right = (float)discs->width - 1, bottom = (float)discs->height - 1;
    discs->rect[k] = (SlRect){0, 0, -1, -1};
    if (!(x + r > 0 && x - r < right + 1 && y + r > 0 && y - r < bottom + 1 && r < 1e6f &&
          height > 0))
        return;
    record[0] = x;
    record[1] = y;
    record[2] = 1 / (r * r);
    record[3] = height;
    discs->rect[k] = (SlRect){(int16_t)fmaxf(x - r, 0), (int16_t)fmaxf(y - r, 0),
                              (int16_t)fminf(x + r, right), (int16_t)fminf(y + r, bottom)};
}

static bool push_discs(SlArena *arena, SlDiscs *discs, size_t count, bool valued)
{
    discs->count = count;
    discs->record = SL_PUSH(arena, float, 4 * count + 4);
    discs->rect = SL_PUSH(arena, SlRect, count + 1);
    discs->value = valued ? SL_PUSH(arena, float, count + 1) : NULL;
    return discs->record != NULL && discs->rect != NULL && (!valued || discs->value != NULL);
}

static bool bin_discs(SlPool *pool, SlArena *arena, SlDiscs *discs)
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
            set_disc(&f->thickness, k, c->center_x * coarse + v.x * scale,
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
        set_disc(&f->cover, k, light[0] * coarse, light[1] * coarse, r,
                 3 * volume / (PI * wide * wide));
    }
}

SlStatus sl_water_spread_liquid(SlContext *context, SlArena *arena, const SlFrameView *view,
                                SlWaterFrame *frame, SlError *error)
{
    size_t count = 0;
    for (size_t s = 0; s < view->system_count; s++)
        count += placed(&view->systems[s]);
    bool lit = frame->cover.plane[0] != NULL;
    bool ready = push_discs(arena, &frame->thickness, count, false) &&
                 (!lit || push_discs(arena, &frame->cover, count, true));
    Spread spread = {.frame = frame};
    for (size_t s = 0; ready && s < view->system_count; s++) {
        spread.system = &view->systems[s];
        spread.position = sl_view_field(spread.system, "position");
        size_t here = placed(spread.system);
        sl_parallel_for(context->pool, here, CHUNK, spread_chunk, &spread);
        spread.first += here;
    }
    ready = ready && bin_discs(context->pool, arena, &frame->thickness) &&
            (!lit || bin_discs(context->pool, arena, &frame->cover));
    return ready ? SL_OK
                 : sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %zu particles", count);
}

/* --- Whitewater. --- */

enum { SPRAY, FOAM, BUBBLE, STREAK = 3 /* discs along the path of a drop within the shutter time */ };

typedef struct Foam {
    SlWaterFrame *frame;
    const SlSystemView *system;
    SlFieldView position, velocity, phase, radius, lifetime;
    size_t first;
} Foam;

static uint32_t phase_of(const SlFieldView *phase, size_t i)
{
    uint32_t value = FOAM;
    if (phase->data != NULL && phase->type == SL_FIELD_U32 && i < phase->count)
        memcpy(&value, (const char *)phase->data + i * phase->stride, sizeof value);
    return value;
}

/* One disc at v (view space): in front of the water, or behind its surface. */
static void set_foam(const Foam *foam, size_t k, SlVec3 v, float radius, float height)
{
    SlWaterFrame *f = foam->frame;
    const SlCameraFrame *c = &f->back->camera;
    f->foam.rect[k] = f->deep.rect[k] = (SlRect){0, 0, -1, -1};
    if (!(v.z > 2 * radius))
        return;
    float scale = c->focal / v.z, x = c->center_x + v.x * scale, y = c->center_y - v.y * scale;
    if (!(x > -64 && y > -64 && x < (float)f->width + 64 && y < (float)f->height + 64))
        return;
    /* A disc smaller than a pixel keeps its light and is spread over the pixel. */
    float r = radius * scale, drawn = fmaxf(1.8f * r, 1.1f);
    height *= fminf(1, 1.8f * r * 1.8f * r / (drawn * drawn));
    size_t px = (size_t)fminf(fmaxf(x, 0), (float)f->width - 1);
    size_t py = (size_t)fminf(fmaxf(y, 0), (float)f->height - 1);
    size_t back = (py + SL_MARGIN) * f->back->stride + px + SL_MARGIN;
    if (v.z > f->back->depth[back] + radius)
        return;
    float water = f->depth[sl_water_at(f, px, py)], below = v.z - water;
    if (below < 1.2f * foam->system->spacing) {
        set_disc(&f->foam, k, x, y, drawn, height);
    } else {
        f->deep.value[k] = below;
        set_disc(&f->deep, k, x, y, drawn, height);
    }
}

static void foam_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Foam *foam = argument;
    const SlCameraFrame *c = &foam->frame->back->camera;
    const float shutter = 1.0f / 100; /* s */
    for (size_t i = begin; i < end; i++) {
        SlVec3 p = element(&foam->position, i), step = {0, 0, 0};
        float radius = scalar(&foam->radius, i, 0.1f * foam->system->spacing);
        float life = scalar(&foam->lifetime, i, 1);
        uint32_t phase = phase_of(&foam->phase, i);
        if (foam->velocity.data != NULL)
            step = sl_scale(element(&foam->velocity, i), shutter / STREAK);
        /* The last tenth of a second fades; bubbles scatter less than foam. */
        float height = foam->frame->look.foam_opacity * fminf(1, fmaxf(life, 0) * 10);
        if (phase == BUBBLE)
            height *= 0.6f;
        bool streak = phase == SPRAY && sl_length(step) > 0.5f * radius;
        for (int n = 0; n < STREAK; n++) {
            size_t k = (foam->first + i) * STREAK + (size_t)n;
            SlVec3 at = sl_sub(p, sl_scale(step, (float)n));
            float share = streak ? 1.0f / STREAK : n == 0 ? 1 : 0;
            set_foam(foam, k, sl_camera_to_view(c, at), radius, height * share);
        }
    }
}

SlStatus sl_water_spread_foam(SlContext *context, SlArena *arena, const SlFrameView *view,
                              SlWaterFrame *frame, SlError *error)
{
    size_t count = 0;
    for (size_t s = 0; s < view->system_count; s++)
        if (sl_water_is_whitewater(&view->systems[s]))
            count += placed(&view->systems[s]);
    bool ready = push_discs(arena, &frame->foam, count * STREAK, false) &&
                 push_discs(arena, &frame->deep, count * STREAK, true);
    Foam foam = {.frame = frame};
    for (size_t s = 0; ready && s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        if (!sl_water_is_whitewater(system))
            continue;
        foam.system = system;
        foam.position = sl_view_field(system, "position");
        foam.velocity = sl_view_field(system, "velocity");
        if (foam.velocity.type != SL_FIELD_F32X3 || foam.velocity.count < placed(system))
            foam.velocity.data = NULL;
        foam.phase = sl_view_field(system, "phase");
        foam.radius = sl_view_field(system, "radius");
        foam.lifetime = sl_view_field(system, "lifetime");
        sl_parallel_for(context->pool, placed(system), CHUNK, foam_chunk, &foam);
        foam.first += placed(system);
    }
    ready = ready && bin_discs(context->pool, arena, &frame->foam) &&
            bin_discs(context->pool, arena, &frame->deep);
    return ready ? SL_OK
                 : sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %zu bubbles and drops",
                                count);
}
