/* A layer that becomes due at time t_k passes the opening at that moment: at the head of the step
   from t it is placed speed × (t_k - t) before the opening, and the step carries it through. */
#include "particles/emitter.h"

#include <math.h>
#include <string.h>

#include "core/cookies.h"
#include "core/hash.h"
#include "math/vec3.h"

/* A place is taken while a particle is nearer than this many spacings. */
static const float taken_within = 0.85f;
static const uint64_t max_layer_places = 10000000;

SlEmitterDef sl_default_emitter_def(SlEmitterKind kind)
{
    return (SlEmitterDef){SL_DEF_HEAD(EMITTER, SlEmitterDef),
                          .kind = kind,
                          .direction = {0, -1, 0},
                          .up = {0, 1, 0},
                          .radius = 0.5f,
                          .width = 1,
                          .height = 1,
                          .speed = 1,
                          .end = INFINITY};
}

/* Half the number of lattice places along each side of the opening. */
static void layer_extent(const SlEmitter *emitter, double spacing, int *nx, int *ny)
{
    const SlEmitterDef *def = &emitter->def;
    double wide = def->kind == SL_EMITTER_DISK ? 2 * (double)def->radius : (double)def->width;
    double high = def->kind == SL_EMITTER_DISK ? wide : (double)def->height;
    *nx = (int)floor(wide / spacing + 1e-3);
    *ny = (int)floor(high / spacing + 1e-3);
}

/* Place (x, y) of the layer relative to the centre; false outside a disk. */
static bool layer_place(const SlEmitter *emitter, double spacing, int nx, int ny, int x, int y,
                        SlVec3 *place)
{
    double a = (x + 0.5 - 0.5 * nx) * spacing, b = (y + 0.5 - 0.5 * ny) * spacing;
    double reach = (double)emitter->def.radius - 0.5 * spacing * 0.999;
    if (emitter->def.kind == SL_EMITTER_DISK && a * a + b * b > reach * reach)
        return false;
    *place = sl_add(sl_scale(emitter->across, (float)a), sl_scale(emitter->along, (float)b));
    return true;
}

uint64_t sl_emitter_layer_size(const SlEmitter *emitter, double spacing)
{
    int nx, ny;
    uint64_t places = 0;
    SlVec3 place;
    layer_extent(emitter, spacing, &nx, &ny);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++)
            places += layer_place(emitter, spacing, nx, ny, x, y, &place);
    return places;
}

static const char *wrong_with(const SlEmitterDef *def)
{
    bool disk = def->kind == SL_EMITTER_DISK;
    if (!SL_DEF_VALID(def, EMITTER))
        return "emitter definition not made by sl_default_emitter_def";
    if (!sl_finite(def->center))
        return "an emitter's center must be finite";
    if (!sl_finite(def->direction) || !(sl_length(def->direction) > 0))
        return "an emitter's direction must be finite and not zero";
    if (disk && !(def->radius > 0 && def->radius < 1e6f))
        return "an emitter's radius must be above 0";
    if (!disk && !(def->width > 0 && def->height > 0 && def->width < 1e6f && def->height < 1e6f))
        return "an emitter's width and height must be above 0";
    if (!disk && !(sl_length(sl_cross(sl_unit(def->direction), sl_unit(def->up))) > 1e-3f))
        return "a box emitter's up must not be along its direction";
    if (!(def->speed > 0 && def->speed < 1e5f))
        return "an emitter's speed must be above 0 and below 1e5 m/s";
    if (!(def->start >= 0 && def->end > def->start))
        return "an emitter must end after it starts";
    if (!(def->rate >= 0))
        return "an emitter's rate may not be negative";
    return NULL;
}

