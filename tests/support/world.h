/* The one builder of test worlds: a definition, one system, its parameters by name. A block of water in
   a box is support/dam.h, which is made with this. */
#ifndef TESTS_SUPPORT_WORLD_H
#define TESTS_SUPPORT_WORLD_H

#include "support/test.h"

/* The default definition with a context of its own (destroyed with the world) and that domain. */
SlWorldDef test_world_def(uint32_t threads, SlVec3 min, SlVec3 max);
/* A world of the definition with one system, not started. `parameters` are words NAME=VALUE,
   "spacing=0.1 packing=lattice" (NULL: none); numbers are set as numbers, all else as text. *id may be
   NULL. Fails the test where a call fails. */
SlWorld *test_world(const SlWorldDef *def, const char *solver, const char *parameters,
                    SlSystemId *id);
/* One more system in the world. */
SlSystemId test_add_system(SlWorld *world, const char *solver, const char *name,
                           const char *parameters);
void test_set_parameters(SlWorld *world, SlSystemId id, const char *parameters);
void test_add_block(SlWorld *world, SlSystemId id, SlVec3 min, SlVec3 max);

#endif
