/* Filling regions with particles: what may be filled, which places are free, and the particles' own
   values. */
#include "particles/fills.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cookies.h"
#include "core/random.h"
#include "geometry/mesh/check.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/read.h"
#include "geometry/shape.h"
#include "math/noise.h"
#include "math/quat.h"

enum { MAX_SHAPES_OF_FILL = 16, MAX_PER_CELL = 64 };
/* In spacings: decimal fractions are not exact in floats. */
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
        return "a fill needs either a mesh or shapes: a file, arrays or shapes, only one of them";
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
    if (!sl_finite(def->spin) || sl_length(def->spin) > 1e5f)
        return "a fill's spin must be below 1e5 rad/s";
    if (!(def->per_cell >= 1 && def->per_cell <= MAX_PER_CELL))
        return "a fill has 1 to 64 particles per cell";
    if (!(def->cell >= 0 && def->cell <= 1e6))
        return "a fill's cell may not be negative";
    if (!(noise->smooth >= 0 && noise->grain >= 0 && noise->smooth + noise->grain <= 1.000001f))
        return "smooth and grain of noise may not be negative, nor above 1 together";
    if (!(noise->shell >= 0 && noise->shell <= 1e6f && noise->crust >= 0 && noise->crust <= 1e6f))
        return "the depths of shell and crust may be from 0 to 1e6 m";
    if (!(fabsf(noise->offset) <= 1))
        return "the offset of noise may be from -1 to 1";
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
    body->exact = def->shape_count == 1;
    body->bounds = sl_blend_bounds(&body->blend);
    return SL_OK;
}

/* A mesh with a hole has no well-defined inside. The winding number gives one, but a hole is mostly a
   mistake in the mesh, so it has to be allowed explicitly. */
static SlStatus check_closed(const SlFillDef *def, const char *name, const SlMeshReport *report,
                             SlError *error)
{
    if (!report->closed && !def->allow_open)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%.300s is not closed: %zu open, %zu non-manifold and %zu flipped "
                            "edges; set allow_open to fill it nevertheless",
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
    body->exact = report.closed;
    return SL_OK;
}

void sl_fill_body_destroy(SlContext *context, SlFillBody *body)
{
    sl_fill_destroy(&body->fill);
    sl_pack_destroy(&body->pack);
    if (body->has_field)
        sl_sdf_destroy(&body->field);
    sl_mesh_destroy(&body->mesh);
    sl_free(&context->memory, body, sizeof *body);
}

