/* Emission in layers of the fluid's lattice. A layer that is due at time t_k passes the opening at
   that time: at the beginning of the step from t it is speed × (t_k - t) upstream of the opening,
   and the step moves it through. */
#include "particles/emitter.h"

#include <math.h>
#include <string.h>

#include "core/cookies.h"
#include "core/hash.h"
#include "math/vec3.h"

/* A lattice site is occupied while a particle is nearer than this many spacings. */
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

/* Number of lattice sites along each side of the opening. */
static void layer_extent(const SlEmitter *emitter, double spacing, int *nx, int *ny)
{
    const SlEmitterDef *def = &emitter->def;
    double wide = def->kind == SL_EMITTER_DISK ? 2 * (double)def->radius : (double)def->width;
    double high = def->kind == SL_EMITTER_DISK ? wide : (double)def->height;
    *nx = (int)floor(wide / spacing + 1e-3);
    *ny = (int)floor(high / spacing + 1e-3);
}

/* Lattice site (x, y) of the layer relative to the centre; false outside a disk. */
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
    /* A disk needs any two orthogonal directions in its plane. */
    SlVec3 d = emitter->def.direction, up = def->up;
    if (def->kind == SL_EMITTER_DISK)
        up = fabsf(d.y) < 0.9f ? sl_vec3(0, 1, 0) : sl_vec3(1, 0, 0);
    emitter->across = sl_unit(sl_cross(up, d));
    emitter->along = sl_cross(d, emitter->across);

    double wide = def->kind == SL_EMITTER_DISK ? 2.0 * (double)def->radius : (double)def->width;
    double high = def->kind == SL_EMITTER_DISK ? wide : (double)def->height;
    if (wide / spacing * (high / spacing) > (double)max_layer_places)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an emitter's opening has more than %llu lattice sites",
                            (unsigned long long)max_layer_places);
    uint64_t places = sl_emitter_layer_size(emitter, spacing);
    if (places == 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an emitter's opening is narrower than one spacing (%g m)", spacing);
    double fullest = (double)places * (double)def->speed / spacing;
    if (def->rate > fullest * 1.000001)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "an emitter's rate is %g per second; at its speed it may be up to %g",
                            def->rate, fullest);
    emitter->interval = (double)places / (def->rate > 0 ? def->rate : fullest);
    return SL_OK;
}

/* Collects the positions of particles near the opening: new ones must not overlap them. */
static size_t collect_near(const SlEmitter *emitter, const SlParticles *particles, float reach,
                           SlVec3 *near)
{
    const float *x = sl_f32x4(particles, SL_F_POSITION);
    size_t count = 0;
    for (size_t i = 0; i < particles->count; i++) {
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

SlStatus sl_flow_take_ids(SlFlow *flow, const char *system_name, uint64_t count, uint32_t *first,
                          SlError *error)
{
    uint64_t left = (uint64_t)SL_MAX_ID + 1 - flow->next_id;
    if (count > left)
        return sl_error_set(error, SL_ERROR_NUMBERS,
                            "%s: %llu particle ids are needed and %llu of 2^32 - 1 are left; ids "
                            "are not reused, so this run cannot add more particles",
                            system_name, (unsigned long long)count, (unsigned long long)left);
    *first = (uint32_t)flow->next_id;
    flow->next_id += count;
    return SL_OK;
}

/* Adds a particle at each free lattice site of the layer. */
static SlStatus add_layer(SlFlow *flow, SlEmitter *emitter, const SlFlowTarget *target, float ahead,
                          const SlVec3 *near, size_t near_count, SlError *error)
{
    const SlEmitterDef *def = &emitter->def;
    SlParticles *particles = target->particles;
    uint32_t *fluid = particles->data[SL_F_FLUID];
    SlVec3 velocity = sl_scale(def->direction, def->speed);
    SlVec3 middle = sl_add(def->center, sl_scale(def->direction, ahead));
    int nx, ny;
    layer_extent(emitter, (double)target->spacing, &nx, &ny);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            SlVec3 place;
            uint32_t id = 0;
            if (def->limit > 0 && emitter->emitted >= def->limit)
                return SL_OK;
            if (!layer_place(emitter, (double)target->spacing, nx, ny, x, y, &place))
                continue;
            place = sl_add(middle, place);
            if (taken(place, near, near_count, taken_within * target->spacing))
                continue;
            SlStatus status = sl_flow_take_ids(flow, target->name, 1, &id, error);
            if (status != SL_OK)
                return status;
            size_t i = sl_particles_append(particles, id, place, velocity);
            if (fluid != NULL)
                fluid[i] = def->fluid;
            emitter->emitted++;
        }
    return SL_OK;
}

/* Emits one layer, `ahead` metres along the flow from the opening. */
static SlStatus emit_layer(SlFlow *flow, SlEmitter *emitter, const SlFlowTarget *target,
                           float ahead, SlError *error)
{
    SlParticles *particles = target->particles;
    int nx, ny;
    layer_extent(emitter, (double)target->spacing, &nx, &ny);
    SlStatus status = sl_particles_reserve(particles, (size_t)nx * (size_t)ny, error);
    SlArenaMark mark = sl_arena_mark(target->arena);
    SlVec3 *near = SL_PUSH(target->arena, SlVec3, particles->count + 1);
    if (status == SL_OK && near == NULL)
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory to emit particles");
    if (status == SL_OK) {
        float reach = target->spacing * (float)(nx + ny) + fabsf(ahead) + 2 * target->spacing;
        size_t near_count = collect_near(emitter, particles, reach, near);
        status = add_layer(flow, emitter, target, ahead, near, near_count, error);
    }
    sl_arena_release(target->arena, mark);
    return status;
}

SlStatus sl_flow_emit(SlFlow *flow, const SlFlowTarget *target, double dt, SlError *error)
{
    SlStatus status = SL_OK;
    size_t before = target->particles->count;
    for (uint32_t e = 0; status == SL_OK && e < flow->emitter_count; e++) {
        SlEmitter *emitter = &flow->emitters[e];
        while (status == SL_OK && !emitter->removed) {
            double due = emitter->def.start + (double)emitter->layers * emitter->interval;
            bool done = emitter->def.limit > 0 && emitter->emitted >= emitter->def.limit;
            if (done || due >= target->time + dt || due >= emitter->def.end)
                break;
            float ahead = (float)((target->time - due) * (double)emitter->def.speed);
            status = emit_layer(flow, emitter, target, ahead, error);
            emitter->layers++;
        }
    }
    if (target->particles->count != before)
        sl_particles_pad_all(target->particles);
    return status;
}

static bool is_beyond(const SlFlow *flow, SlVec3 p)
{
    return flow->farthest > 0 &&
           fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z))) > flow->farthest;
}

