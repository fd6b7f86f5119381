/* Points of snow: each particle is drawn as several copies, scattered around it by a hash of its id, so
   that they move with it and stay where they are relative to it. Points of the filter upsample stand for such
   copies: they begin at the same places, have the same sizes, and also turn and deform with the snow. Copies
   differ in size, and the volume of a particle is divided among its copies by the cube of their size:
   grains large and small, with the same density in their middle.

   Points alone leave bumps of the size of a spacing on snow that is smooth. So a fraction of the volume is
   spread evenly by one wide kernel per particle, the body, and points are the grain of its surface. Particles
   that are loose have no body: their points are smaller and lie further apart, as crumbs; looser
   ones may spread as powder.

   A point that moves by more than its kernel while the shutter is open becomes several along its way, which
   share its volume: at distances of up to the kernel's node distance B-splines sum to an even streak. A slower
   one stays one point, in the middle of its way: snow that is slow is as crisp as snow at rest. */
#include "render/path/volume_grid.h"

#include <string.h>

#include "core/sort.h"
#include "filters/upsample/upsample.h"

enum { CHUNK = 512, MAX_COPIES = 64 };

/* Powder: reach of copies and width of kernels in spacings. */
#define POWDER_JITTER 3.5f
#define POWDER_KERNEL 1.1f
/* Crumbs: size of points, and range of the factor of their distance from the particle. */
#define CRUMB_SIZE 0.55f
#define CRUMB_NEAR 0.3f
#define CRUMB_FAR 2.2f
/* Streaks: points of one at most, and spacings that a particle may move: faster ones come from a run that went
   wrong. */
#define MAX_PARTS 64.0f
#define MAX_WAY 1000.0f

typedef struct Source {
    const SlSystemView *system;
    const SlVolumeSettings *settings;
    SlFieldView position, id, density, velocity;
    SlFieldView particle, offset; /* of upsampled snow */
    uint32_t upsampled;           /* points that a particle was made into; 0: it was not */
    uint32_t copies;              /* that are made here */
    bool moves;                   /* points become streaks */
    float thin;                   /* factor of the points of a streak, where there are too many */
    size_t (*first)[2];           /* per chunk: its first point and body, or, while they are counted, how many */
    size_t bodies_at;             /* where bodies begin in `point` */
    float spacing;                /* m: of the particles that were simulated */
    SlSnowPoint *point; /* in m until the grid's origin is known */
    float *low, *high;  /* per chunk: 3 each */
    size_t *bad;        /* per chunk: the first particle that is not finite, or SIZE_MAX */
    float cell;
    double origin[3];
} Source;

static const float *vector_at(const SlFieldView *field, size_t i)
{
    return (const float *)(const void *)((const char *)field->data + i * field->stride);
}

static float density_at(const Source *s, size_t i)
{
    return s->density.data == NULL ? 1 : *vector_at(&s->density, i);
}

static uint32_t id_at(const Source *s, size_t i)
{
    uint32_t id = (uint32_t)i;
    if (s->id.data != NULL)
        memcpy(&id, (const char *)s->id.data + i * s->id.stride, sizeof id);
    return id;
}

/* Uniform in [0, 1): the n-th of three numbers of 21 bits in a hash. */
static float part(uint64_t hash, int n)
{
    return (float)((hash >> (21 * n)) & 0x1fffff) * 0x1p-21f;
}

static float clamp01(float x)
{
    return fminf(fmaxf(x, 0), 1);
}

/* Uniform in [0, 1): how large copy c of a particle is among all. */
static float size_number(uint32_t id, uint32_t c)
{
    return part(sl_path_mix(((uint64_t)id << 8 | c) ^ 0x5bf03635a4b1c3d7u), 0);
}

/* Sizes of a particle's copies relative to the kernel, and the fractions of its volume they have. */
static void vary_sizes(const SlVolumeSettings *s, uint32_t id, uint32_t copies,
                       float size[MAX_COPIES], float fraction[MAX_COPIES])
{
    float total = 0;
    for (uint32_t c = 0; c < copies; c++) {
        float u = size_number(id, c);
        /* few large, many small: 0.55 to 2 at full grain */
        size[c] = 1 + s->grain * (1.45f * u * u * u - 0.45f);
        fraction[c] = size[c] * size[c] * size[c];
        total += fraction[c];
    }
    for (uint32_t c = 0; c < copies; c++)
        fraction[c] /= total;
}

