/* whitewater: spray, foam and bubbles, added to the frame as one more system. whitewater.h names the
   steps. The filter's state is its own last output: positions, velocities, phases, radii and lifetimes of
   that system, with ids in ascending order. */
#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "filters/filter.h"
#include "filters/whitewater/whitewater.h"
#include "frame/fields.h"

enum {
    SYSTEM, SEED, TRAPPED_AIR, WAVE_CREST, TRAPPED_AIR_MIN, TRAPPED_AIR_MAX, CREST_MIN, CREST_MAX,
    ENERGY_MIN, ENERGY_MAX, DEPTH, SIZE, LIFETIME, SPRAY_DRAG, BUBBLE_DRAG, BUOYANCY, MAX_PARTICLES,
    ROW_COUNT
};
static const SlParamRow rows[ROW_COUNT] = {
    [SYSTEM] = {"system", SL_PARAM_TEXT, {.text = ""}, 0, 0, "", NULL,
                "name of the system that emits; empty: all whose material is water"},
    [SEED] = {"seed", SL_PARAM_INTEGER, {{1}}, 0, 9007199254740992, "", NULL,
              "seed of the random numbers"},
    [TRAPPED_AIR] = {"trapped_air", SL_PARAM_NUMBER, {{1.6}}, 0, 1000, "s^2/T", NULL,
                     "area of whitewater that a particle emits at full potential of trapped air"},
    [WAVE_CREST] = {"wave_crest", SL_PARAM_NUMBER, {{1.6}}, 0, 1000, "s^2/T", NULL,
                    "the same for wave crests"},
    [TRAPPED_AIR_MIN] = {"trapped_air_min", SL_PARAM_NUMBER, {{0.7}}, 0, 1000, "sqrt(g s)", NULL,
                         "relative velocity where the potential of trapped air begins"},
    [TRAPPED_AIR_MAX] = {"trapped_air_max", SL_PARAM_NUMBER, {{2.8}}, 0, 1000, "sqrt(g s)", NULL,
                         "relative velocity of the full potential"},
    [CREST_MIN] = {"crest_min", SL_PARAM_NUMBER, {{1.0}}, 0, 1000, "", NULL,
                   "curvature where the potential of wave crests begins"},
    [CREST_MAX] = {"crest_max", SL_PARAM_NUMBER, {{2.5}}, 0, 1000, "", NULL,
                   "curvature of the full potential"},
    [ENERGY_MIN] = {"energy_min", SL_PARAM_NUMBER, {{0.05}}, 0, 1000, "g H", NULL,
                    "kinetic energy over mass below which water emits nothing"},
    [ENERGY_MAX] = {"energy_max", SL_PARAM_NUMBER, {{0.5}}, 0, 1000, "g H", NULL,
                    "kinetic energy over mass from which on it does not limit the emission"},
    [DEPTH] = {"depth", SL_PARAM_NUMBER, {{0}}, 0, 1e6, "m", NULL,
               "H, the depth of the water; 0: from its absorption, or else its volume"},
    [SIZE] = {"size", SL_PARAM_NUMBER, {{0.0022}}, 1e-6, 1, "H", NULL,
              "radius (root mean square); radii vary by a factor of ten"},
    [LIFETIME] = {"lifetime", SL_PARAM_NUMBER, {{3.5}}, 0.001, 1e6, "T", NULL,
                  "mean time that foam of violent water stays"},
    [SPRAY_DRAG] = {"spray_drag", SL_PARAM_NUMBER, {{0.2}}, 0, 1000, "1/T", NULL,
                    "drag of the air on spray of mean size"},
    [BUBBLE_DRAG] = {"bubble_drag", SL_PARAM_NUMBER, {{20}}, 0.01, 1000, "1/T", NULL,
                     "drag of the water on bubbles"},
    [BUOYANCY] = {"buoyancy", SL_PARAM_NUMBER, {{2}}, 0, 100, "g", NULL,
                  "acceleration of bubbles upwards"},
    [MAX_PARTICLES] = {"max_particles", SL_PARAM_INTEGER, {{1000000}}, 0, 1e9, "", NULL,
                       "limit of their number; near it less is emitted everywhere"},
};

