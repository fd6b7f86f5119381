/* What snow is at a point: its extinction, the direction out of it, its velocity (volume.h). The density
   between nodes is linear in each coordinate. */
#include "render/path/volume_grid.h"

/* A point between eight nodes of a super-voxel. */
typedef struct Place {
    int32_t voxel[3]; /* that it is in */
    uint32_t number;  /* of it */
    int32_t node[3];  /* the lowest of the eight */
    float part[3];    /* of the way to the next one */
} Place;

/* False: no snow near. */
static bool find_place(const SlVolume *volume, SlVec3 position, Place *place)
{
    SlVec3 p = sl_scale(sl_sub(position, volume->origin), volume->per_voxel);
    const float at[3] = {p.x, p.y, p.z};
    if (volume->voxel_count == 0 || sl_box_distance(volume->bounds, position) > 0)
        return false;
    for (int a = 0; a < 3; a++) {
        int32_t v = (int32_t)floorf(at[a]), last = volume->size[a] - 1;
        place->voxel[a] = v < 0 ? 0 : v > last ? last : v;
    }
    place->number = sl_volume_voxel(volume, place->voxel);
    if (place->number == SL_NO_VOXEL)
        return false;
    for (int a = 0; a < 3; a++) {
        float local = fminf(fmaxf((at[a] - (float)place->voxel[a]) * SL_VOXEL_CELLS, 0), SL_VOXEL_CELLS);
        place->node[a] = local < SL_VOXEL_CELLS ? (int32_t)local : SL_VOXEL_CELLS - 1;
        place->part[a] = local - (float)place->node[a];
    }
    return true;
}

/* What corner k of the eight adds to the value there, in units of the super-voxel's maximum / 65535; `node`
   becomes its coordinates. */
static float corner_value(const SlVolume *volume, const Place *place, int k, int32_t node[3])
{
    const uint16_t *nodes = volume->nodes + (size_t)place->number * SL_VOXEL_STRIDE;
    float weight = 1;
    for (int a = 0; a < 3; a++) {
        int up = k >> a & 1;
        node[a] = place->node[a] + up;
        weight *= up ? place->part[a] : 1 - place->part[a];
    }
    return weight * (float)nodes[node[0] + SL_VOXEL_NODES * (node[1] + SL_VOXEL_NODES * node[2])];
}

/* Relative extinction. */
static float value_at(const SlVolume *volume, SlVec3 position)
{
    Place place;
    float sum = 0;
    if (!find_place(volume, position, &place))
        return 0;
    for (int k = 0; k < 8; k++) {
        int32_t node[3];
        sum += corner_value(volume, &place, k, node);
    }
    return sum / SL_VOXEL_UNIT * volume->maximum[place.number];
}

float sl_volume_extinction(const SlVolume *volume, SlVec3 position, uint32_t order)
{
    return value_at(volume, position) * volume->extinction[sl_volume_phase_set(volume, order)];
}

/* Central differences over one cell; within even snow over more. */
SlVec3 sl_volume_normal(const SlVolume *volume, SlVec3 position, SlVec3 direction)
{
    enum { SCALES = 3 };
    float step = volume->cell;
    for (int k = 0; k < SCALES; k++, step *= 2) {
        float slope[3];
        for (int a = 0; a < 3; a++) {
            SlVec3 shift = {a == 0 ? step : 0, a == 1 ? step : 0, a == 2 ? step : 0};
            slope[a] = value_at(volume, sl_sub(position, shift)) - value_at(volume, sl_add(position, shift));
        }
        SlVec3 out = {slope[0], slope[1], slope[2]};
        if (sl_length(out) > 1e-3f * volume->global_maximum)
            return sl_unit(out);
    }
    return sl_scale(direction, -1);
}

/* The mean of the velocities around the eight nodes, as far as each has snow. */
SlVec3 sl_volume_velocity(const SlVolume *volume, SlVec3 position)
{
    SlVec3 sum = {0, 0, 0};
    float total = 0;
    Place place;
    if (volume->velocity == NULL || !find_place(volume, position, &place))
        return sum;
    for (int k = 0; k < 8; k++) {
        int32_t node[3], voxel[3];
        float weight = corner_value(volume, &place, k, node);
        for (int a = 0; a < 3; a++) /* the last node along an axis is the first of the next super-voxel */
            voxel[a] = place.voxel[a] + (node[a] == SL_VOXEL_CELLS);
        uint32_t number = k == 0 ? place.number : sl_volume_voxel(volume, voxel);
        if (!(weight > 0) || number == SL_NO_VOXEL)
            continue;
        const int32_t half = SL_VOXEL_CELLS / 2, mask = SL_VOXEL_CELLS - 1;
        int32_t bin = (node[0] & mask) / half + 2 * ((node[1] & mask) / half) + 4 * ((node[2] & mask) / half);
        const float *v = volume->velocity + 3 * ((size_t)number * SL_VOXEL_BINS + (size_t)bin);
        sum = sl_add(sum, sl_scale(sl_vec3(v[0], v[1], v[2]), weight));
        total += weight;
    }
    return total > 0 ? sl_scale(sum, 1 / total) : sum;
}
