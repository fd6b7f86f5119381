/* upsample: reads a frame and its last output, and makes the system of points (upsample.h). Total mass,
   volume and momentum stay; each other field of a particle is repeated at its points. */
#include "filters/upsample/upsample.h"

#include <math.h>
#include <string.h>

#include "core/sort.h"
#include "core/timer.h"
#include "filters/filter.h"

enum { SYSTEM, POINTS, REACH, ROW_COUNT };
static const SlParamRow rows[ROW_COUNT] = {
    [SYSTEM] = {"system", SL_PARAM_TEXT, {.text = ""}, 0, 0, "", NULL,
                "name of the system; empty: all whose material is snow"},
    [POINTS] = {"points", SL_PARAM_INTEGER, {{8}}, UPSAMPLE_MIN_POINTS, UPSAMPLE_MAX_POINTS, "", NULL,
                "points per particle"},
    [REACH] = {"reach", SL_PARAM_NUMBER, {{0.65}}, 0.01, 4, "", NULL,
               "max distance of a point at rest from its particle along an axis, in particle spacings"},
};

/* Of systems that this filter made. Its address tells them in a last output that is partly gone. */
static const char own_solver[] = "upsample";

enum { ID, PARTICLE, POSITION, OFFSET, VELOCITY, OWN_FIELDS };
static const SlFieldView own_fields[OWN_FIELDS] = {
    [ID] = {"id", "", "unique number", SL_FIELD_U32, NULL, 0, 4},
    [PARTICLE] = {"particle", "", "id of the particle it is a point of", SL_FIELD_U32, NULL, 0, 4},
    [POSITION] = {"position", "m", "position", SL_FIELD_F32X3, NULL, 0, 12},
    [OFFSET] = {"offset", "m", "position relative to the particle", SL_FIELD_F32X3, NULL, 0, 12},
    [VELOCITY] = {"velocity", "m/s", "velocity", SL_FIELD_F32X3, NULL, 0, 12},
};

uint32_t sl_upsample_points(const SlSystemView *system)
{
    if (system->solver == NULL || strcmp(system->solver, own_solver) != 0)
        return 0;
    SlFieldView particle = sl_view_field(system, "particle"), offset = sl_view_field(system, "offset");
    SlFieldView position = sl_view_field(system, "position");
    size_t n = system->particle_count, points = 0;
    if (particle.type != SL_FIELD_U32 || offset.type != SL_FIELD_F32X3 ||
        position.type != SL_FIELD_F32X3 || particle.count < n || offset.count < n || position.count < n)
        return 0;
    while (points < n && points <= UPSAMPLE_MAX_POINTS &&
           upsample_number(&particle, points) == upsample_number(&particle, 0))
        points++;
    return points < UPSAMPLE_MIN_POINTS || points > UPSAMPLE_MAX_POINTS || n % points != 0
               ? 0
               : (uint32_t)points;
}

static SlStatus no_memory(SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "upsample: no memory for the points");
}

/* --- Input --- */

/* What was made of that system before; NULL: it is new. *fits is false where it cannot be continued. */
static const SlSystemView *last_of(const SlFilterInput *input, const char *name, uint32_t points,
                                   bool *fits)
{
    const SlFrameView *previous = input->previous;
    *fits = true;
    if (previous == NULL || previous->time > input->frame->time)
        return NULL;
    for (size_t s = 0; s < previous->system_count; s++) {
        const SlSystemView *system = &previous->systems[s];
        bool valid = input->previous_is_given || system->solver == own_solver;
        if (!valid || strcmp(system->name, name) != 0)
            continue;
        *fits = system->particle_count == 0 || sl_upsample_points(system) == points;
        return *fits && system->particle_count > 0 ? system : NULL;
    }
    return NULL;
}

static SlStatus read_fields(const SlSystemView *system, UpsampleJob *job, SlError *error)
{
    size_t n = system->particle_count;
    job->system = system;
    job->id = sl_view_field(system, "id");
    job->position = sl_view_field(system, "position");
    job->velocity = sl_view_field(system, "velocity");
    if (n > 0 && (job->id.type != SL_FIELD_U32 || job->id.count < n))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "upsample: the system \"%.60s\" has no field \"id\", by which particles are "
                            "found again in the next frame", system->name);
    if (n > 0 && (job->position.type != SL_FIELD_F32X3 || job->position.count < n ||
                  !(system->spacing > 0) || !isfinite(system->spacing)))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "upsample: the system \"%.60s\" has no positions or no spacing above 0",
                            system->name);
    if (job->velocity.type != SL_FIELD_F32X3 || job->velocity.count < n)
        job->velocity.data = NULL;
    return n > UINT32_MAX / 2 / job->points ? no_memory(error) : SL_OK;
}

