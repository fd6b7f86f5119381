/* Emission in layers of the fluid's lattice. A layer that is due at time t_k passes the opening at
   that time: at the beginning of the step from t it is speed × (t_k - t) upstream of the opening,
   and the step moves it through.

   The layers before hold it up: pressure pushes the last one back before the next comes, a tenth or
   two of a spacing, and the next finds its sites occupied. So the emitter is an inflow: particles
   from where layers are placed to a spacing downstream of the opening begin each step with its
   velocity. A site that is occupied nevertheless is placed as little upstream as it takes, within
   what the step moves through the opening; what finds no place there is owed, and follows in a later
   step where a site is free. Without the inflow, what is owed presses the jet together and pushes it
   back still more (seen: half the rate). The number that is owed is limited: where the opening is
   blocked, layers are lost. */
#include "particles/emitter.h"

#include <math.h>
#include <string.h>

#include "core/cookies.h"
#include "core/hash.h"
#include "math/vec3.h"

/* A lattice site is occupied while a particle is nearer than this many spacings: more than the 0.87
   of the widest gap in a lattice at rest, so that nothing enters a full tank. */
static const float taken_within = 0.9f;
static const uint64_t max_layer_places = 10000000;
/* An emitter owes at most so many layers. */
static const uint64_t max_owed_layers = 2;
enum { SLOTS = 16 }; /* places that are tried within a spacing upstream of a site */

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

/* --- The opening --- */

/* Squared distance of site (x, y) from the centre, in half spacings: an integer. */
static int64_t site_distance(const SlEmitter *emitter, int x, int y)
{
    int64_t a = 2 * (int64_t)x + 1 - emitter->sites[0], b = 2 * (int64_t)y + 1 - emitter->sites[1];
    return a * a + b * b;
}

/* Sites up to that squared distance, row by row. */
static uint64_t sites_within(const SlEmitter *emitter, int64_t distance)
{
    uint64_t count = 0;
    for (int y = 0; y < emitter->sites[1]; y++) {
        int x = (emitter->sites[0] - 1) / 2; /* the first of the two halves, or the middle */
        int64_t middle = site_distance(emitter, x, y), b = middle - (emitter->sites[0] % 2 == 0);
        if (middle > distance)
            continue;
        int64_t half = (int64_t)floor(sqrt((double)(distance - b) + 0.5));
        uint64_t row = emitter->sites[0] % 2 == 0 ? 2 * (uint64_t)((half + 1) / 2)
                                                   : 1 + 2 * (uint64_t)(half / 2);
        count += row < (uint64_t)emitter->sites[0] ? row : (uint64_t)emitter->sites[0];
    }
    return count;
}

/* A disk has the sites nearest to its centre, as many as its area has squares of the spacing. Of the
   outermost ring, whose sites are equally far, it may have a part. */
static void choose_disk(SlEmitter *emitter, double spacing)
{
    double across = 2 * (double)emitter->def.radius / spacing;
    double area = 0.25 * 3.14159265358979324 * across * across;
    uint64_t count = (uint64_t)floor(area + 0.5);
    emitter->sites[0] = emitter->sites[1] = (int)floor(across + 1e-3) + 4; /* beyond its edge */
    int64_t low = -1, high = 2 * (int64_t)emitter->sites[0] * emitter->sites[0];
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (sites_within(emitter, middle) >= count)
            high = middle;
        else
            low = middle;
    }
    uint64_t inner = count > 0 ? sites_within(emitter, high - 1) : 0;
    emitter->ring = count > 0 ? high : -1;
    emitter->ring_sites = sites_within(emitter, high) - inner;
    emitter->ring_used = count - inner;
}

static void choose_sites(SlEmitter *emitter, double spacing)
{
    const SlEmitterDef *def = &emitter->def;
    if (def->kind == SL_EMITTER_DISK) {
        choose_disk(emitter, spacing);
        return;
    }
    emitter->sites[0] = (int)floor((double)def->width / spacing + 1e-3);
    emitter->sites[1] = (int)floor((double)def->height / spacing + 1e-3);
}

/* Whether site (x, y) is of the opening; `seen` counts the sites of the outermost ring, of which
   those used are spread evenly. Sites are asked for in order. */
static bool is_site(const SlEmitter *emitter, int x, int y, uint64_t *seen)
{
    if (emitter->def.kind != SL_EMITTER_DISK)
        return true;
    int64_t distance = site_distance(emitter, x, y);
    if (distance != emitter->ring)
        return distance < emitter->ring;
    uint64_t k = (*seen)++, used = emitter->ring_used, all = emitter->ring_sites;
    return (k + 1) * used / all > k * used / all;
}