static SlStatus no_memory(SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "whitewater: no memory for the particles");
}

/* --- What the frame has --- */

static SlStatus find_sources(const SlFilterInput *input, WaterSource **sources, size_t *count,
                             SlError *error)
{
    const SlFrameView *frame = input->frame;
    const char *name = input->values[SYSTEM].text;
    *count = 0;
    *sources = SL_PUSH(&input->context->arena, WaterSource, frame->system_count + 1);
    if (*sources == NULL)
        return no_memory(error);
    if (name[0] != '\0' && frame->system_count > 0 && sl_view_system(frame, name) == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "whitewater: the frame has no system \"%.60s\"", name);
    size_t first = 0;
    for (size_t s = 0; s < frame->system_count; s++) {
        const SlSystemView *system = &frame->systems[s];
        if (name[0] != '\0' ? strcmp(name, system->name) != 0
                            : system->material.kind != SL_MATERIAL_WATER)
            continue;
        WaterSource source = {.system = system,
                              .id = sl_view_field(system, "id"),
                              .position = sl_view_field(system, "position"),
                              .velocity = sl_view_field(system, "velocity"),
                              .first = first};
        bool complete = source.position.type == SL_FIELD_F32X3 &&
                        source.velocity.type == SL_FIELD_F32X3 && system->spacing > 0;
        if (!complete && system->particle_count > 0)
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "whitewater: the system \"%.60s\" has no positions, no velocities, "
                                "or no spacing above 0",
                                system->name);
        if (source.id.type != SL_FIELD_U32)
            source.id.data = NULL;
        if (complete)
            (*sources)[(*count)++] = source;
        first += complete ? system->particle_count : 0;
    }
    return SL_OK;
}

/* The depth that the default absorption of water came from; 0: it was set to something else. */
static float depth_of_absorption(const SlMaterial *material)
{
    const SlMaterial *m = material;
    if (!(m->absorption[0] > 0 && m->absorption[1] > 0 && m->absorption[2] > 0))
        return 0;
    float depth = 1.98f / m->absorption[0], green = 0.34f / m->absorption[1];
    float blue = 0.20f / m->absorption[2];
    bool agree = fabsf(green - depth) < 1e-3f * depth && fabsf(blue - depth) < 1e-3f * depth;
    return agree ? depth : 0;
}

static float find_depth(const SlFilterInput *input, const WaterSource *sources, size_t count)
{
    float depth = (float)input->values[DEPTH].number[0];
    double volume = 0;
    for (size_t s = 0; s < count && !(depth > 0); s++) {
        const SlSystemView *system = sources[s].system;
        depth = depth_of_absorption(&system->material);
        volume += system->particle_count > 0
                      ? (double)system->particle_count * (double)sl_view_volume(system, 0)
                      : 0;
    }
    if (!(depth > 0))
        depth = volume > 0 ? (float)cbrt(volume) : 1;
    return depth;
}

static WhitewaterSettings make_settings(const SlFilterInput *input, float depth, float dt)
{
    const SlParamValue *values = input->values;
    const SlVec3 *gravity = &input->frame->gravity;
#define VALUE(row) ((float)values[row].number[0])
    WhitewaterSettings s = {
        .seed = (uint64_t)values[SEED].number[0],
        .frame = input->frame->frame,
        .trapped_air = VALUE(TRAPPED_AIR),
        .wave_crest = VALUE(WAVE_CREST),
        .trapped_air_ramp = {VALUE(TRAPPED_AIR_MIN), VALUE(TRAPPED_AIR_MAX)},
        .crest_ramp = {VALUE(CREST_MIN), VALUE(CREST_MAX)},
        .energy_ramp = {VALUE(ENERGY_MIN), VALUE(ENERGY_MAX)},
        .gravity = {gravity->x, gravity->y, gravity->z},
        .depth = depth,
        .size = VALUE(SIZE) * depth,
        .buoyancy = VALUE(BUOYANCY),
        .dt = dt,
        .steps = 1,
        .max_particles = (size_t)values[MAX_PARTICLES].number[0],
    };
    s.g = sqrtf(gravity->x * gravity->x + gravity->y * gravity->y + gravity->z * gravity->z);
    s.g = s.g > 0 ? s.g : 9.81f;
    s.time = sqrtf(depth / s.g);
    s.lifetime = VALUE(LIFETIME) * s.time;
    s.spray_drag = VALUE(SPRAY_DRAG) / s.time;
    s.bubble_drag = VALUE(BUBBLE_DRAG) / s.time;
    s.rise = s.buoyancy * s.g / s.bubble_drag;
#undef VALUE
    return s;
}

