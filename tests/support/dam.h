/* Worlds that several tests use. */
#ifndef TESTS_SUPPORT_DAM_H
#define TESTS_SUPPORT_DAM_H

#include "support/test.h"

typedef struct DamSetting {
    uint32_t threads;
    SlIsa isa;
    const char *solver; /* NULL: "pbf" */
    const char *kernel, *constraint; /* NULL: the default */
    uint32_t nx, ny, nz;             /* particles of the block */
    double spacing;                  /* 0: 0.1 */
    SlVec3 domain;                   /* 0: three blocks long, two high, as deep as the block */
    uint32_t iterations, steps;      /* 0: the default */
    double viscosity;                /* XSPH of a step; below 0: none; 0: 0.01 */
    bool defaults; /* the solver's defaults instead of the papers' lattice, steps and loop */
    bool no_gravity;
    SlVec3 offset, velocity;
    bool (*on_step)(void *user, SlSystemId system, const SlStepStats *stats);
    void *user;
} DamSetting;

/* A block of water in a box, not started. */
SlWorld *dam_create(const DamSetting *setting);
void dam_advance(SlWorld *world, uint32_t frames);

#endif
