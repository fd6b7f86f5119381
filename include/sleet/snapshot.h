/* Sleet: the state of a world kept in memory, for rollback. */
#ifndef SLEET_SNAPSHOT_H
#define SLEET_SNAPSHOT_H

#include "sleet/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that the next steps depend on: particles, solvers' state, clocks, parameters, gravity,
   cameras and their paths, emitters, drains, force fields, and the motions and poses of colliders. It
   belongs to the world that it was taken of; destroy it before the world's context. */
typedef struct SlSnapshot SlSnapshot;

/* Copies the state between two steps; starts the world if need be. Where *snapshot is NULL a new one
   is made, which the caller destroys; else the given one is overwritten and its memory used again. */
SL_API SlStatus sl_world_snapshot(SlWorld *world, SlSnapshot **snapshot, SlError *error);
/* Takes the world back to the snapshot, as often as wanted; from there it continues with the same
   bits. SL_ERROR_ARGUMENT for a snapshot of another world, and where colliders were added or removed
   since it was taken. After an error the world is as it was. */
SL_API SlStatus sl_world_restore_snapshot(SlWorld *world, const SlSnapshot *snapshot,
                                          SlError *error);
SL_API void sl_snapshot_destroy(SlSnapshot *snapshot);
/* Bytes it holds. */
SL_API size_t sl_snapshot_bytes(const SlSnapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
