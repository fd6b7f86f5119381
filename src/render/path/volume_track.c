/* Light through a volume: delta tracking [Woodcock 1965] finds where a path is scattered, ratio tracking
   [Novák 2014] estimates transmittance. Both draw tentative collisions from the majorant of the block the
   ray is in; the ray walks over regions, super-voxels and blocks as in volume_grid.h. Crumbs in the air fill
   a small part of their super-voxels: blocks of 2 x 2 x 2 cells without snow are passed without a collision.

   A tentative collision is real with the probability extinction / majorant. The density between nodes is
   linear in each coordinate, so choosing one of the eight nodes around at random, with the weights of
   the interpolation, gives the same probability with one memory access instead of eight. In a block whose
   nodes are all at the maximum of the super-voxel each collision is real, and none is read. */
#include "render/path/volume_grid.h"

#include <string.h>

/* As fminf and fmaxf of numbers; those are calls, as they must look for NaN. */
static inline float min_f(float a, float b)
{
    return a < b ? a : b;
}

static inline float max_f(float a, float b)
{
    return a > b ? a : b;
}

enum {
    VOXEL_BLOCKS = SL_VOXEL_BLOCKS,                     /* blocks along an edge of a super-voxel */
    REGION_BLOCKS = SL_VOXEL_BLOCKS * SL_REGION_VOXELS, /* along an edge of a region */
    BLOCK_CELLS = SL_VOXEL_CELLS / SL_VOXEL_BLOCKS      /* cells along an edge of a block */
};

/* A ray in blocks from the grid's corner; t counts blocks too. */
typedef struct Ray {
    float p[3], d[3], inverse[3];
    float t, end;
} Ray;

/* How far a walk has come: the block, and the numbers of its region and super-voxel. */
typedef struct Walk {
    int32_t at[3], region[3];
    uint32_t region_number, number;
} Walk;

/* A walk's result: a collision, or the transmittance up to the end. */
typedef struct Track {
    bool ratio;          /* estimate transmittance, do not stop at a collision */
    float extinction;    /* per block, at relative extinction 1 */
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
    float scale = VOXEL_BLOCKS * volume->per_voxel;
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
        ray->t = max_f(ray->t, min_f(near, far));
        ray->end = min_f(ray->end, max_f(near, far));
    }
    return ray->t < ray->end;
}

/* low is not negative: truncation does what rounding down would. */
static inline int32_t clamp_index(float x, int32_t low, int32_t high)
{
    int32_t i = (int32_t)x;
    return i < low ? low : i > high ? high : i;
}

/* -ln u, u uniform in (0, 1] with 24 bits: u = m 2^e, m between √½ and √2, and
   ln m = 2 (s + s³/3 + s⁵/5 + …), s = (m - 1) / (m + 1). */
static inline void draw_depth(Track *track)
{
    float u = (float)((sl_path_bits(track->sampler) >> 8) + 1) * 0x1p-24f, m;
    uint32_t bits;
    memcpy(&bits, &u, sizeof bits);
    int32_t e = (int32_t)(bits - 0x3f3504f3u) >> 23; /* the bits of √½ */
    bits -= (uint32_t)e << 23;
    memcpy(&m, &bits, sizeof m);
    float s = (m - 1) / (m + 1), q = s * s;
    float series = 1 + q * (1.0f / 3 + q * (1.0f / 5 + q * (1.0f / 7 + q * (1.0f / 9))));
    track->depth = -0.693147181f * (float)e - 2 * s * series;
}

/* The node that a tentative collision at t falls on: each coordinate is rounded up or down with the
   probability of its weight. */
static inline uint32_t pick_node(const SlVolume *volume, const Ray *ray, const Walk *walk, float t,
                                 SlPathSampler *sampler)
{
    uint32_t bits = sl_path_bits(sampler);
    int32_t at[3];
    for (int a = 0; a < 3; a++) {
        int32_t first = walk->at[a] & ~(VOXEL_BLOCKS - 1);
        float local = (ray->p[a] + ray->d[a] * t - (float)first) * BLOCK_CELLS;
        float round_up = ((float)(bits >> (10 * a) & 1023) + 0.5f) * (1.0f / 1024);
        at[a] = (int32_t)min_f(max_f(local + round_up, 0), SL_VOXEL_CELLS);
    }
    return volume->nodes[(size_t)walk->number * SL_VOXEL_STRIDE +
                         (size_t)(at[0] + SL_VOXEL_NODES * (at[1] + SL_VOXEL_NODES * at[2]))];
}

