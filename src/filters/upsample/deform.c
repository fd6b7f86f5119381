/* From the last output to this frame: particles are found again by their ids, those that are in both frames
   are sorted into cells by where they were, and each takes the motion of its neighbours. A particle that
   was not there before begins with its points at rest. */
#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "filters/upsample/upsample.h"
#include "spatial/grid.h"

enum { CHUNK = 512, MAX_BONDS = 96 };
#define NONE UINT32_MAX

/* In spacings: neighbours were within `radius`, and are no farther than `growth` times their distance
   then plus `slack`. */
static const float radius = 1.8f, growth = 1.5f, slack = 0.5f;

/* The particles that are in both frames, in the order of the grid. */
typedef struct Cloud {
    size_t count;
    float (*before)[4]; /* m */
    float (*after)[4];
    uint32_t *now, *then; /* its number in this frame and in the last output */
    SlCellGrid grid;
} Cloud;

typedef struct Deform {
    const UpsampleJob *job;
    SlFieldView last_position, last_offset, last_particle;
    const uint32_t *last_ids, *last_order; /* sorted by id */
    size_t last_count;
    uint32_t *then; /* per particle of this frame: NONE, or its number in the last output */
    Cloud from, cloud; /* in the order of this frame; in that of the grid */
    const uint32_t *order;
} Deform;

/* --- Points --- */

static void place_points(const UpsampleJob *job, size_t i, const float (*offset)[3],
                         const double slope[9])
{
    const UpsampleArrays *made = &job->made;
    size_t first = i * job->points;
    uint32_t id = upsample_number(&job->id, i);
    const float *x = upsample_vector(&job->position, i);
    double mean[3] = {0, 0, 0};
    for (uint32_t k = 0; k < job->points; k++)
        for (int a = 0; a < 3; a++)
            mean[a] += (double)offset[k][a] / (double)job->points;
    for (uint32_t k = 0; k < job->points; k++) {
        made->id[first + k] = id * job->points + k;
        made->particle[first + k] = id;
        for (int a = 0; a < 3; a++) {
            made->offset[3 * (first + k) + (size_t)a] = offset[k][a];
            made->position[3 * (first + k) + (size_t)a] = x[a] + offset[k][a];
        }
        if (made->velocity == NULL)
            continue;
        /* relative to the mean of the points: momentum is kept */
        const float *v = upsample_vector(&job->velocity, i);
        for (int a = 0; a < 3; a++) {
            double more = 0;
            for (int c = 0; c < 3; c++)
                more += slope[3 * a + c] * ((double)offset[k][c] - mean[c]);
            made->velocity[3 * (first + k) + (size_t)a] = (float)((double)v[a] + more);
        }
    }
}

static void rest_points(const UpsampleJob *job, size_t i, float (*rest)[3])
{
    uint32_t id = upsample_number(&job->id, i);
    for (uint32_t k = 0; k < job->points; k++) {
        sl_upsample_rest(id, k, rest[k]);
        for (int a = 0; a < 3; a++)
            rest[k][a] *= job->reach;
    }
}

static void rest_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Deform *d = argument;
    static const double still[9];
    float rest[UPSAMPLE_MAX_POINTS][3];
    for (size_t i = begin; i < end; i++) {
        if (d->then != NULL && d->then[i] != NONE)
            continue;
        rest_points(d->job, i, rest);
        place_points(d->job, i, (const float(*)[3])rest, still);
    }
}

/* --- The particles of both frames --- */

/* Where the particle of the last output was. */
static void place_before(const Deform *d, size_t then, float x[3])
{
    size_t first = then * d->job->points;
    const float *p = upsample_vector(&d->last_position, first);
    const float *o = upsample_vector(&d->last_offset, first);
    for (int a = 0; a < 3; a++)
        x[a] = p[a] - o[a];
}

static void match_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Deform *d = argument;
    for (size_t i = begin; i < end; i++) {
        uint32_t id = upsample_number(&d->job->id, i);
        size_t at = sl_lower_bound(d->last_ids, d->last_count, id);
        d->then[i] = NONE;
        if (at == d->last_count || d->last_ids[at] != id)
            continue;
        float x[3];
        place_before(d, d->last_order[at], x);
        if (isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]))
            d->then[i] = d->last_order[at];
    }
}