/* 0 … 1. Powder sets in gradually, so that it does not flicker. */
static float powder_of(const Source *source, size_t i)
{
    float limit = source->settings->powder;
    return limit > 0 ? clamp01((limit - density_at(source, i)) / (0.4f * limit)) : 0;
}

/* 0: snow that holds together, 1: loose. Gradually, as powder. */
static float looseness_of(const Source *source, size_t i)
{
    float limit = source->settings->crumbs;
    return limit > 0 ? clamp01((limit - density_at(source, i)) / (0.5f * limit)) : 0;
}

/* A particle as it is drawn. */
typedef struct Particle {
    SlVec3 center;   /* m */
    SlVec3 velocity; /* m/s, limited */
    float speed;
    uint32_t id, index; /* index: in the view */
    float volume, powder, loose;
    uint32_t count; /* of points */
    float size[MAX_COPIES], fraction[MAX_COPIES]; /* of points: relative to the kernel, and of the volume */
} Particle;

/* Point c of a particle, `offset` from it in m. */
static SlSnowPoint point_of(const Source *source, const Particle *p, uint32_t c, const float offset[3])
{
    const SlVolumeSettings *s = source->settings;
    float d = source->spacing, width = s->kernel_size * d, reach = 1;
    if (p->loose > 0) {
        /* Large crumbs stay near the particle, small ones are spread. */
        float u = 1 - size_number(p->id, c);
        reach += p->loose * (CRUMB_NEAR + (CRUMB_FAR - CRUMB_NEAR) * u * u - 1);
        width *= 1 + p->loose * (CRUMB_SIZE - 1);
    }
    if (s->jitter > 0)
        reach += p->powder * (POWDER_JITTER / s->jitter - reach);
    width += p->powder * fmaxf(POWDER_KERNEL * d - width, 0);
    SlSnowPoint q = {.at = {p->center.x + reach * offset[0], p->center.y + reach * offset[1],
                            p->center.z + reach * offset[2]},
                     .width = width * p->size[c],
                     .amount = p->volume * p->fraction[c] * (1 - s->body * (1 - p->loose)),
                     .particle = p->index};
    return q;
}

/* What of a particle is spread evenly. */
static SlSnowPoint body_of(const Source *source, const Particle *p)
{
    const SlVolumeSettings *s = source->settings;
    return (SlSnowPoint){.at = {p->center.x, p->center.y, p->center.z},
                         .width = s->body_size * source->spacing,
                         .amount = p->volume * s->body * (1 - p->loose),
                         .particle = p->index};
}

SlVec3 sl_volume_particle_velocity(const SlFieldView *velocity, size_t i)
{
    const float *v = velocity->data != NULL ? vector_at(velocity, i) : NULL;
    return v != NULL && isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]) ? sl_vec3(v[0], v[1], v[2])
                                                                           : sl_vec3(0, 0, 0);
}

static void set_velocity(const Source *source, size_t i, Particle *p)
{
    const SlVolumeSettings *s = source->settings;
    p->velocity = source->moves ? sl_volume_particle_velocity(&source->velocity, i) : sl_vec3(0, 0, 0);
    p->speed = sl_length(p->velocity);
    float way = p->speed * fmaxf(fabsf(s->open), fabsf(s->close)), limit = MAX_WAY * source->spacing;
    if (way > limit) {
        p->velocity = sl_scale(p->velocity, limit / way); /* 0 where the square is infinite */
        p->speed *= isfinite(way) ? limit / way : 0;
        p->speed = isfinite(p->speed) ? p->speed : 0;
    }
}

