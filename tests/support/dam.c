#include "support/dam.h"
#include "support/world.h"

/* The lattice, two equal steps a frame and XSPH by step, as the papers have them; pbf with the printed
   loop. */
static void set_printed(SlWorld *world, SlSystemId id, const DamSetting *s)
{
    if (s->solver == NULL || strcmp(s->solver, "pbf") == 0)
        assert_ok(sl_system_set_text(world, id, "preset", "macklin2013", &test_error));
    assert_ok(sl_system_set_text(world, id, "packing", "lattice", &test_error));
    assert_ok(sl_system_set_number(world, id, "steps", s->steps > 0 ? s->steps : 2, &test_error));
    assert_ok(sl_system_set_number(world, id, "viscosity", 0, &test_error));
    assert_ok(sl_system_set_number(world, id, "xsph",
                                   s->viscosity != 0 ? fmax(s->viscosity, 0) : 0.01, &test_error));
}

SlWorld *dam_create(const DamSetting *s)
{
    double d = s->spacing > 0 ? s->spacing : 0.1;
    SlVec3 size = {(float)(s->nx * d), (float)(s->ny * d), (float)(s->nz * d)};
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, s->threads, s->isa);
    def.on_step = s->on_step;
    def.on_step_user = s->user;
    if (s->no_gravity)
        def.gravity = (SlVec3){0, 0, 0};
    def.domain.max = s->domain.x > 0 ? s->domain : (SlVec3){3 * size.x, 2 * size.y, size.z};
    SlSystemId id;
    SlWorld *world = test_world(&def, s->solver != NULL ? s->solver : "pbf", NULL, &id);
    assert_ok(sl_system_set_number(world, id, "spacing", d, &test_error));
    if (!s->defaults && (s->solver == NULL || strcmp(s->solver, "snow") != 0))
        set_printed(world, id, s);
    if (s->kernel != NULL)
        assert_ok(sl_system_set_text(world, id, "kernel", s->kernel, &test_error));
    if (s->constraint != NULL)
        assert_ok(sl_system_set_text(world, id, "constraint", s->constraint, &test_error));
    if (s->iterations > 0)
        assert_ok(sl_system_set_number(world, id, "iterations", s->iterations, &test_error));
    if (s->steps > 0)
        assert_ok(sl_system_set_number(world, id, "steps", s->steps, &test_error));
    SlBlock block = {.min = s->offset,
                        .max = {s->offset.x + size.x, s->offset.y + size.y, s->offset.z + size.z},
                        .velocity = s->velocity};
    if (s->nx * s->ny * s->nz > 0)
        assert_ok(sl_system_add_block(world, id, &block, &test_error));
    return world;
}

void dam_advance(SlWorld *world, uint32_t frames)
{
    for (uint32_t k = 0; k < frames; k++)
        assert_ok(sl_world_advance_frame(world, &test_error));
}
