#include "bodies/boundary.h"

#include <math.h>
#include <string.h>

#include "bodies/boundary_sample.h"

/* --- Volumes --- */

typedef struct Volumes {
    SlBoundary *boundary;
    const float *records;
    bool alone; /* count only samples that stay together: of one body, or of bodies at rest */
} Volumes;

static void volumes_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Volumes *v = argument;
    SlBoundary *b = v->boundary;
    const SlBoundarySettings *settings = &b->settings;
    float *records = sl_f32x4(&b->set, SL_F_POSITION);
    double volume = pow(settings->spacing, 3);
    double self = sl_kernel_value(settings->kernel, 0, settings->support);
    for (size_t i = begin; i < end; i++) {
        const uint32_t(*row)[8] = (const uint32_t(*)[8])b->own.rows + b->own.row_begin[i / 8];
        uint32_t rows = b->own.row_count[i / 8], body = b->body[i];
        double sum = self;
        for (uint32_t k = 0; k < rows; k++) {
            uint32_t j = row[k][i % 8];
            if (j == b->own.sentinel)
                break;
            if (v->alone && b->body[j] != body && (b->moves[body] || b->moves[b->body[j]]))
                continue;
            SlVec3 u = {records[4 * i] - records[4 * j], records[4 * i + 1] - records[4 * j + 1],
                        records[4 * i + 2] - records[4 * j + 2]};
            sum += sl_kernel_value(settings->kernel, (double)sl_length(u), settings->support);
        }
        records[4 * i + 3] = (float)(1 / (sum * volume));
    }
}

static SlStatus measure_volumes(SlBoundary *b, bool alone, SlArena *arena, SlError *error)
{
    const float *records = sl_f32x4(&b->set, SL_F_POSITION);
    if (b->own.context == NULL) {
        SlStatus status = sl_neighbours_create(b->context, b->set.capacity, &b->own, error);
        if (status != SL_OK)
            return status;
    }
    SlStatus status = sl_neighbours_build(&b->own, &b->grid, sl_particle_points(&b->set, records),
                                          (float)b->settings.support, arena, error);
    Volumes v = {b, records, alone};
    if (status == SL_OK)
        sl_parallel_for(b->context->pool, b->set.count, 1024, volumes_chunk, &v);
    if (!b->some_move) /* measured once: at half a spacing apart samples have long lists */
        sl_neighbours_destroy(&b->own);
    return status;
}

/* --- Places --- */

typedef struct Placing {
    SlBoundary *boundary;
    const SlBodies *bodies;
    bool start; /* where the bodies started, not where they are */
} Placing;

static void place_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Placing *p = argument;
    SlBoundary *b = p->boundary;
    uint32_t *id = b->set.data[SL_F_ID];
    float *records = sl_f32x4(&b->set, SL_F_POSITION);
    for (size_t k = begin; k < end; k++) {
        const float *rest = b->rest + 4 * k;
        const SlBody *body = &p->bodies->body[b->rest_body[k]];
        SlVec3 at = sl_frame_point(p->start ? &body->start : &body->frame,
                                   (SlVec3){rest[0], rest[1], rest[2]});
        float record[4] = {at.x, at.y, at.z, rest[3]};
        memcpy(records + 4 * k, record, sizeof record);
        id[k] = (uint32_t)k;
    }
}

static void motion_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Placing *p = argument;
    SlBoundary *b = p->boundary;
    const uint32_t *id = b->set.data[SL_F_ID];
    const float *records = sl_f32x4(&b->set, SL_F_POSITION);
    for (size_t k = begin; k < end; k++) {
        uint32_t index = b->rest_body[id[k]];
        const SlBody *body = &p->bodies->body[index];
        const SlBodyMotion *motion = &body->motion;
        SlVec3 velocity = {0, 0, 0};
        if (body->moves) {
            SlVec3 at = {records[4 * k], records[4 * k + 1], records[4 * k + 2]};
            velocity = sl_add(motion->velocity, sl_cross(motion->spin, sl_sub(at, motion->pivot)));
        }
        float record[4] = {velocity.x, velocity.y, velocity.z, body->friction};
        memcpy(b->motion + 4 * k, record, sizeof record);
        b->body[k] = index;
    }
}

static SlStatus place_samples(SlBoundary *b, const SlBodies *bodies, bool start, SlArena *arena,
                              SlError *error)
{
    Placing placing = {b, bodies, start};
    sl_parallel_for(b->context->pool, b->set.count, 4096, place_chunk, &placing);
    if (!sl_particles_sort(&b->set, &b->grid, sl_f32x4(&b->set, SL_F_POSITION), arena))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to sort boundary particles");
    sl_parallel_for(b->context->pool, b->set.count, 4096, motion_chunk, &placing);
    return SL_OK;
}

/* Is a body that moves within the support of another? */
static bool bodies_touch(const SlBoundary *b, const SlBodies *bodies)
{
    float near = (float)b->settings.support;
    SlBox box = bodies->body[0].bounds;
    for (size_t m = 1; m < b->body_count; m++) {
        if (!b->moves[m] || b->reach[m] <= 0)
            continue;
        SlVec3 at = sl_frame_point(&bodies->body[m].frame, b->middle[m]);
        float reach = b->reach[m] + near;
        if (b->reach[0] > 0 &&
            (at.x - reach < box.min.x || at.x + reach > box.max.x || at.y - reach < box.min.y ||
             at.y + reach > box.max.y || at.z - reach < box.min.z || at.z + reach > box.max.z))
            return true;
        for (size_t o = 1; o < b->body_count; o++) {
            SlVec3 other = sl_frame_point(&bodies->body[o].frame, b->middle[o]);
            if (o != m && b->reach[o] > 0 && sl_length(sl_sub(at, other)) < reach + b->reach[o])
                return true;
        }
    }
    return false;
}

