/* Fills and blocks in a world: the public calls, the world as fills see it at the start, and blocks
   that a solver relaxes. */
#include <math.h>
#include <string.h>

#include "geometry/box.h"
#include "geometry/shape.h"
#include "math/vec3.h"
#include "particles/fills.h"
#include "world/world.h"

static SlStatus add_fill(SlWorld *world, SlSystemId id, const SlFillDef *def, SlError *error)
{
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlStatus status = sl_require_not_started(world, error);
    if (status != SL_OK)
        return status;
    if (system->fill_count == SL_MAX_FILLS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "a system holds at most %d fills",
                            SL_MAX_FILLS);
    SlFillBody *body;
    status = sl_fill_body_create(world->context, def, &body, error);
    if (status != SL_OK)
        return status;
    if (def->fluid > system->base.fluid_count) {
        sl_fill_body_destroy(world->context, body);
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the system has no fluid of the number that the fill asks for");
    }
    body->system = system->base.index;
    body->number = system->fill_count;
    system->fills[system->fill_count++] = body;
    return SL_OK;
}

SlStatus sl_system_add_fill(SlWorld *world, SlSystemId id, const SlFillDef *def, SlError *error)
{
    SL_SETUP_CALL(world, error, add_fill(world, id, def, &found));
}

uint32_t sl_fill_fields(const SlWorldSystem *system)
{
    for (uint32_t k = 0; k < system->fill_count; k++)
        if (sl_fill_body_varies(system->fills[k]))
            return SL_FIELD_BIT(VARIATION);
    return 0;
}

/* --- The world as fills see it --- */

static float distance_to_solids(const SlWorld *world, SlVec3 p, float reach)
{
    float nearest = -sl_box_distance(world->def.domain, p);
    const SlBodies *bodies = &world->colliders.bodies;
    for (size_t k = 1; k < bodies->count; k++) {
        const SlBody *body = &bodies->body[k];
        if (body->kind == SL_BODY_SHAPE && sl_box_distance(body->bounds, p) >= reach)
            continue;
        nearest = fminf(nearest, sl_body_query(body, p, reach).distance);
    }
    return nearest;
}

static float clearance(const void *user, SlVec3 p, float reach)
{
    const SlWorld *world = user;
    float nearest = distance_to_solids(world, p, reach);
    for (uint32_t s = 0; s < world->system_count; s++) {
        const SlWorldSystem *system = world->systems[s];
        for (uint32_t k = 0; k < system->block_count; k++)
            nearest = fminf(nearest, sl_box_distance(sl_block_box(&system->blocks[k]), p));
    }
    return nearest;
}

typedef struct Site {
    SlFillSite site;
    SlFillSystem systems[SL_MAX_SYSTEMS];
    SlFillBody *fills[SL_MAX_SYSTEMS * SL_MAX_FILLS];
} Site;

static void make_site(const SlWorld *world, Site *s)
{
    s->site = (SlFillSite){.context = world->context,
                           .seed = world->def.seed,
                           .clearance = clearance,
                           .user = world,
                           .systems = s->systems,
                           .fills = s->fills};
    for (uint32_t k = 0; k < world->system_count; k++) {
        const SlWorldSystem *system = world->systems[k];
        s->systems[k] = (SlFillSystem){
            .name = system->base.name,
            .spacing = (double)system->base.solver->spacing(&system->base),
            .packs = sl_system_packs(&system->base),
            .lattice = system->block_count > 0 ? &system->blocks[0].min : NULL};
        for (uint32_t f = 0; f < system->fill_count; f++)
            s->fills[s->site.fill_count++] = system->fills[f];
    }
}

/* --- Blocks that a solver relaxes --- */

/* Blocks do not overlap and are inside the domain: only colliders take a part of them. */
static float clearance_of_block(const void *user, SlVec3 p, float reach)
{
    return distance_to_solids(user, p, reach);
}

/* False: no collider is near the box. */
static bool may_be_obstructed(const SlWorld *world, SlBox box)
{
    const SlBodies *bodies = &world->colliders.bodies;
    for (size_t k = 1; k < bodies->count; k++)
        if (bodies->body[k].kind == SL_BODY_FIELD ||
            (bodies->body[k].kind == SL_BODY_SHAPE &&
             sl_boxes_overlap(&bodies->body[k].bounds, &box, 0)))
            return true;
    return false;
}

static SlStatus count_block(const SlWorld *world, SlWorldSystem *system, uint32_t k, SlError *error)
{
    SlPackedBlock *packed = &system->packed_blocks[k];
    SlBox box = sl_block_box(&system->blocks[k]);
    double spacing = (double)system->base.solver->spacing(&system->base);
    packed->count = (uint64_t)sl_pack_box_count(box, spacing);
    if (may_be_obstructed(world, box)) {
        SlVec3 size = sl_sub(box.max, box.min);
        SlPackPlan plan = {.region = {.bounds = box},
                           .volume = (double)size.x * (double)size.y * (double)size.z,
                           .origin = box.min,
                           .spacing = spacing,
                           .clearance = clearance_of_block,
                           .user = world};
        SlStatus status = sl_pack_create(world->context, &plan, &packed->pack, error);
        if (status != SL_OK)
            return status;
        if (sl_pack_is_free(&packed->pack))
            sl_pack_destroy(&packed->pack);
        else
            packed->count = packed->pack.count;
    }
    packed->counted = true;
    if (packed->count == 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: block %u is inside colliders",
                            system->base.name, k);
    return SL_OK;
}