/* --- The last output --- */

/* Of a view that may be stale only the last system is this filter's, and valid. */
static const SlSystemView *last_of(const SlFilterInput *input)
{
    const SlFrameView *previous = input->previous;
    return previous != NULL && previous->system_count > 0 &&
                   previous->time <= input->frame->time
               ? &previous->systems[previous->system_count - 1]
               : NULL;
}

static bool copy_field(const SlSystemView *system, const char *name, SlFieldType type, void *to)
{
    SlFieldView field = sl_view_field(system, name);
    size_t bytes = 4 * sl_field_lanes(type);
    if (field.data == NULL || field.type != type || field.count != system->particle_count)
        return false;
    for (size_t i = 0; i < field.count; i++)
        memcpy((char *)to + i * bytes, (const char *)field.data + i * field.stride, bytes);
    return true;
}

static SlStatus load_last(const SlFilterInput *input, Whitewater *particles, SlError *error)
{
    const SlSystemView *last = last_of(input);
    if (!whitewater_push(&input->context->arena, last != NULL ? last->particle_count : 0, particles))
        return no_memory(error);
    if (last == NULL)
        return SL_OK;
    bool complete = copy_field(last, "id", SL_FIELD_U32, particles->id) &&
                    copy_field(last, "phase", SL_FIELD_U32, particles->phase) &&
                    copy_field(last, "position", SL_FIELD_F32X3, particles->position) &&
                    copy_field(last, "velocity", SL_FIELD_F32X3, particles->velocity) &&
                    copy_field(last, "radius", SL_FIELD_F32, particles->radius) &&
                    copy_field(last, "lifetime", SL_FIELD_F32, particles->lifetime);
    for (size_t i = 0; complete && i < particles->count; i++)
        complete = particles->phase[i] < WHITEWATER_DEAD;
    return complete ? SL_OK
                    : sl_error_set(error, SL_ERROR_ARGUMENT,
                                   "whitewater: the frame before is not an output of this filter");
}

/* --- The output --- */

static size_t count_living(const Whitewater *particles)
{
    size_t living = 0;
    for (size_t i = 0; i < particles->count; i++)
        living += particles->phase[i] != WHITEWATER_DEAD;
    return living;
}

/* The living ones first, in their order. */
static void keep_living(const Whitewater *from, Whitewater *to)
{
    size_t next = 0;
    for (size_t i = 0; i < from->count; i++) {
        if (from->phase[i] == WHITEWATER_DEAD)
            continue;
        to->id[next] = from->id[i];
        to->phase[next] = from->phase[i];
        to->radius[next] = from->radius[i];
        to->lifetime[next] = from->lifetime[i];
        memcpy(to->position + 3 * next, from->position + 3 * i, 12);
        memcpy(to->velocity + 3 * next, from->velocity + 3 * i, 12);
        next++;
    }
}