/* One tentative collision, real with the probability value / bound; true: the walk is over. */
static inline bool collide(Track *track, uint32_t value, uint32_t bound)
{
    if (!track->ratio)
        return ((uint64_t)sl_path_bits(track->sampler) * bound) >> 32 < value;
    track->transmittance *= 1 - (float)value / (float)bound;
    /* Russian roulette: a path below the limit survives with the probability its weight is of it. */
    const float limit = 0.3f;
    if (track->transmittance < limit) {
        if (sl_path_uniform(track->sampler) * limit >= track->transmittance) {
            track->transmittance = 0;
            return true;
        }
        track->transmittance = limit;
    }
    return false;
}

/* From ray->t to `end` inside a block of that bound; true: the walk is over, at ray->t. */
static inline bool cross_block(const SlVolume *volume, Ray *ray, const Walk *walk, uint32_t level, float end,
                               Track *track)
{
    uint32_t top = level * SL_BLOCK_UNIT;
    float bound = volume->maximum[walk->number] * track->extinction;
    if (level != SL_BLOCK_FULL)
        bound *= (float)top * (1 / SL_VOXEL_UNIT);
    float ahead = (end - ray->t) * bound;
    if (track->depth >= ahead) {
        track->depth -= ahead;
        return false;
    }
    float length = 1 / bound;
    for (;;) {
        float t = ray->t + track->depth * length;
        if (!(t < end)) {
            track->depth = max_f(track->depth - (end - ray->t) * bound, 0);
            return false;
        }
        ray->t = t;
        if (level == SL_BLOCK_FULL) {
            track->transmittance = 0;
            return true;
        }
        if (collide(track, pick_node(volume, ray, walk, t, track->sampler), top))
            return true;
        draw_depth(track);
    }
}

/* Passes what has no snow: the cube of `side` blocks, a power of two, that the walk is in. False: the ray ends. */
static bool skip(const SlVolume *volume, Ray *ray, Walk *walk, int32_t side)
{
    int32_t low[3];
    float leave[3];
    for (int a = 0; a < 3; a++) {
        low[a] = walk->at[a] & ~(side - 1);
        leave[a] = ((float)(low[a] + (ray->d[a] < 0 ? 0 : side)) - ray->p[a]) * ray->inverse[a];
    }
    int axis = leave[0] < leave[1] ? 0 : 1;
    axis = leave[2] < leave[axis] ? 2 : axis;
    if (!(leave[axis] < ray->end))
        return false;
    ray->t = max_f(ray->t, leave[axis]);
    for (int a = 0; a < 3; a++)
        walk->at[a] = clamp_index(ray->p[a] + ray->d[a] * ray->t, low[a], low[a] + side - 1);
    walk->at[axis] = ray->d[axis] < 0 ? low[axis] - 1 : low[axis] + side;
    return walk->at[axis] >= 0 && walk->at[axis] < VOXEL_BLOCKS * volume->size[axis];
}

/* Sets walk->number; the side of the cube around the block that has no snow, or 0. */
static inline int32_t find_voxel(const SlVolume *volume, Walk *walk)
{
    const int32_t region[3] = {walk->at[0] / REGION_BLOCKS, walk->at[1] / REGION_BLOCKS, walk->at[2] / REGION_BLOCKS};
    if (region[0] != walk->region[0] || region[1] != walk->region[1] || region[2] != walk->region[2]) {
        for (int a = 0; a < 3; a++)
            walk->region[a] = region[a];
        walk->region_number = sl_volume_region(volume, (SlBlockCoord){region[0], region[1], region[2]});
    }
    if (walk->region_number == SL_NO_BLOCK)
        return REGION_BLOCKS;
    const int32_t voxel[3] = {walk->at[0] / VOXEL_BLOCKS, walk->at[1] / VOXEL_BLOCKS, walk->at[2] / VOXEL_BLOCKS};
    walk->number = volume->voxels[walk->region_number * (size_t)SL_REGION_TABLE + sl_region_place(voxel)];
    return walk->number == SL_NO_VOXEL ? VOXEL_BLOCKS : 0;
}

/* Where the ray leaves its block along each axis. */
static inline void set_next(const Ray *ray, const Walk *walk, float next[3])
{
    for (int a = 0; a < 3; a++)
        next[a] = ((float)(walk->at[a] + (ray->d[a] < 0 ? 0 : 1)) - ray->p[a]) * ray->inverse[a];
}

/* Block by block; super-voxel by super-voxel or region by region where there is no snow. True: over before the
   end. */