/* The particle that was simulated of the view's element i, which is one of its points if it was upsampled. */
static void read_particle(const Source *source, size_t i, Particle *p)
{
    const float *at = vector_at(&source->position, i);
    p->center = sl_vec3(at[0], at[1], at[2]);
    p->index = (uint32_t)i;
    set_velocity(source, i, p);
    p->volume = sl_view_volume(source->system, i);
    p->count = source->copies;
    p->powder = powder_of(source, i);
    p->loose = looseness_of(source, i);
    if (source->upsampled > 0) {
        const float *offset = vector_at(&source->offset, i);
        p->center = sl_sub(p->center, sl_vec3(offset[0], offset[1], offset[2]));
        p->volume *= (float)source->upsampled;
        p->count = source->upsampled;
        memcpy(&p->id, (const char *)source->particle.data + i * source->particle.stride, sizeof p->id);
    } else {
        p->id = id_at(source, i);
    }
    vary_sizes(source->settings, p->id, p->count, p->size, p->fraction);
}

/* --- Streaks. --- */

/* Points that one of `width` becomes on its way, as many as an even streak needs or as there is memory for. */
static uint32_t parts_of(const Source *source, const Particle *p, float width, bool *thinned)
{
    float way = p->speed * (source->settings->close - source->settings->open);
    float wanted = ceilf(way / width), made = floorf(fminf(wanted, MAX_PARTS) * source->thin);
    *thinned = made < wanted && wanted > 1;
    return made > 1 ? (uint32_t)made : 1;
}

/* The parts of a point, `out`: NULL: only their number. Where they are fewer than a streak needs, those of
   the copies of a particle are at different times. */
static uint32_t make_streak(const Source *source, const Particle *p, uint32_t copy, SlSnowPoint point,
                            SlSnowPoint *out)
{
    const SlVolumeSettings *s = source->settings;
    bool thinned = false;
    uint32_t count = point.amount > 0 ? parts_of(source, p, point.width, &thinned) : 1;
    if (out == NULL)
        return count;
    float offset = 0.5f, length = s->close - s->open;
    if (thinned) {
        offset = part(sl_path_mix(p->id ^ 0x3c79ac492ba7b653u), 0) + 0.618034f * (float)copy;
        offset -= floorf(offset);
    }
    point.amount /= (float)count;
    for (uint32_t k = 0; k < count; k++) {
        float time = s->open + length * (((float)k + offset) / (float)count);
        out[k] = point;
        out[k].at[0] += p->velocity.x * time;
        out[k].at[1] += p->velocity.y * time;
        out[k].at[2] += p->velocity.z * time;
    }
    return count;
}

/* Whether the view's element i has the body of its particle. */
static bool has_body(const Source *source, size_t i)
{
    return source->settings->body > 0 && (source->upsampled == 0 || i % source->upsampled == 0);
}

/* What the view's element i is drawn by goes to `point` and `body`; NULL: it is only counted. */
static void make_points(const Source *source, size_t i, SlSnowPoint *point, SlSnowPoint *body,
                        size_t count[2])
{
    const SlVolumeSettings *s = source->settings;
    bool upsampled = source->upsampled > 0;
    Particle p;
    read_particle(source, i, &p);
    float reach = (source->copies > 1 ? s->jitter : 0) * source->spacing;
    for (uint32_t c = 0; c < source->copies; c++) {
        uint32_t copy = upsampled ? (uint32_t)(i % source->upsampled) : c;
        float offset[3];
        if (upsampled) {
            memcpy(offset, vector_at(&source->offset, i), sizeof offset);
        } else {
            sl_upsample_rest(p.id, c, offset);
            for (int a = 0; a < 3; a++)
                offset[a] *= reach;
        }
        SlSnowPoint *out = point != NULL ? point + count[0] : NULL;
        uint32_t parts = make_streak(source, &p, copy, point_of(source, &p, copy, offset), out);
        for (uint32_t k = 0; out != NULL && k < parts; k++)
            out[k].at[1] = fmaxf(out[k].at[1], s->floor + 0.2f * out[k].width);
        count[0] += parts;
    }
    if (has_body(source, i))
        count[1] += make_streak(source, &p, 0, body_of(source, &p), body != NULL ? body + count[1] : NULL);
}