SlStatus sl_emitter_init(SlEmitter *emitter, const SlEmitterDef *def, double spacing,
                         SlError *error)
{
    const char *wrong = wrong_with(def);
    if (wrong != NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s", wrong);
    memset(emitter, 0, sizeof *emitter);
    emitter->def = *def;
    emitter->def.direction = sl_unit(def->direction);
    /* Any two directions in the opening will do for a disk. */
    SlVec3 d = emitter->def.direction, up = def->up;
    if (def->kind == SL_EMITTER_DISK)
        up = fabsf(d.y) < 0.9f ? sl_vec3(0, 1, 0) : sl_vec3(1, 0, 0);
    emitter->across = sl_unit(sl_cross(up, d));
    emitter->along = sl_cross(d, emitter->across);

    double wide = def->kind == SL_EMITTER_DISK ? 2.0 * (double)def->radius : (double)def->width;
    double high = def->kind == SL_EMITTER_DISK ? wide : (double)def->height;
    if (wide / spacing * (high / spacing) > (double)max_layer_places)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an emitter's opening has more than %llu places",
                            (unsigned long long)max_layer_places);
    uint64_t places = sl_emitter_layer_size(emitter, spacing);
    if (places == 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an emitter's opening is narrower than one spacing (%g m)", spacing);
    double fullest = (double)places * (double)def->speed / spacing;
    if (def->rate > fullest * 1.000001)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an emitter's rate is %g per second; at its speed %g fit through",
                            def->rate, fullest);
    emitter->interval = (double)places / (def->rate > 0 ? def->rate : fullest);
    return SL_OK;
}

/* Positions of particles near the opening, into scratch: what new ones must keep clear of. */
static size_t collect_near(const SlEmitter *emitter, const SlSystem *system, float reach,
                           SlVec3 *near)
{
    const float *x = sl_f32x4(&system->particles, SL_F_POSITION);
    size_t count = 0;
    for (size_t i = 0; i < system->particles.count; i++) {
        SlVec3 p = {x[4 * i], x[4 * i + 1], x[4 * i + 2]};
        if (sl_length(sl_sub(p, emitter->def.center)) < reach)
            near[count++] = p;
    }
    return count;
}

static bool taken(SlVec3 place, const SlVec3 *near, size_t count, float within)
{
    for (size_t k = 0; k < count; k++) {
        SlVec3 d = sl_sub(place, near[k]);
        if (sl_dot(d, d) < within * within)
            return true;
    }
    return false;
}

static void add_particle(SlFlow *flow, SlSystem *system, SlVec3 place, SlVec3 velocity,
                         uint32_t fluid)
{
    SlParticles *particles = &system->particles;
    size_t i = particles->count++;
    for (int id = 0; id < SL_F_COUNT; id++) { /* what a removed particle left there is not its */
        size_t bytes = sl_storage_bytes(sl_field_rows[id].storage);
        if (particles->data[id] != NULL)
            memset((char *)particles->data[id] + bytes * i, 0, bytes);
    }
    ((uint32_t *)particles->data[SL_F_ID])[i] = (uint32_t)flow->next_id++;
    memcpy(sl_f32x4(particles, SL_F_POSITION) + 4 * i, &place, sizeof place);
    memcpy(sl_f32x4(particles, SL_F_VELOCITY) + 4 * i, &velocity, sizeof velocity);
    if (particles->data[SL_F_FLUID] != NULL)
        ((uint32_t *)particles->data[SL_F_FLUID])[i] = fluid;
}

/* One layer, `ahead` metres along the flow from the opening. */
static SlStatus emit_layer(SlFlow *flow, SlEmitter *emitter, SlSystem *system, float ahead,
                           SlError *error)
{
    float spacing = system->solver->spacing(system);
    int nx, ny;
    layer_extent(emitter, (double)spacing, &nx, &ny);
    SlStatus status =
        sl_particles_reserve(&system->particles, (size_t)nx * (size_t)ny, error);
    SlArena *arena = &system->context->arena;
    sl_arena_reset(arena);
    SlVec3 *near = SL_PUSH(arena, SlVec3, system->particles.count + 1);
    if (status != SL_OK || near == NULL)
        return status != SL_OK ? status
                               : sl_error_set(error, SL_ERROR_MEMORY, "no memory to emit");
    float reach = spacing * (float)(nx + ny) + fabsf(ahead) + 2 * spacing;
    size_t near_count = collect_near(emitter, system, reach, near);
    SlVec3 velocity = sl_scale(emitter->def.direction, emitter->def.speed);
    SlVec3 middle =
        sl_add(emitter->def.center, sl_scale(emitter->def.direction, ahead));
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            SlVec3 place;
            if (emitter->def.limit > 0 && emitter->emitted >= emitter->def.limit)
                break;
            if (!layer_place(emitter, (double)spacing, nx, ny, x, y, &place))
                continue;
            place = sl_add(middle, place);
            if (taken(place, near, near_count, taken_within * spacing))
                continue;
            add_particle(flow, system, place, velocity, emitter->def.fluid);
            emitter->emitted++;
        }
    return SL_OK;
}