/* Ids are unique and small enough to number points by, positions finite. */
static SlStatus check_particles(const UpsampleJob *job, SlError *error)
{
    SlContext *context = job->context;
    const char *name = job->system->name;
    size_t n = job->system->particle_count;
    uint32_t max = 0, *ids = SL_PUSH(&context->arena, uint32_t, n + 1);
    uint32_t *order = SL_PUSH(&context->arena, uint32_t, n + 1);
    uint32_t *sorted = SL_PUSH(&context->arena, uint32_t, n + 1);
    if (ids == NULL || order == NULL || sorted == NULL)
        return no_memory(error);
    for (size_t i = 0; i < n; i++) {
        const float *p = upsample_vector(&job->position, i);
        ids[i] = upsample_number(&job->id, i);
        max = ids[i] > max ? ids[i] : max;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "upsample: particle %u of \"%.60s\" is at (%g, %g, %g); positions must be "
                                "finite", ids[i], name, (double)p[0], (double)p[1], (double)p[2]);
    }
    if ((uint64_t)max * job->points + job->points - 1 > UINT32_MAX)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "upsample: id %u of \"%.60s\" is too large for %u points per particle; ids "
                            "up to %u are possible", max, name, job->points,
                            UINT32_MAX / job->points - 1);
    if (n > 0 && !sl_sort_by_key(context->pool, &context->arena, ids, n, (uint64_t)max + 1, order, sorted))
        return no_memory(error);
    for (size_t i = 1; i < n; i++)
        if (sorted[i] == sorted[i - 1])
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "upsample: two particles of \"%.60s\" have the id %u; ids must be unique",
                                name, sorted[i]);
    return SL_OK;
}

/* --- Output --- */

static bool push_own(SlArena *arena, UpsampleJob *job, SlFieldView *fields)
{
    size_t count = job->system->particle_count * job->points;
    void *data[OWN_FIELDS];
    for (int f = 0; f < OWN_FIELDS; f++) {
        fields[f] = own_fields[f];
        fields[f].count = count;
        fields[f].data = data[f] = sl_arena_push_array(arena, count + 1, fields[f].stride);
        if (data[f] == NULL)
            return false;
    }
    job->made = (UpsampleArrays){.id = data[ID],
                                 .particle = data[PARTICLE],
                                 .position = data[POSITION],
                                 .offset = data[OFFSET],
                                 .velocity = job->velocity.data != NULL ? data[VELOCITY] : NULL};
    return true;
}

typedef struct Repeat {
    const SlFieldView *from;
    char *to;
    uint32_t points;
    bool divide;
} Repeat;

static void repeat_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Repeat *r = argument;
    size_t bytes = 4 * sl_field_lanes(r->from->type);
    for (size_t i = begin; i < end; i++) {
        char value[12];
        memcpy(value, (const char *)r->from->data + i * r->from->stride, bytes);
        if (r->divide) {
            float part = *upsample_vector(r->from, i) / (float)r->points;
            memcpy(value, &part, sizeof part);
        }
        for (size_t k = 0; k < r->points; k++)
            memcpy(r->to + (i * r->points + k) * bytes, value, bytes);
    }
}

static bool is_own(const char *name)
{
    for (int f = 0; f < OWN_FIELDS; f++)
        if (strcmp(name, own_fields[f].name) == 0)
            return true;
    return false;
}

/* The particles' other fields, behind the own ones: those are found first in a last output whose names
   are gone. */