SlStatus sl_fill_body_create(SlContext *context, const SlFillDef *def, SlFillBody **out,
                             SlError *error)
{
    const char *wrong = wrong_with(def);
    *out = NULL;
    if (wrong != NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s", wrong);
    SlFillBody *body = sl_alloc_zero(&context->memory, 1, sizeof *body);
    if (body == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a fill");
    SlStatus status = def->path != NULL || def->vertices != NULL
                          ? take_mesh(context, body, def, error)
                          : take_shapes(body, def, error);
    if (status != SL_OK) {
        sl_fill_body_destroy(context, body);
        return status;
    }
    body->def = *def;
    body->def.path = NULL;
    body->def.shapes = NULL;
    body->def.vertices = NULL;
    body->def.triangles = NULL;
    if (def->cache_folder != NULL)
        snprintf(body->cache_folder, sizeof body->cache_folder, "%s", def->cache_folder);
    *out = body;
    return SL_OK;
}

/* --- Counting --- */

static bool is_lattice(const SlFillBody *body)
{
    return body->def.mode == SL_FILL_LATTICE;
}

static double cell_of(const SlFillBody *body, double spacing)
{
    if (is_lattice(body))
        return spacing;
    return body->def.cell > 0 ? body->def.cell : 2 * spacing;
}

double sl_fill_body_particles(const SlFillBody *body, double spacing, bool packs)
{
    double cell = cell_of(body, spacing);
    double each = is_lattice(body) ? 1 : (double)body->def.per_cell;
    double count = each * body->volume / (cell * cell * cell);
    if (body->counted)
        return (double)body->count;
    return packs && is_lattice(body) ? fmax(1, floor(count + 0.5)) : ceil(count);
}

bool sl_fill_body_varies(const SlFillBody *body)
{
    const SlNoise *noise = &body->def.noise;
    return noise->smooth + noise->grain + noise->chunks + noise->shell + noise->crust +
               fabsf(noise->offset) > 0;
}

SlRegion sl_fill_body_region(const SlFillBody *body)
{
    return (SlRegion){.blend = body->has_field ? NULL : &body->blend,
                      .field = body->has_field ? &body->field : NULL,
                      .bounds = body->bounds};
}

/* What the places of one fill must keep clear of. */
typedef struct Clear {
    const SlFillSite *site;
    const SlFillBody *body;
    size_t index;   /* among the fills of the site */
    float distance; /* m, from surfaces */
} Clear;

/* Places on one lattice are either the same or a spacing apart; others keep away from the whole
   region of an earlier fill. */
static bool taken_by_fill(const Clear *c, const SlFillBody *earlier, SlVec3 p)
{
    bool same_lattice =
        earlier->system == c->body->system && is_lattice(c->body) && is_lattice(earlier);
    SlRegion region = sl_fill_body_region(earlier);
    float reach = same_lattice ? 0 : c->distance;
    if (sl_box_distance(region.bounds, p) > reach)
        return false;
    float distance = sl_region_distance(&region, p);
    return same_lattice ? distance <= -c->distance : distance < c->distance;
}

static bool is_free(const void *user, SlVec3 p)
{
    const Clear *c = user;
    if (c->site->clearance(c->site->user, p, c->distance) < c->distance)
        return false;
    for (size_t k = 0; k < c->index; k++)
        if (taken_by_fill(c, c->site->fills[k], p))
            return false;
    return true;
}

/* The one lattice of a system: that of its first block, or as many layers as fit into the bounds of
   its first lattice fill, centred. */
static SlVec3 lattice_origin(const SlFillSite *site, uint32_t system)
{
    if (site->systems[system].lattice != NULL)
        return *site->systems[system].lattice;
    const SlFillBody *first = NULL;
    for (size_t k = 0; k < site->fill_count && first == NULL; k++)
        if (site->fills[k]->system == system && is_lattice(site->fills[k]))
            first = site->fills[k];
    if (first == NULL)
        return (SlVec3){0, 0, 0};
    double spacing = site->systems[system].spacing;
    SlVec3 origin = first->bounds.min, size = sl_sub(first->bounds.max, first->bounds.min);
    for (int k = 0; k < 3; k++) {
        double along = (double)(&size.x)[k], layers = floor(along / spacing + (double)slack);
        (&origin.x)[k] += (float)(0.5 * (along - layers * spacing));
    }
    return origin;
}

static SlFillPlan plan_of(const Clear *clear)
{
    const SlFillSite *site = clear->site;
    const SlFillBody *body = clear->body;
    return (SlFillPlan){.region = sl_fill_body_region(body),
                        .origin = is_lattice(body) ? lattice_origin(site, body->system)
                                                   : body->bounds.min,
                        .cell = cell_of(body, site->systems[body->system].spacing),
                        .depth = clear->distance,
                        .per_cell = is_lattice(body) ? 0 : body->def.per_cell,
                        .seed = site->seed,
                        .stream = (uint64_t)body->system << 32 | body->number,
                        .is_free = is_free,
                        .user = clear};
}

static Clear clear_of(const SlFillSite *site, size_t index)
{
    const SlFillBody *body = site->fills[index];
    float spacing = (float)site->systems[body->system].spacing;
    return (Clear){site, body, index, is_lattice(body) ? (0.5f - slack) * spacing : 0};
}

/* --- Lattice fills that a solver relaxes --- */

static bool is_packed(const SlFillSite *site, const SlFillBody *body)
{
    return is_lattice(body) && site->systems[body->system].packs;
}

/* Distance to walls, solids, blocks and the regions of earlier fills. */
static float clearance(const void *user, SlVec3 p, float reach)
{
    const Clear *c = user;
    float nearest = c->site->clearance(c->site->user, p, reach);
    for (size_t k = 0; k < c->index; k++) {
        SlRegion region = sl_fill_body_region(c->site->fills[k]);
        if (sl_box_distance(region.bounds, p) < fminf(nearest, reach))
            nearest = fminf(nearest, sl_region_distance(&region, p));
    }
    return nearest;
}

static SlStatus count_packed(const Clear *clear, SlFillBody *body, SlError *error)
{
    const SlFillSite *site = clear->site;
    const SlFillSystem *system = &site->systems[body->system];
    SlPackPlan plan = {.region = sl_fill_body_region(body),
                       .volume = body->exact ? body->volume : 0,
                       .origin = lattice_origin(site, body->system),
                       .spacing = system->spacing,
                       .clearance = clearance,
                       .user = clear};
    sl_pack_destroy(&body->pack); /* of a start that failed */
    SlStatus status = sl_pack_create(site->context, &plan, &body->pack, error);
    if (status != SL_OK)
        return status;
    body->count = body->pack.count;
    body->volume = body->pack.volume;
    body->lattice = plan.origin;
    if (body->count > 0 && !sl_pack_is_free(&body->pack))
        sl_log(site->context, SL_LOG_INFO,
               "%s: fill %u has %llu particles; %.3g %% of its volume is in walls, solids, blocks "
               "or earlier fills",
               system->name, body->number, (unsigned long long)body->count,
               100 * (1 - body->pack.free_volume / body->pack.volume));
    return SL_OK;
}

/* --- Other fills --- */

static SlStatus count_places(const Clear *clear, SlFillBody *body, SlError *error)
{
    const SlFillSite *site = clear->site;
    SlFillPlan plan = plan_of(clear);
    sl_fill_destroy(&body->fill); /* of a start that failed */
    SlStatus status = sl_fill_create(site->context, &plan, &body->fill, error);
    if (status != SL_OK)
        return status;
    body->count = body->fill.count;
    if (body->count > 0 && body->fill.taken_count > 0)
        sl_log(site->context, SL_LOG_INFO,
               "%s: fill %u has %llu particles; %llu more would be in walls, solids, blocks or "
               "earlier fills",
               site->systems[body->system].name, body->number, (unsigned long long)body->count,
               (unsigned long long)body->fill.taken_count);
    return SL_OK;
}

static SlStatus count_fill(const SlFillSite *site, size_t index, SlError *error)
{
    SlFillBody *body = site->fills[index];
    Clear clear = clear_of(site, index);
    SlStatus status = is_packed(site, body) ? count_packed(&clear, body, error)
                                            : count_places(&clear, body, error);
    if (status != SL_OK)
        return status;
    body->counted = true;
    if (body->count == 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: fill %u has no place for a particle: it is thinner than a spacing "
                            "of %g m, or all of it is taken",
                            site->systems[body->system].name, body->number,
                            cell_of(body, site->systems[body->system].spacing));
    return SL_OK;
}

static SlStatus build_field(const SlFillSite *site, SlFillBody *body, SlError *error)
{
    SlSdfSettings settings = sl_default_sdf_settings(site->systems[body->system].spacing);
    SlStatus status = sl_sdf_load_or_build(
        site->context, &body->mesh, &settings,
        body->cache_folder[0] != '\0' ? body->cache_folder : NULL, &body->field, error);
    body->has_field = status == SL_OK;
    return status;
}

SlStatus sl_fills_count(const SlFillSite *site, SlError *error)
{
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < site->fill_count; k++) {
        SlFillBody *body = site->fills[k];
        if (body->mesh.triangle_count > 0 && !body->has_field)
            status = build_field(site, body, error);
        if (status == SL_OK)
            status = count_fill(site, k, error);
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
    SlVec3 middle; /* what it spins about */
} Born;

/* Whether the place is within the shell, or below less than the crust. */
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
    value += (double)noise->offset;
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
        SlVec3 arm = {position[4 * i] - b->middle.x, position[4 * i + 1] - b->middle.y,
                      position[4 * i + 2] - b->middle.z};
        SlVec3 v = sl_add(b->def->velocity, sl_cross(b->def->spin, arm));
        memcpy(&velocity[4 * i], &v, 3 * sizeof(float));
        if (fluid != NULL)
            fluid[i] = b->def->fluid;
        if (variation != NULL)
            variation[i] = variation_of(b, (uint32_t)i, &position[4 * i]);
    }
}