SlStatus sl_flow_emit(SlFlow *flow, SlSystem *system, double dt, SlError *error)
{
    SlStatus status = SL_OK;
    size_t before = system->particles.count;
    for (uint32_t e = 0; status == SL_OK && e < flow->emitter_count; e++) {
        SlEmitter *emitter = &flow->emitters[e];
        while (status == SL_OK && !emitter->removed) {
            double due = emitter->def.start + (double)emitter->layers * emitter->interval;
            bool done = emitter->def.limit > 0 && emitter->emitted >= emitter->def.limit;
            if (done || due >= system->time + dt || due >= emitter->def.end)
                break;
            float ahead = (float)((system->time - due) * (double)emitter->def.speed);
            status = emit_layer(flow, emitter, system, ahead, error);
            emitter->layers++;
        }
    }
    if (system->particles.count != before)
        sl_particles_pad_all(&system->particles);
    return status;
}

static bool is_beyond(const SlFlow *flow, SlVec3 p)
{
    return flow->farthest > 0 &&
           fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z))) > flow->farthest;
}

/* Floats are too coarse out there for a fluid, and beyond the grid's reach cells are no longer
   told apart. */
static SlStatus report_beyond(const SlFlow *flow, const SlSystem *system, size_t i, SlVec3 p,
                             SlError *error)
{
    const uint32_t *id = system->particles.data[SL_F_ID];
    return sl_error_set(error, SL_ERROR_NUMBERS,
                        "%s: particle %u at (%g, %g, %g) is farther than %g m from the origin, "
                        "where positions are too coarse; give the domain a \"limit\" to remove "
                        "particles beyond it",
                        system->name, id[i], (double)p.x, (double)p.y, (double)p.z,
                        (double)flow->farthest);
}

SlStatus sl_flow_drain(SlFlow *flow, SlSystem *system, SlError *error)
{
    SlParticles *particles = &system->particles;
    if ((flow->drain_count == 0 && flow->farthest <= 0) || particles->count == 0)
        return SL_OK;
    sl_arena_reset(&system->context->arena);
    uint8_t *marks = SL_PUSH(&system->context->arena, uint8_t, particles->count);
    if (marks == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to drain");
    const float *x = sl_f32x4(particles, SL_F_POSITION);
    uint64_t gone = 0;
    for (size_t i = 0; i < particles->count; i++) {
        SlVec3 p = {x[4 * i], x[4 * i + 1], x[4 * i + 2]};
        marks[i] = is_beyond(flow, p);
        if (marks[i] != 0 && !flow->remove_beyond)
            return report_beyond(flow, system, i, p, error);
        for (uint32_t k = 0; k < flow->drain_count; k++)
            marks[i] |= sl_shape_distance(&flow->drains[k], p, NULL) < 0;
        gone += marks[i];
    }
    if (gone > 0)
        sl_particles_remove(particles, marks);
    flow->removed += gone;
    return SL_OK;
}

uint64_t sl_flow_hash(const SlFlow *flow, uint64_t seed)
{
    uint64_t state[2] = {flow->next_id, flow->removed};
    seed = sl_hash(state, sizeof state, seed);
    for (uint32_t e = 0; e < flow->emitter_count; e++) {
        uint64_t counts[2] = {flow->emitters[e].layers, flow->emitters[e].emitted};
        seed = sl_hash(counts, sizeof counts, seed);
    }
    return seed;
}