static bool walk_blocks(const SlVolume *volume, Ray *ray, Track *track)
{
    Walk walk = {.region = {INT32_MIN, INT32_MIN, INT32_MIN}};
    float next[3];
    int32_t step[3], edge[3]; /* edge: place of a block in its super-voxel after it was entered */
    for (int a = 0; a < 3; a++) {
        walk.at[a] = clamp_index(ray->p[a] + ray->d[a] * ray->t, 0, VOXEL_BLOCKS * volume->size[a] - 1);
        step[a] = ray->d[a] < 0 ? -1 : 1;
        edge[a] = ray->d[a] < 0 ? VOXEL_BLOCKS - 1 : 0;
    }
    set_next(ray, &walk, next);
    for (;;) {
        int32_t empty = find_voxel(volume, &walk);
        if (empty > 0) {
            if (!skip(volume, ray, &walk, empty))
                return false;
            set_next(ray, &walk, next);
            continue;
        }
        const uint8_t *level = volume->blocks + (size_t)walk.number * SL_BLOCK_TABLE;
        int axis;
        do {
            const int32_t mask = VOXEL_BLOCKS - 1;
            uint32_t here = level[(walk.at[0] & mask) + VOXEL_BLOCKS * ((walk.at[1] & mask) + VOXEL_BLOCKS * (walk.at[2] & mask))];
            axis = next[0] < next[1] ? 0 : 1;
            axis = next[2] < next[axis] ? 2 : axis;
            float leave = next[axis], stop = min_f(leave, ray->end);
            if (here > 0 && stop > ray->t && cross_block(volume, ray, &walk, here, stop, track))
                return true;
            if (!(leave < ray->end))
                return false;
            ray->t = max_f(ray->t, leave);
            next[axis] += fabsf(ray->inverse[axis]);
            walk.at[axis] += step[axis];
        } while ((walk.at[axis] & (VOXEL_BLOCKS - 1)) != edge[axis]);
        if (walk.at[axis] < 0 || walk.at[axis] >= VOXEL_BLOCKS * volume->size[axis])
            return false;
        set_next(ray, &walk, next); /* the rounding of sums would add up */
    }
}

/* One majorant for the whole box: what walk_blocks is compared with. */
static bool walk_box(const SlVolume *volume, Ray *ray, Track *track)
{
    /* One over the majorant. */
    float length = 1 / (volume->global_maximum * (65536.0f / SL_VOXEL_UNIT) * track->extinction);
    for (;;) {
        ray->t += track->depth * length;
        if (!(ray->t < ray->end))
            return false;
        Walk walk = {.region = {INT32_MIN, INT32_MIN, INT32_MIN}};
        for (int a = 0; a < 3; a++)
            walk.at[a] = clamp_index(ray->p[a] + ray->d[a] * ray->t, 0, VOXEL_BLOCKS * volume->size[a] - 1);
        if (find_voxel(volume, &walk) == 0) {
            float value = (float)pick_node(volume, ray, &walk, ray->t, track->sampler) *
                          (volume->maximum[walk.number] / volume->global_maximum);
            if (collide(track, (uint32_t)(value + sl_path_uniform(track->sampler)), 65536))
                return true;
        }
        draw_depth(track);
    }
}

static bool walk(const SlVolume *volume, Ray *ray, Track *track)
{
    draw_depth(track);
    return volume->settings.supervoxels ? walk_blocks(volume, ray, track)
                                        : walk_box(volume, ray, track);
}

bool sl_volume_scatter(const SlVolume *volume, SlVec3 origin, SlVec3 direction, float t_max,
                       uint32_t order, SlPathSampler *sampler, SlVolumeEvent *event)
{
    Ray ray;
    int set = sl_volume_phase_set(volume, order);
    float block = BLOCK_CELLS * volume->cell;
    Track track = {.extinction = volume->extinction[set] * block, .sampler = sampler};
    if (!enter(volume, origin, direction, t_max, &ray) || !(track.extinction > 0) ||
        !walk(volume, &ray, &track))
        return false;
    *event = (SlVolumeEvent){.t = ray.t * block, .albedo = volume->albedo[set],
                             .g = volume->g[set], .order = order};
    event->position = sl_add(origin, sl_scale(direction, event->t));
    return true;
}

float sl_volume_transmittance(const SlVolume *volume, SlVec3 origin, SlVec3 direction, float t_max,
                              uint32_t order, SlPathSampler *sampler)
{
    Ray ray;
    Track track = {.ratio = true, .transmittance = 1, .sampler = sampler,
                   .extinction = volume->extinction[sl_volume_phase_set(volume, order)] * BLOCK_CELLS * volume->cell};
    if (!enter(volume, origin, direction, t_max, &ray) || !(track.extinction > 0))
        return 1;
    walk(volume, &ray, &track);
    return track.transmittance;
}