/* The mean of so many positions, four floats each. */
static SlVec3 mean_position(const float *position, size_t count)
{
    double sum[3] = {0, 0, 0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            sum[k] += (double)position[4 * i + k];
    double part = 1 / (double)(count > 0 ? count : 1);
    return sl_vec3((float)(sum[0] * part), (float)(sum[1] * part), (float)(sum[2] * part));
}

void sl_fills_place(const SlFillSite *site, uint32_t system, SlParticles *particles, size_t *next)
{
    enum { CHUNK = 4096 };
    for (size_t k = 0; k < site->fill_count; k++) {
        SlFillBody *body = site->fills[k];
        if (body->system != system)
            continue;
        Clear clear = clear_of(site, k);
        float *records = sl_f32x4(particles, SL_F_POSITION) + 4 * *next;
        body->fill.plan.user = body->pack.plan.user = &clear;
        if (is_packed(site, body))
            sl_pack_place(&body->pack, records);
        else
            sl_fill_place(&body->fill, records);
        Born born = {particles, &body->def, sl_fill_body_region(body), site->seed, *next,
                     mean_position(records, (size_t)body->count)};
        sl_parallel_for(site->context->pool, (size_t)body->count, CHUNK, born_chunk, &born);
        *next += (size_t)body->count;
        sl_fill_destroy(&body->fill);
        sl_pack_destroy(&body->pack);
    }
}