/* Site (x, y) of a layer relative to the centre. */
static SlVec3 site_place(const SlEmitter *emitter, double spacing, int x, int y)
{
    double a = (x + 0.5 - 0.5 * emitter->sites[0]) * spacing;
    double b = (y + 0.5 - 0.5 * emitter->sites[1]) * spacing;
    return sl_add(sl_scale(emitter->across, (float)a), sl_scale(emitter->along, (float)b));
}

uint64_t sl_emitter_layer_size(const SlEmitter *emitter)
{
    uint64_t places = 0, seen = 0;
    for (int y = 0; y < emitter->sites[1]; y++)
        for (int x = 0; x < emitter->sites[0]; x++)
            places += is_site(emitter, x, y, &seen);
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
    choose_sites(emitter, spacing);
    uint64_t places = sl_emitter_layer_size(emitter);
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

/* --- Emission --- */

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

/* One emitter during one step, in its own coordinates: across, along, and ahead of the opening. */
typedef struct Emission {
    SlFlow *flow;
    SlEmitter *emitter;
    const SlFlowTarget *target;
    float window;   /* m: places are up to so far upstream, what the step moves through */
    SlVec3 *near;   /* particles that may occupy a place */
    size_t near_count;
    uint32_t *taken; /* per site: bit s: occupied s / SLOTS of a spacing upstream of the layer */
} Emission;

static SlVec3 to_opening(const SlEmitter *emitter, SlVec3 p)
{
    SlVec3 d = sl_sub(p, emitter->def.center);
    return sl_vec3(sl_dot(d, emitter->across), sl_dot(d, emitter->along),
                   sl_dot(d, emitter->def.direction));
}

static bool is_near(const Emission *e, SlVec3 local)
{
    const int *sites = e->emitter->sites;
    float spacing = e->target->spacing;
    return fabsf(local.x) < 0.5f * spacing * (float)(sites[0] + 2) &&
           fabsf(local.y) < 0.5f * spacing * (float)(sites[1] + 2) && local.z < spacing &&
           local.z > -e->window - 2 * spacing;
}

/* Lists the particles near the opening, with room for `more`. */
static SlStatus collect_near(Emission *e, size_t more, SlError *error)
{
    const SlParticles *particles = e->target->particles;
    const float *x = sl_f32x4(particles, SL_F_POSITION);
    const int *sites = e->emitter->sites;
    size_t count = 0;
    for (size_t i = 0; i < particles->count; i++)
        count += is_near(e, to_opening(e->emitter, sl_vec3(x[4 * i], x[4 * i + 1], x[4 * i + 2])));
    e->near = SL_PUSH(e->target->arena, SlVec3, count + more + 1);
    e->taken = SL_PUSH(e->target->arena, uint32_t, (size_t)sites[0] * (size_t)sites[1]);
    if (e->near == NULL || e->taken == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to emit particles");
    for (size_t i = 0; i < particles->count && e->near_count < count; i++) {
        SlVec3 local = to_opening(e->emitter, sl_vec3(x[4 * i], x[4 * i + 1], x[4 * i + 2]));
        if (is_near(e, local))
            e->near[e->near_count++] = local;
    }
    return SL_OK;
}

/* Marks what one particle occupies in the columns upstream of the sites around it. */
static void mark_taken(Emission *e, SlVec3 local, float ahead)
{
    const int *sites = e->emitter->sites;
    float spacing = e->target->spacing, within = taken_within * spacing;
    if (local.z >= ahead + within || local.z <= ahead - spacing - within)
        return;
    float a = local.x / spacing + 0.5f * (float)sites[0] - 0.5f;
    float b = local.y / spacing + 0.5f * (float)sites[1] - 0.5f;
    for (int y = (int)floorf(b); y <= (int)floorf(b) + 1; y++)
        for (int x = (int)floorf(a); x <= (int)floorf(a) + 1; x++) {
            float dx = (a - (float)x) * spacing, dy = (b - (float)y) * spacing;
            float half2 = within * within - dx * dx - dy * dy;
            if (x < 0 || y < 0 || x >= sites[0] || y >= sites[1] || half2 <= 0)
                continue;
            for (int s = 0; s < SLOTS; s++) {
                float dz = local.z - ahead + (float)s * spacing / SLOTS;
                if (dz * dz < half2)
                    e->taken[y * sites[0] + x] |= 1u << s;
            }
        }
}

/* The first free place upstream of the site, in slots; SLOTS: none within the window. */
static int free_slot(const Emission *e, uint32_t taken, float ahead)
{
    float slot = e->target->spacing / SLOTS;
    for (int s = 0; s < SLOTS && (s == 0 || ahead - (float)s * slot > -e->window); s++)
        if ((taken >> s & 1) == 0)
            return s;
    return SLOTS;
}

static SlStatus add_particle(Emission *e, SlVec3 place, SlError *error)
{
    const SlEmitterDef *def = &e->emitter->def;
    SlParticles *particles = e->target->particles;
    uint32_t *fluid = particles->data[SL_F_FLUID], id = 0;
    SlStatus status = sl_flow_take_ids(e->flow, e->target->name, 1, &id, error);
    if (status != SL_OK)
        return status;
    size_t i = sl_particles_append(particles, id, place, sl_scale(def->direction, def->speed));
    if (fluid != NULL)
        fluid[i] = def->fluid;
    e->near[e->near_count++] = to_opening(e->emitter, place);
    e->emitter->emitted++;
    return SL_OK;
}

static bool is_exhausted(const SlEmitter *emitter)
{
    return emitter->def.limit > 0 && emitter->emitted >= emitter->def.limit;
}

/* Adds a particle at each free site of the layer, or as little upstream as it takes. `is_due`: what
   finds no place is owed; else the layer is for what is owed. */
static SlStatus emit_layer(Emission *e, float ahead, bool is_due, SlError *error)
{
    SlEmitter *emitter = e->emitter;
    const SlEmitterDef *def = &emitter->def;
    const int *sites = emitter->sites;
    size_t near_count = e->near_count;
    uint64_t seen = 0;
    memset(e->taken, 0, (size_t)sites[0] * (size_t)sites[1] * sizeof *e->taken);
    for (size_t k = 0; k < near_count; k++)
        mark_taken(e, e->near[k], ahead);
    for (int y = 0; y < sites[1]; y++)
        for (int x = 0; x < sites[0]; x++) {
            if (is_exhausted(emitter) || (!is_due && emitter->owed == 0))
                return SL_OK;
            if (!is_site(emitter, x, y, &seen))
                continue;
            int slot = free_slot(e, e->taken[y * sites[0] + x], ahead);
            if (slot == SLOTS) {
                emitter->owed += is_due;
                continue;
            }
            float upstream = (float)slot * e->target->spacing / SLOTS;
            SlVec3 middle = sl_add(def->center, sl_scale(def->direction, ahead - upstream));
            SlVec3 place = site_place(emitter, (double)e->target->spacing, x, y);
            SlStatus status = add_particle(e, sl_add(middle, place), error);
            if (status != SL_OK)
                return status;
            emitter->owed -= !is_due;
        }
    return SL_OK;
}

/* When layer k passes the opening; infinite when there is none. */
static double due_time(const SlEmitter *emitter, uint64_t k)
{
    double due = emitter->def.start + (double)k * emitter->interval;
    return is_exhausted(emitter) || due >= emitter->def.end ? INFINITY : due;
}

/* Layers of the time before this step that were not emitted: the emitter is new in a set-up that a
   checkpoint was restored into. They are left out, as those of an emitter added while the world runs;
   half an interval is for rounding. */
static void skip_missed_layers(SlEmitter *emitter, double time)
{
    if (due_time(emitter, emitter->layers) < time - 0.5 * emitter->interval)
        emitter->layers = (uint64_t)ceil((time - emitter->def.start) / emitter->interval);
}

/* Layers that are due, then what is owed. After its end an emitter has the time of the layers that it
   may owe to make up for them. */
static SlStatus emit_layers(Emission *e, double dt, SlError *error)
{
    SlEmitter *emitter = e->emitter;
    double time = e->target->time, due;
    uint64_t most = max_owed_layers * sl_emitter_layer_size(emitter);
    SlStatus status = SL_OK;
    while (status == SL_OK && (due = due_time(emitter, emitter->layers)) < time + dt) {
        status = emit_layer(e, (float)((time - due) * (double)emitter->def.speed), true, error);
        emitter->layers++;
    }
    emitter->owed = emitter->owed < most ? emitter->owed : most;
    if (is_exhausted(emitter) ||
        time > emitter->def.end + (double)max_owed_layers * emitter->interval)
        emitter->owed = 0;
    float ahead = 0;
    do {
        if (status == SL_OK && emitter->owed > 0)
            status = emit_layer(e, ahead, false, error);
        ahead -= e->target->spacing;
    } while (status == SL_OK && emitter->owed > 0 && ahead > -e->window);
    return status;
}

/* --- Inflow --- */

typedef struct Drive {
    const SlEmitter *emitter;
    SlParticles *particles;
    SlVec3 velocity;
    float upstream, downstream, sides[2]; /* m: the throat about the opening */
    float radius2;                        /* m², of a disk; infinite for a box */
    double *work;                         /* per chunk */
} Drive;

static void drive_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Drive *d = argument;
    const float *x = sl_f32x4(d->particles, SL_F_POSITION);
    float *v = sl_f32x4(d->particles, SL_F_VELOCITY);
    double work = 0;
    for (size_t i = begin; i < end; i++) {
        SlVec3 p = to_opening(d->emitter, sl_vec3(x[4 * i], x[4 * i + 1], x[4 * i + 2]));
        if (p.z <= -d->upstream || p.z > d->downstream || fabsf(p.x) > d->sides[0] ||
            fabsf(p.y) > d->sides[1] || p.x * p.x + p.y * p.y > d->radius2)
            continue;
        SlVec3 before = {v[4 * i], v[4 * i + 1], v[4 * i + 2]};
        work += fmax(0, 0.5 * ((double)sl_dot(d->velocity, d->velocity) -
                               (double)sl_dot(before, before)));
        memcpy(&v[4 * i], &d->velocity, sizeof d->velocity);
    }
    d->work[chunk] = work;
}

/* Particles in the throat, from the farthest place upstream to a spacing downstream of the opening,
   begin the step with the emitter's velocity: each layer is pushed through by the next. */
static SlStatus drive(SlFlow *flow, const SlEmitter *emitter, const SlFlowTarget *target, double dt,
                      SlError *error)
{
    const SlEmitterDef *def = &emitter->def;
    size_t count = target->particles->count, chunks = sl_chunk_count(count, SL_REDUCE_CHUNK);
    double over = def->end + (double)max_owed_layers * emitter->interval;
    if (emitter->removed || is_exhausted(emitter) || target->time + dt <= def->start ||
        target->time > over || count == 0)
        return SL_OK;
    float half = 0.5f * target->spacing, edge = half * (1 + sqrtf((float)emitter->ring));
    Drive d = {.emitter = emitter,
               .particles = target->particles,
               .velocity = sl_scale(def->direction, def->speed),
               .upstream = (float)((double)def->speed * dt),
               .downstream = target->spacing,
               .sides = {half * (float)emitter->sites[0], half * (float)emitter->sites[1]},
               .radius2 = def->kind == SL_EMITTER_DISK ? edge * edge : INFINITY};
    SlArenaMark mark = sl_arena_mark(target->arena);
    d.work = SL_PUSH(target->arena, double, chunks);
    if (d.work == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to emit particles");
    sl_parallel_for(target->particles->context->pool, count, SL_REDUCE_CHUNK, drive_chunk, &d);
    flow->work += sl_fold_sum(d.work, chunks, 1, 0);
    sl_arena_release(target->arena, mark);
    return SL_OK;
}

static SlStatus emit(SlFlow *flow, SlEmitter *emitter, const SlFlowTarget *target, double dt,
                     SlError *error)
{
    double moved = (double)emitter->def.speed * dt;
    if (!emitter->removed)
        skip_missed_layers(emitter, target->time);
    Emission e = {.flow = flow, .emitter = emitter, .target = target, .window = (float)moved};
    if (emitter->removed ||
        (emitter->owed == 0 && due_time(emitter, emitter->layers) >= target->time + dt))
        return SL_OK;
    /* At most one layer per interval, and one for what is owed per spacing. */
    double layers = 3 + floor(dt / emitter->interval) + floor(moved / (double)target->spacing);
    size_t more = (size_t)layers * (size_t)sl_emitter_layer_size(emitter);
    SlArenaMark mark = sl_arena_mark(target->arena);
    SlStatus status = sl_particles_reserve(target->particles, more, error);
    if (status == SL_OK)
        status = collect_near(&e, more, error);
    if (status == SL_OK)
        status = emit_layers(&e, dt, error);
    sl_arena_release(target->arena, mark);
    return status;
}

SlStatus sl_flow_emit(SlFlow *flow, const SlFlowTarget *target, double dt, SlError *error)
{
    SlStatus status = SL_OK;
    size_t before = target->particles->count;
    flow->work = 0;
    for (uint32_t e = 0; status == SL_OK && e < flow->emitter_count; e++)
        status = drive(flow, &flow->emitters[e], target, dt, error);
    for (uint32_t e = 0; status == SL_OK && e < flow->emitter_count; e++)
        status = emit(flow, &flow->emitters[e], target, dt, error);
    if (target->particles->count != before)
        sl_particles_pad_all(target->particles);
    return status;
}

/* --- Removal and state --- */

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
        const SlEmitter *emitter = &flow->emitters[e];
        uint64_t counts[3] = {emitter->layers, emitter->emitted, emitter->owed};
        seed = sl_hash(counts, sizeof counts, seed);
    }
    return seed;
}
