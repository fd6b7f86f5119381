/* Light through a volume: delta tracking [Woodcock 1965] finds where a path is scattered, ratio tracking
   [Novák 2014] estimates transmittance. Both draw tentative collisions from the majorant of the
   super-voxel the ray is in; the ray walks over regions and super-voxels as in volume_grid.h.

   A tentative collision is real with the probability extinction / majorant. The density between nodes is
   linear in each coordinate, so choosing one of the eight nodes around at random, with the weights of
   the interpolation, gives the same probability with one memory access instead of eight. */
#include "render/path/volume_grid.h"

/* A ray in super-voxels from the grid's corner; t counts super-voxels too. */
typedef struct Ray {
    float p[3], d[3], inverse[3];
    float t, end;
} Ray;

/* How far a walk has come. */
typedef struct Walk {
    int32_t voxel[3], region[3];
    uint32_t region_number;
} Walk;

/* A walk's result: a collision, or the transmittance up to the end. */
typedef struct Track {
    bool ratio;          /* estimate transmittance, do not stop at a collision */
    float extinction;    /* per super-voxel, at relative extinction 1 */
    float depth;         /* optical depth to the next tentative collision */
    float transmittance;
    SlPathSampler *sampler;
} Track;

static bool enter(const SlVolume *volume, SlVec3 origin, SlVec3 direction, float t_max, Ray *ray)
{
    const float o[3] = {origin.x - volume->origin.x, origin.y - volume->origin.y,
                        origin.z - volume->origin.z};
    const float low[3] = {volume->bounds.min.x - volume->origin.x,
                          volume->bounds.min.y - volume->origin.y,
                          volume->bounds.min.z - volume->origin.z};
    const float high[3] = {volume->bounds.max.x - volume->origin.x,
                           volume->bounds.max.y - volume->origin.y,
                           volume->bounds.max.z - volume->origin.z};
    const float d[3] = {direction.x, direction.y, direction.z};
    float scale = volume->per_voxel;
    if (volume->voxel_count == 0)
        return false;
    ray->t = 0;
    ray->end = t_max * scale;
    for (int a = 0; a < 3; a++) {
        ray->p[a] = o[a] * scale;
        ray->d[a] = d[a];
        ray->inverse[a] = fabsf(d[a]) > 1e-20f ? 1 / d[a] : d[a] < 0 ? -1e20f : 1e20f;
        float near = (low[a] * scale - ray->p[a]) * ray->inverse[a];
        float far = (high[a] * scale - ray->p[a]) * ray->inverse[a];
        ray->t = fmaxf(ray->t, fminf(near, far));
        ray->end = fminf(ray->end, fmaxf(near, far));
    }
    return ray->t < ray->end;
}

static int32_t clamp_index(float x, int32_t low, int32_t high)
{
    int32_t i = (int32_t)floorf(x);
    return i < low ? low : i > high ? high : i;
}

static void draw_depth(Track *track)
{
    track->depth = -logf(1 - sl_path_uniform(track->sampler));
}

/* The node that a tentative collision at t falls on: each coordinate is rounded up or down with the
   probability of its weight. */
static uint16_t pick_node(const SlVolume *volume, const Ray *ray, const int32_t voxel[3],
                          uint32_t number, float t, SlPathSampler *sampler)
{
    const uint16_t *nodes = volume->nodes + (size_t)number * SL_VOXEL_STRIDE;
    uint32_t bits = sl_path_bits(sampler);
    int32_t at[3];
    for (int a = 0; a < 3; a++) {
        float local = (ray->p[a] + ray->d[a] * t - (float)voxel[a]) * SL_VOXEL_CELLS;
        float round_up = ((float)(bits >> (10 * a) & 1023) + 0.5f) * (1.0f / 1024);
        at[a] = (int32_t)fminf(fmaxf(local + round_up, 0), SL_VOXEL_CELLS);
    }
    return nodes[at[0] + SL_VOXEL_NODES * (at[1] + SL_VOXEL_NODES * at[2])];
}

/* One tentative collision where the node's value is `value` / 65536 of the majorant; true: the walk is
   over. */
static bool collide(Track *track, uint32_t value)
{
    if (!track->ratio)
        return (sl_path_bits(track->sampler) >> 16) < value;
    track->transmittance *= 1 - (float)value * (1.0f / 65536);
    /* Russian roulette: a path below the limit survives with the probability its weight is of it. */
    const float limit = 0.1f;
    if (track->transmittance < limit) {
        if (sl_path_uniform(track->sampler) * limit >= track->transmittance) {
            track->transmittance = 0;
            return true;
        }
        track->transmittance = limit;
    }
    return false;
}

/* Majorant of relative extinction `maximum`: such that a node's value is in units of 1/65536 of it. */
static float majorant(const Track *track, float maximum)
{
    return maximum * (65536.0f / SL_VOXEL_UNIT) * track->extinction;
}

/* From ray->t to `end` inside a super-voxel; true: the walk is over, at ray->t. */
static bool cross_voxel(const SlVolume *volume, Ray *ray, const Walk *walk, uint32_t number,
                        float end, Track *track)
{
    float bound = majorant(track, volume->maximum[number]), length = 1 / bound;
    for (;;) {
        float t = ray->t + track->depth * length;
        if (!(t < end)) {
            track->depth = fmaxf(track->depth - (end - ray->t) * bound, 0);
            return false;
        }
        ray->t = t;
        if (collide(track, pick_node(volume, ray, walk->voxel, number, t, track->sampler)))
            return true;
        draw_depth(track);
    }
}