static void include(const SlSnowPoint *p, size_t count, SlVolumeKernel kernel, float low[3], float high[3])
{
    for (size_t k = 0; k < count; k++) {
        float reach = p[k].width * sl_volume_reach(kernel);
        for (int a = 0; a < 3; a++) {
            low[a] = fminf(low[a], p[k].at[a] - reach);
            high[a] = fmaxf(high[a], p[k].at[a] + reach);
        }
    }
}

static bool is_placed(const Source *s, size_t i)
{
    const float *p = vector_at(&s->position, i);
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static void count_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Source *s = argument;
    size_t count[2] = {0, 0};
    s->bad[chunk] = SIZE_MAX;
    for (size_t i = begin; i < end; i++) {
        if (!is_placed(s, i))
            s->bad[chunk] = s->bad[chunk] < i ? s->bad[chunk] : i;
        else if (s->moves)
            make_points(s, i, NULL, NULL, count);
        else {
            count[0] += s->copies;
            count[1] += has_body(s, i);
        }
    }
    memcpy(s->first[chunk], count, sizeof count);
}

static void points_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Source *s = argument;
    float *low = s->low + 3 * chunk, *high = s->high + 3 * chunk;
    SlSnowPoint *point = s->point + s->first[chunk][0], *body = s->point + s->bodies_at + s->first[chunk][1];
    size_t count[2] = {0, 0};
    for (int a = 0; a < 3; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
    }
    for (size_t i = begin; i < end; i++)
        make_points(s, i, point, body, count);
    include(point, count[0], s->settings->kernel, low, high);
    include(body, count[1], s->settings->kernel, low, high);
}

/* Counts the points of each chunk; returns how many there are of all. */
static double count_points(SlContext *context, Source *s, size_t n, size_t total[2])
{
    size_t chunks = sl_chunk_count(n, CHUNK);
    sl_parallel_for(context->pool, n, CHUNK, count_chunk, s);
    total[0] = total[1] = 0;
    for (size_t c = 0; c < chunks; c++)
        for (int k = 0; k < 2; k++)
            total[k] += s->first[c][k];
    return (double)total[0] + (double)total[1];
}

/* Where the points and bodies of each chunk go; total: of all. */
static void place_chunks(SlContext *context, Source *s, size_t n, size_t total[2])
{
    double all = count_points(context, s, n, total);
    double rest = (double)n * (s->copies + 1), more = s->settings->streak_points;
    if (all > rest + more) { /* streaks keep what is left of their points, at least one */
        s->thin = (float)(more / all);
        count_points(context, s, n, total);
    }
    size_t at[2] = {0, 0};
    for (size_t c = 0; c < sl_chunk_count(n, CHUNK); c++)
        for (int k = 0; k < 2; k++) {
            size_t own = s->first[c][k];
            s->first[c][k] = at[k];
            at[k] += own;
        }
    s->bodies_at = total[0];
}

/* From metres to cells, and the amount such that the weights of a point's nodes sum to its volume. */
static void place_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Source *s = argument;
    SlVolumeKernel kernel = s->settings->kernel;
    for (size_t k = begin; k < end; k++) {
        SlSnowPoint *q = &s->point[k];
        q->width /= s->cell;
        float reach = q->width * sl_volume_reach(kernel), per_width = 1 / q->width, product = 1;
        for (int a = 0; a < 3; a++) {
            q->at[a] = (float)(((double)q->at[a] - s->origin[a]) / (double)s->cell);
            float sum = 0;
            for (int n = sl_round_up(q->at[a] - reach); n <= sl_round_down(q->at[a] + reach); n++)
                sum += sl_volume_weight(kernel, ((float)n - q->at[a]) * per_width);
            product *= sum;
        }
        q->amount /= product * s->cell * s->cell * s->cell;
    }
}

/* --- Sorting by super-voxel. --- */

typedef struct Sorting {
    const SlSnowPoint *point;
    SlSnowPoint *sorted;
    const uint32_t *order;
    uint32_t *keys;
    const int32_t *size;
    int first, last; /* axes of the key */
} Sorting;

