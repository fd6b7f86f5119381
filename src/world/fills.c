/* Filling regions with particles: what may be filled, what is in the way, and the particles' own
   values. Places themselves are geometry/fill.c's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/mesh/check.h"
#include "core/cookies.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/read.h"
#include "geometry/shape.h"
#include "math/noise.h"
#include "world/world.h"

enum { MAX_SHAPES_OF_FILL = 16, MAX_PER_CELL = 64 };
/* Of a spacing: decimals do not meet exactly. */
static const float slack = 1e-3f;

SlFillDef sl_default_fill_def(void)
{
    return (SlFillDef){SL_DEF_HEAD(FILL, SlFillDef),
                       .scale = 1,
                       .per_cell = 8,
                       .noise = {.size = 0.5f, .octaves = 3}};
}

static const char *wrong_with(const SlFillDef *def)
{
    const SlNoise *noise = &def->noise;
    if (!SL_DEF_VALID(def, FILL))
        return "fill definition not made by sl_default_fill_def";
    if ((unsigned)def->mode > SL_FILL_RANDOM)
        return "unknown mode of fill";
    if ((def->path != NULL) + (def->vertices != NULL) + (def->shape_count > 0) != 1)
        return "a fill needs either a mesh file, arrays of a mesh or shapes";
    if (def->vertices != NULL && (def->triangles == NULL || def->triangle_count == 0))
        return "a fill's mesh from memory needs at least one triangle";
    if (def->shape_count > MAX_SHAPES_OF_FILL)
        return "a fill has at most 16 shapes";
    if (!(fabsf(def->scale) >= 1e-9f && fabsf(def->scale) <= 1e9f))
        return "a mesh's scale may be from 1e-9 to 1e9";
    if (!sl_finite(def->rotation) || !sl_finite(def->position))
        return "a mesh's rotation and position must be finite";
    if (!(def->blend >= 0 && def->blend <= 1e6f))
        return "a fill's blend may not be negative";
    if (!sl_finite(def->velocity) || sl_length(def->velocity) > 1e5f)
        return "a fill's velocity must be below 1e5 m/s";
    if (!(def->per_cell >= 1 && def->per_cell <= MAX_PER_CELL))
        return "a fill has 1 to 64 particles per cell";
    if (!(def->cell >= 0 && def->cell <= 1e6))
        return "a fill's cell may not be negative";
    if (!(noise->smooth >= 0 && noise->grain >= 0 && noise->smooth + noise->grain <= 1.000001f))
        return "the shares of noise may not be negative, nor above 1 together";
    if (!(noise->shell >= 0 && noise->shell <= 1e6f && noise->crust >= 0 && noise->crust <= 1e6f))
        return "the depths of shell and crust may be from 0 to 1e6 m";
    if (!(noise->chunks == 0 || (noise->chunks >= 1e-6f && noise->chunks <= 1e6f)))
        return "chunks may be 0 or from 1e-6 to 1e6 m";
    if (!(noise->seams >= 0 && noise->seams <= noise->chunks))
        return "seams may be from 0 to the size of the chunks they are between";
    if (!(noise->size > 0 && noise->size <= 1e6f && noise->octaves >= 1 && noise->octaves <= 8))
        return "noise needs a size above 0 and 1 to 8 octaves";
    return NULL;
}

/* --- What is filled --- */

static SlStatus take_shapes(SlFillBody *body, const SlFillDef *def, SlError *error)
{
    const char *reason = NULL;
    sl_blend_init(&body->blend);
    for (size_t k = 0; k < def->shape_count; k++) {
        SlShape shape = def->shapes[k];
        bool ok = sl_shape_prepare(&shape, &reason);
        const SlShapeType *type = sl_shape_type(shape.kind);
        if (ok && (type->endless || type->arrays)) {
            ok = false;
            reason = type->endless ? "it has no inside to fill" : "it can only be a collider";
        }
        ok = ok && sl_blend_shape(&body->blend, shape, &reason);
        ok = ok && (k == 0 || sl_blend_join(&body->blend, SL_BLEND_UNION, def->blend, &reason));
        if (!ok)
            return sl_error_set(error, SL_ERROR_ARGUMENT, "fill: %s: %s",
                                sl_shape_kind_name(def->shapes[k].kind), reason);
        body->volume += type->volume(&shape);
    }
    body->bounds = sl_blend_bounds(&body->blend);
    return SL_OK;
}

