/* Fills in a world: the public call, and the world as fills see it at the start. */
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

static bool clear_of_solids(const SlWorld *world, SlVec3 p, float distance)
{
    if (-sl_box_distance(world->def.domain, p) < distance)
        return false;
    const SlBodies *bodies = &world->colliders.bodies;
    for (size_t k = 1; k < bodies->count; k++) {
        const SlBody *body = &bodies->body[k];
        if (body->kind == SL_BODY_SHAPE && sl_box_distance(body->bounds, p) >= distance)
            continue;
        if (sl_body_query(body, p, distance).distance < distance)
            return false;
    }
    return true;
}

/* Whether a place is at least `distance` away from walls, solids and blocks. */
static bool is_clear(const void *user, SlVec3 p, float distance)
{
    const SlWorld *world = user;
    if (!clear_of_solids(world, p, distance))
        return false;
    for (uint32_t s = 0; s < world->system_count; s++) {
        const SlWorldSystem *system = world->systems[s];
        for (uint32_t k = 0; k < system->block_count; k++)
            if (sl_box_distance((SlBox){system->blocks[k].min, system->blocks[k].max}, p) < distance)
                return false;
    }
    return true;
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
                           .is_clear = is_clear,
                           .user = world,
                           .systems = s->systems,
                           .fills = s->fills};
    for (uint32_t k = 0; k < world->system_count; k++) {
        const SlWorldSystem *system = world->systems[k];
        s->systems[k] = (SlFillSystem){
            .name = system->base.name,
            .spacing = (double)system->base.solver->spacing(&system->base),
            .lattice = system->block_count > 0 ? &system->blocks[0].min : NULL};
        for (uint32_t f = 0; f < system->fill_count; f++)
            s->fills[s->site.fill_count++] = system->fills[f];
    }
}

SlStatus sl_world_start_fills(SlWorld *world, SlError *error)
{
    Site s;
    make_site(world, &s);
    return sl_fills_count(&s.site, error);
}

void sl_world_place_fills(SlWorld *world, SlWorldSystem *system, size_t *next)
{
    Site s;
    make_site(world, &s);
    sl_fills_place(&s.site, system->base.index, &system->base.particles, next);
}