static int32_t voxel_of(float cells)
{
    return sl_round_down(cells * (1.0f / SL_VOXEL_CELLS));
}

static void keys_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Sorting *s = argument;
    for (size_t k = begin; k < end; k++) {
        uint32_t key = 0;
        for (int a = s->last; a >= s->first; a--)
            key = key * (uint32_t)s->size[a] + (uint32_t)voxel_of(s->point[k].at[a]);
        s->keys[k] = key;
    }
}

static void permute_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Sorting *s = argument;
    for (size_t k = begin; k < end; k++)
        s->sorted[k] = s->point[s->order[k]];
}

/* By z, y, x; where particles are so far apart that one key would be too large, by stable sorts by x, then y, then z. */
static bool sort_points(SlContext *context, SlSnowPoints *points, SlSnowPoint *spare)
{
    SlArena *arena = &context->arena;
    size_t n = points->count;
    uint32_t *keys = SL_PUSH(arena, uint32_t, n), *order = SL_PUSH(arena, uint32_t, n);
    uint32_t *sorted_keys = SL_PUSH(arena, uint32_t, n);
    if (keys == NULL || order == NULL || sorted_keys == NULL)
        return false;
    SlSnowPoint *from = points->point, *to = spare;
    uint64_t all = (uint64_t)points->size[0] * (uint64_t)points->size[1] * (uint64_t)points->size[2];
    bool once = all <= 1u << 31; /* of factors up to 2^20 */
    for (int axis = 0; axis < (once ? 1 : 3); axis++) {
        Sorting sorting = {from, to, order, keys, points->size, axis, once ? 2 : axis};
        uint64_t count = once ? all : (uint64_t)points->size[axis];
        sl_parallel_for(context->pool, n, CHUNK, keys_chunk, &sorting);
        SlArenaMark mark = sl_arena_mark(arena);
        bool done = sl_sort_by_key(context->pool, arena, keys, n, count, order, sorted_keys);
        sl_arena_release(arena, mark);
        if (!done)
            return false;
        sl_parallel_for(context->pool, n, CHUNK, permute_chunk, &sorting);
        SlSnowPoint *other = from;
        from = to;
        to = other;
    }
    points->point = from;
    return true;
}

static SlBlockCoord home_of(const SlSnowPoint *p)
{
    return (SlBlockCoord){voxel_of(p->at[0]), voxel_of(p->at[1]), voxel_of(p->at[2])};
}

static bool same_voxel(SlBlockCoord a, SlBlockCoord b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Runs of points in one super-voxel. */
static bool find_homes(SlContext *context, SlSnowPoints *points)
{
    uint32_t homes = 0;
    for (uint32_t k = 0; k < points->count; k++)
        homes += k == 0 || !same_voxel(home_of(&points->point[k]), home_of(&points->point[k - 1]));
    points->home = SL_PUSH(&context->arena, SlBlockCoord, homes);
    points->start = SL_PUSH(&context->arena, uint32_t, homes + 1);
    if (points->home == NULL || points->start == NULL)
        return false;
    points->home_count = 0;
    for (uint32_t k = 0; k < points->count; k++) {
        SlBlockCoord c = home_of(&points->point[k]);
        if (k == 0 || !same_voxel(c, points->home[points->home_count - 1])) {
            points->home[points->home_count] = c;
            points->start[points->home_count++] = k;
        }
    }
    points->start[points->home_count] = points->count;
    return true;
}

/* --- The whole. --- */

static SlStatus no_memory(SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the snow volume's points");
}

/* Bounds of all points; the grid's corner is one super-voxel below, on the lattice fixed in space. */
static SlStatus place_grid(const Source *s, size_t chunks, SlSnowPoints *points, SlError *error)
{
    double voxel = SL_VOXEL_CELLS * (double)s->cell;
    for (int a = 0; a < 3; a++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t c = 0; c < chunks; c++) {
            low = fminf(low, s->low[3 * c + (size_t)a]);
            high = fmaxf(high, s->high[3 * c + (size_t)a]);
        }
        double first = floor((double)low / voxel) - 1, last = floor((double)high / voxel) + 1;
        if (last - first >= SL_VOLUME_LIMIT)
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "%s: the snow is %g m across, more than %d super-voxels of %g m; set "
                                "a larger snow_cell or remove particles that are far away",
                                s->system->name, (double)(high - low), SL_VOLUME_LIMIT, voxel);
        points->origin[a] = first * voxel;
        points->size[a] = (int32_t)(last - first + 1);
    }
    return SL_OK;
}

