/* Points of snow: each particle is drawn as several copies, scattered around it by a hash of its id, so
   that they move with it and stay where they are relative to it. Points of the filter upsample stand for such
   copies: they begin at the same places, have the same sizes, and also turn and deform with the snow. Copies
   differ in size, and the volume of a particle is divided among its copies by the cube of their size:
   grains large and small, with the same density in their middle. Particles of loose snow spread further,
   as powder. */
#include "render/path/volume_grid.h"

#include <string.h>

#include "core/sort.h"
#include "filters/upsample/upsample.h"

enum { CHUNK = 512, MAX_COPIES = 64 };

/* Powder: reach of copies and width of kernels in spacings. */
#define POWDER_JITTER 3.5f
#define POWDER_KERNEL 1.1f

typedef struct Source {
    const SlSystemView *system;
    const SlVolumeSettings *settings;
    SlFieldView position, id, density;
    SlFieldView particle, offset; /* of upsampled snow */
    uint32_t upsampled;           /* points that a particle was made into; 0: it was not */
    uint32_t copies;              /* that are made here */
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

/* Sizes of a particle's copies relative to the kernel, and the fractions of its volume they have. */
static void vary_sizes(const SlVolumeSettings *s, uint32_t id, uint32_t copies,
                       float size[MAX_COPIES], float fraction[MAX_COPIES])
{
    float total = 0;
    for (uint32_t c = 0; c < copies; c++) {
        float u = part(sl_path_mix(((uint64_t)id << 8 | c) ^ 0x5bf03635a4b1c3d7u), 0);
        /* few large, many small: 1 ± 0.5 at full grain, skewed */
        size[c] = 1 + s->grain * (0.75f * u * u * u - 0.3f + 0.15f * u);
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

/* A point of the filter upsample. */
static void take_point(const Source *source, size_t i, SlSnowPoint *q)
{
    const SlVolumeSettings *s = source->settings;
    const float *p = vector_at(&source->position, i), *offset = vector_at(&source->offset, i);
    float d = source->spacing, size[MAX_COPIES], fraction[MAX_COPIES], powder = powder_of(source, i);
    uint32_t id, c = (uint32_t)(i % source->upsampled);
    memcpy(&id, (const char *)source->particle.data + i * source->particle.stride, sizeof id);
    vary_sizes(s, id, source->upsampled, size, fraction);
    float width = s->kernel_size * d, further = 0;
    if (s->jitter > 0)
        further = powder * (POWDER_JITTER / s->jitter - 1);
    width += powder * fmaxf(POWDER_KERNEL * d - width, 0);
    for (int a = 0; a < 3; a++)
        q->at[a] = p[a] + further * offset[a];
    q->width = width * size[c];
    q->at[1] = fmaxf(q->at[1], s->floor + 0.2f * q->width);
    q->amount = sl_view_volume(source->system, i) * (float)source->upsampled * fraction[c];
}

static void make_copies(const Source *source, size_t i, SlSnowPoint *out)
{
    const SlVolumeSettings *s = source->settings;
    const float *p = vector_at(&source->position, i), d = source->spacing;
    uint32_t id = id_at(source, i);
    float size[MAX_COPIES], fraction[MAX_COPIES], powder = powder_of(source, i);
    vary_sizes(s, id, s->copies, size, fraction);
    float reach = (s->copies > 1 ? s->jitter : 0) * d, width = s->kernel_size * d;
    if (s->copies > 1)
        reach += powder * (POWDER_JITTER * d - reach);
    width += powder * fmaxf(POWDER_KERNEL * d - width, 0);
    float volume = sl_view_volume(source->system, i);
    for (uint32_t c = 0; c < s->copies; c++) {
        SlSnowPoint *q = &out[c];
        float rest[3];
        sl_upsample_rest(id, c, rest);
        for (int a = 0; a < 3; a++)
            q->at[a] = p[a] + reach * rest[a];
        q->width = width * size[c];
        q->at[1] = fmaxf(q->at[1], s->floor + 0.2f * q->width);
        q->amount = volume * fraction[c];
    }
}

static void copies_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Source *s = argument;
    float *low = s->low + 3 * chunk, *high = s->high + 3 * chunk;
    s->bad[chunk] = SIZE_MAX;
    for (int a = 0; a < 3; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
    }
    for (size_t i = begin; i < end; i++) {
        const float *p = vector_at(&s->position, i);
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            s->bad[chunk] = s->bad[chunk] < i ? s->bad[chunk] : i;
            continue;
        }
        SlSnowPoint *q = s->point + i * s->copies;
        if (s->upsampled > 0)
            take_point(s, i, q);
        else
            make_copies(s, i, q);
        for (uint32_t c = 0; c < s->copies; c++)
            for (int a = 0; a < 3; a++) {
                float reach = q[c].width * sl_volume_reach(s->settings->kernel);
                low[a] = fminf(low[a], q[c].at[a] - reach);
                high[a] = fmaxf(high[a], q[c].at[a] + reach);
            }
    }
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
            for (int n = (int)ceilf(q->at[a] - reach); n <= (int)floorf(q->at[a] + reach); n++)
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
    int axis;
} Sorting;

static int32_t voxel_of(float cells)
{
    return (int32_t)floorf(cells * (1.0f / SL_VOXEL_CELLS));
}

static void keys_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Sorting *s = argument;
    for (size_t k = begin; k < end; k++)
        s->keys[k] = (uint32_t)voxel_of(s->point[k].at[s->axis]);
}