/* So far away float precision is too low, and the grid no longer distinguishes cells. */
static SlStatus report_beyond(const SlFlow *flow, const SlFlowTarget *target, size_t i, SlVec3 p,
                              SlError *error)
{
    const uint32_t *id = target->particles->data[SL_F_ID];
    return sl_error_set(error, SL_ERROR_NUMBERS,
                        "%s: particle %u at (%g, %g, %g) is farther than %g m from the origin, "
                        "where float precision is too low; give the domain a \"limit\" to remove "
                        "particles beyond it",
                        target->name, id[i], (double)p.x, (double)p.y, (double)p.z,
                        (double)flow->farthest);
}

/* Marks the particles to remove and counts them. */
static SlStatus mark_removed(const SlFlow *flow, const SlFlowTarget *target, uint8_t *marks,
                             uint64_t *count, SlError *error)
{
    const float *x = sl_f32x4(target->particles, SL_F_POSITION);
    *count = 0;
    for (size_t i = 0; i < target->particles->count; i++) {
        SlVec3 p = {x[4 * i], x[4 * i + 1], x[4 * i + 2]};
        marks[i] = is_beyond(flow, p);
        if (marks[i] != 0 && !flow->remove_beyond)
            return report_beyond(flow, target, i, p, error);
        for (uint32_t k = 0; k < flow->drain_count; k++)
            marks[i] |= sl_shape_distance(&flow->drains[k], p, NULL) < 0;
        *count += marks[i];
    }
    return SL_OK;
}

SlStatus sl_flow_drain(SlFlow *flow, const SlFlowTarget *target, SlError *error)
{
    SlParticles *particles = target->particles;
    if ((flow->drain_count == 0 && flow->farthest <= 0) || particles->count == 0)
        return SL_OK;
    SlArenaMark mark = sl_arena_mark(target->arena);
    uint8_t *marks = SL_PUSH(target->arena, uint8_t, particles->count);
    uint64_t count = 0;
    SlStatus status = marks != NULL
                          ? mark_removed(flow, target, marks, &count, error)
                          : sl_error_set(error, SL_ERROR_MEMORY, "no memory to remove particles");
    if (status == SL_OK && count > 0)
        sl_particles_remove(particles, marks);
    if (status == SL_OK)
        flow->removed += count;
    sl_arena_release(target->arena, mark);
    return status;
}

uint64_t sl_flow_hash(const SlFlow *flow, uint64_t seed)
{
    uint64_t state[2] = {flow->next_id, flow->removed};
    seed = sl_hash(state, sizeof state, seed);
    if (flow->changed != 0)
        seed = sl_hash(&flow->changed, sizeof flow->changed, seed);
    for (uint32_t e = 0; e < flow->emitter_count; e++) {
        uint64_t counts[2] = {flow->emitters[e].layers, flow->emitters[e].emitted};
        seed = sl_hash(counts, sizeof counts, seed);
    }
    return seed;
}