static bool match(Deform *d)
{
    SlContext *context = d->job->context;
    SlArena *arena = &context->arena;
    size_t n = d->last_count;
    uint32_t *ids = SL_PUSH(arena, uint32_t, n + 1), *order = SL_PUSH(arena, uint32_t, n + 1);
    uint32_t *sorted = SL_PUSH(arena, uint32_t, n + 1);
    d->then = SL_PUSH(arena, uint32_t, d->job->system->particle_count + 1);
    if (ids == NULL || order == NULL || sorted == NULL || d->then == NULL)
        return false;
    uint32_t max = 0;
    for (size_t i = 0; i < n; i++) {
        ids[i] = upsample_number(&d->last_particle, i * d->job->points);
        max = ids[i] > max ? ids[i] : max;
    }
    SlArenaMark mark = sl_arena_mark(arena);
    bool done = n == 0 || sl_sort_by_key(context->pool, arena, ids, n, (uint64_t)max + 1, order, sorted);
    sl_arena_release(arena, mark);
    d->last_ids = sorted;
    d->last_order = order;
    if (done)
        sl_parallel_for(context->pool, d->job->system->particle_count, CHUNK, match_chunk, d);
    return done;
}

static bool push_cloud(SlArena *arena, size_t count, Cloud *cloud)
{
    size_t room = (count + 7) / 8 * 8 + 1;
    *cloud = (Cloud){.count = count,
                     .before = (float(*)[4])sl_arena_push_array(arena, room, 16),
                     .after = (float(*)[4])sl_arena_push_array(arena, room, 16),
                     .now = SL_PUSH(arena, uint32_t, room),
                     .then = SL_PUSH(arena, uint32_t, room)};
    bool pushed = cloud->before != NULL && cloud->after != NULL && cloud->now != NULL &&
                  cloud->then != NULL;
    for (size_t k = count; pushed && k < room; k++)
        for (int a = 0; a < 4; a++)
            cloud->before[k][a] = SL_FAR;
    return pushed;
}

static void collect_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Deform *d = argument;
    for (size_t k = begin; k < end; k++) {
        const float *x = upsample_vector(&d->job->position, d->from.now[k]);
        place_before(d, d->from.then[k], d->from.before[k]);
        d->from.before[k][3] = d->from.after[k][3] = 0;
        memcpy(d->from.after[k], x, 12);
    }
}

static void permute_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Deform *d = argument;
    for (size_t k = begin; k < end; k++) {
        uint32_t from = d->order[k];
        memcpy(d->cloud.before[k], d->from.before[from], 16);
        memcpy(d->cloud.after[k], d->from.after[from], 16);
        d->cloud.now[k] = d->from.now[from];
        d->cloud.then[k] = d->from.then[from];
    }
}

/* A grid over the bounds, cut to what it can number: a point outside is in the nearest cell. */
static bool create_grid(const Deform *d, float cell, SlCellGrid *grid)
{
    SlBox box = {{0, 0, 0}, {0, 0, 0}};
    for (int a = 0; a < 3 && d->from.count > 0; a++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t k = 0; k < d->from.count; k++) {
            low = fminf(low, d->from.before[k][a]);
            high = fmaxf(high, d->from.before[k][a]);
        }
        (&box.min.x)[a] = low;
        (&box.max.x)[a] = fminf(high, low + 0x1p20f * cell);
    }
    return sl_grid_create(d->job->context, box, cell, SL_GRID_AUTO, grid, NULL) == SL_OK;
}

static bool make_cloud(Deform *d)
{
    SlContext *context = d->job->context;
    SlArena *arena = &context->arena;
    size_t n = d->job->system->particle_count, count = 0;
    for (size_t i = 0; i < n; i++)
        count += d->then[i] != NONE;
    uint32_t *order = SL_PUSH(arena, uint32_t, count + 1);
    if (order == NULL || !push_cloud(arena, count, &d->from) || !push_cloud(arena, count, &d->cloud))
        return false;
    d->order = order;
    for (size_t i = 0, k = 0; i < n; i++)
        if (d->then[i] != NONE) {
            d->from.now[k] = (uint32_t)i;
            d->from.then[k++] = d->then[i];
        }
    sl_parallel_for(context->pool, count, CHUNK, collect_chunk, d);
    SlPoints points = {d->from.before[0], count, (count + 7) / 8 * 8};
    if (!create_grid(d, radius * d->job->system->spacing, &d->cloud.grid) ||
        (count > 0 && !sl_grid_sort(&d->cloud.grid, points, arena, order)))
        return false;
    sl_parallel_for(context->pool, count, CHUNK, permute_chunk, d);
    return true;
}

/* --- Moving --- */