/* A mesh with a hole has no inside that all would agree on. The winding number would give one, but
   a hole is mostly a mistake in the mesh, so it has to be allowed. */
static SlStatus check_closed(const SlFillDef *def, const char *name, const SlMeshReport *report,
                             SlError *error)
{
    if (!report->closed && !def->allow_open)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%.300s is not closed: %zu open, %zu non-manifold and %zu flipped "
                            "edges; allow_open fills it all the same",
                            name, report->open_edges, report->non_manifold_edges,
                            report->flipped_edges);
    if (!(report->volume > 0))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%.300s is inside out or flat: its volume is %g m^3", name,
                            report->volume);
    return SL_OK;
}

static SlStatus take_mesh(SlContext *context, SlFillBody *body, const SlFillDef *def,
                          SlError *error)
{
    float rows[9];
    SlMeshReport report;
    double rotation[4];
    sl_quat_from_vector(def->rotation, rotation);
    sl_quat_rows(rotation, rows);
    const char *name = def->path != NULL ? def->path : "the fill's mesh";
    SlStatus status = def->path != NULL
                          ? sl_mesh_read(context, def->path, &body->mesh, error)
                          : sl_mesh_copy(context, def->vertices, def->vertex_count, def->triangles,
                                         def->triangle_count, &body->mesh, error);
    if (status == SL_OK)
        status = sl_mesh_weld(&body->mesh, name, error);
    if (status == SL_OK)
        status = sl_mesh_transform(&body->mesh, def->scale, rows, def->position, error);
    if (status == SL_OK)
        status = sl_mesh_check(&body->mesh, &report, error);
    if (status == SL_OK)
        status = check_closed(def, name, &report, error);
    if (status != SL_OK)
        return status;
    body->bounds = report.bounds;
    body->volume = report.volume;
    return SL_OK;
}

void sl_fill_body_destroy(SlContext *context, SlFillBody *body)
{
    sl_fill_destroy(&body->fill);
    if (body->has_field)
        sl_sdf_destroy(&body->field);
    sl_mesh_destroy(&body->mesh);
    sl_free(&context->memory, body, sizeof *body);
}