void sl_world_release_blocks(SlWorld *world)
{
    for (uint32_t s = 0; s < world->system_count; s++)
        for (uint32_t k = 0; k < world->systems[s]->block_count; k++)
            sl_pack_destroy(&world->systems[s]->packed_blocks[k].pack);
}

static SlStatus count_blocks(SlWorld *world, SlError *error)
{
    SlStatus status = SL_OK;
    sl_world_release_blocks(world);
    for (uint32_t s = 0; s < world->system_count; s++) {
        SlWorldSystem *system = world->systems[s];
        bool packs = sl_system_packs(&system->base);
        for (uint32_t k = 0; status == SL_OK && k < system->block_count; k++) {
            system->packed_blocks[k].counted = false;
            if (packs)
                status = count_block(world, system, k, error);
        }
    }
    return status;
}

double sl_block_particles(const SlWorldSystem *system, uint32_t k)
{
    double spacing = (double)system->base.solver->spacing(&system->base), along[3];
    if (system->packed_blocks[k].counted)
        return (double)system->packed_blocks[k].count;
    if (sl_system_packs(&system->base))
        return sl_pack_box_count(sl_block_box(&system->blocks[k]), spacing);
    sl_block_lattice(&system->blocks[k], spacing, along);
    return along[0] * along[1] * along[2];
}

void sl_world_place_packed_block(const SlWorld *world, const SlWorldSystem *system, uint32_t k,
                                 float *records)
{
    const SlPackedBlock *packed = &system->packed_blocks[k];
    double spacing = (double)system->base.solver->spacing(&system->base);
    if (packed->pack.context != NULL)
        sl_pack_place(&packed->pack, records);
    else
        sl_pack_box(world->context->pool, sl_block_box(&system->blocks[k]), spacing, records);
}

/* --- Counting and placing --- */

SlStatus sl_world_start_fills(SlWorld *world, SlError *error)
{
    Site s;
    make_site(world, &s);
    SlStatus status = count_blocks(world, error);
    return status == SL_OK ? sl_fills_count(&s.site, error) : status;
}

void sl_world_place_fills(SlWorld *world, SlWorldSystem *system, size_t *next)
{
    Site s;
    make_site(world, &s);
    sl_fills_place(&s.site, system->base.index, &system->base.particles, next);
}

size_t sl_world_list_regions(const SlWorldSystem *system, SlFilledRegion *regions)
{
    size_t count = 0, first = 0;
    if (!sl_system_packs(&system->base))
        return 0;
    for (uint32_t k = 0; k < system->block_count; k++) {
        size_t placed = (size_t)sl_block_particles(system, k);
        SlBox box = sl_block_box(&system->blocks[k]);
        regions[count++] = (SlFilledRegion){first, placed, {.bounds = box}, box.min};
        first += placed;
    }
    for (uint32_t k = 0; k < system->fill_count; k++) {
        const SlFillBody *body = system->fills[k];
        if (body->def.mode == SL_FILL_LATTICE)
            regions[count++] =
                (SlFilledRegion){first, (size_t)body->count, sl_fill_body_region(body),
                                 body->lattice};
        first += (size_t)body->count;
    }
    return count;
}

/* --- What was filled --- */

uint32_t sl_system_fill_count(const SlWorld *world, SlSystemId id)
{
    const SlWorldSystem *system = sl_world_resolve_system(world, id, NULL);
    return system != NULL ? system->fill_count : 0;
}

SlStatus sl_system_fill_report(SlWorld *world, SlSystemId id, uint32_t fill, SlFillReport *report,
                               SlError *error)
{
    memset(report, 0, sizeof *report);
    const SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    if (fill >= system->fill_count)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%s has %u fills; there is no fill %u",
                            system->base.name, system->fill_count, fill);
    SlFillBody *body = system->fills[fill];
    SlStatus status = SL_OK;
    if (!body->counted)
        status = sl_colliders_start(&world->colliders, sl_world_finest_spacing(world), error);
    if (status == SL_OK && !body->counted)
        status = sl_world_start_fills(world, error);
    if (!world->started)
        sl_world_release_blocks(world);
    if (status != SL_OK)
        return status;
    double spacing = (double)system->base.solver->spacing(&system->base);
    *report = (SlFillReport){.volume = body->volume,
                             .particles = body->count,
                             .particle_volume =
                                 (double)body->count * spacing * spacing * spacing};
    return SL_OK;
}