/* The neighbour at place j, if it may move with that at k. */
static bool make_bond(const Deform *d, size_t k, size_t j, UpsampleBond *bond)
{
    const Cloud *c = &d->cloud;
    float inverse = 1 / d->job->system->spacing, x[3], y[3];
    for (int a = 0; a < 3; a++)
        x[a] = (c->before[j][a] - c->before[k][a]) * inverse;
    float x2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], r2 = radius * radius;
    if (!(x2 < r2) || j == k)
        return false;
    for (int a = 0; a < 3; a++)
        y[a] = (c->after[j][a] - c->after[k][a]) * inverse;
    float y2 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2], limit = growth * sqrtf(x2) + slack;
    if (!(y2 < limit * limit))
        return false;
    double near = 1 - (double)(x2 / r2), still = 1 - (double)(y2 / (limit * limit));
    bond->nearness = near * still;
    for (int a = 0; a < 3; a++) {
        bond->vector[UPSAMPLE_BEFORE][a] = (double)x[a];
        bond->vector[UPSAMPLE_AFTER][a] = (double)y[a];
        bond->vector[UPSAMPLE_VELOCITY][a] = 0;
    }
    if (d->job->made.velocity == NULL)
        return true;
    const float *u = upsample_vector(&d->job->velocity, c->now[k]);
    const float *v = upsample_vector(&d->job->velocity, c->now[j]);
    for (int a = 0; a < 3; a++)
        bond->vector[UPSAMPLE_VELOCITY][a] = (double)((v[a] - u[a]) * inverse);
    return true;
}

/* The neighbours of a place, in the order of the grid; where snow is packed so densely that they are more
   than the limit, the first. */
static size_t gather(const Deform *d, size_t k, UpsampleBond bonds[MAX_BONDS])
{
    const SlCellGrid *grid = &d->cloud.grid;
    int32_t cell[3], from[3], to[3];
    size_t count = 0;
    sl_grid_cell(grid, d->cloud.before[k], cell);
    for (int a = 0; a < 3; a++) {
        int32_t at = cell[a] - grid->low[a], last = (int32_t)grid->size[a] - 1;
        from[a] = at > 0 ? at - 1 : 0;
        to[a] = at < last ? at + 1 : last;
    }
    for (int32_t z = from[2]; z <= to[2]; z++)
        for (int32_t y = from[1]; y <= to[1]; y++) {
            uint64_t row = ((uint64_t)z * grid->size[1] + (uint32_t)y) * grid->size[0];
            uint32_t begin, end;
            sl_grid_run(grid, row + (uint32_t)from[0], row + (uint32_t)to[0], &begin, &end);
            for (uint32_t j = begin; j < end && count < MAX_BONDS; j++)
                count += make_bond(d, k, j, &bonds[count]);
        }
    return count;
}

/* The offsets of the last output, moved by A. */
static void move_points(const Deform *d, size_t k, const double a[9], float (*offset)[3])
{
    const UpsampleJob *job = d->job;
    float rest[UPSAMPLE_MAX_POINTS][3];
    double before[9], f[9];
    rest_points(job, d->cloud.now[k], rest);
    for (uint32_t p = 0; p < job->points; p++)
        memcpy(offset[p], upsample_vector(&d->last_offset, d->cloud.then[k] * (size_t)job->points + p),
               12);
    upsample_deformation((const float(*)[3])rest, (const float(*)[3])offset, job->points, before);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            f[3 * r + c] = a[3 * r] * before[c] + a[3 * r + 1] * before[3 + c] +
                           a[3 * r + 2] * before[6 + c];
    upsample_limit(f);
    for (uint32_t p = 0; p < job->points; p++)
        for (int r = 0; r < 3; r++)
            offset[p][r] = (float)(f[3 * r] * (double)rest[p][0] + f[3 * r + 1] * (double)rest[p][1] +
                                   f[3 * r + 2] * (double)rest[p][2]);
}

static void move_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Deform *d = argument;
    UpsampleBond bonds[MAX_BONDS];
    float offset[UPSAMPLE_MAX_POINTS][3];
    for (size_t k = begin; k < end; k++) {
        UpsampleMotion motion = upsample_fit(bonds, gather(d, k, bonds));
        move_points(d, k, motion.affine, offset);
        place_points(d->job, d->cloud.now[k], (const float(*)[3])offset, motion.slope);
    }
}

SlStatus upsample_deform(const UpsampleJob *job)
{
    Deform d = {.job = job};
    bool done = true;
    if (job->last != NULL) {
        d.last_position = sl_view_field(job->last, "position");
        d.last_offset = sl_view_field(job->last, "offset");
        d.last_particle = sl_view_field(job->last, "particle");
        d.last_count = job->last->particle_count / job->points;
        done = match(&d) && make_cloud(&d);
    }
    if (done) {
        sl_parallel_for(job->context->pool, job->system->particle_count, CHUNK, rest_chunk, &d);
        sl_parallel_for(job->context->pool, d.cloud.count, CHUNK, move_chunk, &d);
    }
    sl_grid_destroy(&d.cloud.grid);
    return done ? SL_OK : SL_ERROR_MEMORY;
}