static SlStatus add_fill(SlWorld *world, SlSystemId id, const SlFillDef *def, SlError *error)
{
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    const char *wrong = world->started ? "the world has started; its set-up is fixed"
                                       : wrong_with(def);
    if (wrong == NULL && system->fill_count == SL_MAX_FILLS)
        wrong = "a system holds at most 64 fills";
    if (wrong == NULL && def->fluid > system->base.fluid_count)
        wrong = "the system has no fluid of the number that the fill asks for";
    if (wrong != NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s", wrong);
    SlFillBody *body = sl_alloc_zero(&world->context->memory, 1, sizeof *body);
    if (body == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a fill");
    SlStatus status = def->path != NULL || def->vertices != NULL
                          ? take_mesh(world->context, body, def, error)
                          : take_shapes(body, def, error);
    if (status != SL_OK) {
        sl_fill_body_destroy(world->context, body);
        return status;
    }
    body->def = *def;
    body->def.path = NULL;
    body->def.shapes = NULL;
    body->def.vertices = NULL;
    body->def.triangles = NULL;
    if (def->cache_folder != NULL)
        snprintf(body->cache_folder, sizeof body->cache_folder, "%s", def->cache_folder);
    system->fills[system->fill_count++] = body;
    return SL_OK;
}

SlStatus sl_system_add_fill(SlWorld *world, SlSystemId id, const SlFillDef *def, SlError *error)
{
    SL_SETUP_CALL(world, error, add_fill(world, id, def, &found));
}

/* --- Counting --- */

static double cell_of(const SlSystem *system, const SlFillBody *body)
{
    double spacing = (double)system->solver->spacing(system);
    if (body->def.mode == SL_FILL_LATTICE)
        return spacing;
    return body->def.cell > 0 ? body->def.cell : 2 * spacing;
}

double sl_fill_particles(const SlSystem *system, const SlFillBody *body)
{
    double cell = cell_of(system, body);
    double each = body->def.mode == SL_FILL_RANDOM ? (double)body->def.per_cell : 1;
    return body->counted ? (double)body->count
                         : ceil(each * body->volume / (cell * cell * cell));
}

uint32_t sl_fill_fields(const SlWorldSystem *system)
{
    for (uint32_t k = 0; k < system->fill_count; k++) {
        const SlNoise *noise = &system->fills[k]->def.noise;
        if (noise->smooth + noise->grain + noise->chunks + noise->shell + noise->crust > 0)
            return SL_FIELD_BIT(VARIATION);
    }
    return 0;
}

static SlRegion region_of(const SlFillBody *body)
{
    return (SlRegion){.blend = body->has_field ? NULL : &body->blend,
                      .field = body->has_field ? &body->field : NULL,
                      .bounds = body->bounds};
}

/* What a place must keep clear of. */
typedef struct Clear {
    const SlWorld *world;
    uint32_t system, fill; /* whose places they are */
    float distance;        /* m, of surfaces */
    bool lattice;
} Clear;

static float box_distance(SlVec3 low, SlVec3 high, SlVec3 p)
{
    SlVec3 q = {fmaxf(low.x - p.x, p.x - high.x), fmaxf(low.y - p.y, p.y - high.y),
                fmaxf(low.z - p.z, p.z - high.z)};
    SlVec3 out = {fmaxf(q.x, 0), fmaxf(q.y, 0), fmaxf(q.z, 0)};
    return sl_length(out) + fminf(fmaxf(q.x, fmaxf(q.y, q.z)), 0);
}

static bool clear_of_solids(const Clear *c, SlVec3 p)
{
    const SlWorld *world = c->world;
    if (-box_distance(world->def.domain.min, world->def.domain.max, p) < c->distance)
        return false;
    const SlBodies *bodies = &world->colliders.bodies;
    for (size_t k = 1; k < bodies->count; k++) {
        const SlBody *body = &bodies->body[k];
        if (body->kind == SL_BODY_SHAPE &&
            box_distance(body->bounds.min, body->bounds.max, p) >= c->distance)
            continue;
        if (sl_body_query(body, p, c->distance).distance < c->distance)
            return false;
    }
    return true;
}

/* Places on one lattice cannot come too close, they can only be the same; others keep away from
   the whole region of an earlier fill. */
static bool taken_by_fill(const Clear *c, uint32_t system, uint32_t fill, SlVec3 p)
{
    const SlFillBody *body = c->world->systems[system]->fills[fill];
    bool same_lattice =
        system == c->system && c->lattice && body->def.mode == SL_FILL_LATTICE;
    SlRegion region = region_of(body);
    float reach = same_lattice ? 0 : c->distance;
    if (box_distance(region.bounds.min, region.bounds.max, p) > reach)
        return false;
    float distance = sl_region_distance(&region, p);
    return same_lattice ? distance <= -c->distance : distance < c->distance;
}

static bool is_free(const void *user, SlVec3 p)
{
    const Clear *c = user;
    if (!clear_of_solids(c, p))
        return false;
    for (uint32_t s = 0; s < c->world->system_count; s++) {
        const SlWorldSystem *system = c->world->systems[s];
        for (uint32_t k = 0; k < system->block_count; k++)
            if (box_distance(system->blocks[k].min, system->blocks[k].max, p) < c->distance)
                return false;
        uint32_t earlier = s < c->system ? system->fill_count : s == c->system ? c->fill : 0;
        for (uint32_t k = 0; k < earlier; k++)
            if (taken_by_fill(c, s, k, p))
                return false;
    }
    return true;
}

/* The system's one lattice: that of its first block, or as many layers as fit into the bounds of
   its first lattice fill, in their middle. */
static SlVec3 lattice_origin(const SlWorldSystem *system, const SlFillBody *own, double spacing)
{
    if (system->block_count > 0)
        return system->blocks[0].min;
    const SlFillBody *first = own;
    for (uint32_t k = system->fill_count; k-- > 0;)
        if (system->fills[k]->def.mode == SL_FILL_LATTICE)
            first = system->fills[k];
    SlVec3 origin = first->bounds.min, size = sl_sub(first->bounds.max, first->bounds.min);
    for (int k = 0; k < 3; k++) {
        double along = (double)(&size.x)[k], layers = floor(along / spacing + (double)slack);
        (&origin.x)[k] += (float)(0.5 * (along - layers * spacing));
    }
    return origin;
}

static SlFillPlan plan_of(const SlWorld *world, const Clear *clear)
{
    const SlWorldSystem *system = world->systems[clear->system];
    const SlFillBody *body = system->fills[clear->fill];
    double cell = cell_of(&system->base, body);
    return (SlFillPlan){.region = region_of(body),
                        .origin = clear->lattice ? lattice_origin(system, body, cell)
                                                 : body->bounds.min,
                        .cell = cell,
                        .depth = clear->distance,
                        .per_cell = clear->lattice ? 0 : body->def.per_cell,
                        .seed = world->def.seed,
                        .stream = (uint64_t)clear->system << 32 | clear->fill,
                        .is_free = is_free,
                        .user = clear};
}

static Clear clear_of(const SlWorld *world, uint32_t system, uint32_t fill)
{
    const SlSystem *base = &world->systems[system]->base;
    bool lattice = world->systems[system]->fills[fill]->def.mode == SL_FILL_LATTICE;
    float distance = lattice ? (0.5f - slack) * base->solver->spacing(base) : 0;
    return (Clear){world, system, fill, distance, lattice};
}

static SlStatus count_fill(SlWorld *world, uint32_t s, uint32_t k, SlError *error)
{
    SlWorldSystem *system = world->systems[s];
    SlFillBody *body = system->fills[k];
    Clear clear = clear_of(world, s, k);
    SlFillPlan plan = plan_of(world, &clear);
    sl_fill_destroy(&body->fill); /* of a start that failed */
    SlStatus status = sl_fill_create(world->context, &plan, &body->fill, error);
    if (status != SL_OK)
        return status;
    body->count = body->fill.count;
    body->counted = true;
    if (body->count == 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: fill %u has no place for a particle: it is thinner than a spacing "
                            "of %g m, or all of it is taken",
                            system->base.name, k, plan.cell);
    if (body->fill.taken_count > 0)
        sl_log(world->context, SL_LOG_INFO,
               "%s: fill %u has %llu particles; %llu more would be in walls, solids, blocks or "
               "earlier fills",
               system->base.name, k, (unsigned long long)body->count,
               (unsigned long long)body->fill.taken_count);
    return SL_OK;
}

SlStatus sl_world_start_fills(SlWorld *world, SlError *error)
{
    SlStatus status = SL_OK;
    for (uint32_t s = 0; s < world->system_count; s++) {
        SlWorldSystem *system = world->systems[s];
        for (uint32_t k = 0; status == SL_OK && k < system->fill_count; k++) {
            SlFillBody *body = system->fills[k];
            if (body->mesh.triangle_count > 0 && !body->has_field) {
                SlSdfSettings settings =
                    sl_default_sdf_settings((double)system->base.solver->spacing(&system->base));
                status = sl_sdf_load_or_build(
                    world->context, &body->mesh, &settings,
                    body->cache_folder[0] != '\0' ? body->cache_folder : NULL, &body->field,
                    error);
                body->has_field = status == SL_OK;
            }
            if (status == SL_OK)
                status = count_fill(world, s, k, error);
        }
    }
    return status;
}

/* --- Placing --- */

typedef struct Born {
    SlParticles *particles;
    const SlFillDef *def;
    SlRegion region;
    uint64_t seed;
    size_t first;
} Born;

/* Whether the surface is so near, or the way up so short. */
static bool is_outer(const Born *b, SlVec3 at)
{
    const SlNoise *noise = &b->def->noise;
    SlVec3 above = {at.x, at.y + noise->crust, at.z};
    return (noise->shell > 0 && sl_region_distance(&b->region, at) > -noise->shell) ||
           (noise->crust > 0 && sl_region_distance(&b->region, above) > 0);
}

static float variation_of(const Born *b, uint32_t id, const float *at)
{
    const SlNoise *noise = &b->def->noise;
    double value = 0, per_metre = 1 / (double)noise->size;
    if (noise->smooth > 0)
        value += (double)noise->smooth *
                 sl_noise_octaves(b->seed, noise->octaves, (double)at[0] * per_metre,
                                  (double)at[1] * per_metre, (double)at[2] * per_metre);
    if (noise->grain > 0) {
        SlRandom4 r = sl_random(b->seed, id, (uint64_t)1 << 63);
        value += (double)noise->grain * (2 * (double)sl_random_unit(r.value[0]) - 1);
    }
    if (noise->chunks > 0) {
        double per_chunk = 1 / (double)noise->chunks;
        double width = noise->seams > 0 ? (double)noise->seams * per_chunk : 0.2;
        value += sl_noise_chunks(b->seed, width, (double)at[0] * per_chunk, (double)at[1] * per_chunk,
                                 (double)at[2] * per_chunk);
    }
    if (is_outer(b, sl_vec3(at[0], at[1], at[2])))
        value += 1;
    return (float)fmin(fmax(value, -1), 1);
}

static void born_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Born *b = argument;
    float *velocity = sl_f32x4(b->particles, SL_F_VELOCITY);
    const float *position = sl_f32x4(b->particles, SL_F_POSITION);
    float *variation = b->particles->data[SL_F_VARIATION];
    uint32_t *fluid = b->particles->data[SL_F_FLUID];
    for (size_t i = b->first + begin; i < b->first + end; i++) {
        ((uint32_t *)b->particles->data[SL_F_ID])[i] = (uint32_t)i;
        memcpy(&velocity[4 * i], &b->def->velocity, 3 * sizeof(float));
        if (fluid != NULL)
            fluid[i] = b->def->fluid;
        if (variation != NULL)
            variation[i] = variation_of(b, (uint32_t)i, &position[4 * i]);
    }
}

void sl_world_place_fills(SlWorld *world, SlWorldSystem *system, size_t *next)
{
    enum { CHUNK = 4096 };
    SlParticles *particles = &system->base.particles;
    for (uint32_t k = 0; k < system->fill_count; k++) {
        SlFillBody *body = system->fills[k];
        Clear clear = clear_of(world, system->base.index, k);
        body->fill.plan.user = &clear;
        sl_fill_place(&body->fill, sl_f32x4(particles, SL_F_POSITION) + 4 * *next);
        Born born = {particles, &body->def, region_of(body), world->def.seed, *next};
        sl_parallel_for(world->context->pool, (size_t)body->count, CHUNK, born_chunk, &born);
        *next += (size_t)body->count;
        sl_fill_destroy(&body->fill);
    }
}