static SlStatus check_positions(const Source *s, size_t chunks, SlError *error)
{
    for (size_t c = 0; c < chunks; c++)
        if (s->bad[c] != SIZE_MAX) {
            const float *p = vector_at(&s->position, s->bad[c]);
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "%s: particle %u is at (%g, %g, %g), which is not a place; positions "
                                "must be finite",
                                s->system->name, id_at(s, s->bad[c]), (double)p[0], (double)p[1],
                                (double)p[2]);
        }
    return SL_OK;
}

float sl_volume_spacing(const SlSystemView *system)
{
    uint32_t points = sl_upsample_points(system);
    return system->spacing * (points > 0 ? cbrtf((float)points) : 1);
}

SlStatus sl_volume_points(SlContext *context, const SlSystemView *system,
                          const SlVolumeSettings *settings, SlSnowPoints *points, SlError *error)
{
    SlArena *arena = &context->arena;
    size_t n = system->particle_count, chunks = sl_chunk_count(n, CHUNK);
    Source source = {.system = system, .settings = settings,
                     .position = sl_view_field(system, "position"),
                     .id = sl_view_field(system, "id"),
                     .density = sl_view_field(system, "density_ratio"),
                     .particle = sl_view_field(system, "particle"),
                     .offset = sl_view_field(system, "offset"),
                     .upsampled = sl_upsample_points(system),
                     .velocity = sl_view_field(system, "velocity"),
                     .thin = 1,
                     .spacing = sl_volume_spacing(system)};
    if (source.velocity.type != SL_FIELD_F32X3 || source.velocity.count < n)
        source.velocity.data = NULL;
    source.moves = source.velocity.data != NULL && (settings->open != 0 || settings->close != 0);
    source.copies = source.upsampled > 0 ? 1 : settings->copies;
    source.cell = settings->cell * source.spacing;
    if (source.position.data == NULL || source.position.type != SL_FIELD_F32X3)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: a frame without positions", system->name);
    if (n > UINT32_MAX / 2 / (source.copies + 1))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: %zu particles with %u copies each are too many; set a smaller "
                            "snow_copies", system->name, n, settings->copies);
    source.low = SL_PUSH(arena, float, 3 * chunks);
    source.high = SL_PUSH(arena, float, 3 * chunks);
    source.bad = SL_PUSH(arena, size_t, chunks);
    source.first = sl_arena_push_array(arena, chunks, sizeof *source.first);
    if (source.low == NULL || source.high == NULL || source.bad == NULL || source.first == NULL)
        return no_memory(error);
    size_t total[2];
    place_chunks(context, &source, n, total);
    SlStatus status = check_positions(&source, chunks, error);
    if (status != SL_OK)
        return status;
    *points = (SlSnowPoints){.count = (uint32_t)(total[0] + total[1]), .cell = source.cell,
                             .velocity = source.velocity};
    source.point = points->point = SL_PUSH(arena, SlSnowPoint, points->count);
    SlSnowPoint *spare = SL_PUSH(arena, SlSnowPoint, points->count);
    if (points->point == NULL || spare == NULL)
        return no_memory(error);
    sl_parallel_for(context->pool, n, CHUNK, points_chunk, &source);
    status = place_grid(&source, chunks, points, error);
    if (status != SL_OK)
        return status;
    memcpy(source.origin, points->origin, sizeof source.origin);
    sl_parallel_for(context->pool, points->count, CHUNK, place_chunk, &source);
    return sort_points(context, points, spare) && find_homes(context, points) ? SL_OK
                                                                            : no_memory(error);
}