static void permute_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Sorting *s = argument;
    for (size_t k = begin; k < end; k++)
        s->sorted[k] = s->point[s->order[k]];
}

/* Stable sorts by x, then y, then z: keys stay small however far apart particles are. */
static bool sort_points(SlContext *context, SlSnowPoints *points, SlSnowPoint *spare)
{
    SlArena *arena = &context->arena;
    size_t n = points->count;
    uint32_t *keys = SL_PUSH(arena, uint32_t, n), *order = SL_PUSH(arena, uint32_t, n);
    uint32_t *sorted_keys = SL_PUSH(arena, uint32_t, n);
    if (keys == NULL || order == NULL || sorted_keys == NULL)
        return false;
    SlSnowPoint *from = points->point, *to = spare;
    for (int axis = 0; axis < 3; axis++) {
        Sorting sorting = {from, to, order, keys, axis};
        sl_parallel_for(context->pool, n, CHUNK, keys_chunk, &sorting);
        SlArenaMark mark = sl_arena_mark(arena);
        bool done = sl_sort_by_key(context->pool, arena, keys, n, (uint64_t)points->size[axis],
                                   order, sorted_keys);
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
                     .spacing = sl_volume_spacing(system)};
    source.copies = source.upsampled > 0 ? 1 : settings->copies;
    source.cell = settings->cell * source.spacing;
    if (source.position.data == NULL || source.position.type != SL_FIELD_F32X3)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: a frame without positions", system->name);
    if (n > UINT32_MAX / 2 / source.copies)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: %zu particles with %u copies each are too many; set a smaller "
                            "snow_copies", system->name, n, settings->copies);
    *points = (SlSnowPoints){.count = (uint32_t)n * source.copies, .cell = source.cell};
    source.point = points->point = SL_PUSH(arena, SlSnowPoint, points->count);
    SlSnowPoint *spare = SL_PUSH(arena, SlSnowPoint, points->count);
    source.low = SL_PUSH(arena, float, 3 * chunks);
    source.high = SL_PUSH(arena, float, 3 * chunks);
    source.bad = SL_PUSH(arena, size_t, chunks);
    if (points->point == NULL || spare == NULL || source.low == NULL || source.high == NULL ||
        source.bad == NULL)
        return no_memory(error);
    sl_parallel_for(context->pool, n, CHUNK, copies_chunk, &source);
    SlStatus status = check_positions(&source, chunks, error);
    if (status == SL_OK)
        status = place_grid(&source, chunks, points, error);
    if (status != SL_OK)
        return status;
    memcpy(source.origin, points->origin, sizeof source.origin);
    sl_parallel_for(context->pool, points->count, CHUNK, place_chunk, &source);
    return sort_points(context, points, spare) && find_homes(context, points) ? SL_OK
                                                                            : no_memory(error);
}