/* Distance at which the ray leaves the box of `side` super-voxels at `low`, and through which axis. */
static float leave(const Ray *ray, const int32_t low[3], int32_t side, int *axis)
{
    float nearest = INFINITY;
    for (int a = 0; a < 3; a++) {
        float face = (float)(low[a] + (ray->d[a] < 0 ? 0 : side));
        float t = (face - ray->p[a]) * ray->inverse[a];
        if (t < nearest) {
            nearest = t;
            *axis = a;
        }
    }
    return nearest;
}

/* Skips an empty region. */
static void skip_region(const Ray *ray, Walk *walk, float t, int axis)
{
    for (int a = 0; a < 3; a++) {
        int32_t first = walk->region[a] * SL_REGION_VOXELS, last = first + SL_REGION_VOXELS - 1;
        walk->voxel[a] = a != axis ? clamp_index(ray->p[a] + ray->d[a] * t, first, last)
                                   : (ray->d[a] < 0 ? first - 1 : last + 1);
    }
}

/* Super-voxel by super-voxel, or region by region where there is no snow. True: over before the end. */
static bool walk_voxels(const SlVolume *volume, Ray *ray, Track *track)
{
    Walk walk = {.region = {INT32_MIN, INT32_MIN, INT32_MIN}};
    for (int a = 0; a < 3; a++)
        walk.voxel[a] = clamp_index(ray->p[a] + ray->d[a] * ray->t, 0, volume->size[a] - 1);
    for (;;) {
        const int32_t region[3] = {walk.voxel[0] >> 3, walk.voxel[1] >> 3, walk.voxel[2] >> 3};
        if (region[0] != walk.region[0] || region[1] != walk.region[1] || region[2] != walk.region[2]) {
            for (int a = 0; a < 3; a++)
                walk.region[a] = region[a];
            walk.region_number =
                sl_volume_region(volume, (SlBlockCoord){region[0], region[1], region[2]});
        }
        int axis = 0;
        float t;
        if (walk.region_number == SL_NO_BLOCK) {
            const int32_t low[3] = {8 * region[0], 8 * region[1], 8 * region[2]};
            t = leave(ray, low, SL_REGION_VOXELS, &axis);
            skip_region(ray, &walk, t, axis);
        } else {
            uint32_t number = volume->voxels[walk.region_number * (size_t)SL_REGION_TABLE +
                                             sl_region_place(walk.voxel)];
            t = leave(ray, walk.voxel, 1, &axis);
            if (number != SL_NO_VOXEL &&
                cross_voxel(volume, ray, &walk, number, fminf(t, ray->end), track))
                return true;
            walk.voxel[axis] += ray->d[axis] < 0 ? -1 : 1;
        }
        ray->t = fmaxf(ray->t, t);
        if (!(ray->t < ray->end) || walk.voxel[axis] < 0 || walk.voxel[axis] >= volume->size[axis])
            return false;
    }
}

/* One majorant for the whole box: what walk_voxels is compared with. */
static bool walk_box(const SlVolume *volume, Ray *ray, Track *track)
{
    float bound = majorant(track, volume->global_maximum), length = 1 / bound;
    for (;;) {
        ray->t += track->depth * length;
        if (!(ray->t < ray->end))
            return false;
        int32_t voxel[3];
        for (int a = 0; a < 3; a++)
            voxel[a] = clamp_index(ray->p[a] + ray->d[a] * ray->t, 0, volume->size[a] - 1);
        uint32_t number = sl_volume_voxel(volume, voxel);
        if (number != SL_NO_VOXEL) {
            float value = (float)pick_node(volume, ray, voxel, number, ray->t, track->sampler) *
                          (volume->maximum[number] / volume->global_maximum);
            if (collide(track, (uint32_t)(value + sl_path_uniform(track->sampler))))
                return true;
        }
        draw_depth(track);
    }
}

static bool walk(const SlVolume *volume, Ray *ray, Track *track)
{
    draw_depth(track);
    return volume->settings.supervoxels ? walk_voxels(volume, ray, track)
                                        : walk_box(volume, ray, track);
}

bool sl_volume_scatter(const SlVolume *volume, SlVec3 origin, SlVec3 direction, float t_max,
                       uint32_t order, SlPathSampler *sampler, SlVolumeEvent *event)
{
    Ray ray;
    int set = sl_volume_phase_set(volume, order);
    Track track = {.extinction = volume->extinction[set] * volume->voxel, .sampler = sampler};
    if (!enter(volume, origin, direction, t_max, &ray) || !(track.extinction > 0) ||
        !walk(volume, &ray, &track))
        return false;
    *event = (SlVolumeEvent){.t = ray.t * volume->voxel, .albedo = volume->albedo[set],
                             .g = volume->g[set], .order = order};
    event->position = sl_add(origin, sl_scale(direction, event->t));
    return true;
}

float sl_volume_transmittance(const SlVolume *volume, SlVec3 origin, SlVec3 direction, float t_max,
                              uint32_t order, SlPathSampler *sampler)
{
    Ray ray;
    Track track = {.ratio = true, .transmittance = 1, .sampler = sampler,
                   .extinction = volume->extinction[sl_volume_phase_set(volume, order)] * volume->voxel};
    if (!enter(volume, origin, direction, t_max, &ray) || !(track.extinction > 0))
        return 1;
    walk(volume, &ray, &track);
    return track.transmittance;
}