static bool add_system(const SlFilterInput *input, const WhitewaterSettings *settings,
                       const Whitewater *p, SlArena *arena, SlFrameView *output)
{
    const void *const data[SL_WHITEWATER_FIELDS] = {
        [SL_WHITEWATER_ID] = p->id,           [SL_WHITEWATER_POSITION] = p->position,
        [SL_WHITEWATER_VELOCITY] = p->velocity, [SL_WHITEWATER_PHASE] = p->phase,
        [SL_WHITEWATER_RADIUS] = p->radius,   [SL_WHITEWATER_LIFETIME] = p->lifetime};
    const SlFrameView *frame = input->frame;
    SlSystemView *systems = SL_PUSH(arena, SlSystemView, frame->system_count + 1);
    SlFieldView *fields = SL_PUSH(arena, SlFieldView, SL_WHITEWATER_FIELDS);
    if (systems == NULL || fields == NULL)
        return false;
    for (int f = 0; f < SL_WHITEWATER_FIELDS; f++) {
        fields[f] = sl_whitewater_fields[f];
        fields[f].data = data[f];
        fields[f].count = p->count;
        fields[f].stride = 4 * sl_field_lanes(fields[f].type);
    }
    if (frame->system_count > 0)
        memcpy(systems, frame->systems, frame->system_count * sizeof *systems);
    systems[frame->system_count] =
        (SlSystemView){.name = "whitewater",
                       .solver = "whitewater",
                       .particle_count = p->count,
                       .spacing = 2 * settings->size, /* drawn with half of it */
                       .material = sl_default_material(SL_MATERIAL_FOAM),
                       .fields = fields,
                       .field_count = SL_WHITEWATER_FIELDS};
    *output = *frame;
    output->systems = systems;
    output->system_count = frame->system_count + 1;
    return true;
}

/* --- All of it --- */

static SlStatus apply_to_cloud(const SlFilterInput *input, WhitewaterSettings *settings,
                               const WaterCloud *cloud, SlArena *arena, SlFrameView *output,
                               SlError *error)
{
    SlContext *context = input->context;
    WaterSolids solids;
    Whitewater last, all;
    double begin = sl_seconds();
    SlStatus status = load_last(input, &last, error);
    if (status != SL_OK)
        return status;
    if (!water_solids_create(context, input->frame, cloud->spacing, &solids))
        return no_memory(error);
    float steps = ceilf(cloud->max_speed * settings->dt / (4 * cloud->spacing));
    settings->steps = steps > 1 ? (steps < 8 ? (uint32_t)steps : 8) : 1;
    if (settings->dt > 0)
        whitewater_advance(context, settings, cloud, &solids, &last);
    double advanced = sl_seconds();
    size_t living = count_living(&last), limit = settings->max_particles;
    WhitewaterEmission emission = {
        .context = context,
        .settings = settings,
        .cloud = cloud,
        .solids = &solids,
        .particles = &all,
        .first = living,
        .next_id = last.count > 0 ? last.id[last.count - 1] + 1 : 0,
    };
    if (!whitewater_count(&emission, limit > living ? limit - living : 0) ||
        !whitewater_push(arena, living + emission.total, &all))
        return no_memory(error);
    keep_living(&last, &all);
    whitewater_emit(&emission);
    sl_log(context, SL_LOG_INFO,
           "whitewater: %zu particles, %zu new, %zu ended; moving %.1f, emission %.1f ms", all.count,
           emission.total, last.count - living, 1e3 * (advanced - begin),
           1e3 * (sl_seconds() - advanced));
    return add_system(input, settings, &all, arena, output) ? SL_OK : no_memory(error);
}

static SlStatus apply(const SlFilterInput *input, SlArena *arena, SlFrameView *output,
                      SlError *error)
{
    SlContext *context = input->context;
    const SlSystemView *last = last_of(input);
    double dt = last != NULL ? input->frame->time - input->previous->time
                             : input->frame->frame_time;
    WaterSource *sources;
    size_t count;
    WaterCloud cloud;
    SlArenaMark mark = sl_arena_mark(&context->arena);
    SlStatus status = find_sources(input, &sources, &count, error);
    if (status == SL_OK) {
        WhitewaterSettings settings =
            make_settings(input, find_depth(input, sources, count), (float)dt);
        status = water_cloud_create(context, sources, count, &cloud) == SL_OK
                     ? apply_to_cloud(input, &settings, &cloud, arena, output, error)
                     : no_memory(error);
        water_cloud_destroy(&cloud);
    }
    sl_arena_release(&context->arena, mark);
    return status;
}

extern const SlFilterKind sl_filter_whitewater;
const SlFilterKind sl_filter_whitewater = {
    .table = {.name = "whitewater",
              .kind = "filter",
              .summary = "spray, foam and bubbles",
              .citation = "[Ihmsen 2012]",
              .rows = rows,
              .row_count = ROW_COUNT},
    .version = 2,
    .reads_previous = true,
    .apply = apply,
};
