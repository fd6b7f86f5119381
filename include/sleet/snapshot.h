/* Sleet: the state of a world kept in memory, for rollback. */
#ifndef SLEET_SNAPSHOT_H
#define SLEET_SNAPSHOT_H

#include "sleet/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that decides the future: particles, solvers' state, clocks, parameters, gravity,
   cameras, emitters, drains, force fields and the motion of colliders. It belongs to the world it was taken of;
   destroy it before the world's context. */
typedef struct SlSnapshot SlSnapshot;

/* Copies the state, at any step boundary; starts the world if need be. *snapshot NULL: makes a new
   one, which the caller destroys; else its memory is used again. */
SL_API SlStatus sl_world_snapshot(SlWorld *world, SlSnapshot **snapshot, SlError *error);
/* Takes the world back, as often as wanted; from there it continues with the same bits.
   SL_ERROR_ARGUMENT for a snapshot of another world, and where colliders were added or removed since
   it was taken: bring those back first. After SL_ERROR_MEMORY the world is as it was. */
SL_API SlStatus sl_world_restore_snapshot(SlWorld *world, const SlSnapshot *snapshot,
                                          SlError *error);
SL_API void sl_snapshot_destroy(SlSnapshot *snapshot);
/* Bytes it holds. */
SL_API size_t sl_snapshot_bytes(const SlSnapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
