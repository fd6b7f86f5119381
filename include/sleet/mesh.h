/* Sleet: solid things made of triangles. */
#ifndef SLEET_MESH_H
#define SLEET_MESH_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh read from a file becomes a signed distance field, open or closed, so it collides like any
   other solid. */
typedef struct SlMeshColliderDef {
    uint32_t cookie;  /* set by sl_default_mesh_collider_def */
    const char *path; /* OBJ, PLY or STL */
    float scale;      /* metres per unit of the file; default 1 */
    SlVec3 turn;      /* rad: axis × angle, about the file's origin */
    SlVec3 position;  /* m: where the file's origin goes */
    double cell;      /* m, of the field's grid; 0: the smallest spacing among the systems */
    bool hollow;      /* a container: the fluid is inside, all outside of the mesh is solid */
    float friction;   /* Coulomb, [0, 10] */
    const char *cache_folder; /* where fields are kept from run to run; NULL: nowhere */
} SlMeshColliderDef;

SL_API SlMeshColliderDef sl_default_mesh_collider_def(void);

#ifdef __cplusplus
}
#endif
#endif