SlStatus sl_boundary_place(SlBoundary *b, const SlBodies *bodies, SlArena *arena, SlError *error)
{
    if (b->set.count == 0 || (b->placed && !b->some_move))
        return SL_OK;
    SlStatus status = SL_OK;
    if (!b->placed) { /* the volumes that bodies have by themselves stay with their samples */
        status = place_samples(b, bodies, true, arena, error);
        if (status == SL_OK)
            status = measure_volumes(b, true, arena, error);
        const uint32_t *id = b->set.data[SL_F_ID];
        const float *records = sl_f32x4(&b->set, SL_F_POSITION);
        for (size_t k = 0; status == SL_OK && k < b->set.count; k++)
            b->rest[4 * (size_t)id[k] + 3] = records[4 * k + 3];
        b->placed = status == SL_OK;
        if (status != SL_OK || !b->some_move)
            return status;
    }
    status = place_samples(b, bodies, false, arena, error);
    return status == SL_OK && bodies_touch(b, bodies) ? measure_volumes(b, false, arena, error) : status;
}

/* --- Create and destroy --- */

/* Each body's middle and reach, from its samples. */
static void measure_bodies(SlBoundary *b)
{
    for (size_t body = 0, begin = 0; body < b->body_count; body++) {
        size_t end = begin;
        double sum[3] = {0, 0, 0};
        for (; end < b->set.count && b->rest_body[end] == body; end++)
            for (int k = 0; k < 3; k++)
                sum[k] += (double)b->rest[4 * end + (size_t)k];
        double n = end > begin ? (double)(end - begin) : 1;
        SlVec3 middle = {(float)(sum[0] / n), (float)(sum[1] / n), (float)(sum[2] / n)};
        for (size_t k = begin; k < end; k++) {
            SlVec3 p = {b->rest[4 * k], b->rest[4 * k + 1], b->rest[4 * k + 2]};
            b->reach[body] = fmaxf(b->reach[body], sl_length(sl_sub(p, middle)));
        }
        b->middle[body] = middle;
        begin = end;
    }
}

SlStatus sl_boundary_create(SlContext *context, const SlBodies *bodies, const uint8_t *marks,
                            const SlBoundarySettings *settings, SlBoundary *b, SlError *error)
{
    memset(b, 0, sizeof *b);
    b->context = context;
    b->settings = *settings;
    b->body_count = bodies->count;
    SlMemory *memory = &context->memory;
    SlBodySamples g;
    SlStatus status = sl_body_samples_create(context, bodies, marks, settings, &g, error);
    if (status == SL_OK)
        status = sl_particles_create(context, SL_FIELD_BIT(ID) | SL_FIELD_BIT(POSITION), NULL,
                                     g.count, &b->set, error);
    if (status == SL_OK)
        status = sl_grid_create(context, bodies->body[0].bounds, (float)settings->support,
                                settings->grid, &b->grid, error);
    size_t room = b->set.capacity + 8;
    b->rest = sl_alloc_zero(memory, room, 4 * sizeof *b->rest);
    b->rest_body = sl_alloc_zero(memory, room, sizeof *b->rest_body);
    b->motion = sl_alloc_zero(memory, room, 4 * sizeof *b->motion);
    b->body = sl_alloc_zero(memory, room, sizeof *b->body);
    b->moves = sl_alloc_zero(memory, b->body_count, sizeof *b->moves);
    b->middle = sl_alloc_zero(memory, b->body_count, sizeof *b->middle);
    b->reach = sl_alloc_zero(memory, b->body_count, sizeof *b->reach);
    bool complete = b->rest != NULL && b->rest_body != NULL && b->motion != NULL && b->body != NULL &&
                 b->moves != NULL && b->middle != NULL && b->reach != NULL;
    if (status == SL_OK && !complete)
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for boundary particles");
    if (status == SL_OK && g.count > 0) {
        memcpy(b->rest, g.rest, g.count * 4 * sizeof *b->rest);
        memcpy(b->rest_body, g.body, g.count * sizeof *b->rest_body);
    }
    sl_body_samples_destroy(context, &g);
    if (status != SL_OK) {
        sl_boundary_destroy(b);
        return status;
    }
    measure_bodies(b);
    for (size_t k = 0; k < b->body_count; k++) {
        b->moves[k] = b->reach[k] > 0 && bodies->body[k].moves;
        b->some_move |= b->moves[k];
        b->rubs |= marks[k] && bodies->body[k].friction > 0;
    }
    return SL_OK;
}

void sl_boundary_destroy(SlBoundary *b)
{
    if (b->context == NULL)
        return;
    SlMemory *memory = &b->context->memory;
    size_t room = b->set.capacity + 8;
    sl_free(memory, b->rest, room * 4 * sizeof *b->rest);
    sl_free(memory, b->rest_body, room * sizeof *b->rest_body);
    sl_free(memory, b->motion, room * 4 * sizeof *b->motion);
    sl_free(memory, b->body, room * sizeof *b->body);
    sl_free(memory, b->moves, b->body_count * sizeof *b->moves);
    sl_free(memory, b->middle, b->body_count * sizeof *b->middle);
    sl_free(memory, b->reach, b->body_count * sizeof *b->reach);
    sl_neighbours_destroy(&b->own);
    sl_grid_destroy(&b->grid);
    sl_particles_destroy(&b->set);
    memset(b, 0, sizeof *b);
}
