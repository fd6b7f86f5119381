/* Worlds of projective fluids that several tests use. */
#ifndef TESTS_PROJECTIVE_PROJECTIVE_WORLDS_H
#define TESTS_PROJECTIVE_PROJECTIVE_WORLDS_H

#include "core/random.h"
#include "solvers/projective/projective.h"
#include "support/test.h"
#include "world/world.h"

enum { PF_SIDE = 9, PF_COUNT = PF_SIDE * PF_SIDE * PF_SIDE }; /* of pf_free_block */

typedef struct PfSetting {
    const char *name;
    double number;    /* of a number, or */
    const char *text; /* of a choice */
} PfSetting;

typedef struct PfWorld {
    uint32_t threads;
    SlIsa isa;
    double spacing;
    SlVec3 domain, from;   /* of the block */
    uint32_t nx, ny, nz;
    bool no_gravity;
    SlVec3 velocity;
    float friction;        /* of the domain */
    double other_density;  /* of a second fluid, if not 0 */
    double frame_time;     /* 0: 1/60 s */
    bool (*on_step)(void *user, SlSystemId system, const SlStepStats *stats);
    void *user;
    PfSetting settings[16]; /* up to the first without a name */
} PfWorld;

static SlWorld *pf_create(const PfWorld *w)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, w->threads, w->isa);
    def.on_step = w->on_step;
    def.on_step_user = w->user;
    def.domain.max = w->domain;
    def.domain_friction = w->friction;
    if (w->frame_time > 0)
        def.frame_time = w->frame_time;
    if (w->no_gravity)
        def.gravity = (SlVec3){0, 0, 0};
    SlWorld *world;
    SlSystemId id;
    SlSystemDef system = sl_default_system_def("projective");
    assert_ok(sl_world_create(&def, &world, &test_error));
    assert_ok(sl_world_add_system(world, &system, &id, &test_error));
    assert_ok(sl_system_set_number(world, id, "spacing", w->spacing, &test_error));
    /* the paper's loop, start, steps and viscosity, unless a setting says otherwise */
    assert_ok(sl_system_set_text(world, id, "preset", "sommer", &test_error));
    assert_ok(sl_system_set_text(world, id, "packing", "lattice", &test_error));
    assert_ok(sl_system_set_number(world, id, "steps", 2, &test_error));
    assert_ok(sl_system_set_number(world, id, "xsph", 0.01, &test_error));
    assert_ok(sl_system_set_number(world, id, "viscosity", 0, &test_error));
    for (const PfSetting *s = w->settings; s->name != NULL; s++)
        if (s->text != NULL)
            assert_ok(sl_system_set_text(world, id, s->name, s->text, &test_error));
        else
            assert_ok(sl_system_set_number(world, id, s->name, s->number, &test_error));
    SlFluidDef other = sl_default_fluid_def();
    other.name = "other";
    other.density = w->other_density;
    uint32_t fluid;
    if (w->other_density > 0)
        assert_ok(sl_system_add_fluid(world, id, &other, &fluid, &test_error));
    float d = (float)w->spacing;
    SlBlock block = {.min = w->from,
                        .max = {w->from.x + d * (float)w->nx, w->from.y + d * (float)w->ny,
                                w->from.z + d * (float)w->nz},
                        .velocity = w->velocity};
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    return world;
}

static inline void pf_advance(SlWorld *world, uint32_t frames)
{
    for (uint32_t k = 0; k < frames; k++)
        assert_ok(sl_world_advance_frame(world, &test_error));
}

static inline SlSystem *pf_system(SlWorld *world)
{
    return &world->systems[0]->base;
}

/* A block far from walls, without acceleration. */
static inline PfWorld pf_free_block(void)
{
    return (PfWorld){.threads = 2,
                     .spacing = 0.05,
                     .domain = {4, 4, 4},
                     .from = {1, 1, 1},
                     .nx = PF_SIDE,
                     .ny = PF_SIDE,
                     .nz = PF_SIDE,
                     .no_gravity = true,
                     .settings = {{"relaxation", 1, NULL},
                                  {"max_move", 1, NULL},
                                  {"acceleration", 0, "none"},
                                  {"divisor", 0, "own"}}};
}

static inline void pf_set(PfWorld *w, const char *name, double number, const char *text)
{
    for (PfSetting *s = w->settings;; s++)
        if (s->name == NULL || strcmp(s->name, name) == 0) {
            *s = (PfSetting){name, number, text};
            return;
        }
}

/* Every other particle becomes the second fluid. */
static inline void pf_mix(SlWorld *world)
{
    SlParticles *particles = &pf_system(world)->particles;
    const uint32_t *id = particles->data[SL_F_ID];
    for (size_t i = 0; i < particles->count; i++)
        ((uint32_t *)particles->data[SL_F_FLUID])[i] = id[i] % 2;
}

/* Squeezes the particles about `middle` and shakes them, by their ids. */
static inline void pf_disturb(SlWorld *world, float middle, float squeeze, float jitter)
{
    SlParticles *particles = &pf_system(world)->particles;
    const uint32_t *id = particles->data[SL_F_ID];
    for (size_t i = 0; i < particles->count; i++) {
        SlRandom4 r = sl_random(5, id[i], 0);
        for (size_t k = 0; k < 3; k++) {
            float *x = &sl_f32x4(particles, SL_F_POSITION)[4 * i + k];
            *x = middle + squeeze * (*x - middle) + jitter * (sl_random_unit(r.value[k]) - 0.5f);
        }
    }
}

/* A step up to its loop of local and global steps. */
static inline void pf_begin(SlWorld *world, double dt, SlProjectiveRun *run)
{
    SlSystem *system = pf_system(world);
    assert_ok(sl_projective_begin(system, dt, run, &test_error));
    sl_fluid_predict(system, &run->pass.fluid);
    assert_ok(sl_fluid_sort(system, &run->pass.fluid, SL_LIST_FROM_PREDICTED, &test_error));
    assert_ok(sl_fluid_list(system, &run->pass.fluid, SL_LIST_FROM_PREDICTED, &test_error));
    assert_ok(sl_projective_prepare(system, run, &test_error));
}

#endif