static bool repeat_fields(const UpsampleJob *job, SlArena *arena, SlFieldView *fields, size_t *count)
{
    for (size_t f = 0; f < job->system->field_count; f++) {
        const SlFieldView *from = &job->system->fields[f];
        size_t n = job->system->particle_count, bytes = 4 * sl_field_lanes(from->type);
        if (is_own(from->name) || from->data == NULL || from->count < n)
            continue;
        char *data = sl_arena_push_array(arena, n * job->points + 1, bytes);
        if (data == NULL)
            return false;
        Repeat repeat = {.from = from,
                         .to = data,
                         .points = job->points,
                         .divide = from->type == SL_FIELD_F32 && (strcmp(from->name, "mass") == 0 ||
                                                                  strcmp(from->name, "volume") == 0)};
        sl_parallel_for(job->context->pool, n, 4096, repeat_chunk, &repeat);
        SlFieldView *to = &fields[(*count)++];
        *to = *from;
        to->data = data;
        to->count = n * job->points;
        to->stride = bytes;
    }
    return true;
}

static SlStatus make_system(UpsampleJob *job, SlArena *arena, SlSystemView *out, SlError *error)
{
    const SlSystemView *system = job->system;
    size_t length = strlen(system->name) + 1, count = job->velocity.data != NULL ? OWN_FIELDS : VELOCITY;
    SlFieldView *fields = SL_PUSH(arena, SlFieldView, OWN_FIELDS + system->field_count);
    char *name = SL_PUSH(arena, char, length);
    if (fields == NULL || name == NULL || !push_own(arena, job, fields) ||
        upsample_deform(job) != SL_OK || !repeat_fields(job, arena, fields, &count))
        return no_memory(error);
    memcpy(name, system->name, length);
    *out = *system;
    out->name = name;
    out->solver = own_solver;
    out->particle_count = system->particle_count * job->points;
    out->spacing = system->spacing / cbrtf((float)job->points);
    out->mass = system->mass / (float)job->points;
    out->volume = system->volume / (float)job->points;
    out->fields = fields;
    out->field_count = count;
    return SL_OK;
}

static SlStatus upsample_system(const SlFilterInput *input, const SlSystemView *system, SlArena *arena,
                                SlSystemView *out, SlError *error)
{
    SlContext *context = input->context;
    UpsampleJob job = {.context = context,
                       .points = (uint32_t)input->values[POINTS].number[0],
                       .reach = (float)input->values[REACH].number[0] * system->spacing};
    double begin = sl_seconds();
    bool fits;
    job.last = last_of(input, system->name, job.points, &fits);
    if (!fits)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "upsample: the frame before has \"%.60s\" not as an output of this filter "
                            "with %u points per particle", system->name, job.points);
    SlArenaMark mark = sl_arena_mark(&context->arena);
    SlStatus status = read_fields(system, &job, error);
    if (status == SL_OK)
        status = check_particles(&job, error);
    if (status == SL_OK)
        status = make_system(&job, arena, out, error);
    sl_arena_release(&context->arena, mark);
    if (status == SL_OK)
        sl_log(context, SL_LOG_INFO, "upsample: %zu points of %s in %.1f ms", out->particle_count,
               system->name, 1e3 * (sl_seconds() - begin));
    return status;
}

static SlStatus apply(const SlFilterInput *input, SlArena *arena, SlFrameView *output, SlError *error)
{
    const SlFrameView *frame = input->frame;
    const char *name = input->values[SYSTEM].text;
    if (name[0] != '\0' && frame->system_count > 0 && sl_view_system(frame, name) == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "upsample: the frame has no system \"%.60s\"",
                            name);
    SlSystemView *systems = SL_PUSH(arena, SlSystemView, frame->system_count + 1);
    if (systems == NULL)
        return no_memory(error);
    for (size_t s = 0; s < frame->system_count; s++) {
        const SlSystemView *system = &frame->systems[s];
        systems[s] = *system;
        bool chosen = name[0] != '\0' ? strcmp(name, system->name) == 0
                                      : system->material.kind == SL_MATERIAL_SNOW;
        /* Points are not multiplied again. */
        if (!chosen || sl_upsample_points(system) > 0)
            continue;
        SlStatus status = upsample_system(input, system, arena, &systems[s], error);
        if (status != SL_OK)
            return status;
    }
    *output = *frame;
    output->systems = systems;
    return SL_OK;
}

extern const SlFilterKind sl_filter_upsample;
const SlFilterKind sl_filter_upsample = {
    .table = {.name = "upsample",
              .kind = "filter",
              .summary = "snow with several points per particle, which move with their fragment",
              .citation = "[Müller 2004]",
              .rows = rows,
              .row_count = ROW_COUNT},
    .version = 2,
    .reads_previous = true,
    .apply = apply,
};
