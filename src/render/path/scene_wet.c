/* Where solids are wet (scene.h): a map of the distance to water, in cells of two spacings, from which
   wetness falls from 1 at the water to 0 at the end of its reach. The border is ragged, as that of
   water that has run down. A frame knows nothing of what was wet before it. */
#include <math.h>
#include <string.h>

#include "render/path/scene.h"

#define MAX_CELLS 8e6

/* --- The map. --- */

static bool is_water(const SlSystemView *system, SlFieldView *position)
{
    *position = sl_view_field(system, "position");
    return system->material.kind == SL_MATERIAL_WATER && strcmp(system->solver, "whitewater") != 0 &&
           position->data != NULL && position->type == SL_FIELD_F32X3 &&
           position->count >= system->particle_count;
}

static SlVec3 place_of(const SlFieldView *field, size_t i)
{
    SlVec3 p;
    memcpy(&p, (const char *)field->data + i * field->stride, sizeof p);
    return p;
}

static SlBox bounds_of(const SlFrameView *view)
{
    SlBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t s = 0; s < view->system_count; s++) {
        SlFieldView position;
        if (!is_water(&view->systems[s], &position))
            continue;
        for (size_t i = 0; i < view->systems[s].particle_count; i++) {
            SlVec3 p = place_of(&position, i);
            if (!sl_finite(p))
                continue;
            box.min = sl_vec3(fminf(box.min.x, p.x), fminf(box.min.y, p.y), fminf(box.min.z, p.z));
            box.max = sl_vec3(fmaxf(box.max.x, p.x), fmaxf(box.max.y, p.y), fmaxf(box.max.z, p.z));
        }
    }
    return box;
}

static size_t cell_of(const SlWetMap *map, SlVec3 p)
{
    float at[3] = {(p.x - map->origin.x) * map->inverse_cell, (p.y - map->origin.y) * map->inverse_cell,
                   (p.z - map->origin.z) * map->inverse_cell};
    size_t index = 0;
    for (int a = 2; a >= 0; a--) {
        int last = (int)map->count[a] - 1, k = (int)fminf(fmaxf(at[a], 0), (float)last);
        index = index * map->count[a] + (size_t)k;
    }
    return index;
}

/* Wetness falls by `step` from cell to cell along the axes: once forwards, once backwards. */
static void spread(const SlWetMap *map, int step)
{
    const size_t strides[3] = {1, map->count[0], (size_t)map->count[0] * map->count[1]};
    size_t total = strides[2] * map->count[2];
    for (int back = 0; back < 2; back++)
        for (size_t n = 0; n < total; n++) {
            size_t k = back ? total - 1 - n : n, rest = k;
            int value = map->value[k];
            for (int a = 0; a < 3; a++) {
                size_t at = rest % map->count[a];
                bool inside = back ? at + 1 < map->count[a] : at > 0;
                size_t other = back ? k + strides[a] : k - strides[a];
                rest /= map->count[a];
                if (inside && map->value[other] - step > value)
                    value = map->value[other] - step;
            }
            map->value[k] = (uint8_t)value;
        }
}

bool sl_wet_make(SlArena *arena, const SlFrameView *view, float reach, SlWetMap *map)
{
    *map = (SlWetMap){0};
    SlBox box = bounds_of(view);
    float spacing = 0;
    for (size_t s = 0; s < view->system_count; s++)
        if (view->systems[s].material.kind == SL_MATERIAL_WATER)
            spacing = fmaxf(spacing, view->systems[s].spacing);
    if (!(reach > 0 && spacing > 0 && box.min.x <= box.max.x))
        return true;
    reach *= spacing;
    SlVec3 size = sl_add(sl_sub(box.max, box.min), sl_vec3(2 * reach, 2 * reach, 2 * reach));
    double volume = (double)size.x * (double)size.y * (double)size.z;
    float cell = fmaxf(2 * spacing, (float)cbrt(volume / MAX_CELLS));
    map->origin = sl_sub(box.min, sl_vec3(reach, reach, reach));
    map->inverse_cell = 1 / cell;
    map->count[0] = (uint32_t)(size.x / cell) + 2;
    map->count[1] = (uint32_t)(size.y / cell) + 2;
    map->count[2] = (uint32_t)(size.z / cell) + 2;
    size_t total = (size_t)map->count[0] * map->count[1] * map->count[2];
    map->value = SL_PUSH(arena, uint8_t, total);
    if (map->value == NULL)
        return false;
    memset(map->value, 0, total);
    for (size_t s = 0; s < view->system_count; s++) {
        SlFieldView position;
        if (!is_water(&view->systems[s], &position))
            continue;
        for (size_t i = 0; i < view->systems[s].particle_count; i++)
            if (sl_finite(place_of(&position, i)))
                map->value[cell_of(map, place_of(&position, i))] = 255;
    }
    spread(map, (int)fminf(fmaxf(255 * cell / reach, 1), 255));
    return true;
}

/* --- Asking. --- */

static float hashed(int x, int y, int z)
{
    uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca77u ^ (uint32_t)z * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (float)((h ^ h >> 15) >> 8) * (1 / 16777216.0f);
}

/* Linear between the eight corners around p, whose values are the map's (map != NULL) or random. */
static float between(const SlWetMap *map, SlVec3 p)
{
    float fx = floorf(p.x), fy = floorf(p.y), fz = floorf(p.z), sum = 0;
    float u = p.x - fx, v = p.y - fy, w = p.z - fz;
    for (int k = 0; k < 8; k++) {
        int x = (int)fx + (k & 1), y = (int)fy + (k >> 1 & 1), z = (int)fz + (k >> 2);
        float weight = (k & 1 ? u : 1 - u) * (k & 2 ? v : 1 - v) * (k & 4 ? w : 1 - w), value = 0;
        bool inside = map != NULL && x >= 0 && y >= 0 && z >= 0 && (uint32_t)x < map->count[0] &&
                      (uint32_t)y < map->count[1] && (uint32_t)z < map->count[2];
        if (map == NULL)
            value = hashed(x, y, z);
        else if (inside)
            value = (float)map->value[(size_t)x + map->count[0] * ((size_t)y + (size_t)map->count[1] * (size_t)z)] / 255;
        sum += weight * value;
    }
    return sum;
}

float sl_wet_at(const SlWetMap *map, SlVec3 p)
{
    if (map->value == NULL)
        return 0;
    SlVec3 at = sl_scale(sl_sub(p, map->origin), map->inverse_cell);
    float limit = (float)(map->count[0] + map->count[1] + map->count[2]);
    if (!(fabsf(at.x) < limit && fabsf(at.y) < limit && fabsf(at.z) < limit))
        return 0;
    /* Values stand for the middles of cells. Noise is longer upwards: drops run down. */
    float wet = between(map, sl_sub(at, sl_vec3(0.5f, 0.5f, 0.5f)));
    SlVec3 run = {0.9f * at.x, 0.35f * at.y, 0.9f * at.z};
    float noise = 0.6f * between(NULL, run) + 0.4f * between(NULL, sl_scale(run, 2.7f));
    float t = fminf(fmaxf((wet + 0.7f * (noise - 0.5f) - 0.2f) / 0.25f, 0), 1);
    return wet > 0 ? t * t * (3 - 2 * t) : 0;
}
